"""Alerts on their page and in the interface: routes, the test button, what was not delivered."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from markup import read
from sites import Site, open_site

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "end_to_end"))
from receivers import Receiver, receiver

from catalog.store.access import owners
from catalog.store.alerts import deliveries, routes
from catalog.store.engine import session as open_session

SECRET = "s3cretpath"  # noqa: S105 - of these tests only


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Receiver]:
    with receiver(tmp_path / "web") as one:
        yield one


@pytest.fixture
def allowed(tmp_path: Path, filled: tuple[Path, dict[str, int]]) -> Iterator[Site]:
    """The shop's catalog, from which alerts may go to this machine."""
    opened = open_site(tmp_path / "home", filled, alert_networks="127.0.0.1")
    yield opened
    opened.engine.dispose()


def test_a_route_is_added_tested_and_removed_on_its_page(allowed: Site, web: Receiver) -> None:
    client = allowed.client
    text = client.get("/alerts").text
    assert "No alerts are sent yet" in text
    assert f"Links in alerts begin with {allowed.settings.page_url}" in read(text).text
    with open_session(allowed.engine) as session:
        owners.set_team(session, "sales", ["ann"], actor="ann")
    csrf = {"csrf": re.search(r'name="csrf" value="(\w+)"', text).group(1)}  # type: ignore[union-attr]
    form = {"name": "Sales", "address": f"http://{web.place}/{SECRET}", "owner": "sales", "level": "warning"}
    assert client.post("/alerts/routes", data=csrf | form | {"event": ["opened", "resolved"]}).status_code == 303
    unknown = client.post("/alerts/routes", data=csrf | form | {"name": "Typo", "owner": "sale"})
    assert (unknown.status_code, "Nobody is called &#39;sale&#39;" in unknown.text) == (404, True)
    text = client.get("/alerts").text
    assert f"webhook at {web.place}" in text
    assert SECRET not in text
    assert "warnings too: opened, resolved" in text
    answer = client.post("/alerts/routes/1/test", data=csrf)
    assert answer.headers["location"] == "/alerts?tested=1"
    [one] = web.got()
    assert one["path"] == f"/{SECRET}"
    assert "local tests the route" in one["body"]
    web.process.terminate()
    web.process.wait()
    failed = client.post("/alerts/routes/1/test", data=csrf)
    assert failed.status_code == 502
    assert "was not taken by" in failed.text
    assert SECRET not in failed.text
    assert client.post("/alerts/routes/1/remove", data=csrf).status_code == 303
    assert "No alerts are sent yet" in client.get("/alerts").text
    log = client.get("/api/v1/audit", params={"kind": "route"}).text
    assert SECRET not in log
    assert '"add"' in log
    assert '"remove"' in log


def test_a_mistake_in_a_form_leads_back_to_it(site: Site) -> None:
    text = site.client.get("/alerts").text
    sent = {"csrf": re.search(r'name="csrf" value="(\w+)"', text).group(1), "name": "x", "address": "nonsense"}  # type: ignore[union-attr]
    for came_from, back in (
        ("http://127.0.0.1:8420/alerts?status=all", True),
        ("https://elsewhere.example/alerts", False),
        ("http://127.0.0.1:8420//elsewhere.example", False),
        ("http://[", False),
        ("", False),
    ):
        answer = site.client.post("/alerts/routes", data=sent, headers={"referer": came_from} if came_from else {})
        assert answer.status_code == 400
        assert ('href="/alerts?status=all" data-back>Back to where you were' in answer.text) == back
        assert "elsewhere" not in answer.text


def test_routes_in_the_interface_hold_no_address(site: Site) -> None:
    client = site.client
    made = client.post("/api/v1/alerts/routes", json={"name": "a", "address": f"https://a.example/{SECRET}"})
    assert made.status_code == 201
    assert made.json()["shown"] == "webhook at a.example"
    listed = client.get("/api/v1/alerts/routes")
    assert SECRET not in made.text + listed.text
    assert client.put("/api/v1/alerts/routes/1", json={"active": False}).json()["active"] is False
    again = client.post("/api/v1/alerts/routes", json={"name": "a", "address": "https://a.example/"})
    assert (again.status_code, "already" in again.text) == (400, True)
    for wrong in ("syslog://localhost", f"json://a.example/{SECRET}?template=/etc/passwd"):
        answer = client.post("/api/v1/alerts/routes", json={"name": "b", "address": wrong})
        assert answer.status_code == 400
        assert SECRET not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:10.0.0.8]", "2130706433", "localhost", "metadata.goog"])
def test_an_address_of_the_service_s_own_network_is_refused_when_it_is_entered(site: Site, host: str) -> None:
    address = f"http://{host}:9/{SECRET}" if ":" not in host else f"mailto://a@b.example?smtp={host}&to=c@d.example"
    answer = site.client.post("/api/v1/alerts/routes", json={"name": "inner", "address": address})
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert "in the service's own network" in error["cause"]
    assert ("ASSAY_ALERT_NETWORKS=" in error["remedy"]) == ("metadata" not in host)
    assert SECRET not in answer.text
    assert site.client.get("/api/v1/alerts/routes").json() == []


def test_a_name_that_came_to_mean_the_service_s_own_network_is_refused_when_it_is_sent_to(site: Site) -> None:
    with open_session(site.engine) as session:
        sealed = site.app.state.vault.seal("json://127.0.0.1:9/x")
        inner = routes.add_route(session, "c", sealed, "webhook at hooks.example", actor="ann").id
    refused = site.client.post(f"/api/v1/alerts/routes/{inner}/test")
    assert "service's own network" in refused.json()["error"]["cause"]


def test_what_could_not_be_delivered_is_on_the_home_page(site: Site) -> None:
    with open_session(site.engine) as session:
        incident = site.ids["incident pattern placed_on"]
        session.add(deliveries.AlertDelivery(incident_id=incident, event="opened", route_id=1, route="Sales"))
        session.flush()
        [one] = deliveries.claim(session)
        deliveries.settle(session, {one.id: "503"}, {})
    assert "1 alert could not be delivered" in site.client.get("/").text
    assert site.client.get("/api/v1/health").json()["undelivered"] == 1
    assert "assay_alerts_undelivered 1.0" in site.client.get("/metrics").text
    text = site.client.get("/alerts?status=undelivered").text
    assert "503" in text
    assert f'href="/incidents/{incident}"' in text
    assert site.client.post("/api/v1/alerts/again").json() == {"again": 1}


def test_what_is_no_address_is_not_said_to_be_one(site: Site) -> None:
    form = {
        "csrf": read(site.client.get("/alerts").text).token,
        "name": "x",
        "address": "hello there",
        "event": "opened",
    }
    answer = site.client.post("/alerts/routes", data=form)
    assert (answer.status_code, "hello there://" in answer.text) == (400, False)
    assert "That is no address" in answer.text
