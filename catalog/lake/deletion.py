"""Deletion vectors: which rows of a data file are deleted.

Delta protocol, "Deletion Vector Format": a 64-bit Roaring bitmap in the portable serialisation
(github.com/RoaringBitmap/RoaringFormatSpec, "64-bit implementations"), inline in the log or in a file of its own.
"""

from __future__ import annotations

import base64
import struct
import uuid
import zlib

import numpy as np

from catalog.errors import MissingFile, UnreadableFile
from catalog.lake.storage import Storage, locate

_MAGIC = 1681511377
_SERIAL_COOKIE, _NO_RUN_COOKIE, _NO_OFFSET_THRESHOLD = 12347, 12346, 4
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_B85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_TO_B85 = str.maketrans(_Z85, _B85)


def deleted_rows(uri: str, identity: str, options: dict[str, str]) -> np.ndarray:
    """Positions (uint64, ascending, from 0) of the deleted rows of a file.

    `identity` is the vector's unique id: storage type, path or data, and ``@offset``. Raises `MissingFile` or
    `UnreadableFile`.
    """
    kind, rest = identity[0], identity[1:]
    if kind == "i":
        return parse_bitmap(z85_decode(rest))
    place, _, offset = rest.rpartition("@")
    if not place:
        place, offset = rest, "1"
    if kind == "u":
        prefix, name = place[:-20], uuid.UUID(bytes=z85_decode(place[-20:]))
        place = f"{prefix}/deletion_vector_{name}.bin" if prefix else f"deletion_vector_{name}.bin"
    folder, path = locate(uri, place)
    try:
        data = Storage(folder, options).read(path)
    except FileNotFoundError as error:
        raise MissingFile(f"the deletion vector {path} is not there") from error
    except OSError as error:
        raise UnreadableFile(f"the deletion vector {path} cannot be read ({type(error).__name__})") from error
    start = int(offset)
    try:
        (size,) = struct.unpack_from(">i", data, start)
        body = data[start + 4 : start + 4 + size]
        (checksum,) = struct.unpack_from(">I", data, start + 4 + size)
        if zlib.crc32(body) != checksum:
            raise ValueError("its checksum is wrong")
        return parse_bitmap(body)
    except (struct.error, ValueError, IndexError) as error:
        raise UnreadableFile(f"the deletion vector {path} is damaged: {error}") from error


def z85_decode(text: str) -> bytes:
    """ZeroMQ's base 85 (rfc.zeromq.org/spec/32).

    >>> z85_decode("HelloWorld").hex()
    '864fd26fb559f75b'
    """
    return base64.b85decode(text.translate(_TO_B85))


def parse_bitmap(data: bytes) -> np.ndarray:
    """The positions in a serialised 64-bit Roaring bitmap with Delta's magic number; `ValueError` on damage."""
    (magic, count) = struct.unpack_from("<iq", data, 0)
    if magic != _MAGIC:
        raise ValueError(f"magic number {magic} is not {_MAGIC}")
    at, found = 12, []
    for _ in range(count):
        (high,) = struct.unpack_from("<I", data, at)
        low, at = _parse_32(data, at + 4)
        found.append(low.astype(np.uint64) + (np.uint64(high) << np.uint64(32)))
    return np.concatenate(found) if found else np.zeros(0, np.uint64)


def _parse_32(data: bytes, at: int) -> tuple[np.ndarray, int]:
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
    found = []
    for index, (key, less_one) in enumerate(header):
        low, at = _container(data, at, bool(len(runs) and runs[index]), int(less_one) + 1)
        found.append(low + (key << np.uint32(16)))
    return (np.concatenate(found) if found else np.zeros(0, np.uint32)), at


def _container(data: bytes, at: int, is_run: bool, cardinality: int) -> tuple[np.ndarray, int]:
    if is_run:
        (count,) = struct.unpack_from("<H", data, at)
        pairs = np.frombuffer(data, "<u2", 2 * count, at + 2).reshape(-1, 2).astype(np.uint32)
        values = [np.arange(start, start + length + 1, dtype=np.uint32) for start, length in pairs]
        return (np.concatenate(values) if values else np.zeros(0, np.uint32)), at + 2 + 4 * count
    if cardinality <= 4096:
        return np.frombuffer(data, "<u2", cardinality, at).astype(np.uint32), at + 2 * cardinality
    bits = np.unpackbits(np.frombuffer(data, np.uint8, 8192, at), bitorder="little")
    return np.flatnonzero(bits).astype(np.uint32), at + 8192
