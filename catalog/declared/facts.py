"""What judging a check knows beside counted parts: the schema, the time, earlier figures, another table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from catalog.measures.part import State


@dataclass(frozen=True)
class Other:
    """Another table at one of its versions.

    Parameters
    ----------
    schema : ``[name, type]`` of its leaf columns.
    states : its counted parts by their keys; an error in place of one that could not be counted.
    """

    name: str
    version: int | None
    schema: Sequence[Sequence[str]] = ()
    states: Mapping[str, State | Exception] = field(default_factory=dict)


@dataclass(frozen=True)
class Compared:
    """Two tables compared by the values of some columns.

    Parameters
    ----------
    own, others : rows of either. asked : own rows with a value in at least one column. found : of these, those whose
        values the other has. alike : rows that both have, each as often as both have it.
    """

    own: int
    others: int
    asked: int
    found: int
    alike: int


@dataclass(frozen=True)
class Facts:
    """What a check may be judged by; None of what is not known.

    Parameters
    ----------
    schema : ``[name, type]`` of the leaf columns, in order.
    committed_at : when the version came, UTC.
    past : the check's figure in earlier healthy versions, oldest first.
    other : the table that it compares with, or why that cannot be had.
    compared : what was compared with it already, where counted parts would be too large.
    fields : ``[name, type]`` of the columns as people count them, a struct or a list as one.
    """

    schema: Sequence[Sequence[str]] | None = None
    committed_at: datetime | None = None
    past: Sequence[float] | None = None
    other: Other | Exception | None = None
    compared: Compared | None = None
    fields: Sequence[Sequence[str]] | None = None


NOTHING = Facts()
