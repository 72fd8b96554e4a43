"""Identifiers of persons: the numbers by which whoever keeps a table knows somebody (`customer_id`, `patient_no`).

They name nobody to a reader from outside, but lead to a person inside the house, so that the law counts them as
personal data (GDPR, articles 4 (1) and 4 (5), where they are pseudonyms; medical record numbers under HIPAA, unique
identifiers under CCPA). So they are told apart, listed in the inventory of personal data, and shown as they are unless
a steward has them masked once for all.
"""

from __future__ import annotations

from collections.abc import Sequence

from catalog.domains.domain import words
from catalog.domains.known import GENERIC, KNOWN
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
    number = (state.kind == "number" or (bool(said) and said[0].domain == "integer")) and _many(state)
    if named_after(named, number=number):
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
    """Whether numbers are too many to be answers or counts of a few."""
    return bool(state.different > FEW)


def named_after(named: str, *, number: bool) -> bool:
    """Whether the words of a name are of a number that stands for one person: before a word for a number, or by
    themselves where the values are many numbers.

    >>> [named_after(one, number=True) for one in ("created by user id", "customer", "users no", "store id", "id")]
    [True, True, False, False, False]
    """
    *before, last = _numbered(named).split() or [""]
    if last in _KEPT and before:
        *before, last = before
    return one_person(last) and (_numbered(named) != named or (number and not before))


def _numbered(named: str) -> str:
    """What a name says that a number is of.

    >>> _numbered("customer ref no"), _numbered("reference id"), _numbered("notes")
    ('customer', '', 'notes')
    """
    left = KEYED.sub("", named).rstrip()
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
