"""What a report is made of: the catalog as it was at a moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

Rows = Mapping[int, Mapping[str, Any]]


@dataclass(frozen=True)
class Scope:
    """What of the catalog a report is about; empty: all of it. An owner's are the columns that he owns, by themselves,
    their table or their source."""

    source: str = ""
    owner: str = ""


@dataclass(frozen=True)
class Facts:
    """The catalog as it was just before `moment`, by the ids that things had.

    Parameters
    ----------
    moment : points in time are UTC; the period is ``start <= t < moment``.
    sources, tables, columns, tags, rules, incidents : what was there.
    versions : those judged in the period.
    events : decisions of the period, the oldest first.
    decided : by the id of a tag, the last decision about it.
    levelled : by the id of a column, the last decision on how sensitive it is.
    gone : who was locked out then: what he owns belongs to who owns what holds it.
    absent : the names of tables that were left out since they were not in their source any more.
    """

    start: datetime
    moment: datetime
    sources: Rows = field(default_factory=dict)
    tables: Rows = field(default_factory=dict)
    columns: Rows = field(default_factory=dict)
    tags: Rows = field(default_factory=dict)
    rules: Rows = field(default_factory=dict)
    incidents: Rows = field(default_factory=dict)
    versions: Rows = field(default_factory=dict)
    events: tuple[Mapping[str, Any], ...] = ()
    decided: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    levelled: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    absent: tuple[str, ...] = ()

    def source_of(self, table_id: int) -> str:
        source = self.sources.get(self.tables[table_id]["source_id"])
        return str(source["name"]) if source else ""

    def owner_of_table(self, table_id: int) -> str:
        table = self.tables[table_id]
        source = self.sources.get(table["source_id"]) or {}
        return self._there(table["owner"]) or self._there(source.get("owner"))

    def owner_of(self, column: Mapping[str, Any]) -> str:
        return self._there(column["owner"]) or self.owner_of_table(column["table_id"])

    def _there(self, owner: str | None) -> str:
        return "" if owner is None or owner in self.gone else owner


def within(facts: Facts, scope: Scope) -> Facts:
    """The facts about what a scope names. Decisions about no table (people, settings) belong to the whole only."""
    if not scope.source and not scope.owner:
        return facts
    tables = {key: row for key, row in facts.tables.items() if not scope.source or facts.source_of(key) == scope.source}
    columns = {
        key: row
        for key, row in facts.columns.items()
        if row["table_id"] in tables and (not scope.owner or facts.owner_of(row) == scope.owner)
    }
    if scope.owner:
        with_columns = {row["table_id"] for row in columns.values()}
        tables = {
            key: row for key, row in tables.items() if key in with_columns or facts.owner_of_table(key) == scope.owner
        }
    names = {(row["table_id"], row["name"]) for row in columns.values()}

    def about(row: Mapping[str, Any]) -> bool:
        """A rule or an incident: of a column in the scope, or of a whole table of the owner."""
        table, column = row["table_id"], row["column_name"]
        if table not in tables or not scope.owner:
            return table in tables
        return (table, column) in names or (not column and facts.owner_of_table(table) == scope.owner)

    sources = {row["source_id"] for row in tables.values()}
    named = {facts.sources[key]["name"] for key in sources if key in facts.sources}

    def told(event: Mapping[str, Any]) -> bool:
        """A decision about one of the tables, or about the source itself."""
        table = event["table_id"]
        return table in tables if table is not None else event["source"] in named and not scope.owner

    return Facts(
        facts.start,
        facts.moment,
        {key: row for key, row in facts.sources.items() if key in sources},
        tables,
        columns,
        {key: row for key, row in facts.tags.items() if row["column_id"] in columns},
        {key: row for key, row in facts.rules.items() if about(row)},
        {key: row for key, row in facts.incidents.items() if about(row)},
        {key: row for key, row in facts.versions.items() if row["table_id"] in tables},
        tuple(one for one in facts.events if told(one)),
        facts.decided,
        facts.levelled,
        facts.gone,
    )


def present(facts: Facts) -> Facts:
    """The facts about tables that were there: one that vanished, or that its source does not want, holds nothing any
    more that could be told of the lake. What happened to it stays in the past of incidents and decisions."""
    gone = {key for key, row in facts.tables.items() if not row.get("there", True)}
    columns = {key: row for key, row in facts.columns.items() if row["table_id"] not in gone}
    return replace(
        facts,
        tables={key: row for key, row in facts.tables.items() if key not in gone},
        columns=columns,
        tags={key: row for key, row in facts.tags.items() if row["column_id"] in columns},
        rules={key: row for key, row in facts.rules.items() if row["table_id"] not in gone},
        absent=tuple(sorted(f"{facts.source_of(key)}/{facts.tables[key]['name']}" for key in gone)),
    )
