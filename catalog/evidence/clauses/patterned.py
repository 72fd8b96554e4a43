"""Demands that values have one of a few patterns (`catalog.patterns.unions`), or are versions
(`catalog.patterns.versions`), and no white space around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from catalog.evidence.clauses.candidate import Candidate, Floats, Keys, apart, class_features, some_of
from catalog.evidence.clauses.listed import MOST_CLASSES
from catalog.evidence.clauses.meaning import LEAST_DISTINCT, LEAST_SHARE, belongs, share_outside
from catalog.evidence.pattern_index.postings import key_of, keys_of
from catalog.evidence.pattern_index.views import Profile
from catalog.patterns import versions
from catalog.patterns.describe import WRITTEN, charset, describe, groups
from catalog.patterns.images import class_pattern, images, parsed, surely_broken
from catalog.patterns.language.characters import shape_of
from catalog.patterns.language.hierarchy import VIEWS, class_of
from catalog.patterns.language.regex import whole
from catalog.patterns.language.tokens import ALL, ALNUMS, CONST, DIGIT, LETTERS, LOWER, NUM, UPPER, Token
from catalog.patterns.unions import form_of

_ORDERED = ("shape", "runs", "alnum", "tokens")  # views that tell the first and the last character
_SIGNS = {DIGIT: "0", UPPER: "A", LOWER: "a", LETTERS: "a", ALNUMS: "X"}  # classes of tokens, as views write them
#: Classes of the characters that tokens are made of.
_MADE_OF = {**_SIGNS, LETTERS: "Aa", ALNUMS: "0Aa", NUM: "0", ALL: ""}
_OF_NUMBERS = ("shape", "runs")  # views whose classes tell how many numbers a version has
VERSION = "version"  # the known domain, of versions of at least three numbers that are neither dates nor addresses
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
            match = [parsed(pattern).match for pattern in self.accepted]
            return sum(n for value, n in batch.values.items() if not any(one(value) for one in match))
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
        'every value is (“SO” and five digits) or “none”'
        >>> Candidate("stems", tuple(f"<lower>+ {' '.join(['<letter>+, no'] * n)} <digit>+" for n in (2, 4, 6))).said()
        'made of digits, letters, a space and “,”, in one of 3 known forms'
        >>> Candidate("constants", ("SO<digit>{5}", "none")).said(private=True)
        '(two capitals, five digits) or four small letters'
        """
        hidden = private and self.of_values
        patterns = list(dict.fromkeys(map(_without_constants, self.accepted)) if hidden else self.accepted)
        if (joined := _together(patterns)) is not None:
            return joined
        told = list(map(_plainly, patterns))
        if all(one.startswith(WRITTEN) for one in told):
            told[1:] = [one.removeprefix(WRITTEN) for one in told[1:]]
        common = f"made of {charset(_characters(patterns))}, " if shown and len(patterns) > 1 else ""
        return some_of(apart(told), f"{common}in one of {len(patterns)} known forms", shown=False)


class Formats(Patterns):
    """Patterns without constants of letters or digits."""

    of_values = False


def _plainly(pattern: str) -> str:
    """A pattern in words; one of digits and of text that all values have as they are written, each digit as a 0.

    >>> [*map(_plainly, ("<upper>+<num>", "<digit>{2}/<digit>{4}", "SO<digit>{5}", "A<digit>{2}-<digit>{1}"))]
    ['capitals, a number', 'written 00/0000', '“SO” and five digits', 'written A00-0']
    >>> [_plainly(text) for text in ("none", "ISO<digit>+", "<upper>{2} of <digit>+", "http://<all>.jpg", "<all>.jpg")]
    ['“none”', '“ISO” and digits', 'two capitals, “ of ” and digits', '“http://”, anything and “.jpg”', \
'anything and “.jpg”']
    """
    tokens = parsed(pattern).tokens
    if len(tokens) == 1:
        return _plain(tokens[0])
    fixed = any(token.kind == ALL or (token.kind == CONST and not _is_symbols(token)) for token in tokens)
    if (not fixed or len(tokens) > 2) and (told := _digits_of(tokens)):
        return told
    parts = ["a number" if token.kind == NUM else _plain(token) for token in tokens]
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if fixed else ", ".join(parts)


def _plain(token: Token) -> str:
    """One token in words."""
    if token.kind == CONST:
        return describe("shape" if _is_symbols(token) else "value", token.text)
    if token.kind == ALL:
        return "anything"
    if token.kind == NUM:
        return "numbers"
    merged = token.kind == LETTERS  # views that merge both cases write either as a small one
    size = ("letters" if merged else "shape") if token.size else ("words" if merged else "runs")
    return describe(size, _SIGNS[token.kind] * (token.size or 1))


def _is_symbols(token: Token) -> bool:
    return token.text.isascii() and not any(character.isalnum() for character in token.text)


def _digits_of(tokens: Sequence[Token]) -> str | None:
    """A pattern of text and of digits with a length as it is written, each digit as a 0; None of others, and where a 0
    is part of the text."""
    if any(token.kind not in (CONST, DIGIT) or (token.kind == DIGIT and not token.size) for token in tokens):
        return None
    constant = "".join(token.text for token in tokens)
    if _SIGNS[DIGIT] in constant or not constant.isprintable():
        return None
    return WRITTEN + "".join(token.text or _SIGNS[DIGIT] * token.size for token in tokens)


def _characters(patterns: Sequence[str]) -> str:
    """The classes of the characters of the values of patterns, and their symbols."""
    tokens = [token for text in patterns for token in parsed(text).tokens]
    found = {c for token in tokens for c in (shape_of(token.text) if token.kind == CONST else _MADE_OF[token.kind])}
    return "".join(sorted(found))


def _together(patterns: Sequence[str]) -> str | None:
    """Patterns that are so many words, in words; None of others."""
    several = [parsed(text).tokens for text in patterns]
    if any(t.kind not in (CONST, LETTERS, UPPER, LOWER) or t.size or not _is_symbols(t) for p in several for t in p):
        return None
    kinds = {token.kind for tokens in several for token in tokens} - {CONST}
    view = "words" if LETTERS in kinds else "runs"
    return groups(view, ["".join(token.text or _SIGNS[token.kind] for token in tokens) for tokens in several])


def _without_constants(text: str) -> str:
    """A pattern whose constants say what they look like."""
    return "".join(str(form_of(token.text) if token.kind == CONST else token) for token in parsed(text).tokens)


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


class Versions(Candidate):
    """Every version of one of the forms `accepted` (`catalog.patterns.versions`), with any prerelease: what comes next
    was not seen yet as a rule, the first release candidate, the tenth minor version.

    >>> found = Candidate("versions", ("0.0.0",))
    >>> [text for text in ("1.7.13", "0.88.0-rc.3", "10.0.0rc1", "1.7", "v1.7.13", "1.7.x", "l.7.13")
    ...  if found.accepts(text)]
    ['1.7.13', '0.88.0-rc.3', '10.0.0rc1']
    """

    says_what = True

    @classmethod
    def view_of(cls, kind: str) -> str:
        return "runs"

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        forms = sorted(_forms(profile)) if _are_versions(profile) else []
        return [Candidate(kind, tuple(forms))] if 0 < len(forms) <= MOST_CLASSES else []

    @property
    def names(self) -> bool:
        return True

    def regex(self) -> str:
        return whole([versions.expression(self.accepted)])

    def accepts(self, text: str, of: str = "text") -> bool:
        """Whether a value, or a shape, is of the forms."""
        forms = versions.forms_of(text, of)
        return bool(forms) and forms <= set(self.accepted)

    def nonconforming(self, batch: Profile) -> int:
        if batch.values is not None:
            return sum(count for value, count in batch.values.items() if not self.accepts(value))
        listed = round(batch.rows * share_outside(batch.texts, self.accepts))
        if batch.base not in _OF_NUMBERS:
            return listed
        return max(listed, sum(n for shape, n in batch.shapes.items() if not self.accepts(shape, "shape")))

    def numbers(self) -> Keys:
        return keys_of("runs", (class_of("runs", shape_of(form)) for form in self.accepted))

    def features(self, profile: Profile) -> Floats:
        return class_features(_forms(profile))

    def allowed(self) -> frozenset[Any]:
        return frozenset(self.accepted)

    def pattern(self) -> str:
        return self.said()

    def said(self, *, private: bool = False, shown: bool = True) -> str:
        return versions.words_of(self.accepted)

    def words(self, theta: float, *, private: bool = False) -> str:
        return super().words(theta) if theta else f"all values are {self.said()}"


def _are_versions(profile: Profile) -> bool:
    """Whether a column is of versions: nearly all known values are written so, and most of them belong to the domain,
    since 1.5 by itself may be a number."""
    texts = [text for text, _ in profile.texts.values]
    written = sum(bool(versions.forms_of(text)) for text in texts)
    if not written or written < LEAST_SHARE * len(texts):
        return False
    parts = [[part.lstrip(versions.SIGNS + " ") for part in versions.parts_of(text)] for text in texts]
    return sum(any(belongs(VERSION, one) for one in some) for some in parts) >= LEAST_DISTINCT * len(texts)


def _forms(profile: Profile) -> dict[str, int]:
    """Form -> rows; of a column of which not all values are known, of the shapes too."""
    found: dict[str, int] = {}
    for form, count in _each_form(profile):
        found[form] = found.get(form, 0) + count
    return found


def _each_form(profile: Profile) -> Iterator[tuple[str, int]]:
    if profile.values is not None:
        yield from ((form, n) for text, n in profile.values.items() for form in versions.forms_of(text))
        return
    of_shapes = profile.shapes if profile.base in _OF_NUMBERS else {}
    yield from ((form, n) for text, n in of_shapes.items() for form in versions.forms_of(text, "shape"))
    yield from ((form, 1) for text, _ in profile.texts.values for form in versions.forms_of(text))
