"""The ledger of false alarms: what rules promised, what they raised, and which of them are demoted for it.

An alarm is an incident (or a demoted rule's warning) of the day it was opened; it is false when a person resolved it
as `FALSE_ALARM`. What follows from the figures is decided by `catalog.checks.budget`. Each function takes a session and
never commits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import case, or_
from sqlmodel import Session, col, func, select

from catalog.checks.budget import WINDOW_DAYS, Account, Change
from catalog.checks.budget import settle as decide
from catalog.checks.feedback import FALSE_ALARM
from catalog.errors import UsageError
from catalog.rules.rule import family
from catalog.rules.verdict import PASSED, VIOLATED
from catalog.store.access import audit
from catalog.store.access.approvals import hold
from catalog.store.expectations.rules import events, get_rule, note, refuse_old
from catalog.store.models import Incident, Outcome, RuleRow, Source, Table, Version, now

TAKEN_BACK = "an answer that it was demoted for was taken back"
Key = tuple[str, str]  # kind (of rules on strings one for both), column: what an incident is about


@dataclass(frozen=True)
class Ledger:
    """A table's false alarms in the window: `expected` by the stated rates, and what became of the alarms there were.
    `demoted` rules only warn; `accounts` are those of rules that raised an alarm or are demoted."""

    table_id: int
    table: str
    source: str
    expected: float = 0.0
    judged: int = 0  # versions
    false: int = 0
    unlabelled: int = 0
    confirmed: int = 0
    demoted: int = 0
    budget: float = 0.0
    accounts: list[Account] = field(default_factory=list)

    @property
    def ref(self) -> str:
        return f"{self.source}/{self.table}"

    @property
    def over(self) -> bool:
        """More false alarms than people put up with."""
        return self.false > self.budget

    @property
    def promises_more(self) -> bool:
        """The rates that its rules state are more than the budget already."""
        return self.expected > self.budget


def window_start(moment: datetime | None = None) -> datetime:
    return (moment or now()) - timedelta(days=WINDOW_DAYS)


def pending(session: Session, table_id: int, *, moment: datetime | None = None) -> bool:
    """Whether there is anything to decide: a false alarm in the window, or a demoted rule."""
    since = window_start(moment)
    false = select(Incident.id).where(
        Incident.table_id == table_id, Incident.reason == FALSE_ALARM, col(Incident.opened_at) > since
    )
    demoted = select(RuleRow.id).where(RuleRow.table_id == table_id, col(RuleRow.demoted_at).is_not(None), *_current())
    return session.exec(false.limit(1)).first() is not None or session.exec(demoted.limit(1)).first() is not None


def settle(session: Session, table_id: int, budget: float, *, moment: datetime | None = None) -> list[Change]:
    """Demote the rules of a table that spent too much, promote those that behaved. Says what it changed.

    Parameters
    ----------
    budget : false alarms that a table may raise in `WINDOW_DAYS` days.
    """
    session.exec(select(Table.id).where(Table.id == table_id).with_for_update(key_share=True)).first()
    if not pending(session, table_id, moment=moment):
        return []
    changes = decide(accounts(session, table_id, moment=moment), budget)
    for change in changes:
        row = session.get_one(RuleRow, change.rule_id)
        if change.demoted:
            demote(session, row, change.reason)
        else:
            promote(session, row, change.reason, actor="assay")
    return changes


def demote(session: Session, row: RuleRow, reason: str, *, actor: str = "assay") -> None:
    """From now on the rule only warns. Its open incident stays: it may be right."""
    row.demoted_at, row.demotion = now(), reason
    note(session, row, "demoted", reason=reason, actor=actor)
    _audit(session, row, "demote", reason, actor)


def demote_by_person(session: Session, rule_id: int, reason: str, actor: str) -> RuleRow:
    """A person wants a rule to warn only. Errors: `NotFound`, `UsageError` (it does already, or no reason)."""
    row = get_rule(session, rule_id)
    refuse_old(session, row)
    if row.demoted_at is not None:
        raise UsageError(f"rule {rule_id} is demoted already", remedy="see `assay rule list`")
    if not reason.strip():
        raise UsageError("a rule is demoted for a reason", remedy="say why, for those who come after you")
    args = {"rule": rule_id, "reason": reason.strip()}
    hold(session, "demote", args, audit.of_rule(session, row), actor, "demote", reason.strip())
    demote(session, row, reason.strip(), actor=actor)
    return row


def reconsider(session: Session, table_id: int, budget: float, *, moment: datetime | None = None) -> list[Change]:
    """An answer was taken back: promote what would not have been demoted without it. Says what it changed."""
    told = accounts(session, table_id, moment=moment)
    demoted = [one for one in told if one.demoted and not one.by_person]
    still = {one.rule_id for one in decide([replace(one, demoted=False) for one in told], budget) if one.demoted}
    changes = [Change(one.rule_id, False, TAKEN_BACK) for one in demoted if one.rule_id not in still]
    for change in changes:
        row = session.get_one(RuleRow, change.rule_id)
        row.demoted_at, row.demotion = None, None  # without a new start: its other false alarms still count
        note(session, row, "promoted", reason=change.reason)
        _audit(session, row, "promote", change.reason, "assay")
    session.flush()
    return changes


def promote(session: Session, row: RuleRow, reason: str | None, *, actor: str) -> None:
    """The rule opens incidents again; what it did before is not held against it."""
    row.demoted_at, row.demotion, row.trusted_at = None, None, now()
    note(session, row, "promoted", reason=reason, actor=actor)
    _audit(session, row, "promote", reason, actor)


def _audit(session: Session, row: RuleRow, action: str, reason: str | None, actor: str) -> None:
    before, after = ({"level": row.level}, {"level": "warning"})
    if action == "promote":
        before, after = after, before
    audit.record(session, actor, action, audit.of_rule(session, row), before=before, after=after, reason=reason)


def promote_by_person(session: Session, rule_id: int, actor: str) -> RuleRow:
    """A person believes a demoted rule again. Errors: `NotFound`, `UsageError` (it is not demoted)."""
    row = get_rule(session, rule_id)
    if row.demoted_at is None or row.status == "superseded":
        raise UsageError(f"rule {rule_id} is not demoted", remedy="`assay rule list` shows which are")
    hold(session, "promote", {"rule": rule_id}, audit.of_rule(session, row), actor, "promote")
    promote(session, row, None, actor=actor)
    return row


def accounts(session: Session, table_id: int, *, moment: datetime | None = None) -> list[Account]:
    """What each rule in force promised and did in the window, or since it was last promoted; a rule that states no rate
    promised nothing and is left out."""
    since = window_start(moment)
    mine = select(RuleRow).where(RuleRow.table_id == table_id, RuleRow.status != "superseded")
    rows = [row for row in session.exec(mine) if row.stated_fpr is not None]
    trusted = {row.trusted_at for row in rows if row.trusted_at and row.trusted_at > since}
    said = {start: _said(session, table_id, start) for start in {since, *trusted}}
    raised = {start: _raised(session, table_id, start) for start in {since, *trusted}}
    found = []
    for row in rows:
        start = max(since, row.trusted_at or since)
        key = _key(row.kind, row.column_name)
        figures: dict[str, Any] = {**said[start].get(key, {}), **raised[start].get(key, {})}
        if row.demoted_at is not None:
            figures |= {"demoted": True, "whole_window": row.demoted_at <= since, "by_person": _by_person(session, row)}
        found.append(Account(row.id, row.kind, row.column_name, **figures))
    return found


def ledgers(
    session: Session, budget: float, *, table_ids: Iterable[int] | None = None, moment: datetime | None = None
) -> list[Ledger]:
    """The ledger of each table (of these only) that was judged or raised an alarm in the window, worst first; without
    their accounts."""
    since = window_start(moment)
    wanted = None if table_ids is None else list(table_ids)
    of_version, of_incident, of_rule = col(Version.table_id), col(Incident.table_id), col(RuleRow.table_id)
    judged: Any = select(of_version, func.sum(Version.expected_alarms), func.count()).where(
        col(Version.judged_at) > since, col(Version.passed) + col(Version.violated) > 0
    )
    alarms: Any = select(of_incident, *_kinds_of_alarm()).where(_in_window(since))
    demoted: Any = select(of_rule, func.count()).where(col(RuleRow.demoted_at).is_not(None), *_current())
    if wanted is not None:
        judged, alarms = judged.where(of_version.in_(wanted)), alarms.where(of_incident.in_(wanted))
        demoted = demoted.where(of_rule.in_(wanted))
    figures: dict[int, dict[str, Any]] = defaultdict(dict)
    for key, expected, count in session.exec(judged.group_by(of_version)):
        figures[key] |= {"expected": float(expected), "judged": count}
    for key, false, confirmed, unlabelled in session.exec(alarms.group_by(of_incident)):
        figures[key] |= {"false": int(false), "confirmed": int(confirmed), "unlabelled": int(unlabelled)}
    for key, count in session.exec(demoted.group_by(of_rule)):
        figures[key] |= {"demoted": count}
    if wanted is not None:
        figures.update({key: {} for key in wanted if key not in figures})
    names = session.exec(
        select(Table.id, Table.name, Source.name).join(Source, col(Source.id) == col(Table.source_id))
    ).all()
    found = [
        Ledger(key, table, source, budget=budget, **figures[key]) for key, table, source in names if key in figures
    ]
    return sorted(found, key=lambda one: (-one.false, -one.unlabelled, -one.demoted, -one.expected, one.ref))


def ledger(session: Session, table_id: int, budget: float, *, moment: datetime | None = None) -> Ledger:
    """The ledger of one table, with the accounts of its rules that have something to tell."""
    (whole,) = ledgers(session, budget, table_ids=[table_id], moment=moment)
    told = [
        one
        for one in accounts(session, table_id, moment=moment)
        if one.demoted or one.false or one.confirmed or one.unlabelled
    ]
    return replace(whole, accounts=sorted(told, key=lambda a: (-a.demoted, -a.false, -a.unlabelled, a.column, a.kind)))


def _by_person(session: Session, row: RuleRow) -> bool:
    """Whether a person demoted the rule."""
    last = next((one for one in events(session, row) if one.what == "demoted"), None)
    return last is not None and last.actor != "assay"


def _current() -> tuple[Any, ...]:
    return (RuleRow.status != "superseded",)


def _in_window(since: datetime) -> Any:
    """Incidents that count: opened since then, or waiting for a decision since longer."""
    return or_(col(Incident.opened_at) > since, col(Incident.status) != "resolved")


def _kinds_of_alarm() -> list[Any]:
    """Versions in which false, confirmed and unlabelled incidents began, counted."""
    resolved, false = col(Incident.status) == "resolved", func.coalesce(Incident.reason, "") == FALSE_ALARM
    conditions = (resolved & false, resolved & ~false, ~resolved)
    return [func.count(func.distinct(case((condition, Incident.first_version)))) for condition in conditions]


def _raised(session: Session, table_id: int, since: datetime) -> dict[Key, dict[str, Any]]:
    """What became of a rule's findings. What it states is how often it breaks, told or not; a table's budget is spent
    by what people were told, not by what was held back."""
    query = select(Incident).where(Incident.table_id == table_id, _in_window(since))
    found: dict[Key, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for one in session.exec(query):
        judged = "false" if one.reason == FALSE_ALARM else "confirmed"
        said = "unlabelled" if one.status != "resolved" else judged
        figures = found[_key(one.kind, one.column_name)]
        figures[said].add(one.first_version)
        if said == "false" and one.level == "error":
            figures["false_at"].add(one.first_version)
    return {
        key: {**{name: len(of[name]) for name in ("false", "confirmed", "unlabelled")}, "false_at": of["false_at"]}
        for key, of in found.items()
    }


def _said(session: Session, table_id: int, since: datetime) -> dict[Key, dict[str, Any]]:
    """Versions judged and alarms expected, by demand, over all revisions."""
    first = select(func.min(Version.number)).where(Version.table_id == table_id, col(Version.judged_at) > since)
    query = (
        select(RuleRow.kind, RuleRow.column_name, func.count(), func.sum(RuleRow.fpr))
        .join(Outcome, col(Outcome.rule_id) == col(RuleRow.id))
        .where(
            Outcome.table_id == table_id,
            Outcome.version >= first.scalar_subquery(),
            col(Outcome.judged_at) > since,
            col(Outcome.status).in_((PASSED, VIOLATED)),
        )
        .group_by(RuleRow.kind, RuleRow.column_name)
    )
    found: dict[Key, dict[str, Any]] = defaultdict(lambda: {"judged": 0, "expected": 0.0})
    for kind, column, judged, rate in session.exec(query):
        found[_key(kind, column)]["judged"] += judged
        found[_key(kind, column)]["expected"] += float(rate)
    return found


def _key(kind: str, column: str) -> Key:
    return family(kind)[0], column
