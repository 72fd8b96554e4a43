"""The review of proposed tags: what waits, in groups, and is decided together. Each function takes a session and never
commits.

General kinds (a code, a category) describe a column and wait for nobody. A tag that people decided on is not asked
again, however often its column is tagged, unless its values are recognised no more (`catalog.store.meaning.lost`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from sqlmodel import Session, col, func, select

from catalog.domains.domain import Domain
from catalog.domains.known import in_force
from catalog.errors import Held, NotFound, UsageError
from catalog.store.domains import lakedomains
from catalog.store.meaning.lost import LOST
from catalog.store.meaning.remembered import decided, tags_with_places
from catalog.store.meaning.tags import decide_tag
from catalog.store.models import AuditEvent, LakeColumn, Source, Tag, TagEvent
from catalog.tags.discovery.sample import sample
from catalog.tags.review import Group, Proposed, group

#: Tags that one look takes into account; the next ones come up when these are decided; a bound of time.
MOST = 5000


def waiting(session: Session, *, domain: str = "", source: str = "") -> list[Group]:
    """Proposed tags that wait for a decision, in groups, those first that settle most."""
    query: Any = tags_with_places().where(Tag.status == "proposed", col(Tag.generic).is_(False))
    if domain:
        query = query.where(Tag.domain == domain)
    if source:
        query = query.where(Source.name == source)
    rows = session.exec(query.order_by(Tag.domain, col(Tag.id)).limit(MOST)).all()
    past = decided(session, {(tag.domain, column.name) for tag, column, *_ in rows})
    return group(_proposed(row, past) for row in rows)


def count_waiting(session: Session) -> int:
    """How many tags wait for a decision."""
    query = select(func.count()).select_from(Tag).where(Tag.status == "proposed", col(Tag.generic).is_(False))
    return int(session.exec(query).one())


def lost(session: Session) -> list[tuple[Proposed, TagEvent]]:
    """Accepted tags that the values of a later version do not bear out any more, and nobody has answered for since."""
    newest = select(func.max(TagEvent.id)).group_by(col(TagEvent.tag_id))
    query: Any = tags_with_places(TagEvent).join(TagEvent, col(TagEvent.tag_id) == col(Tag.id))
    query = query.where(col(TagEvent.id).in_(newest), TagEvent.what == LOST, Tag.status == "accepted")
    query = query.where(TagEvent.at > Tag.updated_at)
    return [(_proposed(row[:-1], {}), row[-1]) for row in session.exec(query.order_by(col(TagEvent.id)).limit(MOST))]


def decide(session: Session, tag_ids: Sequence[int], status: str, actor: str, reason: str = "") -> list[int]:
    """Accept or reject tags together. Returns the events by which each can be undone.

    Errors: `NotFound`, `UsageError`; then nothing is decided.
    """
    if not tag_ids:
        raise UsageError("no column is chosen", remedy="tick those that the decision is about")
    last = session.exec(select(func.max(AuditEvent.id))).one() or 0
    held: list[Held] = []
    for tag_id in dict.fromkeys(tag_ids):
        try:
            decide_tag(session, tag_id, status, actor, reason)
        except Held as error:
            held.append(error)
    if held:
        raise held[0] if len(held) == 1 else Held(f"{len(held)} decisions wait for a second person")
    made = select(AuditEvent.id).where(AuditEvent.id > last, AuditEvent.kind == "tag", AuditEvent.actor == actor)
    return list(session.exec(made.where(col(AuditEvent.item_id).in_(tag_ids)).order_by(col(AuditEvent.id))))


def tag_of(session: Session, column: LakeColumn, domain: str = "", *, but: str = "") -> Tag:
    """The tag of a column that a person speaks of: that of the `domain`, or without one the only tag that waits, or is
    not `but` already (``accepted`` or ``rejected``).

    Errors: `NotFound` where it has no such tag, `UsageError` where several could be meant.
    """
    present = list(session.exec(select(Tag).where(Tag.column_id == column.id).order_by(col(Tag.score).desc())))
    if domain:
        found = [one for one in present if domain.casefold() in (one.domain.casefold(), one.title.casefold())]
    else:
        waiting = [one for one in present if one.status == "proposed" and not one.generic]
        found = waiting or [one for one in present if one.status != but and not one.generic]
    if len(found) == 1:
        return found[0]
    general = {"proposed": "general, no decision needed"}
    told = ", ".join(f"{t.domain} ({general.get(t.status, t.status) if t.generic else t.status})" for t in present)
    told = told or "none"
    if found:
        raise UsageError(f"column {column.name!r} has several tags: {told}", remedy="name the one that is meant")
    raise NotFound(
        f"column {column.name!r} has no tag {domain!r}" if domain else f"nothing waits at column {column.name!r}",
        remedy=f"name the domain that it has; its tags: {told}",
    )


def domains(session: Session) -> dict[str, Domain]:
    """Every domain that a person may say a column is of, by name: the known ones, and those that people named."""
    found = (*in_force().values(), *lakedomains.named_domains(session))
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def say_tag(session: Session, column: LakeColumn, domain: str, actor: str, reason: str = "") -> tuple[Tag, list[int]]:
    """A person says what a column is, whatever was proposed: the tag, and the events by which it is undone.

    Errors: `NotFound` for a domain that is not known, `Held`.
    """
    try:
        tag = tag_of(session, column, domain)
    except NotFound:
        known = domains(session)
        if domain not in known:
            near = ", ".join(get_close_matches(domain, known, 3)) or "none"
            raise NotFound(
                f"there is no domain {domain!r}", remedy=f"those near it: {near}; `assay domain list` shows all"
            ) from None
        meant = known[domain]
        state = lakedomains.column_state(session, column.table_id, column.name)
        share = sample(state).share(meant.validate)[0] if state is not None else 0.0
        tag = Tag(column_id=column.id, domain=domain, title=meant.title, sensitive=meant.sensitive)
        tag.score, tag.match_share, tag.evidence = 1.0, round(share, 4), {"said_by": actor}
        session.add(tag)
        session.flush()
    return tag, decide(session, [tag.id], "accepted", actor, reason)


def _proposed(row: Sequence[Any], past: Mapping[tuple[str, str], list[tuple[str, str]]]) -> Proposed:
    tag, column, table_id, table, source = row
    said = past.get((tag.domain, column.name.casefold()), [])
    names = ("domain", "title", "score", "match_share", "sensitive", "contains", "evidence")
    where = {"column_id": column.id, "column": column.name, "table_id": table_id, "table": table, "source": source}
    told = {"tag_id": tag.id, "type": column.type, "remembered": said[0][1] if said else ""}
    return Proposed(**where, **told, **{name: getattr(tag, name) for name in names})
