"""When a table is told to be late, and how often although it comes as it always did.

    python -m benchmarks.lateness [--data DIR] [--calendars FILE] [--half 0|1]

Times of versions: commits of real series (`benchmarks.lived.data`), or a JSON object of names with the times of their
days (of exchanges: the closes of the package exchange_calendars), one half of them by the sums of their names. After
each `PAST` versions a rule is learned (`catalog.learners.freshness`), as it is and as if no day of the week were a day
of rest, and judges the next wait, of which nobody knows that it was late. How soon a table that stops would be told is
counted in days from its last version, and in the usual gaps of its past.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from benchmarks.split import KNOWN, series_folders
from catalog.learners.freshness import learn_freshness, rule_of_waits
from catalog.rules.kinds.freshness import counted_seconds
from catalog.rules.rule import Rule

RISK = 0.001  # the usual rate
PAST = (8, 15, 30, 60, 120, 250)
Times = Sequence[datetime]
LEARNERS: dict[str, Callable[[Times], Rule | None]] = {
    "all days count": partial(rule_of_waits, budget=RISK, resting=()),
    "as it is": partial(learn_freshness, budget=RISK),
}


def of_series(folder: Path) -> list[datetime]:
    """The times of the commits of a series, or its days where it has none."""
    items = json.loads((folder / "manifest.json").read_text())["items"]
    return in_order([one.get("commit_date") or one["date"] for one in items])


def in_order(times: Sequence[str]) -> list[datetime]:
    read = (datetime.fromisoformat(one) for one in times)
    return sorted({one.replace(tzinfo=one.tzinfo or UTC).astimezone(UTC) for one in read})


def told_after(rule: Rule, since: datetime) -> float:
    """Days from a version until its successor is told to be late."""
    resting, left, at = rule.params.get("not_on", ()), float(rule.params["seconds"]), since
    while True:
        midnight = datetime(at.year, at.month, at.day, tzinfo=UTC) + timedelta(days=1)
        counted = counted_seconds(at, midnight, resting)
        if left <= counted:
            return (at + timedelta(seconds=left) - since) / timedelta(days=1)
        left, at = left - counted, midnight


@dataclass(frozen=True)
class Waited:
    """A wait after so many versions: whether it is told to be `late`, and is the `longest` of all, the rate that the
    rule `stated`, whether days `rest`, `days` and usual `gaps` until it would be told."""

    late: bool
    longest: bool
    stated: float
    rest: bool
    days: float
    gaps: float


def told(times: Times, past: int, learn: Callable[[Times], Rule | None]) -> list[Waited]:
    """What became of each wait after so many versions."""
    found = []
    for at in range(past, len(times)):
        before = times[at - past : at]
        if rule := learn(before):
            resting = rule.params.get("not_on", ())
            waited = counted_seconds(before[-1], times[at], resting)
            late, longest = waited > rule.params["seconds"], waited > rule.evidence["longest_seconds"]
            days = told_after(rule, before[-1])
            usual = statistics.median((b - a) / timedelta(days=1) for a, b in itertools.pairwise(before))
            found.append(Waited(late, longest, rule.fpr or 0.0, bool(resting), days, days / usual))
    return found


def report(calendars: Mapping[str, Times]) -> None:
    print(f"{len(calendars)} calendars")
    for past in PAST:
        for name, learn in LEARNERS.items():
            by = {key: told(times, past, learn) for key, times in calendars.items()}
            if waits := [one for of in by.values() for one in of]:
                late, rest = sum(one.late for one in waits), sum(one.rest for one in waits)
                longest, stated = (
                    statistics.mean(one) for one in zip(*((w.longest, w.stated) for w in waits), strict=True)
                )
                days, gaps = (statistics.median(one) for one in zip(*((w.days, w.gaps) for w in waits), strict=True))
                tables = sum(any(one.late for one in of) for of in by.values())
                print(
                    f"after {past}, {name}: {late} of {len(waits)} waits late ({late / len(waits):.3%}), in {tables} "
                    f"tables; stated {stated:.3%}; longer than ever {longest:.1%}; days of rest "
                    f"{rest / len(waits):.0%}; told after {days:.1f} days, {gaps:.1f} usual gaps",
                    flush=True,
                )


def main() -> None:
    usage = "python -m benchmarks.lateness"
    parser = argparse.ArgumentParser(prog=usage, description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with series of real tables")
    parser.add_argument("--calendars", type=Path, help="JSON object: names and times")
    parser.add_argument("--half", type=int, choices=(0, 1), help="only this half of the calendars")
    options = parser.parse_args()
    if options.data:
        report({one.name: of_series(one) for one in series_folders(options.data, KNOWN)})
    if options.calendars:
        said = json.loads(options.calendars.read_text()).items()
        wanted = (0, 1) if options.half is None else (options.half,)
        report({name: in_order(times) for name, times in said if zlib.crc32(name.encode()) % 2 in wanted})


if __name__ == "__main__":
    main()
