"""Four eyes: decisions that need a second person wait here until one answers. Functions take a session, never commit.

`hold` stands in each such decision, before anything is changed: where the setting is on, it writes the decision down
and raises `Held`, which keeps what was written (`catalog.store.engine.session`). Who answers is in
`catalog.store.access.answers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import Session, col, func, select, update

from catalog.errors import Held, NotFound, UsageError
from catalog.roles import APPROVE, ROLES
from catalog.store.access.audit import ASSAY, UNDOES, Item
from catalog.store.access.preferences import preference, set_preference
from catalog.store.models import Approval, User, now

SETTING = "four_eyes"
APPROVED = "approved"  # in the session of who applies a decision that was approved


def four_eyes(session: Session) -> bool:
    """Whether rules, checks and lower sensitivity need a second person."""
    return bool(preference(session, SETTING, False))


def require(session: Session, on: bool, *, actor: str) -> None:
    """Let such decisions need a second person, or not any more, which itself is such a decision. Errors: `UsageError`
    where there are not two people who could; `Held`."""
    able = [role for role, rights in ROLES.items() if APPROVE in rights]
    people = select(func.count()).select_from(User).where(col(User.active), col(User.role).in_(able))
    if on and session.exec(people).one() < 2:
        raise UsageError(
            "a second person is needed to approve, and there is none", remedy=f"give two people a role of {able}"
        )
    if four_eyes(session) and not on:
        hold(session, "require", {"on": False}, Item("setting", None, "four-eyes approval"), actor, "turn off")
    set_preference(session, SETTING, on, actor=actor)


def hold(
    session: Session, what: str, args: Mapping[str, Any], item: Item, actor: str, words: str, reason: str | None = None
) -> None:
    """Write a decision down for a second person and raise `Held`, where the setting is on. `what` and `args` are what
    `catalog.store.access.answers` does on approval; `words` are for people."""
    if session.info.get(APPROVED) or not four_eyes(session):
        return
    same = select(Approval).where(Approval.status == "waiting", Approval.what == what, Approval.item == item.name)
    found = next((one for one in session.exec(same) if one.args == dict(args)), None)
    if found is None:
        found = Approval(
            what=what, args=dict(args), words=words, kind=item.kind, item_id=item.id, item=item.name,
            source=item.source, table_id=item.table_id, actor=actor, reason=reason or None,
            undoes=session.info.get(UNDOES),
        )  # fmt: skip
        session.add(found)
        session.flush()
    raise Held(f"the request to {words} {item.kind} {item.name} waits for a second person, as number {found.id}")


def drop_waiting(session: Session, table_id: int) -> None:
    """What waits about a table that is forgotten can be answered no more."""
    waiting = (col(Approval.table_id) == table_id, col(Approval.status) == "waiting")
    gone = {"status": "rejected", "by": ASSAY, "answer": "its table was forgotten", "answered_at": now()}
    session.exec(update(Approval).where(*waiting).values(gone))


def is_second(session: Session, author: str, actor: str) -> bool:
    """Whether `actor` is another person than the `author` of what he decides on: four eyes have seen it then."""
    known = select(User.id).where(User.name == actor, col(User.active))
    return author != actor and session.exec(known).first() is not None


def get_approval(session: Session, approval_id: int) -> Approval:
    """Errors: `NotFound`."""
    found = session.get(Approval, approval_id)
    if found is None:
        raise NotFound(f"nothing waits as number {approval_id}", remedy="`assay approval list` shows what does")
    return found


def list_approvals(
    session: Session, *, waiting: bool = True, table_id: int | None = None, limit: int = 200
) -> list[Approval]:
    """What waits for a second person, the oldest first; without `waiting` what was answered too, the latest first;
    with `table_id` only about that table and what it has."""
    query = select(Approval) if table_id is None else select(Approval).where(Approval.table_id == table_id)
    if waiting:
        query = query.where(Approval.status == "waiting").order_by(col(Approval.id))
    else:
        query = query.order_by(col(Approval.id).desc())
    return list(session.exec(query.limit(limit)))


def waiting_about(session: Session, kind: str) -> dict[int, Approval]:
    """What waits about things of a kind, by their ids."""
    query = select(Approval).where(Approval.status == "waiting", Approval.kind == kind)
    return {one.item_id: one for one in session.exec(query.order_by(col(Approval.id))) if one.item_id is not None}


def count_waiting(session: Session) -> int:
    """How many decisions wait for a second person."""
    return int(session.exec(select(func.count()).select_from(Approval).where(Approval.status == "waiting")).one())
