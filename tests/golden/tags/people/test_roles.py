"""Who did something: columns called by a word for what somebody is or did, beside what their rows are of."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.domains.known import KNOWN
from catalog.states.folding.fold import fold
from catalog.tags.proposal import TagProposal
from catalog.tags.table import propose_table


def said(table: str, columns: dict[str, list[str]]) -> dict[str, TagProposal]:
    return {name: ones[0] for name, ones in propose_table(fold(pa.table(columns)).columns, table).items() if ones}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("inspektor", ["Marek Zieliński", "Marek Zieliński", "Ewa Wójcik"]),
        ("kuljettaja", ["Pekka Virtanen", "Pekka Virtanen", "Sanna Koskinen"]),
        ("préleveur", ["Luc Fontanel"] * 3),
        ("surgeon", ["Helen M. Brandt, M.D.", "Ossi Pekkala, M.D., Ph.D.", "Helen M. Brandt, M.D."]),
        ("менеджер", ["Иванов П.С.", "Сидорова А.К.", "Иванов П.С."]),
        ("负责人", ["张伟", "李娜", "王强"]),
        ("posádka", ["Jan Dvořák; Petra Malá", "Tomáš Král; Jan Dvořák", "Petra Malá; Eva Nová"]),
        ("crew", ["Ana Souza / Bruno Reis", "Bruno Reis / Caio Neves", "Ana Souza / Caio Neves"]),
    ],
)
def test_who_did_something_is_a_person(name: str, values: list[str]) -> None:
    found = said("visits", {"site": ["Lac Bleu", "Étang Noir", "Moulin"], name: values})[name]
    assert (found.domain, found.sensitive) == ("person_name", True)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("operator", ["Uniworld River Cruises", "AMA Waterways", "Flussschiff"]),
        ("captain_id", ["Red", "Blue", "Red"]),
        ("entrenador", ["sí", "no", "sí"]),
        ("team", ["Marek Zieliński", "Marek Zieliński", "Ewa Wójcik"]),
    ],
)
def test_words_for_persons_alone_make_nobody(name: str, values: list[str]) -> None:
    assert said("visits", {"site": ["Lac Bleu", "Étang Noir", "Moulin"], name: values})[name].domain != "person_name"


def test_who_runs_a_place_does_not_make_it_a_person() -> None:
    offices = {
        "practice_name": ["Northside Dental Office", "Lakeview Eye Clinic", "Harbor Pediatrics Clinic"],
        "medical_director": ["Joel T. Weinfeld, M.D.", "Brian M. Thorn, M.D., Ph.D.", "Nancy K. Fielding, M.D."],
        "practice_director": ["Peter R. Domkuti, M.D.", "Brian M. Thorn, M.D.", "Karl Voss, M.D."],
        "phone": ["(212) 422-3855", "(615) 699-3517", "(250) 395-2258"],
    }
    found = said("clinics", offices)
    assert {name: one.sensitive for name, one in found.items()} == {
        "practice_name": False,
        "medical_director": True,
        "practice_director": True,
        "phone": False,
    }


def test_a_family_name_with_initials_needs_a_word_for_a_person() -> None:
    person = KNOWN["person_name"]
    assert person.validate("Иванов П.С.", weak=True)
    assert not person.validate("Иванов П.С.")
