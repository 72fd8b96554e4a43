"""How many false alarms a week the lake may raise, as people set it, and what another number would have meant.

The service's setting holds where nobody set one here. It counts from the next version that is judged on. Functions take
a session and never commit.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlmodel import Session, col, select

from catalog.causes.cause import REWRITES, SURE
from catalog.checks.budget import WINDOW_DAYS
from catalog.errors import UsageError
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.store.access.preferences import preference, set_preference
from catalog.store.expectations.budget import window_start
from catalog.store.expectations.weekly import Lake, choose, known_of
from catalog.store.models import AuditEvent, Incident, Outcome, RuleRow, Source, Table, Version, now
from catalog.wording import counted

SETTING = "weekly_budget"


@dataclass(frozen=True)
class Alarm:
    """A version in which alarms began, or would have: of which table, and the incident or warning that tells of it."""

    table_id: int
    table: str
    version: int
    incident_id: int


@dataclass(frozen=True)
class Trial:
    """What `allowed` false alarms a week instead of `before` would have meant in the window: `more` alarms among the
    findings that only warned, and `fewer` among those that were told."""

    before: float
    allowed: float
    more: tuple[Alarm, ...] = ()
    fewer: tuple[Alarm, ...] = ()

    @property
    def sentence(self) -> str:
        """
        >>> Trial(1.0, 1.0).sentence
        '1 a week is what is allowed now.'
        >>> Trial(1.0, 4.0).sentence
        'With 4 a week, the same alarms would have been raised in the last 30 days.'
        >>> Trial(1.0, 4.0, more=(Alarm(1, "shop/orders", 7, 3),)).sentence
        'With 4 a week, 1 alarm more would have been raised in the last 30 days.'
        """
        if self.allowed == self.before:
            return f"{self.allowed:g} a week is what is allowed now."
        found, word = (self.more, "more") if self.more else (self.fewer, "fewer")
        what = f"{counted(len(found), 'alarm')} {word}" if found else "the same alarms"
        return f"With {self.allowed:g} a week, {what} would have been raised in the last {WINDOW_DAYS} days."


def allowed_a_week(session: Session, default: float) -> float:
    """How many false alarms a week the lake may raise; `default` is the service's setting."""
    return float(preference(session, SETTING, default))


def is_set(session: Session) -> bool:
    """Whether a person set it."""
    return preference(session, SETTING) is not None


def usual_a_week(session: Session, default: float) -> float:
    """What was allowed a week on average over the window of ledgers: only what was told can have been called false."""
    since = window_start()
    query = select(AuditEvent).where(
        AuditEvent.kind == "setting", AuditEvent.item == SETTING, col(AuditEvent.at) > since
    )
    total, upto, allowed = 0.0, now(), allowed_a_week(session, default)
    for event in session.exec(query.order_by(col(AuditEvent.id).desc())):
        total += allowed * (upto - event.at).total_seconds()
        was = event.before["value"]
        upto, allowed = event.at, default if was is None else float(was)
    return (total + allowed * (upto - since).total_seconds()) / timedelta(days=WINDOW_DAYS).total_seconds()


def allow_a_week(session: Session, allowed: float | None, *, actor: str, reason: str = "") -> None:
    """Let the lake raise so many false alarms a week; None: as many as the service's setting says. Errors: `UsageError`
    for a number that no budget can be."""
    if allowed is not None:
        _sound(allowed)
    set_preference(session, SETTING, allowed, actor=actor, reason=reason.strip() or None)


def _sound(allowed: float) -> None:
    if not (math.isfinite(allowed) and allowed > 0):
        raise UsageError(
            f"{allowed:g} false alarms a week cannot be kept to", remedy="give a number above 0, such as 0.5 or 4"
        )


def try_allowance(session: Session, allowed: float, default: float) -> Trial:
    """What another number a week would have meant for the versions of the window, had it been in force throughout, by
    the rules and answers of today. An alarm is a version in which incidents began. Errors: `UsageError`."""
    _sound(allowed)
    before = allowed_a_week(session, default)
    more: list[Alarm] = []
    fewer: list[Alarm] = []
    known = known_of(session, before)
    for incidents in _findings(session) if allowed != before else ():
        was_told = any(one.level == "error" for one in incidents)
        if was_told == (allowed > before):  # a larger number holds nothing back, a smaller one tells nothing more
            continue
        if _are_told(session, incidents[0], (before, allowed), known) == [was_told, not was_told]:
            (fewer if was_told else more).append(_alarm(session, incidents))
    return Trial(before, allowed, tuple(more), tuple(fewer))


def _findings(session: Session) -> Iterator[Sequence[Incident]]:
    """Incidents and warnings of the window with a p-value, those that began in one version together."""
    graded = (
        select(Incident)
        .join(Outcome, col(Outcome.id) == col(Incident.outcome_id))
        .where(col(Incident.opened_at) > window_start(), col(Outcome.detail)["p_value"].as_float().is_not(None))
    )
    found: dict[tuple[int, int], list[Incident]] = defaultdict(list)
    for one in session.exec(graded.order_by(col(Incident.id))):
        found[one.table_id, one.first_version].append(one)
    yield from found.values()


def _are_told(session: Session, incident: Incident, budgets: Iterable[float], known: Lake) -> list[bool]:
    """Whether an alarm would have been raised in the version of an incident, were so many a week allowed, for each of
    some numbers."""
    query = (
        select(Outcome, RuleRow)
        .join(RuleRow, col(RuleRow.id) == col(Outcome.rule_id))
        .where(Outcome.table_id == incident.table_id, Outcome.version == incident.first_version)
    )
    verdicts = [
        (rule, Verdict(one.status, one.sentence, one.detail.get("observed") or {}, p_value=one.detail.get("p_value")))
        for one, rule in session.exec(query)
    ]
    at = session.exec(
        select(Version.committed_at).where(
            Version.table_id == incident.table_id, Version.number == incident.first_version
        )
    ).one()
    sure = _rewritten(session, incident)
    broken = [row for row, verdict in verdicts if verdict.status == VIOLATED]
    out = []
    for allowed in budgets:
        told = choose(session, incident.table_id, at, verdicts, allowed, sure, known=known)
        news = [row for row in broken if row.id not in told.before]
        out.append(
            any(row.id in told.anyway or (row.level_now == "error" and row.id not in told.held_back) for row in news)
        )
    return out


def _rewritten(session: Session, incident: Incident) -> set[str]:
    """The columns of the version's incidents of which a cause was named and sure, as when it was judged
    (`catalog.causes.diagnose.rewritten`)."""
    query = select(Incident).where(
        Incident.table_id == incident.table_id, Incident.first_version == incident.first_version
    )
    found = session.exec(query).all()
    sure = {one.id for one in found if one.cause in REWRITES and (one.confidence or 0.0) >= SURE}
    return {one.column_name for one in found if one.id in sure or one.lead_id in sure}


def _alarm(session: Session, incidents: Sequence[Incident]) -> Alarm:
    first = next((one for one in incidents if one.lead_id is None), incidents[0])
    name = session.exec(
        select(Source.name, Table.name)
        .join(Table, col(Table.source_id) == col(Source.id))
        .where(Table.id == first.table_id)
    ).one()
    return Alarm(first.table_id, "/".join(name), first.first_version, first.id)
