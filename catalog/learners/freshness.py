"""Learning how long a table's next version may take to come."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from datetime import datetime

from catalog.rules.kinds.freshness import duration
from catalog.rules.rule import Rule

#: Fewer gaps than this say nothing about the next one. Chosen: a week of days.
LEAST_GAPS = 7
#: A table whose usual gap is shorter is written by hand or by a test, not on a schedule. Chosen.
LEAST_MEDIAN_SECONDS = 60.0
#: Of the usual gap: commits closer than this belong to one delivery, such as a daily load and the deletion after it.
#: With their short gaps among the others a daily table could be late for eleven days. Chosen.
SAME_DELIVERY = 0.1


def learn_freshness(times: Sequence[datetime], budget: float) -> Rule | None:
    """The longest wait for the next version that the past gaps allow, None where they say nothing.

    Parameters
    ----------
    times : times of the commits that changed data, oldest first.
    budget : stated false-alarm rate the rule may spend, 0..1.

    The bound is Cantelli's one-sided inequality on the gaps, P(gap - mu >= k sigma) <= 1 / (1 + k^2) (Auto-Validate
    by-History, proposition 2), with k from the budget, and never below twice the longest gap seen: gaps on a schedule
    have a tiny sigma, and the first public holiday would break the bound.

    >>> from datetime import UTC, timedelta
    >>> start = datetime(2026, 1, 1, tzinfo=UTC)
    >>> rule = learn_freshness([start + timedelta(days=i) for i in range(10)], 0.001)
    >>> rule.params["seconds"] / 3600
    48.0
    >>> cleaned = [start + timedelta(days=i, minutes=m) for i in range(30) for m in ((0, 5) if i % 7 == 0 else (0,))]
    >>> round(learn_freshness(cleaned, 0.001).params["seconds"] / 3600)
    48
    >>> learn_freshness([start] * 3, 0.001) is None
    True
    """
    gaps = _between_deliveries([(b - a).total_seconds() for a, b in itertools.pairwise(times)])
    if len(gaps) < LEAST_GAPS or statistics.median(gaps) < LEAST_MEDIAN_SECONDS:
        return None
    mean = sum(gaps) / len(gaps)
    sigma = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1))
    k = math.sqrt(1 / budget - 1)
    seconds = max(mean + k * sigma, 2 * max(gaps))
    return Rule(
        "freshness",
        None,
        {"seconds": round(seconds, 3)},
        budget,
        f"A new version arrives within {duration(seconds)} of the one before.",
        "freshness",
        {"gaps": len(gaps), "mean_seconds": mean, "longest_seconds": max(gaps)},
    )


def _between_deliveries(gaps: Sequence[float]) -> list[float]:
    """The gaps between commits without those within a delivery.

    >>> _between_deliveries([86_400.0, 300.0, 86_100.0, 86_400.0])
    [86400.0, 86100.0, 86400.0]
    """
    least = SAME_DELIVERY * statistics.median(gaps) if gaps else 0.0
    return [gap for gap in gaps if gap >= least]
