"""Tables in which each row is a person without a name: surveys, panels, personnel files."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.table import propose_table

ROWS = 60
PERSON = {
    "educ": [8 + i % 12 for i in range(ROWS)],
    "exper": [i % 37 for i in range(ROWS)],
    "married": ["yes", "no"] * (ROWS // 2),
}
MACHINE = {
    "torque": [8 + i % 12 for i in range(ROWS)],
    "cycles": [i % 37 for i in range(ROWS)],
    "coolant": ["yes", "no"] * (ROWS // 2),
}
HOURLY = [3.1 + 5 * i / 7 for i in range(ROWS)]


def said(columns: dict[str, list], table: str, name: str) -> tuple[str, bool]:
    found = propose_table(fold(pa.table(columns)).columns, table)[name]
    return (found[0].domain, found[0].sensitive) if found else ("", False)


def asked(columns: dict[str, list], table: str, name: str) -> bool:
    """Whether it is hidden only until somebody has looked."""
    found = propose_table(fold(pa.table(columns)).columns, table)[name]
    return [one.domain for one in found if one.sensitive] == [ABOUT]


def given(values: list) -> list:
    return [values[i % len(values)] for i in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "values", "domain"),
    [
        ("wage", HOURLY, "salary"),
        ("earnings", HOURLY, "salary"),
        ("annual_inc", [21000 + 317 * i for i in range(ROWS)], "salary"),
        ("inc86", [0.8 + 3 * i for i in range(ROWS)], "salary"),
        ("income", given(["$10000 - 14999", "$25000 or more", "$6000 to 6999", "<=50K"]), "salary"),
        ("ethnicity", given(["other", "afam"]), "ethnicity"),
        ("race", given(["White", "Black", "Other"]), "ethnicity"),
        ("vote", given(["Labour", "Conservative", "Liberal Democrat"]), "political_opinion"),
        ("partyid", given(["Strong Democrat", "Ind,Near Rep", "Independent"]), "political_opinion"),
        ("test_result", given(["negative", "positive", "invalid"]), "test_result"),
    ],
)
def test_what_a_survey_asks_is_personal_where_rows_are_people(name: str, values: list, domain: str) -> None:
    assert said({**PERSON, name: values}, "panel", name) == (domain, True)
    assert not said({**MACHINE, name: values}, "bench", name)[1], "of machines nothing is"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("race", given([1, 2, 3])),
        ("vote", given(["Y", "N", "U"])),
        ("income", given(["high", "low"])),
        ("diabetes", given(["yes", "no"])),
        ("diabetes", given([True, False])),
        ("religious", given([1, 2, 3, 4])),
    ],
)
def test_codes_under_a_sure_name_are_personal_where_rows_are_people(name: str, values: list) -> None:
    assert said({**PERSON, name: values}, "panel", name)[1]
    assert asked({**MACHINE, name: values}, "bench", name), "nothing says whose rows they are"
    assert not said({"vendor": given(["a", "b"]), **MACHINE, name: values}, "devices", name)[1]
    other = "verified_income" if name == "income" else "grade"
    assert not said({**PERSON, other: values}, "panel", other)[1]


@pytest.mark.parametrize(("name", "values"), [("marital_status", given(["M", "S"])), ("marital", given([1, 2, 5]))])
def test_codes_of_marriage_are_personal(name: str, values: list) -> None:
    assert said({**PERSON, name: values}, "panel", name)[1]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("black", [0, 1]),
        ("white", ["yes", "no"]),
        ("is_hispanic", [True, False]),
        ("nonwhite", ["0", "1"]),
        ("ever_married", ["Yes", "No"]),
        ("widowed", [0, 1]),
        ("catholic", [0, 1]),
        ("pregnant", [0, 1]),
    ],
)
def test_yes_and_no_to_what_is_sensitive_is_personal_where_rows_are_people(name: str, values: list) -> None:
    person = {one: PERSON[one] for one in ("educ", "exper")} | {"age": PERSON["educ"]}
    assert said({**person, name: given(values)}, "panel", name)[1]
    assert asked({**MACHINE, name: given(values)}, "bench", name) == (name == "pregnant"), "black may be a colour"
    assert asked({**person, "other": given(values)}, "panel", "other"), "of what, nobody knows"


def test_a_table_of_patients_needs_no_other_column_of_them() -> None:
    measured = {"radius_mean": HOURLY, "texture_mean": [9.7 + i / 11 for i in range(ROWS)], "area_mean": HOURLY[::-1]}
    assert said({**measured, "diagnosis": given(["M", "B"])}, "patients", "diagnosis")[1]
    assert not said({**measured, "diagnosis": given(["M", "B"])}, "engines", "diagnosis")[1]


def test_amounts_of_pay_may_be_of_any_size_where_rows_are_people() -> None:
    thousands = [f"{1 + i % 9}.{i:02}" if i % 3 else str(1 + i % 9) for i in range(ROWS)]
    assert said({**PERSON, "income": thousands}, "panel", "income")[1]
    assert not said({**MACHINE, "income": thousands}, "bench", "income")[1]


def test_illnesses_that_are_asked_about_tell_that_rows_are_people() -> None:
    asked = {"asthma": given(["y", "n"]), "migraine": given(["n", "n", "y"]), "gender": given(["f", "m"])}
    assert said({**asked, "diabetes": given([0, 1])}, "answers", "diabetes")[1]
    counted = {
        "asthma_deaths": list(range(ROWS)),
        "state": given(["Texas", "Ohio", "Iowa"]),
        "population": PERSON["educ"],
    }
    assert not said({**counted, "diabetes": given([0, 1])}, "answers", "diabetes")[1]


def test_years_of_birth_of_one_class_are_told_by_their_name() -> None:
    assert said({"name": [f"n{i}" for i in range(ROWS)], "birth_year": given([1987, 1988])}, "feet", "birth_year")[1]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("lwage", HOURLY),
        ("lon", [2.294481 + i / 977 for i in range(ROWS)]),
        ("race", given(["10 km", "Half marathon", "Marathon"])),
        ("votes", [100 + 7 * i for i in range(ROWS)]),
        ("party", given(["birthday party", "hen night", "wedding"])),
        ("result", given(["passed", "failed", "withdrawn"])),
        ("sentiment_result", given(["positive", "negative", "neutral"])),
        ("colour", given(["White", "Black"])),
    ],
)
def test_what_only_sounds_like_it_is_not(name: str, values: list) -> None:
    assert said({**PERSON, name: values}, "panel", name)[0] not in (
        "salary",
        "ethnicity",
        "political_opinion",
        "test_result",
    )
