"""Reports count and list what is not known, and what stands for persons, apart from what names them."""

from __future__ import annotations

import pytest
from singly import upsert_table
from sqlalchemy import Engine
from test_reports import CODE, MAIL, _made, _now

from catalog.reports import words
from catalog.store.engine import session
from catalog.store.lake import sources, tables
from catalog.store.meaning import review, tags
from catalog.tags.privacy.levels import ABOUT, IDENTIFIER
from catalog.tags.proposal import TagProposal


def test_what_is_not_known_is_counted_apart(engine: Engine) -> None:
    """Hidden until somebody looks, and no personal data as long as nobody says so."""
    maybe = TagProposal(ABOUT, "About the person", 0.31, 0.0, True)
    with session(engine, actor="ann") as db:
        source = sources.add_source(db, "shop", "/lake")
        table = upsert_table(db, source.id, "people", "/lake/people")
        columns = tables.set_columns(db, table.id, [["kpt", "string"], ["zone", "string"], ["mail", "string"]])
        tags.put_table_tags(db, {columns[0].id: [CODE, maybe], columns[1].id: [maybe], columns[2].id: [MAIL]}, 1)
    found = {one.name: one for one in _made(engine, "governance", _now(engine)).sections}
    assert [row["column"] for row in found["not_known"].rows] == ["kpt", "zone"]
    assert [row["column"] for row in found["personal"].rows] == ["mail"]
    totals = found["coverage"].totals
    assert {name: totals[name] for name in ("proposed", "described", "none", "sensitive", "unreviewed")} == {
        "proposed": 1,
        "described": 1,
        "none": 1,
        "sensitive": 3,
        "unreviewed": 2,
    }
    text = " ".join(words.summary(_made(engine, "privacy", _now(engine))))
    assert "2 columns in 1 table are not yet reviewed, masked until then" in text
    with session(engine, actor="ann") as db:
        (one, other) = review.unknown(db)[0].items
        review.answer(db, [one.tag_id], [other.tag_id], "ann", "codes of wards")
    found = {one.name: one for one in _made(engine, "governance", _now(engine)).sections}
    assert found["not_known"].rows == []
    assert {row["column"]: row["title"] for row in found["personal"].rows}.get("mail") == "E-mail address"
    assert len(found["personal"].rows) == 2


@pytest.mark.parametrize("masked", [False, True])
def test_identifiers_of_persons_are_listed_apart(engine: Engine, masked: bool) -> None:
    """Whether they are masked or not: an auditor asks where customers are known by a number."""
    key = TagProposal(IDENTIFIER, "Identifier of a person", 0.95, 1.0, masked, generic=True)
    with session(engine, actor="ann") as db:
        source = sources.add_source(db, "shop", "/lake")
        table = upsert_table(db, source.id, "orders", "/lake/orders")
        columns = tables.set_columns(db, table.id, [["customer_id", "long"], ["mail", "string"]])
        tags.put_table_tags(db, {columns[0].id: [CODE, key], columns[1].id: [MAIL]}, 1)
    found = {one.name: one for one in _made(engine, "privacy", _now(engine)).sections}
    hidden = {"masked": "all", "level": "personal"} if masked else {"masked": "no", "level": "internal"}
    (row,) = found["identifiers"].rows
    assert {name: row[name] for name in ("column", *hidden)} == {"column": "customer_id"} | hidden
    assert [one["column"] for one in found["personal"].rows] == ["mail"]
    text = " ".join(words.summary(_made(engine, "privacy", _now(engine))))
    assert "1 column in 1 table holds numbers that stand for persons" in text
