"""What added rows, or the month, explain of how a past moved is no part of what its band is stretched from.

In a table whose rows are kept a batch of which a share of rows is new may move any share of all rows by that much: the
old rows are what they were. Judging adds it to the band (`BandClause.slack`). A past in which the table grew moved so
already, and a band stretched from that would allow it twice: once a table had doubled, a column might lose half of its
values in rows that nobody touched.

The last day of each month may have many times the rows of others. A band stretched from that would allow them on any
day: where it came so in each of several months, such days are left out, and judged beside each other
(`catalog.rules.deviation.beside`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from catalog.history.calendar.months import MOST_ALIKE, places_in_month
from catalog.rules.deviation import added_rows

#: Shares of all rows of a table, which so many added ones move by no more than their own share.
SHARES = frozenset({"complete_ratio", "filled_ratio"})
#: Months in which the same day has to stand out, for it to be a habit. Chosen: of two values far out among ninety one
#: pair in eight has a place in common by chance, of three one in sixty.
MONTHS = 3
#: How far all other days are from the middle at most, as a share of how far these are at least. Chosen.
APART = 0.5


def without_added(values: Sequence[float | None], series: Sequence[Mapping[str, float]]) -> list[float | None]:
    """A share's past as it would have been had added rows (or those taken away) moved it as far as they can: steps are
    so much shorter, and it ends where it is.

    Parameters
    ----------
    values : the share in each batch, 0..1, None where it is not known.
    series : the metrics of these batches, of which ``row_count`` is asked, empty for a hole.

    >>> rows = [{"row_count": 100.0}, {"row_count": 100.0}, {}, {"row_count": 200.0}]
    >>> without_added([0.25, 0.75, None, 0.5], rows), without_added([0.25, 0.5, None, 0.125], rows[:2] * 2)
    ([0.0, 0.5, None, 0.5], [0.25, 0.5, None, 0.125])
    """
    found = list(values)
    known = [at for at, value in enumerate(values) if value is not None and series[at]]
    moved = 0.0  # how far what is earlier lies off, in all
    for before, at in zip(reversed(known[:-1]), reversed(known[1:]), strict=True):
        step = float(values[at] or 0.0) - float(values[before] or 0.0)
        moved += math.copysign(min(abs(step), added_rows(series[at], series[before])), step)
        found[before] = min(max(float(values[before] or 0.0) + moved, 0.0), 1.0)
    return found


def monthly(days: Sequence[date | None]) -> list[frozenset[int]]:
    """Which batches came at the same place of `MONTHS` months and more, for each place at which few do (`MOST_ALIKE`);
    None is a day not known.

    >>> [sorted(one) for one in monthly([date(2026, month, day) for month in (1, 2, 3) for day in (1, 5, 15, 17, 25)])]
    [[0, 5, 10], [1, 6, 11], [2, 7, 12], [3, 8, 13], [4, 9, 14]]
    """
    found: dict[tuple[str, int], dict[tuple[int, int], int]] = defaultdict(dict)
    several: set[tuple[str, int]] = set()
    for at, day in enumerate(days):
        for place in places_in_month(day).items() if day is not None else ():
            if (day.year, day.month) in found[place]:  # type: ignore[union-attr]
                several.add(place)
            found[place][(day.year, day.month)] = at  # type: ignore[union-attr]
    few = MOST_ALIKE * len(days)
    alike = {frozenset(of.values()) for place, of in found.items() if MONTHS <= len(of) <= few and place not in several}
    return sorted(alike, key=sorted)


def without_months(values: Sequence[float | None], alike: Sequence[frozenset[int]]) -> list[float | None]:
    """A metric's past without the days of the month on which it always is far out, and on no other: they are as the day
    before them was.

    >>> ends = frozenset({2, 5, 8})
    >>> without_months([1, 2, 9, 2, 1, 8, 1, None, 9, 2], [ends]), without_months([1, 2, 9, 9, 1, 8, 1, 2, 9], [ends])
    ([1, 2, 2, 2, 1, 1, 1, None, 1, 2], [1, 2, 9, 9, 1, 8, 1, 2, 9])
    """
    x = np.array([math.nan if v is None else v for v in values], float)
    if not alike or np.isfinite(x).sum() <= MONTHS:
        return list(values)
    far = np.nan_to_num(x - np.nanmedian(x))
    for days in alike:
        there = [at for at in sorted(days) if values[at] is not None]
        least = np.abs(far[there]).min() if len(there) >= MONTHS else 0.0
        if least <= 0 or len({*np.sign(far[there])}) > 1:
            continue
        others = np.delete(far, there)
        if np.abs(others).max() <= APART * least:
            found = list(values)
            for at in there:
                found[at] = next((v for v in reversed(found[:at]) if v is not None), None)
            return found
    return list(values)


def one_sided(values: Sequence[float | None]) -> list[float | None]:
    """Deviations of which those below 0 are no larger than the largest above it: how many more rows there may be says
    nothing of how few.

    >>> one_sided([0.1, -0.9, None, 0.0])
    [0.1, -0.1, None, 0.0]
    """
    most = max((one for one in values if one is not None), default=0.0)
    return [None if one is None else max(one, -most) for one in values]
