"""The journal: what the catalog said of sources, tables, columns, tags, rules, versions and incidents, and when.

Triggers of the database write it, in the transaction that changes the row, whoever changes it and however: an update
of many rows at once is journalled like that of one. An entry holds what the thing is from then on, and no value of the
lake. Like the audit log it is only added to. What was so at a moment is, for each thing, its last entry before it.

`install` makes the triggers again after every migration: one that makes a table again drops what hangs on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy
from sqlalchemy import Connection

from catalog.store.models import GONE


@dataclass(frozen=True)
class Tracked:
    """A table whose rows are followed.

    Parameters
    ----------
    table : its name in the database.
    fields : columns of a row that an entry keeps, under their names.
    derived : further ``name: SQL`` of an entry; ``{row}`` stands for the row.
    watched : columns whose change makes an entry; all of `fields` where empty.
    when : SQL condition on ``{row}`` without which nothing is journalled.
    changed : SQL by which ``{row}`` is compared with what it was, beside `watched`.
    newest : what entries were given last, of `fields` or `derived`: what was written down without it is so once more.
    """

    table: str
    fields: tuple[str, ...]
    derived: tuple[tuple[str, str], ...] = ()
    watched: tuple[str, ...] = ()
    when: str = ""
    changed: tuple[str, ...] = ()
    newest: str = ""


_THERE = f"{{row}}.status NOT IN {GONE}"
TRACKED = {
    "source": Tracked("source", ("name", "owner")),
    "table": Tracked(
        "lake_table",
        ("source_id", "name", "owner", "found_at"),
        (("there", _THERE),),
        changed=(_THERE,),
        newest="there",
    ),
    "column": Tracked(
        "lake_column",
        ("table_id", "name", "type", "sensitive", "owner", "level", "hand_level"),
        newest="level",
    ),
    "tag": Tracked(
        "tag",
        ("column_id", "domain", "title", "sensitive", "generic", "contains", "status", "actor", "created_at"),
        (("score", "CAST(round(CAST(100 * {row}.score AS numeric)) AS integer)"),),  # in hundredths: no drift of floats
        changed=("CAST(round(CAST(100 * {row}.score AS numeric)) AS integer)",),
    ),
    "rule": Tracked(
        "rule",
        ("table_id", "column_name", "kind", "learner", "revision", "status", "level", "actor", "created_at"),
        (("demoted", "{row}.demoted_at IS NOT NULL"),),
        changed=("{row}.demoted_at IS NOT NULL",),
    ),
    "version": Tracked(
        "lake_version",
        ("table_id", "number", "committed_at", "judged_at", "passed", "violated", "expected_alarms", "batch"),
        watched=("passed", "violated", "expected_alarms", "status"),
        when="{row}.status = 'judged'",
    ),
    "incident": Tracked(
        "incident",
        (
            *(
                "table_id",
                "kind",
                "column_name",
                "first_version",
                "level",
                "lead_id",
                "spread_id",
                "cause",
                "corrected",
            ),
            *("status", "reason", "actor", "assignee", "opened_at", "updated_at"),
        ),
        (
            (
                "committed_at",
                "(SELECT committed_at FROM lake_version WHERE lake_version.table_id = {row}.table_id "
                "AND lake_version.number = {row}.first_version)",
            ),
        ),
        watched=(
            *("level", "lead_id", "spread_id", "cause", "corrected", "status", "reason", "actor", "assignee"),
            "first_version",
        ),
    ),
    "event": Tracked("audit_event", ()),
}
_SQLITE_NOW = "strftime('%Y-%m-%d %H:%M:%f000', 'now')"
_POSTGRESQL_NOW = "date_trunc('milliseconds', clock_timestamp())"
_ENTRY = "INSERT INTO journal (at, kind, item_id, gone, body)"


def install(connection: Connection) -> None:
    """Make the triggers as they are defined here, and write down what is in the catalog and not in the journal yet."""
    postgresql = connection.dialect.name == "postgresql"
    for kind, tracked in TRACKED.items():
        statements = _postgresql(kind, tracked) if postgresql else _sqlite(kind, tracked)
        for statement in (*statements, _seed(kind, tracked, postgresql)):
            connection.execute(sqlalchemy.text(statement.replace(":", r"\:")))
    for statement in _only_added_to(postgresql):
        connection.execute(sqlalchemy.text(statement))


def _body(tracked: Tracked, row: str, postgresql: bool) -> str:
    pairs = [f"'{name}', {row}.{name}" for name in tracked.fields]
    pairs += [f"'{name}', {sql.format(row=row)}" for name, sql in tracked.derived]
    return f"{'json_build_object' if postgresql else 'json_object'}({', '.join(pairs)})"


def _values(kind: str, tracked: Tracked, row: str, postgresql: bool) -> str:
    moment = _POSTGRESQL_NOW if postgresql else _SQLITE_NOW
    return f"{moment}, '{kind}', {row}.id, false, {_body(tracked, row, postgresql)}"


def _gone(kind: str, postgresql: bool) -> str:
    moment = _POSTGRESQL_NOW if postgresql else _SQLITE_NOW
    return f"{_ENTRY} VALUES ({moment}, '{kind}', OLD.id, true, '{{}}')"


def _changed(tracked: Tracked, postgresql: bool) -> str:
    """The condition under which an update is journalled."""
    differ = "IS DISTINCT FROM" if postgresql else "IS NOT"
    pairs = [(f"OLD.{name}", f"NEW.{name}") for name in tracked.watched or tracked.fields]
    pairs += [(f"({sql.format(row='OLD')})", f"({sql.format(row='NEW')})") for sql in tracked.changed]
    condition = "(" + " OR ".join(f"{old} {differ} {new}" for old, new in pairs) + ")"
    return condition + (f" AND {tracked.when.format(row='NEW')}" if tracked.when else "")


def _sqlite(kind: str, tracked: Tracked) -> list[str]:
    entry = f"BEGIN {_ENTRY} VALUES ({_values(kind, tracked, 'NEW', False)}); END"
    first = f"WHEN {tracked.when.format(row='NEW')}" if tracked.when else ""
    name, table = f"journal_{kind}", tracked.table
    made = {
        f"{name}_insert": f"AFTER INSERT ON {table} {first} {entry}",
        f"{name}_delete": f"AFTER DELETE ON {table} BEGIN {_gone(kind, False)}; END",
    }
    if tracked.fields:
        made[f"{name}_update"] = f"AFTER UPDATE ON {table} WHEN {_changed(tracked, False)} {entry}"
    return [
        one
        for trigger, text in made.items()
        for one in (f"DROP TRIGGER IF EXISTS {trigger}", f"CREATE TRIGGER {trigger} {text}")
    ]


def _postgresql(kind: str, tracked: Tracked) -> list[str]:
    name, table = f"journal_{kind}", tracked.table
    first = f"WHEN ({tracked.when.format(row='NEW')})" if tracked.when else ""
    function = (
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF TG_OP = 'DELETE' THEN {_gone(kind, True)}; RETURN OLD; END IF; "
        f"{_ENTRY} VALUES ({_values(kind, tracked, 'NEW', True)}); RETURN NEW; END $$"
    )
    made = {f"{name}_insert": f"AFTER INSERT ON {table} FOR EACH ROW {first}"}
    made[f"{name}_delete"] = f"AFTER DELETE ON {table} FOR EACH ROW"
    if tracked.fields:
        made[f"{name}_update"] = f"AFTER UPDATE ON {table} FOR EACH ROW WHEN ({_changed(tracked, True)})"
    triggers = [
        one
        for trigger, text in made.items()
        for one in (
            f"DROP TRIGGER IF EXISTS {trigger} ON {table}",
            f"CREATE TRIGGER {trigger} {text} EXECUTE FUNCTION {name}()",
        )
    ]
    return [function, *triggers]


def _seed(kind: str, tracked: Tracked, postgresql: bool) -> str:
    when = f" AND {tracked.when.format(row='t')}" if tracked.when else ""
    if tracked.newest:
        told = f"journal.body->>'{tracked.newest}'" if postgresql else f"json_extract(body, '$.{tracked.newest}')"
        complete = f" AND {told} IS NOT NULL"
    else:
        complete = ""
    there = f"SELECT 1 FROM journal WHERE journal.kind = '{kind}' AND journal.item_id = t.id{complete}"
    return (
        f"{_ENTRY} SELECT {_values(kind, tracked, 't', postgresql)} FROM {tracked.table} AS t "
        f"WHERE NOT EXISTS ({there}){when} ORDER BY t.id"
    )


def _only_added_to(postgresql: bool) -> list[str]:
    if postgresql:
        return [
            "DROP TRIGGER IF EXISTS journal_keep ON journal",
            "CREATE TRIGGER journal_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON journal "
            "FOR EACH STATEMENT EXECUTE FUNCTION assay_only_added_to()",
        ]
    return [
        text
        for verb in ("UPDATE", "DELETE")
        for text in (
            f"DROP TRIGGER IF EXISTS journal_keep_{verb}",
            f"CREATE TRIGGER journal_keep_{verb} BEFORE {verb} ON journal "
            "BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END",
        )
    ]
