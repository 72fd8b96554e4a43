"""What is read of a column of many strings from its Arrow buffers: shapes, lengths, extremes, numbers.

Everything works on whole buffers. A few rows, evenly spread, tell whether the shapes of a column are few enough to be
counted as they are; if not, the column is coarsened before it is counted, so that no column of hashes or prose costs
more than its bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from catalog.states.folding.bounds import block_bounds, only_shape
from catalog.states.folding.hashing import hash_strings, splitmix
from catalog.states.folding.sorting import ascending, first_rows, tally
from catalog.states.parts.exact import NUMBER
from catalog.states.parts.moments import Moments, moments_of
from catalog.states.parts.shapes import (
    BOUNDED,
    CLASSES,
    MOST_SHAPE,
    RUNS,
    SET,
    TABLE,
    WIDEST,
    Lengths,
    Shape,
    Shapes,
    best_level,
    collect,
    lengths_of_shapes,
)
from catalog.states.parts.summaries import Quantiles, quantiles_of

PROBED = 512  # rows that tell the level at which a column's shapes are counted; a bound of time
PIECE = 1 << 16  # bytes translated at a time; a bound of memory
MANY = 128  # more distinct shapes among them are too many to be counted as they are; chosen: twice what is listed
_NUMERIC = {
    0: re.compile(r"[+-]?0+(\.0+)?([Aa][+-]?0{1,3})?"),
    RUNS: re.compile(r"[+-]?0(\.0)?([Aa][+-]?0)?"),
    CLASSES: re.compile(r"[+-]?X+(\.X+)?([+-]X{1,3})?"),
    RUNS | CLASSES: re.compile(r"[+-]?X(\.X)?([+-]X)?"),
    RUNS | CLASSES | SET: re.compile(r"\+?-?\.?X"),
}
_PLAIN_NUMBER = re.compile(r"[+-]?0+(\.0+)?")

Edges = NDArray[Any]
Codes = NDArray[np.uint8]


def binary(array: pa.Array) -> pl.Series:
    """A string array's bytes, without a copy of the longer ones; that they are UTF-8 is never taken for granted."""
    kind = array.type
    views, wide = pa.types.is_string_view(kind), pa.types.is_large_string(kind)
    array = array.view(pa.binary_view() if views else pa.large_binary() if wide else pa.binary())
    return pl.Series("s", pl.from_arrow(array))


def decode(cells: pl.Series) -> list[str]:
    """Strings as Python has them; bytes that are no UTF-8 become U+FFFD."""
    return [x.decode("utf-8", "replace") for x in cells.to_list()]


def buffers(cells: pl.Series) -> tuple[Edges, Codes]:
    """(offsets from 0, bytes) of binary cells without nulls."""
    array = cells.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    _, offsets, data = array.buffers()
    edges = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    codes = np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
    codes = codes[int(edges[0]) : int(edges[-1])]
    return (edges if edges[0] == 0 else edges - edges[0]), codes


def as_binary(edges: Edges, codes: Codes | bytes) -> pl.Series:
    """Bytes between the edges as a polars column."""
    parts = [None, pa.py_buffer(np.ascontiguousarray(edges)), pa.py_buffer(codes)]
    return pl.Series("s", pl.from_arrow(pa.Array.from_buffers(pa.large_binary(), len(edges) - 1, parts)))


def extremes(series: pl.Series) -> tuple[str, str]:
    """Least and largest string, of binary cells, by code point."""
    low, high = series.min(), series.max()
    return bytes(low).decode("utf-8", "replace"), bytes(high).decode("utf-8", "replace")  # type: ignore[arg-type]


def numbers(cells: pl.Series, points: int, *, all_plain: bool) -> tuple[Moments | None, Quantiles | None, int]:
    """Moments and quantiles of the cells that are numbers, and how many; `all_plain`: all, without exponent."""
    texts = cells.cast(pl.String, strict=False)
    parsed = texts.cast(pl.Float64, strict=False)
    if not all_plain:  # polars reads more than numbers: "inf", "1."
        some = parsed.is_not_null()
        parsed = parsed.filter(some).filter(texts.filter(some).str.contains(f"^{NUMBER}$"))
    floats = ascending(parsed.drop_nulls().to_numpy() + 0.0)
    if len(floats) == 0:
        return None, None, 0
    return moments_of(floats[np.isfinite(floats)]), quantiles_of(floats, points=points), len(floats)


# ---------------------------------------------------------------------------------------------------------- shapes


def shapes_and_lengths(cells: pl.Series, edges: Edges, data: Codes) -> tuple[Lengths, Shapes, str]:
    """(lengths, shapes, whether cells are numbers: "none", "some" may be, "all" are without exponent)."""
    level = probe(cells)
    alone = only_shape(edges, data) if level == 0 else None
    if alone is not None:
        names = {alone.text: alone.count}
        lengths = lengths_of_shapes(list(names.items()))
        further = best_level(names)
        return lengths, collect([alone], 0, further), _numeric(names, level)
    codes, totals, ascii_only = translate(data, level)
    if level == 0:
        hashes, names = count(edges, codes)
        lengths = lengths_of_shapes(list(names.items()))
    else:
        if not ascii_only:
            edges, codes = drop(edges, codes, codes != 0x80)
        lengths = _lengths_of_totals(edges, totals)
        hashes, names = count_coarse(edges, codes, level)
    further = level | best_level(names)
    shapes = collect([Shape(name[:MOST_SHAPE], n) for name, n in names.items()], 0, further)
    if not further & RUNS and ascii_only:
        shapes = _with_bounds(shapes, cells, data, hashes, level)
    return lengths, shapes, _numeric(names, level)


def _numeric(names: Iterable[str], level: int) -> str:
    """Whether cells of these shapes are numbers: "none", "some" may be, "all" are without exponent."""
    if level == 0 and all(_PLAIN_NUMBER.fullmatch(name) for name in names):
        return "all"
    return "some" if any(_NUMERIC[level].fullmatch(name) for name in names) else "none"


def translate(data: Codes, level: int) -> tuple[Codes, NDArray[np.int64], bool]:
    """(codes of shapes, `_class_totals` where the level is not 0, whether all is ASCII).

    For a level with `RUNS` the classes have their high bit set, as `collapse` wants them. Piece by piece, so that
    what is in between stays in the processor's cache.
    """
    merge = _MERGE if level & CLASSES else bytes(range(256))
    second = merge.translate(_MARK) if level & RUNS else merge
    out = np.empty(len(data), np.uint8)
    totals, ascii_only = np.zeros(5, np.int64), True
    for start in range(0, len(data), PIECE):
        raw = data[start : start + PIECE].tobytes().translate(TABLE)
        ascii_only = ascii_only and raw.isascii()
        if level:
            totals += _class_totals(np.frombuffer(raw, np.uint8))
            raw = raw.translate(second)
        out[start : start + PIECE] = np.frombuffer(raw, np.uint8)
    return out, totals, ascii_only


def _class_totals(codes: Codes) -> list[int]:
    """Upper-case and lower-case letters, digits, spaces, and characters beyond ASCII."""

    def of(*wanted: int) -> int:
        return sum(int(np.count_nonzero(codes == w)) for w in wanted)

    spaces = of(0x20) + (of(*range(9, 14)) if codes.min() < 14 else 0)
    return [of(0x41), of(0x61), of(0x30), spaces, of(0xE9) if codes.max() >= 0x80 else 0]


def probe(cells: pl.Series) -> int:
    """The level at which the shapes of a column are to be counted, told from a few of its rows."""
    n = len(cells)
    if n <= 4 * PROBED:
        return 0
    raws = Counter(raw[:MOST_SHAPE].translate(TABLE) for raw in cells.gather(np.arange(PROBED) * n // PROBED).to_list())
    names = {name_of(raw): rows for raw, rows in raws.items()}
    return 0 if len(names) <= MANY else best_level(names) or RUNS


def count(edges: Edges, codes: Codes) -> tuple[NDArray[np.uint64], dict[str, int]]:
    """(hash of each row's bytes, rows by shape)."""
    hashes = hash_strings(as_binary(edges, codes))
    unique, counts = tally(hashes)
    names: dict[str, int] = {}
    for row, n in zip(first_rows(hashes, unique).tolist(), counts.tolist(), strict=True):
        name = name_of(codes[int(edges[row]) : int(edges[row + 1])].tobytes())
        names[name] = names.get(name, 0) + n
    return hashes, names


def name_of(raw: bytes) -> str:
    """A shape's text from its bytes."""
    return raw.replace(b"\x80", b"").decode("latin-1")


_MERGE = bytes(ord("X") if b in b"0Aa\xe9" else b for b in range(256))
_MARK = bytes(b | 0x80 if b in b"0AaX" else b for b in range(256))  # classes get the high bit
_UNMARK = bytes(b & 0x7F if b & 0x80 and b & 0x7F in b"0AaX" else b for b in range(256))


def count_coarse(edges: Edges, codes: Codes, level: int) -> tuple[NDArray[np.uint64], dict[str, int]]:
    """`count` of the shapes at a coarser level, from the codes that `translate` gave for it."""
    if not level & RUNS:
        return count(edges, codes)
    edges, codes = collapse(edges, codes)
    codes = np.frombuffer(codes.tobytes().translate(_UNMARK), np.uint8)
    return count_sets(edges, codes) if level & SET else count(edges, codes)


def collapse(edges: Edges, codes: Codes) -> tuple[Edges, Codes]:
    """Runs of a class (bytes with the high bit) written once."""
    keep = np.ones(len(codes), np.bool_)
    np.not_equal(codes[1:], codes[:-1], out=keep[1:])
    keep |= codes < 0x80
    starts = edges[:-1]
    keep[starts[starts < len(codes)]] = True
    return drop(edges, codes, keep)


def drop(edges: Edges, codes: Codes, keep: NDArray[np.bool_]) -> tuple[Edges, Codes]:
    """Only the bytes to keep."""
    kept = np.flatnonzero(keep)
    return np.searchsorted(kept, edges), codes[kept]


def count_sets(edges: Edges, codes: Codes) -> tuple[NDArray[np.uint64], dict[str, int]]:
    """Rows by the set of their characters."""
    low, high = _sets(edges, codes, 0), _sets(edges, codes, 64)
    keys = splitmix(low) ^ (high * np.uint64(0x9E3779B97F4A7C15))
    unique, first, counts = np.unique(keys, return_index=True, return_counts=True)
    del unique
    names: dict[str, int] = {}
    for row, n in zip(first.tolist(), counts.tolist(), strict=True):
        bits = int(low[row]) | int(high[row]) << 64
        name = "".join(chr(b) for b in range(128) if bits >> b & 1)
        names[name] = names.get(name, 0) + n
    return keys, names


def _sets(edges: Edges, codes: Codes, base: int) -> NDArray[np.uint64]:
    """Bit b of row i: character `base` + b occurs in it."""
    bits = np.zeros(256, np.uint64)
    bits[base : base + 64] = np.uint64(1) << np.arange(64, dtype=np.uint64)
    marks = np.append(bits[codes], np.uint64(0))
    out = np.bitwise_or.reduceat(marks, edges[:-1])
    out[edges[1:] == edges[:-1]] = 0
    return out


# --------------------------------------------------------------------------------------------------------- lengths


def _lengths_of_totals(edges: Edges, totals: NDArray[np.int64]) -> Lengths:
    upper, lower, digits, spaces, other = totals.tolist()
    sizes = np.diff(edges).astype(np.float64)
    chars, n = int(edges[-1]), len(sizes)
    return Lengths(
        n=n,
        chars=chars,
        letters=upper + lower,
        digits=digits,
        punctuation=chars - upper - lower - digits - spaces - other,
        spaces=spaces,
        upper=upper,
        lower=lower,
        other=other,
        shortest=int(sizes.min()),
        longest=int(sizes.max()),
        m2=float(((sizes - chars / n) ** 2).sum()),
    )


# ---------------------------------------------------------------------------------------------------------- bounds


def _with_bounds(shapes: Shapes, cells: pl.Series, data: Codes, hashes: NDArray[np.uint64], level: int) -> Shapes:
    """The leading shapes with their position-wise bounds; `hashes` are those of the rows' shapes at `level`."""
    items = list(shapes.items)
    whole = len(items) == 1 and not shapes.other
    wanted = hash_strings(pl.Series([s.text.encode("latin-1") for s in items[:BOUNDED]], dtype=pl.Binary))
    for i, shape in enumerate(items[:BOUNDED]):
        width = len(shape.text)
        if not 0 < width <= WIDEST:
            continue
        if whole:
            low, high = block_bounds(data, width)
        else:
            if level != shapes.level:
                continue
            low, high = block_bounds(buffers(cells.filter(pl.Series(hashes == wanted[i])))[1], width)
        items[i] = Shape(shape.text, shape.count, low.decode("ascii"), high.decode("ascii"))
    return Shapes(tuple(items), shapes.other, shapes.level)
