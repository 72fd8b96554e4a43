"""Results as long tables, one number a row, for whoever keeps them in a lake of his own: the layout of deequ's metrics
repository (run_id, metric_name, metric_value, run_time), with where each number comes from beside it.

`METRICS` and `OUTCOMES` are the published schemas. ``run_id`` is the same in both: ``table id/version``.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pyarrow as pa
from sqlmodel import Session, col, select

from catalog.errors import StateError
from catalog.evidence.series import TableMetrics
from catalog.store.models import Outcome, RuleRow, Source, Table, Version

PORTION = 500  # versions, or outcomes, read at once
_TIME = pa.timestamp("us", tz="UTC")
_WHERE = [
    pa.field("run_id", pa.string(), nullable=False),
    pa.field("run_time", _TIME),
    pa.field("source", pa.string(), nullable=False),
    pa.field("table", pa.string(), nullable=False),
    pa.field("version", pa.int64(), nullable=False),
    pa.field("column", pa.string()),  # null: the whole table
]
_METRIC = [pa.field("metric_name", pa.string()), pa.field("metric_value", pa.float64())]
METRICS = pa.schema([*_WHERE, pa.field("batch", pa.string()), pa.field("committed_at", _TIME), *_METRIC])
OUTCOMES = pa.schema(
    [
        *_WHERE,
        *[pa.field(name, pa.string()) for name in ("rule_kind", "learner", "fingerprint", "level", "status")],
        *[pa.field("revision", pa.int32()), pa.field("fpr", pa.float64())],
        *_METRIC,
        *[pa.field("low", pa.float64()), pa.field("high", pa.float64()), pa.field("sentence", pa.string())],
    ]
)


def metric_batches(
    session: Session, *, table_id: int | None = None, after: datetime | None = None
) -> Iterator[pa.RecordBatch]:
    """The metrics of every observed version (of one table, judged after a moment) as `METRICS`, in the order they
    became known; at most `PORTION` versions a batch. `run_time` is when the version was judged. A version whose metrics
    cannot be read has one row, ``unreadable``."""
    query = (
        select(Version, Table.name, Source.name)
        .join(Table, col(Table.id) == col(Version.table_id))
        .join(Source, col(Source.id) == col(Table.source_id))
        .where(col(Version.metrics).is_not(None))
    )
    for found in _portions(session, query, Version, table_id, after):
        rows = []
        for version, table, source in found:
            where = _where(version.table_id, version.number, version.judged_at, source, table)
            common = where | {"batch": version.batch, "committed_at": version.committed_at}
            try:
                metrics = TableMetrics.decode(version.metrics)
            except StateError:  # of another release: said on this version, the others follow
                rows.append(common | {"column": None, "metric_name": "unreadable", "metric_value": 1.0})
                continue
            rows.append(common | {"column": None, "metric_name": "row_count", "metric_value": float(metrics.rows)})
            for column, values in metrics.columns.items():
                for name, value in values.items():
                    rows.append(common | {"column": column, "metric_name": name, "metric_value": value})
        yield pa.RecordBatch.from_pylist(rows, schema=METRICS)


def outcome_batches(
    session: Session, *, table_id: int | None = None, after: datetime | None = None
) -> Iterator[pa.RecordBatch]:
    """What every rule said of every version as `OUTCOMES`, in the order it was said; see `metric_batches`."""
    query = (
        select(Outcome, RuleRow, Table.name, Source.name)
        .join(RuleRow, col(RuleRow.id) == col(Outcome.rule_id))
        .join(Table, col(Table.id) == col(Outcome.table_id))
        .join(Source, col(Source.id) == col(Table.source_id))
    )
    for found in _portions(session, query, Outcome, table_id, after):
        rows = []
        for said, rule, table, source in found:
            row = _where(said.table_id, said.version, said.judged_at, source, table)
            row |= {"column": rule.column_name or None, "rule_kind": rule.kind}
            row |= {name: getattr(rule, name) for name in ("learner", "fingerprint", "level", "revision", "fpr")}
            row |= {name: getattr(said, name) for name in ("status", "low", "high", "sentence")}
            rows.append(row | {"metric_name": said.metric, "metric_value": said.value})
        yield pa.RecordBatch.from_pylist(rows, schema=OUTCOMES)


def _portions(
    session: Session, query: Any, model: type[Version] | type[Outcome], table_id: int | None, after: datetime | None
) -> Iterator[list[Any]]:
    """The rows of a query by rising id, some at a time."""
    if table_id is not None:
        query = query.where(model.table_id == table_id)
    if after is not None:
        query = query.where(col(model.judged_at) > after)
    last = -1
    while True:
        found = session.exec(query.where(model.id > last).order_by(col(model.id)).limit(PORTION)).all()
        if not found:
            return
        last = found[-1][0].id
        yield found
        session.expunge_all()  # what was handed on is not kept


def _where(table_id: int, version: int, moment: datetime | None, source: str, table: str) -> dict[str, Any]:
    run = {"run_id": f"{table_id}/{version}", "run_time": moment}
    return run | {"source": source, "table": table, "version": version}
