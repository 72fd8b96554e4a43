"""Guesses at what happened to whole rows: too few, twice, a part of them missing, those of yesterday, columns moved."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from catalog.causes.cause import READ_OFF, Guess
from catalog.causes.guesses import features as f
from catalog.history.replaced.mixtures import mixture
from catalog.history.times import duplicated, repeated, same_rows, same_values, shares
from catalog.states.column import ColumnState
from catalog.states.parts.exact import as_float
from catalog.states.parts.shapes import coarsen
from catalog.states.table import TableState

#: Values beyond which a column does not part a table; least share of the rows that a missing part had. Chosen: as many
#: values as a state keeps one by one; of a smaller part the number of rows says nothing.
PARTS, LEAST_PART = 128, 0.03
#: Share of the rows by which a table may have lost others than those whose values are gone, where one value is left.
#: Chosen: numbers of rows vary by as much.
ONE_LEFT = 0.1
#: Two times whose hours of the day differ by less in sum are so near each other that hours cannot tell them apart.
#: Chosen: less than half of the distance that two shares can have, 2.
NEAR = 0.8
#: Share of how far two times were from each other that they still are where they changed places. Chosen: durations vary
#: by less from batch to batch, and a default or a shift by hours moves one of them further.
AS_FAR = 0.6
#: Share of the rows that were in the batch before, where hardly any ever were. Chosen: a part of a delivery.
PART_AGAIN, SELDOM = 0.15, 0.02
#: Share of the rows that came again which came more than twice, from which they were multiplied rather than loaded
#: twice. Chosen: of what is loaded twice, hardly any.
UNEVEN = 0.1
#: Share of the rows below which they are usually new rather than kept. A bound: half of them.
MOST_NEW = 0.5
#: Share of a column's rows that its own values still are, at most, where it holds those of another one; share of the
#: rows of that one whose values recur, from which they tell it; share of what it would repeat that is there. Chosen:
#: hardly any, most, nearly all.
OWN_LEFT, RECURRING, AS_HELD = 0.1, 0.5, 0.9
#: The same of columns beside two or more that moved for sure, of texts that are written in many ways. Chosen: most.
MOVED_TOO = 0.5
#: Columns of numbers, and share of those that broke, that hold what others held as many places further on, for a shift;
#: places at most; the chance by which two draws from one distribution are said to differ. Chosen: of two it may be
#: chance, as of places far away in a table of hundreds of columns, some of which are alike.
LEAST_MOVED, MOST_MOVED, FURTHEST, ONE_IN = 3, 0.5, 3, 0.001
#: Columns that are matched to find which were exchanged; wider tables are matched by the columns that broke. A bound.
MATCHED = 40


def guesses(now: TableState, before: TableState, usual: Mapping[str, float], broken: Sequence[str]) -> list[Guess]:
    """Explanations that concern all rows, the best first.

    Parameters
    ----------
    usual : usual values of the table's metrics, the number of rows among them.
    broken : columns of which a rule broke.
    """
    now, before = (replace(one, columns=one.of_rows) for one in (now, before))
    found = [
        *_schema(now, before),
        *_stale(now, before, usual),
        *_dated_anew(now, before, broken),
        *_twice(now, usual),
        *_part_missing(now, before, usual),
        *_volume(now, usual),
        *_moved(now, before, broken),
    ]
    return sorted(found, key=lambda g: -g.fit)


def _schema(now: TableState, before: TableState) -> Iterator[Guess]:
    if not now.rows and not now.columns:
        return  # a delivery without any file: its rows are gone, and of its columns nothing is known
    gone = [name for name in before.columns if name not in now.columns]
    new = [name for name in now.columns if name not in before.columns]
    retyped = [n for n, c in now.columns.items() if n in before.columns and before.columns[n].type != c.type]
    kinds = [n for n in retyped if before.columns[n].kind != now.columns[n].kind]
    if gone or kinds or new:
        detail = {"gone": gone, "new": new, "retyped": kinds}
        yield Guess("schema", "schema", 0.99 if gone or kinds else 0.3, 1.0, detail, others=(*gone, *kinds, *new))


def _stale(now: TableState, before: TableState, usual: Mapping[str, float]) -> Iterator[Guess]:
    if list(now.columns) != list(before.columns) or not now.rows:
        return
    again, often = repeated(now.row_distinct, before.row_distinct), usual.get("repeated_ratio")
    same = now.rows == before.rows
    # of a table that keeps its rows some that come, are lost or come twice are no old delivery
    known = (often or 0.0) < (0.95 if same else MOST_NEW)
    if again > 0.98 and (known or (same and _stands_still(now, before, usual))):
        yield Guess("stale", "stale", 0.99 if same else 0.7, again, {"share": again, "same": same})
    elif again > PART_AGAIN and often is not None and often < SELDOM:
        yield Guess("stale", "stale", 0.9, again, {"share": again, "same": False})


def _dated_anew(now: TableState, before: TableState, broken: Sequence[str]) -> Iterator[Guess]:
    """That all is as in the batch before but times, which are all new, though a column that is the same should not be:
    the rows of the day before under the date of this one."""
    if now.rows != before.rows or not now.rows or list(now.columns) != list(before.columns):
        return
    other = [name for name, column in now.columns.items() if not same_values(column, before.columns[name])]
    dates = [name for name in other if now.columns[name].kind == "time"]
    anew = all(not repeated(now.columns[name].distinct, before.columns[name].distinct) for name in dates)
    if dates and dates == other and anew and set(broken) - set(other):
        yield Guess("stale", "stale", 0.99, 1.0, {"share": 1.0, "same": True, "dated": dates})


def _stands_still(now: TableState, before: TableState, usual: Mapping[str, float]) -> bool:
    """Whether all rows are those of the batch before, where some are always new."""
    return usual.get("unchanged", 1.0) < 0.5 and same_rows(now, before)


def _twice(now: TableState, usual: Mapping[str, float]) -> Iterator[Guess]:
    share, often = duplicated(now.row_distinct), usual.get("duplicate_ratio", 0.0)
    if not share - often > 0.02:
        return
    counts = now.row_distinct.counts
    rows = now.rows / usual.get("row_count", now.rows)
    detail = {"share": share, "rows": rows, "more": rows >= 1 + 0.3 * share}
    whole = bool(len(counts)) and float((counts % 2 == 0).mean()) > 0.98
    if whole:
        yield Guess("batch_twice", "duplicates", 0.98, 0.5, detail, undo="keep each row once")
    else:
        fit = 0.96 if often < 0.01 else 0.8
        part = (share - often) / max(1 - share, 0.01)
        detail["unevenly"] = float((counts > 2).sum()) > UNEVEN * float((counts > 1).sum())
        detail |= {"share": part, "repeats": share}
        yield Guess("part_twice", "duplicates", fit, part, detail, undo="keep each row once")


def _volume(now: TableState, usual: Mapping[str, float]) -> Iterator[Guess]:
    rows = usual.get("row_count")
    if not rows:
        return
    ratio = now.rows / rows
    if ratio < 0.9 or ratio > 1.1:
        detail = {"rows": now.rows, "usual": rows, "ratio": ratio} | ({"then": True} if "then" in usual else {})
        fit = 0.6 if now.rows else 0.95
        yield Guess("rows_lost" if ratio < 1 else "rows_more", "volume", fit, 1.0, detail)


def _part_missing(now: TableState, before: TableState, usual: Mapping[str, float]) -> Iterator[Guess]:
    """Which value of which column is gone with its rows, while the others keep theirs."""
    found = []
    for name, old in before.columns.items():
        new = now.columns.get(name)
        if new is None or new.table is None or old.table is None or len(old.table) > PARTS or not old.non_null:
            continue
        was, left = dict(old.table), dict(new.table)
        gone = {v: n / before.rows for v, n in was.items() if v not in left and n / before.rows >= LEAST_PART}
        fresh = sum(n for v, n in left.items() if v not in was) / max(now.rows, 1)
        if not gone or len(gone) == len(was) or 2 * fresh > sum(gone.values()):
            continue  # a column that runs on loses values by itself
        lost = sum(gone.values())
        fell = 1 - now.rows / max(usual.get("row_count", before.rows), 1)
        if len(left) == 1 < len(was) - 1 and abs(fell - lost) > ONE_LEFT:
            continue  # all rows hold one value, whatever they held
        kept = {v: n / max(now.rows, 1) for v, n in left.items()}
        wanted = {v: n / before.rows / (1 - lost) for v, n in was.items() if v not in gone}
        off = sum(abs(kept.get(v, 0) - wanted.get(v, 0)) for v in kept.keys() | wanted.keys()) / 2
        fit = 1 - min(off, 1) - min(abs(fell - lost), 0.5) - 0.04 * (len(gone) - 1)
        if fell > 0.3 * lost:
            found.append((fit, lost, name, sorted(gone, key=lambda v: -gone[v])))
    for fit, lost, name, values in sorted(found, key=lambda one: (-one[0], -one[1]))[:1]:
        detail = {"column": name, "values": values[:3], "gone": len(values), "share": lost}
        yield Guess("part_missing", "part_missing", fit, lost, detail, others=(name,))


def _moved(now: TableState, before: TableState, broken: Sequence[str]) -> Iterator[Guess]:
    """Columns that hold what others held: the match of today's columns with yesterday's that costs least."""
    every = [n for n in now.columns if n in before.columns and now.columns[n].kind == before.columns[n].kind]
    every = [n for n in every if now.columns[n].non_null and before.columns[n].non_null]
    names = every if len(every) <= MATCHED else [n for n in every if n in set(broken)][:MATCHED]
    for kind in ("string", "number", "time"):
        mine = [n for n in names if now.columns[n].kind == kind]
        if len(mine) < 2 or not set(mine) & set(broken):
            continue
        if kind == "time":
            yield from _times_exchanged(mine, now, before)
        if kind == "string" and (shifted := _shifted(mine, now, before)) is not None:
            yield shifted
            continue
        if kind == "number" and (shifted := _numbers_shifted(every, now, before, broken)) is not None:
            yield shifted
            continue
        cost = np.array([[apart(now.columns[a], before.columns[b]) for b in mine] for a in mine])
        yield from _exchanged(mine, cost, now, kind)


def _times_exchanged(names: Sequence[str], now: TableState, before: TableState) -> Iterator[Guess]:
    """Two times of which one was never before the other, and now always is, as far from it as before, while their hours
    are each other's."""
    for name in names:
        ahead = [b.column for b in now.columns[name].before]
        was, left = _ordered(before.columns[name]), _ordered(now.columns[name])
        if len(ahead) != 1 or ahead[0] not in names or was is None or left is None or abs(was - left) < 0.9:
            continue
        a, b = ahead[0], name
        if not _as_far(now.columns[a], now.columns[b], before.columns[a], before.columns[b]):
            continue  # one of them has moved: hours that are all alike, or none, would not tell
        own = _hours_apart(now, a, before, a) + _hours_apart(now, b, before, b)
        cross = _hours_apart(now, a, before, b) + _hours_apart(now, b, before, a)
        if cross < 0.3 or cross < 0.5 * own or (own < NEAR and cross <= own + 0.1):
            fit = 0.9 + 0.1 * abs(was - left)
            yield Guess("times_swapped", "swapped", fit, 1.0, {}, others=(a, b), undo="exchange the two columns")


def _as_far(a: ColumnState, b: ColumnState, a_before: ColumnState, b_before: ColumnState) -> bool:
    """Whether the middles of two times are about as far from each other as they were, whichever comes first."""
    if any(one.quantiles is None for one in (a, b, a_before, b_before)):
        return True
    far, was = (
        abs(one.quantiles.median() - other.quantiles.median())  # type: ignore[union-attr]
        for one, other in ((a, b), (a_before, b_before))
    )
    return bool(min(far, was) >= AS_FAR * max(far, was))


def _ordered(column: ColumnState) -> float | None:
    rows = sum(b.rows for b in column.before)
    return 1 - sum(b.earlier for b in column.before) / rows if rows else None


def _hours_apart(now: TableState, a: str, before: TableState, b: str) -> float:
    """L1 distance between the hours of the day of two columns; 0 where they have none."""
    x, y = now.columns[a].calendar, before.columns[b].calendar
    if x is None or y is None or not sum(x.hours) or not sum(y.hours):
        return 0.0
    return float(np.abs(shares(x.hours) - shares(y.hours)).sum())


def _exchanged(names: Sequence[str], cost: np.ndarray, now: TableState, kind: str) -> Iterator[Guess]:
    from scipy.optimize import linear_sum_assignment

    rows, places = linear_sum_assignment(cost)
    moved = [(int(i), int(j)) for i, j in zip(rows, places, strict=True) if i != j and cost[i, i] - cost[i, j] > 0.1]
    pairs = dict(moved)
    if len(moved) < 2:
        return
    own = sum(cost[i, i] for i in pairs)
    fit = 1 - sum(cost[i, j] for i, j in pairs.items()) / own if own else 0.0
    swapped = [(i, j) for i, j in pairs.items() if pairs.get(j) == i and i < j]
    if len(swapped) == 1 and len(pairs) <= 3:
        i, j = swapped[0]
        key = "times_swapped" if kind == "time" else "columns_swapped"
        yield Guess(key, "swapped", fit, 1.0, {}, others=(names[i], names[j]), undo="exchange the two columns")
    elif len(pairs) >= 3:
        columns = tuple(names[i] for i in sorted(pairs))
        yield Guess("columns_shifted", "shifted", fit, 1.0, {}, others=columns, undo="move the columns back")


def _shifted(names: Sequence[str], now: TableState, before: TableState) -> Guess | None:
    """Columns of texts that hold what others held, one of which may hold it still, and nothing of their own: a column
    too many or too few moves all behind it on, until one that is left out. None for two that changed places."""
    left = [n for n in names if _held(now.columns[n], before.columns[n], "values") <= OWN_LEFT]
    best = {n: max((_as_held(now.columns[n], before, n, other), other) for other in names if other != n) for n in left}
    sources = {name: source for name, (fit, source) in best.items() if fit >= AS_HELD}
    pair = len(sources) == 2 and all(sources.get(source) == name for name, source in sources.items())
    gone = [n for n in left if _held(now.columns[n], before.columns[n], "shapes") <= OWN_LEFT]
    if len(sources) < 2 or pair or not any(one in sources or one in gone for one in sources.values()):
        return None  # copies, each by itself
    fits = [min(best[name][0], 1.0) for name in sources]
    sources = {name: source for name, (fit, source) in best.items() if fit >= MOVED_TOO}
    detail = {"moved": sources}
    fit, undo = sum(fits) / len(fits), "move the columns back"
    return Guess("columns_shifted", "shifted", fit, 1.0, detail, undo=undo, others=tuple(sources), sure=READ_OFF)


def _numbers_shifted(names: Sequence[str], now: TableState, before: TableState, broken: Sequence[str]) -> Guess | None:
    """Columns of numbers that are spread as others were, and not as they were themselves, most of them as those so many
    places further on. One that is left may hold what nobody else does of them. None where fewer moved."""
    numbers = [n for n in names if now.columns[n].kind == "number"]
    own = {n: _beyond_chance(now.columns[n], before.columns[n]) for n in numbers if n in set(broken)}
    here = [n for n in own if own[n] > 0]

    def holds(name: str, source: str) -> bool:
        return _beyond_chance(now.columns[name], before.columns[source]) <= (1 - AS_HELD) * own[name]

    moved: dict[str, str] = {}
    types = sorted({before.columns[n].type for n in numbers})
    for order in (numbers, *([n for n in numbers if before.columns[n].type == one] for one in types)):
        for by in (*range(-FURTHEST, 0), *range(1, FURTHEST + 1)):
            further = dict(zip(order[max(-by, 0) :], order[max(by, 0) :], strict=False))
            found = {n: further[n] for n in here if n in further and holds(n, further[n])}
            moved = found if len(found) > len(moved) else moved
    if len(moved) < max(LEAST_MOVED, MOST_MOVED * len(here)):
        return None
    for name in (n for n in here if n not in moved):
        nobodys = next((one for one in here if one not in moved.values() and one != name), name)
        if nobodys != name and holds(name, nobodys):
            moved[name] = nobodys
    detail, undo = {"moved": moved}, "move the columns back"
    return Guess("columns_shifted", "shifted", 1.0, 1.0, detail, undo=undo, others=tuple(moved), sure=READ_OFF)


def _beyond_chance(a: ColumnState, b: ColumnState) -> float:
    """Kolmogorov-Smirnov distance of two columns beyond what two draws of as many rows from one distribution differ by
    in one of a thousand cases (Smirnov, 1948), and beyond the error of their summaries; 0 of no more than that."""
    assert a.quantiles is not None
    assert b.quantiles is not None
    chance = math.sqrt(-math.log(ONE_IN / 2) / 2 * (1 / a.non_null + 1 / b.non_null))
    return max(ks(a, b) - chance - a.quantiles.error - b.quantiles.error, 0.0)


def _as_held(column: ColumnState, before: TableState, name: str, other: str) -> float:
    """What share of a column's rows another one held, of the share that a healthy batch of that one would repeat: by
    values where these recur, else by shapes, where the column's own are others."""
    source = before.columns[other]
    again = 1 - source.distinct.singletons() / source.non_null
    if source.table is not None and again >= RECURRING:
        return _held(column, source, "values") / again
    own = _held(column, before.columns[name], "shapes")
    return _held(column, source, "shapes") if own <= OWN_LEFT else 0.0


def _held(column: ColumnState, source: ColumnState, by: str) -> float:
    """Share of the rows of a column whose value, or shape, is one that a source holds; of values of many only those
    that are listed are known."""
    if by == "values":
        values, known = f.sample_of(column), {value for value, _ in f.sample_of(source)}
        return sum(n for value, n in values if value in known) / max(sum(n for _, n in values), 1)
    if column.shapes is None or source.shapes is None:
        return 0.0
    level = f.level_of(column, source)
    shapes = {coarsen(shape.text, level) for shape in source.shapes.items if shape.text}
    rows = sum(shape.count for shape in column.shapes.items if shape.text) + column.shapes.other
    return sum(one.count for one in column.shapes.items if one.text and coarsen(one.text, level) in shapes) / max(
        rows, 1
    )


def apart(a: ColumnState, b: ColumnState) -> float:
    """How differently two columns of a kind are filled, 0..1."""
    if a.kind == "string":
        level = f.level_of(a, b)
        values = a.table is not None and b.table is not None
        x, y = f.of_state(a, level, values), f.of_state(b, level, values)
        change = f.difference(x, y, f.weights_of(x))
        return min(f.size(change) / 3, 1.0)
    if a.quantiles is None or b.quantiles is None or not len(a.quantiles.values) or not len(b.quantiles.values):
        return 0.0
    return ks(a, b)


def ks(a: ColumnState, b: ColumnState) -> float:
    """Kolmogorov-Smirnov distance of two columns of numbers or times, 0..1."""
    from catalog.history import numbers

    assert a.quantiles is not None
    assert b.quantiles is not None
    return numbers.ks(*numbers.curves(a.quantiles, b.quantiles))


def may_be_part(now: ColumnState, before: ColumnState) -> bool:
    """Whether the values could be some of those before: numbers within their range, strings of their shapes. What a
    load that broke off left of a sorted file is not like the whole, but holds nothing new."""
    if now.kind != before.kind or now.kind not in ("number", "string") or not now.non_null or not before.non_null:
        return False
    if now.kind == "number" and now.quantiles is not None:
        middle = [now.quantiles.quantile(share) for share in (0.05, 0.95)]
        return as_float(before.low) <= middle[0] and middle[1] <= as_float(before.high)
    if now.shapes is None or before.shapes is None:
        return False
    level = f.level_of(now, before) | now.shapes.level | before.shapes.level
    known = {coarsen(shape.text, level) for shape in before.shapes.items}
    return not now.shapes.other and all(coarsen(shape.text, level) in known for shape in now.shapes.items)


def usual_of(series: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The median of each metric over a healthy past.

    >>> usual_of([{"mean": 1.0}, {"mean": 3.0}, {"mean": 2.0, "max": 9.0}, {}])
    {'max': 9.0, 'mean': 2.0}
    """
    names = sorted({name for m in series for name in m})
    return {name: statistics.median(m[name] for m in series if name in m) for name in names}


__all__ = ["apart", "guesses", "may_be_part", "mixture", "usual_of"]
