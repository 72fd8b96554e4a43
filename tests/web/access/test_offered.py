"""No page offers to a person what would be refused to that person."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fastapi.routing import iter_route_contexts
from sites import Site
from starlette.routing import compile_path
from test_pages import PAGES, address

from catalog.roles import ROLES
from catalog.store.access import people
from catalog.store.engine import session
from web.access.gate import needed

OFFERED = re.compile(r'<form[^>]*method="post"[^>]*action="([^"]*)"|<form[^>]*action="([^"]*)"[^>]*method="post"')
MORE = ["/tables/{sales/orders}/checks", "/audit"]


def _template(site: Site, path: str) -> str:
    """The route that a form is sent to."""
    for route in iter_route_contexts(site.app.routes):
        if "POST" in (route.methods or ()) and compile_path(route.path)[0].match(path.partition("?")[0]):
            return str(route.path)
    raise AssertionError(f"a form is sent to {path}, which no route takes")


def _offers(site: Site, page: str, secret: str) -> Iterator[str]:
    answer = site.client.get(page, headers={"authorization": f"Bearer {secret}"})
    assert answer.status_code == 200, page
    for first, second in OFFERED.findall(answer.text):
        yield _template(site, first or second or page)
    for action in re.findall(r'formaction="([^"]*)"', answer.text):
        yield _template(site, action)


@pytest.mark.parametrize("role", ["viewer", "runner", "author", "approver"])
def test_forms_are_for_who_may_send_them(site: Site, role: str) -> None:
    with session(site.engine) as db:
        people.add_user(db, "boss", "correct horse battery", "admin", actor="local")
        people.add_user(db, "pat", "correct horse battery", role, actor="boss")
        _, secret = people.make_token(db, people.get_user(db, "pat"), "t", scope=role, days=1, actor="pat")
    wrong = {
        (page, template)
        for page in [*PAGES, *MORE]
        for template in _offers(site, address(page, site.ids), secret)
        if (right := needed("POST", template)) is not None and right not in ROLES[role]
    }
    assert not wrong, "\n".join(map(str, sorted(wrong)))
