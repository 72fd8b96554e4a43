"""Tables with search and facets, and their versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import and_, case, exists, func, or_, select
from sqlalchemy.orm import defer
from sqlmodel import Session, col

from catalog.store.access import owners
from catalog.store.incidents.groups import leads
from catalog.store.models import Incident, LakeColumn, RuleRow, Source, Table, Tag, Version
from catalog.store.pages.cutting import Page, counts, cut, full_name, has
from catalog.store.pages.filters import OPEN, TABLE_STATUSES, one_of
from catalog.store.pages.lines import MOST_MATCHING, TableLine, spelt_out

LIGHT = defer(Version.metrics, raiseload=True)  # type: ignore[arg-type]  # encoded metrics are large, and not for lists


@dataclass(frozen=True)
class TableFilter:
    """What tables are asked for; empty fields ask nothing."""

    text: str = ""
    status: str = ""
    source: int | None = None
    tag: str = ""
    sensitive: bool = False
    level: str = ""
    open: bool = False
    sort: str = "name"
    owner: str = ""  # a name, "mine" (of the names `who`) or "unowned"
    who: tuple[str, ...] = ()


def _with_tag(*conditions: Any) -> Any:
    """Tables that have a column with such a tag, which nobody rejected."""
    found = (
        select(col(LakeColumn.table_id))
        .join(Tag, col(Tag.column_id) == col(LakeColumn.id))
        .where(col(Tag.status) != "rejected", *conditions)
    )
    return col(Table.id).in_(found.correlate(None))


def _with_column(*conditions: Any) -> Any:
    return col(Table.id).in_(select(col(LakeColumn.table_id)).where(*conditions).correlate(None))


def _spelt_out(word: str) -> list[Any]:
    """Tables that a word such as ``shop/orders`` or ``orders.email`` is of."""
    if not spelt_out(word):
        return []
    of_table, of_column = (has(name, word) for name in (full_name(), full_name(col(LakeColumn.name))))
    with_column = select(col(LakeColumn.table_id)).join(Table, col(Table.id) == col(LakeColumn.table_id))
    return [of_table, col(Table.id).in_(with_column.where(of_column).correlate(None))]


def _has_open() -> Any:
    return col(Table.id).in_(select(col(Incident.table_id)).where(col(Incident.status).in_(OPEN)).correlate(None))


def _table_conditions(wanted: TableFilter, leave_out: str = "") -> list[Any]:
    """The conditions of a filter, but one: a facet counts what the other conditions leave."""
    out: list[Any] = []
    for word in wanted.text.split()[:8]:
        name, column, domain, title = (has(one, word) for one in (Table.name, LakeColumn.name, Tag.domain, Tag.title))
        fits = [name, _with_column(column), _with_tag(or_(domain, title))]
        out.append(or_(*fits, *_spelt_out(word)))
    if wanted.status and leave_out != "status":
        out.append(col(Table.status) == wanted.status)
    if wanted.source is not None and leave_out != "source":
        out.append(col(Table.source_id) == wanted.source)
    if wanted.tag and leave_out != "tag":
        out.append(_with_tag(col(Tag.domain) == wanted.tag))
    if wanted.sensitive:
        out.append(_with_column(col(LakeColumn.sensitive).is_(True)))
    if wanted.level:
        out.append(_with_column(col(LakeColumn.level) == wanted.level))
    if wanted.open:
        out.append(_has_open())
    if wanted.owner and leave_out != "owner":
        out.append(owners.tables_owned(wanted.owner, wanted.who))
    return out


def find_tables(session: Session, wanted: TableFilter, limit: int = 50, offset: int = 0) -> Page:
    """Tables whose name, columns or tags contain every word, with what lists show of them (`TableLine`)."""
    orders = {
        "name": (col(Table.name), col(Table.id)),
        "rows": (col(Table.rows).desc(), col(Table.id)),
        "bytes": (col(Table.bytes).desc(), col(Table.id)),
        "changed": (col(Table.changed_at).desc().nulls_last(), col(Table.id)),
        "incidents": (case((_has_open(), 0), else_=1), col(Table.name), col(Table.id)),
    }
    one_of("status", wanted.status, TABLE_STATUSES)
    one_of("order", wanted.sort, orders)
    query = select(Table).where(*_table_conditions(wanted)).order_by(*orders.get(wanted.sort, orders["name"]))
    page = cut(session, query, limit, offset)
    found = _matching_columns(session, wanted.text, [table.id for table in page.items])
    lines = [replace(line, matching=found.get(line.table.id, [])) for line in table_lines(session, page.items)]
    return Page(lines, page.total, limit, offset)


def _matching_columns(session: Session, text: str, ids: Sequence[int | None]) -> dict[Any, list[Any]]:
    """By table, the first columns whose name holds a searched word, or that one is of."""
    words = text.split()[:8]
    fits: list[Any] = [has(LakeColumn.name, word) for word in words]
    whole, table = full_name(col(LakeColumn.name)), full_name()
    fits += [and_(has(whole, word), ~has(table, word)) for word in words if spelt_out(word)]
    out: dict[Any, list[Any]] = defaultdict(list)
    if words:
        query = select(col(LakeColumn.table_id), col(LakeColumn.id), col(LakeColumn.name))
        query = query.join(Table, col(Table.id) == col(LakeColumn.table_id))
        query = query.where(col(LakeColumn.table_id).in_(ids), or_(*fits)).order_by(col(LakeColumn.position))
        for table_id, column_id, name in session.execute(query):
            if len(out[table_id]) < MOST_MATCHING:
                out[table_id].append((column_id, name))
    return out


def table_lines(session: Session, tables: Sequence[Table]) -> list[TableLine]:
    ids = [table.id for table in tables]
    sources = {s.id: s.name for s in session.scalars(select(Source))}
    by_table = col(LakeColumn.table_id)
    columns = counts(session, select(by_table, func.count()).where(by_table.in_(ids)).group_by(by_table))
    of_rule = col(RuleRow.table_id)
    rules = counts(
        session,
        select(of_rule, func.count()).where(of_rule.in_(ids), col(RuleRow.status) == "active").group_by(of_rule),
    )
    of_incident = col(Incident.table_id)
    incidents = counts(
        session,
        select(of_incident, func.count())
        .where(of_incident.in_(ids), col(Incident.status).in_(OPEN), *leads(0))
        .group_by(of_incident),
    )
    tags: dict[int, list[str]] = defaultdict(list)
    found = (
        select(by_table, col(Tag.domain))
        .join(Tag, col(Tag.column_id) == col(LakeColumn.id))
        .where(by_table.in_(ids), col(Tag.status) != "rejected")
        .distinct()
        .order_by(by_table, col(Tag.domain))
    )
    for table_id, domain in session.execute(found):
        tags[table_id].append(domain)
    return [
        TableLine(
            t,
            sources.get(t.source_id, ""),
            columns.get(t.id, 0),
            rules.get(t.id, 0),
            incidents.get(t.id, 0),
            tags[t.id or 0],
        )
        for t in tables
    ]


def table_facets(session: Session, wanted: TableFilter, tags: int = 20) -> dict[str, list[tuple[Any, str, int]]]:
    """For each facet its values as (value, words, tables), counted under the filter's other conditions."""
    by_status = counts(
        session,
        select(col(Table.status), func.count()).where(*_table_conditions(wanted, "status")).group_by(col(Table.status)),
    )
    by_source = (
        select(Source, func.count(col(Table.id)))
        .join(Table, col(Table.source_id) == col(Source.id))
        .where(*_table_conditions(wanted, "source"))
        .group_by(col(Source.id))
        .order_by(col(Source.name))
    )
    count = func.count(col(LakeColumn.table_id).distinct())
    by_tag = (
        select(col(Tag.domain), func.max(col(Tag.title)), count)
        .join(LakeColumn, col(Tag.column_id) == col(LakeColumn.id))
        .join(Table, col(LakeColumn.table_id) == col(Table.id))
        .where(col(Tag.status) != "rejected", *_table_conditions(wanted, "tag"))
        .group_by(col(Tag.domain))
        .order_by(count.desc(), col(Tag.domain))
        .limit(tags)
    )
    return {
        "owner": _owner_facet(session, wanted),
        "status": [(status, status, by_status[status]) for status in TABLE_STATUSES if status in by_status],
        "source": [(source.id, source.name, n) for source, n in session.execute(by_source)],
        "tag": [(domain, title or domain, n) for domain, title, n in session.execute(by_tag)],
    }


def _owner_facet(session: Session, wanted: TableFilter, most: int = 12) -> list[tuple[str, str, int]]:
    """One's own, unowned, then the owners of most tables."""
    others = _table_conditions(wanted, "owner")
    of_me = select(func.count(col(Table.id))).where(*others, owners.tables_owned(owners.MINE, wanted.who))
    mine = (session.scalar(of_me) or 0) if wanted.who else 0
    each = select(owners.of_table().label("owner")).where(*others).subquery()
    found = counts(session, select(each.c.owner, func.count()).group_by(each.c.owner))
    bare = found.pop(None, 0)
    first = [(owners.MINE, "mine", mine)] if mine else []
    first += [(owners.UNOWNED, "unowned", bare)] if bare else []
    return first + [(name, name, n) for name, n in sorted(found.items(), key=lambda one: (-one[1], one[0]))[:most]]


def versions_of(session: Session, table_id: int, limit: int = 50, offset: int = 0) -> Page:
    """Versions of a table, newest first, without their encoded metrics."""
    query = select(Version).options(LIGHT).where(col(Version.table_id) == table_id).order_by(col(Version.number).desc())
    return cut(session, query, limit, offset)


def recent_versions(session: Session, table_id: int, limit: int = 90) -> list[Version]:
    """The last versions that made a batch, oldest first."""
    query = (
        select(Version)
        .options(LIGHT)
        .where(col(Version.table_id) == table_id, col(Version.batch) != "none")
        .order_by(col(Version.number).desc())
        .limit(limit)
    )
    return list(session.scalars(query))[::-1]


def measured_versions(session: Session, table: Table, limit: int = 90) -> list[tuple[int, str | None, bytes]]:
    """``(number, label, encoded metrics)`` of the last batches of the table's usual kind, oldest first."""
    query = (
        select(col(Version.number), col(Version.label), col(Version.metrics))
        .where(col(Version.table_id) == table.id, col(Version.batch) == table.mode, col(Version.metrics).is_not(None))
        .order_by(col(Version.number).desc())
        .limit(limit)
    )
    return [(number, label, metrics or b"") for number, label, metrics in session.execute(query)][::-1]


def version_of(session: Session, table_id: int, number: int) -> Version | None:
    """One version, or None."""
    query = select(Version).options(LIGHT).where(col(Version.table_id) == table_id, col(Version.number) == number)
    return session.scalars(query).first()


def neighbours(session: Session, table_id: int, number: int) -> tuple[int | None, int | None]:
    """The known versions just before and just after one."""
    mine = col(Version.table_id) == table_id
    before = select(func.max(col(Version.number))).where(mine, col(Version.number) < number)
    after = select(func.min(col(Version.number))).where(mine, col(Version.number) > number)
    return session.scalar(before), session.scalar(after)


def any_source(session: Session) -> bool:
    """Whether anything was registered yet."""
    return session.scalar(select(exists().where(col(Source.id).is_not(None)))) or False
