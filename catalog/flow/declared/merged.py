"""The state of a part over any set of a table's data files, from what was merged before.

Of groups that are many the merge lies in a sorted file; what came and went since is looked up there
(`catalog.measures.groups.stored`), and the file is written again when that has become a quarter of it. Everything else
is a few numbers, or a small table, that are merged with what came. What is kept can be dropped at any time.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog.errors import MissingFile, StateError
from catalog.lake.scanning.spill import Folding, RunFiles
from catalog.measures.groups.frequency import Frequencies, Groups, merge_frequencies
from catalog.measures.groups.runs import merge_runs
from catalog.measures.groups.stored import Grown, Stored, less, run_of
from catalog.measures.part import Part, State

Keys = frozenset[str]
#: States by the keys of files; a key that is not in it cannot be had.
Load = Callable[[Sequence[str]], Mapping[str, State]]

#: So many groups are quicker looked up in a file than merged. Chosen.
MANY = 4_096
#: A file is written again when what came and went since is this share of it: on average each row is written five
#: times; chosen.
OVERDUE = 0.25
#: States of files that are decoded at once; a bound of memory.
PORTION = 32


@dataclass(frozen=True)
class Merged:
    """A part of a set of files. `stored`: whether it is kept already as it is."""

    keys: Keys
    state: State
    stored: bool = False


class LostParts(Exception):
    """Files whose part cannot be had: `keys`."""

    def __init__(self, keys: Iterable[str]) -> None:
        super().__init__("parts of data files are missing")
        self.keys = sorted(keys)


def merged(part: Part, keys: Keys, load: Load, files: RunFiles, last: Merged | None = None) -> tuple[State, Merged]:
    """The state of a part over these files, and what is worth keeping of it for the next time.

    Parameters
    ----------
    last : what was kept before, of any files; it is used where most of them are the same.

    Errors: `LostParts`, and what `load` raises.
    """
    if last is not None and 2 * len(keys ^ last.keys) < len(keys) + len(last.keys):
        try:
            grown = _grown(part, keys, load, last)
        except (MissingFile, StateError, LostParts):  # what was kept is gone or damaged: it is made again
            grown = None
        if grown is not None:
            return grown
    found = _merged_whole(part, sorted(keys), load, files)
    return found, Merged(keys, found)


def _grown(part: Part, keys: Keys, load: Load, last: Merged) -> tuple[State, Merged] | None:
    came, went = sorted(keys - last.keys), sorted(last.keys - keys)
    if not came and not went:
        return last.state, last
    if not isinstance(last.state, Stored):
        if went:
            return None
        found = part.merge([last.state, *_all(load, came)])
        return found, Merged(keys, found)
    delta: list[Any] = [*_all(load, came), *less(_all(load, went))]  # type: ignore[arg-type]
    if any(isinstance(one, Stored) for one in delta):
        return None
    state = Grown(last.state, merge_frequencies(delta))
    _ = state.tally  # a file that is gone or damaged says so here
    if len(state.delta.counts) > OVERDUE * last.state.distinct:
        return state, Merged(keys, state)
    return state, last


def _all(load: Load, keys: Sequence[str]) -> list[State]:
    found = load(keys) if keys else {}
    if len(found) < len(keys):
        raise LostParts(set(keys) - found.keys())
    return [found[key] for key in keys]


def _merged_whole(part: Part, keys: Sequence[str], load: Load, files: RunFiles) -> State:
    folding = Folding(part, f"{part.key}-{uuid.uuid4().hex}", files)
    for start in range(0, len(keys), PORTION):
        for state in _all(load, keys[start : start + PORTION]):
            folding.add(state)
    found = folding.whole()
    return files.taken(found) if isinstance(found, Stored) and found.name == folding.name else found


def put_away(part: Part, found: Merged, files: RunFiles) -> Merged:
    """The same with many groups in a sorted file."""
    state = found.state
    if found.stored or not isinstance(state, Groups) or (isinstance(state, Frequencies) and state.distinct < MANY):
        return found
    runs = [run_of(one) for one in _pieces(state)]
    kept = files.write(f"{part.key}-{uuid.uuid4().hex}", merge_runs(runs), state.nulls)
    return Merged(found.keys, kept)


def _pieces(state: Groups) -> list[Groups]:
    return [state.base, state.delta] if isinstance(state, Grown) else [state]
