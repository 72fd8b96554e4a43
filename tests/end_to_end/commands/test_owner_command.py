"""`assay owner` and the filters by owner of other commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from singly import upsert_table

from catalog.settings import Settings
from catalog.store.engine import make_engine, session, upgrade
from catalog.store.lake import tables


def _filled(home: Path) -> dict[str, str]:
    settings = Settings(home=home)
    engine = make_engine(settings.database)
    upgrade(engine)
    with session(engine) as db:
        source = tables.add_source(db, "shop", "/shop")
        for name in ("orders", "stock"):
            tables.set_columns(db, upsert_table(db, source.id, name, f"/{name}").id, [["id", "bigint"]])
    engine.dispose()
    return {**os.environ, **settings.as_environment()}


def _assay(environment: dict[str, str], *words: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "catalog.cli", *words, "--json"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_owners_by_command(tmp_path: Path) -> None:
    here = _filled(tmp_path)
    assert _assay(here, "owner", "set", "orders", "sales")["given"] == "table"
    assert _assay(here, "owner", "show", "orders", "--column", "id")["name"] == "sales"
    assert _assay(here, "owner", "default", "platform") == {"name": "platform", "given": "default"}
    told = {"kind": "table", "of": "stock", "name": "platform", "given": "default"}
    assert _assay(here, "owner", "show", "stock") == told
    assert [one["name"] for one in _assay(here, "table", "list", "--owner", "unowned")["items"]] == ["stock"]
    assert _assay(here, "incident", "list", "--owner", "mine")["items"] == []
    assert _assay(here, "owner", "list")["unowned"] == 1
