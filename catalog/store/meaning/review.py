"""The review of proposed tags: what waits, in groups, and is decided together. Each function takes a session and never
commits.

General kinds (a code, a category) describe a column and wait for nobody. Columns that nobody knows are asked about by
the table. A tag that people decided on is not asked again, however often its column is tagged, unless its values are
recognised no more (`catalog.store.meaning.lost`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from sqlmodel import Session, col, func, select

from catalog.domains.domain import Domain
from catalog.domains.known import GENERIC, in_force
from catalog.errors import Held, NotFound, UsageError
from catalog.store.domains import lakedomains
from catalog.store.engine import chunks
from catalog.store.meaning.lost import LOST
from catalog.store.meaning.remembered import agreed, called, decided, tags_with_places
from catalog.store.meaning.tags import decide_tag
from catalog.store.models import GONE, AuditEvent, LakeColumn, Source, Table, Tag, TagEvent
from catalog.store.seen import demand_seen
from catalog.tags.discovery.sample import sample
from catalog.tags.privacy.figures import private_profile
from catalog.tags.privacy.levels import ABOUT, UNREVIEWED
from catalog.tags.review import Group, Proposed, Question, group, questions

#: What people decided, by domain and what columns are called (`catalog.store.meaning.remembered.decided`).
Past = Mapping[tuple[str, str], list[tuple[str, str]]]
#: Tags that one look takes into account; the next ones come up when these are decided; a bound of time.
MOST = 5000
#: What was done to a tag that has a status.
DONE_TO = {"proposed": "left {} open", "accepted": "accepted {}", "rejected": "rejected {}"}
#: Tables that are there: of what is gone nobody can look anything up, and it is asked when it is back.
THERE = col(Table.status).not_in(GONE)
#: What waits, but for columns that nobody knows.
OPEN = (Tag.status == "proposed", col(Tag.generic).is_(False), Tag.domain != ABOUT, THERE)


class Waiting(NamedTuple):
    """Everything that waits for a decision, in the order in which it is asked."""

    lost: list[tuple[Proposed, TagEvent]]
    unknown: list[Question]
    groups: list[Group]


def everything(session: Session, *, domain: str = "", source: str = "") -> Waiting:
    """What waits of a domain or source. Of lost tags, which are few and urgent, only whoever asks for all is told."""
    return Waiting(
        lost=[] if domain or source else lost(session),
        unknown=unknown(session, source=source) if domain in ("", ABOUT) else [],
        groups=waiting(session, domain=domain, source=source),
    )


def waiting(session: Session, *, domain: str = "", source: str = "") -> list[Group]:
    """Proposed tags that wait for a decision, in groups, those first that settle most."""
    query: Any = tags_with_places().where(*OPEN)
    if domain:
        query = query.where(Tag.domain == domain)
    if source:
        query = query.where(Source.name == source)
    rows = session.exec(query.order_by(Tag.domain, col(Tag.id)).limit(MOST)).all()
    past = decided(session, {(tag.domain, column.name) for tag, column, *_ in rows})
    return group(_proposed(row, past) for row in rows)


def count_waiting(session: Session) -> int:
    """How many tags wait for a decision."""
    of_table = select(func.count()).select_from(Tag).where(Tag.column_id == LakeColumn.id)
    return int(session.exec(of_table.where(LakeColumn.table_id == Table.id, *OPEN)).one())


def unknown(session: Session, *, source: str = "") -> list[Question]:
    """What is not known of the columns of tables of persons, one question a table, the likeliest to find much first."""
    query: Any = tags_with_places().where(Tag.status == "proposed", Tag.domain == ABOUT)
    query = query.where(LakeColumn.level == UNREVIEWED, THERE)  # not of what a person said the level
    if source:
        query = query.where(Source.name == source)
    rows = session.exec(query.order_by(col(Tag.score).desc(), col(Tag.id)).limit(MOST)).all()
    past = decided(session, {(tag.domain, column.name) for tag, column, *_ in rows})
    kinds: dict[int, str] = {}
    for part in chunks([column.id for _, column, *_ in rows]):
        described = select(Tag.column_id, Tag.domain, Tag.title).where(col(Tag.column_id).in_(part))
        ranked = described.where(Tag.domain != ABOUT, Tag.status != "rejected").order_by(col(Tag.score))
        kinds |= {key: title or domain for key, domain, title in session.exec(ranked)}
    return questions(_unknown(row, past, kinds) for row in rows)


def _unknown(row: Sequence[Any], past: Past, kinds: Mapping[int, str]) -> Proposed:
    """A column that nobody knows, with what may be told of its values."""
    _, column, *_ = row
    told = {"kind": kinds.get(column.id, column.type), "distinct": column.profile.get("distinct")}
    values = list(dict.fromkeys(one[0] for one in private_profile(column.profile).get("top") or []))
    one = _proposed(row, past)
    return one.model_copy(update={**told, "evidence": one.evidence | {"matching": values}})


def answer(
    session: Session, about: Sequence[int], others: Sequence[int], actor: str, reason: str = "", seen: str = ""
) -> list[int]:
    """Say which columns of a table are about the person that a row is, and which are not: values of these are shown,
    which needs a reason. Returns the events by which the answer can be undone. Errors: as of `decide`."""
    if not about and not others:
        raise UsageError("no column is answered for", remedy="name the columns that are, or are not, about the person")
    if both := set(about) & set(others):
        raise UsageError(f"{len(both)} columns are said to be both", remedy="name each column once")
    if others and not reason.strip():
        shown = f"{len(set(others))} columns" if len(set(others)) > 1 else "a column"
        raise UsageError(f"this shows values of {shown} that are hidden now", remedy="say why they may be seen")
    demand_as_seen(session, dict.fromkeys(about, "accepted") | dict.fromkeys(others, "rejected"), seen)
    made = decide(session, about, "accepted", actor, reason) if about else []
    return made + (decide(session, others, "rejected", actor, reason) if others else [])


def lost(session: Session) -> list[tuple[Proposed, TagEvent]]:
    """Accepted tags that the values of a later version do not bear out any more, and nobody has answered for since."""
    newest = select(func.max(TagEvent.id)).group_by(col(TagEvent.tag_id))
    query: Any = tags_with_places(TagEvent).join(TagEvent, col(TagEvent.tag_id) == col(Tag.id))
    query = query.where(col(TagEvent.id).in_(newest), TagEvent.what == LOST, Tag.status == "accepted", THERE)
    query = query.where(TagEvent.at > Tag.updated_at)
    return [(_proposed(row[:-1], {}), row[-1]) for row in session.exec(query.order_by(col(TagEvent.id)).limit(MOST))]


def decide(
    session: Session, tag_ids: Sequence[int], status: str, actor: str, reason: str = "", seen: str = ""
) -> list[int]:
    """Accept or reject tags together. Returns the events by which each can be undone.

    Errors: `NotFound`, `UsageError`, `Changed` where tags are not in the status in which they were `seen`; then nothing
    is decided.
    """
    if not tag_ids:
        raise UsageError("no column is chosen", remedy="tick those that the decision is about")
    demand_as_seen(session, dict.fromkeys(tag_ids, status), seen)
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


def demand_as_seen(session: Session, wanted: Mapping[int, str], seen: str) -> None:
    """Raise `Changed` where tags, by id with the status that each is to get, are in another one than they were `seen`
    in. Those that are as wanted already are no contradiction."""
    found = [tag for part in chunks(sorted(wanted)) for tag in session.exec(select(Tag).where(col(Tag.id).in_(part)))]
    others = [tag for tag in found if tag.status != wanted[tag.id]]
    said = Counter((tag.actor, tag.status) for tag in others if tag.status not in seen.split(", "))
    if said:
        what = "{} of these columns" if len(wanted) > 1 else "this tag"
        told = " and ".join(f"{who} {DONE_TO[to].format(what.format(n))}" for (who, to), n in sorted(said.items()))
        demand_seen(seen, ", ".join(sorted({tag.status for tag in others})), f"{told} meanwhile")


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

    Errors: `NotFound` for a domain that is not known, `UsageError` for a general kind, `Held`.
    """
    try:
        tag = tag_of(session, column, domain)
    except NotFound:
        known = domains(session)
        if domain in GENERIC and domain not in known:
            raise UsageError(
                f"{GENERIC[domain]} ({domain}) is a general kind: found where nothing particular is, never assigned",
                remedy="say what the values mean; `assay domain list` shows the domains",
            ) from None
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


def _proposed(row: Sequence[Any], past: Past) -> Proposed:
    tag, column, table_id, table, source = row
    said = past.get((tag.domain, called(tag.domain, column.name)), [])
    names = ("domain", "title", "score", "match_share", "sensitive", "contains", "evidence")
    where = {"column_id": column.id, "column": column.name, "table_id": table_id, "table": table, "source": source}
    told = {"tag_id": tag.id, "type": column.type, "remembered": said[0][1] if said else "", "answered": agreed(said)}
    return Proposed(**where, **told, **{name: getattr(tag, name) for name in names})
