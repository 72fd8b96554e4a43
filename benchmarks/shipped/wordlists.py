"""The word lists of the known domains.

``python -m benchmarks.shipped.wordlists`` writes ``catalog/domains/words/*.txt``.

Names of people, countries, regions, months and the like are read from the locale modules of Faker (MIT licence), as
data: nothing is generated. Names of towns and regions come also from the geocoding tables of phonenumbers (Apache-2.0),
time zones and aliases of languages from Python's standard library (PSF licence), words for persons from WordNet (its
licence). Each file says in its first lines what it is and where it comes from. The product reads these files and needs
neither Faker nor the tables.

The names that the demo's shop draws from are written too (`catalog/demo/names.txt`).
"""

from __future__ import annotations

import importlib
import locale
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from faker import Faker

from benchmarks.shipped.locale_data import folded, locales, strings
from benchmarks.shipped.nouns import person_nouns
from benchmarks.shipped.places import (
    area_codes,
    cities,
    continents,
    country_codes2,
    country_codes3,
    country_names,
    region_names,
    timezones,
    us_state_codes,
    us_state_names,
)
from catalog.domains.lexicon import vocabulary


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
    for provider in locales("person"):
        for attribute in dir(provider):
            if which not in attribute or "name" not in attribute or attribute.startswith("_"):
                continue
            if isinstance(getattr(provider, attribute), tuple | list | dict):
                names.update(strings(provider, attribute))
    return folded(names)


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
    return folded(
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
    for provider in locales("date_time"):
        for name in getattr(provider, attribute, {}).values():
            names.update((name, name[:3]) if name.isascii() or name[:1].isalpha() else (name,))
    return folded(names)


@cache
def street_prefixes() -> frozenset[str]:
    """Words with which a street's name begins in languages that put the kind of street first."""
    plain = vocabulary(
        "rue avenue boulevard chemin impasse quai via viale piazza corso vicolo strada largo calle avenida plaza paseo "
        "camino carrera cuesta ronda rua travessa praca alameda ulica ul aleja ulice sokak ул пр бул алл ш пер наб пл"
    )
    words = {word.strip(". ") for provider in locales("address") for word in strings(provider, "street_prefixes")}
    return folded(word for word in plain | words if " " not in word)


@cache
def street_words() -> frozenset[str]:
    """Words that name a kind of street, in several languages, and their abbreviations."""
    names = set(
        vocabulary(
            "st ave av rd dr ln blvd ct pl sq hwy pkwy cir ter way str route rte broadway circle floor suite unit apt"
        )
    )
    for provider in locales("address"):
        for attribute in ("street_suffixes", "street_prefixes", "street_suffixes_long", "street_suffixes_short"):
            names.update(word.strip(". ") for word in strings(provider, attribute) if word.isascii())
    return folded(names)


FAKER = "the locale modules of Faker, MIT licence"
TOWNS = "the locale modules of Faker, MIT licence, and the geocoding tables of phonenumbers, Apache-2.0"
PYTHON = "the standard library of Python, PSF licence"
WORDNET = "WordNet 3.1, Copyright 2011 by Princeton University, WordNet licence"

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
    "person_nouns": (
        person_nouns,
        "English words that mean persons before anything else",
        WORDNET,
    ),
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
