"""The glossary on the page: terms, descriptions in place, files."""

from __future__ import annotations

from shop import HOSTILE
from sites import Site


def _token(site: Site) -> str:
    return site.client.get("/glossary").text.partition('name="csrf" value="')[2].partition('"')[0]


def test_terms_and_descriptions_are_edited_in_place(site: Site) -> None:
    csrf = {"csrf": _token(site)}
    term = {"name": "customer", "definition": f"Who buys. {HOSTILE}", "owner": "crm"}
    assert site.client.post("/glossary/terms", data=csrf | term).status_code == 303
    column = site.ids["email"]
    said = {"text": f"Where the receipt goes. {HOSTILE}", "words": "customer", "back": f"/columns/{column}"}
    sent = site.client.post(f"/glossary/describe/column/{column}", data=csrf | said)
    assert (sent.status_code, sent.headers["location"]) == (303, f"/columns/{column}")
    for path in (f"/columns/{column}", "/glossary"):
        shown = site.client.get(path).text
        assert HOSTILE not in shown
        assert "customer" in shown
    assert "Where the receipt goes." in site.client.get(f"/columns/{column}").text
    for kind, key in (("table", "sales/orders"), ("source", "lake")):
        sent = site.client.post(
            f"/glossary/describe/{kind}/{site.ids[key]}", data=csrf | {"text": f"About the {kind}."}
        )
        assert sent.status_code == 303
        assert f"About the {kind}." in site.client.get(f"/{kind}s/{site.ids[key]}").text


def test_a_term_is_renamed_where_it_is_changed(site: Site) -> None:
    csrf = {"csrf": _token(site)}
    for name in ("custmer", "other"):
        assert (
            site.client.post("/glossary/terms", data=csrf | {"name": name, "definition": "Who buys."}).status_code
            == 303
        )
    column = site.ids["email"]
    site.client.post(f"/glossary/describe/column/{column}", data=csrf | {"words": "custmer"})
    assert 'name="called" required maxlength="100" value="custmer"' in site.client.get("/glossary").text
    changed = {"name": "custmer", "called": "customer", "definition": "Who buys."}
    assert site.client.post("/glossary/terms", data=csrf | changed).status_code == 303
    assert site.client.get(f"/api/v1/glossary/describe/column/{column}").json()["terms"] == ["customer"]
    late = changed | {"definition": "Who bought.", "seen": "of a page before"}
    assert site.client.post("/glossary/terms", data=csrf | late).status_code == 404, "none is added in its place"
    named = site.client.post("/api/v1/glossary/terms/customer", json={"name": "buyer"}).json()
    assert (named["name"], named["definition"]) == ("buyer", "Who buys.")
    assert site.client.post("/api/v1/glossary/terms/buyer", json={"name": "other"}).status_code == 400
    assert site.client.get(f"/api/v1/glossary/describe/column/{column}").json()["terms"] == ["buyer"]


def test_what_is_written_over_several_lines_is_read_so(site: Site) -> None:
    csrf = {"csrf": _token(site)}
    said = f"One row an order.\r\n\r\n{HOSTILE}\r\nReturns are elsewhere."
    key = site.ids["sales/orders"]
    assert site.client.post(f"/glossary/describe/table/{key}", data=csrf | {"text": said}).status_code == 303
    term = {"name": "order", "definition": "Asked for.\nNot yet paid."}
    assert site.client.post("/glossary/terms", data=csrf | term).status_code == 303
    table, listed = site.client.get(f"/tables/{key}").text, site.client.get("/glossary").text
    assert "One row an order.<br><br>" in table
    assert HOSTILE not in table
    assert "Asked for.<br>Not yet paid." in listed
    assert "U+000A" not in table + listed


def test_a_file_is_tried_and_taken(site: Site) -> None:
    csrf = {"csrf": _token(site)}
    text = (
        "- {kind: term, term: margin, text: Revenue less cost.}\n- {kind: table, source: shop, table: none, text: x}\n"
    )
    for dry, found in (("true", False), ("", True)):
        more = {"dry": dry} if dry else {}
        answer = site.client.post("/glossary/import", data=csrf | more, files={"file": ("g.yaml", text.encode())})
        assert answer.status_code == 200, answer.text[:500]
        assert "the catalog has no such table" in answer.text
        assert ("Revenue less cost." in site.client.get("/glossary.csv").text) == found
    assert site.client.get("/glossary.docx").status_code == 404
    assert site.client.post("/glossary/import", data=csrf, files={"file": ("g.csv", b"\xff")}).status_code == 400


def test_add_changes_no_term_that_is_there(site: Site) -> None:
    csrf = {"csrf": _token(site)}
    term = {"name": "customer e-mail", "definition": "Address we write to", "owner": "crm"}
    assert site.client.post("/glossary/terms", data=csrf | term | {"new": "true"}).status_code == 303
    again = site.client.post(
        "/glossary/terms", data=csrf | {"name": term["name"], "definition": "again", "new": "true"}
    )
    assert again.status_code == 400
    assert "already" in again.text
    blank = site.client.post("/glossary/terms", data=csrf | {"name": "other", "definition": " ", "new": "true"})
    assert blank.status_code == 400
    shown = site.client.get("/glossary").text
    assert 'name="new" value="true"' in shown
    assert "Address we write to" in shown
    changed = term | {"definition": "Where we write to"}
    assert site.client.post("/glossary/terms", data=csrf | changed).status_code == 303
    assert "Where we write to" in site.client.get("/glossary").text


def test_an_import_says_what_was_added_and_what_was_left(site: Site) -> None:
    csrf = {"csrf": _token(site)}
    file = {"file": ("g.csv", b"term,means,status\nmargin,Revenue less cost.,draft\n")}
    answer = site.client.post("/glossary/import", data=csrf, files=file).text
    assert "What was taken: 1 of 1 line<" in answer
    assert ">added<" in answer
    assert "not taken: status" in answer
    broken = site.client.post("/glossary/import", data=csrf, files={"file": ("g.yaml", b"- {kind: term\n- {")})
    assert (broken.status_code, "U+000A" in broken.text) == (400, False)
    assert "line 2, column 3" in broken.text
