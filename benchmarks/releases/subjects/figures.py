"""Tables of things with numbers, days and prices inside releases of packages: goods and monsters of a game, machines of
a cloud."""

from __future__ import annotations

import json
from collections.abc import Callable

from benchmarks.releases.inside.catalogues import plain
from benchmarks.releases.inside.readers import Cells, Files, cells, find, is_sampled

GOOD = (
    "id", "name", "last_updated", "members", "tradeable", "stackable", "noted", "equipable", "cost", "lowalch",
    "highalch", "weight", "buy_limit", "quest_item", "release_date", "duplicate", "examine", "wiki_url",
)  # fmt: skip
MONSTER = (
    "id", "name", "last_updated", "members", "release_date", "combat_level", "size", "hitpoints", "max_hit",
    "attack_type", "attack_speed", "aggressive", "poisonous", "venomous", "attributes", "category", "slayer_level",
    "slayer_xp", "duplicate", "examine", "attack_level", "defence_level", "magic_level", "ranged_level",
)  # fmt: skip


def kept(end: str, *names: str) -> Callable[[Files], Cells]:
    """A reader of an object of JSON objects: the fields that are named, of a sample of them."""

    def read(files: Files) -> Cells:
        said = json.loads(find(files, end))
        return cells(
            [plain({name: of.get(name) for name in names}) for key, of in said.items() if is_sampled(key, len(said))]
        )

    return read


def machine_regions(files: Files) -> Cells:
    """Which kinds of machines a cloud lends where: one row a region and kind."""
    rows = []
    for region, of in json.loads(find(files, "aws_ec2_instance/instancetype_enum.json")).items():
        for kind in of.get("enum", ()) if isinstance(of, dict) and region != "all" else ():
            family, _, size = kind.partition(".")
            rows.append({"region": region, "kind": kind, "family": family, "size": size})
    return cells([row for row in rows if is_sampled(f"{row['region']} {row['kind']}", len(rows))])


def database_machines(files: Files) -> Cells:
    """On which kinds of machines a cloud runs which engine of databases, by region and licence."""
    rows = []
    for region, of in json.loads(find(files, "aws_rds_dbinstance/dbinstanceclass_enum.json")).items():
        for rule in of.get("allOf", ()):
            asked = {name: one.get("const") for name, one in rule["if"]["properties"].items() if isinstance(one, dict)}
            row = {"region": region, "engine": asked.get("Engine"), "licence": asked.get("LicenseModel")}
            kinds = (rule.get("then") or {}).get("properties", {}).get("DBInstanceClass", {})
            rows += [row | {"kind": kind} for kind in kinds.get("enum", ())]
    return cells([row for row in rows if is_sampled(" ".join(map(str, row.values())), len(rows))])
