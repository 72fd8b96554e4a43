"""Names and codes of countries, regions and towns, and time zones: see `benchmarks.shipped.wordlists`."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import zoneinfo
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.shipped.locale_data import folded, locales, strings


@cache
def country_names() -> frozenset[str]:
    """Names of countries in the languages that have a locale, with the short forms people write."""
    names: set[str] = set(_everyday_countries())
    for provider in locales("address"):
        names.update(strings(provider, "countries"))
    names.update(country.name for country in _countries())
    # "Korea, Republic of", "Micronesia (Federated States of)" are also written without what follows.
    names.update(re.split(r"[,(]", name)[0].strip() for name in sorted(names) if len(name) > 8)
    return folded(names, 3)


def _everyday_countries() -> list[str]:
    text = (
        "United States of America|USA|U.S.A.|U.S.|UK|U.K.|Great Britain|England|Scotland|Wales|Northern Ireland|Russia|"
    )
    text += (
        "South Korea|North Korea|Iran|Syria|Vietnam|Laos|Bolivia|Venezuela|Tanzania|Moldova|Macedonia|North Macedonia|"
    )
    text += (
        "Czech Republic|Czechia|Ivory Coast|Cape Verde|Swaziland|Eswatini|Burma|Myanmar|Brunei|Taiwan|Palestine|Kosovo|"
    )
    text += (
        "Macau|Macao|Hong Kong|Vatican City|Holland|Congo (Kinshasa)|Congo (Brazzaville)|Soviet Union|USSR|Yugoslavia|"
    )
    text += "Czechoslovakia|East Germany|West Germany|Curacao|Saint Martin|Sint Maarten"
    return text.split("|")


def _countries() -> Any:
    return importlib.import_module("faker.providers.date_time").Provider.countries


@cache
def country_codes2() -> frozenset[str]:
    """ISO 3166-1 alpha-2 codes, upper case, with UK, EU and XK as found in practice."""
    address = importlib.import_module("faker.providers.address").Provider
    return frozenset(address.alpha_2_country_codes) | {c.alpha_2_code for c in _countries()} | _territories2()


def _territories2() -> frozenset[str]:
    """Codes of ISO 3166-1 for territories and dependencies, which country lists leave out."""
    text = (
        "AI AQ AS AW AX BL BM BQ BV CC CK CW CX EH FK FO GF GG GI GL GP GS GU HK HM IM IO JE KY MF MO MP MQ MS "
        "NC NF NU PF PM "
    )
    text += "PN PR PS RE SH SJ SX TC TF TK TW UM VA VG VI WF XK YT UK EU"
    return frozenset(text.split())


@cache
def country_codes3() -> frozenset[str]:
    """ISO 3166-1 alpha-3 codes, and the codes of sport (IOC, FIFA) that differ."""
    address = importlib.import_module("faker.providers.address").Provider
    sport = (
        "ENG SCO WAL NIR GER NED SUI DEN GRE POR CRO SLO BUL LAT RSA ALG NGR ZIM ZAM TAN MAD ANG CHI URU PAR "
        "CRC GUA HON SLV"
    )
    more = "PUR HAI KSA UAE KUW OMA IRI INA MAS PHI VIE MYA NEP TPE MGL LBA SUD TOG GAM GUI MTN NIG CHA BUR BOT LES"
    return (
        frozenset(address.alpha_3_country_codes)
        | {c.alpha_3_code for c in _countries()}
        | set((sport + " " + more).split())
    )


@cache
def continents() -> frozenset[str]:
    more = ("Americas", "America", "Latin America", "Central America", "Australia", "Eurasia", "Oceania", "Antarctica")
    return folded({c.continent for c in _countries()} | set(more))


@cache
def us_state_codes() -> frozenset[str]:
    address = importlib.import_module("faker.providers.address.en_US").Provider
    return frozenset(address.states_abbr) | frozenset(address.territories_abbr) | {"DC", "PR"}


@cache
def us_state_names() -> frozenset[str]:
    address = importlib.import_module("faker.providers.address.en_US").Provider
    return folded(set(address.states) | {"District of Columbia", "Puerto Rico"})


@cache
def area_codes() -> frozenset[str]:
    """Short codes of states, provinces and regions of several countries, upper case."""
    found = set(us_state_codes())
    for provider in locales("address"):
        for attribute in ("states_abbr", "provinces_abbr", "union_territories_abbr"):
            found.update(code for code in strings(provider, attribute) if code.isascii() and code.isupper())
        found.update(code for code in strings(provider, "estados") if len(code) == 2 and code.isupper())
    return frozenset(found)


@cache
def region_names() -> frozenset[str]:
    """States, provinces, counties, departments and regions of many countries."""
    attributes: tuple[str, ...] = (
        "states",
        "provinces",
        "counties",
        "departments",
        "regions",
        "cantons",
        "estados",
        "distritos",
    )
    attributes += ("prefectures", "region_names", "region_oblast", "wilayas", "union_territories")
    names: set[str] = set()
    for provider in locales("address"):
        for attribute in attributes:
            names.update(strings(provider, attribute))
    for name in _geocoded():
        tail = re.split(r", | - ", name)[1:]
        names.update(part for part in tail if len(part) > 4 and not part.isupper())
    return folded(names | set(us_state_names()), 4)


@cache
def cities() -> frozenset[str]:
    """Names of some 40,000 towns."""
    names = {re.split(r", | - |/", name)[0] for name in _geocoded()}
    for provider in locales("address"):
        for attribute in (
            "cities",
            "city_names",
            "real_city_names",
            "municipalities",
            "localities",
            "metropolitan_cities",
        ):
            names.update(strings(provider, attribute))
    names.update(zone.rsplit("/", 1)[-1].replace("_", " ") for zone in timezones() if "/" in zone)
    names.update(country.capital for country in _countries())
    names.update(
        ("New York City", "Washington, D.C.", "Washington", "Bangalore", "Bengaluru", "Bombay", "Mumbai", "Calcutta")
    )
    return folded(names, 3) - country_names() | {
        "singapore",
        "luxembourg",
        "mexico city",
        "panama city",
        "kuwait city",
    }


@cache
def _geocoded() -> frozenset[str]:
    """Place names of the geocoding tables of phonenumbers.

    The tables come in files of 10,000 entries; importing the package would load all 29, a third of which repeat the
    same Chinese prefectures. The files are loaded one by one without being kept, the repetitive ones not at all.
    """
    spec = importlib.util.find_spec("phonenumbers")
    if spec is None or spec.origin is None:
        return frozenset()
    folder = Path(spec.origin).parent / "geodata"
    names: set[str] = set()
    for number in (*range(10), 11, 12, 14, 27, 28):
        module = _module(f"phonenumbers.geodata.data{number}", folder / f"data{number}.py")
        for place in getattr(module, "data", {}).values():
            if "en" in place:
                names.add(sys.intern(place["en"]))
    return frozenset(names)


def _module(name: str, path: Path) -> ModuleType | None:
    """The module in a file, not entered among the imported ones; None when there is no such file."""
    spec = importlib.util.spec_from_file_location(name, path) if path.exists() else None
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def timezones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())
