"""A verdict that is said again of the same version, because the table that it compares with has another one.

The outcome holds the newest verdict; those before it stay in its `replay`. Takes a session and never commits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import update
from sqlmodel import Session, col

from catalog.rules.verdict import PASSED, VIOLATED, Verdict
from catalog.store.expectations.demands import incidents_of
from catalog.store.incidents import outcomes
from catalog.store.models import Incident, Outcome, RuleRow, Version, now

#: Earlier verdicts that an outcome remembers; a bound.
REMEMBERED = 50


def say_again(
    session: Session,
    outcome_id: int,
    verdict: Verdict,
    replay: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]] | None = None,
    *,
    held_back: bool = False,
    anyway: bool = False,
) -> Outcome:
    """Put a verdict in the place of the one that an outcome holds; what follows from it follows."""
    outcome = session.get_one(Outcome, outcome_id, with_for_update=True)
    before = outcome.status
    earlier = {
        "status": before,
        "value": outcome.value,
        "others": outcome.replay.get("others"),
        "at": str(outcome.judged_at),
    }
    told = [*(outcome.replay.get("earlier") or []), earlier][-REMEMBERED:]
    row = outcomes.outcome_row(
        *(outcome.table_id, outcome.version, outcome.rule_id, verdict),
        replay=replay,
        rows=rows,
        held_back=held_back,
        anyway=anyway,
    )
    for name, value in row.items():
        setattr(outcome, name, value)
    outcome.replay = {**replay, "earlier": told}
    outcome.judged_at = now()
    session.flush()
    if outcome.status != before:
        _count(session, outcome, before)
        _follow(session, outcome)
    return outcome


def _count(session: Session, outcome: Outcome, before: str) -> None:
    """The figures of the version follow."""
    change = {PASSED: 0, VIOLATED: 0}
    for status, by in ((before, -1), (outcome.status, 1)):
        if status in change:
            change[status] += by
    session.exec(
        update(Version)
        .where(col(Version.table_id) == outcome.table_id, col(Version.number) == outcome.version)
        .values(passed=col(Version.passed) + change[PASSED], violated=col(Version.violated) + change[VIOLATED])
        .execution_options(synchronize_session=False)
    )


def _follow(session: Session, outcome: Outcome) -> None:
    if outcome.status == VIOLATED:
        outcomes.open_or_update_incident(session, outcome)
        return
    rule = session.get_one(RuleRow, outcome.rule_id)
    if outcome.status == PASSED:  # the version that broke it passes now
        session.exec(
            update(Incident)
            .where(
                *incidents_of(rule),
                col(Incident.status) != "resolved",
                col(Incident.last_version) == outcome.version,
            )
            .values(passed_version=outcome.version)
        )
