"""Taking a decision back from the audit log. Takes a session and never commits.

Undoing is a decision of its own: it is made by the functions that make decisions, and its event names the one that it
undoes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlmodel import Session, col, select

from catalog.errors import UsageError
from catalog.reports.facts import Scope
from catalog.roles import ADMIN, APPROVE, EDIT, Identity
from catalog.rules.clauses.clause import FORMER_KEYS
from catalog.store.access import approvals, audit, owners, people, preferences
from catalog.store.alerts import routes
from catalog.store.domains import lakedomains, upgrades
from catalog.store.expectations import budget, clauses, declared, learners, rules
from catalog.store.expectations.demands import same_demand
from catalog.store.glossary import terms
from catalog.store.incidents import causes, outcomes
from catalog.store.lake import batches, sources
from catalog.store.meaning import levels, tags
from catalog.store.models import AuditEvent, RuleRow
from catalog.store.reports import schedules

NEEDS = {
    "tag": APPROVE,
    "rule": APPROVE,
    "clause": APPROVE,
    "incident": EDIT,
    "domain": EDIT,
    "source": ADMIN,
    "user": ADMIN,
    "table": EDIT,
    "column": EDIT,
    "term": EDIT,
    "version": EDIT,
    "report": EDIT,
    "route": EDIT,
    "setting": ADMIN,
    "index": APPROVE,
}
LESS = {
    ("source", "own"): EDIT,
    ("source", "describe"): EDIT,
    ("source", "learner"): EDIT,
    ("column", "level"): APPROVE,
    ("table", "declare"): APPROVE,
}  # what asks for another right than other decisions about such a thing
#: Decisions about different sides of a thing: only a later one about the same side stands in the way.
_SIDES = ("own", "describe", "level", "mode", "learner", "declare")
#: What takes back a decision that is not undone here, before the name of what it is about.
_BY_COMMAND = {("table", "write comments"): "assay tag apply --undo --write", ("source", "add"): "assay source remove"}
Undo = Callable[[Session, AuditEvent, str, str], object]


def can_undo(event: AuditEvent) -> bool:
    """Whether a kind of decision can be taken back at all."""
    told = event.kind != "clause" or not event.before  # what an earlier decision said of a clause is not kept
    return told and (event.kind, event.action) in _UNDOS


def may_undo(session: Session, events: Iterable[AuditEvent], by: Identity) -> set[int]:
    """Which of some decisions this person may take back as things stand: those that a page offers to undo."""
    return {
        one.id
        for one in events
        if one.id is not None and can_undo(one) and by.may(_right(one)) and _in_the_way(session, one) is None
    }


def _right(event: AuditEvent) -> str:
    return LESS.get((event.kind, event.action), NEEDS[event.kind])


def _in_the_way(session: Session, event: AuditEvent) -> AuditEvent | None:
    """The event that took this one back, or decided about the same side of the same thing since."""
    # each revision of a rule has an id of its own and settings have none, while names of other things change
    named = event.kind in ("rule", "clause", "setting", "index")
    same = col(AuditEvent.item).in_(_spellings(event.item)) if named else AuditEvent.item_id == event.item_id
    action = col(AuditEvent.action)
    side = action == event.action if event.action in _SIDES else action.not_in(_SIDES)
    since = (AuditEvent.kind == event.kind, same, side, col(AuditEvent.id) > event.id)
    undone = select(AuditEvent).where(AuditEvent.undoes == event.id)  # what was made again has an id of its own
    later = session.exec(select(AuditEvent).where(*since).order_by(col(AuditEvent.id).desc())).first()
    return later or session.exec(undone).first()


def undo(session: Session, event_id: int, *, by: Identity, false_alarm_budget: float, reason: str = "") -> AuditEvent:
    """Take the decision of an event back: what it was about is as it was before. An answer to an incident counts no
    more in the budget of its table either: rules that were demoted for it alarm again.

    Errors: `NotFound`, `Forbidden`, `UsageError` where it was taken back already, something was decided about the same
    thing since, or the decision cannot be taken back.
    """
    event = audit.get_event(session, event_id)
    step = _UNDOS.get((event.kind, event.action))
    if step is None:
        command = _BY_COMMAND.get((event.kind, event.action))
        remedy = f"use `{command} {event.item}`" if command else "decide anew where that is decided"
        raise UsageError(f"event {event.id}, {event.action}, is not taken back here", remedy=remedy)
    by.demand(_right(event))
    later = _in_the_way(session, event)
    if later is not None:
        if later.undoes == event.id:
            raise UsageError(
                f"event {event.id} was taken back by event {later.id}", remedy="undo that one to decide so again"
            )
        raise UsageError(f"event {later.id} decided about the same since", remedy=f"undo event {later.id} first")
    session.info[audit.UNDOES] = event.id
    try:
        step(session, event, by.name, reason.strip() or f"undoes event {event.id}")
    finally:
        del session.info[audit.UNDOES]
    made = session.exec(select(AuditEvent).where(AuditEvent.undoes == event.id)).first()
    if made is None:
        raise UsageError(
            f"event {event.id} changed nothing that is still there", remedy="there is nothing to take back"
        )
    if event.kind == "incident" and event.table_id is not None:
        budget.reconsider(session, event.table_id, false_alarm_budget)
    return made


def _tag(session: Session, event: AuditEvent, actor: str, why: str) -> None:
    assert event.item_id is not None
    tags.decide_tag(session, event.item_id, event.before["status"], actor, why)


def _current(session: Session, event: AuditEvent) -> int:
    """The revision in force of the rule that an event is about."""
    old = rules.get_rule(session, event.item_id or 0)
    query = select(RuleRow.id).where(*same_demand(old), RuleRow.status != "superseded")
    found = session.exec(query).first()
    if found is None:
        raise UsageError(f"rule {old.id} is not demanded any more", remedy="there is nothing to take back")
    return found


def _rule(session: Session, event: AuditEvent, actor: str, why: str) -> None:
    rules.set_rule_status(session, _current(session, event), event.before["status"], actor, why)


def _demotion(session: Session, event: AuditEvent, actor: str, why: str) -> None:
    if event.action == "demote":
        budget.promote_by_person(session, _current(session, event), actor)
    else:
        budget.demote_by_person(session, _current(session, event), why, actor)


def _clause(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    if event.before:
        raise UsageError("an earlier decision stood about this clause", remedy="decide again on the rule's page")
    clause = _spellings(event.item)[-1].rpartition(audit.CLAUSE)[2]
    clauses.decide_clause(session, _current(session, event), clause, clauses.UNDO, actor=actor)


def _spellings(item: str) -> list[str]:
    """Under which names the log has the same thing, this release's last.

    >>> _spellings("shop/orders.code: pattern rule, clause span")[-1]
    'shop/orders.code: pattern rule, clause length_range'
    """
    rule, mark, clause = item.rpartition(audit.CLAUSE)
    for old, new in FORMER_KEYS.items():
        if mark and clause in (old, new):
            return [f"{rule}{mark}{old}", f"{rule}{mark}{new}"]
    return [item]


def _resolved(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    outcomes.reopen(session, event.item_id or 0, actor=actor)


def _cause(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    causes.correct_cause(
        session, outcomes.get_incident(session, event.item_id or 0), event.before["cause"], actor=actor
    )


def _source(session: Session, event: AuditEvent, actor: str, why: str) -> None:
    """Its tables, where it was forgotten, come back with the next crawl; what was learned of them does not."""
    was = event.before
    if event.action == "remove":
        source = sources.add_source(session, was["name"], was["uri"], was["include"], was["exclude"])
    else:
        place = (was["name"], was["uri"], was["include"], was["exclude"])
        source = sources.edit_source(session, event.item_id or 0, *place)
    if was["allowed"] != source.allowed:
        sources.allow(session, source.id, was["allowed"] or [])
    owner = was.get("owner")
    if owner not in owners.gone(session):  # who was locked out since cannot be named again
        owners.set_owner(session, "source", source.id, owner, actor=actor, reason=why)


def _domain(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    was, ref = event.before, event.item_id or 0
    if was["name"] is None:
        lakedomains.forget_name(session, ref)
    else:
        label, sensitive = was["label"] or "", was["sensitive"]
        lakedomains.name_domain(session, ref, was["name"], label=label, sensitive=sensitive, actor=actor)


def _user(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    if event.action == "role":
        people.set_role(session, event.item_id or 0, event.before["role"], actor=actor)
    else:
        people.set_active(session, event.item_id or 0, event.before["active"], actor=actor)


def _description(session: Session, event: AuditEvent, actor: str, why: str) -> None:
    was = event.before
    terms.describe(
        session,
        event.kind,
        event.item_id or 0,
        text=was["description"],
        terms=was.get("terms"),
        actor=actor,
        reason=why,
    )


def _term(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    terms.put_term(session, event.item, event.before["definition"], owner=event.before["owner"] or "", actor=actor)


def _renamed_term(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    terms.rename_term(session, event.item, event.before["name"], actor=actor)


def _added_term(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    terms.remove_term(session, event.item, actor=actor)


def _answered_again(session: Session, event: AuditEvent, actor: str, why: str) -> None:
    outcomes.resolve(session, event.item_id or 0, event.before["reason"], actor=actor, comment=why)


def _status(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    was = event.before
    outcomes.set_incident(session, event.item_id or 0, actor=actor, status=was["status"], assignee=was["assignee"])


def _mode(session: Session, event: AuditEvent, _actor: str, _why: str) -> None:
    batches.set_mode(session, event.item_id or 0, event.before["mode"])


def _learner(session: Session, event: AuditEvent, _actor: str, _why: str) -> None:
    learners.take_back(session, event.kind, event.item_id or 0, event.before)


def _declared(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    if declared.STOOD not in event.before:
        raise UsageError("the log does not say which checks stood before", remedy="change them on the table's page")
    declared.declare_as_before(session, event.item_id or 0, event.before[declared.STOOD], actor=actor)


def _label(session: Session, event: AuditEvent, _actor: str, _why: str) -> None:
    batches.take_label_back(session, event.item_id or 0, event.before["label"])


def _setting(session: Session, event: AuditEvent, actor: str, why: str) -> None:
    was = event.before["value"]
    if event.item == approvals.SETTING:  # turning it off asks for a second person
        approvals.require(session, bool(was), actor=actor)
    else:
        preferences.set_preference(session, event.item, was, actor=actor, reason=why)


def _upgrade(session: Session, event: AuditEvent, actor: str, why: str) -> None:
    upgrades.take_back(session, event.item, event.before, actor=actor, reason=why)


def _route(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    if event.action == "add":
        routes.remove_route(session, event.item_id or 0, actor=actor)
    else:
        routes.set_active(session, event.item_id or 0, event.action == "pause", actor=actor)


def _schedule(session: Session, event: AuditEvent, actor: str, _why: str) -> None:
    if event.action == "schedule":
        schedules.remove_schedule(session, event.item_id or 0, actor=actor)
        return
    was = event.before
    scope = Scope(was["source"] or "", was["owner"] or "")
    schedules.add_schedule(session, was["kind"], was["every"], was["format"], scope, actor=actor)


def _level(session: Session, event: AuditEvent, actor: str, why: str) -> None:
    levels.set_level(session, event.item_id or 0, event.before["by_hand"], actor=actor, reason=why)


def _owner(session: Session, event: AuditEvent, actor: str, why: str) -> None:
    owners.set_owner(session, event.kind, event.item_id or 0, event.before["owner"], actor=actor, reason=why)


_UNDOS: dict[tuple[str, str], Undo] = {
    **{("tag", action): _tag for action in ("accept", "reject", "leave open")},
    **{("rule", action): _rule for action in ("activate", "pause", "reject", "resume", "draft")},
    **{("rule", action): _demotion for action in ("demote", "promote")},
    **{("clause", action): _clause for action in ("accept", "loosen", "pause", "reject")},
    ("incident", "resolve"): _resolved,
    ("incident", "reopen"): _answered_again,
    **{("incident", action): _status for action in ("acknowledge", "assign")},
    ("incident", "correct the cause of"): _cause,
    **{("source", action): _source for action in ("edit", "allow", "remove")},
    ("column", "level"): _level,
    **{(kind, "own"): _owner for kind in owners.OWNED},
    **{(kind, "describe"): _description for kind in owners.OWNED},
    **{(kind, "learner"): _learner for kind in ("source", "table")},
    ("table", "mode"): _mode,
    ("table", "declare"): _declared,
    ("version", "label"): _label,
    ("setting", "set"): _setting,
    **{("index", action): _upgrade for action in upgrades.VERBS.values()},
    **{("route", action): _route for action in ("add", "pause", "resume")},
    **{("report", action): _schedule for action in ("schedule", "unschedule")},
    ("term", "add"): _added_term,
    ("term", "define"): _term,
    ("term", "remove"): _term,
    ("term", "rename"): _renamed_term,
    **{("domain", action): _domain for action in ("name", "forget")},
    **{("user", action): _user for action in ("role", "lock", "unlock")},
}
