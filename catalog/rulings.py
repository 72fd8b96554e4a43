"""The commands by which people rule on rules and their clauses, compare their revisions, and hold them to account."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from typing import Annotated, Any

import typer

from catalog import console, work
from catalog.commands import Json, TableName, context, rule_json
from catalog.console import emit, grid, plain, say
from catalog.rules.compare import compare, count_changes
from catalog.store import batches, budget, clauses, privacy, rules, tables
from catalog.store.models import RuleRow

RuleId = Annotated[int, typer.Argument(metavar="RULE", help="Id of the rule, as `assay rule list` shows it.")]


def table_budget(
    name: Annotated[str, typer.Argument(metavar="TABLE", help="Only this table, rule by rule.")] = "",
    as_json: Json = False,
) -> int:
    """False alarms of the last 30 days, table by table: what the rules state, what people called false, what nobody has
    judged yet. A rule that spends more than it stated, or than its table's budget (ASSAY_FALSE_ALARM_BUDGET), only
    warns from then on. Ends with 2 when a table is over its budget.

    Example: assay table budget shop/orders
    """
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


def _show_accounts(one: budget.Ledger) -> None:
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
    here = context()
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


def promote(rule_id: RuleId, as_json: Json = False) -> None:
    """Believe a rule again that was demoted to a warning: what it did before is not held against it any more.

    Example: assay rule promote 12
    """
    with context().transaction() as session:
        row = budget.promote_by_person(session, rule_id, getpass.getuser())
    data = plain(row, "id", "status", column=row.column_name or None, level=row.level_now)
    emit(data, as_json, lambda: say(f"rule {rule_id} opens incidents again"))


Clause = Annotated[str, typer.Option(help="Only this clause: its metric, or the kind of look of strings.")]


def accept(rule_id: RuleId, clause: Clause = "", as_json: Json = False) -> None:
    """Put a rule in force, or keep one clause of it as it is now, whatever is learned later.

    Example: assay rule accept 12 --clause complete_ratio
    """
    _ruled(rule_id, clause, "active", "accepted", as_json)


def pause(rule_id: RuleId, clause: Clause = "", as_json: Json = False) -> None:
    """Stop judging by a rule or by one clause of it, until it is resumed.

    Example: assay rule pause 12 --clause mean
    """
    _ruled(rule_id, clause, "paused", "paused", as_json)


def reject(rule_id: RuleId, clause: Clause = "", as_json: Json = False) -> None:
    """Do without a rule or one clause of it for good: what is learned later leaves it out too.

    Example: assay rule reject 12 --clause mean
    """
    _ruled(rule_id, clause, "rejected", "rejected", as_json)


def resume(rule_id: RuleId, clause: Clause = "", as_json: Json = False) -> None:
    """Judge by a paused or rejected rule again, or take back what was decided about one clause.

    Example: assay rule resume 12 --clause mean
    """
    _ruled(rule_id, clause, "active", clauses.UNDO, as_json)


def loosen(
    rule_id: RuleId,
    clause: Clause = "",
    factor: Annotated[float, typer.Option(help="How many times as wide; of strings, 2 is a step of tolerance.")] = 2.0,
    as_json: Json = False,
) -> None:
    """Widen the band of one clause, or of all, now and in all that is learned later.

    Example: assay rule loosen 12 --clause mean --factor 1.5
    """
    with context().transaction() as session:
        if clause:
            row = clauses.decide_clause(session, rule_id, clause, "loosened", actor=getpass.getuser(), factor=factor)
        else:
            row = clauses.loosen_all(session, rule_id, actor=getpass.getuser(), factor=factor)
    _tell(row, as_json)


def _ruled(rule_id: int, clause: str, status: str, action: str, as_json: bool) -> None:
    with context().transaction() as session:
        if clause:
            row = clauses.decide_clause(session, rule_id, clause, action, actor=getpass.getuser())
        else:
            row = rules.set_rule_status(session, rule_id, status, getpass.getuser())
    _tell(row, as_json)


def _tell(row: RuleRow, as_json: bool) -> None:
    with context().reading() as session:
        private = row.column_name in privacy.sensitive_names(session, row.table_id)
    data = rule_json(row, private=private)
    emit(data, as_json, lambda: say(f"rule {row.id}, revision {row.revision}, {row.status}: {row.sentence}"))


def rule_show(rule_id: RuleId, as_json: Json = False) -> None:
    """Show a rule: its clauses with what people decided about them, its standing, what happened to it.

    Example: assay rule show 12
    """
    with context().reading() as session:
        row = rules.get_rule(session, rule_id)
        private = row.column_name in privacy.sensitive_names(session, row.table_id)
        lines = clauses.clause_lines(session, row, private=private)
        happened = rules.events(session, row)
    data = rule_json(row, private=private) | {
        "clauses": [
            {"clause": one.key, "words": one.words, "in_force": one.in_force}
            | ({"decided": one.decision.action, "by": one.decision.actor} if one.decision else {})
            for one in lines
        ],
        "events": [plain(one, "at", "what", "clause", "reason", "actor") for one in happened],
    }

    def show() -> None:
        say(f"rule {row.id}, revision {row.revision}, {row.status}, {row.level_now}: {row.sentence}", "bold")
        if row.demotion:
            say(f"only warns: {row.demotion}", "yellow")
        rows: list[Any] = [
            (one.key, one.words, "" if one.in_force else "left out", one.decision.action if one.decision else "")
            for one in lines
        ]
        grid("clauses", ("clause", "demand", "", "decided"), rows, "the rule is one demand")
        told = [(f"{e.at:%Y-%m-%d %H:%M}", e.what, e.clause or "", e.actor, e.reason or "") for e in happened]
        grid("decisions", ("at (UTC)", "what", "clause", "by", "why"), told)

    emit(data, as_json, show)


def history(
    name: TableName,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="Only rules of this column.")] = "",
    as_json: Json = False,
) -> None:
    """Every revision of a table's rules, and what each changed of the one before: clauses added, dropped, loosened,
    tightened or moved.

    Example: assay rule history shop/orders amount
    """
    with context().reading() as session:
        key = tables.get_table(session, name).id or 0
        if column:
            tables.get_column(session, key, column)
        found = rules.list_rules(session, table_id=key, column=column or None)
        kept = [rules.revisions(session, item.rule) for item in found]
        hidden = privacy.sensitive_names(session, key)
    data = [_revision(rows, at, hidden) for rows in kept for at in range(len(rows))]

    def show() -> None:
        for one in data:
            head = f"{one['column'] or 'table'}, {one['kind']} rule {one['rule']}, revision {one['revision']}"
            counted = ", ".join(f"{count} {change}" for change, count in one["changed"].items())
            say(f"{head}, {one['created_at'][:16]}: {counted or ('first' if one['first'] else 'nothing noticeable')}")
            for change in one["changes"] if column else ():
                say(f"  {change['change']}: {' -> '.join(w for w in (change['before'], change['after']) if w)}")
        if not data:
            say("no rules")

    emit(data, as_json, show)


def _revision(rows: list[RuleRow], at: int, hidden: set[str]) -> dict[str, Any]:
    """A revision against the one before; `rows` newest first."""
    row, private = rows[at], rows[at].column_name in hidden
    older = rows[at + 1] if at + 1 < len(rows) else None
    found = compare(rules.as_rule(older), rules.as_rule(row), private=private) if older else []
    shown = plain(row, "kind", "revision", "status", "fpr", "sentence", "since_version", "created_at", rule=row.id)
    changes = [vars(one) for one in found if one.change != "same"]
    first = {"first": older is None, "column": row.column_name or None}
    return shown | first | {"changed": count_changes(found), "changes": changes}
