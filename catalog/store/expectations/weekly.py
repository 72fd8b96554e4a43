"""The lake's weekly budget of false alarms: what was stated and seen, and which findings are told under it.

`catalog.checks.weekly` says why. Weeks are of commit times, so that a version judged late is judged as on its day.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, func, select

from catalog.checks.feedback import FALSE_ALARM
from catalog.checks.weekly import (
    ANOTHER,
    DAYS,
    OF_A_RULE,
    Seen,
    Stated,
    are_told,
    is_beyond,
    optimism,
    share,
    told_of,
    weight,
)
from catalog.rules.rule import kinds_where
from catalog.rules.verdict import NOT_APPLICABLE, VIOLATED, Verdict
from catalog.store.expectations.budget import accounts, window_start
from catalog.store.expectations.demands import incidents_of
from catalog.store.models import Incident, Outcome, RuleRow, Version, now

HELD_BACK = "held_back"  # in the detail of an outcome
ANYWAY = "told_anyway"  # the same: found by a demoted rule


@dataclass(frozen=True)
class Told:
    """What is told of a version otherwise than by the levels of its rules, by their ids: findings that are `held_back`,
    and those of demoted rules that are told `anyway`."""

    held_back: frozenset[int] = frozenset()
    anyway: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Week:
    """The last seven days: false alarms that rules stated, how many alarms were raised and how many of them were called
    false (in versions), findings held back."""

    stated: float
    raised: int
    false: int
    held_back: int


@dataclass(frozen=True)
class Lake:
    """What `choose` asks of the lake as a whole: what was `seen` in the window of ledgers, and by table the sum of the
    rates of rules in force that have p-values."""

    seen: Seen
    rates: Mapping[int, float]


def known_of(session: Session) -> Lake:
    rates = (
        select(col(RuleRow.table_id), func.sum(RuleRow.fpr))
        .where(RuleRow.status == "active", col(RuleRow.kind).in_(graded()))
        .group_by(col(RuleRow.table_id))
    )
    return Lake(_seen(session), {table: float(rate) for table, rate in session.exec(rates)})


def graded() -> tuple[str, ...]:
    """The kinds of rules whose findings have p-values, all of them: what others state is counted as told."""
    return tuple(kinds_where("graded"))


def level_of(outcome: Outcome, rule: RuleRow) -> str:
    """``error`` or ``warning``: what an outcome that is violated means."""
    if outcome.detail.get(ANYWAY):
        return rule.level
    return "warning" if outcome.detail.get(HELD_BACK) else rule.level_now


def choose(
    session: Session,
    table_id: int,
    at: datetime,
    verdicts: Collection[tuple[RuleRow, Verdict]],
    budget: float,
    rewritten: Collection[str] = (),
    usual: float | None = None,
    known: Lake | None = None,
) -> Told:
    """What of the findings on a version, committed `at`, the budget leaves no room to tell, and what rules that Assay
    demoted found and is told all the same: far less probable than all that was called false, and so far that their
    false alarms do not explain it.

    Nothing is held back where the same was found in the week before, or where anything else of the version is told:
    people look at a version once. `rewritten` are the columns of which a cause is named and sure, see `catalog.causes`;
    `usual` is what was allowed a week in the past month, where it was changed since; `known` is asked of the lake where
    it is not in hand.
    """
    broken = [(row, verdict) for row, verdict in verdicts if verdict.status == VIOLATED]
    found = [(row, verdict.p_value) for row, verdict in broken if verdict.p_value is not None]
    if not found:
        return Told()
    known = known or known_of(session)
    lake = optimism(told_of(known.seen, budget if usual is None else usual))
    part = share(_of_week(session, at, verdicts, known.rates), budget, lake)
    table = optimism(_seen(session, table_id), lake)
    weighed = {row.id: (p / weight(row.column_name in rewritten), row.fpr) for row, p in found}
    demoted = {row.id for row, p in found if row.demoted_at is not None and p < ANOTHER * _least_of_false(session, row)}
    anyway: set[int] = set()
    for one in accounts(session, table_id) if demoted else ():
        if one.rule_id in demoted and not one.by_person:
            rule = optimism(Seen(one.expected, one.false), lake, OF_A_RULE)
            anyway |= {one.rule_id} if is_beyond(*weighed[one.rule_id], part, lake, rule) else set()
    believed = [row for row, _ in found if row.demoted_at is None]
    if are_told([weighed[row.id] for row in believed], part, lake, table):
        return Told(anyway=frozenset(anyway))
    quiet = {row.id for row in believed}
    errors = [row for row, _ in broken if row.level_now == "error"]
    told = anyway or any(row.id not in quiet or _came_before(session, row, at) for row in errors)
    return Told(frozenset() if told else frozenset(quiet), frozenset(anyway))


def _of_week(
    session: Session, at: datetime, verdicts: Iterable[tuple[RuleRow, Verdict]], rates: Mapping[int, float]
) -> Stated:
    """What was stated of the versions of the week before `at`, and of this one; by demoted rules too, which are told at
    levels of their own."""
    judged = (
        select(col(Version.table_id), func.count(), func.sum(Version.expected_alarms))
        .where(col(Version.committed_at) > at - timedelta(days=DAYS), col(Version.committed_at) < at)
        .where(col(Version.passed) + col(Version.violated) > 0)
        .group_by(col(Version.table_id))
    )
    kinds = graded()
    own = [(row.kind in kinds, row.fpr) for row, verdict in verdicts if verdict.status != NOT_APPLICABLE]
    whole, part = sum(rate for _, rate in own), sum(rate for is_graded, rate in own if is_graded)
    for table, count, stated in session.exec(judged):
        whole += float(stated)
        part += min(count * rates.get(table, 0.0), float(stated))
    return Stated(max(whole - part, 0.0), part)


def _seen(session: Session, table_id: int | None = None) -> Seen:
    """What was stated in the window of ledgers, and in how many versions alarms were called false."""
    since = window_start()
    stated: Any = select(func.coalesce(func.sum(Version.expected_alarms), 0.0), func.min(Version.judged_at)).where(
        col(Version.judged_at) > since
    )
    false: Any = (
        select(Incident.table_id, Incident.first_version)
        .where(Incident.reason == FALSE_ALARM, Incident.level == "error", col(Incident.opened_at) > since)
        .distinct()
    )
    if table_id is not None:
        stated, false = stated.where(Version.table_id == table_id), false.where(Incident.table_id == table_id)
    count = session.exec(select(func.count()).select_from(false.subquery())).one()
    total, first = session.exec(stated).one()
    days = 0.0 if first is None else (now() - first).total_seconds() / 86400
    return Seen(float(total), int(count), days)


def _least_of_false(session: Session, row: RuleRow) -> float:
    """The smallest p-value of what the rule found and a person called a false alarm; 1 where there is none. A change
    that goes on is found again and again."""
    query: Any = (
        select(Outcome.detail)
        .join(Incident, col(Incident.outcome_id) == col(Outcome.id))
        .where(*incidents_of(row), Incident.reason == FALSE_ALARM)
    )
    return min((detail.get("p_value", 1.0) for detail in session.exec(query)), default=1.0)


def _came_before(session: Session, row: RuleRow, at: datetime) -> bool:
    """Whether the same kind of rule found something in the column in the week before, that nobody answered."""
    query = (
        select(Incident.id)
        .join(Version, (col(Version.table_id) == Incident.table_id) & (col(Version.number) == Incident.last_version))
        .where(
            Incident.table_id == row.table_id,
            Incident.kind == row.kind,
            Incident.column_name == row.column_name,
            Incident.status != "resolved",
            col(Version.committed_at) > at - timedelta(days=DAYS),
            col(Version.committed_at) < at,
        )
    )
    return session.exec(query.limit(1)).first() is not None


def last_week(session: Session, *, moment: datetime | None = None) -> Week:
    """What the lake's last seven days brought, by the time at which it was judged."""
    since = (moment or now()) - timedelta(days=DAYS)
    stated = select(func.coalesce(func.sum(Version.expected_alarms), 0.0)).where(col(Version.judged_at) > since)
    alarms: Any = select(Incident.table_id, Incident.first_version).where(
        Incident.level == "error", col(Incident.opened_at) > since
    )
    quiet: Any = (
        select(Incident.table_id, Incident.first_version)
        .join(Outcome, col(Outcome.id) == Incident.outcome_id)
        .where(Incident.level == "warning", col(Incident.opened_at) > since)
        .where(col(Outcome.detail)[HELD_BACK].as_boolean().is_(True))
    )
    raised, false, held = (
        session.exec(select(func.count()).select_from(query.distinct().subquery())).one()
        for query in (alarms, alarms.where(Incident.reason == FALSE_ALARM), quiet)
    )
    return Week(float(session.exec(stated).one()), int(raised), int(false), int(held))
