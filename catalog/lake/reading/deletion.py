"""Deletion vectors: which rows of a data file are deleted.

Delta protocol, "Deletion Vector Format": a 64-bit Roaring bitmap in the portable serialisation
(github.com/RoaringBitmap/RoaringFormatSpec, "64-bit implementations"), inline in the log or in a file of its own.
"""

from __future__ import annotations

import base64
import re
import struct
import uuid
import zlib
from urllib.parse import unquote

import numpy as np

from catalog.errors import MissingFile, UnreadableFile
from catalog.lake.reading.storage import Storage

_MAGIC = 1681511377
_NATIVE_MAGIC = (
    1681511376  # of the format before the portable one, which the protocol's example of an inline vector has
)
_SERIAL_COOKIE, _NO_RUN_COOKIE, _NO_OFFSET_THRESHOLD = 12347, 12346, 4
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_B85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_TO_B85 = str.maketrans(_Z85, _B85)


def deleted_rows(
    uri: str, identity: str, options: dict[str, str], roots: tuple[str, ...] = (), rows: int | None = None
) -> np.ndarray:
    """Positions (uint64, ascending, from 0) of the deleted rows of a file.

    `identity` is the vector's unique id: storage type, path or data, and ``@offset``. `rows` is how many rows the file
    has: a vector that names others is damaged. Raises `MissingFile`, `UnreadableFile` or `OutsideSource`.
    """
    kind, rest = identity[0], identity[1:]
    what = "the inline deletion vector" if kind == "i" else "the deletion vector"
    try:
        if kind == "i":
            return parse_bitmap(z85_decode(rest), rows)
        place, start = _place(kind, rest)
        what = f"the deletion vector {place}"
        data = Storage(uri, options, roots).read(place)
        (size,) = struct.unpack_from(">i", data, start)
        body = data[start + 4 : start + 4 + size]
        (checksum,) = struct.unpack_from(">I", data, start + 4 + size)
        if zlib.crc32(body) != checksum:
            raise ValueError("its checksum is wrong")
        return parse_bitmap(body, rows)
    except FileNotFoundError as error:
        raise MissingFile(f"{what} is missing") from error
    except OSError as error:
        raise UnreadableFile(f"{what} cannot be read ({type(error).__name__})") from error
    except (struct.error, ValueError, IndexError, OverflowError) as error:
        raise UnreadableFile(f"{what} is damaged: {error}") from error


def vector_place(identity: str) -> str | None:
    """Path of a vector's file as the log means it; None for one that is inline. Raises `UnreadableFile`."""
    try:
        return None if identity[0] == "i" else _place(identity[0], identity[1:])[0]
    except ValueError as error:
        raise UnreadableFile(f"the log lists a deletion vector without a usable path ({error})") from error


def _place(kind: str, rest: str) -> tuple[str, int]:
    """Path of a vector's file as the log means it, and where in it the vector begins."""
    shortest = 20 if kind == "u" else 1  # the name itself, in base 85, may end like an offset
    told = re.fullmatch(rf"(.{{{shortest},}})@(\d{{1,18}})", rest, re.DOTALL)
    place, start = (told[1], int(told[2])) if told else (rest, 1)
    if kind == "u":
        prefix, name = place[:-20], uuid.UUID(bytes=z85_decode(place[-20:]))
        place = f"{prefix}/deletion_vector_{name}.bin" if prefix else f"deletion_vector_{name}.bin"
    elif kind == "p":
        place = unquote(place, errors="strict")
    return place, start


def z85_decode(text: str) -> bytes:
    """ZeroMQ's base 85 (rfc.zeromq.org/spec/32).

    >>> z85_decode("HelloWorld").hex()
    '864fd26fb559f75b'
    """
    return base64.b85decode(text.translate(_TO_B85))


def parse_bitmap(data: bytes, rows: int | None = None) -> np.ndarray:
    """The positions in a serialised 64-bit Roaring bitmap with Delta's magic number; `ValueError` on damage, such as
    positions that are no row of a file of `rows` rows: few bytes could name billions."""
    for order in "<>":
        if struct.unpack_from(f"{order}i", data, 0)[0] == _NATIVE_MAGIC:
            return _parse_native(data, order, rows)
    (magic, count) = struct.unpack_from("<iq", data, 0)
    if magic != _MAGIC:
        raise ValueError(f"magic number {magic} is not {_MAGIC}")
    at, found, above = 12, [], -1
    for _ in range(count):
        (high,) = struct.unpack_from("<I", data, at)
        if high <= above:
            raise ValueError("its parts are not in order")
        above = high
        low, at = _parse_32(data, at + 4, None if rows is None else rows - (high << 32))
        found.append(low.astype(np.uint64) + (np.uint64(high) << np.uint64(32)))
    return np.concatenate(found) if found else np.zeros(0, np.uint64)


def _parse_native(data: bytes, order: str, rows: int | None) -> np.ndarray:
    """The bitmaps of 2^32 rows one behind the other, each after its size in bytes."""
    (count,) = struct.unpack_from(f"{order}i", data, 4)
    at, found = 8, []
    for high in range(count):
        (size,) = struct.unpack_from(f"{order}i", data, at)
        low, end = _parse_32(data, at + 4, None if rows is None else rows - (high << 32))
        if end != at + 4 + size:
            raise ValueError("a part is not as long as it says")
        found.append(low.astype(np.uint64) + (np.uint64(high) << np.uint64(32)))
        at = end
    return np.concatenate(found) if found else np.zeros(0, np.uint64)


def _parse_32(data: bytes, at: int, rows: int | None) -> tuple[np.ndarray, int]:
    """A 32-bit bitmap that starts at byte `at`: its values (uint32, ascending) and where it ends."""
    (cookie,) = struct.unpack_from("<I", data, at)
    at += 4
    runs = np.zeros(0, bool)
    if cookie & 0xFFFF == _SERIAL_COOKIE:
        size = (cookie >> 16) + 1
        flags = np.frombuffer(data, np.uint8, (size + 7) // 8, at)
        runs = np.unpackbits(flags, bitorder="little")[:size].astype(bool)
        at += len(flags)
    elif cookie == _NO_RUN_COOKIE:
        (size,) = struct.unpack_from("<I", data, at)
        at += 4
    else:
        raise ValueError(f"{cookie} is no Roaring cookie")
    header = np.frombuffer(data, "<u2", 2 * size, at).reshape(-1, 2).astype(np.uint32)
    at += 4 * size
    if not len(runs) or size >= _NO_OFFSET_THRESHOLD:
        at += 4 * size
    if np.any(np.diff(header[:, 0].astype(np.int64)) <= 0):
        raise ValueError("its parts are not in order")
    if rows is not None and size and int(header[-1, 0]) << 16 >= max(0, rows):
        raise ValueError("it names rows that the file does not have")
    found = []
    for index, (key, less_one) in enumerate(header):
        low, at = _container(data, at, bool(len(runs) and runs[index]), int(less_one) + 1)
        found.append(low + (key << np.uint32(16)))
    return (np.concatenate(found) if found else np.zeros(0, np.uint32)), at


def _container(data: bytes, at: int, is_run: bool, cardinality: int) -> tuple[np.ndarray, int]:
    if is_run:
        (count,) = struct.unpack_from("<H", data, at)
        pairs = np.frombuffer(data, "<u2", 2 * count, at + 2).reshape(-1, 2).astype(np.uint32)
        if int(pairs[:, 1].sum()) + count > 1 << 16:
            raise ValueError("its runs overlap")
        values = [np.arange(start, start + length + 1, dtype=np.uint32) for start, length in pairs]
        return (np.concatenate(values) if values else np.zeros(0, np.uint32)), at + 2 + 4 * count
    if cardinality <= 4096:
        return np.frombuffer(data, "<u2", cardinality, at).astype(np.uint32), at + 2 * cardinality
    bits = np.unpackbits(np.frombuffer(data, np.uint8, 8192, at), bitorder="little")
    return np.flatnonzero(bits).astype(np.uint32), at + 8192
