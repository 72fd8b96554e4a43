"""What the lake's own tables tell the calibration: the first batches of a table against its later ones."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain, combinations

from catalog.evidence.pattern_index.index import Pair
from catalog.flow.context import Context
from catalog.flow.reading.observe import Observed
from catalog.flow.reading.states import States
from catalog.history.labels import UNHEALTHY
from catalog.states.table import TableState
from catalog.store.lake import versions
from catalog.store.models import Version

Pairs = dict[str, list[Pair]]


def replay_pairs(context: Context, observed: Observed) -> Pairs:
    """Of each string column: (state of the first batches, state of the later ones), cut at several places.

    A table of increments is cut after its first batch, its half and four fifths; of the snapshots that the log still
    tells of the first, the middle and the last are compared. Batches under suspicion, confirmed incidents and rows that
    were deleted or rewritten since are left out.
    """
    table_id = observed.table.id
    assert table_id is not None
    with context.reading() as session:
        past = versions.list_versions(session, table_id, limit=context.settings.history_limit)[::-1]
    healthy = {v.number for v in past if v.batch == observed.mode and v.label not in UNHEALTHY}
    states = States(context, table_id)
    if observed.mode == "snapshot":
        ends = [plan for plan in observed.plans if plan.number in healthy]
        files = dict.fromkeys(tuple(ends[at].keys) for at in compared(len(ends)))  # the same rows written again are one
        one_each = (states.merged(list(keys)) for keys in files)
        return pairs_of(list(combinations(one_each, 2))) if len(files) > 1 else {}
    keys = [found for number, found in _batches(observed, past) if number in healthy]
    n = len(keys)
    places = sorted({1, n // 2, n * 4 // 5} - {0, n})
    sides = [(chain.from_iterable(keys[:place]), chain.from_iterable(keys[place:])) for place in places if n > 1]
    return pairs_of([(states.merged(list(head)), states.merged(list(tail))) for head, tail in sides])


def _batches(observed: Observed, past: Sequence[Version]) -> list[tuple[int, list[str]]]:
    """(version, keys of its files that the latest version still has), oldest first. A file was written shortly before
    the commit that added it."""
    commits = [version.committed_at for version in past]
    found: dict[int, list[str]] = {}
    for file in observed.info.files:
        if file.modified_at is not None and commits:
            place = min(bisect_left(commits, file.modified_at), len(past) - 1)
            found.setdefault(past[place].number, []).append(file.key)
    return sorted(found.items())


def compared(count: int) -> list[int]:
    """Which of so many snapshots are compared: the first, the middle, the last.

    >>> compared(15), compared(2), compared(0)
    ([0, 7, 14], [0, 1], [])
    """
    return sorted({0, count // 2, count - 1}) if count else []


def pairs_of(sides: Sequence[tuple[TableState | None, TableState | None]]) -> Pairs:
    """Of each string column that both sides have: (state of the first batches, state of the later ones)."""
    found: Pairs = {}
    for head, tail in sides:
        if head is None or tail is None:
            continue
        for name, column in head.columns.items():
            later = tail.columns.get(name)
            if later is not None and column.kind == later.kind == "string":
                found.setdefault(name, []).append((column, later))
    return found
