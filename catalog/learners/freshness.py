"""Learning how long a table's next version may take to come."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from datetime import UTC, datetime

from catalog.rules.kinds.freshness import DAYS, counted_seconds, delivery, duration, not_counted
from catalog.rules.rule import Rule

#: Fewer gaps than this say nothing about the next one. Chosen: a week of days.
LEAST_GAPS = 7
#: A table whose usual gap is shorter is written by hand or by a test, not on a schedule. Chosen.
LEAST_MEDIAN_SECONDS = 60.0
#: Of the usual gap: commits closer than this belong to one delivery, such as a daily load and the deletion after it.
#: With their short gaps among the others a daily table could be late for eleven days. Chosen.
SAME_DELIVERY = 0.1
DAY_SECONDS = 86_400
#: Of the gaps longer than all before them so many are called late by `rule_of_waits` and were not. Fitted by ``python
#: -m benchmarks.lateness --data DIR``: on 25 real series 5 of 162 after fifteen versions, 2 of 76 after thirty; eight
#: and four were called late, and read one by one the others had stopped. A next gap is the longest of n + 1 with a
#: chance of 1 / (n + 1) (rule of succession): there 6.7% and 3.7% were.
BEYOND = 0.03
#: Gaps longer than all n before them are more than m times as long in m ** -INDEX of the cases. Chosen: Hill's
#: estimator has 2.1 on one half of the sources of the real series, 1.8 on the other, in which three tables had stopped.
INDEX = 2.0
#: Days without work in the weeks that people keep; other sets of days are as many hypotheses as there are such sets.
WEEKENDS = (("Saturday", "Sunday"), ("Friday", "Saturday"), ("Sunday",))


def learn_freshness(times: Sequence[datetime], budget: float, *, new_days: bool = False) -> Rule | None:
    """The longest wait for the next version that the past gaps allow, None where they say nothing.

    Parameters
    ----------
    times : times of the commits that changed data, oldest first.
    budget : false-alarm rate that the bound is made for, 0..1.
    new_days : whether the times are of commits that brought the partition of a new day, and others do not count.

    Of few gaps no such rate is known: the rule states `BEYOND` of the chance that the next gap is longer than all
    before, where that is more. The bound is the shorter of two that have the rate `budget`: Cantelli's one-sided
    inequality on the gaps, P(gap - mu >= k sigma) <= 1 / (1 + k^2) (Auto-Validate by-History, proposition 2), and m
    times the longest of n gaps with m ** -`INDEX` / (n + 1) = budget, for the next gap is the longest of all with a
    chance of 1 / (n + 1). It is never below twice the longest gap seen: gaps on a schedule have a tiny sigma, and the
    first public holiday would break the bound. Where no version ever comes on some days of the week (`resting_days`)
    they do not count, or workdays' gaps of one and three days would allow weeks. What rests on weekends rests on
    holidays too: there the wait may be a week longer than ever (`benchmarks.lateness`).

    >>> from datetime import UTC, timedelta
    >>> start = datetime(2026, 1, 1, tzinfo=UTC)
    >>> rule = learn_freshness([start + timedelta(days=i) for i in range(10)], 0.001)
    >>> rule.params["seconds"] / 3600
    48.0
    >>> cleaned = [start + timedelta(days=i, minutes=m) for i in range(30) for m in ((0, 5) if i % 7 == 0 else (0,))]
    >>> round(learn_freshness(cleaned, 0.001).params["seconds"] / 3600)
    48
    >>> workdays = [day for i in range(30) if (day := start + timedelta(days=i)).weekday() < 5]
    >>> learn_freshness(workdays, 0.001).sentence
    'A new version arrives within 6 days of the one before, Saturdays and Sundays not counted.'
    >>> learn_freshness([start] * 3, 0.001) is None
    True
    >>> [learn_freshness([start + timedelta(days=i) for i in range(n)], 0.001).fpr for n in (10, 20, 60)]
    [0.003, 0.0015, 0.001]
    """
    return rule_of_waits(times, budget, resting_days(times, budget), new_days=new_days)


def rule_of_waits(
    times: Sequence[datetime], budget: float, resting: Sequence[str], *, new_days: bool = False
) -> Rule | None:
    """The same where the days of the week that do not count are known."""
    gaps = _between_deliveries([counted_seconds(a, b, resting) for a, b in itertools.pairwise(times)])
    if len(gaps) < LEAST_GAPS or statistics.median(gaps) < LEAST_MEDIAN_SECONDS:
        return None
    mean = sum(gaps) / len(gaps)
    sigma = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1))
    k = math.sqrt(1 / budget - 1)
    longest = max(gaps)
    unseen = (len(DAYS) - len(resting)) * DAY_SECONDS if resting else longest
    law = longest * (budget * (len(gaps) + 1)) ** (-1 / INDEX)
    seconds = max(min(mean + k * sigma, law), longest + unseen)
    return Rule(
        "freshness",
        None,
        {"seconds": round(seconds, 3)}
        | ({"not_on": [*resting]} if resting else {})
        | ({"new_days": True} if new_days else {}),
        max(budget, BEYOND / (len(gaps) + 1)),
        f"A {'' if new_days else 'new '}{delivery(new_days)} arrives within {duration(seconds)} of the one before"
        f"{not_counted(resting)}.",
        "freshness",
        {"gaps": len(gaps), "mean_seconds": mean, "longest_seconds": longest},
    )


def resting_days(times: Sequence[datetime], risk: float) -> list[str]:
    """Days of the week on which no version ever came, none where that may be chance.

    Parameters
    ----------
    times : of the versions.
    risk : largest chance, 0..1, that so many days of the week are left out by days with versions that were drawn from
        all days of the time without regard to the week (hypergeometric, times the sets of as many days; of `WEEKENDS`
        times as many as these are).

    >>> from datetime import timedelta
    >>> monday = datetime(2026, 1, 5, tzinfo=UTC)
    >>> workdays = [monday + timedelta(days=7 * week + day) for week in range(4) for day in range(5)]
    >>> [resting_days(workdays[:days], 0.001) for days in (0, 10, 15)]
    [[], [], ['Saturday', 'Sunday']]
    """
    came = {one.astimezone(UTC).date().toordinal() for one in times}
    span = range(min(came, default=0), max(came, default=-1) + 1)
    used = {_weekday(day) for day in came}
    counted = sum(_weekday(day) in used for day in span)
    resting = [name for day, name in enumerate(DAYS) if day not in used]
    sets = len(WEEKENDS) if tuple(resting) in WEEKENDS else math.comb(len(DAYS), len(resting))
    chance = sets * math.comb(counted, len(came)) / math.comb(len(span), len(came))
    return resting if chance < risk else []


def _weekday(ordinal: int) -> int:
    return (ordinal - 1) % len(DAYS)  # the first day of the calendar is a Monday


def _between_deliveries(gaps: Sequence[float]) -> list[float]:
    """The gaps between commits without those within a delivery.

    >>> _between_deliveries([86_400.0, 300.0, 86_100.0, 86_400.0])
    [86400.0, 86100.0, 86400.0]
    """
    least = SAME_DELIVERY * statistics.median(gaps) if gaps else 0.0
    return [gap for gap in gaps if gap >= least]
