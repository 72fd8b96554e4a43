"""From the log and the data files of tables to states: what the log says, which files were never read, their states.

Everything found is stored as soon as it is known, under keys that hold it once: a crawl that dies goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import Any

import structlog
from sqlmodel import Session

from catalog.errors import TableError, table_error
from catalog.flow.context import Context, Progress
from catalog.flow.reading.batches import BatchPlan, kind_of, known_files, plan_batches
from catalog.history.series import TableMetrics, without
from catalog.lake.logs.log import read_commits, read_table, table_at
from catalog.lake.logs.watch import news
from catalog.lake.reading.presence import look_for_files
from catalog.lake.scanning.scan import scan
from catalog.lake.scanning.tasks import Result, Task
from catalog.lake.types import LARGEST, Commit, DataFile, TableInfo
from catalog.metrics.registry import fingerprint
from catalog.rules.kinds.schema import changed_kind, renamed
from catalog.store.lake import batches, renames, sources, tables, versions
from catalog.store.models import Table

log = structlog.get_logger()

#: Operation of a version that only a checkpoint tells of.
CHECKPOINT = "CHECKPOINT"

#: How often the states that a running scan brings are stored, in seconds; chosen: so much is lost when a crawl is
#: killed.
STORE_SECONDS = 1.0


@dataclass
class Observed:
    """A table as its log tells it now.

    `pending` are the batches to observe and judge, oldest first; `before` is the last healthy batch ahead of them.
    `plans` are all batches that the log tells of. `lost` are keys of files that are gone (VACUUM) and that the latest
    version does not need.
    """

    table: Table
    info: TableInfo
    mode: str
    pending: list[BatchPlan]
    before: BatchPlan | None
    files: Mapping[str, DataFile]
    plans: list[BatchPlan]
    lost: set[str] = field(default_factory=set)

    @cached_property
    def latest_keys(self) -> list[str]:
        return sorted(file.key for file in self.info.files)

    def as_of(self, version: int | None) -> TableInfo:
        """The table as the files of a batch are read: with the columns of its version, the latest ones for None."""
        own = (*self.plans, *([self.before] if self.before else []))
        plan = next((plan for plan in own if plan.number == version), None)
        return self.info if plan is None else table_at(self.info, plan.commit)

    def needed(self) -> dict[str, int | None]:
        """Keys of the files whose states are needed and whose place is known, each with a version that has it (None:
        the latest)."""
        plans = [*([self.before] if self.before else []), *self.pending]
        found: dict[str, int | None] = {key: plan.number for plan in plans for key in plan.keys if key in self.files}
        return found | dict.fromkeys(self.latest_keys)


def read_log(context: Context, table: Table) -> Observed:
    """Read what is new in a table's log and record it. Errors: `TableError` of the table."""
    assert table.id is not None
    with context.reading() as session:
        healthy = batches.last_healthy(session, table.id, table.judged_version + 1)
        known = batches.commit_counts(session, table.id)
        source = sources.get_source(session, table.source_id)
    roots = (source.uri, *source.allowed)
    info = read_table(table.uri, context.options, roots=roots)
    judged = table.judged_version
    after = min(judged, table.seen_version - 1, judged if healthy is None else healthy - 1)
    commits = [c for c in read_commits(table.uri, after, context.options, roots) if c.number <= info.version]
    if _is_another(context, table, info, commits):
        log.info("the table was dropped and made again", table=table.name)
        with context.transaction() as session:
            batches.forget_history(session, table.id)
            table = tables.get_table(session, table.id)
        return read_log(context, table)
    if not commits:
        commits = [latest_only(info)]
    with context.reading() as session:
        earlier = batches.commit_counts(session, table.id, before=commits[0].number)
    kinds = [*earlier, *((kind_of(commit), 1) for commit in commits)]
    mode = table.mode if table.mode_pinned else batches.detect_mode(kinds)
    usual = batches.usual_partitions(kinds)
    days_differ = mode == "increment" and usual != batches.usual_partitions(known)
    if (mode != table.mode or days_differ) and judged >= 0:  # its batches are others now: begin with the whole log
        with context.transaction() as session:
            batches.forget_batches(session, table.id, mode)
            table = tables.get_table(session, table.id)
        return read_log(context, table)
    table.mode = mode  # the steps after this one ask the row that was read before the log
    plans = plan_batches(mode, usual, commits, info.files)
    pending = [plan for plan in plans if plan.number > judged]
    if judged < 0:
        pending = _recent(pending, context.settings.history_limit)
    before = next((plan for plan in reversed(plans) if plan.number == healthy), None)
    observed = Observed(table, info, mode, pending, before, known_files(commits, info.files), plans)
    _record(context, observed, commits)
    return observed


def read_standing(context: Context, table: Table) -> Observed:
    """What is new in a table's log, as `read_log`, when its latest version's data files were seen to be there: those
    that were read before are not opened again. Errors: `TableError` of the table."""
    observed = read_log(context, table)
    try:
        look_for_files(observed.info, context.options)
    except TableError:
        if not news({table.uri: observed.info.version}, context.options):
            raise
        # they are files of a version that is no longer the latest: it is news, and the next crawl looks again
    return observed


def _is_another(context: Context, table: Table, info: TableInfo, commits: Sequence[Commit]) -> bool:
    """Whether the log is not the one that was read before: its version that was seen last is another commit, or is not
    reached. Where clean-up removed that commit, the table's id tells."""
    if table.seen_version < 0:
        return False
    if info.version < table.seen_version:
        return True
    seen = next((commit for commit in commits if commit.number == table.seen_version), None)
    with context.reading() as session:
        kept = versions.find_version(session, table.id or 0, table.seen_version)
    if seen is None or kept is None:
        before = table.properties.get("id")
        return bool(before) and before != info.properties.get("id")
    if kept.committed_at == seen.committed_at or kept.operation == CHECKPOINT:
        return False
    if seen.has_time:  # its own, which no copying changes
        return True
    return (kept.files_added, kept.files_removed) != (len(seen.added), len(seen.removed))


def latest_only(info: TableInfo) -> Commit:
    """The latest version as a commit, where the log of single commits was cleaned away behind a checkpoint."""
    times = [file.modified_at for file in info.files if file.modified_at]
    created = info.properties.get("created_at")
    moment = max(times) if times else datetime.fromisoformat(created) if created else datetime.fromtimestamp(0, UTC)
    told = {"schemaString": info.properties["schema"], "partitionColumns": info.partition_columns}
    told["configuration"] = info.properties["configuration"]
    return Commit(info.version, moment, CHECKPOINT, {}, "overwrite", info.files, (), info.columns, False, told)


def _recent(plans: list[BatchPlan], limit: int) -> list[BatchPlan]:
    """The last `limit` batches and whatever lies between them."""
    batches = [i for i, plan in enumerate(plans) if plan.kind != "none"]
    return plans if len(batches) <= limit else plans[batches[-limit] :]


def _record(context: Context, observed: Observed, commits: Sequence[Commit]) -> None:
    info, table = observed.info, observed.table
    assert table.id is not None
    kinds = {plan.number: plan.kind for plan in observed.plans}
    rows = [file.rows for file in info.files]
    told: list[dict[str, Any]] = [
        {
            "number": commit.number,
            "committed_at": commit.committed_at,
            "operation": commit.operation[: versions.MOST_TEXT],
            "commit_info": versions.told_by_log(commit.info) | _kind_info(commit),
            "batch": kinds[commit.number],
            "files_added": len(commit.added),
            "files_removed": len(commit.removed),
            "schema_columns": commit.schema,
        }
        for commit in commits
    ]
    with context.transaction() as session:
        _follow_names(session, table, commits[-1])
        new = set(versions.record_versions(session, table.id, told))
        for one in told if table.judged_version < 0 else ():  # of those that are known the batches are others now
            if one["number"] not in new:
                again = {name: one[name] for name in ("commit_info", "batch")}
                versions.set_version(session, table.id, one["number"], **again)
        tables.update_table(
            session,
            table.id,
            mode=observed.mode,
            seen_version=info.version,
            seen_stamp=info.stamp,
            files=len(info.files),
            bytes=info.properties["bytes"],
            rows=min(LARGEST, sum(r or 0 for r in rows)),
            partition_columns=list(info.partition_columns),
            properties=_shown(info.properties),
            changed_at=commits[-1].committed_at,
            status="learning" if table.status == "new" else table.status,
            **({"first_version": commits[0].number, "measured": fingerprint()} if table.judged_version < 0 else {}),
        )
        tables.set_columns(session, table.id, [list(column) for column in info.columns])


def _shown(properties: dict[str, Any]) -> dict[str, Any]:
    """A table's properties as they may be kept: its id and its columns as they are."""
    own = {name: properties[name] for name in ("id", "schema") if name in properties}
    return versions.told_by_log({name: told for name, told in properties.items() if name not in own}) | own


def _kind_info(commit: Commit) -> dict[str, Any]:
    """What is kept of a commit beside its own words (`catalog.store.lake.batches.commit_counts`)."""
    return {"batch": commit.batch} | ({"partitions": commit.partitions} if commit.partitions else {})


def _follow_names(session: Session, table: Table, latest: Commit) -> None:
    """Where a table maps names and a column was renamed, or dropped and another added under its name: what is known of
    it moves along, and files are folded again under the names of today."""
    kept = versions.find_version(session, table.id or 0, table.seen_version)
    if kept is None or not latest.physical:
        return
    moved, remade = renamed(kept.schema_columns, latest.schema)
    if moved or remade:
        log.info("columns were renamed", table=table.name, columns=len(moved) + len(remade))
        renames.rename_columns(session, table.id or 0, moved, remade, version=latest.number)
        versions.forget_states(session, table.id or 0)


def scan_new_files(context: Context, tables: Sequence[Observed], progress: Progress) -> dict[int, TableError]:
    """Fold every file that was never read, of all tables in shared Spark jobs. Returns the tables that cannot go on."""
    by_id = {observed.table.id: observed for observed in tables if observed.table.id is not None}
    tasks: list[Task] = []
    for table_id, observed in by_id.items():
        with context.reading() as session:
            stored = versions.known_file_keys(session, table_id)
        info_of = cache(observed.as_of)
        for key, version in sorted(observed.needed().items()):
            if key not in stored:
                tasks.append(Task(table_id, observed.table.uri, info_of(version), observed.files[key], version))
    progress.begin("scanning files", len(tasks))
    if not tasks:
        return {}
    errors: dict[int, TableError] = {}
    for results in _in_portions(scan(context.spark, tasks, options=context.options)):
        good = [one for one in results if one.state is not None]
        with context.transaction() as session:
            versions.put_file_states(session, [_new_state(by_id[one.table_key], one) for one in good])
        for result in results:
            if result.state is None:
                _failed(by_id[result.table_key], result, errors)
        progress.advance(len(results))
    return errors


def _new_state(observed: Observed, result: Result) -> versions.NewState:
    file = observed.files[result.file_key]
    written = round(file.modified_at.timestamp() * 1000) if file.modified_at is not None else 0
    return versions.NewState(result.table_key, file.key, result.rows, file.size, result.state or b"", written)


def _failed(observed: Observed, result: Result, errors: dict[int, TableError]) -> None:
    """A file of the latest version that cannot be read stops its table; one of the past is lost to VACUUM."""
    assert observed.table.id is not None
    if result.file_key not in observed.latest_keys and result.error_kind == "missing_file":
        observed.lost.add(result.file_key)
    else:
        error = table_error(result.error_kind or "", result.error or "the file cannot be read")
        errors.setdefault(observed.table.id, error)


def _in_portions(results: Iterable) -> Iterator[list]:
    """What arrives, in lists no longer than `STORE_SECONDS` old."""
    portion, since = [], time.monotonic()
    for result in results:
        portion.append(result)
        if time.monotonic() - since >= STORE_SECONDS:
            yield portion
            portion, since = [], time.monotonic()
    if portion:
        yield portion


def restarted(
    past: Mapping[int, versions.Point | None],
    schemas: Mapping[int, list[list[str]]],
    now: list[list[str]] | None = None,
) -> list[TableMetrics | None]:
    """The metrics of batches by version, holes as None. A column whose values changed their kind begins again: its
    metrics from before are left out. What a hole was says nothing of the batches around it.

    Parameters
    ----------
    schemas : the columns of versions; `now` those of the batch that comes next, where they are known.
    """
    found: list[TableMetrics | None] = []
    last: list[list[str]] = []
    for number, metrics in zip(past, decoded(past.values()), strict=True):
        if metrics is not None:
            schema = schemas.get(number, last)
            found, last = begun_again(found, last, schema), schema
        found.append(metrics)
    return begun_again(found, last, now or last)


def begun_again(
    past: list[TableMetrics | None], before: list[list[str]], now: list[list[str]]
) -> list[TableMetrics | None]:
    """The past without the columns whose values changed their kind."""
    changed = changed_kind(before, now)
    return without(past, changed) if changed else past


def earlier_rewrites(context: Context, table_id: int, plan: BatchPlan) -> list[TableMetrics | None] | None:
    """What earlier versions rewrote, by which one that rewrites rows is compared; None of any other."""
    if plan.kind != "rewrite":
        return None
    with context.reading() as session:
        limit = context.settings.history_limit
        past = versions.past_batches(session, table_id, plan.kind, limit=limit, before=plan.number)
    return decoded(point for _, point in past)


def decoded(points: Iterable[versions.Point | None]) -> list[TableMetrics | None]:
    """The metrics of batches with when they were committed, holes as None."""
    return [None if one is None else replace(_metrics(one), at=one.committed_at) for one in points]


def _metrics(point: versions.Point) -> TableMetrics:
    return TableMetrics.decode(point.metrics) if point.metrics else TableMetrics(point.batch_rows or 0)
