"""What is being done, and how far it is; what is done again and again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field, field_validator

from catalog.store.schemas.listing import Out


class RunOut(Out):
    id: int
    kind: str
    title: str
    source_id: int | None
    table_id: int | None
    status: str
    phase: str
    done: int
    total: int
    cancel: bool
    attempts: int
    error: str | None
    remedy: str | None
    stats: dict[str, Any]
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @field_validator("stats")
    @classmethod
    def _without_the_check(cls, stats: dict[str, Any]) -> dict[str, Any]:
        """A check that is tried may quote values: its own page shows it to authors."""
        return {name: value for name, value in stats.items() if name != "check"}


class ScheduleOut(Out):
    """A report that is written again and again."""

    id: int
    kind: str
    every: str = Field(description="day, week, month or quarter")
    format: str = Field(description="pdf, html, csv or json")
    source: str | None
    owner: str | None
    actor: str
    made_at: datetime
    next_at: datetime
    last_file: str | None
    error: str | None = Field(description="why the last try failed; it stays due until the one after it is")


class FiledOut(Out):
    """A report that the service wrote into its folder."""

    whose: str = Field(description="the folder: an owner, a source, or all")
    name: str
    kind: str
    day: str = Field(description="the last of its period, UTC")
    format: str
    bytes: int
    at: datetime = Field(description="when it was written")
