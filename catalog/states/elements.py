"""Fields of the elements of lists as columns: their names, and which lists are opened.

A list stays a column of its own (of its lengths). What its elements hold are columns beside it: ``tags[]`` of
``array<string>``, ``items[].price`` of ``array<struct<price: double>>``. A map is a list of entries: ``labels[].key``
and ``labels[].value``. Such a column has a value for each element, none for a list that is null or empty; what it
counts are elements, not rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

Node = TypeVar("Node")
#: What a type consists of: the fields of a struct by name, the element of a list under `ELEMENT`, nothing of a leaf.
Inside = Callable[[Node], Sequence[tuple[str | None, Node]]]
#: Where a leaf lies: the places of fields in structs, `EACH` for the elements of a list.
Path = tuple[int, ...]

ELEMENT = None
EACH = -1  # chosen: no field has that place
#: Lists within lists that are opened; a bound: each more multiplies the values that are folded.
DEEPEST = 3
#: Columns inside the lists of one table; a bound of what its states take. A list that has more than are left stays
#: closed: it is looked at by the lengths of its lists alone.
MOST = 100

_QUOTED = re.compile(r"`(?:[^`]|``)*`")
_EACH = re.compile(r"\[\](?=\.|\[\]|$)")


def leaves(columns: Iterable[tuple[str, Node]], inside: Inside[Node]) -> Iterator[tuple[str, Path, Node]]:
    """(name, place, type) of every leaf, of every list, and of what lists hold, in table order.

    A name that is taken is set in backticks, and so is one that would pass for that of elements.

    >>> nested = {"a": {"b": "int"}, "c": [{"d": "int", "e": ["int"]}], "a.b": "int", "c[]": "int"}
    >>> def inside(one):
    ...     return list(one.items()) if isinstance(one, dict) else [(ELEMENT, one[0])] if isinstance(one, list) else []
    >>> [name for name, _, _ in leaves(nested.items(), inside)]
    ['a.b', 'c', 'c[].d', 'c[].e', 'c[].e[]', '`a.b`', '`c[]`']
    """
    taken: set[str] = set()
    room = MOST

    def free(name: str) -> str:
        while name in taken:
            head, each, rest = name.rpartition("[].")
            name = f"{head}{each}`{rest}`"
        taken.add(name)
        return name

    def walk(name: str, path: Path, node: Node) -> Iterator[tuple[str, Path, Node]]:
        nonlocal room
        parts = inside(node)
        deep = path.count(EACH)
        if not parts or parts[0][0] is ELEMENT:
            name = free(name)
            yield name, path, node
            wide = 0 if deep else _width(node, inside, 0)
            if parts and deep < DEEPEST and wide - 1 <= room:
                room -= max(wide - 1, 0)
                yield from walk(f"{name}[]", (*path, EACH), parts[0][1])
            return
        for at, (field, part) in enumerate(parts):
            yield from walk(f"{name}.{_plain(field or '')}", (*path, at), part)

    for at, (name, node) in enumerate(columns):
        yield from walk(_plain(name), (at,), node)


def _width(node: Node, inside: Inside[Node], deep: int) -> int:
    """How many columns a type is."""
    parts = inside(node)
    if not parts:
        return 1
    if parts[0][0] is ELEMENT:
        return 1 + (_width(parts[0][1], inside, deep + 1) if deep < DEEPEST else 0)
    return sum(_width(part, inside, deep) for _, part in parts)


def _plain(name: str) -> str:
    return "`" + name.replace("`", "``") + "`" if "[]" in name else name


@lru_cache(maxsize=4096)
def list_of(column: str) -> str:
    """The innermost list whose elements a column is of, with its brackets; empty for a column of rows. Columns of one
    list have as many values.

    >>> list_of("items[].price"), list_of("items[].tags[]"), list_of("items"), list_of("`odd[]`")
    ('items[]', 'items[].tags[]', '', '')
    """
    if "[]" not in column:
        return ""
    blank = _QUOTED.sub(lambda found: "_" * len(found[0]), column)
    ends = [found.end() for found in _EACH.finditer(blank)]
    return column[: ends[-1]] if ends else ""


def is_opened(column: str, columns: Iterable[str]) -> bool:
    """Whether what a list holds is among the columns.

    >>> is_opened("items", ["items", "items[].price"]), is_opened("items", ["items"])
    (True, False)
    """
    return any(name.startswith(f"{column}[]") for name in columns)
