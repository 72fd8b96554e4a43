"""Rules in their revisions. Each function takes a session and never commits.

What a person decided outlives what Assay learns again: a rule that was paused or rejected stays so through its next
revisions, and what was decided about one of its clauses is applied to each of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, update
from sqlmodel import Session, col, func, select

from catalog.checks.feedback import FALSE_ALARM
from catalog.errors import NotFound, UsageError
from catalog.rules.decisions import Decision, decide
from catalog.rules.replayed import REPLAYED, Replayed
from catalog.rules.rule import Rule, family, kinds_where
from catalog.store.access import audit
from catalog.store.access.approvals import hold, is_second
from catalog.store.engine import chunks, full_row
from catalog.store.expectations.demands import demand_of, same_demand
from catalog.store.meaning.privacy import at_rest, hiding, say_once, shown_sentence
from catalog.store.models import ClauseDecision, Incident, Outcome, RuleEvent, RuleRow, Table

RULE_STATUSES = ("active", "paused", "rejected", "draft")
ACTIONS = {"active": "activate", "paused": "pause", "rejected": "reject", "draft": "draft"}


@dataclass(frozen=True)
class PutRules:
    """What `put_rules` did: rules that were not there, changed (a new revision), kept, or no longer proposed."""

    added: int = 0
    changed: int = 0
    kept: int = 0
    dropped: int = 0


def as_rule(row: RuleRow) -> Rule:
    """The rule that a table is judged by."""
    return Rule.from_json(row.body)


def replayed(session: Session, table_id: int) -> tuple[Replayed, Replayed]:
    """What replays showed of a table, and of all others of the lake: what is in the evidence of their rules."""
    figures = [func.max(col(RuleRow.body)[("evidence", name)].as_float()) for name in REPLAYED]
    query: Any = (
        select(RuleRow.table_id, *figures)  # type: ignore[call-overload]
        .where(RuleRow.status == "active", col(RuleRow.kind).in_(kinds_where("of_series")))
        .group_by(col(RuleRow.table_id))
    )
    found = {table: [float(x or 0) for x in row] for table, *row in session.exec(query)}
    nothing = [0.0] * len(REPLAYED)
    own = found.pop(table_id, nothing)
    others = [float(sum(column)) for column in zip(*found.values(), strict=True)] or nothing
    one, rest = (Replayed(int(n), int(alarms), expected, int(at)) for n, alarms, expected, at in (own, others))
    return one, rest


def active_rules(session: Session, table_id: int) -> list[RuleRow]:
    """The rules a table is judged by, in the order they were made."""
    query = select(RuleRow).where(RuleRow.table_id == table_id, RuleRow.status == "active")
    return list(session.exec(query.order_by(col(RuleRow.id))))


def called_false(session: Session, table_id: int, kinds: Sequence[str]) -> list[tuple[Rule, dict[str, Any]]]:
    """Rules of these kinds whose alarms people called false, in the revision that raised each, and what each said: the
    detail of its outcome."""
    query = (
        select(RuleRow, Outcome)
        .join(Outcome, col(Outcome.rule_id) == RuleRow.id)
        .join(Incident, col(Incident.outcome_id) == Outcome.id)
        .where(RuleRow.table_id == table_id, col(RuleRow.kind).in_(kinds), Incident.reason == FALSE_ALARM)
    )
    return [(as_rule(row), outcome.detail) for row, outcome in session.exec(query.order_by(col(Outcome.id)))]


def demoted_rules(session: Session, table_id: int) -> list[RuleRow]:
    """A table's rules that only warn, the latest demotion first."""
    query = select(RuleRow).where(
        RuleRow.table_id == table_id, col(RuleRow.demoted_at).is_not(None), RuleRow.status != "superseded"
    )
    return list(session.exec(query.order_by(col(RuleRow.demoted_at).desc(), col(RuleRow.id))))


def put_rules(
    session: Session,
    table_id: int,
    rules: Sequence[Rule],
    *,
    learners: str | Iterable[str],
    since_version: int,
    columns: Iterable[str | None] | None = None,
) -> PutRules:
    """Make the rules of these learners those given, which judge versions after `since_version`.

    A rule whose fingerprint changed gets a new revision with its status, the old one is superseded; one with the same
    fingerprint keeps its revision (its evidence and stated rate are refreshed). An active or draft rule of these
    learners not among `rules` is superseded; a paused or rejected one stays, so that the decision is remembered.
    `columns` narrows that to rules of these columns (None among them: of the whole table). What people decided about
    single clauses is applied to the rules first; one that has no clause left by it counts as not given.

    Errors: `ValueError` when two rules have the same kind, column and learner, or a learner is not among `learners`.
    """
    names = {learners} if isinstance(learners, str) else set(learners)
    hide = hiding(session, table_id)
    wanted = _by_identity([at_rest(rule, hide) for rule in decided(session, table_id, rules)], names)
    session.exec(
        select(Table.id).where(Table.id == table_id).with_for_update(key_share=True)
    ).first()  # one writer a table
    query = select(RuleRow).where(RuleRow.table_id == table_id, col(RuleRow.learner).in_(names))
    current = {demand_of(row): row for row in session.exec(query.where(RuleRow.status != "superseded"))}
    revisions = _revisions(session, table_id, names)
    scope = None if columns is None else {column or "" for column in columns}
    kept, old, new = 0, [], []
    for key, rule in wanted.items():
        row = current.get(key)
        if row is not None and row.fingerprint == rule.fingerprint:
            kept += 1
            _refresh(row, rule, shown_sentence(rule, hide))
            continue
        if row is not None:
            old.append(row.id)
        made = _new_row(table_id, rule, row, revisions.get(key, 0) + 1, since_version)
        new.append(made | {"sentence": shown_sentence(rule, hide)})
    dropped = [
        row.id
        for key, row in current.items()
        if key not in wanted and row.status in ("active", "draft") and (scope is None or row.column_name in scope)
    ]
    session.flush()
    for part in chunks(old + dropped):
        session.exec(update(RuleRow).where(col(RuleRow.id).in_(part)).values(status="superseded"))
    if new:
        session.connection().execute(insert(RuleRow), [full_row(RuleRow, row) for row in new])
    say_once(session, table_id)
    return PutRules(len(new) - len(old), len(old), kept, len(dropped))


def end_rules(session: Session, rows: Iterable[RuleRow]) -> None:
    """Demand these rules no more; what was decided about those that are paused or rejected is remembered."""
    for row in rows:
        if row.status in ("active", "draft"):
            row.status = "superseded"
    session.flush()


def decided(session: Session, table_id: int, rules: Sequence[Rule]) -> list[Rule]:
    """The rules with what people decided about their clauses."""
    decisions = clause_decisions(session, table_id)
    found = []
    for rule in rules:
        mine = decisions.get((rule.column or "", rule.learner))
        kept = decide(rule, mine) if mine else rule
        if kept is not None:
            found.append(kept)
    return found


def clause_decisions(session: Session, table_id: int) -> dict[tuple[str, str], dict[str, Decision]]:
    """What people decided about the clauses of a table's rules: ``{(column, learner): {clause: decision}}``."""
    found: dict[tuple[str, str], dict[str, Decision]] = defaultdict(dict)
    query = select(ClauseDecision).where(ClauseDecision.table_id == table_id).order_by(col(ClauseDecision.id))
    for one in session.exec(query):
        found[one.column_name, one.learner][one.clause] = Decision(one.action, one.factor, one.body)
    return dict(found)


def revisions(session: Session, row: RuleRow, limit: int = 100) -> list[RuleRow]:
    """Every revision of a rule, the newest first."""
    query = select(RuleRow).where(*same_demand(row)).order_by(col(RuleRow.revision).desc(), col(RuleRow.id).desc())
    return list(session.exec(query.limit(limit)))


def get_rule(session: Session, rule_id: int) -> RuleRow:
    """A revision of a rule. Errors: `NotFound`."""
    row = session.get(RuleRow, rule_id)
    if row is None:
        raise NotFound(f"no rule {rule_id}", remedy="`assay rule list` shows those there are")
    return row


def standing_revision(session: Session, row: RuleRow) -> RuleRow | None:
    """The revision of a rule that stands now; None where it is demanded no more."""
    return session.exec(select(RuleRow).where(*same_demand(row), RuleRow.status != "superseded")).first()


def refuse_old(session: Session, row: RuleRow) -> None:
    """Errors: `UsageError` for an old revision, with the id of the one to decide on."""
    if row.status != "superseded":
        return
    now = standing_revision(session, row)
    remedy = f"decide on rule {now.id}, which stands now" if now else "the rule is demanded no more"
    raise UsageError(f"rule {row.id} is an old revision", remedy=remedy)


def set_rule_status(session: Session, rule_id: int, status: str, actor: str, reason: str | None = None) -> RuleRow:
    """A person activates, pauses or rejects a rule. Errors: `NotFound`, `UsageError`."""
    row = get_rule(session, rule_id)
    if status not in RULE_STATUSES:
        raise UsageError(f"a rule cannot be {status!r}", remedy=f"use one of {', '.join(RULE_STATUSES)}")
    refuse_old(session, row)
    before, drafted = row.status, {"author": row.actor} if row.status == "draft" else {}
    if before != status:
        args = {"rule": rule_id, "status": status}
        if not (drafted and is_second(session, row.actor, actor)):
            hold(session, "rule", args, audit.of_rule(session, row), actor, ACTIONS[status], reason)
        note(session, row, status, actor=actor, reason=reason)
    row.status, row.actor = status, actor
    session.flush()
    say_once(session, row.table_id, row.column_name)
    if before != status:
        action = "resume" if (before, status) == ("paused", "active") else ACTIONS[status]
        item = audit.of_rule(session, row)
        was = {"status": before, **drafted}
        audit.record(session, actor, action, item, before=was, after={"status": status}, reason=reason)
    return row


def note(
    session: Session,
    row: RuleRow,
    what: str,
    *,
    clause: str | None = None,
    reason: str | None = None,
    actor: str = "assay",
) -> None:
    """Write down what was decided about a rule."""
    names = ("table_id", "column_name", "kind", "learner")
    session.add(
        RuleEvent(**{name: getattr(row, name) for name in names}, what=what, clause=clause, reason=reason, actor=actor)
    )


def events(session: Session, row: RuleRow, limit: int = 50) -> list[RuleEvent]:
    """What was decided about a rule, over all its revisions, the latest first."""
    query = select(RuleEvent).where(
        RuleEvent.table_id == row.table_id,
        RuleEvent.column_name == row.column_name,
        RuleEvent.learner == row.learner,
        col(RuleEvent.kind).in_(family(row.kind)),
    )
    return list(session.exec(query.order_by(col(RuleEvent.id).desc()).limit(limit)))


def _by_identity(rules: Sequence[Rule], learners: set[str]) -> dict[tuple[str, str, str], Rule]:
    wanted: dict[tuple[str, str, str], Rule] = {}
    for rule in rules:
        key = rule.identity
        if key in wanted:
            raise ValueError(f"two {rule.kind} rules of {rule.learner} for column {rule.column!r}")
        if rule.learner not in learners:
            raise ValueError(f"rule of learner {rule.learner!r}, which is none of {sorted(learners)}")
        wanted[key] = rule
    return dict(sorted(wanted.items()))


def _revisions(session: Session, table_id: int, learners: set[str]) -> dict[tuple[str, str, str], int]:
    """The highest revision there ever was of each rule."""
    query = (
        select(RuleRow.kind, RuleRow.column_name, RuleRow.learner, func.max(RuleRow.revision))
        .where(RuleRow.table_id == table_id, col(RuleRow.learner).in_(learners))
        .group_by(RuleRow.kind, RuleRow.column_name, RuleRow.learner)
    )
    found: dict[tuple[str, str, str], int] = {}
    for kind, column, learner, revision in session.exec(query):
        key = (family(kind)[0], column, learner)
        found[key] = max(found.get(key, 0), revision)
    return found


def new_revision(session: Session, old: RuleRow, rule: Rule, since_version: int) -> dict[str, Any]:
    """The row of a rule's next revision, with the status and standing of the old one."""
    newest = session.exec(select(func.max(RuleRow.revision)).where(*same_demand(old))).one()
    hide = hiding(session, old.table_id)
    kept = at_rest(rule, hide)
    sentence = shown_sentence(kept, hide)
    return _new_row(old.table_id, kept, old, (newest or 0) + 1, since_version) | {"sentence": sentence}


def take_back(session: Session, current: RuleRow, earlier: RuleRow) -> RuleRow:
    """Put an earlier revision in the place of the one in force, as its next one; nothing where both judge alike."""
    if current.fingerprint == earlier.fingerprint:
        return current
    return revise(session, current, as_rule(earlier), current.since_version)


def revise(session: Session, current: RuleRow, rule: Rule, since_version: int) -> RuleRow:
    """Put a rule in the place of the revision in force, as its next one."""
    row = new_revision(session, current, rule, since_version)
    current.status = "superseded"
    session.flush()
    key = session.connection().execute(
        insert(RuleRow).returning(RuleRow.__table__.c.id),  # type: ignore[attr-defined]
        full_row(RuleRow, row),
    )
    say_once(session, current.table_id, current.column_name)
    return session.get_one(RuleRow, key.scalar_one())


def _new_row(table_id: int, rule: Rule, old: RuleRow | None, revision: int, since_version: int) -> dict[str, Any]:
    row = {"table_id": table_id, "column_name": rule.column or "", "kind": rule.kind, "learner": rule.learner}
    row |= {"revision": revision, "fingerprint": rule.fingerprint, "level": rule.level, "fpr": rule.fpr or 0.0}
    row |= {"sentence": rule.sentence, "body": rule.to_json(), "since_version": since_version}
    if old is not None:
        kept = ("status", "actor", "demoted_at", "demotion", "trusted_at")
        row |= {name: getattr(old, name) for name in kept}
    return row


def _refresh(row: RuleRow, rule: Rule, sentence: str) -> None:
    """What judging does not depend on follows the latest learning."""
    told = (row.stated_fpr, row.sentence, row.body.get("evidence"), row.body.get("hint"))
    if told != (rule.fpr, sentence, rule.evidence, rule.hint):
        row.fpr, row.sentence, row.body = rule.fpr or 0.0, sentence, rule.to_json()


def first_judged(session: Session, table_id: int, kinds: Sequence[str], least: int) -> int | None:
    """The first version that a rule of these kinds, of any revision, could judge that was learned from `least` batches
    or more; None where there never was one."""
    batches = func.coalesce(col(RuleRow.body)["params"]["batches"].as_integer(), least)
    own = (RuleRow.table_id == table_id, col(RuleRow.kind).in_(kinds), batches >= least)
    since = session.exec(select(func.min(RuleRow.since_version)).where(*own)).one()
    return None if since is None else since + 1
