"""FPR_T and Cov_T of patterns over the columns of a lake, exactly (Auto-Validate, section 2, definitions 3 to 7).

The paper enumerates every pattern of every value offline. Here the values of the lake are kept by their coarse pattern
(algorithm 1: the sequence of chunk classes), each once a column with its share of the rows. A pattern matches values of
one coarse pattern only, so all hypotheses of a query column are counted at once against the values of its own: of each
position which options accept the chunk, and of each column the shares of the rows that all positions accept. Nothing is
cut off: a value that is one in a thousand of its column counts as what it is, and any set of columns can be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.pattern_index.views import Profile
from catalog.patterns.generalise import coarse, representative
from catalog.patterns.language.characters import LOWER, OTHER
from catalog.patterns.language.tokens import CONST, Token, lex, signed_chunks

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Sequences = Sequence[tuple[Token, ...]]
TOKENS = 13  # tau, chosen by the paper: wider values are left out offline; vertical cuts make up for them
MOST_VALUE = 1024  # characters of a value that is looked at; a bound
CELLS = 1 << 23  # answers held at once while columns are counted; a bound of memory


def representatives(profile: Profile) -> list[tuple[str, int]]:
    """(value, rows) of a column: its values where they are known, else one value per shape with its known constants."""
    if profile.values is not None:
        return list(profile.values.items())
    if profile.base != "shape":
        return []
    state = profile.state
    low_high = {s.text: (s.low, s.high) for s in state.shapes.items} if state is not None and state.shapes else {}
    out = []
    for shape, count in profile.shapes.items():
        low, high = low_high.get(shape, ("", ""))
        same = len(low) == len(shape) == len(high)
        text = "".join(
            low[i] if same and low[i] == high[i] else (c if c != OTHER else LOWER) for i, c in enumerate(shape)
        )
        out.append((text, count))
    return out


@dataclass(frozen=True)
class Group:
    """The values of one coarse pattern.

    Parameters
    ----------
    column, share, tokens : of each value: its column, its share of that column's rows, its number of tokens.
    forms, texts : [value, position] -> number of the chunk in `Corpus.names`, by its `representative` and by itself.
    """

    column: Ints
    share: Floats
    tokens: Ints
    forms: Ints
    texts: Ints


class Corpus:
    """The columns of a lake.

    Parameters
    ----------
    columns : each as (value, rows); they are numbered in their order.

    >>> lake = Corpus([[("TX-1", 1), ("CA-2", 3)], [("TX-7", 2)]])
    >>> fpr, cov = lake.evidence("X-X", [[(Token(CONST, "TX"),)], [(Token(CONST, "-"),)], [(Token("digit", size=1),)]])
    >>> float(fpr[0]), int(cov[0])
    (0.375, 2)
    """

    def __init__(self, columns: Iterable[Sequence[tuple[str, int]]]) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}
        found: dict[str, list[tuple[int, float, int, tuple[int, ...], tuple[int, ...]]]] = {}
        self.columns = 0
        for values in columns:
            total = sum(rows for _, rows in values)
            for value, rows in values:
                if not value or len(value) > MOST_VALUE:
                    continue
                parts = signed_chunks(value)
                found.setdefault(coarse(parts), []).append((
                    self.columns, rows / total, len(lex(value)),
                    tuple(self._number(representative(p)) for p in parts), tuple(map(self._number, parts)),
                ))  # fmt: skip
            self.columns += 1
        self.groups = {name: _group(rows) for name, rows in found.items()}

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.names)
            self.names.append(text)
        return self._numbers[text]

    def evidence(
        self, name: str, options: Sequence[Sequences], counts: Bools | None = None, tau: int = TOKENS
    ) -> tuple[Floats, Ints]:
        """(FPR_T, Cov_T) of every pattern of a cross product of options, the last position running fastest; FPR_T is
        NaN where Cov_T is 0.

        Parameters
        ----------
        name : the coarse pattern. counts : which columns are evidence (all).
        """
        size = int(np.prod([len(one) for one in options]))
        impurity, cov = np.zeros(size), np.zeros(size, np.int64)
        found = self.answers(name, options, counts, tau)
        if found is not None:
            column, share, answers = found
            starts = np.flatnonzero(np.r_[True, column[1:] != column[:-1]])
            step = max(1, CELLS // size)
            for some in np.split(starts, range(step, len(starts), step)):
                end = _end(starts, some, len(column))
                matched = np.add.reduceat(
                    _product([a[some[0] : end] for a in answers]) * share[some[0] : end, None], some - some[0]
                )
                cov += (matched > 0).sum(axis=0)
                impurity += np.where(matched > 0, 1 - matched, 0.0).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(cov > 0, np.maximum(impurity, 0) / cov, np.nan), cov

    def answers(
        self, name: str, options: Sequence[Sequences], counts: Bools | None = None, tau: int = TOKENS
    ) -> tuple[Ints, Floats, list[Bools]] | None:
        """Values of a coarse pattern that the options answer alike, as one: column, share, and for each position
        [value, option] whether it accepts; by column. None where there are none."""
        group = self.groups.get(name)
        if group is None:
            return None
        kept = group.tokens <= tau
        if counts is not None:
            kept &= counts[group.column]
        if not kept.any():
            return None
        said = [self._accepted(group.forms[kept, at], group.texts[kept, at], one) for at, one in enumerate(options)]
        numbers = [np.unique(np.packbits(one, axis=1), axis=0, return_inverse=True)[1].ravel() for one in said]
        keys = np.column_stack([group.column[kept], *numbers])
        unique, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        share = np.bincount(inverse.ravel(), group.share[kept], len(unique))
        return unique[:, 0].astype(np.int64), share.astype(np.float64), [one[first] for one in said]

    def _accepted(self, forms: Ints, texts: Ints, options: Sequences) -> Bools:
        """[value, option] -> whether the option accepts the value's chunk."""
        known, inverse = np.unique(forms, return_inverse=True)
        by_look = np.array([[_fits(self.names[n], _looked(one)) for one in options] for n in known], bool)
        out = by_look[inverse.ravel()]
        for at, one in enumerate(options):
            if _written(one):
                likely = np.flatnonzero(out[:, at])
                unique, where = np.unique(texts[likely], return_inverse=True)
                fits = np.array([_fits(self.names[n], one) for n in unique], bool)
                out[likely, at] = fits[where.ravel()] if len(unique) else False
        return out


def _written(option: tuple[Token, ...]) -> bool:
    """Whether an option has a constant that other texts look like."""
    return any(token.kind == CONST and any(c.isalnum() for c in token.text) for token in option)


def _group(rows: list[tuple[int, float, int, tuple[int, ...], tuple[int, ...]]]) -> Group:
    column, share, tokens, forms, texts = zip(*rows, strict=True)
    return Group(np.array(column), np.array(share, float), np.array(tokens), np.array(forms), np.array(texts))


def _end(starts: Ints, some: Ints, rows: int) -> int:
    after = int(np.searchsorted(starts, some[-1], side="right"))
    return int(starts[after]) if after < len(starts) else rows


def _product(answers: Sequence[Bools]) -> Bools:
    """[value, pattern]: whether every position accepts."""
    out = np.ones((len(answers[0]), 1), bool)
    for one in answers:
        out = (out[:, :, None] & one[:, None, :]).reshape(len(one), -1)
    return out


def _looked(option: tuple[Token, ...]) -> tuple[Token, ...]:
    return tuple(Token(CONST, representative(one.text)) if one.kind == CONST else one for one in option)


@lru_cache(maxsize=1 << 18)
def _fits(text: str, option: tuple[Token, ...]) -> bool:
    return re.fullmatch("".join(token.regex for token in option), text) is not None
