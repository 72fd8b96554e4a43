"""A check that is saved on the page, or tried there, is judged by a real worker at once."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from growing_lake import grow
from processes import Workers, until

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.settings import Settings
from catalog.store.lake import tables
from web.app import create_app

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module")
def table_id(context: Context, tmp_path_factory: pytest.TempPathFactory, spark: object) -> int:
    """The one table of a lake that was crawled."""
    root = tmp_path_factory.mktemp("lake")
    grow(root, 1, range(3))
    context.__dict__["spark"] = spark
    add_source(context, "grown", str(root))
    crawl_source(context, "grown")
    with context.reading() as session:
        ((found, *_),) = tables.watch_list(session)
    return found


def test_a_check_saved_on_the_page_judges_the_version_that_is_there(
    table_id: int, workers: Workers, settings: Settings
) -> None:
    workers.start()
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        checks = f"/api/v1/tables/{table_id}/checks"
        tried = client.post(f"{checks}/preview", json={"kind": "has_size", "at_most": 1})
        assert tried.status_code == 202, tried.text
        made = client.post(checks, json={"kind": "has_size", "at_least": 1})
        assert made.status_code == 201, made.text
        assert made.json()["last"] is None
        until(lambda: client.get(checks).json()[0]["last"], "the check is judged", workers.log)
        last = client.get(checks).json()[0]["last"]
        assert (last["version"], last["status"]) == (2, "passed")
        run = client.get(f"/api/v1/runs/{tried.json()['id']}").json()
        assert (run["status"], run["stats"]["versions"], run["stats"]["failed"]) == ("done", 3, [0, 1, 2])


@pytest.mark.usefixtures("table_id")
def test_what_an_upgrade_would_change_is_worked_out_with_rules_by_a_worker(
    workers: Workers, settings: Settings
) -> None:
    workers.start()
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        upgrade = "/api/v1/index/upgrade"
        assert client.get(upgrade).json()["rules"] is None
        asked = client.post(f"{upgrade}/difference")
        assert asked.status_code == 202, asked.text
        until(lambda: client.get(upgrade).json()["status"] == "done", "the difference is worked out", workers.log)
        told = client.get(upgrade).json()
        assert (told["run_id"], told["waits"], told["rules"]) == (asked.json()["id"], False, 0)
        assert (told["tables"], told["domains"]) == (1, [])
