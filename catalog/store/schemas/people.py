"""People with accounts and the tokens of their programs, without anything by which somebody could come in; their
decisions, those that were made and those that wait for a second person; and who answers for what."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field, computed_field
from sqlmodel import Session

from catalog.store.access.answers import is_now
from catalog.store.access.undo import can_undo
from catalog.store.models import ApiToken, Approval, AuditEvent, User
from catalog.store.schemas.listing import Out
from catalog.store.seen import mark


class UserOut(Out):
    id: int
    name: str
    role: str
    active: bool = Field(description="may come in")
    created_at: datetime


class TokenOut(Out):
    id: int
    name: str
    scope: str = Field(description="a role: it may do what both this and its owner's role may")
    created_at: datetime
    expires_at: datetime
    user: str

    @classmethod
    def of(cls, found: tuple[ApiToken, User]) -> TokenOut:
        token, user = found
        return cls.made(token, user=user.name)


class ApprovalOut(Out):
    id: int
    words: str = Field(description="what is to be done")
    kind: str
    item: str
    item_id: int | None
    table_id: int | None
    undoes: int | None = Field(description="the event that it takes back")
    actor: str = Field(description="who decided so")
    reason: str | None
    status: str = Field(description="waiting, approved or rejected")
    by: str | None = Field(description="who answered")
    answer: str | None
    made_at: datetime
    answered_at: datetime | None
    is_now: str = Field("", description="of one that waits: what is so now, and what was decided about the same since")

    @computed_field(description="hand it back with an approval: 409 where what is so has changed meanwhile")
    def seen(self) -> str:
        return mark(self.is_now)

    @classmethod
    def of(cls, session: Session, found: Approval) -> ApprovalOut:
        return cls.made(found, is_now=is_now(session, found))


class AuditOut(Out):
    id: int
    at: datetime
    actor: str = Field(description="who decided; local where nobody has an account, assay where it did so itself")
    action: str
    kind: str
    item_id: int | None
    item: str
    source: str | None
    reason: str | None
    before: dict[str, Any]
    after: dict[str, Any]
    undoes: int | None = Field(description="the event that this one took back")
    can_undo: bool = Field(description="whether a decision of its kind can be taken back at all")

    @classmethod
    def of(cls, event: AuditEvent) -> AuditOut:
        return cls.made(event, can_undo=can_undo(event))


class OwnerOut(Out):
    name: str | None = Field(description="null: nobody")
    given: str = Field(description="to a column, table or source, or by default; empty where nobody is")


class OwnerLine(BaseModel):
    owner: str
    members: list[str] = Field(description="of a team")
    sources: int
    tables: int = Field(description="those of its sources among them")
    columns: int = Field(description="with an owner of their own")
    gone: bool = Field(description="the person was locked out, or everybody in the team: nobody answers")


class OwnersOut(BaseModel):
    default: str | None = Field(description="who answers for what nobody was named for")
    unowned: int = Field(description="tables that nobody was named for who is still there")
    owners: list[OwnerLine]
