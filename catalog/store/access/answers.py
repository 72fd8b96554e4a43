"""Answering decisions that wait for a second person (`catalog.store.access.approvals`). Never commits.

What is approved is done by the functions that make such decisions, as its author's decision; that another person
approved it is an event of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlmodel import Session

from catalog.errors import UsageError
from catalog.roles import APPROVE, Forbidden, Identity
from catalog.store.access import audit
from catalog.store.access.approvals import APPROVED, get_approval, require
from catalog.store.domains import lakedomains, upgrades
from catalog.store.expectations import budget, clauses, declared, rules
from catalog.store.lake import sources, tables
from catalog.store.meaning import levels, tags
from catalog.store.models import Approval, LakeColumn, LakeDomain, RuleRow, Tag, now
from catalog.store.seen import demand_seen, mark

Step = Callable[[Session, Mapping[str, Any], str, str], object]

_STEPS: dict[str, Step] = {
    "rule": lambda s, a, who, why: rules.set_rule_status(s, a["rule"], a["status"], who, why),
    "clause": lambda s, a, who, why: clauses.decide_clause(
        s, a["rule"], a["clause"], a["action"], actor=who, factor=a["factor"], reason=why
    ),
    "loosen": lambda s, a, who, why: clauses.loosen_all(s, a["rule"], actor=who, factor=a["factor"]),
    "promote": lambda s, a, who, why: budget.promote_by_person(s, a["rule"], who),
    "demote": lambda s, a, who, why: budget.demote_by_person(s, a["rule"], a["reason"], who),
    "declare": lambda s, a, who, why: declared.declare_again(
        s, a["table"], a["constraints"], actor=who, origins=a.get("origins")
    ),
    "tag": lambda s, a, who, why: tags.decide_tag(s, a["tag"], a["status"], who, why),
    "level": lambda s, a, who, why: levels.set_level(s, a["column"], a["level"], actor=who, reason=why),
    "domain": lambda s, a, who, why: lakedomains.name_domain(
        s, a["domain"], a["name"], label=a["label"], sensitive=a["sensitive"], actor=who
    ),
    "forget": lambda s, a, who, why: lakedomains.forget_name(s, a["domain"], actor=who, reason=why),
    "upgrade": lambda s, a, who, why: upgrades.answer(
        s, upgrades.APPROVED, actor=who, reason=why, release=a["shipped"]
    ),
    "remove": lambda s, a, who, why: sources.remove_source(s, a["source"]),
    "forget_table": lambda s, a, who, why: tables.forget_table(s, a["table"]),
    "require": lambda s, a, who, why: require(s, a["on"], actor=who),
}


def is_now(session: Session, found: Approval) -> str:
    """What is so now of what a waiting decision is about, and what was decided about it since, for who answers."""
    if found.item_id is None or found.status != "waiting":
        return ""
    told = ""
    if found.kind == "column" and (column := session.get(LakeColumn, found.item_id)):
        told = column.level
    elif found.kind == "tag" and (tag := session.get(Tag, found.item_id)):
        told = f"{tag.status}, its column {session.get_one(LakeColumn, tag.column_id).level}"
    elif found.kind in ("rule", "clause") and (rule := session.get(RuleRow, found.item_id)):
        told = f"{rule.status}{', demoted' if rule.demoted_at else ''}"
    elif found.kind == "domain" and (domain := session.get(LakeDomain, found.item_id)):
        told = "sensitive" if domain.sensitive else "not sensitive"
    later = audit.find_events(session, kind=found.kind, item_id=found.item_id, since=found.made_at, limit=1)
    since = [f"{one.actor} decided about it since (event {one.id})" for one in later]
    return "; ".join(filter(None, (told, *since)))


def answer(
    session: Session, approval_id: int, approve: bool, *, by: Identity, reason: str = "", seen: str = ""
) -> Approval:
    """Approve what waits, which does it, or reject it. The author can only take it back, which is to reject it.

    Errors: `NotFound`, `Forbidden`, `UsageError` where it was answered, or cannot be done any more, `Changed` where the
    mark of what `is_now` is not the one that who approves has `seen`.
    """
    found = get_approval(session, approval_id)
    by.demand(APPROVE)
    if found.status != "waiting":
        raise UsageError(f"number {approval_id} was {found.status} by {found.by}", remedy="decide again")
    if approve and (by.name == found.actor or by.user_id is None):
        raise Forbidden(
            "nobody approves his own decision" if by.name == found.actor else f"{by.name} is no person",
            remedy="ask another approver",
        )
    why = reason.strip()
    if approve:
        told = is_now(session, found)
        demand_seen(seen, mark(told), f"{found.kind} {found.item} was changed meanwhile", told)
        session.info |= {APPROVED: True, audit.UNDOES: found.undoes}
        try:
            said = f"{found.reason or ''} (approved by {by.name}{': ' + why if why else ''})".strip()
            _STEPS[found.what](session, found.args, found.actor, said)
        finally:
            for name in (APPROVED, audit.UNDOES):
                session.info.pop(name, None)
    found.status, found.by, found.answer = ("approved" if approve else "rejected"), by.name, why or None
    found.answered_at = now()
    session.flush()
    item = audit.Item("approval", found.id, f"{found.words} {found.item}", found.source, found.table_id)
    after = {"status": found.status, "author": found.actor}
    verb = "approve" if approve else "take back" if by.name == found.actor else "reject"
    audit.record(session, by.name, verb, item, before={"status": "waiting"}, after=after, reason=why)
    return found
