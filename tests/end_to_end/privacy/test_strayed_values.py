"""Names that stand in a column that never held any are in no headline, though no tag knows of them yet."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.store.models import Incident, LakeColumn, Outcome

pytestmark = pytest.mark.spark

FIRST = "Linda Michael Hannah Peter Julia Andrea Thomas Maria Robert Susan Karen Daniel Laura Kevin Brian".split()
LAST = "Miller Johnson Anderson Taylor Schmidt Becker Wagner Larsson Novak Rossi Moreau Dubois Garcia Lopez".split()


def _people(number: int) -> dict[str, list[object]]:
    dice = random.Random(number)
    sexes = [dice.choice(["male", "female"]) for _ in range(80)]
    phones = [f"+44 20 7946 {dice.randrange(10_000):04}" for _ in sexes]
    return {"id": list(range(number * 80, number * 80 + 80)),
            "first_name": [dice.choice(FIRST) for _ in sexes], "last_name": [dice.choice(LAST) for _ in sexes],
            "phone": phones, "Sex": sexes,
            "Class": [dice.choice(["first", "second", "third"]) for _ in sexes]}  # fmt: skip


def test_names_in_another_column_are_in_no_headline(context: Context, tmp_path: Path) -> None:
    uri = str(tmp_path / "lake" / "passengers")
    for number in range(10):
        write_deltalake(uri, pa.table(_people(number)), mode="append")
    source = add_source(context, "lake", str(tmp_path / "lake"))
    crawl_source(context, source.id)
    with context.reading() as session:
        hidden = {one.name: one.sensitive for one in session.exec(select(LakeColumn))}
    assert {name for name, is_hidden in hidden.items() if is_hidden} >= {"first_name", "last_name", "phone"}
    assert (hidden["Sex"], hidden["Class"]) == (False, False)
    rows = _people(10)
    shifted = rows | {"Sex": rows["phone"], "Class": rows["last_name"]}
    write_deltalake(uri, pa.table(shifted), mode="append")
    crawl_source(context, source.id)
    with context.reading() as session:
        found = session.exec(select(Incident)).all()
        kept = [f"{one.sentence} {json.dumps(one.diagnosis)}" for one in found]
        kept += [f"{o.sentence} {json.dumps(o.detail)} {json.dumps(o.rows)}" for o in session.exec(select(Outcome))]
    assert {"Sex", "Class"} <= {name for one in found for name in one.columns or []}, "the fault is told"
    said = " ".join(kept)
    assert not [value for value in (*rows["phone"], *set(rows["last_name"])) if str(value) in said]
