"""What other tools can be asked, as declared checks: a rule is taken apart into them and written in their formats, and
a contract of theirs is read into them.

One form both ways, so that reader and writer of a format stand beside each other and lose the same things. What of a
rule is no such check is lost with its reason: what compares with earlier batches, what checks values by a validator,
waits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from typing import Any

from catalog.declared.constraint import Constraint
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.errors import UsageError
from catalog.measures.metrics import quoted
from catalog.metrics.registry import METRICS
from catalog.metrics.words import clip
from catalog.rules.clauses.band import BandClause
from catalog.rules.clauses.strings import StringClause
from catalog.rules.kinds.declared import DeclaredRule
from catalog.rules.kinds.key import KeyRule, NewKeyRule
from catalog.rules.kinds.reference import ReferenceRule
from catalog.rules.kinds.schema import SchemaRule
from catalog.rules.rule import Rule
from catalog.states.elements import list_of

#: Kinds of checks on figures that the formats know, by metric.
FIGURES = {
    "row_count": "has_size",
    "dist_val_count": "has_count_distinct",
    "mean": "has_mean",
    "std": "has_standard_deviation",
    "min": "has_min",
    "max": "has_max",
}
#: What is lost of every demand.
NOTES = (
    "A share is compared as it is; here it takes more of few rows.",
    "Missing is null there; here empty texts and markers such as NA are missing too.",
    "Which rows are asked, those of a version or the whole table, is not written.",
)
NO_RULE = "no format knows such a rule"
NO_CHECK = "the format has no such check"
OF_ELEMENTS = "it is about what lists hold, and a contract is asked of columns that have one value a row"
EARLIER = "it compares with earlier batches"
OF_A_LOAD = "values of earlier loads come again, and a contract is asked of the whole table: within a load each is one"
IN_TIME = "points in time have no such figure there"
VALIDATOR = "values are checked by a validator, not by a regular expression"
HIDDEN = "it would list values of a sensitive column"
NO_LEVEL = "the format has no warnings"
OF_TAGS = "what kind of values these are is found by itself, and told by tags: no check asks for it"
SHARE = "the format counts no share of such rows"
AGE = "its age is taken when it is asked there, here when a version comes"
LONGEST_NAME = 120  # characters; a bound of what a page shows


@dataclass(frozen=True)
class Lost:
    """A demand that a format cannot express: whose, in words, and why."""

    column: str
    words: str
    why: str


@dataclass(frozen=True)
class Asked:
    """One demand of a contract.

    Parameters
    ----------
    place : where it stands, in words.
    table : which table it is of, as the contract names it; "" where it names none.
    checks : what it is here; none where it is not taken.
    why : why it is not taken. note : how it judges otherwise there.
    """

    place: str
    table: str = ""
    checks: tuple[Constraint, ...] = ()
    why: str = ""
    note: str = ""


@dataclass(frozen=True)
class Noted:
    """Checks that judge somewhat otherwise than the tool they come from, and how."""

    checks: tuple[Constraint, ...]
    note: str


Made = Constraint | Sequence[Constraint] | Noted


def each(made: Made, change: Callable[[Constraint], Constraint]) -> Noted:
    """The same with each check changed."""
    if not isinstance(made, Noted):
        made = Noted((made,) if isinstance(made, Constraint) else tuple(made), "")
    return replace(made, checks=tuple(map(change, made.checks)))


def ask(
    place: str,
    table: str,
    make: Callable[[], Made],
    *,
    where: Any = None,
    level: str = "error",
    hint: Any = None,
    name: Any = None,
) -> Asked:
    """A demand as it was read, or why it is not taken.

    >>> ask("id", "t", lambda: Constraint("is_complete", ("id",)), name="there").checks[0].name
    'there'
    >>> ask("id", "t", lambda: Constraint("is_nice", ("id",))).why
    "there is no check 'is_nice'"
    """
    place = " ".join(str(place).split())[:200]
    try:
        words = " ".join(hint.split())[:500] if isinstance(hint, str) else ""
        made = each(make(), lambda one: replace(limited(one, where), level=level, hint=words))
        checks = made.checks
        if not checks:
            raise UsageError("it demands nothing")
        told = " ".join(str(name).split())[:LONGEST_NAME] if isinstance(name, str | int) else ""
        if told:
            names = [told, *(f"{told}_{number}" for number in range(2, len(checks) + 1))]
            checks = tuple(replace(one, name=named) for one, named in zip(checks, names, strict=False))
        return Asked(place, table, checks, note=made.note)
    except UsageError as error:
        return Asked(place, table, why=error.cause)


def limited(one: Constraint, where: Any) -> Constraint:
    """The same of the rows only that meet a condition, too."""
    if where is None or where == "":
        return one
    if not isinstance(where, str):
        raise UsageError("the condition on rows is no text", remedy="write it in SQL")
    return replace(one, where=f"({one.where}) AND ({where})" if one.where else where)


def is_there(column: str) -> str:
    """The condition that a row has a value in a column."""
    return f"{quoted(column)} IS NOT NULL"


def all_there(columns: Sequence[str]) -> str:
    """The condition that a row has a value in each of some columns.

    >>> all_there(["id", "line"])
    '`id` IS NOT NULL AND `line` IS NOT NULL'
    """
    return " AND ".join(map(is_there, columns))


def of_values(one: Constraint) -> bool:
    """Whether a check on values is asked of the rows alone that have one in its column, as tools do by themselves.

    >>> [of_values(Constraint(kind, ("id",), where=is_there("id"))) for kind in ("is_positive", "is_complete")]
    [True, False]
    """
    return len(one.columns) == 1 and one.where == is_there(one.columns[0]) and one.kind != "is_complete"


def is_whole(one: Constraint) -> bool:
    """Whether every row has to keep to a check, not only a share of them."""
    return (one.at_least or 0) >= 1


def row_condition(one: Constraint) -> str | None:
    """The condition in SQL that every row has to meet, its `where` apart; None where no row by itself breaks it."""
    if not CHECK_KINDS[one.kind].by_row:
        return None
    return next((part.predicate for part in one.parts if part.kind == "matches"), None)


def is_named(one: Constraint) -> bool:
    """Whether somebody gave a check its name."""
    return one.name != replace(one, name="").name


def demands(
    rule: Rule, *, private: bool = False, again: Container[str | None] = ()
) -> tuple[list[Constraint], list[Lost]]:
    """A rule taken apart.

    Parameters
    ----------
    private : nothing may list values of its column.
    again : columns whose values may come again in a later load, though none comes twice in one.

    >>> clauses = [{"kind": "formats", "accepted": ["SO<digit>{5}"], "theta": 0.01}]
    >>> found, lost = demands(Rule("pattern", "id", {"clauses": clauses, "rows": 9}, 0.01, "x.", "strings"))
    >>> found[0].kind, found[0].at_least, found[0].where, lost
    ('has_pattern', 0.99, '`id` IS NOT NULL', [])
    """
    found: list[Constraint] = []
    lost: list[Lost] = []
    column = rule.column or ""
    if isinstance(rule, SchemaRule):
        return [Constraint("has_column", (name,)) for name, *_ in rule.columns if not list_of(name)], []
    if list_of(column):
        words = [clause.sentence(private=private) for clause in rule.clauses] or [rule.said(private=private)]
        return [], [Lost(column, one, OF_ELEMENTS) for one in words]
    if isinstance(rule, KeyRule) and column in again:
        return [], [Lost(column, rule.said(private=private), OF_A_LOAD)]
    if isinstance(rule, KeyRule | NewKeyRule):
        return [_of_key(rule, rule.together or (column,))], []
    if isinstance(rule, ReferenceRule):
        told = {"other": rule.other, "other_columns": [rule.params["column"]]}
        return [Constraint("references", (column,), told, at_least=round(1 - rule.tolerated, 4))], []
    if isinstance(rule, DeclaredRule):
        if private and rule.tells_values:
            return [], [Lost(column, rule.said(private=True), HIDDEN)]
        return [rule.constraint], []
    for clause in rule.clauses:
        made: Constraint | str = NO_RULE
        if private and clause.tells:
            made = HIDDEN
        elif isinstance(clause, StringClause):
            made = _of_strings(clause, column)
        elif isinstance(clause, BandClause):
            made = _of_band(clause, column)
        if isinstance(made, str):
            lost.append(Lost(column, clause.sentence(private=private), made))
        else:
            found.append(made)
    if not rule.clauses:
        lost.append(Lost(column, rule.said(private=private), NO_RULE))
    return found, lost


def filled(column: str, least: float) -> Constraint:
    """That at least such a share of the rows has a value."""
    if least >= 1:
        return Constraint("is_complete", (column,))
    return Constraint("has_completeness", (column,), at_least=least)


def share_of_values(kind: str, column: str, least: float, **arguments: Any) -> Constraint:
    """That at least such a share of the values of a column keeps to something; nulls are no values."""
    where = is_there(column) if least < 1 or kind == "has_pattern" else None
    return Constraint(kind, (column,), arguments, least if least < 1 else None, where=where)


def _of_key(rule: KeyRule | NewKeyRule, columns: tuple[str, ...]) -> Constraint:
    """Rows that repeat a value are those that are left when one of each value is taken away.

    >>> _of_key(KeyRule("key", "id", {"repeated": 0.005}, 0.01, "x.", "strings"), ("id",)).sentence
    'distinct values of id per row is at least 99.5%'
    """
    where = all_there(columns) if len(columns) > 1 else None
    if rule.tolerated <= 0:
        return Constraint("is_unique", columns, where=where)
    return Constraint("has_distinctness", columns, at_least=round(1 - rule.tolerated, 6), where=where)


def _of_strings(clause: StringClause, column: str) -> Constraint | str:
    least = round(1 - clause.theta, 6)
    if clause.guards:
        return "what becomes of usual values when they are damaged is no readable expression"
    if clause.of_missing:
        return filled(column, least)
    try:
        if clause.kind == "value":
            return share_of_values("is_in", column, least, values=list(clause.accepted))
        return share_of_values("has_pattern", column, least, pattern=clause.candidate.regex())
    except ValueError:
        return VALIDATOR
    except UsageError as error:  # longer than a condition may be
        return error.cause


def _of_band(clause: BandClause, column: str) -> Constraint | str:
    if clause.lag or clause.log:
        return EARLIER
    if clause.metric == "complete_ratio":
        if clause.high < 1:
            return "nothing demands that values are missing"
        return filled(column, math.floor(1e4 * max(clause.low or 0.0, 0.0)) / 1e4)
    if clause.metric not in FIGURES:
        return "no format knows this figure"
    if clause.kind == "time" and METRICS[clause.metric].unit == "value":
        return IN_TIME
    low, high = clip(clause.metric, *clause.ends)
    bounded = low is not None and low != METRICS[clause.metric].least
    columns = (column,) if column else ()
    most = high if math.isfinite(high) else None
    return Constraint(FIGURES[clause.metric], columns, at_least=low if bounded else None, at_most=most)
