"""Incidents with their causes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from catalog.causes import TITLES
from catalog.store.pages.lines import IncidentLine
from catalog.store.schemas.listing import Out


class IncidentOut(Out):
    id: int
    table_id: int
    table: str
    kind: str
    column_name: str
    check_name: str = Field(description="of a declared check; empty: rules that were learned")
    first_version: int
    last_version: int
    passed_version: int | None
    level: str
    sentence: str
    status: str
    reason: str | None
    comment: str | None
    assignee: str | None
    actor: str | None = Field(description="who changed its status last")
    taken_back: str | None = Field(description="the last answer that does not hold any more, and whose it was")
    reopened_at: datetime | None = Field(description="when it was taken back")
    opened_at: datetime
    updated_at: datetime
    cause: str | None = Field(description="What probably happened; see /api/causes for all of them")
    cause_title: str | None
    confidence: float | None = Field(description="0 to 1")
    columns: list[str]
    size: dict[str, Any] = Field(description="Factor, hours, share of the rows, values: what is known of it")
    undo: str | None = Field(description="What takes it back, in words")
    proof: str | None = Field(description="What holds once it is taken back")
    others: list[dict[str, Any]] = Field(description="Other causes that it may be")
    corrected: str | None = Field(description="The cause by a person")
    tables: list[str] = Field(description="All tables in which columns of the same meaning broke alike")

    @classmethod
    def of(cls, line: IncidentLine) -> IncidentOut:
        row = line.incident
        diagnosis = row.diagnosis or {}
        return cls.made(
            row,
            table=line.table,
            tables=line.tables,
            cause=row.cause or None,
            cause_title=TITLES.get(row.cause) if row.cause else None,
            columns=row.columns or ([row.column_name] if row.column_name else []),
            size=diagnosis.get("size", {}),
            undo=diagnosis.get("undo") or None,
            proof=diagnosis.get("proof") or None,
            others=[{"cause": name, "confidence": share} for name, share in diagnosis.get("others", [])],
        )


class CauseOut(BaseModel):
    """A cause that incidents can have, and how often people corrected it."""

    cause: str
    title: str
    named: int
    resolved: int
    corrected: int

    @classmethod
    def all(cls, judged: Mapping[str, Mapping[str, int]]) -> list[CauseOut]:
        """Every cause; `judged` is what was counted of those that incidents had."""
        none = {"named": 0, "resolved": 0, "corrected": 0}
        return [cls(cause=name, title=title, **{**none, **judged.get(name, {})}) for name, title in TITLES.items()]
