"""One change that stays is one incident until people accept the new state. Each function takes a session and never
commits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from catalog.causes.cause import SURE, Cause
from catalog.checks.feedback import RIGHT
from catalog.history.labels import taken_for
from catalog.rules.kinds.key import OneOfEach
from catalog.rules.rule import DECLARED, class_of, family
from catalog.rules.verdict import PASSED, VIOLATED
from catalog.store.expectations.demands import check_name, incidents_of, rules_of, same_demand
from catalog.store.expectations.rules import active_rules, as_rule, end_rules, put_rules, take_back
from catalog.store.expectations.weekly import level_of
from catalog.store.incidents.groups import open_lead
from catalog.store.lake.tables import list_columns
from catalog.store.lake.versions import shares_rows
from catalog.store.models import Incident, Outcome, RuleRow, Version

#: How many times as many rows are broken as were at first, for people to be told again. Chosen: most of them are news.
WORSE = 2.0
VERSIONS = 90  # that a schema rule's stated rate is learned from


def standing(session: Session, rule: RuleRow, version: int, detail: Mapping[str, Any]) -> Incident | None:
    """The resolved incident that a violation goes on with: the last one of the same rule and column, after which no
    version passed, and of which this is the same change (`Rule.continues`), the same state that people called right
    (`Rule.stays`), or in rows that they were asked about (`_same_rows`); None where it is another."""
    kinds, name = family(rule.kind), check_name(rule.learner)
    own = (RuleRow.learner == rule.learner,) if name else ()
    query = select(Incident).where(
        Incident.table_id == rule.table_id,
        col(Incident.kind).in_(kinds),
        Incident.column_name == rule.column_name,
        Incident.check_name == name,
        col(Incident.last_version) < version,
    )
    last = session.exec(query.order_by(col(Incident.last_version).desc(), col(Incident.id).desc()).limit(1)).first()
    if last is None or last.status != "resolved":
        return None
    passed = (
        select(func.count())
        .select_from(Outcome)
        .join(RuleRow, col(RuleRow.id) == col(Outcome.rule_id))
        .where(
            Outcome.table_id == rule.table_id,
            Outcome.status == PASSED,
            col(Outcome.version).between(last.last_version + 1, version - 1),
            RuleRow.column_name == rule.column_name,
            col(RuleRow.kind).in_(kinds),
            *own,
        )
    )
    if session.exec(passed).one():
        return None
    first, kind = session.get_one(Outcome, last.outcome_id), class_of(rule.kind)
    goes_on = kind.continues(first.detail, detail) or kind.stays(_accepted_metrics(session, rule, last), detail)
    return last if goes_on or (not kind.of_schema and _same_rows(session, last, version)) else None


def _same_rows(session: Session, incident: Incident, version: int) -> bool:
    """Whether a version brings rows again that an incident was answered of: yesterday's, of a job that replaces two
    days, beside other rows of today, so that their part of all is another. What came since the answer is not counted:
    a day later all rows are others."""
    answered = violated(session, incident, incident.updated_at)
    return bool(answered) and shares_rows(session, incident.table_id, max(answered), version)


def apart(session: Session, incident: Incident, cause: Cause, version: int) -> Incident:
    """The row that tells of a version which an open incident was just extended to.

    It is another one where people wait with one cause, and the version surely broke for another, in another way: a
    fault is not hidden behind the one of the day before, whose cause is sure too or concerns far fewer rows. What
    breaks again as it did earlier is told there.
    """
    head = open_lead(session, incident) or incident
    if head.cause in ("", "unknown", cause.cause) or cause.cause == "unknown" or incident.first_version == version:
        return incident
    if cause.confidence < SURE or ((head.confidence or 0.0) < SURE and not _is_worse(head, cause)):
        return incident
    query = (
        select(Outcome, RuleRow)
        .join(RuleRow, col(RuleRow.id) == col(Outcome.rule_id))
        .where(Outcome.table_id == incident.table_id, Outcome.status == VIOLATED, *rules_of(incident))
        .where(col(Outcome.version).between(incident.first_version, version))
        .order_by(col(Outcome.version), col(Outcome.id))
    )
    said, kind = list(session.exec(query)), class_of(incident.kind)
    now, rule = said[-1]
    before = [one for one, _ in said if one.version < version]
    told_apart = kind.continues(now.detail, now.detail)  # of a single demand it is not
    if not before or not told_apart or any(kind.continues(one.detail, now.detail) for one in (before[0], before[-1])):
        return incident
    incident.last_version = before[-1].version
    again = session.exec(select(Incident).where(*incidents_of(rule), Incident.status != "resolved"))
    for other in again:
        if (open_lead(session, other) or other).cause == cause.cause:
            other.last_version, other.passed_version = version, None
            return other
    new = Incident(
        table_id=incident.table_id,
        kind=incident.kind,
        column_name=incident.column_name,
        check_name=incident.check_name,
        outcome_id=now.id,
        first_version=version,
        last_version=version,
        since_version=version,
        level=level_of(now, rule),
        sentence=now.sentence,
    )
    session.add(new)
    session.flush()
    return new


def _is_worse(head: Incident, cause: Cause) -> bool:
    """Whether a cause concerns far more of the rows than the one that people wait with."""
    before, share = (size.get("share") for size in ((head.diagnosis or {}).get("size") or {}, cause.size))
    return before is not None and share is not None and share >= WORSE * before


def _accepted_metrics(session: Session, rule: RuleRow, last: Incident) -> Mapping[str, float]:
    """The metrics of a rule's column in the last version of an incident, where people called that right."""
    if last.reason not in RIGHT or not class_of(rule.kind).of_series:
        return {}
    from catalog.history.series import TableMetrics, column_series  # loads what folds; lists do without it

    query = select(Version.metrics).where(Version.table_id == last.table_id, Version.number == last.last_version)
    kept = session.exec(query).first()
    return column_series([TableMetrics.decode(kept)], rule.column_name or None)[0] if kept else {}


def accepted(session: Session, rule: RuleRow, version: int, detail: Mapping[str, Any]) -> bool:
    """Whether people called the state right that a violation goes on with."""
    last = standing(session, rule, version, detail)
    return last is not None and last.reason in RIGHT


def accept_schema(session: Session, incident: Incident) -> None:
    """A changed schema was called right: the rule demands the columns as they are, from the next version on, and what
    was learned of a column that is gone ends, which no version can be asked any more."""
    query = select(Version.schema_columns, Version.label, Version.violated).where(
        Version.table_id == incident.table_id, Version.number <= incident.last_version
    )
    latest = session.exec(query.order_by(col(Version.number).desc()).limit(VERSIONS)).all()[::-1]
    from catalog.learners.schema import learn_schema  # loads what folds; lists do without it

    rule = learn_schema([(columns, taken_for(label, broke)) for columns, label, broke in latest])
    if rule is not None:
        put_rules(session, incident.table_id, [rule], learners="schema", since_version=incident.last_version)
    there = {column.name for column in list_columns(session, incident.table_id)}
    learned = [row for row in active_rules(session, incident.table_id) if not row.learner.startswith(DECLARED)]
    end_rules(session, [row for row in learned if _asks(row) - there])


def _asks(row: RuleRow) -> set[str]:
    """The columns that a rule is asked of; none of a rule on the whole table."""
    rule = as_rule(row)
    together = rule.together if isinstance(rule, OneOfEach) else ()
    return {row.column_name, *together} - {""}


def take_rule_back(session: Session, incident: Incident) -> None:
    """The data was not right after all: what was learned from it since is replaced by the rule that alarmed."""
    judged = session.get_one(RuleRow, session.get_one(Outcome, incident.outcome_id).rule_id)
    query = select(RuleRow).where(*same_demand(judged), RuleRow.status != "superseded")
    current = session.exec(query).first()
    if current is not None and current.since_version >= incident.first_version:
        take_back(session, current, judged)


def violated(session: Session, incident: Incident, until: datetime | None = None) -> set[int]:
    """The versions that an incident's rules found bad, until a time where one is given."""
    query = (
        select(Outcome.version)
        .join(RuleRow, col(RuleRow.id) == col(Outcome.rule_id))
        .where(
            Outcome.table_id == incident.table_id,
            Outcome.status == VIOLATED,
            *rules_of(incident),
            col(Outcome.version).between(incident.first_version, incident.last_version),
        )
    )
    return set(session.exec(query if until is None else query.where(col(Outcome.judged_at) <= until)))
