"""Learners of the papers chosen for a table and a source: their rules replace ours, judge versions, and go again."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.store.access import audit
from catalog.store.expectations import learners, rules
from catalog.store.lake import batches, tables
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark


def orders(seed: int, shop: int, rows: int = 40, code: str = "SO{}-{:04d}") -> pa.Table:
    codes = [code.format(shop, (seed * 131 + n * 17) % 10_000) for n in range(rows)]
    return pa.table({"code": codes, "amount": [float((seed * 7 + n * 3) % 50) + 1 for n in range(rows)]})


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Six shops whose orders have codes of one pattern, each with eight versions."""
    for shop in range(6):
        for seed in range(8):
            write_deltalake(str(tmp_path / "lake" / f"orders{shop}"), orders(seed, shop), mode="overwrite")
    return tmp_path / "lake"


def who(context: Context, table: str) -> dict[tuple[str, str], str]:
    with context.reading() as session:
        found = rules.active_rules(session, tables.get_table(session, table).id or 0)
        return {(row.column_name, row.kind): row.learner for row in found}


def past(context: Context, name: str) -> tuple[datetime | None, set[tuple[int, int, str]]]:
    """When a table's past was last learned from, and the rules from it in force: ids, revisions and sentences."""
    with context.reading() as session:
        table = tables.get_table(session, name)
        found = [row for row in rules.active_rules(session, table.id or 0) if row.kind in ("history", "volume")]
    return table.learned_at, {(row.id, row.revision, row.sentence) for row in found}


def test_a_chosen_learner_takes_the_place_of_ours_and_judges(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake)).id or 0
    crawl_source(context, source)
    before = who(context, "shop/orders0")
    earlier = past(context, "shop/orders1")
    for name in ("fmdv", "ours"):
        with context.transaction() as session:
            learners.choose_for_source(session, source, name, {})
        crawl_source(context, source)
        assert ("fmdv" in who(context, "shop/orders1").values()) == (name == "fmdv")
        assert past(context, "shop/orders1") == earlier, "who learns from texts says nothing of the past"
    assert "strings" in before.values()
    assert "avh" not in before.values()  # our own learner from history has a name of its own
    with context.transaction() as session:
        table = learners.choose_for_table(
            session, tables.get_table(session, "shop/orders0").id or 0, "fmdv-h", {"m": 3, "theta": 0.05}
        )
        learners.choose_for_source(session, source, "avh", {"delta": 0.01})
        key = table.id or 0
    crawl_source(context, source)  # no new version: what was chosen is learned all the same
    chosen = who(context, "shop/orders0")
    assert chosen[("code", "data_pattern")] == "fmdv-h"
    assert "strings" not in chosen.values()
    assert {learner for (column, kind), learner in chosen.items() if kind == "history"} <= {"avh"}
    assert "avh" in chosen.values()
    assert "strings" in who(context, "shop/orders1").values()  # chosen for one table only
    assert past(context, "shop/orders1") != earlier, "chosen for the source"
    with context.reading() as session:
        told = learners.learners_of(session, tables.get_table(session, key)).words()
        assert told == {
            "strings": "fmdv-h (m 3, theta 0.05)", "history": "avh (delta 0.01), as chosen for the source"
        }  # fmt: skip
        assert {event.action for event in audit.find_events(session)} >= {"learner"}
    write_deltalake(str(lake / "orders0"), orders(9, 0, code="{}/{:04d}/PO"), mode="overwrite")
    crawl_source(context, source)
    with context.reading() as session:
        said = {
            (rule.column_name, rule.kind): one.status
            for one, rule in find_outcomes(session, table_id=key, version=8, limit=1000).items
        }
    assert said[("code", "data_pattern")] == "violated"
    with context.transaction() as session:
        learners.choose_for_table(session, key, "ours", {})
    assert not {"fmdv-h", "avh"} & set(who(context, "shop/orders0").values())  # whom nobody wants demands nothing more
    assert "avh" in who(context, "shop/orders1").values()  # for which the source has it
    crawl_source(context, source)
    assert "strings" not in who(context, "shop/orders0").values()  # nothing is learned from a batch under suspicion
    with context.reading() as session:
        waits = batches.learning_waits(session, key)
    assert re.fullmatch(r"Learning waits until incidents? [\d, ]+ (is|are) resolved, .*: version 8 is suspect\.", waits)
    write_deltalake(str(lake / "orders0"), orders(10, 0), mode="overwrite")
    crawl_source(context, source)
    after = who(context, "shop/orders0")
    with context.reading() as session:
        assert batches.learning_waits(session, key) == ""
    assert "strings" in after.values()
    assert not {"fmdv-h", "avh"} & set(after.values())
