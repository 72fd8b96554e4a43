"""The lake's pattern index on disk: begun from the starter index, kept up to date after every crawl."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import structlog

from catalog.errors import StateError
from catalog.evidence.calibrated.calibration import calibrate
from catalog.evidence.clauses.meaning import domain_shares
from catalog.evidence.pattern_index.index import STARTER, PatternIndex, recorded
from catalog.evidence.pattern_index.starter import pretrain, starter_columns
from catalog.evidence.pattern_index.views import profile, profile_rows
from catalog.flow.context import Context, Progress
from catalog.flow.learning.fingerprint import Difference, difference, made_of
from catalog.flow.learning.replays import replay_pairs
from catalog.flow.reading.observe import Observed
from catalog.settings import Settings
from catalog.states.column import ColumnState
from catalog.states.table import TableState
from catalog.store.domains import lakedomains
from catalog.store.lake import tables

log = structlog.get_logger()
Shares = dict[tuple[str, str], dict[str, float]]  # {(table key, column): {domain: share of its rows}}

#: Replayed columns of the lake from which on they say something, how many more make the calibration worth fitting
#: again, and how many are kept; chosen.
LEAST_REPLAYED, REFIT, MOST_REPLAYED = 100, 1.5, 4_000


def prepare_starter(settings: Settings) -> Path:
    """The folder of the starter index, made where it is not there, of an older format or of other views, and brought up
    to date where it knows other domains: else every lake that begins from it does so anew. Takes up to a minute."""
    index, now = _starter(settings), made_of()
    if rest := difference(index.made_of, now).domains:
        index.replace_domains(rest, _shares_of_starter(rest))
        index.made_of = now
        index.save(settings.starter_path)
    return settings.starter_path


def _starter(settings: Settings) -> PatternIndex:
    folder = settings.starter_path
    index = _opened(folder)
    if index.tables and not difference(index.made_of, made_of()).views:
        return index
    shutil.rmtree(folder, ignore_errors=True)
    index = PatternIndex()
    pretrain(index)
    index.made_of = made_of()
    index.save(folder)
    return index


def open_index(settings: Settings) -> PatternIndex:
    """The lake's index; an empty or unreadable one, and one of other views, begins again from the starter index."""
    index = _opened(settings.index_path)
    if index.tables and not difference(index.made_of, made_of()).views:
        return index
    return _starter(settings)


def bring_up_to_date(context: Context, progress: Progress, skip: Collection[int] = ()) -> Difference:
    """Make the index what it would be had it been made with today's views and domains, from stored states: no data is
    read. Returns what had changed. It is evidence: whether tags follow is `catalog.flow.upgrades`'s.

    Parameters
    ----------
    skip : tables that the caller puts in anyway.
    """
    index, changed = up_to_date(context, progress, skip)
    if changed:
        index.save(context.settings.index_path)
        log.info("the pattern index was brought up to date", cause=changed.words)
    return changed


def up_to_date(context: Context, progress: Progress, skip: Collection[int] = ()) -> tuple[PatternIndex, Difference]:
    """The index as it would be with today's views and domains, in memory only, and what had changed.

    Of other views nothing stays; of other domains only what columns leave of these is counted again.
    """
    settings, now = context.settings, made_of()
    made, _ = recorded(settings.index_path)
    if made == now:
        return open_index(settings), Difference()
    before = _opened(settings.index_path)
    index = open_index(settings)
    rest = difference(index.made_of, now)
    changed = difference(before.made_of, now) if before.tables else rest
    if not changed:
        return index, changed
    lake = sorted({int(key) for key in before.tables if not key.startswith(STARTER)} - set(skip))
    progress.begin("bringing the pattern index up to date", len(lake))
    shares = _shares_of_starter(rest.domains) if rest.domains else {}
    if changed.views:
        index.replace_domains(rest.domains, shares)
        for table_id, columns in _stored(context, lake, progress):
            index.update(str(table_id), columns)
    else:
        for table_id, columns in _stored(context, lake, progress):
            shares |= _shares(str(table_id), columns, rest.domains)
        index.replace_domains(rest.domains, shares)
    index.made_of = now
    return index, changed


def indexed(context: Context) -> set[int]:
    """The tables of the lake whose patterns the index holds."""
    _, held = recorded(context.settings.index_path)
    return {int(key) for key in held if not key.startswith(STARTER)}


def take_out_gone(context: Context) -> int:
    """Take tables out of the index that were removed from the catalog or are no longer under their source: they are no
    evidence any more. One that comes back is put in by its next crawl. Returns how many they were."""
    folder = context.settings.index_path
    _, held = recorded(folder)
    with context.reading() as session:
        there = {str(table_id) for table_id in tables.present(session)}
    gone = [key for key in held if not key.startswith(STARTER) and key not in there]
    if gone:
        index = _opened(folder)
        index.subtract(*gone)
        index.save(folder)
        log.info("tables that are gone were taken out of the pattern index", tables=len(gone))
    return len(gone)


def _stored(
    context: Context, table_ids: Sequence[int], progress: Progress
) -> Iterator[tuple[int, dict[str, ColumnState]]]:
    """The columns of strings of tables, as their newest files show them; each table's next crawl tells exactly."""
    for table_id in table_ids:
        with context.reading() as session:
            yield table_id, lakedomains.string_states(session, table_id)
        progress.advance()


def _shares(table: str, columns: Mapping[str, ColumnState], domains: Collection[str]) -> Shares:
    found: Shares = {}
    for name, state in columns.items():
        known = profile(state)
        if known is not None and (shares := domain_shares(known.texts, domains)):
            found[table, name] = shares
    return found


def _shares_of_starter(domains: Collection[str]) -> Shares:
    columns = ((name, profile_rows(values)) for name, values in starter_columns())
    shares = ((name, domain_shares(known.texts, domains)) for name, known in columns)
    return {(f"{STARTER}{name}", name): found for name, found in shares if found}


def _opened(folder: Path) -> PatternIndex:
    try:
        return PatternIndex.open(folder)
    except StateError as error:
        log.warning("the pattern index is made again", folder=str(folder), error=str(error))
        shutil.rmtree(folder, ignore_errors=True)
        return PatternIndex()


class Gathering:
    """Brings the lake's index up to date, one table after the other: no state is held. Opened with the first table."""

    def __init__(self, context: Context, progress: Progress) -> None:
        self.context, self.progress = context, progress
        self.index: PatternIndex | None = None
        self.added = False
        self.room = 0

    def add(self, observed: Observed, state: TableState) -> None:
        """Put in the latest state of a table, in place of what it left before."""
        if self.index is None:
            self.index = open_index(self.context.settings)
            self.room = MOST_REPLAYED - self.index.replayed()
        strings = {name: column for name, column in state.columns.items() if column.kind == "string"}
        pairs = replay_pairs(self.context, observed) if strings and self.room > 0 else {}
        self.room -= len(pairs)
        self.index.update(str(observed.table.id), strings, pairs)
        self.added = True

    def put_away(self) -> None:
        """Save what was added so far: others may add to the index until the next table is."""
        if self.index is not None:
            self.index.save(self.context.settings.index_path)
            self.index = None

    def finish(self) -> PatternIndex | None:
        """The index with all that was added, saved; None when nothing was."""
        if self.added:
            self.index = self.index or open_index(self.context.settings)
            self.progress.begin("indexing patterns", 0)
            _calibrate(self.index, self.progress)
            self.index.save(self.context.settings.index_path)
        return self.index


def _calibrate(index: PatternIndex, progress: Progress) -> None:
    """Fit the calibration again when many more columns of the lake were replayed than it knows; takes some seconds."""
    own = index.replayed()
    if own >= max(LEAST_REPLAYED, REFIT * index.fitted):
        progress.begin("calibrating rules on the lake's own columns", 0)
        index.model, index.fitted = calibrate(index), own
        log.info("rules are calibrated on the lake's own columns", columns=own)
