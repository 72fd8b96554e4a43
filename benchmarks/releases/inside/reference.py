"""Tables of reference inside the releases of packages: codes, figures, settings and signatures, each by a reader."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those

MOVE = (
    "num",
    "name",
    "accuracy",
    "basePower",
    "category",
    "pp",
    "priority",
    "target",
    "type",
    "critRatio",
    "isNonstandard",
)
BOAT = (
    "Order",
    "Id",
    "Name",
    "BitLength",
    "BitOffset",
    "Resolution",
    "Signed",
    "Unit",
    "FieldType",
    "RangeMin",
    "RangeMax",
)
WHOIS = ("extend", "_server", "domain_name", "registrar", "creation_date", "expiration_date", "status")
PATTERNS = ("fn", "fn_re", "contents", "contents_re", "num_lines", "max_filesize", "shared")


def _first(files: Files, path: str) -> str:
    """The text of the first file whose path matches. Errors: `KeyError`."""
    for _, text in those(files, path):
        return text
    raise KeyError(path)


def carbon_intensities(files: Files) -> Cells:
    """How much carbon dioxide a kilowatt-hour stands for in each country, in grams."""
    text = _first(files, r"data/average-intensities[\w.-]*\.js$")
    said = dict(re.findall(r'"?([A-Z_ ]+)"?: ?([\d.]+)', text))
    return cells([{"country": name, "grams": grams} for name, grams in said.items()])


def phone_specs(files: Files) -> Cells:
    """Telephones: diagonals and sizes of screens, weights, years, memory and chips."""
    text = _first(files, r"regexes/device-info/device\.(?:js|yml)$")
    rows, brand = [], ""
    for line in text.splitlines():
        if found := re.match(r"^\s+[\"']?(.+?)[\"']?: [\"']?(\w\w=.*?)[\"']?,?$", line):
            rows.append({"brand": brand, "model": found[1]} | dict(re.findall(r"(\w\w)=([^;]*)", found[2])))
        elif found := re.match(r"^\s*[\"']?([^>]+?)[\"']?: ?\{?$", line):
            brand = found[1]
    return cells([row for row in rows if is_sampled(f"{row['brand']} {row['model']}", len(rows))])


def app_signatures(files: Files) -> Cells:
    """By what programs are known that ask for pages."""
    rows = []
    for match, text in those(files, r"regexes/client/(\w+)\.(?:js|yml)$"):
        said = text[text.index("[") :].rstrip("; \n") if "module.exports" in text else text
        for one in yaml.load(said, Loader=yaml.CSafeLoader):
            engine = one.get("engine")
            rows.append({"kind": match[1]} | _plain(one) | {"engine": (engine or {}).get("default")})
    return cells(rows)


def _plain(one: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if not isinstance(value, dict | list)}


def error_codes(files: Files) -> Cells:
    """What the numbers of a chat's interface mean: enumerations in modules of JavaScript."""
    rows = []
    for match, text in those(files, r"package/((?:payloads|rest|gateway)/(?:v10/)?\w+)\.js$"):
        for kind, name, number in re.findall(r'(\w+)\[\1\["(\w+)"\] = (-?\d+)\]', text):
            rows.append({"module": match[1], "kind": kind, "name": name, "number": number})
    return cells(rows)


def game_moves(files: Files) -> Cells:
    """What the moves of a game do: their power, accuracy and points, from a module of JavaScript."""
    said = find(files, "build/index.js").decode()
    text = said[said.index("// data/moves.json") : said.index("var moves_default")]
    rows: list[dict[str, str]] = []
    for key, name, value in re.findall(r'^  (?:"?(\w+)"?: \{|  (\w+): "?(.*?)"?,?)$', text, re.MULTILINE):
        rows += [{"key": key}] if key else []
        if name in MOVE:
            rows[-1][name] = value
    kept = [row for row in rows if "basePower" in row]
    return cells([row for row in kept if is_sampled(row["key"], len(kept))])


def cloud_facts(files: Files) -> Cells:
    """What holds in each region of a cloud: names, accounts and zones of its services."""
    fact = r"register\(\{ region: ['\"]([^'\"]+)['\"], name: fact_1\.FactName\.(.+?), value: ['\"](.*?)['\"] \}\)"
    rows = re.findall(fact, find(files, "lib/built-ins.generated.js").decode())
    kept = [row for row in rows if is_sampled(f"{row[0]} {row[1]}", len(rows))]
    return cells([dict(zip(("region", "fact", "value"), row, strict=True)) for row in kept])


def tax_policy(files: Files) -> Cells:
    """Rates, limits and amounts of a country's taxes by year and kind of household."""
    rows = []
    for name, one in json.loads(find(files, "taxcalc/policy_current_law.json")).items():
        head = {"parameter": name} | {key: one.get(key) for key in ("section_1", "section_2", "type", "indexed")}
        rows += [head | _plain(value) for value in one.get("value") or () if isinstance(value, dict)]
    return cells([row for row in rows if is_sampled(f"{row['parameter']} {row.get('year')}", len(rows))])


def clip_models(files: Files) -> Cells:
    """How models of pictures and words are built: widths, layers and heads."""
    rows = []
    for match, text in those(files, r"open_clip/model_configs/(.+)\.json$"):
        said = json.loads(text)
        row = {"model": match[1]} | _plain(said)
        for part in ("vision_cfg", "text_cfg"):
            row |= {f"{part[:-4]}_{name}": value for name, value in _plain(said.get(part) or {}).items()}
        rows.append(row)
    return cells(rows)


def model_presets(files: Files) -> Cells:
    """Trained models and how many parameters they have: modules of Python, without running them."""
    rows = []
    for match, text in those(files, r"models/(?:\w+/)*(\w+)_presets\.py$"):
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
                rows += [{"module": match[1], "preset": key} | one for key, one in _presets(statement.value)]
    return cells(rows)


def _presets(said: ast.Dict) -> Iterator[tuple[Any, dict[str, Any]]]:
    for key, of in zip(said.keys, said.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(of, ast.Dict):
            one = ast.literal_eval(of)
            about = one.get("metadata") or {}
            row = {name: about.get(name) for name in ("description", "params", "path")}
            yield key.value, row | {"handle": one.get("kaggle_handle")}


def battery_parameters(files: Files) -> Cells:
    """What batteries are like by those who measured them, in the unit that stands in brackets."""
    rows = []
    for match, text in those(files, r"parameters/lithium_ion/(\w+)\.py$"):
        for name, unit, value in re.findall(r'^\s+"([^"\[]+?)(?: \[([^"\]]+)\])?": (-?[\d.e+-]+),$', text, re.M):
            rows.append({"set": match[1], "parameter": name, "unit": unit, "value": value})
    return cells(rows)


def request_errors(files: Files) -> Cells:
    """What a messenger answers where it refuses: classes in a module of Python."""
    text = find(files, "telethon/errors/rpcerrorlist.py").decode()
    codes = {kind: code for code, kind in re.findall(r"^    '(\w+)': (\w+),?$", text, re.MULTILINE)}
    told = r"class (\w+)\((\w+)\):\n    def __init__\(self, (.*?)\):.*?\(Exception, self\)\.__init__\(\s*(['\"])(.*?)\4"
    return cells(
        [
            {"kind": kind, "base": base, "given": given, "text": said, "code": codes.get(kind)}
            for kind, base, given, _, said in re.findall(told, text, re.DOTALL)
        ]
    )


def grid_areas(files: Files) -> Cells:
    """Areas of the grids of Europe, by their codes."""
    said = re.findall(r"^    (\w+) =\s+'([\w-]+)',\s+'([^']*)',\s+'([^']*)'", find(files, "mappings.py").decode(), re.M)
    return cells([dict(zip(("area", "code", "meaning", "zone"), one, strict=True)) for one in said])


def enzymes(files: Files) -> Cells:
    """Enzymes that cut, where and at what temperature: a module of Python, without running it."""
    rows: list[dict[str, Any]] = []
    made: ast.expr | None = None
    for statement in ast.parse(find(files, "Restriction/Restriction_Dictionary.py")).body:
        if isinstance(statement, ast.FunctionDef):
            made = next((one.value for one in statement.body if isinstance(one, ast.Return)), None)
        elif isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]).startswith("rest_dict["):
            of = statement.value if isinstance(statement.value, ast.Dict) else made
            said = ast.literal_eval(of) if isinstance(of, ast.Dict) else {}
            name = ast.unparse(statement.targets[0])[11:-2]
            rows.append({"name": name} | {key: _joined(value) for key, value in said.items()})
    return cells(rows)


def _joined(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, tuple | list) else value


def report_patterns(files: Files) -> Cells:
    """By what a report knows the files of programs of biology."""
    rows = []
    for key, of in yaml.load(find(files, "search_patterns.yaml"), Loader=yaml.CSafeLoader).items():
        for one in of if isinstance(of, list) else [of]:
            rows.append({"key": key, "program": key.split("/")[0]} | {n: _joined(one.get(n)) for n in PATTERNS})
    return cells(rows)


def image_accounts(files: Files) -> Cells:
    """In which accounts of a cloud the images of frameworks are, by region."""
    rows = []
    for match, text in those(files, r"image_uri_config/([\w-]+)\.json$"):
        rows += [{"framework": match[1]} | one for one in _registries(json.loads(text), "")]
    return cells([row for row in rows if is_sampled(f"{row['framework']} {row['version']} {row['region']}", len(rows))])


def _registries(said: Any, version: str) -> Iterator[dict[str, Any]]:
    if not isinstance(said, dict):
        return
    facts = {"version": version, "repository": said.get("repository")}
    for region, account in (said.get("registries") or {}).items():
        yield facts | {"region": region, "account": account}
    for key, one in said.items():
        if key != "registries":
            yield from _registries(one, key if key != "versions" else version)


def build_settings(files: Files) -> Cells:
    """What may be said of compilers and systems when something is built."""
    text = find(files, "default_settings.py", "client/conf/__init__.py").decode()
    said = [one for one in re.findall(r'"""\\?\n(.*?)"""', text, re.DOTALL) if "\ncompiler:" in one]
    return cells([row for one in said[:1] for row in _settings(yaml.load(one, Loader=yaml.CSafeLoader), ())])


def _settings(said: Any, path: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for key, of in said.items() if isinstance(said, dict) else ():
        if isinstance(of, list):
            where = {"setting": ".".join([*path, str(key)]), "group": (*path, str(key))[0], "name": key}
            yield from (where | {"at": at, "value": value} for at, value in enumerate(of))
        else:
            yield from _settings(of, (*path, str(key)))


def board_pins(files: Files) -> Cells:
    """Which number each pin of a board has: modules of Python, without running them."""
    rows = []
    for match, text in those(files, r"esphome/components/(\w+)/boards\.py$"):
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
                rows += [{"chip": match[1]} | one for one in _pins(statement.value)]
    return cells([row for row in rows if is_sampled(f"{row['chip']} {row['board']} {row['pin']}", len(rows))])


def _pins(said: ast.Dict) -> Iterator[dict[str, Any]]:
    for board, of in zip(said.keys, said.values, strict=True):
        if isinstance(board, ast.Constant) and isinstance(of, ast.Dict):
            for pin, number in zip(of.keys, of.values, strict=True):
                if isinstance(pin, ast.Constant) and isinstance(number, ast.Constant) and type(number.value) is int:
                    yield {"board": board.value, "pin": pin.value, "number": number.value}


def module_versions(files: Files) -> Cells:
    """Since which version of a language each part of its library is there."""
    text = find(files, "vermin/rules.py").decode()
    part = r"^def (\w+)\(|(\(\"[^)]*\"\)|\"[^\"]+\"): (?:bpv\([^,]+, )?\((None|\(\d+, \d+\)), (None|\(\d+, \d+\))\)"
    rows, section = [], ""
    for begins, name, two, three in re.findall(part, text, re.MULTILINE):
        section = begins or section
        if name:
            said = (re.sub(r"\((\d+), (\d+)\)|None", _dotted, one) for one in (two, three))
            rows.append(
                {"section": section, "name": name.strip('("),')} | dict(zip(("two", "three"), said, strict=True))
            )
    return cells([row for row in rows if is_sampled(f"{row['section']} {row['name']}", len(rows))])


def _dotted(found: re.Match[str]) -> str:
    return f"{found[1]}.{found[2]}" if found[1] else ""


def typed_modules(files: Files) -> Cells:
    """How long the descriptions of a library's modules are, and how much is in them."""
    rows = []
    for match, text in those(files, r"typeshed/stdlib/(.+)\.pyi$"):
        row: dict[str, Any] = {"module": match[1], "package": match[1].split("/")[0], "lines": text.count("\n")}
        for name, mark in {
            "classes": "class ",
            "functions": "def ",
            "overloads": "@overload",
            "aliases": " = ",
        }.items():
            row[name] = text.count(mark)
        rows.append(row)
    return cells(rows)


def wiki_sites(files: Files) -> Cells:
    """Which languages the families of an encyclopedia have, in their order: lists in modules of Python."""
    rows = []
    for match, text in those(files, r"pywikibot/families/(\w+)_family\.py$"):
        for found in ast.walk(ast.parse(text)):
            if isinstance(found, ast.Assign) and isinstance(found.value, ast.List | ast.Set | ast.Tuple):
                codes = [one.value for one in found.value.elts if isinstance(one, ast.Constant)]
                where = {"family": match[1], "list": ast.unparse(found.targets[0])}
                rows += [where | {"at": at, "code": code} for at, code in enumerate(codes, 1)]
    return cells(rows)


def recipe_hosts(files: Files) -> Cells:
    """Sites of recipes, and how long the programs are that read them."""
    rows = []
    for match, text in those(files, r"recipe_scrapers/(\w+)\.py$"):
        if found := re.search(r"def host\(.*?return f?[\"']([^\"']+)[\"']", text, re.DOTALL):
            row = {"module": match[1], "host": found[1], "suffix": found[1].rsplit(".", 1)[-1]}
            rows.append(row | {"lines": text.count("\n"), "functions": text.count("def ")})
    return cells(rows)


def city_people(files: Files) -> Cells:
    """Cities, where they are and how many people live in them."""
    said = json.loads(find(files, "data/cities15000.json", "data/cities.json")).items()
    return cells([{"key": key} | _plain(one) for key, one in said if is_sampled(key, len(said))])


def whois_servers(files: Files) -> Cells:
    """Where and in what words one is told who owns a name, by the end of the name."""
    text = find(files, "tld_regexpr.py").decode()
    rows = []
    for name, body in re.findall(r'^ZZ\["([^"]+)"\] = \{(.*?)\}$', text, re.MULTILINE | re.DOTALL):
        said = dict(re.findall(r'"(\w+)": (?:\w+\()?r?"(.*?)"\)?(?:,|$)', body, re.MULTILINE))
        rows.append({"end": name} | {key: said.get(key) for key in WHOIS} | {"fields": len(said)})
    return cells(rows)


def boat_fields(files: Files) -> Cells:
    """The fields of messages on boats: how many bits they have, and what a bit is worth."""
    rows = []
    for one in json.loads(find(files, "package/canboat.json"))["PGNs"]:
        head = {"message": one.get("PGN"), "id": one.get("Id")}
        rows += [head | {name: of.get(name) for name in BOAT} for of in one.get("Fields") or ()]
    return cells([row for row in rows if is_sampled(f"{row['id']} {row['Id']}", len(rows))])


def basis_sets(files: Files) -> Cells:
    """Functions by which chemists reckon with atoms: of how many elements, since when, in which versions."""
    rows = []
    for key, one in json.loads(find(files, "basis_set_exchange/data/METADATA.json")).items():
        newest = (one.get("versions") or {}).get(one.get("latest_version")) or {}
        row = {"key": key} | _plain(one) | {"functions": _joined(one.get("function_types"))}
        row |= {"revised": newest.get("revdate"), "elements": len(newest.get("elements") or ())}
        rows.append(row | {"said": newest.get("revdesc"), "versions": len(one.get("versions") or ())})
    return cells(rows)


def record_fields(files: Files) -> Cells:
    """The fields of a clinic's records: how often each may be there, and of what type it is."""
    rows = []
    for one in json.loads(find(files, "fhir/r4/profiles-medplum.json"))["entry"]:
        for of in (one["resource"].get("snapshot") or {}).get("element") or ():
            kind: Mapping[str, Any] = next(iter(of.get("type") or ()), {})
            row = {"record": one["resource"].get("name"), "type": kind.get("code")}
            rows.append(row | {name: of.get(name) for name in ("id", "path", "min", "max", "short")})
    return cells(rows)
