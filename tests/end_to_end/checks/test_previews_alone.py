"""A check is tried from the page where neither a task queue nor a worker is there."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from fastapi.testclient import TestClient

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.declared.counting import table_of
from catalog.flow.reading.sources import add_source
from catalog.store import runs
from web.app import create_app

pytestmark = pytest.mark.spark


@pytest.fixture
def page(context: Context, tmp_path: Path) -> Iterator[TestClient]:
    for version in range(4):
        rows = pa.table({"id": [version, version + 1], "amount": [1.0, 50.0 if version == 2 else 2.0]})
        write_deltalake(str(tmp_path / "lake" / "orders"), rows, mode="append")
    source = add_source(context, "shop", str(tmp_path / "lake"))
    crawl_source(context, source.id)
    with TestClient(create_app(context.settings), base_url="http://127.0.0.1:8420") as client:
        yield client


def ended(context: Context, run_id: int) -> dict[str, object]:
    for _ in range(2000):  # a Spark session begins in between
        with context.reading() as session:
            run = runs.get_run(session, run_id)
            if run.status not in ("queued", "running"):
                return {"status": run.status, "error": run.error, **run.stats}
        time.sleep(0.2)
    raise AssertionError("the run does not end")


def tried(client: TestClient, where: str, **fields: str) -> int:
    token = re.search(r'name="csrf" value="([^"]+)"', client.get(where).text)
    assert token is not None
    begun = client.post(f"{where}/preview", data={"csrf": token[1], **fields})
    assert begun.status_code == 200, begun.text
    assert "Its last versions are being judged" in begun.text
    assert "Queued:" not in begun.text
    return int(begun.url.path.rpartition("/")[2])


def test_a_check_is_tried_without_a_worker(context: Context, page: TestClient, tmp_path: Path) -> None:
    where = f"/tables/{table_of(context, 'shop/orders').id}/checks"
    fields = {"kind": "has_max", "columns": "amount", "at_most": "10"}
    run = tried(page, where, scope="batch", **fields)
    told = ended(context, run)
    assert (told["status"], told["versions"], told["failed"]) == ("done", 4, [2])
    assert "It would have failed on 1 of 4 versions." in page.get(f"{where}/preview/{run}").text
    (tmp_path / "lake" / "orders" / "_delta_log").rename(tmp_path / "gone")  # what goes wrong is told on the run
    first, second = tried(page, where, **fields), tried(page, where, **fields)
    assert [ended(context, run)["status"] for run in (first, second)] == ["failed", "failed"]
    assert "no Delta log" in page.get(f"{where}/preview/{second}").text
