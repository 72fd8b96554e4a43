"""`assay demo` catches every bad version of its lake and nothing else. Its lake is as it says, and its catalog leads a
newcomer in a real browser to an answered incident, reviewed tags and a report to sign."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from assay_command import Assay
from deltalake import DeltaTable

from catalog.demo.faults import FAULTS
from catalog.demo.shop import DELIVERIES
from catalog.settings import Settings
from web.app import create_app

CHROMIUM = next((p for p in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-browser")) if p.exists()), None)
pytestmark = [pytest.mark.spark, pytest.mark.slow]


@dataclass(frozen=True)
class Demo:
    """A demo that is over: what it printed, its lake, and the settings of its catalog."""

    summary: dict[str, Any]
    lake: Path
    settings: Settings


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, spark_settings: Settings, furnished: Callable[[Path], Path]) -> Demo:
    folder, home = tmp_path_factory.mktemp("demo"), furnished(tmp_path_factory.mktemp("shop") / "home")
    assay = Assay(spark_settings.model_copy(update={"home": home, "port": 0, "watch_seconds": 0.5}))
    summary = assay.json("demo", "--once", "--keep", str(folder))
    own = spark_settings.model_copy(update={"home": folder / "home", "host": "127.0.0.1"})
    return Demo(summary, folder / "lake", own)


def test_the_demo_catches_the_three_bad_versions_and_nothing_else(demo: Demo) -> None:
    summary = demo.summary
    caught = {(one["table"], one["column"], one["fault"]) for one in summary["incidents"]}
    assert caught == {(fault.table, fault.column, fault.kind) for fault in FAULTS.values()}
    assert all(one["version"] and one["kind"] for one in summary["incidents"])
    assert all(one["cause"] == FAULTS[one["table"]].cause for one in summary["incidents"])
    assert [one["opened"] for one in summary["incidents"]] == [1, 1, 1]
    assert (summary["tables"], summary["false_alarms"], summary["missed"]) == (12, 0, [])
    assert summary["tags"] > 50
    assert summary["rules"] > 100
    assert summary["versions_checked"] == 24
    assert summary["first_tag_seconds"] < summary["seconds"]


def test_twelve_tables_have_weeks_of_versions(demo: Demo) -> None:
    operations = set()
    for delivery in DELIVERIES:
        history = DeltaTable(demo.lake / delivery.table).history()
        assert len(history) >= 30
        times = [datetime.fromtimestamp(entry["timestamp"] / 1000, UTC) for entry in reversed(history)]
        assert times == sorted(times)
        assert times[-1] - times[0] > timedelta(days=34)
        assert times[-1] < datetime.now(UTC)
        operations |= {entry["operation"] for entry in history}
    assert len(DELIVERIES) == 12
    assert {"WRITE", "MERGE", "DELETE", "OPTIMIZE"} <= operations


def test_business_follows_the_week(demo: Demo) -> None:
    orders = DeltaTable(demo.lake / "orders")
    orders.load_as_version(orders.version() - 1)  # on the bad day its dates are written in another way
    counts: dict[int, list[int]] = {}
    for entry in orders.to_pyarrow_table(columns=["order_date"])["order_date"].value_counts().to_pylist():
        weekday = datetime.fromisoformat(entry["values"]).weekday()
        counts.setdefault(weekday, []).append(entry["counts"])
    mean = {weekday: sum(found) / len(found) for weekday, found in counts.items()}
    assert mean[5] > 1.25 * mean[0]


@pytest.fixture
def address(demo: Demo) -> Iterator[str]:
    """The page over the demo's catalog."""
    app = create_app(demo.settings)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    deadline = time.monotonic() + 30
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium")
def test_from_the_demo_to_the_report(address: str) -> None:
    from playwright.sync_api import expect, sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        expect.set_options(timeout=15_000)
        page.goto(address)
        page.locator("#open ul.incidents a.sentence").first.click()
        expect(page.get_by_text("Cause").first).to_be_visible()
        page.get_by_label("Wrong values").check()
        page.get_by_role("button", name="Resolve").click()
        expect(page.get_by_text("Was that answer wrong?")).to_be_visible()

        page.goto(address)
        page.get_by_role("link", name="to review").click()
        before = page.locator("[data-current] h2").inner_text()
        page.keyboard.press("a")  # it would show values: a reason is asked for, of which there are some ready
        page.keyboard.press("1")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        expect(page.get_by_text("Decided on")).to_be_visible()
        assert before

        page.locator("summary", has_text="Govern").click()
        page.get_by_role("link", name="Reports").click()
        page.get_by_role("button", name="Make it").click()
        shown = page.locator("#fingerprint").inner_text()
        with page.expect_navigation():
            page.get_by_role("link", name="Open to print").click()
        text = page.locator("body").inner_text()
        assert shown in text
        assert "Prepared by, date" in text
        assert "personal or other sensitive data" in text
        assert "E-mail address" in text
        assert "resolved" in text
        browser.close()
