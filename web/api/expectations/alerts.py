"""Alerts as JSON: routes, without their addresses, and what was delivered."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from catalog.alerts.address import MOST_ADDRESS
from catalog.store.alerts import deliveries, routes
from catalog.store.models import AlertRoute
from catalog.store.schemas.alerts import DeliveryOut, RouteOut
from catalog.store.schemas.listing import Listing
from web.access.gate import actor
from web.api.schemas.answered import listing
from web.api.schemas.asked import Wanted
from web.deps import Ident, Limit, Offset, Reading, writing
from web.pages.expectations import alerts

router = APIRouter(tags=["alerts"])


class NewRoute(Wanted):
    name: str = Field(max_length=100)
    address: str = Field(max_length=MOST_ADDRESS, description="an address of Apprise, or a webhook")
    owner: str | None = Field(None, max_length=100)
    source_id: int | None = Field(None, ge=0, le=2**31 - 1)
    level: str = Field("error", max_length=20)
    events: list[str] = Field(default_factory=lambda: list(routes.USUAL), max_length=10)
    fallback: bool = False


class RouteChange(Wanted):
    active: bool


class Again(BaseModel):
    again: int = Field(description="alerts that are retried")


@router.get("/alerts/routes", response_model=list[RouteOut], summary="Where alerts go")
def list_routes(session: Reading) -> list[AlertRoute]:
    return routes.list_routes(session)


@router.post("/alerts/routes", response_model=RouteOut, status_code=201, summary="Tell somebody of incidents")
def add_route(request: Request, wanted: NewRoute) -> AlertRoute:
    of = (wanted.owner, wanted.source_id, wanted.level, wanted.events, wanted.fallback)
    return alerts.add(request, wanted.name, wanted.address, *of)


@router.put("/alerts/routes/{route_id}", response_model=RouteOut, summary="Pause or resume a route")
def change_route(request: Request, route_id: Ident, wanted: RouteChange) -> AlertRoute:
    with writing(request) as session:
        return routes.set_active(session, route_id, wanted.active, actor=actor(request))


@router.delete("/alerts/routes/{route_id}", status_code=204, summary="Forget a route and its address")
def remove_route(request: Request, route_id: Ident) -> None:
    with writing(request) as session:
        routes.remove_route(session, route_id, actor=actor(request))


@router.post("/alerts/routes/{route_id}/test", status_code=204, summary="Send a test by a route, now")
def test_route(request: Request, route_id: Ident) -> None:
    alerts.send_test(request, route_id)


@router.get("/alerts", response_model=Listing[DeliveryOut], summary="Which alerts were delivered, latest first")
def list_deliveries(
    request: Request,
    session: Reading,
    status: Annotated[str, Query(max_length=20, description="undelivered, or a status")] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[DeliveryOut]:
    found = deliveries.find_deliveries(session, status=status, limit=limit, offset=offset)
    return listing(request, found, DeliveryOut.model_validate)


@router.post("/alerts/again", response_model=Again, summary="Retry what was not delivered")
def send_again(request: Request) -> dict[str, int]:
    with writing(request) as session:
        return {"again": deliveries.send_again(session)}
