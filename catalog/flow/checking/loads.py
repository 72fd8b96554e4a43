"""The loads of a table of increments and what they brought of its keys, as its versions are judged one after the other.

A load counts while the table holds its rows: one that was deleted, in part or whole, may be loaded again. Where rows
go that no known load brought (a file that OPTIMIZE wrote holds rows of many), no load is known any more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlmodel import Session

from catalog.flow.context import Context
from catalog.flow.reading.batches import BatchPlan
from catalog.history.earlier import Again, Earlier, decode, encode
from catalog.history.series import TableMetrics
from catalog.learners.keys import KINDS, is_of_each, own_key
from catalog.rules.kinds.key import ROWS, NewKeyRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import Batch
from catalog.states.parts.distinct import Distinct
from catalog.store.lake import keys
from catalog.store.models import KeyLoad, Table


class Loads:
    """What is known of a table's loads.

    Parameters
    ----------
    asked : rules that ask about loads; a table's own key is kept while it is one.
    """

    def __init__(self, context: Context, table: Table, asked: Iterable[Rule] = ()) -> None:
        self.table, self.asked = table, [rule for rule in asked if isinstance(rule, NewKeyRule)]
        with context.reading() as session:
            kept = keys.key_loads(session, table.id or 0) if table.mode == "increment" else []
        self.earlier: dict[str, Earlier] = defaultdict(Earlier)
        self.files: dict[int, list[str]] = {}
        for row in kept:
            self.earlier[row.column_name].add(row.number, *decode(row.sample))
            self.files[row.number] = row.files
        self.gone: set[int] = set()
        for number in sorted(self.files)[: -context.settings.history_limit]:
            self._forget(number)

    def follow(self, plan: BatchPlan) -> None:
        """Forget the loads whose rows a version took away."""
        if plan.kind == "none" or not plan.commit.removed:
            return
        removed = set(plan.commit.removed)
        known = removed <= {file for files in self.files.values() for file in files}
        for number, files in list(self.files.items()):
            if not known or removed.intersection(files):
                self._forget(number)

    def keep(self, session: Session, plan: BatchPlan, batch: Batch, metrics: TableMetrics) -> None:
        """Keep what a load brought, known to those after it, and forget for good what is gone."""
        keys.forget_key_loads(session, self.table.id or 0, self.gone)
        self.gone = set()
        samples = self._samples(batch, metrics) if plan.kind == "increment" and batch.state.rows else {}
        rows = load_rows(self.table.id or 0, plan, samples)
        for name, sample in samples.items():
            self.earlier[name].add(plan.number, sample.hashes, sample.threshold)
            self.files[plan.number] = list(plan.keys)
        keys.put_key_loads(session, rows)

    def _samples(self, batch: Batch, metrics: TableMetrics) -> dict[str, Distinct]:
        """What a load brought: its rows, the table's own key, and what rules ask about."""
        found = {ROWS: batch.state.row_distinct}
        found |= {rule.place: sample for rule in self.asked if (sample := rule.sampled(batch)) is not None}
        columns = batch.state.columns
        own = own_key(columns, self.table.name)
        if own and columns[own].kind in KINDS and is_of_each(metrics.columns.get(own, {})):
            found[own] = columns[own].distinct
        return found

    def _forget(self, number: int) -> None:
        self.gone.add(number)
        self.files.pop(number, None)
        for earlier in self.earlier.values():
            earlier.forget(number)


def load_rows(table_id: int, plan: BatchPlan, samples: Mapping[str, Distinct]) -> list[dict[str, Any]]:
    """What a load brought, as it is stored."""
    told = {"table_id": table_id, "number": plan.number, "files": list(plan.keys)}
    return [
        told | {"column_name": name, "sample": encode(sample.hashes, sample.threshold)}
        for name, sample in sorted(samples.items())
    ]


def shared(kept: Iterable[KeyLoad], healthy: Collection[int]) -> Mapping[str, list[Again]]:
    """What each load but the first shared with those before it, by column and of whole rows, of healthy loads alone."""
    earlier: dict[str, Earlier] = defaultdict(Earlier)
    found: dict[str, list[Again]] = defaultdict(list)
    for row in kept:
        if row.number in healthy:
            hashes, threshold = decode(row.sample)
            if earlier[row.column_name].thresholds:
                found[row.column_name].append(earlier[row.column_name].again(hashes, threshold, row.number))
            earlier[row.column_name].add(row.number, hashes, threshold)
    return found
