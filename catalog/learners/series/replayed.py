"""How often the rules of a table would have alarmed on its own past, and how much wider its bands are for that.

What the calibration histories were, this lake need not be: a register that people edit by hand relabels a part of its
rows every month, a meter never does. So programs are learned again on the beginnings of the table's past and judge the
batches after them, which were healthy as far as anybody knows. The rate of alarms is the rates stated times a factor
that is pooled over levels: the lake's is the mean of a Gamma posterior whose prior is one (the calibration histories),
the table's of one whose prior is the lake's; each prior weighs as much as so many alarms that were expected (Gelman and
Hill, 2007, chapter 12: partial pooling). By the law of how far healthy batches are out (`FAR`), bands that keep the
stated rate are as many times wider as the factor to the power of 1 / `FAR`.

Bands are never made narrower: on real series that cost ten false alarms for each incident more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

from catalog.history.calendar.months import months_before
from catalog.history.series import Past, column_series
from catalog.learners.series.limits import LEAST
from catalog.rules.chances import FAR
from catalog.rules.deviation import furthest
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.replayed import Replayed

#: No band is made so many times wider: a bound, beyond which little would be seen.
WIDEST = 4.0
#: Columns of a table that are replayed: a bound of the cost; others are thought to be alike.
MOST_COLUMNS = 10
#: A program is replayed for so many batches, and for this share of what it was learned from: as long as it would have
#: been in force, or somewhat longer. Chosen: each learning costs as much as the one that counts.
AT_LEAST, SHARE = 5, 1 / 3

Learn = Callable[[str, int], HistoryRule | None]


def wider(table: Replayed, lake: Replayed) -> float:
    """How many times wider a table's bands are than the calibration histories ask for.

    >>> wider(Replayed(8), Replayed()), round(wider(Replayed(30, 4, 0.3), Replayed()), 2)
    (1.0, 2.22)
    """
    return float(min(max(table.factor(lake.factor()), 1.0) ** (1 / FAR), WIDEST))


def replay(series: Past, columns: Sequence[str], learn: Learn, rate: float) -> Replayed:
    """Replay a table's columns over its past batches.

    Parameters
    ----------
    learn : the program of a column from the first so many batches, with bands of their usual width.
    rate : what each column's program states.
    """
    days = [None if m is None else m.on for m in series]
    step = -(-len(columns) // MOST_COLUMNS) or 1
    alarmed: dict[int, bool] = {}
    expected = 0.0
    for column in columns[::step]:
        past = column_series(series, column)
        for at, alarm in _judged(past, days, column, learn):
            alarmed[at] = alarmed.get(at, False) or alarm
            expected += rate
    return Replayed(len(alarmed), sum(alarmed.values()), expected)


def _judged(
    past: Sequence[Mapping[str, float]], days: Sequence[date | None], column: str, learn: Learn
) -> Iterator[tuple[int, bool]]:
    """(place, whether it alarms) of the column in each batch, by a program learned from most of what was before."""
    due = LEAST
    rule: HistoryRule | None = None
    for at, metrics in enumerate(past):
        if at == due:
            rule, due = learn(column, at), at + max(AT_LEAST, int(SHARE * at))
        found = rule.apart(metrics, past[:at]) if rule is not None and metrics else []
        if rule is None or not found:
            continue
        if furthest(found, rule.pool) > 1 and (day := days[at]) is not None:
            found = rule.apart(metrics, past[:at], months_before(days[:at], day))
        yield at, furthest(found, rule.pool) > 1
