"""Carrying a tag that a person accepted to columns that hold the same data. Functions take a session, never commit.

Columns hold the same data when nearly all values of one are among those of the other, told by the samples of hashed
values that their states keep: no value is read. Each column that is left out has its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlmodel import Session, col, select

from catalog.errors import NotFound, UsageError
from catalog.states.column import ColumnState
from catalog.store.access import audit
from catalog.store.domains import lakedomains
from catalog.store.meaning import review
from catalog.store.models import LakeColumn, Source, Table, Tag
from catalog.wording import counted

#: Least share of a column's sampled values that the tagged column has too, and least number of values sampled; chosen.
SAME, LEAST_VALUES = 0.9, 20


@dataclass(frozen=True)
class Spread:
    """What becomes of a column: ``carry`` the tag, or ``skip`` for a `reason`. `share` of its values are the same; None
    where that is not known."""

    column_id: int
    name: str
    what: str
    share: float | None = None
    reason: str = ""


def plan(session: Session, tag_id: int) -> list[Spread]:
    """Where a tag would be carried: every column of the same type, those that share most values first.

    Errors: `NotFound`, `UsageError` for a tag that nobody accepted, or whose column shows too few values.
    """
    tag = _tag(session, tag_id)
    if tag.status != "accepted" or tag.contains:
        raise UsageError("only a tag of a whole column that a person accepted is carried", remedy="accept it first")
    own = session.get_one(LakeColumn, tag.column_id)
    state = lakedomains.column_state(session, own.table_id, own.name)
    if state is None or len(state.distinct.hashes) < LEAST_VALUES:
        raise UsageError(
            f"column {own.name!r} shows too few values to be told from others", remedy="tag by its pattern"
        )
    said = {one.column_id: one for one in session.exec(select(Tag).where(Tag.domain == tag.domain))}
    query = select(LakeColumn, Table.name, Source.name).join(Table, col(Table.id) == LakeColumn.table_id)
    query = query.join(Source, col(Source.id) == Table.source_id)
    query = query.where(LakeColumn.type == own.type, LakeColumn.id != own.id).order_by(
        col(LakeColumn.table_id), col(LakeColumn.id)
    )
    out = []
    for column, table, source in session.exec(query):
        name = f"{source}/{table} {column.name}"
        out.append(_one(session, state, column, name, said.get(column.id)))
    return sorted(out, key=lambda one: (one.what != "carry", -(one.share or 0.0), one.name))


def _one(session: Session, state: ColumnState, column: LakeColumn, name: str, present: Tag | None) -> Spread:
    if present is not None and present.status != "proposed":
        who = f"{present.actor} {present.status} it there"
        return Spread(column.id, name, "skip", reason=who + (f" ({present.reason})" if present.reason else ""))
    distinct = column.profile.get("distinct")
    if distinct is not None and distinct < LEAST_VALUES:
        return Spread(
            column.id, name, "skip", reason=f"only {counted(distinct, 'different value')}, {LEAST_VALUES} needed"
        )
    other = lakedomains.column_state(session, column.table_id, column.name)
    share = None if other is None else shared(state, other)
    if share is None:
        return Spread(column.id, name, "skip", reason="too few of its values are known")
    if share < SAME:
        return Spread(column.id, name, "skip", share, f"{share:.0%} of its values are the same, {SAME:.0%} needed")
    return Spread(column.id, name, "carry", share)


def shared(state: ColumnState, other: ColumnState) -> float | None:
    """Estimated share of the distinct values of `other` that `state` has too; None where too few are sampled.

    Below the smaller threshold of the two both samples are complete, and uniform: the share there is an estimate.
    """
    below = np.uint64(min(state.distinct.threshold, other.distinct.threshold) - 1)
    mine, theirs = (one.distinct.hashes[one.distinct.hashes <= below] for one in (state, other))
    if len(theirs) < LEAST_VALUES:
        return None
    return float(np.isin(theirs, mine).mean())


def _tag(session: Session, tag_id: int) -> Tag:
    tag = session.get(Tag, tag_id)
    if tag is None:
        raise NotFound(f"no tag {tag_id}", remedy="the page of the table shows its tags")
    return tag


def carry(session: Session, tag_id: int, planned: Sequence[Spread], actor: str) -> list[int]:
    """Give the columns that are to carry a tag the same, accepted by `actor`. Returns the events of the audit log."""
    tag = _tag(session, tag_id)
    own = session.get_one(LakeColumn, tag.column_id)
    place = audit.of_column(session, "column", own.id, own.id).name
    made: list[int] = []
    for one in planned:
        if one.what != "carry":
            continue
        found = session.exec(select(Tag).where(Tag.domain == tag.domain, Tag.column_id == one.column_id)).first()
        if found is None:
            found = Tag(column_id=one.column_id, domain=tag.domain, title=tag.title, sensitive=tag.sensitive)
            found.score, found.match_share, found.generic = tag.score, one.share or 0.0, tag.generic
            found.evidence = {"same_values_as": place, "share": round(one.share or 0.0, 4)}
            session.add(found)
            session.flush()
        why = f"{one.share:.0%} of its values are those of {place}"
        made += review.decide(session, [found.id], "accepted", actor, why)
    return made
