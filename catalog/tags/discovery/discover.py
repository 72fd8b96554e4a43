"""Domains found in the lake itself: the pattern index is read, never the values.

Auto-Validate (Song and He, "Auto-Validate: Unsupervised Data Validation Using Data-Domain Patterns Inferred from Data
Lakes", SIGMOD 2021) observes that patterns which many columns of a lake share and keep to (high coverage Cov_T, low
impurity FPR_T) are the lake's common domains, known or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from catalog.domains.domain import Domain
from catalog.domains.known import GENERIC, KNOWN, title
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.pattern_index.index import INDEXED, STARTER, PatternIndex
from catalog.evidence.pattern_index.views import profile
from catalog.patterns.describe import describe
from catalog.states.column import ColumnState
from catalog.tags.propose import propose_tags

HEADS = ("shape", "runs", "alnum", "tokens")  # views whose classes may be a domain's pattern, from specific to general
CLASS_CHARACTERS = frozenset("0AaéX1")
DOMINANT = 0.9  # chosen: share of a column's rows that its pattern has to hold for
OVERLAP = 0.8  # chosen: patterns that describe the same columns are one domain
MOST_LOOKED_UP = 4096  # patterns looked up at most; a bound

Columns = Mapping[tuple[str, str], ColumnState]  # (table key, column name) -> state


@dataclass(frozen=True)
class Discovered:
    """A common pattern of the lake.

    `coverage` columns hold it, with mean impurity `impurity` (FPR_T: the share of their values that does not match);
    `described` are the columns nearly all of whose values match, as (table key, column). `domain` is the known domain
    that explains most of these, None where a person has to name it.
    """

    view: str
    pattern: str
    sentence: str
    regex: str
    coverage: int
    tables: int
    impurity: float
    described: tuple[tuple[str, str], ...]
    domain: str | None = None
    title: str | None = None


def discover(
    index: PatternIndex,
    columns: Columns,
    *,
    impurity: float = 0.1,
    least_columns: int = 3,
    least_tables: int = 2,
    tags: Mapping[tuple[str, str], str] | None = None,
    heads: Heads | None = None,
) -> list[Discovered]:
    """The lake's common domains, most columns first.

    Parameters
    ----------
    index : pattern index that holds the lake.
    columns : states of the lake's columns (or of a part of them): where the patterns' text comes from.
    impurity : largest mean impurity (r in the paper).
    least_columns, least_tables : a pattern of fewer is an accident of one table.
    tags : the known domain of each column, where it was found before; without, it is found again.
    heads : the patterns to ask about, counted before; without, those of `columns`.
    """
    lake = lake_columns(index)
    found = []
    for head in (heads or Heads.of(columns.values())).candidates():
        shares = shares_of(index, head)
        holds = (shares > 0) & lake
        if int(holds.sum()) < least_columns:
            continue
        impure = float(1 - shares[holds].mean())
        described = np.flatnonzero((shares >= DOMINANT) & lake)
        tables = {index.columns[i][0] for i in described}
        if impure <= impurity and len(described) >= least_columns and len(tables) >= least_tables:
            found.append((head, int(holds.sum()), impure, described, len(tables)))
    found.sort(key=lambda f: (-len(f[3]), HEADS.index(f[0].kind), f[0].accepted))
    return [_named(index, columns, tags, *item) for item in _without_twins(found)]


Found = tuple[Candidate, int, float, "np.ndarray[tuple[int], np.dtype[np.int64]]", int]


def lake_columns(index: PatternIndex) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which columns of the index are the lake's own, not the starter's."""
    index.settle()
    own = np.array([not table.startswith(STARTER) for table in index.tables], bool)
    return own[index.table_of] if len(index.columns) else np.empty(0, bool)


def shares_of(index: PatternIndex, candidate: Candidate) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Share of each column's rows that match; 0 where the column's state is too coarse to know: no reason to tag."""
    known = (index.known >> INDEXED.index(candidate.view)) & 1
    return np.where(known, index.match(candidate), np.float32(0))


class Heads:
    """How many columns have each dominant class, view by view; the trivial ones (words, numbers) are left out."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()

    @classmethod
    def of(cls, states: Iterable[ColumnState]) -> Heads:
        found = cls()
        for state in states:
            found.add(state)
        return found

    def add(self, state: ColumnState) -> None:
        known = profile(state)
        if known is None or not known.rows:
            return
        for view in HEADS:
            table = known.tables.get(view)
            if not table:
                continue
            text, count = max(table.items(), key=lambda item: (item[1], item[0]))
            if count >= DOMINANT * known.rows and not _trivial(text):
                self.counts[view, text] += 1

    def candidates(self) -> list[Candidate]:
        """Those of most columns."""
        return [Candidate(view, (text,)) for (view, text), _ in self.counts.most_common(MOST_LOOKED_UP)]


def _trivial(text: str) -> bool:
    """Words, or a number: nothing in the pattern says what they are.

    >>> [_trivial(text) for text in ("Aa a", "0.0", "-0", "X", "0-0-0", "AA00000", "00%", "XXXX-XX")]
    [True, True, True, True, False, False, False, False]
    """
    kinds, symbols = set(text) & CLASS_CHARACTERS, set(text) - CLASS_CHARACTERS
    if kinds <= {"0", "1"}:
        return symbols <= {".", "-", ",", "+"} and text.count("-") < 2 and text.count(".") < 2
    return symbols <= {" ", "'"} and ("0" not in kinds or len(text) < 2)


def _without_twins(found: Sequence[Found]) -> list[Found]:
    """The most specific patterns; of the more general ones those that describe columns which the specific do not."""
    kept: list[Found] = []
    covered: set[int] = set()
    for item in sorted(found, key=lambda f: HEADS.index(f[0].kind)):
        mine = set(item[3].tolist())
        if len(mine & covered) < OVERLAP * len(mine):
            kept.append(item)
            covered |= mine
    return sorted(kept, key=lambda f: (-len(f[3]), HEADS.index(f[0].kind), f[0].accepted))


def _named(
    index: PatternIndex,
    columns: Columns,
    tags: Mapping[tuple[str, str], str] | None,
    head: Candidate,
    coverage: int,
    impure: float,
    described: Iterable[int],
    n: int,
) -> Discovered:
    pairs = tuple((index.tables[table], name) for table, name in (index.columns[i] for i in described))
    votes: Counter[str] = Counter()
    asked = list(pairs) if tags is not None else [pair for pair in pairs if pair in columns][:20]
    for pair in asked:
        meant = tags.get(pair) if tags is not None else _meaning(columns[pair], pair[1])
        if meant is not None and meant not in GENERIC:
            votes[meant] += 1
    domain, count = votes.most_common(1)[0] if votes else (None, 0)
    known = domain if domain in KNOWN and count > 0.5 * len(asked) else None
    text = head.accepted[0]
    return Discovered(
        head.kind, text, describe(head.kind, text), head.regex(), coverage, n, round(impure, 4), pairs, known,
        title(known) if known else None,
    )  # fmt: skip


def _meaning(state: ColumnState, name: str) -> str | None:
    proposals = propose_tags(state, name)
    return proposals[0].domain if proposals else None


def as_domain(name: str, label: str, regex: str, *, chance: float = 1e-3, sensitive: bool = False) -> Domain:
    """A discovered pattern that a person has named, as a domain that `propose_tags` weighs beside the known ones.

    `chance` is the share of the lake's other columns' values that match; `label` what people read.

    >>> order = as_domain("order_number", "Order number", "SO[0-9]{5}", chance=1e-4)
    >>> order.validate("SO43701"), order.validate("SO4370")
    (True, False)
    """
    return Domain(name, label, (), regex, chance=min(max(chance, 1e-6), 0.9), sensitive=sensitive)
