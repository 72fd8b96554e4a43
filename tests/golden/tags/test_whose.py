"""Whose data a column holds: a person's or an organisation's, by what stands around it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.domains.known import KNOWN
from catalog.domains.names.told import counts_persons
from catalog.states.folding.fold import fold
from catalog.tags.propose import propose_tags
from catalog.tags.table import propose_table
from catalog.tags.whose import Around, whose

PHONE = KNOWN["phone"]
PHONES = [f"+44 1798 3{i:05d}" for i in range(40)]
STREETS = [f"{i + 1} High Street" for i in range(40)]


def sensitive(columns: dict[str, list], table: str, name: str, default: str = "person") -> bool:
    states = fold(pa.table(columns)).columns
    return propose_table(states, table, default=default)[name][0].sensitive


def test_a_restaurants_telephone_is_not_a_guests() -> None:
    cuisine = ["Thai", "Greek", "Pizza", "Sushi"] * 10
    assert not sensitive({"phone": PHONES, "cuisine": cuisine, "opening_hours": cuisine}, "restaurants", "phone")
    assert sensitive({"phone": PHONES, "birth_date": ["1971-03-02"] * 40, "amount": [1.5] * 40}, "guests", "phone")


def test_an_offices_address_is_not_a_customers() -> None:
    assert not sensitive({"address": STREETS, "branch": ["north"] * 40}, "offices", "address")
    assert sensitive({"address": STREETS, "first_name": ["Ann"] * 40}, "customers", "address")


@pytest.mark.parametrize("name", ["street_number", "hausnummer", "husnr", "civico"])
def test_the_number_of_a_house_is_personal_where_people_live(name: str) -> None:
    numbers = [str(1 + 7 * i % 90) for i in range(40)]
    names = ["Linda Harrington", "Michael Gonzalez", "Hannah Schmidt", "Peter Johnson", "Julia Nguyen"] * 8
    assert sensitive({"full_name": names, "street": STREETS, name: numbers}, "members", name)
    assert not sensitive({"branch": names, "street": STREETS, name: numbers}, "shops", name)


def test_what_others_gave_to_a_person_is_theirs_and_not_the_keepers_own_number() -> None:
    names = [f"{first} {last}" for first in ("Linda", "Peter", "Maria", "Anna") for last in ("Schmidt", "Rossi", "Lee")]
    own = [str(40210377 + 7919 * i) for i in range(len(names))]
    table = {"row": list(range(len(names))), "full_name": names, "visa_ref": own, "identification_no": own}
    assert sensitive(table, "applicants", "identification_no")
    assert not sensitive({**table, "applicant_no": own}, "applicants", "applicant_no")


def test_categories_are_no_cats() -> None:
    names = ["Linda Harrington", "Michael Gonzalez", "Hannah Schmidt", "Peter Johnson", "Julia Nguyen"] * 8
    assert sensitive({"full_name": names, "fee_cat": ["A", "B"] * 20, "phone": PHONES}, "applicants", "full_name")
    assert not sensitive({"name": names, "cats": ["tabby", "siamese"] * 20, "weight": [3.5, 4.1] * 20}, "t", "name")


def test_the_columns_beside_speak_by_their_values_too() -> None:
    first = ["Linda", "Michael", "Hannah", "Peter", "Julia", "Andrea", "Thomas", "Maria", "Susan", "Robert"] * 4
    last = ["Harrington", "Gonzalez", "Schmidt", "Johnson", "Nguyen", "Rossi", "Kowalski", "Patel", "Smith", "Lee"] * 4
    assert sensitive({"c1": PHONES, "c2": first, "c3": last}, "t", "c1", default="organisation")


@pytest.mark.parametrize(("default", "said"), [("person", True), ("organisation", False)])
def test_where_nothing_tells_the_default_decides(default: str, said: bool) -> None:
    assert sensitive({"c1": PHONES, "c2": [1] * 40}, "t", "c1", default=default) is said


def test_the_reasons_are_told() -> None:
    (state,) = fold(pa.table({"phone": PHONES})).columns.values()
    evidence = propose_tags(state, "phone", around=Around("stores", ("phone", "store_id")))[0].evidence
    assert evidence["whose"] == "organisation"
    assert [one["what"] for one in evidence["whose_because"]] == ["default", "table stores", "next to store_id"]


def test_what_is_a_persons_by_nature_needs_no_evidence() -> None:
    cards = ["4111 1111 1111 1111", "5555555555554444", "3782-822463-10005"] * 5
    assert sensitive({"number": cards, "store": ["x"] * 15}, "stores", "number", default="organisation")


def test_mailboxes_of_functions_are_not_personal() -> None:
    mail = [f"{what}@shop{i}.example.com" for i in range(10) for what in ("info", "sales", "contact")]
    assert not sensitive({"email": mail}, "t", "email")
    assert sensitive({"email": [f"ann.lee{i}@example.com" for i in range(30)]}, "t", "email")


def test_a_pharmacy_may_have_its_mailbox_where_private_people_have_theirs() -> None:
    mail = {"mail": [f"farmacia{i}@gmail.com" for i in range(30)]}
    assert not sensitive(mail, "farmacias", "mail")
    assert sensitive(mail, "t", "mail")
    assert sensitive(mail | {"nombre": ["Ana", "Luis", "Marta", "Pedro", "Carmen"] * 6}, "farmacias", "mail")


def test_networks_are_not_hosts() -> None:
    assert not sensitive({"ip_prefix": [f"13.34.{i}.0/24" for i in range(40)]}, "t", "ip_prefix")
    assert sensitive({"ip": [f"13.34.{i}.7" for i in range(40)]}, "t", "ip")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("postcodes", ["V6E3V6", "K1A0B1", "M5V2T6", "H2X1Y4", "T2P1J9"] * 8),
        ("religion", ["Catholic", "Muslim", "Hindu", "Sikh", "Jewish"] * 8),
        ("blood_group", ["A+", "O-", "B+", "AB-", "0+"] * 8),
    ],
)
def test_what_leads_to_a_person_only_beside_something_is_not_personal_alone(name: str, values: list[str]) -> None:
    assert not sensitive({name: values}, "reference", name)
    first = ["Linda", "Michael", "Hannah", "Peter", "Julia", "Andrea", "Thomas", "Maria", "Susan", "Robert"] * 4
    assert sensitive({name: values, "first_name": first}, "reference", name)
    assert sensitive({name: values}, "patients", name)


def test_a_place_beside_an_address_is_whose_the_address_is() -> None:
    other = {"id": range(40), "since": ["2021-03-04"] * 40, "note_type": ["a", "b"] * 20, "weight": [1.5] * 40}
    places = {
        "lat": [f"{52.1 + i / 100:.5f}" for i in range(40)],
        **{name: list(values) for name, values in other.items()},
    }
    assert not sensitive(places, "t", "lat")
    assert sensitive({**places, "line_1": STREETS}, "t", "lat")
    assert not sensitive({**places, "line_1": STREETS}, "branches", "lat")


FIRST = ["Linda", "Michael", "Hannah", "Peter", "Julia", "Andrea", "Thomas", "Maria", "Susan", "Robert"] * 4
YEARS = [1950 + i for i in range(40)]


def test_names_and_births_of_animals_are_not_personal() -> None:
    kept = {"name": FIRST, "species": ["orca", "beluga"] * 20, "birth_year": YEARS, "owner_name": FIRST}
    assert not sensitive(kept, "animals", "name")
    assert not sensitive(kept, "animals", "birth_year")
    assert sensitive(kept, "animals", "owner_name")
    people = {"name": FIRST, "birth_year": YEARS}
    assert sensitive(people, "members", "name")
    assert sensitive(people, "members", "birth_year")


@pytest.mark.parametrize(
    ("name", "values", "domain"),
    [
        (
            "fake_first_name",
            ["jhezane", "grunt", "xaro", "oberyn", "podrick", "tyrek", "olenna", "hodor"],
            "first_name",
        ),
        ("Nachname", ["Brszczyk", "Öffenhauß", "Zwrrtl", "Kvrx", "Ylmarö", "Qxul", "Drgnv", "Ptthk"], "last_name"),
        ("姓", ["王", "李", "张", "刘", "陈", "杨", "赵", "黄"], "last_name"),
        ("nombre_completo", ["Nayeli Xochitl Tlacuilo", "Itzel Quetzalcoatl", "Yatzil Ah Canul"] * 3, "person_name"),
        ("氏名", ["佐藤太郎", "鈴木花子", "高橋一郎", "田中美咲", "伊藤健太", "渡辺陽子"], "person_name"),
        ("Geburtsjahr", [1950 + i for i in range(40)], "birth_year"),
        ("geburtsdatum", [f"19{50 + i}-04-17" for i in range(40)], "birth_date"),
    ],
)
def test_a_name_that_leaves_no_doubt_makes_up_for_lists_of_names(name: str, values: list, domain: str) -> None:
    (state,) = fold(pa.table({name: values * 3})).columns.values()
    best = propose_tags(state, name)[0]
    assert (best.domain, best.sensitive) == (domain, True)


@pytest.mark.parametrize(
    ("name", "values"),
    [("county.name", ["AITKIN", "ANOKA", "BECKER", "CLAY", "SCOTT", "MARTIN", "NORMAN", "TODD", "GRANT", "DOUGLAS"])],
)
def test_names_of_places_are_no_first_names(name: str, values: list[str]) -> None:
    (state,) = fold(pa.table({name: values * 5})).columns.values()
    assert not any(one.sensitive for one in propose_tags(state, name))


def test_a_sure_name_over_other_things_is_not_believed() -> None:
    (state,) = fold(pa.table({"first_name": [f"A-{i}" for i in range(40)]})).columns.values()
    assert not any(one.sensitive for one in propose_tags(state, "first_name"))


def test_rows_that_no_person_names_are_no_persons() -> None:
    """What a table calls its rows by says what they are, in whatever language: firms, places, but not people."""
    firms = [f"Findus {i}" for i in range(40)]
    first = ["Linda", "Michael", "Hannah", "Peter", "Julia", "Andrea", "Thomas", "Maria", "Susan", "Robert"] * 4
    assert not sensitive({"name": firms, "phone": PHONES, "kind": ["a"] * 40}, "t", "phone")
    assert not sensitive({"yritys": firms, "osoite": STREETS}, "t", "osoite")
    assert sensitive({"name": firms, "first_name": first, "phone": PHONES}, "t", "phone")
    titles = ["Mr", "Mrs", "Dr", "Ms"] * 10
    assert sensitive({"title": titles, "phone": PHONES, "n": [1] * 40}, "t", "phone")  # of persons, not of books
    assert not sensitive({"phone": PHONES, "n": [1] * 40}, "beszállítók", "phone")
    assert sensitive({"phone": PHONES, "n": [1] * 40}, "ugyfelek", "phone", default="organisation")


def test_mailboxes_of_private_providers_are_personal() -> None:
    mail = [f"sunny{i}@{where}" for i in range(20) for where in ("gmail.com", "mail.ru", "yahoo.co.uk")]
    assert sensitive({"email": mail}, "t", "email", default="organisation")


FIRST = ["Linda", "Michael", "Hannah", "Peter", "Julia", "Andrea", "Thomas", "Maria", "Susan", "Robert"] * 4
TOWNS = ["Hamburg", "Berlin", "Madrid", "Philadelphia", "Nagoya", "Lisbon", "Warsaw", "Vienna"] * 5


def tags(columns: dict[str, list]) -> dict[str, str]:
    return {name: ones[0].domain for name, ones in propose_table(fold(pa.table(columns)).columns, "t").items() if ones}


def test_the_place_of_a_column_without_a_name_tells_postcodes_and_births() -> None:
    days = [f"{1944 + i * 3 // 2}-0{i % 9 + 1}-1{i % 8}" for i in range(40)]
    people = {"c1": FIRST, "c2": STREETS, "c3": [f"{20095 + i * 317}" for i in range(40)], "c4": TOWNS, "c5": days}
    found = tags(people)
    assert (found["c3"], found["c5"]) == ("postcode", "birth_date")
    typed = tags(people | {"c3": [20095 + i * 317 for i in range(40)]})
    assert typed["c3"] == "postcode"


def test_no_place_makes_amounts_years_or_orders_personal() -> None:
    recent = [f"{2016 + i % 8}-0{i % 9 + 1}-1{i % 8}" for i in range(40)]
    columns = {
        "c1": FIRST,
        "c2": recent,
        "c3": [f"{1975 + i}" for i in range(40)],
        "c4": TOWNS,
        "amount": [20095 + i for i in range(40)],
    }
    found = tags(columns)
    assert found["c2"] == "date"
    assert "postcode" not in (found.get("c3"), found.get("amount"))


def test_firms_that_name_a_contact_are_firms() -> None:
    names = ["Linda Smith", "Peter Schmidt", "Maria Garcia", "Robert Lee"] * 10
    firms = {"company_name": ["Acme Ltd", "Rossi SpA", "Weber GmbH", "Lee & Sons Inc"] * 10, "contact_name": names}
    assert not sensitive(firms | {"phone": PHONES}, "customers", "phone")
    assert sensitive(firms | {"contact_phone": PHONES}, "customers", "contact_phone")


def test_a_gazetteer_of_postcodes_is_nobodys() -> None:
    codes = [f"SW{i % 9 + 1}A {i % 9}AA" for i in range(40)]
    places = {"postcode": codes, "latitude": [f"51.{50000 + i}" for i in range(40)], "city": TOWNS}
    assert not sensitive(places, "codes", "postcode")
    assert sensitive(places | {"first_name": FIRST}, "codes", "postcode")


def test_a_postcode_beside_orders_is_where_somebody_had_them_sent() -> None:
    """Nothing tells whose else it is, so the default decides; of suppliers, of stops the orders tell nothing."""
    codes = [f"SW{i % 9 + 1}A {i % 9}AA" for i in range(40)]
    parcels = {"carrier": ["north", "south"] * 20, "weight_kg": [1.5 + i for i in range(40)], "postcode": codes}
    parcels |= {"country": ["GB", "FR"] * 20, "shipped_on": ["2026-03-04"] * 40}
    assert not sensitive(parcels, "shipments", "postcode")
    for name in ("order_id", "tracking_number", "Bestellnummer", "numero_pedido"):
        sent = {name: [f"SO{10000 + 7 * i}" for i in range(40)], **parcels}
        assert sensitive(sent, "shipments", "postcode"), name
        assert not sensitive(sent, "shipments", "postcode", default="organisation")
        assert not sensitive(sent, "suppliers", "postcode")
    assert not sensitive({"purchase_order_no": [f"PO{i}" for i in range(40)], **parcels}, "shipments", "postcode")


COUNTIES = {"county": "region", "state": "us_state_name", "year": "year", "jobs": "integer"}


@pytest.mark.parametrize(
    "beside", [COUNTIES, {"year": "year", "volume": "decimal"}, {"area": "region", "population": "integer"}]
)
def test_pay_beside_places_and_times_is_nobodys(beside: dict[str, str]) -> None:
    assert not whose(KNOWN["salary"], "income", [], Around("stats", (*beside, "income"), beside)).person


@pytest.mark.parametrize("beside", [{"year": "year", "worker_id": "integer"}, {"year": "year", "sex": "gender"}])
def test_pay_beside_whom_it_is_paid_to_is_personal(beside: dict[str, str]) -> None:
    assert whose(KNOWN["salary"], "income", [], Around("stats", (*beside, "income"), beside)).person


def test_the_population_of_where_somebody_lives_does_not_make_him_a_group() -> None:
    beside = {"population": "integer", "sex": "gender", "region": "region"}
    assert whose(KNOWN["salary"], "income", [], Around("survey", (*beside, "income"), beside)).person


@pytest.mark.parametrize("head", ["manager", "geschäftsführer", "управител"])
def test_who_runs_a_firm_does_not_make_its_telephone_personal(head: str) -> None:
    beside = {"firm": "company_name", head: "person_name"}
    assert not whose(PHONE, "phone", [], Around("register", (*beside, "phone"), beside)).person
    assert whose(PHONE, f"{head}_phone", [], Around("register", (*beside, f"{head}_phone"), beside)).person


@pytest.mark.parametrize("table", ["pharmacies", "pflegeheime", "wholesalers", "farmacias", "apteki"])
def test_the_telephones_of_institutions_are_not_personal(table: str) -> None:
    assert not whose(PHONE, "phone", [], Around(table, ("name", "phone"))).person


def test_whole_numbers_that_were_kept_as_floats_are_read_as_what_they_are() -> None:
    born = [f"{1940 + i}.0" for i in range(40)]
    codes = [f"{86190 + 7 * i}.0" for i in range(40)]
    mere = [f"{3 + i}.0" for i in range(40)]
    columns = {"first_name": FIRST, "birth_year": born, "street": STREETS, "zip": codes, "ratio": mere}
    found = propose_table(fold(pa.table(columns)).columns, "customers")
    assert [found[one][0].domain for one in ("birth_year", "zip", "ratio")] == ["birth_year", "postcode", "decimal"]
    assert found["birth_year"][0].sensitive
    assert found["zip"][0].sensitive


def test_money_under_the_name_of_pay_is_pay_even_in_millions() -> None:
    columns = {"name": [f"{one} Lee" for one in FIRST], "total_pay": [f"${i % 60}.{i % 90 + 10}" for i in range(40)]}
    found = propose_table(fold(pa.table(columns)).columns, "heads")["total_pay"][0]
    assert (found.domain, found.sensitive) == ("salary", True)
    assert (
        propose_table(fold(pa.table({"total_price": columns["total_pay"]})).columns, "carts")["total_price"][0].domain
        == "money"
    )


def test_the_name_of_a_street_leads_to_who_lives_there() -> None:
    streets = ["Jackson", "Washington 6th", "Oak", "Dogwood Park", "Lake", "Smith Hill"] * 6 + ["Elm"] * 4
    columns = {"cust_street_name": streets, "last_name": ["Moses", "Lewis", "Cannon", "Dudley"] * 10}
    found = propose_table(fold(pa.table(columns)).columns, "customers")["cust_street_name"][0]
    assert (found.domain, found.sensitive) == ("street_address", True)


def test_where_a_column_asks_whether_a_row_is_a_firm_others_are_persons() -> None:
    both = Around(
        "partner", ("name", "is_company", "email", "city", "country"), {"city": "city", "is_company": "boolean"}
    )
    assert whose(KNOWN["email"], "email", [], both).person
    firms = Around("partner", ("name", "email", "city", "country"), {"city": "city"})
    assert not whose(KNOWN["email"], "email", [], firms).person


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("invoice_line_id", [f"line_item_{i:09d}" for i in range(40)]),
        ("handle", [f"_0{i}GKQC{i % 7}37C{i}SL9C5B3" for i in range(40)]),
        ("mat", [f"E82{i:02d}745"[:7] for i in range(40)]),
    ],
)
def test_numbers_that_a_program_gave_are_no_names_or_postcodes(name: str, values: list[str]) -> None:
    columns = {name: values, "city": ["Paris", "Lyon", "Nantes", "Lille"] * 10}
    found = propose_table(fold(pa.table(columns)).columns, "rows")[name]
    assert not {"username", "postcode"} & {one.domain for one in found}


def test_what_runs_in_a_browser_is_nobody() -> None:
    """Models that run in browsers, by the memory that they need (a list of releases): their table asked of whom a
    column is. A column that is called so tells of whoever uses it."""
    beside = ("model", "model_id", "context_window_size")
    of_models = whose(KNOWN["health_condition"], "vram_required_MB", (), Around("browser_models", beside))
    assert not any("browser_models" in reason for reason, _ in of_models.reasons)
    sessions = whose(KNOWN["health_condition"], "page_views", (), Around("browser_sessions", ("started",)))
    assert any("browser_sessions" in reason for reason, _ in sessions.reasons)


def test_officials_are_persons_and_what_is_official_is_not() -> None:
    assert all(map(counts_persons, ("officials", "residents", "anglers")))
    assert not any(map(counts_persons, ("official", "current federal")))


def test_a_mere_name_beside_the_other_half_of_names_is_that_half() -> None:
    few = pa.table({"Nom": ["Trump", "Duperray", "Delignon"], "Prénom": ["Donald", "Sacha", "Louis"]})
    tags = propose_table(fold(few).columns, "inscriptions")
    assert {name: found[0].domain for name, found in tags.items()} == {"Nom": "last_name", "Prénom": "first_name"}


def test_offices_mailboxes_are_no_persons() -> None:
    boxes = ["security@one.gov", "domain_security@two.gov", "abuse@three.org", "postmaster@four.org"]
    offices = Around("domains", ("domain", "agency", "email"), {"domain": "domain_name", "agency": "company_name"})
    assert not whose(KNOWN["email"], "email", boxes, offices).person
