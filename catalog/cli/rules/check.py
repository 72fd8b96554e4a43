"""`assay check run`: judging a table as a gate in a pipeline."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, Reason, TableName, Unmasked, context, unmasked_levels
from catalog.cli.console import count, emit, say
from catalog.cli.rules.rows import check_place, write_failing
from catalog.errors import AssayError, UsageError
from catalog.roles import RUN

if TYPE_CHECKING:
    from catalog.flow.checking.replaying import Replay
    from catalog.flow.context import Context
    from catalog.store.models import Outcome, RuleRow, Table
    from catalog.tags.privacy.hiding import Hiding

app = typer.Typer(no_args_is_help=True, help="Checks on tables: declare them, and judge a table as a gate.")
MOST_REASONS = 3  # why rules say nothing of a version that are named; a bound of length
Pairs = "list[tuple[Outcome, RuleRow]]"


@app.command("run")
def check_run(
    name: TableName,
    version: Annotated[int | None, typer.Option(help="This version, instead of the latest.", min=0)] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Repeat the verdict from what is kept.")] = False,
    fail_on: Annotated[str, typer.Option(help="What ends with 1: error, or warning too.")] = "error",
    crawl_first: Annotated[bool, typer.Option("--crawl/--no-crawl", help="Read what is new first.")] = True,
    rows: Annotated[
        Path | None, typer.Option(help="Write rows that break checks to a .csv, .jsonl or .parquet.")
    ] = None,
    most: Annotated[int, typer.Option(help="How many rows at most.", min=1, max=1_000_000)] = 10_000,
    unmasked: Unmasked = False,
    reason: Reason = "",
    as_json: Json = False,
) -> int:
    """Judge a table's latest version, or one of its past, by its rules. A gate: ends with 1 when a rule is broken, with
    2 when only rules of level warning are (with --fail-on warning these end with 1 too), with 3 when the table cannot
    be read, no rule was asked of the version yet, or a verdict cannot be repeated.

    A past version is judged by what was said of it; checks declared since judge it now, and that is not kept. With
    --replay every verdict is repeated from the states and counted parts that are kept, and compared. With --rows the
    rows that break declared checks are written to a file, sensitive values masked; --unmasked asks for the right to
    see them and for a reason, and is written into the audit log.

    Example: assay check run shop/orders --fail-on warning && ./publish.sh
    """
    from catalog.store.meaning import privacy

    if fail_on not in ("error", "warning"):
        raise UsageError(f"--fail-on cannot be {fail_on!r}", remedy="use error or warning")
    if rows is not None:
        check_place(rows)
    here = context(RUN)
    levels = unmasked_levels(here, reason) if unmasked else ()
    table = _table(here, name, crawl_first=crawl_first and version is None, quiet=as_json)
    number, said = _said(here, table, version)
    again = _replayed(here, table, number, said) if replay else None
    with here.reading() as session:
        hide = privacy.hiding(session, table.id or 0)
    data, code = _verdict(table, number, said, fail_on, hide)
    if again is not None:
        data |= {"replay": _replay_json(again)}
        code = code if again.same else console.ERROR
    if rows is not None:
        broken = _broken_by_rows(said)
        data["rows_written"], data["rows_left_out"] = write_failing(
            here, table, number, broken, rows, most, levels, reason
        )
        data["rows_of"] = broken
    emit(data, as_json, lambda: _show(data, again))
    return code


def _broken_by_rows(said: Any) -> list[str]:
    """Names of the declared checks that are broken, and that single rows break."""
    from catalog.declared.constraint import VIOLATED
    from catalog.lake.reading.failing import by_rows
    from catalog.store.expectations.declared import declared_rows

    rows = [row for outcome, row in said if outcome.status == VIOLATED and row.status == "active"]
    return [rule.constraint.name for _, rule in declared_rows(rows) if by_rows(rule.constraint)]


def _table(here: Context, name: str, *, crawl_first: bool, quiet: bool) -> Table:
    """The table, with what is new of it read where that is asked for. Errors: `UsageError` where it cannot be."""
    from catalog.store.lake import tables

    with here.reading() as session:
        table = tables.get_table(session, name)
    key = table.id or 0
    if crawl_first:
        _read_new(here, table, quiet=quiet)
    with here.reading() as session:
        table = tables.get_table(session, key)
    if table.error and table.status in ("error", "vanished"):
        raise UsageError(f"{table.name} cannot be judged: {table.error}", remedy=table.remedy)
    return table


def _read_new(here: Context, table: Table, *, quiet: bool) -> None:
    """Read what is new of a table. Errors: `AssayError` where another crawl has it for too long: what it read of the
    log may be from before the version that the gate is asked about."""
    from catalog.cli import work

    _, stats = work.crawl(here, table=table, quiet=quiet)
    if stats and stats["busy"]:
        raise AssayError(
            f"{table.name} was not judged: another crawl has had it for {work.BUSY_SECONDS} s",
            remedy="run it again when that one has ended; `assay run list` shows it",
        )


def _said(here: Context, table: Table, version: int | None) -> tuple[int | None, Any]:
    """A version, and what the rules say of it: what was said of it, one verdict a demand, and what checks that were
    declared since say now. Of the latest, None, what rules in force said since its data last changed, those that passed
    and were learned again from it in the revision that judged it: where they said nothing, nothing that was said of a
    version before stands for it."""
    from catalog.declared.constraint import PASSED
    from catalog.flow.declared.present import standing
    from catalog.rules.kinds.declared import DeclaredRule
    from catalog.store.expectations.demands import demand_of
    from catalog.store.expectations.rules import active_rules
    from catalog.store.pages.rules import find_outcomes

    if version is None and table.judged_version < 0:
        return None, []
    latest = standing(here, table)
    numbers = range(latest, table.judged_version + 1) if version is None else [version]
    with here.reading() as session:
        asked = [find_outcomes(session, table_id=table.id or 0, version=one, limit=100_000).items for one in numbers]
        active = {demand_of(row) for row in active_rules(session, table.id or 0)}
    newest: dict[Any, tuple[Outcome, RuleRow]] = {}
    for said in asked:
        for outcome, row in sorted(said, key=lambda one: one[1].id or 0):
            newest[demand_of(row)] = (outcome, row)
    learned_again = {
        demand
        for demand, (outcome, row) in newest.items()
        if demand in active and outcome.status == PASSED and row.kind not in DeclaredRule.meanings
    }
    of_past = version is not None and version < latest
    found = [pair for key, pair in newest.items() if of_past or pair[1].status == "active" or key in learned_again]
    if version is not None:
        return version, found + _judged_now(here, table, version)
    return max((outcome.version for outcome, _ in found), default=latest), found


def _judged_now(here: Context, table: Table, version: int) -> Any:
    from catalog.flow.declared.present import judge_version
    from catalog.store.incidents import outcomes
    from catalog.store.models import Outcome

    _plan, said, _ = judge_version(here, table, version)
    key = table.id or 0
    return [
        (Outcome(**outcomes.outcome_row(key, version, one.row.id or 0, one.verdict, rows=one.rows)), one.row)
        for one in said
    ]


def _replayed(here: Context, table: Table, number: int | None, said: Any) -> Replay:
    from catalog.flow.checking.replaying import replay_version

    kept = [(outcome, row) for outcome, row in said if outcome.id is not None and outcome.version == number]
    if number is None or not said:
        raise UsageError(f"nothing was said of {table.name} yet", remedy="crawl it first")
    return replay_version(here, table, number, kept)


def _verdict(table: Table, number: int | None, said: Any, fail_on: str, hide: Hiding) -> tuple[dict[str, Any], int]:
    from catalog.store.expectations.weekly import level_of

    broken = [level_of(outcome, rule) for outcome, rule in said if outcome.status == "violated"]
    code = console.PASSED if said else console.ERROR
    if broken:
        worst = "error" in broken or fail_on == "warning"
        code = console.FAILED if worst else console.WARNED
    status = ("passed", "failed", "warning", "not_judged")[code]
    data = {"table": table.name, "version": number, "status": status}
    return data | {"outcomes": [_outcome(outcome, rule, hide) for outcome, rule in said]}, code


def _outcome(outcome: Outcome, rule: RuleRow, hide: Hiding) -> dict[str, Any]:
    """An outcome as the API tells it, with what its rule makes of it. `kept`: false of one that was judged just now,
    which has no `id`."""
    from catalog.store.expectations.weekly import level_of
    from catalog.store.models import HELD_BACK
    from catalog.store.schemas.rules import SaidOut

    more = {"name": rule.learner.partition(":")[2] or None, "hint": rule.body.get("hint"), "demoted": rule.demotion}
    more["held_back"] = bool(outcome.detail.get(HELD_BACK))
    known = {"rule": rule.id, "kind": rule.kind, "level": level_of(outcome, rule), "column": rule.column_name or None}
    told = {"id": outcome.id, **dict(SaidOut.of(outcome, rule, hide))}
    return {**told, **known, **more, "kept": outcome.id is not None}


def _replay_json(again: Replay) -> dict[str, Any]:
    each = [{"rule": one.row.id, "how": one.how, "why": one.why} for one in again.again]
    return {"same": again.same, "gone": again.gone, "verdicts": each}


def _show(data: dict[str, Any], again: Replay | None) -> None:
    said = data["outcomes"]
    if not said:
        what = f"version {data['version']}" if data["version"] is not None else "it: it was not crawled yet"
        say(f"{data['table']}: nothing was asked of {what}", "red")
        say("  learned rules are asked of versions after those that they were learned from, declared checks at once")
        return
    broken = [one for one in said if one["status"] == "violated"]
    silent = Counter(one["sentence"] for one in said if one["status"] == "not_applicable")
    left_out = f", {silent.total()} not applicable" if silent else ""
    say(f"{data['table']}, version {data['version']}: {count(len(said), 'rule')}, {len(broken)} broken{left_out}")
    for one in broken:
        why = f" (demoted: {one['demoted']})" if one["demoted"] else ""
        held = "its rule was learned from one version" if one["unproven"] else "weekly budget used up"
        held = "somebody may have meant it" if one["meant"] else held
        why = why or (f" (only a warning: {held})" if one["held_back"] else "")
        why = why if one["level"] == "warning" else ""
        style = "red" if one["level"] == "error" else "yellow"
        say(f"  {one['name'] or one['column'] or 'table'}: {one['sentence']}{why}", style)
        if one["hint"]:
            say(f"    {one['hint']}")
    for why, many in silent.most_common(MOST_REASONS):
        say(f"  {count(many, 'rule')} not applicable: {why}")
    if any(not one["kept"] for one in said):
        say(f"{count(sum(not one['kept'] for one in said), 'check')} declared since judged it now: that is not kept")
    if again is not None:
        _show_replay(again)
    if "rows_written" in data:
        say(f"{count(data['rows_written'], 'row')} written")
        if data["rows_left_out"]:
            say("  more rows break these checks: --most N writes up to N of them", "yellow")
        if broken and not data["rows_of"]:
            say("  only declared checks on single rows name their rows, and what is broken here are none of these")


def _show_replay(again: Replay) -> None:
    same = sum(one.how == "same" for one in again.again)
    say(f"repeated: {same} of {count(len(again.again), 'verdict')} the same", None if again.same else "red")
    for one in again.again:
        if one.how != "same":
            say(f"  {one.row.sentence}: {one.how}; {one.why}", "red")
    for key in again.gone:
        say(f"  gone: {key}", "red")
