"""Words in the names of columns and tables that speak of a person, and those that speak of something else."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files

from catalog.domains.headers import PARTY, ROLE
from catalog.domains.headers import PERSON as NATURAL
from catalog.domains.known import KNOWN, words_for
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


@lru_cache(maxsize=1 << 14)
def counts_people(named: str) -> bool:
    """Whether a column counts people: deaths, cases.

    >>> counts_people("deaths"), counts_people("died")
    (True, False)
    """
    return re.search(rf"\b(?:{said('groups')})\b", named) is not None


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


_DONE = re.compile(rf"\b(?:{said('acting')})$")


@lru_cache(maxsize=1 << 14)
def role(named: str) -> bool:
    """Whether the words of a column's name ask who did or is something: their last word is one for a person in English,
    or they hold one of another language, and none for what he has.

    >>> [role(one) for one in ("chief dentist", "kuljettaja", "driver age", "entrenador principal", "team")]
    [True, True, False, True, False]
    """
    tokens = named.split()
    if _DONE.search(named):
        return True
    if not tokens or not tokens[-1].isalpha() or tokens[-1] in _NO_PERSON:
        return False
    last = tokens[-1]
    singles = (last, last.removesuffix("s"), f"{last[:-3]}y" if last.endswith("ies") else last)
    return any(map(one_person, singles)) or words_for(ROLE, NATURAL, PARTY).search(named)


@lru_cache(maxsize=1 << 14)
def of_somebody(named: str) -> str:
    """Whose name the words of a column's name ask for, beside a word for names: of a payer, a driver; empty where they
    do not.

    >>> [of_somebody(one) for one in ("payer names", "nom chauffeur", "name", "driver", "file name")]
    ['payer', 'chauffeur', '', '', '']
    """
    tokens = named.split()
    rest = [one for one in tokens if one not in ("name", "names") and not words_for("name").whole(one)]
    of = " ".join(rest)
    return of if 0 < len(rest) < len(tokens) and role(of) else ""


_RUNS = re.compile(rf"\b(?:{said('contacts')}|{said('acting')})\b")


@lru_cache(maxsize=1 << 14)
def acting(named: str) -> bool:
    """Whether a column asks who did or runs what a row is of, so that its people do not make rows persons.

    >>> [acting(one) for one in ("chief dentist", "medical director", "inspektor", "student", "customer", "name")]
    [True, True, True, False, False, False]
    """
    if not role(named):
        return False
    listed_one = any(map(_ONE.fullmatch, named.split())) or words_for(NATURAL, PARTY).search(named)
    return bool(_RUNS.search(named)) or words_for(ROLE).search(named) or not listed_one


def names_somebody(named: str) -> bool:
    """Whether the words of a column's name ask for the name of somebody.

    >>> names_somebody("owner"), names_somebody("proprieta")
    (True, False)
    """
    domain = KNOWN["person_name"]
    return any(one is not None and one.search(named) for one in (domain.name_regex, domain.sure_regex))


_NATURAL = re.compile(said("natural_persons"))  # in English; other languages stand in headers.yaml
_LISTED = re.compile(r"\b(?:tbl|tb|dim|stg|raw|all|list|lists|table|data|dataset|csv|export|\d+|t)\b ?")


def of_persons(table: str) -> bool:
    """Whether the words of a table's name mean natural persons and nothing else: pupils, employees, patients.

    >>> [of_persons(one) for one in ("pracownicy", "students 2024", "tbl pegawai", "customers", "pupils of classes")]
    [True, True, True, False, False]
    """
    named = _LISTED.sub("", table).strip()
    return bool(_NATURAL.fullmatch(named)) or words_for(NATURAL).whole(named)
