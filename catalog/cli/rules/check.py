"""`assay check`: judging a table as a gate in a pipeline; `assay drill`: judging it damaged on purpose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, TableName, context
from catalog.cli.console import count, emit, grid, plain, say
from catalog.errors import UsageError
from catalog.roles import APPROVE, READ, RUN

if TYPE_CHECKING:
    from catalog.store.models import Outcome, RuleRow

app = typer.Typer(no_args_is_help=True, help="Judging a table by its rules, as a gate in a pipeline.")
MOST_CLAUSES = 15  # clauses that are listed


@app.command("run")
def check_run(
    name: TableName,
    crawl_first: Annotated[bool, typer.Option("--crawl/--no-crawl", help="Read what is new first.")] = True,
    as_json: Json = False,
) -> int:
    """Judge a table's latest version by its rules. A gate: ends with 1 when a rule is broken, with 2 when only rules of
    level warning are, with 3 when the table cannot be read.

    Example: assay check run shop/orders && ./publish.sh
    """
    from catalog.cli import work
    from catalog.store.lake import tables

    here = context(RUN)
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


@app.command("apply")
def check_apply(
    file: Annotated[Path, typer.Argument(help="YAML file of checks; docs/checks tells what it may hold.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    as_json: Json = False,
) -> int:
    """Make the declared checks of tables those of a file. Checks that the file leaves out of a table that it names are
    retired; their results stay. All of it is applied or, where any of it is wrong, nothing.

    Example: assay check apply checks.yaml --dry-run
    """
    from dataclasses import asdict

    from catalog.declared.files import read_checks
    from catalog.flow.checking.declared import apply_checks

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read ({error})", remedy="give a text file in UTF-8") from None
    here = context(READ if dry_run else APPROVE)
    changes = apply_checks(here, read_checks(text), dry_run=dry_run)
    data = {"dry_run": dry_run, "tables": [asdict(change) for change in changes]}

    def show() -> None:
        for change in changes:
            say(f"{change.table}: {count(len(change.added) + len(change.changed) + len(change.kept), 'check')}")
            for sign, names, style in (
                ("+", change.added, "green"),
                ("~", change.changed, "yellow"),
                ("-", change.retired, "red"),
            ):
                for name in names:
                    say(f"  {sign} {name}", style)
        say("nothing was changed" if dry_run else "they hold from each table's next version on")

    emit(data, as_json, show)
    return console.PASSED


@app.command("preview")
def check_preview(
    file: Annotated[Path, typer.Argument(help="YAML file of checks.")],
    versions: Annotated[int, typer.Option(help="How many of each table's last versions.", min=1, max=500)] = 40,
    as_json: Json = False,
) -> int:
    """Judge a table's last versions by the checks of a file before they are applied: each would have failed on so many.
    Nothing is recorded.

    Example: assay check preview checks.yaml --versions 20
    """
    from catalog.declared.files import read_checks
    from catalog.flow.checking.declared import preview, table_of

    here = context(RUN)
    found: list[dict[str, Any]] = []
    for check in read_checks(file.read_text(encoding="utf-8")):
        for name, verdicts in preview(here, table_of(here, check.table), check, versions).items():
            failed = [version for version, verdict in verdicts if verdict.status == "violated"]
            last = next((verdict.sentence for _, verdict in reversed(verdicts) if verdict.status == "violated"), None)
            found.append(
                {"table": check.table, "check": name, "versions": len(verdicts), "failed": failed, "last": last}
            )

    def show() -> None:
        for one in found:
            said = f"would have failed on {len(one['failed'])} of {one['versions']}"
            say(f"{one['table']} {one['check']}: {said}", "red" if one["failed"] else "green")
            if one["last"]:
                say(f"  {one['last']}")

    emit({"checks": found}, as_json, show)
    return console.FAILED if any(one["failed"] for one in found) else console.PASSED


@app.command("kinds")
def check_kinds(as_json: Json = False) -> int:
    """The checks that can be declared, with what each demands and what it takes.

    Example: assay check kinds --json
    """
    from catalog.declared.check import documented
    from catalog.declared.kinds import KINDS

    data = [
        {
            "name": kind.name,
            "group": kind.group,
            "demands": documented(kind).splitlines()[0],
            "arguments": list(kind.arguments),
        }
        for kind in KINDS.values()
    ]

    def show() -> None:
        grid("checks", ("name", "what it demands"), [(one["name"], one["demands"]) for one in data])

    emit({"kinds": data}, as_json, show)
    return console.PASSED


def _latest_said(session: Any, table_id: int) -> list[tuple[Outcome, RuleRow]]:
    """Outcomes of the latest judged version that had any beside freshness (which looks at the wait after it)."""
    from catalog.store.incidents import outcomes

    latest = outcomes.list_outcomes(session, table_id, limit=1)
    return outcomes.list_outcomes(session, table_id, version=latest[0][0].version) if latest else []


def _outcome(outcome: Outcome, rule: RuleRow) -> dict[str, Any]:
    names = ("version", "status", "sentence", "metric", "value", "low", "high", "rows")
    return plain(outcome, *names, rule=rule.id, kind=rule.kind, level=rule.level_now, column=rule.column_name or None)


def drill(
    name: TableName,
    column: Annotated[list[str] | None, typer.Option(help="Only this column; may be repeated.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the damage.")] = 0,
    as_json: Json = False,
) -> int:
    """A fire drill: damage the latest batch in sixty ways, and see which the table's rules would have caught.

    The damage is done to a copy in memory. The result of a drill of all columns is shown on the table's page. Ends with
    2 when rules alarm on the healthy batch itself.

    Example: assay drill shop/orders --column amount
    """
    from functools import partial

    from catalog.cli import work
    from catalog.flow.checking.trial import drill_table
    from catalog.store.lake import tables

    here = context(RUN)
    with here.reading() as session:
        table = tables.get_table(session, name)
    if column or seed:  # a part, or another damage, is no picture of the table
        data = drill_table(here, table, columns=column, seed=seed)
    else:
        run_id = work.start(here, "drill", table.name, table=table)
        data = work.do(here, run_id, "drill", partial(drill_table, here, table, run_id=run_id), quiet=as_json)

    def show() -> None:
        for one in data["alarmed"]:
            say(f"the rules of {one} alarm on the healthy batch itself: nothing is said of it", "yellow")
        tried = count(data["tried"], "damaged batch").replace("batchs", "batches")
        say(f"{table.name}, version {data['version']}: {data['caught']} of {tried} caught")
        rows: list[Any] = [(kind, f"{share:.0%}") for kind, share in data["recall_by_type"].items()]
        grid("", ("kind of damage", "caught"), rows)
        kinds = list(data["recall_by_type"])
        by_column: list[Any] = [
            (one, *(f"{cells[kind][0]}/{cells[kind][1]}" if kind in cells else "" for kind in kinds))
            for one, cells in data["by_column"].items()
        ]
        grid("by column", ("column", *kinds), by_column)
        seen: list[Any] = [
            (clause, *(f"{counts[kind]}" if kind in counts else "" for kind in kinds))
            for clause, counts in by_clause(data)[:MOST_CLAUSES]
        ]
        grid("issues that each clause saw", ("clause", *kinds), seen)

    emit(data, as_json, show)
    return console.PASSED if data["quiet_on_healthy_batch"] else console.WARNED


def by_clause(data: dict[str, Any]) -> list[tuple[str, dict[str, int]]]:
    """How many issues of each type every clause saw, over all columns; what saw most first."""
    found: dict[str, dict[str, int]] = {}
    for kinds in (data.get("clauses") or {}).values():
        for kind, counts in kinds.items():
            for clause, count_ in counts.items():
                found.setdefault(clause, {})
                found[clause][kind] = found[clause].get(kind, 0) + count_
    return sorted(found.items(), key=lambda item: (-sum(item[1].values()), item[0]))
