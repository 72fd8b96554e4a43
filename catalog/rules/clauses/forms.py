"""The known forms of a clause as a person would write them, each with a value of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from catalog.evidence.clauses.candidate import FEW, ROOM, Candidate
from catalog.evidence.clauses.listed import Listed, Values
from catalog.evidence.clauses.patterned import Patterns
from catalog.evidence.pattern_index.views import profile_values
from catalog.patterns.images import parsed
from catalog.patterns.language.hierarchy import OPEN, REPEAT
from catalog.patterns.language.tokens import ALNUMS, DIGIT, LETTERS, LOWER, NUM, UPPER

Form = tuple[str, str]  # as it is written, and a value of it; empty where none of those tried has it
KNOWN_FORMS = " known forms"  # in the words of a clause that counts its forms and does not say them
MOST = 8  # forms that a rule keeps; a bound of length
LONGEST = 72  # characters of forms in a sentence: the rest stands on the rule's page; a bound of length
TRIED = 200  # values that are asked for their form; a bound of time
_WRITTEN = {DIGIT: "0", UPPER: "A", LOWER: "a", LETTERS: "a", ALNUMS: "X", NUM: "0"}


def forms_of(candidate: Candidate, values: Iterable[str]) -> list[Form]:
    """The forms that the first of the values have, in their order, and the others of a few, without a value; none of a
    clause that says its forms in words.

    >>> found = Candidate("runs", ("A-0", "A-A", "A0", "A0-A", "a-A", "A"))
    >>> forms_of(found, ["PT-06", "PT-07", "AD-AN", "no"])
    [('A-0', 'PT-06'), ('A-A', 'AD-AN')]
    """
    if not isinstance(candidate, Listed | Patterns) or isinstance(candidate, Values):
        return []
    if KNOWN_FORMS not in candidate.said() or any(set(one) & {OPEN, REPEAT} for one in candidate.accepted):
        return []
    left, found = {one: Candidate(candidate.kind, (one,)) for one in candidate.accepted}, []
    for text in islice(values, TRIED):
        seen = profile_values([(text, 1)])
        name = next((name for name, one in left.items() if seen.rows and not one.nonconforming(seen)), None)
        if name is not None:
            found.append((_written(candidate, name), text))
            del left[name]
        if not left or len(found) == MOST:
            break
    if len(candidate.accepted) <= FEW:
        found += [(_written(candidate, name), "") for name in left]
    return found


def in_words(said: str, many: int, forms: Sequence[Sequence[str]]) -> str:
    """The words of a clause of so many forms with these: few as they are written, of more a value.

    >>> in_words("made of capitals and “-”, in one of 2 known forms", 2, [("A-0", "PT-06"), ("A-A", "AD-AN")])
    'in one of 2 known forms: A-0 such as “PT-06” or A-A such as “AD-AN”'
    >>> in_words("in one of 7 known forms", 7, [("A-0", "PT-06"), ("A-A", "AD-AN")])
    'in one of 7 known forms, such as “PT-06”'
    """
    if not forms or not said.endswith(KNOWN_FORMS):
        return said
    if many <= FEW and len(forms) == many:
        told = _or([f"{form} such as {quoted(value)}" if value else form for form, value in forms])
        told = told if len(told) <= LONGEST else _or([form for form, _ in forms])
        if len(told) <= LONGEST:
            return f"in one of {many}{KNOWN_FORMS}: {told}"
    return f"in one of {many}{KNOWN_FORMS}, such as {quoted(forms[0][1])}"


def _or(told: Sequence[str]) -> str:
    *some, last = told
    return f"{', '.join(some)} or {last}" if some else last


def quoted(value: str) -> str:
    """A value in a sentence."""
    return f"“{value if len(value) <= ROOM else value[:ROOM] + '…'}”"


def _written(candidate: Candidate, name: str) -> str:
    """A form with a 0 for digits, A and a for letters, X for either.

    >>> _written(Candidate("formats", ("<upper>{2}-<num>",)), "<upper>{2}-<num>")
    'AA-0'
    """
    if not isinstance(candidate, Patterns):
        return name.replace("1", "0")
    return "".join(token.text or _WRITTEN.get(token.kind, "…") * (token.size or 1) for token in parsed(name).tokens)
