"""A month of a small company, then a hundred things that go wrong: ``python -m benchmarks.simulation --json OUT``.

    [--seed 2] [--days 30] [--rounds 13] [--faults kinds|first|second|third|fourth|fifth] [--spark]

Nine Delta tables (`benchmarks.simulation.data`) get a version a day; the product crawls and learns them as it would a
lake of its own. Then each fault is written as the next version of its table, crawled on a copy of the catalog, and
taken back: every fault meets the same month. Nine tables are hit at a time, each by a fault of its own, to share the
crawls; the first round brings an ordinary day, whose incidents are false alarms. Files are folded by the functions that
Spark's workers call, in this process, without a JVM; with ``--spark`` in Spark's.

A fault is ``caught`` by an incident of its version, ``warned`` of where only a demoted rule saw it; its cause is right
where the incident named first says so (``cause``), or among the first two of it (``second``). Choose on seed 1, report
another.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from benchmarks.simulation.data import START, TABLES, batch_of
from benchmarks.simulation.lists.fifth import FIFTH
from benchmarks.simulation.lists.first import FIRST
from benchmarks.simulation.lists.fourth import FOURTH
from benchmarks.simulation.lists.further import Fault
from benchmarks.simulation.lists.second import SECOND
from benchmarks.simulation.lists.third import THIRD
from benchmarks.simulation.services import SERVICES
from benchmarks.simulation.trades import TRADES
from catalog.damage import DAMAGE_KINDS
from catalog.damage import TABLES as TABLE_KINDS
from catalog.demo.lake import date_commit
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading import observe
from catalog.flow.reading.sources import add_source
from catalog.lake.scanning.scan import fold_unit, join_parts, plan_units
from catalog.lake.scanning.tasks import Result, Task
from catalog.settings import get_settings
from catalog.store.lake import tables
from catalog.store.pages import work

WHOLE = {kind.key: kind for kind in TABLE_KINDS}
FURTHER = {"first": FIRST, "second": SECOND, "third": THIRD, "fourth": FOURTH, "fifth": FIFTH}
#: The tables of a list that are not the company's.
OTHERS = {"fourth": TRADES, "fifth": SERVICES}
#: Where rows are appended a column that a delivery lacks is null: values are missing, the schema is as it was.
CAUSES = {"renamed": "nulls", "dropped": "nulls", "new_values": "new_values"}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.simulation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=100, help="at most so many rounds of faults")
    parser.add_argument("--faults", choices=("kinds", *FURTHER), default="kinds", help="which list of them")
    parser.add_argument("--spark", action="store_true", help="fold files in Spark")
    asked = parser.parse_args()
    if not asked.spark:
        observe.scan = folded_here  # type: ignore[assignment]
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        found = Simulation(Path(folder), asked.seed, asked.days, asked.spark, asked.faults).run(asked.rounds)
    found["processor_seconds"] = round(time.process_time() - began, 1)
    asked.json.write_text(json.dumps(found, indent=1))
    print(json.dumps({name: value for name, value in found.items() if name not in ("by_kind", "faults")}, indent=1))


class Simulation:
    """The lake, the catalog that learned it, and the faults."""

    def __init__(self, folder: Path, seed: int, days: int, spark: bool = False, faults: str = "kinds") -> None:
        self.spark, self.listed = spark, faults
        self.tables = OTHERS.get(faults, TABLES)
        self.lake, self.home, self.seed, self.days = folder / "lake", folder / "home", seed, days
        base = get_settings()
        self.home.mkdir()
        (self.home / "jars").symlink_to(base.home / "jars", target_is_directory=True)
        update = {"home": self.home, "starter_index": str(base.starter_path), "spark_memory": "1g"}
        self.settings = base.model_copy(update=update)
        for name in self.tables:
            for day in range(days):
                self.deliver(name, day, batch_of(self.tables[name], name, seed, day))

    def deliver(self, name: str, day: int, rows: pa.Table) -> None:
        """A version of a table at the end of its day; columns may be others than before."""
        path = self.lake / name
        how: dict[str, Any] = {"mode": "overwrite" if self.tables[name].whole else "append"}
        if path.exists() and rows.schema.names != DeltaTable(path).schema().to_arrow().names:
            how["schema_mode"] = "overwrite" if self.tables[name].whole else "merge"
        write_deltalake(str(path), rows, **how)
        date_commit(path, day, START + timedelta(days=day + 1, hours=3))

    def run(self, rounds: int) -> dict[str, Any]:
        context = self.opened(self.home)
        source = add_source(context, "company", str(self.lake)).id
        crawl_source(context, source)
        with context.reading() as session:
            ids = {table.name: table.id for table in tables.every_table(session)}
        context.close()
        most = min(rounds, max(len(self.faults_of(name)) for name in self.tables))
        quiet = self.round(context, ids, {})
        told = [one for number in range(most) for one in self.round(context, ids, self.faults(number))]
        if self.spark:
            context.spark.stop()
        return {"seed": self.seed, "days": self.days, **summary(told), "clean": len(quiet),
                "false_alarms": sum(one["caught"] for one in quiet), "alarms": [one for one in quiet if one["caught"]],
                "faults": told}  # fmt: skip

    def opened(self, home: Path, spark: Any = None) -> Context:
        """The catalog of a home; `spark` where a session is there."""
        context = Context(self.settings.model_copy(update={"home": home}))
        if spark is not None or not self.spark:
            context.__dict__["spark"] = spark
        return context

    def faults(self, number: int) -> dict[str, tuple[str, str, float]]:
        return {name: self.faults_of(name)[number] for name in self.tables if number < len(self.faults_of(name))}

    def faults_of(self, name: str) -> tuple[tuple[str, str, float], ...]:
        """What happens to a table: (kind, column, share of the rows)."""
        if self.listed == "kinds":
            return self.tables[name].faults
        return tuple((one.name, one.column, 1.0) for one in FURTHER[self.listed][name])

    def round(
        self, context: Context, ids: dict[str, int], faults: dict[str, tuple[str, str, float]]
    ) -> list[dict[str, Any]]:
        """One day of faults on a copy of the catalog; the lake is as before afterwards."""
        hit = {}
        for name in faults or self.tables:
            good, before = (
                batch_of(self.tables[name], name, self.seed, self.days),
                batch_of(self.tables[name], name, self.seed, self.days - 1),
            )
            rows = self.damaged(name, faults[name], good, before) if faults else good
            if rows is not None:
                hit[name] = rows
        with tempfile.TemporaryDirectory() as folder, Kept(self.lake):
            for name, rows in hit.items():
                self.deliver(name, self.days, rows)
            home = Path(folder) / "home"
            shutil.copytree(self.home, home, ignore=shutil.ignore_patterns("jars", "starter"))
            copy = Context(
                self.settings.model_copy(update={"home": home, "starter_index": str(self.settings.starter_path)})
            )
            copy.__dict__["spark"] = context.spark
            crawl_tables(copy, [ids[name] for name in hit])
            told = [self.judged(copy, name, ids[name], faults.get(name)) for name in hit]
            copy.close()
        print(f"{len(told)} tables, {sum(one['caught'] for one in told)} with incidents", file=sys.stderr, flush=True)
        return told

    def damaged(self, name: str, fault: tuple[str, str, float], good: pa.Table, before: pa.Table) -> pa.Table | None:
        if self.listed == "kinds":
            return damaged(name, fault, good, before, self.seed)
        rng = np.random.default_rng([self.seed, *name.encode(), *fault[0].encode()])
        rows = self.further(name, fault[0]).change(good, rng, before)
        return None if rows.equals(good) else rows

    def further(self, name: str, kind: str) -> Fault:
        return next(one for one in FURTHER[self.listed][name] if one.name == kind)

    def right(self, name: str, kind: str) -> list[str]:
        """The causes that are right; none where any is."""
        if self.listed != "kinds":
            return self.further(name, kind).causes.split() if kind else []
        known = WHOLE if kind in WHOLE else DAMAGE_KINDS
        return [CAUSES.get(kind) or known[kind].cause] if kind else []

    def judged(self, context: Context, name: str, key: int, fault: tuple[str, str, float] | None) -> dict[str, Any]:
        """What the product said of the table's last version."""
        with context.reading() as session:
            found = work.find_incidents(session, status="open", table_id=key, limit=100)
            mine = [incident for incident, _ in found.items]
            mine = [one for one in mine if one.first_version <= self.days <= one.last_version]
            mine.sort(key=lambda one: (one.level != "error", -(one.confidence or 0.0)))
        kind, column, share = fault or ("", "", 0.0)
        right = self.right(name, kind)
        first = [one.cause for one in mine[:1]]
        among = first + [cause for one in mine[:1] for cause, _ in (one.diagnosis or {}).get("others", [])[:1]]
        among += [one.cause for one in mine[1:2]]
        return {
            "table": name, "kind": kind, "column": column, "share": share, "right": " or ".join(right),
            "caught": any(one.level == "error" for one in mine), "warned": bool(mine), "incidents": len(mine),
            "cause": any(one in right for one in first) or (not right and bool(first)),
            "second": any(one in right for one in among[:2]) or (not right and bool(first)),
            "said": [one.sentence for one in mine[:3]],
            "named": [one.cause for one in mine[:3]],
        }  # fmt: skip


def folded_here(_spark: Any, tasks: Iterable[Task], options: dict[str, str] | None = None) -> Iterator[Result]:
    """`catalog.lake.scanning.scan.scan` without Spark."""
    listed = list(tasks)
    plans, units, failed = plan_units(listed, options or {})
    yield from failed
    for unit in units:  # one a file: these are small
        yield join_parts(listed[unit.task], [(unit.task, *fold_unit(plans[unit.plan], unit))])


def damaged(name: str, fault: tuple[str, str, float], good: pa.Table, before: pa.Table, seed: int) -> pa.Table | None:
    """The batch with the fault; None where it changes nothing."""
    kind, column, share = fault
    rng = np.random.default_rng([seed, *name.encode(), *kind.encode()])
    if kind in WHOLE and not column:
        done = WHOLE[kind].damage(good, rng, before)
        return None if done is None else done.table
    if kind == "renamed":
        return good.rename_columns([f"{n}_v2" if n == column else n for n in good.column_names])
    if kind == "dropped":
        return good.drop_columns([column])
    values = good[column].to_pylist()
    chosen = rng.random(len(values)) < share
    if kind == "nulls":
        new = [None if c else v for v, c in zip(values, chosen, strict=True)]
    elif kind == "new_values":
        new = ["unheard-of" if c else v for v, c in zip(values, chosen, strict=True)]
    else:
        new = DAMAGE_KINDS[kind].damage(values, rng, share) or values
    if new == values:
        return None
    at, typed = good.schema.get_field_index(column), good.schema.field(column)
    cells = [None if v is None else int(v) for v in new] if pa.types.is_integer(typed.type) else new
    return good.set_column(at, typed, pa.array(cells, typed.type))


class Kept:
    """The logs of a lake as they were; what was added to them goes."""

    def __init__(self, lake: Path) -> None:
        self.lake = lake

    def __enter__(self) -> None:
        self.files = set(self._all())

    def __exit__(self, *_: object) -> None:
        for path in self._all():
            if path not in self.files:
                path.unlink()

    def _all(self) -> Iterator[Path]:
        return (Path(folder) / name for folder, _, names in os.walk(self.lake) for name in names)


def summary(told: list[dict[str, Any]]) -> dict[str, Any]:
    """Shares of all faults, and by kind: [faults, caught, only warned of, cause right first, among the first two]."""
    by_kind: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
    for one in told:
        only = one["warned"] and not one["caught"]
        for place, counts in enumerate((True, one["caught"], only, one["cause"], one["second"])):
            by_kind[one["kind"]][place] += bool(counts)
    n = max(len(told), 1)
    shares = {
        name: round(sum(counts[place] for counts in by_kind.values()) / n, 3)
        for place, name in enumerate(("caught", "only_warned", "cause_first", "cause_second"), start=1)
    }
    nameable = [one for one in told if one["right"]]
    named = round(sum(one["cause"] for one in nameable) / max(len(nameable), 1), 3)
    return {"count": len(told), **shares, "nameable": len(nameable), "named_of_these": named,
            "by_kind": dict(sorted(by_kind.items()))}  # fmt: skip


if __name__ == "__main__":
    main()
