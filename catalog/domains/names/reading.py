"""What a column's name is short for, where it says nothing by itself.

Who keeps a table shortens as room is short: parts of a term are cut off behind (`mar_stat`, `est_civ`), lose their
vowels (`dsblty`) or leave their first letters (`chf`). No list of abbreviations is needed to read that: the terms that
a domain gives (`Domain.terms`, its ``name_terms``) are held against the name. So read, many short names mean several
things, and `catalog.tags.rows` believes a reading in a table of persons only.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache

from catalog.domains.domain import words
from catalog.domains.known import generation, in_force
from catalog.domains.lexicon import fold, vocabulary

CUT, JOINED = 4, 5  # chosen: letters left of a term, or of several of its parts without a space, that still tell it
INITIALS = 3  # chosen: first letters that tell a term by themselves; of two the values have to be a code of it
#: The number of a question before what it asks.
_QUESTION = re.compile(r"^[A-Za-z]{1,2}\d+[A-Za-z]?_+")
#: What stands before and behind what is asked: of whom, in which form, which of several.
_BESIDE = vocabulary(
    "is was are has had have any ever never now currently current hx history of self own num fac bin cat code codes cd "
    "grp group flag flg ind yn dummy indicator pt pat patient resp respondent emp employee cust client member mbr "
    "person student subj subject applicant app baseline bl pre post admission adm r h "
    # of whom of a family, and in which wave, visit or question
    "b hus husb husband wife spouse sp partner mom mother mum dad father parent head hoh ref child kid s w m f d t v q"
)


def reading(name: str, texts: Sequence[str] = ()) -> tuple[str, str]:
    """(domain, term) that a name may be short for; empty where there is none, or terms of two domains fit.

    Parameters
    ----------
    texts : distinct values of the column: they make up for the second of two initials.

    >>> reading("q3_marst"), reading("fac_chf"), reading("dsblty"), reading("est_civ")
    (('marital_status', 'marital status'), ('health_condition', 'congestive heart failure'), \
('health_condition', 'disability'), ('marital_status', 'estado civil'))
    >>> reading("ms"), reading("ms", ["S", "M", "D", "U"]), reading("torque"), reading("most")
    (('', ''), ('marital_status', 'marital status'), ('', ''), ('', ''))
    """
    asked = stripped(name)
    found = next((one for form in asked if (one := _found(form, generation()))), {})
    if not found and len(asked[-1]) == INITIALS - 1:
        found = {one: term for one, term in reversed(_by_initials(asked[-1])) if _coded_by_initials(one, texts)}
    return next(iter(found.items())) if len(found) == 1 else ("", "")


@lru_cache(maxsize=1 << 14)
def stripped(name: str) -> list[str]:
    """The words of a name without the number of a question, and without those that say of whom or in which form.

    >>> stripped("q12_pt_relig"), stripped("eth_grp"), stripped("DX_1")
    (['pt relig', 'relig'], ['eth grp', 'eth'], ['dx', 'dx'])
    """
    parts = _between(fold(words(_QUESTION.sub("", name))).split(), str.isdigit)
    return [" ".join(parts), " ".join(_between(parts, lambda one: one in _BESIDE or one.isdigit()))]


def _between(parts: list[str], beside: Callable[[str], bool]) -> list[str]:
    while parts and beside(parts[0]):
        parts = parts[1:]
    while parts and beside(parts[-1]):
        parts = parts[:-1]
    return parts


@lru_cache(maxsize=1 << 14)
def _found(asked: str, now: int) -> dict[str, str]:
    """Term by domain, of each the first that fits."""
    letters = asked.replace(" ", "")
    found: dict[str, str] = {}
    for domain, term, parts in _terms(now).get(asked[:1], ()):
        if letters == "".join(parts) or (len(parts) >= INITIALS and letters == _initials(parts)):
            fits = True
        elif " " in asked or len(parts) == 1:
            fits = len(letters) >= CUT and _spaced(parts).fullmatch(asked) is not None
        else:
            fits = len(letters) >= JOINED and _joined(parts).fullmatch(asked) is not None
        if fits:
            found.setdefault(domain, term)
    return found


Term = tuple[str, str, tuple[str, ...]]


@lru_cache(maxsize=1)
def _terms(_: int) -> dict[str, list[Term]]:
    """By first letter: (domain, term, its parts)."""
    found: dict[str, list[Term]] = defaultdict(list)
    for one in in_force().values():
        for term in one.terms:
            parts = tuple(fold(term).split())
            found[parts[0][0]].append((one.name, term, parts))
    return dict(found)


# Compiling what all terms match takes a second: only those are that a name was held against, and each once, whatever
# domains are in force.
@lru_cache(maxsize=1 << 14)
def _spaced(parts: tuple[str, ...]) -> re.Pattern[str]:
    """What matches a term shortened, two letters of each part at least."""
    return re.compile(" ?".join(f"(?=[^ ]{{2}}){_shortened(part)}" for part in parts))


@lru_cache(maxsize=1 << 14)
def _joined(parts: tuple[str, ...]) -> re.Pattern[str]:
    """What matches a term shortened to one word, two letters of its last part at least."""
    short = [_shortened(part) for part in parts]
    return re.compile("".join([*short[:-1], f"(?=.{{2}}){short[-1]}"]))


def _shortened(part: str) -> str:
    """What matches the beginning of a word, and the word without some of its vowels and doubled letters.

    >>> regex = re.compile(_shortened("marriage"))
    >>> [bool(regex.fullmatch(one)) for one in ("m", "marr", "mrrg", "mrg", "mariage", "mag")]
    [True, True, True, True, True, False]
    """
    begun = re.escape(part[0]) + "".join(f"(?:{re.escape(char)}" for char in part[1:]) + ")?" * (len(part) - 1)
    bare = re.escape(part[0])
    for before, char in itertools.pairwise(part):
        bare += re.escape(char) + "?" * (char in "aeiouy" or char == before)
    return f"(?:{begun}|{bare}{'|no|nr' * (part == 'number')})"


def initialled(name: str, domain: str) -> bool:
    """Whether a name is the first letters of two words that a domain asks for, which says little by itself.

    >>> initialled("hx_dm", "health_condition"), initialled("mi", "health_condition"), initialled("dm", "religion")
    (True, True, False)
    """
    asked = stripped(name)[-1]
    found = (one for one, term in _by_initials(asked) if not term.endswith(" health"))
    return len(asked) == INITIALS - 1 and domain in found


def _by_initials(asked: str) -> list[tuple[str, str]]:
    terms = _terms(generation()).get(asked[:1], ())
    return [(domain, term) for domain, term, parts in terms if len(parts) > 1 and _initials(parts) == asked]


def _initials(parts: Sequence[str]) -> str:
    return "".join(part[0] for part in parts)


def _coded_by_initials(domain: str, texts: Sequence[str]) -> bool:
    """Whether values are the first letters of what a domain holds: S, M, D and W of who is single, married ..."""
    first = {fold(example)[0] for example in in_force()[domain].examples}
    return sum(len(text) == 1 and fold(text) in first for text in texts) >= INITIALS
