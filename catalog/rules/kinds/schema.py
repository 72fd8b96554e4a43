"""Schema rule: the columns of a table and their types stay."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, ClassVar

from catalog.rules.clauses.clause import Difference
from catalog.rules.rule import Rule, ordered
from catalog.rules.verdict import PASSED, VIOLATED, Subject, Verdict
from catalog.states.elements import is_opened, list_of
from catalog.states.table import TableState

Columns = Sequence[Sequence[str]]
LISTS = ("array<", "map<")  # how Spark writes types of lists


class SchemaRule(Rule):
    """``params``: ``{"columns": [[name, type], ...]}``; ``"also": {name: types}`` where a column may have others;
    ``"empty": names`` of columns that held no value, whose type said nothing, and ``"emptied": names`` of those that
    held none in some version: while such a column holds none, its type says nothing."""

    meanings: ClassVar[Mapping[str, str]] = {"schema": "the columns of a table and their types stay"}
    of_schema = True
    kept_level = True

    @property
    def columns(self) -> list[list[str]]:
        return [list(column) for column in self.params.get("columns", [])]

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        """Violated when a column is gone or has another type; a new column is told, and passes alone."""
        expected = self.columns
        empty = {*self.params.get("empty", ()), *without_values(rows).intersection(self.params.get("emptied", ()))}
        broke = broken(expected, batch.schema, self.params.get("also"), empty)
        damage = list(broke.values())
        new = added(expected, batch.schema)
        observed = {"damage": damage, "broke": list(broke), "added": new, "columns": len(batch.schema)}
        wanted = {"columns": len(expected)}
        loose = sorted(retyped(expected, batch.schema) & empty)
        told = _named("New", new) + _named("Of another type, without values before or now", loose)
        if damage:
            more = f" and {len(damage) - 3} more" if len(damage) > 3 else ""
            return Verdict(VIOLATED, f"The schema changed: {'; '.join(damage[:3])}{more}.{told}", observed, wanted)
        many = len(expected) != 1
        there = (
            f"All {len(expected)} columns are there with their types." if many else "Its column is there with its type."
        )
        return Verdict(PASSED, f"{there}{told}", observed, wanted)

    @classmethod
    def continues(cls, before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
        """
        >>> gone = {"observed": {"damage": ["column 'a' is gone"]}}
        >>> more = {"observed": {"damage": ["column 'a' is gone", "column 'b' is gone"]}}
        >>> [SchemaRule.continues(*pair) for pair in ((gone, gone), (gone, more), (more, gone))]
        [True, False, True]
        """
        was, out = (set((one.get("observed") or {}).get("damage") or ()) for one in (before, now))
        return bool(out) and out <= was

    def compare(self, old: Rule, *, private: bool = False) -> list[Difference]:
        before, after = ({one[0]: one[1] for one in rule.params.get("columns", [])} for rule in (old, self))
        found = []
        for name in {**before, **after}:
            a, b = before.get(name), after.get(name)
            change = "added" if a is None else "dropped" if b is None else "same" if a == b else "moved"
            found.append(Difference(str(name), change, *(None if t is None else f"{name!r} is {t}" for t in (a, b))))
        return ordered(found)


#: A change from the first type to one of the others loses nothing and is no damage. Decimals: see `is_wider`.
WIDER: dict[str, set[str]] = {
    "tinyint": {"smallint", "int", "bigint", "float", "double"},
    "smallint": {"int", "bigint", "float", "double"},
    "int": {"bigint", "double"},
    "bigint": set(),
    "float": {"double"},
    "date": {"timestamp_ntz"},
}
#: Digits of the largest whole number of a type.
DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")


def is_wider(new: str, old: str) -> bool:
    """Whether every value of the old type is one of the new type, too: the same digits before and behind the point.

    >>> is_wider("bigint", "int"), is_wider("int", "bigint"), is_wider("decimal(12,4)", "decimal(8,2)")
    (True, False, True)
    >>> is_wider("decimal(10,4)", "decimal(9,2)"), is_wider("decimal(12,0)", "int"), is_wider("decimal(9,0)", "int")
    (False, True, False)
    """
    becomes = _DECIMAL.fullmatch(new)
    if becomes is None:
        return new in WIDER.get(old, ())
    was = _DECIMAL.fullmatch(old)
    digits, behind = (int(was[1]), int(was[2])) if was else (DIGITS.get(old), 0)
    if digits is None:
        return False
    return int(becomes[2]) >= behind and int(becomes[1]) - int(becomes[2]) >= digits - behind


def _named(words: str, names: Sequence[str]) -> str:
    return f" {words}: {', '.join(names[:5])}{' ...' if len(names) > 5 else ''}." if names else ""


def without_values(rows: TableState) -> set[str]:
    """Names of the columns that hold nothing in rows that there are."""
    return {name for name, column in rows.columns.items() if rows.rows and not column.non_null}


def broken(
    old: Columns,
    new: Columns,
    also: Mapping[str, Sequence[str]] | None = None,
    empty: Container[str] = (),
) -> dict[str, str]:
    """Which of the old columns are gone, renamed or of another type now, and how, in words. Widened types are not told,
    nor those that the column may have, too, nor those of columns whose type says nothing (`empty`).

    Columns are ``[name, type]``, or ``[name, type, name inside the files]`` where the two names differ in the table
    (column mapping): there a column that was renamed is known again, and one that was dropped and added again is not.

    >>> broken([["a", "int"], ["b", "string"]], [["a", "bigint"], ["c", "string"]])
    {'b': "column 'b' is gone"}
    >>> broken([["price", "decimal(8,2)"], ["n", "int"]], [["price", "decimal(12,4)"], ["n", "decimal(10,0)"]])
    {}
    >>> broken([["a", "int"]], [["a", "string"]])
    {'a': "column 'a' was int and is string"}
    >>> broken([["a", "int"]], [["a", "string"]], {"a": ["string"]})
    {}
    >>> broken([["a", "int"]], [["a", "string"]], empty={"a"})
    {}
    >>> broken([["a", "int", "c-1"], ["b", "int", "c-2"]], [["z", "int", "c-1"], ["b", "int", "c-9"]])
    {'a': "column 'a' was renamed to 'z'", 'b': "column 'b' was dropped and added again"}
    >>> orders = [["a", "array<struct<b:int,c:int>>"], ["a[].b", "int"], ["a[].c", "int"]]
    >>> list(broken(orders, [["a", "array<struct<b:string>>"], ["a[].b", "string"]])), list(broken(orders, []))
    (['a[].b', 'a[].c'], ['a'])
    """
    types = {column[0]: column[1] for column in new}
    moved, remade = renamed(old, new)
    words: dict[str, str] = {}
    before = [column[0] for column in old]
    for name, kind, *_ in old:
        outer = list_of(name)[:-2]
        if outer and (outer in moved or not is_opened(outer, types)):
            continue  # said of the list
        both = all(one.startswith(LISTS) for one in (kind, types.get(name, "")))
        told = both and is_opened(name, before) and is_opened(name, types)  # by the columns of what it holds
        if name in moved:
            words[name] = f"column {name!r} was renamed to {moved[name]!r}"
        elif name not in types:
            words[name] = f"column {name!r} is gone"
        elif name in remade:
            words[name] = f"column {name!r} was dropped and added again"
        elif (
            not told
            and name not in empty
            and types[name] not in {kind, *(also or {}).get(name, ())}
            and not is_wider(types[name], kind)
        ):
            words[name] = f"column {name!r} was {kind} and is {types[name]}"
    return words


def retyped(old: Columns, new: Columns) -> set[str]:
    """Names of the columns whose values are of another type now; widened types are not.

    >>> retyped([["a", "int"], ["b", "int"]], [["a", "string"], ["b", "bigint"]])
    {'a'}
    """
    types = {column[0]: column[1] for column in new}
    return {
        column[0]
        for column in old
        if (now := types.get(column[0], column[1])) != column[1] and not is_wider(now, column[1])
    }


#: How Spark writes the types of numbers, but for what `decimal` has in brackets.
NUMBERS = {"tinyint", "smallint", "int", "bigint", "float", "double", "decimal"}


def changed_kind(old: Columns, new: Columns) -> set[str]:
    """Names of the columns whose values are of another kind now, so that figures of the old ones say nothing of the new
    ones. Numbers stay numbers, whatever they are stored as.

    >>> changed_kind([["a", "bigint"], ["b", "bigint"]], [["a", "string"], ["b", "decimal(10,2)"]])
    {'a'}
    """
    types = ({column[0]: column[1].split("(")[0] for column in columns} for columns in (old, new))
    before, after = types
    return {name for name in retyped(old, new) if not {before[name], after[name]} <= NUMBERS}


def renamed(old: Columns, new: Columns) -> tuple[dict[str, str], set[str]]:
    """Columns that have another name now (old name -> new name), and names that stand for another column now.

    >>> renamed([["a", "int", "c-1"], ["b", "int", "c-2"]], [["z", "int", "c-1"], ["b", "int", "c-9"]])
    ({'a': 'z'}, {'b'})
    """
    inside = {column[0]: column[2] for column in new if len(column) > 2}
    names = {own: name for name, own in inside.items()}
    before = {column[0]: column[2] for column in old if len(column) > 2}
    moved = {name: names[own] for name, own in before.items() if names.get(own, name) != name}
    return moved, {name for name, own in before.items() if inside.get(name, own) != own and name not in moved}


def added(old: Columns, new: Columns) -> list[str]:
    """Names of the columns that are new.

    What lists hold is new where something that they hold was known: earlier releases listed none of it.

    >>> added([["a", "int"]], [["a", "int"], ["b", "int"]])
    ['b']
    >>> before = [["a", "array<struct<b:int>>"]]
    >>> one, two = ["a[].b", "int"], ["a[].c", "int"]
    >>> added(before, [*before, one]), added([*before, one], [*before, one, two])
    ([], ['a[].c'])
    """
    known = {column[0] for column in old}
    opened = {list_of(name) for name in known}
    inside = {column[2] for column in old if len(column) > 2}
    new = [column for column in new if column[0] not in known and not inside & set(column[2:])]
    return [name for name, *_ in new if list_of(name) in opened or not list_of(name)]
