"""What people decided of a tag is remembered for columns of the same name; what they answered for one that nobody knew,
for its family (`dx_1`, `dx_2`). Functions take a session, never commit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, func, select

from catalog.store.access import audit
from catalog.store.engine import chunks
from catalog.store.models import LakeColumn, Source, Table, Tag, now
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.review import family


def remember(session: Session, new: Mapping[int, set[str]]) -> list[int]:
    """Decide tags that were proposed just now ``{column id: domains}`` as people decided on columns of the same name.

    Only where all of them decided alike; and never a rejection that would show values. Returns the columns decided on.
    """
    columns = {
        one.id: one.name
        for part in chunks(sorted(new))
        for one in session.exec(select(LakeColumn).where(col(LakeColumn.id).in_(part)))
    }
    past = decided(session, {(domain, columns[key]) for key, domains in new.items() for domain in domains})
    done = []
    for key, domains in sorted(new.items()):
        of_column = {one: past.get((one, called(one, columns[key])), []) for one in sorted(domains)}
        alike = {one: said for one, said in of_column.items() if agreed(said)}
        if not alike:
            continue
        for tag in session.exec(select(Tag).where(Tag.column_id == key, col(Tag.domain).in_(alike))):
            said = alike[tag.domain]
            status = agreed(said)
            if tag.generic or tag.status != "proposed" or (status == "rejected" and tag.sensitive):
                continue
            before = {"status": tag.status}
            tag.status, tag.reason, tag.updated_at = status, f"as {said[0][1]}", now()
            item = audit.of_column(session, "tag", tag.id, key, tag.domain)
            action = "accept" if status == "accepted" else "reject"
            after = {"status": status}
            audit.record(session, audit.ASSAY, action, item, before=before, after=after, reason=tag.reason)
            done.append(key)
    session.flush()
    return done


def tags_with_places(*more: Any) -> Any:
    shown: Any = (Tag, LakeColumn, Table.id, Table.name, Source.name, *more)
    query: Any = select(*shown)
    query = query.join(LakeColumn, col(LakeColumn.id) == col(Tag.column_id))
    return query.join(Table, col(Table.id) == col(LakeColumn.table_id)).join(
        Source, col(Source.id) == col(Table.source_id)
    )


def called(domain: str, name: str) -> str:
    """What columns are called alike whose tags of a domain are decided alike."""
    return family(name) if domain == ABOUT else name.casefold()


def agreed(said: Sequence[tuple[str, str]]) -> str:
    """The status that all decisions gave; empty where there are none, or people disagree."""
    found = {status for status, _ in said}
    return found.pop() if len(found) == 1 else ""


def decided(session: Session, wanted: set[tuple[str, str]]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """By domain and what the column is `called`, what people decided: (status, words of who and where)."""
    names = sorted({name.casefold() for domain, name in wanted if domain != ABOUT})
    domains = sorted({domain for domain, _ in wanted} - {ABOUT})
    parts: list[Any] = [
        col(Tag.domain).in_(domains) & func.lower(LakeColumn.name).in_(part) for part in chunks(names) if domains
    ]
    if any(domain == ABOUT for domain, _ in wanted):  # families are not told apart in SQL
        parts.append(col(Tag.domain) == ABOUT)
    out: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for part in parts:
        query: Any = tags_with_places().where(col(Tag.status) != "proposed", col(Tag.actor) != audit.ASSAY, part)
        for tag, column, _, table, source in session.exec(query.order_by(col(Tag.updated_at).desc())):
            why = f" ({tag.reason})" if tag.reason else ""
            words = f"{tag.actor} {tag.status} it on {source}/{table} {column.name}{why}"
            out[tag.domain, called(tag.domain, column.name)].append((tag.status, words))
    return out
