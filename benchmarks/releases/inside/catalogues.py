"""Tables inside the releases of packages that describe devices, services and languages, each by a reader."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row says itself: nothing that is nested; lists as their members."""
    flat = {key: " ".join(map(str, value)) if isinstance(value, list) else value for key, value in row.items()}
    return {key: value for key, value in flat.items() if not isinstance(value, dict)}


def labware(files: Files) -> Cells:
    """Plates, racks and tips of laboratories, with their sizes and wells."""
    rows = []
    for match, text in those(files, r"labware/(?:definitions/)?2/([^/]+)/(\d+)\.json$"):
        said = json.loads(text)
        about, how, size = said["metadata"], said["parameters"], said["dimensions"]
        wells = list(said["wells"].values())
        row = {"name": match[1], "version": match[2], "title": about.get("displayName")}
        row |= {"category": about.get("displayCategory"), "unit": about.get("displayVolumeUnits")}
        row |= {"tags": " ".join(about.get("tags") or ()), "brand": said["brand"].get("brand")}
        row |= {"parts": " ".join(map(str, said["brand"].get("brandId") or ()))}
        row |= {
            key: how.get(key) for key in ("format", "isTiprack", "tipLength", "quirks", "isMagneticModuleCompatible")
        }
        row |= {axis: size.get(f"{axis}Dimension") for axis in "xyz"}
        first = wells[0] if wells else {}
        row |= {"wells": len(wells), "groups": len(said.get("groups") or ())}
        row |= {f"well_{key}": first.get(key) for key in ("shape", "depth", "diameter", "totalLiquidVolume")}
        rows.append(plain(row))
    return cells(rows)


def assignments(text: str) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    """Classes of a module of Python with their bases and the constants that they assign; nothing is run."""
    for of in (one for one in ast.parse(text).body if isinstance(one, ast.ClassDef)):
        said = {}
        for one in of.body:
            if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None:
                target = one.targets[0] if isinstance(one, ast.Assign) else one.target
                try:
                    said[ast.unparse(target)] = ast.literal_eval(one.value)
                except ValueError:
                    said[ast.unparse(target)] = ast.unparse(one.value)
        yield of.name, [ast.unparse(base) for base in of.bases], said


def _classes(files: Files, path: str, names: tuple[str, ...], needed: str) -> Cells:
    rows = []
    for match, text in those(files, path):
        for name, bases, said in assignments(text):
            if needed in said:
                head = {"module": match[1].replace("/", "."), "class": name, "base": bases[0] if bases else ""}
                rows.append(head | plain({key.lower(): said.get(key) for key in names}))
    return cells(rows)


def bus_types(files: Files) -> Cells:
    """Types of values on the bus of a building."""
    names = ("dpt_main_number", "dpt_sub_number", "value_type", "unit", "value_min", "value_max", "resolution",
             "payload_length", "ha_device_class")  # fmt: skip
    return _classes(files, r"xknx/dpt/(\w+)\.py$", names, "value_type")


def notification_services(files: Files) -> Cells:
    """Services that messages can be sent with."""
    names = ("service_name", "service_url", "protocol", "secure_protocol", "setup_url", "body_maxlen", "title_maxlen",
             "request_rate_per_sec", "attachment_support", "notify_url", "image_size")  # fmt: skip
    return _classes(files, r"apprise/plugins/([\w/]+)\.py$", names, "service_name")


def login_providers(files: Files) -> Cells:
    """Services that people log in with."""
    names = ("name", "AUTHORIZATION_URL", "ACCESS_TOKEN_URL", "ACCESS_TOKEN_METHOD", "ID_KEY", "SCOPE_SEPARATOR",
             "DEFAULT_SCOPE", "REDIRECT_STATE", "STATE_PARAMETER", "REFRESH_TOKEN_URL", "API_URL")  # fmt: skip
    return _classes(files, r"social_core/backends/(\w+)\.py$", names, "name")


def embedding_models(files: Files) -> Cells:
    """Models that make vectors of texts, as modules of Python describe them."""
    names = ("name", "revision", "release_date", "n_parameters", "memory_usage_mb", "embed_dim", "license",
             "max_tokens", "open_weights", "reference", "similarity_fn_name", "use_instructions",
             "public_training_code", "public_training_data")  # fmt: skip
    rows = []
    for match, text in those(files, r"mteb/models/(?:model_implementations/)?(\w+)\.py$"):
        for one in ast.walk(ast.parse(text)):
            if isinstance(one, ast.Call) and ast.unparse(one.func) == "ModelMeta":
                said = {word.arg: word.value for word in one.keywords}
                languages = said.get("languages")
                row = {"module": match[1]} | {key: _constant(said.get(key)) for key in names}
                rows.append(row | {"languages": len(languages.elts) if isinstance(languages, ast.List) else ""})
    return cells(rows)


def _constant(said: ast.expr | None) -> Any:
    if said is None:
        return None
    try:
        found = ast.literal_eval(said)
    except ValueError:
        found = ast.unparse(said)
    return found if isinstance(found, str | int | float | bool | None) else ast.unparse(said)


def character_readings(files: Files) -> Cells:
    """Characters of Chinese and how they are read."""
    said = json.loads(find(files, "pypinyin/pinyin_dict.json"))
    rows = [(code, one.split(",")) for code, one in said.items() if is_sampled(code, len(said))]
    return cells(
        [{"code": code, "character": chr(int(code)), "first": one[0], "readings": len(one), "all": ",".join(one)}
         for code, one in rows]
    )  # fmt: skip


def build_platforms(files: Files) -> Cells:
    """What packages are built for, with the interpreters that they are built with."""
    said = tomllib.loads(find(files, "cibuildwheel/resources/build-platforms.toml").decode())
    return cells([{"system": system} | one for system, of in said.items() for one in of["python_configurations"]])


def earth_products(files: Files) -> Cells:
    """What satellites observe, as a library lists it."""
    said = yaml.safe_load(find(files, "resources/collections.yml", "resources/product_types.yml").decode())
    return cells([{"key": key} | plain(one) for key, one in said.items() if isinstance(one, dict)])


def drone_messages(files: Files) -> Cells:
    """Fields of the messages that drones send."""
    rows = []
    for _, text in those(files, r"dialects/v20/(common)\.xml$"):
        for number, name, body in re.findall(r'<message id="(\d+)" name="(\w+)">(.*?)</message>', text, re.DOTALL):
            for about, says in re.findall(r"<field ([^>]*)>(.*?)</field>", body, re.DOTALL):
                row = {"id": number, "message": name} | dict(re.findall(r'(\w+)="([^"]*)"', about))
                rows.append(row | {"says": re.sub("<[^>]*>", "", says)})
    if not rows:
        raise KeyError("common.xml")
    return cells(rows)


def address_formats(files: Files) -> Cells:
    """Networks of one family of chains, with what their addresses begin with."""
    text = find(files, "package/esm/index.js").decode()
    return cells([plain(row) for row in json.loads(text[text.index("[\n") : text.rindex("]") + 1])])


def programming_languages(files: Files) -> Cells:
    """Languages that are told apart by the names of files, one module of JavaScript each."""
    field = re.compile(r"^  (\w+): (\[.*?\]|'[^\n]*'|\"[^\n]*\"|[\w.]+),?$", re.MULTILINE | re.DOTALL)
    rows = []
    for _, text in those(files, r"package/data/([^/]+)\.m?js$"):
        row = dict(field.findall(text))
        for key, value in row.items():
            row[key] = " ".join(re.findall(r"['\"]([^'\"]*)['\"]", value)) if value[:1] in "['\"" else value
        rows.append({"name": ""} | row)
    return cells(rows)


def web_technologies(files: Files) -> Cells:
    """What sites are built with, and by how many marks each is told."""
    rows = []
    for _, text in those(files, r"package/technologies/([\w]+)\.json$"):
        for name, one in json.loads(text).items():
            row = {key: one.get(key) for key in ("cats", "website", "icon", "cpe", "saas", "oss", "pricing", "implies")}
            marks = {key: len(one.get(key) or ()) for key in ("headers", "cookies", "js", "meta", "dom")}
            rows.append({"name": name} | plain(row) | {"description": one.get("description")} | marks)
    return cells([row for row in rows if is_sampled(row["name"], len(rows))])


def access_rules(files: Files) -> Cells:
    """What makes pages hard to use, in many languages."""
    rows = [
        {"language": match[1], "rule": rule} | {key: one.get(key) for key in ("description", "help")}
        for match, text in those(files, r"package/locales/([a-z]{2}(?:_[A-Z]+)?)\.json$")
        for rule, one in json.loads(text)["rules"].items()
    ]
    return cells(rows)


def bundled_modules(files: Files) -> Cells:
    """Modules that one release of a framework works with, and the versions of each."""
    said = json.loads(find(files, "package/bundledNativeModules.json"))
    return cells([{"module": name, "version": version} for name, version in said.items()])


def translations(files: Files) -> Cells:
    """What a package says, in many languages."""
    said = re.compile(r'^msgid ((?:"[^\n]*"\n)+)msgstr ((?:"[^\n]*"\n)+)', re.MULTILINE)
    rows = []
    for match, text in those(files, r"allauth/locale/(\w+)/LC_MESSAGES/django\.po$"):
        for source, target in said.findall(text + "\n"):
            source, target = ("".join(re.findall(r'"(.*)"\n', one)) for one in (source, target))
            if source:
                rows.append({"language": match[1], "source": source, "target": target, "length": len(target)})
    return cells([row for row in rows if is_sampled(f"{row['language']} {row['source']}", len(rows))])


def names_of_dates(files: Files) -> Cells:
    """What months, days and spans of time are called."""
    rows = []
    for match, text in those(files, r"date_translation_data/([\w-]+)\.py$"):
        found = (ast.literal_eval(one.value) for one in ast.parse(text).body if isinstance(one, ast.Assign))
        for what, names in next(found, {}).items():
            if isinstance(names, list):
                rows += [{"language": match[1], "what": what, "name": one} for one in names if isinstance(one, str)]
    return cells([row for row in rows if is_sampled(f"{row['language']} {row['name']}", len(rows))])


def made_names(files: Files) -> Cells:
    """Names that invented people, firms and places are given, by language."""
    rows = []
    for match, text in those(files, r"faker/providers/(\w+)/([a-z]{2,3}_[A-Z]{2})/__init__\.py$"):
        for _, _, said in assignments(text):
            for kind, names in said.items():
                if isinstance(names, list | tuple):
                    head = {"of": match[1], "language": match[2], "kind": kind}
                    rows += [head | {"name": one, "length": len(one)} for one in names if isinstance(one, str)]
    return cells([row for row in rows if is_sampled(f"{row['of']} {row['language']} {row['name']}", len(rows))])


def design_tokens(files: Files) -> Cells:
    """Sizes, colours and shadows of an interface by their names."""
    rows = []
    for match, text in those(files, r"dist/esm/src/themes/base/(\w+)\.mjs$"):
        found = re.findall(
            r"^  '?([\w-]+)'?: \{\n    value: (.*?),?\n(?:    description: (.*?)\n)?", text, re.MULTILINE
        )
        rows += [
            {"group": match[1], "token": name, "value": value.strip("'"), "description": description.strip("',")}
            for name, value, description in found
        ]
    return cells(rows)


def telemetry_names(files: Files) -> Cells:
    """Names of what programs tell of themselves."""
    rows = []
    for match, text in those(files, r"package/(?:build/src|dist)/((?:stable|experimental)_\w+|\w+/\w+)\.c?js$"):
        form = r"^(?:exports\.|const |var )([A-Z]\w+) = ['\"]([^'\"\n]+)['\"];"
        for constant, name in re.findall(form, text, re.MULTILINE):
            rows.append({"file": match[1], "constant": constant, "name": name, "parts": name.count(".") + 1})
    return cells(rows)
