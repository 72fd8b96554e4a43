"""The rules in force on a demo's lake, as demands, and the rows of each table's last version that was healthy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable
from pyarrow.dataset import dataset
from sqlmodel import Session, create_engine, select

from catalog.declared.constraint import Constraint
from catalog.rules.exchange.demands import demands
from catalog.store.expectations import rules
from catalog.store.models import Table

#: Texts as every reader has them.
_PLAIN = {"string_view": pa.string(), "large_string": pa.string()}
#: Days before the end that the demo's three bad versions arrive; see `catalog.demo.faults`.
_BEFORE = 3


def rules_of(folder: Path) -> Mapping[str, tuple[pa.Table, Sequence[Constraint]]]:
    """Rows and demands by table."""
    found: dict[str, tuple[pa.Table, Sequence[Constraint]]] = {}
    with Session(create_engine(f"sqlite:///{folder / 'home' / 'assay.db'}")) as session:
        for table in session.exec(select(Table).order_by(Table.name)):
            asked: dict[str, Constraint] = {}
            for row in rules.active_rules(session, table.id or 0):
                for one in demands(rules.as_rule(row))[0]:
                    asked.setdefault(one.sentence, one)
            found[table.name] = (_rows(folder / "lake" / table.name.rpartition("/")[2]), list(asked.values()))
    return found


def _rows(uri: Path) -> pa.Table:
    """The rows that the version added, or the whole table where it added none."""
    latest = DeltaTable(str(uri))
    version = latest.version() - _BEFORE
    now, before = (set(DeltaTable(str(uri), version=one).file_uris()) for one in (version, version - 1))
    files = sorted(now - before) or sorted(now)
    named = [file.removeprefix("file://") for file in files]
    rows = dataset(named, format="parquet", partitioning="hive", partition_base_dir=str(uri)).to_table()
    return rows.cast(pa.schema([pa.field(one.name, _PLAIN.get(str(one.type), one.type)) for one in rows.schema]))
