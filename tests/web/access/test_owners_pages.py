"""Owners on pages and in the interface."""

from __future__ import annotations

import re

from sites import Site

from catalog.store.access import owners
from catalog.store.engine import session


def test_an_owner_is_named_in_place_and_filters_lists(site: Site) -> None:
    client, table = site.client, site.ids["sales/orders"]
    assert "without an owner" in client.get("/").text
    text = client.get(f"/tables/{table}").text
    csrf = re.search(r'name="csrf" value="(\w+)"', text).group(1)  # type: ignore[union-attr]
    answer = client.post(f"/owners/table/{table}", data={"csrf": csrf, "owner": "sales", "back": f"/tables/{table}"})
    assert answer.headers["location"] == f"/tables/{table}"
    assert "sales" in client.get(f"/tables/{table}").text
    assert client.get("/api/v1/tables", params={"owner": "sales"}).json()["total"] == 1
    bare = client.get("/api/v1/tables", params={"owner": "unowned"}).json()["total"]
    assert bare == client.get("/api/v1/tables").json()["total"] - 1
    column = client.get(f"/api/v1/tables/{table}/columns").json()["items"][0]["id"]
    assert client.get(f"/api/v1/owners/column/{column}").json() == {"name": "sales", "given": "table"}
    put = client.put(f"/api/v1/owners/column/{column}", json={"owner": "dpo", "reason": "it is personal"})
    assert put.json() == {"name": "dpo", "given": "column"}
    assert "dpo" in client.get(f"/columns/{column}").text
    found = client.get("/api/v1/incidents", params={"owner": "sales", "status": "open"}).json()["items"]
    assert found
    assert {one["table_id"] for one in found} == {table}
    assert client.get("/incidents", params={"owner": "nobody-such"}).text.count("/incidents/") == 0


def test_unowned_things_fall_to_the_default_owner(site: Site) -> None:
    client = site.client
    assert client.put("/api/v1/owners/default", json={"owner": "platform"}).json()["name"] == "platform"
    assert client.put("/api/v1/owners/teams/platform", json={"members": ["local", "bob"]}).status_code == 200
    home, page = client.get("/").text, client.get("/owners").text
    assert "platform by default" in home
    assert "by default they belong to platform" in page
    assert "bob, local" in page
    told = client.get("/api/v1/owners").json()
    assert told["unowned"] == client.get("/api/v1/tables").json()["total"] > 0
    event = client.get("/api/v1/audit", params={"kind": "setting"}).json()["items"]
    assert [one["item"] for one in event] == ["teams", "default_owner"]
    wrong = client.put("/api/v1/owners/table/1", json={"owner": "mine"})
    assert wrong.status_code == 400


def test_a_default_owner_is_an_owner(site: Site) -> None:
    assert "No owner is set yet" in site.client.get("/owners").text
    with session(site.engine) as db:
        owners.set_default_owner(db, "data-platform", actor="ann")
    page = site.client.get("/owners").text
    assert "belong to data-platform" in page
    assert "No owner is set yet" not in page
