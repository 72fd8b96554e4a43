"""Tables of languages, signs and terms inside releases of packages: what people write with, and how it is named
elsewhere."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from benchmarks.releases.inside.catalogues import plain
from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those

SCRIPT = ("autonym", "script", "status", "base", "auxiliary", "marks", "numerals", "punctuation", "design_requirements")
PROPERTY = ("name", "href", "initial", "appliesTo", "inherited", "percentages", "computedValue", "animationType")


def sign_words(files: Files) -> Cells:
    """Pictures that are written, with the words by which people look for them."""
    said = json.loads(find(files, "emoji-en-US.json", "emojis.json")).items()
    rows = []
    for key, of in said:
        words = of if isinstance(of, list) else of.get("keywords", ())
        sign = key if isinstance(of, list) else of.get("char")
        rows.append({"sign": sign, "name": words[0] if words else None, "words": " ".join(words), "many": len(words)})
    return cells(rows)


def written_languages(files: Files) -> Cells:
    """Languages with the letters that each is written with, one row a language and way of writing."""
    said: dict[str, Any] = {}
    for match, text in those(files, r"hyperglot/(?:hyperglot|data/(\w{3})_?)\.yaml$"):
        found = yaml.load(text, yaml.CBaseLoader)  # noqa: S506 -- it makes texts of all
        said |= {match[1]: found} if match[1] else found
    rows = []
    nothing: dict[str, Any] = {}
    for code, of in said.items():
        about = {name: of.get(name) for name in ("name", "preferred_name", "speakers", "speakers_date", "status")}
        for way in of.get("orthographies") or (nothing,):
            rows.append(
                {"code": code} | about | {name: way.get(name) for name in SCRIPT} | {"level": of.get("validity")}
            )
    return cells([plain(row) for row in rows])


def language_people(files: Files) -> Cells:
    """Languages by script, how many people speak each, where, and with which letters."""
    rows = []
    for match, text in those(files, r"languages/(\w+)\.textproto$"):
        said: dict[str, list[str]] = {}
        for name, value in re.findall(r'^ *(\w+): *"?(.*?)"?$', text, re.MULTILINE):
            said.setdefault(name, []).append(value)
        row = {"file": match[1], "regions": " ".join(said.get("region", ()))}
        names = ("id", "language", "script", "name", "preferred_name", "autonym", "population", "historical", "base")
        rows.append(row | {name: next(iter(said.get(name, ())), None) for name in names})
    return cells(rows)


def style_definitions(files: Files) -> Cells:
    """Properties of style sheets as their specifications define them."""
    found: list[dict[str, Any]] = []
    if any(path.endswith("package/css.json") for path in files):
        found += json.loads(find(files, "package/css.json"))["properties"]
    else:
        for match, text in those(files, r"package/([\w-]+)\.json$"):
            said = json.loads(text)
            of = said.get("properties") if isinstance(said, dict) else None
            found += [{"spec": match[1]} | one for one in (of.values() if isinstance(of, dict) else of or ())]
    names = ("spec", *PROPERTY)
    return cells(
        [{name: one.get(name) for name in names} | {"syntax": one.get("syntax", one.get("value"))} for one in found]
    )


def term_mappings(files: Files) -> Cells:
    """Terms of one vocabulary that somebody found to be those of another one: rows are added."""
    lines = [one for one in find(files, "positive.sssom.tsv", "mappings.tsv").decode().splitlines() if one[:1] != "#"]
    rows = list(csv.DictReader(lines, delimiter="\t"))
    return cells([row for row in rows if is_sampled(" ".join(map(str, list(row.values())[:5])), len(rows))])


def database_releases(files: Files) -> Cells:
    """Releases of databases of biology as they were found, one row a database and release: rows are added."""
    rows = []
    for one in json.loads(find(files, "resources/versions.json"))["database"]:
        about = {name: one.get(name) for name in ("prefix", "name", "vtype")}
        for of in one["releases"]:
            said = {name: of.get(name) for name in ("version", "retrieved", "date", "homepage")}
            rows.append(about | {"is_first": of is one["releases"][0]} | said)
    return cells([row for row in rows if is_sampled(f"{row['name']} {row['version']}", len(rows))])


def record_slots(files: Files) -> Cells:
    """What records of microbes and samples may hold: one row a kind of record and field."""
    said = json.loads(find(files, "nmdc_schema/nmdc.schema.json"))
    kinds = said.get("$defs", said.get("definitions", {}))
    rows = [row for kind, of in kinds.items() for row in _slots(kind, of)]
    return cells([row for row in rows if is_sampled(f"{row['kind']} {row['field']}", len(rows))])


def _slots(kind: str, of: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    asked = of.get("required", ())
    for name, slot in of.get("properties", {}).items():
        row = {"kind": kind, "field": name, "is_asked": name in asked}
        row |= {key: slot.get(key) for key in ("type", "description", "pattern", "minimum", "maximum", "$ref")}
        yield row | {"of": (slot.get("items") or {}).get("$ref", (slot.get("items") or {}).get("type"))}
