"""True and near-miss values of the known domains, and what a column of them is tagged as."""

from __future__ import annotations

from datetime import date, datetime

import pyarrow as pa
import pytest

from catalog.domains.domain import Domain, words
from catalog.domains.known import GENERIC, KNOWN, sensitive_domains
from catalog.states.column import ColumnState
from catalog.states.encoding import decode, encode
from catalog.states.fold import fold
from catalog.states.table import merge_all
from catalog.tags.inside import holds
from catalog.tags.masking import mask
from catalog.tags.proposal import TagProposal
from catalog.tags.propose import propose_tags

# domain: (values that belong, values that look like it and do not)
VALUES: dict[str, tuple[list[str], list[str]]] = {
    "email": (
        ["a@b.io", "ann.lee+x@example.co.uk"],
        ["a@b", "@ann", "ann at example.com", "a@b.c", "a@@b.io", "a b@c.io"],
    ),
    "phone": (
        ["+44 1798 342332", "(212) 422-3855", "250 395-2258"],
        [
            "2024-01-31",
            "31/12/1999",
            "029-00-01-01-01-1020-00",
            "12",
            "01-701-1015",
            "877-76317",
            "1142-05901",
            "536-90-4399",
        ],
    ),
    "person_name": (
        ["Ann Lee", "Braund, Mr. Owen Harris", "K Wright", "Abbey, Edwin Austin"],
        ["Ann", "12 Lee", "ann@lee.io", "The quick brown fox jumps over", "A-1"],
    ),
    "first_name": (["Linda", "Michael"], ["Xqzt", "Tuesday 3"]),
    "last_name": (["Garcia", "Schmidt"], ["Zzyx", "A. B. C."]),
    "username": ([r"CORP\ann0", "jsmith7", "ann.lee", "sarah28"], [r"C:\temp\x", "ann lee", "table", "ann"]),
    "street_address": (
        ["3220 Lake Floyd Circle", "PO Box 12", "Hauptstraße 5", "8, rue de la Paix", "Calle Mayor 3"],
        ["12 apples", "Chapter 3", "2024-01-31"],
    ),
    "password": (["hunter2!", "$2b$12$KIXQ4e8vVnS7Zk0p9d3bUe"], ["", " ", "ab"]),
    "card_security_code": (["123", "0457"], ["12345", "a12"]),
    "card_expiry": (["04/27", "11/2029", "2027-04", "0931"], ["13/27", "2024-04-17", "00/27", "99"]),
    "postcode": (["SW1A 1AA", "V6E3V6", "94103-1234"], ["SW1A", "V6E 3V66", "ZZZ 111"]),
    "national_id": (
        ["536-90-4399", "390.533.447-05", "39053344705", "AB 12 34 56 C"],
        ["000-12-3456", "666-12-3456", "390.533.447-06"],
    ),
    "country_name": (["Portugal", "États-Unis", "United Kingdom"], ["Lisbon", "Atlantis"]),
    "country_code2": (["PT", "us"], ["XX", "Pt", "USA"]),
    "country_code3": (["PRT", "USA"], ["XXX", "PT"]),
    "us_state_code": (["CA", "DC"], ["XX", "ca1", "ON"]),
    "city": (["Hamburg", "Roma, Italia", "Fort Lauderdale"], ["Qwertz", "42"]),
    "latitude": (["48.85837", "-90.0000"], ["91.00001", "48", "a"]),
    "longitude": (["151.20732"], ["181.001", "-200.12"]),
    "geo_point": (
        ["48.85837, 2.29448", "POINT (30 10)", "E6100000010CAE8BFC28BCE4474067A89189898A5EC0"],
        ["1, 2", "95.123, 190.123"],
    ),
    "timezone": (["Europe/Lisbon"], ["Europe/Atlantis", "Lisbon"]),
    "ipv4": (["10.0.0.1", "192.0.2.255"], ["10.0.0.256", "1.2.3", "01.2.3.4", "1.2.3.4.5"]),
    "ipv6": (["2001:db8::7", "::1"], ["12:30", "g::1", "1:2:3"]),
    "mac_address": (["00:1B:44:11:3A:B7"], ["00:1B:44:11:3A", "00:1B-44:11:3A:B7", "12:30:45"]),
    "url": (["https://a.io/x?y=1", "www.example.com"], ["a.io", "http:/x", "ann@example.com"]),
    "domain_name": (["example.com", "a.b.co.uk"], ["report.pdf", "Mr.Smith", "1.2.3", "v1.2"]),
    "uuid": (
        ["3F5AE95E-B87D-4AED-95B4-C379ABCD1234"],
        ["3F5AE95E-B87D-4AED-95B4", "ZF5AE95E-B87D-4AED-95B4-C379ABCD1234"],
    ),
    "md5": (
        ["9e107d9d372bb6826bd81d3542a419d6"],
        ["9e107d9d372bb6826bd81d3542a419d", "1" * 32, "12345678901234567890123456789012"],
    ),
    "sha1": (["2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"], ["0" * 40, "9e107d9d372bb6826bd81d3542a419d6"]),
    "hex_string": (["CC57FE54011E"], ["E07000008", "12345678", "DEADLOCK"]),
    "hex_color": (["#E3C1B2", "#fff"], ["#12", "E3C1B2", "#GGGGGG"]),
    "file_path": (["/var/log/a.log", r"C:\x\y.txt"], ["and/or", "http://a.io/x", "//"]),
    "file_name": (["a.pdf"], ["a.b", "example.com", "https://a.io/x.jpg"]),
    "mime_type": (["image/png"], ["img/png", "image"]),
    "version": (["1.2.3", "v10.0.1-rc1"], ["1.2", "10.0.0.1", "31.12.1999"]),
    "cve_id": (["CVE-2021-44228"], ["CVE-21-1", "CWE-79"]),
    "json": (['{"a": 1}', "[1]"], ["{a}", "1", "[1"]),
    "xml": (["<a>1</a>"], ["<3 you", "a<b"]),
    "date": (
        ["2024-02-29", "31/12/99", "3 March 2024", "01-Jan"],
        ["2023-02-29", "31/13/1999", "2024", "1.2.3.4", "12-34-56-78"],
    ),
    "datetime": (
        ["2024-01-31T10:00:00Z", "25-APR-16 11.40.46.423828 AM"],
        ["2024-01-31", "10:00:00", "2024-13-01 10:00"],
    ),
    "time": (["15:00", "9:15 PM"], ["25:00", "4:25", "12:60", "3:1"]),
    "month": (["Oct", "Février"], ["Octopus", "13"]),
    "weekday": (["Mon", "Miércoles"], ["Money", "7"]),
    "year": (["1987", "c.1787"], ["0987", "2101", "198"]),
    "year_range": (["1992-93", "1854–1923"], ["1992-91", "12-13", "1992-01"]),
    "duration": (["36 months", "PT15M"], ["P", "months", "36"]),
    "currency_code": (["EUR"], ["EUX", "eur", "EU"]),
    "money": (["$1,250.00", "12.50 USD"], ["1250", "12.50 KGS1", "USD", "5 CFM"]),
    "percentage": (["25%", "-0.2 %"], ["25", "%", "25%%"]),
    "iban": (["GB82 WEST 1234 5698 7654 32"], ["GB83 WEST 1234 5698 7654 32", "XX82WEST12345698765432"]),
    "card_number": (
        ["4111 1111 1111 1111", "3782-822463-10005"],
        ["4111 1111 1111 1112", "2024010112345674", "1987", "0000000000000000"],
    ),
    "vat_number": (["DE136695976"], ["DE136695977"]),
    "isbn": (["978-1-61779-766-8", "0-306-40615-2"], ["978-1-61779-766-9", "0-306-40615-3"]),
    "company_name": (
        ["Trikes, Inc.", "Transportes KMAG S.A.", "Gomez, Carter and Johnson"],
        ["Trikes", "O=Trikes Inc", "AB", "The company was sold."],
    ),
    "bic": (["DEUTDEFF"], ["DISCOUNT", "DEUTXXFF"]),
    "language_name": (["Limburgan", "Mandarin"], ["Klingon"]),
    "barcode": (["4006381333931"], ["4006381333932", "00000000"]),
    "locale": (["en_US", "pt-BR"], ["en_XX", "us_EN"]),
    "number_range": (["500-999", "< 200"], ["a-b", "500"]),
    "measurement": (["165 x 140 mm", "5' 6\""], ["165", "mm", "12 apples"]),
}


def column(values: list, kind: pa.DataType | None = None) -> ColumnState:
    return fold(pa.table({"c": pa.array(values, kind)})).columns["c"]


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_every_known_domain_is_described_and_recognised(name: str) -> None:
    domain = KNOWN[name]
    assert domain.title
    assert len(domain.examples) >= 2
    assert domain.pattern is not None or domain.check is not None
    assert 0 < domain.chance < domain.hit < 1
    wrong = [e for e in domain.examples if not domain.validate(e)]
    if name != "age_band":
        assert not wrong
    hint = domain.names.split("|")[0].replace(" ?", "_").replace(" ", "_") if domain.needs_name else "c"
    found = propose_tags(column([*domain.examples] * 3, pa.string()), hint)
    assert found, name
    assert found[0].domain == name, (name, [(p.domain, p.score) for p in found], found[0].evidence)
    assert found[0].sensitive == domain.sensitive


@pytest.mark.parametrize("name", sorted(VALUES))
def test_true_values_validate_and_near_misses_do_not(name: str) -> None:
    good, bad = VALUES[name]
    assert [v for v in good if not KNOWN[name].validate(v)] == []
    assert [v for v in bad if KNOWN[name].validate(v)] == []


def test_there_are_many_domains_with_unique_titles() -> None:
    assert len(KNOWN) >= 60
    assert len({d.title for d in KNOWN.values()}) == len(KNOWN)
    assert not set(GENERIC) & set(KNOWN)
    assert {"email", "phone", "iban", "card_number", "person_name"} <= sensitive_domains()


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
        ("pwd_hash", [f"$2b$12$KIXQ4e8vVnS7Zk0p9d3bU{i}" for i in range(9)], "password"),
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
