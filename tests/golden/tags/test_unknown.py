"""What is said not to be known, and what is not: columns of persons under private names, nothing else."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.proposal import TagProposal
from catalog.tags.table import propose_table

N = 60
PRIVATE = ("zq_7", "zq_8", "kpt", "vv")
PEOPLE = {
    "id": list(range(1000, 1000 + N)),
    "age": [20 + i % 50 for i in range(N)],
    "sex": ["MF"[i % 2] for i in range(N)],
    "department": [("north", "south", "east")[i % 3] for i in range(N)],
    "loaded_at": [f"2026-01-{1 + i % 28:02} 10:00:00" for i in range(N)],
    "version": [f"1.{i % 4}.0" for i in range(N)],
    "customer_id": [700000 + 13 * (i % 20) for i in range(N)],
    "customer": [13 * (i % 20) for i in range(N)],
    "customer.age": [20 + i % 50 for i in range(N)],
    "zq_7": [i % 2 for i in range(N)],
    "zq_8": [i % 2 for i in range(N)],
    "kpt": ["ABC"[i % 3] for i in range(N)],
    "bronch": [i % 2 for i in range(N)],
    "vv": [bool(i % 2) for i in range(N)],
}


def _said(columns: dict[str, list], table: str = "patients") -> dict[str, list[TagProposal]]:
    return propose_table(fold(pa.table(columns)).columns, table)


def _unknown(columns: dict[str, list], table: str = "patients") -> set[str]:
    return {name for name, ones in _said(columns, table).items() if any(one.domain == ABOUT for one in ones)}


def test_private_names_of_persons_are_not_known() -> None:
    assert _unknown(PEOPLE) == {*PRIVATE}


@pytest.mark.parametrize("name", [one for one in PEOPLE if one not in PRIVATE and one != "bronch"])
def test_what_is_clearly_impersonal_is_not_among_them(name: str) -> None:
    assert name not in _unknown(PEOPLE)


def test_what_is_known_to_be_sensitive_is_not_asked_about() -> None:
    said = _said(PEOPLE)["bronch"]
    assert [one.sensitive for one in said].count(True) == 1
    mails = PEOPLE | {"zq_9": [f"user{i}@mail.example" for i in range(N)]}
    assert "zq_9" not in _unknown(mails)


@pytest.mark.parametrize("table", ["sensors", "devices", "warehouses"])
def test_where_nothing_speaks_of_persons_nothing_is_hidden(table: str) -> None:
    things = {name: PEOPLE[name] for name in ("id", "loaded_at", "version", "zq_7", "zq_8", "kpt", "vv")}
    assert _unknown(things, table) == set()


def test_it_says_why_and_how_likely() -> None:
    (said,) = [one for one in _said(PEOPLE)["zq_7"] if one.domain == ABOUT]
    assert (said.sensitive, said.generic) == (True, False)
    assert 0.1 <= said.score < 1
    assert any("patients" in one["what"] for one in said.evidence["whose_because"])
    assert "default" not in str(said.evidence)


def test_a_column_without_values_is_not_asked_about() -> None:
    empty = PEOPLE | {"qx": pa.array([None] * N, pa.int64())}
    assert "qx" not in _unknown(empty)


def test_what_each_person_gets_of_his_own_is_kept_for_whoever_asks_most() -> None:
    """Yes and no, under a name that begins as words of medicine do, are likelier than fractions."""
    table = {**PEOPLE, "fr": [i / 7 + 0.01 for i in range(N)]}
    score = {name: one.score for name, ones in _said(table).items() for one in ones if one.domain == ABOUT}
    assert score["zq_7"] > score.get("fr", 0.0)


@pytest.mark.parametrize("name", ["outcome", "rel", "mar"])
def test_words_that_columns_of_tables_are_called_are_not_understood_for_that(name: str) -> None:
    assert name in _unknown({**PEOPLE, name: PEOPLE["zq_7"]})


@pytest.mark.parametrize(("table", "hidden"), [("visits_2024", True), ("devices", False)])
def test_what_asks_for_pay_is_hidden_where_nothing_tells_whose_it_is(table: str, hidden: bool) -> None:
    rows = {
        "fee": [i % 7 for i in range(N)],
        "size": [i % 5 for i in range(N)],
        "lake": ["ABC"[i % 3] for i in range(N)],
    }
    rows["income"] = [1 + i % 9 for i in range(N)]
    assert ("income" in _unknown(rows, table)) is hidden


@pytest.mark.parametrize(("table", "persons"), [("finalists", True), ("anglers", True), ("matches", False)])
def test_a_word_for_persons_tells_of_rows(table: str, persons: bool) -> None:
    assert ("zq_7" in _unknown({name: PEOPLE[name] for name in ("id", "zq_7", "kpt")}, table)) is persons


@pytest.mark.parametrize(("key", "hidden"), [("patient_id", True), ("customer_id", False), ("sensor_id", False)])
def test_of_patients_anything_measured_is_of_their_health(key: str, hidden: bool) -> None:
    rows = {key: [f"P-{i % 9:04}" for i in range(N)], "taken": PEOPLE["loaded_at"], "unit": ["kg", "mmHg"] * (N // 2)}
    rows |= {"value": [36 + i / 7 for i in range(N)], "pain_score": [i % 11 for i in range(N)]}
    assert _unknown(rows, "readings") == ({"value", "pain_score"} if hidden else set())


VISITS = {
    "session_id": [f"{i:08x}" for i in range(N)],
    "customer_id": [700000 + 13 * (i % 20) for i in range(N)],
    "started_at": [f"2026-01-{1 + i % 28:02} 10:00:00" for i in range(N)],
    "page_views": [1 + i % 7 for i in range(N)],
    "landing_page": ["/home /cart /help".split()[i % 3] for i in range(N)],
    "pg_vw": [1 + i % 7 for i in range(N)],
}


def test_what_common_words_say_is_nothing_that_people_keep_is_not_asked_about() -> None:
    assert _unknown(VISITS, "web_sessions") == {"pg_vw"}


def test_common_words_of_english_say_nothing_where_columns_are_called_otherwise() -> None:
    other = {"session_id": "nr_visite", "started_at": "dt_debut", "landing_page": "pg_acc", "customer_id": "no_client"}
    assert "page_views" in _unknown({other.get(name, name): cells for name, cells in VISITS.items()}, "visiteurs")


def test_prose_is_asked_about_whatever_it_is_called() -> None:
    notes = [f"spoke of item {i} and of what to send, was content with {i % 7} of them" for i in range(N)]
    assert "items" in _unknown({**VISITS, "items": notes}, "web_sessions")
    assert "items" not in _unknown({**VISITS, "items": [1 + i % 7 for i in range(N)]}, "web_sessions")
