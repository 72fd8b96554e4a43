"""A predicate in Spark's SQL with the meaning it has here: what fails in a row is null, whatever ANSI mode is set."""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from catalog.predicates.predicate import Predicate, PredicateError, column_name, is_path, short
from catalog.predicates.regexes import may_hang

_TRYING: dict[type, str] = {
    exp.Add: "try_add",
    exp.Sub: "try_subtract",
    exp.Mul: "try_multiply",
    exp.Div: "try_divide",
    exp.Mod: "try_mod",
}


def refuse_hanging(predicate: Predicate) -> None:
    """Raise `PredicateError` for a regular expression that Java's engine, which tries all ways and cannot be stopped,
    may take for ever by: nothing else would be worked on meanwhile. One that is computed may be any."""
    for node in predicate.tree.find_all(exp.RegexpLike, exp.RegexpExtract, exp.RegexpReplace):
        pattern = node.expression
        if not (isinstance(pattern, exp.Literal) and pattern.is_string):
            raise PredicateError(
                f"in {short(predicate.text)} a regular expression is computed, which can take for ever",
                remedy="write it out as a text",
            )
        if may_hang(pattern.this):
            raise PredicateError(
                f"the regular expression {short(pattern.this)} can take for ever on some texts: it repeats a group, or "
                "repeats without an end too often, in a condition that only Spark evaluates",
                remedy="write it without (?...), backreferences and possessive marks, or repeat no group",
            )


def spark_sql(predicate: Predicate, lists: Collection[str] = ()) -> str:
    """The predicate for ``pyspark.sql.functions.expr``. Errors: `PredicateError` (`refuse_hanging`).

    Parameters
    ----------
    lists : columns that are lists, dotted and in lower case: beyond the end of one there is null.

    >>> spark_sql(Predicate("Tags[0] = 1 AND codes['a'] = 1"), ["tags"])
    "GET(Tags, 0) = 1 AND codes['a'] = 1"
    >>> spark_sql(Predicate("a / b > 1 and cast(c as int) = 2"))
    'TRY_DIVIDE(a, b) > 1 AND TRY_CAST(c AS INT) = 2'
    """
    refuse_hanging(predicate)
    tree = predicate.tree.copy()
    for node in reversed(list(tree.walk())):  # parts before the whole: what replaces a node is not walked again
        safe = _safe(node, lists)
        if node is tree:
            tree = safe
        elif safe is not node:
            node.replace(safe)
    return tree.sql(dialect="spark")


def _safe(node: exp.Expr, lists: Collection[str]) -> exp.Expr:
    if isinstance(node, exp.Bracket) and is_path(node.this) and column_name(node.this).casefold() in lists:
        return exp.Anonymous(this="get", expressions=[node.this.copy(), node.expressions[0].copy()])
    name = _TRYING.get(type(node))
    if name is not None:
        return exp.Anonymous(this=name, expressions=[node.this.copy(), node.expression.copy()])
    if isinstance(node, exp.IntDiv):
        return _divided(node)
    if isinstance(node, exp.Neg) and not isinstance(node.this, exp.Literal):
        return _negative(node.this.copy())
    if isinstance(node, exp.Abs):
        below = exp.LT(this=node.this.copy(), expression=exp.Literal.number(0))
        return exp.Case(ifs=[exp.If(this=below, true=_negative(node.this.copy()))], default=node.this.copy())
    if isinstance(node, exp.Cast):
        return exp.TryCast(this=node.this.copy(), to=node.to, safe=True)
    return node


def _negative(node: exp.Expr) -> exp.Expr:
    """The lowest number of a type has no negative in it."""
    return exp.Anonymous(this="try_subtract", expressions=[exp.Literal.number(0), node])


def _divided(node: exp.IntDiv) -> exp.Expr:
    """``a div b``: null by zero, and where the lowest number is divided by -1."""
    a, b = node.this.copy(), node.expression.copy()
    whole = exp.IntDiv(this=a.copy(), expression=exp.Nullif(this=b.copy(), expression=exp.Literal.number(0)))
    minus = exp.EQ(this=b, expression=exp.Neg(this=exp.Literal.number(1)))
    wide = exp.Cast(this=a, to=exp.DataType.build("bigint"))
    return exp.Case(ifs=[exp.If(this=minus, true=_negative(wide))], default=whole)
