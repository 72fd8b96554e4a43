"""Tables inside the releases of packages that software is made or judged by, each by a reader of the files."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Iterator
from configparser import ConfigParser

from benchmarks.releases.inside.catalogues import plain
from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those

#: What is kept of a card; the rest are hundreds of marks that few cards have.
CARD = ("COST", "ATK", "HEALTH", "DURABILITY", "CARD_SET", "CLASS", "CARDTYPE", "CARDRACE", "RARITY", "COLLECTIBLE")
METRIC = re.compile(
    r'"?(familyName|category|capHeight|ascent|descent|lineGap|unitsPerEm|xHeight|xWidthAvg)"?: *"?([^",\n}]+)'
)


def cards(files: Files) -> Cells:
    """The cards of a game, of XML of a hundred megabytes: only what is sampled is looked into."""
    parts = find(files, "hearthstone_data/CardDefs.xml").split(b"<Entity ")[1:]
    rows = []
    for part in parts:
        key = part.split(b'"', 2)[1].decode()
        if is_sampled(key, len(parts)):
            text = part.decode()
            tags = dict(re.findall(r'name="(\w+)" type="Int" value="(-?\d+)"', text))
            name = re.search(r'name="CARDNAME".*?<enUS>(.*?)</enUS>', text, re.DOTALL)
            artist = re.search(r'name="ARTISTNAME"[^>]*>([^<]*)<', text)
            row = {"card": key, "name": name and name[1], "artist": artist and artist[1]}
            rows.append(row | {tag.lower(): tags.get(tag) for tag in CARD} | {"tags": text.count("<Tag ")})
    return cells(rows)


def tax_parameters(files: Files) -> Cells:
    """Amounts and rates of a country's laws: of each the latest value, and since when."""
    rows = []
    for match, text in those(files, r"/parameters/(.*)\.yaml$"):
        values = re.findall(r"^  '?(\d{4}-\d\d-\d\d)'?:\n    value: (.*)$", text, re.MULTILINE)
        if values:
            said = dict(
                re.findall(r"^(?:  )?(description|short_label|unit|last_value_still_valid_on): (.+)$", text, re.M)
            )
            since, value = max(values)
            row = {"parameter": match[1].replace("/", "."), "since": since, "value": value, "values": len(values)}
            rows.append(row | {name: one.strip("'\"") for name, one in said.items()})
    return cells(rows)


def font_metrics(files: Files) -> Cells:
    """The measures of fonts, from a module of JavaScript; of each the first style."""
    text = find(files, "entireMetricsCollection.cjs", "entireMetricsCollection.cjs.prod.js").decode()
    rows: dict[str, dict[str, str]] = {}
    for part in text.split("familyName")[1:]:
        row: dict[str, str] = {}
        for name, value in METRIC.findall("familyName" + part):
            row.setdefault(name, value)
        rows.setdefault(row["familyName"], row)
    return cells(list(rows.values()))


def global_names(files: Files) -> Cells:
    said = json.loads(find(files, "package/globals.json"))
    rows = [{"environment": k, "name": name, "writable": may} for k, of in said.items() for name, may in of.items()]
    return cells([row for row in rows if is_sampled(f"{row['environment']} {row['name']}", len(rows))])


def network_commands(files: Files) -> Cells:
    lines = find(files, "templates/index").decode().splitlines()
    kept = [line for line in lines if line.strip() and not line.startswith("#")]
    names, *rows = ([part.strip() for part in line.split(",", 3)] for line in kept)
    return cells([dict(zip(map(str.lower, names), row, strict=False)) for row in rows])


def indicator_templates(files: Files) -> Cells:
    """What may be said of each kind of indicator of a threat."""
    rows = []
    for match, text in those(files, r"misp-objects/objects/([^/]+)/definition\.json$"):
        said = json.loads(text)
        for name, one in said["attributes"].items():
            told = {k: v for k, v in one.items() if not isinstance(v, dict | list)}
            counts = {k: len(one.get(k) or ()) for k in ("categories", "values_list", "sane_default")}
            rows.append({"object": match[1], "version": said.get("version"), "attribute": name} | told | counts)
    return cells(rows)


def languages(files: Files) -> Cells:
    """Languages with their rules of plurals and how many speak them."""
    text = find(files, "weblate_language_data/languages.py").decode()
    found = re.findall(r'\(\s*"([\w@]+)",(?:\s*#[^\n]*)*\s*_\("([^"]+)"\),\s*(\d+),\s*"([^"]+)",?\s*\)', text)
    people = dict(re.findall(r'"([\w@]+)": (\d+)', find(files, "weblate_language_data/population.py").decode()))
    names = ("code", "name", "plurals", "rule")
    return cells([dict(zip(names, one, strict=True)) | {"speakers": people.get(one[0])} for one in found])


def transliterations(files: Files) -> Cells:
    """Letters and what they are in ASCII."""
    rows = []
    for match, text in those(files, r"unidecode/x(\w+)\.py$"):
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign):
                data = ast.literal_eval(statement.value)
                rows += [(f"{int(match[1], 16):03x}{at:02x}", said) for at, said in enumerate(data) if said]
    kept = [(code, said) for code, said in rows if is_sampled(code, len(rows))]
    return cells([{"code": code, "ascii": said, "length": len(said)} for code, said in kept])


def downloads(files: Files) -> Cells:
    """Where the files of data sets are, with their sizes and checksums."""
    rows = []
    for match, text in those(files, r"(?:url_checksums/(\w+)\.txt|/(\w+)/checksums\.tsv)$"):
        for line in text.splitlines():
            parts = line.split("\t") if "\t" in line else line.rsplit(" ", 2)
            if len(parts) >= 3 and is_sampled(parts[0], 5 * 4000):
                row = dict(zip(("url", "size", "sha256", "file"), parts, strict=False))
                rows.append({"dataset": match[1] or match[2]} | row)
    return cells(rows)


def air_variables(files: Files) -> Cells:
    """Variables of the air and their bounds."""
    parsed = ConfigParser(interpolation=None, strict=False)
    parsed.read_string(find(files, "pyaerocom/data/variables.ini").decode())
    return cells([{"variable": name} | dict(parsed[name]) for name in parsed.sections()])


def security_checks(files: Files) -> Cells:
    """What a scanner looks for in clouds."""
    rows = []
    for _, text in those(files, r"providers/.*\.metadata\.json$"):
        said = json.loads(text)
        row = {k: v for k, v in said.items() if not isinstance(v, dict | list)}
        remedy = said.get("Remediation", {}).get("Recommendation", {})
        counts = {k: " ".join(said.get(k) or ()) for k in ("CheckType", "Categories", "RelatedTo", "AdditionalURLs")}
        rows.append(row | counts | {"Recommendation": remedy.get("Text"), "Url": remedy.get("Url")})
    return cells(rows)


def import_hooks(files: Files) -> Cells:
    """What packages need that imports do not show."""
    rows = []
    for match, text in those(files, r"(\w+)/hook-([\w.-]+)\.py$"):
        year = re.search(r"Copyright \(c\) ([\d-]+)", text)
        used = re.findall(r"^from PyInstaller\.utils\.hooks import (.*)$", text, re.MULTILINE)
        row = {"kind": match[1], "module": match[2], "lines": text.count("\n"), "year": year and year[1]}
        rows.append(row | {"uses": used[0] if used else "", "datas": "datas" in text})
    return cells(rows)


def sound_maps(files: Files) -> Cells:
    """How letters of languages sound."""
    rows = []
    for match, text in those(files, r"epitran/data/map/([\w-]+)\.csv$"):
        for line in list(csv.reader(text.splitlines()))[1:]:
            if len(line) > 1:
                rows.append({"language": match[1], "written": line[0], "sound": line[1], "letters": len(line[0])})
    return cells([row for row in rows if is_sampled(f"{row['language']} {row['written']}", len(rows))])


def media_sites(files: Files) -> Cells:
    """The sites that films are taken from, with the form of their addresses."""
    rows = [
        {"module": match[1].replace("/", "."), **row}
        for match, text in those(files, r"yt_dlp/extractor/([\w/]+)\.py$")
        for row in _sites(text)
    ]
    return cells(rows)


def _sites(text: str) -> Iterator[dict[str, object]]:
    _, *parts = re.split(r"^class (\w+)IE\(([^)]*)\):", text, flags=re.MULTILINE)
    for site, base, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        name = re.search(r"IE_NAME = '([^']*)'", body)
        form = re.search(r"_VALID_URL = r?'([^'\n]*)'", body)
        said = {"site": site, "base": base, "name": name and name[1], "form": form and form[1]}
        yield said | {"tests": body.count("'url': "), "works": "_WORKING = False" not in body}


def units(files: Files) -> Cells:
    """Units of measure by what they are of."""
    rows, group = [], ""
    for line in find(files, "pint/default_en.txt").decode().splitlines():
        if found := re.match(r"# (\w[\w /]*)$", line):
            group = found[1]
        elif found := re.match(r"(\w+-?) = ([^=#;]+)(.*)", line):
            others = [part.strip() for part in found[3].split("#")[0].split("=")[1:]]
            row = {"unit": found[1], "is": found[2].strip(), "group": group, "names": len(others)}
            rows.append(row | {"symbol": others[0] if others else ""})
    return cells(rows)


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


def tile_servers(files: Files) -> Cells:
    """Servers of maps."""
    names = ("url", "max_zoom", "min_zoom", "attribution", "variant", "ext", "subdomains", "status", "format")
    rows = []
    for of, one in json.loads(find(files, "data/providers.json", "xyzservices/providers.json")).items():
        found = [one] if "url" in one else one.values()
        rows += [{"of": of, "name": row.get("name")} | {name: row.get(name) for name in names} for row in found]
    return cells([plain(row) for row in rows])


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
