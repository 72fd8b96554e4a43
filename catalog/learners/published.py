"""The published learners, as rules of the product: attached, shown and judged like any other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.clauses.candidate import Candidate
from catalog.learners.registry import Choice
from catalog.papers.avh import Constraint, learn_avh
from catalog.papers.cmdv import cmdv
from catalog.papers.corpus import TOKENS, Corpus, representatives
from catalog.papers.fmdv import FPR_TARGET, TOLERANCE, Found, Lake, coverage_wanted, fmdv, fmdv_h, fmdv_v, fmdv_vh
from catalog.patterns.generalise import joined
from catalog.patterns.language.pattern import Pattern
from catalog.rules.clauses.band import BandClause
from catalog.rules.clauses.programs import stays
from catalog.rules.clauses.strings import StringClause
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.kinds.published import DataPatternRule

METHODS = {"fmdv": fmdv, "fmdv-v": fmdv_v, "fmdv-h": fmdv_h, "fmdv-vh": fmdv_vh, "cmdv": cmdv}
HORIZONTAL = frozenset({"fmdv-h", "fmdv-vh"})
MOST_OPTIONAL = 4  # segments of a pattern that may be absent; a bound: one with more is not read
DELTA = 0.001  # chosen: the false-alarm rate a version that our own learners may spend, too


def learn_pattern(
    choice: Choice, values: Sequence[tuple[str, int]], corpus: Corpus, counts: NDArray[np.bool_], *, column: str
) -> DataPatternRule | None:
    """The rule of one of the five forms; None where it has no feasible pattern.

    Parameters
    ----------
    values : of the column, as (value, rows). corpus : the lake's columns; those where `counts` is true are evidence.
    """
    rows = sum(count for _, count in values)
    told = choice.settings
    lake = Lake(
        corpus, counts, r=told.get("r", FPR_TARGET), m=int(told.get("m", coverage_wanted(corpus.columns))),
        tau=int(told.get("tau", TOKENS)), theta=told.get("theta", TOLERANCE),
    )  # fmt: skip
    found = METHODS[choice.name](values, lake) if rows else None
    patterns = () if found is None else _patterns(found)
    if found is None or not patterns:
        return None
    clause = _clause(patterns, found)
    params: dict[str, object] = {"clauses": [clause.to_json()], "rows": rows}
    if choice.name in HORIZONTAL:
        params["nonconforming"] = round(found.nonconforming * rows)
    evidence = {"coverage": found.coverage, "fpr": found.fpr, "settings": dict(told), "pattern": str(found)}
    return DataPatternRule(
        "data_pattern", column, params, min(found.fpr, 1.0), f"{clause.words}.", choice.name, evidence
    )


def _patterns(found: Found) -> tuple[str, ...]:
    """The patterns that the segments make, with and without those that may be absent."""
    if sum(optional for _, optional in found.segments) > MOST_OPTIONAL:
        return ()
    ways = [((pattern.tokens, ()) if optional else (pattern.tokens,)) for pattern, optional in found.segments]
    made = (tuple(token for tokens in way for token in tokens) for way in product(*ways))
    return tuple(dict.fromkeys(str(Pattern(joined(tokens))) for tokens in made if tokens))


def _clause(patterns: tuple[str, ...], found: Found) -> StringClause:
    constant = any(t.kind == "const" and any(c.isalnum() for c in t.text) for p, _ in found.segments for t in p.tokens)
    candidate = Candidate("constants" if constant else "formats", patterns)
    words = candidate.words(found.nonconforming)
    return StringClause(candidate.kind, patterns, found.nonconforming, found.fpr, words=words)


def learn_program(
    choice: Choice,
    history: Sequence[Mapping[str, float]],
    issues: Sequence[Mapping[str, float]],
    *,
    column: str,
    kind: str,
) -> HistoryRule | None:
    """Auto-Validate-by-History's program for a column; None where it has no constraint that catches an issue.

    Parameters
    ----------
    history : metrics of the past batches, oldest first, without holes. issues : those of the last batch with each
        injected issue. kind : of the column.
    """
    program = learn_avh(history, issues, kind=kind, budget=choice.settings.get("delta", DELTA))
    clauses = [_band(one) for one in program.constraints]
    if not clauses:
        return None
    params = {"clauses": [clause.to_json() for clause in clauses], "batches": len(history), "kind": kind}
    bands = [clause for clause in clauses if isinstance(clause, BandClause)]
    sentence = stays(len(history), bands)
    evidence = {
        "batches": len(history),
        "clauses": len(clauses),
        "issues": len(issues),
        "settings": dict(choice.settings),
    }
    return HistoryRule("history", column, params, min(program.fpr, 1.0), sentence, choice.name, evidence)


def _band(one: Constraint) -> BandClause:
    low = None if math.isinf(one.low) else one.low
    return BandClause(one.metric, lag=one.transform.lag, log=one.transform.log, low=low, high=one.high, fpr=one.fpr)


__all__ = ["Corpus", "learn_pattern", "learn_program", "representatives"]
