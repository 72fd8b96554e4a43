"""What each request needs: one table of rights, asked by one dependency of every route, and who acts.

An address that is not listed and writes needs the right to approve: a new one is closed until somebody says otherwise.
"""

from __future__ import annotations

import re

from fastapi import Request

from catalog.roles import ADMIN, APPROVE, EDIT, READ, RUN, UNMASK, Identity

SAFE = {"GET", "HEAD", "OPTIONS"}
OPEN = re.compile(r"/(login(/provider(/back)?)?|logout|theme)")
WRITES = (  # the first that matches what the route's own template says decides
    (r"/(account|tokens)(/.*)?", READ),  # one's own password and tokens
    (r"/columns/\{column_id\}/(level|tags)", APPROVE),  # it may show values, or decides what they are
    (r"/(columns|incidents)/\{\w+\}/unmasked", UNMASK),
    (r"/(people|settings|users)(/.*)?|/owners/(default|teams/.*)|/approvals/setting|/ledger/week", ADMIN),
    (r"/sources/\{source_id\}/(remove|allowed)|/tables/\{table_id\}/remove", ADMIN),
    (r"/sources/\{source_id\}/crawl|/runs/.*|/tables/.*/drill|/index/upgrade/difference", RUN),
    (r"/(sources|incidents|tables|columns|patterns|owners|workbench|domains|glossary|reports|alerts)(/.*)?", EDIT),
    (r"/(audit/\{event_id\}|review)/undo", EDIT),  # `catalog.store.access.undo` asks for more, by what was decided
    (r"/(rules|tags|review)(/.*)?", APPROVE),
)
READS = ((r"/(people|users)(/.*)?", ADMIN), (r"/tags/\{tag_id\}/spread", APPROVE))


def needed(method: str, template: str) -> str | None:
    """The right that a route asks for; None for logging in and out.

    >>> needed("GET", "/tables/{table_id}"), needed("POST", "/login"), needed("POST", "/api/v1/rules/{rule_id}")
    ('read', None, 'approve')
    >>> needed("DELETE", "/api/v1/sources/{source_id}"), needed("POST", "/never/heard/of")
    ('admin', 'approve')
    """
    path = template.removeprefix("/api/v1")
    if OPEN.fullmatch(path):
        return None
    if method in SAFE:
        return next((right for pattern, right in READS if re.fullmatch(pattern, path)), READ)
    if method == "DELETE" and path in ("/sources/{source_id}", "/tables/{table_id}"):
        return ADMIN
    return next((right for pattern, right in WRITES if re.fullmatch(pattern, path)), APPROVE)


async def permit(request: Request) -> None:
    """Dependency of every route. Errors: `Forbidden`."""
    right = needed(request.method, getattr(request.scope.get("route"), "path", request.url.path))
    if right is not None:
        identity(request).demand(right)


def identity(request: Request) -> Identity:
    """Who asks, as the outermost layer found out (`web.access.auth.Gate`)."""
    return request.state.identity


def actor(request: Request) -> str:
    """The name under which a decision is written down."""
    return identity(request).name
