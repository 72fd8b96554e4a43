"""What the whole product says of real histories, a version at a time.

    python -m benchmarks.lived --data DIR --json OUT [--split tune] [--first 15] [--wrong 0.1] [--late 7]

Every real series of the part of the sources that is asked for (`benchmarks.split`) becomes a Delta table: each
execution overwrites it, dated as it was delivered. The table is registered after its first executions; from then on
each new version is crawled as it comes, with all rules that the product has learned by itself (schema, rows, history,
strings, freshness). A simulated steward answers every incident at once (or `--late` executions after): real ones are
confirmed, the others called false alarms (`--wrong`: a share of the answers is the opposite), and the product learns
from that.

Columns that hold only numbers in the first executions are written as numbers; a later cell that is none makes the
column a string, as a job that infers its schema does. A delivery of zero bytes is written as a table without rows.

Counted are versions and (column, version) pairs of the clean windows with any alarm, pairs that `incidents.json` sets
aside left out (an alarm is an incident that asks for an answer: a change that was answered and goes on is none);
and which of the incidents of severity `column` raised an alarm on a column they name, or on the table.
A new column is told, and no alarm; incidents that are nothing else count as seen by "schema, told". The rival in the
same run is what deequ suggests of each healthy version (`benchmarks.lived_rivals`). Rates have intervals by source.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import write_deltalake
from sqlmodel import Session, select

from benchmarks.lake import typed_column, unique_names
from benchmarks.lived_rivals import Constraint, broken, suggest
from benchmarks.split import ALL, FIT, REPORT, TUNE, by_source, interval, look, series_folders, source_of
from catalog.demo.lake import date_commit
from catalog.demo.run import apart
from catalog.flow.context import Context, Progress
from catalog.flow.crawl import crawl_tables
from catalog.flow.reading.sources import add_source, find_tables
from catalog.settings import get_settings
from catalog.store.expectations.weekly import level_of
from catalog.store.incidents import outcomes
from catalog.store.lake import tables
from catalog.store.models import Incident

INFER = 30  # executions that a column's type is inferred from
TOLD = "schema, told"
LINGERS = 3  # executions after a persistent incident on which its columns do not count


@dataclass
class Series:
    """One real series: what was delivered, when, and what is known of it."""

    name: str
    folder: Path
    days: list[str]
    windows: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    source: str = ""
    types: dict[str, pa.DataType] = field(default_factory=dict)
    last: pa.Schema | None = None

    def wrong(self, index: int) -> list[dict[str, Any]]:
        """The incidents of severity `column` that an execution is part of."""
        return [x for x in self.incidents if x["severity"] == "column" and x["index"] <= index <= x["index_end"]]

    def aside(self, index: int) -> set[str] | None:
        """Columns of an execution of a clean window that do not count; None where none does.

        What a persistent incident left in a column is there still on the days after: an alarm says so rightly.
        """
        window = next((w for w in self.windows if w["start"] <= index <= w["end"]), None)
        if window is None or self.wrong(index):
            return None
        inside = [x for x in window.get("inside", []) if x["index"] <= index <= x["index_end"]]
        if any("*" in x["columns"] for x in inside):
            return None
        left = [x for x in self.incidents if x["scope"] == "persistent" and 0 < index - x["index_end"] <= LINGERS]
        return {clean for x in (*inside, *left) for clean in unique_names(x["columns"])}


def read_series(folder: Path) -> Series:
    said = json.loads((folder / "incidents.json").read_text())
    manifest = json.loads((folder / "manifest.json").read_text())
    days = [str(item.get("date", manifest["first"]))[:10] for item in manifest["items"]]
    series = Series(folder.name, folder, days, said.get("clean_windows", []), said.get("incidents", []))
    series.source = source_of(folder)
    seen: dict[str, list[pl.Series]] = {}
    for index in range(1, min(INFER, len(days)) + 1):
        if not series.wrong(index):
            for name, cells in _cells(series, index).items():
                seen.setdefault(name, []).append(cells)
    series.types = {name: typed_column(pl.concat(cells)).type for name, cells in seen.items()}
    return series


def _cells(series: Series, index: int) -> dict[str, pl.Series]:
    """The raw cells of an execution by column name, missing ones empty."""
    table = pq.read_table(series.folder / f"{index:04d}.parquet")
    names = unique_names(table.column_names)
    return {
        name: pl.Series(name, column.cast(pa.string()).to_pylist(), pl.String).fill_null("")
        for name, column in zip(names, table.columns, strict=True)
    }


def delivery(series: Series, index: int) -> pa.Table:
    """An execution as a job that infers types would write it."""
    cells = _cells(series, index)
    if not cells:  # nothing but a file of zero bytes: the columns are those before, or those that will come
        last = series.last if series.last is not None else pa.schema(list(series.types.items()))
        return last.empty_table()
    table = pa.table({name: _typed(values, series.types.get(name)) for name, values in cells.items()})
    series.last = table.schema
    return table


def _typed(cells: pl.Series, usual: pa.DataType | None) -> pa.Array:
    """The cells in the column's usual type where all of them are such, else in the type that they have."""
    found = typed_column(cells)
    if usual is None or found.type == usual:
        return found
    if usual == pa.string() or not (cells != "").any():
        return cells.set(cells == "", None).to_arrow().cast(pa.string()).cast(usual)
    return found.cast(usual) if (found.type, usual) == (pa.int64(), pa.float64()) else found


def write(series: Series, index: int, root: Path) -> None:
    """Commit an execution, dated when it was delivered."""
    path = root / series.name
    table = delivery(series, index)
    write_deltalake(str(path), table, mode="overwrite", schema_mode="overwrite")
    at = datetime.fromisoformat(series.days[index - 1]).replace(tzinfo=UTC) + timedelta(seconds=index)
    date_commit(path, index - 1, at)


@dataclass
class Alarm:
    series: str
    index: int
    column: str | None
    kind: str
    sentence: str


@dataclass
class Steward:
    """Who answers incidents: `late` executions after they were raised, and the wrong way round in a share `wrong`."""

    wrong: float = 0.0
    late: int = 0
    waiting: dict[int, tuple[int, str]] = field(default_factory=dict)  # incident: when it is answered, and how
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def hear(self, incident: int, index: int, real: bool) -> None:
        """Of an incident that is open after an execution; what was decided about it stays."""
        if incident not in self.waiting:
            right = self.random.random() >= self.wrong
            self.waiting[incident] = (index + self.late, "MissingData" if real == right else "FalsePositive")

    def answers(self, session: Session, index: int, asked: Sequence[Incident]) -> None:
        """Answer what is due."""
        for incident in asked:
            due, reason = self.waiting.get(incident.id, (index + 1, ""))
            session.refresh(incident)  # its leader's answer may have been its own
            if due <= index and incident.status != "resolved":
                outcomes.resolve(session, incident.id, reason, actor="steward")
            if due <= index:
                del self.waiting[incident.id]


def live(
    context: Context, found: Sequence[Series], root: Path, first: int, wrong: float = 0.0, late: int = 0
) -> Iterator[Alarm]:
    """Write and crawl execution after execution, answering every incident. Yields what alarmed."""
    stewards = {one.name: Steward(wrong, late, random=np.random.default_rng(at)) for at, one in enumerate(found)}
    longest = max(len(one.days) for one in found)
    for one in found:
        for index in range(1, min(first, len(one.days)) + 1):
            write(one, index, root)
    source = add_source(context, "lived", str(root))
    with context.reading() as session:
        source = tables.get_source(session, source.id)
    ids = find_tables(context, source, Progress(context, None))
    crawl_tables(context, ids, whole=True)
    with context.reading() as session:
        named = {one.name: tables.get_table(session, f"lived/{one.name}").id or 0 for one in found}
    for index in range(first + 1, longest + 1):
        now = [one for one in found if index <= len(one.days)]
        for one in now:
            write(one, index, root)
        summary = crawl_tables(context, [named[one.name] for one in now])
        if summary["failed"]:
            print(f"execution {index}: {summary['failed']} tables failed", flush=True)
        for one in now:
            yield from _answered(context, one, named[one.name], index, stewards[one.name])
        if index % 10 == 0:
            print(f"execution {index} of {longest}: {summary['seconds']} s {summary['phases']}", flush=True)


def _answered(context: Context, series: Series, table_id: int, index: int, steward: Steward) -> list[Alarm]:
    """The alarms of one version; what they opened is answered as its steward would."""
    with context.transaction() as session:
        said = outcomes.list_outcomes(session, table_id, version=index - 1)
        rows = session.exec(select(Incident).where(Incident.table_id == table_id, Incident.status != "resolved"))
        asked = sorted(rows, key=lambda one: one.lead_id is None)  # what has the same cause is answered for itself
        new = {(one.kind, one.column_name) for one in asked if one.level == "error" and one.id not in steward.waiting}
        alarms = [
            Alarm(series.name, index, rule.column_name or None, rule.kind, outcome.sentence)
            for outcome, rule in said
            if outcome.status == "violated"
            and level_of(outcome, rule) == "error"
            and (rule.kind, rule.column_name) in new
        ]
        told = [
            o for o, rule in said if rule.kind == "schema" and o.status == "passed" and o.detail["observed"]["added"]
        ]
        alarms += [Alarm(series.name, index, None, TOLD, outcome.sentence) for outcome in told]
        incidents = series.wrong(index)
        for incident in asked:
            steward.hear(incident.id, index, any(_names(x, incident.column_name or None) for x in incidents))
        steward.answers(session, index, asked)
    return alarms


def _names(incident: dict[str, Any], column: str | None) -> bool:
    """Whether an incident is about a column (None: the table)."""
    return column is None or "*" in incident["columns"] or column in unique_names(incident["columns"])


def live_with_suggestions(found: Sequence[Series], first: int) -> Iterator[Alarm]:
    """The same with deequ's suggestions, made anew after each version that is not part of an incident."""
    for one in found:
        one.last = None
        constraints: list[Constraint] = []
        for index in range(1, len(one.days) + 1):
            table = delivery(one, index)
            if index > first:
                yield from (Alarm(one.name, index, column, kind, "") for column, kind in broken(constraints, table))
            if not one.wrong(index):
                constraints = suggest(table)


def figures(found: Sequence[Series], alarms: Sequence[Alarm], first: int) -> dict[str, Any]:
    """Rates over the clean windows, and the incidents seen."""
    tests: Counter[tuple[str, str]] = Counter()  # by what is counted and source
    false: list[Alarm] = []
    for one in found:
        mine = [a for a in alarms if a.series == one.name and a.kind != TOLD]
        for index in range(first + 1, len(one.days) + 1):
            aside = one.aside(index)
            if aside is None:
                continue
            tests["versions", one.source] += 1
            tests["columns", one.source] += len(_cells(one, index)) - len(aside)
            false += [a for a in mine if a.index == index and (a.column not in aside if a.column else not aside)]
    incidents = [
        x | {"series": one.name, "source": one.source}
        for one in found
        for x in one.incidents
        if x["severity"] == "column"
    ]
    incidents = [x for x in incidents if x["index"] > first]
    for x in incidents:
        mine = [a for a in alarms if a.series == x["series"] and a.index == x["index"] and _names(x, a.column)]
        x["by"] = sorted({a.kind for a in mine})
    sources = {one.name: one.source for one in found}
    wrong: dict[str, set[tuple[Any, ...]]] = {
        "versions": {(a.series, a.index) for a in false},
        "columns": {(a.series, a.index, a.column) for a in false},
    }
    hits = Counter((what, sources[one[0]]) for what, ones in wrong.items() for one in ones)
    hits.update(("incidents", x["source"]) for x in incidents if x["by"])
    tests.update(("incidents", x["source"]) for x in incidents)
    rates = {
        what: by_source({source: (hits[what, source], n) for (of, source), n in tests.items() if of == what})
        for what in ("versions", "columns", "incidents")
    }
    return {
        "clean_versions": sum(n for (of, _), n in tests.items() if of == "versions"),
        "clean_pairs": sum(n for (of, _), n in tests.items() if of == "columns"),
        "versions_with_false_alarm": len(wrong["versions"]),
        "table_fpr": rates["versions"]["rate"],
        "column_fpr": rates["columns"]["rate"],
        "by_source": rates,
        "false_alarms_by_kind": dict(Counter(a.kind for a in false)),
        "false_alarms": [vars(a) for a in false],
        "incidents": len(incidents),
        "incidents_seen": sum(bool(x["by"]) for x in incidents),
        "incident_list": [
            {k: x[k] for k in ("series", "index", "kind", "columns", "documented", "by")} for x in incidents
        ],
        "other_alarms": sum(a.kind != TOLD for a in alarms) - len(false),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lived", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with histories/ (and histories2/)")
    parser.add_argument("--json", type=Path, required=True, help="where to write the figures")
    parser.add_argument("--first", type=int, default=15, help="executions before the table is registered")
    parser.add_argument("--wrong", type=float, default=0.0, help="share of the steward's answers that are wrong, 0..1")
    parser.add_argument("--late", type=int, default=0, help="executions after which the steward answers")
    parser.add_argument("--series", default="", help="only these, separated by commas")
    parser.add_argument("--split", default=ALL, choices=(ALL, FIT, TUNE, REPORT), help="part of the sources")
    options = parser.parse_args()
    folders = series_folders(options.data, options.split)
    chosen = [p for p in folders if not options.series or p.name in options.series.split(",")]
    if options.split == REPORT:
        look(chosen, "benchmarks.lived")
    found = [read_series(folder) for folder in chosen]
    with tempfile.TemporaryDirectory() as room:
        root = Path(room) / "lake"
        context = Context(apart(get_settings(), Path(room) / "home"))
        alarms = list(live(context, found, root, options.first, options.wrong, options.late))
        context.close()
    rival = list(live_with_suggestions(found, options.first))
    report = {
        name: figures(found, said, options.first) | {"alarms": [vars(a) for a in said]}
        for name, said in (("ours", alarms), ("deequ_suggestions", rival))
    }
    options.json.write_text(json.dumps(report, indent=1))
    for name, one in report.items():
        print(name, json.dumps({k: v for k, v in one.items() if not isinstance(v, list | dict)}, indent=1))
        for what, rate in one["by_source"].items():
            print(f"  {what}: {interval(rate)}")


if __name__ == "__main__":
    main()
