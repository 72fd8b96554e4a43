"""The lake's common domains as the last survey found them, the names people gave them, and example columns to look for
their like. Each function takes a session and never commits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import update
from sqlmodel import Session, col, select

from catalog.domains.domain import Domain
from catalog.domains.known import GENERIC, KNOWN
from catalog.errors import NotFound, UsageError
from catalog.states.column import ColumnState
from catalog.states.encoding import decode
from catalog.states.table import merge_all
from catalog.store.access import audit
from catalog.store.access.approvals import hold
from catalog.store.engine import chunks
from catalog.store.meaning.tags import refresh_sensitive
from catalog.store.models import FileState, LakeColumn, LakeDomain, Table, Tag, now
from catalog.tags.discovery.discover import Discovered, as_domain
from catalog.tags.proposal import TagProposal

NAME = re.compile(r"[a-z][a-z0-9_]{1,59}")
#: Files whose states make an example of a column: the newest ones; more tell nothing new of its pattern; a bound of
#: time.
EXAMPLE_FILES = 20


def put_domains(session: Session, found: Sequence[Discovered], chances: Mapping[tuple[str, str], float]) -> None:
    """Make the lake's domains those found. Names stay; a named one that is found no more stays as such.

    `chances` are shares of the other columns' values that match, by (view, pattern).
    """
    present = {(one.view, one.pattern): one for one in session.exec(select(LakeDomain))}
    wanted = {(one.view, one.pattern): one for one in found}
    for key, row in present.items():
        if key not in wanted:
            if row.name is None:
                session.delete(row)
            else:
                row.found = False
    for key, one in wanted.items():
        row = present.get(key) or LakeDomain(view=one.view, pattern=one.pattern, sentence="", regex="")
        row.sentence, row.regex, row.coverage, row.tables = one.sentence, one.regex, one.coverage, one.tables
        row.impurity, row.domain, row.title = one.impurity, one.domain, one.title
        row.described = [[int(table), column] for table, column in one.described if table.isdecimal()]
        row.chance, row.found, row.found_at = chances.get(key, row.chance), True, now()
        session.add(row)
    session.flush()


def list_domains(session: Session, *, named: bool | None = None) -> list[LakeDomain]:
    """The lake's domains, those of most columns first."""
    query = select(LakeDomain)
    if named is not None:
        query = query.where(col(LakeDomain.name).is_not(None) if named else col(LakeDomain.name).is_(None))
    found = session.exec(query.order_by(col(LakeDomain.id))).all()
    return sorted(found, key=lambda one: (not one.found, -len(one.described), one.impurity, one.pattern))


def get_domain(session: Session, ref: str | int) -> LakeDomain:
    """The domain of that id or name. Errors: `NotFound`."""
    text = str(ref)
    by_id = session.get(LakeDomain, int(text)) if text.isdecimal() and int(text) < 2**31 else None
    found = by_id or session.exec(select(LakeDomain).where(LakeDomain.name == text)).first()
    if found is None:
        raise NotFound(f"no domain {text!r} was found in the lake", remedy="`assay index domains` lists them")
    return found


def name_domain(
    session: Session, ref: str | int, name: str, *, label: str = "", sensitive: bool = False, actor: str
) -> LakeDomain:
    """A person names a domain: the columns that it describes are tagged with it, now and at every crawl.

    Errors: `NotFound`, `UsageError` for a name that cannot be one, or is taken.
    """
    row = get_domain(session, ref)
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a domain", remedy="use small letters, digits and underscores")
    taken = session.exec(select(LakeDomain).where(LakeDomain.name == name, LakeDomain.id != row.id)).first()
    if taken is not None or name in KNOWN or name in GENERIC:
        raise UsageError(f"there is a domain {name!r} already", remedy="choose another name")
    before = _called(row)
    if row.sensitive and not sensitive:
        args = {"domain": row.id, "name": name, "label": label, "sensitive": sensitive}
        hold(session, "domain", args, audit.Item("domain", row.id, row.name or name), actor, "show values of")
    if row.name is not None and row.name != name:
        _rename(session, row.name, name)
    row.name, row.label, row.sensitive, row.actor = name, label.strip() or name.replace("_", " "), sensitive, actor
    row.named_at = now()
    session.flush()
    _tag(session, row)
    _record(session, "name", row, before, actor)
    return row


def _called(row: LakeDomain) -> dict[str, Any]:
    """What people say of a domain."""
    return {"name": row.name, "label": row.label, "sensitive": row.sensitive}


def _record(
    session: Session, action: str, row: LakeDomain, before: dict[str, Any], actor: str, reason: str = ""
) -> None:
    item = audit.Item("domain", row.id, row.name or before["name"] or "")
    audit.record(session, actor, action, item, before=before, after=_called(row), reason=reason)


def forget_name(session: Session, ref: str | int, *, actor: str | None = None, reason: str = "") -> LakeDomain:
    """Take a name back: its tags go, but for those that people decided on."""
    row = get_domain(session, ref)
    if row.name is None:
        raise UsageError(f"domain {ref} has no name", remedy="`assay index domains` shows which have")
    before, who = _called(row), actor or audit.actor_of(session)
    if row.sensitive:
        hold(session, "forget", {"domain": row.id}, audit.Item("domain", row.id, row.name), who, "forget", reason)
    _untag(session, row.name)
    row.name, row.label, row.sensitive, row.actor, row.named_at = None, None, False, None, None
    session.flush()
    _record(session, "forget", row, before, who, reason)
    return row


def named_domains(session: Session) -> list[Domain]:
    """The domains that people named, as what tags are proposed from."""
    return [
        as_domain(one.name or "", one.label or "", one.regex, chance=one.chance, sensitive=one.sensitive)
        for one in list_domains(session, named=True)
    ]


def column_state(session: Session, table_id: int, name: str) -> ColumnState | None:
    """A column as its table's newest files show it; None where nothing of it was scanned."""
    return _columns(session, table_id).get(name)


def string_states(session: Session, table_id: int) -> dict[str, ColumnState]:
    """The same of all a table's columns of strings."""
    return {name: state for name, state in _columns(session, table_id).items() if state.kind == "string"}


def _columns(session: Session, table_id: int) -> Mapping[str, ColumnState]:
    query = select(FileState.state).where(FileState.table_id == table_id, FileState.rows > 0)
    states = [decode(one) for one in session.exec(query.order_by(col(FileState.id).desc()).limit(EXAMPLE_FILES))]
    return merge_all(states).columns if states else {}


def tags_by_column(session: Session) -> dict[tuple[str, str], str]:
    """The best tag of each column, by (table id as text, column)."""
    query: Any = (
        select(LakeColumn.table_id, LakeColumn.name, Tag.domain)
        .join(Tag, col(Tag.column_id) == col(LakeColumn.id))
        .where(Tag.status != "rejected")
        .order_by(col(Tag.score))
    )
    return {(str(table), column): domain for table, column, domain in session.exec(query)}


def where(session: Session, pairs: Sequence[Sequence[Any]]) -> dict[tuple[str, str], tuple[int, int | None, str]]:
    """For each ``(table id, column)``, as texts: (table id, column id, table name); tables that are gone left out."""
    ids = sorted({int(one[0]) for one in pairs if str(one[0]).isdecimal()})
    names = dict(session.exec(select(Table.id, Table.name).where(col(Table.id).in_(ids))).all())
    columns = session.exec(
        select(LakeColumn.table_id, LakeColumn.name, LakeColumn.id).where(col(LakeColumn.table_id).in_(ids))
    )
    by_name = {(table, name): key for table, name, key in columns}
    return {
        (str(one[0]), str(one[1])): (int(one[0]), by_name.get((int(one[0]), str(one[1]))), names[int(one[0])])
        for one in pairs
        if str(one[0]).isdecimal() and int(one[0]) in names
    }


def _tag(session: Session, row: LakeDomain) -> None:
    """Propose the domain's tag on the columns it describes; a decision that a person made on one stays."""
    places = where(session, row.described)
    ids = [column for _, column, _ in places.values() if column is not None]
    tables = select(LakeColumn.id, Table.seen_version).where(col(LakeColumn.table_id) == col(Table.id))
    versions = dict(row for part in chunks(ids) for row in session.exec(tables.where(col(LakeColumn.id).in_(part))))
    present = {tag.column_id for tag in session.exec(select(Tag).where(Tag.domain == row.name))}
    evidence = {"pattern": row.regex, "in_words": row.sentence, "columns_with_it": row.coverage}
    evidence |= {"their_impurity": row.impurity, "named_by": row.actor}
    made = TagProposal(row.name or "", row.label or "", 0.9, 1.0 - row.impurity, row.sensitive, evidence)
    for column_id in ids:
        if column_id in present:
            continue
        values = {name: getattr(made, name) for name in ("domain", "title", "score", "match_share", "sensitive")}
        session.add(Tag(column_id=column_id, version=versions[column_id], **values, evidence=evidence))
    session.exec(update(Tag).where(col(Tag.domain) == row.name).values(title=row.label, sensitive=row.sensitive))
    session.flush()
    refresh_sensitive(session, sorted({*ids, *present}))


def _rename(session: Session, old: str, new: str) -> None:
    """A domain under another name is the same one: what was decided about its tags stays decided."""
    named = set(session.exec(select(Tag.column_id).where(Tag.domain == new)))
    for tag in session.exec(select(Tag).where(Tag.domain == old)).all():
        if tag.column_id in named:
            session.delete(tag)
        else:
            tag.domain = new
    session.flush()


def _untag(session: Session, name: str) -> None:
    tags = session.exec(select(Tag).where(Tag.domain == name)).all()
    for tag in tags:
        if tag.status == "proposed":
            session.delete(tag)
    session.flush()
    refresh_sensitive(session, [tag.column_id for tag in tags])
