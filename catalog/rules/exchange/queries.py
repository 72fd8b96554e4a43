"""Queries of contracts: those that count rows or take one figure of the table are checks; all others are told why not.

A query is parsed and never run: what becomes of it is a kind of check with a condition on rows, which
`catalog.predicates` limits to expressions.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from catalog.declared.constraint import Constraint
from catalog.errors import UsageError
from catalog.measures.metrics import quoted
from catalog.predicates.predicate import DEEPEST, MOST_TEXT, Predicate, column_name
from catalog.rules.exchange.bands import Band, both, figure, wrong_rows
from catalog.rules.exchange.demands import Made, all_there, is_whole, row_condition

#: What a query calls the table that it is asked of.
_TABLE = "assay_table"
#: A place that is filled in when a query runs; {3} is a part of a regular expression.
_PLACE = re.compile(r"\$?\{+\s*([A-Za-z_][\w.-]*)\s*\}+")
#: Name of what a query finds: Spark names it after its text otherwise, where a dot of a number parts two names.
_FIGURE = "figure"
_COLUMN_PLACES = ("property", "column", "field", "column_name")
_FIGURES: dict[str, str] = {
    "has_mean": "AVG({})",
    "has_min": "MIN({})",
    "has_max": "MAX({})",
    "has_sum": "SUM({})",
    "has_standard_deviation": "STDDEV_POP({})",
    "has_variance": "VAR_POP({})",
    "has_count_distinct": "COUNT(DISTINCT {})",
    "has_distinctness": "COUNT(DISTINCT {0}) * 1E0 / NULLIF(COUNT({0}), 0)",
}
_NODES: dict[type[exp.Expr], str] = {
    exp.Avg: "has_mean", exp.Min: "has_min", exp.Max: "has_max", exp.Sum: "has_sum",
    exp.StddevPop: "has_standard_deviation", exp.VariancePop: "has_variance",
}  # fmt: skip
_REMEDY = "write it as a condition on rows, or declare a check"
_SHAPE = "the query is none that counts rows of the table or takes one figure of a column"


def of_query(query: str, band: Band, *, column: str = "", names: Collection[str] = ()) -> Made:
    """The check that a query with bounds for its result is.

    Parameters
    ----------
    column : which `{property}` and its like stand for. names : what the table may be called beside `{object}`.

    Raises `UsageError` for a query that is no such check.

    >>> of_query("SELECT COUNT(*) FROM {object} WHERE total < 0", Band(0, 0)).sentence
    'every row meets NOT COALESCE(total < 0, FALSE)'
    >>> of_query("SELECT AVG({property}) FROM {object}", Band(1, 2), column="price").sentence
    'mean of price is 1 to 2'
    """
    asked, where = _parts(query, column, names)
    if isinstance(asked, exp.Count) and isinstance(asked.this, exp.Distinct):
        listed = asked.this.expressions
        return figure("has_count_distinct", [_name(one) for one in listed], band, where=where)
    if isinstance(asked, exp.Count | exp.CountIf) or (isinstance(asked, exp.Sum) and _counted(asked.this) is not None):
        conditions = [f"({one})" for one in (where, _of_count(asked)) if one]
        if not conditions:
            return figure("has_size", (), band)
        condition = " AND ".join(conditions) if len(conditions) > 1 else conditions[0][1:-1]
        return wrong_rows(never(condition), band) if band.none_at_all else figure("has_size", (), band, where=condition)
    if isinstance(asked, exp.Avg) and (counted := _counted(asked.this)) is not None:
        share = Constraint("satisfies", arguments={"condition": counted}, where=where)
        return wrong_rows(share, Band(_percent(band.high), _percent(band.low), band.below, band.above), percent=True)
    if isinstance(asked, exp.Div) and (distinct := _of_distinctness(asked)) is not None:
        there = all_there(distinct) if len(distinct) > 1 else where
        if where != there and (where is None or Predicate(where).canonical != Predicate(there or "").canonical):
            raise UsageError("rows that lack one of several columns are counted in part", remedy=_REMEDY)
        return figure("has_distinctness", distinct, band, where=there)
    kind = _NODES.get(type(asked))
    if kind is None or not isinstance(asked.this, exp.Column | exp.Dot):
        raise UsageError(_SHAPE, remedy=_REMEDY)
    return figure(kind, (_name(asked.this),), band, where=where)


def of_failing_rows(query: str, *, names: Collection[str] = ()) -> Constraint:
    """The check that no row is one that a query selects.

    >>> of_failing_rows("SELECT * FROM {batch} WHERE a > b").sentence
    'every row meets NOT COALESCE(a > b, FALSE)'
    """
    _asked, where = _parts(query, "", names, rows=True)
    if where is None:
        raise UsageError("the query selects every row", remedy=_REMEDY)
    return never(where)


def never(condition: str) -> Constraint:
    """The check that no row meets a condition. What `query_of` wrote is read as it was.

    >>> never("(paid) AND NOT COALESCE(total > 0, FALSE)").sentence
    'every row meets total > 0, where paid'
    """
    try:
        tree = sqlglot.parse_one(condition, read="spark")
    except (SqlglotError, RecursionError):
        tree = exp.Null()  # which the predicate says more of
    where, denied = (tree.left, tree.right) if isinstance(tree, exp.And) else (None, tree)
    inner = denied.this if isinstance(denied, exp.Not) else None
    if isinstance(inner, exp.Coalesce) and [one.sql() for one in inner.expressions] == ["FALSE"]:
        told = None if where is None else where.unnest().sql(dialect="spark")
        return Constraint("satisfies", arguments={"condition": inner.this.sql(dialect="spark")}, where=told)
    return Constraint("satisfies", arguments={"condition": f"NOT COALESCE({condition}, FALSE)"})


def query_of(one: Constraint, table: str) -> tuple[str, float | None, float | None] | None:
    """A query for a check, and the bounds of its result; None where there is none. Inverse of `of_query`.

    >>> query_of(Constraint("satisfies", arguments={"condition": "a > 0"}), "orders")
    ('SELECT COUNT(*) FROM orders WHERE NOT COALESCE(a > 0, FALSE)', 0, 0)
    """
    if row_condition(one) is not None and is_whole(one):
        return f"SELECT COUNT(*) FROM {table} WHERE {one.failing()}", 0, 0  # noqa: S608 - written for others
    asked = figure_of(one)
    where = f" WHERE {one.where}" if one.where else ""
    # the table is a name or a place of the format, written for others
    if asked is None:
        return None
    return f"SELECT {asked} AS {_FIGURE} FROM {table}{where}", one.at_least, one.at_most  # noqa: S608


def figure_of(one: Constraint) -> str | None:
    """The figure of a check in SQL, of all rows that are asked; None where there is none. Shares are doubles: Spark's
    average of decimals is one, which deequ takes for no number.

    >>> figure_of(Constraint("satisfies", arguments={"condition": "a > 0"}, at_least=0.9))
    'AVG(CASE WHEN a > 0 THEN 1E0 ELSE 0E0 END)'
    """
    condition = row_condition(one)
    if condition is not None:
        return f"AVG(CASE WHEN {condition} THEN 1E0 ELSE 0E0 END)"
    if one.kind == "has_size":
        return "COUNT(*)"
    if one.kind == "has_distinctness" and len(one.columns) > 1:
        together = ", ".join(map(quoted, one.columns))  # a row that lacks one is not among those that are counted
        asked = f"COUNT(DISTINCT {together}) * 1E0 / NULLIF(COUNT(*), 0)"
        return asked if one.where == all_there(one.columns) else None
    if one.kind not in _FIGURES:
        return None
    return _FIGURES[one.kind].format(", ".join(quoted(name) for name in one.columns))


def of_violation(query: str, place: str, column: str) -> Made:
    """The check that is broken where a query says so in a column: by a figure below one number or above another.

    Parameters
    ----------
    place : what the table is called in the query.

    >>> of_violation("SELECT AVG(a) < 1 OR AVG(a) > 2 AS wrong FROM rows", "rows", "wrong").sentence
    'mean of a is 1 to 2'
    """
    asked, _ = _parts(query, "", (place,))
    (tree,) = sqlglot.parse(_PLACE.sub(_TABLE, query).strip().rstrip(";"), read="spark")
    assert isinstance(tree, exp.Select)
    sides = list(asked.flatten()) if isinstance(asked, exp.Or) else [asked]
    found = [_bound(one) for one in sides]
    if tree.expressions[0].alias != column or len(found) > 2 or len({figure for figure, _ in found}) != 1:
        raise UsageError(_SHAPE, remedy=_REMEDY)
    tree.set("expressions", [sqlglot.parse_one(found[0][0], read="spark")])
    band = found[0][1] if len(found) == 1 else both(found[0][1], found[1][1])
    return of_query(tree.sql(dialect="spark"), band, names=(place,))


def _bound(node: exp.Expr) -> tuple[str, Band]:
    """A figure, and the band that a comparison with a number says it has left."""
    node = node.unnest()
    number = node.expression if isinstance(node, exp.LT | exp.GT) else None
    value = None if number is None else _number(number.this if isinstance(number, exp.Neg) else number)
    if value is None:
        raise UsageError(_SHAPE, remedy=_REMEDY)
    value = -value if isinstance(number, exp.Neg) else value
    band = Band(low=value) if isinstance(node, exp.LT) else Band(high=value)
    return str(node.this.sql(dialect="spark")), band


def _of_distinctness(node: exp.Div) -> list[str] | None:
    """The columns whose different values are divided by their values; of several by the rows."""
    values, own = node.expression.unnest(), node.this.unnest()
    values = values.this if isinstance(values, exp.Nullif) else values
    own = own.left.unnest() if isinstance(own, exp.Mul) and _number(own.right) == 1 else own
    distinct = own.this if isinstance(own, exp.Count) else None
    if not isinstance(distinct, exp.Distinct) or not isinstance(values, exp.Count):
        return None
    listed = distinct.expressions
    same = values.this == listed[0] if len(listed) == 1 else isinstance(values.this, exp.Star)
    return [_name(one) for one in listed] if same else None


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * (1 - share)


def _name(node: exp.Expr) -> str:
    if not isinstance(node, exp.Column | exp.Dot):
        raise UsageError(_SHAPE, remedy=_REMEDY)
    return column_name(node)


def _parts(query: str, column: str, names: Collection[str], rows: bool = False) -> tuple[exp.Expr, str | None]:
    """What a query selects, and its condition on rows."""
    if len(query) > MOST_TEXT:
        raise UsageError(f"the query has {len(query):,} characters", remedy=f"keep it below {MOST_TEXT:,}")
    if max(query.count("("), query.count("[")) > DEEPEST:
        raise UsageError("the query is nested too deeply", remedy=_REMEDY)
    place = quoted(column) if column else "`no column`"
    text = _PLACE.sub(lambda found: place if found[1].lower() in _COLUMN_PLACES else _TABLE, query)
    try:
        (tree,) = sqlglot.parse(text.strip().rstrip(";"), read="spark")
    except (SqlglotError, RecursionError, ValueError):
        raise UsageError("the query is not one statement that can be parsed", remedy=_REMEDY) from None
    if not isinstance(tree, exp.Select):
        raise UsageError("the query is no SELECT, and is not run", remedy=_REMEDY)
    beside = {name for name, one in tree.args.items() if one} - {"expressions", "from_", "from", "where", "kind"}
    if beside or list(tree.find_all(exp.Subquery, exp.Select, exp.Join, exp.Window))[1:]:
        raise UsageError("the query asks for more than rows of one table", remedy=_REMEDY)
    source = tree.args.get("from_") or tree.args.get("from")
    table = source.this if source is not None else None
    known = {_TABLE, "primary", "input_view", *(name.casefold() for name in names)}
    if not isinstance(table, exp.Table) or not {table.name.casefold(), _full(table).casefold()} & known:
        raise UsageError("the query reads another table", remedy="compare two tables by a check between tables")
    if not rows and len(tree.expressions) != 1:
        raise UsageError(_SHAPE, remedy=_REMEDY)
    own = {table.alias_or_name.casefold(), table.name.casefold()}
    for node in tree.find_all(exp.Column):
        if node.table.casefold() in own:
            node.set("table", None)
    where = tree.args.get("where")
    asked = tree.expressions[0].unalias().unnest()
    while isinstance(asked, exp.Cast | exp.Coalesce):
        asked = asked.this
    return asked, None if where is None else where.this.sql(dialect="spark")


def _full(table: exp.Table) -> str:
    return ".".join(part.name for part in table.parts)


def _counted(node: exp.Expr) -> str | None:
    """The condition of CASE WHEN ... THEN 1 ELSE 0 END, or of IF; None of all else."""
    node = node.unnest()
    ifs = node.args.get("ifs") if isinstance(node, exp.Case) and node.this is None else None
    one = ifs[0] if ifs and len(ifs) == 1 else node if isinstance(node, exp.If) else None
    if one is None:
        return None
    other = node.args.get("default") if isinstance(node, exp.Case) else node.args.get("false")
    if _number(one.args.get("true")) != 1 or _number(other) not in (0, None):
        return None
    return str(one.this.sql(dialect="spark"))


def _number(node: exp.Expr | None) -> float | None:
    return float(node.this) if isinstance(node, exp.Literal) and node.is_number else None


def _of_count(asked: exp.Expr) -> str | None:
    """What a row has to meet to be counted, beside the query's condition."""
    if isinstance(asked, exp.Sum):
        return _counted(asked.this)
    if isinstance(asked, exp.CountIf):
        return str(asked.this.sql(dialect="spark"))
    if isinstance(asked.this, exp.Star | exp.Literal):
        return None
    return f"{quoted(_name(asked.this))} IS NOT NULL"
