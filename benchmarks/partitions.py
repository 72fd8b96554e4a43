"""Tables whose daily job replaces partitions of days: false alarms on healthy versions, and faults of one day detected.

    python -m benchmarks.partitions [--seeds N] [--mode auto|snapshot] [--first SEED]

Generated tables of three layouts: `visits` replaces yesterday and today (a date), `sales` today (a text) in every
country, `calls` deletes and inserts yesterday and today (year, month, day). Rows follow the day of the week. After
`BEFORE` days a table is registered and `AFTER` healthy days are judged; then today's rows come with one of
four faults. ``--mode snapshot`` judges the same tables whole, as was done before partitions were told apart.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from catalog.demo.lake import date_commit
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.settings import get_settings
from catalog.store.lake import batches, tables
from catalog.store.models import Table
from catalog.store.pages.rules import find_outcomes

BEFORE, AFTER = 30, 18
BEGIN = date(2026, 1, 5)
WEEK = (1.0, 1.05, 0.98, 1.02, 1.3, 0.45, 0.35)
FAULTS = ("cents", "nulls", "doubled", "half")


def day_of(seed: int, day: int, fault: str | None = None) -> pa.Table:
    """A day's rows, some 900; with a fault of theirs."""
    rng = np.random.default_rng([seed, day])
    rows = int(900 * WEEK[day % 7] * (1 + rng.normal(0, 0.04)))
    amount = np.round(rng.gamma(4.0, 12.0 if day % 7 < 5 else 10.0, rows), 2)
    on = BEGIN + timedelta(days=day)
    found = pa.table(
        {
            "id": np.arange(rows) + day * 2000,
            "code": [f"A{seed % 10}-{int(one):06d}" for one in rng.integers(0, 10**6, rows)],
            "amount": pa.array(
                amount * 100 if fault == "cents" else amount,
                mask=rng.random(rows) < (0.4 if fault == "nulls" else 0.02),
            ),
            "status": rng.choice(["paid", "open", "void"], rows, p=[0.8, 0.15, 0.05]),
            "country": rng.choice(["DE", "FR"], rows, p=[0.7, 0.3]),
            "day": [on] * rows,
        }
    )
    match fault:
        case "doubled":
            return pa.concat_tables([found, found])
        case "half":
            return found.slice(0, rows // 2)
    return found


def visits(path: str, seed: int, day: int, fault: str | None) -> None:
    both = pa.concat_tables([day_of(seed, day - 1), day_of(seed, day, fault)])
    since = BEGIN + timedelta(days=day - 1)
    if DeltaTable.is_deltatable(path):
        write_deltalake(path, both, mode="overwrite", predicate=f"day >= '{since}'")
    else:
        write_deltalake(path, both, partition_by=["day"])


def sales(path: str, seed: int, day: int, fault: str | None) -> None:
    rows = day_of(seed, day, fault)
    on = str(BEGIN + timedelta(days=day))
    rows = rows.drop_columns(["day"]).append_column("dt", pa.array([on] * rows.num_rows))
    if DeltaTable.is_deltatable(path):
        write_deltalake(path, rows, mode="overwrite", predicate=f"dt = '{on}'")
    else:
        write_deltalake(path, rows, partition_by=["dt", "country"])


def calls(path: str, seed: int, day: int, fault: str | None) -> None:
    both = pa.concat_tables([day_of(seed, day - 1), day_of(seed, day, fault)])
    days = both.column("day").to_pylist()
    both = both.drop_columns(["day"])
    for name in ("year", "month", "day"):
        both = both.append_column(name, pa.array([getattr(on, name) for on in days], pa.int32()))
    if DeltaTable.is_deltatable(path):
        on = BEGIN + timedelta(days=day - 1)
        DeltaTable(path).delete(f"year = {on.year} AND month = {on.month} AND day = {on.day}")
        date_commit(Path(path), DeltaTable(path).version(), moment(day) - timedelta(minutes=1))
    write_deltalake(path, both, mode="append", partition_by=["year", "month", "day"])


Write = Callable[[str, int, int, str | None], None]
LAYOUTS: dict[str, Write] = {"visits": visits, "sales": sales, "calls": calls}


def moment(day: int) -> datetime:
    return datetime(2026, 1, 6, 5, tzinfo=UTC) + timedelta(days=day)


def deliver(path: Path, write: Write, seed: int, day: int, fault: str | None = None) -> int:
    """Write a day of a table. Returns its version."""
    write(str(path), seed, day, fault)
    number = DeltaTable(str(path)).version()
    date_commit(path, number, moment(day))
    return number


def told(context: Context, table: Table, since: int) -> dict[int, list[str]]:
    """What was told of each version after one, of rules that raise alarms."""
    found: dict[int, list[str]] = {}
    with context.reading() as session:
        for outcome, rule in find_outcomes(session, table_id=table.id, status="violated", limit=10_000).items:
            if outcome.version > since and rule.level_now == "error" and rule.kind != "freshness":
                found.setdefault(outcome.version, []).append(f"{rule.column_name}: {outcome.sentence}")
    return found


def play(
    context: Context,
    root: Path,
    seeds: int,
    mode: str = "auto",
    first: int = 0,
    layouts: Sequence[str] = tuple(LAYOUTS),
) -> dict[str, Any]:
    """All tables of all seeds as one lake: what was told of healthy versions and of faults."""
    of = {
        f"{name}_{seed}_{fault}": (write, seed * 10 + at, fault)
        for seed in range(first, first + seeds)
        for name, write in LAYOUTS.items()
        if name in layouts
        for at, fault in enumerate(FAULTS)
    }
    last: dict[str, int] = {}
    for name, (write, seed, _) in of.items():
        for day in range(1, BEFORE + 1):
            last[name] = deliver(root / name, write, seed, day)
    registered = dict(last)
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    with context.transaction() as session:
        found = {table.name: table for table in tables.every_table(session)}
        ids = {name: table.id or 0 for name, table in found.items()}
        if mode != "auto":
            for table_id in ids.values():
                batches.set_mode(session, table_id, mode)
    if mode != "auto":
        crawl_tables(context, list(ids.values()))
    for day in range(BEFORE + 1, BEFORE + AFTER + 1):
        for name, (write, seed, _) in of.items():
            last[name] = deliver(root / name, write, seed, day)
        if (day - BEFORE) % 9 == 0:
            crawl_tables(context, list(ids.values()))
    for name, (write, seed, fault) in of.items():
        deliver(root / name, write, seed, BEFORE + AFTER + 1, fault)
    crawl_tables(context, list(ids.values()))
    false, missed = [], []
    with context.reading() as session:
        modes = sorted({table.mode for table in tables.every_table(session)})
    for name in of:
        said = told(context, found[name], registered[name])
        false += [(name, number, sentences[:3]) for number, sentences in said.items() if number <= last[name]]
        missed += [name] if not any(number > last[name] for number in said) else []
    return {
        "modes": modes,
        "healthy": AFTER * len(of),
        "false": len(false),
        "faults": len(of),
        "detected": len(of) - len(missed),
        "missed": missed,
        "false_alarms": false,
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.partitions", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--mode", choices=("auto", "snapshot"), default="auto")
    options = parser.parse_args(arguments)
    home = Path(tempfile.mkdtemp(prefix="assay-partitions-"))
    settings = get_settings()
    (home / "jars").symlink_to(settings.home / "jars", target_is_directory=True)
    context = Context(settings.model_copy(update={"home": home}))
    try:
        print(
            json.dumps(play(context, home / "lake", options.seeds, options.mode, options.first), indent=1, default=str)
        )
    finally:
        context.close()
        shutil.rmtree(home, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
