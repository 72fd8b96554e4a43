"""Tables of measurements, money and parts inside releases of packages, with keys of several columns, and tables of one
release that name rows of each other."""

from __future__ import annotations

import ast
import csv
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

import yaml

from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those

METRIC = ("short_id", "name", "message_type", "metric_type", "metric_nature", "value_type", "unit_of_measurement")
RANGE = ("min", "max", "min_max_range", "step", "precision", "enum", "sub_device_key")
SETTING = ("friendly_name", "input", "default_value", "unit", "select_options", "Description")
PRODUCT = ("name", "model", "manufacturer")
NEVER = "0"  # how the years begin from which something held for ever: of them the day is left out

HERO = (
    "id", "name", "localized_name", "real_name", "roles", "role_levels", "color", "legs", "team", "base_health_regen",
    "base_mana_regen", "base_movement", "base_attack_speed", "turn_rate", "base_armor", "attack_range",
    "attack_projectile_speed", "attack_damage_min", "attack_damage_max", "attack_rate", "attack_point", "attr_primary",
    "attr_strength_base", "attr_strength_gain", "attr_intelligence_base", "attr_intelligence_gain", "attr_agility_base",
    "attr_agility_gain", "vision_day", "vision_night", "magic_resistance", "is_melee",
)  # fmt: skip
ABILITY = (
    "id", "name", "localized_name", "hero_id", "behavior", "damage_type", "spell_immunity", "target_team",
    "dispellable", "cast_range", "cast_point", "channel_time", "cooldown", "duration", "damage", "mana_cost", "slot",
    "icon", "scepter_grants", "scepter_upgrades", "innate",
)  # fmt: skip
ITEM = (
    "id", "name", "localized_name", "quality", "icon", "cost", "cooldown", "cast_range", "mana_cost", "duration",
    "base_level", "secret_shop", "neutral_tier", "recipe", "shop_tags",
)  # fmt: skip


def _said(node: ast.expr | None) -> Any:
    """What an expression says: a literal, the last name of a chain of them, or its text."""
    if node is None:
        return None
    try:
        return ast.literal_eval(node)
    except ValueError:
        return node.attr if isinstance(node, ast.Attribute) else ast.unparse(node)


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func).rsplit(".", 1)[-1]


def _assigned(text: str | bytes) -> Iterator[tuple[str, ast.expr]]:
    """What a module of Python, or a class in it, assigns to a name, without running it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign):
            yield ast.unparse(node.targets[0]), node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield ast.unparse(node.target), node.value


def _named(call: ast.Call) -> dict[str, Any]:
    return {one.arg: _said(one.value) for one in call.keywords if one.arg}


def _entries(node: ast.expr) -> Iterator[tuple[Any, ast.expr]]:
    """The keys and values of a dictionary that is written down; what is unpacked into it is left out."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                yield _said(key), value


def inverter_sensors(files: Files) -> Cells:
    """What inverters of solar panels measure, at which number, and in which unit: one row a sensor of a family."""
    rows = []
    for match, text in those(files, r"goodwe/(\w+)\.py$"):
        for group, value in _assigned(text):
            for call in value.elts if isinstance(value, ast.Tuple) else ():
                if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
                    said = [one.value for one in call.args if isinstance(one, ast.Constant)]
                    numbers = [one for one in said if isinstance(one, int)]
                    texts = [one for one in said if isinstance(one, str)]
                    kinds = [one.attr for one in call.args if isinstance(one, ast.Attribute)]
                    row = {"family": match[1], "group": group.strip("_"), "kind": _called(call), "sensor": said[0]}
                    row |= {"register": numbers[0] if numbers else None, "label": " ".join(texts[1:2])}
                    rows.append(row | {"unit": " ".join(texts[2:3]), "measures": kinds[-1] if kinds else None})
    return cells(rows)


def inverter_registers(files: Files) -> Cells:
    """At which number which quantity of an inverter stands, in which unit and by which factor."""
    rows = []
    for _, text in those(files, r"huawei_solar/(?:registers|huawei_solar)\.py$"):
        for name, value in _assigned(text):
            if name.endswith("REGISTERS"):
                rows += [{"group": name.lower()} | row for row in _registers(value)]
    return cells(rows)


def _registers(node: ast.expr) -> Iterator[dict[str, Any]]:
    for name, call in _entries(node):
        if isinstance(call, ast.Call):
            said = [_said(one) for one in call.args]
            kind = said.pop(0) if _called(call) == "RegisterDefinitions" else _called(call)
            numbers = [one for one in said if isinstance(one, int | float) and not isinstance(one, bool)]
            at = next((k for k, one in enumerate(numbers) if one >= 10_000), None)  # registers have five digits
            if at is not None:
                row = {"name": str(name).lower(), "kind": kind, "register": numbers[at]}
                row |= {"unit": next((one for one in said if isinstance(one, str)), None)}
                row |= {"factor": numbers[0] if at else None, "length": next(iter(numbers[at + 1 :]), None)}
                yield row | _named(call)


def object_formats(files: Files) -> Cells:
    """How small sensors send what they measure: a number for each quantity, how many bytes, and a factor."""
    rows = []
    for name, value in _assigned(find(files, "bthome_ble/const.py")):
        for code, call in _entries(value) if name == "MEAS_TYPES" else ():
            if isinstance(call, ast.Call):
                of = next((one.value for one in call.keywords if one.arg == "meas_format"), None)
                within = _named(of) if isinstance(of, ast.Call) else {}
                measure, _, unit = str(within.get("device_class") or _said(of)).partition("__")
                more = {key: one for key, one in _named(call).items() if key != "meas_format"}
                is_binary = isinstance(of, ast.Call) and "Binary" in _called(of)
                rows.append({"code": code, "measure": measure, "unit": unit, "is_binary": is_binary} | more)
    return cells(rows)


def ble_products(files: Files) -> Cells:
    """Devices that send by radio, by the number that each says it is."""
    rows = []
    for match, text in those(files, r"xiaomi_ble/(devices|parser|const)\.py$"):
        for _, value in _assigned(text):
            for code, call in _entries(value):
                if isinstance(code, int) and isinstance(call, ast.Call) and "Device" in _called(call):
                    row = {"module": match[1], "code": f"0x{code:04x}", "number": code}
                    rows.append(row | dict(zip(PRODUCT, map(_said, call.args), strict=False)) | _named(call))
    return cells(rows)


def topic_metrics(files: Files) -> Cells:
    """Under which topic which quantity of an energy system is told, with its unit, range and precision."""
    rows = []
    for node in ast.walk(ast.parse(find(files, "victron_mqtt/_victron_topics.py"))):
        if isinstance(node, ast.Call) and _called(node) == "TopicDescriptor":
            said = _named(node)
            service = str(said.get("topic")).split("/")[2:3]
            row = {"topic": said.get("topic"), "service": " ".join(service)}
            rows.append(row | {name: said.get(name) for name in (*METRIC, *RANGE)})
    return cells(rows)


def weather_parameters(files: Files) -> Cells:
    """What services measure of the weather, how often and in which unit: one row a provider, resolution, dataset and
    parameter."""
    rows = []
    for match, text in those(files, r"wetterdienst/provider/(\w+)/(\w+)/metadata\.py$"):
        provider = {"provider": match[1], "network": match[2]}
        for name, value in _assigned(text):
            if name.endswith("MetadataSpec") or name.endswith("Metadata"):
                rows += [provider | row for row in _parameters(value)]
    return cells([row for row in rows if is_sampled(" ".join(map(str, list(row.values())[:5])), len(rows))])


def _under(node: ast.expr, key: str) -> Iterator[dict[str, ast.expr]]:
    """The dictionaries of the list that a dictionary has under a key."""
    for one in getattr(dict(_entries(node)).get(key), "elts", ()):
        yield dict(_entries(one))


def _parameters(node: ast.expr) -> Iterator[dict[str, Any]]:
    for resolution in _under(node, "resolutions"):
        every = {"resolution": _said(resolution.get("name")), "periods": _said(resolution.get("periods"))}
        for one in getattr(resolution.get("datasets"), "elts", ()):
            dataset = dict(_entries(one))
            base = every | {"dataset": _said(dataset.get("name")), "dataset_code": _said(dataset.get("name_original"))}
            for parameter in _under(one, "parameters"):
                row = {"parameter": _said(parameter.get("name")), "code": _said(parameter.get("name_original"))}
                yield base | row | {"unit": _said(parameter.get("unit"))}


def component_attributes(files: Files) -> Cells:
    """What the components of a model of power grids are described by: a delimited file a component."""
    rows = []
    for match, text in those(files, r"component_attrs/(\w+)\.csv$"):
        rows += [{"component": match[1]} | row for row in csv.DictReader(text.splitlines())]
    return cells([{name: value for name, value in row.items() if name} for row in rows])


def lamp_products(files: Files) -> Cells:
    """Lamps by their numbers, with what each can do and between which colours of light."""
    said: dict[str, Mapping[int, Any]] = {}
    for end in ("aiolifx/products_defs.py", "aiolifx/products.py"):
        if any(path.endswith(end) for path in files):
            for name, value in _assigned(find(files, end)):
                if name in ("product_map", "features_map"):
                    said.setdefault(name, ast.literal_eval(value))
    features = said["features_map"]
    return cells([{"number": key, "name": name} | features.get(key, {}) for key, name in said["product_map"].items()])


def benefit_amounts(files: Files) -> Cells:
    """What rules of taxes and benefits say from which day on: a parameter, a part of it, and a day have one value."""
    rows: list[dict[str, Any]] = []
    for match, text in those(files, r"policyengine_uk/parameters/(.+)\.yaml$"):
        said = yaml.load(text, yaml.CBaseLoader)  # noqa: S506 -- it makes texts of all, also of days of a year 0
        rows += [{"parameter": match[1].replace("/", ".")} | row for row in amounts(said)]
    return cells([row for row in rows if is_sampled(f"{row['parameter']} {row['part']}", len(rows))])


def amounts(said: Any, part: str = "", unit: str | None = None) -> Iterator[dict[str, Any]]:
    """The values below, each with the names above it, from which day on it holds, and the unit that is nearest."""
    if isinstance(said, list):
        said = {str(k): one for k, one in enumerate(said)}
    if isinstance(said, dict):
        about = said.get("metadata")
        unit = about.get("unit", unit) if isinstance(about, dict) and isinstance(about.get("unit"), str) else unit
        for name, of in said.items():
            value = of.get("value") if isinstance(of, dict) else of
            if re.fullmatch(r"\d{4}-\d\d-\d\d", name) and isinstance(value, str):
                day = "" if name.startswith(NEVER) else name
                yield {"part": part, "day": day, "value": value.replace("_", ""), "unit": unit}
            elif name not in ("metadata", "description", "reference"):
                yield from amounts(of, f"{part}.{name}".strip("."), unit)


def firmware_files(files: Files) -> Cells:
    """Firmware of devices: where a file of it is, of which version and build, for which devices, and its checksums."""
    said = json.loads(find(files, "share/ipsw.json"))["ipsw_files"]
    rows = []
    for name, of in said.items():
        if is_sampled(name, len(said)):
            about, sums = of.get("metadata") or {}, of.get("hashes") or {}
            places = [one["url"] for one in of.get("urls") or () if "url" in one]
            row = {"file": name, "version": about.get("version"), "build": about.get("build_number")}
            row |= {"devices": " ".join(about.get("products") or ()), "url": places[0] if places else None}
            rows.append(row | {"places": len(places), "md5": sums.get("md5"), "sha1": sums.get("sha1")})
    return cells(rows)


def in_database(table: str, *columns: str) -> Callable[[Files], Cells]:
    """A reader of a table of a database in a file (SQLite): the columns that are there, all where none is named."""

    def read(files: Files) -> Cells:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(find(files, ".db"))
            database.row_factory = sqlite3.Row
            rows = [dict(row) for row in database.execute(f'select * from "{table}"')]
        there = next(iter(rows), {})  # none in a release whose table is empty
        kept = [name for name in columns or there if name in there]
        named = [{name: row[name] for name in kept} for row in rows]
        return cells([row for row in named if is_sampled(" ".join(map(str, list(row.values())[:2])), len(rows))])

    return read


def optimiser_settings(files: Files) -> Cells:
    """What can be set of a planner of energy, by section: its kind, its unit and what it is without."""
    said = json.loads(find(files, "data/param_definitions.json"))
    return cells(
        [
            {"section": section, "setting": name} | {key: of.get(key) for key in SETTING}
            for section, settings in said.items()
            for name, of in settings.items()
        ]
    )
