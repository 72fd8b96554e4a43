"""Tables as jobs write them in lakes: false alarms on healthy versions, and one fault of each at the end.

    python -m benchmarks.simulation.jobs --json OUT [--seeds N] [--first SEED] [--only NAME ...]

Generated tables, each written by a job of its own kind (`JOBS`), from a stream of small batches to a register by the
week. Nobody made a change, so every alarm is false but one at the first month's end, which is news. After each crawl a
steward calls what is open a false alarm. At the end amounts come in cents, half of the rows, or a third of a column is
missing. Files are folded in this process, without Spark.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable, write_deltalake
from sqlmodel import select

from benchmarks.lived.__main__ import START, Clock, clocked
from benchmarks.simulation.__main__ import folded_here
from benchmarks.simulation.jobs.others import (
    NEW_YEAR,
    backfill,
    backfilled,
    bookings,
    changes,
    drops,
    failures,
    features,
    leads,
    staff,
    stocks,
    tenants,
    visits,
    working,
)
from benchmarks.simulation.jobs.rows import BEGIN, customers, events, invoices, logs, orders, prices, sensors
from catalog.checks.feedback import FALSE_ALARM
from catalog.demo.lake import date_commit
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading import observe
from catalog.flow.reading.sources import add_source
from catalog.settings import get_settings
from catalog.store.incidents import outcomes
from catalog.store.lake import tables
from catalog.store.models import Incident
from catalog.store.pages.rules import find_outcomes


@dataclass(frozen=True)
class Job:
    """How a table is written: its rows, `every` so often, appended, merged by a `key`, or overwritten; `before` so many
    versions it is registered, and `after` as many more the fault comes in a `column`."""

    rows: Callable[[int, int, Path], pa.Table]
    how: str
    every: timedelta
    before: int
    after: int
    column: str
    together: int = 1  # versions a crawl
    when: Callable[[int], timedelta] | None = None  # a version is committed, where not every so often

    def at(self, step: int) -> datetime:
        """When a version is committed."""
        return BEGIN + (self.when(step) if self.when else self.every * (step + 1))


DAY = timedelta(days=1)
KEPT = {"delta.logRetentionDuration": "interval 1000 days"}  # as commits are dated far in the past
FAULTS = ("a third missing", "cents", "half of the rows")  # by seed
JOBS: Mapping[str, Job] = {
    "events": Job(events, "append", timedelta(minutes=10), 144, 432, "amount", 12),
    "sensors": Job(sensors, "append", timedelta(hours=1), 72, 168, "temperature", 12),
    "orders": Job(orders, "order_id", DAY, 20, 30, "amount"),
    "customers": Job(customers, "overwrite", DAY, 20, 30, "plan"),
    "prices": Job(prices, "overwrite", DAY, 20, 40, "price"),
    "invoices": Job(invoices, "append", DAY, 20, 70, "net"),
    "logs": Job(logs, "append", DAY, 20, 40, "status"),
    "tenants": Job(tenants, "append", timedelta(hours=4), 60, 90, "amount", 6),
    "stocks": Job(stocks, "append", DAY, 20, 40, "level"),
    "changes": Job(changes, "append", timedelta(hours=1), 72, 120, "credit", 6),
    "bookings": Job(bookings, "append", DAY, 20, 40, "price", when=lambda step: NEW_YEAR + DAY * (step + 1)),
    "drops": Job(drops, "append", timedelta(hours=6), 40, 80, "amount", 2),
    "backfill": Job(backfill, "append", DAY, 60, 30, "minutes", when=backfilled),
    "leads": Job(leads, "append", DAY, 20, 40, "score"),
    "staff": Job(staff, "overwrite", timedelta(weeks=1), 10, 30, "pay"),
    "features": Job(features, "append", DAY, 20, 40, "recency"),
    "failures": Job(failures, "append", DAY, 30, 61, "amount"),
    "visits": Job(visits, "append", DAY, 20, 40, "seconds", when=lambda step: working(step) + DAY),
}


def deliver(path: Path, job: Job, seed: int, step: int, fault: bool = False) -> int:
    """Write a version of a table. Returns its number."""
    rows = job.rows(seed, step, path)
    if fault:
        at, values = rows.schema.get_field_index(job.column), rows[job.column]
        if seed % len(FAULTS) == 1 and not pa.types.is_string(values.type):
            rows = rows.set_column(at, job.column, pc.multiply(values, pa.scalar(100, values.type)))
        elif seed % len(FAULTS) == 2:
            rows = rows.slice(0, len(rows) // 2)
        else:
            gone = pa.array(np.random.default_rng(seed).random(len(values)) < 0.33)
            rows = rows.set_column(at, job.column, pc.if_else(gone, pa.scalar(None, values.type), values))
    if not step or job.how in ("append", "overwrite"):
        options: Any = {"mode": "append" if job.how == "append" else "overwrite"}
        options |= {"schema_mode": "merge"} if step and job.how == "append" else {}
        write_deltalake(str(path), rows, configuration=None if step else KEPT, **options)
    else:
        merged = DeltaTable(str(path)).merge(rows, f"s.{job.how} = t.{job.how}", source_alias="s", target_alias="t")
        merged.when_matched_update_all().when_not_matched_insert_all().execute()
    number = DeltaTable(str(path)).version()
    date_commit(path, number, job.at(step))
    return number


def told(context: Context, table_id: int, since: int) -> dict[int, list[str]]:
    """What was told of each version after one; how late versions are is not asked."""
    found: dict[int, list[str]] = {}
    with context.reading() as session:
        for outcome, rule in find_outcomes(session, table_id=table_id, status="violated", limit=100_000).items:
            held = (outcome.detail or {}).get("held_back")
            if outcome.version > since and rule.level_now == "error" and rule.kind != "freshness" and not held:
                found.setdefault(outcome.version, []).append(f"{rule.kind} {rule.column_name}: {outcome.sentence}")
    return found


def crawl(context: Context, table_id: int, at: datetime) -> None:
    """A crawl at a time, after which all that is open is answered."""
    Clock.begin((at - START) / DAY)
    crawl_tables(context, [table_id])
    with context.transaction() as session:
        for incident in session.exec(select(Incident).where(Incident.status != "resolved")).all():
            session.refresh(incident)  # its leader's answer may have been its own
            if incident.status != "resolved" and incident.id:
                outcomes.resolve(session, incident.id, FALSE_ALARM, actor="steward")


def play(context: Context, root: Path, name: str, seed: int) -> dict[str, Any]:
    """One table's life: what was told of its healthy versions, and of the fault."""
    job, lake = JOBS[name], root / f"{name}_{seed}"
    path = lake / name
    for step in range(job.before):
        last = deliver(path, job, seed, step)
    Clock.begin((job.at(job.before - 1) - START) / DAY)
    crawl_source(context, add_source(context, f"{name} {seed}", str(lake)).id or 0)
    with context.reading() as session:
        (table,) = tables.every_table(session)
    since = last
    for step in range(job.before, job.before + job.after):
        last = deliver(path, job, seed, step)
        if (step + 1 - job.before) % job.together == 0 or step + 1 == job.before + job.after:
            crawl(context, table.id or 0, job.at(step))
    bad = deliver(path, job, seed, job.before + job.after, fault=True)
    crawl(context, table.id or 0, job.at(job.before + job.after))
    with context.reading() as session:
        (mode,) = [one.mode for one in tables.every_table(session)]
    said = told(context, table.id or 0, since)
    false = {number: lines for number, lines in said.items() if number <= last}
    about = Counter(line.split(":")[0] for lines in false.values() for line in lines)
    shown = [(number, lines[:3]) for number, lines in sorted(false.items())][:12]
    return {"mode": mode, "healthy": job.after, "false": len(false), "about": dict(about.most_common(8)),
            "detected": bad in said, "shown": shown}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.simulation.jobs", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--json", type=Path, help="file the figures are written to")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="the first seed, which the fault goes by")
    parser.add_argument("--only", nargs="+", choices=sorted(JOBS), default=list(JOBS))
    asked = parser.parse_args(arguments)
    observe.scan = folded_here  # type: ignore[assignment]  # small files need no Spark
    found: dict[str, Any] = {}
    for seed in range(asked.first, asked.first + asked.seeds):
        for name in asked.only:
            home = Path(tempfile.mkdtemp(prefix="assay-jobs-"))
            settings = get_settings()
            for kept in ("jars", "starter"):
                (home / kept).symlink_to(settings.home / kept, target_is_directory=True)
            context = Context(settings.model_copy(update={"home": home}))
            try:
                with clocked():
                    found[f"{name} {seed}"] = play(context, home / "lake", name, seed)
            finally:
                context.close()
                shutil.rmtree(home, ignore_errors=True)
            print(f"{name} {seed}", json.dumps(found[f"{name} {seed}"], indent=1, default=str), flush=True)
    false, healthy = (sum(one[key] for one in found.values()) for key in ("false", "healthy"))
    seen = sum(one["detected"] for one in found.values())
    print(f"{false} of {healthy} healthy versions with an alarm; {seen} of {len(found)} faults detected")
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1, default=str), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
