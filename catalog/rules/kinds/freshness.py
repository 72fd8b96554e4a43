"""Freshness rule: a new version arrives in time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import ClassVar

from catalog.rules.clauses.clause import HARDLY, Difference
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Subject, Verdict, Wait
from catalog.states.table import TableState

#: Days of the week as `datetime.weekday` counts them.
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class FreshnessRule(Rule):
    """``params``: ``{"seconds": the longest wait, "not_on": the days of the week that do not count, "new_days": whether
    only versions count that bring a partition of a new day}``."""

    meanings: ClassVar[Mapping[str, str]] = {"freshness": "a new version arrives in time"}
    of_waits = True

    @property
    def seconds(self) -> float:
        return float(self.params["seconds"])

    @property
    def resting(self) -> tuple[str, ...]:
        return tuple(self.params.get("not_on", ()))

    @property
    def of_new_days(self) -> bool:
        return bool(self.params.get("new_days"))

    def judge_wait(self, wait: Wait) -> Verdict | None:
        waited, limit = counted_seconds(wait.since, wait.until, self.resting), self.seconds
        band = ("seconds_to_next_version", waited, 0.0, limit)
        observed, expected = {"seconds": waited, "arrived": wait.arrived}, {"at_most_seconds": limit}
        if waited > limit:
            sentence = (
                f"The next {delivery(self.of_new_days)} {'came after' if wait.arrived else 'has not come for'} "
                f"{duration(waited)}"
                f"{not_counted(self.resting)}; at most {duration(limit)} was expected."
            )
            return Verdict(VIOLATED, sentence, observed, expected, *band)
        if not wait.arrived:
            return None
        said = f"The next {delivery(self.of_new_days)} came after {duration(waited)}."
        return Verdict(PASSED, said, observed, expected, *band)

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        return Verdict(NOT_APPLICABLE, "The rule is about the waits between versions.")

    def compare(self, old: Rule, *, private: bool = False) -> list[Difference]:
        a, b = (float(rule.params["seconds"]) for rule in (old, self))
        rested: tuple[str, ...] = tuple(old.params.get("not_on", ()))
        change = "same" if abs(a - b) <= HARDLY * a else "loosened" if b > a else "tightened"
        before, after = (f"within {duration(s)}{not_counted(days)}" for s, days in ((a, rested), (b, self.resting)))
        return [Difference("seconds", change if rested == self.resting else "moved", before, after)]


def delivery(of_new_days: bool) -> str:
    """What is waited for, in words."""
    return "version with a new day" if of_new_days else "version"


def counted_seconds(since: datetime, until: datetime, resting: Collection[str] = ()) -> float:
    """How long a wait was without the days on which nothing is waited for; days end at midnight UTC.

    >>> friday, monday = datetime(2026, 1, 2, 18, tzinfo=UTC), datetime(2026, 1, 5, 9, tzinfo=UTC)
    >>> [counted_seconds(friday, monday, days) / 3600 for days in ((), ("Saturday", "Sunday"))]
    [63.0, 15.0]
    """
    if not resting:
        return (until - since).total_seconds()
    start, end, counted = since.astimezone(UTC), until.astimezone(UTC), timedelta()
    while start < end:
        midnight = datetime.combine(start.date() + timedelta(days=1), time(), UTC)
        if DAYS[start.weekday()] not in resting:
            counted += min(midnight, end) - start
        start = midnight
    return counted.total_seconds()


def not_counted(resting: Sequence[str]) -> str:
    """Words for the days on which nothing is waited for.

    >>> not_counted(["Saturday", "Sunday"]), not_counted([])
    (', Saturdays and Sundays not counted', '')
    >>> not_counted([day for day in DAYS if day != "Monday"])
    ', only Mondays counted'
    """
    if not resting:
        return ""
    counted = [f"{day}s" for day in DAYS if day not in resting]
    if len(counted) < len(resting):
        return f", only {_listed(counted)} counted"
    return f", {_listed([f'{day}s' for day in resting])} not counted"


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def duration(seconds: float) -> str:
    """Seconds in words, coarse.

    >>> duration(90), duration(7200), duration(200000)
    ('2 minutes', '2 hours', '2 days')
    """
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count} {unit}" + ("s" if count != 1 else "")
    return f"{seconds:.0f} seconds"
