"""Delta's CHECK constraints in SQL, which look at single rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from catalog.declared.constraint import Constraint
from catalog.predicates.predicate import short
from catalog.rules.exchange.demands import NO_LEVEL, Asked, Lost, ask
from catalog.rules.exchange.rows import held, satisfies

ROWS_ALONE = "single rows are looked at"  # what a format of constraints cannot express
_NAME = r"(?:`(?:[^`]|``)+`|[\w$]+)"
_STATEMENT = re.compile(
    rf"\s*(?:--[^\n]*\n\s*)*ALTER\s+TABLE\s+({_NAME}(?:\.{_NAME})*)\s+ADD\s+CONSTRAINT\s+({_NAME})\s+CHECK\s*\(", re.I
)
_NOT_NULL = re.compile(
    rf"\s*ALTER\s+TABLE\s+({_NAME}(?:\.{_NAME})*)\s+ALTER\s+(?:COLUMN\s+)?({_NAME}(?:\.{_NAME})*)\s+SET\s+NOT\s+NULL\s*",
    re.I,
)
_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|`[^`]*`|\"(?:[^\"\\]|\\.)*\"|[();]|[^'`\"();]+|.", re.S)
_MADE_UP = re.compile(r"assay_\d+")


# ------------------------------------------------------------------------------------------------------- reading


def read(text: str) -> Iterator[Asked]:
    """The demands of ALTER TABLE statements; a constraint of which a row is null breaks it."""
    for number, statement in enumerate(_statements(text), 1):
        place = f"{number}: {short(statement)}"
        head, there = _STATEMENT.match(statement), _NOT_NULL.fullmatch(statement)
        if there is not None:
            names = _plain(there[2])
            yield ask(place, _plain(there[1]), partial(Constraint, "is_complete", (names,)))
        elif head is None or not statement.rstrip().endswith(")"):
            yield Asked(place, why="it is no ALTER TABLE ... ADD CONSTRAINT ... CHECK (...)")
        else:
            condition = statement.rstrip()[head.end() : -1].strip()
            name = _plain(head[2])
            named = "" if _MADE_UP.fullmatch(name) else name
            yield ask(place, _plain(head[1]), partial(satisfies, condition), name=named)


def _statements(text: str) -> Iterator[str]:
    found: list[str] = []
    for piece in _TOKEN.findall(text):
        if piece != ";":
            found.append(piece)
            continue
        if "".join(found).strip():
            yield "".join(found)
        found = []
    if "".join(found).strip():
        yield "".join(found)


def _plain(name: str) -> str:
    """A name without its backticks.

    >>> _plain("`a b`.c")
    'a b.c'
    """
    return ".".join(part[1:-1].replace("``", "`") if part.startswith("`") else part for part in re.findall(_NAME, name))


# ------------------------------------------------------------------------------------------------------- writing


def write(table: str, found: Iterable[Constraint]) -> tuple[str, list[Lost]]:
    r"""Constraints of these checks; what is lost of them.

    >>> found = [Constraint("is_in", ("s",), {"values": ["it's"]}), Constraint("is_complete", ("id",), at_least=0.9)]
    >>> print(write("t", found)[0])
    ALTER TABLE `t` ADD CONSTRAINT `assay_1` CHECK (`s` IS NULL OR `s` IN ('it\'s'));
    """
    lines: list[str] = []
    lost: list[Lost] = []
    for one in found:
        condition = held(one)
        if condition is None or one.level == "warning":
            column = one.columns[0] if len(one.columns) == 1 else ""
            lost.append(Lost(column, one.sentence, ROWS_ALONE if condition is None else NO_LEVEL))
            continue
        name = table.replace("`", "``")
        lines.append(f"ALTER TABLE `{name}` ADD CONSTRAINT `assay_{len(lines) + 1}` CHECK ({condition});")
    return "\n".join(lines), lost
