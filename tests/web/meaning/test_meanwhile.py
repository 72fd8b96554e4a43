"""What changed after a page was made: who decides from that page is told so and asked again."""

from __future__ import annotations

import re
from html import unescape

import pytest
from markup import read
from sites import Site
from sqlmodel import select

from catalog.errors import Held
from catalog.store.access import approvals
from catalog.store.access.preferences import set_preference
from catalog.store.engine import session
from catalog.store.glossary import terms
from catalog.store.meaning import levels, review, tags
from catalog.store.models import LakeColumn, Tag
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.proposal import TagProposal


def _fields(text: str, action: str) -> dict[str, object]:
    """What the form that is sent to an address sends of itself."""
    (form,) = re.findall(rf'<form method="post" action="{re.escape(action)}".*?</form>', text, re.S)
    found: dict[str, object] = {}
    for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form):
        found.setdefault(name, []).append(unescape(value))  # type: ignore[attr-defined]
    return found


def _propose(site: Site, domain: str = "isbn") -> list[int]:
    """Two columns with a tag that waits."""
    with session(site.engine) as db:
        plain = select(LakeColumn).where(LakeColumn.table_id == 1, LakeColumn.level == "internal")
        columns = db.exec(plain.limit(2)).all()
        said = TagProposal(domain, domain, 0.9, 1.0, domain == ABOUT, {"matching": []})
        tags.put_table_tags(db, {one.id: [said] for one in columns}, 1)
        return list(db.exec(select(Tag.id).where(Tag.domain == domain)))


def _statuses(site: Site, ids: list[int]) -> list[str]:
    with session(site.engine, write=False) as db:
        return [db.get_one(Tag, one).status for one in ids]


def test_a_group_that_somebody_decided_on_meanwhile_is_asked_about_again(site: Site) -> None:
    ids = _propose(site)
    form = _fields(site.client.get("/review?domain=isbn").text, "/review")
    with session(site.engine) as db:
        review.decide(db, ids, "accepted", "ann")
    late = site.client.post("/review", data=form | {"tag": ids, "status": "rejected"})
    assert late.status_code == 409
    assert "ann accepted 2 of these columns meanwhile" in late.text
    assert _statuses(site, ids) == ["accepted", "accepted"]
    again = _fields(late.text, "/review")
    assert site.client.post("/review", data=again).status_code == 303
    assert _statuses(site, ids) == ["rejected", "rejected"]
    agreed = site.client.post("/review", data=form | {"tag": ids, "status": "rejected"})
    assert agreed.status_code == 303, "who wants what is so already contradicts nobody"


def test_a_decision_without_a_tick_stays_on_the_page(site: Site) -> None:
    ids = _propose(site)
    form = _fields(site.client.get("/review?domain=isbn").text, "/review")
    sent = site.client.post("/review", data=form | {"status": "accepted"})
    assert sent.status_code == 303
    shown = site.client.get(sent.headers["location"]).text
    assert "no column was ticked. Tick at least one" in shown
    assert _statuses(site, ids) == ["proposed", "proposed"]
    asked = _propose(site, ABOUT)
    form = _fields(site.client.get("/review").text, "/review/table")
    sent = site.client.post("/review/table", data=form | {"only": "true"})
    assert sent.status_code == 303
    assert "no column was ticked. Tick at least one" in site.client.get(sent.headers["location"]).text
    assert _statuses(site, asked) == ["proposed", "proposed"]


def test_what_waits_for_a_second_person_is_not_asked_about_again(site: Site) -> None:
    first, second = _propose(site, ABOUT)
    with session(site.engine) as db:
        set_preference(db, approvals.SETTING, True, actor="ann")
    for ids, answered in (([first], 1), ([second], 0)):
        with pytest.raises(Held), session(site.engine) as db:
            review.answer(db, [], ids, "ann", "no persons")
        page = site.client.get("/review").text
        assert "ann asked to reject the tag" in read(page).text
        assert read(page).faults == []
        (form,) = re.findall(r'<form method="post" action="/review/table".*?</form>', page, re.S)
        assert len(re.findall('name="asked"', form)) == len(re.findall('name="tag"', form)) == answered
        assert ("Save the ticked ones only" in form) == bool(answered)
    with session(site.engine) as db:
        tag = db.get_one(Tag, first)
        said = TagProposal("email", "E-mail address", 0.9, 1.0, True, {"matching": []})
        tags.put_table_tags(db, {tag.column_id: [said]}, 2)
        (mail,) = db.exec(select(Tag.id).where(Tag.domain == "email", Tag.column_id == tag.column_id))
    with pytest.raises(Held), session(site.engine) as db:
        review.decide(db, [mail], "rejected", "ann", "a firm's")
    assert f'name="tag" value="{mail}"' not in site.client.get("/review?domain=email").text


def test_programs_that_say_what_they_saw_are_told_and_others_decide(site: Site) -> None:
    ids = _propose(site)
    with session(site.engine) as db:
        review.decide(db, ids[:1], "accepted", "ann")
    body = {"tags": ids, "status": "rejected", "seen": "proposed"}
    late = site.client.post("/api/v1/review", json=body)
    assert (late.status_code, late.json()["error"]["kind"]) == (409, "changed")
    assert late.json()["error"]["cause"] == "ann accepted 1 of these columns meanwhile"
    one = site.client.post(f"/api/v1/tags/{ids[0]}", json={"status": "rejected", "seen": "proposed"})
    assert (one.status_code, one.json()["error"]["cause"]) == (409, "ann accepted this tag meanwhile")
    assert site.client.post("/api/v1/review", json={"tags": ids, "status": "rejected"}).status_code == 200


def test_an_answer_for_a_table_is_asked_about_again(site: Site) -> None:
    first, second = _propose(site, ABOUT)
    with session(site.engine) as db:
        review.answer(db, [first], [second], "ann", "no persons")
    form = {"csrf": read(site.client.get("/review").text).token, "asked": [first, second], "seen": "proposed"}
    late = site.client.post("/review/table", data=form | {"tag": [second], "reason": "wards"})
    assert late.status_code == 409
    assert "ann accepted 1 of these columns and ann rejected 1 of these columns meanwhile" in late.text
    assert _statuses(site, [first, second]) == ["accepted", "rejected"]
    assert site.client.post("/review/table", data=_fields(late.text, "/review/table")).status_code == 303
    assert _statuses(site, [first, second]) == ["rejected", "accepted"]
    body = {"about": [first], "others": [second], "reason": "wards", "seen": "proposed"}
    assert site.client.post("/api/v1/review/tables", json=body).status_code == 409


def test_a_text_is_not_written_over_one_that_was_not_seen(site: Site) -> None:
    path, address = "/columns/1", "/glossary/describe/column/1"
    form = _fields(site.client.get(path).text, address)
    with session(site.engine) as db:
        terms.describe(db, "column", 1, text="By ann.", actor="ann")
    late = site.client.post(address, data=form | {"text": "By bob."})
    assert late.status_code == 409
    assert "ann changed this text meanwhile" in late.text
    assert "By ann." in late.text
    assert ">By bob.</textarea>" in late.text, "what was written is not lost"
    again = _fields(late.text, address)
    assert site.client.post(address, data=again | {"text": "By both."}).status_code == 303
    told = site.client.get("/api/v1/glossary/describe/column/1").json()
    assert told["description"] == "By both."
    body = {"text": "By a program.", "seen": told["seen"]}
    assert site.client.put("/api/v1/glossary/describe/column/1", json=body).status_code == 200
    assert site.client.put("/api/v1/glossary/describe/column/1", json=body | {"text": "Late."}).status_code == 409
    assert site.client.put("/api/v1/glossary/describe/column/1", json={"text": "Whatever is so."}).status_code == 200


def test_a_term_is_not_written_over_one_that_was_not_seen(site: Site) -> None:
    with session(site.engine) as db:
        terms.put_term(db, "margin", "What is left.", owner="sales", actor="ann")
    page = site.client.get("/glossary").text
    (seen,) = re.findall(r'name="seen" value="(\w+)"', page)
    form = {"csrf": read(page).token, "seen": seen, "name": "margin", "definition": "By bob.", "owner": "sales"}
    with session(site.engine) as db:
        terms.put_term(db, "margin", "What remains.", actor="ann")
    late = site.client.post("/glossary/terms", data=form)
    assert late.status_code == 409
    assert "What remains." in late.text
    assert ">By bob.</textarea>" in late.text
    told = site.client.get("/api/v1/glossary/terms/margin").json()
    assert told["seen"] != seen
    body = {"definition": "x", "seen": seen}
    assert site.client.put("/api/v1/glossary/terms/margin", json=body).status_code == 409
    assert site.client.put("/api/v1/glossary/terms/margin", json=body | {"seen": told["seen"]}).status_code == 200


def test_a_level_is_not_set_over_one_that_was_not_seen(site: Site) -> None:
    form = _fields(site.client.get("/columns/1").text, "/columns/1/level")
    with session(site.engine) as db:
        levels.set_level(db, 1, "secret", actor="ann")
    late = site.client.post("/columns/1/level", data=form | {"level": "public", "reason": "why not"})
    assert late.status_code == 409
    assert "it is secret" in late.text
    with session(site.engine, write=False) as db:
        assert db.get_one(LakeColumn, 1).level == "secret"
