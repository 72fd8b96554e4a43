"""The lake's weekly budget of false alarms: what was stated and seen, and which findings are told under it.

`catalog.checks.weekly` says why. Weeks are of commit times, so that a version judged late is judged as on its day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, case
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from catalog.checks.feedback import FALSE_ALARM
from catalog.checks.weekly import (
    ANOTHER,
    DAYS,
    OF_A_RULE,
    Answers,
    Seen,
    Stated,
    are_told,
    is_beyond,
    optimism,
    share,
    to_come,
    told_of,
    weight,
)
from catalog.rules.kinds.strings import UNPROVEN
from catalog.rules.rule import class_of, kinds_where
from catalog.rules.verdict import MEANT, VIOLATED, Verdict
from catalog.store.expectations.budget import accounts, window_start
from catalog.store.expectations.demands import check_name, incidents_of
from catalog.store.lake.versions import shares_rows
from catalog.store.models import ANYWAY, HELD_BACK, Incident, Outcome, RuleRow, Version, now


@dataclass(frozen=True)
class Told:
    """What is told of a version otherwise than by the levels of its rules, by their ids: findings that are `held_back`,
    those of demoted rules that are told `anyway`, and those that belong to an alarm `before`, which nobody answered."""

    held_back: frozenset[int] = frozenset()
    anyway: frozenset[int] = frozenset()
    before: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Week:
    """The last seven days: false alarms that rules stated, how many alarms were raised, how many of them were called
    false and how many nobody answered (in versions), findings held back."""

    stated: float
    raised: int
    false: int
    unanswered: int
    held_back: int


@dataclass(frozen=True)
class Lake:
    """What `choose` asks of the lake as a whole: what was `seen` in the window of ledgers, by table how many alarms of
    it were `false` (where there were alarms), and what its rules in force state of a version."""

    seen: Seen
    false: Mapping[int, float]
    rates: Mapping[int, Stated]


def known_of(session: Session, budget: float) -> Lake:
    """What is known of the lake, which is allowed `budget` false alarms a week."""
    answers, stated = _answers(session, window_start()), _seen(session, 0.0)
    waiting = _share_of_unanswered(answers, stated, budget)
    false = {table: one.likely_false(waiting) for table, one in answers.items()}
    return Lake(replace(stated, false=sum(false.values())), false, _rates(session))


def _rates(session: Session) -> dict[int, Stated]:
    """What the rules in force state of a version, by table."""
    part = func.sum(case((col(RuleRow.kind).in_(graded()), RuleRow.fpr), else_=0.0))
    query: Any = select(RuleRow.table_id, func.sum(RuleRow.fpr), part).where(RuleRow.status == "active")
    by_table = session.exec(query.group_by(col(RuleRow.table_id)))
    return {table: Stated(float(whole - part), float(part)) for table, whole, part in by_table}


def expected_of_week(session: Session, moment: datetime | None = None) -> float:
    """How many false alarms the rules expect of the versions of a week, as `choose` reckons: those that came before
    there were rules, and those that young tables are likely to bring, count too."""
    return _of_week(session, moment or now(), _rates(session)).total


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

    Nothing is held back where anything else of the version is told: people look at a version once. What was held back
    in an increment and comes again in another one is told: its rows are others. What goes on with an alarm that waits
    for its answer is no news: it is neither held back nor a reason to tell the rest; nor is a reason what strings break
    of what a single version taught (`UNPROVEN`), where no cause of theirs is sure, or what healthy
    versions do as well (`MEANT`). `rewritten` are
    the columns of which a cause is named and sure, see `catalog.causes`; `usual` is what was allowed a week in the past
    month, where it was changed since; `known` is asked of the lake where it is not in hand.
    """
    broken = [(row, verdict) for row, verdict in verdicts if verdict.status == VIOLATED]
    unproven = {row.id for row, one in broken if one.observed.get(UNPROVEN) and row.column_name not in rewritten}
    found = [(row, verdict.p_value) for row, verdict in broken if verdict.p_value is not None]
    unproven |= {row.id for row, p in found if p >= MEANT}
    if not found:
        return Told()
    usually = budget if usual is None else usual
    known = known or known_of(session, usually)
    lake = optimism(told_of(known.seen, usually))
    part = share(_of_week(session, at, known.rates), budget, lake)
    table = optimism(_seen(session, known.false.get(table_id, 0.0), table_id), lake)
    weighed = {row.id: (p / weight(row.column_name in rewritten), row.fpr) for row, p in found}
    demoted = {row.id for row, p in found if row.demoted_at is not None and p < ANOTHER * _least_of_false(session, row)}
    demoted -= unproven
    anyway: set[int] = set()
    for one in accounts(session, table_id) if demoted else ():
        if one.rule_id in demoted and not one.by_person:
            rule = optimism(Seen(one.expected, one.false), lake, OF_A_RULE)
            anyway |= {one.rule_id} if is_beyond(*weighed[one.rule_id], part, lake, rule) else set()
    before = _before(session, table_id, at, broken)
    quiet = {row.id for row, _ in found if row.demoted_at is None} - before
    errors = {row.id for row, _ in broken if row.level_now == "error"} - before
    reasons = quiet - unproven
    again = _come_again(session, table_id, at, broken) & reasons
    told = are_told([weighed[one] for one in reasons], part, lake, table) or anyway - before or errors - quiet or again
    return Told(frozenset() if told else frozenset(quiet), frozenset(anyway), frozenset(before))


def _of_week(session: Session, at: datetime, rates: Mapping[int, Stated]) -> Stated:
    """What is stated of the versions of the week that ends `at`, in which tables younger than a week bring what they
    are likely to; by demoted rules too, which are told at levels of their own. Of versions that were not judged (those
    of a table that was just registered, of a job that writes many at that moment) what rules state of the next one."""
    since, earlier = at - timedelta(days=DAYS), aliased(Version)
    judged = case((col(Version.passed) + col(Version.violated) > 0, 1), else_=0)
    known = select(earlier.id).where(earlier.table_id == Version.table_id, earlier.batch != "none")
    query: Any = (
        select(  # type: ignore[call-overload]
            Version.table_id,
            func.min(Version.committed_at),
            func.count(),
            func.sum(judged),
            func.sum(Version.expected_alarms),
            known.where(col(earlier.committed_at) <= since).exists(),
        )
        .where(Version.batch != "none", col(Version.committed_at) > since, col(Version.committed_at) <= at)
        .group_by(col(Version.table_id))
    )
    found = Stated()
    for table, first, came, count, said, is_known in session.exec(query):
        one = rates.get(table, Stated())
        later = came if is_known else came - 1  # by its first version a table is not judged
        graded = min(one.graded * count, said)
        coming = 0.0 if is_known else to_come((at - first) / timedelta(days=1), later)
        found += Stated(said - graded, graded) + one.times(max(later - count, 0) + coming)
    return found


def _seen(session: Session, false: float, table_id: int | None = None) -> Seen:
    """What was stated in the window of ledgers, of all tables or one, in which so many alarms were false."""
    query: Any = select(func.coalesce(func.sum(Version.expected_alarms), 0.0), func.min(Version.judged_at)).where(
        col(Version.judged_at) > window_start()
    )
    total, first = session.exec(query if table_id is None else query.where(Version.table_id == table_id)).one()
    days = 0.0 if first is None else (now() - first).total_seconds() / 86400
    return Seen(float(total), false, days)


def _answers(session: Session, since: datetime) -> dict[int, Answers]:
    """By table, what people said of the alarms since then. All that began in one version is one alarm: false where any
    of it was called so, else unanswered while any of it is."""
    called = func.max(case((col(Incident.reason) == FALSE_ALARM, 1), else_=0))
    waits = func.max(case((col(Incident.status) != "resolved", 1), else_=0))
    query: Any = (
        select(Incident.table_id, called, waits)
        .where(Incident.level == "error", col(Incident.opened_at) > since)
        .group_by(col(Incident.table_id), col(Incident.first_version))
    )
    found: dict[int, Answers] = defaultdict(Answers)
    for table, is_false, is_open in session.exec(query):
        found[table] += Answers(is_false, int(not (is_false or is_open)), int(is_open and not is_false))
    return found


def _share_of_unanswered(answers: Mapping[int, Answers], seen: Seen, budget: float) -> float:
    """The share of false alarms among those of the lake that nobody answered, as of a table before its own are."""
    lake = sum(answers.values(), Answers())
    return lake.share(lake.expected(told_of(seen, budget).stated))


def _least_of_false(session: Session, row: RuleRow) -> float:
    """The smallest p-value of what the rule found and a person called a false alarm; 1 where there is none. A change
    that goes on is found again and again."""
    query: Any = (
        select(Outcome.detail)
        .join(Incident, col(Incident.outcome_id) == col(Outcome.id))
        .where(*incidents_of(row), Incident.reason == FALSE_ALARM)
    )
    return min((detail.get("p_value", 1.0) for detail in session.exec(query)), default=1.0)


def _before(session: Session, table_id: int, at: datetime, broken: Collection[tuple[RuleRow, Verdict]]) -> set[int]:
    """The rules whose findings belong to an alarm of an earlier version that nobody answered: nothing passed since, or
    the same breaks again, which of a single demand is always so (as `catalog.store.incidents.outcomes` extends it)."""
    query = (
        select(Incident, Outcome.detail)
        .join(Outcome, col(Outcome.id) == col(Incident.outcome_id))
        .join(Version, (col(Version.table_id) == Incident.table_id) & (col(Version.number) == Incident.first_version))
        .where(Incident.table_id == table_id, Incident.level == "error", Incident.status != "resolved")
        .where(col(Version.committed_at) < at)
    )
    waiting = session.exec(query).all()
    found = set()
    for row, verdict in broken:
        demand, kind = (row.kind, row.column_name, check_name(row.learner)), class_of(row.kind)
        own = [(one, then) for one, then in waiting if (one.kind, one.column_name, one.check_name) == demand]
        now = {"observed": verdict.observed, "expected": verdict.expected}
        single = not kind.continues(now, now)
        if any(single or one.passed_version is None or kind.continues(then, now) for one, then in own):
            found.add(row.id)
    return found


def held_back_lately(session: Session, table_id: int, before: int, most: int) -> list[Outcome]:
    """What the budget held back in the `most` batches before a version that are taken for healthy though nobody has
    said that they are."""
    latest: Any = (
        select(Version.number)
        .where(Version.table_id == table_id, Version.number < before, Version.batch != "none")
        .where(col(Version.metrics).is_not(None), col(Version.label).is_(None))
        .order_by(col(Version.number).desc())
        .limit(most)
    )
    query = select(Outcome).where(Outcome.table_id == table_id, Outcome.status == VIOLATED)
    found = session.exec(query.where(col(Outcome.version).in_(session.exec(latest).all())))
    return [one for one in found if one.detail.get(HELD_BACK) and not one.detail.get(ANYWAY)]


def _come_again(session: Session, table_id: int, at: datetime, broken: Collection[tuple[RuleRow, Verdict]]) -> set[int]:
    """The rules whose findings come again in other rows: in an increment, after they were held back in one of the week
    before and nobody answered. In a table that is delivered whole they are found in the rows of the day before, and so
    they are in the next version of a job that replaces the day before, too."""
    latest = select(Version.number, Version.batch).where(Version.table_id == table_id, col(Version.committed_at) <= at)
    order = (col(Version.committed_at).desc(), col(Version.number).desc())
    number, batch = session.exec(latest.order_by(*order).limit(1)).first() or (0, None)
    if batch != "increment":
        return set()
    same = [col(getattr(RuleRow, name)) == getattr(Incident, name) for name in ("table_id", "kind", "column_name")]
    fields = (Incident.kind, Incident.column_name, Incident.check_name, RuleRow.learner, Outcome.version)
    query: Any = (
        select(*fields)  # type: ignore[call-overload]
        .join(RuleRow, and_(*same))
        .join(Outcome, col(Outcome.rule_id) == col(RuleRow.id))
        .join(Version, and_(col(Version.table_id) == Incident.table_id, col(Version.number) == Outcome.version))
        .where(Incident.table_id == table_id, Incident.level == "warning", Incident.status != "resolved")
        .where(Outcome.status == VIOLATED, col(Outcome.version) >= Incident.first_version)
        .where(Version.batch == "increment", col(Version.committed_at) > at - timedelta(days=DAYS))
        .where(col(Version.committed_at) < at)
    )
    held = {
        (kind, column, check)
        for kind, column, check, learner, earlier in session.exec(query)
        if check_name(learner) == check and not shares_rows(session, table_id, earlier, number)
    }
    return {row.id for row, _ in broken if (row.kind, row.column_name, check_name(row.learner)) in held}


def last_week(session: Session, *, moment: datetime | None = None) -> Week:
    """What the lake's last seven days brought, by the time at which it was judged."""
    since = (moment or now()) - timedelta(days=DAYS)
    stated = select(func.coalesce(func.sum(Version.expected_alarms), 0.0)).where(col(Version.judged_at) > since)
    quiet: Any = (
        select(Incident.table_id, Incident.first_version)
        .join(Outcome, col(Outcome.id) == Incident.outcome_id)
        .where(Incident.level == "warning", col(Incident.opened_at) > since)
        .where(col(Outcome.detail)[HELD_BACK].as_boolean().is_(True))
    )
    held = session.exec(select(func.count()).select_from(quiet.distinct().subquery())).one()
    week = sum(_answers(session, since).values(), Answers())
    raised = week.false + week.right + week.unanswered
    return Week(float(session.exec(stated).one()), raised, week.false, week.unanswered, int(held))


def likely_false(session: Session, budget: float) -> float:
    """As how many false ones the alarms of the last seven days count that nobody answered, of a lake that is allowed
    `budget` false alarms a week."""
    month, week = _answers(session, window_start()), _answers(session, now() - timedelta(days=DAYS))
    lake = _share_of_unanswered(month, _seen(session, 0.0), budget)
    return sum(one.unanswered * month[table].share(lake) for table, one in week.items())
