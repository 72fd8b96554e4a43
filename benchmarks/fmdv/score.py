"""Precision and recall of string rules as Auto-Validate's section 5.1 measures them, and with partial damage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.fmdv.data import Tests
from catalog.evidence.calibrated.calibration import limits
from catalog.evidence.calibrated.risk import TOLERANCES
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.undamaged import SHAPE, VALUE, Undamaged, merged
from catalog.papers.fmdv import SIGNIFICANCE, fisher
from catalog.patterns.images import class_pattern
from catalog.patterns.language.pattern import Pattern
from catalog.patterns.unions import UNION_LEVELS

SHARES = (1.0, 0.2, 0.05)
Alarm = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (non-conforming rows, rows) -> alarm


@dataclass
class Demand:
    """One demand of a method: which distinct values do not conform, and when that is an alarm.

    `ignored` are the distinct values that are no rows at all (markers of missing values, for our rules).
    """

    bad: np.ndarray
    alarm: Alarm
    ignored: np.ndarray | None = None


@dataclass
class Outcome:
    """What one method does on one query column: `flagged` has shape (shares, columns)."""

    rule: bool
    false_alarm: bool
    flagged: np.ndarray
    seconds: float
    text: str = ""
    risk: float | None = None


def never(bad: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return bad > 0


def fisher_alarm(bad_before: int, rows_before: int) -> Alarm:
    """Fisher's exact test at 0.01, as FMDV-H uses it."""

    def alarm(bad: np.ndarray, rows: np.ndarray) -> np.ndarray:
        out = np.zeros(bad.shape, bool)
        for at in np.ndindex(bad.shape):
            b, n = int(bad[at]), int(rows[at])
            if n and b / n > bad_before / max(rows_before, 1):
                out[at] = fisher(bad_before, rows_before, b, n) < SIGNIFICANCE
        return out

    return alarm


def above(share: float) -> Alarm:
    """Alarm when the share of non-conforming rows is above a number."""
    return lambda bad, rows: bad > share * rows + 1e-9


_CUT: dict[int, np.ndarray] = {}
_BAD: dict[str, np.ndarray] = {}  # of regular expressions tried before


def tolerance_alarm(theta: float, trained: int) -> Alarm:
    """The product's test of a clause (`catalog.rules.kinds.strings.StringsRule.findings`)."""
    place = TOLERANCES.index(theta)

    def alarm(bad: np.ndarray, rows: np.ndarray) -> np.ndarray:
        sizes = np.minimum(rows, 9 * trained)
        caps = np.empty(rows.shape)
        for n in np.unique(sizes):
            if int(n) not in _CUT:
                _CUT[int(n)] = limits(int(n))
            caps[sizes == n] = _CUT[int(n)][place]
        return bad / np.maximum(rows, 1) > caps + 1e-9

    return alarm


# ------------------------------------------------------------------------------------- what does not conform


def outside_values(tests: Tests, known: Iterable[str]) -> np.ndarray:
    """Distinct values that are not in a dictionary."""
    bad = np.ones(len(tests.texts), bool)
    bad[[tests.number[v] for v in known if v in tests.number]] = False
    return bad


def outside_regex(tests: Tests, regex: str) -> np.ndarray:
    """Distinct values in which a regular expression is not found."""
    known = _BAD.get(regex)
    if known is None:
        found = re.compile(regex).search
        known = _BAD[regex] = np.packbits(np.array([found(text) is None for text in tests.texts]))
    return np.unpackbits(known, count=len(tests.texts)).astype(bool)


def outside_candidate(tests: Tests, candidate: Candidate) -> np.ndarray:
    """Distinct values that a clause of the product does not accept."""
    if candidate.kind == "value":
        return outside_values(tests, candidate.accepted)
    if candidate.kind == "domain":
        return tests.outside_domain(candidate.accepted[0])
    if candidate.kind in UNION_LEVELS:
        return outside_patterns(tests, map(Pattern.parse, candidate.accepted))
    if candidate.kind in ("clean", "versions"):
        return outside_regex(tests, candidate.regex())
    if isinstance(candidate, Undamaged):
        return outside_usual(tests, candidate)
    known, ids = tests.classes["ends" if candidate.kind == "trimmed" else candidate.view]
    bad = np.ones(len(known), bool)
    if candidate.kind in ("charset", "caseless", "length_range", "wider_length_range", "trimmed"):
        bad[[number for text, number in known.items() if candidate.accepts(text)]] = False
    else:
        bad[[known[text] for text in candidate.accepted if text in known]] = False
    return np.asarray(bad[ids][tests.shapes[1]])


def outside_usual(tests: Tests, candidate: Undamaged) -> np.ndarray:
    """Distinct values that are usual ones gone wrong: `Undamaged.accepts` of all at once."""
    shapes, shape_ids = tests.shapes
    usual = {VALUE: [tests.number[v] for v in candidate.usual[VALUE] if v in tests.number], SHAPE: []}
    usual[SHAPE] = [at for at, shape in enumerate(shapes) if shape in candidate.usual[SHAPE]]
    bad = {VALUE: np.zeros(len(tests.texts), bool), SHAPE: np.zeros(len(shapes), bool)}
    for fault, made in candidate.made:
        known = tests.keyed(fault.of == SHAPE, fault.key)
        bad[fault.of][[at for new in made for at in known.get(new, ())]] = True
    for of, places in usual.items():
        bad[of][places] = False
    found = bad[VALUE] | bad[SHAPE][shape_ids]
    alike = tests.keyed(True, merged)
    maybe = {at for key in candidate.alike for at in alike.get(key, ())} - set(usual[SHAPE])
    for at in np.flatnonzero(np.isin(shape_ids, list(maybe))) if maybe else ():
        found[at] |= candidate.is_misread(tests.texts[at], shapes[shape_ids[at]])
    return np.asarray(found)


def outside_patterns(tests: Tests, patterns: Iterable[Any]) -> np.ndarray:
    """Distinct values that no pattern (`catalog.patterns.language.pattern.Pattern`) matches.

    A pattern without constants of letters or digits decides by shape: only one value of each shape is tried.
    """
    bad = np.ones(len(tests.texts), bool)
    for pattern in patterns:
        plain = all(t.kind != "const" or not any(c.isalnum() for c in t.text) for t in pattern.tokens)
        if plain:
            shapes, ids = tests.shapes
            bad &= ~np.array([pattern.match(shape) for shape in shapes])[ids]
        else:
            bad &= ~_inside(tests, pattern)
    return bad


def _inside(tests: Tests, pattern: Pattern) -> np.ndarray:
    """Distinct values that match a pattern with constants; only those are tried whose shape may."""
    shapes, ids = tests.shapes
    allowed = class_pattern(str(pattern), "shape")
    if allowed is None:
        return ~outside_regex(tests, pattern.regex)
    match = np.zeros(len(tests.texts), bool)
    for i in np.flatnonzero(np.array([allowed.fullmatch(s) is not None for s in shapes])[ids]).tolist():
        match[i] = pattern.match(tests.texts[i])
    return match


def judge(tests: Tests, query: int, demands: list[Demand]) -> tuple[bool, np.ndarray]:
    """(false alarm on the clean test batch, flagged (shares, columns)) of a rule that alarms when any demand does."""
    sizes = tests.batch_sizes(query, SHARES)
    flagged = np.zeros(sizes.shape, bool)
    for demand in demands:
        counts = tests.bad_counts(demand.bad, query, SHARES)
        absent = 0 if demand.ignored is None else tests.bad_counts(demand.ignored, query, SHARES)
        flagged |= demand.alarm(counts, sizes - absent)
    false_alarm = bool(flagged[0, query])
    flagged[:, query] = False
    return false_alarm, flagged


def summary(outcomes: list[Outcome], chosen: np.ndarray) -> dict[str, float]:
    """The numbers of one method over the chosen query columns."""
    rows = [o for o, c in zip(outcomes, chosen, strict=True) if c]
    if not rows:
        return {"cases": 0}
    precision = float(np.mean([not o.false_alarm for o in rows]))
    others = [max(o.flagged.shape[1] - 1, 1) for o in rows]
    recall = [
        float(np.mean([0.0 if o.false_alarm else o.flagged[i].sum() / n for o, n in zip(rows, others, strict=True)]))
        for i in range(3)
    ]
    seconds = np.array([o.seconds for o in rows])
    f1 = 2 * precision * recall[0] / (precision + recall[0]) if precision + recall[0] else 0.0
    return {
        "cases": len(rows), "with_rule": sum(o.rule for o in rows), "precision": precision, "recall": recall[0],
        "recall_20": recall[1], "recall_5": recall[2], "f1": f1, "seconds_median": float(np.median(seconds)),
        "seconds_p95": float(np.percentile(seconds, 95)),
    }  # fmt: skip
