"""A column of strings as numbers that damage moves: what it would move is compared with what moved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from catalog.damage.values import is_quoted
from catalog.states.column import ColumnState
from catalog.states.parts.garbled import is_garbled
from catalog.states.parts.shapes import RUNS, class_counts, coarsen, shape_of

Features = dict[str, float]
Counted = Sequence[tuple[str, float]]

#: What shows in single values and in no count of characters.
MARKS: dict[str, Callable[[str], bool]] = {
    "quoted": is_quoted,
    "leading space": lambda v: v[:1].isspace(),
    "trailing space": lambda v: v[-1:].isspace(),
    "html": lambda v: re.search(r"&(#\d+|#x[0-9a-fA-F]+|[a-z]{2,6});", v) is not None,
    "url": lambda v: re.search(r"%[0-9A-F]{2}", v) is not None,
    "garbled": is_garbled,
    "twice": lambda v: len(v) > 1 and v[: len(v) // 2] == v[len(v) // 2 :],
    "exponent": lambda v: re.fullmatch(r"\d(\.\d+)?E\+\d\d", v) is not None,
    "leading zero": lambda v: re.fullmatch(r"0\d+", v) is not None,
    "first over 12": lambda v: (m := re.match(r"(\d\d?)[-/.](\d\d?)[-/.]\d{4}", v)) is not None and int(m[1]) > 12,
    "second over 12": lambda v: (m := re.match(r"(\d\d?)[-/.](\d\d?)[-/.]\d{4}", v)) is not None and int(m[2]) > 12,
}
_CLASSES = ("chars", "upper", "lower", "digits", "punctuation", "spaces", "other")


def sample_of(state: ColumnState) -> list[tuple[str, int]]:
    """Values that the state still knows, with their rows; empty ones left out."""
    items = state.table if state.table is not None else state.frequent.items
    return [(v, n) for v, n in items if isinstance(v, str) and v]


def like_all_of(state: ColumnState) -> list[tuple[str, float]]:
    """Values that stand for all rows: those known, weighted so that each shape has the rows that it has in the state. A
    shape of which no value is known stands for itself where it is as long as its values: it reads as they do.
    """
    known, shapes = sample_of(state), state.shapes
    if shapes is None or state.table is not None:
        return [(value, float(n)) for value, n in known]
    by_shape: dict[str, list[tuple[str, int]]] = {}
    for value, n in known:
        by_shape.setdefault(coarsen(shape_of(value), shapes.level), []).append((value, n))
    found: list[tuple[str, float]] = []
    for shape in shapes.items:
        mine = by_shape.get(shape.text) or ([(shape.text, 1)] if shape.text and not shapes.level else [])
        rows = sum(n for _, n in mine)
        found += [(value, shape.count * n / rows) for value, n in mine]
    return found


def level_of(*states: ColumnState) -> int:
    """The level at which the shapes of these columns compare: runs collapsed where there are many shapes."""
    level = 0
    for state in states:
        shapes = state.shapes
        if shapes is not None:
            level |= shapes.level
            level |= RUNS if len(shapes.items) > 24 else 0
    return level


def of_state(state: ColumnState, level: int, values: bool) -> Features:
    """Features of all rows: shares of shapes, of marks (of the values known), of `values`, characters by class."""
    found: Features = {}
    shapes, lengths = state.shapes, state.lengths
    if shapes is None or lengths is None or not lengths.n:
        return found
    rows = max(shapes.rows, 1)
    for shape in shapes.items:
        _add(found, f"s{coarsen(shape.text, shapes.level | level)}", shape.count / rows)
    _add(found, "s\0other", shapes.other / rows)
    for name in _CLASSES:
        found[f"c{name}"] = getattr(lengths, name) / lengths.n
    return found | _known(like_all_of(state), values)


def of_values(counted: Counted, level: int, values: bool) -> Features:
    """The same of a few values."""
    found: Features = {}
    rows = sum(n for _, n in counted)
    if not rows:
        return found
    for value, n in counted:
        _add(found, f"s{coarsen(shape_of(value), level)}", n / rows)
    for value, n in counted:
        for name, characters in class_counts([(shape_of(value), 1)]).items():
            if name in _CLASSES:
                _add(found, f"c{name}", characters * n / rows)
    return found | _known(counted, values)


def _known(counted: Counted, values: bool) -> Features:
    rows = sum(n for _, n in counted)
    found: Features = {}
    for value, n in counted:
        for name, test in MARKS.items():
            if test(value):
                _add(found, f"m{name}", n / rows)
        if values:
            _add(found, f"v{value}", n / rows)
        _add(found, f"p{prefix_of(value)}", n / rows)
    return found


def marks_of(counted: Counted) -> dict[str, float]:
    """Share of the rows that each of `MARKS` is on."""
    rows = sum(n for _, n in counted) or 1
    return {name: sum(n for value, n in counted if test(value)) / rows for name, test in MARKS.items()}


def _add(found: Features, key: str, share: float) -> None:
    found[key] = found.get(key, 0.0) + share


def prefix_of(value: str) -> str:
    """The letters that a code begins with, if it has other characters behind them.

    >>> prefix_of("INV-001"), prefix_of("Berlin"), prefix_of("12")
    ('INV', '', '')
    """
    found = re.match(r"([A-Za-z]{1,5})[^A-Za-z]", value)
    return found[1] if found else ""


#: Marks that follow the day of the month where a column holds one date at a time.
OF_THE_DAY = {"mfirst over 12", "msecond over 12"}


def weights_of(before: Mapping[str, float], *, one_value: bool = False) -> Callable[[str], float]:
    """How much a feature counts: characters by the length of the values, all kinds of features alike. `one_value`: each
    batch holds one value, another each time."""
    length = max(before.get("cchars", 1.0), 1.0)
    nothing = OF_THE_DAY if one_value else set()
    return lambda key: 1 / length if key[0] == "c" else 0.0 if key in nothing else 0.5


def difference(a: Mapping[str, float], b: Mapping[str, float], weight: Callable[[str], float]) -> dict[str, float]:
    """What b has more than a, weighted."""
    return {k: w for k in a.keys() | b.keys() if (w := weight(k) * (b.get(k, 0.0) - a.get(k, 0.0)))}


def size(change: Mapping[str, float]) -> float:
    """L1 norm of a change."""
    return sum(map(abs, change.values()))


def explained(moved: Mapping[str, float], predicted: Mapping[str, float]) -> tuple[float, float]:
    """(share of what moved that a prediction explains, share of the rows at which it does so best).

    Both by least squares: 1 - |moved - s predicted|^2 / |moved|^2.

    >>> explained({"a": -0.2, "b": 0.2}, {"a": -1.0, "b": 1.0})
    (1.0, 0.2...)
    """
    norm = sum(v * v for v in predicted.values())
    total = sum(v * v for v in moved.values())
    if not norm or not total:
        return 0.0, 0.0
    share = sum(v * predicted.get(k, 0.0) for k, v in moved.items()) / norm
    share = min(max(share, 0.0), 1.0)
    left = sum((moved.get(k, 0.0) - share * predicted.get(k, 0.0)) ** 2 for k in moved.keys() | predicted.keys())
    return max(1 - left / total, 0.0), share


def gained(values: Sequence[Any], after: Sequence[Any]) -> tuple[Any, float]:
    """Which of a few things became more frequent most, and by how much.

    >>> gained(["a", "a", "b", "b"], ["b", "c", "c", "c"])
    ('c', 0.75)
    """
    old, new = Counter(values), Counter(after)
    shares = {v: new[v] / len(after) - old[v] / len(values) for v in sorted(old.keys() | new.keys(), key=str)}
    best = max(shares, key=lambda v: shares[v])
    return best, shares[best]


def common(values: Sequence[Any]) -> tuple[Any, float]:
    """The most frequent of a few things and its share."""
    found, n = Counter(values).most_common(1)[0]
    return found, n / len(values)
