"""True and near-miss values of the known domains, and what a column of them is tagged as."""

from __future__ import annotations

import mimetypes
import re
from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from catalog.domains.domain import Domain, words
from catalog.domains.known import GENERIC, KNOWN, THEMES
from catalog.domains.validators import technical
from catalog.states.column import ColumnState
from catalog.states.encoding import decode, encode
from catalog.states.folding.fold import fold
from catalog.states.table import merge_all
from catalog.tags.privacy.inside import holds
from catalog.tags.privacy.masking import mask
from catalog.tags.proposal import TagProposal
from catalog.tags.propose import propose_tags


def column(values: list, kind: pa.DataType | None = None) -> ColumnState:
    return fold(pa.table({"c": pa.array(values, kind)})).columns["c"]


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_every_domain_is_described_and_holds_its_examples(name: str) -> None:
    domain = KNOWN[name]
    assert domain.title
    assert domain.description.endswith(".")
    assert domain.theme in THEMES.values()
    assert len(domain.examples) >= 2
    assert domain.counter_examples
    assert [value for value in domain.examples if not domain.validate(value)] == []
    assert [value for value in domain.counter_examples if domain.validate(value)] == []
    for check in (domain.check, domain.weak, domain.whole):
        for one in getattr(check, "validators", getattr(check, "checks", (check,))):
            assert one is None or callable(getattr(one, "function", one))
    assert set(domain.broader) <= {*KNOWN, *GENERIC}


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_column_of_its_examples_is_tagged_with_the_domain(name: str) -> None:
    domain = KNOWN[name]
    hint = re.sub(r" ?\?|[^\w ]", "", domain.names.split("|")[0]).replace(" ", "_") if domain.needs_name else "c"
    found = propose_tags(column([*domain.examples] * 3, pa.string()), hint)
    assert found, name
    assert found[0].domain == name, (name, [(p.domain, p.score) for p in found], found[0].evidence)
    assert found[0].sensitive == domain.sensitive


def test_there_are_many_domains_with_unique_titles() -> None:
    assert len(KNOWN) >= 180
    assert len({d.title for d in KNOWN.values()}) == len(KNOWN)
    assert not set(GENERIC) & set(KNOWN)
    assert all(KNOWN[name].sensitive for name in ("email", "phone", "iban", "card_number", "person_name"))


def main(values: list, name: str = "c", kind: pa.DataType | None = None) -> str | None:
    found = propose_tags(column(values, kind), name)
    return found[0].domain if found else None


def test_a_specific_meaning_beats_a_general_one() -> None:
    assert main([f"user{i}@example.com" for i in range(300)]) == "email"
    assert main([f"{i:08x}-1111-4222-8333-{i * 7919:012x}" for i in range(300)]) == "uuid"
    assert main([f"10.0.{i % 250}.{i * 7 % 250}" for i in range(300)]) == "ipv4"
    assert main([f"https://example.com/{i}?mail=a{i}@example.com" for i in range(300)]) == "url"


def test_what_users_of_others_complain_about() -> None:
    years = [str(1950 + i % 70) for i in range(500)]
    assert main(years, "card_code") not in ("card_number", "code")
    assert main([int(y) for y in years], "card_number") != "card_number"
    assert main([0, 1, 1, 0, 1] * 20, "email_verified") is None
    assert main([f"{i * 37 % 10000:04d}" for i in range(300)], "last4") != "integer"
    assert main([f"Velo Sports {i}" for i in range(50)], "name") != "company_name"
    assert main([20240101 + i for i in range(25)], "contact_id") != "phone"
    assert main([True, False] * 20, "email_verified") == "boolean"
    assert main(["M", "F", "D", "G"] * 20, "position") == "code"
    assert main(["S", "M"] * 20, "marital_status") == "code"
    assert main([str(i) for i in range(1000, 1400)], "id") != "year"


def test_the_name_alone_tags_nothing() -> None:
    for name in ("email", "phone", "iban", "ssn", "ip_address", "credit_card", "country", "date_of_birth"):
        found = propose_tags(column([f"x{i}q" for i in range(50)]), name)
        assert all(p.generic for p in found), (name, found)


ADDRESSES = {
    "Chinese": ["河北省 石家庄市 新乐市解放路41号", "上海市浦东新区世纪大道100号", "南山区 科技路5号"],
    "Japanese": [
        *("東京都千代田区千代田1-1", "東京都渋谷区神南1丁目19番11号", "〒530-0001 大阪府大阪市北区梅田3-1-3"),
        *("北海道札幌市中央区北1条西2丁目", "1-1 Chiyoda, Chiyoda-ku, Tokyo", "京都府京都市左京区吉田本町36-1"),
    ],
    "Polish": [
        *("al. Jerozolimskie 54", "Aleje Jerozolimskie 54 m. 3", "os. Tysiąclecia 5/12", "pl. Wolności 3"),
        *("ul. Piotrkowska 104, 90-926 Łódź", "ul. Marszałkowska 10/5"),
    ],
    "Portuguese": [
        *("R. das Flores, 12", "R. Dr. António Cândido 10 3º Dto", "Av Jesus, S/N", "Rua da Prata, n.º 80"),
        *("Praça do Comércio 3", "Rua XV de Novembro, 500 - apto 31"),
    ],
}


def test_ethnic_origins_are_told_from_colours_and_races() -> None:
    assert main(["White", "Black", "Hispanic", "Asian"] * 20, "Race") == "ethnicity"
    assert main(["1. White", "2. Black", "3. Asian", "4. Other"] * 20, "race") == "ethnicity"
    assert main(["caucasian", "african american", "pacific islander"] * 20) == "ethnicity"
    assert main(["White", "Black", "Red", "Brown"] * 20, "colour") != "ethnicity"
    assert main(["white", "black", "brown"] * 20) != "ethnicity"
    assert main(["10 km", "Half marathon", "Marathon"] * 20, "race") != "ethnicity"


def test_illnesses_are_known_by_their_stems() -> None:
    ill = ["Asthma", "Hypertension", "Type 2 diabetes", "Bronchitis", "Insomnia", "Breast cancer"] * 9
    assert main(ill) == "health_condition"
    assert main(["asma", "hipertensión", "diabetes tipo 2", "gastritis", "migraña"] * 9) == "health_condition"
    assert main(["Roma", "Tacoma", "Sonoma", "Aroma", "Diploma"] * 9) != "health_condition"
    assert main(["Nurse", "Surgeon", "Cardiologist", "Radiology"] * 9) != "health_condition"
    assert main(["none", "mild", "severe"] * 9, "sleep_disorder") == "health_condition"


@pytest.mark.parametrize("text", ["31.12.1999.", "1999.12.31.", "1999. 12. 31.", "1. 2. 1999."])
def test_days_may_end_with_a_dot(text: str) -> None:
    assert KNOWN["date"].validate(text)


@pytest.mark.parametrize("text", ["31.13.1999.", "1.2.3.", "10.0.0.1.", "1999.12."])
def test_what_ends_with_a_dot_need_not_be_a_day(text: str) -> None:
    assert not KNOWN["date"].validate(text)


def test_initials_may_stand_right_before_a_name() -> None:
    assert KNOWN["person_name"].validate("B.Hardy")
    assert not KNOWN["person_name"].validate("node.js")
    assert not KNOWN["person_name"].validate("v.Next")


@pytest.mark.parametrize("language", sorted(ADDRESSES))
def test_addresses_in_other_orders_are_sensitive(language: str) -> None:
    listed = ADDRESSES[language]
    assert [one for one in listed if not KNOWN["street_address"].validate(one)] == []
    found = propose_tags(column([f"{one}" for one in listed * 3]), "c")
    assert (found[0].domain, found[0].sensitive) == ("street_address", True)


@pytest.mark.parametrize("text", ["東京", "2丁目", "株式会社東京", "大阪府", "al. 5", "R. 12", "Al Jazeera 24", "Pl 3"])
def test_what_only_looks_like_an_address_is_none(text: str) -> None:
    assert not KNOWN["street_address"].validate(text)


@pytest.mark.parametrize(
    ("name", "values", "domain"),
    [
        ("password", ["hunter2", "letmein!", "Tr0ub4dor&3", "qwerty12"], "password"),
        ("pwd_hash", [f"$2b$12$KIXQ4e8vVnS7Zk0p9d3bU{i}" for i in range(9)], "password_hash"),
        ("api_key", [f"sk_live_{i * 7919:08x}" for i in range(20)], "password"),
        ("cvv", ["123", "908", "0457", "332"], "card_security_code"),
        ("cardSecurityCode", [123, 908, 457, 332], "card_security_code"),
        ("card_expiry", ["04/27", "11/29", "01/28", "09/30"], "card_expiry"),
        ("client_ip", [f"192.0.2.{i}" for i in range(30)], "ipv4"),
        ("ip", [f"2001:db8::{i:x}" for i in range(30)], "ipv6"),
        ("zip", [f"{94103 + i}" for i in range(30)], "postcode"),
        ("zip", [94103 + i for i in range(30)], "postcode"),
        ("latitude", [48.85837 + i / 977 for i in range(30)], "latitude"),
        ("lon", [2.294481 + i / 977 for i in range(30)], "longitude"),
    ],
)
def test_what_reaches_or_places_a_person_is_sensitive(name: str, values: list, domain: str) -> None:
    found = propose_tags(column(values), name)[0]
    assert (found.domain, found.sensitive, found.contains) == (domain, True, False)


@pytest.mark.parametrize("name", ["password_changed_at", "pin_count", "has_password", "password_policy", "cvv_result"])
def test_what_is_said_about_a_secret_is_none(name: str) -> None:
    found = propose_tags(column(["Y", "N", "Maybe", "Later"] * 5), name)
    assert not any(one.sensitive for one in found)


def test_numbers_of_parcels_are_no_cards_though_some_pass_as_one() -> None:
    cards = ["4111111111111111", "5555555555554444", "4012888888881881"]
    parcels = [f"40{i * 104729 % 10**14:014d}" for i in range(120)]
    found = propose_tags(column([*parcels, *cards]), "tracking_number")
    assert not any(one.sensitive for one in found)
    assert [holds(one) for one in cards] == [True] * 3  # and yet these are never shown


def test_sparse_personal_data_are_reported() -> None:
    notes = [f"call number {i} was answered on the first day of the week" for i in range(80)]
    notes[17] = "please write to ann.lee@example.com about the refund of last week"
    found = propose_tags(column(notes), "notes")
    assert found[0].domain == "free_text"
    mail = next(p for p in found if p.domain == "email")
    assert mail.sensitive
    assert mail.contains  # the column is not of e-mail addresses
    assert not found[0].contains
    assert mail.match_share == pytest.approx(1 / 80, rel=0.01)
    assert "ann.lee" not in str(mail.evidence)


def test_sparse_addresses_are_seen_in_shapes_when_no_listed_value_has_one() -> None:
    values = [f"note{i % 150}" for i in range(3000)] + ["ann.lee@example.com"]
    found = propose_tags(column(values), "contact")
    assert any(p.domain == "email" and 0 < p.match_share < 0.01 for p in found)


def test_texts_that_name_people_are_reported() -> None:
    people = ["Richard Hamilton", "Henry Vaughan", "Cecil Collins", "Jacob Bell", "Mary Johnson", "Linda Garcia"]
    gifts = [f"Presented to the collection by {people[i % 6]} in the year {1900 + i}" for i in range(60)]
    found = propose_tags(column(gifts), "credit")
    assert found[0].generic
    assert [p.domain for p in found if p.sensitive] == ["person_name"]
    assert "Vaughan" not in str(found[1].evidence)
    plain = [f"Oil paint on board of size {i} and a frame" for i in range(60)]
    assert not any(p.sensitive for p in propose_tags(column(plain), "medium"))


@pytest.mark.parametrize(
    ("values", "domain"),
    [
        ([f"ann{i}@example.com" for i in range(5000)], "email"),
        (["N/A", "head office"] * 300 + [f"ann{i}@example.com" for i in range(4000)], "email"),
        ([f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(5000)], "date"),
        ([f"10.{i % 7}.{i % 250}.{i * 7 % 250}" for i in range(5000)], "ipv4"),
        (["Portugal", "Japan", "Brazil", "Kenya"] * 900 + ["Atlantis"], "country_name"),
    ],
)
def test_a_tag_survives_merging_and_storing_the_state(values: list[str], domain: str) -> None:
    parts = [fold(pa.table({"c": values[i::7]})) for i in range(7)]
    merged = decode(encode(merge_all(parts))).columns["c"]
    assert propose_tags(merged, "c")[0].domain == domain


def test_samples_of_sensitive_columns_are_masked() -> None:
    found = propose_tags(column([f"ann{i}@example.com" for i in range(20)]), "mail")[0]
    assert found.evidence["matching"]
    assert all("ann" not in text for text in found.evidence["matching"])
    assert mask("ann7@example.com") == "aaa9@aaaaaaa.aaa"


def test_types_speak_for_themselves() -> None:
    assert main([date(2024, 1, i + 1) for i in range(20)]) == "date"
    assert main([datetime(2024, 1, i + 1, 3) for i in range(20)], kind=pa.timestamp("us", tz="UTC")) == "datetime"
    assert main([date(1960 + i, 1, 1) for i in range(40)], "birth_date") == "birth_date"
    born = [datetime(1960 + i, 1, 1) for i in range(40)]
    assert main(born, "dob", pa.timestamp("us", tz="UTC")) == "birth_date"
    assert main([2124223855 + 7 * i for i in range(60)], "phone") == "phone"
    assert main([536904399 + 7 * i for i in range(60)], "ssn") == "national_id"
    assert main(["0", "1"] * 30) == "boolean"
    assert main([48.8 + i / 977 for i in range(40)], "lat") == "latitude"
    assert main([4111111111111111, 5555555555554444, 4012888888881881, 378282246310005], "pan") == "card_number"


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None, None],
        ["", ""],
        ["NA", "N/A"],
        ["x" * 100_000] * 3,
        ["(" * 5000, "<" * 5000, "[" * 5000],
        ["é王🙂" * 50, "\x00\x01", "\u202e"],
        ["0" * 200_000],
        ["a@" * 3000],
        ["1." * 3000 + "x"],
        ["a" * 1900 + "!"],
        ["a.b" * 600 + "!"],
    ],
)
def test_odd_columns_do_no_harm(values: list) -> None:
    found = propose_tags(column(values, pa.string()), "x" * 10_000)
    assert all(isinstance(p, TagProposal) for p in found)


NASTY = [
    "a" * 1900 + "!",
    "a." * 950,
    "-" * 1900,
    "a-" * 900 + "!",
    "1 " * 950,
    "A1" * 950,
    "a.b@" * 400,
    "/a" * 900 + "?",
]
NASTY += [
    "x/" * 900 + chr(0),
    "1 days " * 200 + "x",
    "[1" * 900,
    "<a>" * 600,
    "<a " + "b" * 1800,
    "É" * 1500,
    "1x1x" * 400,
]
NASTY += [
    "12 mm " * 300,
    chr(92) * 1500,
    "Aa " * 600,
    "ab:" * 600 + "g",
    "1-" * 900,
    "Jan " * 400,
    "P1Y" * 500,
    "1:1:" * 300,
]


@pytest.mark.timeout(60)  # a regex that backtracks would take years
def test_no_value_keeps_a_validator_busy() -> None:
    for domain in KNOWN.values():
        for text in NASTY:
            for weak in (False, True):
                assert domain.validate(text, weak=weak) in (True, False)


def test_words_of_names() -> None:
    assert words("") == ""
    assert words("Straße_Nr") == "straße nr"
    assert Domain("d", "D", ("a",), "a", names="strasse").validate("a")


def test_what_a_file_is_called_does_not_follow_the_machine_s_table(tmp_path: Path) -> None:
    (tmp_path / "mime.types").write_text("text/x-org org\n")
    domain = KNOWN["file_name"]
    before = domain.validate("user@example.org")
    mimetypes.init([str(tmp_path / "mime.types")])  # as serving a file does
    technical._suffixes.cache_clear()
    assert domain.validate("user@example.org") == before
