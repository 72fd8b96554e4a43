"""What is demanded of tables: rules in their revisions, and what people decided about them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from catalog.store.models.base import ONCE, now, time_column


class RuleRow(SQLModel, table=True):
    """A revision of a rule. (table, kind, column, learner) is its identity over revisions; `status`: active, paused,
    rejected, draft, superseded. `body` is catalog.rules.Rule as JSON.

    A rule that spent more false alarms than its budget is demoted: from `demoted_at` on it only warns, for the reason
    `demotion`, until it is promoted again; alarms before `trusted_at` are not held against it any more."""

    __tablename__ = "rule"
    __table_args__ = (
        UniqueConstraint("table_id", "kind", "column_name", "learner", "revision"),
        Index(
            "uq_rule_current",  # at most one revision of a rule is in force
            *("table_id", "kind", "column_name", "learner"),
            unique=True,
            sqlite_where=text("status != 'superseded'"),
            postgresql_where=text("status != 'superseded'"),
        ),
        Index("ix_rule_table_status", "table_id", "status"),
        ONCE,
    )

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    column_name: str = ""  # empty: the whole table
    kind: str
    learner: str
    revision: int = 1
    fingerprint: str
    status: str = "active"
    level: str = "error"
    fpr: float  # what its alarms are expected at; see `stated_fpr`
    sentence: str
    body: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    since_version: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))  # judged after this version
    actor: str = "assay"  # who gave it its status
    created_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    demoted_at: datetime | None = Field(default=None, sa_column=time_column())
    demotion: str | None = None
    trusted_at: datetime | None = Field(default=None, sa_column=time_column())

    @property
    def stated_fpr(self) -> float | None:
        """The false-alarm rate that the rule states; None for one that states none, and is held to none."""
        return None if self.body.get("fpr", self.fpr) is None else self.fpr

    @property
    def column_kind(self) -> str:
        """The kind of column that a rule of histories is about (`catalog.states.column`); empty where it says none."""
        return str((self.body.get("params") or {}).get("kind") or "")

    @property
    def level_now(self) -> str:
        """``error`` or ``warning``: what breaking it means at present."""
        return "warning" if self.demoted_at is not None else self.level


class RuleEvent(SQLModel, table=True):
    """What was decided about a rule, by whom and why. `what`: active, paused, rejected, draft, demoted, promoted, or
    what was done to one `clause`: accepted, loosened, paused, rejected, undone."""

    __tablename__ = "rule_event"
    __table_args__ = (Index("ix_rule_event_rule", "table_id", "column_name"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    column_name: str = ""
    kind: str
    learner: str
    what: str
    clause: str | None = None
    reason: str | None = None
    actor: str = "assay"
    at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))


class ClauseDecision(SQLModel, table=True):
    """What a person decided about one clause of a column's program; it outlives what is learned again.

    `clause` names it within the program (`catalog.rules.decisions.key`); `action`: accepted (its `body` stays as it
    is), loosened (its band `factor` times as wide), paused, rejected."""

    __tablename__ = "clause_decision"
    __table_args__ = (UniqueConstraint("table_id", "column_name", "learner", "clause"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    column_name: str = ""
    learner: str
    clause: str
    action: str
    factor: float = 1.0
    body: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    actor: str
    at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
