"""Bytes of numbers, texts and lists of values: what `encoding` is written in.

Two streams: `plain` is compressible and `noise` (hashes, mantissas) is not, so that one does not spoil the other's
compression.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.states.folding.hashing import micros
from catalog.states.parts.moments import WIDE

_EPOCH = datetime(1970, 1, 1)


class Writer:
    """Appends values to its two streams."""

    def __init__(self) -> None:
        self.plain = bytearray()
        self.noise = bytearray()

    def unsigned(self, value: int) -> None:
        """An unsigned integer of any size, seven bits a byte."""
        out = self.plain
        while value > 0x7F:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)

    def signed(self, value: int) -> None:
        """A signed integer of any size."""
        self.unsigned(value << 1 if value >= 0 else (-value << 1) - 1)

    def double(self, value: float) -> None:
        self.noise += struct.pack("<d", value)

    def text(self, value: str) -> None:
        raw = value.encode("utf-8", "surrogatepass")
        self.unsigned(len(raw))
        self.plain += raw

    def hashes(self, values: NDArray[np.uint64]) -> None:
        """Ascending hashes of 48 leading bits, as differences in planes of one byte each."""
        deltas = np.diff(values >> np.uint64(16), prepend=np.uint64(0))
        width = (int(deltas.max(initial=0)).bit_length() + 7) // 8
        self.unsigned(len(values))
        self.unsigned(width)
        planes = deltas.astype("<u8").view(np.uint8).reshape(-1, 8)
        self.noise += planes[:, :width].T.tobytes()

    def values(self, values: Sequence[Any]) -> None:
        """Values of one column, by the type they share."""
        tag = _tag(values)
        self.plain += tag
        getattr(self, f"_{_NAMES[tag]}")(values)

    def _texts(self, values: Sequence[str]) -> None:
        for value in values:
            self.text(value)

    def _ints(self, values: Sequence[int]) -> None:
        last = 0
        for value in values:
            self.signed(int(value) - last)
            last = int(value)

    def _floats(self, values: Sequence[float]) -> None:
        scaled = short(values)
        if scaled is None:
            self.plain.append(0xFF)
            self.noise += np.asarray(values, "<f8").tobytes()
        else:
            self.plain.append(scaled[0])
            self._ints(scaled[1])

    def _decimals(self, values: Sequence[Decimal]) -> None:
        for value in values:
            sign, digits, exponent = value.as_tuple()
            number = int("".join(map(str, digits)) or "0")
            self.signed(-number if sign else number)
            self.signed(int(exponent))

    def _times(self, values: Sequence[Any]) -> None:
        self._ints([micros(v) // (86_400_000_000 if type(v) is date else 1) for v in values])

    _dates = _moments = _instants = _clocks = _times
    _booleans = _ints

    def _mixed(self, values: Sequence[Any]) -> None:
        for value in values:
            self.values([value])


def short(values: Sequence[float]) -> tuple[int, list[int]] | None:
    """(d, integers) with values = integers / 10^d for the least d <= 6; None where there is none."""
    floats = np.asarray(values, np.float64)
    if not np.isfinite(floats).all() or (len(floats) and np.abs(floats).max() > 1e15):
        return None
    for digits in range(7):
        scaled = np.rint(floats * 10.0**digits)
        if np.abs(scaled).max(initial=0) > 1 << 53:
            return None
        if np.array_equal(scaled / 10.0**digits, floats):
            return digits, scaled.astype(np.int64).tolist()
    return None


_NAMES = {
    b"s": "texts", b"i": "ints", b"f": "floats", b"D": "decimals", b"d": "dates", b"t": "moments", b"T": "instants",
    b"c": "clocks", b"b": "booleans", b"x": "mixed",
}  # fmt: skip
_TAGS = {str: b"s", int: b"i", float: b"f", Decimal: b"D", date: b"d", time: b"c", bool: b"b"}


def _tag(values: Sequence[Any]) -> bytes:
    kinds = {(type(v), getattr(v, "tzinfo", None) is not None) for v in values}
    if len(kinds) != 1:
        return b"x" if kinds else b"i"
    kind, aware = kinds.pop()
    if kind is datetime:
        return b"T" if aware else b"t"
    return _TAGS[kind]


_MANY = 16  # integers that are worth reading at once; chosen: below it the set-up costs more


class Reader:
    """Reads what a `Writer` wrote, in the same order; raises ValueError or IndexError past the end."""

    def __init__(self, plain: bytes, noise: bytes) -> None:
        self.plain, self.noise = plain, noise
        self.at = self.noise_at = 0

    def unsigned(self) -> int:
        out = shift = 0
        while True:
            byte = self.plain[self.at]
            self.at += 1
            out |= (byte & 0x7F) << shift
            if byte < 0x80:
                return out
            shift += 7

    def unsigned_list(self, size: int) -> list[int]:
        """So many unsigned integers: many at once where they are short, as counts are."""
        found = self._short(size) if size >= _MANY else None
        return [self.unsigned() for _ in range(size)] if found is None else found.tolist()

    def _short(self, size: int) -> NDArray[np.int64] | None:
        """So many unsigned integers whose sum fits 62 bits; None, nothing read, where some may be longer."""
        data = np.frombuffer(self.plain, np.uint8, offset=self.at)[: 8 * size]
        ends = np.flatnonzero(data < 0x80)[:size] + 1
        if len(ends) < size:
            return None
        starts = np.concatenate(([0], ends[:-1]))
        longest = int((ends - starts).max())
        if 7 * longest + size.bit_length() > 62:
            return None
        out = np.zeros(size, np.int64)
        for at in range(longest):
            there = np.flatnonzero(starts + at < ends)
            out[there] |= (data[starts[there] + at] & 0x7F).astype(np.int64) << 7 * at
        self.at += int(ends[-1])
        return out

    def signed(self) -> int:
        value = self.unsigned()
        return value >> 1 if not value & 1 else -((value + 1) >> 1)

    def double(self) -> float:
        return float(struct.unpack("<d", self.raw(8))[0])

    def raw(self, size: int) -> bytes:
        """Bytes of the noise."""
        out = self.noise[self.noise_at : self.noise_at + size]
        if len(out) != size:
            raise ValueError("the state ends early")
        self.noise_at += size
        return out

    def text(self) -> str:
        size = self.unsigned()
        out = self.plain[self.at : self.at + size]
        if len(out) != size:
            raise ValueError("the state ends early")
        self.at += size
        return out.decode("utf-8", "surrogatepass")

    def hashes(self) -> NDArray[np.uint64]:
        size, width = self.unsigned(), self.unsigned()
        planes = np.zeros((size, 8), np.uint8)
        planes[:, :width] = np.frombuffer(self.raw(size * width), np.uint8).reshape(width, size).T
        deltas = planes.view("<u8").reshape(size).astype(np.uint64)
        return np.cumsum(deltas, dtype=np.uint64) << np.uint64(16)

    def values(self, size: int) -> list[Any]:
        tag = self.plain[self.at : self.at + 1]
        self.at += 1
        name = _NAMES[tag]
        if name == "texts":
            return [self.text() for _ in range(size)]
        if name == "decimals":
            return [Decimal(self.signed()).scaleb(self.signed(), WIDE) for _ in range(size)]
        if name == "mixed":
            return [self.values(1)[0] for _ in range(size)]
        if name == "floats":
            return self._floats(size)
        return [_BACK[name](x) for x in self._ints(size)]

    def _ints(self, size: int) -> list[int]:
        steps = self._short(size) if size >= _MANY else None
        if steps is not None:
            found: list[int] = np.cumsum(np.where(steps & 1, -((steps + 1) >> 1), steps >> 1)).tolist()
            return found
        out, last = [], 0
        for _ in range(size):
            last += self.signed()
            out.append(last)
        return out

    def _floats(self, size: int) -> list[float]:
        digits = self.plain[self.at]
        self.at += 1
        if digits == 0xFF:
            return [float(x) for x in np.frombuffer(self.raw(8 * size), "<f8")]
        return [x / 10.0**digits for x in self._ints(size)]


_BACK: dict[str, Any] = {
    "ints": int,
    "booleans": bool,
    "dates": lambda x: date.fromordinal(x + 719_163),
    "moments": lambda x: _EPOCH + timedelta(microseconds=x),
    "instants": lambda x: (_EPOCH + timedelta(microseconds=x)).replace(tzinfo=UTC),
    "clocks": lambda x: (_EPOCH + timedelta(microseconds=x)).time(),
}
