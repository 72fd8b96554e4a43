"""The pages in a real browser: both themes, wide and narrow, without complaints; and the two things people do most."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import expect
from sites import TOKEN, Site, open_site

from catalog.errors import NotFound
from catalog.store import runs
from catalog.store.engine import session
from catalog.store.lake import sources

CHROMIUM = next((p for p in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-browser")) if p.exists()), None)
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
FLAGS += "--disable-component-update --disable-sync"
expect.set_options(timeout=15_000)  # the page that answers a click comes when it comes, later on a busy machine
SHOWN = [
    "/",
    "/tables",
    "/tables/{sales/orders}",
    "/tables/{sales/orders}/rules",
    "/tables/{sales/orders}/checks",
    "/tables/{sales/orders}/checks/new?kind=is_in",
    "/tables/{sales/orders}/checks/new?kind=is_unique",
    "/tables/{sales/orders}/history",
    "/tables/{sales/orders}/violations",
    "/tables/{sales/orders}/versions",
    "/tables/{sales/orders}/versions/33",
    "/tables/{hostile}",
    "/columns/{email}",
    "/columns/{time}",
    "/rules",
    "/rules/{rule}",
    "/tags",
    "/workbench",
    "/workbench?pattern=AA-0000",
    "/tags/by/email",
    "/incidents",
    "/ledger",
    "/ledger?allowed=4",
    "/incidents/{incident pattern placed_on}",
    "/runs",
    "/runs/{run}",
    "/sources",
    "/reports?kind=governance",
    "/review",
    "/index/upgrade",
    "/glossary",
    "/api",
]

#: Texts that do not stand out from their ground. WCAG AA: 4.5 to 1 for small text.
POOR = """() => {
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const numbers = (css) => css.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (e) => { for (; e; e = e.parentElement) {
    const c = numbers(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0.99) return c; }
    return numbers(getComputedStyle(document.documentElement).backgroundColor); };
  const poor = [];
  for (const e of document.querySelectorAll('main *, header *, footer *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || e.closest('svg') || !e.offsetParent || e.closest('.hidden') || e.disabled) continue;
    const [a, b] = [light(numbers(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${e.tagName}.${e.className} ${e.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return poor;
}"""
#: Links that only their colour tells (axe: link-in-text-block): one beside words of its block is underlined, or
#: stands out by its form.
BARE = """() => [...document.querySelectorAll('main :is(p, li, dd, h3, .meta) a')].filter((a) => {
  const beside = [...a.parentElement.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  const style = getComputedStyle(a);
  const formed = parseFloat(style.borderTopWidth) > 0 || style.backgroundColor !== 'rgba(0, 0, 0, 0)';
  return beside && a.offsetParent && !style.textDecorationLine.includes('underline') && !formed;
}).map((a) => a.outerHTML)"""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
]


def serve(site: Site) -> tuple[uvicorn.Server, str]:
    """The site on a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(site.app, host="127.0.0.1", port=port, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.02)
    return server, f"http://127.0.0.1:{port}"


@pytest.fixture
def address(site) -> Iterator[str]:
    server, url = serve(site)
    yield url
    server.should_exit = True


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS.split())
        yield opened
        opened.close()


def watched(context, complaints: list[str]):
    """A page whose console, errors and failed requests are written down."""
    page = context.new_page()
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def failed(request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the next page was asked for before the icon had come
            complaints.append(f"{request.failure}: {request.url}")

    page.on("requestfailed", failed)
    return page


def walk(site, address, browser, scheme, width):
    """Every page once in a browser of this width and, as it lies open there, in both themes."""
    from shop import HOSTILE_TABLE
    from test_pages import address as filled_in

    assert HOSTILE_TABLE in site.ids
    complaints: list[str] = []
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    page = watched(context, complaints)
    for pattern in SHOWN:
        answer = page.goto(address + filled_in(pattern, site.ids))
        assert answer.status == 200
        page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = true))")
        for shown in ("dark" if scheme == "light" else "light", scheme):
            page.emulate_media(color_scheme=shown)
            yield pattern, shown, page
    context.close()
    assert complaints == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 400)])
def test_pages_fit_are_legible_and_do_not_complain(site, address, browser, scheme, width):
    for pattern, shown, page in walk(site, address, browser, scheme, width):
        where = (pattern, shown, width)
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, where
        ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", ground)[:3])) > 3 * 128) == (shown == "light"), where
        assert page.evaluate(POOR) == [], where
        assert page.evaluate(BARE) == [], where


def test_search_from_the_keyboard(site, address, browser):
    page = browser.new_page()
    page.goto(address)
    page.keyboard.press("/")
    page.keyboard.type("customer_email")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tables?q=customer_email")
    page.get_by_role("link", name="sales/orders").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^sales/orders"))
    page.close()


def test_an_incident_is_resolved(site, address, browser):
    page = browser.new_page()
    page.goto(address)
    page.get_by_role("link", name="Column 'total_amount'").click()
    page.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("acknowledged").first).to_be_visible()
    page.get_by_label("Wrong values").check()
    page.get_by_role("textbox", name="Comment").fill("Cents were sent as euros.")
    page.get_by_role("button", name="Resolve").click()
    expect(page.get_by_text("Cents were sent as euros.")).to_be_visible()
    expect(page.get_by_role("button", name="Resolve")).to_have_count(0)
    page.goto(address + "/incidents")
    expect(page.get_by_text("Column 'total_amount'")).to_have_count(0)
    page.close()


def test_a_check_is_declared_from_the_page(site, address, browser):
    page = browser.new_page()
    page.goto(f"{address}/tables/{site.ids['sales/orders']}")
    page.get_by_role("link", name="Checks", exact=True).click()
    page.get_by_label("What must hold").select_option("has_max")
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Column", exact=True).select_option("total_amount")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("does not say what is expected")
    expect(page.get_by_label("Column", exact=True)).to_have_value("total_amount")
    page.get_by_label("At most").fill("1900")
    page.get_by_label("What to do when it breaks").fill("ask the till")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("maximum of total_amount is at most 1,900").wait_for()
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("At most").fill("2000")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("maximum of total_amount is at most 2,000").wait_for()
    page.get_by_role("button", name="Retire has_max_total_amount").click()
    page.get_by_text("No check has been declared").wait_for()
    page.close()


def test_what_was_typed_is_there_after_a_mistake(site, address, browser):
    page = browser.new_page()
    page.goto(address + "/sources")
    page.get_by_label("Name", exact=True).fill("lake")
    page.get_by_label("Folder or address").fill("relative/lake")
    page.get_by_role("button", name="Add and crawl").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^'relative/lake' is neither"))
    page.get_by_role("link", name="Back to where you were").click()
    expect(page.get_by_label("Folder or address")).to_have_value("relative/lake")
    page.close()


def test_progress_moves_without_reloading(site, address, browser):
    from catalog.store import runs
    from catalog.store.engine import session

    page = browser.new_page()
    page.goto(f"{address}/runs/{site.ids['run']}")
    page.evaluate("window.here = true")
    with session(site.engine) as db:
        runs.progress(db, site.ids["run"], 77, 120)
    page.get_by_text("77 / 120").wait_for(timeout=8000)
    with session(site.engine) as db:
        runs.finish_run(db, site.ids["run"], {"tables": 3})
    page.get_by_text("What it did").wait_for(timeout=8000)
    assert page.evaluate("window.here") is True
    page.close()


def test_progress_goes_on_after_the_service_was_away(site, address, browser):
    from catalog.store import runs
    from catalog.store.engine import session

    page = browser.new_page()
    page.goto(f"{address}/runs/{site.ids['run']}")
    page.route("**/runs/*", lambda route: route.fulfill(status=503, body="restarting"), times=1)
    with page.expect_response(lambda answer: answer.status == 503):
        pass
    with session(site.engine) as db:
        runs.progress(db, site.ids["run"], 78, 120)
    page.get_by_text("78 / 120").wait_for(timeout=15000)
    page.close()


def test_all_of_it_works_without_a_script(site, address, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "/tables?q=orders")
    page.get_by_role("link", name="sales/orders").click()
    page.get_by_role("link", name="History").click()
    expect(page.locator("svg.chart").nth(2)).to_be_visible()
    page.get_by_role("button", name="dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto(f"{address}/rules/{site.ids['rule']}")
    page.get_by_role("button", name="Pause the rule").click()
    expect(page.get_by_text("paused").first).to_be_visible()
    context.close()


def test_log_in_and_out(tmp_path, filled, browser):
    site = open_site(tmp_path, filled, access_token=TOKEN)
    server, url = serve(site)
    page = browser.new_page()
    page.goto(url + "/incidents?status=all")
    page.get_by_label("Access token").fill(TOKEN)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/incidents?status=all")
    page.locator("summary", has_text="access-token").click()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login?out=1")
    expect(page.get_by_text("You are logged out")).to_be_visible()
    page.goto(url)
    expect(page.get_by_label("Access token")).to_be_visible()
    page.close()
    server.should_exit = True


def test_home_fits_a_telephone_whatever_runs_are_called(site, address, browser):
    title = "a_very_long_name_without_any_place_to_break_it_" * 4
    with session(site.engine) as db:
        source = sources.add_source(db, "shop-" + "x" * 90, "/data/" + "y" * 200)
        run = runs.queue_run(db, "crawl", title, source_id=source.id)
        runs.start_run(db, run.id)
        runs.fail_run(db, run.id, NotFound("z" * 200, remedy="w" * 200))
    page = browser.new_page(viewport={"width": 400, "height": 800})
    for path in ("/", "/sources", f"/sources/{source.id}", "/runs"):
        page.goto(address + path)
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{path} is {wide} px too wide"
    page.close()


def test_what_can_be_done_with_a_clause_stands_in_one_line(address, browser):
    buttons = "".join(f'<button class="plain">{name}</button>' for name in ("Accept", "Loosen", "Pause", "Reject"))
    row = (
        f'<tr><td class="text">no value is missing</td><td class="acts"><form class="inline">{buttons}</form></td></tr>'
    )
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address + "/api")
    page.evaluate("html => (document.querySelector('main').innerHTML = html)", f'<table class="clauses">{row}</table>')
    tops = page.evaluate("[...document.querySelectorAll('main button')].map(one => one.getBoundingClientRect().top)")
    assert len(tops) == 4
    assert len(set(tops)) == 1
    page.close()


@pytest.mark.parametrize(("width", "words"), [(1280, "Govern"), (400, "More")])
def test_what_stewards_use_is_in_the_bar(site, address, browser, width, words):
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(address + "/incidents")
    menu = page.locator("header details.menu")
    tops = page.evaluate("[...document.querySelectorAll('#nav a')].map((one) => one.getBoundingClientRect())")
    shown = [box for box in tops if box["width"]]
    assert max(box["right"] for box in shown) <= menu.bounding_box()["x"] + 1, "nothing is cut off"
    expect(menu.get_by_text(words, exact=True)).to_be_visible()
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    for name, path in [("Glossary", "glossary"), ("Owners", "owners"), ("Reports", "reports"), ("Alerts", "alerts")]:
        link = menu.get_by_role("link", name=re.compile(f"^{name}"))
        expect(link).to_be_in_viewport(ratio=0.9)
        assert link.get_attribute("href") == f"/{path}"
    page.keyboard.press("Escape")
    expect(menu.get_by_role("link", name=re.compile("^Owners"))).to_be_hidden()
    menu.locator("summary").click()
    menu.get_by_role("link", name=re.compile("^Audit log")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Audit log")
    menu.locator("summary").click()
    expect(menu.get_by_role("link", name=re.compile("^Audit log"))).to_have_attribute("aria-current", "page")
    page.close()


def test_a_telephone_shows_the_tab_one_is_on_and_what_tags_are_sensitive(site, address, browser):
    page = browser.new_page(viewport={"width": 400, "height": 800})
    page.goto(f"{address}/tables/{site.ids['sales/orders']}/versions")
    current = page.locator("nav.tabs a[aria-current]")
    expect(current).to_have_text("Versions")
    assert current.bounding_box()["x"] + current.bounding_box()["width"] <= 400
    page.goto(address + "/tags")
    expect(page.locator(".list .lock").first).to_be_visible()
    page.close()
