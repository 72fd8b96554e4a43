"""Tables of persons whose columns are called by nothing: what each holds by the table's name and the columns beside it.

Exports often lack a header, or have one of numbers; the file is still called by whom it lists.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

from catalog.domains.domain import words
from catalog.domains.known import title
from catalog.domains.load import Validator
from catalog.domains.names.told import of_persons
from catalog.states.column import ColumnState
from catalog.tags.discovery.sample import Sample, sample
from catalog.tags.proposal import TagProposal
from catalog.tags.rows import RECURRING, silent, unread
from catalog.tags.whose import NAMES, Around

#: What stands in tables of people beside their names.
BORE_NAMES = frozenset("email phone birth_date national_id gender street_address passport_number blood_group".split())
SINGLE = Validator("people.single_names")
FIRSTS, LASTS = Validator("people.first_name"), Validator("people.last_name")
LIKELY = 0.8  # chosen: score of letters for the sexes beside persons
SOME = 0.15  # chosen, as of names under a fitting header: share that a list knows, since no list is whole


def twins(found: Mapping[str, tuple[ColumnState, list[TagProposal]]], around: Around) -> dict[str, str]:
    """The given and the family names of a table of people without names that we know: its first two columns side by
    side that are written like single names and of which nothing else is known, and a second family name behind them.
    Given names first, as most tables, unless the others are more often known as such.

    Parameters
    ----------
    found : of each column in the order of the table, its state and what is said of it.
    """
    tags = frozenset(around.tags.values())
    if NAMES & tags or "company_name" in tags:
        return {}
    listed = of_persons(words(around.table))
    if not listed and len(tags & BORE_NAMES) < 2:
        return {}
    for one, two in itertools.pairwise(found):
        pair = [held for name in (one, two) if (held := _single(name, found))]
        if len(pair) == 2 and (len(tags & BORE_NAMES) >= 2 or any(map(_known, pair))):
            turned = _given(pair[1]) > _given(pair[0])
            named = {one: "last_name", two: "first_name"} if turned else {one: "first_name", two: "last_name"}
            third = next(itertools.islice(found, list(found).index(two) + 1, None), "")
            behind = _single(third, found) if third and not turned else None
            return named | ({third: "last_name"} if behind and _known(behind) else {})
    return {}


#: Letters for the two sexes, by how languages call them: m and n are mees and naine, k and m kobieta and mężczyzna.
SEXES = frozenset(map(frozenset, "mf mw mn mk mž mz hf hm vm vs fn lp ek mb bf αγ мж чж".split()))


def sexed(one: TagProposal, found: Sample, name: str, around: Around) -> TagProposal:
    """Two letters for the sexes, in a table of persons whose columns are called by nothing."""
    letters = frozenset(text.strip().lower() for text in found.texts)
    if one.domain not in ("code", "category") or letters not in SEXES or not silent(name):
        return one
    if not of_persons(words(around.table)) and not NAMES & set(around.tags.values()):
        return one
    return replace(one, domain="gender", title=title("gender"), score=LIKELY, generic=False)


def _single(name: str, found: Mapping[str, tuple[ColumnState, list[TagProposal]]]) -> Sample | None:
    """The sample of a column that is written like single names, of which nothing else is known; None of others."""
    state, said = found[name]
    if not said or said[0].domain not in ("category", "title") or not unread(name):
        return None
    held = sample(state)
    return held if held.distinct >= RECURRING * held.rows and SINGLE(set(held.texts)) else None


def _known(held: Sample) -> bool:
    return sum(FIRSTS(text) or LASTS(text) for text in held.texts) >= SOME * len(held.texts)


def _given(held: Sample) -> float:
    """The share of values that are known as given names."""
    return sum(map(FIRSTS, held.texts)) / len(held.texts)
