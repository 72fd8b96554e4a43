"""Rules and what they said of versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import and_, case, exists, func, select
from sqlmodel import Session, col

from catalog.rules.rule import kinds
from catalog.store.expectations.clauses import clause_lines
from catalog.store.expectations.demands import same_demand
from catalog.store.expectations.rules import RULE_STATUSES, events, revisions, standing_revision
from catalog.store.meaning.privacy import hiding
from catalog.store.models import GONE, Outcome, RuleRow, Table
from catalog.store.pages.cutting import Page, counts, cut, holds, source_names
from catalog.store.pages.filters import VERDICTS, one_of
from catalog.store.pages.lines import RuleLine


def find_rules(
    session: Session,
    *,
    text: str = "",
    status: str = "",
    kind: str = "",
    table_id: int | None = None,
    column: str | None = None,
    charted: bool = False,
    limit: int = 50,
    offset: int = 0,
) -> Page:
    """Rules with their tables: (RuleRow, Table), by table, column and kind; superseded revisions only when asked for.
    `charted` leaves those that never measured anything, and puts first what broke last."""
    one_of("status", status, (*RULE_STATUSES, "superseded"))
    one_of("kind of rule", kind, kinds())
    query = select(RuleRow, Table).join(Table, col(RuleRow.table_id) == col(Table.id))
    query = query.where(col(RuleRow.status) == status if status else col(RuleRow.status) != "superseded")
    if kind:
        query = query.where(col(RuleRow.kind) == kind)
    if table_id is not None:
        query = query.where(col(RuleRow.table_id) == table_id)
    else:
        query = query.where(col(Table.status).not_in(GONE))
    if column is not None:
        query = query.where(col(RuleRow.column_name) == column)
    for word in text.split()[:8]:
        names = (col(Table.name), col(RuleRow.column_name), col(RuleRow.sentence))
        query = query.where(holds(word, *names, column=col(RuleRow.column_name)))
    order: tuple[Any, ...] = (
        col(Table.name),
        col(Table.id),
        col(RuleRow.column_name),
        col(RuleRow.kind),
        col(RuleRow.id),
    )
    if charted:
        query = query.where(exists().where(col(Outcome.rule_id) == col(RuleRow.id), col(Outcome.value).is_not(None)))
        broken = select(func.max(col(Outcome.version))).where(
            col(Outcome.rule_id) == col(RuleRow.id), col(Outcome.status) == "violated"
        )
        order = (broken.correlate(RuleRow).scalar_subquery().desc().nulls_last(), *order)
    ids = query.with_only_columns(col(RuleRow.id), maintain_column_froms=True)  # sorting whole rules is slow
    page = cut(session, ids.order_by(*order), limit, offset)
    whole = select(RuleRow, Table).join(Table, col(RuleRow.table_id) == col(Table.id))
    found = {row[0].id: row for row in session.execute(whole.where(col(RuleRow.id).in_(page.items)))}
    return Page([found[key] for key in page.items if key in found], page.total, limit, offset)


def rule_lines(session: Session, rows: Iterable[tuple[RuleRow, Table]]) -> list[RuleLine]:
    """What lists show of rules (`find_rules`)."""
    rows = list(rows)
    sources = source_names(session, [table for _, table in rows])
    last = last_outcomes(session, [row.id for row, _ in rows])
    return [RuleLine(row, table.name, sources.get(table.source_id, ""), last.get(row.id)) for row, table in rows]


def list_rules(session: Session, **asked: Any) -> Page:
    """`find_rules` as lists show them (`RuleLine`)."""
    found = find_rules(session, **asked)
    return replace(found, items=rule_lines(session, found.items))


def rule_line(session: Session, row: RuleRow) -> RuleLine:
    (line,) = rule_lines(session, [(row, session.get_one(Table, row.table_id))])
    return line


def whole_rule(session: Session, row: RuleRow) -> RuleLine:
    """One rule with all that is shown of it."""
    hide = hiding(session, row.table_id)
    clauses = clause_lines(session, row, private=hide.private_rule(row.column_name, row.body))
    now = row if row.status != "superseded" else standing_revision(session, row)
    line, stands = rule_line(session, row), now.id if now is not None else None
    return replace(line, hide=hide, clauses=clauses, events=events(session, row), stands=stands)


def revision_lines(session: Session, rule: RuleRow) -> list[RuleLine]:
    """The revisions of a rule, the newest first, with what is hidden of its table."""
    table, hide = session.get_one(Table, rule.table_id), hiding(session, rule.table_id)
    lines = rule_lines(session, [(row, table) for row in revisions(session, rule)])
    return [replace(line, hide=hide) for line in lines]


def rule_of(session: Session, table_id: int, kind: str, column: str) -> RuleRow | None:
    """The newest active rule of a kind on a column (empty: on the table)."""
    query = select(RuleRow).where(
        col(RuleRow.table_id) == table_id,
        col(RuleRow.kind) == kind,
        col(RuleRow.column_name) == column,
        col(RuleRow.status) == "active",
    )
    return session.scalars(query.order_by(col(RuleRow.id).desc()).limit(1)).first()


def rule_counts(session: Session) -> dict[str, dict[str, int]]:
    """Rules in force by status and by kind, of tables that are there."""
    there = col(RuleRow.status) != "superseded", col(Table.status).not_in(GONE)
    current = select(RuleRow).join(Table).where(*there).subquery()
    return {
        name: counts(session, select(current.c[name], func.count()).group_by(current.c[name]))
        for name in ("status", "kind")
    }


def last_outcomes(session: Session, rule_ids: Iterable[int]) -> dict[int, Outcome]:
    """What each rule said last."""
    newest = (
        select(col(Outcome.rule_id).label("rule_id"), func.max(col(Outcome.version)).label("version"))
        .where(col(Outcome.rule_id).in_(list(rule_ids)))
        .group_by(col(Outcome.rule_id))
        .subquery()
    )
    query = select(Outcome).join(
        newest, and_(col(Outcome.rule_id) == newest.c.rule_id, col(Outcome.version) == newest.c.version)
    )
    return {outcome.rule_id: outcome for outcome in session.scalars(query)}


def outcomes_of_demand(session: Session, rule: RuleRow, limit: int = 90) -> list[Outcome]:
    """What a rule and its other revisions said, one outcome a version (the newest revision's), oldest first."""
    query = (
        select(Outcome)
        .join(RuleRow, col(Outcome.rule_id) == col(RuleRow.id))
        .where(*same_demand(rule))
        .order_by(col(Outcome.version).desc(), col(RuleRow.revision).desc())
        .limit(2 * limit)
    )
    seen: dict[int, Outcome] = {}
    for outcome in session.scalars(query):
        seen.setdefault(outcome.version, outcome)
    return list(seen.values())[:limit][::-1]


def outcomes_of_version(session: Session, table_id: int, version: int) -> list[tuple[Outcome, RuleRow]]:
    """What was said of one version: what broke first."""
    rank = case((col(Outcome.status) == "violated", 0), (col(Outcome.status) == "passed", 1), else_=2)
    query = (
        select(Outcome, RuleRow)
        .join(RuleRow, col(Outcome.rule_id) == col(RuleRow.id))
        .where(col(Outcome.table_id) == table_id, col(Outcome.version) == version)
        .order_by(rank, col(RuleRow.column_name), col(RuleRow.kind))
    )
    return [(outcome, rule) for outcome, rule in session.execute(query)]


def list_outcomes(session: Session, **asked: Any) -> Page:
    """`find_outcomes` with what is hidden of their tables: (Outcome, RuleRow, Hiding)."""
    found = find_outcomes(session, **asked)
    hidden = {table_id: hiding(session, table_id) for table_id in {outcome.table_id for outcome, _ in found.items}}
    return replace(found, items=[(outcome, rule, hidden[outcome.table_id]) for outcome, rule in found.items])


def find_outcomes(
    session: Session,
    *,
    table_id: int | None = None,
    rule_id: int | None = None,
    version: int | None = None,
    status: str = "",
    limit: int = 50,
    offset: int = 0,
) -> Page:
    """Outcomes with their rules: (Outcome, RuleRow), the newest first."""
    one_of("status", status, VERDICTS)
    query = select(Outcome, RuleRow).join(RuleRow, col(Outcome.rule_id) == col(RuleRow.id))
    if table_id is not None:
        query = query.where(col(Outcome.table_id) == table_id)
    if rule_id is not None:
        query = query.where(col(Outcome.rule_id) == rule_id)
    if version is not None:
        query = query.where(col(Outcome.version) == version)
    if status:
        query = query.where(col(Outcome.status) == status)
    latest = (col(Outcome.version).desc(),) if table_id is not None or rule_id is not None else ()
    order = (*latest, col(Outcome.id).desc())  # over all tables versions do not compare, and ids are read in order
    return cut(session, query.order_by(*order), limit, offset, scalars=False)
