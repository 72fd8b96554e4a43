"""String rules on real versions: what a table's rules say of the versions that really came after them.

    python -m benchmarks.lived.strings --data DIR [--data DIR ...] [--json OUT] [--own] [--learned 4,8,16,32] [--show N]

`benchmarks.fmdv` splits files, and most of what alarms there is a file sorted by the column, which is not how a Delta
table grows. Each `DIR` holds histories that `benchmarks.lived` reads (``python -m benchmarks.releases --out DIR``); its
tables are a lake. The rules of all their columns of strings are learned by the product's own path after 4, 8, 16 and 32
versions, since it learns them again when a table's versions doubled: in an index of these tables, begun from the
starter index, calibrated as a crawl would, with what became of the column's own past. Each judges the versions up to
the next that it is learned again from, beside the version before, until its first alarm. ``--own`` damages the values
of the version after by every kind of `catalog.damage`, as `benchmarks.fmdv.own` does, and says how the rules read.

An alarm about a change that somebody read and found true (`benchmarks/lived/changes.csv`) is none: the rule is learned
again from there, and its versions until then count. Nothing else is labelled: an alarm may be true. Changes of many
rows nearly always are, those of a few (`FEW`) are what is false when read.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fmdv.data import Column
from benchmarks.fmdv.own import (
    Own,
    Reading,
    judge_of,
    own_outcome,
    own_report,
    own_tests,
    print_own,
    print_reading,
    reading,
    reading_report,
)
from benchmarks.lived.data import Series, cells_of, delivery, read_series
from benchmarks.split import ALL, by_source, interval, series_folders
from catalog.checks.feedback import EXPECTED
from catalog.evidence.calibrated.calibration import calibrate
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.views import Profile, profile
from catalog.flow.learning.index import LEAST_REPLAYED, prepare_starter
from catalog.flow.learning.propose import believed, column_rules
from catalog.flow.learning.replays import compared, pairs_of
from catalog.rules.kinds.strings import StringsRule
from catalog.settings import get_settings
from catalog.states.folding.fold import fold
from catalog.states.table import TableState
from catalog.store.models import Table
from catalog.tags.table import propose_table

LEARNED = (4, 8, 16, 32)
FEW = 0.05  # share of the rows: where no more break a rule, somebody would have to read them to tell


@dataclass
class History:
    """One table: the states of its versions, oldest first."""

    series: Series
    states: list[TableState]

    @classmethod
    def read(cls, folder: Path) -> History:
        series = read_series(folder)
        return cls(series, [fold(delivery(series, at)) for at in range(1, len(series.days) + 1)])

    def strings(self, at: int) -> list[str]:
        """The names of a version's columns of strings."""
        return [name for name, column in self.states[at].columns.items() if column.kind == "string"]

    def profile(self, at: int, name: str) -> Profile | None:
        """A column in a version; None where it is not there, or not of strings."""
        column = self.states[at].columns.get(name)
        return None if column is None else profile(column)

    def after(self, seen: int, until: int) -> range:
        """Numbers of the versions that a rule learned from so many judges."""
        return range(seen, min(until, len(self.states)))


@dataclass(frozen=True)
class Judged:
    """What became of one rule: how many versions it judged until its first alarm, that one's number and words and the
    share of the rows that broke it, None where there was none."""

    table: str
    source: str
    rule: StringsRule
    seen: int
    versions: int
    alarm: tuple[int, str, float] | None


def lake_index(tables: Sequence[History], seen: int) -> PatternIndex:
    """The index as a crawl leaves it when each table has so many versions: their replays are of whole versions."""
    index = PatternIndex.open(prepare_starter(get_settings()))
    for number, table in enumerate(tables):
        state = table.states[seen - 1]
        strings = {name: state.columns[name] for name in table.strings(seen - 1)}
        sides = list(combinations([table.states[at] for at in compared(seen)], 2))
        index.update(str(number), strings, pairs_of(sides))
    index.settle()
    if index.replayed() >= LEAST_REPLAYED:
        index.model = calibrate(index)
    return index


def learned(index: PatternIndex, number: int, table: History, seen: int) -> list[StringsRule]:
    """The rules of a table after so many versions."""
    row = Table(id=number, source_id=0, name=table.series.name, uri="", mode="snapshot")
    state = table.states[seen - 1]
    meant = {name: believed(found, {}) for name, found in propose_table(state.columns, row.name, index=index).items()}
    rules = column_rules(row, state, index, seen, get_settings().fpr_budget, {}, meant)
    return [rule for rule in rules if isinstance(rule, StringsRule)]


def judged(rule: StringsRule, table: History, seen: int, until: int) -> Judged:
    """Judge the versions up to the next that the rule is learned again from, as the product does."""
    count, name = 0, rule.column or ""
    for at in table.after(seen, until):
        batch = table.profile(at, name)
        if batch is None:
            continue
        count += 1
        verdict = rule.judge_profile(batch, table.profile(at - 1, name))
        if verdict.status == "violated" and table.series.answer(at + 1, name) == EXPECTED:
            return Judged(table.series.name, table.series.source, rule, seen, count - 1, None)
        if verdict.status == "violated":
            share = max(one.share for one in rule.findings(batch) if one.alarm)
            return Judged(table.series.name, table.series.source, rule, seen, count, (at, verdict.sentence, share))
    return Judged(table.series.name, table.series.source, rule, seen, count, None)


class Grown(Column):
    """The values of a column in the version that a rule was learned from, and in the next."""

    learned = 0

    @property
    def cut(self) -> int:
        return self.learned


def grown(table: History, name: str, seen: int) -> Grown | None:
    """The column after so many versions; None where the next version has none of it."""
    before, after = (cells_of(table.series, at).get(name) for at in (seen, seen + 1))
    values = [[] if cells is None else cells.filter(cells != "").to_list() for cells in (before, after)]
    if not values[0] or not values[1]:
        return None
    every = values[0] + values[1]
    key = f"{table.series.name}:{name}"
    column = Grown(key, table.series.source, table.series.name, name, True, every, len(set(every)))
    column.learned = len(values[0])
    return column


def damaged(rules: Sequence[StringsRule], table: History, seen: int) -> Iterator[tuple[Own, Reading]]:
    """What each rule of a table sees of damage to the version after, and how it reads."""
    columns = {rule.column: grown(table, rule.column or "", seen) for rule in rules}
    there = [column for column in columns.values() if column is not None]
    for rule in rules:
        if (column := columns[rule.column]) is not None:
            other = there[(there.index(column) + 1) % len(there)]
            tests = own_tests(column, other if other is not column else None)
            yield own_outcome(tests, judge_of(rule)), reading(rule, column, tests)


def report(found: Sequence[Judged]) -> dict[str, Any]:
    """Precision by column, by table and by version, and what was stated; alarms of few rows apart."""
    out: dict[str, Any] = {"rules": len(found), "versions": sum(one.versions for one in found)}
    out["stated"] = float(np.mean([1 - (1 - (one.rule.fpr or 0.0)) ** one.versions for one in found]))
    alarms = [one for one in found if one.alarm is not None]
    for name, some in (("any", alarms), ("few_rows", [one for one in alarms if one.alarm and one.alarm[2] <= FEW])):
        tables, columns = defaultdict(list), Counter(one.source for one in some)
        for one in found:
            tables[one.table].append(one in some)
        versions = {s: (columns[s], sum(o.versions for o in found if o.source == s)) for s in {o.source for o in found}}
        out[name] = {
            "precision": 1 - len(some) / len(found),
            "precision_by_table": 1 - float(np.mean([np.mean(rows) for rows in tables.values()])),
            "versions": by_source(versions),
        }
    return out


def print_report(name: str, found: dict[str, Any]) -> None:
    """The figures in words."""
    print(f"\n{name}: {found['rules']} rules, {found['versions']} column-versions; {found['stated']:.2%} stated")
    for part in ("any", "few_rows"):
        one = found[part]
        words = f"{one['precision']:.3f} of the rules, {one['precision_by_table']:.3f} by table"
        print(f"without an alarm ({part}): {words}; versions with one: {interval(one['versions'])}")


def run(data: Path, places: Sequence[int], *, own: bool) -> tuple[list[Judged], list[Own], list[Reading]]:
    """Everything of one lake."""
    tables = [History.read(folder) for folder in series_folders(data, ALL)]
    found: list[Judged] = []
    seen_of: list[tuple[Own, Reading]] = []
    for seen in places:
        alive = [table for table in tables if len(table.states) > seen]
        index = lake_index(alive, seen)
        for number, table in enumerate(alive):
            rules = learned(index, number, table, seen)
            found += [judged(rule, table, seen, 2 * seen) for rule in rules]
            seen_of += damaged(rules, table, seen) if own else ()
        print(f"{data.name}: {len(alive)} tables after {seen} versions", flush=True)
    return found, [one for one, _ in seen_of], [one for _, one in seen_of]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.lived.strings", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--data", type=Path, action="append", required=True, help="folder with histories/ (repeated)")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--learned", default=",".join(map(str, LEARNED)), help="versions that rules are learned after")
    parser.add_argument("--own", action="store_true", help="damage in the columns' own terms, and how rules read")
    parser.add_argument("--show", action="store_true", help="print every alarm")
    options = parser.parse_args()
    places = [int(one) for one in options.learned.split(",")]
    found: list[Judged] = []
    outcomes: list[Own] = []
    read: list[Reading] = []
    for data in options.data:
        for whole, part in zip((found, outcomes, read), run(data, places, own=options.own), strict=True):
            whole += part  # type: ignore[operator]
    result: dict[str, Any] = {"all": report(found)}
    result |= {str(seen): report(some) for seen in places if (some := [one for one in found if one.seen == seen])}
    for name, one in result.items():
        print_report(name, one)
    for one in found if options.show else ():
        if one.alarm is not None:
            print(f"{one.table}.{one.rule.column} after {one.seen}, version {one.alarm[0] + 1}: {one.alarm[1]}")
    if outcomes:
        result |= {"own": own_report(outcomes), "reading": reading_report(read)}
        print_own("ours", result["own"])
        print_reading(result["reading"])
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
