"""A crawl costs what changed: tables that are as they were are neither counted nor tagged again, until something that
tags are made with is another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.learning.index import indexed
from catalog.flow.reading.sources import add_source
from catalog.store.lake import tables
from catalog.store.meaning.levels import set_level
from catalog.store.meaning.tags import decide_tag
from catalog.store.models import LakeColumn, Table, Tag

pytestmark = pytest.mark.spark

EACH = 3  # tags of a table: an address, a code, and that nobody knows whether that is about the person
KNOWN = 2  # where the code is known
GATES = r"""
gate_number:
  title: Number of a gate
  description: As written on the gates.
  pattern: GP-\d{5}
  examples: [GP-10000, GP-10037, GP-20111]
  counter_examples: [GP-1, XX]
"""


def _people(seed: int) -> pa.Table:
    return pa.table(
        {
            "email": [f"person{seed}{number}@example.org" for number in range(60)],
            "gtk": [f"GP-{10000 + 37 * number + seed}" for number in range(60)],
        }
    )


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for number in range(3):
        write_deltalake(str(tmp_path / "lake" / f"staff{number}"), _people(number))
    return tmp_path / "lake"


def _did(summary: dict[str, Any]) -> tuple[int, int, bool]:
    """Tables read, tags made, whether patterns were surveyed."""
    return summary["tables"], summary.get("tags", 0), "domains" in summary


def _top(context: Context, table: str, column: str) -> Any:
    with context.reading() as session:
        found = select(LakeColumn).join(Table).where(Table.name == table, LakeColumn.name == column)
        return session.exec(found).one().profile.get("top")


def test_what_is_as_it_was_is_not_tagged_again(context: Context, lake: Path) -> None:
    source = add_source(context, "lake", str(lake)).id
    first = crawl_source(context, source)
    assert _did(first)[1:] == (EACH * 3, True)
    assert len(indexed(context)) == 3
    assert _did(crawl_source(context, source)) == (3, 0, False)

    write_deltalake(str(lake / "staff1"), _people(7), mode="overwrite")
    assert _did(crawl_source(context, source)) == (3, EACH, True), "one table has a new version"
    assert _did(crawl_source(context, source)) == (3, 0, False)

    write_deltalake(str(lake / "staff3"), _people(3))
    assert _did(crawl_source(context, source)) == (4, EACH, True)
    assert len(indexed(context)) == 4


def test_what_may_be_seen_again_comes_with_the_next_crawl(context: Context, lake: Path) -> None:
    source = add_source(context, "lake", str(lake)).id
    crawl_source(context, source)
    shown = "person00@example.org"
    assert shown not in str(_top(context, "staff0", "email"))
    with context.transaction() as session:
        table = tables.get_table(session, "staff0")
        column = next(one for one in tables.list_columns(session, table.id or 0) if one.name == "email")
        for tag in session.exec(select(Tag).where(Tag.column_id == column.id)).all():
            decide_tag(session, tag.id, "rejected", "ann", "addresses of a test system")
        set_level(session, column.id, "public", actor="ann", reason="addresses of a test system")
    assert _did(crawl_source(context, source))[1] == EACH, "its tags and figures are made again, and no other table's"
    assert shown in str(_top(context, "staff0", "email"))
    assert _did(crawl_source(context, source))[1] == 0


def test_a_new_domain_tags_what_is_as_it_was(context: Context, lake: Path, tmp_path: Path) -> None:
    source = add_source(context, "lake", str(lake)).id
    crawl_source(context, source)
    own = tmp_path / "domains.yaml"
    own.write_text(GATES)
    knowing = Context(context.settings.model_copy(update={"domains": str(own)}))
    assert _did(crawl_source(knowing, source)) == (3, KNOWN * 3, True)
    with context.reading() as session:
        assert session.exec(select(Tag.domain).where(Tag.domain == "gate_number")).all() == ["gate_number"] * 3
    assert _did(crawl_source(knowing, source)) == (3, 0, False)
