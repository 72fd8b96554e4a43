"""Judging whether the version after this one came in time."""

from __future__ import annotations

from datetime import datetime

from catalog.checks.verdict import PASSED, VIOLATED, Verdict
from catalog.rules.freshness import duration
from catalog.rules.rule import Rule


def judge_freshness(rule: Rule, committed_at: datetime, until: datetime, *, arrived: bool) -> Verdict | None:
    """The verdict on the wait that begins with a version, None while it is too early to say.

    Parameters
    ----------
    committed_at : commit time of the version whose successor is waited for.
    until : commit time of the successor, or now when none has arrived.
    """
    waited, limit = (until - committed_at).total_seconds(), rule.params["seconds"]
    band = {"metric": "seconds_to_next_version", "value": waited, "low": 0.0, "high": limit}
    observed, expected = {"seconds": waited, "arrived": arrived}, {"at_most_seconds": limit}
    if waited > limit:
        sentence = (
            f"The next version {'came after' if arrived else 'has not come for'} {duration(waited)}; "
            f"at most {duration(limit)} was expected."
        )
        return Verdict(VIOLATED, sentence, observed, expected, **band)
    if not arrived:
        return None
    return Verdict(PASSED, f"The next version came after {duration(waited)}.", observed, expected, **band)
