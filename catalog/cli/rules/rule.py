"""`assay rule`: what is demanded, how it came about, what people decide about it, and trying it on the past."""

from __future__ import annotations

import json
import sys
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli.common import Json, Offset, TableName, context, writing
from catalog.cli.console import emit, grid, nothing, remark, say, share
from catalog.roles import APPROVE
from catalog.wording import one_in

if TYPE_CHECKING:
    from catalog.store.models import RuleRow

app = typer.Typer(no_args_is_help=True, help="Rules on columns and tables.")
RuleId = Annotated[int, typer.Argument(metavar="RULE", help="Id of the rule, as `assay rule list` shows it.")]
Clause = Annotated[str, typer.Option(help="Only this clause: its metric, or the kind of pattern of strings.")]
Why = Annotated[str, typer.Option(help="Why: kept with the decision, and in the audit log.")]


@app.command("list")
def rule_list(
    table: Annotated[str, typer.Argument(help="Only of this table.")] = "",
    column: Annotated[str | None, typer.Option(help="Only of this column.")] = None,
    kind: Annotated[str, typer.Option(help="pattern, key, history, schema, volume, freshness, declared ...")] = "",
    search: Annotated[str, typer.Option(help="Words of the table, column or demand.")] = "",
    limit: Annotated[int, typer.Option(min=1)] = 100_000,
    offset: Offset = 0,
    as_json: Json = False,
) -> None:
    """List the rules with their stated false-alarm rates.

    Example: assay rule list orders --kind pattern
    """
    from catalog.store.lake import tables
    from catalog.store.pages import rules
    from catalog.store.schemas.listing import listing
    from catalog.store.schemas.rules import RuleOut

    with context().reading() as session:
        key = tables.get_table(session, table).id if table else None
        found = rules.list_rules(
            session, table_id=key, column=column, kind=kind, text=search, limit=limit, offset=offset
        )
    rows = [
        (
            *(one.rule.id, one.ref, one.rule.column_name, one.rule.kind),
            f"{one.rule.status}, only warns" if one.rule.demotion else one.rule.status,
            *(_rate(one.rule.stated_fpr), one.rule.sentence),
        )
        for one in found.items
    ]
    heads = ("id", "table", "column", "kind", "status", "false alarms", "demand")
    data = listing(found, RuleOut.of)
    empty = nothing("rules", (table, column, kind, search), "a crawl learns them")
    emit(data, as_json, lambda: grid("", heads, rows, empty), found)


@app.command("backtest")
def backtest(
    name: TableName,
    rule: Annotated[int | None, typer.Option(help="Id of one rule; all active ones without.")] = None,
    versions: Annotated[int | None, typer.Option(min=1, help="Only the last so many versions.")] = None,
    issues: Annotated[bool, typer.Option("--issues/--no-issues", help="Try sixty injected issues too.")] = True,
    as_json: Json = False,
) -> None:
    """Replay rules over a table's past versions and over sixty injected issues: which would have alarmed, how often
    that is a month, and what share of the issues each rule sees by itself.

    Rules about metrics are learned again before every version, without hindsight, and not asked of versions that are
    suspect or bad. Declared checks are not replayed: `assay check preview` asks them of the past. Nothing is recorded.

    Example: assay rule backtest shop/orders --versions 30
    """
    from catalog.flow.checking.trial import backtest_table
    from catalog.store.lake import tables

    here = context()
    with here.reading() as session:
        table = tables.get_table(session, name)
    data = backtest_table(here, table, rule_id=rule, versions_back=versions, issues=issues)
    rows = [
        (
            one["rule"], one["column"] or "", one["kind"], one["judged"], len(one["alarms"]),
            _rate(one["stated_fpr"]),
            "" if one["expected_alarms_per_month"] is None else f"{one['expected_alarms_per_month']:.2g}",
            share(one.get("recall")),
        )
        for one in data
    ]  # fmt: skip
    heads = ("rule", "column", "kind", "versions", "alarms", "stated false alarms", "expected a month", "of the issues")

    def show() -> None:
        grid(f"{table.name}: replay over its past", heads, rows, "no rules")
        for why in dict.fromkeys(one["left_out"] for one in data if one["left_out"]):
            ids = [str(one["rule"]) for one in data if one["left_out"] == why]
            say(f"  {'rule' if len(ids) == 1 else 'rules'} {', '.join(ids)}: {why}")
        for one in data:
            for alarm in one["alarms"]:
                say(f"  version {alarm['version']}, rule {one['rule']}: {alarm['sentence']}", "yellow")
        if rule is not None:
            for one in data:
                seen: list[Any] = [(kind, share(share)) for kind, share in one.get("recall_by_type", {}).items()]
                grid("what it sees of each kind of damage", ("kind of damage", "seen"), seen, "nothing was tried")

    emit(data, as_json, show)


@app.command("show")
def rule_show(rule_id: RuleId, as_json: Json = False) -> None:
    """Show a rule: its clauses with people's decisions, its level, its history. Clauses that its page folds away, as
    most rows may break them or they are finer measures, are called minor and come last.

    Example: assay rule show 12
    """
    from catalog.store.expectations.rules import get_rule
    from catalog.store.pages.rules import whole_rule
    from catalog.store.schemas.rules import WholeRuleOut

    with context().reading() as session:
        rule = WholeRuleOut.whole(whole_rule(session, get_rule(session, rule_id)))

    def show() -> None:
        standing = f"rule {rule.id} of {rule.table}, revision {rule.revision}, {rule.status}, {rule.level_now}"
        say(f"{standing}: {f'{rule.column_name}: ' if rule.column_name else ''}{rule.sentence}", "bold")
        if rule.stands != rule.id:
            now = f"rule {rule.stands} stands now" if rule.stands else "the rule is demanded no more"
            say(f"an old revision: {now}", "yellow")
        if rule.demotion:
            say(f"only warns: {rule.demotion}", "yellow")
        for name, what in (("passing", "keep to it"), ("breaking", "would break it")):
            if rule.examples.get(name):
                say(f"  {what}: " + ", ".join(repr(one) for one in rule.examples[name]))
        marks = [(one, "left out" if not one.in_force else "minor" if one.is_minor else "") for one in rule.clauses]
        marks.sort(key=lambda marked: marked[0].is_minor)  # what the page shows first
        rows: list[Any] = [(one.clause, one.words, mark, one.decided or "") for one, mark in marks]
        grid("clauses", ("clause", "demand", "", "decided"), rows, "the rule is one demand")
        told = [(f"{e.at:%Y-%m-%d %H:%M}", e.what, e.clause or "", e.actor, e.reason or "") for e in rule.events]
        grid("decisions", ("at (UTC)", "what", "clause", "by", "why"), told)

    emit(rule, as_json, show)


@app.command("history")
def history(
    name: TableName,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="Only rules of this column.")] = "",
    as_json: Json = False,
) -> None:
    """Every revision of a table's rules, or of the one rule whose number is given, and what each changed of the one
    before: clauses added, dropped, loosened, tightened or moved.

    Example: assay rule history shop/orders amount
    """
    from catalog.errors import NotFound
    from catalog.store.expectations.rules import get_rule
    from catalog.store.lake import tables
    from catalog.store.pages.rules import find_rules, revision_lines
    from catalog.store.schemas.rules import RevisionOut

    with context().reading() as session:
        try:
            key = tables.get_table(session, name).id or 0
            if column:
                tables.get_column(session, key, column)
            found = [row for row, _ in find_rules(session, table_id=key, column=column or None, limit=1000).items]
        except NotFound:
            if column or not name.isdecimal():
                raise
            found = [get_rule(session, int(name))]
        kept = [revision_lines(session, row) for row in found]
    data = [RevisionOut.against(row, older) for lines in kept for row, older in zip_longest(lines, lines[1:])]

    def show() -> None:
        for one in data:
            head = f"{one.column_name or 'table'}, {one.kind} rule {one.id}, revision {one.revision}"
            counted = ", ".join(f"{count} {change}" for change, count in one.changed.items())
            counted = counted or ("first" if one.first else "nothing noticeable")
            say(f"{head}, {str(one.created_at)[:16]}: {counted}")
            for change in one.changes if column else ():
                say(f"  {change.change}: {' -> '.join(w for w in (change.before, change.after) if w)}")
        if not data:
            say("no rules")

    emit(data, as_json, show)


def _rate(fpr: float | None) -> str:
    """A stated rate of false alarms, of versions."""
    return "" if fpr is None else one_in(fpr)


@app.command("accept")
def accept(rule_id: RuleId, clause: Clause = "", as_json: Json = False) -> None:
    """Put a rule in force, or keep one of its clauses as it is now, whatever is learned later.

    Example: assay rule accept 12 --clause complete_ratio
    """
    _ruled(rule_id, clause, "active", "accepted", as_json)


@app.command("loosen")
def loosen(
    rule_id: RuleId,
    clause: Clause = "",
    factor: Annotated[float, typer.Option(help="How many times as wide; of strings, 2 is a step of tolerance.")] = 2.0,
    as_json: Json = False,
) -> None:
    """Widen the band of one clause, or of all, now and in all that is learned later.

    Example: assay rule loosen 12 --clause mean --factor 1.5
    """
    from catalog.store.expectations import clauses

    here = context(APPROVE)
    with here.transaction() as session:
        if clause:
            row = clauses.decide_clause(session, rule_id, clause, "loosened", actor=here.actor, factor=factor)
        else:
            row = clauses.loosen_all(session, rule_id, actor=here.actor, factor=factor)
    _tell(row, as_json)


@app.command("pause")
def pause(rule_id: RuleId, clause: Clause = "", reason: Why = "", as_json: Json = False) -> None:
    """Pause a rule, or one of its clauses, until it is resumed.

    Example: assay rule pause 12 --clause mean
    """
    _ruled(rule_id, clause, "paused", "paused", as_json, reason)


@app.command("reject")
def reject(rule_id: RuleId, clause: Clause = "", reason: Why = "", as_json: Json = False) -> None:
    """Reject a rule, or one of its clauses, for good: it is not learned again.

    Example: assay rule reject 12 --clause mean
    """
    _ruled(rule_id, clause, "rejected", "rejected", as_json, reason)


@app.command("resume")
def resume(rule_id: RuleId, clause: Clause = "", as_json: Json = False) -> None:
    """Put a paused or rejected rule back in force, or undo the decision about one clause.

    Example: assay rule resume 12 --clause mean
    """
    from catalog.store.expectations import clauses

    _ruled(rule_id, clause, "active", clauses.UNDO, as_json)


def _ruled(rule_id: int, clause: str, status: str, action: str, as_json: bool, reason: str = "") -> None:
    from catalog.store.expectations import clauses, rules

    here = context(APPROVE)
    with here.transaction() as session:
        if clause:
            row = clauses.decide_clause(session, rule_id, clause, action, actor=here.actor, reason=reason or None)
        else:
            row = rules.set_rule_status(session, rule_id, status, here.actor, reason or None)
    _tell(row, as_json)


def _tell(row: RuleRow, as_json: bool, words: str = "") -> None:
    from catalog.store.pages.rules import rule_line
    from catalog.store.schemas.rules import RuleOut

    with context().reading() as session:
        data = RuleOut.of(rule_line(session, row))
    emit(data, as_json, lambda: say(words or f"rule {row.id}, revision {row.revision}, {row.status}: {row.sentence}"))


@app.command("export")
def rule_export(
    name: TableName,
    form: Annotated[str, typer.Option("--as", help="odcs, dqdl, dqx, gx (Great Expectations) or check (Delta).")],
    out: Annotated[Path | None, typer.Option(help="File to write; without, it is printed.")] = None,
    as_json: Json = False,
) -> None:
    """Write the rules in force in the format of another tool, and say what is lost of them.

    What lists values of a sensitive column is left out.

    Example: assay rule export shop/orders --as gx --out orders.json
    """
    import yaml

    from catalog.declared.constraint import Constraint
    from catalog.errors import UsageError
    from catalog.flow.acting import names_in_sql
    from catalog.rules.exchange.demands import NOTES, Lost, demands
    from catalog.rules.exchange.registry import WRITERS
    from catalog.store.expectations import rules
    from catalog.store.lake import tables
    from catalog.store.meaning import privacy

    if form not in WRITERS:
        raise UsageError(f"there is no format {form!r}", remedy=f"use one of {', '.join(WRITERS)}")
    with context().reading() as session:
        table = tables.get_table(session, name)
        hide = privacy.hiding(session, table.id or 0)
        found: list[Constraint] = []
        lost: list[Lost] = []
        active = rules.active_rules(session, table.id or 0)
        of_all = {row.column_name for row in active if rules.as_rule(row).across_loads}
        again = {row.column_name for row in active if table.mode == "increment"} - of_all
        for row in active:
            private = hide.private_rule(row.column_name, row.body)
            taken, left = demands(rules.as_rule(row), private=private, again=again)
            found += [one for one in taken if one not in found]  # of one key two rules may demand the same
            lost += left
    names = names_in_sql(context(), table, {name for one in found for part in one.parts for name in part.reads})
    written, further = WRITERS[form](table.name, [one.renamed(names) for one in found])
    lost += further
    told = written if isinstance(written, str) else json.dumps(written, indent=2, ensure_ascii=False)
    if form in ("odcs", "dqx"):
        told = yaml.safe_dump(written, sort_keys=False, allow_unicode=True)
    if out is not None:
        with writing(out):
            out.write_text(told + "\n", encoding="utf-8")
    number = len(found) - len(further)
    data = {"format": form, "demands": number, "written": told, "lost": [vars(one) for one in lost]}

    def shown() -> None:
        reasons: dict[str, list[Lost]] = {}
        for one in lost:
            reasons.setdefault(one.why, []).append(one)
        rows = [(len(some), why, some[0].column, some[0].words) for why, some in reasons.items()]
        title = f"{number} demands written, {len(lost)} not expressed"
        if out is None:  # the contract alone goes where other tools read it
            sys.stdout.write(told.rstrip("\n") + "\n")
            for line in (
                title,
                *(f"{some} not expressed: {why} ({of}: {words})" for some, why, of, words in rows),
                *NOTES,
            ):
                remark(line)
            return
        grid(title, ("not expressed", "why", "for example", "demand"), rows, "everything is expressed")
        for note in NOTES:
            say(note)

    emit(data, as_json, shown)


@app.command("demote")
def demote(
    rule_id: RuleId,
    reason: Annotated[str, typer.Option(help="Why; it is shown with the rule and on its table.")],
    as_json: Json = False,
) -> None:
    """Demote a rule to warnings: its findings alert nobody and fail no check, until it is promoted.

    Example: assay rule demote 12 --reason 'the supplier changes its columns each month'
    """
    from catalog.store.expectations import budget

    here = context(APPROVE)
    with here.transaction() as session:
        row = budget.demote_by_person(session, rule_id, reason, here.actor)
    _tell(row, as_json, f"rule {rule_id} only warns; undo: assay rule promote {rule_id}")


@app.command("promote")
def promote(rule_id: RuleId, as_json: Json = False) -> None:
    """Promote a demoted rule: it raises alarms again, and its earlier false alarms no longer count.

    Example: assay rule promote 12
    """
    from catalog.store.expectations import budget

    here = context(APPROVE)
    with here.transaction() as session:
        row = budget.promote_by_person(session, rule_id, here.actor)
    _tell(row, as_json, f"rule {rule_id} opens incidents again")
