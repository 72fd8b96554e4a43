"""A string column as histograms of its views, computed from its state: what learners and judges look at.

Markers of a missing value (``NA``, ``null``, ``-`` ...) are left out like nulls and empty strings, and counted with
them: what the other values look like does not change with how many are missing, which is a demand of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from catalog.domains.missing import MARKERS, markers_among
from catalog.evidence.clauses.counters import Counter as DigitCounter
from catalog.evidence.clauses.counters import counters
from catalog.evidence.clauses.meaning import Texts, domain_shares
from catalog.patterns.language.characters import MOST_CHARACTERS, shape_of
from catalog.patterns.language.hierarchy import VIEWS, class_of, histograms
from catalog.patterns.unions import Group, Union, cutting, grouped, union, union_of
from catalog.states.column import ColumnState, Order
from catalog.states.parts.order import order_of_texts

_MARKED = frozenset(map(shape_of, MARKERS))

# The view in which a state of each level lists its shapes (`parts.shapes`: bits 1 runs, 2 classes, 4 set).
BASE = {0: "shape", 1: "runs", 2: "alnum", 3: "tokens", 7: "marks"}


#: Chance below which a shape is no longer missing from the values known by chance. Chosen.
BY_CHANCE = 0.01


@dataclass(frozen=True)
class Profile:
    """The strings of a column; empty ones and markers of missing values (`markers_among`) are left out.

    Parameters
    ----------
    rows : how many.
    missing : rows without one: null, empty or a marker.
    base : the finest view known; "value" where every value is known.
    values : value -> rows, where every value is known, else None.
    shapes : class in `base` (or shape, where values are known) -> rows; may sum to less than `rows`: the rest is
    unknown.
    state : the state it comes from, None where values came by themselves.
    order : how the rows follow each other, where that is known.
    """

    rows: int
    base: str
    values: dict[str, int] | None
    shapes: dict[str, int]
    state: ColumnState | None = field(default=None, compare=False, repr=False)
    order: Order | None = field(default=None, compare=False)
    missing: int = 0

    @property
    def all_rows(self) -> int:
        return self.rows + self.missing

    @property
    def basis(self) -> int:
        """Rows that something is learned from: those with a value or, where none has one, all."""
        return self.rows or self.all_rows

    @property
    def blank(self) -> bool:
        """Whether nothing was ever written, not even a marker."""
        return not self.rows and self.state is not None and self.state.non_null <= self.state.empties

    @cached_property
    def tables(self) -> dict[str, dict[str, int]]:
        """Histogram of each view that is known."""
        tables = histograms(self.shapes, "shape" if self.base == "value" else self.base)
        return tables if self.values is None else {"value": self.values, **tables}

    @cached_property
    def texts(self) -> Texts:
        """The values that are known, each with the share of the rows that it stands for.

        Where not all are, those that come more often than any unlisted one stand for themselves, and a draw of the
        others for all rows of these, each by how often it comes: what is drawn are the values of the least hashes and,
        where no unlisted value comes twice, the listed ones that come once (`catalog.states.folding.leaf`).
        """
        if self.values is not None:
            items = sorted(self.values.items(), key=lambda item: (-item[1], item[0]))
            return Texts(tuple((text, count / self.rows) for text, count in items))
        if self.state is None or not self.rows:
            return Texts(())
        frequent, distinct = self.state.frequent, self.state.distinct
        markers = _markers(self.state)
        listed = {v: c for v, c in frequent.items if isinstance(v, str) and v and v not in markers}
        certain = {v: c for v, c in listed.items() if c > max(frequent.most_unlisted, 1)}
        drawn = {v: c for v, c in listed.items() if v not in certain} if frequent.most_unlisted <= 1 else {}
        sampled = zip(distinct.values, distinct.counts.tolist(), strict=False)
        drawn |= {v: c for v, c in sampled if v and v not in certain and v not in markers}
        rest = max(self.rows - sum(certain.values()), 0) / self.rows
        known = [(v, c / self.rows) for v, c in certain.items()]
        known += [(v, c * rest / sum(drawn.values())) for v, c in drawn.items()]
        return Texts(tuple(known), frozenset(range(len(certain), len(known))))

    @cached_property
    def counters(self) -> tuple[DigitCounter, ...]:
        """The runs of digits that count on and on (`catalog.evidence.clauses.counters`)."""
        return counters(self)

    @cached_property
    def bounds(self) -> dict[str, tuple[str, str]]:
        """The least and largest character at each position of those shapes of which they are known. Of shapes that
        markers of missing values have they are not: the markers were not left out of them."""
        shapes = self.state.shapes if self.state is not None and self.base == "shape" else None
        items = shapes.items if shapes is not None else ()
        return {s.text: (s.low, s.high) for s in items if s.low and s.text not in _MARKED}

    @cached_property
    def shared_shapes(self) -> frozenset[str]:
        """The shapes that several different values have; where not all values are known, as their characters show.

        >>> sorted(profile_values([("a1", 9), ("b2", 1), ("soon", 5)]).shared_shapes)
        ['a0']
        """
        if self.values is not None:
            return frozenset(shape for shape, count in Counter(map(shape_of, self.values)).items() if count > 1)
        apart = {shape: low != high for shape, (low, high) in self.bounds.items()}
        return frozenset(shape for shape, count in self.shapes.items() if apart.get(shape, count > 1))

    def union(self, level: str) -> Union | None:
        """The patterns that the values have in common at a level (`catalog.patterns.unions`).

        Where not all values are known, a shape is told by its least and largest characters, which show what is
        constant, and the others by the values listed.
        """
        if level == "affixes":
            return union(self._examples, level)
        cut = cutting(level)
        if cut not in self._groups:
            self._groups[cut] = grouped(self._examples, cut)
        groups = self._groups[cut]
        return None if groups is None else union_of(groups, level, [(one.runs, one.place) for one in self.counters])

    @cached_property
    def _groups(self) -> dict[str, list[Group] | None]:
        return {}

    @cached_property
    def _examples(self) -> dict[str, float]:
        if self.values is not None:
            return dict(self.values)
        known = {text: share * self.rows for text, share in self.texts.values}
        for shape, (low, high) in self.bounds.items():
            for text in (low, high):
                known[text] = known.get(text, 0.0) + self.shapes.get(shape, 0) / 2
        return known

    @cached_property
    def domains(self) -> dict[str, float]:
        """Share of the rows that belongs to each known domain (`catalog.evidence.clauses.meaning`), at most: of rows
        whose form no value that is known has, nothing is."""
        shown = 1 - self._unshown
        return {name: share * shown for name, share in domain_shares(self.texts).items()}

    @cached_property
    def _unshown(self) -> float:
        """Share of the rows whose shapes none of the values known has, though as many rows drawn fairly would show it:
        the values that recur most are of one kind, those that occur once of another."""
        known = self.texts.values
        if self.values is not None or self.base not in VIEWS or not known or not self.rows:
            return 0.0
        shapes = {class_of(self.base, shape_of(text)) for text, _ in known}
        hidden = [rows / self.rows for text, rows in self.shapes.items() if text not in shapes]
        return sum(share for share in hidden if (1 - min(share, 1.0)) ** len(known) < BY_CHANCE)


def _markers(state: ColumnState) -> frozenset[str]:
    """The markers of a missing value in a column of which not all values are known."""
    listed = {value for value, _ in state.frequent.items if isinstance(value, str)}
    return markers_among(listed | set(state.distinct.values))


def profile_values(
    values: Iterable[tuple[str, int]], state: ColumnState | None = None, order: Order | None = None
) -> Profile:
    """Profile of (value, rows).

    >>> profile_values([("a1", 2), ("", 9), ("NA", 5), ("b2", 1)]).tables["shape"]
    {'a0': 3}
    >>> profile_values([("EU", 2), ("AF", 5), ("NA", 1), ("NULL", 1)]).tables["shape"]
    {'AA': 8}
    """
    table: dict[str, int] = {}
    shapes: dict[str, int] = {}
    missing = 0
    values = list(values)
    markers = markers_among(value for value, count in values if count > 0)
    for value, count in values:
        if count <= 0:
            continue
        if not value or value in markers:
            missing += count
            continue
        table[value] = table.get(value, 0) + count
        shape = shape_of(value)
        shapes[shape] = shapes.get(shape, 0) + count
    rows = sum(shapes.values())
    return Profile(rows, "value", table, shapes, state, order, missing if state is None else state.rows - rows)


def profile_rows(values: Sequence[str]) -> Profile:
    """Profile of values in the order of their rows.

    >>> profile_rows(["a", "a", "b"]).order
    Order(pairs=2, equal=1, rising=1)
    """
    return profile_values(Counter(values).items(), order=order_of_texts(values))


def profile(state: ColumnState) -> Profile | None:
    """Profile of a state; None for a column that is not of strings."""
    if state.kind != "string":
        return None
    values = state.values()
    if values is not None:
        return profile_values(((v, c) for v, c in values if isinstance(v, str)), state, state.order)
    shapes = state.shapes
    rows = max(state.non_null - state.empties, 0)
    if shapes is None:
        return Profile(rows, "none", None, {}, state, state.order, state.rows - rows)
    base = BASE.get(shapes.level, "marks")
    table = {s.text[:MOST_CHARACTERS]: s.count for s in shapes.items if s.text}
    markers = _markers(state)
    for value, count in state.frequent.items:
        marked = class_of(base, shape_of(value)) if value in markers else ""
        if marked and table.get(marked, 0) >= count:
            table[marked] -= count
            rows -= count
    table = {text: count for text, count in table.items() if count}
    return Profile(rows, base, None, table, state, state.order, state.rows - rows)
