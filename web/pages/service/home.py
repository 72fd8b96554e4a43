"""The home page: what is healthy, what is not, what is being done about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fastapi import APIRouter, Request, Response
from sqlmodel import Session

from catalog.store.expectations.allowance import allowed_a_week
from catalog.store.pages import home, work
from catalog.store.schemas.incidents import IncidentOut
from catalog.store.schemas.lake import SourceOut, TableOut
from catalog.store.schemas.listing import listing
from catalog.store.schemas.runs import RunOut
from web.deps import Reading
from web.render import page

router = APIRouter()


class Trouble(NamedTuple):
    """What is not well, as a sentence, and the page that says why; empty where the home page itself does."""

    words: str
    page: str = ""


def health_words(
    totals: dict[str, Any], broker: str | None, failed: Sequence[str] = (), *, at_work: bool = False
) -> tuple[str, list[Trouble]]:
    """``good``, ``warn`` or ``bad``, and why in sentences; without troubles ``first`` while a first crawl is `at_work`
    and ``unread`` where none was: of what nobody has read nothing is well."""
    troubles: list[Trouble] = []
    if broker is not None:
        troubles.append(Trouble(f"{broker[0].upper()}{broker[1:]}: new versions wait until “assay up” runs."))
    if failed:
        names = ", ".join(failed[:5]) + (" …" if len(failed) > 5 else "")
        of = "s" if len(failed) > 1 else ""
        troubles.append(Trouble(f"{len(failed)} source{of} could not be crawled: {names}."))
    broken, gone = totals["statuses"]["error"], totals["statuses"]["vanished"]
    if broken:
        troubles.append(Trouble(f"{broken} table{'s' if broken > 1 else ''} cannot be read."))
    if gone:
        of = "s are no longer under their source" if gone > 1 else " is no longer under its source"
        troubles.append(Trouble(f"{gone} table{of}."))
    if totals["undelivered"]:
        lost = totals["undelivered"]
        of = "s" if lost > 1 else ""
        troubles.append(Trouble(f"{lost} alert{of} could not be delivered.", "/alerts?status=undelivered"))
    if totals["failed_reports"]:
        unmade = totals["failed_reports"]
        of = "s" if unmade > 1 else ""
        troubles.append(Trouble(f"{unmade} scheduled report{of} could not be made.", "/reports#schedules"))
    if totals["upgrade_waits"]:
        waits = "A new version of Assay would tag columns otherwise, and waits to be approved."
        troubles.append(Trouble(waits, "/index/upgrade"))
    violated, warned = totals["open_errors"], totals["open"] - totals["open_errors"]
    if violated:
        troubles.append(Trouble(f"{violated} incident{'s are' if violated > 1 else ' is'} open."))
    if warned:
        troubles.append(Trouble(f"{warned} warning{'s need' if warned > 1 else ' needs'} a decision."))
    statuses = totals["statuses"]
    unread = statuses["new"] + statuses["learning"] == totals["tables"] - statuses["excluded"]
    calm = "good" if not unread else "first" if at_work else "unread"
    level = "bad" if totals["open_errors"] else "warn" if troubles else calm
    return level, troubles


def overview(session: Session, broker: str | None) -> dict[str, Any]:
    totals = home.totals(session)
    runs = [RunOut.made(run) for run in work.find_runs(session, limit=8).items]
    running = [run for run in runs if run.status in {"running", "queued"}]
    failed = [SourceOut.of(line) for line in work.failed_sources(session)]
    level, troubles = health_words(totals, broker, [source.name for source in failed], at_work=bool(running))
    return {
        "totals": totals,
        "level": level,
        "troubles": troubles,
        "running": running,
        "live": bool(running),
        "broker": broker,
        "incidents": listing(work.list_incidents(session, status="open", limit=8), IncidentOut.of),
        "failed": failed,
        "troubled": [TableOut.of(line) for line in home.troubled_tables(session)],
        "days": home.daily_outcomes(session),
        "recent_runs": runs[:5],
    }


@router.get("/")
def show_home(request: Request, session: Reading) -> Response:
    found = overview(session, request.app.state.queue.trouble())
    allowed = allowed_a_week(session, request.app.state.settings.weekly_budget)
    return page(request, session, "service/home.html", weekly_budget=allowed, **found)
