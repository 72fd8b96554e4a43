"""A domain made from an example, with the columns that people ticked. Functions take a session and never commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, select

from catalog.errors import UsageError
from catalog.store.access import audit
from catalog.store.domains import lakedomains
from catalog.store.meaning import review
from catalog.store.models import LakeColumn, LakeDomain, Tag, now
from catalog.tags.discovery.example import ExamplePattern

NOT_TICKED = "not ticked when the domain was made"


def make_domain(
    session: Session,
    found: ExamplePattern,
    name: str,
    *,
    label: str = "",
    sensitive: bool = False,
    ticked: Sequence[int],
    settle: bool,
    actor: str,
) -> LakeDomain:
    """Make a pattern a domain of the lake. It tags columns from then on, at every crawl; of those that it describes now
    the ticked ones.

    Parameters
    ----------
    ticked : ids of columns, of those that the pattern describes.
    settle : whether `actor` may decide on tags: the ticked ones are accepted then, and the others are not asked about.

    Errors: `UsageError` for a name that is taken or cannot be one, or where nothing is ticked.
    """
    places = lakedomains.where(session, [[table, column] for table, column, _ in found.described])
    able = {place[1]: key for key, place in places.items() if place[1] is not None}
    chosen = [key for key in able if key in set(ticked)]
    if not chosen:
        raise UsageError("no column is ticked", remedy="tick the columns that hold the domain")
    row = _row(session, found)
    row.described = [[int(able[key][0]), able[key][1]] for key in chosen]
    row.coverage, row.impurity, row.chance = found.coverage, found.impurity, found.chance
    row.tables, row.found, row.found_at = len({able[key][0] for key in chosen}), True, now()
    session.add(row)
    session.flush()
    lakedomains.name_domain(session, row.id, name, label=label, sensitive=sensitive, actor=actor)
    if settle:
        _settle(session, row, able, chosen, actor)
    return row


def _row(session: Session, found: ExamplePattern) -> LakeDomain:
    """The lake's domain of that pattern, if a survey found it; else a new one."""
    pattern = found.pattern or found.regex
    same = LakeDomain.view == found.kind, LakeDomain.pattern == pattern
    row = session.exec(select(LakeDomain).where(*same)).first()
    if row is not None and row.name is not None:
        raise UsageError(
            f"this pattern is the domain {row.name!r} already", remedy="see its columns, or forget its name"
        )
    return row or LakeDomain(view=found.kind, pattern=pattern, sentence=found.sentence, regex=found.regex)


def _settle(
    session: Session, row: LakeDomain, able: Mapping[int, tuple[str, str]], chosen: Sequence[Any], actor: str
) -> None:
    """Accept the tags of the ticked columns, and remember that the others are not of the domain."""
    tagged = select(Tag.id).where(Tag.domain == row.name, col(Tag.column_id).in_(chosen), Tag.status != "accepted")
    ids = list(session.exec(tagged.order_by(col(Tag.id))))
    if ids:
        review.decide(session, ids, "accepted", actor, "ticked when the domain was made")
    for column_id in sorted(key for key in able if key not in set(chosen)):
        if session.get(LakeColumn, column_id) is None:
            continue
        wanted = Tag.domain == row.name, Tag.column_id == column_id
        if session.exec(select(Tag.id).where(*wanted)).first() is not None:
            continue
        tag = Tag(column_id=column_id, domain=row.name or "", title=row.label or "", sensitive=row.sensitive)
        tag.status, tag.actor, tag.reason = "rejected", actor, NOT_TICKED
        session.add(tag)
        session.flush()
        item = audit.of_column(session, "tag", tag.id, column_id, tag.domain)
        audit.record(
            session,
            actor,
            "reject",
            item,
            before={"status": "proposed"},
            after={"status": "rejected"},
            reason=NOT_TICKED,
        )
