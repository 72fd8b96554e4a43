"""Short names that the other columns of a table explain: by the codebook it follows, or by where their words meet."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from catalog.domains.domain import words
from catalog.domains.names.asked import coded_domain, of_one
from catalog.domains.names.codebooks import _books, in_words
from catalog.domains.names.reading import reading
from catalog.domains.names.seams import explained
from catalog.states.folding.fold import fold
from catalog.tags.table import propose_table
from catalog.tags.whose import _sign

ROWS = 60
#: What is looked for in tables of people, and tells of nobody by itself.
FOUND = {"city", "e-mail", "date of death", "bank account", "phone", "birth place"}


def hidden(columns: Sequence[str], table: str = "t") -> set[str]:
    """Of columns of codes and numbers those that are hidden."""
    made = {one: [(i * (k + 3)) % (k + 4) + 1 for i in range(ROWS)] for k, one in enumerate(columns)}
    found = propose_table(fold(pa.table(made)).columns, table)
    return {name for name, ones in found.items() if any(one.sensitive for one in ones)}


@pytest.mark.parametrize(
    ("columns", "personal"),
    [
        (["AGEP", "SCHL", "MAR", "RAC1P", "DPHY"], {"MAR", "RAC1P", "DPHY"}),
        (["_STATE", "_AGEG5YR", "DIABETE4", "MENTHLTH", "SMOKE100"], {"DIABETE4", "MENTHLTH"}),
        (["v012", "v106", "v130", "v501", "v024"], {"v130", "v501"}),
        (["ragender", "r1agey_b", "r1mstat", "r1diabe", "r1work"], {"r1mstat", "r1diabe"}),
        (["person_id", "gender_concept_id", "race_concept_id", "visit_occurrence_id"], {"race_concept_id"}),
        (["PERNR", "GESCH", "FAMST", "KONFE", "ABKRS"], {"FAMST", "KONFE"}),
        (["DESYNPUF_ID", "BENE_SEX_IDENT_CD", "SP_COPD", "SP_RA_OA"], {"SP_COPD", "SP_RA_OA"}),
    ],
)
def test_names_of_a_codebook_are_read_beside_others_of_it(columns: list[str], personal: set[str]) -> None:
    assert hidden(columns) == personal
    for one in personal:
        assert not hidden(["torque", "cycles", one]), "one such name alone says nothing"


def test_months_follow_no_codebook() -> None:
    assert not in_words(("year", "jan", "feb", "mar", "apr", "dis"))
    assert not hidden(["year", "jan", "feb", "mar", "apr", "dis"])


def test_what_is_asked_of_several_people_is_read_behind_the_letters_that_say_of_whom() -> None:
    columns = ["mage", "meduc", "mrace", "fage", "frace", "husage", "huseduc", "hushisp", "stage"]
    assert hidden(columns) == {"mrace", "frace", "hushisp"}
    assert not explained(("trace", "brand", "page", "stage"))


def test_every_word_of_a_codebook_says_something() -> None:
    for book in _books():
        for term, _ in book:
            told = coded_domain(term) or reading(term)[0] or of_one(term) or _sign(words(term)) > 0
            assert told or term in FOUND, term


def test_tables_of_frequencies_and_rates_of_places_are_of_nobody() -> None:
    made = {"race": ["a", "b", "c"] * 4, "sex": ["f", "m"] * 6, "married": ["yes"] * 6 + ["no"] * 6, "n": [*range(12)]}
    states = fold(pa.table(made)).columns
    assert not any(one.sensitive for ones in propose_table(states, "tab").values() for one in ones)
