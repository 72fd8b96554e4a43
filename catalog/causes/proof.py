"""Taking a cause back on the states: whether the figures are in their bands then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from catalog.causes.case import Case
from catalog.causes.cause import Guess
from catalog.causes.guesses import features as f
from catalog.history.series import column_metrics
from catalog.rules.kinds.history import HistoryRule
from catalog.states.column import ColumnState
from catalog.states.parts.exact import as_float, canonical
from catalog.states.parts.moments import moments_of
from catalog.states.parts.shapes import coarsen, shape_of
from catalog.states.parts.summaries import Quantiles

Mend = Callable[[Any], Any]
#: Metrics that are told by the hashes of values.
OF_HASHES = {"new_values", "lost_values", "rewritten_ratio"}
COUNTED = "no one two three four five six seven eight nine ten eleven twelve".split()


def mended(state: ColumnState, mend: Mend) -> ColumnState | None:
    """The state that the column would have with each value mended; None where the state does not tell."""
    if state.table is not None:
        return _mended_table(state, mend)
    if state.kind != "number" or state.quantiles is None:
        return None
    return _mended_numbers(state, mend)


def _mended_table(state: ColumnState, mend: Mend) -> ColumnState:
    table: dict[Any, int] = {}
    for value, n in state.table or ():
        new = mend(value)
        new = value if new is None else new  # which is left as it is
        table[new] = table.get(new, 0) + n
    return replace(state, table=canonical(table.items()))


def _mended_numbers(state: ColumnState, mend: Mend) -> ColumnState | None:
    """Of many numbers what rules look at most: quantiles, moments, extremes. All mends of numbers are monotone."""
    q = state.quantiles
    assert q is not None
    values = np.array([float(f"{as_float(mend(float(v))):.12g}") for v in q.values])
    order = np.argsort(values, kind="stable")
    values, weights = values[order], q.weights[order]
    if not np.all(np.isfinite(values)):
        return None
    ends = sorted(mend(v) for v in (state.low, state.high))
    moments = moments_of(values, weights=weights)
    frequent = replace(state.frequent, items=tuple((mend(v), n) for v, n in state.frequent.items))
    parts = replace(
        state.parts, quantiles=Quantiles(values, weights, q.error), moments=moments, low=ends[0], high=ends[1]
    )
    return replace(state, sketch=replace(parts, frequent=frequent))


def figures_back(
    rule: HistoryRule | None, state: ColumnState, before: ColumnState | None, past: Sequence[Mapping[str, float]]
) -> tuple[int, int]:
    """(figures in their bands, figures that have one) of a column's state by its rule from history.

    Which values are new is left out where only a sample of their hashes is kept: no mended value is in it.
    """
    if rule is None:
        return 0, 0
    found = rule.findings(column_metrics(state, before), past)
    if state.table is None:
        found = [one for one in found if one.metric not in OF_HASHES]
    return sum(one.excess <= 0 for one in found), len(found)


def values_back(now: ColumnState, before: ColumnState, mend: Mend) -> tuple[int, int]:
    """(values that are written as before once they are mended, values that are known) of a column of strings."""
    shapes = before.shapes
    if shapes is None:
        return 0, 0
    level = shapes.level
    known = {coarsen(shape.text, level) for shape in shapes.items}
    values = [v for v, _ in f.sample_of(now)]
    return sum(coarsen(shape_of(str(mend(v))), level) in known for v in values), len(values)


def taken_back(case: Case, guess: Guess, columns: Sequence[str]) -> tuple[int, int, str]:
    """(figures or values that are right again, of how many, what they are) when the cause is undone."""
    pairs: list[tuple[str, ColumnState | None]] = []
    if guess.key in ("columns_swapped", "times_swapped") and len(columns) == 2:
        first, second = (case.states(column)[0] for column in columns)
        pairs = [(columns[0], second), (columns[1], first)]
    elif "moved" in guess.detail:
        pairs = [(source, case.states(name)[0]) for name, source in guess.detail["moved"].items()]
    elif guess.mend is not None:
        pairs = [(c, None if (s := case.states(c)[0]) is None else mended(s, guess.mend)) for c in columns]
    back = of = 0
    for column, state in pairs:
        if state is not None:
            before = case.states(column)[1]
            good, all_of = figures_back(case.rules.get(column), _alone(state), before, case.past_of(column))
            back, of = back + good, of + all_of
    if of or guess.mend is None or not columns:
        return back, of, "metrics"
    now, before = case.states(columns[0])
    if now is None or before is None or now.kind != "string":
        return 0, 0, "metrics"
    return *values_back(now, before, guess.mend), "values"


def _alone(state: ColumnState) -> ColumnState:
    """Without what was counted beside other columns."""
    return replace(state, before=())


def in_words(undo: str, back: int, of: int, what: str) -> str:
    """What holds when a cause is taken back; empty where too little does.

    >>> in_words("divide by 100", 9, 9, "metrics")
    'Divide by 100: all nine metrics are back in their expected ranges.'
    >>> in_words("divide by 100", 11, 14, "metrics")
    'Divide by 100: 11 of 14 metrics are back in their expected ranges.'
    >>> in_words("divide by 100", 2, 9, "metrics")
    ''
    """
    if not undo or not of or back < 0.7 * of:
        return ""
    count = f"all {COUNTED[of] if of < len(COUNTED) else of}" if back == of else f"{back} of {of}"
    end = "back in their expected ranges" if what == "metrics" else "written as before"
    return f"{undo[0].upper()}{undo[1:]}: {count} {what} are {end}."
