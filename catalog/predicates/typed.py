"""A predicate typed against a table's columns and written in DuckDB's SQL, answer for answer as Spark has it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlglot import exp

from catalog.predicates import casts, functions
from catalog.predicates.kinds import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGERS,
    NULL,
    TEXT,
    TIME,
    Kind,
    NeedsSpark,
    Sql,
    decimal,
    wider,
)
from catalog.predicates.predicate import Predicate, PredicateError, column_name, is_path, is_struct, short
from catalog.predicates.regexes import like_regex, regex_mistake, rlike_regex
from catalog.predicates.spark import refuse_hanging


def compile_predicate(predicate: Predicate, columns: Mapping[str, tuple[str, Kind]]) -> str:
    """DuckDB's SQL for a predicate.

    Parameters
    ----------
    columns : column name -> (its quoted name in DuckDB, its kind).

    Raises `PredicateError` where it does not fit the columns, `NeedsSpark` where Spark has to evaluate it.

    >>> from catalog.predicates.kinds import INTEGERS
    >>> compile_predicate(Predicate("n / 0 > 1"), {"n": ('"n"', INTEGERS[1])})
    '((CAST("n" AS DOUBLE) / NULLIF(CAST(0 AS DOUBLE), 0)) > CAST(1 AS DOUBLE))'
    """
    folded = {name.casefold(): found for name, found in columns.items()}
    if len(folded) < len(columns):
        named = Counter(name.casefold() for name in columns)
        twice = next((name for name in predicate.columns if named[name.casefold()] > 1), None)
        if twice is not None:
            raise PredicateError(f"two columns are named {twice!r} but for case", remedy="rename one of them")
    try:
        found = Compiler(predicate, folded).sql(predicate.tree)
    except NeedsSpark:
        refuse_hanging(predicate)
        raise
    if found.kind not in (BOOLEAN, NULL):
        raise PredicateError(
            f"{short(predicate.text)} is {found.kind.words}, not true or false", remedy="compare it with something"
        )
    return found.text


#: What is read of a node, and what makes no difference (whether the parser knows the types, or expects no failure).
_READ = frozenset(
    "this expression expressions low high ifs default true false to position start length decimals "
    "table db catalog is_string quoted safe typed coalesce group replacement null_if_pos_overflow".split()
)


class Compiler:
    def __init__(self, predicate: Predicate, columns: Mapping[str, tuple[str, Kind]]) -> None:
        self.predicate, self.columns = predicate, columns

    def sql(self, node: exp.Expr) -> Sql:
        """The SQL of a node; dispatched on its class. What the parser says of one and nobody here reads is Spark's."""
        odd = next((name for name, said in node.args.items() if said and name not in _READ), None)
        if odd is not None:
            raise NeedsSpark(f"{node.key} with {odd}")
        for known in type(node).__mro__:
            if known in _NODES:
                return _NODES[known](self, node)
        raise NeedsSpark(node.key)

    def boolean(self, node: exp.Expr) -> str:
        found = self.sql(node)
        if found.kind not in (BOOLEAN, NULL):
            raise self.wrong(
                f"{node.sql('spark')} is {found.kind.words}, not true or false", "compare it with something"
            )
        return found.text

    def number(self, node: exp.Expr) -> Sql:
        found = self.sql(node)
        if found.kind == NULL or found.kind.is_number:
            return found
        if found.kind == FLOAT:
            raise NeedsSpark("arithmetic in single precision")
        remedy = f"write CAST({node.sql('spark')} AS DOUBLE)" if found.kind == TEXT else "use a column of numbers"
        raise self.wrong(f"{node.sql('spark')} is {found.kind.words}, not a number", remedy)

    def text(self, node: exp.Expr) -> str:
        found = self.sql(node)
        if found.kind not in (TEXT, NULL):
            raise self.wrong(
                f"{node.sql('spark')} is {found.kind.words}, not text", f"write CAST({node.sql('spark')} AS STRING)"
            )
        return found.text

    def constant(self, node: exp.Expr | None, kind: type, what: str) -> object:
        """The constant that a node is; Spark evaluates where it is computed."""
        found = self.sql(node) if node is not None else None
        if found is None or not isinstance(found.literal, kind):
            raise NeedsSpark(what)
        return found.literal

    def wrong(self, cause: str, remedy: str) -> PredicateError:
        return PredicateError(f"in {short(self.predicate.text)}: {cause}", remedy=remedy)

    def pair(self, a: Sql, b: Sql) -> tuple[str, str, Kind]:
        """Two expressions brought to one kind for a comparison."""
        if a.kind == b.kind or NULL in (a.kind, b.kind):
            return a.text, b.text, b.kind if a.kind == NULL else a.kind
        if a.kind.is_number and b.kind.is_number:
            kind = wider(a.kind, b.kind)
            if kind is None:
                raise NeedsSpark("decimals beyond 38 digits")
            return casts.widen(a.text, a.kind, kind), casts.widen(b.text, b.kind, kind), kind
        if FLOAT in (a.kind, b.kind) and all(one.kind == FLOAT or _whole_in_single(one) for one in (a, b)):
            return f"CAST({a.text} AS DOUBLE)", f"CAST({b.text} AS DOUBLE)", DOUBLE
        if {a.kind, b.kind} == {DATE, TIME}:
            return f"CAST({a.text} AS TIMESTAMP)", f"CAST({b.text} AS TIMESTAMP)", TIME
        for one, other in ((a, b), (b, a)):
            if one.kind == TEXT and isinstance(one.literal, str) and other.kind in (DATE, TIME):
                moment = self.moment(one.literal, other.kind)
                return (moment, other.text, other.kind) if one is a else (other.text, moment, other.kind)
        raise self.wrong(
            f"{a.kind.words} is compared with {b.kind.words}", "write a CAST of one of them, such as CAST(x AS DOUBLE)"
        )

    def moment(self, text: str, kind: Kind) -> str:
        """A date or time that stands as text beside a column of them."""
        try:
            moment = datetime.fromisoformat(text.strip())
        except ValueError:
            raise self.wrong(
                f"{text!r} is no {kind.words.split()[-1]}", "write it as 2026-12-31 or 2026-12-31 23:59:59"
            ) from None
        if moment.tzinfo is not None or (kind == DATE and len(text.strip()) > 10):
            raise NeedsSpark("a time with a zone")
        return f"TIMESTAMP '{moment.isoformat(sep=' ')}'" if kind == TIME else f"DATE '{moment.date().isoformat()}'"


def _whole_in_single(other: Sql) -> bool:
    """Whether a comparison with a number in single precision is one of doubles; long integers are rounded there."""
    if other.kind.is_integer:
        if isinstance(other.literal, int) and abs(other.literal) <= 1 << 24:
            return True
        raise NeedsSpark("an integer beside a number in single precision")
    return other.kind.is_number


def _column(c: Compiler, node: exp.Expr) -> Sql:
    if not is_path(node):
        raise NeedsSpark("a field of an element")
    name = column_name(node)
    if name.casefold() not in c.columns:
        if is_struct(name, c.columns):
            raise NeedsSpark("a whole struct")
        raise c.wrong(f"there is no column {name!r}", "name one of: " + ", ".join(list(c.columns)[:12]))
    text, kind = c.columns[name.casefold()]
    if not kind.known:
        raise NeedsSpark(f"a column of {kind.words}")
    return Sql(text, kind)


def _literal(c: Compiler, node: exp.Literal) -> Sql:
    if node.is_string:
        return Sql("'" + node.this.replace("'", "''") + "'", TEXT, node.this)
    text = node.this
    if re.fullmatch(r"\d+", text):
        value = int(text)
        kind = next((k for k in INTEGERS[2:] if value < 1 << (k.bits - 1)), None)
        return Sql(text, kind, value) if kind else _decimal_literal(Decimal(value))
    if re.fullmatch(r"\d*\.\d*", text) and text != ".":
        return _decimal_literal(Decimal(text))
    return Sql(f"CAST({text} AS DOUBLE)", DOUBLE, float(text))


def _decimal_literal(value: Decimal) -> Sql:
    places = max(0, -int(value.as_tuple().exponent))
    kind = decimal(max(len(value.as_tuple().digits), places), places)
    return Sql(f"CAST('{value:f}' AS DECIMAL({kind.bits},{kind.places}))", kind, value)


def _negative(c: Compiler, node: exp.Neg) -> Sql:
    found = c.number(node.this)
    literal = -found.literal if isinstance(found.literal, int | float | Decimal) else None
    return Sql(f"TRY(-({found.text}))", found.kind, literal)


def _compare(operator: str) -> Callable[[Compiler, exp.Expr], Sql]:
    def compiled(c: Compiler, node: exp.Expr) -> Sql:
        a, b, _ = c.pair(c.sql(node.this), c.sql(node.expression))
        return Sql(f"({a} {operator} {b})", BOOLEAN)

    return compiled


def _logic(operator: str) -> Callable[[Compiler, exp.Expr], Sql]:
    def compiled(c: Compiler, node: exp.Expr) -> Sql:
        parts = [c.boolean(one) for one in node.flatten(unnest=False)]  # a chain of many is no deeper than one of two
        return Sql(f"({f' {operator} '.join(parts)})", BOOLEAN)

    return compiled


def _asked_for_null(c: Compiler, node: exp.Expr) -> str:
    """What is there or not can be told of a column of any type."""
    if isinstance(node, exp.Column):
        name = column_name(node)
        if name.casefold() in c.columns:
            return c.columns[name.casefold()][0]
    return c.sql(node).text


def _is(c: Compiler, node: exp.Is) -> Sql:
    if isinstance(node.expression, exp.Null):
        return Sql(f"({_asked_for_null(c, node.this)} IS NULL)", BOOLEAN)
    if isinstance(node.expression, exp.Boolean):
        return Sql(f"({c.boolean(node.this)} IS {str(node.expression.this).upper()})", BOOLEAN)
    raise NeedsSpark("IS")


def _among(c: Compiler, node: exp.In) -> Sql:
    of = c.sql(node.this)
    found = [c.pair(of, c.sql(one)) for one in node.expressions]
    if not found:
        raise NeedsSpark("IN of something else than a list")
    return Sql("(" + " OR ".join(f"{a} = {b}" for a, b, _ in found) + ")", BOOLEAN)


def _between(c: Compiler, node: exp.Between) -> Sql:
    of = c.sql(node.this)
    low, high = c.pair(of, c.sql(node.args["low"])), c.pair(of, c.sql(node.args["high"]))
    return Sql(f"({low[0]} >= {low[1]} AND {high[0]} <= {high[1]})", BOOLEAN)


def _like(c: Compiler, node: exp.Expr) -> Sql:
    pattern = c.constant(node.expression, str, "a pattern that is computed")
    insensitive = "i" if isinstance(node, exp.ILike) else ""
    if insensitive and not str(pattern).isascii():
        raise NeedsSpark("case of letters beyond ASCII")
    regex = like_regex(str(pattern)).replace("'", "''")
    return Sql(f"regexp_full_match({c.text(node.this)}, '{regex}', 's{insensitive}')", BOOLEAN)


def _rlike(c: Compiler, node: exp.RegexpLike) -> Sql:
    pattern = str(c.constant(node.expression, str, "an expression that is computed"))
    if mistake := regex_mistake(pattern):
        raise PredicateError(f"{short(pattern)} is no regular expression: {mistake}", remedy="correct it")
    regex = rlike_regex(pattern)
    if regex is None:
        raise NeedsSpark("a regular expression that the two engines read in different ways")
    return Sql(f"regexp_matches({c.text(node.this)}, '{regex.replace(chr(39), chr(39) * 2)}')", BOOLEAN)


def _arithmetic(operator: str) -> Callable[[Compiler, exp.Expr], Sql]:
    def compiled(c: Compiler, node: exp.Expr) -> Sql:
        if isinstance(node.this, exp.Interval) or isinstance(node.expression, exp.Interval):
            raise NeedsSpark("an interval")
        a, b = c.number(node.this), c.number(node.expression)
        if NULL in (a.kind, b.kind):
            return Sql("NULL", NULL)
        if DOUBLE in (a.kind, b.kind):
            return Sql(f"(CAST({a.text} AS DOUBLE) {operator} CAST({b.text} AS DOUBLE))", DOUBLE)
        if a.kind.is_integer and b.kind.is_integer:
            kind = max(a.kind, b.kind, key=lambda k: k.bits)
            return Sql(f"TRY(CAST(CAST({a.text} AS HUGEINT) {operator} {b.text} AS {kind.duckdb}))", kind)
        raise NeedsSpark("arithmetic of decimals")

    return compiled


def _divide(c: Compiler, node: exp.Div) -> Sql:
    a, b = c.number(node.this), c.number(node.expression)
    if any(not (one.kind.is_integer or one.kind == DOUBLE) for one in (a, b)) and DOUBLE not in (a.kind, b.kind):
        raise NeedsSpark("division of decimals")
    return Sql(f"(CAST({a.text} AS DOUBLE) / NULLIF(CAST({b.text} AS DOUBLE), 0))", DOUBLE)


def _whole(operator: str) -> Callable[[Compiler, exp.Expr], Sql]:
    def compiled(c: Compiler, node: exp.Expr) -> Sql:
        a, b = c.number(node.this), c.number(node.expression)
        if not (a.kind.is_integer and b.kind.is_integer):
            raise NeedsSpark("the rest of a division of decimals or doubles")
        kind = INTEGERS[3] if operator == "//" else max(a.kind, b.kind, key=lambda k: k.bits)
        return Sql(f"TRY(CAST(CAST({a.text} AS HUGEINT) {operator} NULLIF({b.text}, 0) AS {kind.duckdb}))", kind)

    return compiled


def _common(c: Compiler, parts: list[Sql], what: str) -> tuple[list[str], Kind]:
    """Expressions of a CASE or COALESCE brought to one kind."""
    kinds = {part.kind for part in parts if part.kind != NULL}
    if len(kinds) <= 1:
        return [part.text for part in parts], kinds.pop() if kinds else NULL
    if all(kind.is_number for kind in kinds):
        if any(not (kind.is_integer or kind == DOUBLE) for kind in kinds):
            raise NeedsSpark(f"{what} of decimals")
        kind = DOUBLE if DOUBLE in kinds else max(kinds, key=lambda k: k.bits)
        return [f"CAST({part.text} AS {kind.duckdb})" for part in parts], kind
    raise c.wrong(
        f"{what} mixes " + " and ".join(sorted(kind.words for kind in kinds)), "bring them to one type by CAST"
    )


def _case(c: Compiler, node: exp.Case) -> Sql:
    of = c.sql(node.this) if node.this is not None else None
    branches = []
    for branch in node.args["ifs"]:
        if of is None:
            condition = c.boolean(branch.this)
        else:
            a, b, _ = c.pair(of, c.sql(branch.this))
            condition = f"({a} = {b})"
        branches.append((condition, c.sql(branch.args["true"])))
    default = c.sql(node.args["default"]) if node.args.get("default") is not None else Sql("NULL", NULL)
    texts, kind = _common(c, [*(value for _, value in branches), default], "CASE")
    whens = " ".join(f"WHEN {when} THEN {then}" for (when, _), then in zip(branches, texts, strict=False))
    return Sql(f"(CASE {whens} ELSE {texts[-1]} END)", kind)


def _if(c: Compiler, node: exp.If) -> Sql:
    other = node.args.get("false")
    texts, kind = _common(c, [c.sql(node.args["true"]), c.sql(other) if other is not None else Sql("NULL", NULL)], "IF")
    return Sql(f"(CASE WHEN {c.boolean(node.this)} THEN {texts[0]} ELSE {texts[1]} END)", kind)


def _coalesce(c: Compiler, node: exp.Coalesce) -> Sql:
    texts, kind = _common(c, [c.sql(one) for one in (node.this, *node.expressions)], "COALESCE")
    return Sql(f"COALESCE({', '.join(texts)})", kind)


def _nullif(c: Compiler, node: exp.Nullif) -> Sql:
    value = c.sql(node.this)
    a, b, _ = c.pair(value, c.sql(node.expression))
    return Sql(f"(CASE WHEN {a} = {b} THEN NULL ELSE {value.text} END)", value.kind)


def _cast(c: Compiler, node: exp.Cast) -> Sql:
    found = c.sql(node.this)
    named = casts.kind_named(node.to.sql(dialect="spark").upper())
    if isinstance(found.literal, str) and named in (DATE, TIME):
        return Sql(c.moment(found.literal, named), named)
    answer = casts.cast(found.text, found.kind, node.to.sql(dialect="spark").upper())
    if answer is None:
        raise NeedsSpark(f"a cast from {found.kind.words} to {node.to.sql('spark')}")
    return Sql(*answer)


_NODES: dict[type, Callable[[Any, Any], Sql]] = {
    **functions.NODES,
    exp.Column: _column,
    exp.Dot: _column,
    exp.Literal: _literal,
    exp.Boolean: lambda c, node: Sql(str(node.this).upper(), BOOLEAN, bool(node.this)),
    exp.Null: lambda c, node: Sql("NULL", NULL),
    exp.Paren: lambda c, node: c.sql(node.this),
    exp.Not: lambda c, node: Sql(f"(NOT {c.boolean(node.this)})", BOOLEAN),
    exp.And: _logic("AND"),
    exp.Or: _logic("OR"),
    exp.EQ: _compare("="),
    exp.NEQ: _compare("<>"),
    exp.GT: _compare(">"),
    exp.GTE: _compare(">="),
    exp.LT: _compare("<"),
    exp.LTE: _compare("<="),
    exp.NullSafeEQ: _compare("IS NOT DISTINCT FROM"),
    exp.Is: _is,
    exp.In: _among,
    exp.Between: _between,
    exp.Like: _like,
    exp.ILike: _like,
    exp.RegexpLike: _rlike,
    exp.Neg: _negative,
    exp.Add: _arithmetic("+"),
    exp.Sub: _arithmetic("-"),
    exp.Mul: _arithmetic("*"),
    exp.Div: _divide,
    exp.IntDiv: _whole("//"),
    exp.Mod: _whole("%"),
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Cast: _cast,
}
