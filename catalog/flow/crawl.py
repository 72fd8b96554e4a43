"""The whole stream once: find, read logs, scan, observe, judge, gather, propose.

Every step can be done again without harm: states are kept per data file, versions and outcomes per key, so a crawl that
was killed goes on where it was.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import structlog

from catalog.errors import AssayError, Cancelled, TableError
from catalog.flow.checking.filling import fill_metrics
from catalog.flow.checking.judging import judge_batches, judge_waits
from catalog.flow.context import Context, Progress
from catalog.flow.declared.across import judge_across
from catalog.flow.guard import fail, guarded, timed
from catalog.flow.learning.domains import take_up
from catalog.flow.learning.index import Gathering, bring_up_to_date, indexed, open_index, take_out_gone
from catalog.flow.learning.propose import Due, due, known_domains, propose
from catalog.flow.learning.survey import Seen, survey
from catalog.flow.learning.worker_pool import Job, learn, learn_all
from catalog.flow.reading.batches import BatchPlan
from catalog.flow.reading.observe import Observed, read_standing, scan_new_files
from catalog.flow.reading.sources import find_tables
from catalog.flow.reading.states import States
from catalog.flow.references.judging import Other, judge_references
from catalog.flow.references.learning import KeySamples
from catalog.flow.references.together import learn_keys_together
from catalog.flow.upgrades.standing import notice, tell_difference
from catalog.states.table import TableState
from catalog.store import runs
from catalog.store.expectations import budget
from catalog.store.lake import batches, parts, sources, tables, versions
from catalog.store.models import Table

log = structlog.get_logger()

#: Tables whose logs are read, and which are locked, at once; a bound of memory.
PORTION = 200
#: Bytes of data files after which what was scanned is judged, learned from early and given free; chosen: a minute of
#: reading or two, beside which another Spark job costs nothing.
PART_BYTES = 4 << 30
#: Share of the time that a crawl took so far which learning early may take: what is learned of new tables while others
#: are not read yet is learned again with the patterns of all. Chosen: so much dearer may it be; where reading takes
#: long it is enough for every table.
EARLY_SHARE = 0.05
#: Folders that cannot be listed that a run names; a bound of space.
MOST_NAMED = 60
#: What is done to each table: its log read, its files scanned, its versions judged, its rules learned; no number to
#: tune: a bound of the progress bar.
STEPS = 4


#: Called between two parts of a crawl, when no table that was read is locked: with what has to be done before anything
#: else is crawled.
Between = Callable[[Callable[[], None]], None]


def crawl_source(
    context: Context, source_id: int, run_id: int | None = None, between: Between | None = None
) -> dict[str, Any]:
    """Find the tables of a source and crawl them all. Returns a summary, which names the folders (some of many) that
    cannot be listed: of what lies in them nobody knows."""
    with context.reading() as session:
        source = sources.get_source(session, source_id)
    progress = Progress(context, run_id)
    table_ids, closed = find_tables(context, source, progress)
    summary = crawl_tables(context, table_ids, run_id, whole=True, between=between)
    return summary | ({"closed": len(closed), "closed_folders": closed[:MOST_NAMED]} if closed else {})


def crawl_tables(
    context: Context,
    table_ids: Sequence[int],
    run_id: int | None = None,
    *,
    whole: bool = False,
    between: Between | None = None,
) -> dict[str, Any]:
    """Take in what is new of some tables, part by part: judge it, then learn where learning is due. Where they are a
    `whole` source, the lake's patterns are surveyed again.

    A table that is being crawled by another process is left to it; a table is free for others when its part was judged.
    Of tables that are new, some are learned from at once, as far as `EARLY_SHARE` goes, and all of them when the
    patterns of the last one are indexed. An error of one table is recorded on that table, and the rest goes on. Errors:
    `Cancelled` when the run was: what was judged, learned and indexed is kept.
    """
    started = time.monotonic()
    progress = Progress(context, run_id)
    seconds: dict[str, float] = {}
    summary: dict[str, Any] = {"tables": 0, "failed": 0, "busy": 0, "versions_judged": 0, "files": 0}
    ids = sorted(set(table_ids))
    progress.plan(len(ids) * (STEPS + whole))
    take_up(context.settings.domains)  # its files may have changed since this process began
    begin = partial(_begin, context, whole=whole, progress=progress, summary=summary, seconds=seconds)
    found: _Found | None = None
    mine: list[int] = []
    try:
        for start in range(0, len(ids), PORTION):
            portion, last = ids[start : start + PORTION], start + PORTION >= len(ids)
            with runs.table_lock(context.engine, portion) as lock:
                mine += sorted(lock.held)
                summary["busy"] += len(portion) - len(lock.held)
                if lock.held and found is None:
                    found = begin(ids)
                waiting = _read_logs(context, sorted(lock.held), progress, summary, seconds)
                while found is not None and waiting:
                    part = waiting.popleft()
                    _take_in(context, part, found, progress, summary, seconds)
                    lock.give_back(one.table.id or 0 for one in part.tables)
                    if waiting or not last:
                        _learn_early(context, found, progress, seconds, time.monotonic() - started)
                        if between is not None:
                            between(found.gathering.put_away)
    except (Cancelled, KeyboardInterrupt):
        if found is not None:
            found.gathering.put_away()
        raise
    found = found or begin([])
    _learn(context, found, progress, summary, seconds)
    if whole and found.waits:
        with timed(seconds, "propose"):
            tell_difference(context)
    others: dict[str, Other] = {}  # of both, so that a column is read once
    with timed(seconds, "judge"):
        judge_across(context, mine)
        judge_references(context, mine, others)
    with timed(seconds, "propose"):
        found.keys.learn(others)
    with context.reading() as session:
        totals, part_bytes = versions.state_totals(session), parts.part_bytes(session)
    summary |= {
        "seconds": round(time.monotonic() - started, 3),
        "phases": {name: round(value, 3) for name, value in seconds.items()},
        "state_bytes": totals.state_bytes,
        "data_bytes": totals.data_bytes,
        "part_bytes": part_bytes,
        "group_file_bytes": sum(one.stat().st_size for one in (context.settings.home / "groups").rglob("*.arrow")),
    }
    return summary


@dataclass
class _Found:
    """What the tables of a crawl leave for learning. Their states are not among it: whatever a crawl holds of a table
    it drops with its portion."""

    gathering: Gathering
    seen: Seen | None
    keys: KeySamples
    made_with: str
    held: Collection[int]  # tables whose patterns are in the index
    moved: bool  # whether the index is another than the one that was surveyed
    waits: bool  # whether an upgrade waits: an index that was made again is no reason to tag again
    jobs: list[Job] = field(default_factory=list)
    early: deque[Job] = field(default_factory=deque)  # those of tables that nothing was learned of yet
    learned: int = 0  # columns of which something was learned early

    def add(self, observed: Observed, state: TableState) -> None:
        """Take in a healthy table. Of one that is as it was nothing is counted or tagged again."""
        table_id = observed.table.id or 0
        if self.seen is not None:
            self.seen.add(table_id, state.columns)
        self.keys.add(observed, state)
        tagged = f"{observed.info.version} {observed.table.name} {self.made_with}"
        is_new = observed.table.tagged != tagged
        if table_id not in self.held or is_new:
            self.gathering.add(observed, state)
            self.moved = True
            is_new = is_new or not self.waits
        what = due(self.gathering.context, observed.table)
        if what.history and state.rows:
            learn_keys_together(self.gathering.context, observed, state, observed.info.version)
        if not is_new and what == Due(False, False):
            return
        keys = tuple(observed.latest_keys)
        self.jobs.append(Job(table_id, observed.info.version, keys, len(state.columns), tagged))
        if observed.table.learned_at is None:
            self.early.append(replace(self.jobs[-1], tagged=None, is_early=True))


def _begin(
    context: Context,
    table_ids: Sequence[int],
    *,
    whole: bool,
    progress: Progress,
    summary: dict[str, Any],
    seconds: dict[str, float],
) -> _Found:
    """Bring the index up to date before the first table is read."""
    with timed(seconds, "gather"):
        gone = take_out_gone(context) if whole else 0
        changed = bring_up_to_date(context, progress, table_ids) if table_ids else None
    if changed:
        summary["index_rebuilt_for"] = changed.words
    held = set() if changed else indexed(context)
    made_with, waits = notice(context)
    seen = Seen() if whole else None
    return _Found(Gathering(context, progress), seen, KeySamples(context), made_with, held, gone > 0, waits)


@dataclass
class _Part:
    """Tables that are scanned together; `worth` are the units of progress of each step, those of tables whose logs
    could not be read among them."""

    tables: list[Observed]
    worth: int


def _read_logs(
    context: Context,
    table_ids: Sequence[int],
    progress: Progress,
    summary: dict[str, Any],
    seconds: dict[str, float],
) -> deque[_Part]:
    """Read the logs of a portion of tables; the parts in which they are taken in."""
    found: list[Observed] = []
    with timed(seconds, "logs"):
        with context.reading() as session:
            rows = [tables.get_table(session, table_id) for table_id in table_ids]
        progress.grant(len(rows)).begin("reading logs", len(rows))
        for row in rows:
            observed = guarded(context, row, partial(read_standing, context, row), summary)
            found += [observed] if observed is not None else []
            progress.advance()
    cut = deque(_Part(one, len(one)) for one in _in_parts(found))
    if cut:
        cut[0].worth += len(rows) - len(found)
    return cut


def _in_parts(tables: Sequence[Observed]) -> Iterator[list[Observed]]:
    """The tables in parts of `PART_BYTES` or somewhat more."""
    part: list[Observed] = []
    size = 0
    for one in tables:
        part.append(one)
        size += sum(one.files[key].size for key in one.needed() if key in one.files)
        if size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _take_in(
    context: Context,
    part: _Part,
    into: _Found,
    progress: Progress,
    summary: dict[str, Any],
    seconds: dict[str, float],
) -> None:
    """Scan, observe and judge a part of the tables, and gather the patterns of those that are healthy."""
    found = part.tables
    with timed(seconds, "scan"):
        summary["files"] += sum(len(one.needed()) for one in found)
        errors = scan_new_files(context, found, progress.grant(part.worth))
        for table_id, error in errors.items():
            fail(context, table_id, error, summary)
        found = [one for one in found if one.table.id not in errors]
    progress.grant(part.worth).begin("judging versions", len(found))
    for observed in found:
        with timed(seconds, "judge"):
            state = guarded(context, observed.table, partial(_judge, context, observed, progress, summary), summary)
        if state is not None:
            with timed(seconds, "gather"):
                guarded(context, observed.table, partial(into.add, observed, state), summary)
        progress.advance()


def _judge(context: Context, observed: Observed, progress: Progress, summary: dict[str, Any]) -> TableState:
    """Observe and judge what is new of a table. Returns the state of its latest version."""
    table_id = observed.table.id
    assert table_id is not None
    states = States(context, table_id, keep=True)
    fill_metrics(context, observed)
    _learn_from_answers(context, observed, states)
    summary["versions_judged"] += judge_batches(context, observed, states, progress)
    judge_waits(context, table_id)
    _hold_to_account(context, observed.table)
    latest = states.merged(observed.latest_keys)
    if latest is None:
        raise TableError(f"a state of table {observed.table.name!r} is missing", remedy="crawl the table again")
    states.prune([observed.latest_keys, *([plan.keys] if (plan := _compared(context, observed)) else [])])
    with context.transaction() as session:
        tables.update_table(session, table_id, rows=latest.rows)
        tables.clear_error(session, table_id, _status(observed.table, latest))
    summary["tables"] += 1
    return latest


def _status(table: Table, latest: TableState) -> str:
    """What a readable table is: of one that never had a row nothing can be learned, however long one waits."""
    return "watched" if table.learned_at else "learning" if latest.rows else "empty"


def _compared(context: Context, observed: Observed) -> BatchPlan | None:
    """The batch that the next one will be compared with."""
    with context.reading() as session:
        healthy = batches.last_healthy(session, observed.table.id or 0, observed.info.version + 1)
    return next((plan for plan in reversed(observed.plans) if plan.number == healthy), None)


def _learn_from_answers(context: Context, observed: Observed, states: States) -> None:
    """Learn from what people said of alarms before new versions are judged: an alarm that was called false must not
    come again."""
    table, pending, before = observed.table, observed.pending, observed.before
    if not pending or before is None or table.learned_at is None:
        return
    assert table.id is not None
    with context.reading() as session:
        told = batches.feedback_since(session, table.id, table.learned_at)
        if not told or batches.latest_suspect(session, table.id):
            return
    new = {key for plan in pending for key in plan.keys}
    state = states.merged(
        before.keys if observed.mode == "snapshot" else [key for key in observed.latest_keys if key not in new]
    )
    if state is not None:
        index, domains = open_index(context.settings), known_domains(context)
        since = pending[0].number - 1
        learn_keys_together(context, observed, state, since)
        propose(context, table, since, state, index, domains, Due(True, True))


def _hold_to_account(context: Context, table: Table) -> None:
    """Demote the table's rules that spent too many false alarms, promote those that behaved."""
    assert table.id is not None
    with context.reading() as session:
        if not budget.pending(session, table.id):
            return
    with context.transaction() as session:
        changed = budget.settle(session, table.id, context.settings.false_alarm_budget)
    for change in changed:
        log.info("a rule changed its level", table=table.name, **vars(change))


def _learn_early(
    context: Context, found: _Found, progress: Progress, seconds: dict[str, float], elapsed: float
) -> None:
    """Learn from new tables with the patterns that are indexed by now, as many as `EARLY_SHARE` of the `elapsed`
    seconds allows. They count as tables that nothing was learned of until `_learn` was there."""
    index = found.gathering.index
    if index is None or not found.early:
        return
    domains = known_domains(context)
    progress.begin("learning rules of the tables read so far", 0)
    with timed(seconds, "early"):
        spent = seconds.get("early", 0.0)
        while found.early:
            began, columns = time.monotonic(), found.early[0].columns
            each = spent / found.learned if found.learned else 0.0
            if spent + each * columns > EARLY_SHARE * elapsed:
                break
            learn(context, index, domains, found.early.popleft())
            spent += time.monotonic() - began
            found.learned += columns
            progress.learned += 1
            progress.advance()


def _learn(
    context: Context, found: _Found, progress: Progress, summary: dict[str, Any], seconds: dict[str, float]
) -> None:
    """Learn when the patterns of all tables are indexed, so that each is tagged with the evidence of the whole lake."""
    with timed(seconds, "gather"):
        index = found.gathering.finish()
    if not found.jobs and not found.moved:
        return
    index = index or open_index(context.settings)
    with timed(seconds, "propose"):
        progress.grant(len(found.jobs)).begin("learning rules", len(found.jobs))
        for counts in learn_all(context, index, found.jobs):
            for name, count in counts.items():
                summary[name] = summary[name] + count if name in summary else count
            progress.advance()
    if found.seen is not None and found.moved:
        with timed(seconds, "survey"):
            try:
                summary["domains"] = survey(context, index, found.seen, progress=progress.grant(len(found.jobs)))[
                    "domains"
                ]
            except (AssayError, OSError) as error:  # what was judged and learned stands without it
                if isinstance(error, Cancelled):
                    raise
                log.warning("the patterns could not be surveyed", error=str(error))
