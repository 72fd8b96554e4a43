"""What may be said about a column's values from its state: real values with the share of the rows they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from catalog.domains.domain import MOST_VALIDATED, shown
from catalog.domains.missing import is_missing
from catalog.states.column import ColumnState

WHOLE = ".0"  # what is written behind a whole number by who keeps it as a float
VALUES = 160  # distinct values looked at; a bound


@dataclass(frozen=True)
class Sample:
    """Distinct values of a column, as text, with weights.

    Parameters
    ----------
    values : (text, weight): weights are shares of the rows that hold a value and sum to 1. Values that stand for other,
        unlisted ones carry these rows as well.
    distinct : estimated number of distinct values in the column, missing markers left out.
    rows : rows with a value.
    exact : all distinct values are in `values`.
    floats : the values are texts of whole numbers with a fraction of nothing, which is left out of `values`.
    missing : share of the non-null rows that hold a marker of a missing value ("N/A", "-", ...).
    """

    values: tuple[tuple[str, float], ...]
    distinct: float
    rows: int
    exact: bool
    missing: float
    floats: bool = False

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(text for text, _ in self.values)

    @cached_property
    def plain(self) -> bool:
        """Whether validators are shown the texts as they are (`catalog.domains.domain.shown`), as those of a column
        nearly always."""
        return all(text and shown(text) == text for text in self.texts)

    @cached_property
    def fits(self) -> dict[tuple[str, bool, bool], tuple[float, float, int] | None]:
        """What `catalog.tags.weigh` found of domains: a column is asked again with what stands beside it in sight, of
        the same values."""
        return {}

    def share(self, matches: Callable[[str], bool]) -> tuple[float, float, int]:
        """(share of rows, share of distinct values, number of distinct values) that match."""
        weight, count = 0.0, 0
        for text, w in self.values:
            if matches(text):
                weight += w
                count += 1
        return weight, count / len(self.values) if self.values else 0.0, count


def render(value: Any) -> str:
    """A value as a person would write it: whole floats without a fraction.

    >>> render(1987.0), render(Decimal("12.50")), render(" a ")
    ('1987', '12.50', 'a')
    """
    if isinstance(value, float | Decimal):
        number = float(value)
        if number == number and abs(number) < 1e18 and number == int(number) and value == int(value):
            return str(int(value)) if isinstance(value, float) else str(value)
    return str(value)[: MOST_VALIDATED + 1].strip()


def _are_whole_floats(values: Sequence[Any]) -> bool:
    """Whether texts are all whole numbers with a fraction of nothing: what has holes in it was a float on its way here.

    >>> _are_whole_floats(["1987.0", "", None, "12.0"]), _are_whole_floats(["1987.0", "2.5"]), _are_whole_floats([""])
    (True, False, False)
    """
    texts = [value for value in values if value]
    return bool(texts) and all(isinstance(text, str) and re.fullmatch(r"-?\d{1,18}\.0", text) for text in texts)


def sample(state: ColumnState) -> Sample:
    """The sample of a column: all values when the state is exact, else the frequent ones.

    In a state that is not exact, a value seen more often than `most_unlisted` stands for itself; the rows left over are
    spread evenly over the listed values that are no more frequent than unlisted ones may be: a fair draw of it.
    """
    listed = state.values()
    exact = listed is not None
    most_unlisted = 0
    if listed is None:
        listed, most_unlisted = list(state.frequent.items), state.frequent.most_unlisted
    kept: dict[str, int] = {}
    missing = 0
    floats = _are_whole_floats([value for value, _ in listed])
    for value, count in listed:
        text = render(value)[: -len(WHOLE)] if floats and value else render(value)
        if value is None or not text or is_missing(text):
            missing += 0 if value is None or text == "" else count
        else:
            kept[text] = kept.get(text, 0) + count
    present = max(state.non_null - state.nans - state.empties - missing, sum(kept.values()))
    order = sorted(kept.items(), key=lambda item: (-item[1], item[0]))[:VALUES]
    distinct = float(len(kept)) if exact else max(state.distinct.estimate(), float(len(kept)))
    return Sample(
        _weights(order, present, most_unlisted, exact),
        distinct,
        present,
        exact,
        missing / max(state.non_null, 1),
        floats,
    )


def _weights(
    order: list[tuple[str, int]], present: int, most_unlisted: int, exact: bool
) -> tuple[tuple[str, float], ...]:
    total = sum(count for _, count in order)
    if not total:
        return ()
    light = [text for text, count in order if count <= max(most_unlisted, 1)]
    if exact or not light or present <= total:
        return tuple((text, count / total) for text, count in order)
    chosen = set(light)
    rest = present - sum(count for text, count in order if text not in chosen)
    return tuple((text, (rest / len(light) if text in chosen else count) / present) for text, count in order)
