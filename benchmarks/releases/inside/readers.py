"""The tables inside the releases of packages, each by a reader of the release's files."""

from __future__ import annotations

import ast
import csv
import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

Files = Mapping[str, Callable[[], bytes]]
#: Columns of a table by name, all cells as text, missing ones empty.
Cells = dict[str, list[str]]

CERTIFICATE = re.compile(r"# (Issuer|Subject|Label|Serial|MD5 Fingerprint|SHA1 Fingerprint|SHA256 Fingerprint): (.*)")
MOST_ROWS = 2000  # of a table whose rows are a sample anyway; a bound of time


@dataclass(frozen=True)
class Carried:
    """A table that the releases of a package carry.

    Parameters
    ----------
    package : its name, ``npm:`` in front where it is one of JavaScript.
    read : what makes the table of a release's files. Errors: `KeyError` where there is none.
    times : the columns that are days or times (ISO 8601) and are written as such, not as text.
    """

    package: str
    read: Callable[[Files], Cells]
    times: tuple[str, ...] = ()


def find(files: Files, *ends: str) -> bytes:
    """The first file whose path ends so. Errors: `KeyError`."""
    for end in ends:
        for path, read in files.items():
            if path.endswith(end):
                data = read()
                return gzip.decompress(data) if path.endswith(".gz") else data
    raise KeyError(ends)


def those(files: Files, path: str) -> Iterator[tuple[re.Match[str], str]]:
    """The files whose paths match, with their text, in the order of the paths."""
    found = sorted((name, match) for name in files if (match := re.search(path, name)))
    return ((match, files[name]().decode("utf-8", "replace")) for name, match in found)


def cells(rows: Sequence[Mapping[str, Any]]) -> Cells:
    """Rows as columns in the order in which their names come.

    >>> cells([{"a": 1}, {"b": True, "a": None}])
    {'a': ['1', ''], 'b': ['', 'true']}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [_text(row.get(name)) for row in rows] for name in names}


def _text(value: object) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, bool | list | dict) else str(value)


def delimited(end: str, delimiter: str = ",", every: int = 1) -> Callable[[Files], Cells]:
    """A reader of a delimited file; one row of so many (`every`) by its first column is taken."""

    def read(files: Files) -> Cells:
        rows = csv.DictReader(io.StringIO(find(files, end).decode()), delimiter=delimiter)
        return cells([row for row in rows if sum(map(ord, next(iter(row.values())))) % every == 0])

    return read


def certificates(files: Files) -> Cells:
    """What the comments of a bundle say of each certificate."""
    rows: list[dict[str, str]] = []
    for line in find(files, "cacert.pem").decode("utf-8", "replace").splitlines():
        if found := CERTIFICATE.match(line):
            if found[1] == "Issuer":
                rows.append({})
            rows[-1][found[1].lower().replace(" ", "_")] = found[2].strip('"')
    return cells(rows)


def suffixes(files: Files) -> Cells:
    section, rows = "", []
    for line in find(files, "public_suffix_list.dat").decode().splitlines():
        if found := re.match(r"// ===BEGIN (\w+)", line):
            section = found[1]
        elif line.strip() and not line.startswith("//"):
            rows.append({"rule": line.strip(), "section": section})
    return cells(rows)


def zones(files: Files) -> Cells:
    lines = find(files, "zoneinfo/zone1970.tab").decode().splitlines()
    names = ("codes", "coordinates", "tz", "comments")
    return cells([dict(zip(names, line.split("\t"), strict=False)) for line in lines if line and line[0] != "#"])


def operators(files: Files) -> Cells:
    lines = [re.match(r"\s*(\S+) (.*)", line) for line in find(files, "stdnum/imsi.dat").decode().splitlines()]
    found = [line for line in lines if line and not line[0].startswith("#")]
    return cells([{"prefix": line[1]} | dict(re.findall(r'(\w+)="([^"]*)"', line[2])) for line in found])


def crawlers(files: Files) -> Cells:
    rows = json.loads(find(files, "crawler-user-agents.json"))
    return cells([row | {"instances": len(row.get("instances", []))} for row in rows])


def rates(files: Files) -> Cells:
    said = json.loads(find(files, "currencies/usd.json"))
    return cells([{"date": said["date"], "currency": name, "usd": rate} for name, rate in said["usd"].items()])


def mail_domains(files: Files) -> Cells:
    names = json.loads(find(files, "package/domains.json"))
    return cells([{"domain": name, "suffix": name.rsplit(".", 1)[-1]} for name in names])


def pairs(end: str, key: str, value: str) -> Callable[[Files], Cells]:
    """A reader of a JSON object: its keys and values as two columns."""
    return lambda files: cells([{key: k, value: v} for k, v in json.loads(find(files, end)).items()])


def media_types(files: Files) -> Cells:
    rows = json.loads(find(files, "package/db.json")).items()
    names = ("source", "charset", "compressible")
    return cells(
        [
            {"type": kind, **{n: row.get(n) for n in names}, "extensions": " ".join(row.get("extensions", []))}
            for kind, row in rows
        ]
    )


def records(end: str) -> Callable[[Files], Cells]:
    """A reader of a JSON list of objects."""
    return lambda files: cells(json.loads(find(files, end)))


def objects(end: str, *keys: str) -> Callable[[Files], Cells]:
    """A reader of JSON objects: those of a list, or of an object by their names (`key`), below `keys`. Of each what is
    text, number, truth or a list of such; of many one of so many by its first cell."""

    def read(files: Files) -> Cells:
        said = json.loads(find(files, end))
        for key in keys:
            said = said[key]
        found = said if isinstance(said, list) else [{"key": k} | v for k, v in said.items() if isinstance(v, dict)]
        rows = [row for row in found if isinstance(row, dict) and row]
        kept = [row for row in rows if is_sampled(str(next(iter(row.values()))), len(rows))]
        return cells(
            [{name: _flat(value) for name, value in row.items() if not isinstance(value, dict)} for row in kept]
        )

    return read


_EVERY: ContextVar[list[int] | None] = ContextVar("_EVERY", default=None)


@contextmanager
def one_table() -> Iterator[None]:
    """Within it all releases are of one table, and of each one row of as many is drawn as the first that is read asks
    for: a table that grows past a limit would lose half of its sample there."""
    token = _EVERY.set([])
    try:
        yield
    finally:
        _EVERY.reset(token)


def is_sampled(key: str, rows: int) -> bool:
    """Whether a row is among the sample of a table of so many rows: one of so many by the hash of its key.

    >>> keys = [str(n) for n in range(9000)]
    >>> with one_table():
    ...     first = {key for key in keys[:3900] if is_sampled(key, 3900)}
    ...     then = {key for key in keys if is_sampled(key, 9000)}
    >>> len(first), len(then), first <= then, sum(is_sampled(key, 9000) for key in keys) < 3100
    (3900, 9000, True, True)
    """
    every, fixed = max(-(-rows // (2 * MOST_ROWS)), 1), _EVERY.get()
    if fixed is not None:
        fixed[:] = fixed or [every]
        every = fixed[0]
    return zlib.crc32(key.encode()) % every == 0


def _flat(value: object) -> object:
    return " ".join(str(one) for one in value if not isinstance(one, dict | list)) if isinstance(value, list) else value


def icons(files: Files) -> Cells:
    said = json.loads(find(files, "simple-icons.json"))
    rows = said["icons"] if isinstance(said, dict) else said
    return cells([row | {"license": (row.get("license") or {}).get("type")} for row in rows])


def top_agents(files: Files) -> Cells:
    return cells([{"user_agent": a, "rank": k} for k, a in enumerate(json.loads(find(files, "src/desktop.json")), 1)])


def agents(files: Files) -> Cells:
    rows = json.loads(find(files, "src/user-agents.json.gz", "dist/user-agents.json"))[:MOST_ROWS]
    more = {"connection_type": "effectiveType", "downlink": "downlink", "rtt": "rtt"}
    flat = [
        {k: v for k, v in row.items() if k != "connection"}
        | {name: (row.get("connection") or {}).get(key) for name, key in more.items()}
        for row in rows
    ]
    return cells(flat)


def assigned(end: str, name: str, *fields: str) -> Callable[[Files], Cells]:
    """A reader of a module of Python that assigns a list of rows to `name`."""

    def read(files: Files) -> Cells:
        for statement in ast.parse(find(files, end)).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name:
                rows = ast.literal_eval(statement.value)
                kept = [row for row in rows if is_sampled(str(row[0]), len(rows))]
                return cells([dict(zip(fields, row, strict=False)) for row in kept])
        raise KeyError(name)

    return read


def blocked(files: Files) -> Cells:
    found = re.findall(r"'([\w.-]+)'", find(files, "disposable_email_domains/__init__.py").decode())
    names = [name for name in sorted(set(found)) if is_sampled(name, len(found))]
    return cells([{"domain": name, "suffix": name.rsplit(".", 1)[-1]} for name in names])


def privileges(files: Files) -> Cells:
    services = json.loads(find(files, "shared/data/iam-definition.json"))
    rows = [
        {"service": s.get("service_name"), "prefix": prefix}
        | {name: p.get(name) for name in ("privilege", "access_level", "description", "api_documentation_link")}
        for prefix, s in services.items()
        if isinstance(s, dict)
        for p in s.get("privileges", {}).values()
    ]
    return cells([row for row in rows if is_sampled(f"{row['prefix']}:{row['privilege']}", len(rows))])


def electron_releases(files: Files) -> Cells:
    rows = json.loads(find(files, "package/lite.json", "package/index.json"))
    names = ("tag_name", "name", "prerelease", "published_at", "version", "npm_package_name", "total_downloads")
    return cells(
        [
            {name: row.get(name) for name in names} | (row.get("deps") or {})
            for row in rows
            if is_sampled(row["tag_name"], len(rows))
        ]
    )


def vendors(files: Files) -> Cells:
    said = json.loads(find(files, "package/index.json")).items()
    parted = ((prefix, *text.split("\n", 1), "") for prefix, text in said if is_sampled(prefix, len(said)))
    return cells(
        [{"prefix": one[0], "vendor": one[1], "address": one[2], "country": one[2].split("\n")[-1]} for one in parted]
    )


def names_of_list(end: str) -> Callable[[Files], Cells]:
    """A reader of a JSON list of names."""
    return lambda files: cells([{"name": one, "length": len(one)} for one in json.loads(find(files, end))])


def browser_releases(files: Files) -> Cells:
    browsers = json.loads(find(files, "package/data.json"))["browsers"].items()
    return cells(
        [
            {"browser": name, "version": version} | row
            for name, browser in browsers
            for version, row in browser["releases"].items()
        ]
    )


def brands(files: Files) -> Cells:
    groups = json.loads(find(files, "dist/json/nsi.json", "dist/nsi.json"))["nsi"].items()
    tags = ("brand", "brand:wikidata", "brand:wikipedia", "name", "operator", "cuisine")
    rows = [
        {"path": path, "id": one["id"], "display": one["displayName"]}
        | {"places": one.get("locationSet", {}).get("include")}
        | {name: one["tags"].get(name) for name in tags}
        for path, group in groups
        for one in group["items"]
    ]
    return cells([row for row in rows if is_sampled(row["id"], len(rows))])


def zone_offsets(files: Files) -> Cells:
    names = ("zone", "abbreviations", "offsets", "order", "changes", "population")
    packed = json.loads(find(files, "packed/latest.json"))["zones"]
    return cells([dict(zip(names, one.split("|"), strict=False)) for one in packed])


def telephones(files: Files) -> Cells:
    names = ("calling_code", "international_prefix", "pattern", "lengths")
    said = json.loads(find(files, "metadata.full.json", "metadata.max.json"))["countries"].items()
    return cells([{"country": country} | dict(zip(names, row, strict=False)) for country, row in said])


def regions(files: Files) -> Cells:
    rows = [
        {"country": one["countryName"], "country_code": one["countryShortCode"]} | region
        for one in json.loads(find(files, "package/data.json"))
        for region in one["regions"]
    ]
    return cells([row for row in rows if is_sampled(f"{row['country_code']} {row['name']}", len(rows))])


def rotation(files: Files) -> Cells:
    """How the earth turns, a day a row: columns by their places in the lines (the file's own description)."""
    places = {"year": (0, 2), "month": (2, 4), "day": (4, 6), "mjd": (7, 15), "kind": (16, 17), "pole_x": (18, 27)}
    places |= {"pole_x_error": (27, 36), "pole_y": (37, 46), "pole_y_error": (46, 55), "kind_of_time": (57, 58)}
    places |= {"ut1_utc": (58, 68), "ut1_utc_error": (68, 78), "day_length": (79, 86)}
    lines = find(files, "data/finals2000A.all").decode().splitlines()
    kept = [line for line in lines if is_sampled(line[7:15], len(lines))]
    return cells([{name: line[a:b].strip() for name, (a, b) in places.items()} for line in kept])


def classifiers(files: Files) -> Cells:
    found = re.findall(r'^    "([^"]+)",?$', find(files, "trove_classifiers/__init__.py").decode(), re.MULTILINE)
    parts = ((name, name.split(" :: ")) for name in dict.fromkeys(found))
    return cells([{"classifier": name, "group": one[0], "last": one[-1], "depth": len(one)} for name, one in parts])


def reference_rates(files: Files) -> Cells:
    """Rates of the euro of the latest `MOST_ROWS` days, a currency a column."""
    with zipfile.ZipFile(io.BytesIO(find(files, "eurofxref-hist.zip", "eurofxref.zip"))) as packed:
        rows = csv.DictReader(io.StringIO(packed.read(packed.namelist()[0]).decode()))
        return cells([{k: v for k, v in row.items() if k} for _, row in zip(range(MOST_ROWS), rows, strict=False)])


def lexers(files: Files) -> Cells:
    for statement in ast.parse(find(files, "lexers/_mapping.py")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "LEXERS":
            rows = ast.literal_eval(statement.value).items()
            names = ("module", "name", "aliases", "files", "types")
            return cells(
                [
                    {"class": k}
                    | {n: _flat(list(v) if isinstance(v, tuple) else v) for n, v in zip(names, row, strict=False)}
                    for k, row in rows
                ]
            )
    raise KeyError("LEXERS")


def machines(files: Files) -> Cells:
    rows = json.loads(find(files, "ec2/resources/instance_types.json.gz", "ec2/resources/instance_types.json"))
    nested = {"memory": ("MemoryInfo", "SizeInMiB"), "processors": ("VCpuInfo", "DefaultVCpus")}
    nested |= {"network": ("NetworkInfo", "NetworkPerformance"), "clock": ("ProcessorInfo", "SustainedClockSpeedInGhz")}
    return cells(
        [
            {"key": key}
            | {name: _flat(value) for name, value in row.items() if not isinstance(value, dict)}
            | {name: (row.get(part) or {}).get(inner) for name, (part, inner) in nested.items()}
            for key, row in rows.items()
        ]
    )


def makers(files: Files) -> Cells:
    found = re.findall(r'"(0x[0-9a-f]{4})": "([^"]*)"', find(files, "config/manufacturers.json").decode())
    return cells([{"id": one, "maker": maker} for one, maker in found])
