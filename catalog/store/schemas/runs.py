"""Runs: what is being done, and how far it is."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import field_validator

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
