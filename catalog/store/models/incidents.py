"""What rules said of versions, and what people are asked about."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Index, String, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from catalog.store.models.base import ONCE, now, time_column

#: In the detail of an outcome: the week had no room for it; it was told though its rule is demoted.
HELD_BACK, ANYWAY = "held_back", "told_anyway"


class Outcome(SQLModel, table=True):
    """What one rule said of one version: once and only once. `replay` names what it was judged from."""

    __table_args__ = (
        UniqueConstraint("table_id", "version", "rule_id"),
        Index("ix_outcome_rule_version", "rule_id", "version"),
    )

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    version: int = Field(sa_column=Column(BigInteger, nullable=False))
    rule_id: int = Field(foreign_key="rule.id")
    status: str = Field(index=True)  # passed, violated, not_applicable
    sentence: str
    metric: str | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    detail: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    replay: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    rows: list[dict[str, Any]] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))  # masked
    judged_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))


class Incident(SQLModel, table=True):
    """One open row per (table, rule kind, column, declared check: "" of learned rules) and change: what broke in
    another way after versions that passed, while the row before waits for an answer, is a row of its own, and its
    `since_version` the first that passed (0 of the others). Rows with one cause have one leader
    (`catalog.store.incidents.causes`).

    `status`: new, acknowledged, assigned, resolved. `outcome_id` and `sentence` are of the first bad version, but for
    the sentence of a leader, which is its cause's and of the version in which most rows broke; `passed_version` is the
    first version after the last bad one that passed (None while the latest judged one is bad): it does not resolve the
    incident, a person does."""

    __table_args__ = (
        Index(
            "uq_incident_open",
            *("table_id", "kind", "column_name", "check_name", "since_version"),
            unique=True,
            sqlite_where=text("status != 'resolved'"),
            postgresql_where=text("status != 'resolved'"),
        ),
        Index("ix_incident_table_status", "table_id", "status"),
        ONCE,
    )

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    kind: str
    column_name: str = ""
    check_name: str = Field(default="", sa_column=Column(String, nullable=False, server_default=text("''")))
    outcome_id: int = Field(foreign_key="outcome.id")
    first_version: int = Field(sa_column=Column(BigInteger, nullable=False))
    last_version: int = Field(sa_column=Column(BigInteger, nullable=False))
    passed_version: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    since_version: int = Field(default=0, sa_column=Column(BigInteger, nullable=False, server_default=text("0")))
    level: str = "error"
    sentence: str
    lead_id: int | None = Field(default=None, index=True)  # the row with the cause that this one shows too
    spread_id: int | None = Field(default=None, index=True)  # the leader in another table that broke alike
    cause: str = ""  # one of catalog.causes.TITLES
    confidence: float | None = None
    columns: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    diagnosis: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    corrected: str | None = None  # the cause by a person
    status: str = Field(default="new", index=True)
    reason: str | None = None  # FalsePositive, Expected, MissingData, Duplicates, OutOfBounds, Other
    comment: str | None = None
    assignee: str | None = None
    actor: str | None = None  # who changed its status last
    taken_back: str | None = None  # the answer that does not hold any more
    reopened_at: datetime | None = Field(default=None, sa_column=time_column())  # by a person
    opened_at: datetime = Field(default_factory=now, sa_column=time_column(index=True, nullable=False))
    updated_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
