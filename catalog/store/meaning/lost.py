"""Tags that the values of a later version do not bear out: events, linked with the incident of the rule that broke.
Functions take a session and never commit."""

from __future__ import annotations

from collections.abc import Mapping

from sqlmodel import Session, col, select

from catalog.store.engine import chunks
from catalog.store.models import Incident, LakeColumn, Tag, TagEvent
from catalog.tags.privacy.levels import ABOUT

LOST, BACK = "lost", "back"


def moved(session: Session, present: Mapping[int, Tag], found: Mapping[int, bool]) -> list[int]:
    """The tags that are lost now and were not before, or are borne out again; parameters as of `note`."""
    said = {key: tag for key, tag in present.items() if not tag.generic and tag.domain != ABOUT}
    asked = [key for key, tag in said.items() if tag.status != "rejected"]
    newest = {
        event.tag_id: event.what
        for part in chunks(sorted(asked))
        for event in session.exec(select(TagEvent).where(col(TagEvent.tag_id).in_(part)).order_by(col(TagEvent.id)))
    }
    return [key for key in asked if found[key] == (newest.get(key) == LOST)]


def note(session: Session, present: Mapping[int, Tag], found: Mapping[int, bool], version: int) -> None:
    """Write down which tags were lost with a version, or are borne out again.

    Parameters
    ----------
    present, found : by tag id, the tags that stood before, and whether the values still bear them out.
    """
    for key in moved(session, present, found):
        tag = present[key]
        column = session.get_one(LakeColumn, tag.column_id)
        session.add(
            TagEvent(
                tag_id=key, table_id=column.table_id, column_name=column.name, domain=tag.domain, title=tag.title,
                what=BACK if found[key] else LOST, version=version,
                incident_id=None if found[key] else _incident(session, column, version),
            )
        )  # fmt: skip
    session.flush()


def _incident(session: Session, column: LakeColumn, version: int) -> int | None:
    """The incident that a broken rule of the column opened, where one is open at that version: its leader."""
    query = select(Incident).where(
        Incident.table_id == column.table_id, Incident.column_name == column.name, Incident.first_version <= version,
        Incident.status != "resolved",
    )  # fmt: skip
    row = session.exec(query.order_by(col(Incident.first_version).desc(), col(Incident.id).desc())).first()
    return None if row is None else row.lead_id or row.id


def events_of(session: Session, table_id: int, column: str | None = None, limit: int = 20) -> list[TagEvent]:
    """Tags that a table's columns lost, or have again, the latest first."""
    query = select(TagEvent).where(TagEvent.table_id == table_id)
    if column is not None:
        query = query.where(TagEvent.column_name == column)
    return list(session.exec(query.order_by(col(TagEvent.id).desc()).limit(limit)))


def events_of_incident(session: Session, incident_id: int) -> list[TagEvent]:
    """Tags that were lost with an incident."""
    query = select(TagEvent).where(TagEvent.incident_id == incident_id, TagEvent.what == LOST)
    return list(session.exec(query.order_by(col(TagEvent.id))))
