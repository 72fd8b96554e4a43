"""Levels of sensitivity on pages and in the interface."""

from __future__ import annotations

import re

from markup import read
from sites import Site
from sqlmodel import select

from catalog.store.engine import session
from catalog.store.models import Tag


def test_a_level_is_set_by_hand_and_hides_on_the_page(site: Site) -> None:
    client, status, table = site.client, site.ids["status"], site.ids["sales/orders"]
    shown = client.get(f"/columns/{status}").text
    assert "from its tags: for everybody here" in shown
    assert "returned" in shown
    csrf = re.search(r'name="csrf" value="(\w+)"', shown).group(1)  # type: ignore[union-attr]
    form = {"csrf": csrf, "level": "secret"}
    assert client.post(f"/columns/{status}/level", data=form).status_code == 303
    hidden = client.get(f"/columns/{status}").text
    assert "set by hand: gives access to a system or to money: masked" in hidden
    assert "returned" not in hidden
    told = client.get(f"/api/v1/columns/{status}").json()
    assert (told["level"], told["hand_level"], told["sensitive"]) == ("secret", "secret", True)
    assert "returned" not in str(told)
    assert client.get("/api/v1/tables", params={"level": "secret"}).json()["items"][0]["id"] == table
    assert client.get("/tables?level=secret").status_code == 200
    lower = client.put(f"/api/v1/columns/{status}/level", json={"level": "public"})
    assert (lower.status_code, "shows values" in lower.text) == (400, True)
    lower = client.put(f"/api/v1/columns/{status}/level", json={"level": "public", "reason": "it is on the web"})
    assert (lower.status_code, lower.json()["level"]) == (200, "public")
    assert "returned" not in lower.text  # what was masked at rest comes back with the next crawl
    assert "the next crawl brings them" in client.get(f"/columns/{status}").text


def test_addresses_that_stay_masked_at_a_low_level_say_so(site: Site) -> None:
    place = f"/columns/{site.ids['email']}"
    assert "Still masked" not in site.client.get(place).text  # its level says so
    said = {"level": "internal", "reason": "all are of the firm"}
    assert site.client.put(f"/api/v1{place}/level", json=said).status_code == 200
    assert "stay masked at every level" in site.client.get(place).text


def test_taking_back_that_some_values_hold_names_asks_why(site: Site) -> None:
    place = f"/columns/{site.ids['status']}"
    with session(site.engine) as db:
        db.add(Tag(column_id=site.ids["status"], domain="person_name", title="Name", sensitive=True, contains=True))
        db.flush()
        key = db.exec(select(Tag.id).where(Tag.domain == "person_name", Tag.contains)).one()
    assert "the others are shown" in site.client.get(place).text
    assert site.client.post(f"/api/v1/tags/{key}", json={"status": "accepted"}).status_code == 200
    accepted = site.client.get(place).text
    assert "as all of this column are" in accepted
    assert "Why may the others be seen?" in accepted
    csrf = re.search(r'name="csrf" value="(\w+)"', accepted).group(1)  # type: ignore[union-attr]
    form = {"csrf": csrf, "status": "proposed", "back": place}
    assert site.client.post(f"/tags/{key}", data=form).status_code == 400
    assert site.client.post(f"/tags/{key}", data=form | {"reason": "all are made up"}).status_code == 303
    assert "from its tags: for everybody here" in site.client.get(place).text


def test_figures_of_a_tag_are_told_in_words(site: Site) -> None:
    with session(site.engine) as db:
        tag = db.exec(select(Tag).where(Tag.column_id == site.ids["email"])).first()
        assert tag is not None
        whose = [{"what": "name customer_id", "weight": 3.0}]
        tag.evidence = {"placed": False, "chance": 0.01, "their_impurity": 0.4, "whose_because": whose}
    page = read(site.client.get(f"/columns/{site.ids['email']}").text).text
    for words in ("told by the columns beside it", "share of their values without it", "why it is theirs reason"):
        assert words in page
    assert "their impurity" not in page
