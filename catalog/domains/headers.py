"""What columns and tables are called in many languages, by what they ask: ``data/headers.yaml``, a language a block.

A name is taken apart into its words, and every run of them is looked up without accents and blanks: that costs the same
however many languages there are. Scripts that put no space between words are looked into, the word that counts last.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

#: What each line asks for: domains, and whether a name of that line leaves no doubt.
ASKED: Mapping[str, tuple[tuple[str, ...], bool]] = {
    "name": (("person_name", "first_name"), False),
    "full_name": (("person_name",), True),
    "first_name": (("first_name",), True),
    "last_name": (("last_name",), True),
    "birth_date": (("birth_date",), False),
    "birth_year": (("birth_year",), False),
    "age": (("age",), False),
    "gender": (("gender",), True),
    "phone": (("phone",), True),
    "email": (("email",), False),
    "address": (("street_address",), False),
    "street": (("street_address",), True),
    "house_number": (("house_number",), False),
    "postcode": (("postcode",), False),
    "national_id": (("national_id",), True),
    "username": (("username",), False),
    "password": (("password",), True),
    "salary": (("salary",), False),
    "marital_status": (("marital_status",), True),
    "religion": (("religion",), True),
    "ethnicity": (("ethnicity",), True),
    "health_condition": (("health_condition",), False),
    "blood_group": (("blood_group",), True),
    "passport_number": (("passport_number",), True),
    "driving_licence": (("driving_licence",), False),
    "bank_account": (("bank_account",), False),
    "nationality": (("nationality",), True),
    "job_title": (("job_title",), True),
    "city": (("city",), True),
    "region": (("region",), True),
    "country_name": (("country_name",), True),
    "year": (("year",), False),
    "month": (("month",), False),
    "weekday": (("weekday",), False),
}
#: What a column is of that has no meaning of its own: kinds of things, what somebody noted, and the number or code by
#: which whoever keeps a table knows what it is of.
KIND, REMARK, NUMBER = "kind", "remark", "number"
#: Whose rows they are: natural persons, those who may be a firm, too, institutions, and places that are no person.
PERSON, PARTY, INSTITUTION, STOP = "person", "party", "institution", "stop"
#: What somebody is or did beside what a row is of: who inspected, skippered, signed.
ROLE = "role"
#: Lines whose words count only where they are the whole name: a column of streets, not the side of a street.
ALONE = frozenset({"street"})
ENDING = 3  # chosen: letters of a case or a number behind a stem; shorter than what words are joined to
MOST_WORDS = 6  # bound: words of a name that are read as one, as the longest of the list

#: Scripts that put no space between words, the word that counts last, as a range of a regex.
DENSE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_DENSE = re.compile(f"[{DENSE}]")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ß": "ss", "ə": "e", "ð": "d", "þ": "th", "ħ": "h"}
)
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_ACCENTED = re.compile("[\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff]")  # letters of Latin and Greek with accents


@lru_cache(maxsize=1 << 14)
def plain(text: str) -> str:
    """Latin and Greek letters without their accents; other scripts as they are.

    >>> plain("prénom"), plain("ημερομηνία"), plain("имя"), plain("straße")
    ('prenom', 'ημερομηνια', 'имя', 'strasse')
    """
    if text.isascii():
        return text
    return _ACCENTED.sub(lambda found: unicodedata.normalize("NFD", found[0])[0], text).translate(_LETTERS)


@lru_cache(maxsize=1 << 14)
def runs(named: str) -> tuple[frozenset[str], str]:
    """Every run of the words of a name, plain and without blanks, and all of it.

    >>> sorted(runs("data urodzenia")[0])
    ['data', 'dataurodzenia', 'urodzenia']
    """
    words = plain(named).split()
    ends = ((i, j) for i in range(len(words)) for j in range(i + 1, min(i + MOST_WORDS, len(words)) + 1))
    return frozenset("".join(words[i:j]) for i, j in ends), "".join(words)


@dataclass(frozen=True)
class Called:
    """Words that a name may hold: `among` its words, those that it begins a word with (`stems`), the whole of it
    (`alone`), those of scripts without spaces (`dense`), and those that other languages join to another word (`ends`),
    which end one."""

    among: frozenset[str] = frozenset()
    stems: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    dense: tuple[str, ...] = ()
    ends: frozenset[str] = frozenset()
    within: bool = field(default=False, compare=False)

    def search(self, named: str) -> bool:
        """Whether the words of a name (`domain.words`) hold one of them; `within`: dense ones anywhere, of what is said
        of whose a thing is."""
        found, whole = runs(named)
        if whole in self.alone or not self.among.isdisjoint(found):
            return True
        if self.stems and any(one[:end] in self.stems for one in found for end in range(3, len(one) + 1)):
            return True
        if self.ends and any(token[k:] in self.ends for token in plain(named).split() for k in range(3, len(token))):
            return True
        if named.isascii() or not _DENSE.search(named):
            return False
        tokens = named.split()
        return any(t.endswith(d) or (self.within and d in t) for d in self.dense for t in tokens)

    def whole(self, named: str) -> bool:
        """Whether one of them is all that the words of a name say."""
        whole = runs(named)[1]
        stem = any(whole[:end] in self.stems for end in range(3, len(whole) + 1)) and " " not in named
        return whole in self.alone or whole in self.among or stem

    def inflected(self, named: str) -> bool:
        """Whether one of them, with no more than an ending behind its stem, is all that the words of a name say: not
        what languages that join words put behind it.

        >>> people = called(["patient*", "elev"])
        >>> [people.inflected(one) for one in ("patienten", "elev", "patientenzimmer", "elever")]
        [True, True, False, False]
        """
        whole = runs(named)[1]
        ends = range(max(len(whole) - ENDING, 3), len(whole) + 1)
        return whole in self.alone or whole in self.among or any(whole[:end] in self.stems for end in ends)


#: No words.
NOTHING = Called()


def called(words: Iterable[str], *, alone: bool = False, within: bool = False) -> Called:
    """What finds the words of some lines.

    >>> found = called(["fecha nac", "^ad$", "pracowni*", "*nummer", "姓名"])
    >>> [found.search(one) for one in ("fecha nac", "fechanac 2", "ad", "ad count", "pracownicy", "学生姓名", "名")]
    [True, True, True, False, True, True, False]
    >>> found.search("varenummer"), found.search("nummer")
    (True, False)
    """
    sets: dict[str, set[str]] = {"among": set(), "stems": set(), "alone": set(), "ends": set()}
    dense: set[str] = set()
    for word in words:
        sole = alone or word[0] == "^"
        kind = "alone" if sole else "ends" if word[0] == "*" else "stems" if word[-1] == "*" else "among"
        text = word.strip("^$*").lower()
        bare = text.replace(" ", "")
        sets[kind] |= {plain(bare), plain(bare.translate(_SPELLED_OUT))}
        if not sole and len(text) > 1 and _DENSE.search(text):
            dense.add(text)
    whole, stems, sole_ones, ends = (frozenset(sets[kind]) for kind in ("among", "stems", "alone", "ends"))
    return Called(whole, stems, sole_ones, tuple(sorted(dense)), ends, within)


def asked(languages: Mapping[str, Mapping[str, str]]) -> dict[str, tuple[Called, Called]]:
    """By domain the words of its lines: those that values have to agree with, and those that leave no doubt."""
    found: dict[str, tuple[list[Called], list[Called]]] = {}
    for line, (domains, sure) in ASKED.items():
        words = of_line(languages, line)
        weak = [word[1:] for word in words if word[0] == "~"]
        rest = [word for word in words if word[0] != "~"]
        for domain in domains:
            both = found.setdefault(domain, ([], []))
            both[0].append(called(weak))
            both[sure].append(called(rest, alone=line in ALONE))
    return {domain: (_together(weak), _together(sure)) for domain, (weak, sure) in found.items()}


def of_line(languages: Mapping[str, Mapping[str, str]], *lines: str) -> list[str]:
    """The words of some lines in all languages."""
    return [word for body in languages.values() for line in lines for word in body.get(line, "").split(", ") if word]


def _together(parts: Iterable[Called]) -> Called:
    parts = list(parts)
    sets = (frozenset().union(*(getattr(one, kind) for one in parts)) for kind in ("among", "stems", "alone", "ends"))
    among, stems, alone, ends = sets
    return Called(among, stems, alone, tuple(sorted({word for one in parts for word in one.dense})), ends)
