"""From samples of columns that are called keys to references: kept at a crawl, compared when it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import structlog

from catalog.errors import AssayError
from catalog.flow.context import Context
from catalog.flow.reading.observe import Observed
from catalog.flow.references.judging import Other, join, standing
from catalog.history.earlier import decode, encode
from catalog.learners.keys import KINDS, may_name_rows, own_key
from catalog.learners.references import HALF, Candidate, Keyed, candidates, learn_references
from catalog.rules.kinds.key import repeats
from catalog.states.table import TableState
from catalog.store.expectations import rules
from catalog.store.lake import batches, keys

log = structlog.get_logger()


class KeySamples:
    """The samples that a crawl takes of columns that are called keys, of tables that have another version now."""

    def __init__(self, context: Context) -> None:
        self.context = context
        with context.reading() as session:
            self.known = keys.sampled_versions(session)
        self.changed: set[int] = set()
        self.rows: list[dict[str, Any]] = []

    def add(self, observed: Observed, state: TableState) -> None:
        table_id, version = observed.table.id or 0, observed.info.version
        if self.known.get(table_id) == version:
            return
        named = own_key(state.columns, observed.table.name)
        for name, column in state.of_rows.items():
            if column.kind not in KINDS or not column.non_null or not may_name_rows(name):
                continue
            sample, is_own = column.distinct, name == named and not column.nulls and not repeats(column)
            row = {"table_id": table_id, "version": version, "column_name": name, "kind": column.kind}
            row |= {"is_own": is_own, "rows": column.non_null, "once": round(sample.singletons())}
            self.rows.append(row | {"sample": encode(sample.hashes, sample.threshold)})
        self.changed.add(table_id)

    def learn(self, others: dict[str, Other]) -> int:
        """Keep the samples, and learn what they say of columns that name rows of other tables. Returns how many
        references were learned.

        Parameters
        ----------
        others : tables as they stand, by ``source/name``; added to."""
        if not self.changed:
            return 0
        with self.context.transaction() as session:
            keys.put_key_samples(session, self.changed, self.rows)
        with self.context.reading() as session:
            known = keys.samples_beside(session, self.changed)
        columns = [
            Keyed(table.id or 0, table.name, f"{source}/{table.name}", row.column_name, row.kind, row.is_own,
                  *decode(row.sample), row.rows, row.once, row.version, row.refused or {})
            for row, table, source in known
        ]  # fmt: skip
        found = [one for one in candidates(columns) if {one.own.table_id, one.other.table_id} & self.changed]
        return sum(self._learned(one, others) for one in found if not one.own.waits(one.other))

    def _learned(self, one: Candidate, others: dict[str, Other]) -> bool:
        """Make a candidate a rule where every row has its value in the other table."""
        table_id = one.own.table_id
        with self.context.reading() as session:
            decided = keys.decided_columns(session, table_id)
            if one.own.column in decided or batches.latest_suspect(session, table_id):
                return False
        (tried,) = learn_references([one])
        try:
            for name in (one.own.full, one.other.full):
                others[name] = others.get(name) or standing(self.context, name)
            own = others[one.own.full]
            joined = join(self.context, own.observed, own.observed.info.files, tried, others[one.other.full])
        except (AssayError, pa.ArrowException) as error:
            log.info("a reference could not be tried", table=one.own.full, error=str(error))
            return False
        exact = replace(one, compared=joined.distinct)  # all were, no longer those of the sample
        if joined.lacking or exact.tolerated >= HALF:
            with self.context.transaction() as session:
                versions = (one.own.version, one.other.version)
                keys.refuse(session, table_id, one.own.column, one.other.full, versions)
            return False
        (rule,) = learn_references([exact])
        with self.context.transaction() as session:
            since = own.plan.number
            rules.put_rules(
                session, table_id, [rule], learners="references", since_version=since, columns=[rule.column]
            )
        return True
