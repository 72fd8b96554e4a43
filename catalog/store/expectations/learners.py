"""Which learner a person chose for a table or for all tables of a source. Functions take a session and never commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from catalog.learners.registry import HISTORY, LEARNERS, OURS, STRINGS, Choice, chosen
from catalog.store.access import audit
from catalog.store.engine import chunks
from catalog.store.expectations.rules import end_rules
from catalog.store.lake.sources import get_source
from catalog.store.lake.tables import get_table
from catalog.store.models import RuleRow, Source, Table, now

AT = "at"  # when it was chosen: what its part had learned before is learned again


@dataclass(frozen=True)
class Chosen:
    """The learners of a table, by part (strings, history): a name with its settings, and where and when it was
    chosen."""

    choices: Mapping[str, Choice]
    by_source: frozenset[str]
    at: Mapping[str, datetime]

    def words(self) -> dict[str, str]:
        """By part, in words.

        >>> Chosen({"strings": Choice("fmdv", {"m": 5})}, frozenset({"strings"}), {}).words()
        {'strings': 'fmdv (m 5), as chosen for the source', 'history': 'ours'}
        """
        found = {}
        for part in (STRINGS, HISTORY):
            choice = self.choices.get(part)
            behind = ", as chosen for the source" if part in self.by_source else ""
            found[part] = f"{choice.words}{behind}" if choice else OURS + behind
        return found


def of_source(source: Source) -> Chosen:
    """What is chosen for a source."""
    return Chosen(chosen(source.learners or {}), frozenset(), {})


def learners_of(session: Session, table: Table) -> Chosen:
    """What is chosen for a table: by itself, else for its source."""
    source = session.get_one(Source, table.source_id)
    own, general = table.learners or {}, source.learners or {}
    told = {**general, **own}
    moments = {part: datetime.fromisoformat(one[AT]) for part, one in told.items() if AT in one}
    by_source = frozenset(part for part in told if part not in own and told[part].get("name") != OURS)
    return Chosen(chosen(told), by_source, moments)


def choose_for_table(session: Session, table_id: int, name: str, settings: Mapping[str, float]) -> Table:
    """Choose a learner for a table; `ours` takes the product's own again. The next crawl learns again what another
    learns then, from strings or from the past; the other rules stay as they are. Until then the product's own rules
    stay; those of a published learner that is not chosen any more end at once, as nobody wants them and learning may
    have to wait for the very version that they alarmed for.

    Errors: `NotFound`, `UsageError`.
    """
    table = get_table(session, table_id)
    general = session.get_one(Source, table.source_id).learners
    before, table.learners = table.learners, _with(table.learners, general, name, settings)
    session.flush()
    _end_unwanted(session, [table])
    _told(session, audit.of_table(session, "table", table.id, table.id or 0), before, name, settings)
    return table


def choose_for_source(session: Session, source_id: int | str, name: str, settings: Mapping[str, float]) -> Source:
    """The same for all tables of a source that have no choice of their own."""
    source = get_source(session, source_id)
    before, source.learners = source.learners, _with(source.learners, {}, name, settings)
    session.flush()
    _end_unwanted(session, _tables_of(session, source))
    _told(session, audit.Item("source", source.id, source.name, source.name, None), before, name, settings)
    return source


def _tables_of(session: Session, source: Source) -> Sequence[Table]:
    return session.exec(select(Table).where(Table.source_id == source.id)).all()


def _end_unwanted(session: Session, tables: Sequence[Table]) -> None:
    """End the rules of published learners that are not chosen for their tables."""
    query = select(RuleRow).where(col(RuleRow.learner).in_(list(LEARNERS)), col(RuleRow.status) != "superseded")
    wanted = {table.id: {one.name for one in learners_of(session, table).choices.values()} for table in tables}
    for part in chunks(list(wanted)):
        rows = session.exec(query.where(col(RuleRow.table_id).in_(part))).all()
        end_rules(session, [row for row in rows if row.learner not in wanted[row.table_id]])


def _with(
    stored: Mapping[str, Any] | None, general: Mapping[str, Any] | None, name: str, settings: Mapping[str, float]
) -> dict[str, Any]:
    """What is stored of a choice, where that was stored before, and the same of what holds without."""
    if name == OURS:
        if settings:
            Choice.of(name, settings)  # says that it has no settings
        told: dict[str, Any] = {part: {"name": OURS} for part in (STRINGS, HISTORY)}
        return _dated(told, {**(general or {}), **(stored or {})})
    choice = Choice.of(name, settings)
    one = {"name": choice.name, "settings": dict(choice.settings), AT: now().isoformat()}
    return {**(stored or {}), choice.learner.part: one}


def _dated(told: Mapping[str, Mapping[str, Any]], before: Mapping[str, Any]) -> dict[str, Any]:
    """Choices by part, made now where they are others than `before`: a part that stays is not learned again."""
    moment, found = now().isoformat(), {}
    for part, one in told.items():
        was = before.get(part, {"name": OURS})
        same = (one["name"], one.get("settings") or {}) == (was.get("name"), was.get("settings") or {})
        kept = {AT: was[AT]} if AT in was else {}
        found[part] = {**one, **(kept if same else {AT: moment})}
    return found


def _told(
    session: Session, item: audit.Item, before: Mapping[str, Any] | None, name: str, settings: Mapping[str, float]
) -> None:
    was = {part: {"name": one.get("name"), **one.get("settings", {})} for part, one in (before or {}).items()}
    audit.record(session, audit.actor_of(session), "learner", item, before=was, after={"learner": name, **settings})


def take_back(session: Session, kind: str, item_id: int, before: Mapping[str, Any]) -> None:
    """Choose for a table or source (`kind`) what an event of the audit log says was chosen before; of what nothing was
    chosen for, what holds for the table's source, else the product's own. The next crawl learns again. Errors:
    `NotFound`."""
    row: Table | Source = get_table(session, item_id) if kind == "table" else get_source(session, item_id)
    general = session.get_one(Source, row.source_id).learners if isinstance(row, Table) else None
    was = row.learners
    told = {part: (general or {}).get(part, {"name": OURS}) for part in (STRINGS, HISTORY)}
    for part, one in before.items():
        name, settings = (one, {}) if isinstance(one, str) else (one["name"], {k: one[k] for k in one if k != "name"})
        told[part] = {"name": name, "settings": settings}
    row.learners = _dated(told, {**(general or {}), **(was or {})})
    session.flush()
    _end_unwanted(session, [row] if isinstance(row, Table) else _tables_of(session, row))
    about = audit.of_table(session, kind, item_id, item_id) if kind == "table" else None
    named = " and ".join(dict.fromkeys(one["name"] for one in told.values()))
    _told(session, about or audit.Item(kind, item_id, row.name, row.name, None), was, named, {})
