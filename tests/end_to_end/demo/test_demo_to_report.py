"""A newcomer in a real browser: from the demo's lake to an answered incident, reviewed tags and a report to sign."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import uvicorn

from catalog.demo.faults import FAULTS
from catalog.demo.lake import ShopLake
from catalog.flow import crawl
from catalog.flow.context import Context
from catalog.store.lake import tables
from web.app import create_app

CHROMIUM = next((p for p in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-browser")) if p.exists()), None)
pytestmark = [
    pytest.mark.spark,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
]


@pytest.fixture
def address(context: Context, tmp_path: Path) -> Iterator[str]:
    """The page over the demo's lake, as it is after two weeks and a bad day."""
    lake = ShopLake(tmp_path / "shop", end=datetime.now(UTC), days=14)
    for _ in lake.write_history():
        pass
    with context.transaction() as session:
        source = tables.add_source(session, "shop", str(lake.root))
    crawl.crawl_source(context, source.id)
    lake.deliver(FAULTS)
    crawl.crawl_source(context, source.id)
    app = create_app(context.settings.model_copy(update={"host": "127.0.0.1"}))
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
        with page.expect_navigation():
            page.keyboard.press("a")
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
