"""The tags of columns. Each function takes a session and never commits.

What a person decided outlives what Assay proposes again: a tag that was accepted or rejected is neither scored away nor
proposed again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, delete, or_, update
from sqlmodel import Session, col, select

from catalog.errors import NotFound, UsageError
from catalog.roles import UNMASK_SECRET, Forbidden
from catalog.store.access import audit
from catalog.store.access.approvals import hold
from catalog.store.engine import chunks, insert_new
from catalog.store.meaning.lost import BACK, LOST, moved, note
from catalog.store.meaning.privacy import follow
from catalog.store.meaning.remembered import remember
from catalog.store.models import LakeColumn, Table, Tag, now
from catalog.tags.privacy.inside import ALWAYS
from catalog.tags.privacy.levels import ABOUT, HIDDEN, SENSITIVITY_LEVELS, level_of, shows_more
from catalog.tags.proposal import TagProposal

PROPOSED = ("title", "score", "match_share", "sensitive", "generic", "contains", "evidence")
TAG_STATUSES = ("proposed", "accepted", "rejected")
DONE = {"proposed": "leave open", "accepted": "accept", "rejected": "reject"}
#: Tags that hide their column whole: those that are about it, and those about some of its values that no shape tells
#: from the others (names of persons), once a person accepted that it holds such.
WHOLE = or_(col(Tag.contains).is_(False), and_(col(Tag.status) == "accepted", col(Tag.domain).not_in(sorted(ALWAYS))))


@dataclass(frozen=True)
class TagChange:
    """What proposals would do to a tag: it ``comes``, ``goes``, is ``lost`` (a person accepted it, and it is told that
    the values do not bear it out), or ``back``."""

    column_id: int
    domain: str
    title: str
    sensitive: bool
    what: str


def changes(session: Session, proposals: Mapping[int, Sequence[TagProposal]]) -> list[TagChange]:
    """What `put_table_tags` would change about which tags there are; nothing is changed."""
    present, wanted = _present(session, proposals), _wanted(proposals)
    out = [
        TagChange(key[0], one.domain, one.title, one.sensitive, "comes")
        for key, one in wanted.items()
        if key not in present
    ]
    gone = {tag.id for tag in _gone(present, proposals)}
    by_id = {tag.id: tag for tag in present.values()}
    told = moved(session, by_id, {tag.id: key in wanted for key, tag in present.items()})
    lost = {key for key in told if by_id[key].status == "accepted"}
    for key, tag in present.items():
        if tag.id in gone | lost:
            what = "goes" if tag.id in gone else BACK if key in wanted else LOST
            out.append(TagChange(tag.column_id, tag.domain, tag.title, tag.sensitive, what))
    return out


def _present(session: Session, proposals: Mapping[int, object]) -> dict[tuple[int, str], Tag]:
    return {(tag.column_id, tag.domain): tag for part in chunks(sorted(proposals)) for tag in _tags(session, part)}


def _wanted(proposals: Mapping[int, Sequence[TagProposal]]) -> dict[tuple[int, str], TagProposal]:
    return {(key, one.domain): one for key in sorted(proposals) for one in proposals[key]}


def _gone(present: Mapping[tuple[int, str], Tag], proposals: Mapping[int, Sequence[TagProposal]]) -> list[Tag]:
    """The undecided tags that go since they are not proposed any more."""
    wanted = _wanted(proposals)
    hidden = {key for key, ones in proposals.items() if any(_holds(one) for one in ones)}
    return [
        tag
        for key, tag in present.items()
        if key not in wanted
        and tag.status == "proposed"
        and not (_holds(tag) and (tag.domain != ABOUT or tag.column_id not in hidden))
    ]


def put_table_tags(
    session: Session,
    proposals: Mapping[int, Sequence[TagProposal]],
    version: int,
    *,
    held: Collection[int] = (),
    suspect: Collection[int] = (),
) -> None:
    """Make Assay's proposals for these columns ``{column id: proposals}`` those given.

    A proposal that is there already is scored again; an undecided one that is not made any more goes, but one that
    makes its column sensitive: a bad batch is no reason to show values, and only a person takes such a tag away. That
    nobody knows what a column is goes when it is known to be sensitive. A tag that a person accepted, rejected or set
    keeps its status and actor; its score and evidence still follow the data. Columns that are `held` keep the tags that
    they have, but for what hides values: that is added at once. So do columns whose latest values are `suspect`, of
    which it is noted besides which accepted tags they no longer support: a bad batch is not what a column means.
    The columns' `sensitive` follows from their tags.
    """
    ids = sorted(proposals)
    present, wanted = _present(session, proposals), _wanted(proposals)
    free = {key: tag for key, tag in present.items() if tag.column_id not in held}
    note(session, {tag.id: tag for tag in free.values()}, {tag.id: key in wanted for key, tag in free.items()}, version)
    kept = {*held, *suspect}
    wanted = {key: one for key, one in wanted.items() if key[0] not in kept or (one.sensitive and key not in present)}
    gone = [tag.id for tag in _gone(free, proposals) if tag.column_id not in kept]
    for part in chunks(gone):
        session.exec(delete(Tag).where(col(Tag.id).in_(part)))
    new = []
    for (column_id, domain), one in sorted(wanted.items(), key=lambda item: item[0]):
        tag = present.get((column_id, domain))
        values = {name: getattr(one, name) for name in PROPOSED} | {"version": version}
        if tag is None:
            new.append({"column_id": column_id, "domain": domain, **values})
        elif any(getattr(tag, name) != value for name, value in values.items() if name != "version"):
            for name, value in values.items():
                setattr(tag, name, value)
            tag.updated_at = now()
    session.flush()
    if new:
        insert_new(session, Tag, new)
    came: dict[int, set[str]] = {}
    for one_new in new:
        came.setdefault(one_new["column_id"], set()).add(one_new["domain"])
    remember(session, came)
    refresh_sensitive(session, ids, {tag["column_id"] for tag in new if tag["contains"]})


def _holds(tag: Tag | TagProposal) -> bool:
    """Whether a tag keeps its column's values hidden."""
    return tag.sensitive and not tag.contains


def decide_tag(session: Session, tag_id: int, status: str, actor: str, reason: str | None = None) -> Tag:
    """A person accepts or rejects a tag (or takes that back: proposed). What shows values is decided with a `reason`
    only, which is kept. Errors: `NotFound`, `UsageError`.
    """
    tag = session.get(Tag, tag_id)
    if tag is None:
        raise NotFound(f"no tag {tag_id}", remedy="the page of the table shows its tags")
    if status not in TAG_STATUSES:
        raise UsageError(f"a tag cannot be {status!r}", remedy=f"use one of {', '.join(TAG_STATUSES)}")
    before = _standing(session, tag)
    why = (reason or "").strip()
    shown = (
        tag.sensitive and tag.status != "rejected" and (status == "rejected" or (status == "proposed" and opens(tag)))
    )
    if shown and not why:
        what = "rejecting" if status == "rejected" else "leaving open"
        raise UsageError(
            f"{what} {tag.title or tag.domain!r} shows values that are hidden now", remedy="say why they may be seen"
        )
    item = audit.of_column(session, "tag", tag.id, tag.column_id, tag.domain)
    if shown:
        hold(session, "tag", {"tag": tag_id, "status": status}, item, actor, DONE[status], why)
    shows = "rejected" in (status, tag.status)  # also inside values, where the column is as sensitive as before
    says = actor if status != "proposed" else tag.evidence.get("said_by") or audit.ASSAY  # nobody decided it any more
    level = session.get_one(LakeColumn, tag.column_id).level
    tag.status, tag.actor, tag.reason, tag.updated_at = status, says, why or None, now()
    session.flush()
    refresh_sensitive(session, [tag.column_id], [tag.column_id] if shows else [])
    column = session.get_one(LakeColumn, tag.column_id, populate_existing=True)
    demand_secrets(session, level, column.level)
    audit.record(session, actor, DONE[status], item, before=before, after=_standing(session, tag), reason=why)
    return tag


def demand_secrets(session: Session, before: str, after: str) -> None:
    """Raise `Forbidden` where somebody who may not see secret values makes others of them."""
    if shows_more(before, "personal") and shows_more(before, after) and not audit.may(session, UNMASK_SECRET):
        raise Forbidden("secret values would show, which your role does not see", remedy="ask an admin")


def opens(tag: Tag) -> bool:
    """Whether a tag on some values hides its column whole since it was accepted, so that leaving it open shows them."""
    return tag.sensitive and tag.contains and tag.domain not in ALWAYS and tag.status == "accepted"


def _standing(session: Session, tag: Tag) -> dict[str, Any]:
    """What is decided of a tag, and whether its column is hidden."""
    hidden = session.exec(select(LakeColumn.sensitive).where(LakeColumn.id == tag.column_id)).one()
    return {"status": tag.status, "sensitive": hidden}


def _tags(session: Session, column_ids: Sequence[int]) -> Sequence[Tag]:
    return session.exec(select(Tag).where(col(Tag.column_id).in_(column_ids))).all()


def decided_domains(session: Session, table_id: int) -> dict[str, dict[str, bool]]:
    """What people said of the columns of a table, leaf by leaf: the domains, and whether it is of them."""
    asked = select(LakeColumn.name, Tag.domain, Tag.status).where(
        LakeColumn.table_id == table_id, Tag.column_id == LakeColumn.id, Tag.status != "proposed",
        col(Tag.contains).is_(False),
    )  # fmt: skip
    found: dict[str, dict[str, bool]] = {}
    for name, domain, status in session.exec(asked):
        found.setdefault(name, {})[domain] = status == "accepted"
    return found


def tag_levels(session: Session, column_ids: Sequence[int]) -> dict[int, str]:
    """The level that each column has by its tags."""
    of_column = col(Tag.column_id).in_(column_ids), WHOLE, Tag.status != "rejected"
    domains: dict[int, set[tuple[str, str]]] = {}
    for key, *said in session.exec(select(Tag.column_id, Tag.domain, Tag.status).where(Tag.sensitive, *of_column)):
        domains.setdefault(key, set()).add((said[0], said[1]))
    return {key: level_of(domains.get(key, ())) for key in column_ids}


#: The id that a table's log gives it, by which it is the same under another source.
_TABLE_KEY = col(Table.properties)["id"].as_string()


def same_columns(session: Session, column_id: int) -> list[int]:
    """The same column of the same table, by the id that its log gives this, where other sources hold it as well."""
    own = select(LakeColumn.name, _TABLE_KEY).join(Table, col(Table.id) == LakeColumn.table_id)
    name, key = session.exec(own.where(LakeColumn.id == column_id)).one()
    there = select(LakeColumn.id).join(Table, col(Table.id) == LakeColumn.table_id)
    wanted = there.where(key == _TABLE_KEY, LakeColumn.name == name, LakeColumn.id != column_id)
    return list(session.exec(wanted)) if key else []


def _levels_elsewhere(session: Session, asked: Sequence[tuple[int, str, str]]) -> dict[int, str]:
    """The highest level that hides, of those that people gave the same columns ``(id, name, id of the table in its
    log)`` in other sources. What people said of columns is looked through, which is little, and no table."""
    if not asked:
        return {}
    said = select(LakeColumn.id, LakeColumn.name, _TABLE_KEY, col(LakeColumn.hand_level))
    said = said.join(Table, col(Table.id) == LakeColumn.table_id).where(col(LakeColumn.hand_level).in_(HIDDEN))
    given: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for other, name, key, level in session.exec(said.where(col(LakeColumn.name).in_([name for _, name, _ in asked]))):
        given.setdefault((name, key), []).append((other, level or ""))
    found: dict[int, str] = {}
    for column, name, key in asked:
        levels = [level for other, level in given.get((name, key), ()) if other != column]
        if levels:
            found[column] = max(levels, key=SENSITIVITY_LEVELS.index)
    return found


def refresh_sensitive(session: Session, column_ids: Sequence[int], touched: Collection[int] = ()) -> None:
    """Make columns as sensitive as a person said, or else as their tags, and no less than a person said of the same
    column of the same table in another source: a column is when one of its tags, not rejected, is, and hides it
    `WHOLE`. What is kept of columns that changed, and of those `touched`, follows."""
    changed, turned = set(touched), set[int]()
    for part in chunks(column_ids):
        by_tags = tag_levels(session, part)
        told = (LakeColumn.id, LakeColumn.sensitive, LakeColumn.level, col(LakeColumn.hand_level))
        query = select(*told, LakeColumn.name, _TABLE_KEY).join(Table, col(Table.id) == LakeColumn.table_id)  # type: ignore[call-overload]
        known = session.exec(query.where(col(LakeColumn.id).in_(part))).all()
        elsewhere = _levels_elsewhere(session, [(key, name, place) for key, *_, name, place in known if place])
        for key, level in elsewhere.items():
            by_tags[key] = max(by_tags[key], level, key=SENSITIVITY_LEVELS.index)
        values = []
        for key, was, level, by_hand, *_ in known:
            now_level = by_hand or by_tags[key]
            if (was, level) != (now_level in HIDDEN, now_level):
                values.append({"id": key, "sensitive": now_level in HIDDEN, "level": now_level})
                changed |= {key} if was != (now_level in HIDDEN) else set()
                turned |= {key} if now_level in HIDDEN and not was else set()
        if values:
            session.execute(update(LakeColumn), values)
    follow(session, sorted(changed), turned)
