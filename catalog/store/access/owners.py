"""Who answers for sources, tables and columns. Each function takes a session and never commits.

An owner is a person or a team, by name. What has none of its own belongs to the owner of what holds it: a column to its
table's, a table to its source's. What has none at all falls to the default owner, a setting; it still counts as
unowned. Who was locked out answers for nothing any more: what he owned is as if he had not been named, until somebody
else is or he is let in again.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import case, func, null, or_, select
from sqlmodel import Session, col

from catalog.errors import NotFound, UsageError
from catalog.store.access import audit
from catalog.store.access.preferences import preference, set_preference
from catalog.store.engine import unreadable
from catalog.store.models import LakeColumn, Source, Table, User

MINE, UNOWNED = "mine", "unowned"
DEFAULT, TEAMS = "default_owner", "teams"
MOST_OWNER_NAME = 100  # characters; a bound
Owned = Source | Table | LakeColumn
OWNED: dict[str, type[Owned]] = {"source": Source, "table": Table, "column": LakeColumn}


@dataclass(frozen=True)
class Owner:
    """Who answers for something. `name`: None where nobody does. `given`: to a column, table or source, or by
    ``default``; empty where nobody is."""

    name: str | None
    given: str = ""

    @property
    def unowned(self) -> bool:
        """Whether nobody was named for it: the default owner, if there is one, answers."""
        return self.given in ("", "default")


def set_owner(
    session: Session, kind: str, item_id: int, owner: str | None, *, actor: str, reason: str | None = None
) -> Owner:
    """Name the owner of a source, table or column; nothing or an empty name leaves it to what holds it.

    Errors: `NotFound`, `UsageError` for a name that cannot be one, or of who was locked out.
    """
    row = _get(session, kind, item_id)
    name = named(owner)
    if name != row.owner:
        _demand_there(session, name)
    before, row.owner = row.owner, name
    session.flush()
    if before != row.owner:
        audit.record(
            session, actor, "own", _item(session, kind, row), before={"owner": before}, after={"owner": row.owner},
            reason=reason,
        )  # fmt: skip
    return owner_of(session, kind, item_id)


def named(owner: str | None) -> str | None:
    """The name as it is kept. Errors: `UsageError`.

    >>> named(" data-platform "), named(""), named(None)
    ('data-platform', None, None)
    """
    name = " ".join((owner or "").split())
    if len(name) > MOST_OWNER_NAME or unreadable(name) or not name.isprintable():
        raise UsageError(
            "that cannot name an owner", remedy=f"use a person's or team's name, at most {MOST_OWNER_NAME} letters"
        )
    if name.lower() in (MINE, UNOWNED):
        raise UsageError(f"{name!r} names no owner: lists are filtered by it", remedy="use a person's or team's name")
    return name or None


def owner_of(session: Session, kind: str, item_id: int) -> Owner:
    """Who answers for a source, table or column. Errors: `NotFound`."""
    row = _get(session, kind, item_id)
    if row.owner and row.owner not in gone(session):
        return Owner(row.owner, kind)
    if isinstance(row, LakeColumn):
        return owner_of(session, "table", row.table_id)
    if isinstance(row, Table):
        return owner_of(session, "source", row.source_id)
    name = default_owner(session)
    return Owner(name, "default") if name else Owner(None)


def owner_of_columns(session: Session, table_id: int, names: Sequence[str]) -> Owner:
    """Who answers for some columns of a table: their owner where they have one in common, else the table's."""
    query = select(col(LakeColumn.owner)).where(col(LakeColumn.table_id) == table_id, col(LakeColumn.name).in_(names))
    own = set(session.execute(query).scalars())
    if len(own) == 1 and (name := own.pop()) and name not in gone(session):
        return Owner(name, "column")
    return owner_of(session, "table", table_id)


def default_owner(session: Session) -> str | None:
    """Who answers for what nobody was named for."""
    return preference(session, DEFAULT)


def set_default_owner(session: Session, owner: str | None, *, actor: str) -> None:
    """Errors: `UsageError` for a name that cannot be one, or of who was locked out."""
    name = named(owner)
    _demand_there(session, name)
    set_preference(session, DEFAULT, name, actor=actor)


def _demand_there(session: Session, name: str | None) -> None:
    """What one owns who was locked out is as if nobody had been named, so nobody is named so."""
    if name in gone(session):
        raise UsageError(f"{name} is locked out and would answer for nothing", remedy="name somebody who is there")


def teams(session: Session) -> dict[str, list[str]]:
    """Teams and the names of their members."""
    return dict(sorted(preference(session, TEAMS, {}).items()))


def set_team(session: Session, name: str, members: Sequence[str], *, actor: str) -> None:
    """Who is in a team; nobody: there is no such team any more. What it owns it keeps. Errors: `UsageError`, also for
    the name of a person: what the team owns would be that person's, and nobody's when he is locked out."""
    team = named(name)
    if team is None:
        raise UsageError("a team needs a name", remedy="say what to call it")
    kept = sorted({one for member in members if (one := named(member))})
    if kept and session.execute(select(col(User.id)).where(col(User.name) == team)).first() is not None:
        raise UsageError(f"{team} is the name of a person with an account", remedy="call the team something else")
    others = {key: value for key, value in teams(session).items() if key != team}
    set_preference(session, TEAMS, others | ({team: kept} if kept else {}), actor=actor)


def names_of(session: Session, person: str) -> tuple[str, ...]:
    """A person's name and those of the teams he is in: what they own is his ("mine")."""
    return (person, *(team for team, members in teams(session).items() if person in members))


def gone(session: Session) -> frozenset[str]:
    """The names of people who were locked out."""
    return frozenset(session.execute(_locked()).scalars())


def _locked() -> Any:
    return select(col(User.name)).where(col(User.active).is_(False))


def _there(owner: Any) -> Any:
    """SQL: an owner; null for one who was locked out."""
    return case((owner.in_(_locked()), null()), else_=owner)


def of_table() -> Any:
    """SQL: the owner of a table, or of its source; null where nobody was named, or nobody who is still there."""
    return _of_table(_there)


def _of_table(seen: Callable[[Any], Any] = lambda owner: owner) -> Any:
    source = select(seen(col(Source.owner))).where(col(Source.id) == col(Table.source_id)).correlate(Table)
    return func.coalesce(seen(col(Table.owner)), source.scalar_subquery())


def tables_owned(wanted: str, who: Sequence[str] = ()) -> Any:
    """SQL: the tables that an owner answers for, or for a column of which he does. `wanted` is a name, ``unowned``, or
    ``mine``: what one of the names `who` owns."""
    if wanted == UNOWNED:
        return of_table().is_(None)
    names = list(who) if wanted == MINE else [wanted]
    columns = select(col(LakeColumn.table_id)).where(col(LakeColumn.owner).in_(names))
    return or_(of_table().in_(names), _of_table().in_(names), col(Table.id).in_(columns.correlate(None)))


def owners(session: Session) -> list[dict[str, Any]]:
    """Everybody who owns something or is in a team: ``{owner, members, sources, tables, columns, gone}``. Tables are
    those that `tables_owned` lists less those of single columns; columns those with an owner of their own. `gone`: the
    person was locked out, or everybody in the team."""
    found: dict[str, dict[str, Any]] = {}
    told = teams(session)
    counted = {
        "sources": select(col(Source.owner), func.count()).group_by(col(Source.owner)),
        "tables": _tables_by_owner(),
        "columns": select(col(LakeColumn.owner), func.count()).group_by(col(LakeColumn.owner)),
    }
    for name in told:
        found[name] = {"owner": name}
    for what, query in counted.items():
        for name, number in session.execute(query):
            if name:
                found.setdefault(name, {"owner": name})[what] = number
    blank, left = {"sources": 0, "tables": 0, "columns": 0}, gone(session)
    lines = [blank | found[name] | {"members": told.get(name, [])} for name in sorted(found)]
    return [
        one | {"gone": one["owner"] in left or (bool(one["members"]) and left >= set(one["members"]))} for one in lines
    ]


def _tables_by_owner() -> Any:
    """By the owner that was named, whether he is still there or not."""
    each = select(_of_table().label("owner")).subquery()
    return select(each.c.owner, func.count()).group_by(each.c.owner)


def known_names(session: Session) -> set[str]:
    """Everybody that the catalog knows: people with an account, teams and who is in them, owners of anything."""
    known = {one["owner"] for one in owners(session)} | {default_owner(session) or ""}
    known |= set(session.execute(select(col(User.name))).scalars())
    return known | {member for members in teams(session).values() for member in members}


def demand_known(session: Session, name: str) -> None:
    """Errors: `NotFound` for a name that nobody has: no person with an account, no team, no owner of anything."""
    known = known_names(session)
    if name not in known:
        nearest = difflib.get_close_matches(name, sorted(filter(None, known)), n=3, cutoff=0.6)
        remedy = f"say first what {name} owns (`assay owner set`) or who is in that team (`assay owner team`)"
        remedy = f"did you mean {' or '.join(nearest)}?" if nearest else remedy
        raise NotFound(f"nobody is called {name!r}: no person, no team, no owner of anything", remedy=remedy)


def count_unowned(session: Session) -> int:
    """Tables that nobody was named for who is still there, neither for their source."""
    return session.execute(select(func.count(col(Table.id))).where(of_table().is_(None))).scalar_one()


def _get(session: Session, kind: str, item_id: int) -> Owned:
    if kind not in OWNED:
        raise UsageError(f"a {kind} has no owner", remedy=f"name one of a {', '.join(OWNED)}")
    row: Any = session.get(OWNED[kind], item_id)
    if row is None:
        raise NotFound(f"there is no {kind} {item_id}", remedy="the page of its table or source shows its id")
    return row


def _item(session: Session, kind: str, row: Owned) -> audit.Item:
    if isinstance(row, LakeColumn):
        return audit.of_column(session, kind, row.id, row.id)
    if isinstance(row, Table):
        return audit.of_table(session, kind, row.id, row.id)
    return audit.Item(kind, row.id, row.name, row.name)
