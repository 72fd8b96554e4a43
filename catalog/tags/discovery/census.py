"""Distribution of the lake's patterns by token length and by frequency (Auto-Validate, SIGMOD 2021, figure 13)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from catalog.evidence.pattern_index.views import profile
from catalog.states.column import ColumnState

VIEW = "shape"  # digits and letters with their number: the patterns of the paper's figure 4 at their most specific
MOST_TOKENS = 20  # tokens; longer patterns are counted together, a bound
_TOKEN = re.compile(r"([0AaéX])\1*|[^0AaéX]")


@dataclass(frozen=True)
class Census:
    """`columns` of strings hold `patterns` distinct patterns.

    `by_tokens` counts patterns by their number of tokens (1 .. `MOST_TOKENS`, the last one and more); `by_columns`
    counts them by how many columns hold them, as ``(from, to, patterns)``, the ranges doubling.
    """

    columns: int
    patterns: int
    by_tokens: tuple[int, ...]
    by_columns: tuple[tuple[int, int, int], ...]


def census(columns: Iterable[ColumnState]) -> Census:
    """Count the patterns of columns; those whose state is too coarse to know their shapes are left out.

    >>> from catalog.states.folding.fold import fold
    >>> import pyarrow as pa
    >>> table = fold(pa.table({"a": ["A-1", "B-22"], "b": ["C-3", "D-4"]}))
    >>> census(table.columns.values())
    Census(columns=2, patterns=2, by_tokens=(0, 0, 2), by_columns=((1, 1, 1), (2, 2, 1)))
    """
    counting = Counting()
    for state in columns:
        counting.add(state)
    return counting.census()


class Counting:
    """A census taken column by column."""

    def __init__(self) -> None:
        self.holders: Counter[str] = Counter()
        self.columns = 0

    def add(self, state: ColumnState) -> None:
        known = profile(state)
        table = known.tables.get(VIEW) if known is not None else None
        if table:
            self.columns += 1
            self.holders.update(table.keys())

    def census(self) -> Census:
        lengths = Counter(min(tokens(text), MOST_TOKENS) for text in self.holders)
        by_tokens = tuple(lengths.get(n, 0) for n in range(1, max(lengths, default=0) + 1))
        return Census(self.columns, len(self.holders), by_tokens, _doubling(self.holders.values()))


def tokens(shape: str) -> int:
    """Tokens of a shape: a run of one class, or a symbol.

    >>> tokens("AAA-0000"), tokens("")
    (3, 0)
    """
    return sum(1 for _ in _TOKEN.finditer(shape))


def _doubling(counts: Iterable[int]) -> tuple[tuple[int, int, int], ...]:
    """Counts in ranges 1, 2, 3-4, 5-8 ..., without gaps.

    >>> _doubling([1, 1, 2, 4, 5])
    ((1, 1, 2), (2, 2, 1), (3, 4, 1), (5, 8, 1))
    """
    places = Counter((count - 1).bit_length() for count in counts)
    return tuple(
        (1 if n == 0 else 2 ** (n - 1) + 1, 2**n, places.get(n, 0)) for n in range(max(places, default=-1) + 1)
    )
