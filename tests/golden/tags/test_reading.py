"""Names of columns that offices, trials and surveys shorten: read where the rows of a table are surely persons."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.domains.domain import words
from catalog.domains.known import KNOWN, in_force, use_own
from catalog.domains.load import domains
from catalog.domains.names.reading import reading
from catalog.states.folding.fold import fold
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.propose import propose_tags
from catalog.tags.table import propose_table

ROWS = 60


def given(*values: object) -> list:
    return [values[i % len(values)] for i in range(ROWS)]


PERSON = {"age": [18 + i % 50 for i in range(ROWS)], "gender": given("f", "m"), "educ": given(1, 2, 3)}
MACHINE = {"torque": [18 + i % 50 for i in range(ROWS)], "coolant": given("a", "b"), "shift": given(1, 2, 3)}


def hidden(columns: dict[str, list], table: str, name: str) -> bool:
    found = propose_table(fold(pa.table(columns)).columns, table)[name]
    return any(one.sensitive and one.domain != ABOUT for one in found)


@pytest.mark.parametrize(
    ("name", "values", "domain"),
    [
        ("q3_marst", given(1, 2, 3, 4), "marital_status"),
        ("MSTAT", given("M", "S", "W"), "marital_status"),
        ("fam_st", given("led", "verh", "gesch"), "marital_status"),
        ("ms", given("S", "M", "D", "W"), "marital_status"),
        ("eth_grp", given("A1", "B2", "C3"), "ethnicity"),
        ("rel_bek", given("rk", "ev", "isl"), "religion"),
        ("party_affil", given(1, 2, 3), "political_opinion"),
        ("dsblty", given("Y", "N"), "health_condition"),
        ("fac_chf", given(0, 1), "health_condition"),
        ("hx_copd", given(0, 1), "health_condition"),
        ("dx2", given("AML", "CML"), "health_condition"),
    ],
)
def test_a_shortened_name_is_read_where_rows_are_surely_persons(name: str, values: list, domain: str) -> None:
    assert reading(name, [str(one) for one in set(values)])[0] == domain
    assert hidden({**PERSON, name: values}, "panel", name)
    assert not hidden({**MACHINE, name: values}, "bench", name), "of machines nothing is read"


@pytest.mark.parametrize("name", ["most", "stage", "status", "gross", "e4grp", "hhi", "marker", "ethanol", "los", "mi"])
def test_what_is_no_short_form_of_a_term_is_not_read(name: str) -> None:
    assert reading(name) == ("", "")


def test_amounts_of_their_own_are_no_codes_of_an_illness() -> None:
    doses = [3149 - 31 * i for i in range(ROWS)]
    assert not hidden({**PERSON, "ami": doses}, "overdoses", "ami")
    assert hidden({**PERSON, "ami": given(0, 1)}, "overdoses", "ami")


def test_births_are_known_under_a_shortened_name_beside_persons() -> None:
    days = [f"{1931 + i}-0{1 + i % 9}-1{i % 9}" for i in range(ROWS)]
    found = propose_table(fold(pa.table({**PERSON, "brth_dy": days})).columns, "panel")["brth_dy"][0]
    assert (found.domain, found.sensitive) == ("birth_date", True)


def test_every_term_is_the_name_of_its_domain_written_in_full() -> None:
    for one in KNOWN.values():
        for term in one.terms:
            assert words(term).strip()
            assert not (one.against_regex and one.against_regex.search(term)), f"{term} is ruled out for {one.name}"


def test_rows_of_a_table_of_frequencies_are_no_persons() -> None:
    cross = {"gender": given("f", "m"), "smoke": given(1, 2, 3), "asthma": given("y", "n")}
    assert hidden(cross, "answers", "asthma")
    assert not hidden({**cross, "Freq": [3 + 7 * i for i in range(ROWS)]}, "answers", "asthma")


@pytest.mark.parametrize(("table", "kept"), [("employees", True), ("suppliers", False)])
def test_a_number_of_identity_is_personal_where_it_is_a_persons(table: str, kept: bool) -> None:
    given_ = [f"{10000000 + 7919 * i}-{'TRWAGMYFPDXBNJZSQVHLCKE'[(10000000 + 7919 * i) % 23]}" for i in range(ROWS)]
    beside = {"contact_dept": given("hr", "it")} if kept else {"company": [f"Acme {i} Ltd" for i in range(ROWS)]}
    assert hidden({"nif": given_, **beside}, table, "nif") is kept


def test_invoices_numbered_like_people_are_invoices() -> None:
    numbers = [f"{300 + i}-{10 + i}-{1000 + 37 * i}" for i in range(ROWS)]
    assert not hidden({"Invoice ID": numbers, "City": given("Yangon", "Mandalay")}, "sales", "Invoice ID")
    assert hidden({"id": numbers, "City": given("Yangon", "Mandalay")}, "members", "id")


def test_terms_of_a_lake_s_own_domain_are_read_too() -> None:
    text = "clearance:\n  title: Clearance\n  values: [green, amber, red (new)]\n  sensitive: yes\n"
    text += "  description: What somebody may see\n  examples: [green, amber]\n  counter_examples: [blue]\n"
    text += "  needs_name: yes\n  name_words: clearance\n  name_terms: [security clearance, clearance (new)]\n"
    own = {one.name: one for one in domains(text, "own.yaml")}
    assert reading("sec_clear") == ("", "")
    use_own(lambda: own)
    try:
        assert reading("sec_clear") == ("clearance", "security clearance")
        meant = {}
        for name in ("sec_clear", "zxcv"):
            columns = fold(pa.table(PERSON | {name: given("green", "amber")})).columns
            meant[name] = propose_table(columns, "employees", domains=in_force().values())[name][0].domain
        assert meant["sec_clear"] == "clearance" != meant["zxcv"]
    finally:
        use_own(dict)
    assert reading("sec_clear") == ("", "")


def test_of_few_rows_a_general_kind_is_as_sure_as_its_values_recur() -> None:
    def said(*values: str) -> tuple[str, float]:
        state = fold(pa.table({"zglbr": list(values)})).columns["zglbr"]
        best = propose_tags(state, "zglbr")[0]
        return best.domain, best.score

    once, twice, often = (said(*["Gwiezd", "Miernad", "Biernak"] * times) for times in (1, 2, 20))
    assert (once[0], twice[0], often[0]) == ("title", "category", "category")
    assert once[1] < 0.5 < twice[1] < often[1]
    assert said("30", "30", "30")[0] == "integer"
    assert said("true", "true")[0] == "boolean"
