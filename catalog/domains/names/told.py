"""Words in the names of columns and tables that speak of a person, and those that speak of something else."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files

from catalog.domains.headers import PERSON as NATURAL
from catalog.domains.known import words_for
from catalog.domains.lexicon import vocabulary
from catalog.domains.lexicon import words as listed
from catalog.domains.load import parse


@cache
def said(what: str) -> str:
    """The words of one list of ``data/whose.yaml``, as alternatives of a regular expression.

    >>> said("rated")
    'mortality|incidence|prevalence|life expectancy|rates'
    """
    return "|".join(word for group in _lists()[what].values() for word in group.split(", "))


@cache
def _lists() -> dict[str, dict[str, str]]:
    text = (files("catalog.domains") / "data" / "whose.yaml").read_text(encoding="utf-8")
    return parse(text, "whose.yaml")


def counts_persons(named: str) -> bool:
    """Whether the last word of a table's name means persons in English, one or many.

    >>> [counts_persons(one) for one in ("survey of women", "babies", "finalists 2024", "sales", "servers", "")]
    [True, True, True, False, False, False]
    """
    last = next((word for word in reversed(named.split()) if word.isalpha()), "")
    ends = (("s", ""), ("ies", "y"), ("men", "man"))
    singles = [last.removesuffix(many) + one for many, one in ends if last.endswith(many)]
    return not listed("person_nouns").isdisjoint([last, *singles])


#: Among the words that speak of a person those that are none: what persons have, where they are asked, what is counted.
_NO_PERSON = vocabulary(
    "session sessions referrer referer browser shipping delivery personal private home mobile cell login logins signup "
    "signups account accounts profile profiles crm hr payroll gender sex marital dob ssn age household kin child "
    "children birth births birthday birthdate birthyear birthplace employer"
)
_ONE, _THING = re.compile(said("persons")), re.compile(said("things"))
WRITTEN_OUT = 5  # chosen: letters; shorter nouns are abbreviations of things, too (doc, pol, rep)


@lru_cache(maxsize=1 << 14)
def one_person(word: str) -> bool:
    """Whether a word means one person: it speaks of persons or is an English word for one, and is not a plural.

    >>> [one_person(one) for one in ("customer", "kunde", "angler", "customers", "session", "store", "gps")]
    [True, True, True, False, False, False, False]
    """
    if word in _NO_PERSON or _THING.fullmatch(word):
        return False
    nouns = listed("person_nouns")
    many = word.endswith("s") and (word[:-1] in nouns or bool(_ONE.fullmatch(word[:-1])))
    return not many and ((word in nouns and len(word) >= WRITTEN_OUT) or bool(_ONE.fullmatch(word)))


_NATURAL = re.compile(said("natural_persons"))  # in English; other languages stand in headers.yaml
_LISTED = re.compile(r"\b(?:tbl|tb|dim|stg|raw|all|list|lists|table|data|dataset|csv|export|\d+|t)\b ?")


def of_persons(table: str) -> bool:
    """Whether the words of a table's name mean natural persons and nothing else: pupils, employees, patients.

    >>> [of_persons(one) for one in ("pracownicy", "students 2024", "tbl pegawai", "customers", "pupils of classes")]
    [True, True, True, False, False]
    """
    named = _LISTED.sub("", table).strip()
    return bool(_NATURAL.fullmatch(named)) or words_for(NATURAL).whole(named)
