"""What a verdict on a sensitive column may tell: that it broke a demand and by how many rows, never a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from catalog.checks.verdict import VIOLATED, Verdict
from catalog.rules.metrics import METRICS, beside, number
from catalog.rules.private import TELLING, tells
from catalog.rules.rule import Rule
from catalog.tags.masking import mask_all


def private_verdict(rule: Rule, verdict: Verdict) -> Verdict:
    """The verdict without values. `rule` is the one that judged, made fit by `catalog.rules.private.private`.

    How offending rows are found is left out too (a vocabulary's regex lists its values): find them first.

    >>> clauses = [{"metric": "min", "lag": 0, "log": False, "low": 1, "high": 2}]
    >>> rule = Rule("history", "pay", {"clauses": clauses}, 0.001, "x", "avh")
    >>> said = Verdict(VIOLATED, "Column 'pay': minimum is 9.", {"min": 9}, {"min": [1, 2]}, "min", 9.0, 1.0, 2.0)
    >>> private_verdict(rule, said)
    Verdict(status='violated', sentence="Column 'pay': minimum is not as expected.", observed={}, expected={},
    metric='min', value=None, low=None, high=None, offenders={})
    """
    if rule.kind in ("pattern", "vocabulary"):
        return replace(
            verdict, offenders={} if any(map(tells, rule.params.get("clauses") or [])) else verdict.offenders
        )
    hidden = verdict.metric in TELLING
    figures = hidden and any(one is not None for one in (verdict.value, verdict.low, verdict.high))
    if rule.column is None or not (figures or TELLING & verdict.observed.keys()):  # or it was hidden before
        return verdict
    return replace(
        verdict,
        sentence=_sentence(rule, verdict) if verdict.status == VIOLATED else verdict.sentence,
        observed={name: value for name, value in verdict.observed.items() if name not in TELLING},
        expected={name: value for name, value in verdict.expected.items() if name not in TELLING},
        value=None if hidden else verdict.value,
        low=None if hidden else verdict.low,
        high=None if hidden else verdict.high,
        offenders={},
    )


def _sentence(rule: Rule, verdict: Verdict) -> str:
    said = [_say(name, value, verdict.expected) for name, value in verdict.observed.items()]
    more = f"; and {len(said) - 3} more metrics" if len(said) > 3 else ""
    return f"Column {rule.column!r}: {'; '.join(said[:3])}{more}."


def _say(name: str, value: Any, expected: Mapping[str, Any]) -> str:
    if name not in METRICS:
        return f"{name} is not as expected"
    if name in TELLING:
        return f"{METRICS[name].words} is not as expected"
    low, high = expected.get(name) or (None, None)
    if high is None:
        return f"{METRICS[name].words} is {number(name, value)}"
    said, band = beside(name, value, low, high)
    return f"{METRICS[name].words} is {said}, expected {band}"


def private_text(sentence: str) -> str:
    """A sentence about metrics that was said before, with what tells values left out.

    >>> private_text("Column 'pay': minimum is 31,337, expected 1 to 2; share of rows that are not null is 9%.")
    "Column 'pay': minimum is not as expected; share of rows that are not null is 9%."
    """
    told = [METRICS[name].words for name in METRICS if name in TELLING]
    head, colon, rest = sentence.partition(": ")
    parts = (rest if colon else head).rstrip(".").split("; ")
    fit = [next((f"{words} is not as expected" for words in told if part.startswith(words)), part) for part in parts]
    return (head + colon if colon else "") + "; ".join(fit) + "."


#: Figures of a profile that are values of the column, or lie so near to one that they tell it.
VALUES = TELLING | {"q25", "q75", "q05", "q95"}


def private_profile(profile: Mapping[str, Any]) -> dict[str, Any]:
    """A column's display figures without values: those of rows by their shape, quartiles and extremes left out. A
    column of one value would tell it by its mean.

    >>> private_profile({"rows": 2, "low": "a1", "quartiles": [1.0], "metrics": {"min": 1.0, "mean": 2.0}})
    {'rows': 2, 'low': 'a9', 'metrics': {'mean': 2.0}}
    """
    shown = {name: value for name, value in profile.items() if name != "quartiles"}
    for name in ("low", "high"):
        if name in shown:
            shown[name] = mask_all(shown[name])
    if isinstance(shown.get("top"), list):
        shown["top"] = [[mask_all(one[0]), *one[1:]] for one in shown["top"] if isinstance(one, list) and one]
    if isinstance(shown.get("metrics"), dict):
        hidden = VALUES | {"mean"} if (profile.get("distinct") or 0) == 1 else VALUES
        shown["metrics"] = {name: value for name, value in shown["metrics"].items() if name not in hidden}
    return shown
