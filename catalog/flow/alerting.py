"""Telling people of incidents: what is due is planned, composed, sent and written down, in short transactions around
the sending. Whoever runs it, however often and in how many processes, each alert goes once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from sqlmodel import Session

from catalog.alerts.message import DIGEST, Alert, Message, compose, digest
from catalog.alerts.post import post
from catalog.checks.feedback import IN_WORDS
from catalog.errors import AssayError, NotFound, SettingError
from catalog.flow.context import Context, repeating
from catalog.metrics.registry import reveals
from catalog.metrics.sayings import finding, told_alone
from catalog.metrics.words import number
from catalog.store.access.owners import owner_of_columns
from catalog.store.alerts import deliveries
from catalog.store.incidents.outcomes import get_incident
from catalog.store.meaning.privacy import hiding
from catalog.store.models import AlertDelivery, Incident, Outcome, RuleRow, Source, Table
from catalog.vault import Vault

log = structlog.get_logger()

TELL_SECONDS = 10.0  # chosen: people read alerts minutes later
NOTICES = {"error": "failure", "warning": "warning"}


@dataclass(frozen=True)
class Told:
    """What one round did: alerts that were `planned`, `delivered`, and those that were tried and are `undelivered`."""

    planned: int = 0
    delivered: int = 0
    undelivered: int = 0


def deliver(context: Context) -> Told:
    """Plan and send what is due."""
    with context.reading() as session:
        if not deliveries.anything(session):
            return Told(undelivered=deliveries.undelivered(session))
    with context.transaction() as session:
        planned = deliveries.plan(session)
        claimed = deliveries.claim(session)
    went: dict[int, str] = {}
    said: dict[int, tuple[str, str]] = {}
    final: set[int] = set()
    by_route: dict[int, list[AlertDelivery]] = {}
    for one in claimed:
        by_route.setdefault(one.route_id, []).append(one)
    for mine in by_route.values():
        _send(context, mine, went, said, final)
    with context.transaction() as session:
        deliveries.settle(session, went, said, final=final)
        left = deliveries.undelivered(session)
    return Told(planned, sum(not error for error in went.values()), left)


def _send(
    context: Context,
    mine: list[AlertDelivery],
    went: dict[int, str],
    said: dict[int, tuple[str, str]],
    final: set[int],
) -> None:
    """Send what goes by one route."""
    with context.reading() as session:
        route = deliveries.route_of(session, mine[0])
        alerts = {one.id: told for one in mine if (told := alert_of(context, session, one)) is not None}
    gone = [one.id for one in mine if route is None or one.id not in alerts]
    went |= dict.fromkeys(gone, "the route was removed or paused" if route is None else "the incident is gone")
    final.update(gone)
    if route is None or not alerts:
        return
    try:
        address = Vault(context.settings).open(route.address)
    except SettingError as error:
        went |= dict.fromkeys(alerts, str(error))
        return
    link = f"{context.settings.page_url}/incidents"
    if len(alerts) >= DIGEST:
        whole = digest(list(alerts.values()), link)
        answer = post([_packed("digest", address, whole, list(alerts.values()))], context.settings.alert_networks)
        went |= dict.fromkeys(alerts, answer["digest"])
        said |= dict.fromkeys(alerts, (whole.title, whole.body))
        return
    messages = {key: compose(alert) for key, alert in alerts.items()}
    packed = [_packed(key, address, messages[key], [alerts[key]]) for key in alerts]
    went |= post(packed, context.settings.alert_networks)
    said |= {key: (message.title, message.body) for key, message in messages.items()}


def _packed(key: Any, address: str, message: Message, alerts: list[Alert]) -> dict[str, Any]:
    """A message for the process that sends. Programs get what it is about beside the text, and a number by which they
    know an alert that came before."""
    first = alerts[0]
    about = {"event": first.event, "level": first.level, "incident": first.incident, "table": first.table}
    kind = "success" if first.event == "resolved" else NOTICES.get(first.level, "warning")
    return {
        "id": key, "address": address, "title": message.title, "body": message.body, "kind": kind,
        "headers": {"X-Assay-Delivery": str(key)},
        "payload_extras": (about | {"link": first.link}) if len(alerts) == 1 else {"incidents": len(alerts)},
    }  # fmt: skip


def alert_of(context: Context, session: Session, delivery: AlertDelivery) -> Alert | None:
    """What a delivery tells; None where its incident is no more."""
    try:
        incident = get_incident(session, delivery.incident_id)
    except NotFound:
        return None
    table = session.get_one(Table, incident.table_id)
    source = session.get_one(Source, table.source_id)
    columns = incident.columns or [incident.column_name]
    owner = owner_of_columns(session, table.id, columns)
    hide = hiding(session, table.id)
    return Alert(
        event="worse" if delivery.event == deliveries.WORSE else delivery.event.partition(" ")[0],
        incident=incident.id,
        level=incident.level,
        table=f"{source.name}/{table.name}",
        sentence=hide.data(columns[0], incident.sentence),
        size=size_of(session, incident, hide.private(columns[0])),
        version=_version(incident),
        owner=(owner.name or "nobody") + (" (by default)" if owner.given == "default" else ""),
        link=f"{context.settings.page_url}/incidents/{incident.id}",
        why=f"{IN_WORDS[incident.reason or '']} by {incident.actor}" if incident.status == "resolved" else "",
    )


def _version(incident: Incident) -> str:
    last = f", still bad in {incident.last_version}" if incident.last_version != incident.first_version else ""
    return f"{incident.first_version}{last}"


def size_of(session: Session, incident: Incident, private: bool) -> str:
    """How much broke, in figures; of a column that hides values none that may be one."""
    size = (incident.diagnosis or {}).get("size") or {}
    said = session.get(Outcome, incident.outcome_id)
    if said is not None and said.metric and said.value is not None and not (private and reveals(said.metric)):
        rule = session.get(RuleRow, said.rule_id)
        kind = rule.column_kind if rule is not None else ""
        if said.high is None:
            floor = f", at least {number(said.metric, said.low)} expected" if said.low is not None else ""
            return f"{told_alone(said.metric, said.value, kind)}{floor}"
        return finding(said.metric, said.value, said.low, said.high, kind)
    return f"{size['share']:.1%} of the rows" if isinstance(size.get("share"), float) else ""


@contextmanager
def telling(context: Context) -> Iterator[None]:
    """Alerts are sent while a long piece of work goes on, and at its end. Trouble with them is logged and tried again;
    the work does not end by it."""
    try:
        with repeating(partial(quietly, context), TELL_SECONDS, "alerts"):
            yield
    finally:
        quietly(context)


def quietly(context: Context) -> Told:
    """`deliver`, whose errors are logged."""
    try:
        return deliver(context)
    except (AssayError, OSError, ValueError) as error:
        log.warning("alerts could not be sent", error=str(error))
        return Told()
