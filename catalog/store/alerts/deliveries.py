"""Which alerts are due and which were delivered. Each function takes a session and never commits.

An alert is planned once for each incident, event and route: a unique constraint holds whatever runs twice. One that is
being sent is leased; whose process died is sent again when the lease is over, by the same number, which goes with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import or_, update
from sqlmodel import Session, col, func, select

from catalog.errors import NotFound
from catalog.store.access.owners import owner_of_columns
from catalog.store.alerts.routes import EVENTS, get_route, list_routes, matching
from catalog.store.engine import insert_new
from catalog.store.models import AlertDelivery, AlertRoute, Incident, Table, now
from catalog.store.pages.cutting import Page, cut

#: Incidents that changed longer ago were planned then.
PLANNED = timedelta(days=2)
LEASE = timedelta(minutes=5)
FIRST_WAIT, LONGEST_WAIT, MOST_TRIES = timedelta(seconds=30), timedelta(hours=1), 30  # a day and a bit
NOBODY = 0
WORSE = "opened worse"  # the event of what got much worse while it was open, for routes that tell what opens
UNDELIVERED = ("pending", "sending", "failed")


def plan(session: Session, at: datetime | None = None) -> int:
    """Plan the alerts of what happened to incidents; how many are new. What no route takes is written down too, also
    where there is no route at all: somebody sees on the page then that nobody was told."""
    routes = list_routes(session, active=True)
    moment = at or now()
    since = moment - PLANNED
    query = select(Incident).where(col(Incident.lead_id).is_(None), col(Incident.updated_at) >= since)
    rows: list[dict[str, Any]] = []
    for incident in session.exec(query.order_by(col(Incident.id))):
        rows += _due(session, incident, routes)
    fresh = insert_new(
        session, AlertDelivery, [row | {"next_at": moment} for row in rows], returning=[AlertDelivery.id]
    )
    return len(fresh)


def event_of(incident: Incident) -> tuple[str, datetime]:
    """What last happened to an incident, told apart from the time before, and when: opened, reopened, resolved. What
    got much worse is told once more to whom it was when it opened."""
    if incident.status == "resolved":
        return f"resolved {_digest(incident.reason, incident.updated_at)}", incident.updated_at
    if incident.taken_back:
        return f"reopened {_digest(incident.taken_back, incident.reopened_at)}", incident.updated_at
    if worse := (incident.diagnosis or {}).get("worse"):
        return WORSE, datetime.fromisoformat(worse)
    return "opened", incident.opened_at


def _digest(*told: Any) -> str:
    return sha256(repr([one.isoformat() if isinstance(one, datetime) else one for one in told]).encode()).hexdigest()[
        :12
    ]


def _due(session: Session, incident: Incident, routes: list[AlertRoute]) -> list[dict[str, Any]]:
    """Rows of the deliveries that one incident asks for."""
    event, happened = event_of(incident)
    kind = event.partition(" ")[0]
    if event == WORSE and _unheard(session, incident, happened):
        event, happened = "opened", incident.opened_at
    table = session.get_one(Table, incident.table_id)
    owner = owner_of_columns(session, table.id, incident.columns or [incident.column_name])
    fit = matching(session, routes, owner.name, table.source_id)
    ready = [one for one in fit if kind in one.events and one.created_at <= happened and _loud(incident, one)]
    if incident.spread_id is not None:  # one night's incident in another table: whom it told is not told again
        query = select(AlertDelivery.route_id).where(AlertDelivery.incident_id == incident.spread_id)
        told = set(session.exec(query.where(col(AlertDelivery.event).startswith(kind))))
        ready = [one for one in ready if one.id not in told]
    if not fit and kind == "opened" and incident.level == "error":
        known = select(AlertDelivery.id).where(AlertDelivery.incident_id == incident.id)
        if session.exec(known.limit(1)).first() is not None:  # told by a route that is no more
            return []
        return [{"incident_id": incident.id, "event": event, "route_id": NOBODY, "status": "nobody"}]
    return [{"incident_id": incident.id, "event": event, "route_id": one.id, "route": one.name} for one in ready]


def _unheard(session: Session, incident: Incident, worse: datetime) -> bool:
    """Whether nobody heard of an incident before it got worse: whoever hears of it then is told once."""
    query = select(func.min(AlertDelivery.made_at)).where(
        AlertDelivery.incident_id == incident.id, AlertDelivery.event == "opened"
    )
    first = session.exec(query).one()
    return first is None or first > worse


def _loud(incident: Incident, route: AlertRoute) -> bool:
    return incident.level == "error" or route.level == "warning"


def claim(session: Session, most: int = 200, at: datetime | None = None) -> list[AlertDelivery]:
    """Deliveries whose time has come, leased to the caller: nobody else gets them meanwhile."""
    moment = at or now()
    due = select(AlertDelivery.id).where(
        col(AlertDelivery.status).in_(("pending", "sending")), col(AlertDelivery.next_at) <= moment
    )
    wanted = due.order_by(col(AlertDelivery.id)).limit(most).with_for_update(skip_locked=True)
    ids = list(session.exec(wanted))
    values = {"status": "sending", "next_at": moment + LEASE, "attempts": col(AlertDelivery.attempts) + 1}
    session.exec(update(AlertDelivery).where(col(AlertDelivery.id).in_(ids)).values(**values))
    query = select(AlertDelivery).where(col(AlertDelivery.id).in_(ids)).order_by(col(AlertDelivery.id))
    return list(session.exec(query.execution_options(populate_existing=True)))


def is_due(session: Session, at: datetime | None = None) -> bool:
    """Whether a delivery waits to be sent now."""
    query = select(AlertDelivery.id).where(
        col(AlertDelivery.status).in_(("pending", "sending")), col(AlertDelivery.next_at) <= (at or now())
    )
    return session.exec(query.limit(1)).first() is not None


def anything(session: Session, at: datetime | None = None) -> bool:
    """Whether there is something to plan or to send: for those who ask every few seconds, most often in vain."""
    if list_routes(session, active=True) or is_due(session, at):
        return True
    listed = select(AlertDelivery.id).where(col(AlertDelivery.incident_id) == col(Incident.id)).exists()
    fresh = (col(Incident.lead_id).is_(None), col(Incident.updated_at) >= (at or now()) - PLANNED)
    query = select(Incident.id).where(*fresh, Incident.level == "error", Incident.status != "resolved", ~listed)
    return session.exec(query.limit(1)).first() is not None


def settle(
    session: Session,
    went: Mapping[int, str],
    said: Mapping[int, tuple[str, str]],
    *,
    final: Iterable[int] = (),
    at: datetime | None = None,
) -> None:
    """Write down how deliveries went: ``{id: error, empty where it was taken}`` and what was `said`, as title and text.
    What was not taken is tried again, later and later; `final` ones have nobody to tell any more and are dropped."""
    moment, given_up = at or now(), set(final)
    for one in session.exec(select(AlertDelivery).where(col(AlertDelivery.id).in_(list(went)))):
        one.title, one.body = said.get(one.id, (one.title, one.body))
        error = went[one.id]
        if not error:
            one.status, one.error, one.delivered_at = "delivered", None, moment
            continue
        tries = one.attempts % MOST_TRIES  # a person may begin another day of them
        over = tries == 0
        one.status, one.error = "dropped" if one.id in given_up else "failed" if over else "pending", error
        one.next_at = moment + min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(max(tries - 1, 0), 20))
    session.flush()


def send_again(session: Session, delivery_id: int | None = None) -> int:
    """Let what was not delivered be tried at once, all or one of them; how many. Errors: `NotFound`."""
    query = update(AlertDelivery).where(col(AlertDelivery.status).in_(("failed", "pending", "dropped")))
    if delivery_id is not None:
        if session.get(AlertDelivery, delivery_id) is None:
            raise NotFound(f"there is no delivery {delivery_id}", remedy="`assay alert log` shows those there are")
        query = query.where(col(AlertDelivery.id) == delivery_id)
    return int(session.exec(query.values(status="pending", next_at=now())).rowcount)


def undelivered(session: Session, source_ids: Collection[int] | None = None) -> int:
    """Alerts that were tried and not taken; of some sources only, where they are named."""
    query = select(func.count()).select_from(AlertDelivery)
    if source_ids is not None:
        of = select(Incident.id).join(Table, col(Table.id) == col(Incident.table_id))
        query = query.where(col(AlertDelivery.incident_id).in_(of.where(col(Table.source_id).in_(source_ids))))
    stuck = or_(col(AlertDelivery.status) == "failed", col(AlertDelivery.error).is_not(None))
    return int(session.exec(query.where(stuck, col(AlertDelivery.status).in_(UNDELIVERED))).one())


def next_try(session: Session) -> datetime | None:
    """When the first of what was not taken is tried again; None where nothing is."""
    query = select(func.min(AlertDelivery.next_at)).where(AlertDelivery.status == "pending")
    return session.exec(query).one()


def find_deliveries(session: Session, *, status: str = "", limit: int = 50, offset: int = 0) -> Page:
    """Deliveries, the latest first; status ``undelivered``: what was not taken yet."""
    query: Any = select(AlertDelivery).order_by(col(AlertDelivery.id).desc())
    if status == "undelivered":
        query = query.where(col(AlertDelivery.status).in_(UNDELIVERED))
    elif status:
        query = query.where(AlertDelivery.status == status)
    return cut(session, query, limit, offset)


def route_of(session: Session, delivery: AlertDelivery) -> AlertRoute | None:
    """The route of a delivery; None where it was removed or paused since."""
    try:
        route = get_route(session, delivery.route_id)
    except NotFound:
        return None
    return route if route.active else None


assert set(EVENTS) == {"opened", "reopened", "resolved"}  # as `event_of` names them
