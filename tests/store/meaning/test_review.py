"""The review of tags: groups that one decision settles, nothing asked twice, what was decided remembered, lost tags."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from singly import record_outcome, upsert_table
from sqlmodel import Session, col, select

from catalog.errors import Held, NotFound, UsageError
from catalog.roles import everyone_here
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.store.access import approvals, audit
from catalog.store.access.preferences import set_preference
from catalog.store.access.undo import undo
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables
from catalog.store.meaning import lost, review, tags
from catalog.store.models import LakeColumn, Tag
from catalog.store.pages.columns import find_tags
from catalog.tags.proposal import TagProposal

SURE = {"name_agrees": True}
MAIL = TagProposal("email", "E-mail address", 0.97, 1.0, True, SURE)
WEAK = TagProposal("email", "E-mail address", 0.6, 0.8, True)
BOOK = TagProposal("isbn", "ISBN", 0.97, 1.0, False, SURE)
CODE = TagProposal("code", "Code", 0.5, 1.0, False, generic=True)


def _table(db: Session, name: str, columns: Mapping[str, TagProposal], version: int = 1) -> int:
    source = next((one for one in sources.list_sources(db) if one.name == "lake"), None)
    source = source or sources.add_source(db, "lake", "/lake")
    table = upsert_table(db, source.id, name, f"/lake/{name}")
    made = tables.set_columns(db, table.id, [[column, "string"] for column in columns])
    tags.put_table_tags(db, {one.id: [columns[one.name]] for one in made}, version)
    return table.id


def _again(db: Session, table_id: int, proposals: list[TagProposal], version: int) -> None:
    ids = db.exec(select(LakeColumn.id).where(LakeColumn.table_id == table_id)).all()
    tags.put_table_tags(db, dict.fromkeys(ids, proposals), version)


def _ids(group: review.Group) -> list[int]:
    return [one.tag_id for one in group.items]


def test_what_looks_alike_is_asked_together(db: Session) -> None:
    for number in range(3):
        _table(db, f"t{number}", {"mail": MAIL, f"n{number}": WEAK, "isbn": BOOK, "kind": CODE})
    found = [(g.title, len(g.items), g.because[:2]) for g in review.waiting(db)]
    assert found == [
        ("E-mail address", 3, ("nearly sure", "every value matches")),
        ("E-mail address", 3, ("unsure", "part of the values match")),
        ("ISBN", 3, ("nearly sure", "every value matches")),
    ]
    assert review.count_waiting(db) == 9
    assert {g.domain for g in review.waiting(db, domain="isbn")} == {"isbn"}
    assert review.waiting(db, source="elsewhere") == []


def test_a_decision_on_many_is_made_and_undone_together(db: Session) -> None:
    for number in range(4):
        _table(db, f"t{number}", {f"mail{number}": MAIL})
    (group,) = review.waiting(db)
    with pytest.raises(UsageError, match="say why"):
        review.decide(db, _ids(group), "rejected", "ann")
    events = review.decide(db, _ids(group), "accepted", "ann", "looked at them")
    assert len(events) == 4
    assert {one.reason for one in audit.find_events(db, kind="tag")} == {"looked at them"}
    assert review.waiting(db) == []
    for event in events:
        undo(db, event, by=everyone_here("ann"), false_alarm_budget=1.0)
    assert [_ids(one) for one in review.waiting(db)] == [_ids(group)]


def test_nothing_is_asked_twice(db: Session) -> None:
    table = _table(db, "t", {"isbn": BOOK})
    review.decide(db, _ids(review.waiting(db)[0]), "rejected", "ann", "ours only look so")
    _again(db, table, [TagProposal("isbn", "ISBN", 0.99, 1.0, False, SURE)], 2)
    assert review.waiting(db) == []


def test_columns_of_the_same_name_are_decided_alike(db: Session) -> None:
    _table(db, "old", {"Mail": MAIL, "isbn": BOOK})
    for group in review.waiting(db):
        review.decide(db, _ids(group), "accepted" if group.domain == "email" else "rejected", "ann", "known")
    table = _table(db, "new", {"mail": MAIL, "isbn": BOOK, "other": BOOK})
    assert [[one.column for one in g.items] for g in review.waiting(db)] == [["other"]]
    said = {item.LakeColumn.name: item.Tag for item in find_tags(db, table_id=table, limit=1000).items}
    assert (said["mail"].status, said["mail"].actor) == ("accepted", "assay")
    assert said["mail"].reason == "as ann accepted it on lake/old Mail (known)"
    assert said["isbn"].status == "rejected"
    event = next(one for one in audit.find_events(db) if one.item.startswith("lake/new mail"))
    assert (event.actor, event.action, event.reason) == ("assay", "accept", said["mail"].reason)
    undo(db, event.id, by=everyone_here("bob"), false_alarm_budget=1.0)
    assert len(review.waiting(db, domain="email")) == 1


def test_no_rejection_that_would_show_values_is_repeated(db: Session) -> None:
    _table(db, "old", {"mail": MAIL})
    review.decide(db, _ids(review.waiting(db)[0]), "rejected", "ann", "a business's")
    table = _table(db, "new", {"mail": MAIL})
    (asked,) = review.waiting(db)[0].items
    assert asked.remembered == "ann rejected it on lake/old mail (a business's)"
    assert db.exec(select(LakeColumn.sensitive).where(LakeColumn.table_id == table)).one() is True


def test_people_who_disagree_are_not_followed(db: Session) -> None:
    for number, status in enumerate(("accepted", "rejected")):
        _table(db, f"t{number}", {f"isbn{number}": BOOK})
        review.decide(db, _ids(review.waiting(db)[0]), status, "ann", "so")
    for column in db.exec(select(LakeColumn)).all():
        column.name = "isbn"
    db.flush()
    _table(db, "new", {"isbn": BOOK})
    assert len(review.waiting(db)) == 1


def test_a_lost_tag_is_an_event_linked_with_the_broken_rule(db: Session) -> None:
    table = _table(db, "t", {"isbn": BOOK})
    review.decide(db, _ids(review.waiting(db)[0]), "accepted", "ann")
    incident = _broken(db, table)
    _again(db, table, [CODE], 2)
    _again(db, table, [CODE], 3)  # still lost: no second event
    ((asked, event),) = review.lost(db)
    assert (asked.column, event.version, event.incident_id, event.what) == ("isbn", 2, incident, "lost")
    assert [one.tag_id for one in lost.events_of_incident(db, incident)] == [asked.tag_id]
    review.decide(db, [asked.tag_id], "accepted", "ann", "a bad load")
    assert review.lost(db) == []
    _again(db, table, [BOOK], 4)
    assert [one.what for one in lost.events_of(db, table, "isbn")] == ["back", "lost"]
    tables.remove_table(db, table)
    assert db.exec(select(Tag).where(col(Tag.id) == asked.tag_id)).first() is None


def test_what_a_suspect_version_holds_is_not_what_columns_mean(db: Session) -> None:
    table = _table(db, "t", {"isbn": BOOK, "code": CODE})
    (isbn,) = db.exec(select(LakeColumn).where(LakeColumn.table_id == table, LakeColumn.name == "isbn")).all()
    ids = db.exec(select(LakeColumn.id).where(LakeColumn.table_id == table)).all()

    def domains() -> set[str]:
        return set(db.exec(select(Tag.domain).where(Tag.column_id == isbn.id)).all())

    tags.put_table_tags(db, {key: [CODE, MAIL] for key in ids}, 2, suspect=ids)
    assert domains() == {"isbn", "email"}, "only what hides values is added"
    _again(db, table, [BOOK, MAIL], 3)
    review.decide(db, list(db.exec(select(Tag.id).where(Tag.domain == "isbn"))), "accepted", "ann")
    tags.put_table_tags(db, {key: [CODE] for key in ids}, 4, suspect=ids)
    assert {event.what for _, event in review.lost(db)} == {"lost"}, "people are asked about what they accepted"
    assert domains() == {"isbn", "email"}
    _again(db, table, [CODE], 5)
    assert domains() == {"isbn", "email", "code"}


def _broken(db: Session, table_id: int) -> int:
    rules.put_rules(
        db, table_id, [Rule("pattern", "isbn", {}, 0.001, "Looks so.", "fmdv")], learners=["fmdv"], since_version=1
    )
    rule = rules.active_rules(db, table_id)[0]
    kept = record_outcome(db, outcomes.outcome_row(table_id, 2, rule.id, Verdict(VIOLATED, "No.", {}, {})))
    assert kept is not None
    return outcomes.open_or_update_incident(db, kept)[0].id


def test_all_of_a_group_waits_for_a_second_person(db: Session) -> None:
    for number in range(3):
        _table(db, f"t{number}", {f"mail{number}": MAIL})
    set_preference(db, approvals.SETTING, True, actor="ann")
    (group,) = review.waiting(db)
    with pytest.raises(Held):
        review.decide(db, _ids(group), "rejected", "ann", "a business's")
    assert approvals.count_waiting(db) == 3
    assert {one.status for one in db.exec(select(Tag))} == {"proposed"}
    assert len(review.decide(db, _ids(group), "accepted", "ann")) == 3


def test_a_person_says_what_a_column_is(db: Session) -> None:
    """Whatever was proposed: the decision stays through crawls that do not find it, and can be taken back."""
    table = _table(db, "t", {"contact": CODE})
    column = tables.get_column(db, table, "contact")
    tag, events = review.say_tag(db, column, "email", "ann", "the form asks for it")
    assert (tag.status, tag.actor, tag.reason, tag.sensitive) == ("accepted", "ann", "the form asks for it", True)
    assert db.get_one(LakeColumn, column.id).sensitive
    _again(db, table, [CODE], 2)
    assert db.get_one(Tag, tag.id).status == "accepted"
    assert [review.say_tag(db, column, "email", "ann")[0].id] == [tag.id]  # no second one
    undo(db, events[0] + 1, by=everyone_here("ann"), false_alarm_budget=1.0)
    with pytest.raises(NotFound, match=r"no domain 'emial'.*email"):
        review.say_tag(db, column, "emial", "ann")
    with pytest.raises(UsageError, match="is a general kind"):  # the lists show it, so that it is there
        review.say_tag(db, column, "category", "ann")


def test_the_tag_that_is_meant(db: Session) -> None:
    table = _table(db, "t", {"contact": CODE})
    column = tables.get_column(db, table, "contact")
    with pytest.raises(NotFound, match=r"nothing waits at column 'contact'.*code \(general, no decision needed\)"):
        review.tag_of(db, column)
    _again(db, table, [MAIL], 2)
    assert review.tag_of(db, column).domain == review.tag_of(db, column, "E-Mail address").domain == "email"
    _again(db, table, [MAIL, BOOK], 3)
    with pytest.raises(UsageError, match=r"several tags: .*isbn \(proposed\)"):
        review.tag_of(db, column)
    with pytest.raises(NotFound, match="no tag 'url'"):
        review.tag_of(db, column, "url")
