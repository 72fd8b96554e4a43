"""What a chosen learner of the papers is asked with: the lake's columns as its corpus, damaged rows as its training."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import numpy as np
import structlog

from catalog.damage.issues import ISSUES, inject
from catalog.errors import AssayError
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.views import profile
from catalog.flow.checking.trial import healthy_batch
from catalog.flow.context import Context
from catalog.history.series import Past, column_metrics, column_series
from catalog.learners.published import Corpus, representatives
from catalog.learners.registry import Choice
from catalog.rules.rule import Rule
from catalog.states.folding.fold import fold
from catalog.states.table import TableState
from catalog.store.domains import lakedomains
from catalog.store.lake import tables
from catalog.store.models import Table

log = structlog.get_logger()

#: Metrics that grow with the rows: of a sample they are scaled to the batch.
OF_ROWS = ("row_count", "sum", "dist_val_count")
LEAST_PAST = 3  # batches before there is a deviation to speak of; chosen


class Corpora:
    """The corpus of a lake, made once a crawl: for as long as the crawl's pattern index lives."""

    def __init__(self) -> None:
        self._index: weakref.ref[PatternIndex] | None = None
        self._made: tuple[Corpus, np.ndarray] | None = None

    def of(self, context: Context, index: PatternIndex) -> tuple[Corpus, np.ndarray]:
        """The lake's columns of strings, and the table of each."""
        if self._made is None or self._index is None or self._index() is not index:
            self._made, self._index = _corpus(context), weakref.ref(index)
        return self._made


_CORPORA = Corpora()


def _corpus(context: Context) -> tuple[Corpus, np.ndarray]:
    with context.reading() as session:
        listed = tables.present(session)
    columns: list[list[tuple[str, int]]] = []
    owners: list[int] = []
    for table_id in listed:
        with context.reading() as session:
            states = lakedomains.string_states(session, table_id)
        for state in states.values():
            seen = profile(state)
            values = representatives(seen) if seen is not None else []
            if values:
                columns.append(values)
                owners.append(table_id)
    return Corpus(columns), np.array(owners, np.int64)


def pattern_rules(context: Context, table: Table, state: TableState, index: PatternIndex, choice: Choice) -> list[Rule]:
    """Rules of a chosen learner of patterns, for the table's columns of strings; its own columns are no evidence."""
    corpus, owners = _CORPORA.of(context, index)
    learn, found = choice.learner.load(), []
    for name, column in state.columns.items():
        seen = profile(column) if column.kind == "string" else None
        if seen is None:
            continue
        rule = learn(choice, representatives(seen), corpus, owners != table.id, column=name)
        found += [rule] if rule is not None else []
    return found


def program_rules(context: Context, table: Table, series: Past, last: TableState, choice: Choice) -> list[Rule]:
    """Rules of a chosen learner from history, trained on damage done to the latest healthy batch; none where that
    batch cannot be read."""
    past = [one for one in series if one is not None]
    if len(past) < LEAST_PAST:
        return []
    try:
        rows, batch = healthy_batch(context, table)
    except AssayError as error:
        log.warning("no batch to train on", table=table.name, error=str(error))
        return []
    learn, found = choice.learner.load(), []
    clean = fold(rows)
    for name in rows.column_names:
        if name not in last.columns or name not in clean.columns:
            continue
        history = [one for one in column_series(past, name) if one]
        kind = last.columns[name].kind
        if len(history) < LEAST_PAST or kind not in ("number", "string", "boolean"):
            continue
        share = batch.state.rows / max(rows.num_rows, 1)
        rule = learn(choice, history, _issues(rows, name, batch.previous, share), column=name, kind=kind)
        found += [rule] if rule is not None else []
    return found


def _issues(rows: object, name: str, previous: TableState | None, share: float) -> Sequence[dict[str, float]]:
    """Metrics of the batch, `share` times the rows given, with each issue that applies to a column (appendix B)."""
    before = previous.columns.get(name) if previous is not None else None
    found = []
    for issue in ISSUES:
        changed = inject(rows, name, issue, 0)  # type: ignore[arg-type]
        if changed is None:
            continue
        metrics = column_metrics(fold(changed.select([name])).columns[name], before)
        found.append({key: value * share if key in OF_ROWS else value for key, value in metrics.items()})
    return found
