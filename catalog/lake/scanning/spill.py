"""Sorted files of groups that are too many to be held or kept in the catalog, in a folder of Assay's own."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from catalog.errors import MissingFile, StateError
from catalog.measures.groups.frequency import Groups
from catalog.measures.groups.runs import KEY, ROWS, merge_runs
from catalog.measures.groups.stored import Stored, run_of
from catalog.measures.groups.tally import add_tallies, tally_of
from catalog.measures.part import Part, State

ENDING = ".groups.arrow"
#: Groups of one file that take more bytes than this in memory are put into a sorted file. Chosen.
LARGEST = 64 << 20
#: Seconds for which a file that nobody knows may be another process's that has yet to say so; a bound.
STILL_WRITTEN = 3600.0


@dataclass(frozen=True)
class RunFiles:
    """Runs (`catalog.measures.groups.runs`) by name, each an Arrow file that is mapped into memory when it is read.

    A file is written beside its place and moved there: another process sees all of it or nothing.

    Parameters
    ----------
    largest : bytes of memory that groups may take before they are put here.
    """

    folder: Path
    largest: int = LARGEST

    def write(self, name: str, pieces: Iterable[pa.Table], nulls: int) -> Stored:
        """Keep a run that comes in pieces, one of them in memory at a time."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = self.folder / f"{name}.{uuid.uuid4().hex}.tmp"
        tallies = []
        try:
            with pa.OSFile(str(beside), "wb") as sink:
                writer = None
                for piece in pieces:
                    tallies.append(tally_of(piece[ROWS].to_numpy()))
                    writer = writer or pa.ipc.new_file(sink, piece.schema)
                    writer.write_table(piece)
                if writer is None:
                    empty = pa.table({KEY: pa.array([], pa.uint64()), ROWS: pa.array([], pa.int64())})
                    writer = pa.ipc.new_file(sink, empty.schema)
                writer.close()
            size = beside.stat().st_size
            os.replace(beside, self.folder / (name + ENDING))
        finally:
            with suppress(FileNotFoundError):
                beside.unlink()
        return Stored(name, nulls, add_tallies(tallies), size, self.open)

    def open(self, name: str) -> pa.Table:
        """A run, mapped into memory. Errors: `MissingFile`, `StateError`."""
        path = self.folder / (name + ENDING)
        try:
            with pa.memory_map(str(path)) as mapped:  # as a buffer: of a file the footer is asked of other threads
                return pa.ipc.open_file(mapped.read_buffer()).read_all()
        except FileNotFoundError:
            raise MissingFile(
                f"{path} is gone", remedy="crawl the table again: what it held is counted again"
            ) from None
        except (pa.ArrowException, OSError) as error:
            raise StateError(f"{path} is damaged ({error})", remedy="delete it and crawl the table again") from error

    def taken(self, stored: Stored) -> Stored:
        """The same run for this process alone: its file goes when nobody looks at it any more."""
        table = self.open(stored.name)
        self.delete(stored.name)
        return replace(stored, open=lambda name: table)

    def delete(self, name: str) -> None:
        (self.folder / (name + ENDING)).unlink(missing_ok=True)

    def has(self, name: str) -> bool:
        return (self.folder / (name + ENDING)).is_file()

    def sweep(self, keep: Collection[str], older: float = STILL_WRITTEN) -> int:
        """Delete the files of other names than these that nobody wrote to for `older` seconds. Returns how many."""
        gone, before = 0, time.time() - older
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name.removesuffix(ENDING) not in keep and path.stat().st_mtime <= before:
                path.unlink(missing_ok=True)
                gone += 1
        return gone


class Folding:
    """The state of a part as slices of its rows come.

    Parameters
    ----------
    name : of the file that groups go to where they are too many. files : where; None bounds nothing.
    """

    def __init__(self, part: Part, name: str, files: RunFiles | None) -> None:
        self.part, self.name, self.files = part, name, files
        self._held: list[State] = []
        self._stored: list[Stored] = []  # given; `_spilled` are our own, for as long as it takes
        self._bytes, self._spilled = 0, list[Stored]()

    def add(self, state: State) -> None:
        self._held.append(state)
        if self.files is None or not isinstance(state, Groups):
            return
        if isinstance(state, Stored):
            self._stored.append(self._held.pop())  # type: ignore[arg-type]
            return
        self._bytes += state.table.nbytes
        if self._bytes > self.files.largest:
            merged = self.part.merge(self._held)
            self._held, self._bytes = [merged], merged.table.nbytes  # type: ignore[union-attr]
            if 2 * self._bytes > self.files.largest:
                self._put_away(merged)

    def _put_away(self, merged: Any) -> None:
        assert self.files is not None
        name = f"{self.name}.{len(self._spilled)}"
        self._spilled.append(self.files.write(name, merge_runs([run_of(merged)]), merged.nulls))
        self._held, self._bytes = [], 0

    def whole(self) -> State:
        """The state of all that came."""
        merged: Any = self.part.merge(self._held)
        if self.files is None or not (self._spilled or self._stored):
            return merged  # type: ignore[no-any-return]
        runs = [*self._stored, *self._spilled, *([merged] if merged.rows or merged.nulls else [])]
        if len(runs) == 1 and self._stored:
            return self._stored[0]
        try:
            return self.files.write(
                self.name, merge_runs([run_of(one) for one in runs]), sum(one.nulls for one in runs)
            )
        finally:
            for one in self._spilled:
                self.files.delete(one.name)
