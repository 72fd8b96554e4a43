"""Writes the shop's lake as Delta tables, without a JVM: weeks of history, then one day after another.

The commits are dated as if they had come day by day: deltalake stamps them with the present, so the time in the commit
file and the file's own are set back once it is written. What arrives while somebody looks is written beside the lake
and moved into it when it is dated, so that no commit is ever seen to change.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, write_deltalake
from numpy.random import default_rng

from catalog.demo.faults import Fault
from catalog.demo.shop import DELIVERIES, Delivery, Rows, Shop, to_arrow

#: History is longer than the default retention of a log would keep.
_KEPT = {"delta.logRetentionDuration": "interval 365 days", "delta.deletedFileRetentionDuration": "interval 365 days"}
#: On one day everything came hours late. How long the next version may take is learned as twice the longest gap: it has
#: to be more than the two days between the history and the bad day, which is today's, with hours left for a slow crawl.
LATE_DAY, LATE = 24, timedelta(hours=4)
_NO_CHECKPOINT_CLEANUP = {"delta.enableExpiredLogCleanup": "false"}


class ShopLake:
    """A folder of twelve Delta tables that grows by one delivery a day.

    Parameters
    ----------
    root : folder of the lake; each table is a folder in it.
    end : time at which the day after the history is delivered, UTC.
    days : days of history.
    seed : the same seed and `end` write the same rows.
    """

    def __init__(self, root: Path, *, end: datetime | None = None, days: int = 42, seed: int = 1) -> None:
        self.root, self.days, self.seed = Path(root), days, seed
        self.end = end or datetime.now(UTC)
        self.shop = Shop(seed)
        self.day = 0

    def write_history(self) -> Iterator[tuple[int, int]]:
        """Write all days of history; yields (days written, days) for a progress bar."""
        while self.day < self.days:
            self.deliver()
            yield self.day, self.days

    def delivered_at(self, day: int, table: str) -> datetime:
        """When the batch of a day arrives: the same hour every day but one, some minutes more or less."""
        minutes = float(default_rng([self.seed, day + 1, len(table)]).normal(0, 6))
        usual = self.end - timedelta(days=self.days - day, minutes=20 + min(19.0, abs(minutes)))
        return usual + LATE if day == LATE_DAY else usual

    def business_day(self, day: int) -> date:
        """The day whose business a delivery tells: the one before it arrives."""
        return (self.end - timedelta(days=self.days - day + 1)).date()

    def deliver(self, faults: Mapping[str, Fault] | None = None) -> dict[str, int]:
        """Write the next day into every table; the version each table's batch became."""
        versions = {}
        for delivery in DELIVERIES:
            rows = delivery.rows(self.shop, self.day, self.business_day(self.day))
            fault = (faults or {}).get(delivery.table)
            if fault:
                rows = fault.apply(rows)
            versions[delivery.table] = self._write(delivery, rows)
        self.day += 1
        return versions

    def _write(self, delivery: Delivery, rows: Rows) -> int:
        path, data = self.root / delivery.table, to_arrow(rows)
        if self.day < self.days:
            return self._commit(path, delivery, data)
        with arriving(path) as copy:
            return self._commit(copy, delivery, data)

    def _commit(self, path: Path, delivery: Delivery, data: pa.Table) -> int:
        at = self.delivered_at(self.day, delivery.table)
        if self.day == 0:
            _create(path, data, delivery)
        elif delivery.how == "merge":
            _merge(path, data)
        elif delivery.how == "overwrite":
            write_deltalake(path, data, mode="overwrite", commit_properties=_job(delivery.table))
        else:
            write_deltalake(path, data, mode="append", commit_properties=_job(delivery.table))
        table = DeltaTable(path)
        version = table.version()
        date_commit(path, version, at)
        if self.day and self.day % 7 == 0 and self.day < self.days:
            self._maintain(delivery, table, at)
        return version

    def _maintain(self, delivery: Delivery, table: DeltaTable, at: datetime) -> None:
        """What happens once a week: small files are compacted, customers are forgotten."""
        path = self.root / delivery.table
        if delivery.compacted:
            table.optimize.compact(commit_properties=_job("maintenance"))
            date_commit(path, table.version(), at + timedelta(minutes=9))
        if delivery.table == "customers":
            gone = ", ".join(f"'{one}'" for one in self.shop.erased(self.day))
            table.delete(f"customer_id IN ({gone})", commit_properties=_job("erasure"))
            date_commit(path, table.version(), at + timedelta(minutes=9))


def _job(name: str) -> CommitProperties:
    """Who wrote a commit, as a scheduler would say it; ``job`` is no text in Delta's protocol, and Spark reads no log
    in which it is."""
    return CommitProperties(custom_metadata={"userName": "etl@shop.example", "userMetadata": f"load_{name}"})


def _create(path: Path, data: pa.Table, delivery: Delivery) -> None:
    write_deltalake(
        path,
        data,
        name=delivery.table,
        description=f"{delivery.table.replace('_', ' ')} of the shop",
        partition_by=[delivery.partition] if delivery.partition else None,
        configuration={**_KEPT, **_NO_CHECKPOINT_CLEANUP},
        commit_properties=_job(delivery.table),
    )


def _merge(path: Path, data: pa.Table) -> None:
    key = data.column_names[0]
    merger = DeltaTable(path).merge(
        data,
        predicate=f"t.{key} = s.{key}",
        source_alias="s",
        target_alias="t",
        commit_properties=_job(path.name),
    )
    merger.when_matched_update_all().when_not_matched_insert_all().execute()


@contextmanager
def arriving(path: Path) -> Iterator[Path]:
    """A copy of a table, of hard links beside its lake, to commit to: what it has more in the end is moved into the
    table, commits after the files that they name, pointers to checkpoints last."""
    with tempfile.TemporaryDirectory(dir=path.parent.parent, prefix=".arriving-") as room:
        copy = Path(room) / path.name
        shutil.copytree(path, copy, copy_function=os.link)
        yield copy
        for file in sorted((one for one in copy.rglob("*") if one.is_file()), key=_moved_after):
            place = path / file.relative_to(copy)
            if not (place.exists() and place.samefile(file)):
                place.parent.mkdir(parents=True, exist_ok=True)
                file.replace(place)


def _moved_after(file: Path) -> tuple[bool, bool, str]:
    return file.parent.name == "_delta_log", file.suffix != ".json", file.name


def date_commit(path: Path, version: int, at: datetime) -> None:
    """Date a commit: the time in its commitInfo and the commit file's own time."""
    file = path / "_delta_log" / f"{version:020d}.json"
    millis = int(at.timestamp() * 1000)
    lines = []
    for line in file.read_text(encoding="utf-8").strip("\n").split("\n"):  # values in statistics hold other line breaks
        action = json.loads(line)
        if "commitInfo" in action:
            action["commitInfo"]["timestamp"] = millis
        if "add" in action:
            action["add"]["modificationTime"] = millis
        lines.append(json.dumps(action, separators=(",", ":"), ensure_ascii=False))
    partial = file.with_name(f".{file.name}.dated")
    partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(partial, (at.timestamp(), at.timestamp()))
    partial.replace(file)
