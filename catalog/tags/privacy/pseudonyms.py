"""Identifiers of persons: the numbers by which whoever keeps a table knows somebody (`customer_id`, `patient_no`).

They name nobody to a reader from outside, but lead to a person inside the house, so that the law counts them as
personal data (GDPR, articles 4 (1) and 4 (5), where they are pseudonyms; medical record numbers under HIPAA, unique
identifiers under CCPA). So they are told apart, listed in the inventory of personal data, and shown as they are unless
a steward has them masked once for all.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from catalog.domains.domain import words
from catalog.domains.headers import DENSE, KIND, NUMBER, PARTY, PERSON, ROLE, plain
from catalog.domains.known import GENERIC, KNOWN, words_for
from catalog.domains.lexicon import vocabulary
from catalog.domains.names.asked import KEYED, meant
from catalog.domains.names.told import counts_persons, one_person
from catalog.states.column import ColumnState
from catalog.tags.privacy.levels import IDENTIFIER
from catalog.tags.proposal import TagProposal
from catalog.tags.whose import Around, speaks_of, whose

#: What a number given out by a house is recognised as, where it is recognised as anything.
KEYS = frozenset("integer number_range opaque_id code uuid ulid object_id unix_timestamp other".split())
SURE = 0.95  # chosen: about the share that was right of some 130 columns of ten lists that it was said of
#: What is kept of a person, and numbered in his place.
_KEPT = vocabulary("account profile record")
FEW = 12  # chosen, as of answers that are not known: distinct values of a short list of them
MOST = 3  # bound: words of one for a person or a number, as the longest of the list (`người lao động`)
#: Words for a number in English, before what it is of, and those of any language that may mean how many there are.
_NUMBER = re.compile("id|uid|guid|uuid|key|no|nr|num|number|ref|reference|code|cod")
_COUNTS = vocabulary("no nr num number nro n no. nº numero numer numar numarul numru numeris numurs so")
_JOINED = re.compile("(id|cod|num|nro|nr|no)([^\\W\\d_]{5,})")
#: How English and the Romance languages end where there are several; Romanian has a pupil's number end in -lui.
_SEVERAL = re.compile("(?<!s)s$|(?<!lu)i$|children$")
#: How a word for one person ends in Slavic and Finnic languages where something is his, and seldom for several.
_OF_ONE = re.compile("[aая]$")
#: What stands between a number and what it is of.
_OF = vocabulary("de du des del della dello dell da do das dos di d of the van von der den dem l la le el za dla ya wa")
_DENSE_ID = re.compile(f"(?<=[{DENSE}])id$")
LEAST = 3  # bound: values; yes and no identify nobody


def identifies(
    name: str, state: ColumnState, said: Sequence[TagProposal], around: Around, *, masked: bool = False
) -> list[TagProposal]:
    """The tag that a column holds identifiers of persons; empty where it does not.

    Its name has to say so: by a word for one person before a word for a number (`customer_id`), by that alone where the
    values are numbers, or by a word for a number where the table's rows are persons and each has a value of its own.

    Parameters
    ----------
    said : what is proposed of the column.
    masked : whether a steward has identifiers masked.
    """
    named = words(around.called(name))
    if not _may(state, said) or meant(named):
        return []
    many = _many(state)
    number = many and (state.kind == "number" or (bool(said) and said[0].domain == "integer"))
    if named_after(named, number=number, many=many):
        because, weight = f"name {name}", 3.0
    elif name == _key(around) and _of_persons(name, around):
        because, weight = f"table {around.table}, each row with its own", 2.0
    else:
        return []
    evidence = {"whose": "person", "whose_because": [{"what": because, "weight": weight}]}
    return [TagProposal(IDENTIFIER, GENERIC[IDENTIFIER], SURE, 1.0, masked, evidence, generic=True)]


def _may(state: ColumnState, said: Sequence[TagProposal]) -> bool:
    if state.kind not in ("number", "string") or state.different < LEAST:
        return False
    if any(one.sensitive and not one.contains for one in said):
        return False
    return not said or said[0].domain in KEYS


def _many(state: ColumnState) -> bool:
    """Whether values are too many to be answers, kinds or counts of a few."""
    return bool(state.different > FEW)


def named_after(named: str, *, number: bool, many: bool = True) -> bool:
    """Whether the words of a name are of a number that stands for one person: a word for him before one for a number,
    or behind one (`nr pacjenta`), or by itself where the values are many numbers; several persons have a count.

    >>> [named_after(one, number=True) for one in ("created by user id", "customer", "users no", "store id", "id")]
    [True, True, False, False, False]
    >>> [named_after(one, number=True) for one in ("nr pacjenta", "no patient", "numero de eleve", "idcliente")]
    [True, True, True, True]
    >>> [named_after(one, number=True) for one in ("no patients", "numero alunni", "id tienda", "num children")]
    [False, False, False, False]

    Parameters
    ----------
    number : whether the values are many numbers.
    many : whether values are many, as those of a word that also means a kind (`code`) or a count have to be.
    """
    left, of = _numbered(named), _number_of(named)
    *before, last = left.split() or [""]
    if last in _KEPT and before:
        *before, last = before
    if words_for(KIND).search(last):  # a group of customers, not one
        return False
    if one_person(last) and (left != named or (number and not before)):
        return True
    if left != named:
        ends = (" ".join([*before, last][-k:]) for k in range(1, MOST + 1))
        return any(_some_person(one, count=_may_count(named.split()[-1])) for one in ends)
    if number and not before and _OF_ONE.search(last) and _some_person(last, count=True):
        return True
    return many and any(_some_person(rest, count=_may_count(word)) for word, rest in of)


def _some_person(said: str, *, count: bool) -> bool:
    """Whether words mean a person in any language, in any case; where the word for a number may be a `count`, only if
    they do not mean several."""
    if count and _SEVERAL.search(said):
        return False
    singular = said if count else said.removesuffix("s")
    return one_person(said) or one_person(singular) or words_for(PERSON, PARTY, ROLE).inflected(said)


def _number_of(named: str) -> list[tuple[str, str]]:
    """The words for a number that a name begins with, each with those behind it that say what the number is of.

    >>> _number_of("numero de eleve"), _number_of("nrpacjenta"), _number_of("eleve")
    ([('numero', 'eleve')], [('nr', 'pacjenta')], [])
    """
    tokens = plain(named).split()
    found = []
    for k in range(1, min(len(tokens), MOST)):
        if _NUMBER.fullmatch(head := " ".join(tokens[:k])) or words_for(NUMBER).whole(head):
            found.append((head, " ".join(itertools.dropwhile(_OF.__contains__, tokens[k:]))))
    if len(tokens) == 1 and (joined := _JOINED.fullmatch(tokens[0])) and words_for(PERSON, PARTY).inflected(joined[2]):
        found.append((joined[1], joined[2]))
    return found


def _may_count(word: str) -> bool:
    return plain(word) in _COUNTS


def _numbered(named: str) -> str:
    """What a name says that a number is of.

    >>> _numbered("customer ref no"), _numbered("reference id"), _numbered("klient kod"), _numbered("notes")
    ('customer', '', 'klient', 'notes')
    """
    left = _DENSE_ID.sub("", KEYED.sub("", named)).rstrip()
    *before, last = named.split() or [""]
    if left == named and words_for(NUMBER).whole(last):
        left = " ".join(before)
    return left if left == named else _numbered(left)


def _key(around: Around) -> str:
    """The first column that is called by a word for a number alone and has a value of its own in each row: the table's
    key; empty where there is none."""
    leaves = ((one, words(around.called(one.rpartition(".")[2]))) for one in around.columns if one in around.own)
    return next((one for one, named in leaves if named and not _numbered(named)), "")


def _of_persons(name: str, around: Around) -> bool:
    """Whether the rows of a table are persons by its name, and by nothing else are not."""
    table = words(around.table)
    return (speaks_of(table) > 0 or counts_persons(table)) and whose(KNOWN["person_name"], name, (), around).person
