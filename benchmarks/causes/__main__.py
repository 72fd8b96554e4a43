"""How often the cause of a damaged version is named: ``python -m benchmarks.causes --data DIR --json OUT``.

    [--part report|develop] [--tables 60] [--each 14]

Of every series rules are learned from twenty executions. The next one is judged as it is (a clean version should get no
cause) and with each of up to `--each` kinds of damage, at most one for each cause, in all rows or three of ten. A
version counts if a rule from history saw the damage, or if the damage is such by its own stated test
(`Kind.is_damage`): then a rule on the values would have seen it, and its column is handed over as broken. Damage of
other kinds that no rule sees is counted as ``unseen``.

``first`` is the share of versions seen whose right cause leads, ``second`` that where it is among the first two;
``of_all`` are the shares of all damaged versions, the unseen ones among them: seen, and right first. Sources are
split into a part to develop on and one that only reports (`benchmarks.causes.data`).
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.causes.data import PARTS, PAST, Series, load
from catalog.causes.diagnose import Diagnosis, diagnose
from catalog.causes.guesses.strings import checked_domain
from catalog.damage import NUMBERS, STRINGS, TABLES, TIMES, Kind, TableKind, neighbour
from catalog.history.series import observe_metrics
from catalog.learners.schema import learn_schema
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold

SHARES = (1.0, 1.0, 0.3)  # of the rows that are damaged
BUDGET = 0.001


@dataclass
class Report:
    """Counts of versions by cause; `first`, `second` are right ones."""

    cases: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)
    second: Counter[str] = field(default_factory=Counter)
    unseen: Counter[str] = field(default_factory=Counter)
    single: int = 0
    clean: int = 0
    clean_with_cause: int = 0
    taken_for: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    confidence: list[tuple[float, bool]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        n = sum(self.cases.values())
        every = max(n + sum(self.unseen.values()), 1)
        by_cause = {
            cause: {
                "cases": k, "first": self.first[cause] / k, "second": self.second[cause] / k,
                "unseen": self.unseen[cause], "taken_for": dict(self.taken_for[cause].most_common(4)),
            }
            for cause, k in sorted(self.cases.items())
        }  # fmt: skip
        return {
            "cases": n, "first": sum(self.first.values()) / max(n, 1), "second": sum(self.second.values()) / max(n, 1),
            "of_all": {"versions": every, "seen": n / every, "first": sum(self.first.values()) / every},
            "one_incident": self.single / max(n, 1), "unseen": sum(self.unseen.values()),
            "clean": {"versions": self.clean, "with_cause": self.clean_with_cause},
            "confidence": self.reliability(), "by_cause": by_cause,
        }  # fmt: skip

    def reliability(self) -> list[dict[str, float]]:
        """How often a cause was right, by the confidence it was given."""
        found = []
        for low, high in ((0.0, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.01)):
            mine = [right for c, right in self.confidence if low <= c < high]
            if mine:
                found.append({"from": low, "to": min(high, 1.0), "cases": len(mine), "right": sum(mine) / len(mine)})
        return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.causes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with columns/, histories/ and histories2/")
    parser.add_argument("--json", type=Path, required=True, help="where to write the figures")
    parser.add_argument("--part", choices=PARTS, default="report")
    parser.add_argument("--tables", type=int, default=60, help="tables whose rows make executions")
    parser.add_argument("--each", type=int, default=14, help="damaged versions of each series")
    parser.add_argument("--misses", type=Path, help="where to write what was said of versions with another cause")
    options = parser.parse_args()
    report, misses = Report(), []
    for series in load(options.data, options.part, options.tables):
        misses += measure(series, report, options.each)
        options.json.write_text(json.dumps({"part": options.part} | report.to_json(), indent=1))
        if options.misses:
            options.misses.write_text("\n".join(misses))
    shown = report.to_json()
    print(json.dumps({name: shown[name] for name in ("cases", "first", "second", "of_all", "unseen", "clean")}))


def measure(series: Series, report: Report, each: int) -> list[str]:
    """Count one series; returns a line for each version whose cause is another."""
    states = [fold(table) for table in series.tables[: PAST + 1]]
    metrics = [observe_metrics(s, states[i - 1] if i else None) for i, s in enumerate(states[:PAST])]
    kinds = {name: column.kind for name, column in states[PAST - 1].columns.items()}
    rules: list[Rule] = [*learn_history(metrics, kinds=kinds, unused=unused_in(states[PAST - 1]), budget=BUDGET)]
    schema = [[name, column.type] for name, column in states[PAST - 1].columns.items()]
    rules += [rule for rule in (learn_schema([(schema, None)] * PAST),) if rule is not None]
    clean = Batch(PAST, "snapshot", states[PAST], states[PAST - 1], schema, datetime(2026, 1, 1, tzinfo=UTC), metrics)
    report.clean += 1
    quiet = _named(series, clean, rules, None)
    report.clean_with_cause += bool(quiet)
    if quiet:
        return [f"{series.name}: clean: {quiet[0].cause.sentence}"]
    lines = []
    for case in damaged(series, each):
        state = fold(case.table)
        batch = replace(clean, state=state, schema=[[name, column.type] for name, column in state.columns.items()])
        found = _named(series, batch, rules, case.column if case.sure else None)
        if not found:
            report.unseen[case.cause] += 1
            continue
        lines += _count(report, series, case, found)
    return lines


def _named(series: Series, batch: Batch, rules: list[Rule], handed: str | None) -> list[Diagnosis]:
    """What is said of a batch; a column that is `handed` over is one of which another rule broke."""
    verdicts = [(rule, rule.judge(batch)) for rule in rules]
    broken = [(rule, verdict) for rule, verdict in verdicts if verdict.status == VIOLATED]
    if not broken and handed is not None:
        broken = [
            (Rule("pattern", handed, {}, BUDGET, "", "benchmark"), Verdict(VIOLATED, "Values are unlike before."))
        ]
    return diagnose(series.name, batch, broken, rules=rules)


def _count(report: Report, series: Series, case: Case, found: list[Diagnosis]) -> list[str]:
    ranked = [found[0].cause.cause, *[cause for cause, _ in found[0].others[:1]], *[d.cause.cause for d in found[1:2]]]
    report.cases[case.cause] += 1
    report.single += len(found) == 1
    right = ranked[0] == case.cause
    report.first[case.cause] += right
    report.second[case.cause] += case.cause in ranked[:2]
    report.confidence.append((found[0].cause.confidence, right))
    if right:
        return []
    report.taken_for[case.cause][ranked[0]] += 1
    said = found[0].cause.sentence.encode("unicode_escape").decode()[:200]
    return [f"{series.name}: {case.key} of {case.column} at {case.share}: {ranked}: {said}"]


@dataclass(frozen=True)
class Case:
    """One damaged version; `sure` where the damage is such by its own test."""

    key: str
    cause: str
    column: str | None
    share: float
    table: pa.Table
    sure: bool


def damaged(series: Series, each: int) -> Iterator[Case]:
    """Damaged versions of the batch that is judged: at most one for each cause."""
    table, before, future = series.tables[PAST], series.tables[PAST - 1], series.tables[PAST + 1]
    rng = np.random.default_rng(zlib.crc32(f"damage {series.name}".encode()))
    options: list[tuple[Kind | TableKind, str | None]] = [(kind, None) for kind in TABLES]
    for name in table.column_names:
        options += [(kind, name) for kind in _kinds(table, name)]
    order, seen = rng.permutation(len(options)), set[str]()
    for at in order.tolist():
        kind, column = options[at]
        if kind.cause in seen or len(seen) >= each:
            continue
        case = _case(kind, column, table, before, future, rng)
        if case is not None:
            seen.add(kind.cause)
            yield case


def _kinds(table: pa.Table, name: str) -> tuple[Kind, ...]:
    kind = table.schema.field(name).type
    if pa.types.is_string(kind):
        return (*STRINGS, *_neighbours(table, name))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return TIMES
    return NUMBERS if pa.types.is_integer(kind) or pa.types.is_floating(kind) else ()


def _neighbours(table: pa.Table, name: str) -> list[Kind]:
    others = [
        n for n in table.column_names if n != name and table.schema.field(n).type == table.schema.field(name).type
    ]
    return [neighbour(table[others[0]].to_pylist())] if others else []


def _case(
    kind: Kind | TableKind,
    column: str | None,
    table: pa.Table,
    before: pa.Table,
    future: pa.Table,
    rng: np.random.Generator,
) -> Case | None:
    if isinstance(kind, TableKind):
        done = kind.damage(table, rng, before)
        return None if done is None else Case(kind.key, kind.cause, None, 1.0, done.table, kind.key == "schema")
    assert column is not None
    values, share = table[column].to_pylist(), float(rng.choice(SHARES))
    whole = kind.damage(values, rng)
    later = future[column].to_pylist() if column in future.column_names else []
    if whole is None or not kind.is_damage(values, whole, later):
        return None
    if kind.key == "check_digit" and checked_domain([v for v in values if v][:40]) is None:
        return None  # its last digit checks nothing
    places = rng.random(len(values)) < share
    new = [b if chosen else a for a, b, chosen in zip(values, whole, places, strict=True)]
    if new == values:
        return None
    at = table.schema.get_field_index(column)
    changed = table.set_column(at, table.schema.field(at), _as(new, table.schema.field(at).type))
    return Case(kind.key, kind.cause, column, share, changed, kind.of == "strings" and kind.seen)


def _as(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Values in the column's type; integers are cut."""
    if pa.types.is_integer(kind):
        values = [None if v is None else int(v) for v in values]
    return pa.array(values, kind)


if __name__ == "__main__":
    main()
