"""What is read of a column of many strings from its Arrow buffers: shapes, lengths, extremes, numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from catalog.states.exact import NUMBER
from catalog.states.shapes import (
    BOUNDED,
    CAPACITY,
    CLASSES,
    LONGEST,
    RUNS,
    SET,
    WIDEST,
    Lengths,
    Shape,
    Shapes,
    best_level,
    class_counts,
    coarsen,
    collect,
    translate,
)
from catalog.states.sketches import Moments, Quantiles, moments_of, quantiles_of

ENUMERATED = 2048  # more distinct shapes than this are not enumerated at their level
_NUMERIC_SHAPE = re.compile(r"[+-]?0+(\.0+)?([Aa][+-]?0{1,3})?")


def decode(cells: pa.Array) -> list[str]:
    """Strings as Python has them; bytes that are no UTF-8 become U+FFFD."""
    wide = pa.types.is_large_string(cells.type) or pa.types.is_large_binary(cells.type)
    return [x.decode("utf-8", "replace") for x in cells.view(pa.large_binary() if wide else pa.binary()).to_pylist()]


def buffers(cells: pa.Array) -> tuple[NDArray[Any], memoryview]:
    """(offsets from 0, bytes) of a string array without nulls."""
    width = np.int64 if pa.types.is_large_string(cells.type) or pa.types.is_large_binary(cells.type) else np.int32
    _, offsets, data = cells.buffers()
    edges = np.frombuffer(offsets, width)[cells.offset : cells.offset + len(cells) + 1]
    view = memoryview(data if data is not None else b"")[int(edges[0]) : int(edges[-1])]
    return edges - edges[0], view


def size(cells: pa.Array) -> int:
    """Bytes of the strings."""
    return len(buffers(cells)[1])


def as_binary(offsets: NDArray[Any], data: bytes | NDArray[np.uint8]) -> pa.Array:
    kind = pa.large_binary() if offsets.dtype == np.int64 else pa.binary()
    return pa.Array.from_buffers(
        kind, len(offsets) - 1, [None, pa.py_buffer(np.ascontiguousarray(offsets)), pa.py_buffer(data)]
    )


def extremes(cells: pa.Array) -> tuple[str, str]:
    """Least and largest string by code point."""
    offsets, data = buffers(cells)
    series = pl.Series(pl.from_arrow(as_binary(offsets, np.frombuffer(data, np.uint8))))
    low, high = series.min(), series.max()
    return bytes(low).decode("utf-8", "replace"), bytes(high).decode("utf-8", "replace")  # type: ignore[arg-type]


def numbers(cells: pa.Array, points: int) -> tuple[Moments | None, Quantiles | None, int]:
    """Moments and quantiles of the cells that are numbers, and how many are."""
    texts = pl.Series(pl.from_arrow(cells)).cast(pl.String)
    texts = texts.filter(texts.str.contains(NUMBER))
    floats = np.sort(texts.cast(pl.Float64, strict=False).drop_nulls().to_numpy() + 0.0)
    if len(floats) == 0:
        return None, None, 0
    return moments_of(floats[np.isfinite(floats)]), quantiles_of(floats, points=points), len(floats)


def shapes_and_lengths(cells: pa.Array) -> tuple[Lengths, Shapes, bool]:
    """(lengths, shapes, whether any cell may be a number)."""
    offsets, data = buffers(cells)
    raw = translate(data)
    array = as_binary(offsets, raw)
    tallied = pl.Series("s", pl.from_arrow(array)).value_counts()
    exact: dict[str, int] = {}
    for shape, count in zip(tallied["s"].to_list(), tallied["count"].to_list(), strict=True):
        name = shape.replace(b"\x80", b"").decode("latin-1")
        exact[name] = exact.get(name, 0) + count
    lengths = _lengths(exact)
    numeric = any(_NUMERIC_SHAPE.fullmatch(s) for s in exact)
    level = best_level(exact)
    if level:
        joined: dict[str, int] = {}
        for name, count in exact.items():
            coarse = coarsen(name, level)
            joined[coarse] = joined.get(coarse, 0) + count
    else:
        joined = exact
    shapes = collect([Shape(s[:LONGEST], c) for s, c in joined.items()], 0, level)
    if not level & RUNS:
        shapes = _bounded(shapes, offsets, data, raw)
    return lengths, shapes, numeric


def _lengths(exact: dict[str, int]) -> Lengths:
    n = sum(exact.values())
    counts = class_counts(exact.items())
    mean = counts["chars"] / n
    m2 = sum((len(s) - mean) ** 2 * c for s, c in exact.items())
    sizes = [len(s) for s in exact]
    return Lengths(n=n, **counts, shortest=min(sizes), longest=max(sizes), m2=m2)


def _bounded(shapes: Shapes, offsets: NDArray[Any], data: memoryview, raw: bytes) -> Shapes:
    """The leading shapes with their position-wise bounds."""
    cells = as_binary(offsets, np.frombuffer(data, np.uint8))
    codes = np.frombuffer(raw, np.uint8)
    if shapes.level & CLASSES:
        from catalog.states.shapes import _MERGED

        codes = _MERGED[codes]
    of_rows = as_binary(offsets, codes)
    items = []
    for i, shape in enumerate(shapes.items):
        if i < BOUNDED and 0 < len(shape.text) <= WIDEST and shape.text.isascii():
            rows = cells.filter(pc.equal(of_rows, pa.scalar(shape.text.encode(), of_rows.type)))
            matrix = np.frombuffer(buffers(rows)[1], np.uint8).reshape(len(rows), len(shape.text))
            low, high = (x.tobytes().decode("ascii", "replace") for x in (matrix.min(axis=0), matrix.max(axis=0)))
            shape = Shape(shape.text, shape.count, low, high)
        items.append(shape)
    return Shapes(tuple(items), shapes.other, shapes.level)


__all__ = ["CAPACITY", "ENUMERATED", "SET"]
