"""Tables inside the releases of packages that name things: words, files, rules and addresses, each by a reader."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from benchmarks.releases.inside.catalogues import plain
from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those


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


def voice_commands(files: Files) -> Cells:
    """Sentences that a house obeys, by language and what they want."""
    rows = []
    for match, text in those(files, r"home_assistant_intents/data/([\w-]+)\.json$"):
        for wanted, one in (json.loads(text).get("intents") or {}).items():
            for part in one["data"]:
                head = {"language": match[1], "wanted": wanted, "response": part.get("response")}
                rows += [head | {"sentence": said, "length": len(said)} for said in part["sentences"]]
    return cells([row for row in rows if is_sampled(f"{row['language']} {row['sentence']}", len(rows))])


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


def build_plugins(files: Files) -> Cells:
    """Plugins of a service that builds web sites."""
    rows = json.loads(find(files, "site/plugins.json"))
    names = ("author", "name", "package", "repo", "version", "description", "status")
    return cells(
        [{name: row.get(name) for name in names} | {"variables": len(row.get("variables") or ())} for row in rows]
    )


def endpoints(files: Files) -> Cells:
    """What may be asked of a service: methods of a client and the addresses they call."""
    text, group, rows = find(files, "dist-src/generated/endpoints.js").decode(), "", []
    for name, method, path in re.findall(r'^ +(\w+): (?:\{$|\[\s*"(\w+) (/[^"]*)")', text, re.MULTILINE):
        group = group if path else name
        if path:
            rows.append({"group": group, "name": name, "method": method, "path": path, "parts": path.count("{")})
    return cells(rows)


def polyfills(files: Files) -> Cells:
    """Since which versions engines have each feature of a language."""
    return cells(
        [{"feature": name} | engines for name, engines in json.loads(find(files, "package/data.json")).items()]
    )


def lint_rules(files: Files) -> Cells:
    field = re.compile(r"^\s+(type|description|recommended|fixable|hasSuggestions): (.*?),?$", re.MULTILINE)
    rows = []
    for match, text in those(files, r"package/lib/rules/([\w-]+)\.js$"):
        head = text.partition("create(")[0].partition("meta: {")[2]
        row = {key: value.strip("\"'") for key, value in field.findall(head)}
        rows.append({"rule": match[1], "lines": text.count("\n"), "deprecated": "deprecated:" in head} | row)
    return cells(rows)


def model_libraries(files: Files) -> Cells:
    """Libraries that models are loaded with, from a module of TypeScript."""
    rows = []
    text = find(files, "src/model-libraries.ts").decode()
    for key, body in re.findall(r"^\t[\"']?([\w.-]+)[\"']?: \{\n(.*?)^\t\},$", text, re.MULTILINE | re.DOTALL):
        row = {name: value.strip("\"'`") for name, value in re.findall(r"^\t\t(\w+): (.*),$", body, re.MULTILINE)}
        rows.append({"library": key} | {name: value for name, value in row.items() if name != "snippets"})
    return cells(rows)


def sql_keywords(files: Files) -> Cells:
    """The words that dialects of SQL keep for themselves: strings and lists that modules of Python assign."""
    rows = []
    for match, text in those(files, r"sqlfluff/dialects/dialect_(\w+)_keywords\.py$"):
        for statement in (one for one in ast.parse(text).body if isinstance(one, ast.Assign)):
            strings = [x.value for x in ast.walk(statement.value) if isinstance(x, ast.Constant)]
            head = {"dialect": match[1], "of": ast.unparse(statement.targets[0]).lower()}
            rows += [head | {"word": word} for one in strings if isinstance(one, str) for word in one.split()]
    kept = [row for row in rows if is_sampled(" ".join(row.values()), len(rows))]
    return cells([row | {"length": len(row["word"])} for row in kept])


def exchanges(files: Files) -> Cells:
    """Where coins are traded, as clients of each describe it."""
    field = re.compile(r"^            '(id|name|rateLimit|version|certified|pro)': (.*?),(?: *#.*)?$", re.MULTILINE)
    rows = []
    for match, text in those(files, r"^ccxt/(\w+)\.py$"):
        if "def describe(self)" in text:
            row: dict[str, object] = {key: value.strip("'") for key, value in reversed(field.findall(text))}
            places = re.search(r"^            'countries': \[(.*?)\]", text, re.MULTILINE)
            row |= {"countries": places and places[1], "lines": text.count("\n")}
            for word in ("True", "False"):
                row[word.lower()] = len(re.findall(rf"^                '\w+': {word},", text, re.MULTILINE))
            rows.append({"module": match[1], "id": "", "name": ""} | row)
    return cells(rows)


def artifacts(files: Files) -> Cells:
    """What is looked for on seized computers, from YAML by its lines."""
    rows = []
    for match, text in those(files, r"/data/([\w-]+)\.yaml$"):
        for part in re.split(r"^---$", text, flags=re.MULTILINE):
            row = dict(re.findall(r"^(name|doc|supported_os): (.*)$", part, re.MULTILINE))
            kinds = re.findall(r"^- type: (\w+)$", part, re.MULTILINE)
            if "name" in row:
                rows.append({"file": match[1]} | row | {"kinds": " ".join(kinds), "lines": part.count("\n")})
    return cells(rows)


def imaging_terms(files: Files) -> Cells:
    """What may be said of images of brains: of one file, or of one a kind of term."""
    said = {match[1]: yaml.safe_load(text) for match, text in those(files, r"schema/objects/(\w+)\.yaml$")}
    if not said:
        said = json.loads(find(files, "data/schema.json"))["objects"]
    names = ("kind", "term", "name", "display_name", "value", "type", "format", "unit", "minimum", "description")
    rows = []
    for kind, terms in said.items():
        for key, one in terms.items():
            if isinstance(one, dict):
                row = {"kind": kind, "term": key} | plain(one)
                rows.append({name: row.get(name) for name in names})
    return cells(rows)


def model_terms(files: Files) -> Cells:
    """Classes and relations of a model of biology."""
    said = yaml.safe_load(find(files, "/biolink_model.yaml", "/biolink-model.yaml").decode())
    names = ("is_a", "domain", "range", "description", "inverse", "symmetric", "multivalued", "deprecated", "abstract")
    rows = []
    for kind in ("slots", "classes"):
        for key, one in said[kind].items():
            of = one or {}
            lists = {n: len(of.get(n) or ()) for n in ("mixins", "slots", "aliases", "exact_mappings", "id_prefixes")}
            rows.append({"kind": kind, "term": key} | {name: of.get(name) for name in names} | lists)
    return cells(rows)


def ontology_sources(files: Files) -> Cells:
    """Where the releases of registers of biology are found: what is nested, down to what has an address."""
    said = yaml.safe_load(find(files, "base/sources.yaml", "versions.yaml", "/sources.yaml").decode())
    return cells(list(_with_address(said, ())))


def _with_address(one: Any, path: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if not isinstance(one, Mapping):
        return
    if path and any("://" in str(value) for value in one.values() if not isinstance(value, Mapping)):
        yield {"of": path[0], "source": path[1] if len(path) > 1 else "", "part": " ".join(map(str, path[2:]))} | plain(
            {str(key): str(value) for key, value in one.items() if not isinstance(value, Mapping)}
        )
    for key, value in one.items():
        yield from _with_address(value, (*path, str(key)))


def standard_names(files: Files) -> Cells:
    """What quantities of air and sea are called, and in which units they are."""
    text = find(files, "data/cf-standard-name-table.xml").decode()
    entries = re.findall(r'<entry id="([^"]+)">(.*?)</entry>', text, re.DOTALL)
    kept = [(name, dict(re.findall(r"<(\w+)>(.*?)</", body, re.DOTALL))) for name, body in entries
            if is_sampled(name, len(entries))]  # fmt: skip
    names = ("canonical_units", "grib", "amip", "description")
    return cells([{"name": name} | {n: said.get(n) for n in names} for name, said in kept])


def voices(files: Files) -> Cells:
    """Voices that a service of speech has, with their ways to speak."""
    rows = []
    for _, text in those(files, r"hass_nabucasa/voice\w*\.py$"):
        for one in ast.parse(text).body:
            target = one.targets[0] if isinstance(one, ast.Assign) else getattr(one, "target", None)
            if target is not None and ast.unparse(target) == "TTS_VOICES":
                for language, found in ast.literal_eval(one.value).items():  # type: ignore[attr-defined]
                    rows += [{"language": language} | _voice(found, name) for name in found]
    if not rows:
        text = find(files, "hass_nabucasa/voice.py").decode()
        said = re.findall(r'\("([\w-]+)", (?:Gender\.)?"?(\w+)"?\): "([^"]+)"', text)
        rows = [{"language": language, "voice": name, "gender": gender} for language, gender, name in said]
    return cells(rows)


def _voice(found: Any, name: str) -> dict[str, Any]:
    about = found[name] if isinstance(found, dict) else {}
    about = about if isinstance(about, dict) else {"name": about}
    variants = about.get("variants") or ()
    return {"voice": name, "called": about.get("name"), "variants": len(variants), "ways": " ".join(map(str, variants))}


def image_attributes(files: Files) -> Cells:
    """Attributes of medical images by their tags."""
    text = find(files, "pydicom/_dicom_dict.py").decode()
    lines = re.findall(r"^    (0x\w+): (\(.*\)),? *(?:#.*)?$", text, re.MULTILINE)
    rows = [
        dict(zip(("kind", "many", "name", "retired", "keyword"), ast.literal_eval(said), strict=False)) | {"tag": tag}
        for tag, said in lines
        if is_sampled(tag, len(lines))
    ]
    return cells(rows)


def style_properties(files: Files) -> Cells:
    """What may be said of the layers of a map."""
    rows = []
    for group, of in json.loads(find(files, "src/reference/v8.json", "reference/v8.json", "dist/latest.json")).items():
        for name, one in of.items() if isinstance(of, dict) else ():
            if isinstance(one, dict):
                about = {key: one.get(key) for key in ("type", "default", "minimum", "maximum", "units", "transition")}
                how = (one.get("expression") or {}).get("parameters")
                since = (one.get("sdk-support") or {}).get("basic functionality") or {}
                row = {"group": group, "name": name} | plain(about) | {"property": one.get("property-type")}
                row |= {"parameters": " ".join(how or ()), "since": since.get("js")}
                rows.append(row | {"android": since.get("android"), "ios": since.get("ios"), "doc": one.get("doc")})
    return cells(rows)


def photo_tags(files: Files) -> Cells:
    """What cameras write into photographs, how often it is found and what it looks like."""
    comment = r"/\*\*((?:(?!\*/).)*)\*/\s*"
    rows = []
    parts = re.split(r"^(?:export )?(?:declare )?interface (\w+)", find(files, "dist/Tags.d.ts").decode(), flags=re.M)
    for group, body in zip(parts[1::2], parts[2::2], strict=True):
        for about, name, kind in re.findall(rf'{comment}"?([\w:-]+)"?\?: ([^;]+);', body, re.DOTALL):
            stars, example = re.search(r"[★☆]+", about), re.search(r"[Ee]xample:? (.*)", about)
            groups, often = re.search(r"@groups (.*)", about), re.search(r"\((\d+)%\)", about)
            rows.append(
                {"interface": group, "tag": name, "type": kind.strip(), "stars": stars[0].count("★") if stars else ""}
                | {"often": often and often[1], "groups": groups and groups[1].strip()}
                | {"example": example and example[1].strip().strip('"')}
            )
    return cells([row for row in rows if is_sampled(f"{row['interface']} {row['tag']}", len(rows))])
