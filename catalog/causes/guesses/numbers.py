"""Guesses at what happened to a column of numbers: another unit or scale, sign, decimals, a default, a neighbour."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.causes.cause import READ_OFF, Guess
from catalog.causes.guesses.hypotheses import led_back
from catalog.causes.sizes.factors import (
    ALIKE,
    Measured,
    all_factor,
    are_whole_beyond,
    is_near,
    of_those,
    part_factor,
    round_finite,
    undone_by,
)
from catalog.damage import NUMBERS
from catalog.damage.further import KELVIN
from catalog.damage.numbers import FACTORS, UNITS, factor_name, plus, times, undo_of
from catalog.history.replaced.mixtures import decimals, explained, mixture, upto
from catalog.states.column import ColumnState
from catalog.states.parts.exact import as_float
from catalog.states.parts.summaries import Quantiles

Floats = NDArray[np.float64]
#: Types that keep nothing behind the point.
INTEGERS = {"tinyint", "smallint", "int", "bigint"}
#: Share of rows that hold one number more than before, from which a default is a guess.
#: Chosen: a default is filled in for many rows, and one value gains a few in a hundred by itself.
DEFAULT = 0.05
#: By how much a measured factor must explain more than one that is known by name; share of the rows that are nearly
#: all. Chosen.
CLEARLY, NEARLY_ALL = 0.005, 0.9
#: What a guess must explain more that needs two constants, or one that nobody knows. One divided by each needs
#: none where it brings the middle back: there it must explain clearly more than a factor.
LESS_SIMPLE = {
    "inverted": 0.02,
    "fahrenheit": 0.02,
    "celsius": 0.02,
    "kelvin": 0.02,
    "scale_other": 0.03,
    "offset": 0.02,
}
#: ... that concerns a part of the rows, by that part: of two factors that of all rows. Chosen: it only breaks ties.
LESS_ALL = 0.04
#: Steps that numbers are rounded to beside whole ones, the largest first; share of the numbers that are of them then,
#: and at most before. Chosen: the multiples of clocks and of money.
STEPS, ROUNDED, SELDOM = (86_400, 3600, 1000, 500, 100, 60, 50, 30, 25, 15, 10, 5, 0.5, 0.25, 0.1), 0.99, 0.7
ALL = 0.99  # share of the rows that is all of them; chosen
FAR = 10.0  # chosen: numbers that count on, or grow over a year, come no further in one version
CAPPED = 0.1  # share of the rows by which two batches differ in how many are beyond a bound. Chosen
CHANCE = 0.001  # all rows hold one number that not all held: by chance in fewer batches. Chosen
#: How many times as frequent as the most frequent number one that was rare is a default, or stands still, whatever else
#: moved. Chosen: from one in twenty rows on chance does not do that.
RISEN = 5.0
#: Rows that hold a number beyond all that were, or share of them that hold one number, from which that is a default
#: though it is not the most frequent one (chosen: one in a hundred, but no single rows); how much less another guess is
#: worth that would make other numbers as well.
BEYOND_ROWS, BEYOND, OFTEN, MANY_MADE = 5, 0.01, 0.15, 0.25
#: Share of the rows up to which negative numbers are too few to be seen in how all are spread, and how sure it is that
#: they have the other sign. Chosen: of more the spread tells; it is what else would make single numbers negative.
FEW_NEGATIVE, SIGN_FIT = 0.05, 0.7
#: Different numbers with decimals from which a factor is read off them, and how near they are to it. Chosen.
MADE, EXACT = 3, 1e-6


def guesses(
    now: ColumnState, before: ColumnState, others: Mapping[str, ColumnState], usual: Mapping[str, float]
) -> list[Guess]:
    """Explanations of what changed in a column of numbers, the best first; see `guesses.strings.guesses`."""
    a, b = before.quantiles, now.quantiles
    if a is None or b is None or not len(a.values) or not len(b.values):
        return []
    found = [*_default(now, before), *led_back(now, before)]
    kept = (lambda v: math.trunc(v) if math.isfinite(v) else v) if now.type in INTEGERS else float
    measured = all_factor(a, b)
    if measured is None:
        if are_whole_beyond(a, b):  # what was multiplied was rounded, too
            kept = round_finite
        measured = part_factor(a, b, lambda factor: explained(a, b, lambda v: kept(v * factor)))
    part = measured is not None and measured.part
    turned = not part and b.median() > 0 and a.quantile(0.25) <= 1 / b.median() <= a.quantile(0.75)
    for key, cause, change, detail, mend, undo in _hypotheses(a, b, measured):
        keep = kept if cause == "scale" or kept is not round_finite else float
        fit, share = explained(a, b, lambda v, change=change, keep=keep: keep(change(v)))  # type: ignore[misc]
        if key == "inverted" and share > NEARLY_ALL and not turned:
            continue
        if share > 0.02:
            fit -= CLEARLY if key == "inverted" and turned else _less_simple(key, detail, part)
            fit -= LESS_ALL * (1 - share) if cause == "scale" else 0.0
            read = _makes_decimals(a, b, detail.get("factor"))
            sure = READ_OFF if read or (cause == "scale" and share > NEARLY_ALL and _all_beyond(a, b)) else None
            found.append(Guess(key, cause, 1.0 if read else fit, share, detail, mend, undo, sure=sure))
    found = [*_nearer(found, measured), *_some_negative(now, before, usual)]
    if measured is not None and measured.part:
        found = [of_those(g, measured, a, b) for g in found]
    for name, other in others.items():
        if other.quantiles is not None and len(other.quantiles.values):
            fit, share = mixture(a, b, other.quantiles)
            if share > 0.05:
                found.append(Guess("neighbour", "swapped", fit - 0.03, share, {"from": name}, others=(name,)))
    beyond = next((g.share for g in found if g.cause == "default" and g.detail.get("beyond")), None)
    if beyond is not None:  # one number, where a sign or a factor would make many
        found = [
            g if g.cause == "default" or g.share > 2 * beyond else replace(g, fit=g.fit - MANY_MADE) for g in found
        ]
    one = next((g for g in found if g.cause == "default" and as_float(g.detail["value"]).is_integer()), None)
    if one is not None:  # whole because they are this one number, which needs no rounding
        found = [
            replace(g, fit=min(g.fit, one.fit) - MANY_MADE) if g.cause == "rounded" and g.share < 2 * one.share else g
            for g in found
        ]
    return sorted(found, key=lambda g: -g.fit)


def _all_beyond(a: Quantiles, b: Quantiles) -> bool:
    """Whether nearly all numbers are `FAR` times as large as nearly all before, or as small."""
    (low, high), (least, most) = (np.quantile(np.abs(q.values), (1 - NEARLY_ALL, NEARLY_ALL)) for q in (a, b))
    return bool(least > FAR * high or most * FAR < low)


def _makes_decimals(a: Quantiles, b: Quantiles, factor: float | None) -> bool:
    """Whether all numbers of more than two decimals, where none had any, are a number that was there times a factor."""
    odd = b.values[np.isfinite(b.values) & ~np.isclose(b.values * 100, np.round(b.values * 100), rtol=0)]
    if factor is None or len(odd) < MADE or decimals(a):
        return False
    back = np.round(odd / factor)
    return bool(np.isin(back, a.values).all() and np.allclose(back * factor, odd, rtol=EXACT, atol=0))


def _some_negative(now: ColumnState, before: ColumnState, usual: Mapping[str, float]) -> Iterator[Guess]:
    """That some numbers have the other sign, where none ever was negative and these are as large as others are."""
    low, least, most = (as_float(one) for one in (now.low, before.low, before.high))
    if now.quantiles is None or not low < 0 <= least or usual.get("negative_ratio") or -low > most:
        return
    points, weights = now.quantiles.values, now.quantiles.weights
    share = max(float(weights[points < 0].sum() / weights.sum()), 1 / now.rows)
    if share < FEW_NEGATIVE:
        yield Guess("sign", "sign", SIGN_FIT, share, undo=_undo("sign", None), sure=SIGN_FIT)


def _nearer(found: list[Guess], measured: Measured | None) -> list[Guess]:
    """Without the factors that are known by name where all numbers moved by one that is `measured`, or a `part` of
    them, of which these are too far, or which explains more: then a factor of another part of the rows is none. What
    those explained, that one does. Those that are left know the measured one.
    """
    if measured is None:
        return found
    part = measured.part
    named = [g for g in found if "factor" in g.detail and g.key != "scale_other"]
    of_all = [g for g in named if part or g.share >= NEARLY_ALL]
    kept = [
        replace(g, detail={**g.detail, "measured": measured}) for g in of_all if is_near(g.detail["factor"], measured)
    ]
    others = [g for g in found if g not in named]
    other = next((g for g in found if g.key == "scale_other"), None)
    if other is None:
        return [*others, *kept, *(g for g in named if g not in of_all)]
    least = other.fit + _less_simple("scale_other", {}, part) - CLEARLY
    if any(g.fit + _seldom(g.detail) >= least for g in kept):
        return [*others, *kept]
    if part and kept:  # as near as can be told: what the measured one explains more is chance
        nearest = max(kept, key=lambda g: g.fit)
        return [replace(nearest, fit=max(nearest.fit, other.fit)), *(g for g in others if g is not other)]
    if part and max((g.fit for g in named), default=0.0) > other.fit:
        return found
    best = replace(other, fit=max(g.fit for g in (other, *named)))
    return [best, *(g for g in others if g is not other)]


def _less_simple(key: str, detail: Mapping[str, Any], part: bool) -> float:
    """What a guess must explain more for what it says; a factor of a part of the rows that is measured lies where no
    number was, which is asked of it in place of that."""
    return 0.0 if part and key == "scale_other" else LESS_SIMPLE.get(key, _seldom(detail))


def _seldom(detail: Mapping[str, Any]) -> float:
    """What one of the further factors must explain more than one that columns are off by in practice."""
    return CLEARLY if detail.get("factor") in UNITS else 0.0


Hypothesis = tuple[str, str, Callable[[float], float], dict[str, Any], Callable[[Any], Any] | None, str]


def _hypotheses(a: Quantiles, b: Quantiles, measured: Measured | None) -> Iterator[Hypothesis]:
    for kind in NUMBERS:
        if kind.cause in ("scale", "sign", "rounded"):
            change = _always(kind.plan([1.0], np.random.default_rng(0)))
            factor = next((x for x in FACTORS if kind.key == f"scale_{factor_name(x)}"), None)
            detail = {} if factor is None else {"factor": factor}
            yield kind.key, kind.cause, change, detail, kind.undo, _undo(kind.key, factor)
    yield from _coarse(a, b)
    if np.all(a.values > 0):
        yield "inverted", "inverted", _inverted, {}, _inverted, "divide one by each"
    by = _any_offset(a, b)
    if by is not None and abs(by - KELVIN) < 0.01 * KELVIN:
        yield "kelvin", "scale", plus(KELVIN), {"offset": KELVIN}, plus(-KELVIN), "take 273.15 away"
    elif by is not None:
        undo = f"take {by:.4g} away" if by > 0 else f"add {-by:.4g}"
        yield "offset", "scale", plus(by), {"offset": by}, plus(-by), undo
    if measured is None:
        return
    for factor in (one for one in UNITS if is_near(one, measured)):
        undo = _undo("", factor)
        yield f"scale_{factor_name(factor)}", "scale", times(factor), {"factor": factor}, times(1 / factor), undo
    ten = 10.0 ** round(math.log10(measured.factor))
    factor = ten if is_near(ten, measured) else measured.factor
    if not any(abs(math.log(factor / x)) < ALIKE for x in (*FACTORS, *UNITS)):
        detail, known = {"factor": factor}, measured._replace(factor=factor)
        detail |= {} if factor == ten else {"error": measured.error}
        yield "scale_other", "scale", times(factor), detail, times(1 / factor), undone_by(factor, known)


def _inverted(value: Any) -> Any:
    return 1 / value if value else value


def _coarse(a: Quantiles, b: Quantiles) -> Iterator[Hypothesis]:
    """Numbers are multiples of a step that few were: rounded up, down or to the nearest."""
    step = next((s for s in STEPS if _multiples(b, s) >= ROUNDED and _multiples(a, s) < SELDOM), None)
    if step is None or len(np.unique(b.values[b.values != 0])) < 2:
        return
    for to in (math.ceil, math.floor, round):
        change = lambda v, to=to: to(v / step) * step if math.isfinite(v) else v  # noqa: E731
        yield "coarse", "rounded", change, {"step": step}, None, ""


def _multiples(q: Quantiles, step: float) -> float:
    """Share of the numbers that are multiples of a step."""
    finite = np.isfinite(q.values)
    off = np.abs(q.values[finite] / step - np.round(q.values[finite] / step))
    return float(q.weights[finite][off < 1e-6].sum() / max(q.weights[finite].sum(), 1))


def _undo(key: str, factor: float | None) -> str:
    if factor is not None:
        return undo_of(factor)
    words = {"sign": "change the sign", "fahrenheit": "take 32 away, times 5/9", "celsius": "times 9/5, add 32"}
    return words.get(key, "")


def _always(change: Callable[[float], Any] | None) -> Callable[[float], float]:
    """The change, of numbers that it leaves as they are too."""
    assert change is not None

    def apply(value: float) -> float:
        new = change(value) if math.isfinite(value) else value
        return value if new is None else float(new)

    return apply


def _any_offset(a: Quantiles, b: Quantiles) -> float | None:
    """By how much all numbers are more, where that is more than half of what their middle half spans, and alike; None
    where it is not."""
    x, y = (np.array([q.quantile(p) for p in (0.1, 0.25, 0.5, 0.75, 0.9)]) for q in (a, b))
    moved = y - x
    by = float(np.median(moved))
    alike = np.all(np.isfinite(moved)) and float(np.ptp(moved)) < 0.3 * abs(by)
    return by if alike and abs(by) > 0.5 * float(x[3] - x[1]) else None


def _default(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """One number that was rare fills more rows than any did."""
    a, b = before.quantiles, now.quantiles
    if not now.frequent.items or not before.non_null or a is None or b is None:
        return
    known = dict(before.frequent.items)
    value, n = max(now.frequent.items, key=lambda one: one[1] / now.non_null - known.get(one[0], 0) / before.non_null)
    old, share = _share(before, value), n / now.non_null
    top = before.frequent.items[0][1] / before.non_null if before.frequent.items else 0.0
    beyond = top < 0.9 and n >= BEYOND_ROWS and share >= BEYOND and not _within(before, value)
    often = share > 1.3 * top or (top > 0.75 and share > 0.9) or (before.table is not None and share - old > OFTEN)
    alone = share == 1.0 and old**now.non_null < CHANCE  # the others are gone, whatever share they had
    if (share - old >= DEFAULT and old < 0.02 and often) or beyond or alone or (share > ALL and top < 0.9):
        point = Quantiles(np.array([as_float(value)]), np.array([1]), 0.0)
        fit, like_it = mixture(a, b, point)
        fit -= max(
            like_it - (share - old) / max(1 - old, 0.01), 0.0
        )  # as many rows as hold the number, whatever else looks like it
        if share < ALL and _capped(a, b, as_float(value), share - old):
            detail = {"value": value, "share": share - old, "capped": True}
            yield Guess("default_number", "default", 0.9, share - old, detail)
            return
        if _moved_without(a, b, as_float(value)):
            return
        if beyond or share > RISEN * top:
            fit = max(fit, 0.9)
        told_of = {"beyond": beyond, "all": share > ALL and old >= 0.02}
        yield Guess(
            "default_number",
            "default",
            min(fit + (0.02 if top < 0.9 or (alone and old > 0) else -0.03), 1.0),
            share - old,
            {"value": value, "share": share - old} | {k: True for k, told in told_of.items() if told},
        )


def _within(state: ColumnState, value: Any) -> bool:
    """Whether a number lies among those of a column."""
    return state.low is not None and as_float(state.low) <= as_float(value) <= as_float(state.high)


def _capped(a: Quantiles, b: Quantiles, value: float, more: float) -> bool:
    """Whether as many more hold the largest number, or the least, as were beyond it."""
    if value not in (b.values.max(), b.values.min()):
        return False
    side = a.values > value if value == b.values.max() else a.values < value
    beyond = float(a.weights[side].sum()) / max(float(a.weights.sum()), 1.0)
    return beyond >= DEFAULT and abs(beyond - more) < CAPPED


def _moved_without(a: Quantiles, b: Quantiles, value: float) -> bool:
    """Whether the other numbers are not what they were: half of them or more are elsewhere."""
    other = b.values != value
    if not np.any(other):
        return False
    rest = Quantiles(b.values[other], b.weights[other], b.error)
    points = np.union1d(a.values, rest.values)
    return float(np.abs(upto(rest, points) - upto(a, points)).max()) >= 0.5


def _share(state: ColumnState, value: Any) -> float:
    return next((n for v, n in state.frequent.items if v == value), 0) / state.non_null
