"""Groups that lie in a sorted file, and those that came or went since: figures without reading all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from catalog.measures.groups.frequency import Frequencies, Groups, merge_frequencies
from catalog.measures.groups.runs import (
    KEY,
    ROWS,
    Keys,
    Run,
    alike,
    merge_runs,
    names_of,
    ordered_kind,
    rows_before,
    sorted_run,
)
from catalog.measures.groups.tally import Tally

Open = Callable[[str], pa.Table]


@dataclass(frozen=True, eq=False)
class Stored(Groups):
    """Groups as a run in a file.

    Parameters
    ----------
    name : of the file. known : its tally, known without opening it, as `nulls` are. size : bytes of the file.
    open : maps the file of a name into memory; None where nobody can.
    """

    name: str
    nulls: int
    known: Tally
    size: int = 0
    open: Open | None = None

    @property
    def tally(self) -> Tally:
        return self.known

    @cached_property
    def run(self) -> Run:
        if self.open is None:
            raise LookupError(f"nobody can open {self.name}")
        return Run(self.open(self.name))

    @property
    def table(self) -> pa.Table:
        return self.run.table.drop_columns(KEY)

    def ordered(self, places: Sequence[int]) -> list[float]:
        return Grown(self, merge_frequencies([])).ordered(places)

    def encode(self) -> bytes:
        told = {"file": self.name, "nulls": self.nulls, "tally": self.known.to_json(), "size": self.size}
        return json.dumps(told).encode()

    @classmethod
    def decode(cls, data: bytes, open: Open | None = None) -> Stored:
        told = json.loads(data)
        return cls(told["file"], told["nulls"], Tally.from_json(told["tally"]), told["size"], open)


@dataclass(frozen=True, eq=False)
class Grown(Groups):
    """Stored groups with what came and went since: each figure costs what changed, and a look at the keys.

    Parameters
    ----------
    delta : groups of the rows that came, less those of the rows that went: rows may be below 0.

    >>> from catalog.measures.groups.frequency import frequencies
    >>> from catalog.measures.groups.tally import tally_of
    >>> old = frequencies([pa.array([1, 2, 3, 3])])
    >>> base = Stored("", 0, old.tally, open=lambda name: sorted_run(old.table))
    >>> grown = Grown(base, frequencies([pa.array([3, 7])]))
    >>> grown.distinct, grown.singletons, grown.quantile(0.5), grown == frequencies([pa.array([1, 2, 3, 3, 3, 7])])
    (4, 3, 3.0, True)
    """

    base: Stored
    delta: Frequencies

    @property
    def nulls(self) -> int:  # type: ignore[override]
        return self.base.nulls + self.delta.nulls

    @cached_property
    def _delta(self) -> pa.Table:
        """The run of what changed, with the base's types where there is anything."""
        own = self.base.run.table
        if not self.delta.table.num_rows:
            return own.slice(0, 0)
        return alike([own.slice(0, 0), sorted_run(self.delta.table)])[1]

    @cached_property
    def tally(self) -> Tally:
        if not self.delta.table.num_rows:
            return self.base.tally
        if not self.fits:
            return Frequencies(self.table).tally
        before = rows_before(self.base.run, self._delta)
        return self.base.tally.changed(before, before + self._delta[ROWS].to_numpy())

    @property
    def fits(self) -> bool:
        """Whether both have values of one type; else they are merged again."""
        return bool(self._delta.schema.equals(self.base.run.table.schema.remove_metadata()))

    @cached_property
    def table(self) -> pa.Table:
        runs = [self.base.run.table, self._delta]
        pieces = list(merge_runs(runs))
        return pa.concat_tables(pieces).drop_columns(KEY) if pieces else runs[0].slice(0, 0).drop_columns(KEY)

    def ordered(self, places: Sequence[int]) -> list[float]:
        kinds = [self.base.run.table.schema.field(name).type for name in names_of(self.base.run.table)]
        if not (len(kinds) == 1 and ordered_kind(kinds[0]) and self.fits):
            return Frequencies(self.table).ordered(places)
        return [self._at(place) for place in places]

    @cached_property
    def _reached(self) -> tuple[Keys, NDArray[np.int64], NDArray[np.int64]]:
        """Keys of the delta; its rows up to each; those of both up to each."""
        keys, counts = self._delta[KEY].combine_chunks().to_numpy(), np.cumsum(self._delta[ROWS].to_numpy())
        return keys, counts, self.base.run.rows_up_to(keys) + counts

    def _at(self, place: int) -> float:
        """The number at a place: of the delta, or of the base between two of the delta."""
        run, delta = self.base.run, self._delta
        keys, counts, reached = self._reached
        at = int(np.searchsorted(reached, place, side="right"))
        gone = int(counts[at - 1]) if at else 0
        first = run.beyond(place - gone)
        if at == len(keys) or first < run.place(keys[at]):
            return float(run.table["g0"][first].as_py())
        return float(delta["g0"][at].as_py())


def less(parts: Iterable[Frequencies]) -> list[Frequencies]:
    """Groups whose rows went."""
    return [
        Frequencies(
            one.table.set_column(one.table.schema.get_field_index(ROWS), ROWS, pa.array(-one.counts)), -one.nulls
        )
        for one in parts
    ]


def run_of(groups: Groups) -> pa.Table:
    """The groups as a sorted run."""
    return groups.run.table if isinstance(groups, Stored) else sorted_run(groups.table)
