"""`assay table`: tables with their columns, tags and figures, their budget of false alarms, what a batch of them is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, Offset, Owner, TableName, context, looking, mine
from catalog.cli.console import count, emit, grid, nothing, say
from catalog.cli.lake.choosing import LEARNER_HELP, Delta, M, R, Tau, Theta, given, say_learners
from catalog.cli.lake.values import table_values
from catalog.errors import UsageError
from catalog.roles import ADMIN, APPROVE, EDIT, READ

if TYPE_CHECKING:
    from catalog.store.expectations.budget import Ledger
    from catalog.store.pages.lines import Page

app = typer.Typer(no_args_is_help=True, help="Tables with their columns, tags and figures.")
app.command("values")(table_values)


@app.command("list")
def table_list(
    search: Annotated[str, typer.Argument(help="Part of a table's or column's name.")] = "",
    source: Annotated[str, typer.Option(help="Only of this source.")] = "",
    tag: Annotated[str, typer.Option(help="Only with a column of this domain.")] = "",
    status: Annotated[str, typer.Option(help="new, learning, empty, watched, error, vanished, excluded.")] = "",
    owner: Owner = "",
    limit: Annotated[int, typer.Option(min=1)] = 1000,
    offset: Offset = 0,
    as_json: Json = False,
) -> None:
    """List the tables.

    Example: assay table list --tag email
    """
    from catalog.store.driver import quick
    from catalog.store.pages.filters import TABLE_STATUSES, one_of

    one_of("status", status, TABLE_STATUSES)
    chosen: dict[str, Any] = {"text": search, "tag": tag, "status": status}
    part: dict[str, Any] = {"limit": limit, "offset": offset}
    with looking() as look:
        if look:
            who = look.who(owner)
            found = quick.find_tables(look.ask, **chosen, source=source, owner=owner, who=who, **part)
        else:
            found = _find_tables(owner, source, chosen, part)
    rows = [(i.ref, i.table.status, i.table.rows, i.columns, len(i.tags), i.rules, i.incidents) for i in found.items]
    heads = ("table", "status", "rows", "columns", "tags", "rules", "incidents")

    def told() -> Any:
        from catalog.store.schemas.lake import TableOut
        from catalog.store.schemas.listing import listing

        return listing(found, TableOut.of)

    asked = (search, source, tag, status, owner)
    empty = nothing("tables", asked, "`assay source add NAME FOLDER`, then `assay crawl`, finds them")

    def show() -> None:
        grid("", heads, rows, empty)
        for item in found.items:  # sentences of any length, which a column would fold to shreds
            if item.table.error:
                say(f"{item.ref}: {item.table.error}")

    emit(told, as_json, show, found)


def _find_tables(owner: str, source: str, chosen: dict[str, Any], part: dict[str, int]) -> Page:
    from catalog.store.lake import sources
    from catalog.store.pages.tables import TableFilter, find_tables

    here = context()
    who = mine(here)
    with here.reading() as session:
        known = {one.name: one.id for one in sources.list_sources(session)}
        of = known.get(source, 0) if source else None
        return find_tables(session, TableFilter(owner=owner, who=who, source=of, **chosen), **part)


@app.command("show")
def table_show(name: TableName, as_json: Json = False) -> None:
    """Show a table: its columns with tags, its rules, its latest versions.

    Example: assay table show shop/orders
    """
    from catalog.store.access.owners import owner_of
    from catalog.store.lake import batches, tables
    from catalog.store.pages import work
    from catalog.store.pages.columns import columns_of
    from catalog.store.pages.rules import list_rules
    from catalog.store.pages.tables import table_lines, versions_of
    from catalog.store.schemas.incidents import IncidentOut
    from catalog.store.schemas.lake import ColumnOut, HistoryCoverageOut, TableOut, VersionOut
    from catalog.store.schemas.rules import RuleOut

    with context().reading() as session:
        table = tables.get_table(session, name)
        key = table.id
        told = TableOut.whole(table_lines(session, [table])[0])
        columns = [ColumnOut.of(one) for one in columns_of(session, key, limit=100_000).items]
        active = [RuleOut.of(one) for one in list_rules(session, table_id=key, status="active", limit=100_000).items]
        recent = [VersionOut.of(one) for one in versions_of(session, key, limit=10).items]
        opened = work.list_incidents(session, table_id=key, status="open", limit=1000).items
        incidents = [IncidentOut.of(one) for one in opened]
        coverage = batches.history_coverage(session, table)
        answers_for_it = owner_of(session, "table", key)
    data = {
        "table": told,
        "columns": columns,
        "rules": active,
        "versions": recent,
        "incidents": incidents,
        "history": HistoryCoverageOut.of(coverage),
        "owner": answers_for_it.name,
    }

    def show() -> None:
        say(f"{told.name}  {told.status}, version {told.seen_version}, {count(told.rows, 'row')}", "bold")
        if told.error:
            say(f"{told.error}; {told.remedy}", "red")
        given = " by default" if answers_for_it.given == "default" else ""
        say(f"  owner: {answers_for_it.name or 'nobody'}{given}")
        for sentence in coverage.words():
            say(f"  {sentence}")
        rows = [(c.name, c.type, ", ".join(t.title or t.domain for t in c.tags)) for c in columns]
        grid("columns", ("column", "type", "tags"), rows)
        grid("rules", ("column", "kind", "demand"), [(r.column_name, r.kind, r.sentence) for r in active])
        last = [(v.number, f"{v.committed_at:%Y-%m-%d %H:%M}", v.operation, v.batch, v.standing) for v in recent]
        grid("versions", ("version", "at (UTC)", "operation", "batch", "status"), last)
        for rule in active:
            if rule.demotion:
                say(f"rule {rule.id} only warns: {rule.demotion} (undo: assay rule promote {rule.id})", "yellow")
        for one in incidents:
            say(f"incident {one.id}: {one.sentence}", "red")

    emit(data, as_json, show)


@app.command("remove")
def table_remove(
    name: TableName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Remove a table from the catalog that is gone from its source, or that its source leaves out. The data is not
    touched.

    Example: assay table remove shop/orders --yes
    """
    from catalog.store.lake import tables

    here = context(ADMIN)
    with here.reading() as session:
        key = tables.get_table(session, name).id
        full = tables.full_name(session, key)
    if not yes:
        typer.confirm(f"Forget {full} and everything learned of it?", abort=True)
    with here.transaction() as session:
        tables.forget_table(session, key)
    emit({"removed": full}, as_json, lambda: say(f"{full} is forgotten."))


@app.command("budget")
def table_budget(
    name: Annotated[str, typer.Argument(metavar="TABLE", help="Only this table, rule by rule.")] = "",
    as_json: Json = False,
) -> int:
    """False alarms of the last 30 days by table: those that the rules expect, confirmed ones, and those nobody has
    resolved yet. A rule with more than it states, or whose table exceeds its budget (ASSAY_FALSE_ALARM_BUDGET), is
    demoted to warnings. Ends with 2 when a table is over its budget.

    Example: assay table budget shop/orders
    """
    from catalog.store.expectations import budget
    from catalog.store.lake import tables
    from catalog.store.schemas.rules import LedgerOut

    here = context()
    allowed = here.settings.false_alarm_budget
    with here.reading() as session:
        if name:
            found = [budget.ledger(session, tables.get_table(session, name).id or 0, allowed)]
        else:
            found = budget.ledgers(session, allowed)
    data = [LedgerOut.of(one) for one in found]

    def show() -> None:
        heads = ("table", "versions", "expected", "false", "unresolved", "confirmed", "budget", "demoted rules")
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
    heads = ("rule", "column", "kind", "versions", "expected", "false", "unresolved", "confirmed", "level")
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
    """Confirm a version without violations as right or wrong. A past version that is unlike those around it is under
    suspicion, and nothing is learned from it, until somebody says so. Where rules broke, resolve the incident instead.

    Example: assay table label shop/orders 7 healthy
    """
    from catalog.store.lake import batches, tables
    from catalog.store.schemas.lake import VersionLabel

    here = context(EDIT)
    with here.transaction() as session:
        row = batches.label_version(session, tables.get_table(session, name).id or 0, version, label)
        data = VersionLabel.made(row)
    emit(
        data,
        as_json,
        lambda: say(f"version {version} of {name} is called {label}: what is learned next takes it into account"),
    )


@app.command("level")
def table_level(
    name: TableName,
    column: Annotated[str, typer.Argument(help="Name of the column.")],
    level: Annotated[str, typer.Argument(help="public, internal, personal or secret; '' leaves it to its tags.")],
    reason: Annotated[str, typer.Option(help="Needed where it shows values that are hidden.")] = "",
    as_json: Json = False,
) -> None:
    """Set how sensitive a column is, whatever its tags say. Values of personal and secret columns are masked.

    Example: assay table level shop/orders note personal
    """
    from catalog.store.lake import tables
    from catalog.store.meaning.levels import set_level
    from catalog.store.pages.columns import column_line
    from catalog.store.schemas.lake import ColumnOut

    here = context(APPROVE)
    with here.transaction() as session:
        found = tables.get_column(session, tables.get_table(session, name).id, column)
        done = set_level(session, found.id, level or None, actor=here.actor, reason=reason)
        data = ColumnOut.of(column_line(session, done))
    emit(data, as_json, lambda: say(f"{column} is {done.level}{': its values are masked' if done.sensitive else ''}"))


@app.command("mode")
def table_mode(
    name: TableName,
    mode: Annotated[
        str, typer.Argument(help="increment: the rows a version brings; snapshot: the whole table; or auto.")
    ],
    crawl: Annotated[bool, typer.Option("--crawl/--no-crawl", help="Reread the past at once.")] = True,
    as_json: Json = False,
) -> None:
    """Say what a batch of a table is: `increment` (the rows that a version appends, or the days that it replaces),
    `snapshot` (the whole table), or `auto` to leave it to its log. Where that changes, its past is observed and its
    history rules are learned again.

    Example: assay table mode shop/orders snapshot
    """
    from catalog.cli import work
    from catalog.store.lake import batches, tables
    from catalog.store.schemas.lake import HistoryCoverageOut

    here = context(EDIT)
    with here.transaction() as session:
        table = batches.set_mode(session, tables.get_table(session, name).id or 0, mode)
    if crawl and table.judged_version < 0 <= table.seen_version:
        work.crawl(here, table=table, quiet=as_json)
    with here.reading() as session:
        coverage = batches.history_coverage(session, tables.get_table(session, table.id or 0))

    def show() -> None:
        for sentence in coverage.words():
            say(f"{table.name}: {sentence}")

    emit({"table": table.name, **dict(HistoryCoverageOut.of(coverage))}, as_json, show)


@app.command("learner")
def table_learner(
    name: TableName,
    learner: Annotated[str, typer.Argument(help=LEARNER_HELP)] = "",
    r: R = None,
    m: M = None,
    tau: Tau = None,
    theta: Theta = None,
    delta: Delta = None,
    crawl: Annotated[bool, typer.Option("--crawl/--no-crawl", help="Relearn at once.")] = True,
    as_json: Json = False,
) -> None:
    """Choose who learns the rules of a table's columns: `ours`, or a learner as published. The forms of Auto-Validate
    (fmdv, fmdv-v, fmdv-h, fmdv-vh, cmdv) learn patterns of strings, Auto-Validate-by-History (avh) bands of metrics;
    what the other learns stays. Without a learner it says who is chosen.

    Rules of a published learner that is not chosen any more end at once; Assay's own stay until the chosen one has
    learned. Nothing is learned while the latest version is suspect: resolve its incident.

    Example: assay table learner shop/orders fmdv-h --r 0.1 --m 20
    """
    from catalog.cli import work
    from catalog.store.expectations import learners
    from catalog.store.lake import batches, tables

    settings = given(r=r, m=m, tau=tau, theta=theta, delta=delta)
    here = context(EDIT if learner else READ)
    if not learner and settings:
        raise UsageError("settings are a learner's", remedy="name it: assay table learner TABLE fmdv-h --theta 0.05")
    if learner:
        with here.transaction() as session:
            table = learners.choose_for_table(session, tables.get_table(session, name).id or 0, learner, settings)
        if crawl and table.judged_version >= 0:
            work.crawl(here, table=table, quiet=as_json)
    with here.reading() as session:
        table = tables.get_table(session, name)
        words, waits = learners.learners_of(session, table).words(), batches.learning_waits(session, table.id or 0)

    def show() -> None:
        say_learners(table.name, words)
        if waits:
            say(f"  {waits}", "yellow")

    emit({"table": table.name, **words, "waits": waits}, as_json, show)
