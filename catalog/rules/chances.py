"""How seldom healthy batches do what a history rule finds: the p-values that the weekly budget weighs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from catalog.rules.clauses.band import filled

#: Where healthy batches of real tables become seldom, one is a change that people wanted (an import, a relabelling),
#: and how far that goes says little of how seldom it is: from this rate on P(beyond q bands) falls as q^-`FAR`. Both
#: fitted by ``python -m benchmarks.weekly --split known --rate 0.001``: Hill's estimate of the 39 of 28,550 healthy
#: (column, version) pairs of 23 real series that were out; 1.18 to 1.34 without any one source of them.
SELDOM, FAR = 0.001, 1.2
#: Shares that most columns have for good: no value missing, empty, negative, garbled, or a word for a missing one.
NEVER = {
    "complete_ratio": 1.0, "filled_ratio": 1.0, "negative_ratio": 0.0, "garbled_ratio": 0.0, "marked_ratio": 0.0,
}  # fmt: skip
#: One that never was anything else in `OFTEN` batches or more moves by `SOME` with the chance `FIRST`, and by q times
#: as much with q^-`FIRST_FAR` of that. The last two fitted by ``python -m benchmarks.lived.firsts`` to columns that
#: never had lacked a value: of 23,974 healthy (column, version) pairs of 76 real tables 10 then lacked 0.17% or more, 3
#: more than `SOME`, 2 more than 4%, 1 more than a tenth. The first two are chosen. Of the others of `NEVER` the chance
#: is at most that: words for a missing value appeared in 2 of 18,928 pairs of 40 tables, garbled letters in none.
OFTEN, SOME, FIRST, FIRST_FAR = 14, 0.005, 1.8e-4, 0.47
#: Of a column that is called a key and never held a value twice, in batches of 50 rows and more, more than this share
#: of the rows repeats one with that chance: it did in none of 936 healthy (column, version) pairs of 13 real tables,
#: in one a single row did (rule of succession; ``python -m benchmarks.lived.firsts``). The share is chosen.
REPEATED, REPEATS = 0.005, 1 / 938
#: Of a table's own key that no load had a value of an earlier one of, more comes again than may with that chance.
#: Fitted by ``python -m benchmarks.keys.loads``: it did in none of 478 healthy (column, load) pairs of 69 real tables
#: (rule of succession).
AGAIN = 1 / 480
#: Of a column that names rows of another table, more rows lack their value than may with that chance. Chosen: as of
#: keys of earlier loads; of real tables that refer to each other too few are there to count.
LACKED = AGAIN
#: Chosen: fewer values are a row or two, and fewer different ones a flag.
ENOUGH, VARIED = 20, 5


def p_value_of(out: float, rate: float, tail: float) -> float:
    """The chance that a healthy batch is `out` half widths of its band or more, by a rule that states `rate`: a power
    law of index `tail`, and of index `FAR` from where the chance is `SELDOM`.

    >>> p_value_of(1.0, 0.001, 5.5), p_value_of(10.0, 0.001, 5.5), p_value_of(0.9, 1e-4, 5.5)
    (0.001, 6.3...e-05, 0.0001)
    >>> round(p_value_of(1.2, 0.01, 5.5), 5), round(p_value_of(1.52 * 10, 0.01, 5.5), 6)
    (0.00367, 6.3e-05)
    """
    knee = max(rate / SELDOM, 1.0) ** (1 / tail)
    near, far = min(max(out, 1.0), knee), max(out / knee, 1.0)
    return float(rate * near**-tail * far**-FAR)


def chance_of_first(earlier: Sequence[Mapping[str, float]], name: str, value: float) -> float:
    """The chance that a healthy batch has so much of what no batch before had, of a metric in `NEVER`; 1.0 for others,
    and where fewer than `OFTEN` batches say so.

    >>> filled = [{"complete_ratio": 1.0}] * 20
    >>> [round(chance_of_first(filled, "complete_ratio", share), 7) for share in (0.996, 0.95)]
    [0.00018, 6.1e-05]
    >>> chance_of_first(filled[:9], "complete_ratio", 0.5), chance_of_first(filled, "mean", 0.5)
    (1.0, 1.0)
    """
    seen = [float(batch[name]) for batch in earlier if name in batch] if name in NEVER else []
    if len(seen) < OFTEN or any(share != NEVER[name] for share in seen):
        return 1.0
    return float(FIRST * max(abs(value - NEVER[name]) / SOME, 1.0) ** -FIRST_FAR)


def chance_of_repeats(share: float, tolerated: float, rate: float) -> float:
    """The chance that a healthy batch of a key repeats values in such a share of its rows, by a rule that states `rate`
    of more than it `tolerated`. More is rarer as of other things that never were: none of them was seen here.

    >>> [round(chance_of_repeats(share, 0.005, 0.001), 6) for share in (0.005, 0.05, 0.5)]
    [0.001, 0.000339, 0.000115]
    """
    return float(rate * max(share / max(tolerated, 1e-9), 1.0) ** -FIRST_FAR)


def is_lost(earlier: Sequence[Mapping[str, float]], now: Mapping[str, float]) -> bool:
    """Whether a batch has lost all values of a column, or all but one of many, where `OFTEN` batches say that there
    always were more. No budget holds that back: of 34,426 healthy (column, version) pairs of 76 real tables in none a
    column was emptied, of 29,569 in none a single value was left (``python -m benchmarks.lived.firsts``).

    >>> past = [{"row_count": 90.0, "complete_ratio": 0.5, "dist_val_count": 9.0}] * 20
    >>> is_lost(past, past[0] | {"complete_ratio": 0.0}), is_lost(past, past[0] | {"dist_val_count": 1.0})
    (True, True)
    >>> is_lost(past[:9], past[0] | {"complete_ratio": 0.0}), is_lost(past, past[0])
    (False, False)
    """
    left = filled(now)
    different = min((batch.get("dist_val_count", 0.0) for batch in earlier if batch), default=0.0)
    single = left > 0 and now.get("dist_val_count", VARIED) <= 1 and different >= VARIED
    seen = [filled(batch) for batch in earlier if batch] if single or left == 0 else []
    return len(seen) >= OFTEN and min(seen) >= ENOUGH and bool(now.get("row_count"))
