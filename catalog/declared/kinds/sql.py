"""The conditions in SQL that kinds of constraints ask every row to meet."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from catalog.declared.kinds.kind import Told
from catalog.errors import UsageError
from catalog.measures.metrics import quoted


def literal(given: Any) -> str:
    """A value as a literal of SQL.

    >>> literal("it's"), literal(None), literal(True), literal(1.5)
    ("'it\\\\'s'", 'NULL', 'TRUE', '1.5')
    """
    if given is None:
        return "NULL"
    if isinstance(given, bool):
        return str(given).upper()
    if isinstance(given, int | Decimal):
        return str(given)
    if isinstance(given, float):
        return f"CAST('{given}' AS DOUBLE)" if not math.isfinite(given) else repr(given)
    if isinstance(given, datetime):
        return f"TIMESTAMP'{given.isoformat(sep=' ')}'"
    if isinstance(given, date):
        return f"DATE'{given.isoformat()}'"
    if isinstance(given, str):
        return "'" + given.replace("\\", "\\\\").replace("'", "\\'") + "'"
    raise UsageError(f"{given!r} is no value of a column", remedy="give text, numbers, dates, true or false")


def or_null(condition: Callable[[Told], str]) -> Callable[[Told], str]:
    """Nulls pass: whether a value must be there is another demand."""
    return lambda told: f"{quoted(told.column)} IS NULL OR {condition(told)}"


def among(told: Told) -> str:
    values = told.arguments["values"]
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise UsageError("values is no list", remedy="give the values as a list")
    return f"{quoted(told.column)} IN ({', '.join(map(literal, values))})"


def between(told: Told) -> str:
    low, high = told.arguments.get("low"), told.arguments.get("high")
    if low is None and high is None:
        raise UsageError("is_between needs low, high or both", remedy="give the bounds")
    sides = [
        (low, ">" if told.arguments.get("exclusive") else ">="),
        (high, "<" if told.arguments.get("exclusive") else "<="),
    ]
    return " AND ".join(f"{quoted(told.column)} {sign} {literal(bound)}" for bound, sign in sides if bound is not None)


def number_is(sign: str) -> Callable[[Told], str]:
    """A text that is no number fails; deequ lets it pass."""
    return or_null(lambda told: f"COALESCE(CAST({quoted(told.column)} AS DOUBLE) {sign} 0, FALSE)")


def compared(sign: str) -> Callable[[Told], str]:
    return lambda told: f"{quoted(told.columns[0])} {sign} {quoted(told.columns[1])}"


def pattern(told: Told) -> str:
    """Found anywhere; an empty text and a null match nothing."""
    name = quoted(told.column)
    return f"COALESCE({name} <> '' AND {name} RLIKE {literal(told.arguments['pattern'])}, FALSE)"


def length_between(told: Told) -> str:
    low, high = told.arguments.get("low"), told.arguments.get("high")
    bounds = [
        f"length({quoted(told.column)}) {sign} {int(b)}" for b, sign in ((low, ">="), (high, "<=")) if b is not None
    ]
    if not bounds:
        raise UsageError("has_length_between needs low, high or both", remedy="give the bounds")
    return " AND ".join(bounds)


def all_there(word: str) -> Callable[[Told], str]:
    return lambda told: f" {word} ".join(f"{quoted(name)} IS NOT NULL" for name in told.columns)


def castable_type(told: Told) -> str:
    wanted = str(told.arguments["type"]).upper()
    if wanted not in ("INT", "BIGINT", "SMALLINT", "TINYINT", "DOUBLE", "BOOLEAN"):
        raise UsageError(f"{wanted} is no type that can be asked for", remedy="use INT, BIGINT, DOUBLE or BOOLEAN")
    return wanted
