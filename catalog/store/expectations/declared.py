"""Checks that people declare, put on tables: whole files of them, or one at a time. Never commits.

A check is found again by its name, which is unique within its table. One that is left out or retired is superseded: its
results stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlmodel import Session, col, select

from catalog.declared.check import Check
from catalog.declared.constraint import Constraint
from catalog.declared.fitting import fit, misfits
from catalog.errors import Held, NotFound, UsageError
from catalog.history.labels import UNHEALTHY
from catalog.measures.metrics import unquoted
from catalog.rules.kinds.declared import DeclaredRule
from catalog.rules.rule import DECLARED as LEARNER
from catalog.rules.rule import Rule
from catalog.store.access import audit
from catalog.store.access.approvals import hold
from catalog.store.expectations import rules
from catalog.store.lake import parts, tables
from catalog.store.models import Outcome, RuleRow, Table, Version

#: Name in an event of what stood before, for undoing alone.
STOOD = "_checks"
#: Name in a check's evidence of the contract that it was imported from; one that a person changed has none.
IMPORTED = "imported"


@dataclass(frozen=True)
class Off:
    """A declared check that somebody paused or rejected, or that is a draft: declaring it does not put it in force."""

    check: str
    rule: int
    status: str


@dataclass(frozen=True)
class Change:
    """What declaring does to one table: names of its checks."""

    table: str
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    #: Those that judge nothing though they are declared: `Off`.
    off: list[Off] = field(default_factory=list)

    @property
    def any(self) -> bool:
        return bool(self.added or self.changed or self.retired)


def declared_rows(rows: Iterable[RuleRow]) -> list[tuple[RuleRow, DeclaredRule]]:
    """The declared ones of some rules."""
    found = [(row, rules.as_rule(row)) for row in rows if row.learner.startswith(LEARNER)]
    return [(row, rule) for row, rule in found if isinstance(rule, DeclaredRule)]


def checks_of(session: Session, table_id: int) -> list[tuple[RuleRow, DeclaredRule]]:
    """The declared checks of a table that are not retired, whatever their status, in the order they were made."""
    query = select(RuleRow).where(
        RuleRow.table_id == table_id, RuleRow.status != "superseded", col(RuleRow.learner).startswith(LEARNER)
    )
    return declared_rows(session.exec(query.order_by(col(RuleRow.id))))


def check_of(session: Session, table: Table) -> Check:
    """The declared checks of a table as one."""
    return Check(table.name, tuple(rule.constraint for _, rule in checks_of(session, table.id or 0)))


def apply_checks(session: Session, checks: Sequence[Check], *, actor: str, dry_run: bool = False) -> list[Change]:
    """Make the declared checks of these tables those given; a check that is not among them is retired. All of it
    happens or, where any of it is wrong, nothing; then all that is wrong is told (`AssayError.more`).

    Raises `NotFound` for a table that is not there, `UsageError` for a check that does not fit its columns, `Held`
    where a second person is needed.
    """
    found: dict[int, Table] = {}
    wrong: list[UsageError] = []
    for check in checks:
        try:
            table = tables.get_table(session, check.table)
        except UsageError as error:
            wrong.append(error)
            continue
        if (table.id or 0) in found:
            raise UsageError(f"{check.table} stands in the file twice", remedy="write its checks under one name")
        found[table.id or 0] = table
        wrong += misfits(check, columns_of(session, table))
    if wrong:
        raise wrong[0].with_more(wrong[1:])
    named = [_with_others(session, check) for check in checks]
    pairs = list(zip(found.values(), named, strict=True))
    changes: list[Change] = []
    held: list[Held] = []
    for table, check in pairs:
        try:
            changes.append(declare(session, table, check, actor, dry_run))
        except Held as error:
            held.append(error)
    if held:
        raise held[0] if len(held) == 1 else Held(f"checks of {len(held)} tables wait for a second person")
    return changes


def declare_again(
    session: Session,
    table_id: int,
    constraints: Iterable[Mapping[str, Any]],
    *,
    actor: str,
    origins: Mapping[str, Any] | None = None,
) -> Change:
    """Make the checks of a table those of these constraints as JSON data, which a second person approved; `origins`: of
    which contracts some are, by name. Errors: `NotFound`, `UsageError`."""
    table = tables.get_table(session, table_id)
    check = Check(table.name, tuple(map(Constraint.from_json, constraints)))
    fit(check, columns_of(session, table))
    return declare(session, table, check, actor, origins=origins or {})


def declare_as_before(session: Session, table_id: int, before: Mapping[str, str], *, actor: str) -> Change:
    """Make the checks of a table those that it had: the status each had, by the id of its rule. Errors: `UsageError`
    where nothing is known of them, or they do not fit the table any more."""
    table = tables.get_table(session, table_id)
    rows = [row for key in before if (row := session.get(RuleRow, int(key))) is not None]
    if len(rows) < len(before):
        raise UsageError("the checks that stood before are not kept any more", remedy="declare them again")
    pairs = declared_rows(rows)
    check = Check(table.name, tuple(rule.constraint for _, rule in pairs))
    fit(check, columns_of(session, table))
    origins = {rule.constraint.name: rule.evidence[IMPORTED] for _, rule in pairs if IMPORTED in rule.evidence}
    change = declare(session, table, check, actor, origins=origins)
    rested = {rule.learner: before[str(row.id)] for row, rule in pairs if before[str(row.id)] != "active"}
    for row, rule in checks_of(session, table_id):
        row.status = rested.get(rule.learner, row.status)
    session.flush()
    return change


def columns_of(session: Session, table: Table) -> list[tuple[str, str]]:
    """Leaf columns of a table with their types, in order; none of a table that was never crawled."""
    return [(column.name, column.type) for column in tables.list_columns(session, table.id or 0)]


def _with_others(session: Session, check: Check) -> Check:
    """The same with other tables under their full names. Raises `UsageError` for one that is not there, or lacks a
    column that is asked of it."""
    made = []
    for place, one in enumerate(check.constraints):
        try:
            made.append(_with_other(session, one) if one.other else one)
        except UsageError as error:
            where = f"line {check.lines[place]}: " if place < len(check.lines) else f"{one.name}: "
            raise type(error)(f"{where}{error.cause}", remedy=error.remedy) from None
    return replace(check, constraints=tuple(made))


def _with_other(session: Session, constraint: Constraint) -> Constraint:
    other = tables.get_table(session, constraint.other or "")
    names = [name for name, _ in columns_of(session, other)]
    for part in constraint.other_parts:
        missing = next((name for name in part.columns if names and name not in names), None)
        if missing is not None:
            listed = ", ".join(names[:12])
            raise UsageError(f"{other.name} has no column {missing!r}", remedy=f"its columns are: {listed}")
    full = tables.full_name(session, other.id or 0)
    return replace(constraint, arguments={**constraint.arguments, "other": full})


def fit_table(session: Session, table: Table, constraint: Constraint) -> Constraint:
    """A check with the table that it compares with under its full name, and columns by their names here where another
    tool writes those that hold dots in backticks. Raises `UsageError` where it does not fit the columns of its table,
    or those of the other one."""
    columns = columns_of(session, table)
    known = {name for name, *_ in columns}
    named = tuple(plain if (plain := unquoted(name)) in known - {name} else name for name in constraint.columns)
    check = Check(table.name, (replace(constraint, columns=named),))
    fit(check, columns)
    return _with_others(session, check).constraints[0]


def put_check(
    session: Session,
    table_id: int,
    constraint: Constraint,
    *,
    actor: str,
    old: str | None = None,
    draft: bool = False,
) -> Change:
    """Add a check to a table, or put it in the place of the one named `old`. A `draft` judges nothing until somebody
    activates its rule.

    Raises `NotFound` (no table, no check `old`), `UsageError` where it does not fit or its name is taken.
    """
    table = tables.get_table(session, table_id)
    check = check_of(session, table)
    names = [one.name for one in check.constraints]
    if old is not None and old not in names:
        raise NotFound(f"{table.name} has no check {old!r}", remedy="it was retired, or has another name")
    if constraint.name in names and constraint.name != old:
        raise UsageError(
            f"a check of {table.name} is named {constraint.name!r} already", remedy="give this one another name"
        )
    constraint = fit_table(session, table, constraint)
    listed = [constraint if one.name == old else one for one in check.constraints]
    listed += [] if old is not None else [constraint]
    change = declare(session, table, replace(check, constraints=tuple(listed)), actor, alone=draft and old is None)
    if draft:
        for row, rule in checks_of(session, table_id):
            if rule.constraint.name == constraint.name:
                row.status, row.actor = "draft", actor
        session.flush()
    return change


def retire_check(session: Session, table_id: int, name: str, *, actor: str) -> Change:
    """Demand a check no more; what it said stays. Errors: `NotFound`."""
    table = tables.get_table(session, table_id)
    check = check_of(session, table)
    if name not in [one.name for one in check.constraints]:
        raise NotFound(f"{table.name} has no check {name!r}", remedy="it was retired already, or has another name")
    left = tuple(one for one in check.constraints if one.name != name)
    return declare(session, table, replace(check, constraints=left), actor)


def declare(
    session: Session,
    table: Table,
    check: Check,
    actor: str,
    dry_run: bool = False,
    *,
    alone: bool = False,
    origins: Mapping[str, Any] | None = None,
) -> Change:
    """Make the checks of a table those of one check, which fits it. `alone`: nothing is demanded by it, so that it
    needs no second person. `origins`: the contracts that some are of, by name."""
    table_id, origins = table.id or 0, origins or {}
    current = {row.learner: row for row, _ in checks_of(session, table_id)}
    wanted = {rule.learner: _with_origin(rule, current, origins) for rule in map(DeclaredRule.of, check.constraints)}
    change = _change(check.table, current, wanted)
    if dry_run or not change.any:
        return replace(change, off=_off(current[learner] for learner in wanted if learner in current))
    stood = {str(row.id): row.status for row in current.values()}
    if not alone:
        args: dict[str, Any] = {"table": table_id, "constraints": [one.to_json() for one in check.constraints]}
        args |= {"origins": dict(origins)} if origins else {}
        item = audit.of_table(session, "table", table_id, table_id)
        hold(session, "declare", args, item, actor, "declare checks of")
    learners, asked = {*current, *wanted}, _asked(session, table_id)
    before = max(table.judged_version, -1)
    rules.put_rules(session, table_id, list(wanted.values()), learners=learners, since_version=before)
    _supersede_paused(session, [current[LEARNER + name] for name in change.retired])
    # what the checks before asked for stays until the next change: taken back, one costs nothing
    parts.drop_parts(session, table_id, [*asked, *_asked(session, table_id)])
    told: dict[str, Any] = {name: getattr(change, name) for name in ("added", "changed", "retired")}
    files = {str(one.get("file")) for name, one in origins.items() if name in (*change.added, *change.changed)}
    told |= {"imported_from": sorted(files)} if files else {}
    item = audit.of_table(session, "table", table_id, table_id)
    audit.record(session, actor, "declare", item, before={STOOD: stood}, after=told)
    return replace(change, off=_off(row for row, _ in checks_of(session, table_id)))


def _off(rows: Iterable[RuleRow]) -> list[Off]:
    return [Off(row.learner.removeprefix(LEARNER), row.id or 0, row.status) for row in rows if row.status != "active"]


def _with_origin(rule: Rule, current: Mapping[str, RuleRow], origins: Mapping[str, Any]) -> Rule:
    """A check of a contract keeps which one until somebody makes another of it."""
    name, row = rule.learner.removeprefix(LEARNER), current.get(rule.learner)
    if name in origins:
        return replace(rule, evidence={IMPORTED: origins[name]})
    same = row is not None and row.fingerprint == rule.fingerprint
    return replace(rule, evidence=rules.as_rule(row).evidence) if row is not None and same else rule


def _supersede_paused(session: Session, rows: Iterable[RuleRow]) -> None:
    """A person retired them: that they were paused is no reason to keep them."""
    for row in rows:
        session.refresh(row)
        row.status = "superseded"
    session.flush()


def _asked(session: Session, table_id: int) -> list[str]:
    """Keys of the parts that the checks of a table ask for."""
    return [part.key for _, rule in checks_of(session, table_id) for part in rule.constraint.parts]


def _change(table: str, current: Mapping[str, RuleRow], wanted: Mapping[str, Rule]) -> Change:
    def names(learners: Iterable[str]) -> list[str]:
        return sorted(learner.removeprefix(LEARNER) for learner in learners)

    both = [learner for learner in wanted if learner in current]
    same = [
        learner for learner in both if _says(current[learner]) == (wanted[learner].fingerprint, wanted[learner].hint)
    ]
    return Change(
        table,
        added=names(learner for learner in wanted if learner not in current),
        changed=names(learner for learner in both if learner not in same),
        kept=names(same),
        retired=names(learner for learner in current if learner not in wanted),
    )


def _says(row: RuleRow) -> tuple[str, str | None]:
    return row.fingerprint, row.body.get("hint")


def comparing_with(session: Session, table_ids: Collection[int]) -> dict[int, list[RuleRow]]:
    """The checks in force that compare their table with one of these, by their own table."""
    found: dict[int, list[RuleRow]] = {}
    named: dict[str, int | None] = {}
    query = select(RuleRow).where(RuleRow.kind == DeclaredRule.kind_name, RuleRow.status == "active")
    query = query.where(col(RuleRow.body)["other"].as_string().is_not(None))
    for row in session.exec(query.order_by(col(RuleRow.id))):
        name = row.body["other"]
        if name not in named:
            named[name] = _id_of(session, name)
        if named[name] in table_ids:
            found.setdefault(row.table_id, []).append(row)
    return found


def _id_of(session: Session, name: str) -> int | None:
    try:
        return tables.get_table(session, name).id
    except UsageError:  # renamed, or forgotten
        return None


def said_of_version(session: Session, rule_ids: Sequence[int], version: int) -> dict[int, Outcome]:
    """What rules said of a version, by rule."""
    query = select(Outcome).where(Outcome.version == version, col(Outcome.rule_id).in_(rule_ids))
    return {one.rule_id: one for one in session.exec(query)}


def last_said(session: Session, row: RuleRow, before: int) -> Outcome | None:
    """What a check, in any revision that counted the same, said last of a version before one."""
    same = select(RuleRow.id).where(RuleRow.table_id == row.table_id, RuleRow.learner == row.learner)
    same = same.where(RuleRow.kind == row.kind, RuleRow.fingerprint == row.fingerprint)
    query = select(Outcome).where(Outcome.table_id == row.table_id, Outcome.version < before)
    return session.exec(query.where(col(Outcome.rule_id).in_(same)).order_by(col(Outcome.version).desc())).first()


def unhealthy(session: Session, table_id: int) -> set[int]:
    """Versions that nothing is learned from."""
    query = select(Version.number).where(Version.table_id == table_id, col(Version.label).in_(UNHEALTHY))
    return set(session.exec(query).all())


def unsaid(session: Session, table_id: int, version: int) -> list[RuleRow]:
    """The declared checks in force that have said nothing of a version yet."""
    said = set(
        session.exec(select(Outcome.rule_id).where(Outcome.table_id == table_id, Outcome.version == version)).all()
    )
    active = declared_rows(rules.active_rules(session, table_id))
    return [row for row, rule in active if row.id not in said and not rule.of_waits]
