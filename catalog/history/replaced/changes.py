"""What became of each column of rows that were rewritten: the rows that were replaced are compared with those in their
place.

Rows of many days have no band, but the same rows before and after need none: a factor leads all amounts to those of
now, or it does not. What is a fault by what it is (`Change.fault`), nobody means: no price rises a hundredfold, no two
columns change places, hundreds of names do not become one. What may be meant is told by how much of the rows it took.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from itertools import permutations
from typing import Any

from catalog.damage.further import moved
from catalog.damage.numbers import FACTORS, factor_name, times
from catalog.damage.times import HOURS, shifted, swap_day_month
from catalog.history.replaced.counted import MANY, Moves, Two, moves
from catalog.history.replaced.sizes import apart, factor_of, hours_of, is_of_units, part_scaled
from catalog.history.rewrites import Rewriting, rewriting
from catalog.history.series import UNIQUE
from catalog.states.column import ColumnState
from catalog.states.metrics import metrics
from catalog.states.parts.exact import as_float
from catalog.states.parts.shapes import CLASSES, RUNS, coarsen
from catalog.states.table import TableState

#: Rows, and share of them, that people correct by hand or one by one. Chosen: of what became of fewer nothing is told.
FEW_ROWS, FEW = 10, 0.1
HALF = 0.5  # share of the rows from which most of them are; a bound
#: Different values that became one, from which that is no state that rows move on to. Chosen: as an order has.
STATES = 10
#: Share of the rows up to which another column is as it was. Chosen: nearly none.
HARDLY = 0.05
NEARLY_ALL = 0.95  # share of values that have one form, or of rows; chosen
MATCHED = 40  # columns that are compared with each other; a bound of time
#: Ways in which values are written that a person may have meant: another spelling, other marks.
MEANT = frozenset({"case", "spaces", "separators", "prefix", "suffix", "date_format", "decimal_mark", "typo"})
#: Ways in which single numbers and times are tried, beside the other sign.
_OF_NUMBERS = tuple(
    (f"scale_{factor_name(factor)}", times(factor)) for factor in FACTORS if max(factor, 1 / factor) >= 10
)
_OF_TIMES = (
    ("day_month_time", swap_day_month),
    *((f"hours_{hours}", shifted(hours)) for hours in HOURS),
    *((f"days_{days}", moved(days)) for days in (-1, 1)),
)


@dataclass(frozen=True)
class Change:
    """What became of a column.

    Parameters
    ----------
    kind : ``nulls``, ``constant``, ``exchanged``, ``copied``, ``scale``, ``moved`` (times), ``written`` (another way of
        writing values, or of exchanging day and month), ``identifiers``, ``level`` or ``values`` (others than before).
    share : of the rows that were rewritten, 0..1: so many hold another value. Of ``nulls``, of those that held one.
    size : of a ``scale`` the factor, of ``moved`` the hours.
    other : of ``exchanged`` and ``copied`` the column whose values they are.
    key : of ``written`` the kind of damage (`catalog.damage`).
    fault : nobody means it, whatever the table.
    """

    kind: str
    share: float
    size: float | None = None
    other: str = ""
    key: str = ""
    fault: bool = False


class Replaced:
    """Rows before and after.

    Parameters
    ----------
    now, before : states of the rows that a version wrote, and of those that it removed.
    all_rows : whether these are nearly all rows of the table.
    """

    def __init__(self, now: TableState, before: TableState, *, all_rows: bool = False) -> None:
        self.now, self.before, self.all_rows = now, before, all_rows
        self.columns = [
            name
            for name, column in now.of_rows.items()
            if name in before.columns and column.kind == before.columns[name].kind
        ]

    @cached_property
    def moves(self) -> Mapping[str, Moves]:
        """How many rows of each column changed."""
        return {name: moves(self.now.columns[name], self.before.columns[name]) for name in self.columns}

    @cached_property
    def changes(self) -> Mapping[str, Change]:
        """What became of the columns that changed in more than a few rows."""
        some = [one for one in self.columns if self._is_some(one)]
        matched = self._matched(some[:MATCHED])
        found = {name: change for name in some if (change := self._of(name, matched.get(name))) is not None}
        scales = [one.share for one in found.values() if one.kind == "scale"]
        for name, change in found.items():  # the unit that says so is no fault either
            beside = any(change.share >= share - HARDLY for share in scales)
            if change.kind == "constant" and beside and self._is_of_units(name):
                found[name] = replace(change, fault=False)
        return found

    def _is_some(self, name: str) -> bool:
        """Whether a column changed in more than a few rows: times that all moved by a day are mostly those of other
        rows."""
        share = self.moves[name].share
        rows = share * min(self.now.rows, self.before.rows)
        return (share >= FEW and rows >= FEW_ROWS) or (share > 0 and self._hours(name) is not None)

    def _hours(self, name: str) -> int | None:
        """By how many hours all times are later, while most other columns are as they were: else rows are others."""
        others = [self.moves[one].share <= HARDLY for one in self.columns if one != name]
        return hours_of(self.now.columns[name], self.before.columns[name]) if 2 * sum(others) > len(others) else None

    def _matched(self, names: list[str]) -> dict[str, Change]:
        """Columns that hold what another one held, or holds."""
        found: dict[str, Change] = {}
        texts = {name: self.now.columns[name].type for name in self.columns}
        for a, b in permutations(names, 2):
            if a in found or texts[a] != texts[b]:
                continue
            two = self._two(a, b)
            if two.exchanged():
                found[a] = Change("exchanged", self.moves[a].share, other=b, fault=True)
        for a in names:
            still = [b for b in self.columns if b != a and texts[a] == texts[b] and self.moves[b].share <= HARDLY]
            source = next((b for b in still[:MATCHED] if a not in found and self._two(a, b).copied()), None)
            if source is not None:
                found[a] = Change("copied", self.moves[a].share, other=source, fault=self._held(a) >= HALF)
        return found

    def _two(self, a: str, b: str) -> Two:
        of = (self.now.columns[a], self.before.columns[a], self.now.columns[b], self.before.columns[b])
        return Two(*(one.distinct for one in of))

    def _held(self, name: str) -> float:
        """Share of the rows that held a value."""
        return self.before.columns[name].non_null / max(self.before.rows, 1)

    def _of(self, name: str, matched: Change | None) -> Change | None:
        now, before, share = self.now.columns[name], self.before.columns[name], self.moves[name].share
        if matched is not None:
            return matched
        lost = erased(now, before)
        if lost >= FEW and lost * before.non_null >= FEW_ROWS:
            return Change("nulls", lost, fault=lost >= HALF)
        hours = self._hours(name)
        if hours is not None:
            return Change("moved", 1.0, float(hours), fault=self.now.rows >= FEW_ROWS)
        if self.moves[name].filled >= HALF * share:  # there were none
            return None
        factor = factor_of(now, before)
        if factor is not None and share >= HALF:
            return Change("scale", share, factor, fault=is_of_units(factor) and not self._told(share))
        became = became_one(now, before)
        several = before.distinct.estimate()
        if became >= HALF:
            whole = self.all_rows and now.distinct.estimate() <= 1 < several
            lost = several - now.distinct.estimate() > STATES or (several > STATES and not stood_there(now, before))
            return Change("constant", became, fault=(lost and most_of(before) < HALF) or whole)
        further = _OF_NUMBERS if now.kind == "number" else _OF_TIMES if now.kind == "time" else ()
        way = rewriting(now, before, further)
        if way is not None and way.share >= FEW:
            return self._written(way)
        if self._identified(name):
            return Change("identifiers", share, fault=True)
        factor = part_scaled(now, before, share) if share < NEARLY_ALL else None
        if factor is not None:
            return Change("scale", share, factor, fault=not self._told(share))
        if became >= FEW and several > STATES:
            return Change("constant", became)
        if share < HALF:
            return None
        far = apart(now, before) if now.kind in ("number", "time") else _new(now, before)
        return Change("level" if now.kind == "number" else "values", share) if far >= HALF else None

    def _told(self, share: float) -> bool:
        """Whether a column of few texts changed in as many rows: which says that the unit is another one now."""
        return any(self._is_of_units(one) and self.moves[one].share >= share - HARDLY for one in self.columns)

    def _is_of_units(self, name: str) -> bool:
        """Whether a column holds few texts, as those that say in which unit or currency others are."""
        column = self.before.columns[name]
        return column.kind == "string" and 0 < column.distinct.estimate() <= STATES

    def _written(self, way: Rewriting) -> Change:
        head, _, size = way.key.partition("_")
        if head in ("hours", "days"):
            # times of a part of the rows may have moved on by themselves, as those of the last visit do
            hours = float(size) * (24 if head == "days" else 1)
            return Change("moved", way.share, hours, fault=way.share >= HALF)
        if head == "scale":
            by = next(factor for factor in FACTORS if factor_name(factor) == size)
            return Change("scale", way.share, by, fault=not self._told(way.share))
        from catalog.damage import DAMAGE_KINDS

        return Change("written", way.share, key=way.key, fault=DAMAGE_KINDS[way.key].cause not in MEANT)

    def _identified(self, name: str) -> bool:
        """Whether a column identified the rows, and does so by other values now, while all else is as it was."""
        now, before = self.now.columns[name], self.before.columns[name]
        if self.moves[name].share < HALF:
            return False
        if not all(one.non_null and one.distinct.estimate() >= UNIQUE * one.rows for one in (now, before)):
            return False
        others = (self.moves[one].share for one in self.columns if one != name)
        if len(self.columns) < 2 or any(share > HARDLY for share in others):
            return False
        if now.kind == "string":
            return _form(now) == _form(before) != "" and _length(now) == _length(before) != 0.0
        return now.is_whole and apart(now, before) >= HALF


def erased(now: ColumnState, before: ColumnState) -> float:
    """Of the values that were there, the share that is missing now, 0..1.

    >>> erased(ColumnState("number", "int", 10, 7), ColumnState("number", "int", 10, 4))
    0.5
    """
    there = [(one.rows - _missing(one)) / max(one.rows, 1) for one in (now, before)]
    return max(1 - there[0] / there[1], 0.0) if there[1] > 0 else 0.0


def _missing(state: ColumnState) -> int:
    return state.nulls + state.nans + (state.empties if state.kind in ("string", "list") else 0)


def became_one(now: ColumnState, before: ColumnState) -> float:
    """The share of the rows that hold one value now and did not before, 0..1: of the value of which that is most."""
    if not now.frequent.items or not now.rows:
        return 0.0
    was = dict(before.frequent.items)
    gained: Any = ((n - was.get(value, before.frequent.most_unlisted)) for value, n in now.frequent.items)
    return float(max(max(gained) / now.rows, 0.0))


def most_of(state: ColumnState) -> float:
    """The share of the rows that hold the most frequent value: where it is most, as of a time of loading, another one
    in its place takes nothing away."""
    return float(state.frequent.items[0][1] / max(state.rows, 1)) if state.frequent.items else 0.0


def stood_there(now: ColumnState, before: ColumnState) -> bool:
    """Whether the value that most rows hold now stood in more than hardly any of them before."""
    top = now.frequent.items[0][0]
    was = next((n for value, n in before.frequent.items if value == top), before.frequent.most_unlisted)
    return was >= MANY * before.rows


def touched(now: ColumnState, before: ColumnState, day: Any) -> bool:
    """Whether times say when rows were rewritten: nearly all that are new are later than all before, the last ones of
    that `day` or the one before it."""
    if now.kind != "time" or now.high is None or before.high is None or not hasattr(now.high, "year"):
        return False
    assert now.quantiles is not None
    high = now.high.date() if hasattr(now.high, "date") else now.high
    later = float(now.quantiles.weights[now.quantiles.values > as_float(before.high)].sum()) / max(now.non_null, 1)
    moved = moves(now, before).share
    return bool(later >= NEARLY_ALL * moved and abs(high - day) <= timedelta(days=1))


def _new(now: ColumnState, before: ColumnState) -> float:
    """Share of the rows whose value no row had before."""
    from catalog.history.distances import new_values, paired_values

    return new_values(paired_values(now, before)) if now.kind == "string" else 0.0


def _length(state: ColumnState) -> float:
    """How long all values are; 0 where they differ, as names do and codes do not."""
    found = metrics(state)
    least, most = found.get("min_len", 0.0), found.get("max_len", 1.0)
    return least if least == most else 0.0


def _form(state: ColumnState) -> str:
    """The form of nearly all values; empty where they have none in common."""
    counts: dict[str, int] = {}
    for shape in state.shapes.items if state.shapes is not None else ():
        text = coarsen(shape.text, CLASSES | RUNS)
        counts[text] = counts.get(text, 0) + shape.count
    best = max(counts, key=lambda text: counts[text], default="")
    return best if counts.get(best, 0) >= NEARLY_ALL * state.non_null else ""
