"""What the API does of what only pages and commands did: the glossary, carrying tags on, domains of one's own."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from shop import SECRET
from sites import Site
from sqlmodel import select

from catalog.roles import ROLES
from catalog.states.encoding import encode
from catalog.states.folding.fold import fold
from catalog.store.access import people
from catalog.store.engine import session
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import review
from catalog.store.models import LakeColumn, Tag

API = "/api/v1"


def ok(answer: Any, code: int = 200) -> Any:
    assert answer.status_code == code, answer.text
    return answer.json() if answer.content else None


def refused(answer: Any, code: int) -> str:
    assert answer.status_code == code, answer.text
    said = answer.json()["error"]
    assert said["cause"]
    assert said["remedy"]
    return str(said["cause"])


def last_event(site: Site) -> dict[str, Any]:
    event: dict[str, Any] = ok(site.client.get(f"{API}/audit?limit=1"))["items"][0]
    return event


def test_terms_are_put_found_carried_and_removed(site: Site) -> None:
    put = lambda name, **said: site.client.put(f"{API}/glossary/terms/{name}", json=said)  # noqa: E731
    assert ok(put("gross margin", definition="Revenue less cost.", owner="finance"))["owner"] == "finance"
    assert (last_event(site)["action"], last_event(site)["item"]) == ("add", "gross margin")
    ok(put("p/l", definition="Profit and loss."))
    assert "cannot be a term" in refused(put("a,b", definition="x"), 400)
    assert refused(put("x", definition="x" * 5000), 422)
    table = site.ids["sales/orders"]
    described = ok(
        site.client.put(f"{API}/glossary/describe/table/{table}", json={"text": "One an order.", "terms": ["p/l"]})
    )
    assert (described["description"], described["terms"]) == ("One an order.", ["p/l"])
    assert ok(site.client.get(f"{API}/glossary/describe/table/{table}")) == described
    kept = ok(site.client.put(f"{API}/glossary/describe/table/{table}", json={"terms": []}))
    assert (kept["description"], kept["terms"]) == ("One an order.", [])
    ok(site.client.post(f"{API}/audit/{last_event(site)['id']}/undo", json={}))
    one = ok(site.client.get(f"{API}/glossary/terms/p/l"))
    assert [(c["kind"], c["id"]) for c in one["carriers"]] == [("table", table)]
    assert "carries the term" in refused(site.client.delete(f"{API}/glossary/terms/p/l"), 400)
    listed = ok(site.client.get(f"{API}/glossary/terms?limit=1"))
    assert (listed["total"], [t["name"] for t in listed["items"]]) == (2, ["gross margin"])
    assert ok(site.client.get(listed["next"]))["items"][0]["name"] == "p/l"
    assert [t["name"] for t in ok(site.client.get(f"{API}/glossary/terms?q=PROFIT"))["items"]] == ["p/l"]
    ok(site.client.delete(f"{API}/glossary/terms/gross margin"), 204)
    assert refused(site.client.get(f"{API}/glossary/terms/gross margin"), 404)
    assert refused(site.client.put(f"{API}/glossary/describe/column/{2**31 - 1}", json={"text": "x"}), 404)


@pytest.mark.parametrize("form", ["yaml", "csv"])
def test_what_is_exported_is_imported_tried_first(site: Site, form: str) -> None:
    ok(site.client.put(f"{API}/glossary/terms/margin", json={"definition": "Revenue\nless cost."}))
    file = site.client.get(f"{API}/glossary/export?form={form}")
    assert (file.status_code, "margin" in file.text) == (200, True)
    changed = file.content.replace(b"less cost", b"less all cost")
    send = lambda **asked: site.client.post(  # noqa: E731
        f"{API}/glossary/import",
        params={"form": form, **asked},
        content=changed,
        headers={"content-type": "application/octet-stream"},
    )
    meaning = lambda: ok(site.client.get(f"{API}/glossary/terms/margin"))["definition"]  # noqa: E731
    tried = ok(send(dry_run=True))
    assert [(t["name"], t["what"]) for t in tried] == [("margin", "changed")]
    assert "all" not in meaning()
    assert ok(send()) == tried
    assert "all" in meaning()
    wrong = site.client.post(
        f"{API}/glossary/import", content=b"\xff", headers={"content-type": "application/octet-stream"}
    )
    assert "cannot be read" in refused(wrong, 400)
    assert refused(site.client.get(f"{API}/glossary/export?form=docx"), 422)


def same_data(site: Site) -> tuple[int, int]:
    """An accepted tag, and another column with the values of its column."""
    numbers = [f"C-{i:05}" for i in range(3000)]
    found = []
    with session(site.engine) as db:
        source = sources.add_source(db, "crm", "/crm")
        for name, values in {"customers": numbers, "orders": numbers[100:2600], "few": numbers[:5] * 10}.items():
            sources.upsert_tables(db, source.id, [(name, f"/crm/{name}")])
            table = tables.get_table(db, f"crm/{name}")
            found.append(tables.set_columns(db, table.id, [["customer", "string"]])[0].id)
            versions.put_file_states(
                db, [(table.id, "part-0", len(values), 9000, encode(fold(pa.table({"customer": values}))))]
            )
        tag, _ = review.say_tag(db, db.get_one(LakeColumn, found[0]), "email", "ann", "")
        return tag.id, found[1]


def test_a_tag_is_carried_to_the_same_data_tried_first(site: Site) -> None:
    tag, like = same_data(site)
    planned = ok(site.client.get(f"{API}/tags/{tag}/spread?limit=500"))["items"]
    by_what = {what: [one for one in planned if one["what"] == what] for what in ("carry", "skip")}
    assert [one["column_id"] for one in by_what["carry"]] == [like]
    assert by_what["skip"]
    assert all(one["reason"] for one in by_what["skip"])
    done = ok(site.client.post(f"{API}/tags/{tag}/spread"))
    assert (done["carried"], done["skipped"]) == (by_what["carry"], len(by_what["skip"]))
    (event,) = done["events"]
    assert last_event(site)["id"] == event
    assert ok(site.client.get(f"{API}/columns/{like}"))["tags"][0]["status"] == "accepted"
    ok(site.client.post(f"{API}/audit/{event}/undo", json={}))
    assert ok(site.client.get(f"{API}/columns/{like}"))["tags"][0]["status"] == "proposed"
    with session(site.engine) as db:
        other = db.exec(select(Tag.id).where(Tag.status == "proposed")).first()
    assert "accepted" in refused(site.client.get(f"{API}/tags/{other}/spread"), 400)
    assert refused(site.client.get(f"{API}/tags/{2**31 - 1}/spread"), 404)


def test_tags_are_written_as_sql_and_lineage_without_values(site: Site) -> None:
    table = site.ids["sales/orders"]
    asked = f"{API}/tables/{table}/tags/sql?proposed=true"
    unity = ok(site.client.get(f"{asked}&name=main.shop.orders&group=readers"))["statements"]
    assert any("SET MASK" in one for one in unity)
    assert any("readers" in one for one in unity)
    delta = ok(site.client.get(f"{asked}&system=delta"))["statements"]
    assert delta
    assert not any("SET MASK" in one for one in delta)
    assert "names no table" in refused(site.client.get(f"{asked}&name=a.b.c.d"), 400)
    assert refused(site.client.get(f"{asked}&system=oracle"), 400)
    told = ok(site.client.get(f"{API}/tables/{table}/lineage?proposed=true"))
    assert told["facets"]
    assert SECRET not in json.dumps([unity, delta, told])


def test_rights_are_those_of_the_pages(site: Site) -> None:
    with session(site.engine) as db:
        people.add_user(db, "boss", "correct horse battery", "admin", actor="local")
        secrets = {
            role: people.make_token(db, people.get_user(db, "boss"), role, scope=role, days=1, actor="boss")[1]
            for role in ROLES
        }
    table = site.ids["sales/orders"]
    for method, path, body, least in (
        ("PUT", "/glossary/terms/x", {"definition": "y"}, "author"),
        ("PUT", f"/glossary/describe/table/{table}", {"text": "y"}, "author"),
        ("POST", "/glossary/import", None, "author"),
        ("POST", "/reports/schedules", {"kind": "privacy"}, "author"),
        ("GET", "/tags/1/spread", None, "approver"),
        ("POST", "/tags/1/spread", None, "approver"),
        ("GET", f"/tables/{table}/tags/sql", None, "viewer"),
        ("GET", "/reports/filed", None, "viewer"),
        ("PUT", "/ledger/week", {"allowed": 2}, "admin"),
    ):
        order = ["viewer", "runner", "author", "approver", "admin"]
        for role in order:
            headers = {"authorization": f"Bearer {secrets[role]}"}
            answer = site.client.request(method, f"{API}{path}", json=body, headers=headers)
            assert (answer.status_code == 403) == (order.index(role) < order.index(least)), (method, path, role)
    reader = {"authorization": f"Bearer {secrets['author']}"}
    ok(site.client.put(f"{API}/glossary/terms/z", json={"definition": "y"}, headers=reader))
    event = ok(site.client.get(f"{API}/audit?kind=term&limit=1", headers=reader))["items"][0]
    assert (event["actor"], event["item"]) == ("boss", "z")
