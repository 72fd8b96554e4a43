"""The JSON interface: documented, paged, one shape of errors, and it does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from markup import read
from shop import SECRET

from catalog.errors import NotFound
from catalog.store import runs
from catalog.store.engine import session
from catalog.store.lake import sources
from workers.broker import Broker


def test_openapi_documents_every_route(shelf):
    schema = shelf.client.get("/api/v1/openapi.json").json()
    assert schema["openapi"].startswith("3.")
    for path, methods in schema["paths"].items():
        assert path.startswith("/api/v1/") or path == "/metrics"
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            if path != "/metrics":
                shape = operation["responses"]["404"]["content"]["application/json"]["schema"]
                assert shape["$ref"].endswith("/Failure")
    listed = shelf.client.get("/api").text
    assert all(path in listed for path in schema["paths"])
    row = re.search(r"<tr><td><code>POST /api/v1/tags/\{tag_id\}</code>.*?</tr>", listed)[0]
    assert re.findall(r"<code>(\w+)</code>", row) == ["tag_id", "status", "seen", "reason"]


READ = """tables tables/1 tables/1/columns tables/1/versions columns/1 tags rules rules/1 outcomes incidents incidents/1
sources runs runs/1 health"""


@pytest.mark.parametrize("path", READ.split())
def test_reading_answers(shelf, path):
    answer = shelf.client.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    body = answer.json()
    if isinstance(body, dict) and "items" in body:
        assert set(body) == {"items", "total", "limit", "offset", "next"}
        assert body["items"]


def test_pages_of_a_list_hold_everything_once(shelf):
    names, address = [], "/api/v1/tables?limit=30&sort=rows"
    while address:
        body = shelf.client.get(address).json()
        names += [item["name"] for item in body["items"]]
        address = body["next"]
    assert len(names) == len(set(names)) == body["total"] == 76


def test_errors_have_one_shape(shelf):
    failures = {
        "/api/v1/tables/999999": (404, "not_found"),
        "/api/v1/nowhere": (404, "not_found"),
        "/api/v1/tables?limit=0": (422, "invalid_request"),
        "/api/v1/tables?limit=501": (422, "invalid_request"),
        "/api/v1/tables?sort=evil": (422, "invalid_request"),
        "/api/v1/tables/abc": (422, "invalid_request"),
        "/api/v1/rules/99999999999999999999": (422, "invalid_request"),
        "/api/v1/outcomes?version=99999999999999999999": (422, "invalid_request"),
    }
    for path, (code, kind) in failures.items():
        answer = shelf.client.get(path)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (code, kind), path
        assert set(answer.json()) == {"error"}
        assert set(answer.json()["error"]) == {"kind", "cause", "remedy"}
        assert answer.json()["error"]["remedy"]
    assert shelf.client.put("/api/v1/tables").json()["error"]["kind"] == "method_not_allowed"


def test_a_query_parameter_that_nobody_knows_is_refused_by_every_route(shelf):
    routes = [
        (method, path, [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"])
        for path, methods in shelf.client.get("/api/v1/openapi.json").json()["paths"].items()
        for method, operation in methods.items()
        if path.startswith("/api/v1/")
    ]
    assert sum(method == "get" for method, _, _ in routes) > 30
    for method, path, known in routes:
        address = re.sub(r"{\w+}", "1", path)
        answer = shelf.client.request(method, address, params=[("ownr", "ann"), *((name, "") for name in known)])
        assert answer.status_code == 422, (method, path)
        said = answer.json()["error"]
        assert said["cause"] == "unknown query parameter: ownr", (method, path)
        assert said["remedy"] == f"this address takes {', '.join(known) or 'none'}"
    two = shelf.client.get("/api/v1/tables?limit=1&Q=x&ownr=y").json()["error"]
    assert two["cause"] == "unknown query parameters: Q, ownr"
    assert shelf.client.get("/api/v1/tables?limit=1&q=x").status_code == 200


def test_rules_of_sensitive_columns_do_not_tell_values(shelf):
    answer = shelf.client.get(f"/api/v1/rules/{shelf.ids['private rule']}")
    assert SECRET not in answer.text
    clause = answer.json()["body"]["params"]["clauses"][0]
    assert clause["accepted"] == 1  # how many values there are, not which
    shown = shelf.client.get(f"/api/v1/rules/{shelf.ids['rule']}").json()["body"]["params"]
    assert "<digit>" in shown["program"][0]  # of other columns they do


def test_runs_are_cancelled(site):
    waiting = site.client.post(f"/api/v1/runs/{site.ids['waiting']}/cancel").json()
    assert waiting["status"] == "cancelled"
    going = site.client.post(f"/api/v1/runs/{site.ids['run']}/cancel").json()
    assert (going["status"], going["cancel"]) == ("running", True)


@pytest.mark.parametrize(
    "address",
    ["ftp://127.0.0.1:21/x", "http://127.0.0.1/x", "zip://x.zip", "memory://x", "s3://KEY:secret@bucket/x",
     "s3://KEY@bucket/x", "abfss://raw@shop.dfs.core.windows.net/x?sig=abc", "abfss://raw:pw@shop.example/x"],
)  # fmt: skip
def test_sources_are_in_folders_and_object_stores_and_hold_no_keys(site, address):
    """Anything else would let an author have the service speak to its own network, or show a key to everybody."""
    lake = site.ids["lake"]
    ways = (
        site.client.post("/api/v1/sources", json={"name": "more", "uri": address, "untested": True}),
        site.client.put(f"/api/v1/sources/{lake}", json={"name": "shop", "uri": address, "untested": True}),
        site.client.put(f"/api/v1/sources/{lake}/allowed", json={"folders": [address]}),
    )
    assert [one.status_code for one in ways] == [400] * 3
    assert "secret" not in "".join(one.text for one in ways)
    assert address not in site.client.get("/api/v1/sources").text


def test_sources_are_checked(site):
    add = lambda **body: site.client.post("/api/v1/sources", json={"untested": True, **body})  # noqa: E731
    assert add(name="new", uri="/data/new", include=["a*"]).status_code == 201
    assert add(name="new", uri="/data/other").status_code == 409
    assert add(name="rel", uri="data/rel").json()["error"]["remedy"].startswith("give a path")
    assert add(name="a/b", uri="/data/b").status_code == 400
    assert add(name="", uri="/data/b").status_code == 422
    assert {s["name"] for s in site.client.get("/api/v1/sources").json()} == {"archive", "new", "shop"}
    put = lambda folders: site.client.put(  # noqa: E731
        f"/api/v1/sources/{site.ids['lake']}/allowed", json={"folders": folders}
    )
    assert put(["/data/archive", "s3://bucket/x"]).json()["allowed"] == ["/data/archive", "s3://bucket/x"]
    assert put(["relative"]).status_code == 400
    assert put([]).json()["allowed"] == []


def test_crawl_without_a_queue_says_so_and_leaves_no_waiting_run(site):
    answer = site.client.post(f"/api/v1/sources/{site.ids['lake']}/crawl")
    assert answer.status_code == 503
    assert answer.json()["error"]["kind"] == "broker_error"
    newest = max(site.client.get("/api/v1/runs").json()["items"], key=lambda run: run["id"])
    assert newest["status"] == "failed"
    assert newest["remedy"]
    health = site.client.get("/api/v1/health").json()
    assert health["status"] == "degraded"


def test_a_source_added_without_a_queue_is_there_and_says_how_it_is_crawled(site, lake):
    token = read(site.client.get("/sources").text).token
    answer = site.client.post("/sources", data={"name": "new", "uri": str(lake), "csrf": token})
    assert answer.status_code == 303
    page = read(site.client.get(answer.headers["location"]).text)
    assert page.faults == []
    assert "This source is registered, but its crawl could not be started: the task queue does not answer" in page.text
    assert "assay up" in page.text
    assert "assay crawl new" in page.text
    assert "Its last crawl failed" not in page.text


def test_crawl_is_sent_to_the_queue(site):
    """Through the real broker: the message that a worker would take names the task and the run."""
    from workers.app import QUEUE
    from workers.broker import connect

    with Broker(site.settings):
        answer = site.client.post(f"/api/v1/sources/{site.ids['lake']}/crawl")
        assert answer.status_code == 202
        run = answer.json()["id"]
        with connect(site.settings) as client:
            message = client.lindex(QUEUE, 0)
        assert '"task": "assay.crawl"' in message
        site.app.state.queue.close()
    assert site.client.get(f"/api/v1/runs/{run}").json()["status"] == "queued"


def test_metrics_for_prometheus(shelf):
    text = shelf.client.get("/metrics").text
    assert 'assay_tables{status="watched"} 75.0' in text
    assert 'assay_incidents{status="new"} 2.0' in text
    assert "assay_queue_up 0.0" in text


def test_the_page_and_the_workers_mean_the_same_queue():
    from web import queue
    from workers import app, tasks

    assert (queue.CRAWL, queue.QUEUE, queue.ALIVE) == (tasks.CRAWL, app.QUEUE, app.ALIVE)


def test_web_loads_neither_spark_nor_the_flow():
    program = (
        "import sys, web.app, web.__main__\n"
        "never = ('pyspark', 'deltalake', 'scipy', 'catalog.flow', 'catalog.lake')\n"
        "print([m for m in sys.modules if m.startswith(never)])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("field", ["name", "uri", "include"])
def test_text_that_is_none_is_refused_and_breaks_no_page(site, field):
    wanted = {"name": '"x"', "uri": '"/tmp"', "include": "[]"} | {
        field: '["\\ud800"]' if field == "include" else '"\\ud800"'
    }
    body = "{" + ", ".join(f'"{name}": {value}' for name, value in wanted.items()) + "}"
    answer = site.client.post("/api/v1/sources", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert "no text" in answer.json()["error"]["cause"]
    assert site.client.get("/sources").status_code == 200
    assert site.client.get("/api/v1/sources").status_code == 200


@pytest.fixture
def lake(tmp_path):
    """Two tables, as far as a look from outside goes."""
    for name in ("orders", "sales/items"):
        (tmp_path / "lake" / name / "_delta_log").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    return tmp_path / "lake"


def test_sources_are_tested_changed_and_forgotten(site, lake):
    call = lambda method, path, **body: site.client.request(method, f"/api/v1/sources{path}", json=body)  # noqa: E731
    for uri, cause in ((str(lake / "no"), "there is no folder"), (str(lake.parent / "empty"), "no Delta table")):
        refused = call("POST", "", name="new", uri=uri)
        assert refused.status_code == 400
        assert cause in refused.json()["error"]["cause"]
    assert call("POST", "", name="new", uri=str(lake), include=["nothing*"]).status_code == 400
    made = call("POST", "", name="new", uri=str(lake)).json()
    path = f"/{made['id']}"
    assert call("PUT", path, name="new", uri="/no/such").status_code == 400
    assert call("PUT", path, name="shop", uri=str(lake)).status_code == 400  # taken
    changed = call("PUT", path, name="newer", uri=str(lake), include=["sales/*"]).json()
    assert (changed["id"], changed["name"], changed["include"]) == (made["id"], "newer", ["sales/*"])
    assert call("DELETE", path).status_code == 204
    assert call("DELETE", path).status_code == 404
    assert {one["name"] for one in site.client.get("/api/v1/sources").json()} == {"archive", "shop"}


def test_a_program_is_told_which_tables_a_changed_source_would_lose(site, lake):
    path, wanted = f"/api/v1/sources/{site.ids['lake']}", {"name": "shop", "uri": str(lake)}
    with session(site.engine) as db:
        sources.upsert_tables(db, site.ids["lake"], [("sales/items", "/data/shop/sales/items")])
    refused = site.client.put(path, json=wanted)
    assert refused.status_code == 409
    assert "76 tables are not there and would not be watched any more" in refused.json()["error"]["cause"]
    assert "sales/items" not in refused.json()["error"]["cause"]  # one of that name is there
    assert site.client.put(path, json={**wanted, "leave_out": True}).json()["uri"] == str(lake)


def test_the_form_names_folders_that_cannot_be_listed(site, lake, monkeypatch):
    token = lambda: next(f["csrf"] for f in read(site.client.get("/sources").text).forms if "csrf" in f)  # noqa: E731
    post = lambda path, **data: site.client.post(path, data={**data, "csrf": token()})  # noqa: E731
    monkeypatch.chdir(lake)
    os.mkdir("deep")
    os.chdir("deep")
    for _ in range(18):  # a path longer than any system opens: who may read everything cannot list it either
        os.mkdir("d" * 250)
        os.chdir("d" * 250)
    os.chdir(lake)
    path = f"/sources/{site.ids['lake']}"
    refused = read(post(path, name="shop", uri=str(lake)).text)
    assert "Nothing is saved yet" in refused.text
    changed = read(post(path, name="shop", uri=str(lake), leave_out="true").text)
    added = read(post("/sources", name="new", uri=str(lake)).text)
    for told in (refused, changed, added):
        assert told.faults == []
        assert "1 folder cannot be listed (deep/ddd" in told.text
    assert "Saved." in changed.text
    nothing = post("/sources", name="other", uri=str(lake / "deep"))
    assert "1 folder cannot be listed" in nothing.text
    assert {one["name"] for one in site.client.get("/api/v1/sources").json()} == {"archive", "shop", "new"}


def test_the_page_tests_changes_and_forgets_a_source(site, lake):
    token = lambda: next(f["csrf"] for f in read(site.client.get("/sources").text).forms if "csrf" in f)  # noqa: E731
    post = lambda path, **data: site.client.post(path, data={**data, "csrf": token()})  # noqa: E731
    assert "There is no folder" in post("/sources", name="new", uri="/no/such").text
    path = f"/sources/{site.ids['lake']}"
    page = read(site.client.get(path).text)
    assert page.faults == []
    assert "forgotten for good" in page.text
    asked = post(path, name="shop", uri=str(lake), include="sales/*")
    assert asked.status_code == 409
    told = read(asked.text)
    assert told.faults == []
    assert "Nothing is saved yet: 76 tables of this source would not be watched any more" in told.text
    assert "sales/orders" in told.text
    assert f'value="{lake}"' in asked.text
    assert ">sales/*</textarea>" in asked.text
    assert 'name="leave_out"' in asked.text
    assert site.client.get("/api/v1/sources").json()[1]["uri"] == "/data/shop"
    done = post(path, name="shop", uri=str(lake), include="sales/*", leave_out="true")
    assert done.status_code == 303
    after = read(site.client.get(done.headers["location"]).text)
    assert after.faults == []
    assert "Saved. What lies there now is read by the next crawl" in after.text
    assert site.client.get("/api/v1/sources").json()[1]["uri"] == str(lake)
    assert post(f"{path}/remove", confirm="no").status_code == 400
    assert post(f"{path}/remove", confirm="shop").status_code == 303
    assert site.client.get(path).status_code == 404


def test_a_table_that_is_gone_is_forgotten_by_page_and_program(site):
    token = lambda: next(f["csrf"] for f in read(site.client.get("/sources").text).forms if "csrf" in f)  # noqa: E731
    dropped, left_out = site.ids["stock/levels"], site.ids["web/events"]
    assert "Forget this table" not in site.client.get(f"/tables/{dropped}").text
    assert site.client.delete(f"/api/v1/tables/{dropped}").status_code == 400
    with session(site.engine) as db:
        keep = {key for name, key in site.ids.items() if name != "lake" and key not in (dropped, left_out)}
        sources.mark_gone(db, site.ids["lake"], keep, lambda name: name != "web/events")
    for key, said in ((dropped, "This table is gone"), (left_out, "Not watched. Its source leaves out")):
        page = read(site.client.get(f"/tables/{key}").text)
        assert page.faults == []
        assert said in page.text
        assert "Forget this table" in page.text
    assert site.client.post(f"/tables/{dropped}/remove", data={"csrf": token()}).status_code == 303
    assert site.client.delete(f"/api/v1/tables/{left_out}").status_code == 204
    for key in (dropped, left_out):
        assert site.client.get(f"/tables/{key}").status_code == 404
    said = site.client.get("/audit?kind=table").text
    assert "shop/stock/levels" in said


def test_home_does_not_say_that_all_is_well_when_a_source_failed(empty_site):
    client = empty_site.client
    source = client.post("/api/v1/sources", json={"name": "gone", "uri": "/no/such", "untested": True}).json()
    with session(empty_site.engine) as db:
        run = runs.queue_run(db, "crawl", "gone", source_id=source["id"])
        runs.start_run(db, run.id)
        runs.fail_run(db, run.id, NotFound("the folder /no/such cannot be listed", remedy="check the address"))
    said = read(client.get("/").text).text
    assert "All is well" not in said
    assert "1 source could not be crawled: gone." in said
    assert "the folder /no/such cannot be listed" in said


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("tables?status=zzz", "watched"),
        ("rules?status=zzz", "paused"),
        ("rules?kind=zzz", "vocabulary"),
        ("outcomes?status=zzz", "violated"),
        ("incidents?status=zzz", "acknowledged"),
        ("runs?status=zzz", "cancelled"),
    ],
)
def test_a_filter_that_nothing_can_have_is_refused_with_those_there_are(shelf, path, allowed):
    answer = shelf.client.get(f"/api/v1/{path}")
    assert answer.status_code == 400
    assert "'zzz'" in answer.json()["error"]["cause"]
    assert allowed in answer.json()["error"]["remedy"]
    if not path.startswith("outcomes"):
        page = shelf.client.get(f"/{path}")
        assert page.status_code == 400
        assert allowed in read(page.text).text
