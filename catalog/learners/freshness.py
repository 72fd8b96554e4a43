"""Learning how long a table's next version may take to come."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from datetime import datetime

from catalog.rules.kinds.freshness import duration
from catalog.rules.rule import Rule

#: Fewer gaps than this say nothing about the next one. Chosen: a week of days.
LEAST_GAPS = 7
#: Commits closer than this belong to one delivery; a table written by hand or by a test is not on a schedule.
#: Chosen.
LEAST_MEDIAN_SECONDS = 60.0


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
    >>> learn_freshness([start] * 3, 0.001) is None
    True
    """
    gaps = [(b - a).total_seconds() for a, b in itertools.pairwise(times)]
    if len(gaps) < LEAST_GAPS or sorted(gaps)[len(gaps) // 2] < LEAST_MEDIAN_SECONDS:
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
