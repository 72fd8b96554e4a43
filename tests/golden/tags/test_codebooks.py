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
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.table import propose_table
from catalog.tags.whose import speaks_of

ROWS = 60
#: What is looked for in tables of people, and tells of nobody by itself.
FOUND = {"city", "e-mail", "date of death", "bank account", "phone", "birth place"}


def hidden(columns: Sequence[str], table: str = "t") -> set[str]:
    """Of columns of codes and numbers those that are hidden."""
    made = {one: [(i * (k + 3)) % (k + 4) + 1 for i in range(ROWS)] for k, one in enumerate(columns)}
    found = propose_table(fold(pa.table(made)).columns, table)
    return {name for name, ones in found.items() if any(one.sensitive and one.domain != ABOUT for one in ones)}


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
            told = coded_domain(term) or reading(term)[0] or of_one(term) or speaks_of(words(term)) > 0
            assert told or term in FOUND, term


def test_tables_of_frequencies_and_rates_of_places_are_of_nobody() -> None:
    made = {"race": ["a", "b", "c"] * 4, "sex": ["f", "m"] * 6, "married": ["yes"] * 6 + ["no"] * 6, "n": [*range(12)]}
    states = fold(pa.table(made)).columns
    assert not any(one.sensitive for ones in propose_table(states, "tab").values() for one in ones)


def codes(values: list[str]) -> list[str]:
    return [values[i % len(values)] for i in range(ROWS)]


def said(columns: dict[str, list], name: str, table: str = "t") -> bool:
    found = propose_table(fold(pa.table(columns)).columns, table)[name]
    return bool(found) and found[0].sensitive


PEOPLE = {"age": [20 + i % 60 for i in range(ROWS)], "educ": [8 + i % 10 for i in range(ROWS)]}


def test_columns_that_differ_by_a_number_alone_say_one_thing() -> None:
    sites = {f"site{k}": codes(["0", "1"]) for k in range(8)}
    mothers = {"momage": PEOPLE["age"], "momeduc": PEOPLE["educ"], "momrace": codes(["1", "2"])}
    assert said(mothers | {"sex": codes(["f", "m"])} | sites, "momrace")


def test_codes_that_were_kept_as_decimals_are_codes() -> None:
    assert said(PEOPLE | {"hx_asthma": [float(i % 3) for i in range(ROWS)]}, "hx_asthma")
    assert said(PEOPLE | {"hx_asthma": codes(["0.0", "1.0"])}, "hx_asthma")


def test_letters_for_white_and_black_are_origins_where_the_name_says_so() -> None:
    exams = {"Position": codes(["Captain", "Lieutenant"]), "Oral": [50 + i for i in range(ROWS)]}
    assert said(exams | {"Race": codes(["W", "B", "H"])}, "Race")
    assert not said(exams | {"Race": codes(["A", "C", "D"])}, "Race"), "a heat of a race, perhaps"


def test_amounts_of_which_each_row_has_its_own_lead_to_nobody() -> None:
    names = {"first_name": [f"Ann{chr(97 + i % 26)}" for i in range(ROWS)], "last_name": codes(["Smith", "Jones"])}
    born = {"birth_date": [f"{1940 + i}-01-1{i % 9}" for i in range(ROWS)]}
    own = [str(100000 + 7919 * i) for i in range(ROWS)]
    assert not said(names | born | {"zk_amt": own}, "zk_amt")


def test_two_letters_are_an_illness_beside_others() -> None:
    ill = {name: codes(["0", "1"]) for name in ("copd", "htn", "stroke")}
    assert said(PEOPLE | ill | {"mi": codes(["0", "1"])}, "mi")
    assert not said(PEOPLE | {"mi": codes(["0", "1"])}, "mi")


def test_whoever_stands_for_election_has_a_party_that_all_know() -> None:
    parties = codes(["Democrat", "Republican", "Independent"])
    rows = {"age": PEOPLE["age"], "party_id": parties}
    assert said(rows, "party_id", "panel")
    assert not said(rows | {"seat": codes(["A", "B"]), "candidate": codes(["x", "y"])}, "party_id", "elections")
