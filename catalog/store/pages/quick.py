"""The lists that are asked for most, without SQLAlchemy, which takes longer to load than they take to answer.

One statement answers each, on both databases, through the driver alone, where that may read the catalog as it is
(`connect`). Where the schema has to be brought up to date first, or people have to say who they are, the same lists are
`catalog.store.lake.tables.list_tables` and `catalog.store.incidents.outcomes.list_incidents`. Quick to load.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

from catalog.errors import StoreError
from catalog.store.migrations import newest_revision

#: Answers a statement with named parameters (``:name``) by its rows.
Ask = Callable[[str, Mapping[str, Any]], list[SimpleNamespace]]
MOST_WAITED_SECONDS = 30
_JSON, _TIMES = ("columns", "diagnosis"), ("changed_at", "opened_at")

_TABLES = """
FROM lake_table t JOIN source s ON s.id = t.source_id
WHERE (:status = '' OR t.status = :status) AND (:source = '' OR s.name = :source)
AND (:search = '' OR LOWER(t.name) LIKE LOWER(:search) ESCAPE '/' OR EXISTS (
    SELECT 1 FROM lake_column c WHERE c.table_id = t.id AND LOWER(c.name) LIKE LOWER(:search) ESCAPE '/'))
AND (:tag = '' OR t.id IN (
    SELECT c.table_id FROM tag g JOIN lake_column c ON c.id = g.column_id
    WHERE g.domain = :tag AND g.status <> 'rejected'))
"""
_COUNTED = """
(SELECT COUNT(*) FROM lake_column c WHERE c.table_id = t.id) AS column_count,
(SELECT COUNT(*) FROM tag g JOIN lake_column c ON c.id = g.column_id
    WHERE c.table_id = t.id AND g.status <> 'rejected') AS tag_count,
(SELECT COUNT(*) FROM rule r WHERE r.table_id = t.id AND r.status = 'active') AS rule_count,
(SELECT COUNT(*) FROM incident i WHERE i.table_id = t.id AND i.status <> 'resolved' AND i.level = 'error'
    AND i.lead_id IS NULL AND i.spread_id IS NULL) AS incident_count
"""
_OF_TABLE = (
    "id name uri status error_kind error remedy mode seen_version judged_version rows bytes files changed_at owner"
).split()
_OF_INCIDENT = (
    "id table_id kind column_name first_version last_version level sentence cause confidence columns diagnosis "
    "corrected status reason comment assignee opened_at"
).split()
_INCIDENTS = f"""
SELECT {", ".join(f"i.{name}" for name in _OF_INCIDENT)}, t.name AS table_name, s.name AS source
FROM incident i JOIN lake_table t ON t.id = i.table_id JOIN source s ON s.id = t.source_id
"""  # noqa: S608


@dataclass(frozen=True)
class TableLine:
    """A table in a list, with what is counted of it: active rules, tags not rejected, open incidents."""

    table: Any
    source: str
    columns: int
    tags: int
    rules: int
    incidents: int

    @property
    def ref(self) -> str:
        return f"{self.source}/{self.table.name}"


@dataclass(frozen=True)
class IncidentLine:
    """An incident in a list, with the table it is of."""

    incident: Any
    table: str
    source: str

    @property
    def ref(self) -> str:
        return f"{self.source}/{self.table}"


def list_tables(
    ask: Ask, *, search: str = "", status: str = "", tag: str = "", source: str = "", limit: int = 1000
) -> tuple[list[TableLine], int]:
    """Tables by name, and how many there are beyond `limit` too. `search` is part of a table's or column's name."""
    part = "".join("/" + one if one in "/%_" else one for one in search)
    asked = {"search": f"%{part}%" if search else "", "status": status, "tag": tag, "source": source}
    names = ", ".join(f"t.{name}" for name in _OF_TABLE)
    query = f"SELECT {names}, s.name AS source, {_COUNTED} {_TABLES} ORDER BY LOWER(t.name), t.id LIMIT :limit"
    lines = [
        TableLine(row, row.source, row.column_count, row.tag_count, row.rule_count, row.incident_count)
        for row in ask(query, {**asked, "limit": limit})
    ]
    total = len(lines) if len(lines) < limit else ask(f"SELECT COUNT(*) AS total {_TABLES}", asked)[0].total
    return lines, total


def list_incidents(ask: Ask, *, every: bool = False, table_id: int | None = None, limit: int) -> list[IncidentLine]:
    """Incidents, one for each cause, latest first; `every`: resolved ones too."""
    own = "i.spread_id IS NULL" if table_id is None else "i.table_id = :table_id"
    still = "" if every else "AND i.status <> 'resolved'"
    query = f"{_INCIDENTS} WHERE i.lead_id IS NULL AND {own} {still} ORDER BY i.opened_at DESC, i.id DESC LIMIT :limit"
    asked = {"limit": limit} if table_id is None else {"limit": limit, "table_id": table_id}
    return [IncidentLine(row, row.table_name, row.source) for row in ask(query, asked)]


def table_ids(ask: Ask, ref: str) -> list[int]:
    """Ids of the tables that a name, ``source/name`` or id may mean."""
    query = """
        SELECT t.id FROM lake_table t JOIN source s ON s.id = t.source_id
        WHERE t.name = :ref OR s.name || '/' || t.name = :ref OR CAST(t.id AS VARCHAR(20)) = :ref"""
    return [row.id for row in ask(query, {"ref": ref})]


@contextmanager
def connect(address: str) -> Iterator[Ask | None]:
    """The catalog at an address through its driver alone, to read in one transaction; None where that cannot be: it is
    not there, of another revision, has accounts, or whatever else a session answers with the right words."""
    connection = _opened(address)
    if connection is None:
        yield None
        return
    try:
        ask = _asking(connection, address.startswith("sqlite"))
        yield ask if _plain(ask) else None
    finally:
        connection.close()


def _opened(address: str) -> Any:
    with suppress(StoreError), _errors():
        if address.startswith("sqlite:///") and "?" not in address:
            import sqlite3

            path = Path(address.removeprefix("sqlite:///")).absolute()
            opened = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=MOST_WAITED_SECONDS)
            opened.execute("BEGIN")
            return opened
        if re.match(r"postgres(ql)?(\+psycopg)?://", address):
            import psycopg

            return psycopg.connect(re.sub(r"^[a-z+]+://", "postgresql://", address))
    return None


def _plain(ask: Ask) -> bool:
    """Whether the catalog is up to date, and nobody has an account."""
    with suppress(StoreError):
        revisions = [row.version_num for row in ask("SELECT version_num FROM alembic_version", {})]
        return revisions == [newest_revision()] and not ask("SELECT id FROM account LIMIT 1", {})
    return False


def _asking(connection: Any, lite: bool) -> Ask:
    def ask(query: str, values: Mapping[str, Any]) -> list[SimpleNamespace]:
        texts = {k: v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for k, v in values.items()}
        with _errors():
            cursor = connection.cursor()
            cursor.execute(_for_driver(query, lite), texts)
            return _rows([one[0] for one in cursor.description], cursor.fetchall())

    return ask


@contextmanager
def _errors() -> Iterator[None]:
    """Errors of whatever driver was loaded as `StoreError`."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("sqlite3", "psycopg"):
            raise
        raise StoreError(f"the catalog's database cannot be used: {error}", remedy="see that it can be read") from error


def _for_driver(query: str, lite: bool) -> str:
    """A statement as the driver writes its parameters.

    >>> _for_driver("SELECT a FROM b WHERE c = :c", lite=False)
    'SELECT a FROM b WHERE c = %(c)s'
    """
    return query if lite else re.sub(r":(\w+)", r"%(\1)s", query)


def _rows(names: list[str], rows: Any) -> list[SimpleNamespace]:
    return [SimpleNamespace(**{n: _value(n, v) for n, v in zip(names, row, strict=True)}) for row in rows]


def _value(name: str, value: Any) -> Any:
    """SQLite keeps times and JSON as texts."""
    if isinstance(value, str) and name in _TIMES:
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    return json.loads(value) if isinstance(value, str) and name in _JSON else value
