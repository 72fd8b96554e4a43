"""Whose data a column holds: a person's, or those of an organisation, a place or a machine.

A telephone number is personal where it is a customer's, and is not where it is a restaurant's: nothing in the number
says so. The evidence is the column's name, the table's, the columns beside it with what they were tagged as, and, for
mailboxes, whether they are named after a function. Each piece has a weight in log odds that a person is meant; what
nothing speaks of follows the default that a steward sets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, lru_cache

from catalog.domains.domain import Domain, named_regex, words
from catalog.domains.headers import INSTITUTION, PARTY, STOP, plain
from catalog.domains.headers import PERSON as NATURAL
from catalog.domains.known import words_for
from catalog.domains.load import Validator
from catalog.domains.names.asked import indicated, meant, of_one, trait
from catalog.domains.names.codebooks import in_words
from catalog.domains.names.meaning import english
from catalog.domains.names.seams import explained
from catalog.domains.names.told import acting, counts_persons, names_somebody, of_persons, role, said
from catalog.domains.written import FUNCTION, PRIVATE

# Chosen: the name of the column outweighs its table's, which outweighs a neighbour; three neighbours outweigh a table.
OWN, TABLE, NEIGHBOUR, DEFAULT = 3.0, 2.0, 0.75, 1.0
MOST_NEIGHBOURS = 3.0  # bound of the log odds that the columns beside it come to

_TELLING = re.compile(r"^(?!(?:col|column|field|c|f|x|v|var|attr)\b).*[a-z]{2}")
_PERSON, _OTHER = (named_regex(said(one), before=True) or _TELLING for one in ("persons", "things"))


def _words(what: str) -> re.Pattern[str]:
    """What finds the words of a list, with their accents or without."""
    return re.compile(rf"\b(?:{said(what)}|{plain(said(what))})\b")


_PATIENT, _CONTACT, _MEASURED, NO_PEOPLE = map(_words, ("patients", "contacts", "measured", "beings"))
_MACHINES = _words("machines")
OF_A_NAME = Validator("people.whole_handle")
_GROUPS, _RATED, _SEATS, _VOTERS = map(_words, ("groups", "rated", "seats", "voters"))
_TABULATED, _NAMING, _ORDERS = (re.compile(said(one)) for one in ("tabulated", "naming", "orders"))

#: What leads to a person only together with something else.
LINKED = frozenset(
    "ipv4 ipv6 mac_address postcode latitude longitude geo_point plus_code imei "
    "house_number blood_group marital_status religion ethnicity salary health_condition political_opinion "
    "test_result".split()
)
#: What a provider can lead to its owner, even where it stands alone.
_OWNED = frozenset("ipv4 ipv6 mac_address imei".split())
_FROM = re.compile(r"\b(?:source|src|orig(?:in)?|client|remote)\b")
#: What tells of places alone.
_PLACES = frozenset(
    "latitude longitude geo_point plus_code postcode city region admin_area_code us_state_code us_state_name "
    "country_name country_code2 country_code3 continent timezone".split()
)
#: What tells of a time, and what of an amount: where nothing else stands beside places and times, rows are those.
_PERIODS = frozenset("year date datetime month quarter year_month year_range weekday season time".split())
_NUMBERS = frozenset("integer decimal money percentage number_range ratio_score measurement".split())
#: What reaches somebody by itself: whose it is, the place and the postcode beside it are, too.
REACHING = frozenset("street_address email phone".split())
#: Where somebody is found, which is an office's where all rows share it.
SHARED = REACHING | {"latitude", "longitude", "geo_point"}
#: What is asked of each person in the plainest words.
EACH = re.compile(r"age(?: \w+)?|sex|gender|height|weight")
#: Devices and programs speak of whoever uses them where they name a column; a table is of what its last word says:
#: models that run in browsers, sales of mobile phones.
_DEVICES = re.compile(r"\b(?:browser|mobile|cell) (?=\w)")
LEAST_ASKED = 3  # chosen: columns that ask of each person, from which the name of a table tells nothing against it
#: Weight of standing in a table of that many columns none of which speaks of a person, or of no other column. Chosen.
ALONE, LEAST_BESIDE = 1.5, 3
#: Weight of a table called by a word for persons that no list of ours has, as of two neighbours: in other languages the
#: same word may mean another thing (maestro). Chosen.
LIKELY = 1.5

#: What is listed one a row where rows are no persons: shops, schools, occupations.
_THING = re.compile(
    rf"(?:{said('things')}|occupations?|professions?|majors?|job ?titles?|industr(?:y|ies)|positions?|state|province|"
    r"districts?)(?: ?(?:names?|ids?|codes?|no))?"
)
#: The tags that the column has which says what each row is, where a row is a person.
NAMES = frozenset("first_name last_name person_name username".split())
_ID = re.compile(r"\b(?:id|uid|guid|key|identifier|no|nr|num|number|code|sk|pk)$")
_NAMED = re.compile(
    r"(?<!\w)(?:names?|nm|title|nom|nombre|nome|naam|namn|navn|nimi|nazwa|název|naziv|название|名称|名稱|명칭)$"
)
#: What asks of each row whether it is a firm: others are persons.
_BOTH = re.compile(r"is (?:an? )?(?:company|organi[sz]ation|business|firm|corporate)(?: flag)?")

#: Names and births that are not people's where a column of the table, or its name, says that its rows are animals,
#: ships or storms.
BEINGS = frozenset("first_name last_name person_name birth_date birth_year age".split())
AGES = frozenset({"age", "age_band"})  # as telling as a birth where the row names somebody, and of nobody elsewhere

#: What a neighbour's tag says of a row: it is a person, or something else.
OF_PERSONS = frozenset(
    "first_name last_name person_name birth_date gender national_id username marital_status blood_group salutation "
    "age_band religion ethnicity job_title user_agent passport_number driving_licence medical_record nhs_number "
    "card_number password".split()
)
OF_OTHERS = frozenset(
    "company_name vat_number cnpj siren siret lei port port_proto http_method airport_iata airport_icao domain_name "
    "hostname isbn barcode company_number gstin abn bic "
    "issn imo_number isin stock_ticker routing_number".split()
)
FUNCTIONS = (
    0.5  # chosen: share of mailboxes named after a function, or a person, from which they are an office's or his
)


@dataclass(frozen=True)
class Around:
    """Where a column stands: its table's name, the columns beside it, the tags of those that have one, those of which
    most rows have a value of their own, the two values of each that has no others, that of each that has one, and the
    days of each that holds some, in order."""

    table: str = ""
    columns: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    pairs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    single: Mapping[str, str] = field(default_factory=dict)
    days: Mapping[str, tuple[date, ...]] = field(default_factory=dict)

    @cached_property
    def ill(self) -> frozenset[str]:
        """The columns that are called by illnesses; kept, since a wide table asks often."""
        asking = (one for one in self.columns if one not in self.own)
        return frozenset(one for one in asking if meant(self.called(one)) == "health_condition")

    @cached_property
    def explained(self) -> Mapping[str, str]:
        """What columns are called in words whose names the others explain; kept, since a wide table asks often."""
        return explained(self.columns)

    @cached_property
    def english(self) -> bool:
        """Whether most columns are called in common words of English; kept as the others are."""
        return sum(map(english, self.columns)) > len(self.columns) / 2

    def called(self, name: str) -> str:
        """What a column is called in words where the others explain its name; its name otherwise."""
        return self.explained.get(name, name)


@dataclass(frozen=True)
class Whose:
    """`odds` are log odds that a person is meant; `reasons` the pieces ``(what, weight)`` they are made of."""

    odds: float
    reasons: tuple[tuple[str, float], ...]

    @property
    def person(self) -> bool:
        return self.odds > 0


def whose(
    domain: Domain, name: str, texts: Sequence[str], around: Around, *, default: str = "person", shared: bool = False
) -> Whose:
    """Whose data the values of one domain are.

    >>> from catalog.domains.known import KNOWN
    >>> phone = KNOWN["phone"]
    >>> whose(phone, "phone", [], Around("restaurants", ("cuisine", "opening_hours"))).person
    False
    >>> whose(phone, "customer_phone", [], Around("orders", ("amount",))).person, whose(phone, "c", [], Around()).person
    (True, True)
    >>> firms = Around("customers", ("firm", "contact_name"), {"firm": "company_name", "contact_name": "person_name"})
    >>> whose(phone, "phone", [], firms).person, whose(phone, "contact_phone", [], firms).person
    (False, True)
    """
    found = [("default", DEFAULT if default == "person" else -DEFAULT)]
    named = around.called(name)
    if domain.name in ("ipv4", "ipv6") and "username" in around.tags.values():
        named = _FROM.sub(" ", words(named))  # where whoever logs in comes from
    if sign := speaks_of(words(named)):
        found.append((f"name {name}", sign * OWN))
    of_table = speaks_of(_DEVICES.sub(" ", words(around.table)))
    likely = not of_table and counts_persons(words(around.table))
    firms = _firms(name, around) if of_table > 0 and not of_persons(words(around.table)) else ""
    if firms:
        found.append((f"rows of {around.table} are firms, by {firms}", -NEIGHBOUR))
    elif of_table > 0 or (of_table < 0 and not _asked_of_each(name, around)):
        found.append((f"table {around.table}", of_table * TABLE))
    elif likely:
        found.append((f"table {around.table}, a word for persons", LIKELY))
    firm = _of_firms(around)
    contact = bool(_CONTACT.search(words(name)))  # of a firm's contact its other columns of contacts tell, no others
    beside = [
        (other, _beside(around.called(other), around.tags.get(other), shares=_shares(other, around)))
        for other in around.columns
        if other != name
        and not (firm and contact != bool(_CONTACT.search(words(other))))
        # of a pharmacy by its owner, who stands under "property"
        and not (of_table < 0 and around.tags.get(other) == "person_name" and not names_somebody(words(other)))
    ]
    total = sum({_apart(other, around): sign for other, sign in beside}.values()) * NEIGHBOUR
    if total:
        told = [other for other, sign in beside if sign * total > 0][:3]
        found.append((f"next to {', '.join(told)}", max(-MOST_NEIGHBOURS, min(MOST_NEIGHBOURS, total))))
    if total > 0 and not speaks_of(words(named)) and (of_one(named) or indicated(named)):
        found.append((f"{name} is asked of people, too", NEIGHBOUR))
    if total > 0 and name in in_words(around.columns):
        found.append(("columns are called as in a codebook", NEIGHBOUR))
    if firm and not contact:
        found.append((f"rows are firms, by {firm}, that name a contact", -OWN))
    elif not firm and (naming := _things(name, around)):
        found.append((f"rows are named by {naming}, not by people's names", -TABLE))
    if both := next((one for one in around.columns if _BOTH.fullmatch(words(one))), ""):
        found.append((f"rows are persons or firms, by {both}", TABLE))
    if domain.name in LINKED and (counted := _counted(name, around)):
        found.append((f"rows are groups of people, by {counted}", -OWN - MOST_NEIGHBOURS))
    if domain.name == "political_opinion" and (seat := _seated(name, around)):
        found.append((f"rows are of those who stand for election, by {seat}", -OWN - TABLE))
    if domain.name in LINKED and of_table <= 0 and not likely:
        if order := next((other for other, _ in beside if _ORDERS.fullmatch(words(other))), ""):
            found.append((f"{order} leads to whoever had it sent", NEIGHBOUR))
        elif _by_itself(domain.name, beside, around):
            found.append(("no column of a person beside", -ALONE))
    if domain.name == "email" and texts:
        share = sum(bool(FUNCTION.fullmatch(text)) for text in texts) / len(texts)
        if share >= FUNCTIONS:
            found.append(("mailboxes of functions", -OWN))
        named_after = sum(OF_A_NAME(text.partition("@")[0].lower()) for text in texts) / len(texts)
        if named_after >= FUNCTIONS:
            found.append(("mailboxes made of people's names", OWN))
        private = sum(bool(PRIVATE.fullmatch(text)) for text in texts) / len(texts)
        if private >= FUNCTIONS and (of_table >= 0 or total > 0):  # a pharmacy may well have its own there
            found.append(("mailboxes of private people's providers", TABLE))
    if domain.name in _OWNED and _MACHINES.search(words(around.table)):
        found.append((f"table {around.table} lists machines", -OWN))
    if shared and domain.name in SHARED:
        found.append(("all rows share it", -OWN - MOST_NEIGHBOURS))
    if domain.name in ("ipv4", "ipv6") and sum("/" in text for text in texts) > 0.5 * len(texts) > 0:
        found.append(("networks, not hosts", -OWN))
    return Whose(sum(weight for _, weight in found), tuple(found))


def _asked_of_each(name: str, around: Around) -> bool:
    """Whether enough columns beside are what each person is asked: rows of a hospital, of stops are then persons."""
    called = ((around.tags.get(one), around.called(one)) for one in around.columns if one != name)
    told = (tag in OF_PERSONS or of_one(one) or bool(EACH.fullmatch(words(one))) for tag, one in called)
    return sum(told) >= LEAST_ASKED


def _of_firms(around: Around) -> str:
    """The column of firms in a table whose people are all the firms' contacts; empty where there is none."""
    named = [words(other) for other, tag in around.tags.items() if tag in NAMES]
    firms = (other for other, tag in around.tags.items() if tag == "company_name")
    return next(firms, "") if named and all(_CONTACT.search(one) for one in named) else ""


def _firms(name: str, around: Around) -> str:
    """The column that names each row and holds firms, in a table of customers or members that names nobody; empty
    where there is none."""
    if any(tag in NAMES for other, tag in around.tags.items() if other != name):
        return ""
    firms = (one for one, tag in around.tags.items() if tag == "company_name" and one in around.own)
    return next((one for one in firms if _NAMING.fullmatch(words(one)) or words_for(PARTY).whole(words(one))), "")


def _things(name: str, around: Around) -> str:
    """The column that names the rows of a table that are no persons; empty where there is none."""
    others = [other for other in around.columns if other != name]
    tags = {one: around.tags.get(one) for one in others}
    people = [one for one in others if tags[one] in NAMES and not acting(words(one))]
    if len(people) == 1:  # a firm's name of each row's own before that of one person, who is asked for there
        before = others[: others.index(people[0])]
        if firm := next((one for one in before if tags[one] == "company_name" and one in around.own), ""):
            return firm
    if not people:
        firms = (one for one in others if tags[one] == "company_name")
        named = (one for one in others if tags[one] not in OF_PERSONS and _NAMING.fullmatch(words(one)))
        listed = (one for one in others[:1] if one in around.own and _THING.fullmatch(words(one)))
        each = (one for one in listed if tags[one] not in _NUMBERS or _ID.search(words(one)))
        return next(firms, "") or next(named, "") or next(each, "")
    if len(people) > 1 or _PERSON.search(words(people[0])) or _NAMED.search(words(people[0])):
        return ""
    # One person in a role beside what the rows are named by, and nothing else of persons: who runs a school or a shop.
    before = others[: others.index(people[0])]
    told = any(tags[one] in OF_PERSONS or speaks_of(words(one)) > 0 for one in others if one != people[0])
    things = (one for one in before if one in around.own and _NAMED.search(words(one)))
    return "" if told else next(things, "")


def _by_itself(domain: str, beside: Sequence[tuple[str, int]], around: Around) -> bool:
    """Whether nothing beside a column leads to a person: enough other columns, or none in a table that is known."""
    if not beside:
        return bool(around.columns) and domain not in _OWNED
    telling = sum(other in around.tags or bool(_TELLING.search(words(other))) for other, _ in beside)
    reached = any(around.tags.get(other) in REACHING for other, _ in beside)
    placed = _keyed([other for other, _ in beside], around)
    return (telling >= LEAST_BESIDE or placed) and not reached and all(sign <= 0 for _, sign in beside)


def _seated(name: str, around: Around) -> str:
    """The column or table that says that rows are of politicians or elections; empty where none does."""
    called = {one: words(one) for one in (*around.columns, around.table) if one != name}
    if any(_VOTERS.search(one) for one in called.values()):
        return ""
    return next((one for one, named in called.items() if _SEATS.search(named)), "")


def _counted(name: str, around: Around) -> str:
    """The column that counts the people of a group: in a table without one of a person, of places over time, or where
    nothing else is any row's own; empty where none does."""
    others = [other for other in around.columns if other != name]
    tags = set(around.tags.values())
    if not NAMES & tags:
        tabulated = [other for other in others if _TABULATED.fullmatch(words(other))]
        if tabulated and not around.own - {*tabulated, name}:
            return tabulated[0]
    counted = [other for other in others if _GROUPS.search(words(other))]
    if not NAMES & tags and _RATED.search(words(around.table)):
        return around.table
    if counted and tags & _PLACES and tags & _PERIODS and not NAMES & tags:
        return counted[0]
    single = any(around.tags.get(one) in OF_PERSONS or trait(words(one)) for one in others if one not in counted)
    return "" if single or not counted else counted[0]


def _keyed(others: Sequence[str], around: Around) -> bool:
    """Whether all other columns are places, or places and times with amounts of them: nobody is in such a table.

    >>> tags = {"county": "region", "year": "year", "jobs": "integer", "worker_id": "integer"}
    >>> around = Around("", tuple(tags), tags)
    >>> _keyed(["county", "year", "jobs"], around), _keyed(["year", "worker_id"], around), _keyed(["jobs"], around)
    (True, False, False)
    """
    tags = {other: around.tags.get(other) for other in others}
    amounts = {other for other, tag in tags.items() if tag in _NUMBERS and not _ID.search(words(other))}
    keys = {other for other, tag in tags.items() if tag in _PLACES | _PERIODS}
    return bool(keys) and keys | amounts == tags.keys()


def beings(domain: Domain, name: str, around: Around) -> str:
    """The column or table that says that the names and births of a table are those of animals, ships or storms; empty
    where none does, or the column speaks of other persons.

    >>> from catalog.domains.known import KNOWN
    >>> first = KNOWN["first_name"]
    >>> beings(first, "name", Around("sightings", ("name", "species"))), beings(first, "owner", Around("dogs"))
    ('species', '')
    """
    others = [one for one in (*around.columns, around.table) if one != name]
    called = re.sub(r"\b(?:first|last|birth\w*|dob|age|full) ?(?:name)?", "", words(name)).strip()
    if domain.name not in BEINGS or _PERSON.search(called) or role(called):
        return ""
    return next((one for one in others if NO_PEOPLE.search(words(one))), "")


@lru_cache(maxsize=1 << 14)
def speaks_of(named: str) -> int:
    """1 where words speak of persons, -1 of something else, 0 of neither or both.

    >>> speaks_of("customer phone"), speaks_of("store phone"), speaks_of("phone"), speaks_of("store manager customer")
    (1, -1, 0, 0)
    """
    person = _PERSON.search(named) or words_for(NATURAL, PARTY).search(named)
    return bool(person) - bool(_OTHER.search(named) or words_for(INSTITUTION, STOP).search(named))


def patients(around: Around) -> str:
    """The column or table that says that rows are of patients: what is measured there is of their health.

    >>> patients(Around("vital_signs", ("patient_id", "value"))), patients(Around("orders", ("customer_id", "value")))
    ('patient_id', '')
    """
    return next((one for one in (*around.columns, around.table) if _PATIENT.search(words(one))), "")


def _apart(name: str, around: Around) -> str:
    """What tells one column from another: of those that no tag is known of, and whose names differ by a number alone
    (site_1 to site_8), the first says it all."""
    tagged = around.tags.get(name) in OF_PERSONS | OF_OTHERS
    return name if tagged else words(around.called(name)).rstrip(" 0123456789") or name


def _shares(name: str, around: Around) -> bool:
    """Whether a column holds decimals of which most rows have their own: shares and means of groups, no answers."""
    measured = _MEASURED.search(words(name))
    return name in around.own and around.tags.get(name) == "decimal" and not measured


@lru_cache(maxsize=1 << 14)
def _beside(name: str, tag: str | None, *, shares: bool = False) -> int:
    named = words(name)
    if tag in NAMES and acting(named):
        return 0
    if tag in OF_PERSONS or (of_one(name) and not shares and not _GROUPS.search(named)):
        return 1
    if tag in OF_OTHERS:
        return -1
    return 0 if _GROUPS.search(named) else speaks_of(named)
