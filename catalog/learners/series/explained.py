"""What added rows explain of how a column's past moved is no part of what its band is stretched from.

In a table whose rows are kept a batch of which a share of rows is new may move any share of all rows by that much: the
old rows are what they were. Judging adds it to the band (`BandClause.slack`). A past in which the table grew moved so
already, and a band stretched from that would allow it twice: once a table had doubled, a column might lose half of its
values in rows that nobody touched.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from catalog.rules.deviation import added_rows

#: Shares of all rows of a table, which so many added ones move by no more than their own share.
SHARES = frozenset({"complete_ratio", "filled_ratio"})


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
