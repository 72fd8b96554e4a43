"""Metrics that came after a version was observed: they are computed from its states, where those are still there.

What a version has stays as it is. A version whose files are gone goes without; rules from history do so too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import structlog

from catalog.errors import AssayError
from catalog.flow.context import Context
from catalog.flow.declared.counting import whole_log
from catalog.flow.reading.observe import Observed
from catalog.flow.reading.states import States
from catalog.history.labels import UNHEALTHY
from catalog.history.series import TableMetrics, observe_metrics, paced
from catalog.metrics.registry import fingerprint
from catalog.store.lake import versions
from catalog.store.lake.versions import Point

log = structlog.get_logger()


def fill_metrics(context: Context, observed: Observed) -> int:
    """Bring the metrics of a table's past batches up to those that are known today. Returns how many versions changed.

    Costs nothing where they are (`Table.measured`); else the log of these versions is read and their states merged,
    once for each set of metrics.
    """
    table = observed.table
    assert table.id is not None
    if table.measured == fingerprint() or table.judged_version < 0:
        return 0
    with context.reading() as session:
        points = versions.metric_series(
            session, table.id, observed.mode, limit=context.settings.history_limit, skip_labels=()
        )
    found: dict[int, TableMetrics] = {}
    if points:
        try:
            found = _filled(context, observed, points)
        except AssayError as error:  # the next crawl tries again; judging goes on without them
            log.warning("past versions lack new metrics", table=table.name, error=str(error))
            return 0
    with context.transaction() as session:
        for number, metrics in found.items():
            versions.set_version(session, table.id, number, metrics=metrics.encode())
        versions.set_measured(session, table.id, fingerprint())
    return len(found)


def _filled(context: Context, observed: Observed, points: Sequence[Point]) -> dict[int, TableMetrics]:
    """The metrics of the versions that lack some and whose states are there, by version."""
    log = whole_log(context, observed.table, points[0].number - 1).plans
    plans = {plan.number: plan for plan in log}
    kept = {point.number: TableMetrics.decode(point.metrics) for point in points}
    known = _names(list(kept.values()))
    states = States(context, observed.table.id or 0)
    found, previous, before = {}, None, None
    past: list[TableMetrics | None] = []
    for point in points:
        plan = plans.get(point.number)
        state = None if plan is None else states.merged(plan.keys)
        if state is None:
            continue
        assert plan is not None
        if before is not None and not before.stands(plan.number, log):
            previous = None
        alone, both = observe_metrics(state, None), observe_metrics(state, previous)
        both = paced(replace(both, at=plan.commit.committed_at), past, plan.days_after(before))
        more = _more(kept[point.number], alone, both, known)
        if more != kept[point.number]:
            found[point.number] = more
        healthy = point.label not in UNHEALTHY
        previous, before = (state, plan) if healthy else (previous, before)
        past.append(both if healthy else None)
    return found


def _names(kept: Sequence[TableMetrics]) -> dict[str | None, set[str]]:
    """Metrics that some version has, by column; of the table's rows under None."""
    found: dict[str | None, set[str]] = {None: {name for one in kept for name in one.table}}
    for one in kept:
        for column, of in one.columns.items():
            found.setdefault(column, set()).update(of)
    return found


def _more(
    kept: TableMetrics, alone: TableMetrics, both: TableMetrics, known: Mapping[str | None, set[str]]
) -> TableMetrics:
    """What is kept and what it lacks. A metric of two batches is lacking only where no version has it: a version
    without one that others have was compared with nothing."""

    def add(
        column: str | None, has: dict[str, float], one: dict[str, float], two: dict[str, float]
    ) -> dict[str, float]:
        new = {name: value for name, value in two.items() if name not in has}
        return has | {name: value for name, value in new.items() if name in one or name not in known.get(column, ())}

    columns = {
        name: add(name, of, alone.columns.get(name, {}), both.columns.get(name, {}))
        for name, of in kept.columns.items()
    }
    return replace(kept, columns=columns, table=add(None, kept.table, alone.table, both.table))
