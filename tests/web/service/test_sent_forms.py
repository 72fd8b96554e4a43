"""What a form is answered with is no place to come back to: the way back leads to the page of the form."""

# ruff: noqa: F811 - parameters are the fixtures of that name

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from sites import Site
from test_browser import address, browser  # noqa: F401

HERE = "http://127.0.0.1:8420"
GLOSSARY = "kind,name,definition\nterm,order,Asked for\n"


def _send(site: Site, path: str, referer: str, **sent: object) -> str:
    token = re.search(r'name="csrf" value="([^"]+)"', site.client.get("/sources").text)
    assert token is not None
    data = {"csrf": token[1], **sent.pop("data", {})}  # type: ignore[dict-item]
    return site.client.post(path, data=data, headers={"referer": HERE + referer}, **sent).text  # type: ignore[arg-type]


def _belongs(text: str) -> str:
    found = re.search(r'<html[^>]* data-belongs="([^"]*)"', text)
    return found[1] if found else ""


def test_the_way_back_from_an_error_is_never_the_answer_to_a_form(site: Site) -> None:
    bad = {"file": ("g.csv", b"\xff\xfe\x00", "text/csv")}
    key = site.ids["sales/orders"]
    first = _send(site, "/glossary/import", "/glossary?x=1", files=bad)
    assert 'href="/glossary?x=1" data-back' in first
    for path, files, page in (
        ("/glossary/import", bad, "/glossary"),
        (f"/tables/{key}/checks/import", None, f"/tables/{key}/checks"),
        (f"/tables/{key}/checks/preview", None, f"/tables/{key}/checks"),
    ):
        again = _send(site, path, path, files=files)
        assert f'href="{path}' not in again
        assert _belongs(again) == page
        assert site.client.get(page).status_code == 200
    assert _belongs(site.client.get("/glossary").text) == "", "a page that was asked for is where it is"


def test_the_theme_is_changed_on_the_page_of_the_form(site: Site) -> None:
    shown = _send(site, "/glossary/import", "/glossary", files={"file": ("g.csv", GLOSSARY.encode(), "text/csv")})
    back = re.search(r'action="/theme".*?name="back" value="([^"]*)"', shown, re.DOTALL)
    assert back is not None
    assert back[1] == "/glossary"


@pytest.mark.browser
def test_nobody_is_asked_to_send_a_form_again(site: Site, address: str, browser) -> None:
    page = browser.new_page()
    sent: list[str] = []
    page.on("request", lambda asked: sent.append(asked.url) if asked.method == "POST" else None)

    def take(text: str) -> None:
        file = {"name": "g.csv", "mimeType": "text/csv", "buffer": text.encode()}
        page.get_by_label("YAML or CSV, as exported").set_input_files(file)
        page.get_by_role("button", name="Import").click()

    page.goto(address + "/glossary")
    take(GLOSSARY)
    expect(page.get_by_text("order").first).to_be_visible()
    expect(page).to_have_url(address + "/glossary")
    take("")
    expect(page.get_by_role("link", name="Back to where you were")).to_be_visible()
    page.get_by_role("link", name="Back to where you were").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Glossary")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Glossary")
    assert len(sent) == 2, "nothing was sent again"
    page.close()


@pytest.mark.browser
def test_the_review_is_printed_with_what_it_asks(site: Site, address: str, browser) -> None:
    page = browser.new_page()
    page.goto(address + "/review")
    groups = page.locator("[data-group]")
    shown = groups.count()
    page.emulate_media(media="print")
    expect(groups.first).to_be_visible()
    assert [groups.nth(at).locator("table").is_visible() for at in range(shown)] == [True] * shown
    assert not page.get_by_role("button", name="Accept").first.is_visible()
    page.close()
