"""The known forms of a clause as a person would write them, each with a value of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from catalog.evidence.clauses.candidate import FEW, ROOM, Candidate
from catalog.evidence.clauses.listed import COMBINED, Listed, Values
from catalog.evidence.clauses.patterned import Patterns
from catalog.evidence.pattern_index.views import profile_values
from catalog.patterns.describe import WRITTEN
from catalog.patterns.images import parsed
from catalog.patterns.language.hierarchy import OPEN, REPEAT
from catalog.patterns.language.tokens import ALNUMS, DIGIT, LETTERS, LOWER, NUM, UPPER

Form = tuple[str, str]  # as it is written, and a value of it; empty where none of those tried has it
KNOWN_FORMS = " known forms"  # in the words of a clause that counts its forms and does not say them
LIKE = f"{WRITTEN}like "  # what stands before values that have the forms of a clause
_COUNTED = re.compile(rf"in one of [0-9]+{KNOWN_FORMS}")
MOST, SHOWN = 8, 2  # forms that a rule keeps, and of which a sentence shows a value if there are more; bounds of length
LONGEST = 72  # characters of forms in a sentence: the rest stands on the rule's page; a bound of length
#: Characters of a form in words, beyond which a value shows it better, and of a value that is short; bounds of length.
LONGEST_IN_WORDS, LONGEST_SHOWN = 45, 24
TRIED = 200  # values that are asked for their form; a bound of time
_WRITTEN = {DIGIT: "0", UPPER: "A", LOWER: "a", LETTERS: "a", ALNUMS: "X", NUM: "0"}


def forms_of(candidate: Candidate, values: Iterable[str]) -> list[Form]:
    """The forms that the first of the values have, in their order, and the others of a few, without a value; none of a
    clause that says its forms in words.

    >>> found = Candidate("runs", ("A-0", "A-A", "A0", "A0-A", "a-A", "A"))
    >>> forms_of(found, ["PT-06", "PT-07", "AD-AN", "no"])
    [('A-0', 'PT-06'), ('A-A', 'AD-AN')]
    """
    if not isinstance(candidate, Listed | Patterns) or not candidate.says_what or isinstance(candidate, Values):
        return []
    if not is_shown_by_values(candidate.said()) or any(set(one) & {OPEN, REPEAT} for one in candidate.accepted):
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


def is_shown_by_values(said: str) -> bool:
    """Whether values show a form better than these words: they only count forms, or are long."""
    return KNOWN_FORMS in said or len(said) > LONGEST_IN_WORDS


def in_words(said: str, many: int, forms: Sequence[Sequence[str]]) -> str:
    """The words of a clause of so many forms as a person would show them: by values that have them, one of each of a
    few forms, of more some. Without values nobody is helped by how many forms there are.

    >>> in_words("made of capitals and “-”, in one of 2 known forms", 2, [("A-0", "PT-06"), ("A-A", "AD-AN")])
    'written like “PT-06” or “AD-AN”'
    >>> in_words("in one of 7 known forms", 7, [("A-0", "PT-06"), ("A-A", "AD-AN"), ("A", "AD")])
    'written like “PT-06” or “AD-AN”'
    >>> in_words("made of capitals and “-”, in one of 7 known forms", 7, []), in_words("two capitals", 1, [])
    ('made of capitals and “-”', 'two capitals')
    """
    values = [value for _, value in forms if value.strip()]
    if not values or not is_shown_by_values(said):
        common, counts, _ = said.partition(", in one of ")
        return common if counts else _COUNTED.sub("in usual forms", said).removesuffix(COMBINED)
    values.sort(key=lambda value: len(value) > LONGEST_SHOWN)
    for some in (FEW, SHOWN, 1):
        told = LIKE + _or([quoted(value) for value in values[:some]])
        if len(told) <= LONGEST and (some < FEW or many <= FEW):
            return told
    return told


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
