"""Whether what is known of meanings may follow the version of Assay that runs. Functions take a session, never commit.

A release brings other recognisers, other words, another starter index: tags would be made otherwise, and rules learned
otherwise. While nobody has decided anything that simply happens. Where people have, tables keep the tags that they have
until an approver has seen the difference (`catalog.flow.upgrades`) and approved it; only what hides values is never
held back. Decisions of people stay in any case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from catalog.errors import UsageError
from catalog.store.access import audit
from catalog.store.access.approvals import hold
from catalog.store.access.preferences import preference
from catalog.store.models import CatalogSetting, ClauseDecision, RuleEvent, Run, Table, Tag

IN_FORCE, ANSWER = "meanings_in_force", "upgrade_answer"  # settings that are no person's to set
RUN = "upgrade"  # the kind of run that works the difference out
APPROVED, REFUSED = "approved", "refused"
VERBS = {APPROVED: "approve", REFUSED: "refuse"}


@dataclass(frozen=True)
class Standing:
    """What tags are made with.

    Parameters
    ----------
    shipped, made_with : fingerprints of what is in force: of the release, and of it with the lake's own domains.
    waiting : that of the release that runs, where it waits or was refused; empty: it is in force.
    answer : what an approver said of it; empty: nothing yet.
    """

    shipped: str
    made_with: str
    waiting: str = ""
    answer: str = ""


def standing(session: Session) -> Standing | None:
    """None before the first crawl."""
    kept = preference(session, IN_FORCE)
    if kept is None:
        return None
    said = preference(session, ANSWER) or {}
    of_it = said.get("answer", "") if said.get("shipped") == kept["waiting"] else ""
    return Standing(**kept, answer=of_it)


def is_waiting(session: Session) -> bool:
    """Whether tables keep the tags that they have."""
    found = standing(session)
    return found is not None and bool(found.waiting)


def notice(session: Session, shipped: str, made_with: str) -> Standing:
    """Take note of the release that runs, as each crawl does: it is in force at once where it is the same, was
    approved, or touches nobody's decision; else it waits."""
    before = standing(session) or _before_it_was_noted(session, made_with)
    known = before is None or before.shipped == shipped or (not before.shipped and before.made_with == made_with)
    if not known:
        assert before is not None
        said = preference(session, ANSWER) or {}
        approved = said.get("shipped") == shipped and said.get("answer") == APPROVED
        if not approved and has_decisions(session):
            return _keep(session, Standing(before.shipped, before.made_with, waiting=shipped))
    return _keep(session, Standing(shipped, made_with))


def adopt(session: Session) -> None:
    """Let the release that waits be in force: nothing is tagged otherwise by it. Tables are looked at again by the next
    crawl, as with every change of domains."""
    found = standing(session)
    if found is not None and found.waiting:
        _keep(session, Standing(found.waiting, found.made_with))


def _before_it_was_noted(session: Session, made_with: str) -> Standing | None:
    """What the tags of a lake were made with that an older release crawled, as its tables tell; None of a new lake."""
    told = session.exec(select(Table.tagged).where(col(Table.tagged).is_not(None)).limit(1)).first()
    return None if told is None else Standing("", told.rpartition(" ")[2])


def _keep(session: Session, found: Standing) -> Standing:
    kept = {"shipped": found.shipped, "made_with": found.made_with, "waiting": found.waiting}
    if preference(session, IN_FORCE) != kept:
        session.merge(CatalogSetting(name=IN_FORCE, value=kept))
        session.flush()
    return standing(session) or found


def has_decisions(session: Session) -> bool:
    """Whether anybody decided about a tag, a rule or a clause."""
    decisions: tuple[Any, ...] = (
        select(Tag.id).where(Tag.status != "proposed"),
        select(ClauseDecision.id),
        select(RuleEvent.id).where(RuleEvent.actor != audit.ASSAY),
    )
    return any(session.exec(query.limit(1)).first() is not None for query in decisions)


def answer(session: Session, said: str, *, actor: str, reason: str = "", release: str = "") -> Standing:
    """Approve the release that waits, or refuse it: tables keep the tags that they have until the next one. An approved
    one takes effect with the next crawl. `release` is the one that is meant, where it may be another by now. Errors:
    `UsageError` where none waits; `Held`."""
    if said not in VERBS:
        raise UsageError(f"an upgrade cannot be {said[:40]!r}", remedy=f"use {APPROVED} or {REFUSED}")
    found = standing(session)
    if found is None or not found.waiting or release not in ("", found.waiting):
        raise UsageError("no such upgrade waits", remedy="what is shipped is in force already")
    if found.answer == said:
        raise UsageError(f"this upgrade was {said} already", remedy="the next crawl follows it")
    item = audit.Item("index", None, f"upgrade {found.waiting}")
    if said == APPROVED:
        hold(session, "upgrade", {"shipped": found.waiting}, item, actor, "approve", reason)
    _say(session, {"shipped": found.waiting, "answer": said})
    before, after = {"answer": found.answer or None}, {"answer": said}
    audit.record(session, actor, VERBS[said], item, before=before, after=after, reason=reason.strip())
    return standing(session) or found


def take_back(session: Session, item: str, before: Mapping[str, Any], *, actor: str, reason: str) -> None:
    """Take an answer back: what was not yet done waits again. Errors: `UsageError` where it is in force already."""
    found = standing(session)
    if found is None or item != f"upgrade {found.waiting}":
        raise UsageError("this upgrade is in force", remedy="its tags are proposals: decide on each in the review")
    after = before["answer"]
    _say(session, {"shipped": found.waiting, "answer": after} if after else None)
    told = {"answer": found.answer or None}, {"answer": after}
    audit.record(
        session, actor, "wait for", audit.Item("index", None, item), before=told[0], after=told[1], reason=reason
    )


def _say(session: Session, value: dict[str, str] | None) -> None:
    row = session.get(CatalogSetting, ANSWER)
    if value is not None:
        session.merge(CatalogSetting(name=ANSWER, value=value))
    elif row is not None:
        session.delete(row)
    session.flush()


def last_difference(session: Session, shipped: str) -> Run | None:
    """The latest run that worked out what this release would change."""
    query = select(Run).where(Run.kind == RUN, Run.title == shipped).order_by(col(Run.id).desc())
    return session.exec(query.limit(1)).first()
