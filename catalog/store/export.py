"""Results as long tables, one number a row, for whoever keeps them in a lake of his own: the layout of deequ's metrics
repository (run_id, metric_name, metric_value, run_time), with where each number comes from beside it.

`METRICS`, `OUTCOMES` and `TAGS` are the published schemas. ``run_id``, in the first two, is ``table id/version``.
Metrics that are a value of a sensitive column (its minimum, say) are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pyarrow as pa
from sqlmodel import Session, col, select

from catalog.errors import StateError
from catalog.history.series import TableMetrics
from catalog.metrics.registry import reveals
from catalog.store.meaning.privacy import hiding
from catalog.store.models import LakeColumn, Outcome, RuleRow, Source, Table, Tag, Version
from catalog.tags.privacy.hiding import Hiding

PORTION = 500  # versions, or outcomes, read at once; a bound of memory
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
TAGS = pa.schema(
    [
        *[pa.field(name, pa.string(), nullable=False) for name in ("source", "table", "column", "type")],
        pa.field("sensitive", pa.bool_(), nullable=False),
        *[pa.field(name, pa.string()) for name in ("domain", "title", "status", "actor")],
        *[pa.field(name, pa.float64()) for name in ("score", "match_share")],
        *[pa.field("version", pa.int64()), pa.field("run_time", _TIME)],
    ]
)


def tag_batches(
    session: Session, *, table_id: int | None = None, after: datetime | None = None
) -> Iterator[pa.RecordBatch]:
    """What every column means and who said so as `TAGS`, one row a tag, in the order they were decided; columns
    without a tag are left out. `run_time` is when the tag was last changed."""
    query = (
        select(Tag, LakeColumn, Table.name, Source.name)
        .join(LakeColumn, col(LakeColumn.id) == col(Tag.column_id))
        .join(Table, col(Table.id) == col(LakeColumn.table_id))
        .join(Source, col(Source.id) == col(Table.source_id))
        .order_by(col(Tag.updated_at), col(Tag.id))
    )
    if table_id is not None:
        query = query.where(LakeColumn.table_id == table_id)
    if after is not None:
        query = query.where(col(Tag.updated_at) > after)
    for found in session.exec(query).partitions(PORTION):
        rows = []
        for tag, column, table, source in found:
            row: dict[str, Any] = {"source": source, "table": table, "column": column.name, "type": column.type}
            row |= {"sensitive": column.sensitive, "run_time": tag.updated_at}
            names = ("domain", "title", "status", "actor", "score", "match_share", "version")
            rows.append(row | {name: getattr(tag, name) for name in names})
        yield pa.RecordBatch.from_pylist(rows, schema=TAGS)


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
    hidden: dict[int, Hiding] = {}
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
            for name, value in metrics.of_table().items():
                rows.append(common | {"column": None, "metric_name": name, "metric_value": value})
            if version.table_id not in hidden:
                hidden[version.table_id] = hiding(session, version.table_id)
            for column, values in metrics.columns.items():
                for name, value in values.items():
                    if reveals(name) and hidden[version.table_id].private(column):
                        continue
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
            row |= {name: getattr(rule, name) for name in ("learner", "fingerprint", "level", "revision")}
            row |= {"fpr": rule.stated_fpr}
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
