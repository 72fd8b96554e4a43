"""Functions of text, numbers and times in predicates, written in DuckDB's SQL as Spark answers them.

Each takes the compiler (`catalog.predicates.typed`), which types its arguments, and the node of its call.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from catalog.predicates.kinds import BOOLEAN, DATE, DOUBLE, INTEGERS, TEXT, TIME, NeedsSpark, Sql
from catalog.predicates.regexes import rlike_regex

if TYPE_CHECKING:
    from catalog.predicates.typed import Compiler


MOST_GROUPS = 9  # bound: groups that DuckDB gives


def _date_of(c: Compiler, node: exp.TsOrDsToDate) -> Sql:
    """The date of what a date function is given (sqlglot wraps it so)."""
    found = c.sql(node.this)
    if found.kind in (DATE, TIME):
        return Sql(f"CAST({found.text} AS DATE)", DATE)
    raise NeedsSpark(f"the date of {found.kind.words}")


def _part(part: str, shift: int = 0) -> Callable[[Compiler, exp.Expr], Sql]:
    def compiled(c: Compiler, node: exp.Expr) -> Sql:
        found = c.sql(node.this)
        if found.kind not in (DATE, TIME):
            raise NeedsSpark(f"{part} of {found.kind.words}")
        text = f"CAST(extract({part} FROM {found.text}) AS INTEGER)"
        return Sql(f"({text} + {shift})" if shift else text, INTEGERS[2])

    return compiled


def _length(c: Compiler, node: exp.Length) -> Sql:
    return Sql(f"CAST(length({c.text(node.this)}) AS INTEGER)", INTEGERS[2])


def _trim(c: Compiler, node: exp.Trim) -> Sql:
    if node.expression is not None:
        raise NeedsSpark("TRIM of other characters than spaces")
    side = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "").upper(), "trim")
    return Sql(f"{side}({c.text(node.this)}, ' ')", TEXT)


def _substring(c: Compiler, node: exp.Substring) -> Sql:
    start = c.constant(node.args.get("start"), int, "a start that is computed")
    length = node.args.get("length")
    count = None if length is None else c.constant(length, int, "a length that is computed")
    if not isinstance(start, int) or start < 1 or (isinstance(count, int) and count < 0):
        raise NeedsSpark("a substring that starts before the text")
    return Sql(f"substring({c.text(node.this)}, {start}" + (")" if count is None else f", {count})"), TEXT)


def _concat(c: Compiler, node: exp.Concat) -> Sql:
    return Sql("(" + " || ".join(c.text(one) for one in node.expressions) + ")", TEXT)


def _holds(name: str) -> Callable[[Compiler, exp.Expr], Sql]:
    return lambda c, node: Sql(f"{name}({c.text(node.this)}, {c.text(node.expression)})", BOOLEAN)


def _part_regex(c: Compiler, node: exp.Expr) -> tuple[re.Pattern[str], str]:
    """The regular expression by which parts of a text are taken: as Python reads it, and for RE2 in quotes."""
    pattern = str(c.constant(node.expression, str, "an expression that is computed"))
    regex = None if "$" in pattern else rlike_regex(pattern)  # ours of a dollar takes a line end along
    if regex is None:
        raise NeedsSpark("a regular expression that the two engines read in different ways")
    return re.compile(pattern), "'" + regex.replace("'", "''") + "'"


def _extract(c: Compiler, node: exp.RegexpExtract) -> Sql:
    read, regex = _part_regex(c, node)
    group = c.constant(node.args.get("group"), int, "a group that is computed")
    if not isinstance(group, int) or not 0 <= group <= min(read.groups, MOST_GROUPS):
        raise NeedsSpark("a group that the expression has not")
    return Sql(f"regexp_extract({c.text(node.this)}, {regex}, {group})", TEXT)


def _replace(c: Compiler, node: exp.RegexpReplace) -> Sql:
    read, regex = _part_regex(c, node)
    by = str(c.constant(node.args.get("replacement"), str, "a replacement that is computed"))
    if read.fullmatch("") or set(by) & set("$\\"):
        raise NeedsSpark("a replacement that names groups, or stands between letters")
    return Sql(f"regexp_replace({c.text(node.this)}, {regex}, '{by.replace(chr(39), chr(39) * 2)}', 'g')", TEXT)


def _abs(c: Compiler, node: exp.Abs) -> Sql:
    found = c.number(node.this)
    return Sql(f"TRY(abs({found.text}))", found.kind)


#: A double as a long, as the JVM makes one: NaN is 0, what lies beyond is the last long on that side.
_LONG = (
    "(CASE WHEN isnan({0}) THEN 0 WHEN {0} >= 9223372036854775807 THEN 9223372036854775807 "
    "WHEN {0} <= -9223372036854775808 THEN -9223372036854775808 ELSE CAST({0} AS BIGINT) END)"
)


def _rounded(name: str) -> Callable[[Compiler, exp.Expr], Sql]:
    def compiled(c: Compiler, node: exp.Expr) -> Sql:
        found = c.number(node.this)
        if found.kind == DOUBLE and not node.args.get("decimals"):
            return Sql(_LONG.format(f"{name}({found.text})"), INTEGERS[3])
        raise NeedsSpark(name)

    return compiled


def _is_nan(c: Compiler, node: exp.IsNan) -> Sql:
    found = c.number(node.this)
    return Sql(f"COALESCE(isnan(CAST({found.text} AS DOUBLE)), FALSE)", BOOLEAN)


NODES: dict[type, Callable[[Any, Any], Sql]] = {
    exp.TsOrDsToDate: _date_of,
    exp.Year: _part("year"),
    exp.Month: _part("month"),
    exp.Day: _part("day"),
    exp.DayOfMonth: _part("day"),
    exp.Quarter: _part("quarter"),
    exp.DayOfYear: _part("doy"),
    exp.DayOfWeek: _part("dow", 1),
    exp.WeekOfYear: _part("week"),
    exp.Hour: _part("hour"),
    exp.Minute: _part("minute"),
    exp.Second: _part("second"),
    exp.Length: _length,
    exp.Trim: _trim,
    exp.Substring: _substring,
    exp.Concat: _concat,
    exp.Contains: _holds("contains"),
    exp.StartsWith: _holds("starts_with"),
    exp.EndsWith: _holds("ends_with"),
    exp.RegexpExtract: _extract,
    exp.RegexpReplace: _replace,
    exp.Abs: _abs,
    exp.Floor: _rounded("floor"),
    exp.Ceil: _rounded("ceil"),
    exp.IsNan: _is_nan,
}
