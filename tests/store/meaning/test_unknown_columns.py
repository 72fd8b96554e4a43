"""Columns that nobody knows: hidden until somebody answers, asked by the table, the answers remembered."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from singly import upsert_table
from sqlmodel import Session, select

from catalog.errors import Held, UsageError
from catalog.roles import ROLES, Identity, everyone_here
from catalog.store.access import approvals, audit
from catalog.store.access.preferences import set_preference
from catalog.store.access.undo import undo
from catalog.store.lake import sources, tables
from catalog.store.meaning import levels, lost, privacy, review, tags
from catalog.store.meaning.acting import meanings
from catalog.store.models import LakeColumn, Tag
from catalog.tags.privacy.levels import ABOUT, UNREVIEWED
from catalog.tags.proposal import TagProposal

CODE = TagProposal("code", "Code", 0.5, 1.0, False, generic=True)
MAIL = TagProposal("email", "E-mail address", 0.97, 1.0, True)


def _maybe(score: float = 0.3) -> TagProposal:
    return TagProposal(ABOUT, "About the person", score, 0.0, True, {"whose_because": [{"what": "table people"}]})


def _table(db: Session, name: str, columns: Sequence[str], score: float = 0.3) -> int:
    source = next((one for one in sources.list_sources(db) if one.name == "lake"), None)
    source = source or sources.add_source(db, "lake", "/lake")
    table = upsert_table(db, source.id, name, f"/lake/{name}")
    made = tables.set_columns(db, table.id, [[column, "string"] for column in columns])
    tags.put_table_tags(db, {one.id: [CODE, _maybe(score)] for one in made}, 1)
    return table.id


def _levels(db: Session, table_id: int) -> dict[str, tuple[str, bool]]:
    query = select(LakeColumn).where(LakeColumn.table_id == table_id)
    return {one.name: (one.level, one.sensitive) for one in db.exec(query)}


def _ids(db: Session, table_id: int) -> dict[str, int]:
    (asked,) = [one for one in review.unknown(db) if one.items[0].table_id == table_id]
    return {one.column: one.tag_id for one in asked.items}


def test_what_is_not_known_is_hidden_and_asked_once_a_table(db: Session) -> None:
    table = _table(db, "people", ["dx_1", "dx_2", "PARTY_D", "PARTY_R", "kpt"])
    assert set(_levels(db, table).values()) == {(UNREVIEWED, True)}
    assert privacy.hiding(db, table).row({"kpt": "Ab1"}) == {"kpt": "Aa9"}
    assert levels.table_levels(db, [table]) == {table: UNREVIEWED}
    (asked,) = review.unknown(db)
    assert sorted(sorted(one.column for one in line.items) for line in asked.lines) == [
        ["PARTY_D", "PARTY_R"],
        ["dx_1", "dx_2"],
        ["kpt"],
    ]
    assert (asked.because, {line.kind for line in asked.lines}) == (("table people",), {"Code"})
    assert review.waiting(db) == [], "it is asked in no other group"
    assert review.unknown(db, source="elsewhere") == []


def test_an_answer_settles_all_and_is_undone_together(db: Session) -> None:
    table = _table(db, "people", ["dx_1", "kpt", "rest"])
    ids = _ids(db, table)
    events = review.answer(db, [ids["dx_1"]], [ids["kpt"], ids["rest"]], "ann", "wards")
    assert _levels(db, table) == {
        "dx_1": ("personal", True),
        "kpt": ("internal", False),
        "rest": ("internal", False),
    }
    assert review.unknown(db) == []
    told = {one.item.split()[1].rstrip(":"): (one.action, one.reason) for one in audit.find_events(db, kind="tag")}
    assert told == {"dx_1": ("accept", "wards"), "kpt": ("reject", "wards"), "rest": ("reject", "wards")}
    for event in reversed(events):
        undo(db, event, by=everyone_here("ann"), false_alarm_budget=1.0)
    assert set(_levels(db, table).values()) == {(UNREVIEWED, True)}
    assert _ids(db, table) == ids


def test_an_answer_names_each_column_once(db: Session) -> None:
    ids = _ids(db, _table(db, "people", ["kpt"]))
    with pytest.raises(UsageError, match="said to be both"):
        review.answer(db, [ids["kpt"]], [ids["kpt"]], "ann")
    with pytest.raises(UsageError, match="no column"):
        review.answer(db, [], [], "ann")


def test_an_answer_that_shows_values_says_why(db: Session) -> None:
    table = _table(db, "people", ["dx_1", "kpt", "rest"])
    ids = _ids(db, table)
    with pytest.raises(UsageError, match="shows values of 2 columns") as refused:
        review.answer(db, [ids["dx_1"]], [ids["kpt"], ids["rest"]], "ann", "  ")
    assert refused.value.remedy == "say why they may be seen"
    assert set(_levels(db, table).values()) == {(UNREVIEWED, True)}, "nothing is decided, not even what hides"
    review.answer(db, list(ids.values()), [], "ann")
    assert set(_levels(db, table).values()) == {("personal", True)}, "what hides needs no reason"


def test_showing_values_waits_for_a_second_person(db: Session) -> None:
    table = _table(db, "people", ["dx_1", "kpt"])
    set_preference(db, approvals.SETTING, True, actor="ann")
    ids = _ids(db, table)
    with pytest.raises(Held):
        review.answer(db, [ids["dx_1"]], [ids["kpt"]], "ann", "codes of wards")
    assert _levels(db, table) == {"dx_1": ("personal", True), "kpt": (UNREVIEWED, True)}


def test_answers_are_remembered_for_the_family(db: Session) -> None:
    """What is about the person is decided alike in new columns; what is not is only told: it would show values."""
    ids = _ids(db, _table(db, "old", ["dx_1", "kpt"], score=0.9))
    review.answer(db, [ids["dx_1"]], [ids["kpt"]], "ann", "codes of wards")
    new = _table(db, "new", ["DX_7", "KPT", "zz"], score=0.9)
    assert _levels(db, new) == {"DX_7": ("personal", True), "KPT": (UNREVIEWED, True), "zz": (UNREVIEWED, True)}
    (asked,) = review.unknown(db)
    ticked = {line.items[0].column: (line.ticked, line.items[0].remembered) for line in asked.lines}
    assert ticked == {
        "KPT": (False, "ann rejected it on lake/old kpt (codes of wards)"),
        "zz": (True, ""),
    }


def test_what_waited_elsewhere_is_ticked_as_it_was_answered(db: Session) -> None:
    first, second = (_table(db, name, ["dx_1", "kpt"], score=0.2) for name in ("one", "two"))
    review.answer(db, [_ids(db, first)["dx_1"]], [], "ann")
    (asked,) = [one for one in review.unknown(db) if one.items[0].table_id == second]
    assert {line.items[0].column: line.ticked for line in asked.lines} == {"dx_1": True, "kpt": False}


def test_it_stays_hidden_when_a_batch_says_otherwise_and_goes_when_it_is_known(db: Session) -> None:
    table = _table(db, "people", ["kpt"])
    (column,) = tables.list_columns(db, table)
    tags.put_table_tags(db, {column.id: [CODE]}, 2)
    assert _levels(db, table) == {"kpt": (UNREVIEWED, True)}
    tags.put_table_tags(db, {column.id: [MAIL]}, 3)
    assert _levels(db, table) == {"kpt": ("personal", True)}
    assert set(db.exec(select(Tag.domain))) == {"email"}


def test_an_answer_is_not_lost_with_the_values(db: Session) -> None:
    table = _table(db, "people", ["kpt"])
    review.answer(db, list(_ids(db, table).values()), [], "ann")
    (column,) = tables.list_columns(db, table)
    tags.put_table_tags(db, {column.id: [CODE]}, 2)
    assert lost.events_of(db, table, "kpt") == review.lost(db) == []
    assert _levels(db, table) == {"kpt": ("personal", True)}


def test_a_level_by_hand_answers_too_and_nobody_says_by_hand_that_nobody_knows(db: Session) -> None:
    table = _table(db, "people", ["kpt"])
    (column,) = tables.list_columns(db, table)
    with pytest.raises(UsageError, match="no level 'unreviewed'"):
        levels.set_level(db, column.id, UNREVIEWED, actor="ann")
    with pytest.raises(UsageError, match="shows values"):
        levels.set_level(db, column.id, "internal", actor="ann")
    levels.set_level(db, column.id, "internal", actor="ann", reason="codes of wards")
    assert review.unknown(db) == []


def test_other_systems_are_told_only_on_request(db: Session) -> None:
    table = _table(db, "people", ["kpt"])
    assert [one.sensitive for one in meanings(db, table)] == [False]
    (told,) = meanings(db, table, proposed=True)
    assert (told.domain, told.sensitive, told.level) == ("", True, UNREVIEWED)


def test_who_may_see_personal_values_sees_these_and_others_do_not(db: Session) -> None:
    table = _table(db, "people", ["kpt"])
    (column,) = tables.list_columns(db, table)
    column.profile = {"rows": 1}
    db.flush()
    shown = levels.levels_of(Identity("ann", ROLES["approver"], "approver"), "a complaint")
    assert "secret" not in shown
    assert privacy.hiding(db, table, shown).row({"kpt": "Ab1"}) == {"kpt": "Ab1"}
    assert privacy.hiding(db, table).row({"kpt": "Ab1"}) == {"kpt": "Aa9"}


def test_a_command_names_the_question_by_its_column(db: Session) -> None:
    (column,) = tables.list_columns(db, _table(db, "people", ["kpt"]))
    assert review.tag_of(db, column).domain == ABOUT
