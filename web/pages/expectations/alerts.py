"""Alerts: where incidents are told, a test of each route, and what was delivered."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.addresses import networks
from catalog.alerts import address
from catalog.alerts.message import trial
from catalog.alerts.post import post
from catalog.errors import DeliveryError
from catalog.store.access.owners import MOST_OWNER_NAME
from catalog.store.alerts import deliveries, routes
from catalog.store.lake import sources
from catalog.store.models import AlertRoute
from catalog.store.schemas.alerts import DeliveryOut, RouteOut
from catalog.store.schemas.listing import listing
from web.access.gate import actor, identity
from web.deps import Ident, PageNumber, Reading, stretch, writing
from web.render import page

router = APIRouter()
Field = Annotated[str, Form(max_length=200)]
_MEND = "see that it can be reached from here; to change the address, remove the route and add it with the right one"


def add(
    request: Request,
    name: str,
    given: str,
    owner: str | None,
    source_id: int | None,
    level: str,
    events: list[str],
    fallback: bool,
) -> AlertRoute:
    """A new route; its address is sealed before it is kept. Errors: `UsageError`, `NotFound`."""
    usable = address.entered(given, networks(request.app.state.settings.alert_networks))
    sealed, shown = request.app.state.vault.seal(usable), address.shown(usable)
    with writing(request) as session:
        return routes.add_route(
            session, name, sealed, shown, actor=actor(request), owner=owner, source_id=source_id, level=level,
            events=events, fallback=fallback,
        )  # fmt: skip


def send_test(request: Request, route_id: int) -> None:
    """Send a test by a route, at once. Errors: `NotFound`, `DeliveryError` with the reason."""
    with writing(request) as session:
        route = routes.get_route(session, route_id)
    settings = request.app.state.settings
    told = {"id": 0, "address": request.app.state.vault.open(route.address), "kind": "info"}
    message = trial(route.name, identity(request).name, settings.page_url)
    error = post([told | {"title": message.title, "body": message.body}], settings.alert_networks)[0]
    if error:
        raise DeliveryError(f"the test was not taken by {route.shown}: {error}", remedy=_MEND)


@router.get("/alerts")
def list_alerts(
    request: Request,
    session: Reading,
    status: Annotated[str, Query(max_length=20)] = "",
    tested: Annotated[str, Query(max_length=100)] = "",
    number: PageNumber = 1,
) -> Response:
    found = deliveries.find_deliveries(session, status=status, **stretch(number))
    context = {"found": listing(found, DeliveryOut.made), "status": status, "tested": tested}
    context |= {"routes": [RouteOut.made(one) for one in routes.list_routes(session)], "levels": routes.ROUTE_LEVELS}
    context |= {"events": routes.EVENTS, "usual": routes.USUAL, "undelivered": deliveries.undelivered(session)}
    context |= {"sources": {one.id: one.name for one in sources.list_sources(session)}}
    context |= {"page_url": request.app.state.settings.page_url}
    return page(request, session, "expectations/alerts.html", **context)


@router.post("/alerts/routes")
def add_route(
    request: Request,
    name: Field,
    given: Annotated[str, Form(alias="address", max_length=address.MOST_ADDRESS)],
    owner: Annotated[str, Form(max_length=MOST_OWNER_NAME)] = "",
    source: Annotated[str, Form(pattern=r"^\d{0,9}$")] = "",
    level: Field = "error",
    event: Annotated[list[str], Form()] = list(routes.USUAL),  # noqa: B006 - read only
    fallback: Annotated[bool, Form()] = False,
) -> Response:
    add(request, name, given, owner, int(source) if source else None, level, event, fallback)
    return RedirectResponse("/alerts", 303)


@router.post("/alerts/routes/{route_id}/test")
def test_route(request: Request, route_id: Ident) -> Response:
    send_test(request, route_id)
    return RedirectResponse(f"/alerts?tested={route_id}", 303)


@router.post("/alerts/routes/{route_id}/active")
def set_active(request: Request, route_id: Ident, active: Annotated[bool, Form()] = False) -> Response:
    with writing(request) as session:
        routes.set_active(session, route_id, active, actor=actor(request))
    return RedirectResponse("/alerts", 303)


@router.post("/alerts/routes/{route_id}/remove")
def remove_route(request: Request, route_id: Ident) -> Response:
    with writing(request) as session:
        routes.remove_route(session, route_id, actor=actor(request))
    return RedirectResponse("/alerts", 303)


@router.post("/alerts/again")
def send_again(request: Request) -> Response:
    with writing(request) as session:
        deliveries.send_again(session)
    return RedirectResponse("/alerts", 303)
