"""What is known about a candidate before it is trusted: numbers from the training rows and from the lake.

Of the column: how many rows, values and classes, what share of them was seen once (Good and Turing's estimate of what
is yet unseen), characters. Of the candidate: the same in its view. Of the lake: the coverage and the impurities of
the candidate on the columns that share something with it (Auto-Validate, SIGMOD 2021, definitions 3 to 7), on all
that match and on those that match by half.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.candidates import Candidate
from catalog.evidence.postings import Shares
from catalog.evidence.views import Profile

Floats = NDArray[np.float64]

COLUMN = (
    "rows", "values", "shapes", "runs", "tokens", "marks", "seen_once", "length", "shortest", "longest", "digits",
    "capitals", "small", "other", "spaces", "symbols", "words",
)  # fmt: skip
CLASSES = ("classes", "seen_once", "seen_twice", "largest", "smallest", "entropy")
LAKE = ("touched", "half", "pure", "impurity", "impurity_half", "pure_share", "most_share", "most_of_touched", "share")


def column_features(profile: Profile) -> Floats:
    """`COLUMN` of a training profile."""
    tables, rows = profile.tables, profile.rows
    state = profile.state
    if profile.values is not None:
        values = float(len(profile.values))
        once = sum(count == 1 for count in profile.values.values()) / rows
    elif state is not None:
        values, once = state.distinct.estimate(), state.distinct.singletons() / rows
    else:
        values, once = float(rows), 1.0
    base = (
        tables.get("shape")
        or tables.get("letters")
        or tables.get("alnum")
        or tables.get("runs")
        or tables.get("marks", {})
    )
    total = sum(len(text) * count for text, count in base.items())
    share = [sum(text.count(c) * n for text, n in base.items()) / max(total, 1) for c in "0Aaé "]
    sizes = [int(text) for text in tables.get("length", {})]
    if not sizes and state is not None and state.lengths is not None:
        sizes = [state.lengths.shortest, state.lengths.longest]
    listed = sum(base.values()) or 1
    size = [len(tables.get(view, ())) for view in ("shape", "runs", "tokens", "marks")]
    return np.array([
        rows, values, *size, once, total / listed, min(sizes, default=0), max(sizes, default=0), *share, 1 - sum(share),
        len(tables.get("words", ())),
    ], float)  # fmt: skip


def class_features(table: dict[str, int]) -> Floats:
    """`CLASSES` of a histogram."""
    counts = np.array(list(table.values()), float)
    n = counts.sum()
    p = counts / n
    return np.array([
        len(counts), (counts == 1).sum() / n, (counts == 2).sum() / n, p.max(), p.min(), -(p * np.log(p)).sum(),
    ])  # fmt: skip


def training_features(profile: Profile, found: list[Candidate]) -> Floats:
    """`COLUMN` and `CLASSES` of each candidate; shape (candidates, 23)."""
    column = column_features(profile)
    return np.array([np.concatenate([column, class_features(profile.tables[c.view])]) for c in found])


def lake_features(match: Shares, weights: Shares) -> Floats:
    """`LAKE` from the share of each column that conforms and each column's weight as evidence."""
    at = np.flatnonzero((match > 0) & (weights > 0))
    m, w = match[at], weights[at].astype(float)
    touched = w.sum()
    half = m >= 0.5
    n_half = w[half].sum()
    pure, most = w[m >= 0.9999].sum(), w[m >= 0.9].sum()
    impurity = (w * (1 - m)).sum()
    impurity_half = (w * (1 - m))[half].sum()
    total = max(float(weights.sum()), 1.0)
    return np.array([
        math.log1p(touched), math.log1p(n_half), math.log1p(pure), (impurity + 0.5) / (touched + 1),
        (impurity_half + 0.05) / (n_half + 1), (pure + 0.5) / (n_half + 1), (most + 0.5) / (n_half + 1),
        (most + 0.5) / (touched + 1), n_half / total,
    ])  # fmt: skip
