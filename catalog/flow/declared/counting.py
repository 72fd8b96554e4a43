"""Declared checks put on tables, and the parts that they ask to be counted of data files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlmodel import Session

from catalog.declared.check import Check
from catalog.errors import AssayError, MissingFile, StateError
from catalog.flow.context import Context
from catalog.flow.declared.merged import LostParts, Merged, merged, put_away
from catalog.flow.reading.batches import BatchPlan, known_files, plan_batches
from catalog.flow.reading.observe import Observed
from catalog.lake.logs.log import read_commits, read_table
from catalog.lake.scanning.counting import count_parts
from catalog.lake.scanning.spill import RunFiles
from catalog.lake.scanning.tasks import Task
from catalog.lake.types import DataFile
from catalog.measures.part import Part, State
from catalog.rules.kinds.declared import DeclaredRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import Batch, part_place
from catalog.states.table import TableState
from catalog.store.expectations import declared as store
from catalog.store.expectations.declared import Change
from catalog.store.lake import parts as kept
from catalog.store.lake import sources, tables
from catalog.store.lake.batches import commit_counts, usual_partitions
from catalog.store.models import Table

#: Files whose parts are stored at once; a bound of transactions.
PORTION = 256


def apply_checks(context: Context, checks: Sequence[Check], *, dry_run: bool = False) -> list[Change]:
    """Make the declared checks of these tables those given; a check that is not among them is retired, its outcomes
    stay. All of it happens or none.

    Raises `NotFound` for a table that is not there, `UsageError` for a check that does not fit its columns.
    """
    with context.transaction() as session:
        return store.apply_checks(session, checks, actor=context.actor, dry_run=dry_run)


def live_keys(observed: Observed) -> dict[int, tuple[str, ...]]:
    """Keys of the files that hold the table as it stands after each version that the log tells of."""
    keys = {file.key for file in observed.info.files}
    found: dict[int, tuple[str, ...]] = {}
    for plan in reversed(observed.plans):
        found[plan.number] = tuple(sorted(keys))
        keys = (keys - {file.key for file in plan.commit.added}) | set(plan.commit.removed)
    return found


def asked_of(rules: Iterable[Rule]) -> list[tuple[str, Part]]:
    """The parts that rules ask for, with the rows that they ask of."""
    return [(rule.scope, part) for rule in rules for part in rule.parts]


class Counting:
    """Counted parts of one table's files, for the rules that ask for them.

    Parameters
    ----------
    asked : (scope, part) pairs; those of rules are `asked_of`.
    """

    def __init__(self, context: Context, observed: Observed, asked: Sequence[tuple[str, Part]]) -> None:
        self.context, self.observed = context, observed
        self.asked = list(dict.fromkeys(asked))
        self.live = live_keys(observed) if any(scope == "table" for scope, _ in self.asked) else {}
        self.gone: set[str] = set()
        self.uncounted: set[tuple[str, str]] = set()  # (part, file) pairs that cannot be had: the file is gone
        self._unread: dict[tuple[str, str], str] = {}  # why others could not be had this time
        self._runs = RunFiles(context.settings.home / "groups" / str(observed.table.id or 0))
        self._last: dict[str, Merged] | None = None
        self._files: Mapping[str, DataFile] = observed.files

    def keys(self, scope: str, plan: BatchPlan) -> tuple[str, ...]:
        return self.live.get(plan.number, ()) if scope == "table" else plan.keys

    def keys_of(self, rule: Rule, plan: BatchPlan) -> tuple[str, ...]:
        """The files whose rows a rule speaks of."""
        return self.keys(rule.scope, plan) if isinstance(rule, DeclaredRule) else plan.keys

    def count(self, plans: Sequence[BatchPlan]) -> None:
        """Count what is missing for some versions: every part of every file once in its life, all in shared jobs."""
        table_id = self.observed.table.id or 0
        names = sorted({part.key for _, part in self.asked})
        if not names:
            return
        self._forget_lost(table_id)
        with self.context.reading() as session:
            known = kept.known_parts(session, table_id, names)
        missing: dict[str, dict[str, tuple[Part, int]]] = {}
        for plan in plans:
            for scope, part in self.asked:
                for key in self.keys(scope, plan):
                    if (part.key, key) not in known:
                        missing.setdefault(key, {}).setdefault(part.key, (part, plan.number))
        if not missing.keys() <= self._files.keys():  # of a version before those that were read, and gone since
            self._files = {**whole_log(self.context, self.observed.table).files, **self._files}
        tasks = [self._task(key, found) for key, found in sorted(missing.items()) if key in self._files]
        for start in range(0, len(tasks), PORTION):
            some, context = tasks[start : start + PORTION], self.context
            found = list(count_parts(context.spark, some, context.options, self._runs))
            self.gone |= {one.file_key for one in found if one.gone}
            self.uncounted |= {(one.part, one.file_key) for one in found if one.gone}
            self._unread |= {(one.part, one.file_key): one.error or "" for one in found if not one.lasting}
            counted = [one for one in found if one.lasting]  # a file may be restored, or can be read the next time
            with self.context.transaction() as session:
                kept.put_parts(
                    session,
                    [
                        {
                            "table_id": table_id,
                            "part": one.part,
                            "file_key": one.file_key,
                            "state": one.state,
                            "error": one.error,
                        }
                        for one in sorted(counted, key=lambda one: (one.part, one.file_key))
                    ],
                )

    def _forget_lost(self, table_id: int) -> None:
        """Parts whose sorted file is gone are counted again."""
        with self.context.reading() as session:
            of_files, _ = kept.stored_parts(session, table_id)
        lost = [row for name, row in of_files.items() if not self._runs.has(name)]
        if lost:
            with self.context.transaction() as session:
                kept.forget_parts(session, lost)

    def _task(self, key: str, found: Mapping[str, tuple[Part, int]]) -> tuple[Task, list[Part]]:
        number = next(iter(found.values()))[1]
        info = self.observed.as_of(number)
        task = Task(self.observed.table.id, self.observed.table.uri, info, self._files[key], number)
        return task, [part for part, _ in found.values()]

    def parts(self, plan: BatchPlan) -> dict[str, State | Exception]:
        """What the rules ask for of a version (`catalog.rules.verdict.part_place`)."""
        found: dict[str, State | Exception] = {}
        with self.context.reading() as session:
            for scope, part in self.asked:
                place = part_place(scope, part.key)
                state = None if place in found else self._state(session, scope, part, frozenset(self.keys(scope, plan)))
                if state is not None:
                    found[place] = state
        return found

    def _state(self, session: Session, scope: str, part: Part, keys: frozenset[str]) -> State | Exception | None:
        """The state of a part of some files; None where they were not counted."""
        last = self._kept(session).get(part.key) if scope == "table" else None
        try:
            state, worth = merged(part, keys, lambda some: self._load(session, part, some), self._runs, last)
        except LostParts as lost:
            gone = sorted(self.gone.intersection(lost.keys))
            said = next((self._unread[part.key, key] for key in lost.keys if (part.key, key) in self._unread), None)
            return gone_files(gone) if gone else None if said is None else StateError(said, remedy="")
        except AssayError as error:
            return error
        if scope == "table":
            self._kept(session)[part.key] = worth
        return state

    def _load(self, session: Session, part: Part, keys: Sequence[str]) -> dict[str, State]:
        rows = kept.parts_of(session, self.observed.table.id or 0, part.key, keys)
        said = next((row.error for row in rows.values() if row.error), None)
        if said is not None:
            raise StateError(said, remedy="")
        return {key: part.decode(row.state, self._runs.open) for key, row in rows.items() if row.state is not None}

    def _kept(self, session: Session) -> dict[str, Merged]:
        """Merged parts of the table as it stood when they were kept, and since."""
        if self._last is not None:
            return self._last
        asked = {part.key: part for scope, part in self.asked if scope == "table"}
        last: dict[str, Merged] = {}
        found = kept.merged_parts(session, self.observed.table.id or 0, list(asked))
        for key, (files, state) in found.items():
            with suppress(StateError):  # of another version: it is merged again
                last[key] = Merged(files, asked[key].decode(state, self._runs.open), stored=True)
        self._last = last
        return last

    def keep(self) -> None:
        """Keep what was merged of the table as it stands, so that the next version costs what it changes. Of a table
        that its last version wrote again nothing is worth it."""
        last = self._last or {}
        standing = [set(self.live[number]) for number in sorted(self.live)[-2:]]
        if len(standing) == 2 and 2 * len(standing[0] ^ standing[1]) >= sum(map(len, standing)):
            return
        found = {part.key: (part, last[part.key]) for _, part in self.asked if part.key in last}
        new = {
            key: put_away(part, one, self._runs)
            for key, (part, one) in found.items()
            if not one.stored and len(one.keys) > 1
        }
        if not new:
            return
        table_id = self.observed.table.id or 0
        encoded = {key: (one.keys, found[key][0].encode(one.state)) for key, one in new.items()}
        with self.context.transaction() as session:
            kept.put_merged_parts(session, table_id, encoded)
            of_files, of_merges = kept.stored_parts(session, table_id)
        self._runs.sweep({*of_files, *of_merges})
        self._last = last | {key: replace(one, stored=True) for key, one in new.items()}


def gone_files(keys: Sequence[str]) -> MissingFile:
    """That data files of a version are not there any more, the first ones by name."""
    more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
    return MissingFile(f"data files of this version are gone: {', '.join(keys[:3])}{more}", remedy="")


def whole_log(context: Context, table: Table, after: int = -1) -> Observed:
    """A table with every version that its log still tells of (those after one only), for looking back: nothing is
    recorded. Errors: `TableError` of the table."""
    with context.reading() as session:
        source = sources.get_source(session, table.source_id)
        usual = usual_partitions(commit_counts(session, table.id or 0))
    roots = (source.uri, *source.allowed)
    info = read_table(table.uri, context.options, roots=roots)
    commits = [one for one in read_commits(table.uri, after, context.options, roots) if one.number <= info.version]
    plans = plan_batches(table.mode, usual, commits, info.files)
    return Observed(table, info, table.mode, [], None, known_files(commits, info.files), plans)


def batch_of(plan: BatchPlan, parts: Mapping[str, Any]) -> Batch:
    return Batch(
        version=plan.number, kind=plan.kind, state=TableState.empty(), previous=None, schema=plan.commit.schema,
        committed_at=plan.commit.committed_at, parts=parts,
    )  # fmt: skip


def table_of(context: Context, name: str) -> Table:
    """The table of a name. Raises `NotFound`."""
    with context.reading() as session:
        return tables.get_table(session, name)
