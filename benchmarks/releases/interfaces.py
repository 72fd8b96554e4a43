"""Tables inside the releases of packages that describe what programs, devices and files say to each other, each by a
reader."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from benchmarks.releases.catalogues import plain
from benchmarks.releases.readers import Cells, Files, cells, find, is_sampled, those


def boards(files: Files) -> Cells:
    """Boards and chips that a library tells apart: constants, and the groups that list them."""
    rows = []
    for match, text in those(files, r"platformdetect/constants/(boards|chips)\.py$"):
        groups: dict[str, list[str]] = {}
        for group, body in re.findall(r"^(\w+) = \(\n(.*?)^\)", text, re.MULTILINE | re.DOTALL):
            for name in re.findall(r"^    (\w+),", body, re.MULTILINE):
                groups.setdefault(name, []).append(group.strip("_").lower())
        for name, value in re.findall(r'^([A-Z]\w*) = "([^"\n]*)"', text, re.MULTILINE):
            of = groups.get(name, [])
            rows.append({"of": match[1], "name": name, "value": value, "group": of[0] if of else "", "groups": len(of)})
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


def sport_fields(files: Files) -> Cells:
    """Fields of the messages in files of sport watches."""
    rows = []
    for statement in ast.parse(find(files, "garmin_fit_sdk/profile.py")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "Profile":
            for message in ast.literal_eval(statement.value)["messages"].values():
                for field in message["fields"].values():
                    row = {"message": message["name"], "number": field["num"]} | plain(field)
                    rows.append({key: value for key, value in row.items() if key != "num"})
    return cells([row for row in rows if is_sampled(f"{row['message']} {row['number']}", len(rows))])


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


def tile_servers(files: Files) -> Cells:
    """Servers of maps."""
    names = ("url", "max_zoom", "min_zoom", "attribution", "variant", "ext", "subdomains", "status", "format")
    rows = []
    for of, one in json.loads(find(files, "data/providers.json", "xyzservices/providers.json")).items():
        found = [one] if "url" in one else one.values()
        rows += [{"of": of, "name": row.get("name")} | {name: row.get(name) for name in names} for row in found]
    return cells([plain(row) for row in rows])


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


def house_integrations(files: Files) -> Cells:
    """What a house can be connected with."""
    names = ("domain", "name", "codeowners", "config_flow", "documentation", "integration_type", "iot_class", "loggers",
             "quality_scale", "requirements", "dependencies", "after_dependencies")  # fmt: skip
    return cells(
        [
            plain({name: json.loads(text).get(name) for name in names})
            for _, text in those(files, r"homeassistant/components/\w+/manifest\.json$")
        ]
    )


def telemetry_fields(files: Files) -> Cells:
    """What satellites tell of themselves, and where it stands in their frames."""
    rows = []
    for match, text in those(files, r"satnogsdecoders/decoder/(\w+)\.py$"):
        rows += [
            {"satellite": match[1], "field": name, "path": path, "depth": path.count(".")}
            for name, path in re.findall(r"^ +:field (\S+): (\S+)$", text, re.MULTILINE)
        ]
    return cells([row for row in rows if is_sampled(f"{row['satellite']} {row['field']}", len(rows))])


def icon_sets(files: Files) -> Cells:
    """Sets of icons, and how many each has."""
    rows = []
    for key, one in json.loads(find(files, "package/collections.json")).items():
        author, licence = one.get("author") or {}, one.get("license") or {}
        row = {"set": key} | plain(one) | {"author": author.get("name"), "site": author.get("url")}
        rows.append(row | {"license": licence.get("title"), "spdx": licence.get("spdx"), "terms": licence.get("url")})
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


def debugger_commands(files: Files) -> Cells:
    """What can be asked of a browser that is debugged, and what it tells."""
    rows = []
    for end in ("json/browser_protocol.json", "json/js_protocol.json"):
        for domain in json.loads(find(files, end))["domains"]:
            for kind in ("commands", "events"):
                for one in domain.get(kind) or ():
                    head = {"domain": domain["domain"], "kind": kind, "name": one["name"]}
                    marks = {name: one.get(name) for name in ("description", "experimental", "deprecated", "redirect")}
                    counts = {name: len(one.get(name) or ()) for name in ("parameters", "returns")}
                    rows.append(head | marks | counts)
    return cells(rows)


def graph_fields(files: Files) -> Cells:
    """Fields of the types of an interface that is asked by their names."""
    said = json.loads(find(files, "package/schema.json"))
    rows = []
    for of in (said.get("data") or said)["__schema"]["types"]:
        for one in of.get("fields") or of.get("inputFields") or ():
            kind, outer = one["type"], []
            while kind.get("ofType"):
                outer.append(kind["kind"])
                kind = kind["ofType"]
            row = {"type": of["name"], "kind": of["kind"], "field": one["name"], "of": kind["name"]}
            row |= {"required": outer[:1] == ["NON_NULL"], "list": "LIST" in outer}
            row |= {"arguments": len(one.get("args") or ()), "deprecated": one.get("deprecationReason")}
            rows.append(row | {"description": one.get("description")})
    return cells([row for row in rows if is_sampled(f"{row['type']} {row['field']}", len(rows))])


def locked_packages(files: Files) -> Cells:
    """Packages that are built for browsers, with their checksums."""
    said = json.loads(find(files, "pyodide-lock.json", "repodata.json", "packages.json"))["packages"]
    return cells([{"key": key} | plain(one) for key, one in said.items() if isinstance(one, dict)])


def editor_blocks(files: Files) -> Cells:
    """Blocks that texts are made of in an editor."""
    rows = []
    for match, text in those(files, r"package/src/([\w-]+)/block\.json$"):
        said = json.loads(text)
        names = ("apiVersion", "name", "title", "category", "description", "keywords", "parent", "textdomain",
                 "editorStyle", "style", "__experimental")  # fmt: skip
        counts = {name: len(said.get(name) or ()) for name in ("attributes", "supports", "usesContext", "styles")}
        rows.append({"folder": match[1]} | plain({name: said.get(name) for name in names}) | counts)
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


def framework_presets(files: Files) -> Cells:
    """Frameworks that a service knows how to build, from a module of JavaScript that was written in two ways."""
    field = re.compile(r"^    (\w+): (?:(['\"])(.*)\2|(true|false|\d+)),?$", re.MULTILINE)
    commands = re.compile(r"(\w+Command|outputDirectory): \{(.*?)\n      \}", re.DOTALL)
    _, _, text = find(files, "dist/frameworks.js").decode().partition("frameworks = [\n")
    if text.startswith("    {"):
        text = re.sub(r"^ +", lambda found: found[0][::2], text, flags=re.MULTILINE)
    rows = []
    for body in re.split(r"^  \{$", text, flags=re.MULTILINE)[1:]:
        row = {name: a or b for name, _, a, b in field.findall(body)}
        for name, inner in commands.findall(body):
            value = re.search(r"(?:value|placeholder): ['\"]?([^\n]*?)['\"]?,?$", inner, re.MULTILINE)
            row[name] = value[1] if value else ""
        rows.append({"name": "", "slug": ""} | row | {"paths": body.count("path: ")})
    return cells(rows)


def workflow_nodes(files: Files) -> Cells:
    """Steps that flows of work are made of."""
    rows = []
    for one in json.loads(find(files, "dist/types/nodes.json")):
        names = ("name", "displayName", "group", "version", "subtitle", "description", "icon", "iconUrl", "hidden")
        lists = {name: len(one.get(name) or ()) for name in ("inputs", "outputs", "credentials", "properties")}
        rows.append(plain({name: one.get(name) for name in names}) | lists)
    return cells(rows)
