"""Tables whose rows have numbers that people gave them, inside releases of packages: banks, boards, prefixes."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import yaml

from benchmarks.releases.inside.catalogues import plain
from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those
from benchmarks.releases.subjects.quantities import amounts

PREFIX = ("alpha2", "alpha3", "country_code", "country_name")


def bank_numbers(files: Files) -> Cells:
    """Banks of a country by their three digits, with the five that they are registered under, and their names."""
    said: dict[str, dict[str, str]] = {}
    for node in ast.parse(find(files, "clabe/banks.py")).body:
        if isinstance(node, ast.Assign):
            said[ast.unparse(node.targets[0])] = ast.literal_eval(node.value)
    names = said["BANK_NAMES"]
    return cells([{"code": code, "number": of, "name": names.get(of)} for code, of in said["BANKS"].items()])


def board_codes(files: Files) -> Cells:
    """Boards that a system of embedded devices runs on, by a code of four characters."""
    rows = json.loads(find(files, "board_database_snapshot.json"))
    return cells([plain(row) for row in rows])


def dialled_prefixes(files: Files) -> Cells:
    """With which digits mobile numbers of a country begin, and how many follow: one row a country and prefix."""
    text = find(files, "data/country_phone_data.js", "lib/iso3166Data.js").decode()
    rows = []
    for block in re.split(r"^ *\{$", text, flags=re.MULTILINE)[1:]:
        said: dict[str, Any] = dict(re.findall(r"[\"']?(\w+)[\"']?: [\"']([^\"']*)[\"']", block))
        of = dict(re.findall(r"[\"']?(\w+)[\"']?: \[(.*?)\]", block, re.DOTALL))
        lengths = " ".join(re.findall(r"\d+", of.get("phone_number_lengths", "")))
        for prefix in re.findall(r"\d+", of.get("mobile_begin_with", "")):
            rows.append({name: said.get(name) for name in PREFIX} | {"prefix": prefix, "lengths": lengths})
    return cells([row for row in rows if is_sampled(f"{row['alpha2']} {row['prefix']}", len(rows))])


def province_amounts(files: Files) -> Cells:
    """What rules of taxes and benefits of a country and its provinces say from which day on."""
    rows: list[dict[str, Any]] = []
    for match, text in those(files, r"policyengine_canada/parameters/(.+)\.yaml$"):
        said = yaml.load(text, yaml.CBaseLoader)  # noqa: S506 -- it makes texts of all, also of days of a year 0
        rows += [{"parameter": match[1].replace("/", ".")} | row for row in amounts(said)]
    return cells([row for row in rows if is_sampled(f"{row['parameter']} {row['part']}", len(rows))])
