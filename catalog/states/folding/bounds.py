"""The least and the largest character at each position of strings of one width, and what they tell of their shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.states.parts.shapes import TABLE, WIDEST, Shape

HEAD = 512  # rows looked at first, for a second shape; a bound of time

Edges = NDArray[Any]
Codes = NDArray[np.uint8]


def only_shape(edges: Edges, data: Codes) -> Shape | None:
    """The shape of all cells, with its bounds, where the least and the largest byte at each position show that there is
    one: codes, numbers and dates of a fixed form then need no look at single cells. None where they do not.

    >>> only_shape(np.array([0, 4, 8]), np.frombuffer(b"A-10B-07", np.uint8))
    Shape(text='A-00', count=2, low='A-00', high='B-17')
    >>> only_shape(np.array([0, 4, 8]), np.frombuffer(b"A-10B-x7", np.uint8)) is None
    True
    """
    rows, width = len(edges) - 1, int(edges[1])
    if not 0 < width <= WIDEST or len(data) != rows * width:
        return None
    head = data[: HEAD * width]
    if _shape_between(*block_bounds(head, width)) is None or bool((edges[1:] - edges[:-1] != width).any()):
        return None
    low, high = block_bounds(data, width)
    text = _shape_between(low, high)
    return None if text is None else Shape(text, rows, low.decode(), high.decode())


def _shape_between(low: bytes, high: bytes) -> str | None:
    """The one shape of all bytes between these, position by position: digits and letters of a case follow each other in
    ASCII, and every other character has a shape of its own."""
    shape = low.translate(TABLE)
    return shape.decode() if high.isascii() and shape == high.translate(TABLE) else None


def block_bounds(data: Codes, width: int) -> tuple[bytes, bytes]:
    """Position-wise bounds of rows of one width that fill the buffer: 64 rows at a time, for long vectors."""
    rows = len(data) // width
    blocks = data[: rows // 64 * 64 * width].reshape(-1, 64 * width)
    rest = data[blocks.size :].reshape(-1, width)
    low, high = [rest], [rest]
    if len(blocks):
        low.append(blocks.min(axis=0).reshape(64, width))
        high.append(blocks.max(axis=0).reshape(64, width))
    return np.concatenate(low).min(axis=0).tobytes(), np.concatenate(high).max(axis=0).tobytes()
