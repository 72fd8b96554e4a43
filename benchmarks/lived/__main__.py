"""The whole product on real histories, as one lake that lives day after day.

    python -m benchmarks.lived --data DIR --json OUT [--split known] [--first 15] [--wrong 0.1] [--late 7] [--budget 1]

Every real series of the part of the sources that is asked for (`benchmarks.split`) becomes a Delta table: each
execution overwrites it. All live on one calendar, a version a table a day, and so does the catalog's clock, so that
weeks and months of its budgets are those of the lake. The tables are registered after their first executions; from then
on each day's versions are crawled as they come, with all rules that the product has learned by itself (schema, rows,
history, strings, freshness). A simulated steward answers every incident at once (or `--late` days after): real ones are
confirmed, changes that somebody has read and found true (`changes.csv`) are called that, all others false alarms
(`--wrong`: a share of the answers is the opposite), and the product learns from that. A list of releases that nobody
has read has no such labels: its first replay is lived as if nothing had truly changed.

Counted are versions and (column, version) pairs of the clean windows with any alarm, pairs that `incidents.json` sets
aside left out (an alarm is an incident that asks for an answer: a change that was answered and goes on is none);
and which of the incidents of severity `column` raised an alarm on a column they name, or on the table, at once; what
is found of the schema is about the columns it names. A new column is told, and no alarm; incidents that are nothing
else count as seen by "schema, told". `answered_false_a_week` counts all versions with an alarm that is about no
incident, clean or not: what the product hears of, and its weekly budget reckons with. The rivals in the same run are
what deequ suggests of each healthy version, and its normal bounds of each metric over all of them
(`benchmarks.lived.rivals`), each at several strictnesses (`curve`). Rates have intervals by source.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from unittest.mock import patch

import numpy as np
from sqlmodel import Session, select

from benchmarks.lived.data import Series, delivery, read_series, write
from benchmarks.lived.figures import TOLD, WAITING, Alarm, curve, figures
from benchmarks.lived.rivals import SIGMAS, TOGETHER, Constraint, NormalBounds, broken, metrics, suggest
from benchmarks.split import ALL, FIT, KNOWN, REPORT, TUNE, interval, look, series_folders
from catalog.checks.feedback import FALSE_ALARM
from catalog.demo.run import apart
from catalog.flow.context import Context, Progress
from catalog.flow.crawl import crawl_tables
from catalog.flow.reading.sources import add_source, find_tables
from catalog.settings import get_settings
from catalog.store.expectations.weekly import level_of
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables
from catalog.store.models import Incident, Outcome, RuleRow, base
from catalog.store.pages.rules import find_outcomes

EACH = 10  # days after which the figures so far are written
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Steward:
    """Who answers incidents: `late` executions after they were raised, and the wrong way round in a share `wrong`."""

    wrong: float = 0.0
    late: int = 0
    waiting: dict[int, tuple[int, str]] = field(default_factory=dict)  # incident: when it is answered, and how
    told: set[int] = field(default_factory=set)  # incidents that were alarms before: warnings become alarms
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def is_told(self, asked: Sequence[Incident]) -> set[tuple[str, str]]:
        """What is told for the first time of what is open after an execution: kinds and columns."""
        news = [one for one in asked if one.level == "error" and one.id not in self.told]
        self.told |= {one.id for one in news}
        return {(one.kind, one.column_name) for one in news}

    def hear(self, incident: int, index: int, answer: str) -> None:
        """Of an incident that is open after an execution, with the right answer; what was decided about it stays."""
        if incident not in self.waiting:
            opposite = "MissingData" if answer == FALSE_ALARM else FALSE_ALARM
            right = self.random.random() >= self.wrong
            self.waiting[incident] = (index + self.late, answer if right else opposite)

    def answers(self, session: Session, index: int, asked: Sequence[Incident]) -> None:
        """Answer what is due."""
        for incident in asked:
            due, reason = self.waiting.get(incident.id, (index + 1, ""))
            session.refresh(incident)  # its leader's answer may have been its own
            if due <= index and incident.status != "resolved":
                outcomes.resolve(session, incident.id, reason, actor="steward")
            if due <= index:
                del self.waiting[incident.id]
                self.told.discard(incident.id)


class Clock:
    """The time of the catalog while a lake is lived: noon of the day, and the seconds since it began."""

    day, began = 0.0, 0.0

    @classmethod
    def now(cls, zone: tzinfo | None = None) -> datetime:
        return (delivered(cls.day) + timedelta(hours=12, seconds=time.monotonic() - cls.began)).astimezone(zone)

    @classmethod
    def begin(cls, day: float) -> None:
        cls.day, cls.began = day, time.monotonic()


def clocked() -> AbstractContextManager[object]:
    """Within it the catalog's time is the clock's."""
    return patch.object(base, "datetime", Clock)


def delivered(day: float) -> datetime:
    """When the executions of a day are committed."""
    return START + timedelta(days=day)


def live(
    context: Context, found: Sequence[Series], root: Path, first: int, wrong: float = 0.0, late: int = 0
) -> Iterator[tuple[int, list[Alarm]]]:
    """Write and crawl day after day, answering every incident. Yields each day and what alarmed."""
    stewards = {one.name: Steward(wrong, late, random=np.random.default_rng(at)) for at, one in enumerate(found)}
    longest = max(len(one.days) for one in found)
    for one in found:
        for index in range(1, min(first, len(one.days)) + 1):
            write(one, index, root, delivered(index))
    Clock.begin(first)
    source = add_source(context, "lived", str(root))
    with context.reading() as session:
        source = sources.get_source(session, source.id)
    ids, _ = find_tables(context, source, Progress(context, None))
    crawl_tables(context, ids, whole=True)
    with context.reading() as session:
        named = {one.name: tables.get_table(session, f"lived/{one.name}").id or 0 for one in found}
    for index in range(first + 1, longest + 1):
        now = [one for one in found if index <= len(one.days)]
        Clock.begin(index)
        for one in now:
            write(one, index, root, delivered(index))
        summary = crawl_tables(context, [named[one.name] for one in now])
        if summary["failed"]:
            print(f"execution {index}: {summary['failed']} tables failed", flush=True)
        told = [a for one in now for a in _alarms(context, one, named[one.name], index, stewards[one.name])]
        for one in now:  # when all was read: an answer to one may answer others of the same cause
            _answer(context, one, named[one.name], index, stewards[one.name])
        yield index, told
        if index % EACH == 0:
            print(f"day {index} of {longest}: {summary['seconds']} s {summary['phases']}", flush=True)


def _alarms(context: Context, series: Series, table_id: int, index: int, steward: Steward) -> list[Alarm]:
    """The alarms of one version."""
    with context.reading() as session:
        said = find_outcomes(session, table_id=table_id, version=index - 1, limit=1000).items
        asked = _open(session, table_id)
        new = steward.is_told(asked)
        waiting = {(one.kind, one.column_name) for one in asked if one.level == "error"} - new
        causes = {(one.kind, one.column_name): _cause(session, one) for one in asked}
        alarms = [
            Alarm(
                *(series.name, index, rule.column_name or None, rule.kind, outcome.sentence),
                *causes.get((rule.kind, rule.column_name), ("", 0.0)),
                level=WAITING if (rule.kind, rule.column_name) in waiting else level_of(outcome, rule),
                chance=_chance(outcome, rule),
                about=_damaged_columns(outcome, rule),
            )
            for outcome, rule in said
            if outcome.status == "violated"
            and (level_of(outcome, rule) != "error" or (rule.kind, rule.column_name) in new | waiting)
        ]
        known = _new_columns(find_outcomes(session, table_id=table_id, version=index - 2, limit=1000).items)
        if new_columns := _new_columns(said) - known:
            sentence = next(outcome.sentence for outcome, rule in said if rule.kind == "schema")
            alarms.append(Alarm(series.name, index, None, TOLD, sentence, about=tuple(sorted(new_columns))))
    return alarms


def _open(session: Session, table_id: int) -> list[Incident]:
    """The incidents that ask for an answer; what has the same cause as another first: it is answered for itself."""
    rows = session.exec(select(Incident).where(Incident.table_id == table_id, Incident.status != "resolved"))
    return sorted(rows, key=lambda one: one.lead_id is None)


def _answer(context: Context, series: Series, table_id: int, index: int, steward: Steward) -> None:
    """Answer what a version opened as its steward would."""
    with context.transaction() as session:
        asked = _open(session, table_id)
        for incident in asked:
            steward.hear(incident.id, index, series.answer(index, incident.column_name or None))
        steward.answers(session, index, asked)


def _new_columns(said: Sequence[tuple[Outcome, RuleRow]]) -> set[str]:
    """The columns that the rule on a table's schema told as new, beside what else it found or not."""
    found = [o.detail.get("observed") or {} for o, rule in said if rule.kind == "schema"]
    return {name for observed in found for name in observed.get("added") or ()}


def _damaged_columns(outcome: Outcome, rule: RuleRow) -> tuple[str, ...]:
    """The columns that a finding on a table's schema names."""
    told = (outcome.detail.get("observed") or {}).get("damage") or () if rule.kind == "schema" else ()
    known = [str(column[0]) for column in rule.body["params"].get("columns") or ()]
    return tuple(name for name in known if any(line.startswith(f"column {name!r} ") for line in told))


def _chance(outcome: Outcome, rule: RuleRow) -> float | None:
    """The finding's p-value as a part of what its rule states; None where it has none."""
    p = outcome.detail.get("p_value")
    return None if p is None or not rule.fpr else float(p) / rule.fpr


def _cause(session: Session, incident: Incident) -> tuple[str, float]:
    """What the product says had happened, of an incident or the one that leads it, and how sure it is."""
    lead = incident if incident.lead_id is None else session.get_one(Incident, incident.lead_id)
    return ("", 0.0) if lead.cause == "unknown" else (lead.cause, lead.confidence or 0.0)


def live_with_rivals(found: Sequence[Series], first: int) -> dict[str, list[Alarm]]:
    """The same with deequ's suggestions, made anew after each version that is not part of an incident, and with its
    normal bounds of metrics over all of these."""
    said: dict[str, list[Alarm]] = {"deequ_suggestions": [], "deequ_normal": []}
    for one in found:
        one.last = None
        constraints: list[Constraint] = []
        bounds = NormalBounds()
        for index in range(1, len(one.days) + 1):
            table = delivery(one, index)
            values = metrics(table)
            if index > first:
                rules = broken(constraints, table)
                said["deequ_suggestions"] += [
                    Alarm(one.name, index, column, kind, "", strength=len(rules)) for column, kind in rules
                ]
                said["deequ_normal"] += [
                    Alarm(one.name, index, column or None, kind, "", strength=z)
                    for column, kind, z in bounds.far(values)
                ]
            if not one.wrong(index):
                constraints = suggest(table)
                bounds.learn(values)
    return said


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lived", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with histories/ (and histories2/)")
    parser.add_argument("--json", type=Path, required=True, help="where to write the figures")
    parser.add_argument("--first", type=int, default=15, help="executions before the table is registered")
    parser.add_argument("--wrong", type=float, default=0.0, help="share of the steward's answers that are wrong, 0..1")
    parser.add_argument("--late", type=int, default=0, help="executions after which the steward answers")
    parser.add_argument("--budget", type=float, help="false alarms a week that the lake may raise (the product's own)")
    parser.add_argument("--unlabelled", action="store_true", help="as if nobody had read what truly changed")
    parser.add_argument("--series", default="", help="only these, separated by commas")
    parser.add_argument("--methods", default="ours,rivals", help="ours alone takes a third of the time")
    parser.add_argument("--split", default=ALL, choices=(ALL, FIT, TUNE, KNOWN, REPORT), help="part of the sources")
    options = parser.parse_args()
    folders = series_folders(options.data, options.split)
    chosen = [p for p in folders if not options.series or p.name in options.series.split(",")]
    if not chosen:
        parser.error(f"no series {options.series or 'at all'} in the part {options.split} of {options.data}")
    if options.split == REPORT:
        look(chosen, "benchmarks.lived")
    found = [read_series(folder, not options.unlabelled) for folder in chosen]
    with tempfile.TemporaryDirectory() as room:
        root = Path(room) / "lake"
        settings = apart(get_settings(), Path(room) / "home")
        if options.budget:
            settings = settings.model_copy(update={"weekly_budget": options.budget})
        context, began = Context(settings), time.process_time()
        with clocked():
            alarms: list[Alarm] = []
            for day, told in live(context, found, root, options.first, options.wrong, options.late):
                alarms += told
                if day % EACH == 0:  # what is known so far survives an interruption
                    known = {"until": day, "ours": figures(found, alarms, options.first, day)}
                    options.json.write_text(json.dumps(known, indent=1))
        context.close()
        seconds = (time.process_time() - began) / sum(len(one.days) for one in found)
    rivals = live_with_rivals(found, options.first) if "rivals" in options.methods.split(",") else {}
    usual = {"deequ_normal": [a for a in rivals["deequ_normal"] if a.strength >= SIGMAS[0]]} if rivals else {}
    report = {
        name: figures(found, said, options.first) | {"alarms": [vars(a) for a in said]}
        for name, said in ({"ours": alarms} | rivals | usual).items()
    }
    strictnesses = {"deequ_suggestions": TOGETHER, "deequ_normal": SIGMAS}
    for name, strengths in strictnesses.items() if rivals else ():
        report[name]["curve"] = curve(found, rivals[name], options.first, strengths)
    report["ours"]["seconds_a_version"] = seconds  # of this process's processor, writing the version included
    options.json.write_text(json.dumps(report, indent=1))
    for name, one in report.items():
        print(name, json.dumps({k: v for k, v in one.items() if not isinstance(v, list | dict)}, indent=1))
        for what, rate in one["by_source"].items():
            print(f"  {what}: {interval(rate)}")


if __name__ == "__main__":
    main()
