"""What judging is asked about, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from catalog.history.earlier import Earlier
    from catalog.history.replaced.changes import Replaced
    from catalog.history.series import Past
    from catalog.states.table import TableState

PASSED, VIOLATED, NOT_APPLICABLE = "passed", "violated", "not_applicable"
#: The p-value of what healthy versions do as well: a finding that is told, and raises no alarm by itself. A bound.
MEANT = 1.0


class Subject(Protocol):
    """What a rule may look at. Whoever judges gives what the rule's `needs` name; the rest may be empty."""

    @property
    def version(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def state(self) -> TableState: ...
    @property
    def previous(self) -> TableState | None: ...
    @property
    def schema(self) -> Sequence[Sequence[str]]: ...
    @property
    def committed_at(self) -> datetime: ...
    @property
    def history(self) -> Past | None: ...
    @property
    def whole(self) -> TableState | None: ...
    @property
    def others(self) -> Mapping[str, TableState]: ...
    @property
    def parts(self) -> Mapping[str, Any]: ...
    @property
    def waited(self) -> float | None: ...
    @property
    def operation(self) -> str: ...
    @property
    def earlier(self) -> Mapping[str, Earlier]: ...
    @property
    def rewrites(self) -> Past | None: ...
    @property
    def replaced(self) -> Replaced | None: ...


@dataclass(frozen=True)
class Needs:
    """What judging needs beside the state of the batch.

    Parameters
    ----------
    series : the metrics of earlier batches and the state of the one before.
    whole : the state of the table as it stands.
    others : other tables whose states are needed, as ``source/name``.
    """

    series: bool = False
    whole: bool = False
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Batch:
    """One version of a table as a batch.

    Parameters
    ----------
    version : Delta version number.
    kind : ``increment`` (rows that an append added, or the days that a version replaced), ``rewrite`` (rows that a
        MERGE, UPDATE or DELETE wrote into a table of increments) or ``snapshot`` (the whole table after the version).
    state : state of the batch's rows.
    previous : state of the batch of the same kind before, None for the first; of a ``rewrite`` that of the files that
        it replaced, None where it replaced none or one of them is not known.
    schema : ``[[name, type], ...]`` of the leaf columns, in table order.
    committed_at : time of the commit, UTC.
    history : the metrics of the earlier batches of the same kind, of a ``rewrite`` those of the increments, oldest
        first, None for those that are not healthy.
    whole : state of the table as it stands after the version, for rules of that scope and of a ``rewrite``.
    others : states of other tables, by ``source/name``.
    parts : further parts of the state, by their fingerprints.
    waited : days between its commit and that of the previous batch, None where there is none.
    operation : what the log calls its commit, as DELETE; empty where nobody says.
    earlier : of columns that identify rows, and of whole rows under "", what earlier increments hold.
    rewrites : of a ``rewrite`` the metrics of earlier ones, oldest first, None for those that are not healthy.
    """

    version: int
    kind: str
    state: TableState
    previous: TableState | None
    schema: list[list[str]]
    committed_at: datetime
    history: Any = None
    whole: TableState | None = None
    others: Mapping[str, TableState] = field(default_factory=dict)
    parts: Mapping[str, Any] = field(default_factory=dict)
    waited: float | None = None
    operation: str = ""
    earlier: Mapping[str, Earlier] = field(default_factory=dict)
    rewrites: Any = None

    @cached_property
    def replaced(self) -> Replaced | None:
        """What a ``rewrite`` made of the rows that it replaced; None where these are not known."""
        if self.kind != "rewrite" or self.previous is None:
            return None
        from catalog.history.replaced.changes import NEARLY_ALL, Replaced

        rows = None if self.whole is None else self.whole.rows
        return Replaced(self.state, self.previous, all_rows=rows is not None and self.state.rows >= NEARLY_ALL * rows)


def part_place(scope: str, key: str) -> str:
    """Where the state of a part stands among those of a batch: of its own rows, or of the table as it stands."""
    return f"{scope}:{key}"


@dataclass(frozen=True)
class Wait:
    """The wait that begins with a version.

    Parameters
    ----------
    version : whose successor is waited for.
    since : its commit time.
    until : commit time of the successor, or now when none has `arrived`.
    """

    version: int
    since: datetime
    until: datetime
    arrived: bool


def waits_of(versions: Sequence[tuple[int, datetime]], now: datetime) -> list[Wait]:
    """The wait after each version, given as (number, commit time), oldest first; the last one goes on.

    >>> from datetime import UTC
    >>> days = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 4)]
    >>> found = waits_of([(7, days[0]), (8, days[1])], days[2])
    >>> [(one.version, (one.until - one.since).days, one.arrived) for one in found]
    [(7, 1, True), (8, 2, False)]
    """
    ended = [Wait(number, at, until, True) for (number, at), (_, until) in pairwise(versions)]
    return ended + [Wait(number, at, now, False) for number, at in versions[-1:]]


@dataclass(frozen=True)
class Verdict:
    """The answer of one rule on one batch.

    `observed`, `expected` are JSON data; `metric`, `value`, `low`, `high` (when the rule has a band) feed the chart.
    `offenders` says how to find the offending rows: ``{"regex": ...}`` (rows whose value does not match), ``{"domain":
    name}``, ``{"null": true}``, ``{"missing": true}``, ``{"outside": [low, high]}``, ``{"not_in": [...]}``,
    ``{"repeated": true}``, ``{"again": version}`` (beside rows of that version with the same value), both of several
    columns together with their names as ``columns``; empty where rows cannot be pointed at. `p_value` is the chance
    that a healthy batch is so far out; None where the rule can say only whether it is.
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
    p_value: float | None = None
