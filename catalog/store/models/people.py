"""People, how they log in, and what they decided."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index
from sqlmodel import Field, SQLModel

from catalog.store.models.base import now, time_column


class User(SQLModel, table=True):
    """A person with an account. `password`: an argon2 hash, empty where the person logs in elsewhere (`subject`).
    Nobody is deleted: the audit log names them; who may not come in any more is not `active`."""

    __tablename__ = "account"

    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    role: str
    password: str = ""
    subject: str | None = Field(default=None, unique=True)  # issuer and subject of another login
    active: bool = True
    created_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    let_in_at: datetime | None = Field(default=None, sa_column=time_column())  # when the provider did so last


class WebSession(SQLModel, table=True):
    """A browser that logged in. `digest` is of the secret in its cookie, `key` of the credentials that it gave;
    `user_id`: the person, where people have accounts."""

    __tablename__ = "web_session"

    id: int = Field(default=None, primary_key=True)
    digest: str = Field(unique=True, index=True)
    key: str
    user_id: int | None = Field(default=None, index=True)
    opened_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    expires_at: datetime = Field(sa_column=time_column(nullable=False, index=True))


class ApiToken(SQLModel, table=True):
    """A token of a program. `digest` is of its secret; `scope` is a role: it has the rights that both this role and its
    owner have."""

    __tablename__ = "api_token"

    id: int = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="account.id", index=True)
    name: str
    digest: str = Field(unique=True)
    scope: str
    created_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    expires_at: datetime = Field(sa_column=time_column(nullable=False))
    revoked_at: datetime | None = Field(default=None, sa_column=time_column())


class Approval(SQLModel, table=True):
    """A decision that waits for a second person. `what` and `args` say what is done on approval
    (`catalog.store.access.answers`), `words` and `item` what people read. `status`: waiting, approved, rejected."""

    __tablename__ = "approval"

    id: int = Field(default=None, primary_key=True)
    what: str
    words: str
    kind: str
    item: str
    actor: str
    args: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    item_id: int | None = None
    source: str | None = None
    reason: str | None = None
    by: str | None = None
    answer: str | None = None
    table_id: int | None = None
    status: str = Field(default="waiting", index=True)
    undoes: int | None = None  # the event that it takes back
    made_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    answered_at: datetime | None = Field(default=None, sa_column=time_column())


class AuditEvent(SQLModel, table=True):
    """A decision: who made it, when, about what, why, and what was so before and after. The database refuses to change
    or delete one. It refers to nothing that can be forgotten: `item` names the thing for people, `item_id` is the id it
    had. `undoes`: the event that this one took back."""

    __tablename__ = "audit_event"
    __table_args__ = (Index("ix_audit_event_item", "kind", "item_id"),)

    id: int = Field(default=None, primary_key=True)
    at: datetime = Field(default_factory=now, sa_column=time_column(index=True, nullable=False))
    actor: str = Field(index=True)
    action: str
    kind: (
        str  # tag, rule, clause, incident, source, table, column, domain, user, token, setting, version, values, index
    )
    item_id: int | None = None
    item: str
    source: str | None = None
    table_id: int | None = Field(default=None, index=True)
    reason: str | None = None
    before: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    after: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    undoes: int | None = None


class CatalogSetting(SQLModel, table=True):
    """A setting that people change while the service runs."""

    __tablename__ = "catalog_setting"

    name: str = Field(primary_key=True)
    value: Any = Field(sa_column=Column(JSON, nullable=False))
