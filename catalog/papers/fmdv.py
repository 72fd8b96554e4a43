"""FMDV and its cuts: the pattern of least expected false-positive rate (Auto-Validate, sections 2 to 4).

==========  =========================================================================================
`fmdv`      equations 5 to 7: min FPR_T(h) over h in H(C), FPR_T(h) <= r, Cov_T(h) >= m
`fmdv_v`    8 to 11: align, then cut vertically by dynamic programming; the FPRs of the segments add up
`fmdv_h`    12 to 16: h may miss a share theta of C
`fmdv_vh`   both
==========  =========================================================================================

The paper's corpus has 7.2 million columns and m = 100. On a small lake m scales down (`coverage_wanted`). Of several
minimisers the one with the largest coverage is taken, then the most specific. A segment of one symbol that is the
same in every row is a constant: it needs no evidence, since symbols have nothing but themselves in the hierarchy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.homogeneity import SIGNIFICANCE, chi_squared, fisher, increased
from catalog.papers.corpus import TOKENS, Corpus
from catalog.patterns.align import align_many
from catalog.patterns.generalise import Space, spaces
from catalog.patterns.language.pattern import Pattern
from catalog.patterns.language.regex import whole
from catalog.patterns.language.tokens import CONST, Token, lex, signed_chunks

Counted = Sequence[tuple[str, int]]
FPR_TARGET, TOLERANCE = 0.1, 0.1  # r and theta, as the paper has chosen them
WIDEST = 40  # chunks of a value that is cut vertically; a bound of time
MOST_PATTERNS = 1 << 16  # hypotheses of a column after those the lake cannot tell apart are one; a bound of time
SEQUENCES = 16  # distinct chunk sequences that are aligned; a bound of time


@dataclass(frozen=True)
class Lake:
    """The lake with the columns that count as evidence, and the parameters of the search.

    `tau` is the largest number of tokens of a whole value or of a segment.
    """

    corpus: Corpus
    counts: NDArray[np.bool_]
    r: float = FPR_TARGET
    m: int = 5
    tau: int = TOKENS
    theta: float = TOLERANCE


@dataclass(frozen=True)
class Found:
    """A solution: segments (one without vertical cuts) as (pattern, may be absent), sum of FPR_T, least Cov_T, and the
    share theta_C(h) of the training values that do not conform."""

    segments: tuple[tuple[Pattern, bool], ...]
    fpr: float
    coverage: int
    nonconforming: float

    @property
    def regex(self) -> str:
        """Regular expression of the conforming values."""
        return whole(["".join(f"(?:{p.body})?" if optional else p.body for p, optional in self.segments)])

    def __str__(self) -> str:
        return "".join(f"({p})?" if optional else str(p) for p, optional in self.segments)


def coverage_wanted(columns: int) -> int:
    """m for a lake of so many columns: a five-hundredth of them, at least 3 and at most the paper's 100.

    >>> coverage_wanted(2_500), coverage_wanted(7_200_000)
    (5, 100)
    """
    return min(100, max(3, columns // 500))


def fmdv(values: Counted, lake: Lake, *, theta: float = 0.0, least_coverage: bool = False) -> Found | None:
    """FMDV; with `theta` FMDV-H: the greedy horizontal cut keeps the coarse pattern of all but that share.

    `least_coverage` minimises Cov_T instead of FPR_T (CMDV).
    """
    own = Corpus([values])
    options: list[tuple[tuple[float, int], float, int, float, Pattern]] = []
    for name, hypotheses, _ in spaces(values, tokens=lake.tau, enough=1 - theta):
        if not all(hypotheses.options):
            continue
        hypotheses = _told_apart(name, hypotheses, own, lake)
        missed, _ = own.evidence(name, hypotheses.options, tau=lake.tau)
        fpr, cov = lake.corpus.evidence(name, hypotheses.options, lake.counts, lake.tau)
        good = np.flatnonzero(
            (missed <= theta + 1e-9) & (cov >= max(lake.m, 1)) & (np.nan_to_num(fpr, nan=1.0) <= lake.r)
        )
        if not len(good):
            continue
        objective = cov[good] if least_coverage else np.round(fpr[good], 6)
        ties = good[objective == objective.min()]
        for i in ties[cov[ties] == cov[ties].max()][:64]:
            order = (float(objective.min()), -int(cov[i]))
            options.append((order, float(fpr[i]), int(cov[i]), max(0.0, float(missed[i])), hypotheses.pattern(int(i))))
    if not options:
        return None
    _, fpr_t, coverage, nonconforming, pattern = min(options, key=lambda o: (o[0], o[4].generality, str(o[4])))
    return Found(((pattern, False),), fpr_t, coverage, nonconforming)


def _told_apart(name: str, hypotheses: Space, own: Corpus, lake: Lake) -> Space:
    """The hypotheses without options that accept the same chunks as a more specific one, in the lake and in the column:
    they have the same FPR_T and Cov_T in every pattern. Where more than `MOST_PATTERNS` are left, neighbours that
    differ in the fewest values of the lake are joined to the more general one."""
    both = (own, None), (lake.corpus, lake.counts)
    asked = (corpus.answers(name, hypotheses.options, counts, lake.tau) for corpus, counts in both)
    found = [one for one in asked if one is not None]
    kept = []
    for at in range(len(hypotheses.options)):
        answers = np.concatenate([answers[at] for _, _, answers in found])
        _, first = np.unique(answers, axis=1, return_index=True)
        kept.append(sorted(first.tolist()))
    weight = np.concatenate([share for _, share, _ in found])
    while np.prod([len(one) for one in kept], dtype=float) > MOST_PATTERNS:
        _, at, out = min(_joins(kept, [np.concatenate([f[2][at] for f in found]) for at in range(len(kept))], weight))
        kept[at].remove(out)
    return Space(tuple(tuple(one[k] for k in some) for one, some in zip(hypotheses.options, kept, strict=True)))


def _joins(
    kept: list[list[int]], answers: list[NDArray[np.bool_]], weight: NDArray[np.float64]
) -> Iterator[tuple[float, int, int]]:
    """(rows that differ, position, option to leave out) of neighbouring options."""
    for at, some in enumerate(kept):
        for a, b in pairwise(some):
            yield float(weight[answers[at][:, a] != answers[at][:, b]].sum()), at, a


def fmdv_h(values: Counted, lake: Lake) -> Found | None:
    """FMDV-H at the lake's theta."""
    return fmdv(values, lake, theta=lake.theta)


def fmdv_v(values: Counted, lake: Lake) -> Found | None:
    """FMDV-V: vertical cuts."""
    return _vertical(values, lake, 0.0)


def fmdv_vh(values: Counted, lake: Lake) -> Found | None:
    """FMDV-VH: rare chunk sequences are cut off first (at most theta of the rows), then vertical cuts; not to cut
    vertically at all (FMDV-H) is one of the choices."""
    options = [found for found in (fmdv_h(values, lake), _vertical(values, lake, lake.theta)) if found is not None]
    return min(options, key=lambda found: (round(found.fpr, 6), len(found.segments)), default=None)


def _vertical(values: Counted, lake: Lake, theta: float) -> Found | None:
    total = sum(count for _, count in values)
    groups: dict[tuple[str, ...], list[tuple[tuple[str, ...], int]]] = {}
    for value, count in values:
        parts = signed_chunks(value[:1024])
        groups.setdefault(tuple("X" if len(p) > 1 or p.isalnum() else p for p in parts), []).append((parts, count))
    order = sorted(groups, key=lambda g: -sum(count for _, count in groups[g]))
    kept: list[tuple[str, ...]] = []
    rows = 0
    for group in order:  # the fewest groups that leave at most theta of the rows out
        if rows >= (1 - theta) * total - 1e-9 or len(kept) >= SEQUENCES:
            break
        kept.append(group)
        rows += sum(count for _, count in groups[group])
    if rows < (1 - theta) * total - 1e-9 or max(map(len, kept)) > WIDEST:
        return None
    matrix = _aligned(kept, groups)
    if len(matrix[0][0]) > WIDEST:
        return None
    best = _segment(matrix, lake)
    if best is None or best.fpr > lake.r:
        return None
    return Found(best.segments, best.fpr, best.coverage, 1 - rows / total)


def _aligned(
    kept: list[tuple[str, ...]], groups: dict[tuple[str, ...], list[tuple[tuple[str, ...], int]]]
) -> list[tuple[tuple[str, ...], int]]:
    """Values as rows of aligned chunks, "" for a gap."""
    out = []
    for group, places in zip(kept, align_many(kept), strict=True):
        for parts, count in groups[group]:
            out.append((tuple("" if i is None else parts[i] for i in places), count))
    return out


def _segment(matrix: list[tuple[tuple[str, ...], int]], lake: Lake) -> Found | None:
    """Equation 11, bottom up over segments [s, e)."""
    n = len(matrix[0][0])
    best: dict[tuple[int, int], Found | None] = {}
    for size in range(1, n + 1):
        for s in range(n - size + 1):
            e = s + size
            options = [_whole(matrix, s, e, lake)]
            for t in range(s + 1, e):
                left, right = best[s, t], best[t, e]
                if left is not None and right is not None:
                    coverage = min(left.coverage, right.coverage)
                    options.append(Found(left.segments + right.segments, left.fpr + right.fpr, coverage, 0.0))
            real = [o for o in options if o is not None]
            best[s, e] = min(real, key=lambda o: (round(o.fpr, 6), len(o.segments))) if real else None
    return best[0, n]


def _whole(matrix: list[tuple[tuple[str, ...], int]], s: int, e: int, lake: Lake) -> Found | None:
    """A segment as one column."""
    table: dict[str, int] = {}
    absent = False
    for parts, count in matrix:
        text = "".join(parts[s:e])
        absent |= not text
        if text:
            table[text] = table.get(text, 0) + count
    if len(table) == 1 and e - s == 1:
        (text,) = table
        if not (text.isalnum() or len(text) > 1):
            return Found(((Pattern((Token(CONST, text),)), absent),), 0.0, 1 << 30, 0.0)
    if max(len(lex(text)) for text in table) > lake.tau:
        return None
    found = fmdv(list(table.items()), lake)
    return None if found is None else Found(((found.segments[0][0], absent),), found.fpr, found.coverage, 0.0)


def drifted(found: Found, n_before: int, bad_now: int, n_now: int) -> bool:
    """Whether a batch has significantly more non-conforming values than the training values had."""
    return increased(round(found.nonconforming * n_before), n_before, bad_now, n_now)


__all__ = [
    "SIGNIFICANCE", "Found", "Lake", "chi_squared", "drifted", "fisher", "fmdv", "fmdv_h", "fmdv_v", "fmdv_vh",
]  # fmt: skip
