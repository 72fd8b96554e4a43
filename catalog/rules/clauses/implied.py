"""Which clauses on strings say nothing that another one does not say already."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.evidence.clauses.candidate import Candidate, is_known
from catalog.evidence.clauses.candidates import Charset, Lengths
from catalog.evidence.clauses.listed import Listed, Values
from catalog.evidence.clauses.patterned import Patterns
from catalog.evidence.pattern_index.views import profile_values
from catalog.patterns.images import class_pattern, images, parsed
from catalog.patterns.language.characters import CHARACTER_CLASSES
from catalog.patterns.language.hierarchy import DETERMINES, OPEN, REPEAT, project
from catalog.patterns.language.tokens import CONST
from catalog.rules.clauses.strings import StringClause

_VALUE = "value"


def needed(clauses: Sequence[StringClause]) -> list[StringClause]:
    """Without those that hold wherever another one does that tolerates no more.

    >>> found = [StringClause.of(Candidate(*one), 0.01) for one in (("shape", ("AA-00",)), ("marks", ("-X",)))]
    >>> [clause.kind for clause in needed(found)]
    ['shape']
    """
    known = [one for one in clauses if is_known(one.kind)]

    def is_said(at: int, one: StringClause) -> bool:
        for place, other in enumerate(known):
            if other is one or other.theta > one.theta or not implies(other.candidate, one.candidate):
                continue
            same = other.theta == one.theta and implies(one.candidate, other.candidate)
            if not same or place < at:
                return True
        return False

    said = [one for at, one in enumerate(known) if is_said(at, one)]
    return [one for one in clauses if not any(one is other for other in said)]


def implies(one: Candidate, other: Candidate) -> bool:
    """Whether all that conforms to one candidate surely conforms to another.

    >>> values, shapes = Candidate("value", ("US", "DE")), Candidate("shape", ("AA",))
    >>> implies(values, shapes), implies(shapes, values), implies(values, Candidate("domain", ("country_code_2",)))
    (True, False, True)
    >>> capitals, dashed = Candidate("names", ("<upper>{2}-<digit>+",)), Candidate("runs", ("A-0", "A-A"))
    >>> implies(capitals, dashed), implies(dashed, capitals), implies(shapes, Candidate("numbers", ("<upper>+",)))
    (True, False, True)
    >>> implies(Candidate("charset", ("0",)), Candidate("runs", ("0",)))
    True
    """
    if isinstance(one, Charset):
        of = one.accepted[0]
        alone = len(of) == 1 and of in CHARACTER_CLASSES and _holds(other, "runs", of)
        return alone or (isinstance(other, Charset) and other.accepts(of))
    classes = _classes(one)
    return bool(classes) and all(_holds(other, view, text) for view, text in classes)


def _classes(one: Candidate) -> list[tuple[str, str]]:
    """(view, class) of all that conforms; none where the views do not tell."""
    if isinstance(one, Patterns):
        found = [images(text) for text in one.accepted]
        return [each for some in found for each in some] if all(found) else []
    if not isinstance(one, Listed) or any(mark in text for text in one.accepted for mark in (OPEN, REPEAT)):
        return []
    return [(_VALUE if isinstance(one, Values) else one.view, text) for text in one.accepted]


def _holds(other: Candidate, view: str, text: str) -> bool:
    """Whether every value of a class conforms."""
    if view == _VALUE:
        return not other.nonconforming(profile_values([(text, 1)]))
    if isinstance(other, Patterns):
        return view == "shape" and any(_is_of(pattern, text) for pattern in other.accepted)
    if not isinstance(other, Listed | Charset | Lengths) or isinstance(other, Values):
        return False
    return (other.view == view or other.view in DETERMINES.get(view, ())) and other.accepts(
        project(view, text, other.view)
    )


def _is_of(pattern: str, shape: str) -> bool:
    """Whether every value of a shape has a pattern: one with letters or digits of its own only some have."""
    if any(token.kind == CONST and any(map(str.isalnum, token.text)) for token in parsed(pattern).tokens):
        return False
    found = class_pattern(pattern, "shape")
    return found is not None and found.fullmatch(shape) is not None
