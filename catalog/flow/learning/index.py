"""The lake's pattern index on disk: begun from the starter index, kept up to date after every crawl."""

from __future__ import annotations

import shutil
from pathlib import Path

import structlog

from catalog.errors import StateError
from catalog.evidence.calibrated.calibration import calibrate
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.starter import pretrain
from catalog.flow.context import Context, Progress
from catalog.flow.learning.replays import replay_pairs
from catalog.flow.reading.observe import Observed
from catalog.settings import Settings
from catalog.states.table import TableState

log = structlog.get_logger()

#: Replayed columns of the lake from which on they say something, how many more make the calibration worth fitting
#: again, and how many are kept.
LEAST_REPLAYED, REFIT, MOST_REPLAYED = 100, 1.5, 4_000


def prepare_starter(settings: Settings) -> Path:
    """The folder of the starter index, made where it is not there or of an older format. Takes up to a minute."""
    folder = settings.starter_path
    if _opened(folder).tables:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    index = PatternIndex()
    pretrain(index)
    index.save(folder)
    return folder


def open_index(settings: Settings) -> PatternIndex:
    """The lake's index; an empty or unreadable one begins anew from the starter index."""
    index = _opened(settings.index_path)
    return index if index.tables else PatternIndex.open(prepare_starter(settings))


def _opened(folder: Path) -> PatternIndex:
    try:
        return PatternIndex.open(folder)
    except StateError as error:
        log.warning("the pattern index is made anew", folder=str(folder), error=str(error))
        shutil.rmtree(folder, ignore_errors=True)
        return PatternIndex()


class Gathering:
    """Brings the lake's index up to date, one table after the other: no state is held. Opened with the first table."""

    def __init__(self, context: Context, progress: Progress) -> None:
        self.context, self.progress = context, progress
        self.index: PatternIndex | None = None
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

    def finish(self) -> PatternIndex | None:
        """The index with all that was added, saved; None when nothing was."""
        if self.index is not None:
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
