"""Which batches of a table's past not to learn from, before anyone has said anything of them.

What nobody called wrong is learned from, and one delivery of foreign rows makes every band as wide as it was wrong. A
batch is an outlier where at least half of its columns differ at once from the batches on both sides of it, by far more
than these usually differ from their neighbours: a wrong file, loaded again the next day. What stays, grows, or returns
each week is no outlier. Of 9,750 healthy batches of calibration histories one was
(`benchmarks.shipped.calibrate_history`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from catalog.history.series import Past
from catalog.learners.series.limits import LEAST
from catalog.learners.series.scales import resolution_of, scale_of
from catalog.metrics.registry import JUDGED

Floats = NDArray[np.float64]

#: Neighbours that a batch is compared with, on each side; the next ones are left out: a wrong file may come twice.
#: Chosen: half a week of days.
BESIDE = (2, 3, 4)
#: A difference is large beyond so many times what is usual, and so many times the metric's resolution.
#: Chosen; `benchmarks.shipped.calibrate_history` tells how many healthy batches are taken for outliers.
USUAL, RESOLUTIONS = 6.0, 3.0
#: Share of the columns that must differ, and how many at least. Chosen: a fault of one column is for its rule.
SHARE, COLUMNS = 0.5, 2

_ALONE = [name for name, metric in JUDGED.items() if metric.sides == "both"]


def outlying_batches(past: Past) -> list[int]:
    """Places of the outlying batches in the past, oldest first; none where fewer than twice `LEAST` are known.

    >>> from catalog.history.series import TableMetrics
    >>> usual = {"row_count": 100.0, "complete_ratio": 1.0, "mean": 7.0, "std": 1.0}
    >>> wrong = {"row_count": 180.0, "complete_ratio": 0.4, "mean": 90.0, "std": 9.0}
    >>> batches = [TableMetrics(100, {"a": usual, "b": usual})] * 20
    >>> batches[9] = TableMetrics(180, {"a": wrong, "b": wrong})
    >>> outlying_batches(batches), outlying_batches(batches[:12])
    ([9], [])
    """
    places = [at for at, batch in enumerate(past) if batch is not None]
    series = [batch for batch in past if batch is not None]
    if len(series) < 2 * LEAST:
        return []
    names = [name for name in series[-1].columns if all(batch.columns.get(name) for batch in series)]
    if len(names) < COLUMNS:
        return []
    votes = sum(_differs([batch.columns[name] for batch in series]).astype(int) for name in names)
    return [places[at] for at in np.flatnonzero(votes >= max(SHARE * len(names), COLUMNS))]


def _differs(column: Sequence[Mapping[str, float]]) -> NDArray[np.bool_]:
    """Whether any metric of a column is far from its neighbours, by batch."""
    scale = scale_of(column)
    names = [name for name in _ALONE if sum(name in m for m in column) >= len(column) - 2]
    x = np.array([[m.get(name, np.nan) for name in names] for m in column])
    away = np.abs(x - _around(x))
    ranked = -np.sort(-np.nan_to_num(away, nan=-1.0), axis=0)
    usual = np.maximum(ranked[max(3, len(column) // 8)], 0.0)
    resolutions = np.array(
        [resolution_of(name, float(np.nanmedian(np.abs(x[:, i]))), scale) for i, name in enumerate(names)]
    )
    found: NDArray[np.bool_] = np.any(np.nan_to_num(away, nan=0.0) > USUAL * usual + RESOLUTIONS * resolutions, axis=1)
    return found


def _around(x: Floats) -> Floats:
    """The median of each batch's neighbours on both sides, by metric; NaN where there are not three of them."""
    n = len(x)
    beside = np.full((2 * len(BESIDE), *x.shape), np.nan)
    for i, step in enumerate(BESIDE):
        beside[2 * i, step:] = x[: n - step]
        beside[2 * i + 1, : n - step] = x[step:]
    there = np.isfinite(beside)
    enough = (there.sum(axis=0) >= 3) & there[0::2].any(axis=0) & there[1::2].any(axis=0)
    return np.where(enough, np.nanmedian(np.where(enough, beside, 0.0), axis=0), np.nan)
