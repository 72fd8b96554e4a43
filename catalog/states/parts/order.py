"""How the rows of a column follow each other: whether files are sorted or clustered by it.

What is seen first of a sorted column says little about what comes later; no histogram shows that, since it forgets
the order of the rows. Counts of neighbouring rows do, and they add up over batches (pairs across two batches are left
out).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import eq, lt

import polars as pl

LOOKED_AT = 4096  # rows at the start of each batch whose order is looked at; a bound


@dataclass(frozen=True)
class Order:
    """Neighbouring rows that are neither null nor empty: how many `pairs`, in how many of them both are `equal`, in
    how many the second is greater (`rising`)."""

    pairs: int
    equal: int
    rising: int


def order_of(cells: pl.Series) -> Order:
    """Order of the first `LOOKED_AT` cells, which are bytes without nulls.

    >>> order_of(pl.Series([b"a", b"a", b"", b"b", b"a"]))
    Order(pairs=3, equal=1, rising=1)
    """
    cells = cells.head(LOOKED_AT)
    cells = cells.filter(cells.bin.size() > 0)
    if len(cells) < 2:
        return Order(0, 0, 0)
    one, other = cells.head(len(cells) - 1), cells.tail(len(cells) - 1)
    return Order(len(one), int((one == other).sum()), int((one < other).sum()))


def order_of_texts(texts: Sequence[str]) -> Order:
    """The same of texts, which compare as their bytes in UTF-8 do.

    >>> order_of_texts(["a", "a", "", "b", "a"])
    Order(pairs=3, equal=1, rising=1)
    """
    kept = [text for text in islice(texts, LOOKED_AT) if text]
    return Order(max(len(kept) - 1, 0), sum(map(eq, kept, kept[1:])), sum(map(lt, kept, kept[1:])))


def order_of_one(cell: str, rows: int) -> Order:
    """Order of a batch whose every row holds one value."""
    pairs = max(min(rows, LOOKED_AT) - 1, 0) if cell else 0
    return Order(pairs, pairs, 0)


def merge_orders(parts: Iterable[Order | None]) -> Order | None:
    """Sum over batches; None where none knows its order."""
    known = [p for p in parts if p is not None]
    if not known:
        return None
    return Order(sum(p.pairs for p in known), sum(p.equal for p in known), sum(p.rising for p in known))
