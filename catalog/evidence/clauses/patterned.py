"""Demands that values have one of a few patterns (`catalog.patterns.unions`), and no white space around them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from catalog.evidence.clauses.candidate import Candidate, Floats, Keys, class_features, some_of
from catalog.evidence.clauses.meaning import share_outside
from catalog.evidence.pattern_index.postings import key_of
from catalog.evidence.pattern_index.views import Profile
from catalog.patterns.describe import describe
from catalog.patterns.images import class_pattern, images, parsed, surely_broken
from catalog.patterns.language.characters import shape_of
from catalog.patterns.language.hierarchy import VIEWS, class_of
from catalog.patterns.language.regex import whole
from catalog.patterns.language.tokens import ALL, ALNUMS, CONST, DIGIT, LETTERS, LOWER, NUM, UPPER, Token
from catalog.patterns.unions import union

_ORDERED = ("shape", "runs", "alnum", "tokens")  # views that tell the first and the last character
_SIGNS = {DIGIT: "0", UPPER: "A", LOWER: "a", LETTERS: "a", ALNUMS: "X"}  # classes of tokens, as views write them
_TRIMMED = r"[^ \t-\r](?:[\s\S]*[^ \t-\r])?"


class Patterns(Candidate):
    """A union of up to three patterns; kinds are how much of the values they keep."""

    of_values = True
    says_what = True

    @classmethod
    def view_of(cls, kind: str) -> str:
        return kind if kind == "affixes" else "tokens"  # no view tells what values begin with

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        found = profile.union(kind)
        if found is None or all(len(p.tokens) == 1 and p.tokens[0].kind == CONST for p in found.patterns):
            return []  # values themselves are a vocabulary
        return [Candidate(kind, tuple(map(str, found.patterns)))]

    def regex(self) -> str:
        return whole(parsed(text).body for text in self.accepted)

    def accepts(self, text: str) -> bool:
        """Whether a value has one of the patterns."""
        return any(parsed(pattern).match(text) for pattern in self.accepted)

    def nonconforming(self, batch: Profile) -> int:
        """From the values where all are known; else those whose class none of the patterns has, and of the others what
        the bounds of their characters or the values listed tell, whichever is more."""
        if batch.values is not None:
            return sum(count for value, count in batch.values.items() if not self.accepts(value))
        other = within = 0
        for shape, count in batch.shapes.items():
            fits = self._fits(shape, batch.base)
            if not fits:
                other += count
            elif len(fits) == 1 and (bounds := batch.bounds.get(shape)):
                broken = surely_broken(fits[0], shape, *bounds)
                within += count if broken is None else broken
        sampled = share_outside(batch.texts, lambda text: self.accepts(text) or not self._may_hold(text, batch.base))
        return other + max(within, round(batch.rows * sampled))

    def _fits(self, shape: str, base: str) -> list[str]:
        """The patterns that some value of a class may have."""
        return [p for p in self.accepted if (c := class_pattern(p, base)) is None or c.fullmatch(shape)]

    def _may_hold(self, text: str, base: str) -> bool:
        return base not in VIEWS or bool(self._fits(class_of(base, shape_of(text)), base))

    def numbers(self) -> Keys:
        classes = dict.fromkeys(found for text in self.accepted for found in images(text))
        return np.array([key_of(*found) for found in classes], np.uint64)

    def features(self, profile: Profile) -> Floats:
        """How many patterns, the share of the rows that alone made one more general, constant digits and letters of the
        first, its share, tokens without a length."""
        found = profile.union(self.kind)
        assert found is not None
        tokens = found.patterns[0].tokens
        constant = "".join(token.text for token in tokens if token.kind == CONST)
        digits, letters = sum(c in "0123456789" for c in constant), sum(c.isalpha() for c in constant)
        varied = sum(token.kind != CONST and not token.size for token in tokens)
        total = sum(found.rows)
        return np.array(
            [len(found.patterns), found.frail / total, digits, found.rows[0] / total, letters, varied], float
        )

    def pattern(self) -> str:
        return " or ".join(self.accepted)

    def said(self, *, private: bool = False, shown: bool = True) -> str:
        """What values are, in words.

        >>> Candidate("formats", ("<upper>{2}", "<num>")).said()
        'two capitals or numbers'
        >>> Candidate("constants", ("SO<digit>{5}", "none")).words(0.0)
        'every value is SO<digit>{5} or none'
        >>> Candidate("constants", ("SO<digit>{5}", "none")).said(private=True)
        '<upper>{2}<digit>{5} or four small letters'
        """
        hidden = private and self.of_values
        patterns = list(dict.fromkeys(map(_without_constants, self.accepted)) if hidden else self.accepted)
        return some_of(list(map(_plainly, patterns)), f"in one of {len(patterns)} known forms", shown=shown)


class Formats(Patterns):
    """Patterns without constants of letters or digits."""

    of_values = False


def _plainly(pattern: str) -> str:
    """A pattern in words: of a single class in plain ones, any other as it is written."""
    tokens = parsed(pattern).tokens
    return _plain(tokens[0]) if len(tokens) == 1 else pattern


def _plain(token: Token) -> str:
    """One token in words."""
    if token.kind in (CONST, ALL):
        return str(token)
    if token.kind == NUM:
        return "numbers"
    merged = token.kind == LETTERS  # views that merge both cases write either as a small one
    size = ("letters" if merged else "shape") if token.size else ("words" if merged else "runs")
    return describe(size, _SIGNS[token.kind] * (token.size or 1))


def _without_constants(text: str) -> str:
    """A pattern whose constants say what they look like."""
    out = []
    for token in parsed(text).tokens:
        if token.kind != CONST:
            out.append(str(token))
            continue
        for part in re.findall(r"[0-9A-Za-z\x80-\U0010ffff]+|[\s\S]", token.text):
            made = union({part: 1}, "formats") if part[0].isalnum() or not part.isascii() else None
            out.append(str(made.patterns[0]) if made is not None else str(Token(CONST, part)))
    return "".join(out)


class Trimmed(Candidate):
    """That no value begins or ends with white space."""

    guards = True

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        found = Candidate(kind, ())
        ends = profile.tables.get("ends")
        return [found] if ends and all(map(found.accepts, ends)) else []

    def regex(self) -> str:
        return whole([_TRIMMED])

    def accepts(self, text: str) -> bool:
        return not (text[:1].isspace() or text[-1:].isspace())

    def nonconforming(self, batch: Profile) -> int:
        table = batch.tables.get("ends") or (batch.shapes if batch.base in _ORDERED else {})
        return sum(count for text, count in table.items() if not self.accepts(text))

    def numbers(self) -> Keys:
        return np.empty(0, np.uint64)

    def features(self, profile: Profile) -> Floats:
        return class_features({"trimmed": profile.rows})

    def allowed(self) -> frozenset[Any]:
        return frozenset({"trimmed"})

    def pattern(self) -> str:
        return "no white space around it"

    def said(self, *, private: bool = False, shown: bool = True) -> str:
        return "without white space around"
