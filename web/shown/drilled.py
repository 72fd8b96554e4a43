"""A table's last fire drill as figures: what was caught by column and kind of damage, and which clauses saw it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from catalog.store import runs
from catalog.store.models import Table
from catalog.store.pages import columns
from catalog.store.schemas.runs import RunOut
from web.drawing.history import words

Cells = dict[str, dict[str, list[int]]]  # row -> kind of damage -> [caught, tried]
MOST_CLAUSES = 16  # a bound of space


@dataclass(frozen=True)
class Drilled:
    """`cells` by column, `clauses` by clause in words; `ids` of the columns."""

    done: RunOut | None
    under_way: RunOut | None
    kinds: list[str]
    cells: Cells
    clauses: Cells
    ids: dict[str, int | None]

    def total(self, kind: str) -> list[int]:
        found = [row[kind] for row in self.cells.values() if kind in row]
        return [sum(one[0] for one in found), sum(one[1] for one in found)]


def drilled(session: Session, table: Table, column: str | None = None) -> Drilled:
    """The table's last fire drill (of one column only) and the one under way."""
    done, under_way = runs.last_of_table(session, table.id or 0, "drill")
    told, busy = (RunOut.made(one) if one is not None else None for one in (done, under_way))
    stats = done.stats if done else {}
    by_column = stats.get("by_column")
    cells: Cells = dict(by_column) if isinstance(by_column, dict) else {}
    if column is not None:
        cells = {name: row for name, row in cells.items() if name == column}
    kinds = list(dict.fromkeys(kind for row in cells.values() for kind in row))
    ids = {name: columns.column_id(session, table.id or 0, name) for name in cells}
    return Drilled(told, busy, kinds, cells, _clauses(stats.get("clauses"), cells), ids)


def _clauses(fired: Any, cells: Cells) -> Cells:
    """For each clause the damage of each kind that it saw, of that done to the columns which have it."""
    found: Cells = {}
    for column, kinds in fired.items() if isinstance(fired, Mapping) else ():
        if column not in cells:
            continue
        names = dict.fromkeys(name for counts in kinds.values() for name in counts)
        for name in names:
            row = found.setdefault(words(name), {})
            for kind, (_, tried) in cells[column].items():
                saw = row.setdefault(kind, [0, 0])
                saw[0] += kinds.get(kind, {}).get(name, 0)
                saw[1] += tried
    ordered = sorted(found.items(), key=lambda item: (-sum(saw for saw, _ in item[1].values()), item[0]))
    return dict(ordered[:MOST_CLAUSES])
