"""The commands about the catalog's things: `assay source|table|rule|check|run|incident` and `assay crawl`."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from catalog import console, work
from catalog.console import count, emit, grid, plain, say
from catalog.errors import UsageError
from catalog.flow.context import Context
from catalog.flow.sources import add_source
from catalog.rules.private import private_params
from catalog.settings import get_settings
from catalog.store import batches, budget, outcomes, privacy, rules, runs, tables, tags, versions
from catalog.store.models import Outcome, RuleRow, Table

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it is done; without, a service does it.")]
TableName = Annotated[str, typer.Argument(metavar="TABLE", help="Name, source/name, or id.")]

source_app = typer.Typer(no_args_is_help=True, help="Folders and addresses under which tables are looked for.")
table_app = typer.Typer(no_args_is_help=True, help="Tables with their columns, tags and figures.")
rule_app = typer.Typer(no_args_is_help=True, help="What is demanded of columns and tables.")
check_app = typer.Typer(no_args_is_help=True, help="Judging a table by its rules, as a gate in a pipeline.")
run_app = typer.Typer(no_args_is_help=True, help="What runs, waits and has run.")
incident_app = typer.Typer(no_args_is_help=True, help="Rules that broke, until a person says why.")


def context() -> Context:
    return Context(get_settings())


@source_app.command("add")
def source_add(
    name: Annotated[str, typer.Argument(help="What to call it.")],
    path: Annotated[str, typer.Argument(help="Folder, or an address such as s3://bucket/lake.")],
    include: Annotated[list[str] | None, typer.Option(help="Only tables whose name matches this glob.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No tables whose name matches this glob.")] = None,
    as_json: Json = False,
) -> None:
    """Register a lake, or change where it is. Nothing is read yet.

    Example: assay source add shop /data/lake --include 'sales/*' --exclude '*_tmp'
    """
    uri = path
    if "://" not in path:
        folder = Path(path).expanduser().absolute()
        if not folder.is_dir():
            raise UsageError(f"there is no folder {path}", remedy="give the folder that holds the Delta tables")
        uri = str(folder)
    source = add_source(context(), name, uri, include, exclude)
    data = plain(source, "id", "name", "uri", "include", "exclude")
    emit(data, as_json, lambda: say(f"{name}: {uri}. `assay crawl {name}` reads it."))


@source_app.command("list")
def source_list(as_json: Json = False) -> None:
    """List the sources.

    Example: assay source list --json
    """
    with context().reading() as session:
        found = tables.list_sources(session)
    names = ("id", "name", "uri", "include", "exclude", "crawled_at")
    data = [plain(source, *names) for source in found]
    rows = [(s.name, s.uri, " ".join(s.include), " ".join(s.exclude), _ago(s.crawled_at)) for s in found]
    emit(data, as_json, lambda: grid("", ("source", "address", "include", "exclude", "crawled"), rows, "no sources"))


@source_app.command("remove")
def source_remove(
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Forget a source with its tables, rules and incidents. The data stays.

    Example: assay source remove shop --yes
    """
    here = context()
    with here.reading() as session:
        source = tables.get_source(session, name)
    if not yes:
        typer.confirm(f"Forget {name} and everything learned of its tables?", abort=True)
    with here.transaction() as session:
        tables.remove_source(session, source.id or 0)
    emit({"removed": name}, as_json, lambda: say(f"{name} is forgotten."))


def crawl(
    source: Annotated[str, typer.Argument(help="Name of a source; without one, all of them.")] = "",
    wait: Wait = True,
    as_json: Json = False,
) -> int:
    """Find tables, read what is new in them, judge it, tag and learn.

    With a service running (`assay up`) its worker does it and the progress is followed; without one it is done here.
    Ends with 0, or with 2 when a table could not be read: the others were.

    Example: assay crawl shop
    """
    here = context()
    with here.reading() as session:
        chosen = [tables.get_source(session, source)] if source else tables.list_sources(session)
    if not chosen:
        raise UsageError("there is no source yet", remedy="`assay source add NAME PATH` registers one")
    results = []
    for one in chosen:
        run_id, stats = work.crawl(here, source=one, wait=wait, quiet=as_json)
        results.append({"source": one.name, "run": run_id, **(stats or {"queued": True})})
    emit(results, as_json, lambda: _show_crawls(results))
    return console.WARNED if any(result.get("failed") for result in results) else console.PASSED


def _show_crawls(results: list[dict[str, Any]]) -> None:
    for one in results:
        if one.get("queued"):
            say(f"{one['source']}: queued as run {one['run']}")
            continue
        failed = f", {count(one['failed'], 'table')} could not be read (`assay table list`)" if one["failed"] else ""
        busy = f", {count(one['busy'], 'table')} left to another crawl" if one["busy"] else ""
        say(
            f"{one['source']}: {count(one['tables'], 'table')}, {count(one['versions_judged'], 'version')} judged"
            f"{failed}{busy}, {one['seconds']:.1f} s"
        )


@table_app.command("list")
def table_list(
    search: Annotated[str, typer.Argument(help="Part of a table's or column's name.")] = "",
    source: Annotated[str | None, typer.Option(help="Only of this source.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only with a column of this domain.")] = None,
    status: Annotated[str | None, typer.Option(help="new, learning, watched, error or vanished.")] = None,
    limit: Annotated[int, typer.Option(min=1)] = 1000,
    as_json: Json = False,
) -> None:
    """List the tables.

    Example: assay table list --tag email
    """
    with context().reading() as session:
        found, total = tables.list_tables(session, search=search, source=source, tag=tag, status=status, limit=limit)
    names = ("id", "name", "uri", "status", "error_kind", "error", "remedy", "mode", "seen_version", "judged_version")
    data = [
        plain(
            item.table,
            *(*names, "rows", "bytes", "files", "changed_at"),
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


@table_app.command("show")
def table_show(name: TableName, as_json: Json = False) -> None:
    """Show a table: its columns with tags, its rules, its latest versions.

    Example: assay table show shop/orders
    """
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
    hidden = {column.name for column in columns if column.sensitive}
    by_column: dict[str, list[Any]] = {}
    for item in tagged:
        by_column.setdefault(item.column, []).append(item.tag)
    data = plain(table, *(field for field in Table.model_fields if field != "source_id")) | {
        "columns": [
            plain(column, "name", "type", "sensitive", "profile")
            | {
                "tags": [
                    plain(tag, "domain", "title", "score", "match_share", "sensitive", "status", "actor")
                    for tag in by_column.get(column.name, [])
                ]
            }
            for column in columns
        ],
        "rules": [rule_json(row, said.get(row.id or 0), private=row.column_name in hidden) for row in active],
        "versions": [plain(v, "number", "committed_at", "operation", "batch", "batch_rows", "status") for v in recent],
        "incidents": [_incident(item) for item in open_incidents],
        "history": asdict(reach) | {"words": reach.words()},
    }

    def show() -> None:
        say(f"{table.name}  {table.status}, version {table.seen_version}, {count(table.rows, 'row')}", "bold")
        if table.error:
            say(f"{table.error}; {table.remedy}", "red")
        for sentence in reach.words():
            say(f"  {sentence}")
        tagged = {c: ", ".join(t.title or t.domain for t in found) for c, found in by_column.items()}
        grid("columns", ("column", "type", "tags"), [(c.name, c.type, tagged.get(c.name, "")) for c in columns])
        grid("rules", ("column", "kind", "demand"), [(r.column_name, r.kind, r.sentence) for r in active])
        rows = [(v.number, f"{v.committed_at:%Y-%m-%d %H:%M}", v.operation, v.batch, v.status) for v in recent]
        grid("versions", ("version", "at (UTC)", "operation", "batch", "status"), rows)
        for item in open_incidents:
            say(f"incident {item.incident.id}: {item.incident.sentence}", "red")

    emit(data, as_json, show)


@rule_app.command("list")
def rule_list(
    table: Annotated[str, typer.Argument(help="Only of this table.")] = "",
    column: Annotated[str | None, typer.Option(help="Only of this column.")] = None,
    kind: Annotated[str | None, typer.Option(help="pattern, vocabulary, history, schema, volume or freshness.")] = None,
    as_json: Json = False,
) -> None:
    """List the rules with their stated false-alarm rates.

    Example: assay rule list orders --kind pattern
    """
    with context().reading() as session:
        key = tables.get_table(session, table).id if table else None
        found = rules.list_rules(session, table_id=key, column=column, kind=kind, limit=100_000)
        hidden = {one: privacy.sensitive_names(session, one) for one in {item.rule.table_id for item in found}}
    data = [
        rule_json(item.rule, private=item.rule.column_name in hidden[item.rule.table_id]) | {"table": item.ref}
        for item in found
    ]
    rows = [
        (
            *(i.rule.id, i.ref, i.rule.column_name, i.rule.kind),
            f"{i.rule.status}, only warns" if i.rule.demotion else i.rule.status,
            *(f"{i.rule.fpr:.2g}", i.rule.sentence),
        )
        for i in found
    ]
    heads = ("id", "table", "column", "kind", "status", "fpr", "demand")
    emit(data, as_json, lambda: grid("", heads, rows, "no rules"))


@check_app.command("run")
def check_run(
    name: TableName,
    crawl_first: Annotated[bool, typer.Option("--crawl/--no-crawl", help="Read what is new first.")] = True,
    as_json: Json = False,
) -> int:
    """Judge a table's latest version by its rules. A gate: ends with 1 when a rule is broken, with 2 when only rules of
    level warning are, with 3 when the table cannot be read.

    Example: assay check run shop/orders && ./publish.sh
    """
    here = context()
    with here.reading() as session:
        table = tables.get_table(session, name)
    key = table.id or 0
    if crawl_first:
        work.crawl(here, table=table, quiet=as_json)
    with here.reading() as session:
        table = tables.get_table(session, key)
        said = _latest_said(session, key)
    if table.error and table.status in ("error", "vanished"):
        raise UsageError(f"{table.name} cannot be judged: {table.error}", remedy=table.remedy)
    broken = [(outcome, rule) for outcome, rule in said if outcome.status == "violated"]
    code = console.PASSED
    if broken:
        code = console.FAILED if any(rule.level_now == "error" for _, rule in broken) else console.WARNED
    version = max((outcome.version for outcome, _ in said), default=None)
    data = {
        "table": table.name,
        "version": version,
        "status": {0: "passed", 1: "failed", 2: "warning"}[code],
        "outcomes": [_outcome(outcome, rule) for outcome, rule in said],
    }

    def show() -> None:
        if not said:
            say(f"{table.name}: no version was judged yet; its rules hold from the next one on")
            return
        say(f"{table.name}, version {version}: {count(len(said), 'rule')}, {len(broken)} broken")
        for outcome, rule in broken:
            demoted = f" (demoted: {rule.demotion})" if rule.demotion else ""
            style = "red" if rule.level_now == "error" else "yellow"
            say(f"  {rule.column_name or 'table'}: {outcome.sentence}{demoted}", style)

    emit(data, as_json, show)
    return code


def _latest_said(session: Any, table_id: int) -> list[tuple[Outcome, RuleRow]]:
    """Outcomes of the latest judged version that had any beside freshness (which looks at the wait after it)."""
    latest = outcomes.list_outcomes(session, table_id, limit=1)
    return outcomes.list_outcomes(session, table_id, version=latest[0][0].version) if latest else []


@run_app.command("list")
def run_list(
    status: Annotated[str | None, typer.Option(help="queued, running, done, failed or cancelled.")] = None,
    limit: Annotated[int, typer.Option(min=1)] = 20,
    as_json: Json = False,
) -> None:
    """List runs, the latest first.

    Example: assay run list --status running
    """
    with context().reading() as session:
        found = runs.list_runs(session, status=status, limit=limit)
    names = ("id", "kind", "title", "status", "phase", "done", "total", "error", "remedy", "attempts", "stats")
    data = [plain(run, *names, "queued_at", "started_at", "finished_at") for run in found]
    rows = [
        (r.id, r.kind, r.title, r.status, f"{r.phase} {r.done}/{r.total}" if r.total else r.phase, r.error or "")
        for r in found
    ]
    emit(data, as_json, lambda: grid("", ("id", "kind", "of", "status", "progress", "error"), rows, "no runs"))


@run_app.command("cancel")
def run_cancel(run_id: Annotated[int, typer.Argument(help="Its id.")], as_json: Json = False) -> None:
    """Stop a run. What it has done is kept.

    Example: assay run cancel 12
    """
    with context().transaction() as session:
        run = runs.cancel_run(session, run_id)
    ended = run.status in console.ENDED
    text = f"run {run_id} is {run.status}" if ended else f"run {run_id} stops at its next step"
    emit(plain(run, "id", "status", "cancel"), as_json, lambda: say(text))


@incident_app.command("list")
def incident_list(
    every: Annotated[bool, typer.Option("--all", help="Resolved ones too.")] = False,
    table: Annotated[str, typer.Option(help="Only of this table.")] = "",
    as_json: Json = False,
) -> None:
    """List incidents, the latest first.

    Example: assay incident list --all
    """
    with context().reading() as session:
        key = tables.get_table(session, table).id if table else None
        found = outcomes.list_incidents(session, status=None if every else "open", table_id=key, limit=1000)
    rows = [
        (i.incident.id, i.ref, i.incident.column_name, i.incident.first_version, i.incident.status, i.incident.sentence)
        for i in found
    ]
    heads = ("id", "table", "column", "version", "status", "what")
    emit([_incident(item) for item in found], as_json, lambda: grid("", heads, rows, "no incidents"))


@incident_app.command("resolve")
def incident_resolve(
    incident_id: Annotated[int, typer.Argument(help="Its id.")],
    reason: Annotated[str, typer.Option(help=" ".join(f"{name}: {text}." for name, text in outcomes.REASONS.items()))],
    comment: Annotated[str | None, typer.Option(help="What happened; needed with Other.")] = None,
    as_json: Json = False,
) -> None:
    """Close an incident with its reason. A false alarm makes the version healthy: the rule is learned anew from it, and
    a rule that raised more of them than its budget allows is demoted to a warning.

    Example: assay incident resolve 3 --reason FalsePositive --comment 'new tariff'
    """
    here = context()
    with here.transaction() as session:
        incident = outcomes.resolve(session, incident_id, reason, actor=getpass.getuser(), comment=comment)
        changes = budget.settle(session, incident.table_id, here.settings.false_alarm_budget)
    data = plain(incident, "id", "status", "reason", "comment") | {"rules": [vars(change) for change in changes]}

    def show() -> None:
        say(f"incident {incident_id} is resolved: {outcomes.REASONS[reason]}")
        for change in changes:
            what = "only warns from now on" if change.demoted else "alarms again"
            say(f"rule {change.rule_id} {what}: {change.reason}", "yellow")

    emit(data, as_json, show)


def rule_json(row: RuleRow, said: Outcome | None = None, *, private: bool = False) -> dict[str, Any]:
    """A rule for programs; of a sensitive column (`private`) without its values."""
    names = ("id", "kind", "learner", "revision", "status", "level", "fpr", "sentence", "since_version", "created_at")
    latest = {"latest": plain(said, "version", "status", "sentence")} if said else {}
    demoted = {"demoted": row.demotion} if row.demotion else {}
    params = row.body.get("params") or {}
    shown = private_params(params) if private else params
    return plain(row, *names, column=row.column_name or None, params=shown) | demoted | latest


def _outcome(outcome: Outcome, rule: RuleRow) -> dict[str, Any]:
    names = ("version", "status", "sentence", "metric", "value", "low", "high", "rows")
    return plain(outcome, *names, rule=rule.id, kind=rule.kind, level=rule.level_now, column=rule.column_name or None)


def _incident(item: outcomes.IncidentItem) -> dict[str, Any]:
    names = ("id", "kind", "level", "status", "sentence", "reason", "comment", "assignee", "opened_at")
    one = item.incident
    more = {"version": one.first_version, "last_version": one.last_version, "column": one.column_name or None}
    return plain(one, *names, table=item.ref, **more)


def _ago(moment: Any) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else "never"
