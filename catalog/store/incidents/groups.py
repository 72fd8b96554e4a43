"""Which rows of incidents are one incident: the conditions by which lists and counts see it once. Quick to load.

An incident row is what one kind of rule has against one column. Rows with one cause have one leader (`lead_id`); where
columns broke alike in several tables, leaders point to the first of them (`spread_id`).
`catalog.store.incidents.causes` decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sqlmodel import Session, col, select, update

from catalog.store.models import Incident, Table


def leads(table_id: int | None = None) -> tuple[Any, ...]:
    """Conditions that leave one row of each incident: of all tables, or as a single table sees them."""
    own = (col(Incident.lead_id).is_(None),)
    return own if table_id is not None else (*own, col(Incident.spread_id).is_(None))


def leave_groups(session: Session, table_id: int) -> None:
    """The incidents of a table go away: those of other tables that point to them stand by themselves."""
    mine = select(Incident.id).where(Incident.table_id == table_id)
    session.exec(update(Incident).where(col(Incident.spread_id).in_(mine)).values(spread_id=None))


def members(session: Session, incident: Incident) -> list[Incident]:
    """The rows of an incident: its leader's first, then its details, then those of the tables it spread to."""
    first = [incident, *_led(session, [incident])]
    spread = list(session.exec(select(Incident).where(Incident.spread_id == incident.id).order_by(col(Incident.id))))
    return [*first, *spread, *_led(session, spread)]


def open_lead(session: Session, incident: Incident) -> Incident | None:
    """The leader of a row that has one, while nobody has answered it."""
    lead = session.get(Incident, incident.lead_id) if incident.lead_id is not None else None
    return lead if lead is not None and lead.status != "resolved" else None


def spread_to(session: Session, incident_ids: Iterable[int]) -> dict[int, list[str]]:
    """By incident, the names of the other tables that it spread to."""
    query = select(Incident.spread_id, Table.name).join(Table, col(Table.id) == col(Incident.table_id))
    found: dict[int, list[str]] = defaultdict(list)
    for head, name in session.exec(query.where(col(Incident.spread_id).in_(incident_ids)).order_by(col(Incident.id))):
        found[head or 0].append(name)
    return found


def _led(session: Session, heads: Sequence[Incident]) -> list[Incident]:
    ids = [one.id for one in heads]
    return list(session.exec(select(Incident).where(col(Incident.lead_id).in_(ids)).order_by(col(Incident.id))))
