"""How a table's versions become batches.

A version is a set of data files. What of it is a batch depends on how the table is written (history of the operations
in its log): a table that is mostly appended to delivers **increments**, and so does one whose versions mostly replace
the partitions of as many days each, with a new one among them; any other a whole **snapshot** each time. In a table of
increments a MERGE, UPDATE or DELETE, and what replaces more or fewer days than usual, makes a **rewrite**: the rows it
wrote again. A version that changes no data (OPTIMIZE, VACUUM, a comment) makes none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from operator import attrgetter
from typing import TYPE_CHECKING

from catalog.lake.types import Commit, DataFile
from catalog.store.lake.batches import CommitKind, batch_kind

if TYPE_CHECKING:
    from catalog.flow.reading.states import States
    from catalog.states.table import TableState


@dataclass(frozen=True)
class BatchPlan:
    """The batch of a version: its kind and the keys of the files that hold its rows."""

    commit: Commit
    kind: str  # increment, rewrite, snapshot, none
    keys: tuple[str, ...]

    @property
    def number(self) -> int:
        return self.commit.number

    def days_after(self, before: BatchPlan | None) -> float | None:
        """Days between the commit of the batch before and its own; None where there is none, and where the version is
        an earlier one restored: its times did not move on."""
        if before is None or self.commit.operation == "RESTORE":
            return None
        return (self.commit.committed_at - before.commit.committed_at) / timedelta(days=1)

    def replaced(self, states: States) -> TableState | None:
        """The state of the files that a rewrite took the place of; None of other kinds, and where one is not known."""
        removed = self.commit.removed if self.kind == "rewrite" else ()
        return states.merged(removed) if removed else None

    def stands(self, until: int, plans: Sequence[BatchPlan]) -> bool:
        """Whether the rows of the batch are still in the table when version `until` comes; `plans` are all, by version.
        A load that went wrong is taken back (RESTORE, DELETE) and loaded again: its rows are no news then, and no old
        delivery either."""
        own = set(self.keys)
        first, last = (bisect_right(plans, number, key=attrgetter("number")) for number in (self.number, until - 1))
        between = (plan.commit for plan in plans[first:last] if plan.kind == "rewrite")
        return not own or not any(not commit.added and own <= set(commit.removed) for commit in between)


def kind_of(commit: Commit) -> CommitKind:
    return CommitKind(commit.batch, commit.partitions, bool(commit.added))


def plan_batches(mode: str, usual: int, commits: Sequence[Commit], latest: Iterable[DataFile]) -> list[BatchPlan]:
    """The batch of each commit, oldest first.

    Parameters
    ----------
    usual : how many partitions of time a version writes (`catalog.store.lake.batches.usual_partitions`).
    commits : consecutive commits, oldest first; the last one is the version whose files are `latest`.
    latest : the files at the last commit.

    The files at earlier versions follow backwards: before a commit there were those it removed, and not those it
    added. No snapshot of the past has to be read.
    """
    keys = {file.key for file in latest}
    plans: list[BatchPlan] = []
    for commit in reversed(commits):
        kind = batch_kind(mode, usual, kind_of(commit))
        added = {file.key for file in commit.added}
        own = {"snapshot": keys, "none": set()}.get(kind, added)
        plans.append(
            BatchPlan(commit, kind, tuple(sorted(own)))
        )  # sorted: merged in the same order whenever it is replayed
        keys = (keys - added) | set(commit.removed)
    return plans[::-1]


def keys_at(number: int, plans: Sequence[BatchPlan], latest: Iterable[DataFile]) -> set[str]:
    """Keys of all files of the table at a version, from those of the `latest` one and the `plans` after it."""
    keys = {file.key for file in latest}
    for plan in sorted(plans, key=lambda plan: -plan.number):
        if plan.number > number:
            keys = (keys - {file.key for file in plan.commit.added}) | set(plan.commit.removed)
    return keys


def known_files(commits: Sequence[Commit], latest: Iterable[DataFile]) -> Mapping[str, DataFile]:
    """Every file that the commits or the latest version tell of, by key."""
    files = {file.key: file for commit in commits for file in commit.added}
    files.update({file.key: file for file in latest})
    return files
