"""Demands that no value is a usual one gone wrong: misspelt, cut short, written with other separators.

What is new in a healthy column is rarely like anything that it holds; what has gone wrong on the way is: its last
character is missing, a zero has become an O, the hyphens are gone. A list of values or of forms breaks by either, and
has to tolerate both; these demands break by damage alone, and so can be made where hardly anything else is safe.

What is usual are the values of a column that has few, or the shapes that several different values of it have: one
value is no usual form, which another would be cut short of. A fault is demanded not to occur only where nothing that is
known looks like something else after it: where ``A`` and ``AB`` both stand, or numbers run on, nothing is cut off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from catalog.damage import exchanges
from catalog.damage.values import LETTERS_TO_DIGITS, SEPARATORS, SMALL_VOCABULARY
from catalog.evidence.clauses.candidate import DAMAGED, Candidate, Floats, Keys, at_most, class_features
from catalog.evidence.clauses.listed import MOST_CLASSES, MOST_VALUES
from catalog.evidence.clauses.meaning import share_outside
from catalog.evidence.pattern_index.views import Profile
from catalog.patterns.language.characters import CLASS_REGEX, DIGIT, LOWER, UPPER, quote, shape_of
from catalog.patterns.language.hierarchy import are_numbered, class_of
from catalog.patterns.language.regex import ANY, class_regex, whole

LONGEST = 100  # characters of a usual value or shape that is looked at; a bound of time
VALUE, SHAPE = "=", "~"  # what the usual values and shapes among the accepted strings begin with
SEVERAL = ""
_YEAR_FIRST = re.compile(r"([0-9]{4})[-/.]([0-9]{2})[-/.]([0-9]{2})((?:[ T].*)?)", re.S)
_YEAR_LAST = re.compile(r"([0-9]{2})[-/.]([0-9]{2})[-/.]([0-9]{4})((?:[ T].*)?)", re.S)
_APART = re.compile(f"[{re.escape(SEPARATORS)}]")
_LOOKS_LIKE = {DIGIT: "OolI", UPPER: "01", LOWER: "01"}  # what a character may be mistaken for


def _same(text: str) -> str:
    return text


def _lower(text: str) -> str:
    """In small letters, where that can be taken back: others stay as they are.

    >>> _lower("ÉA"), _lower("\N{KELVIN SIGN}ẞ") == "\N{KELVIN SIGN}ẞ"
    ('éa', True)
    """
    if text.isascii():
        return text.lower()
    return "".join(small if (small := c.lower()).upper() == c else c for c in text)


def _cased(text: str) -> Iterator[str]:
    if text.lower() != text.upper():
        yield _lower(text)


def _lettered(text: str) -> Iterator[str]:
    if any(character in "01OolI" for character in text):
        yield _as_digits(text)


def _as_digits(text: str) -> str:
    return text.translate(LETTERS_TO_DIGITS)


def _ends_lost(text: str) -> Iterator[str]:
    yield from (text[:-1], text[1:], text[: len(text) // 2])


def _cut(text: str) -> Iterator[str]:
    """Without its first character, and beginnings from the half on that are no whole numbers (years of a range).

    >>> list(_cut("2013-15"))
    ['013-15', '201', '2013-', '2013-1']
    """
    yield text[1:]
    yield from (text[:k] for k in range(len(text) // 2, len(text)) if not text[:k].isdigit() or text[k].isdigit())


def _typos(text: str) -> Iterator[str]:
    """A word with a letter lost or doubled inside, or two exchanged."""
    if len(text) > 3 and text.isalpha():
        yield from exchanges(text)
        for i in range(1, len(text) - 1):
            yield text[:i] + text[i + 1 :]
            yield text[:i] + text[i] + text[i:]


def _recased(shape: str) -> Iterator[str]:
    if sum(character in UPPER + LOWER for character in shape) > 1:
        yield shape.replace(LOWER, UPPER)
        yield shape.replace(UPPER, LOWER)


def _marked(shape: str) -> Iterator[str]:
    """Numbers with the other decimal mark, or with marks between thousands."""
    if re.fullmatch("-?0+[.,]0+", shape):
        yield shape.translate({ord("."): ",", ord(","): "."})
    if re.fullmatch("0{4,}", shape):
        yield re.sub("(?<=0)(?=(?:000)+$)", ",", shape)


def _apart(text: str) -> Iterator[str]:
    """With another separator, or none, in the place of one or of all; of a day, year first or last."""
    found = {character for character in text if character in SEPARATORS}
    for new in ("", *SEPARATORS) if found else ():
        yield from (text.replace(old, new) for old in sorted(found) if new != old)
        if len(found) > 1:
            yield _APART.sub(new, text)
    if day := _YEAR_FIRST.fullmatch(text):
        year, one, other, time = day.groups()
        yield from (f"{a}{mark}{b}{mark}{year}{time}" for mark in "-/." for a, b in ((one, other), (other, one)))
    elif day := _YEAR_LAST.fullmatch(text):
        one, other, year, time = day.groups()
        yield from (
            f"{year}{mark}{a}{mark}{b}{time}" for mark in ("-", "/", ".", "") for a, b in ((one, other), (other, one))
        )


@dataclass(frozen=True)
class Fault:
    """One way in which a usual value or shape goes wrong.

    Parameters
    ----------
    of : `VALUE` or `SHAPE`: what of a column it happens to.
    made : what a usual one becomes.
    key : what of a value, or of its shape, is compared with it.
    """

    of: str
    made: Callable[[str], Iterable[str]]
    key: Callable[[str], str] = _same


#: By kind of demand. Which values are ``misread`` no shape tells (`_reads_as`).
FAULTS: dict[str, dict[str, Fault]] = {
    "misspelt": {
        "case": Fault(VALUE, _cased, _lower),
        "form_case": Fault(SHAPE, _recased),
        "letters": Fault(VALUE, _lettered, _as_digits),
        "misread": Fault(SHAPE, lambda shape: [shape]),
        "typo": Fault(VALUE, _typos),
        "marks": Fault(SHAPE, _marked),
    },
    "truncated": {"cut": Fault(VALUE, _cut)},
    "truncated_form": {"form_cut": Fault(SHAPE, _ends_lost)},
    "reformatted": {"separators": Fault(VALUE, _apart)},
    "reformatted_form": {"form_separators": Fault(SHAPE, _apart)},
    "exchanged_form": {"form_exchanged": Fault(SHAPE, exchanges)},
}
_BY_NAME = {name: fault for faults in FAULTS.values() for name, fault in faults.items()}
WORDS = {  # of a demand, and of what breaks it
    "misspelt": ("a usual one misspelt or in another case", "like usual ones, misspelt or in another case"),
    "truncated": ("a usual one cut short", "like usual ones, cut short"),
    "truncated_form": ("of the usual form cut short", "of the usual form cut short"),
    "reformatted": ("a usual one with other separators", "like usual ones, with other separators"),
    "reformatted_form": ("of the usual form with other separators", "of the usual form with other separators"),
    "exchanged_form": ("of the usual form with characters exchanged", "of the usual form with characters exchanged"),
}  # fmt: skip


class Undamaged(Candidate):
    """No value is what one of the faults in `accepted` makes of a usual one; these stand there behind `VALUE` and
    `SHAPE`.

    >>> found = Candidate("truncated_form", ("form_cut", "~AA-00"))
    >>> [text for text in ("XY-17", "XY-1", "Y-17", "XYZ") if not found.accepts(text)]
    ['XY-1', 'Y-17']
    """

    of_values = True
    guards = True

    @classmethod
    def view_of(cls, kind: str) -> str:
        return kind  # no view tells

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        known = {VALUE: profile.values or {}, SHAPE: profile.tables.get("shape") or {}}
        most = {VALUE: MOST_VALUES, SHAPE: MOST_CLASSES}
        usual = {
            of: sorted(text for text in texts if len(text) <= LONGEST)
            for of, texts in known.items()
            if 0 < len(texts) <= most[of]
        }
        made_of = usual | {SHAPE: [text for text in usual.get(SHAPE, ()) if text in profile.shared_shapes]}
        faults = [
            name
            for name, fault in FAULTS[kind].items()
            if (texts := made_of.get(fault.of)) and _is_strange(name, fault, texts, usual[fault.of], profile)
        ]
        needed = {_BY_NAME[name].of for name in faults}
        accepted = [*faults, *(of + text for of in sorted(needed) for text in made_of[of])]
        return [Candidate(kind, tuple(accepted))] if faults else []

    @property
    def of_shapes(self) -> Candidate | None:
        """What is demanded of values that are not among the usual ones: None where that is nothing."""
        faults = [name for name in self.faults if _BY_NAME[name].of == SHAPE]
        shapes = [text for text in self.accepted if text[0] == SHAPE]
        return Candidate(self.kind, (*faults, *shapes)) if faults else None

    @cached_property
    def usual(self) -> dict[str, frozenset[str]]:
        """The usual values and shapes."""
        return {of: frozenset(text[1:] for text in self.accepted if text[0] == of) for of in (VALUE, SHAPE)}

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """What is demanded not to occur."""
        return tuple(text for text in self.accepted if text[0] not in (VALUE, SHAPE))

    @cached_property
    def made(self) -> list[tuple[Fault, Mapping[str, str]]]:
        named = [(name, _BY_NAME[name]) for name in self.faults if name != "misread"]
        return [(fault, _made_of(name, tuple(sorted(self.usual[fault.of])))) for name, fault in named]

    @cached_property
    def runs(self) -> frozenset[str]:
        """The usual shapes without lengths."""
        return frozenset(class_of("runs", shape) for shape in self.usual[SHAPE])

    @cached_property
    def alike(self) -> dict[str, list[str]]:
        """The usual shapes by `merged`, where values may not be misread."""
        return _by_merged(self.usual[SHAPE]) if "misread" in self.faults else {}

    def accepts(self, text: str) -> bool:
        shape = shape_of(text)
        return not self.is_misread(text, shape) and not any(
            self._is_made(fault, made, text if fault.of == VALUE else shape) for fault, made in self.made
        )

    def _is_made(self, fault: Fault, made: Mapping[str, str], text: str) -> bool:
        return text not in self.usual[fault.of] and fault.key(text) in made

    def is_misread(self, text: str, shape: str) -> bool:
        """Whether digits stand as letters that look like them, or the other way round; not where words of another
        length have letters and digits there as well.

        >>> [Candidate("misspelt", ("misread", *shapes)).accepts("go") for shapes in (["~a0"], ["~a0", "~aaa"])]
        [False, True]
        """
        known = self.alike.get(merged(shape), ()) if self.alike and shape not in self.usual[SHAPE] else ()
        return any(_reads_as(text, usual) for usual in known) and class_of("runs", shape) not in self.runs

    def nonconforming(self, batch: Profile) -> int:
        of_form = self._strange(SHAPE, batch.shapes) if batch.base in ("value", "shape") else set()
        if batch.values is None:
            listed = round(batch.rows * share_outside(batch.texts, self.accepts))
            return max(listed, sum(batch.shapes[shape] for shape in of_form))
        values = self._strange(VALUE, batch.values)
        alike = self.alike
        maybe = {s for s in batch.shapes if s not in self.usual[SHAPE] and merged(s) in alike} if alike else set()
        if not values and not maybe:
            return sum(batch.shapes[shape] for shape in of_form)
        for value in batch.values if of_form or maybe else ():
            shape = shape_of(value)
            if shape in of_form or (shape in maybe and self.is_misread(value, shape)):
                values.add(value)
        return sum(batch.values[value] for value in values)

    def _strange(self, of: str, texts: Mapping[str, int]) -> set[str]:
        """Those values or shapes that a fault makes of usual ones."""
        found: set[str] = set()
        for fault, made in self.made:
            if fault.of == of and fault.key is _same:
                found |= made.keys() & texts.keys()
            elif fault.of == of:
                found |= {text for text in texts if fault.key(text) in made}
        return found - self.usual[of]

    def regex(self) -> str:
        """What conforms: usual values, and what no fault makes of usual ones or of their shapes."""
        values, shapes = (sorted(self.usual[of]) for of in (VALUE, SHAPE))
        wrong = {of: self._expressions(of) for of in (VALUE, SHAPE)}
        usual = "|".join(class_regex("shape", text) for text in shapes)
        parts = [rf"(?!(?:{'|'.join(wrong[SHAPE])})(?!{ANY})){ANY}*"] if wrong[SHAPE] else [f"{ANY}*"]
        body = f"(?:{'|'.join([usual, *parts] if usual and wrong[SHAPE] else parts)})"
        if not wrong[VALUE]:
            return whole([body])
        return whole([*map(quote, values), rf"(?!(?:{'|'.join(wrong[VALUE])})(?!{ANY})){body}"])

    def _expressions(self, of: str) -> list[str]:
        """Regular expressions of what the faults make."""
        names = [name for name in self.faults if _BY_NAME[name].of == of]
        runs = "|".join(class_regex("runs", text) for text in sorted(self.runs)) if "misread" in names else ""
        other = {"misread": f"(?!(?:{runs})(?!{ANY}))"}
        return [
            other.get(name, "") + found
            for name in names
            for text in sorted(self.usual[of])
            if (found := _expression(name, text))
        ]

    def numbers(self) -> Keys:
        return np.empty(0, np.uint64)

    def features(self, profile: Profile) -> Floats:
        """Those of the shapes that are usual."""
        return class_features(profile.tables["shape"])

    def allowed(self) -> frozenset[Any]:
        known = {text for text in self.accepted if text[0] in (VALUE, SHAPE)}
        return frozenset(FAULTS[self.kind]) - frozenset(self.faults) | known

    def pattern(self) -> str:
        return f"not {WORDS[self.kind][0]}"

    def breach(self, *, private: bool = False) -> str:
        return DAMAGED

    def words(self, theta: float, *, private: bool = False) -> str:
        """The demand in words.

        >>> Candidate("truncated", ("cut", "=open")).words(0.0), Candidate("truncated", ("cut", "=open")).words(0.01)
        ('no value is a usual one cut short', 'at most 1% like usual ones, cut short')
        """
        return at_most(self.broken(), theta) if theta else f"no value is {WORDS[self.kind][0]}"

    def broken(self, batch: Profile | None = None, *, private: bool = False) -> str:
        return WORDS[self.kind][1]


def _is_strange(name: str, fault: Fault, texts: list[str], known: list[str], profile: Profile) -> bool:
    """Whether a fault makes something of usual texts, and none of those known is what it makes of another one."""
    if (name == "typo" and len(texts) > SMALL_VOCABULARY) or (name == "cut" and are_numbered(texts)):
        return False
    if name == "misread":
        return not _reads_as_another(known, profile)
    made = _made_of(name, tuple(texts))
    if name == "form_case" and any(
        (runs := class_of("runs", new)) in profile.tables["runs"] and runs != class_of("runs", text)
        for new, text in made.items()
    ):
        return False  # words of another length are written in the other case
    return bool(made) and all(made.get(fault.key(text), text) == text for text in known)


@lru_cache(maxsize=64)  # learned from, then asked of the rows that came after
def _made_of(name: str, texts: tuple[str, ...]) -> Mapping[str, str]:
    """What a fault makes of usual texts -> of which one; `SEVERAL` where of more than one."""
    made: dict[str, str] = {}
    for text in texts:
        for new in _BY_NAME[name].made(text):
            if made.setdefault(new, text) != text:
                made[new] = SEVERAL
    return made


def _reads_as_another(shapes: list[str], profile: Profile) -> bool:
    """Whether a value known is one of another usual shape, misread."""
    alike = {key: found for key, found in _by_merged(shapes).items() if len(found) > 1}
    known = ((text, shape_of(text)) for text, _ in profile.texts.values) if alike else ()
    return any(
        _reads_as(text, other) for text, shape in known for other in alike.get(merged(shape), ()) if other != shape
    )


def merged(shape: str) -> str:
    """A shape without the difference of letters and digits."""
    return shape.translate({ord(UPPER): DIGIT, ord(LOWER): DIGIT})


def _by_merged(shapes: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for shape in sorted(shapes):
        found.setdefault(merged(shape), []).append(shape)
    return found


def _reads_as(text: str, shape: str) -> bool:
    """Whether a value has a shape but for digits and letters that look alike.

    >>> _reads_as("A-lOO", "A-000"), _reads_as("A-1X0", "A-000")
    (True, False)
    """
    places = zip(text, shape_of(text), shape, strict=False)
    alike = (is_now == wanted or c in _LOOKS_LIKE.get(wanted, "") for c, is_now, wanted in places)
    return len(text) == len(shape) and all(alike)


def _expression(name: str, text: str) -> str | None:
    """A regular expression of what a fault makes of a usual value or shape; None where it makes nothing."""
    fault = _BY_NAME[name]
    write = quote if fault.of == VALUE else (lambda shape: class_regex("shape", shape))
    if name == "misread":
        return "".join(f"[{CLASS_REGEX[c][1:-1]}{_LOOKS_LIKE[c]}]" if c in _LOOKS_LIKE else write(c) for c in text)
    if name == "case":
        cases = [sorted({c, _lower(c), *(one for one in (c.upper(),) if _lower(one) == _lower(c))}) for c in text]
        return "".join(quote(one[0]) if len(one) == 1 else f"[{''.join(map(quote, one))}]" for one in cases)
    if name == "letters":
        return "".join(f"[{'0Oo' if c in '0Oo' else '1lI'}]" if c in "0Oo1lI" else quote(c) for c in text)
    return "|".join(write(new) for new in sorted(set(fault.made(text))) if new) or None
