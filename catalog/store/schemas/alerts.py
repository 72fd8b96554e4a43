"""Routes of alerts, and what was delivered."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from pydantic import Field, model_validator

from catalog.store.schemas.listing import Out


class RouteOut(Out):
    id: int
    name: str
    shown: str = Field(description="what may be seen of its address")
    owner: str | None = Field(description="only what this person or team owns; null: everybody's")
    source_id: int | None = Field(description="only of this source; null: of all")
    level: str = Field(description="error, or warning: warnings too")
    events: list[str]
    fallback: bool = Field(description="told only what no other route is")
    active: bool
    created_at: datetime


class DeliveryOut(Out):
    id: int
    incident_id: int
    event: str
    route_id: int = Field(description="0: nobody was to be told")
    route: str
    status: str = Field(description="pending, sending, delivered, failed or nobody")
    attempts: int
    next_at: datetime | None = Field(description="when it is tried next; null where it is not any more")
    error: str | None
    title: str
    made_at: datetime
    delivered_at: datetime | None

    @model_validator(mode="after")
    def _no_next_try(self) -> Self:
        if self.status not in ("pending", "sending"):
            self.next_at = None
        return self
