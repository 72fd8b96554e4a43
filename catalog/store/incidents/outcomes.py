"""What rules said of versions, and the incidents that follow. Never commits.

An incident is what one kind of rule, or one declared check, has against one column (or the whole table): while it is
open, later bad versions extend it instead of opening another, unless versions passed since and it broke in another way:
that is news, though nobody has answered what was before. A version that passes does not resolve it (the bad rows
are still in the lake, or in what was made of them), but is noted as `passed_version`, so that a page can say "passes
again since version 31"; a person resolves it, with a reason. An incident of level ``warning`` (of a demoted rule, or
held back under the weekly budget) is no alarm: it is listed, not counted among what is open. The reason labels its bad
versions: a false alarm or a true change makes them healthy (learners may learn from them again), anything else makes
them incidents (learners leave them out). A true change is no mark against the rule that told it, and costs no budget.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import case, or_, update
from sqlmodel import Session, col, func, select

from catalog.checks.feedback import REASONS, RIGHT, label
from catalog.errors import NotFound, UsageError
from catalog.rules.rule import class_of
from catalog.rules.verdict import PASSED, VIOLATED, Verdict
from catalog.store.access import audit, owners, people
from catalog.store.engine import chunks, insert_new
from catalog.store.expectations.demands import check_name, incidents_of
from catalog.store.expectations.weekly import level_of
from catalog.store.incidents import persistent
from catalog.store.incidents.groups import members
from catalog.store.models import ANYWAY, HELD_BACK, Incident, Outcome, RuleRow, Version, now

OPEN_STATUSES = ("new", "acknowledged", "assigned")


def outcome_row(
    table_id: int,
    version: int,
    rule_id: int,
    verdict: Verdict,
    *,
    replay: Mapping[str, Any] | None = None,
    rows: Sequence[Mapping[str, Any]] | None = None,
    held_back: bool = False,
    anyway: bool = False,
) -> dict[str, Any]:
    """The row of `record_outcomes` for a verdict. `rows` are offending rows, masked already; what is `held_back` under
    the lake's weekly budget opens a warning, what is told `anyway` an alarm though its rule is demoted."""
    detail: dict[str, Any] = {
        "observed": verdict.observed,
        "expected": verdict.expected,
        "offenders": verdict.offenders,
    }
    detail |= {} if verdict.p_value is None else {"p_value": verdict.p_value}
    detail |= {HELD_BACK: True} if held_back else {}
    detail |= {ANYWAY: True} if anyway else {}
    row = {"table_id": table_id, "version": version, "rule_id": rule_id, "status": verdict.status}
    row |= {"sentence": verdict.sentence, "metric": verdict.metric, "detail": detail, "replay": dict(replay or {})}
    row |= {name: _number(getattr(verdict, name)) for name in ("value", "low", "high")}
    return row | {"rows": None if rows is None else [dict(one) for one in rows]}


def record_outcomes(session: Session, rows: Iterable[Mapping[str, Any]]) -> list[Outcome]:
    """Keep outcomes, each (table, version, rule) once for ever, and count them on their versions.

    Returns those that were not there: whatever follows from an outcome (incident, notification) follows from these
    only, whoever runs twice.
    """
    ordered = sorted(rows, key=lambda row: (row["table_id"], row["version"], row["rule_id"]))
    new = [key for (key,) in insert_new(session, Outcome, ordered, returning=[Outcome.id])]
    found = [one for part in chunks(new) for one in session.exec(select(Outcome).where(col(Outcome.id).in_(part)))]
    _count(session, found)
    return sorted(found, key=lambda one: (one.table_id, one.version, one.rule_id))


def follow_up(session: Session, new: Iterable[Outcome]) -> None:
    """Open and extend the incidents that follow from outcomes that were not there before, and note what passes again.

    Those of a demoted rule are warnings: nobody is asked to act on them, but a person can say whether they were right.
    """
    listed = list(new)
    for outcome in listed:
        if outcome.status == VIOLATED:
            open_or_update_incident(session, outcome)
    mark_passed(session, listed)


def open_or_update_incident(session: Session, outcome: Outcome) -> tuple[Incident, bool]:
    """The incident of a violated outcome, and whether it was opened by it.

    The open incident of the same (table, kind, column, declared check) is extended to the outcome's version; without
    one, or where it passed since and this is another change, one is opened, unless a resolved incident covers that
    version already (a person has decided on it), or the violation goes on with what a resolved one saw
    (`catalog.store.incidents.persistent`). Calling it again changes nothing. Errors: `ValueError` for an outcome that
    is not violated.
    """
    if outcome.status != VIOLATED:
        raise ValueError(f"outcome {outcome.id} is {outcome.status}: no incident follows")
    rule = session.get_one(RuleRow, outcome.rule_id)
    mine = incidents_of(rule)
    covered = session.exec(
        select(Incident).where(
            *mine,
            Incident.status == "resolved",
            Incident.first_version <= outcome.version,
            Incident.last_version >= outcome.version,
        )
    ).first()
    if covered is not None:
        return covered, False
    last = persistent.standing(session, rule, outcome.version, outcome.detail)
    if last is not None:
        _go_on(session, last, outcome, rule)
        return last, False
    level = level_of(outcome, rule)
    row = {"table_id": outcome.table_id, "kind": rule.kind, "column_name": rule.column_name, "level": level}
    row |= {"check_name": check_name(rule.learner)}
    row |= {"outcome_id": outcome.id, "first_version": outcome.version, "last_version": outcome.version}
    since = _since(session, rule, outcome)
    row |= {"since_version": since, "sentence": outcome.sentence}
    opened = insert_new(session, Incident, [row], returning=[Incident.id])
    same = (*mine, Incident.since_version == since, Incident.status != "resolved")
    incident = session.exec(select(Incident).where(*same).with_for_update()).one()
    if not opened:
        _extend(incident, outcome, level)
        session.flush()
    return incident, bool(opened)


def _since(session: Session, rule: RuleRow, outcome: Outcome) -> int:
    """Which of a rule's open incidents a violation belongs to, or is to open, by `since_version`: the one whose change
    it is, else the latest, or a new one where that passed before and this is another change."""
    query = select(Incident).where(
        *incidents_of(rule), Incident.status != "resolved", Incident.since_version <= outcome.version
    )
    asked = list(session.exec(query.order_by(col(Incident.since_version).desc())))
    if not asked:
        return 0
    kind, latest = class_of(rule.kind), asked[0]
    ended = latest.passed_version is not None and latest.passed_version < outcome.version
    told_apart = kind.continues(outcome.detail, outcome.detail)  # of a single demand it is not: that breaks again
    if latest.passed_version is None or not (ended and told_apart):
        return latest.since_version
    first = ((one, session.get_one(Outcome, one.outcome_id).detail) for one in asked)
    same = (one.since_version for one, detail in first if kind.continues(detail, outcome.detail))
    return next(same, latest.passed_version)


def mark_passed(session: Session, outcomes: Iterable[Outcome]) -> None:
    """Note on open incidents that a later version of theirs passed. Outcomes that did not pass are left out."""
    passed = [one for one in outcomes if one.status == PASSED]
    unresolved: set[int] = set()  # tables: most have no incident, and each has many rules
    for part in chunks(sorted({one.table_id for one in passed})):
        query = select(Incident.table_id).where(col(Incident.table_id).in_(part), Incident.status != "resolved")
        unresolved.update(session.exec(query.distinct()))
    for outcome in passed:
        if outcome.table_id not in unresolved:
            continue
        rule = session.get_one(RuleRow, outcome.rule_id)
        noted = update(Incident).where(
            *incidents_of(rule),
            col(Incident.status) != "resolved",
            col(Incident.last_version) < outcome.version,
            or_(col(Incident.passed_version).is_(None), col(Incident.passed_version) > outcome.version),
        )
        session.exec(noted.values(passed_version=outcome.version))


def resolve(session: Session, incident_id: int, reason: str, *, actor: str, comment: str | None = None) -> Incident:
    """A person closes an incident. `reason` is one of `REASONS`; the bad versions are labelled by it.

    A version that another incident calls bad (open, or resolved as a real one) is not made healthy by a false alarm or
    a true change. Errors: `NotFound`, `UsageError` (no such reason, or resolved already, or Other without a comment).
    """
    incident = get_incident(session, incident_id)
    if reason not in REASONS:
        raise UsageError(f"{reason!r} is no reason to resolve an incident", remedy=f"use one of {', '.join(REASONS)}")
    if reason == "Other" and not comment:
        raise UsageError("the reason Other says nothing by itself", remedy="add a comment")
    if incident.status == "resolved":
        raise UsageError(f"incident {incident_id} is resolved already", remedy="open the latest incident instead")
    before = _said(incident)
    incident.status, incident.reason, incident.comment, incident.actor = "resolved", reason, comment, actor
    incident.updated_at = now()
    session.flush()
    _label(session, incident, label(reason))
    if class_of(incident.kind).of_schema and reason in RIGHT:
        persistent.accept_schema(session, incident)
    for member in members(session, incident)[1:]:  # what broke for the same cause has the same answer
        if member.status != "resolved":
            resolve(session, member.id, reason, actor=actor, comment=comment)
    _record(session, "resolve", incident, before, actor, reason=comment)
    return incident


def _said(incident: Incident) -> dict[str, Any]:
    """What people said of an incident."""
    return {"status": incident.status, "reason": incident.reason, "assignee": incident.assignee}


def _record(
    session: Session, action: str, incident: Incident, before: dict[str, Any], actor: str, reason: str | None = None
) -> None:
    about = f"{incident.column_name}: {incident.kind} incident {incident.id}".removeprefix(": ")
    item = audit.of_table(session, "incident", incident.id, incident.table_id, about)
    audit.record(session, actor, action, item, before=before, after=_said(incident), reason=reason)


def reopen(session: Session, incident_id: int, *, actor: str) -> Incident:
    """A person takes back the answer to a resolved incident: it is open again and of whom it was assigned to, its
    versions are under suspicion as they were, and a rule that was learned again from a false alarm is the one that
    alarmed again.

    Errors: `NotFound`, `UsageError` (it is open, or another of the same rule and column is).
    """
    incident = get_incident(session, incident_id)
    if incident.status != "resolved":
        raise UsageError(f"incident {incident_id} is open", remedy="only a resolved incident can be reopened")
    query = select(Incident.id).where(
        Incident.table_id == incident.table_id,
        Incident.kind == incident.kind,
        Incident.column_name == incident.column_name,
        Incident.check_name == incident.check_name,
        Incident.since_version == incident.since_version,
    )
    other = session.exec(query.where(Incident.status != "resolved")).first()
    if other is not None:
        raise UsageError(f"incident {other} of the same rule is open", remedy=f"resolve incident {other} first")
    before = _said(incident)
    was, incident.taken_back = incident.reason or "", f"{incident.reason} by {incident.actor}"
    incident.status, incident.reason, incident.actor = "assigned" if incident.assignee else "new", None, actor
    incident.updated_at = incident.reopened_at = now()
    _leave_resolved(session, incident)
    session.flush()
    _unlabel(session, incident, label(was))
    if was in RIGHT:
        persistent.take_rule_back(session, incident)
    for member in members(session, incident)[1:]:
        if member.status == "resolved":
            with suppress(UsageError):  # another incident of its rule is open already
                reopen(session, member.id, actor=actor)
    _record(session, "reopen", incident, before, actor)
    return incident


def set_incident(
    session: Session, incident_id: int, *, actor: str, status: str, assignee: str | None = None
) -> Incident:
    """A person acknowledges an open incident or gives it to someone; one that is `new` again is nobody's. Errors:
    `NotFound`, `UsageError`."""
    incident = get_incident(session, incident_id)
    if incident.status == "resolved":
        raise UsageError(f"incident {incident_id} is resolved", remedy="open incidents can be changed")
    if status not in OPEN_STATUSES:
        raise UsageError(f"an open incident cannot be {status!r}", remedy=f"use one of {', '.join(OPEN_STATUSES)}")
    if status == "assigned" and not assignee:
        raise UsageError("an assigned incident needs a name", remedy="say to whom")
    if assignee and assignee != incident.assignee and people.has_users(session):
        owners.demand_known(session, assignee)  # a misspelt name would leave it to nobody
    before = _said(incident)
    incident.status, incident.actor, incident.updated_at = status, actor, now()
    incident.assignee = assignee or (None if status == "new" else incident.assignee)
    session.flush()
    _record(session, {"acknowledged": "acknowledge", "assigned": "assign"}.get(status, status), incident, before, actor)
    return incident


def get_incident(session: Session, incident_id: int) -> Incident:
    """Errors: `NotFound`."""
    incident = session.get(Incident, incident_id)
    if incident is None:
        raise NotFound(
            f"no incident {incident_id}",
            remedy="the page Incidents and `assay incident list --all` show those there are",
        )
    return incident


def _count(session: Session, new: Sequence[Outcome]) -> None:
    """Add new outcomes to the figures of their versions."""
    said: dict[tuple[int, int], list[Outcome]] = defaultdict(list)
    for one in new:
        if one.status in (PASSED, VIOLATED):
            said[one.table_id, one.version].append(one)
    ids = sorted({one.rule_id for one in new})
    rates = dict(
        row
        for part in chunks(ids)
        for row in session.exec(select(RuleRow.id, RuleRow.fpr).where(col(RuleRow.id).in_(part)))
    )
    for (table_id, number), outcomes in sorted(said.items()):
        violated = sum(one.status == VIOLATED for one in outcomes)
        session.exec(
            update(Version)
            .where(col(Version.table_id) == table_id, col(Version.number) == number)
            .values(
                passed=col(Version.passed) + len(outcomes) - violated,
                violated=col(Version.violated) + violated,
                expected_alarms=col(Version.expected_alarms) + sum(rates[one.rule_id] for one in outcomes),
                judged_at=func.coalesce(Version.judged_at, now()),
            )
            .execution_options(synchronize_session=False)
        )


def _extend(incident: Incident, outcome: Outcome, level: str) -> None:
    """Take one more bad version into an open incident; an earlier one becomes its first."""
    before = (incident.first_version, incident.last_version)
    if outcome.version < incident.first_version:
        incident.first_version, incident.outcome_id = outcome.version, outcome.id  # type: ignore[assignment]
        incident.sentence = outcome.sentence
    if outcome.version > incident.last_version:
        incident.last_version = outcome.version
        if incident.passed_version is not None and incident.passed_version <= outcome.version:
            incident.passed_version = None
    if level == "error":
        incident.level = "error"
    if before != (incident.first_version, incident.last_version):
        incident.updated_at = now()


def _go_on(session: Session, incident: Incident, outcome: Outcome, rule: RuleRow) -> None:
    """A change that was answered goes on in one more version. A state that people accepted stays so, and so does a
    schema whose damage they know; values that were confirmed to be wrong and still are ask for an answer again."""
    incident.last_version = outcome.version
    if incident.reason not in RIGHT and not class_of(rule.kind).of_schema:
        incident.taken_back = f"{incident.reason} by {incident.actor}, but it went on in version {outcome.version}"
        incident.status, incident.reason, incident.passed_version = "new", None, None
        incident.updated_at = now()
        _leave_resolved(session, incident)
    session.flush()


def _leave_resolved(session: Session, incident: Incident) -> None:
    """An incident that is open again stands by itself where the one that leads it is resolved: lists show leaders."""
    for name in ("lead_id", "spread_id"):
        leader = session.get(Incident, getattr(incident, name) or 0)
        if leader is not None and leader.status == "resolved":
            setattr(incident, name, None)


def _unlabel(session: Session, incident: Incident, label: str) -> None:
    """Take the label of an answer back from the versions it was given to: without it, a violation about values makes
    them suspect. What another answer says of a version stays."""
    bad = persistent.violated(session, incident)
    others = select(Incident.first_version, Incident.last_version, Incident.reason).where(
        Incident.table_id == incident.table_id, Incident.id != incident.id, Incident.status == "resolved"
    )
    for first, last, reason in session.exec(others):
        if label == "incident" and reason not in RIGHT:
            bad -= set(range(first, last + 1))
    left = "suspect" if class_of(incident.kind).of_values and incident.level == "error" else None
    query = update(Version).where(col(Version.table_id) == incident.table_id, col(Version.label) == label)
    for part in chunks(sorted(bad)):
        session.exec(query.where(col(Version.number).in_(part)).values(label=left))


def _label(session: Session, incident: Incident, label: str) -> None:
    """Label the versions that the incident's rules found bad. Those that a person confirmed as bad stay so."""
    bad = persistent.violated(session, incident)
    query = update(Version).where(col(Version.table_id) == incident.table_id)
    if label == "healthy":
        query = query.where(func.coalesce(Version.label, "") != "incident")
        others = select(Incident.first_version, Incident.last_version).where(
            Incident.table_id == incident.table_id,
            Incident.id != incident.id,
            case((col(Incident.status) == "resolved", col(Incident.reason).not_in(RIGHT)), else_=True),
        )
        for first, last in session.exec(others):
            bad -= set(range(first, last + 1))
    for part in chunks(sorted(bad)):
        session.exec(query.where(col(Version.number).in_(part)).values(label=label))


def _number(value: Any) -> float | None:
    """A float that both databases keep: NaN is null."""
    return None if value is None or math.isnan(value) else float(value)
