"""Tables of numbers inside the releases of packages: rates, tariffs, limits, measures and days, each by a reader."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those

FEES = ("fixedMinGasPrice", "lowGasPrice", "averageGasPrice", "highGasPrice")
CHAIN = (
    "chainName",
    "chainType",
    "chainId",
    "status",
    "bech32Prefix",
    "slip44",
    "denom",
    "recommendedVersion",
    "gitRepo",
)


class _Described(yaml.CSafeLoader):
    """A loader to which what belongs to Python in a description is nothing."""


_Described.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def vat_rates(files: Files) -> Cells:
    """The rates of the tax on sales of countries."""
    rows = []
    for code, one in json.loads(find(files, "eu_vat_rates_data.json"))["rates"].items():
        row = {"code": code} | {name: value for name, value in one.items() if not isinstance(value, dict | list)}
        lower = one.get("reduced") or []
        rows.append(row | {"reduced": " ".join(map(str, lower)), "rates": len(lower)})
    return cells(rows)


def leverage_tiers(files: Files) -> Cells:
    """How much may be borrowed for each contract of an exchange, by the size of a position."""
    said = json.loads(find(files, "exchange/binance_leverage_tiers.json"))
    rows = [_plain(one) | _plain(one.get("info") or {}) for tiers in said.values() for one in tiers]
    return cells([row for row in rows if is_sampled(f"{row['symbol']} {row['tier']}", len(rows))])


def _plain(one: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if not isinstance(value, dict | list)}


def risk_factors(files: Files) -> Cells:
    """By how much each condition of a patient raises what is expected to be paid."""
    rows = [
        {"year": match[1]} | row
        for match, text in those(files, r"ra_coefficients_(\d+)\.csv$")
        for row in csv.DictReader(io.StringIO(text))
    ]
    return cells([row for row in rows if is_sampled(f"{row['year']} {row['coefficient']}", len(rows))])


def model_footprints(files: Files) -> Cells:
    """Language models and how large they are said to be, in thousands of millions of parameters."""
    rows = []
    for one in json.loads(find(files, "data/models.json"))["models"]:
        shape, speed = one.get("architecture") or {}, one.get("deployment") or {}
        size = shape.get("parameters")
        parts = size if isinstance(size, dict) and "total" in size else {"total": size}
        row = {"provider": one.get("provider"), "name": one.get("name"), "kind": shape.get("type")}
        for name in ("total", "active"):
            least, most = _range(parts.get(name))
            row |= {f"{name}_least": least, f"{name}_most": most}
        row |= {"warnings": " ".join(one.get("warnings") or ()), "tps": speed.get("tps"), "ttft": speed.get("ttft")}
        rows.append(row | {"source": next(iter(one.get("sources") or ()), None)})
    return cells(rows)


def _range(size: Any) -> tuple[Any, Any]:
    return (size.get("min"), size.get("max")) if isinstance(size, dict) else (size, size)


def grid_tariffs(files: Files) -> Cells:
    """What networks charge for a kilowatt-hour by the time of day, from modules of Python without running them."""
    rows: list[dict[str, Any]] = []
    for match, text in those(files, r"aemo_to_tariff/(\w+)\.py$"):
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
                head = {"network": match[1], "table": ast.unparse(statement.targets[0])}
                for code, tariff in zip(statement.value.keys, statement.value.values, strict=True):
                    if isinstance(code, ast.Constant) and isinstance(tariff, ast.Dict):
                        rows += [head | {"tariff": code.value} | one for one in _periods(tariff)]
    return cells(rows)


def _periods(tariff: ast.Dict) -> Iterator[dict[str, Any]]:
    said = {key.value: of for key, of in zip(tariff.keys, tariff.values, strict=True) if isinstance(key, ast.Constant)}
    name, periods = said.get("name"), said.get("periods")
    for one in periods.elts if isinstance(periods, ast.List) else ():
        if isinstance(one, ast.Tuple) and len(one.elts) == 4:
            period, start, end, rate = one.elts
            yield {
                "name": name.value if isinstance(name, ast.Constant) else None,
                "period": period.value if isinstance(period, ast.Constant) else None,
                "start": _hour(start),
                "end": _hour(end),
                "rate": _amount(rate),
            }


def _hour(call: ast.expr) -> str | None:
    """A ``time(15, 0)`` as 15:00."""
    given = [one.value for one in call.args if isinstance(one, ast.Constant)] if isinstance(call, ast.Call) else []
    return ":".join(f"{part:02}" for part in given if isinstance(part, int)) or None


def _amount(said: ast.expr) -> float | None:
    """A number, also the sum of two."""
    if isinstance(said, ast.BinOp) and isinstance(said.op, ast.Add):
        a, b = _amount(said.left), _amount(said.right)
        return None if a is None or b is None else round(a + b, 6)
    try:
        return float(ast.literal_eval(said))
    except (ValueError, TypeError):
        return None


def exchange_closures(files: Files) -> Cells:
    """Days on which exchanges were closed, or closed early, for once: dates in modules of Python."""
    rows = []
    for match, text in those(files, r"exchange_calendar_(\w+)\.py$"):
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign):
                occasion = ast.unparse(statement.targets[0])
                said = (one.value for one in ast.walk(statement.value) if isinstance(one, ast.Constant))
                days = [one for one in said if isinstance(one, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", one)]
                rows += [{"exchange": match[1], "occasion": occasion, "day": one, "days": len(days)} for one in days]
    return cells([row for row in rows if is_sampled(f"{row['exchange']} {row['day']}", len(rows))])


def transparency_logs(files: Files) -> Cells:
    """Logs of certificates, with the days within which what they take ends."""
    rows = []
    for key, one in json.loads(find(files, "certificate-transparency-log.json")).items():
        kept: Mapping[str, Any] = next(iter(one.get("trust_stores") or ()), {})
        state, interval = kept.get("log_state") or {}, one.get("temporal_interval") or {}
        row = {"key": key} | _plain(one) | {"owner": kept.get("owner"), "state": state.get("state_type")}
        row |= {"since": state.get("timestamp"), "stores": len(one.get("trust_stores") or ())}
        rows.append(row | {"starts": interval.get("start_inclusive"), "ends": interval.get("end_exclusive")})
    return cells(rows)


def chain_fees(files: Files) -> Cells:
    """Networks of payment and the least, usual and highest prices of their fees, from modules of JavaScript."""
    rows = []
    for match, text in those(files, r"package/mainnet/(\w+)/chain\.js$"):
        row: dict[str, Any] = {"folder": match[1]}
        for name in (*CHAIN, *FEES):
            found = re.search(rf"\b{name}: (?:'([^'\n]*)'|([\d.e-]+))", text)
            row[name] = found and (found[1] or found[2])
        rows.append(row | {"endpoints": text.count("address: "), "tokens": text.count("fixedMinGasPrice: ")})
    return cells(rows)


def bridge_chains(files: Files) -> Cells:
    """Networks between which a bridge carries payments: how long their blocks take and how many are waited for."""
    rows = []
    for match, text in those(files, r"package/dist/chains/(\w+)/metadata\.js$"):
        said = json.loads(text[text.index("{") : text.rindex("}") + 1])
        row = {"chain": match[1]} | _plain(said) | _plain(said.get("blocks") or {})
        token, nodes = said.get("nativeToken") or {}, said.get("rpcUrls") or ()
        row |= {"symbol": token.get("symbol"), "decimals": token.get("decimals"), "nodes": len(nodes)}
        rows.append(row | {"node": nodes[0].get("http") if nodes else None})
    return cells(rows)


def satellite_bands(files: Files) -> Cells:
    """What instruments on satellites measure: lengths of waves in micrometres, resolutions in metres."""
    rows = []
    for match, text in those(files, r"satpy/etc/readers/([\w-]+)\.yaml$"):
        said = yaml.load(text, Loader=_Described)  # noqa: S506 - a safe loader, to which the tags of Python are nothing
        of = said.get("datasets") or {}
        for key, one in of.items() if isinstance(of, dict) else ():
            rows.append({"reader": match[1], "key": key} | _band(one))
    return cells([row for row in rows if is_sampled(f"{row['reader']} {row['key']}", len(rows))])


def _band(one: Mapping[str, Any]) -> dict[str, Any]:
    waves = one.get("wavelength")
    least, centre, most = waves if isinstance(waves, list) and len(waves) == 3 else (None, None, None)
    by = one.get("calibration")
    facts = {name: one.get(name) for name in ("name", "resolution", "standard_name", "units", "sensor")}
    row = {name: value for name, value in facts.items() if not isinstance(value, dict | list)}
    calibrations = " ".join(map(str, by)) if isinstance(by, dict | list) else by
    return row | {"least": least, "centre": centre, "most": most, "calibrations": calibrations}


def pump_registers(files: Files) -> Cells:
    """The registers of heat pumps: units, factors and limits of what they hold."""
    rows = []
    for match, text in those(files, r"nibe/data/(\w+)\.json$"):
        said = json.loads(text)
        for key, one in said.items() if isinstance(said, dict) else ():
            if isinstance(one, dict) and "size" in one:
                choices = len(one.get("mappings") or ())
                rows.append({"model": match[1], "register": key} | _plain(one) | {"choices": choices})
    return cells([row for row in rows if is_sampled(f"{row['model']} {row['register']}", len(rows))])


def item_prices(files: Files) -> Cells:
    """What the goods of a game cost and weigh, and since when there are any."""
    said = json.loads(find(files, "items-complete.json"))
    kept = [_plain(one) for key, one in said.items() if is_sampled(key, len(said))]
    return cells([{name: value for name, value in row.items() if name != "icon"} for row in kept])


def chip_memories(files: Files) -> Cells:
    """Where the memories of chips begin and how long they are, as modules of Python write it."""
    parts = re.compile(r"^class (\w+)\(|\b(\w+)Region\(([^()]*)\)", re.MULTILINE)
    rows = []
    for match, text in those(files, r"pyocd/target/builtin/target_(\w+)\.py$"):
        chip = ""
        for name, kind, given in parts.findall(text):
            chip = name or chip
            if kind:
                said = {key: value.strip("'\"") for key, value in re.findall(r"(\w+)\s*=\s*([\w'\"]+)", given)}
                rows.append({"module": match[1], "chip": chip, "kind": kind} | said)
    return cells(rows)


def image_models(files: Files) -> Cells:
    """Settings of trained models of pictures: calls in modules of Python, without running them."""
    rows: list[dict[str, Any]] = []
    for match, text in those(files, r"timm/models/(\w+)\.py$"):
        for found in ast.walk(ast.parse(text)):
            for key, of in zip(found.keys, found.values, strict=True) if isinstance(found, ast.Dict) else ():
                if isinstance(key, ast.Constant) and isinstance(of, ast.Call) and "cfg" in ast.unparse(of.func):
                    facts = {one.arg: ast.unparse(one.value).strip("'\"") for one in of.keywords if one.arg}
                    rows.append({"module": match[1], "model": key.value} | facts)
    return cells(rows)


def service_regions(files: Files) -> Cells:
    """In which regions the services of a cloud are, and under which names."""
    rows = []
    for part in json.loads(find(files, "botocore/data/endpoints.json"))["partitions"]:
        for service, one in part["services"].items():
            for region, said in (one.get("endpoints") or {}).items():
                scope, variants = said.get("credentialScope") or {}, said.get("variants") or ()
                row = {"partition": part["partition"], "service": service, "endpoint": region} | _plain(said)
                row |= {"region": scope.get("region"), "variants": len(variants)}
                rows.append(row | {"variant": variants[0].get("hostname") if variants else None})
    return cells([row for row in rows if is_sampled(f"{row['service']} {row['endpoint']}", len(rows))])


def firmware_dates(files: Files) -> Cells:
    """Switches and lamps, and how old their software may be: a table of calls in a module of Python."""
    text = find(files, "aioshelly/const.py").decode()
    named = {
        name: value.strip("\"'") for name, value in re.findall(r"^(\w+)(?:: \w+)? = (\"[^\"]*\"|\d+)$", text, re.M)
    }
    rows = []
    for given in re.findall(r"ShellyDevice\((.*?)\n    \)", text, re.DOTALL):
        said = re.findall(r"^\s+(\w+)=(.*?),?$", given, re.MULTILINE)
        rows.append({key: named.get(value, value.strip("\"'")) for key, value in said})
    return cells(rows)


def building_materials(files: Files) -> Cells:
    """What walls and roofs are made of: thickness, conductivity, density and heat of each layer."""
    said = json.loads(find(files, "constructions/opaque_material.json"))
    return cells([{"key": key} | _plain(one) for key, one in said.items()])
