"""Who logs in: account names, handles of social networks, and where somebody comes from."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.proposal import TagProposal
from catalog.tags.table import propose_table

NAMES = ["mary.jones", "ivan.petrov", "david.baker", "mary.jones", "sam.hill"]
SOURCES = ["192.0.2.1", "192.0.2.7", "198.51.100.4", "192.0.2.1", "203.0.113.5"]


def said(columns: dict[str, list[str]], table: str = "logins") -> dict[str, TagProposal]:
    return {name: ones[0] for name, ones in propose_table(fold(pa.table(columns)).columns, table).items() if ones}


@pytest.mark.parametrize("name", ["username", "login", "account", "c1"])
def test_a_given_and_a_family_name_with_a_dot_are_no_host(name: str) -> None:
    found = said({name: NAMES})[name]
    assert found.domain != "domain_name"
    assert (found.domain, found.sensitive) == ("username", True) or name == "account"


def test_hosts_are_hosts() -> None:
    assert said({"c1": ["shop.example.com", "mary.com", "db.internal.net"]})["c1"].domain == "domain_name"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("instagram", ["martagilp", "jlferrer_ok", "nuria.campos", "raul_mena"]),
        ("twitter_handle", ["@lisedahl", "@olebruun_", "@nfalk"]),
        ("skype", ["greta.thom", "bill_ony", "siapatel88"]),
        ("facebook", ["lise.dahl.9", "ole.bruun", "nina.falk.musik"]),
        ("kullanıcı", ["admin", "mehmet34", "zeynep_k", "ali"]),
        ("användare", ["admin", "sven34", "lisa_k", "olle"]),
    ],
)
def test_handles_by_the_network_or_a_word_for_a_user(name: str, values: list[str]) -> None:
    found = said({name: values})[name]
    assert found.domain in ("username", "social_handle")
    assert found.sensitive


def test_numbers_that_are_given_out_are_no_account_names() -> None:
    found = said({"user_id": ["U002", "U014", "U004", "U020", "U007"], "username": NAMES})["user_id"]
    assert (found.domain, found.sensitive) == ("opaque_id", False)
    assert said({"user_id": ["lis7", "ann85", "kai2001"]})["user_id"].domain == "username"


def test_where_a_login_comes_from_is_a_person_s() -> None:
    found = said({"username": NAMES, "source_ip": SOURCES})["source_ip"]
    assert (found.domain, found.sensitive) == ("ipv4", True)
    assert not said({"packets": ["3", "4", "8", "1", "9"], "source_ip": SOURCES})["source_ip"].sensitive


def test_files_of_any_program_by_name() -> None:
    files = ["airnav.opk", "andover.opk", "readme.nfo"]
    assert said({"Filename": files})["Filename"].domain == "file_name"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("fin_kod", ["5ZT4KQ1", "7AB2XR9", "1GH8WM3"]),
        ("fin", ["5ZT4KQ1", "7AB2XR9", "1GH8WM3"]),
        ("số_căn_cước", ["012345678", "215467890", "331122334"]),
        ("iqama_no", ["2345678901", "2456789012", "2198765432"]),
    ],
)
def test_identity_numbers_by_what_states_call_them(name: str, values: list[str]) -> None:
    people = {"ad": ["Elvin", "Aysel", "Rəşad"], "soyad": ["Məmmədov", "Quliyeva", "Əliyev"]}
    found = said(people | {name: values}, "customers")[name]
    assert (found.domain, found.sensitive) == ("national_id", True)
