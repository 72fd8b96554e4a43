"""The word lists of the known domains.

``python -m benchmarks.shipped.wordlists`` writes ``catalog/domains/words/*.txt``.

Names of people, countries, regions, months and the like are read from the locale modules of Faker (MIT licence), as
data: nothing is generated. Names of towns and regions come also from the geocoding tables of phonenumbers (Apache-2.0),
time zones and aliases of languages from Python's standard library (PSF licence). Each file says in its first lines what
it is and where it comes from. The product reads these files and needs neither Faker nor the tables.

The names that the demo's shop draws from are written too (`catalog/demo/names.txt`).
"""

from __future__ import annotations

import importlib
import importlib.util
import locale
import pkgutil
import re
import sys
import zoneinfo
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from faker import Faker
from faker import providers as faker_providers

from catalog.domains.lexicon import fold, vocabulary


def _locales(provider: str) -> Iterator[Any]:
    """The provider classes of all locales of one Faker provider."""
    package = importlib.import_module(f"{faker_providers.__name__}.{provider}")
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        if found.ispkg:
            yield importlib.import_module(f"{package.__name__}.{found.name}").Provider


def _words(provider: type, attribute: str) -> Iterator[str]:
    """The strings of a class attribute: tuple, list, dictionary (keys) or pairs."""
    found = getattr(provider, attribute, ())
    for item in found:
        yield from (part for part in (item if isinstance(item, tuple) else (item,)) if isinstance(part, str))


def _folded(items: Iterable[str], shortest: int = 2) -> frozenset[str]:
    return frozenset(key for key in map(fold, items) if len(key) >= shortest and not key.isdigit())


@cache
def first_names() -> frozenset[str]:
    """Given names of some 80 locales."""
    return _people("first")


@cache
def last_names() -> frozenset[str]:
    """Family names of some 80 locales."""
    return _people("last")


def _people(which: str) -> frozenset[str]:
    names: set[str] = set()
    for provider in _locales("person"):
        for attribute in dir(provider):
            if which not in attribute or "name" not in attribute or attribute.startswith("_"):
                continue
            if isinstance(getattr(provider, attribute), tuple | list | dict):
                names.update(_words(provider, attribute))
    return _folded(names)


@cache
def country_names() -> frozenset[str]:
    """Names of countries in the languages that have a locale, with the short forms people write."""
    names: set[str] = set(_everyday_countries())
    for provider in _locales("address"):
        names.update(_words(provider, "countries"))
    names.update(country.name for country in _countries())
    # "Korea, Republic of", "Micronesia (Federated States of)" are also written without what follows.
    names.update(re.split(r"[,(]", name)[0].strip() for name in sorted(names) if len(name) > 8)
    return _folded(names, 3)


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
    return _folded({c.continent for c in _countries()} | set(more))


@cache
def us_state_codes() -> frozenset[str]:
    address = importlib.import_module("faker.providers.address.en_US").Provider
    return frozenset(address.states_abbr) | frozenset(address.territories_abbr) | {"DC", "PR"}


@cache
def us_state_names() -> frozenset[str]:
    address = importlib.import_module("faker.providers.address.en_US").Provider
    return _folded(set(address.states) | {"District of Columbia", "Puerto Rico"})


@cache
def area_codes() -> frozenset[str]:
    """Short codes of states, provinces and regions of several countries, upper case."""
    found = set(us_state_codes())
    for provider in _locales("address"):
        for attribute in ("states_abbr", "provinces_abbr", "union_territories_abbr"):
            found.update(code for code in _words(provider, attribute) if code.isascii() and code.isupper())
        found.update(code for code in _words(provider, "estados") if len(code) == 2 and code.isupper())
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
    for provider in _locales("address"):
        for attribute in attributes:
            names.update(_words(provider, attribute))
    for name in _geocoded():
        tail = re.split(r", | - ", name)[1:]
        names.update(part for part in tail if len(part) > 4 and not part.isupper())
    return _folded(names | set(us_state_names()), 4)


@cache
def cities() -> frozenset[str]:
    """Names of some 40,000 towns."""
    names = {re.split(r", | - |/", name)[0] for name in _geocoded()}
    for provider in _locales("address"):
        for attribute in (
            "cities",
            "city_names",
            "real_city_names",
            "municipalities",
            "localities",
            "metropolitan_cities",
        ):
            names.update(_words(provider, attribute))
    names.update(zone.rsplit("/", 1)[-1].replace("_", " ") for zone in timezones() if "/" in zone)
    names.update(country.capital for country in _countries())
    names.update(
        ("New York City", "Washington, D.C.", "Washington", "Bangalore", "Bengaluru", "Bombay", "Mumbai", "Calcutta")
    )
    return _folded(names, 3) - country_names() | {
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


@cache
def currency_codes() -> frozenset[str]:
    """ISO 4217 codes, with those the euro and other reforms replaced, which old data are full of."""
    provider = importlib.import_module("faker.providers.currency").Provider
    old = (
        "ATS BEF DEM ESP FIM FRF GRD IEP ITL LUF NLG PTE SIT MTL CYP SKK EEK LVL LTL AFA TRL ROL RUR PLZ MXP "
        "BGL YUM GHC MZM "
    )
    old += (
        "SDD VEB VEF AZM BYR ZMK TMM HRK MGF SRG XEU ADP CSD ZWD CLF CHF COU USN UYI CHE CHW MXV BOV ZWL SLE "
        "SLL STD MRO"
    )
    return frozenset(code for code, _ in provider.currencies) | set(old.split())


@cache
def language_codes() -> frozenset[str]:
    """ISO 639-1 codes and the three-letter codes of the larger languages, lower case."""
    base = importlib.import_module("faker.providers").BaseProvider
    three = (
        "eng fre fra ger deu spa ita por dut nld rus jpn chi zho kor ara heb hin swe nor dan fin pol cze ces "
        "slk slo hun rum ron "
    )
    three += (
        "bul gre ell tur ukr cat eus baq hrv srp slv est lav lit gle wel cym ice isl alb sqi arm hye geo kat "
        "per fas urd ben tam "
    )
    three += "tel mar tha vie ind may msa fil tgl swa afr lat mul und nob nno mal kan guj pan epo yid"
    aliases = {key.split("_")[0] for key in locale.locale_alias if re.fullmatch(r"[a-z]{2}_[a-z]{2}", key)}
    return frozenset(base.language_locale_codes) | aliases | set(three.split())


@cache
def language_names() -> frozenset[str]:
    """English names of the languages of ISO 639-1 and what people also call them."""
    names = set(importlib.import_module("faker.providers.person").Provider.language_names)
    return _folded(
        names | {"Mandarin", "Cantonese", "Farsi", "Filipino", "Flemish", "Castilian", "Brazilian Portuguese"}
    )


@cache
def month_names() -> frozenset[str]:
    """Full and short names of the months in the languages that have a locale."""
    return _calendar("MONTH_NAMES")


@cache
def weekday_names() -> frozenset[str]:
    """Full and short names of the days of the week in the languages that have a locale."""
    return _calendar("DAY_NAMES")


def _calendar(attribute: str) -> frozenset[str]:
    names: set[str] = set()
    english = {
        "MONTH_NAMES": "January February March April May June July August September October November December sept"
    }
    english["DAY_NAMES"] = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday tues thur thurs"
    for name in english[attribute].split():
        names.update((name, name[:3]))
    for provider in _locales("date_time"):
        for name in getattr(provider, attribute, {}).values():
            names.update((name, name[:3]) if name.isascii() or name[:1].isalpha() else (name,))
    return _folded(names)


@cache
def street_prefixes() -> frozenset[str]:
    """Words with which a street's name begins in languages that put the kind of street first."""
    plain = vocabulary(
        "rue avenue boulevard chemin impasse quai via viale piazza corso vicolo strada largo calle avenida plaza paseo "
        "camino carrera cuesta ronda rua travessa praca alameda ulica ul aleja ulice sokak ул пр бул алл ш пер наб пл"
    )
    words = {word.strip(". ") for provider in _locales("address") for word in _words(provider, "street_prefixes")}
    return _folded(word for word in plain | words if " " not in word)


@cache
def street_words() -> frozenset[str]:
    """Words that name a kind of street, in several languages, and their abbreviations."""
    names = set(
        vocabulary(
            "st ave av rd dr ln blvd ct pl sq hwy pkwy cir ter way str route rte broadway circle floor suite unit apt"
        )
    )
    for provider in _locales("address"):
        for attribute in ("street_suffixes", "street_prefixes", "street_suffixes_long", "street_suffixes_short"):
            names.update(word.strip(". ") for word in _words(provider, attribute) if word.isascii())
    return _folded(names)


FAKER = "the locale modules of Faker, MIT licence"
TOWNS = "the locale modules of Faker, MIT licence, and the geocoding tables of phonenumbers, Apache-2.0"
PYTHON = "the standard library of Python, PSF licence"

#: file: (list, what it is, where it comes from)
LISTS: dict[str, tuple[Callable[[], frozenset[str]], str, str]] = {
    "first_names": (first_names, "Given names of some 80 locales", FAKER),
    "last_names": (last_names, "Family names of some 80 locales", FAKER),
    "country_names": (country_names, "Names of countries in many languages, with the short forms people write", FAKER),
    "country_codes2": (country_codes2, "ISO 3166-1 alpha-2, with UK, EU and XK as found in practice", FAKER),
    "country_codes3": (country_codes3, "ISO 3166-1 alpha-3, and the codes of sport that differ", FAKER),
    "continents": (continents, "Continents", FAKER),
    "us_state_codes": (us_state_codes, "States and territories of the United States", FAKER),
    "us_state_names": (us_state_names, "States and territories of the United States", FAKER),
    "area_codes": (area_codes, "Short codes of states, provinces and regions", FAKER),
    "region_names": (region_names, "States, provinces, counties, departments and regions", TOWNS),
    "cities": (cities, "Towns", TOWNS),
    "timezones": (timezones, "Time zones", PYTHON),
    "currency_codes": (currency_codes, "ISO 4217, with those that reforms replaced", FAKER),
    "language_codes": (language_codes, "ISO 639-1 and three-letter codes of the larger languages", FAKER),
    "language_names": (language_names, "English names of languages", FAKER),
    "month_names": (month_names, "Full and short names of the months in many languages", FAKER),
    "weekday_names": (weekday_names, "Full and short names of the days of the week in many languages", FAKER),
    "street_prefixes": (street_prefixes, "Words with which a street's name begins where the kind comes first", FAKER),
    "street_words": (street_words, "Words that name a kind of street, and their abbreviations", FAKER),
}


def demo_names() -> dict[str, list[str]]:
    """First names, last names, streets and companies of the demo's shop."""
    fake = Faker("de_DE")
    fake.seed_instance(7)
    kinds = (("first", fake.first_name, 300), ("last", fake.last_name, 500), ("streets", fake.street_name, 300))
    found = {name: sorted({draw() for _ in range(count)}) for name, draw, count in kinds}
    return found | {"companies": sorted({fake.company() for _ in range(260)})}


def main() -> None:
    catalog = Path(__file__).resolve().parents[2] / "catalog"
    folder = catalog / "domains" / "words"
    folder.mkdir(exist_ok=True)
    for name, (words, what, source) in LISTS.items():
        lines = [f"# {what}.", f"# From {source}. Written by benchmarks/shipped/wordlists.py.", *sorted(words())]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{name}: {len(lines) - 2}")
    lines = [f"# Drawn from {FAKER}. Written by benchmarks/shipped/wordlists.py."]
    for name, drawn in demo_names().items():
        lines += [f"[{name}]", *drawn]
    (catalog / "demo" / "names.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
