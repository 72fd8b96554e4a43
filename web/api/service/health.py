"""Whether all is well, for programs: health as JSON, and figures as Prometheus reads them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest
from sqlmodel import Session

from catalog.store.pages import home
from web.api.schemas.answered import Health
from web.deps import Reading

router = APIRouter(tags=["health"])
metrics_router = APIRouter(tags=["health"])


@router.get("/health", response_model=Health, summary="Whether the catalog, the queue and a worker answer")
def health(request: Request, session: Reading) -> dict[str, Any]:
    queue = request.app.state.queue.trouble()
    totals = home.totals(session)
    return {
        "status": "degraded" if queue else "ok",
        "version": request.app.version,
        "queue": queue,
        "tables": totals["statuses"],
        "columns": totals["columns"],
        "rules": totals["rules"].get("active", 0),
        "open_incidents": totals["open"],
        "undelivered": totals["undelivered"],
        "failed_reports": totals["failed_reports"],
        "running": home.navigation(session)["runs"],
    }


def registry(session: Session, queue_up: bool) -> CollectorRegistry:
    """The catalog's figures at this moment: read from the catalog, so that every web process tells the same."""
    totals = home.totals(session)
    made = CollectorRegistry()

    def gauge(name: str, words: str, values: dict[str, float], label: str = "") -> None:
        one = Gauge(f"assay_{name}", words, [label] if label else [], registry=made)
        for key, value in values.items():
            (one.labels(key) if label else one).set(value)

    gauge("tables", "Tables by status", totals["statuses"], "status")
    gauge("columns", "Columns", {"": totals["columns"]})
    gauge("rows", "Rows of all tables", {"": totals["rows"]})
    gauge("bytes", "Bytes of all tables", {"": totals["bytes"]})
    gauge("tags", "Tags by status", totals["tags"], "status")
    gauge("rules", "Rules by status", totals["rules"], "status")
    gauge("incidents", "Incidents by status", totals["incidents"], "status")
    gauge("verdicts_day", "Verdicts of the last 24 hours", totals["judged_day"], "status")
    gauge("false_alarms_month", "False alarms of the last 30 days", {"": totals["false_alarms_month"]})
    gauge("false_alarms_expected_month", "False alarms that the rules state", {"": totals["false_alarms_expected"]})
    gauge("false_alarms_week", "False alarms of the last 7 days", {"": totals["week"]["false"]})
    gauge("findings_held_back_week", "Findings of the last 7 days held back", {"": totals["week"]["held_back"]})
    gauge("rules_demoted", "Rules that only warn after false alarms", {"": totals["demoted"]})
    gauge("alerts_undelivered", "Alerts that were tried and not taken", {"": totals["undelivered"]})
    gauge("reports_failed", "Scheduled reports whose last try failed", {"": totals["failed_reports"]})
    gauge("runs_running", "Runs at work", {"": home.navigation(session)["runs"]})
    gauge("queue_up", "Whether the task queue and a worker answer", {"": float(queue_up)})
    return made


@metrics_router.get("/metrics", response_class=Response, summary="Figures for Prometheus")
def metrics(request: Request, session: Reading) -> Response:
    made = registry(session, request.app.state.queue.trouble() is None)
    return Response(generate_latest(made), media_type=CONTENT_TYPE_LATEST)
