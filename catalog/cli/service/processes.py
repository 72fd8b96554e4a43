"""The processes of the service, together (`assay up`) and one by one, and the demo of them all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.cli import console
from catalog.cli.common import Json
from catalog.cli.console import say

if TYPE_CHECKING:
    from catalog.settings import Settings


def demo(
    once: Annotated[bool, typer.Option("--once", help="End when the bad versions were judged.")] = False,
    keep: Annotated[Path | None, typer.Option(help="Keep lake and catalog in this folder.")] = None,
    days: Annotated[int, typer.Option(min=30, help="Days of history.")] = 42,
    seed: Annotated[int, typer.Option(help="Other numbers, other data.")] = 1,
    as_json: Json = False,
) -> int:
    """Write a shop's lake, crawl it, let three bad versions arrive, and show what was caught.

    Ends with 1 when one of the three was missed or there was a false alarm.

    Example: assay demo --once --json
    """
    from catalog.demo.run import run_demo
    from catalog.settings import get_settings

    return run_demo(get_settings(), once=once, as_json=as_json, keep=keep, days=days, seed=seed)


def up() -> None:
    """Run the service: task queue, worker, scheduler and web page, until Ctrl-C.

    Example: ASSAY_PORT=8080 assay up
    """
    from catalog.cli import work
    from catalog.service import Service
    from catalog.settings import get_settings

    settings = get_settings()
    _make_first_admin(settings)
    with work.stop_signals() as stop, Service(settings) as service:
        say(f"starting; logs are in {service.logs}")
        service.wait_ready(stop=stop)
        if not stop.is_set():
            say(f"Assay is up at {service.url}  (Ctrl-C stops it)", "bold")
        restarts = 0
        while not stop.wait(0.5):
            now = sum(child["restarts"] for child in service.status())
            if now > restarts:
                names = [child["name"] for child in service.status() if child["restarts"]]
                console.err().print(f"restarted: {', '.join(names)}; see {service.logs}", style="yellow")
                restarts = now
        say("stopping")


def _make_first_admin(settings: Settings) -> None:
    """Beyond this machine everybody logs in: where nobody could yet, make an admin and tell the password."""
    from catalog.flow.context import Context
    from catalog.store.access import people

    if settings.access_token or settings.oidc_issuer or settings.host in ("127.0.0.1", "::1", "localhost"):
        return
    with Context(settings).transaction() as session:
        made = people.first_admin(session)
    if made is not None:
        told = f"log in as {made[0].name} with the password {made[1]} (shown this once; change it under Account)"
        console.err().print(told, style="bold", markup=False, highlight=False)


def worker() -> int:
    """Run one worker (for containers; `assay up` runs all processes).

    Example: ASSAY_REDIS_URL=redis://redis:6379/0 assay worker
    """
    from catalog.settings import get_settings
    from workers.process import run_worker

    return run_worker(get_settings())


def scheduler() -> None:
    """Run the scheduler: look at the transaction logs, queue what is new.

    Example: ASSAY_WATCH_SECONDS=5 assay scheduler
    """
    from catalog.settings import get_settings
    from workers.app import make_app
    from workers.schedule import serve

    settings = get_settings()
    serve(settings, make_app(settings, with_tasks=False))


def web() -> None:
    """Run the web page and the JSON interface.

    Example: ASSAY_PORT=8080 assay web
    """
    from catalog.service import claim_port
    from catalog.settings import get_settings
    from catalog.store.engine import make_engine, upgrade
    from web.__main__ import serve

    settings = get_settings()
    claim_port(settings)
    upgrade(make_engine(settings.database))
    _make_first_admin(settings)
    serve(settings)
