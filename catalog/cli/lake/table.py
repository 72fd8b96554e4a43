"""`assay table`: tables with their columns, tags and figures, their budget of false alarms, what a batch of them is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, Owner, TableName, context, incident_json, looking, mine, rule_json
from catalog.cli.console import count, emit, grid, plain, say
from catalog.roles import EDIT

if TYPE_CHECKING:
    from catalog.store.expectations.budget import Ledger

app = typer.Typer(no_args_is_help=True, help="Tables with their columns, tags and figures.")


@app.command("list")
def table_list(
    search: Annotated[str, typer.Argument(help="Part of a table's or column's name.")] = "",
    source: Annotated[str, typer.Option(help="Only of this source.")] = "",
    tag: Annotated[str, typer.Option(help="Only with a column of this domain.")] = "",
    status: Annotated[str, typer.Option(help="new, learning, watched, error or vanished.")] = "",
    owner: Owner = "",
    limit: Annotated[int, typer.Option(min=1)] = 1000,
    as_json: Json = False,
) -> None:
    """List the tables.

    Example: assay table list --tag email
    """
    from catalog.store.pages import quick
    from catalog.store.pages.filters import TABLE_STATUSES, one_of

    one_of("status", status, TABLE_STATUSES)
    chosen: dict[str, Any] = {"search": search, "source": source, "tag": tag, "status": status, "limit": limit}
    with looking(owner) as ask:
        found, total = quick.list_tables(ask, **chosen) if ask else _list_tables(owner, chosen)
    names = ("id", "name", "uri", "status", "error_kind", "error", "remedy", "mode", "seen_version", "judged_version")
    data = [
        plain(
            item.table,
            *(*names, "rows", "bytes", "files", "changed_at", "owner"),
            source=item.source,
            columns=item.columns,
            tags=item.tags,
            rules=item.rules,
            incidents=item.incidents,
        )
        for item in found
    ]
    rows = [
        (i.ref, i.table.status, i.table.rows, i.columns, i.tags, i.rules, i.incidents, i.table.error or "")
        for i in found
    ]
    heads = ("table", "status", "rows", "columns", "tags", "rules", "incidents", "trouble")
    emit({"total": total, "tables": data}, as_json, lambda: grid("", heads, rows, "no tables"))


def _list_tables(owner: str, chosen: dict[str, Any]) -> tuple[Sequence[Any], int]:
    from catalog.store.lake import tables

    here = context()
    who = mine(here)
    with here.reading() as session:
        return tables.list_tables(session, owner=owner, who=who, **chosen)


@app.command("show")
def table_show(name: TableName, as_json: Json = False) -> None:
    """Show a table: its columns with tags, its rules, its latest versions.

    Example: assay table show shop/orders
    """
    from catalog.store.access.owners import owner_of
    from catalog.store.expectations import rules
    from catalog.store.incidents import outcomes
    from catalog.store.lake import batches, tables, versions
    from catalog.store.meaning import privacy, tags
    from catalog.store.models import Table

    with context().reading() as session:
        table = tables.get_table(session, name)
        key = table.id or 0
        columns = tables.list_columns(session, key)
        tagged = tags.list_tags(session, table_id=key)
        active = rules.active_rules(session, key)
        recent = versions.list_versions(session, key, limit=10)
        said = outcomes.latest_outcomes(session, key)
        open_incidents = outcomes.list_incidents(session, table_id=key, status="open")
        reach = batches.reach(session, table)
        hide = privacy.hiding(session, key)
        answers = owner_of(session, "table", key)
    by_column: dict[str, list[Any]] = {}
    for item in tagged:
        by_column.setdefault(item.column, []).append(item.tag)
    data = plain(table, *(field for field in Table.model_fields if field != "source_id")) | {
        "columns": [
            plain(column, "name", "type", "sensitive", "owner", profile=privacy.shown_profile(column, hide))
            | {
                "tags": [
                    plain(tag, "domain", "title", "score", "match_share", "sensitive", "status", "actor")
                    for tag in by_column.get(column.name, [])
                ]
            }
            for column in columns
        ],
        "rules": [rule_json(row, hide, said.get(row.id or 0)) for row in active],
        "versions": [plain(v, "number", "committed_at", "operation", "batch", "batch_rows", "status") for v in recent],
        "incidents": [incident_json(item) for item in open_incidents],
        "history": asdict(reach) | {"words": reach.words()},
        "answers": answers.name,
    }

    def show() -> None:
        say(f"{table.name}  {table.status}, version {table.seen_version}, {count(table.rows, 'row')}", "bold")
        if table.error:
            say(f"{table.error}; {table.remedy}", "red")
        say(f"  owner: {answers.name or 'nobody'}{' by default' if answers.given == 'default' else ''}")
        for sentence in reach.words():
            say(f"  {sentence}")
        tagged = {c: ", ".join(t.title or t.domain for t in found) for c, found in by_column.items()}
        grid("columns", ("column", "type", "tags"), [(c.name, c.type, tagged.get(c.name, "")) for c in columns])
        grid("rules", ("column", "kind", "demand"), [(r.column_name, r.kind, r.sentence) for r in active])
        rows = [(v.number, f"{v.committed_at:%Y-%m-%d %H:%M}", v.operation, v.batch, v.status) for v in recent]
        grid("versions", ("version", "at (UTC)", "operation", "batch", "status"), rows)
        for row in active:
            if row.demotion:
                say(f"rule {row.id} only warns: {row.demotion} (undo: assay rule promote {row.id})", "yellow")
        for item in open_incidents:
            say(f"incident {item.incident.id}: {item.incident.sentence}", "red")

    emit(data, as_json, show)


@app.command("budget")
def table_budget(
    name: Annotated[str, typer.Argument(metavar="TABLE", help="Only this table, rule by rule.")] = "",
    as_json: Json = False,
) -> int:
    """False alarms of the last 30 days, table by table: what the rules state, what people called false, what nobody has
    judged yet. A rule that spends more than it stated, or than its table's budget (ASSAY_FALSE_ALARM_BUDGET), only
    warns from then on. Ends with 2 when a table is over its budget.

    Example: assay table budget shop/orders
    """
    from catalog.store.expectations import budget
    from catalog.store.lake import tables

    here = context()
    allowed = here.settings.false_alarm_budget
    with here.reading() as session:
        if name:
            found = [budget.ledger(session, tables.get_table(session, name).id or 0, allowed)]
        else:
            found = budget.ledgers(session, allowed)
    data = [asdict(one) | {"over": one.over} for one in found]

    def show() -> None:
        heads = ("table", "versions", "expected", "false", "not judged", "right", "budget", "rules that only warn")
        rows = [
            (
                one.ref, one.judged, f"{one.expected:.2g}", one.false, one.unlabelled, one.confirmed,
                f"{one.budget:g}{' OVER' if one.over else ''}", one.demoted,
            )
            for one in found
        ]  # fmt: skip
        grid("false alarms in 30 days", heads, rows, "no version was judged yet")
        for one in found if name else ():
            _show_accounts(one)

    emit(data[0] if name else data, as_json, show)
    return console.WARNED if any(one.over for one in found) else console.PASSED


def _show_accounts(one: Ledger) -> None:
    heads = ("rule", "column", "kind", "versions", "expected", "false", "not judged", "right", "level")
    rows = [
        (
            a.rule_id, a.column or "(table)", a.kind, a.judged, f"{a.expected:.2g}", a.false, a.unlabelled, a.confirmed,
            "warning" if a.demoted else "error",
        )
        for a in one.accounts
    ]  # fmt: skip
    if rows:
        grid("by rule", heads, rows)


@app.command("label")
def table_label(
    name: TableName,
    version: Annotated[int, typer.Argument(help="Its number.")],
    label: Annotated[str, typer.Argument(help="healthy: the version was right; incident: it was wrong.")],
    as_json: Json = False,
) -> None:
    """Say whether a version that no rule broke in was right. A past version that is unlike those around it is under
    suspicion, and nothing is learned from it, until somebody says so. Where rules broke, resolve the incident instead.

    Example: assay table label shop/orders 7 healthy
    """
    from catalog.store.lake import batches, tables

    here = context(EDIT)
    with here.transaction() as session:
        row = batches.label_version(session, tables.get_table(session, name).id or 0, version, label)
        data = plain(row, "number", "label")
    emit(
        data,
        as_json,
        lambda: say(f"version {version} of {name} is called {label}: what is learned next takes it into account"),
    )


@app.command("mode")
def table_mode(
    name: TableName,
    mode: Annotated[
        str, typer.Argument(help="increment: a version is the rows it appends; snapshot: the whole table.")
    ],
    crawl: Annotated[bool, typer.Option("--crawl/--no-crawl", help="Observe the past anew at once.")] = True,
    as_json: Json = False,
) -> None:
    """Say what a batch of a table is: `increment` (the rows that a version appends), `snapshot` (the whole table), or
    `auto` to leave it to its log. Where that changes, its past is observed anew, and history rules are learned from it.

    Example: assay table mode shop/orders snapshot
    """
    from catalog.cli import work
    from catalog.store.lake import batches, tables

    here = context(EDIT)
    with here.transaction() as session:
        table = batches.set_mode(session, tables.get_table(session, name).id or 0, mode)
    if crawl and table.judged_version < 0 <= table.seen_version:
        work.crawl(here, table=table, quiet=as_json)
    with here.reading() as session:
        reach = batches.reach(session, tables.get_table(session, table.id or 0))

    def show() -> None:
        for sentence in reach.words():
            say(f"{table.name}: {sentence}")

    emit({"table": table.name} | asdict(reach) | {"words": reach.words()}, as_json, show)
