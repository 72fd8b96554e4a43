"""Rules of sensitive columns in words and figures that tell none of the column's values.

What judging needs stays in the rule; what people read is made here: a vocabulary says how many values it has, not
which; bounds of metrics that are values of the column themselves (its minimum, say) are left out. What a verdict tells
is made fit in `catalog.checks.private`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog.patterns.hierarchy import VIEWS
from catalog.rules.metrics import METRICS, clause_in_words
from catalog.rules.rule import Rule

#: Metrics that are a value of some row, or lie so near to one that they tell it.
TELLING = frozenset({"min", "max", "median", "sum", "range", "low_decile", "high_decile"})
#: Kinds of string clauses that are made of classes of characters, a domain or presence, not of values.
CLASSES = frozenset({*VIEWS, "charset", "span", "wide", "domain", "presence"})
NUMBERS = ("low", "high", "center", "slack")
SAID = 3  # clauses of a program of metrics that its sentence names

Clause = Mapping[str, Any]


def clause_sentence(clause: Clause, *, private: bool = False) -> str:
    """One clause of any rule in words.

    >>> known = {"kind": "value", "accepted": ["hiv", "flu"], "theta": 0.0, "words": "every value is “hiv” or “flu”"}
    >>> clause_sentence(known), clause_sentence(known, private=True)
    ('every value is “hiv” or “flu”', 'every value is one of 2 known values')
    >>> lowest = {"metric": "min", "lag": 0, "log": False, "low": 31000, "high": 32000}
    >>> clause_sentence(lowest), clause_sentence(lowest, private=True)
    ('minimum from 31,000 to 32,000', 'minimum as the past predicts')
    """
    if "metric" in clause:
        name = str(clause["metric"])
        if name not in METRICS:  # of another release
            return f"{name} as the past predicts"
        if private and tells(clause):
            return f"{METRICS[name].words} as the past predicts"
        return clause_in_words({"lag": 0, "log": False, "low": None, **clause})
    if not (private and tells(clause)):
        return str(clause.get("words", ""))
    many, theta = len(clause.get("accepted") or []), float(clause.get("theta") or 0.0)
    who = f"at least about {100 * (1 - theta):g}% of the values are" if theta else "every value is"
    return f"{who} one of {many} known value" + ("" if many == 1 else "s")


def tells(clause: Clause) -> bool:
    """Whether a clause is made of the column's values."""
    if "metric" in clause:
        return clause["metric"] in TELLING
    return "kind" in clause and clause["kind"] not in CLASSES


def private_sentence(rule: Rule) -> str:
    """The rule's sentence without values.

    >>> clauses = [{"kind": "value", "accepted": ["hiv"], "theta": 0.0, "words": "every value is “hiv”"}]
    >>> private_sentence(Rule("vocabulary", "x", {"clauses": clauses}, 0.01, "every value is “hiv”.", "strings"))
    'every value is one of 1 known value.'
    """
    clauses = rule.params.get("clauses") or []
    if not any(tells(clause) for clause in clauses):
        return rule.sentence
    words = [clause_sentence(clause, private=True) for clause in clauses]
    if rule.kind in ("pattern", "vocabulary"):
        return "; ".join(words) + "."
    more = [f"and {len(words) - SAID} more"] if len(words) > SAID else []
    return f"{rule.sentence.partition(': ')[0]}: {'; '.join(words[:SAID] + more)}."


def private(rule: Rule) -> Rule:
    """The rule, judging as before, with words that tell no value: what its verdicts say follows from them."""
    clauses = [
        {**clause, "words": clause_sentence(clause, private=True)} if "words" in clause else clause
        for clause in rule.params.get("clauses") or []
    ]
    params = {**rule.params, "clauses": clauses} if clauses else rule.params
    return replace(rule, params=params, sentence=private_sentence(rule))


def private_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """A rule's parameters (or evidence) as they may be shown: they judge no more.

    >>> private_params({"clauses": [{"kind": "value", "accepted": ["hiv"], "words": "every value is “hiv”"}]})
    {'clauses': [{'kind': 'value', 'accepted': 1, 'words': 'every value is one of 1 known value'}]}
    """
    return {name: _hidden(value) if _clauses(value) else value for name, value in params.items()}


def _clauses(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _hidden(clauses: Sequence[Clause]) -> list[dict[str, Any]]:
    return [_hide(clause) if tells(clause) else dict(clause) for clause in clauses]


def _hide(clause: Clause) -> dict[str, Any]:
    if "metric" in clause:
        return {name: value for name, value in clause.items() if name not in NUMBERS}
    shown = dict(clause)
    if "accepted" in clause:
        shown["accepted"] = len(clause["accepted"])
    if "words" in clause:
        shown["words"] = clause_sentence(clause, private=True)
    return shown
