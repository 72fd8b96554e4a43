"""What judging one batch by one rule says."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from catalog.states.table import TableState

PASSED, VIOLATED, NOT_APPLICABLE = "passed", "violated", "not_applicable"


@dataclass(frozen=True)
class Batch:
    """One version of a table as a batch: what a rule may look at.

    Parameters
    ----------
    version : Delta version number.
    kind : ``increment`` (rows that an append added), ``rewrite`` (rows that a MERGE, UPDATE or DELETE wrote anew into a
        table of increments) or ``snapshot`` (the whole table after the version).
    state : state of the batch's rows.
    previous : state of the batch of the same kind before, None for the first.
    schema : ``[[name, type], ...]`` of the leaf columns, in table order.
    committed_at : time of the commit, UTC; `now` is the time of judging (freshness only).
    history : the metrics of the earlier batches of the same kind, oldest first, None for those that are not healthy.
    """

    version: int
    kind: str
    state: TableState
    previous: TableState | None
    schema: list[list[str]]
    committed_at: datetime
    history: Any = None
    now: datetime | None = None


@dataclass(frozen=True)
class Verdict:
    """The answer of one rule on one batch.

    `observed`, `expected` are JSON data; `metric`, `value`, `low`, `high` (when the rule has a band) feed the chart.
    `offenders` says how to find the offending rows: ``{"regex": ...}`` (rows whose value does not match), ``{"domain":
    name}``, ``{"null": true}``, ``{"outside": [low, high]}``, ``{"not_in": [...]}``; empty where rows cannot be pointed
    at.
    """

    status: str
    sentence: str
    observed: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, Any] = field(default_factory=dict)
    metric: str | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    offenders: dict[str, Any] = field(default_factory=dict)
