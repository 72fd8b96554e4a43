"""`assay check import`: contracts of other tools taken in as declared checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, context
from catalog.cli.console import count, emit, grid, say
from catalog.cli.rules.declare import MOST_FILE_BYTES, show_present
from catalog.errors import UsageError
from catalog.roles import APPROVE, READ

if TYPE_CHECKING:
    from catalog.store.contracts.importing import Taken


def check_import(
    file: Annotated[Path, typer.Argument(help="A contract, suite, ruleset or schema.yml.")],
    form: Annotated[
        str, typer.Option("--as", help="odcs, dqdl, gx, dqx, soda, dbt or check (Delta); guessed from the file.")
    ] = "",
    table: Annotated[
        list[str] | None,
        typer.Option(help="Of which table it is; NAME=TABLE for one of several that it names. Repeatable."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Take the contract's where somebody changed or retired a check since, too."),
    ] = False,
    as_json: Json = False,
) -> int:
    """Take the demands of another tool's contract in as checks, and judge the version that is there by what is new:
    data contracts (ODCS 3), AWS Glue's DQDL, suites of Great Expectations, DQX, SodaCL, tests of dbt, CHECK constraints
    of Delta. For each demand it says which check it became, how that judges otherwise, or why it is not taken. Nothing
    of the file is run.

    Imported again it changes nothing. What the contract says otherwise since is changed, what somebody changed or
    retired here since is kept and told, and checks that it does not have stay. `assay audit undo` takes an import back.
    Ends with 1 when a demand was not taken, else with 0, whatever the checks say.

    Example: assay check import orders.odcs.yaml --dry-run

    Example: assay check import glue.dqdl --table shop/orders
    """
    from catalog.flow.declared.present import judge_present
    from catalog.rules.exchange.registry import read_contract
    from catalog.store.contracts import importing as contracts
    from catalog.store.lake import tables
    from catalog.store.schemas.rules import ContractOut, TakenOut

    form, asked = read_contract(_bytes(file), form)
    here = context(READ if dry_run else APPROVE)
    chosen = _chosen(table or [])
    with here.transaction() as session:
        done = contracts.take(
            session, asked, form=form, file=file.name, chosen=chosen, actor=here.actor, replacing=replace
        )
        changed = sorted({one.table for one in done if one.what in (contracts.ADDED, contracts.CHANGED)})
        keys = [tables.get_table(session, name).id or 0 for name in changed]
        if dry_run:
            session.rollback()
    present = [] if dry_run else [judge_present(here, key) for key in keys]
    told = ContractOut(format=form, dry_run=dry_run, demands=[TakenOut.made(one) for one in done])
    data: dict[str, Any] = told.model_dump() | ({} if dry_run else {"present": [one.to_json() for one in present]})

    def show() -> None:
        _show(done, form, dry_run)
        for one in present:
            show_present(one)

    emit(data, as_json, show)
    return console.FAILED if any(one.what == contracts.SKIPPED for one in done) else console.PASSED


def _bytes(file: Path) -> bytes:
    try:
        if file.stat().st_size > MOST_FILE_BYTES:
            raise UsageError(f"{file} has {file.stat().st_size:,} bytes", remedy="part it into several files")
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror})", remedy="name a file that is there") from None


def _chosen(given: list[str]) -> dict[str, str]:
    """Tables of the catalog by what the contract calls them; "" where it is not said.

    >>> _chosen(["shop/orders"]), _chosen(["a=shop/a", "b=shop/b"])
    ({'': 'shop/orders'}, {'a': 'shop/a', 'b': 'shop/b'})
    """
    pairs = [(name, ref) for name, _, ref in (one.rpartition("=") for one in given)]
    if len({name for name, _ in pairs}) < len(pairs):
        raise UsageError("--table is given twice for one table", remedy="write NAME=TABLE where the file has several")
    return dict(pairs)


def _show(done: list[Taken], form: str, dry_run: bool) -> None:
    counts = {what: sum(one.what == what for one in done) for what in ("added", "changed", "same", "kept", "skipped")}
    told = ", ".join(
        f"{number} {'not taken' if what == 'skipped' else what}" for what, number in counts.items() if number
    )
    title = f"{count(len(done), 'demand')} read as {form}: {told}" + ("; nothing was changed" if dry_run else "")
    shown = [one for one in done if one.what != "same"]
    rows = [(one.place, _WORDS[one.what], one.sentence, one.reason or one.note) for one in shown]
    grid(title, ("demand", "what", "as check", "why, or what differs"), rows, "every demand is declared already")
    if dry_run and counts["added"] + counts["changed"]:
        say("without --dry-run these checks are declared")


_WORDS = {"added": "add", "changed": "change", "kept": "kept", "skipped": "not taken"}
