"""AWS Glue's Data Quality Definition Language.

By its documentation and its grammar; ``python -m benchmarks.exchange --tool dqdl`` runs what is written by deequ's
translator (docs/figures/exchange.md). Values that are null break a rule on the values of a column, but for what is
denied (`!=`, `not in`); between is without its ends; shares are of all rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from catalog.declared.constraint import Constraint
from catalog.errors import UsageError
from catalog.measures.metrics import quoted
from catalog.predicates.predicate import short
from catalog.rules.exchange.bands import Band, band_of, figure, wrong_rows
from catalog.rules.exchange.demands import (
    AGE,
    NO_CHECK,
    NO_LEVEL,
    Asked,
    Lost,
    Made,
    Noted,
    ask,
    each,
    is_there,
    is_whole,
    of_values,
)
from catalog.rules.exchange.documents import number_of
from catalog.rules.exchange.grammar import Rule, read_back, rules_of
from catalog.rules.exchange.queries import of_query, query_of
from catalog.rules.exchange.rows import (
    accepts_empty,
    among,
    filled_too,
    lengths,
    matching,
    not_matching,
    satisfies,
    within,
)

#: Figures by the name of a rule.
_FIGURES = {
    "RowCount": "has_size", "ColumnCount": "has_column_count", "Completeness": "has_completeness",
    "Uniqueness": "has_uniqueness", "UniqueValueRatio": "has_unique_value_ratio",
    "DistinctValuesCount": "has_count_distinct", "Mean": "has_mean", "StandardDeviation": "has_standard_deviation",
    "Sum": "has_sum", "Entropy": "has_entropy", "ColumnCorrelation": "has_correlation",
}  # fmt: skip
#: Without that of different values, to which a null is one in deequ: a query says it.
_WRITTEN = {kind: name for name, kind in _FIGURES.items() if kind not in ("has_completeness", "has_count_distinct")}
_TYPES = {"integer": "BIGINT", "int": "BIGINT", "long": "BIGINT", "double": "DOUBLE", "float": "DOUBLE",
          "decimal": "DOUBLE", "boolean": "BOOLEAN"}  # fmt: skip
_EACH = "there of every row, here of the newest value"
_HOURS = {"hours": 1.0, "days": 24.0, "minutes": 1 / 60}
_EARLIER = "it compares with earlier runs: declare has_no_anomaly, or leave it to the rules that are learned"


# ------------------------------------------------------------------------------------------------------- reading


def read(text: str) -> Iterator[Asked]:
    """The demands of a ruleset."""
    for line, said, parts in rules_of(text):
        if isinstance(parts, UsageError):
            yield Asked(f"line {line}: {short(said)}", why=parts.cause)
        else:
            yield ask(f"line {line}: {short(said)}", "", partial(_of_parts, parts))


def _of_parts(parts: Sequence[tuple[str, Rule]]) -> Made:
    """Rules with AND between them, or with OR where one lets nulls pass."""
    if any(word == "or" for word, _ in parts):
        rules = [rule for _, rule in parts]
        lets = [rule for rule in rules if rule.values == [None] and rule.sign == "="]
        others = [rule for rule in rules if rule not in lets]
        if len(rules) != 2 or len(others) != 1 or lets[0].names != others[0].names:
            raise UsageError("of two demands one has to hold, which no check asks for single rows")
        return _of_values(others[0], nulls=True)
    made = [each(check_of(rule), lambda one: one) for _, rule in parts]
    notes = "; ".join(dict.fromkeys(one.note for one in made if one.note))
    return Noted(_joined([check for one in made for check in one.checks]), notes)


def _joined(found: list[Constraint]) -> tuple[Constraint, ...]:
    """Two bounds of one figure are one check."""
    if len(found) == 2 and {one.at_least is None for one in found} == {True, False}:
        a, b = sorted(found, key=lambda one: one.at_least is None)
        if replace(a, at_least=None, at_most=b.at_most) == replace(b, at_least=None) and a.at_most is None:
            return (replace(a, at_most=b.at_most),)
    return tuple(found)


def check_of(rule: Rule) -> Made:
    """The check that a rule is. Raises `UsageError` for one that has none."""
    build = _RULES.get(rule.kind)
    if rule.dynamic:
        raise UsageError(_EARLIER)
    if rule.kind in _FIGURES:
        made = _figure(rule)
    elif build is not None:
        made = build(rule)
    else:
        raise UsageError(f"there is no check like {rule.kind[:60]}")
    where = rule.where
    return made if where is None else each(made, lambda one: replace(one, where=_both(one.where, where)))


def _both(a: str | None, b: str) -> str:
    return b if a is None or a == b else f"({a}) AND ({b})"


def _band(rule: Rule, values: Sequence[Any] | None = None) -> Band:
    given = rule.values if values is None else values
    if rule.sign == "between" and not rule.denied:
        return Band(number_of(given[0], "the bound"), number_of(given[1], "the bound"), True, True)
    if rule.denied or not rule.sign or rule.sign in ("in", "matches"):
        raise UsageError(f"{rule.kind} is no figure within a band there")
    return band_of(rule.sign, given[0])


def _figure(rule: Rule) -> Made:
    kind = _FIGURES[rule.kind]
    band = _band(rule)
    if kind == "has_completeness" and (band.low or 0) >= 1:
        return Constraint("is_complete", rule.names)
    return figure(kind, rule.names, band)


def _column(rule: Rule) -> str:
    if len(rule.names) != 1:
        raise UsageError(f"{rule.kind} asks for one column")
    return rule.names[0]


def _of_values(rule: Rule, *, nulls: bool = False) -> Made:
    """`nulls`: whether they pass, which only what is denied lets them by itself."""
    column = _column(rule)
    made = each(_values(rule, column, nulls), lambda one: one)
    passes = nulls or None in rule.values or _denies(rule) or (rule.sign == "matches" and not rule.denied)
    if rule.threshold is not None:
        if len(made.checks) > 1:
            raise UsageError("a share is not counted of such a demand")
        one = made.checks[0]
        if not passes:
            one = satisfies(f"{is_there(column)} AND NOT COALESCE({one.failing()}, FALSE)")
        low, high = (None if end is None else 100 * (1 - end) for end in (rule.threshold.high, rule.threshold.low))
        return wrong_rows(one, Band(low, high, below=rule.threshold.above), percent=True)
    if not passes or (_denies(rule) and None in rule.values):
        return Noted((*made.checks, *filled_too(Constraint("is_complete", (column,)))[1:]), made.note)
    return made


def _denies(rule: Rule) -> bool:
    return rule.sign == "!=" or (rule.sign == "in" and rule.denied)


def _values(rule: Rule, column: str, nulls: bool) -> Made:
    given = [one for one in rule.values if one is not None]
    if rule.sign in ("=", "!=", "in") and not given:
        denied = _denies(rule)
        return Constraint("is_complete", (column,)) if denied else satisfies(f"{quoted(column)} IS NULL")
    if rule.sign in ("=", "!=", "in"):
        return among(column, given, denied=_denies(rule))
    if rule.sign == "matches":
        return not_matching(column, str(given[0])) if rule.denied else matching(column, str(given[0]), nulls=nulls)
    if rule.sign == "between":
        inside = within(column, {"low": given[0], "high": given[1]}, exclusive=True)
        return satisfies(f"{quoted(column)} IS NULL OR {inside.failing()}") if rule.denied else inside
    side = {">": "low", ">=": "low", "<": "high", "<=": "high"}.get(rule.sign)
    if side is None:
        raise UsageError("it says nothing of the values")
    return within(column, {side: given[0]}, exclusive=rule.sign in (">", "<"))


def _lengths(rule: Rule) -> Made:
    """A null is as a text of no characters there."""
    column, band = _column(rule), _band(rule)
    low = None if band.low is None else int(band.low) + 1 if band.above else band.low
    high = None if band.high is None else int(band.high) - 1 if band.below else band.high
    made = lengths(column, low, high)
    if rule.threshold is not None:
        raise UsageError("a share is not counted of such a demand")
    return made if not low else filled_too(made)


def _reference(rule: Rule) -> Made:
    if len(rule.names) != 2:
        raise UsageError("it does not name columns of two tables")
    other, _, theirs = rule.names[1].partition(".")
    own = tuple(one.strip() for one in rule.names[0].split(","))
    columns = [one.strip() for one in theirs.strip("{} ").split(",") if one.strip()]
    one = Constraint("references", own, {"other": other, "other_columns": columns or list(own)})
    band = _band(rule)
    return figure("references", one.columns, band, **one.arguments)


def _same(kind: str) -> Callable[[Rule], Made]:
    def make(rule: Rule) -> Made:
        return figure(kind, (), _band(rule), other=_column(rule))

    return make


def _fresh(rule: Rule) -> Made:
    amount = re.fullmatch(r"(\d+)\s*(hours|days|minutes)", str(rule.values[0]) if rule.values else "")
    if amount is None or rule.sign not in ("<", "<="):
        raise UsageError("it does not say how old values may be")
    most = int(amount[1]) * _HOURS[amount[2]]
    return Noted((Constraint("is_fresh", (_column(rule),), at_most=most),), f"{_EACH}; {AGE}")


def _typed(rule: Rule) -> Made:
    wanted = _TYPES.get(str(rule.values[0]).lower()) if rule.values and rule.sign == "=" else None
    if wanted is None:
        raise UsageError("values are not read as that type")
    return Constraint("is_castable", (_column(rule),), {"type": wanted})


def _query(rule: Rule) -> Made:
    if not rule.sign:
        raise UsageError("what rows its query returns is not known: compare a figure of it")
    return of_query(rule.names[0] if rule.names else "", _band(rule))


_RULES: dict[str, Callable[[Rule], Made]] = {
    "IsComplete": lambda rule: Constraint("is_complete", (_column(rule),)),
    "IsUnique": lambda rule: Constraint("is_unique", rule.names),
    "IsPrimaryKey": lambda rule: [
        Constraint("is_unique", rule.names),
        *(Constraint("is_complete", (name,)) for name in rule.names),
    ],
    "ColumnExists": lambda rule: Constraint("has_column", (_column(rule),)),
    "ColumnValues": _of_values,
    "ColumnLength": _lengths,
    "ColumnDataType": _typed,
    "DataFreshness": _fresh,
    "ReferentialIntegrity": _reference,
    "RowCountMatch": _same("has_same_size"),
    "SchemaMatch": _same("has_same_schema"),
    "CustomSql": _query,
}


# ------------------------------------------------------------------------------------------------------- writing


def write(table: str, found: Iterable[Constraint]) -> tuple[str, list[Lost]]:
    """A ruleset of these checks; what is lost of them.

    >>> print(write("t", [Constraint("is_complete", ("id",), at_least=0.99), Constraint("has_size", at_most=9)])[0])
    Rules = [
        Completeness "id" >= 0.99,
        RowCount <= 9
    ]
    """
    lines: list[str] = []
    lost: list[Lost] = []
    for one in found:
        try:
            said = None if one.level == "warning" else _said(one)
        except ValueError:
            said = None
        if said is None:
            column = one.columns[0] if len(one.columns) == 1 else ""
            lost.append(Lost(column, one.sentence, NO_LEVEL if one.level == "warning" else NO_CHECK))
        else:
            lines.append(said)
    return "Rules = [\n" + ",\n".join(f"    {line}" for line in lines) + "\n]", lost


def _quote(text: str) -> str:
    """A text in quotes. Raises `ValueError` for one that cannot be told there: a backslash stands for itself."""
    quoted_text = '"' + text.replace('"', '\\"') + '"'
    if read_back(quoted_text) != text:
        raise ValueError("the text ends in a backslash, or has one before a quote, or a line end")
    return quoted_text


def _number(value: float | None) -> str:
    """A number without exponent."""
    return format(Decimal(repr(value)), "f")


def _said(one: Constraint) -> str | None:
    names = " ".join(map(_quote, one.columns))
    where = f" where {_quote(one.where)}" if one.where else ""
    if one.kind == "has_column" and "type" not in one.arguments:
        each_one = [f"ColumnExists {_quote(name)}" for name in one.columns]
        return " and ".join(f"({said})" for said in each_one) if len(each_one) > 1 else each_one[0]
    if one.kind in ("is_complete", "has_completeness") and one.at_least is not None and one.at_most in (None, 1):
        return (
            f"IsComplete {names}{where}" if is_whole(one) else f"Completeness {names} >= {_number(one.at_least)}{where}"
        )
    if one.kind == "is_unique" and is_whole(one):
        return f"IsUnique {names}{where}" if len(one.columns) == 1 else None  # the grammar takes one column
    if one.kind in _WRITTEN:
        return _banded(f"{_WRITTEN[one.kind]} {names}".strip(), where, one.at_least, one.at_most)
    values = _values_said(one)
    if values is not None:
        share = "" if is_whole(one) else f" with threshold >= {_number(one.at_least)}"
        return f"ColumnValues {names} {values}{where}{share}"
    asked = query_of(one, "primary")
    if asked is None:
        return None
    return _banded(f"CustomSql {_quote(asked[0])}", "", asked[1], asked[2])


def _values_said(one: Constraint) -> str | None:
    """What is said of values, where nulls are treated there as here. A text with a quote in it is none there."""
    told = one.arguments
    if one.at_most is not None and one.at_most < 1:
        return None
    if one.kind == "has_pattern":  # of a share deequ counts nulls, whatever is left out: a query does not
        asked_whole = is_whole(one) and not accepts_empty(told["pattern"])
        return f"matches {_quote(told['pattern'])}" if asked_whole else None
    if one.kind not in ("is_in", "is_not_in") or (one.where is not None and not of_values(one)):
        return None
    texts = all(isinstance(value, str) and not re.search(r'["\\\n]', value) for value in told["values"])
    numbers = all(isinstance(value, int) and not isinstance(value, bool) for value in told["values"])
    if not texts and not numbers:
        return None
    listed = [json.dumps(value, ensure_ascii=False) for value in told["values"]]
    listed += ["NULL"] if one.kind == "is_in" and not of_values(one) else []
    return f"{'not ' if one.kind == 'is_not_in' else ''}in [{', '.join(listed)}]"


def _banded(what: str, where: str, low: float | None, high: float | None) -> str:
    if low is not None and low == high:
        return f"{what} = {_number(low)}{where}"
    ends = [f"{what} {sign} {_number(end)}{where}" for sign, end in ((">=", low), ("<=", high)) if end is not None]
    return " and ".join(f"({said})" for said in ends) if len(ends) > 1 else ends[0]
