"""One possible demand of the strings of a column, and the registry of their kinds.

A kind of candidate is a class: it says which rows of a batch it is about and how many of them do not conform, how the
index looks it up, what is known of it before it is trusted, and how it is said. `catalog.evidence.clauses.candidates`
has those of the product. ``Candidate(kind, accepted)`` makes the class registered for that kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from catalog.evidence.pattern_index.views import Profile

Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]

VALUES_ARE = "values are "  # what a demand that tolerates others begins with
NOT = "not "  # what stands before what values that do not conform are not
OTHERS, MISSING, DAMAGED = "others", "missing", "damaged"  # what rows that do not conform are, in a word
ANOTHER_FORM = "of another form"  # what they are beside what says which values there are
FEWER = 0.3  # chosen: where so many others are tolerated is said how many values conform, at least
ROOM = 40  # characters that a demand names what conforms in, before it says how many there are; chosen
FEW = 3  # chosen: so many names are said in twice that room; that there are three says less than which
_OF_PARTS = re.compile(", | and | or ")  # in the words of what has several parts
_BY_KIND: dict[str, type[Candidate]] = {}
C = TypeVar("C", bound="type[Candidate]")


class Lookup(Protocol):
    """What an index knows of classes that a candidate names by a range or a set."""

    def symbol_sets_within(self, mask: Keys) -> Keys: ...

    def lengths(self, low: int, high: int) -> Keys: ...


def register(cls: C, kinds: Iterable[str]) -> C:
    """Make a class that of these kinds; further kinds come last, since replays keep the place of theirs."""
    for kind in kinds:
        _BY_KIND[kind] = cls
    return cls


def kind_names() -> tuple[str, ...]:
    """Every kind, in the order registered: the place of a kind is stored in replays."""
    return tuple(_BY_KIND)


def class_of_kind(kind: str) -> type[Candidate]:
    """The class of a kind. Raises `ValueError` for one that this release does not know."""
    if kind not in _BY_KIND:
        raise ValueError(f"clause kind {kind!r} is none of {sorted(_BY_KIND)}")
    return _BY_KIND[kind]


def is_known(kind: str) -> bool:
    """Whether this release knows a kind."""
    return kind in _BY_KIND


def one_of(many: int) -> str:
    """So many values, which are not said.

    >>> one_of(2), one_of(1)
    ('one of 2 known values', 'one of 1 known value')
    """
    return f"one of {many} known value" + ("" if many == 1 else "s")


def apart(names: Sequence[str]) -> list[str]:
    """Names that can be told apart where they are joined by "or": of several those of several parts in brackets.

    >>> apart(["digits, “-”, digits"]), apart(["digits, “-”, digits", "digits"])
    (['digits, “-”, digits'], ['(digits, “-”, digits)', 'digits'])
    """
    return [f"({name})" if len(names) > 1 and has_parts(name) else name for name in names]


def has_parts(name: str) -> bool:
    """Whether a name is of several parts.

    >>> has_parts("digits, “-”, digits"), has_parts("two digits")
    (True, False)
    """
    return _OF_PARTS.search(name) is not None


def some_of(names: Sequence[str], whole: str, *, shown: bool = True) -> str:
    """Names joined by "or" where `ROOM` characters hold them, or twice as many those of `FEW`; else `whole`, which says
    how many there are, and, if they are to be `shown`, those that fit, one at least.

    >>> some_of(["a", "b", "c"], "one of 3 values")
    'a, b or c'
    >>> some_of(["a" * 30, "b" * 40, "c", "d"], "in one of 4 forms")
    'in one of 4 forms, such as aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
    >>> some_of(["letters", "letters, “-”, a number, “-”, capitals, “-”, letters or digits"], "in one of 2 forms")
    'letters or letters, “-”, a number, “-”, capitals, “-”, letters or digits'
    """
    kept, left = 1, (1 + (len(names) <= FEW)) * ROOM - len(names[0])
    while kept < len(names) and left >= len(names[kept]):
        left -= len(names[kept])
        kept += 1
    said = names[0] if kept == 1 else ", ".join(names[: kept - 1]) + " or " + names[kept - 1]
    if kept == len(names):
        return said
    return f"{whole}, such as {said}" if shown else whole


def demand(what: str, theta: float) -> str:
    """What values are, and how many others there may be.

    >>> demand("two capitals", 0.0), demand("two capitals", 0.06), demand("two capitals", 0.8)
    ('every value is two capitals', 'values are two capitals; at most 6% others', \
'values are two capitals, at least 20% of them')
    """
    return f"{VALUES_ARE}{what}{tolerating(theta)}" if theta else f"every value is {what}"


def tolerating(theta: float) -> str:
    """How many other values there may be, behind what values are.

    >>> tolerating(0.002), tolerating(0.95)
    ('; at most 0.2% others', ', at least 5% of them')
    """
    if theta < FEWER:
        return f"; {at_most(OTHERS, theta)}"
    return f", at least {percent(round(1 - theta, 6))} of them"


def at_most(what: str, theta: float) -> str:
    """Which share of the rows may be what.

    >>> at_most("missing", 0.001), at_most("others", 0.125)
    ('at most 0.1% missing', 'at most 12% others')
    """
    return f"at most {percent(theta)} {what}"


def tolerated(theta: float) -> str:
    """A share of the rows that there may be.

    >>> tolerated(0.0), tolerated(0.005), tolerated(0.01)
    ('none', 'at most 0.5%', 'at most 1%')
    """
    if not theta:
        return "none"
    return f"at most {percent(theta)}"


def percent(share: float) -> str:
    """A share in two digits.

    >>> percent(0.001), percent(0.125), percent(0.8)
    ('0.1%', '12%', '80%')
    """
    return f"{100 * share:.2g}%"


def class_features(table: dict[str, int]) -> Floats:
    """`catalog.evidence.calibrated.features.CLASS_FEATURES` of a histogram."""
    rows = table.values()
    once, twice = (sum(count == few for count in rows) for few in (1, 2))
    n = sum(rows)
    p = np.array(list(rows), float) / n
    entropy = -np.add.reduce(p * np.log(p))
    return np.array([len(p), once / n, twice / n, max(rows) / n, min(rows) / n, entropy])


@dataclass(frozen=True)
class Candidate:
    """One possible demand: `accepted` says what conforms, in the terms of its `kind`.

    Class attributes: `several`, a column may have several of the kind, told apart by what they accept; `sampled`, what
    breaks it is seen on the values listed only; `of_values`, its words and its regex list values of the column;
    `is_pattern`, the rows that conform are those that its regex matches;
    `of_form`, what breaks it is explained by how values look; `of_missing`, it is on how many values are missing;
    `guards`, it is on what goes wrong with values, and says nothing of what they are; `unusual`, what values that do
    not conform are, in a few words, where another demand says what values are.
    """

    kind: str
    accepted: tuple[str, ...]

    several: ClassVar[bool] = False
    sampled: ClassVar[bool] = False
    of_values: ClassVar[bool] = False
    is_pattern: ClassVar[bool] = True
    of_form: ClassVar[bool] = True
    of_missing: ClassVar[bool] = False
    guards: ClassVar[bool] = False
    unusual: ClassVar[str] = ANOTHER_FORM

    def __new__(cls, kind: str = "", *args: Any, **kwargs: Any) -> Candidate:
        return object.__new__(class_of_kind(kind) if cls is Candidate and kind else cls)

    @property
    def says_what(self) -> bool:
        """Whether it says what a whole value is: a list, a domain, a form, rather than a property that values share."""
        return False

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        """The candidates of a kind that a training profile teaches."""
        raise NotImplementedError

    @classmethod
    def view_of(cls, kind: str) -> str:
        """The view whose classes a kind looks at."""
        return kind

    @classmethod
    def keys(cls, numbers: Keys, lookup: Lookup) -> Keys:
        """Keys in an index of all classes that conform, from `numbers`."""
        return numbers

    @property
    def names(self) -> bool:
        """Whether it says what values mean, or which they are, and not only how they are written."""
        return False

    @property
    def view(self) -> str:
        return self.view_of(self.kind)

    @property
    def name(self) -> str:
        """What tells it from the other candidates of a column."""
        return self.kind

    def regex(self) -> str:
        """Regular expression of the conforming values, for Java and Python. Raises `ValueError` without `is_pattern`,
        since such a candidate checks values, and does not only match them."""
        raise ValueError(f"{self.kind} {self.accepted[0]!r} is no regular expression")

    def accepts(self, text: str) -> bool:
        """Whether a class of `view` conforms."""
        return text in self.accepted

    def rows(self, batch: Profile) -> int:
        """Rows of a batch that it is about: those with a value, usually."""
        return batch.rows

    def nonconforming(self, batch: Profile) -> int:
        """Those of `rows` that surely do not conform: a lower bound where the batch's state is coarse."""
        raise NotImplementedError

    def numbers(self) -> Keys:
        """What a lookup needs of it, as numbers."""
        raise NotImplementedError

    def features(self, profile: Profile) -> Floats:
        """What is known of it from the training rows: `catalog.evidence.calibrated.features.CLASS_FEATURES`."""
        return class_features(profile.tables[self.view])

    def allowed(self) -> frozenset[Any]:
        """What it lets through, as a set that grows as it gets looser."""
        return frozenset(self.accepted)

    def pattern(self) -> str:
        """What conforms, in a few words."""
        return self.accepted[0]

    def said(self, *, private: bool = False, shown: bool = True) -> str:
        """What values that conform are, in words; `private`, without values of the column; `shown`, with examples where
        there are too many to say all."""
        raise NotImplementedError

    def words(self, theta: float, *, private: bool = False) -> str:
        """The demand that at most a share `theta` of the rows do not conform."""
        return demand(self.said(private=private), theta)

    def breach(self, *, private: bool = False) -> str:
        """What the rows that do not conform are, after their share."""
        return NOT + self.said(private=private, shown=False)

    def broken(self, batch: Profile | None = None, *, private: bool = False) -> str:
        """What the rows of a batch that do not conform are, after their number; without a batch, what they may be.

        >>> Candidate("charset", ("0",)).broken(), Candidate("clean", ("padded", "html")).broken()
        ('not made of digits', 'padded or escaped')
        """
        return self.breach(private=private)

    def offenders(self) -> dict[str, Any]:
        """How the rows that do not conform are found: see `catalog.rules.verdict.Verdict`."""
        return {"regex": self.regex()}
