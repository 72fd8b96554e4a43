"""Values as they are in the lake, for somebody who may see them and says why: read afresh, kept nowhere.

What the catalog keeps is masked when it is written. Who may look is asked, and each look is written down, by whoever
hands the values on (`catalog.store.meaning.levels`).
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from catalog.errors import NotFound, UsageError
from catalog.flow.checking.replaying import replay_version
from catalog.flow.checking.saying import read_offenders
from catalog.flow.context import Context
from catalog.flow.declared.counting import whole_log
from catalog.lake.reading.rows import offending_rows
from catalog.store.incidents import causes, outcomes
from catalog.store.lake import tables
from catalog.store.meaning import privacy
from catalog.store.models import LakeColumn, Outcome

#: Values shown of a column, and rows looked through for them; bounds.
MOST_VALUES, LOOKED = 20, 400


def column_values(context: Context, column_id: int, levels: Collection[str]) -> dict[str, Any]:
    """The first different values of a column in the latest version, with those of `levels` as they are: JSON data with
    `table`, `version` and blocks of `rows`.

    Errors: `NotFound`, `TableError` of its table.
    """
    with context.reading() as session:
        column = session.get(LakeColumn, column_id)
        if column is None:
            raise NotFound(f"there is no column {column_id}", remedy="open its table and follow the link there")
        table = tables.get_table(session, column.table_id)
        hide = privacy.hiding(session, column.table_id, levels)
    observed = whole_log(context, table, table.seen_version - 1)
    info = observed.info
    spark = context.spark if info.reader != "files" else None
    there = {"null": False}
    rows = offending_rows(info, info.files, column.name, there, LOOKED, context.options, spark=spark)
    cells = [hide.cell(column.name, cell) for row in rows for cell in _cells(row, column.name)]
    different = list({json.dumps(cell, sort_keys=True): cell for cell in cells}.values())[:MOST_VALUES]
    block = _block(column.name) | {"rows": [{column.name: cell} for cell in different]}
    return {"table": table.name, "version": info.version, "blocks": [block]}


def _block(column: str | None, sentence: str = "") -> dict[str, Any]:
    """What is handed on of a column, or of a verdict about it; `why` there are no rows."""
    return {"column": column, "sentence": sentence, "rows": [], "why": ""}


def _cells(row: dict[str, Any], leaf: str) -> list[Any]:
    """The values of a leaf in a row: one, or those of the elements where it is inside a list.

    >>> _cells({"who": {"name": "Ann"}}, "who.name"), _cells({"a.b": 1}, "a.b"), _cells({"who": None}, "who.name")
    (['Ann'], [1], [None])
    >>> _cells({"who": [{"tags": ["a", "b"]}, {"tags": None}, {"tags": ["c"]}]}, "who[].tags[]")
    ['a', 'b', 'c']
    >>> _cells({"labels": [["lang", "de"]]}, "labels[].value")
    ['de']
    """
    if leaf in row:
        return [row[leaf]]
    for name, part in row.items():
        if leaf.startswith(name + "."):
            return _cells(part, leaf[len(name) + 1 :]) if isinstance(part, dict) else [None]
        if leaf.startswith(name + "[]"):
            return _elements(part, leaf[len(name) + 2 :])
    return [None]


def _elements(listed: Any, rest: str) -> list[Any]:
    """The values of a leaf in the elements of a list; an entry of a map is a key and a value."""
    found: list[Any] = []
    for one in listed if isinstance(listed, list) else ():
        if rest.startswith("[]"):
            found += _elements(one, rest[2:])
        elif rest:
            entry = dict(zip(("key", "value"), one, strict=True)) if isinstance(one, list) else one
            found += _cells(entry, rest[1:]) if isinstance(entry, dict) else [None]
        else:
            found.append(one)
    return found


def incident_rows(context: Context, incident_id: int, levels: Collection[str]) -> dict[str, Any]:
    """The rows that the verdicts of an incident's first bad version point at, with values of `levels` as they are: JSON
    data with `table`, `version` and a block of `rows` for each verdict, or the reason `why` there are none.

    The rules judge that version again, since what is kept of their verdicts tells no value.

    Errors: `NotFound`, `UsageError` where no verdict points at rows, `TableError`.
    """
    with context.reading() as session:
        incident = causes.lead_of(session, outcomes.get_incident(session, incident_id))
        first = session.get_one(Outcome, incident.outcome_id)
        told = causes.details(session, incident)
        said = [(one, rule) for one, rule in told if one.version == first.version and one.rows]
        table = tables.get_table(session, incident.table_id)
        hide = privacy.hiding(session, incident.table_id, levels, first.version)
        plain = hide.seen({"personal", "secret"}, ())
    if not said:
        raise UsageError(f"incident {incident_id} points at no rows", remedy="its page says what the rules saw")
    replay = replay_version(context, table, first.version, said, plain)
    blocks = []
    for one in replay.again:
        block = _block(one.row.column_name, one.outcome.sentence)
        if one.verdict is None or not one.verdict.offenders:
            block["why"] = one.why or "the verdict points at no rows now"
        else:
            keys = replay.plan.keys
            found = read_offenders(context, replay.observed, replay.plan, keys, one.row, one.verdict)
            block["rows"] = [hide.row(row) for row in found]
        blocks.append(block)
    return {"table": table.name, "version": first.version, "blocks": blocks}
