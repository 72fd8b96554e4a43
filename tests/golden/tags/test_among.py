"""Columns whose names nobody reads and that ask persons for an illness, by weak signs together."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.domains.lexicon import words
from catalog.states.folding.fold import fold
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.proposal import TagProposal
from catalog.tags.table import propose_table

ROWS = 60


def given(*values: object) -> list:
    return [values[i % len(values)] for i in range(ROWS)]


PERSON = {"age": [18 + i % 50 for i in range(ROWS)], "gender": given("f", "m"), "educ": given(1, 2, 3)}
MACHINE = {"torque": [18 + i % 50 for i in range(ROWS)], "coolant": given("a", "b"), "shift": given(1, 2, 3)}
ASKED = {"asthma": given(0, 1), "diabetes": given(1, 0, 0)}


def tag(columns: dict[str, list], name: str) -> TagProposal:
    found = [one for one in propose_table(fold(pa.table(columns)).columns, "panel")[name] if one.domain != ABOUT]
    return found[0] if found else TagProposal("", "", 0.0, 0.0, False)


@pytest.mark.parametrize("name", ["colitis", "hemophil", "fac_cerebral", "bronch"])
@pytest.mark.parametrize("two", [(0, 1), ("no", "yes"), (False, True)])
def test_a_name_that_begins_like_words_of_medicine_asks_for_an_illness(name: str, two: tuple[object, object]) -> None:
    one = tag({**PERSON, "asthma": given(*two), name: given(*two, two[1])}, name)
    assert one.sensitive
    assert any("words of medicine" in because["what"] for because in one.evidence["whose_because"])
    assert not tag({**MACHINE, name: given(0, 1, 1)}, name).sensitive, "of machines nothing is read"


def test_what_stands_among_yes_and_no_to_illnesses_asks_for_one() -> None:
    listed = {"asthma": given(0, 1), "zkrw": given(0, 1, 1), "diabetes": given(1, 0, 0), "stroke": given(0, 0, 1)}
    one = tag({**PERSON, **listed}, "zkrw")
    assert one.sensitive
    assert one.domain == "health_condition"
    assert {"what": "yes and no next to asthma, diabetes, stroke"} in one.evidence["whose_because"]
    assert tag({**PERSON, **listed, "zkrw": given(0, 1, 9)}, "zkrw").sensitive, "nine is no answer"
    other = {**PERSON, **listed, "zkrw": given(1, 2, 3, 4)}
    assert not tag(other, "zkrw").sensitive, "what is no yes and no is not of the list"


@pytest.mark.parametrize("name", ["left_hand", "smoker", "urban", "treatment", "male"])
def test_what_many_tables_ask_that_ask_of_no_illness_does_not(name: str) -> None:
    assert not tag({**PERSON, **ASKED, name: given(0, 1, 1)}, name).sensitive


def test_values_that_are_words_of_medicine_are_hidden_and_not_told() -> None:
    values = given("COPD", "CHF", "Cirrhosis", "Colitis", "Other")
    one = tag({**PERSON, "cat1": values}, "cat1")
    assert one.sensitive
    assert {"what": "4 of 5 values are words of medicine"} in one.evidence["whose_because"]
    assert "Cirrhosis" not in str(one.to_json())
    assert not tag({**PERSON, "cat1": given("north", "south", "flu")}, "cat1").sensitive
    assert not tag({**MACHINE, "cat1": values}, "cat1").sensitive


NAMED = {
    "first_name": given("Anna", "Peter", "Maria", "Thomas", "Julia", "Michael"),
    "last_name": given("Schmidt", "Weber", "Fischer", "Wagner", "Becker", "Hoffmann", "Schulz"),
}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bemerkung", "Schwerbehindert 50%"),
        ("bemerkung", "seit Mai krankgeschrieben"),
        ("notes", "on sick leave until June"),
        ("comment", "Disabled, needs a ramp"),
        ("commentaire", "en arrêt maladie"),
        ("uwagi", "orzeczenie o niepełnosprawności"),
        ("observações", "licença médica"),
        ("opmerking", "langdurig ziek"),
    ],
)
def test_remarks_on_named_persons_that_tell_of_their_health_are_personal(name: str, said: str) -> None:
    remarks = given(None, "neuer Vertrag", said, None, "Teilzeit")
    one = tag({**NAMED, name: remarks}, name)
    assert one.sensitive
    assert said not in str(one.to_json())
    assert not tag({**NAMED, name: given(None, "neuer Vertrag", "Teilzeit")}, name).sensitive
    assert not tag({**MACHINE, name: remarks}, name).sensitive


@pytest.mark.parametrize("said", ["AOK Krankenkasse", "wants a wheel", "Invalidenstraße 4", "trudny klient"])
def test_words_that_are_like_those_of_health_are_none(said: str) -> None:
    assert not tag({**NAMED, "remark": given(None, "new contract", said)}, "remark").sensitive


def test_stems_are_of_illnesses_and_ordinary_words_are_not() -> None:
    stems = {line.split()[0] for line in words("illness_stems")}
    assert len(stems) > 1000
    assert not [word for word in words("column_words") if any(word[:end] in stems for end in range(4, 7))][40:]


def test_an_age_at_a_diagnosis_is_no_code_of_it() -> None:
    ages = [round(30.5 + 0.31 * (i % 45), 2) for i in range(ROWS)]
    assert not tag({**PERSON, "age_at_diagnosis": ages}, "age_at_diagnosis").sensitive
    codes = [round(240.5 + 0.31 * (i % 45), 2) for i in range(ROWS)]
    assert tag({**PERSON, "diag_1": codes}, "diag_1").sensitive
