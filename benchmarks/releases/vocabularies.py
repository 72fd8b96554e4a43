"""Tables inside the releases of packages that name things: words, sounds, files, rules and stops, each by a reader."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.releases.readers import Cells, Files, cells, find, is_sampled, those

#: What a language of programming is told by; the rest are numbers of editors.
LANGUAGE = ("name", "type", "color", "group", "tmScope", "aceMode", "languageId")


def pronunciations(files: Files) -> Cells:
    """Chinese characters by their code points and how they are spoken."""
    said = json.loads(find(files, "pypinyin/pinyin_dict.json"))
    rows = [{"code": f"{int(code):x}", "sounds": sounds} for code, sounds in said.items()]
    kept = [row for row in rows if is_sampled(row["code"], len(rows))]
    return cells([row | {"ways": row["sounds"].count(",") + 1} for row in kept])


def misspellings(files: Files) -> Cells:
    lines = find(files, "codespell_lib/data/dictionary.txt").decode().splitlines()
    rows = [line.split("->", 1) for line in lines if "->" in line]
    kept = [row for row in rows if is_sampled(row[0], len(rows))]
    return cells([{"wrong": a, "right": b, "words": max(b.count(","), 1), "length": len(a)} for a, b in kept])


def file_kinds(files: Files) -> Cells:
    """What files are by how their names end, or by their names, from sets that modules of Python assign."""
    rows = []
    for statement in ast.parse(find(files, "identify/extensions.py")).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            table = ast.unparse(statement.targets[0]).lower()
            for key, value in zip(statement.value.keys, statement.value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Set):
                    kinds = sorted(str(one.value) for one in value.elts if isinstance(one, ast.Constant))
                    rows.append({"of": table, "ends": key.value, "kinds": " ".join(kinds), "text": "text" in kinds})
    return cells(rows)


def resource_properties(files: Files) -> Cells:
    """What may be said of each resource of a cloud: classes of Python modules, without running them."""
    rows: list[dict[str, Any]] = []
    for match, text in those(files, r"troposphere/(\w+)\.py$"):
        for of in (one for one in ast.parse(text).body if isinstance(one, ast.ClassDef)):
            said = {ast.unparse(s.targets[0] if isinstance(s, ast.Assign) else s.target): s.value
                    for s in of.body if isinstance(s, ast.Assign | ast.AnnAssign)}  # fmt: skip
            kind, props = said.get("resource_type"), said.get("props")
            if isinstance(props, ast.Dict):
                head = {
                    "module": match[1],
                    "class": of.name,
                    "type": kind.value if isinstance(kind, ast.Constant) else "",
                }
                rows += [head | one for one in _properties(props)]
    return cells([row for row in rows if is_sampled(f"{row['module']} {row['class']} {row['property']}", len(rows))])


def _properties(props: ast.Dict) -> Iterator[dict[str, Any]]:
    for key, value in zip(props.keys, props.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(value, ast.Tuple) and len(value.elts) > 1:
            yield {"property": key.value, "of": ast.unparse(value.elts[0]), "required": ast.unparse(value.elts[1])}


def date_words(files: Files) -> Cells:
    """Words for months, days and spans in many languages."""
    rows = []
    for match, text in those(files, r"dateparser/data/date_translation_data/([\w-]+)\.py$"):
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "info":
                said = ast.literal_eval(statement.value).items()
                told = (
                    (key, one) for key, one in said if isinstance(one, list) and all(isinstance(x, str) for x in one)
                )
                rows += [{"language": match[1], "of": k, "words": " | ".join(x), "many": len(x)} for k, x in told]
    return cells([row for row in rows if is_sampled(f"{row['language']} {row['of']}", len(rows))])


def voice_commands(files: Files) -> Cells:
    """Sentences that a house obeys, by language and what they want."""
    rows = []
    for match, text in those(files, r"home_assistant_intents/data/([\w-]+)\.json$"):
        for wanted, one in (json.loads(text).get("intents") or {}).items():
            for part in one["data"]:
                head = {"language": match[1], "wanted": wanted, "response": part.get("response")}
                rows += [head | {"sentence": said, "length": len(said)} for said in part["sentences"]]
    return cells([row for row in rows if is_sampled(f"{row['language']} {row['sentence']}", len(rows))])


def linter_messages(files: Files) -> Cells:
    """What a linter says: tuples by their codes in modules of Python, without running them."""
    rows = []
    for match, text in those(files, r"pylint/([\w/]+)\.py$"):
        for one in (x for x in ast.walk(ast.parse(text)) if isinstance(x, ast.Dict)):
            for key, value in zip(one.keys, one.values, strict=True):
                code = key.value if isinstance(key, ast.Constant) else None
                if isinstance(code, str) and re.fullmatch(r"[CEFIRW]\d{4}", code) and isinstance(value, ast.Tuple):
                    parts = [x.value if isinstance(x, ast.Constant) else "" for x in value.elts[:3]]
                    told = dict(zip(("message", "symbol", "description"), parts, strict=False))
                    rows.append({"code": code, "kind": code[0], "module": match[1].replace("/", ".")} | told)
    return cells(rows)


def medical_elements(files: Files) -> Cells:
    """The elements that images of medicine are made of."""
    text = find(files, "pydicom/_dicom_dict.py", "dicom/_dicom_dict.py").decode()
    found = re.findall(r"^ *0x(\w{8}): (\(.*\)),", text, re.MULTILINE)
    names = ("representation", "multiplicity", "name", "retired", "keyword")
    rows = [{"tag": tag} | dict(zip(names, ast.literal_eval(said), strict=False)) for tag, said in found]
    return cells([row for row in rows if is_sampled(row["tag"], len(rows))])


def enzymes(files: Files) -> Cells:
    """Enzymes that cut DNA, where and how."""
    text = find(files, "Bio/Restriction/Restriction_Dictionary.py").decode()
    rows = []
    for name, body in re.findall(r"^rest_dict\[[\"'](\w+)[\"']\] = (\{.*?^\})", text, re.MULTILINE | re.DOTALL):
        said = ast.literal_eval(body)
        row = {key: said.get(key) for key in ("site", "size", "ovhg", "ovhgseq", "fst5", "fst3", "freq", "opt_temp")}
        rows.append({"enzyme": name} | row | {"suppliers": " ".join(said.get("suppl") or ())})
    return cells(rows)


def programming_languages(files: Files) -> Cells:
    rows = []
    for _, text in those(files, r"package/data/[^/]+\.m?js$"):
        row = dict(re.findall(r"^ *[\"']?(\w+)[\"']?: [\"']?(.*?)[\"']?,?$", text, re.MULTILINE))
        ends = re.search(r"extensions[\"']?: \[(.*?)\]", text, re.DOTALL)
        many = re.findall(r"[\"'](\.[^\"']+)[\"']", ends[1]) if ends else []
        if "name" in row:
            rows.append({key: row.get(key) for key in LANGUAGE} | {"ends": " ".join(many), "many": len(many)})
    return cells(rows)


def stops(files: Files) -> Cells:
    """Where trains and buses of a region stop."""
    said = json.loads(find(files, "package/full.json"))
    found = list(said.values()) if isinstance(said, dict) else said
    kept = [one for one in found if is_sampled(str(one["id"]), len(found))]
    return cells(
        [
            {"id": one["id"], "name": one["name"], "weight": one.get("weight"), "stops": len(one.get("stops") or ())}
            | {name: (one.get("location") or {}).get(name) for name in ("latitude", "longitude")}
            for one in kept
        ]
    )


def consent_rules(files: Files) -> Cells:
    """How the questions for consent on web sites are found and answered."""
    rows = []
    for one in json.loads(find(files, "rules/rules.json"))["autoconsent"]:
        row = {key: one.get(key) for key in ("name", "vendorUrl", "cosmetic", "intermediate", "comment")}
        row |= {key: " ".join(one.get(key) or ()) for key in ("prehideSelectors",)}
        row |= {"where": json.dumps(one.get("runContext")) if one.get("runContext") else None}
        rows.append(
            row | {key: len(one.get(key) or ()) for key in ("detectCmp", "detectPopup", "optIn", "optOut", "test")}
        )
    return cells(rows)


def site_technologies(files: Files) -> Cells:
    """What web sites are made with."""
    said = json.loads(find(files, "src/technologies.json"))
    said = said.get("technologies", said)
    rows = []
    for name, one in said.items():
        if is_sampled(name, len(said)):
            row = {key: one.get(key) for key in ("description", "website", "icon", "saas", "oss", "cpe")}
            lists = {key: one.get(key) or [] for key in ("cats", "pricing", "implies")}
            told = {key: " ".join(map(str, x if isinstance(x, list) else [x])) for key, x in lists.items()}
            marks = {key: len(one.get(key) or ()) for key in ("js", "headers", "cookies", "meta")}
            rows.append({"name": name} | row | told | marks)
    return cells(rows)


def address_ranges(files: Files) -> Cells:
    """Ranges of addresses and the country of those who hold them."""
    lines = list(csv.reader(io.StringIO(find(files, "asn-country-ipv4.csv").decode())))
    return cells(
        [dict(zip(("first", "last", "country"), x, strict=True)) for x in lines if is_sampled(x[0], len(lines))]
    )


def build_plugins(files: Files) -> Cells:
    """Plugins of a service that builds web sites."""
    rows = json.loads(find(files, "site/plugins.json"))
    names = ("author", "name", "package", "repo", "version", "description", "status")
    return cells(
        [{name: row.get(name) for name in names} | {"variables": len(row.get("variables") or ())} for row in rows]
    )


def thrown_away_numbers(files: Files) -> Cells:
    """Telephone numbers that anybody can read the messages of, and when they were last seen."""
    said = json.loads(find(files, "package/number-list.json"))
    return cells([{"number": number, "seen": day} for number, day in said.items() if is_sampled(number, len(said))])


def web_events(files: Files) -> Cells:
    """The events of the web platform."""
    rows = []
    for one in json.loads(find(files, "package/events.json")):
        told = {key: one.get(key) for key in ("type", "interface", "href")}
        targets = [target["target"] for target in one.get("targets") or ()]
        bubbles = any(target.get("bubbles") for target in one.get("targets") or ())
        rows.append(
            told | {"source": (one.get("src") or {}).get("format"), "targets": " ".join(targets), "bubbles": bubbles}
        )
    return cells(rows)
