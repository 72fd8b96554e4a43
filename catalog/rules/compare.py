"""Two revisions of a rule set side by side, clause by clause: what was added, dropped, loosened, tightened or moved."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from catalog.rules.decisions import clauses_of, key
from catalog.rules.freshness import duration
from catalog.rules.private import clause_sentence
from catalog.rules.rule import Rule

#: A band whose ends moved less than this share of its width is the same to people.
HARDLY = 0.05
CHANGES = ("added", "dropped", "loosened", "tightened", "moved", "same")

Clause = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """One clause in both revisions: `before` and `after` in words, None where it is not there."""

    clause: str
    change: str
    before: str | None
    after: str | None


def compare(old: Rule, new: Rule, *, private: bool = False) -> list[Difference]:
    """What became of each clause, changes first, those that are the same last.

    Parameters
    ----------
    old, new : two revisions of one rule.
    private : leave the column's values out of the words.

    >>> band = {"metric": "mean", "lag": 0, "log": False}
    >>> old = Rule("history", "x", {"clauses": [{**band, "low": 1, "high": 9}]}, 0.001, ".", "avh")
    >>> new = Rule("history", "x", {"clauses": [{**band, "low": 2, "high": 8}]}, 0.001, ".", "avh")
    >>> [(d.change, d.before, d.after) for d in compare(old, new)]
    [('tightened', 'mean from 1 to 9', 'mean from 2 to 8')]
    """
    if "columns" in old.params or "columns" in new.params:
        found = _columns(old, new)
    elif "seconds" in old.params and "seconds" in new.params:
        found = [_wait(old.params["seconds"], new.params["seconds"])]
    else:
        found = _clauses(old, new, private)
    return sorted(found, key=lambda one: CHANGES.index(one.change))


def count_changes(found: Sequence[Difference]) -> dict[str, int]:
    """How many clauses of each change there are; those that are the same left out.

    >>> count_changes([Difference("a", "added", None, "x"), Difference("b", "same", "y", "y")])
    {'added': 1}
    """
    counts = {change: sum(one.change == change for one in found) for change in CHANGES[:-1]}
    return {change: count for change, count in counts.items() if count}


def _clauses(old: Rule, new: Rule, private: bool) -> list[Difference]:
    pairs: dict[str, list[list[Clause]]] = defaultdict(lambda: [[], []])
    for side, rule in enumerate((old, new)):
        for clause in clauses_of(rule):
            pairs[key(clause)][side].append(clause)
    found = []
    for name, (before, after) in pairs.items():
        for a, b in zip_longest(before, after):
            words = [None if c is None else clause_sentence(c, private=private) for c in (a, b)]
            change = "added" if a is None else "dropped" if b is None else _change(a, b)
            found.append(Difference(name, change, *words))
    return found


def _change(a: Clause, b: Clause) -> str:
    return _strings(a, b) if "accepted" in a and "accepted" in b else _band(a, b)


def _band(a: Clause, b: Clause) -> str:
    if (a.get("lag"), a.get("log")) != (b.get("lag"), b.get("log")):
        return "moved"  # it looks at another change of the metric
    low_a, low_b = (-math.inf if c.get("low") is None else c["low"] for c in (a, b))
    high_a, high_b = a["high"], b["high"]
    ends = [abs(x) for x in (high_a, high_b) if math.isfinite(x)] + [abs(x) for x in (low_a, low_b) if math.isfinite(x)]
    width = high_a - low_a if math.isfinite(low_a) else max(ends, default=1.0)
    tiny = HARDLY * width + 1e-12
    down, up = _moved(low_a, low_b), high_b - high_a
    if abs(down) <= tiny and abs(up) <= tiny:
        return "same"
    if down <= tiny and up >= -tiny:
        return "loosened"
    return "tightened" if down >= -tiny and up <= tiny else "moved"


def _moved(a: float, b: float) -> float:
    return 0.0 if a == b else b - a


def _strings(a: Clause, b: Clause) -> str:
    before, after = _accepted(a), _accepted(b)
    looser = after >= before and b["theta"] >= a["theta"]
    tighter = after <= before and b["theta"] <= a["theta"]
    if looser and tighter:
        return "same"
    return "loosened" if looser else "tightened" if tighter else "moved"


def _accepted(clause: Clause) -> frozenset[Any]:
    """What a clause of strings lets through: classes, characters, or lengths."""
    accepted = [str(one) for one in clause["accepted"]]
    if clause["kind"] == "charset":
        return frozenset(accepted[0])
    if clause["kind"] in ("span", "wide"):
        ends = [int(one) for one in accepted]
        return frozenset(range(min(ends), max(ends) + 1))
    return frozenset(accepted)


def _columns(old: Rule, new: Rule) -> list[Difference]:
    before, after = (dict(map(tuple, rule.params.get("columns", []))) for rule in (old, new))  # type: ignore[arg-type]
    found = []
    for name in {**before, **after}:
        a, b = before.get(name), after.get(name)
        change = "added" if a is None else "dropped" if b is None else "same" if a == b else "moved"
        found.append(Difference(str(name), change, *(None if t is None else f"{name!r} is {t}" for t in (a, b))))
    return found


def _wait(a: float, b: float) -> Difference:
    change = "same" if abs(a - b) <= HARDLY * a else "loosened" if b > a else "tightened"
    return Difference("seconds", change, f"within {duration(a)}", f"within {duration(b)}")
