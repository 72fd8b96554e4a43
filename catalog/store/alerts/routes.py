"""Where alerts go. Each function takes a session and never commits.

Addresses come sealed and go sealed (`catalog.vault`): neither the audit log nor a list holds one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from catalog.errors import NotFound, UsageError
from catalog.store.access import audit
from catalog.store.access.owners import demand_known, named, teams
from catalog.store.models import AlertRoute, Source

ROUTE_LEVELS = {"error": "errors only", "warning": "warnings too"}
EVENTS = {
    "opened": "an incident is opened",
    "reopened": "an answered one is open again",
    "resolved": "one is resolved",
}
USUAL = ("opened", "reopened")
TOLD = ("name", "shown", "owner", "source_id", "level", "events", "fallback", "active")


def list_routes(session: Session, *, active: bool = False) -> list[AlertRoute]:
    """Routes by name; `active`: without those that are paused."""
    query = select(AlertRoute).order_by(AlertRoute.name)
    return list(session.exec(query.where(col(AlertRoute.active)) if active else query))


def get_route(session: Session, ref: str | int) -> AlertRoute:
    """The route of that name or id. Errors: `NotFound`."""
    query = select(AlertRoute).where(AlertRoute.name == ref if isinstance(ref, str) else AlertRoute.id == ref)
    route = session.exec(query).first()
    if route is None:
        raise NotFound(f"alerts have no route {ref!r}", remedy="`assay alert list` shows those there are")
    return route


def add_route(
    session: Session,
    name: str,
    sealed: str,
    shown: str,
    *,
    actor: str,
    owner: str | None = None,
    source_id: int | None = None,
    level: str = "error",
    events: Sequence[str] = USUAL,
    fallback: bool = False,
) -> AlertRoute:
    """A new route. `sealed` is its address, `shown` what may be seen of it. Errors: `UsageError`, `NotFound`."""
    name = " ".join(name.split())
    if not name or len(name) > 100 or not name.isprintable():
        raise UsageError("a route needs a name", remedy="say who is told by it, in at most 100 letters")
    if session.exec(select(AlertRoute.id).where(AlertRoute.name == name)).first() is not None:
        raise UsageError(f"alerts have a route {name!r} already", remedy="choose another name, or remove that one")
    if level not in ROUTE_LEVELS:
        raise UsageError(f"there is no level {level!r}", remedy=f"use one of {', '.join(ROUTE_LEVELS)}")
    wanted = [event for event in EVENTS if event in events]
    if not wanted or set(events) - set(EVENTS):
        raise UsageError("a route is told of nothing that there is", remedy=f"choose among {', '.join(EVENTS)}")
    if source_id is not None and session.get(Source, source_id) is None:
        raise NotFound(f"there is no source {source_id}", remedy="`assay source list` shows those there are")
    if (told := named(owner)) is not None:
        demand_known(session, told)  # a route of a misspelt owner would never tell anything
    route = AlertRoute(
        name=name, address=sealed, shown=shown, owner=told, source_id=source_id, level=level, events=wanted,
        fallback=fallback, actor=actor,
    )  # fmt: skip
    session.add(route)
    session.flush()
    audit.record(session, actor, "add", _item(route), after=_said(route))
    return route


def set_active(session: Session, ref: str | int, active: bool, *, actor: str) -> AlertRoute:
    """Pause a route, or let it tell again. Errors: `NotFound`."""
    route = get_route(session, ref)
    before, route.active = _said(route), active
    session.flush()
    if before != _said(route):
        audit.record(session, actor, "resume" if active else "pause", _item(route), before=before, after=_said(route))
    return route


def remove_route(session: Session, ref: str | int, *, actor: str) -> None:
    """Forget a route and its address; what was delivered by it stays. Errors: `NotFound`."""
    route = get_route(session, ref)
    audit.record(session, actor, "remove", _item(route), before=_said(route))
    session.delete(route)
    session.flush()


def matching(session: Session, routes: Sequence[AlertRoute], owner: str | None, source_id: int) -> list[AlertRoute]:
    """The routes by which the owner of something in a source is told; the fallbacks, where there is none else. A route
    of a person is told what a team of his owns."""
    names = {owner, *teams(session).get(owner or "", ())}
    fit = [
        route
        for route in routes
        if (route.owner is None or route.owner in names) and route.source_id in (None, source_id)
    ]
    return [route for route in fit if not route.fallback] or fit


def _said(route: AlertRoute) -> dict[str, Any]:
    return {name: getattr(route, name) for name in TOLD}


def _item(route: AlertRoute) -> audit.Item:
    return audit.Item("route", route.id, route.name)
