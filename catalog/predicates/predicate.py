"""A predicate: parsed, limited to expressions, with its columns and its fingerprint."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError

from catalog.errors import UsageError

#: A longer text is no condition a person wrote; parsing it would cost more than judging by it. A bound.
MOST_TEXT = 4_000
#: Deeper nesting than this exhausts the interpreter's stack in the parser. A bound.
DEEPEST = 120
#: The same of what is parsed, whose levels are operators as well (a + a + ...). A bound.
MOST_LEVELS = 140


def _nodes(names: str) -> tuple[type[exp.Expr], ...]:
    return tuple(getattr(exp, name) for name in names.split())


#: What an expression may be made of beside functions: columns, literals, operators, CASE.
_SYNTAX = _nodes(
    "Column Identifier Dot Literal Boolean Null Paren Tuple DataType DataTypeParam And Or Not EQ NEQ GT GTE LT "
    "LTE NullSafeEQ NullSafeNEQ Is In Between Like ILike RegexpLike Escape Add Sub Mul Div IntDiv Mod Neg DPipe "
    "BitwiseAnd BitwiseOr BitwiseXor BitwiseNot Case If Cast TryCast Coalesce Nullif Interval Var Bracket"
)
#: Functions whose answer depends on the row alone, by the name of sqlglot's node.
_FUNCTIONS = _nodes(
    "Abs Ceil Floor Round Sign Sqrt Exp Ln Pow Greatest Least IsNan Length Upper Lower Trim Substring Concat "
    "Contains StartsWith EndsWith Replace RegexpExtract RegexpReplace Initcap Reverse Left Right StrPosition "
    "Split Year Quarter Month Day DayOfMonth DayOfWeek DayOfYear WeekOfYear Hour Minute Second DateAdd DateSub "
    "DateDiff AddMonths LastDay TsOrDsToDate TsOrDsAdd TsOrDsDiff TimestampTrunc DateTrunc StrToTime TimeToStr "
    "StrToDate ArraySize ArrayContains MD5 SHA SHA2 Levenshtein Hex Unhex"
)
#: Words of the language, which a name may be only in backticks.
_WORDS = frozenset(word for said in Spark.Tokenizer.KEYWORDS for word in said.split())
#: How the parser points at a place, for terminals.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_REMEDY = "write a condition on one row's columns, such as amount >= 0 AND currency IN ('EUR', 'USD')"


class PredicateError(UsageError):
    """A text that is no condition on rows, or one that does not fit the table."""


@dataclass(frozen=True)
class Predicate:
    """A condition on the rows of one table.

    Parameters
    ----------
    text : SQL expression in Spark's dialect, as it was written.

    Raises `PredicateError` where the text cannot be parsed or is more than an expression.

    >>> price = Predicate("price > 0 and `unit code` is not null")
    >>> price.columns, price.fingerprint == Predicate("price>0   AND `unit code` IS NOT NULL").fingerprint
    (('price', 'unit code'), True)
    """

    text: str

    def __post_init__(self) -> None:
        _ = self.tree

    @cached_property
    def tree(self) -> exp.Expr:
        """Its syntax tree; not to be changed."""
        return _parse(self.text)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it names, dotted, each once, in order of the text."""
        return _columns(self.text)

    @property
    def canonical(self) -> str:
        """One spelling of all texts that differ in space and case of keywords only."""
        return _canonical(self.text)

    @property
    def fingerprint(self) -> str:
        """SHA-256 (first 16 hex digits) of the canonical text: under it states are kept."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()[:16]


def outer_columns(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The column nodes of a tree: a struct's field is one column, not its parts."""
    yield from filter(is_path, tree.walk(prune=is_path))


def is_path(node: exp.Expr) -> bool:
    """Whether a node is a column or a field of one; what an element of a list holds is none."""
    while isinstance(node, exp.Dot):
        node = node.this
    return isinstance(node, exp.Column)


def column_name(node: exp.Expr) -> str:
    """Dotted name of a column node.

    >>> column_name(Predicate("a.b.`c d`.e.f > 1").tree.this)
    'a.b.c d.e.f'
    """
    if isinstance(node, exp.Dot):
        return f"{column_name(node.this)}.{node.expression.name}"
    return ".".join(part.name for part in node.parts) if isinstance(node, exp.Column) else node.name


@lru_cache(maxsize=4096)
def _columns(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column_name(node) for node in outer_columns(_parse(text))))


@lru_cache(maxsize=4096)
def _canonical(text: str) -> str:
    return _parse(text).sql(dialect="spark", normalize=False)


@lru_cache(maxsize=4096)
def _parse(text: str) -> exp.Expr:
    if not text or not text.strip():
        raise PredicateError("the condition is empty", remedy=_REMEDY)
    if len(text) > MOST_TEXT:
        raise PredicateError(f"the condition has {len(text):,} characters", remedy=f"keep it below {MOST_TEXT:,}")
    if _depth(text) > DEEPEST:
        raise PredicateError("the condition is nested too deeply", remedy="use IN (...) or fewer brackets")
    try:
        found = sqlglot.parse(text, read="spark")
    except (SqlglotError, RecursionError) as error:
        raise PredicateError(f"the condition {short(text)} cannot be parsed: {_cause(error)}", remedy=_REMEDY) from None
    if len(found) != 1 or found[0] is None:
        raise PredicateError(f"{short(text)} is more than one expression", remedy=_REMEDY)
    tree = _outright(found[0])
    if _levels(tree) > MOST_LEVELS:
        raise PredicateError("the condition is nested too deeply", remedy="use IN (...) or fewer brackets")
    _refuse(tree, text)
    return tree


def _levels(tree: exp.Expr) -> int:
    """How deep a tree is; a chain of ANDs, or of ORs, counts as one."""
    deepest, open_ = 0, [(tree, 1)]
    while open_:
        node, level = open_.pop()
        deepest = max(deepest, level)
        open_ += [(one, level + (type(one) is not type(node) or not isinstance(one, exp.Connector)))
                  for one in node.iter_expressions()]  # fmt: skip
    return deepest


def _outright(tree: exp.Expr) -> exp.Expr:
    """The same with NOT around each LIKE that the parser marks as negated: whoever reads the tree sees it there."""
    for node in list(tree.find_all(exp.Like, exp.ILike)):
        if node.args.get("negate"):
            node.set("negate", None)
            whole = node.parent if isinstance(node.parent, exp.Escape) else node
            denied = exp.Not(this=whole.copy())
            tree = denied if whole is tree else tree
            whole.replace(denied)
    return tree


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        deepest = max(deepest, depth)
    return deepest


def _refuse(tree: exp.Expr, text: str) -> None:
    """Raise for whatever is not on the list of what an expression may be made of."""
    for node in tree.walk():
        if isinstance(node, exp.In) and node.args.get("query"):
            raise PredicateError(
                f"{short(text)} holds a subquery", remedy="compare two tables by a check between tables"
            )
        if isinstance(node, exp.CurrentDate | exp.CurrentTimestamp | exp.CurrentTime):
            raise PredicateError(
                f"{short(text)} asks the clock: the same rows would pass one day and fail another",
                remedy="use a freshness check",
            )
        if not isinstance(node, (*_SYNTAX, *_FUNCTIONS)):
            raise PredicateError(f"{_named(node)} cannot stand in a condition", remedy=_REMEDY)


def _named(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return f"the function {node.name}"
    if isinstance(node, exp.Func):
        return f"the function {node.sql_name()}"
    return node.key.upper()


def short(text: str) -> str:
    """A text in quotes, cut to what fits a line."""
    flat = " ".join(text.split())
    return f"'{flat if len(flat) <= 60 else flat[:57] + '...'}'"


def _cause(error: Exception) -> str:
    """Why a text was not parsed, in words.

    >>> _parse("price >")
    Traceback (most recent call last):
        ...
    catalog.predicates.predicate.PredicateError: the condition 'price >' cannot be parsed: something is missing at \
character 7; write a condition on one row's columns, such as amount >= 0 AND currency IN ('EUR', 'USD')
    """
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    told = (getattr(error, "errors", None) or [{}])[0]  # where and what, beside a text with names of the parser's code
    if told.get("col"):
        what = str(told["description"]).partition(" for <class")[0]
        what = "something is missing" if what.startswith("Required keyword") else what[:1].lower() + what[1:]
        line = f"line {told['line']}, " if told["line"] > 1 else ""
        return f"{what} at {line}character {told['col']}"
    return " ".join(_COLOURS.sub("", str(error)).split())[:160].encode("ascii", "replace").decode()


def first_missing(predicate: Predicate, names: Iterable[str]) -> str | None:
    """The first column of a predicate that is none of `names`, nor a struct that some of these stand in; names are
    compared without case, as Spark does.

    >>> first_missing(Predicate("Price > 0 and tax > 0"), ["price"])
    'tax'
    >>> first_missing(Predicate("address IS NULL or address.town > ''"), ["address.city"])
    'address.town'
    """
    known = {name.casefold() for name in names}
    return next((one for one in predicate.columns if one.casefold() not in known and not is_struct(one, known)), None)


def is_struct(name: str, columns: Iterable[str]) -> bool:
    """Whether a name is that of a struct that some columns, in lower case, stand in.

    >>> is_struct("Address", ["address.city"]), is_struct("address.city", ["address.city"])
    (True, False)
    """
    inside = f"{name.casefold()}."
    return any(one.startswith(inside) for one in columns)


def renamed(text: str, moved: Mapping[str, str]) -> str:
    """The same condition on a table whose columns have other names now; whatever else it says stays as it was written.

    Parameters
    ----------
    moved : dotted names of leaf columns, old to new. Names are compared without case, as Spark does. A new one may be
        written as SQL does, in backticks, where a name itself holds a dot.

    >>> renamed("Price > 0  -- none is free", {"price": "unit price"})
    '`unit price` > 0  -- none is free'
    >>> renamed("a.b > c AND a IS NOT NULL", {"a.b": "x.b", "b": "z", "c": "a.c"})
    'x.b > a.c AND x IS NOT NULL'
    >>> renamed("net.amount > 0", {"net.amount": "`net.amount`"})
    '`net.amount` > 0'
    """
    names = {tuple(old.casefold().split(".")): parts(new) for old, new in moved.items()}
    edits = []
    for node in outer_columns(Predicate(text).tree):
        places = [one.meta for one in node.find_all(exp.Identifier)]
        now = _now(tuple(column_name(node).split(".")), names)
        if now is not None:
            edits.append((min(one["start"] for one in places), max(one["end"] for one in places) + 1, now))
    for start, end, now in sorted(edits, reverse=True):
        text = text[:start] + ".".join(map(_quoted, now)) + text[end:]
    return text


def parts(name: str) -> tuple[str, ...]:
    """The names that a dotted one consists of.

    >>> parts("a.b"), parts("`a.b`.`c``d`")
    (('a', 'b'), ('a.b', 'c`d'))
    """
    if not name.startswith("`"):
        return tuple(name.split("."))
    return tuple(part.replace("``", "`") for part in re.findall(r"`((?:[^`]|``)*)`", name))


def _now(name: tuple[str, ...], moved: Mapping[tuple[str, ...], tuple[str, ...]]) -> tuple[str, ...] | None:
    """What a column, a field of it, or a struct that it stands in is called now; None where that is as it was."""
    asked = tuple(part.casefold() for part in name)
    for old, new in moved.items():
        if asked[: len(old)] == old:
            return (*new, *name[len(old) :])
        inside = old[len(asked) :]
        if asked == old[: len(asked)] and tuple(part.casefold() for part in new[-len(inside) :]) == inside:
            return new[: -len(inside)] if new[: -len(inside)] != name else None
    return None


def _quoted(name: str) -> str:
    """A name as it stands in SQL: in backticks where it is no plain word, or a word of the language."""
    plain = re.fullmatch(r"[A-Za-z_]\w*", name, re.A) and name.upper() not in _WORDS
    return name if plain else "`" + name.replace("`", "``") + "`"
