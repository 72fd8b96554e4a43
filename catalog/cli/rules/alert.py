"""`assay alert`: who is told of incidents, and whether it was delivered."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, Offset, context
from catalog.cli.console import emit, grid, say
from catalog.errors import DeliveryError
from catalog.roles import EDIT, RUN

app = typer.Typer(no_args_is_help=True, help="Alerts: routes and deliveries.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a route.")]
SHOWN = ("id", "name", "shown", "owner", "source_id", "level", "events", "fallback", "active")


@app.command("add")
def alert_add(
    name: Name,
    address: Annotated[
        str,
        typer.Option(prompt=True, hide_input=True, envvar="ASSAY_ALERT_ADDRESS", help="Asked for: it holds secrets."),
    ],
    owner: Annotated[str, typer.Option(help="Only what this person or team owns.")] = "",
    source: Annotated[str, typer.Option(help="Only of this source.")] = "",
    level: Annotated[str, typer.Option(help="error, or warning for warnings too.")] = "error",
    event: Annotated[list[str] | None, typer.Option(help="opened, reopened, resolved; the first two without.")] = None,
    fallback: Annotated[bool, typer.Option("--fallback", help="Only what no other route is told.")] = False,
    as_json: Json = False,
) -> None:
    """Add a route: send alerts of incidents to an address from now on. The address is a webhook of Slack
    or Teams, any https address (gets JSON), or one of Apprise. It is stored encrypted and not shown again.

    Example: assay alert add sales --owner sales-data
    """
    from catalog.addresses import networks
    from catalog.alerts import address as addresses
    from catalog.store.alerts import routes
    from catalog.store.lake import sources
    from catalog.store.schemas.alerts import RouteOut
    from catalog.vault import Vault

    here = context(EDIT)
    usable = addresses.entered(address, networks(here.settings.alert_networks))
    sealed = Vault(here.settings).seal(usable)
    with here.transaction() as session:
        key = sources.get_source(session, source).id if source else None
        route = routes.add_route(
            session, name, sealed, addresses.shown(usable), actor=here.actor, owner=owner or None, source_id=key,
            level=level, events=event or routes.USUAL, fallback=fallback,
        )  # fmt: skip
    emit(RouteOut.made(route), as_json, lambda: say(f"{name}: {route.shown}. `assay alert test {name}` tries it."))


@app.command("list")
def alert_list(as_json: Json = False) -> None:
    """List the routes, without their addresses.

    Example: assay alert list
    """
    from catalog.store.alerts import routes
    from catalog.store.schemas.alerts import RouteOut

    with context().reading() as session:
        found = routes.list_routes(session)
    rows = [
        (r.name, r.shown, r.owner or "every owner", routes.ROUTE_LEVELS[r.level], ", ".join(r.events), _state(r.active))
        for r in found
    ]
    heads = ("route", "to", "of", "level", "tells of", "")
    emit([RouteOut.made(r) for r in found], as_json, lambda: grid("", heads, rows, "nobody is told of incidents yet"))


def _went(status: str) -> str:
    return "not sent" if status == "nobody" else status


def _state(active: bool) -> str:
    return "" if active else "paused"


@app.command("pause")
def alert_pause(name: Name) -> None:
    """Pause a route. Alerts of the meantime are not sent later.

    Example: assay alert pause sales
    """
    _activate(name, False)


@app.command("resume")
def alert_resume(name: Name) -> None:
    """Resume a paused route.

    Example: assay alert resume sales
    """
    _activate(name, True)


def _activate(name: str, active: bool) -> None:
    from catalog.store.alerts import routes

    here = context(EDIT)
    with here.transaction() as session:
        routes.set_active(session, name, active, actor=here.actor)
    say(f"{name} {'is resumed' if active else 'is paused'}")


@app.command("remove")
def alert_remove(name: Name) -> None:
    """Remove a route and its address. Its deliveries stay in the log.

    Example: assay alert remove sales
    """
    from catalog.store.alerts import routes

    here = context(EDIT)
    with here.transaction() as session:
        routes.remove_route(session, name, actor=here.actor)
    say(f"{name} is forgotten")


@app.command("test")
def alert_test(name: Name, as_json: Json = False) -> None:
    """Send a test alert by a route, now. Ends with 4 if it is refused.

    Example: assay alert test sales
    """
    from catalog.alerts.message import trial
    from catalog.alerts.post import post
    from catalog.store.alerts import routes
    from catalog.vault import Vault

    here = context(EDIT)
    with here.reading() as session:
        route = routes.get_route(session, name)
    message = trial(route.name, here.actor, here.settings.page_url)
    told: dict[str, Any] = {"id": 0, "address": Vault(here.settings).open(route.address), "kind": "info"}
    error = post([told | vars(message)], here.settings.alert_networks)[0]
    if error:
        raise DeliveryError(
            f"the test was not taken by {route.shown}: {error}", remedy="correct the address, or try again later"
        )
    emit({"route": name, "delivered": True}, as_json, lambda: say(f"{route.shown} took the test"))


@app.command("send")
def alert_send(
    again: Annotated[bool, typer.Option("--again", help="Also what was given up, and before its time.")] = False,
    as_json: Json = False,
) -> int:
    """Send the alerts that are due, as the worker of a running service does by itself. Ends with 4 where alerts are
    left that were not taken.

    Example: assay alert send --again
    """
    from catalog.flow.alerting import deliver
    from catalog.store.alerts import deliveries

    here = context(RUN)
    tried = 0
    if again:
        with here.transaction() as session:
            tried = deliveries.send_again(session)
    told = deliver(here)
    with here.reading() as session:
        later = deliveries.next_try(session)

    def show() -> None:
        say(f"{console.count(told.delivered, 'alert')} delivered")
        if told.undelivered:
            say(f"{console.count(told.undelivered, 'alert')} not taken: see `assay alert log --undelivered`", "red")
            when = f"at {later:%H:%M:%S} UTC by the next `assay alert send`, crawl or service" if later else "no more"
            say(f"tried again {when}; `assay alert send --again` tries now")

    emit(vars(told) | {"again": tried}, as_json, show)
    return console.UNDELIVERED if told.undelivered else console.PASSED


@app.command("log")
def alert_log(
    undelivered: Annotated[bool, typer.Option("--undelivered", help="Only what was not taken yet.")] = False,
    limit: Annotated[int, typer.Option(min=1)] = 50,
    offset: Offset = 0,
    as_json: Json = False,
) -> None:
    """List alerts and their deliveries, the latest first.

    Example: assay alert log --undelivered
    """
    from catalog.store.alerts import deliveries
    from catalog.store.schemas.alerts import DeliveryOut
    from catalog.store.schemas.listing import listing

    with context().reading() as session:
        found = deliveries.find_deliveries(
            session, status="undelivered" if undelivered else "", limit=limit, offset=offset
        )
    rows = [
        (d.id, f"{d.delivered_at or d.made_at:%Y-%m-%d %H:%M}", d.incident_id, d.event.partition(" ")[0],
         d.route or "no route", _went(d.status), f"{d.next_at:%H:%M}" if d.status == "pending" else "", d.attempts,
         d.error or d.title)
        for d in found.items
    ]  # fmt: skip
    heads = ("id", "at (UTC)", "incident", "event", "route", "status", "next try", "tries", "what")
    emit(listing(found, DeliveryOut.made), as_json, lambda: grid("", heads, rows, "no alerts yet"), found)
