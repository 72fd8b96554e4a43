"""The report on personal data: each column once, as it is at the moment, by whom, and what waits."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import Engine
from sqlmodel import col, select, update
from test_reports import MAIL, _files, _fill, _made, _now

from catalog.errors import UsageError
from catalog.reports import words
from catalog.reports.document import render
from catalog.store.engine import session
from catalog.store.meaning import acting, levels, review, tags
from catalog.store.models import LakeColumn, Table, Tag
from catalog.tags.proposal import TagProposal


@pytest.fixture
def filled(engine: Engine) -> Engine:
    _fill(engine)
    return engine


def test_personal_data_is_told_with_who_said_so(filled: Engine) -> None:
    at = _now(filled)
    report = _made(filled, "privacy", at)
    (row,) = report.section("personal").rows
    told = [row[name] for name in ("table", "column", "sure", "by", "masked", "owner")]
    assert told == ["people", "mail", 97, "ann", "all", "crm"]
    assert row["decided"] is not None
    assert row["event"] is not None
    (aside,) = report.section("set_aside").rows
    assert (aside["table"], aside["by"], aside["reason"]) == ("shops", "bob", "the shops' own")
    assert b"carla" not in b"".join(_files(report))


def test_levels_are_told_as_they_were(filled: Engine) -> None:
    """By tags and by hand, with who said so; a moment later it may be otherwise."""
    with session(filled, actor="ann") as db:
        columns = {(one.table_id, one.name): one for one in db.exec(select(LakeColumn).order_by(col(LakeColumn.id)))}
        people, *_ = sorted({table for table, _ in columns})
        levels.set_level(db, columns[people, "n"].id, "secret", actor="zoe", reason="pay")
    at = _now(filled)
    section = _made(filled, "privacy", at).section("personal")
    told = [(row["table"], row["column"], row["title"], row["level"], row["by"], row["masked"]) for row in section.rows]
    assert told == [
        ("people", "mail", "E-mail address", "personal", "ann", "all"),
        ("people", "n", "level set by hand", "secret", "zoe", "all"),
    ]
    assert section.totals["by_level"] == {"public": 0, "internal": 0, "personal": 1, "secret": 1}
    assert b"1 is secret" in render(_made(filled, "privacy", at), "html")
    with session(filled, actor="ann") as db:
        levels.set_level(db, columns[people, "n"].id, "public", actor="bob", reason="it is a count")
    assert _made(filled, "privacy", at).section("personal").rows == section.rows
    assert [row["column"] for row in _made(filled, "privacy", _now(filled)).section("personal").rows] == ["mail"]


def test_who_lowered_the_level_of_a_sensitive_column_is_told(filled: Engine) -> None:
    with session(filled, actor="ann") as db:
        mail = db.exec(select(LakeColumn).where(LakeColumn.name == "mail")).first()
        assert mail is not None
        levels.set_level(db, mail.id, "internal", actor="zoe", reason="test data only")
    report = _made(filled, "privacy", _now(filled))
    told = [
        (row["title"], row["level"], row["by"], row["reason"], row["level_by"], row["level_reason"], row["masked"])
        for row in report.section("personal").rows
    ]
    assert told == [("E-mail address", "internal", "ann", None, "zoe", "test data only", "no")]
    assert report.section("personal").totals["by_meaning"] == [["E-mail address", 1]]


def test_each_column_is_told_once_with_what_waits_as_the_review_counts_it(filled: Engine) -> None:
    """A level confirms no tag, a general kind waits for nobody, and what was taken back is nobody's decision."""
    some = [TagProposal(one, one, 0.6, 0.1, True, contains=True) for one in ("person_name", "iban")]
    code = TagProposal("code", "Code", 0.5, 1.0, True, generic=True)
    with session(filled, actor="ann") as db:
        place = select(Table.name, LakeColumn.name, LakeColumn.id).where(Table.id == LakeColumn.table_id)
        of = {(table, name): key for table, name, key in db.exec(place)}
        mail, kind, n = (of["people", name] for name in ("mail", "=kind", "n"))
        tags.put_table_tags(db, {mail: [MAIL], kind: [code], n: some}, 2)
        levels.set_level(db, n, "personal", actor="zoe", reason="names")
        levels.set_level(db, of["shops", "mail"], "secret", actor="zoe")
        accepted = db.exec(select(Tag).where(Tag.column_id == mail)).one()
        assert tags.decide_tag(db, accepted.id, "proposed", "eve").actor == "assay"
        queue = review.count_waiting(db)
        asked = {one.column_id for group in review.waiting(db) for one in group.items}
    sections = {one.name: one for one in _made(filled, "governance", _now(filled)).sections}
    found = sections["personal"]
    told = [
        (row["table"], row["column"], row["title"], row["status"], row["by"], row["level_by"], row["masked"])
        for row in found.rows
    ]
    assert told == [
        ("people", "=kind", "Code", "general", "assay", None, "all"),
        ("people", "mail", "E-mail address", "proposed", "assay", None, "all"),
        ("people", "n", "iban, person_name", "proposed", "assay", "zoe", "all"),
        ("shops", "mail", "level set by hand", "level", "zoe", "zoe", "all"),
    ]
    assert [row["event"] for row in found.rows][:3] == [None] * 3
    counts = ("columns", "columns_reviewed", "columns_to_review", "columns_general", "columns_by_level")
    assert [found.totals[name] for name in counts] == [4, 0, 2, 1, 1]
    assert found.totals["columns_to_review"] == len(asked) == sections["coverage"].totals["proposed"]
    assert sum(row["waiting"] for row in found.rows) == queue == sections["coverage"].totals["waiting"] == 3
    text = " ".join(words.summary(_made(filled, "privacy", _now(filled))))
    assert "confirmed the tags of none of them; 2 await review. 1 is told by a general kind" in text
    assert "People set the level of 2 by hand, of 1 without a sensitive tag." in text


def test_a_table_that_is_gone_holds_nothing_any_more(filled: Engine) -> None:
    """It is named, and neither counted nor listed nor asked about; before it went it was told, and is for ever."""
    before = _now(filled)
    told = _made(filled, "privacy", before).fingerprint
    with session(filled, actor="ann") as db:
        people = db.exec(select(Table).where(Table.name == "people")).one()
        mail = db.exec(select(Tag).where(Tag.domain == "email", Tag.status == "accepted")).one()
        tags.decide_tag(db, mail.id, "proposed", "ann")
        assert review.count_waiting(db) == len(review.waiting(db)) == 1
        people.status = "vanished"
        db.flush()
        assert review.count_waiting(db) == len(review.waiting(db)) == 0
        for of in (acting.dataset_of, partial(acting.statements_for, system="unity")):
            with pytest.raises(UsageError, match="people is vanished"):
                of(db, people)
    report = _made(filled, "governance", _now(filled))
    found = {one.name: one for one in report.sections}
    assert found["personal"].rows == []
    assert (found["personal"].totals["all_columns"], found["personal"].totals["all_tables"]) == (3, 1)
    assert [[row["table"] for row in found[name].rows] for name in ("coverage", "rules")] == [["shops"]] * 2
    assert {row["table"] for row in found["incidents"].rows} == {"people", "shops"}
    assert "1 table is not in its source any more, and nothing of it is counted here: shop/people." in words.summary(
        report
    )
    assert _made(filled, "privacy", before).fingerprint == told
    with session(filled) as db:
        db.exec(update(Table).values(status="watched"))
    assert _made(filled, "privacy", _now(filled)).section("personal").totals["columns"] == 1
