"""Checks on single rows as contracts ask them, with nulls treated as there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from catalog.declared.constraint import Constraint
from catalog.declared.kinds.sql import literal
from catalog.errors import UsageError
from catalog.measures.metrics import quoted
from catalog.rules.exchange.demands import is_there, is_whole, of_values, row_condition
from catalog.rules.exchange.documents import number_of

_IN_TIME = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?")


def plain(given: Any) -> Any:
    """A value of a column as it can be kept: points in time as texts. Raises `UsageError` for what is none."""
    if isinstance(given, datetime | date):
        return given.isoformat()
    if isinstance(given, bool | int | float | str):
        return given
    raise UsageError("a value is neither text nor number", remedy="correct the contract")


def among(column: str, values: Iterable[Any], *, denied: bool = False) -> Constraint:
    """That values are among these, or are not; nulls pass."""
    kept = [plain(one) for one in values if one is not None]
    return Constraint("is_not_in" if denied else "is_in", (column,), {"values": kept})


def accepts_empty(pattern: str) -> bool:
    """Whether a regular expression is found in an empty text; one that Python does not read is not."""
    try:
        return re.search(pattern, "") is not None
    except (re.error, OverflowError, RecursionError):
        return False


def matching(column: str, pattern: str, *, nulls: bool = True) -> Constraint:
    """That a pattern is found in each value.

    Parameters
    ----------
    nulls : whether they pass.

    >>> matching("id", "^A").kind, matching("id", "^$|^A").sentence
    ('has_pattern', "every row meets `id` RLIKE '^$|^A', where `id` IS NOT NULL")
    """
    where = is_there(column) if nulls else None
    if not accepts_empty(pattern):
        return Constraint("has_pattern", (column,), {"pattern": pattern}, where=where)
    return satisfies(f"{quoted(column)} RLIKE {literal(pattern)}", where)


def not_matching(column: str, pattern: str) -> Constraint:
    """That a pattern is found in no value; nulls pass."""
    if not accepts_empty(pattern):
        return Constraint("has_no_pattern", (column,), {"pattern": pattern})
    return satisfies(f"{quoted(column)} IS NULL OR NOT {quoted(column)} RLIKE {literal(pattern)}")


def within(column: str, ends: Mapping[str, Any], *, exclusive: bool = False) -> Constraint:
    """That values lie between two ends, or beyond one of them; nulls pass.

    >>> within("n", {"low": 0}, exclusive=True).arguments
    {'low': 0, 'exclusive': True}
    """
    told: dict[str, Any] = {name: _end(one) for name, one in ends.items() if one is not None}
    return Constraint("is_between", (column,), told | ({"exclusive": True} if exclusive else {}))


def _end(given: Any) -> Any:
    return plain(given) if in_time(given) else number_of(plain(given), "the bound")


def in_time(given: Any) -> bool:
    """Whether a bound is a date or a point in time.

    >>> in_time("2026-01-31"), in_time(20260131)
    (True, False)
    """
    return isinstance(given, datetime | date) or (isinstance(given, str) and _IN_TIME.fullmatch(given) is not None)


def lengths(column: str, low: Any = None, high: Any = None) -> Constraint:
    """That texts are so long; nulls pass."""
    ends = {name: number_of(one, "the length") for name, one in (("low", low), ("high", high)) if one is not None}
    return Constraint("has_length_between", (column,), ends)


def compared(column: str, sign: str, expression: str) -> Constraint:
    """That values compare so with an expression in SQL; nulls pass."""
    return satisfies(f"{quoted(column)} IS NULL OR {quoted(column)} {sign} ({expression})")


def satisfies(condition: str, where: str | None = None) -> Constraint:
    """That every row meets a condition; a row of which it is null does not."""
    return Constraint("satisfies", arguments={"condition": condition}, where=where)


def not_refuted(condition: str) -> Constraint:
    """That no row refutes a condition: one of which it is null passes."""
    return satisfies(f"COALESCE(({condition}), TRUE)")


def held(one: Constraint) -> str | None:
    """The condition that each row meets that keeps to a check; None where single rows do not break it.

    >>> held(Constraint("is_positive", ("n",), where="paid"))
    'NOT COALESCE(paid, FALSE) OR (`n` IS NULL OR COALESCE(CAST(`n` AS DOUBLE) > 0, FALSE))'
    """
    condition = row_condition(one)
    if condition is None or not is_whole(one):
        return None
    if one.kind == "has_pattern" and of_values(one) and not accepts_empty(one.arguments["pattern"]):
        name = quoted(one.columns[0])
        return f"{name} IS NULL OR {name} RLIKE {literal(one.arguments['pattern'])}"
    if one.where is None:
        return condition
    if of_values(one):
        return f"NOT ({is_there(one.columns[0])}) OR ({condition})"
    return f"NOT COALESCE({one.where}, FALSE) OR ({condition})"


def of_all_rows(one: Constraint) -> Constraint:
    """The same with a share that counts all rows, of which those that are not asked keep to it."""
    condition = None if one.where is None else held(one)
    return one if condition is None else satisfies(condition)


def none_of(column: str, values: Iterable[Any]) -> Constraint:
    """That each row has a value, and none of these, which stand for a missing one.

    >>> none_of("m", [None, "n/a"]).sentence
    "every row meets `m` IS NOT NULL AND NOT (`m` IN ('n/a'))"
    """
    kept = [plain(one) for one in values if one is not None]
    if not kept:
        return Constraint("is_complete", (column,))
    return satisfies(f"{is_there(column)} AND NOT ({quoted(column)} IN ({', '.join(map(literal, kept))}))")


def filled_too(one: Constraint) -> list[Constraint]:
    """A demand on values, and that there is one in every row."""
    return [one, Constraint("is_complete", one.columns)]
