"""Tables of numbers, days and things with prices inside releases of packages: creatures and goods of games, shares,
planets, tides, school holidays."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.releases.inside.catalogues import plain
from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled, those

GENERATIONS = range(9, 7, -1)
MOVE = ("num", "name", "type", "category", "basePower", "accuracy", "pp", "priority", "target", "critRatio")
GOOD = (
    "id", "name", "last_updated", "members", "tradeable", "stackable", "noted", "equipable", "cost", "lowalch",
    "highalch", "weight", "buy_limit", "quest_item", "release_date", "duplicate", "examine", "wiki_url",
)  # fmt: skip
MONSTER = (
    "id", "name", "last_updated", "members", "release_date", "combat_level", "size", "hitpoints", "max_hit",
    "attack_type", "attack_speed", "aggressive", "poisonous", "venomous", "attributes", "category", "slayer_level",
    "slayer_xp", "duplicate", "examine", "attack_level", "defence_level", "magic_level", "ranged_level",
)  # fmt: skip
FIELD = ("ml_task", "ag_task", "sensor_modality", "real_synthetic", "platform", "input_data_format",
         "annotation_format", "n_images", "docs_url")  # fmt: skip


def creatures(files: Files) -> Cells:
    """Creatures of a game with what each measures and how strong it is."""
    said = json.loads(find(files, *(f"pokedex/gen{one}pokedex.json" for one in GENERATIONS)))
    rows = []
    for key, of in said.items():
        row = {"key": key} | {name: of.get(name) for name in ("num", "name", "types", "heightm", "weightkg", "color")}
        row |= {name: (of.get("baseStats") or {}).get(name) for name in ("hp", "atk", "def", "spa", "spd", "spe")}
        row |= {"abilities": list((of.get("abilities") or {}).values()), "egg_groups": of.get("eggGroups")}
        rows.append(row | {"before": of.get("prevo"), "tier": of.get("tier"), "forme": of.get("forme")})
    return cells([plain(row) for row in rows])


def attacks(files: Files) -> Cells:
    """What creatures of a game can do, how hard it hits, and whom."""
    said = json.loads(find(files, *(f"moves/gen{one}moves.json" for one in GENERATIONS)))
    return cells(
        [
            plain({"key": key} | {name: of.get(name) for name in MOVE} | {"flags": list(of.get("flags") or ())})
            for key, of in said.items()
        ]
    )


def kept(end: str, *names: str) -> Callable[[Files], Cells]:
    """A reader of an object of JSON objects: the fields that are named, of a sample of them."""

    def read(files: Files) -> Cells:
        said = json.loads(find(files, end))
        return cells(
            [plain({name: of.get(name) for name in names}) for key, of in said.items() if is_sampled(key, len(said))]
        )

    return read


def village_levels(files: Files) -> Cells:
    """What buildings and troops of a game cost and withstand: one row a thing and level."""
    said = json.loads(find(files, "coc/static/static_data.json"))
    rows = []
    for kind, things in said.items():
        for thing in things:
            about = {"kind": kind, "id": thing.get("_id"), "name": thing.get("name"), "village": thing.get("village")}
            for level in thing.get("levels", ()):
                rows.append(about | plain(level))
    return cells([row for row in rows if is_sampled(f"{row['id']} {row.get('level')}", len(rows))])


def traded_symbols(files: Files) -> Cells:
    """Shares of an exchange by symbol, with the numbers and names that each has, and had."""
    said = json.loads(find(files, "data/symbols_name.json"))
    rows = [{"symbol": key} | (of if isinstance(of, dict) else {"index": of}) for key, of in said.items()]
    return cells([plain(row) for row in rows])


def companions(files: Files) -> Cells:
    """Planets and dwarfs that were seen beside their stars: distances, ages and masses, each with its error."""
    rows = []
    for name, of in json.loads(find(files, "companion_data/companion_data.json")).items():
        row: dict[str, Any] = {"name": name}
        for key, value in of.items():
            if isinstance(value, list) and value and isinstance(value[0], int | float):
                row |= {key: value[0], f"{key}_error": value[-1]}
            elif not isinstance(value, dict):
                row[key] = value
        rows.append(plain(row) | {"bands": len(of.get("app_mag", ()))} | _magnitudes(of.get("app_mag") or {}))
    return cells(rows)


def _magnitudes(said: Mapping[str, Any]) -> dict[str, Any]:
    first = next(iter(said.items()), None)
    if first is None:
        return {}
    value = first[1][0] if isinstance(first[1][0], list) else first[1]
    return {"first_band": first[0], "first_magnitude": value[0], "first_magnitude_error": value[-1]}


def tide_models(files: Files) -> Cells:
    """Models of tides, in which form each comes, of which files, and where it is described."""
    said = json.loads(find(files, "data/database.json"))
    groups = said if {"elevation", "current"} & set(said) else {"": said}
    rows = []
    for group, models in groups.items():
        for name, of in models.items():
            parts = [of[part] for part in ("z", "u", "v") if isinstance(of.get(part), dict)]
            many = [part.get("model_file") for part in parts] or [of.get("model_file")]
            row = {"group": group, "key": name} | {
                key: of.get(key) for key in ("name", "format", "version", "reference")
            }
            row |= {"files": sum(len(one) if isinstance(one, list) else bool(one) for one in many)}
            first = parts[0] if parts else of
            row |= {key: first.get(key) for key in ("grid_file", "units", "variable")}
            rows.append(row | {"scale": first.get("scale", of.get("scale")), "projection": of.get("projection")})
    return cells(rows)


def field_datasets(files: Files) -> Cells:
    """Pictures of fields and crops that were gathered to learn from: where, how many, and taken by what."""
    rows = []
    for _, text in those(files, r"_assets/public_datasources\.json$"):
        for name, of in json.loads(text).items():
            row = {"name": name} | {key: of.get(key) for key in FIELD}
            row |= {key: (of.get("location") or {}).get(key) for key in ("continent", "country")}
            means = (of.get("stats") or {}).get("mean") or ()
            row |= {"classes": len(of.get("classes") or ())}
            rows.append(row | {f"mean_{key}": one for key, one in enumerate(means)})
    return cells(rows)


def school_holidays(files: Files) -> Cells:
    """On which days schools of three zones are closed, and what the holidays are called: days are added."""
    rows = list(csv.DictReader(find(files, "data/data.csv").decode().splitlines()))
    return cells([row for row in rows if is_sampled(row["date"], len(rows))])
