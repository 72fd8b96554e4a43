"""Stable 64-bit hashes of values: the same on every machine, in every process and version.

Strings and binary: XXH3-64 of the bytes. Numbers: splitmix64 of a canonical 64 bits, so that equal numbers of
different widths and types hash equal (3, 3.0, Decimal("3.00"); -0.0 and 0.0). Times: their epoch microseconds (dates:
of midnight). Lists, structs and maps: their elements' hashes with their positions. Null is 0 in `hash_rows` and not a
value elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import polars_hash  # registers the expressions' namespace `nchash`
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from catalog.states.elements import EACH

Hashes = NDArray[np.uint64]
Part = Callable[[int], Hashes]
EMPTY = 0x2D06800538D394C2  # hash of the empty string
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FRACTION = np.uint64(0x5851F42D4C957F2D)  # sets bits of a double apart from bits of an integer
_INT_EDGE = 2.0**63  # bound of 64-bit integers
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TENS = np.array([float(f"1e{i}") for i in range(80)])


def splitmix(bits: Hashes) -> Hashes:
    """Finaliser of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).

    >>> [hex(x) for x in splitmix(np.array([0, 1], np.uint64))]
    ['0xe220a8397b1dcdaf', '0x910a2dec89025cc1']
    """
    x = bits + _GOLDEN
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


def hash_ints(values: NDArray[np.int64]) -> Hashes:
    return splitmix(values.view(np.uint64))


def hash_floats(values: NDArray[np.float64]) -> Hashes:
    """Integral doubles hash as the integer they equal."""
    values = values + 0.0  # -0.0 becomes 0.0
    bits = values.view(np.uint64) ^ _FRACTION
    integral = (np.rint(values) == values) & (np.abs(values) < _INT_EDGE)
    if integral.any():
        bits[integral] = values[integral].astype(np.int64).view(np.uint64)
    return splitmix(bits)


def hash_decimals(unscaled: NDArray[np.int64], scale: int) -> Hashes:
    """Decimals unscaled / 10^scale: integral ones as integers, short ones as doubles, long ones as text."""
    u = unscaled.astype(np.int64, copy=True)
    scales = np.full(len(u), scale)
    for _ in range(max(scale, 0)):
        whole = (scales > 0) & (u % 10 == 0)
        if not whole.any():
            break
        u[whole] //= 10
        scales[whole] -= 1
    out = hash_ints(u)
    short = (scales > 0) & (np.abs(u) < 1 << 53)
    if short.any():
        out[short] = hash_floats(u[short] / _TENS[scales[short]])
    for i in np.flatnonzero((scales > 0) & ~short):
        out[i] = hash_value(Decimal(int(u[i])).scaleb(-int(scales[i])))
    return out


def hash_strings(values: pl.Series) -> Hashes:
    """XXH3-64 of strings or binary; null is 0."""
    column = polars_hash.col("x").nchash.xxh3_64()
    hashes = pl.DataFrame({"x": values}).select(column).to_series()
    return (hashes.fill_null(0) if hashes.null_count() else hashes).to_numpy()


def hash_value(value: Any) -> int:
    """Hash of one Python value, equal to what its Arrow form hashes to.

    >>> hash_value(3) == hash_value(3.0) == hash_value(Decimal("3.00"))
    True
    >>> hex(hash_value(""))
    '0x2d06800538d394c2'
    """
    return int(hash_values([value])[0])


def hash_values(values: Sequence[Any]) -> Hashes:
    """Hashes of Python values (strings, bytes, numbers, booleans, dates, times); untruncated."""
    if len(values) and all(type(value) is str for value in values):
        return hash_strings(pl.Series([v.encode("utf-8", "surrogatepass") for v in values], dtype=pl.Binary))
    out = np.empty(len(values), np.uint64)
    texts: list[tuple[int, bytes]] = []
    ints: list[tuple[int, int]] = []
    floats: list[tuple[int, float]] = []
    for i, value in enumerate(values):
        plain = _plain(value)
        if isinstance(plain, bytes):
            texts.append((i, plain))
        elif isinstance(plain, int):
            ints.append((i, plain))
        else:
            floats.append((i, plain))
    if texts:
        out[[i for i, _ in texts]] = hash_strings(pl.Series([t for _, t in texts], dtype=pl.Binary))
    if ints:
        out[[i for i, _ in ints]] = hash_ints(np.array([x for _, x in ints], np.int64))
    if floats:
        out[[i for i, _ in floats]] = hash_floats(np.array([x for _, x in floats], np.float64))
    return out


def _plain(value: Any) -> bytes | int | float:
    """The canonical form that is hashed: bytes, an int of 64 bits, or a double."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, (bytes, float)):
        return value
    if isinstance(value, (bool, int)):
        return int(value) if -(1 << 63) <= value < 1 << 63 else str(int(value)).encode()
    if isinstance(value, Decimal):
        return _plain_decimal(value)
    return micros(value)


def _plain_decimal(value: Decimal) -> bytes | int | float:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return float(value)
    unscaled = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
    while exponent < 0 and unscaled % 10 == 0:
        unscaled, exponent = unscaled // 10, exponent + 1
    if exponent >= 0:
        return _plain(unscaled * 10**exponent)
    if abs(unscaled) < 1 << 53:
        return float(unscaled / _TENS[-exponent])
    return f"{unscaled}e{exponent}".encode()


def micros(value: date | datetime | time | timedelta | int) -> int:
    """Epoch microseconds of a time (of the day for `time`, of the span for `timedelta`); an int passes."""
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=_EPOCH.tzinfo)
        return (aware - _EPOCH) // _MICROSECOND
    if isinstance(value, date):
        return (value.toordinal() - 719_163) * 86_400_000_000
    if isinstance(value, time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    if isinstance(value, timedelta):
        return value // _MICROSECOND
    return int(value)


def simple(array: pa.Array, *, views: bool = False) -> pa.Array:
    """The array without wrapping: extension, dictionary, run-end encoding and half floats are resolved; so are views,
    except of strings where `views` are welcome.
    """
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return simple(array.storage, views=views)
    if pa.types.is_dictionary(kind):
        return simple(array.cast(kind.value_type), views=views)
    if pa.types.is_run_end_encoded(kind):
        return simple(pc.run_end_decode(array), views=views)
    if pa.types.is_float16(kind):
        return array.cast(pa.float32())
    if pa.types.is_string_view(kind):
        return array if views else array.cast(pa.large_string())
    if pa.types.is_binary_view(kind) or pa.types.is_fixed_size_binary(kind):
        return array.cast(pa.large_binary())
    if pa.types.is_fixed_size_list(kind):
        return array.cast(pa.list_(kind.value_field))
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        return pa.array(array.to_pylist(), pa.large_list(kind.value_field))  # pyarrow's cast writes short offsets
    if pa.types.is_decimal(kind) and kind.bit_width < 128:
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    return array


def int64_of(array: pa.Array) -> NDArray[np.int64] | None:
    """Integers, booleans, dates, times (microseconds) and short decimals (unscaled) as int64; null is any number.

    None where the values do not fit into 64 bits.
    """
    kind = array.type
    if pa.types.is_decimal128(kind):
        words = np.frombuffer(array.buffers()[1], np.int64)[2 * array.offset : 2 * (array.offset + len(array))]
        low, high = words[::2], words[1::2]
        fits = high == (low >> 63)
        if array.null_count:
            fits |= ~valid(array)
        return np.ascontiguousarray(low) if fits.all() else None
    if pa.types.is_decimal(kind):
        return None
    if pa.types.is_boolean(kind):
        return filled(array, False).astype(np.int64)
    if pa.types.is_uint64(kind):
        unsigned = filled(array, 0)
        return None if len(unsigned) and int(unsigned.max()) >= 1 << 63 else unsigned.view(np.int64)
    if pa.types.is_integer(kind):
        return filled(array, 0).astype(np.int64, copy=False)
    return _micros_of(array)


def _micros_of(array: pa.Array) -> NDArray[np.int64]:
    """Dates, timestamps, times of day and durations as microseconds."""
    kind = array.type
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        raw = filled(array.view(pa.int32()), 0).astype(np.int64)
    else:
        raw = filled(array.view(pa.int64()), 0)
    if pa.types.is_date32(kind):
        return raw * 86_400_000_000
    unit = "ms" if pa.types.is_date64(kind) else kind.unit
    return raw * {"s": 1_000_000, "ms": 1000, "us": 1}[unit] if unit != "ns" else raw // 1000


def filled(array: pa.Array, value: Any) -> NDArray[Any]:
    """As numpy, nulls replaced by `value`; without a copy where there are none."""
    if array.null_count:
        array = array.fill_null(value)
    found: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return found


def valid(array: pa.Array) -> NDArray[np.bool_]:
    """Which rows are not null."""
    found: NDArray[np.bool_] = array.is_valid().to_numpy(zero_copy_only=False)
    return found


def hash_rows(array: pa.Array, part: Part | None = None) -> Hashes:
    """One hash a row, of any Arrow type; null is 0. Where the hashes of what rows consist of are known, `part` gives
    them: of a struct's fields by their places, of a list's elements at `EACH`."""
    array = simple(array)
    kind = array.type
    if pa.types.is_null(kind):
        return np.zeros(len(array), np.uint64)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        array = array.view(pa.binary() if pa.types.is_string(kind) else pa.large_binary())
        return hash_strings(pl.Series(pl.from_arrow(array)))
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return hash_strings(pl.Series(pl.from_arrow(array)))
    if pa.types.is_struct(kind):
        hashes = _hash_struct(array, part or _parts(array.flatten()))
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        hashes = _hash_lists(array, part)
    elif pa.types.is_floating(kind):
        hashes = hash_floats(filled(array, 0.0).astype(np.float64, copy=False))
    elif is_integral(kind):
        hashes = _hash_integral(array)
    else:  # unions and calendar intervals: rare, by their text
        hashes = hash_strings(pl.Series([str(x) for x in array.to_pylist()], dtype=pl.String))
    if array.null_count:
        hashes = np.where(valid(array), hashes, np.uint64(0))
    return hashes


def is_integral(kind: pa.DataType) -> bool:
    """Types whose values are integers of some unit."""
    t = pa.types
    return bool(
        t.is_integer(kind) or t.is_boolean(kind) or t.is_decimal(kind) or t.is_date(kind) or t.is_timestamp(kind)
        or t.is_time(kind) or t.is_duration(kind)
    )  # fmt: skip


def _hash_integral(array: pa.Array) -> Hashes:
    ints = int64_of(array)
    if ints is None:
        return hash_values([0 if x is None else x for x in array.to_pylist()])
    return hash_decimals(ints, array.type.scale) if pa.types.is_decimal(array.type) else hash_ints(ints)


def _parts(children: Sequence[pa.Array]) -> Part:
    return lambda at: hash_rows(children[at])


def _hash_struct(array: pa.StructArray, part: Part) -> Hashes:
    out = np.zeros(len(array), np.uint64)
    for at in range(array.type.num_fields):
        out += splitmix(part(at) + np.uint64(at + 1))
    return out


def _hash_lists(array: pa.Array, part: Part | None) -> Hashes:
    starts, ends, child = list_parts(array)
    hashes = hash_rows(child) if part is None else part(EACH)
    lengths = ends - starts
    where = np.arange(len(child), dtype=np.int64) - np.repeat(starts, lengths) if len(child) else np.empty(0, np.int64)
    mixed = splitmix(hashes + where.astype(np.uint64) * _GOLDEN)
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)))
    return splitmix(sums[ends] - sums[starts] + lengths.astype(np.uint64))


def list_parts(array: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64], pa.Array]:
    """(starts, ends, elements) of a list or map array; a null list is empty."""
    width = np.int64 if pa.types.is_large_list(array.type) else np.int32
    if len(array) == 0:
        empty = np.empty(0, np.int64)
        if pa.types.is_map(array.type):
            inside = pa.struct([("key", array.type.key_type), ("value", array.type.item_type)])
            return empty, empty, pa.array([], inside)
        return empty, empty, array.values.slice(0, 0)
    offsets = np.frombuffer(array.buffers()[1], width)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    lengths = np.diff(offsets)
    child = (
        array.values
        if not pa.types.is_map(array.type)
        else pa.StructArray.from_arrays([array.keys, array.items], ["key", "value"])
    )
    if array.null_count and bool((lengths[~valid(array)] != 0).any()):
        taken = np.repeat(np.where(valid(array), 1, 0), lengths).astype(bool)
        child = child.slice(int(offsets[0]), int(offsets[-1] - offsets[0])).filter(pa.array(taken))
        lengths = np.where(valid(array), lengths, 0)
    else:
        child = child.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
    ends = np.cumsum(lengths)
    return ends - lengths, ends, child
