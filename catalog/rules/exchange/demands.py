"""What other tools can be asked of a rule, and what is lost on the way.

A rule is taken apart into demands that their formats know: a share of the rows is filled, matches a regular expression
or is among values; a figure of the column or table lies between two ends; columns are there. What is none of these is
lost with its reason: what compares with earlier batches, what checks values by a validator, waits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from catalog.metrics.registry import METRICS
from catalog.metrics.words import clip
from catalog.rules.clauses.band import BandClause
from catalog.rules.clauses.strings import StringClause
from catalog.rules.kinds.schema import SchemaRule
from catalog.rules.rule import Rule

FILLED, MATCHES, AMONG, BETWEEN, PRESENT = "filled", "matches", "among", "between", "present"
#: Figures that the formats know, by metric.
FIGURES = ("row_count", "dist_val_count", "mean", "std", "min", "max")
#: What is lost of every demand.
NOTES = (
    "A share is compared as it is; here it takes more of few rows.",
    "Missing is null there; here empty texts and markers such as NA are missing too.",
)
NO_RULE = "no format knows such a rule"
EARLIER = "it compares with earlier batches"
IN_TIME = "points in time have no such figure there"
VALIDATOR = "values are checked by a validator, not by a regular expression"
HIDDEN = "it would list values of a sensitive column"


@dataclass(frozen=True)
class Demand:
    """One thing that formats know. `least`: the share of the rows that has to conform; `low`, `high`: of a figure."""

    what: str
    column: str = ""
    least: float = 1.0
    regex: str = ""
    values: tuple[str, ...] = ()
    figure: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Lost:
    """A demand that a format cannot express: whose, in words, and why."""

    column: str
    words: str
    why: str


def demands(rule: Rule, *, private: bool = False) -> tuple[list[Demand], list[Lost]]:
    """A rule taken apart; `private`: nothing may list values of its column.

    >>> clauses = [{"kind": "formats", "accepted": ["SO<digit>{5}"], "theta": 0.01}]
    >>> found, lost = demands(Rule("pattern", "id", {"clauses": clauses, "rows": 9}, 0.01, "x.", "strings"))
    >>> found[0].what, found[0].least, lost
    ('matches', 0.99, [])
    """
    found: list[Demand] = []
    lost: list[Lost] = []
    column = rule.column or ""
    if isinstance(rule, SchemaRule):
        return [Demand(PRESENT, name) for name, _ in rule.columns], []
    for clause in rule.clauses:
        made: Demand | str = NO_RULE
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


def _of_strings(clause: StringClause, column: str) -> Demand | str:
    least = round(1 - clause.theta, 6)
    if clause.guards:
        return "what becomes of usual values when they are damaged is no readable expression"
    if clause.of_missing:
        return Demand(FILLED, column, least)
    if clause.kind == "value":
        return Demand(AMONG, column, least, values=clause.accepted)
    try:
        return Demand(MATCHES, column, least, regex=clause.candidate.regex())
    except ValueError:
        return VALIDATOR


def _of_band(clause: BandClause, column: str) -> Demand | str:
    if clause.lag or clause.log:
        return EARLIER
    if clause.metric == "complete_ratio":
        if clause.high < 1:
            return "nothing demands that values are missing"
        return Demand(FILLED, column, math.floor(1e4 * max(clause.low or 0.0, 0.0)) / 1e4)
    if clause.metric not in FIGURES:
        return "no format knows this figure"
    if clause.kind == "time" and METRICS[clause.metric].unit == "value":
        return IN_TIME
    low, high = clip(clause.metric, clause.low, clause.high)
    bounded = low is not None and low != METRICS[clause.metric].least
    return Demand(BETWEEN, column, figure=clause.metric, low=low if bounded else None, high=high)
