"""Validators of places."""

from __future__ import annotations

import re

from catalog.domains.lexicon import fold, words


def _is_city(text: str) -> bool:
    key = fold(re.sub(r"\[\d+\]$", "", text))
    if key in words("cities") or _HAN_CITY.fullmatch(text):
        return True
    head, comma, tail = key.partition(",")
    tail = tail.strip()
    if not comma or not tail:
        return False
    known = head in words("cities") or len(head.split()) <= 4
    return known and (
        tail in words("country_names") or tail.upper() in words("area_codes") or tail in words("region_names")
    )


_HAN_CITY = re.compile(r"[\u4e00-\u9fff]{2,6}[市縣县鎮镇區区町村]")
SOME = 0.15  # share of known places among what a column with a fitting name holds; chosen: no list is whole
_PROPER = re.compile(r"[^\W\d_][^\W\d_.'’]*(?:[ '’.-]+[^\W\d_][^\W\d_.'’]*){0,4}(?: ?\([^()\d]+\)|\.)?")


def _some_cities(values: set[str]) -> bool:
    """Written like places is not enough: some have to be known."""
    return sum(map(_is_city, values)) >= SOME * len(values)


def _some_regions(values: set[str]) -> bool:
    return sum(map(_is_region, values)) >= SOME * len(values)


def _loose_place(text: str) -> bool:
    """Written like a name: capitals, or a script without them; trusted only where the column's name says so."""
    return 3 <= len(text) <= 60 and not text[0].islower() and not text.isupper() and bool(_PROPER.fullmatch(text))


#: Towns are numbered where a large one was divided, and stand behind their postcode: Avé 1, 9130 Kieldrecht.
_MARKS = re.compile(r"(?:(?:[A-Z]{1,3}-)?\d{3,6} )?[^\W\d_][^\d@=<>{}|;:_]{1,59}(?: \d{1,2})?")


def _any_place(text: str) -> bool:
    """Words in any script, no abbreviation, with a number of a town before or behind; trusted only where the name
    leaves no doubt."""
    return bool(_MARKS.fullmatch(text)) and not (text.isascii() and text.isupper() and len(text) <= 4)


_PLACE_TAIL = re.compile(
    r"\w{1,6}(?:県|府|都|道|省|州|自治区)|[A-Z].{2,40} (?:County|Province|Region|Prefecture|Oblast|Parish|Canton|Shire)"
)
_QUARTER = re.compile(
    r"(?:(?:the )?(?:north|south|east|west|northern|southern|eastern|western|central|mid|"
    r"middle)[ -]?){1,3}(?:[a-z]{4,12})?"
)


def _is_region(text: str) -> bool:
    key = fold(text)
    return (
        key in words("region_names")
        or bool(_PLACE_TAIL.fullmatch(text))
        or key.endswith("shire")
        or bool(_QUARTER.fullmatch(key))
    )


def _is_us_state(text: str) -> bool:
    return fold(text) in words("us_state_names") or (len(text) == 2 and text.upper() in words("us_state_codes"))


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


def _is_area_code(text: str) -> bool:
    return len(text) > 3 or text in words("area_codes")


def _loose_area_code(text: str) -> bool:
    return bool(re.fullmatch(r"[A-Z]{1,3}|\d{1,9}|[A-Z]{1,3}-?\d{1,8}", text))


def _is_timezone(text: str) -> bool:
    return text in words("timezones") and ("/" in text or text == "UTC")


VALIDATORS = {
    "city": _is_city,
    "region": _is_region,
    "loose_place": _loose_place,
    "any_place": _any_place,
    "some_cities": _some_cities,
    "some_regions": _some_regions,
    "us_state": _is_us_state,
    "area_code": _is_area_code,
    "loose_area_code": _loose_area_code,
    "latitude": _between(-90, 90, 2),
    "longitude": _between(-180, 180, 2),
    "point": _is_point,
    "timezone": _is_timezone,
}
