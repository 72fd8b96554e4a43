"""The lists that are asked for most, without SQLAlchemy, which takes longer to load than they take to answer.

One statement answers each, on both databases, through the driver alone, where that may read the catalog as it is
(`connect`), and who asks is known (`catalog.store.driver.quick_people`). Where the schema has to be brought up to date
first, the same lists are `catalog.store.pages.tables.find_tables` and `catalog.store.pages.work.find_incidents`. Quick
to load.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

from catalog.errors import StoreError
from catalog.store.migrations import newest_revision
from catalog.store.pages.lines import MOST_MATCHING, IncidentLine, Page, TableLine, holding, spelt_out
from catalog.wording import FOLDED, folded

#: Answers a statement with named parameters (``:name``) by its rows.
Ask = Callable[[str, Mapping[str, Any]], list[SimpleNamespace]]
MOST_WAITED_SECONDS = 30  # a bound
_JSON = ("columns", "diagnosis", "partition_columns", "teams", "terms")
_TIMES = """changed_at opened_at found_at learned_at updated_at expires_at replaced_at reopened_at""".split()

#: What is read of a table and an incident: the rows' part of `catalog.store.schemas`, which takes longer to load.
TABLE = """id source_id name uri status error_kind error remedy mode seen_version judged_version first_version rows
    bytes files partition_columns found_at changed_at learned_at replaced_at replaced_version owner description
    terms""".split()
INCIDENT = """id table_id kind column_name check_name first_version last_version passed_version level sentence status
    reason comment assignee actor taken_back reopened_at opened_at updated_at confidence corrected cause columns
    diagnosis""".split()

_TABLES = """
FROM lake_table t JOIN source s ON s.id = t.source_id
WHERE (:status = '' OR t.status = :status) AND (:source = '' OR s.name = :source)
AND (:tag = '' OR t.id IN (
    SELECT c.table_id FROM tag g JOIN lake_column c ON c.id = g.column_id
    WHERE g.domain = :tag AND g.status <> 'rejected'))
"""
#: A word of a search, as `catalog.store.pages.tables` looks for it.
_WORD = """
AND ({1}FOLDED(t.name) LIKE :{0} ESCAPE '/'
OR t.id IN (SELECT c.table_id FROM lake_column c WHERE FOLDED(c.name) LIKE :{0} ESCAPE '/')
OR t.id IN (SELECT c.table_id FROM tag g JOIN lake_column c ON c.id = g.column_id WHERE g.status <> 'rejected'
    AND (FOLDED(g.domain) LIKE :{0} ESCAPE '/' OR FOLDED(g.title) LIKE :{0} ESCAPE '/')))
"""
#: Names spelt out, where a word may be one.
_FULL = "FOLDED(s.name || '/' || t.name) LIKE :{0} ESCAPE '/'"
_FULL_COLUMN = "FOLDED(s.name || '/' || t.name || '.' || c.name) LIKE :{0} ESCAPE '/'"
_SPELT_OUT = f"{_FULL} OR EXISTS (SELECT 1 FROM lake_column c WHERE c.table_id = t.id AND {_FULL_COLUMN}) OR "  # noqa: S608
_COUNTED = """
(SELECT COUNT(*) FROM lake_column c WHERE c.table_id = t.id) AS column_count,
(SELECT COUNT(*) FROM rule r WHERE r.table_id = t.id AND r.status = 'active') AS rule_count,
(SELECT COUNT(*) FROM incident i WHERE i.table_id = t.id AND i.status <> 'resolved' AND i.lead_id IS NULL)
    AS incident_count
"""
_TAGS = """
SELECT DISTINCT c.table_id AS table_id, g.domain AS domain FROM tag g JOIN lake_column c ON c.id = g.column_id
WHERE g.status <> 'rejected' AND c.table_id IN (SELECT t.id {0}) ORDER BY c.table_id, g.domain
"""
_MATCHING = """
SELECT c.table_id AS table_id, c.id AS id, c.name AS name FROM lake_column c
JOIN lake_table t ON t.id = c.table_id JOIN source s ON s.id = t.source_id
WHERE c.table_id IN (SELECT t.id {0}) AND ({1}) ORDER BY c.position
"""
#: Whose tables these are, as `catalog.store.access.owners.tables_owned` says.
_THERE = "CASE WHEN {0} IN (SELECT a.name FROM account a WHERE NOT a.active) THEN NULL ELSE {0} END"
_ANSWERS = f"COALESCE({_THERE.format('t.owner')}, {_THERE.format('s.owner')})"
_UNOWNED = f"AND {_ANSWERS} IS NULL"
_OWNED = """
AND (COALESCE(t.owner, s.owner) IN ({0}) OR {answers} IN ({0})
    OR t.id IN (SELECT c.table_id FROM lake_column c WHERE c.owner IN ({0})))
"""
_OF_INCIDENT = ", ".join(f"i.{name}" for name in INCIDENT)
_INCIDENTS = "FROM incident i JOIN lake_table t ON t.id = i.table_id JOIN source s ON s.id = t.source_id"
_SPREAD = """
SELECT i.spread_id AS head, t.name AS name FROM incident i JOIN lake_table t ON t.id = i.table_id
WHERE i.spread_id IS NOT NULL ORDER BY i.id
"""


def find_tables(
    ask: Ask,
    *,
    text: str = "",
    status: str = "",
    tag: str = "",
    source: str = "",
    owner: str = "",
    who: Sequence[str] = (),
    limit: int = 1000,
    offset: int = 0,
) -> Page:
    """Tables by name (`lines.TableLine`), as `catalog.store.pages.tables.find_tables` finds them."""
    words = {f"word{at}": word for at, word in enumerate(text.split()[:8])}
    asked = {"status": status, "tag": tag, "source": source}
    asked |= {name: holding(word) for name, word in words.items()}
    owned, names_asked = _owned(owner, who)
    wanted = _TABLES + "".join(
        _WORD.format(name, _SPELT_OUT.format(name) if spelt_out(word) else "") for name, word in words.items()
    )
    wanted += owned
    asked |= names_asked
    names = ", ".join(f"t.{name}" for name in TABLE)
    rows = ask(
        f"SELECT {names}, s.name AS source, {_COUNTED} {wanted} ORDER BY t.name, t.id LIMIT :limit OFFSET :offset",
        {**asked, "limit": limit, "offset": offset},
    )
    tags: dict[int, list[str]] = {}
    for one in ask(_TAGS.format(wanted), asked):
        tags.setdefault(one.table_id, []).append(one.domain)
    matching = _matching(ask, words, wanted, asked)
    lines = [
        TableLine(
            *(row, row.source, row.column_count, row.rule_count, row.incident_count),
            *(tags.get(row.id, []), matching.get(row.id, [])),
        )
        for row in rows
    ]
    return _stretch(lines, limit, offset, lambda: ask(f"SELECT COUNT(*) AS total {wanted}", asked))


def _matching(
    ask: Ask, words: Mapping[str, str], wanted: str, asked: Mapping[str, Any]
) -> dict[int, list[tuple[int, str]]]:
    """By table, the first columns whose name holds a searched word, or that one is of."""
    found: dict[int, list[tuple[int, str]]] = {}
    fits = [f"FOLDED(c.name) LIKE :{name} ESCAPE '/'" for name in words]
    of_column = f"({_FULL_COLUMN} AND NOT {_FULL})"
    fits += [of_column.format(name) for name, word in words.items() if spelt_out(word)]
    holds = " OR ".join(fits)
    for one in ask(_MATCHING.format(wanted, holds), asked) if holds else ():
        listed = found.setdefault(one.table_id, [])
        if len(listed) < MOST_MATCHING:
            listed.append((one.id, one.name))
    return found


def _owned(owner: str, who: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The condition on tables of an owner, and its parameters."""
    if owner in ("", "unowned"):
        return _UNOWNED if owner else "", {}
    names = {f"owner{at}": name for at, name in enumerate(who if owner == "mine" else [owner])}
    return _OWNED.format(", ".join(f":{name}" for name in names), answers=_ANSWERS), names


def find_incidents(
    ask: Ask,
    *,
    every: bool = False,
    table_id: int | None = None,
    owner: str = "",
    who: Sequence[str] = (),
    limit: int = 1000,
    offset: int = 0,
) -> Page:
    """Incidents, one for each cause, alarms before warnings and the latest first (`lines.IncidentLine`); `every`:
    resolved ones too, latest first."""
    own = "i.spread_id IS NULL" if table_id is None else "i.table_id = :table_id"
    still = "" if every else "AND i.status <> 'resolved'"
    warned = "" if every else "CASE WHEN i.level = 'warning' THEN 1 ELSE 0 END, "
    owned, asked = _owned(owner, who)
    wanted = f"{_INCIDENTS} WHERE i.lead_id IS NULL AND {own} {still} {owned}"
    asked |= {} if table_id is None else {"table_id": table_id}  # type: ignore[dict-item]
    shown = f"SELECT {_OF_INCIDENT}, t.name AS table_name, s.name AS source {wanted}"
    ordered = f"{shown} ORDER BY {warned}i.opened_at DESC, i.id DESC LIMIT :limit OFFSET :offset"
    rows = ask(ordered, {**asked, "limit": limit, "offset": offset})
    spread: dict[int, list[str]] = {}
    for one in ask(_SPREAD, {}):
        spread.setdefault(one.head, []).append(one.name)
    lines = [IncidentLine(row, row.table_name, row.source, [row.table_name, *spread.get(row.id, [])]) for row in rows]
    return _stretch(lines, limit, offset, lambda: ask(f"SELECT COUNT(*) AS total {wanted}", asked))


def _stretch(lines: list[Any], limit: int, offset: int, count: Callable[[], list[Any]]) -> Page:
    """A stretch of a list, which is counted only where it does not show how long it is."""
    total = len(lines) if not offset and len(lines) < limit else count()[0].total
    return Page(lines, total, limit, offset)


def table_ids(ask: Ask, ref: str) -> list[int]:
    """Ids of the tables that a name, ``source/name`` or id may mean."""
    query = """
        SELECT t.id FROM lake_table t JOIN source s ON s.id = t.source_id
        WHERE t.name = :ref OR s.name || '/' || t.name = :ref OR CAST(t.id AS VARCHAR(20)) = :ref"""
    return [row.id for row in ask(query, {"ref": ref})]


@contextmanager
def connect(address: str) -> Iterator[Ask | None]:
    """The catalog at an address through its driver alone, to read in one transaction; None where that cannot be: it is
    not there, of another revision, or whatever else a session answers with the right words."""
    connection = _opened(address)
    if connection is None:
        yield None
        return
    try:
        ask = _asking(connection, address.startswith("sqlite"))
        yield ask if _up_to_date(ask) else None
    finally:
        connection.close()


def _opened(address: str) -> Any:
    with suppress(StoreError), _errors():
        if address.startswith("sqlite:///") and "?" not in address:
            import sqlite3

            path = Path(address.removeprefix("sqlite:///")).absolute()
            opened = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=MOST_WAITED_SECONDS)
            opened.create_function("folded", 1, folded, deterministic=True)  # as sessions have it
            opened.execute("BEGIN")
            return opened
        if re.match(r"postgres(ql)?(\+psycopg)?://", address):
            import psycopg

            return psycopg.connect(re.sub(r"^[a-z+]+://", "postgresql://", address))
    return None


def _up_to_date(ask: Ask) -> bool:
    with suppress(StoreError):
        revisions = [row.version_num for row in ask("SELECT version_num FROM alembic_version", {})]
        return revisions == [newest_revision()]
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
    """A statement as the driver writes its parameters; PostgreSQL has no function ``FOLDED``.

    >>> _for_driver("SELECT a FROM b WHERE c = :c", lite=False)
    'SELECT a FROM b WHERE c = %(c)s'
    """
    if lite:
        return query
    told = re.sub(r"FOLDED\(([^()]*)\) LIKE", lambda found: f"{FOLDED.format(found[1])} ILIKE", query)
    return re.sub(r":(\w+)", r"%(\1)s", told)


def _rows(names: list[str], rows: Any) -> list[SimpleNamespace]:
    return [SimpleNamespace(**{n: _value(n, v) for n, v in zip(names, row, strict=True)}) for row in rows]


def _value(name: str, value: Any) -> Any:
    """SQLite keeps times and JSON as texts."""
    if isinstance(value, str) and name in _TIMES:
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    return json.loads(value) if isinstance(value, str) and name in _JSON else value
