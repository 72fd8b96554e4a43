"""What the columns beside say of one whose own name says nothing: what a table's rows are, and what that makes it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from catalog.domains.domain import words
from catalog.domains.known import KNOWN
from catalog.domains.load import Validator
from catalog.states.column import ColumnState
from catalog.tags.discovery.sample import Sample, sample
from catalog.tags.generic import NAMED
from catalog.tags.proposal import TagProposal
from catalog.tags.whose import NAMES, Around, whose

#: Names that programs give to columns without one, in the words for a column of some languages.
_SILENT = re.compile(
    r"(?:(?:c|f|v|x|cols?|columns?|fields?|vars?|variable|attr|attribute|unnamed|untitled|feld|spalte|champ|colonne|campo|"
    r"columna|coluna|colonna|kolom|veld|kolonne|kolumn|kolumna|pole|sloupec|oszlop|sarake|sütun|поле|столбец|列|欄|컬럼)"
    r" ?)?\d*"
)
SURELY = 2.5  # chosen: log odds that a row is a person, the default and two neighbours, from which a table is of people
OWN_VALUE = 0.9  # chosen: share of rows with a value of their own, from which a number leads to one of them
LEAST = 8  # chosen: distinct values that tell a form
WIDTHS = 3  # chosen: lengths that numbers of one kind have at the most
SHORT, LONG = 6, 24  # bound: characters of a number that is given to one person
WHOLE = 0.8  # chosen: share of values of a form, from which the column is of it

#: What is said of numbers that stand for one thing each, where nothing is known of them.
NUMBERS = frozenset({"opaque_id", "code", "other", "number_range", "integer", "unix_timestamp"})


RECURRING = 0.2  # chosen, as of categories: share of rows with a value of their own, below which words recur
#: What stands in tables of people beside their names.
BORE_NAMES = frozenset("email phone birth_date national_id gender street_address passport_number blood_group".split())
SINGLE = Validator("people.single_names")
#: Names that are one half of a person's.
HALVES = ("first_name", "last_name")


def silent(name: str) -> bool:
    """Whether a column's name says nothing.

    >>> silent("col_3"), silent("_c0"), silent("Unnamed: 2"), silent("V7"), silent("v_max")
    (True, True, True, True, False)
    """
    return bool(_SILENT.fullmatch(words(name)))


@lru_cache(maxsize=1 << 14)
def unread(name: str) -> bool:
    """Whether a column's name says nothing to us: a word of a language, or of a trade, that no domain asks for.

    >>> unread("zk_ulc"), unread("col_3"), unread("customer_email"), unread("order_id"), unread("status")
    (True, True, False, False, False)
    """
    if silent(name):
        return True
    named = words(name)
    if any(regex.search(named) for regex in NAMED):
        return False
    asked = (regex for one in KNOWN.values() for regex in (one.name_regex, one.sure_regex))
    return not any(regex.search(named) for regex in asked if regex is not None)


def of_people(name: str, around: Around, default: str = "person") -> str:
    """What says that each row of a table is a person, by the columns beside one; empty where that is not sure."""
    if not NAMES & {tag for other, tag in around.tags.items() if other != name}:
        return ""
    said = whose(KNOWN["national_id"], name, (), around, default=default)
    return ", ".join(what for what, weight in said.reasons[1:] if weight > 0) if said.odds >= SURELY else ""


def personal(one: TagProposal, found: Sample, name: str, around: Around, default: str) -> TagProposal:
    """A number of which each row has its own leads to the person that the row is: a passport, a licence, an account,
    whatever the state calls it. Not so the table's own key: its first column, or what is called a number of something
    that we know, or begins with the same letters in each row, as who numbers his own things writes."""
    if one.sensitive or one.domain not in NUMBERS or not unread(name) or around.columns[:1] == (name,):
        return one
    told = of_people(name, around, default) if _one_each(found) else ""
    if not told:
        return one
    because = [{"what": told, "weight": SURELY}]
    return replace(one, sensitive=True, evidence=one.evidence | {"whose": "person", "whose_because": because})


def _one_each(found: Sample) -> bool:
    texts = found.texts
    if len(texts) < LEAST or found.distinct < OWN_VALUE * found.rows or len({len(text) for text in texts}) > WIDTHS:
        return False
    own = {re.match(r"[^\W\d_]*", text)[0] for text in texts}  # type: ignore[index]
    if len(own) == 1 and own != {""}:
        return False
    numbers = sum(SHORT <= len(text) <= LONG and any(char.isdigit() for char in text) for text in texts)
    return numbers >= WHOLE * len(texts)


def whole_names(one: TagProposal, found: Sample, name: str, around: Around) -> TagProposal:
    """A column called by the word for given or family names, whose values are two words and more, in a table without
    another: it holds whole names."""
    if one.domain not in HALVES or one.contains or not around.columns:
        return one
    if NAMES & {tag for other, tag in around.tags.items() if other != name} or len(found.texts) < LEAST:
        return one
    if sum(len(text.split()) >= 2 for text in found.texts) < WHOLE * len(found.texts):
        return one
    person = KNOWN["person_name"]
    return replace(one, domain=person.name, title=person.title)


def twins(found: Mapping[str, tuple[ColumnState, list[TagProposal]]], around: Around) -> dict[str, str]:
    """The given and the family names of a table of people without names that we know: its first two columns side by
    side that are written like single names and of which nothing else is known; given names first, as most tables.

    Parameters
    ----------
    found : of each column in the order of the table, its state and what is said of it.
    """
    tags = frozenset(around.tags.values())
    if NAMES & tags or "company_name" in tags or len(tags & BORE_NAMES) < 2:
        return {}
    for one, two in itertools.pairwise(found):
        pair = {name: sample(found[name][0]) for name in (one, two) if _maybe_name(name, found[name][1])}
        names = (s.distinct >= RECURRING * s.rows and SINGLE(set(s.texts)) for s in pair.values())
        if len(pair) == 2 and all(names):
            return {one: "first_name", two: "last_name"}
    return {}


def _maybe_name(name: str, said: list[TagProposal]) -> bool:
    return bool(said) and said[0].domain == "category" and unread(name)
