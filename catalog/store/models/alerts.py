"""Where alerts go, and which were delivered."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from catalog.store.models.base import now, time_column


class AlertRoute(SQLModel, table=True):
    """Where alerts go. Empty fields ask nothing: `owner` of what an incident is about, `source_id`; of `level` error
    only errors are told. `events`: opened, reopened, resolved. A `fallback` is told what no other route is. `address`
    is sealed (`catalog.vault`), `shown` what may be seen of it. A route is told of what happens after `created_at`."""

    __tablename__ = "alert_route"

    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    address: str
    shown: str
    owner: str | None = None
    source_id: int | None = Field(default=None, foreign_key="source.id")
    level: str = "error"
    events: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    fallback: bool = False
    active: bool = True
    actor: str = ""
    created_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))


class AlertDelivery(SQLModel, table=True):
    """One alert by one route: at most one for each incident and event. `event`: opened, opened worse, or reopened or
    resolved with what tells one time from another; `route_id` 0: nobody is told. `status`: pending, sending (until
    `next_at`), delivered, failed, nobody. What was said is kept in `title` and `body`."""

    __tablename__ = "alert_delivery"
    __table_args__ = (
        UniqueConstraint("incident_id", "event", "route_id"),
        Index("ix_alert_delivery_due", "status", "next_at"),
    )

    id: int = Field(default=None, primary_key=True)
    incident_id: int
    event: str
    route_id: int
    route: str = ""  # its name then
    status: str = "pending"
    attempts: int = 0
    next_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    error: str | None = None
    title: str = ""
    body: str = ""
    made_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    delivered_at: datetime | None = Field(default=None, sa_column=time_column())
