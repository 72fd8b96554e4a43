"""Domains of places."""

from __future__ import annotations

import re

from catalog.domains import lexicon
from catalog.domains.domain import Domain
from catalog.domains.lexicon import fold, vocabulary

NUMERIC = frozenset({"string", "number"})


def _is_city(text: str) -> bool:
    key = fold(re.sub(r"\[\d+\]$", "", text))
    if key in lexicon.cities():
        return True
    head, comma, tail = key.partition(",")
    tail = tail.strip()
    if not comma or not tail:
        return False
    known = head in lexicon.cities() or len(head.split()) <= 4
    return known and (
        tail in lexicon.country_names() or tail.upper() in lexicon.area_codes() or tail in lexicon.region_names()
    )


_PLACE_TAIL = re.compile(r"[A-Z].{2,40} (?:County|Province|Region|Prefecture|Oblast|Parish|Canton|Shire)")
_QUARTER = re.compile(
    r"(?:(?:the )?(?:north|south|east|west|northern|southern|eastern|western|central|mid|"
    r"middle)[ -]?){1,3}(?:[a-z]{4,12})?"
)


def _is_region(text: str) -> bool:
    key = fold(text)
    return (
        key in lexicon.region_names()
        or bool(_PLACE_TAIL.fullmatch(text))
        or key.endswith("shire")
        or bool(_QUARTER.fullmatch(key))
    )


def _is_country(text: str) -> bool:
    return fold(text) in lexicon.country_names()


_NATIONALITIES = vocabulary(
    "american british english scottish welsh irish french german italian spanish portuguese dutch belgian "
    "swiss austrian swedish norwegian danish finnish icelandic polish czech slovak hungarian romanian "
    "bulgarian greek turkish russian ukrainian croatian serbian slovenian bosnian albanian estonian "
    "latvian lithuanian canadian mexican brazilian argentine argentinian chilean colombian peruvian "
    "venezuelan uruguayan cuban jamaican australian japanese chinese korean indian pakistani bangladeshi "
    "thai vietnamese filipino indonesian malaysian singaporean israeli iranian iraqi egyptian moroccan "
    "algerian tunisian nigerian ghanaian kenyan ethiopian ivorian senegalese cameroonian lebanese syrian "
    "saudi emirati afghan monegasque nepalese"
)


def _is_us_state(text: str) -> bool:
    return fold(text) in lexicon.us_state_names() or (len(text) == 2 and text.upper() in lexicon.us_state_codes())


def _between(low: float, high: float, decimals: int):  # type: ignore[no-untyped-def]
    def check(text: str) -> bool:
        found = re.fullmatch(r"[+-]?\d{1,3}(?:\.(\d+))?", text)
        return found is not None and len(found[1] or "") >= decimals and low <= float(text) <= high

    return check


# A point in WGS 84 as SQL Server and PostGIS write their binary form in hexadecimal.
_BINARY_POINT = re.compile(r"(?i)(?:0x)?(?:e6100000010[cd]|0101000020e6100000)[0-9a-f]{32,48}")


def _is_point(text: str) -> bool:
    if _BINARY_POINT.fullmatch(text):
        return True
    found = re.fullmatch(r"[(\[]?\s*([+-]?\d{1,3}\.\d{2,})\s*[,; ]\s*([+-]?\d{1,3}\.\d{2,})\s*[)\]]?", text)
    if found:
        one, two = abs(float(found[1])), abs(float(found[2]))
        return min(one, two) <= 90 and max(one, two) <= 180
    degrees = r"\d{1,3}°\s?\d{1,2}['′]\s?(?:\d{1,2}(?:\.\d+)?[\"″]\s?)?"
    return bool(re.fullmatch(rf"(?:POINT ?Z?\s?\([-\d. ]+\)|{degrees}[NS],?\s*{degrees}[EW])", text))


def _upper_in(words):  # type: ignore[no-untyped-def]
    """Membership of codes, all upper or all lower case."""

    def check(text: str) -> bool:
        return (text.isupper() or text.islower()) and text.upper() in words()

    return check


PLACES = (
    Domain(
        "country_name",
        "Country",
        ("Portugal", "United States", "Japan", "Brasil"),
        check=_is_country,
        chance=0.01,
        hit=0.95,
        floor=0.7,
        distinct=2,
        names="country|nation|countries|nationality|country ?name|pays|land",
    ),
    Domain(
        "country_code2",
        "Country code (ISO 3166-1 alpha-2)",
        ("PT", "US", "JP", "BR", "DE", "GB"),
        r"[A-Za-z]{2}",
        check=_upper_in(lexicon.country_codes2),
        chance=0.4,
        hit=0.97,
        floor=0.85,
        distinct=4,
        names="country|iso|nation|country ?code|iso ?2|cc|iso code|country code 2",
        against="state|lang|language|league|team|unit",
    ),
    Domain(
        "country_code3",
        "Country code (three letters)",
        ("PRT", "USA", "JPN", "GER"),
        r"[A-Za-z]{3}",
        check=_upper_in(lexicon.country_codes3),
        chance=0.05,
        hit=0.93,
        floor=0.75,
        distinct=3,
        names="country|iso|nation|country ?code|iso ?3|iso code",
        against="team|airport|currency|month",
    ),
    Domain(
        "us_state_code",
        "US state code",
        ("CA", "TX", "NY", "WA"),
        r"[A-Z]{2}",
        check=_upper_in(lexicon.us_state_codes),
        chance=0.04,
        floor=0.85,
        distinct=3,
        names="state|st|states|province|stateabb|state ?(?:abb|code|abbr)\\w*",
        against="country|league|lg|status|statement",
    ),
    Domain(
        "us_state_name",
        "US state",
        ("California", "Texas", "New York", "Ohio"),
        check=_is_us_state,
        chance=0.05,
        floor=0.8,
        distinct=3,
        names="state|states|province",
        against="country|team",
    ),
    Domain(
        "admin_area_code",
        "Code of a state, province or area",
        ("NSW", "QLD", "AB", "TAS", "ON"),
        r"[A-Z]{2,3}|[EWSNK]\d{8}|[A-Z]{2}-[A-Z0-9]{1,3}|\d{2}[A-Z]{2}\d{2}[A-Z]\d",
        check=lambda text: len(text) > 3 or text in lexicon.area_codes(),
        weak=lambda text: bool(re.fullmatch(r"[A-Z0-9]{2,9}", text)),
        chance=0.25,
        hit=0.9,
        floor=0.7,
        distinct=5,
        names=(
            "gss|gss code|fips|nuts|lsoa|authority code|area code|province|state|subdivision|region code|"
            "lad \\d+ ?cd|iso 3166 ?2"
        ),
        against="league|lg|team|country|airport|currency",
    ),
    Domain(
        "region",
        "State, province or region",
        ("Queensland", "Andalucía", "Cornwall", "Baldwin County"),
        check=_is_region,
        chance=0.05,
        hit=0.8,
        floor=0.55,
        distinct=3,
        names="region|county|province|state|area|district|territory|department",
        against="team|club|city|last|surname",
    ),
    Domain(
        "city",
        "City",
        ("Philadelphia", "Hamburg", "Madrid", "Louisville", "Nagoya"),
        check=_is_city,
        chance=0.08,
        hit=0.82,
        floor=0.5,
        distinct=5,
        names="city|cities|town|place|municipality|metro|birthplace|location|locality|village|place ?name",
        against="team|club|school|franchise|airport|park|last|surname|brand|product|name first|company|station",
    ),
    Domain(
        "continent",
        "Continent",
        ("Europe", "Asia", "Africa"),
        check=lambda text: fold(text) in lexicon.continents(),
        chance=0.005,
        floor=0.9,
        distinct=2,
        names="continent|region",
    ),
    Domain(
        "nationality",
        "Nationality",
        ("French", "Japanese", "Brazilian"),
        check=lambda text: fold(text) in _NATIONALITIES,
        chance=0.04,
        floor=0.8,
        distinct=3,
        names="nationality|citizenship|ethnicity|nation",
        against="language|lang",
    ),
    Domain(
        "latitude",
        "Latitude",
        ("48.85837", "-33.86785", "51.50735"),
        check=_between(-90, 90, 2),
        chance=0.005,
        needs_name=True,
        floor=0.97,
        sensitive=True,
        names="lat|latitude",
        kinds=NUMERIC,
    ),
    Domain(
        "longitude",
        "Longitude",
        ("2.294481", "151.20732", "-0.12776"),
        check=_between(-180, 180, 2),
        chance=0.005,
        needs_name=True,
        floor=0.97,
        sensitive=True,
        names="lon|lng|long|longitude",
        kinds=NUMERIC,
    ),
    Domain(
        "geo_point",
        "Geographic point",
        ("48.85837, 2.29448", "POINT (30 10)", "-33.8678, 151.2073"),
        check=_is_point,
        chance=1e-3,
        sensitive=True,
        names="geo|point|location|coordinates?|lat ?l\\w+",
    ),
    Domain(
        "timezone",
        "Time zone",
        ("Europe/Lisbon", "America/New_York", "Asia/Tokyo"),
        check=lambda text: text in lexicon.timezones() and ("/" in text or text == "UTC"),
        chance=1e-4,
        names="tz|time ?zone|zone",
    ),
    Domain(
        "airport_iata",
        "Airport code (IATA)",
        ("LIS", "JFK", "NRT"),
        r"[A-Z]{3}",
        chance=0.3,
        hit=0.95,
        needs_name=True,
        floor=0.75,
        distinct=3,
        names=(
            "iata|airport|origin airport|dest airport|airport ?code|iata ?code|origin|dest|destination|"
            "departure|arrival"
        ),
    ),
    Domain(
        "airport_icao",
        "Airport code (ICAO)",
        ("LPPT", "KJFK", "RJAA"),
        r"[A-Z]{4}",
        chance=0.3,
        hit=0.95,
        needs_name=True,
        floor=0.75,
        distinct=3,
        names="icao|icao ?code|airport|metar|station",
    ),
)
