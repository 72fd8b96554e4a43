"""A lake with people in it goes through: what is kept for people to read holds none of their addresses."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.rules.rule import Rule
from catalog.store.expectations import rules
from catalog.store.lake import tables
from catalog.store.models import Incident, LakeColumn, Outcome, RuleRow, Tag

pytestmark = pytest.mark.spark

PEOPLE = ["ann.lee@mail.example", "bob.ray@mail.example", "zoe.kim@mail.example"]


def test_nothing_that_is_kept_to_be_read_holds_an_address(context: Context, tmp_path: Path) -> None:
    uri = str(tmp_path / "lake" / "visits")
    for day in range(3):
        rows = [PEOPLE[(i + day) % 3] for i in range(60)]
        write_deltalake(uri, pa.table({"email": rows, "n": list(range(60))}), mode="append")
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id)
    words = "every value is “" + "” or “".join(PEOPLE) + "”"
    clause = {"kind": "value", "accepted": PEOPLE, "theta": 0.0, "risk": 0.01, "words": words}
    listed = Rule("vocabulary", "email", {"clauses": [clause], "rows": 60}, 0.01, f"{words}.", "person")
    with context.transaction() as session:
        table = tables.get_table(session, "visits")
        assert tables.get_column(session, table.id, "email").sensitive
        rules.put_rules(session, table.id, [listed], learners="person", since_version=2)
    strangers = [f"new.person{i}@other.example" for i in range(60)]
    write_deltalake(uri, pa.table({"email": strangers, "n": list(range(60))}), mode="append")
    crawl_tables(context, [table.id])
    with context.reading() as session:
        broken = session.exec(
            select(Outcome).join(RuleRow).where(RuleRow.learner == "person", Outcome.status == "violated")
        ).one()
        assert broken.rows  # and they were found by what the verdict keeps to itself
        assert "one of 3 known values" in broken.sentence
        kept = [str(one.sentence) for one in session.exec(select(RuleRow))]
        kept += [str(one.model_dump()) for one in session.exec(select(Outcome))]
        kept += [str(one.model_dump()) for one in session.exec(select(Incident))]
        kept += [str(one.profile) for one in session.exec(select(LakeColumn))]
        kept += [str(one.evidence) for one in session.exec(select(Tag))]
    said = " ".join(kept)
    assert "mail.example" not in said
    assert "new.person" not in said
    assert "other.example" not in said
