"""Texts that hold JSON: their keys stand beside each other as columns of a table do, and say whom they are about."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import pyarrow as pa

from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold

MOST_KEYS = 60  # bound: keys of a text that are looked at, the most frequent first
LEAST_TEXTS = 3  # chosen, as of sensitive values among others: texts that hold a key; two are chance
#: A key and its value, in JSON that is written into JSON as well, and that was cut off.
_PAIR = re.compile(r'\\*"([\w .-]{1,60})\\*"\s{0,3}:\s{0,3}(?:\\*"([^"\\]{0,400})(?=\\*")|(-?\d[\d.]{0,20}))')


def keys_of(texts: Sequence[str]) -> dict[str, ColumnState]:
    """What stands behind each key of the JSON in these texts, as a column.

    >>> found = keys_of(['{"name": "Ann", "n": 1}', 'got {"name": "Bob", "n": 2}', '{"name": "Eve", "n": 4, "x": 1}'])
    >>> {name: state.values() for name, state in found.items()}
    {'name': [('Ann', 1), ('Bob', 1), ('Eve', 1)], 'n': [(1.0, 1), (2.0, 1), (4.0, 1)]}
    """
    told: dict[str, list[str]] = defaultdict(list)
    numbers: dict[str, bool] = defaultdict(lambda: True)
    for text in texts:
        for key, word, number in _PAIR.findall(text) if '":' in text else ():
            told[key].append(word or number)
            numbers[key] = numbers[key] and bool(number)
    order = sorted((key for key, ones in told.items() if len(ones) >= LEAST_TEXTS), key=lambda key: -len(told[key]))
    return {key: _state(told[key], numbers[key]) for key in order[:MOST_KEYS]}


def _state(values: list[str], are_numbers: bool) -> ColumnState:
    try:
        column = pa.array([float(one) for one in values] if are_numbers else values)
    except ValueError:  # 10.0.0.1
        column = pa.array(values)
    return fold(pa.table({"x": column})).columns["x"]
