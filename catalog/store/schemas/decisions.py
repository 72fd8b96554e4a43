"""Decisions of people: those that were made, and those that wait for a second person."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from catalog.store.access.undo import can_undo
from catalog.store.models import AuditEvent
from catalog.store.schemas.listing import Out


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
