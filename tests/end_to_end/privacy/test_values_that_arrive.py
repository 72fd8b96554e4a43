"""Sensitive values that arrive in a column that is not masked are masked while they are there, in all that is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from deltalake import write_deltalake
from marked_lake import MARKS, visits
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.flow.rows.unmasking import incident_rows
from catalog.store.lake import tables
from catalog.store.meaning import levels, privacy
from catalog.store.models import Incident, Outcome

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def leaks(context: Context) -> list[tuple[str, str]]:
    """Marks in what the catalog keeps to be shown, by table and column."""
    meta = sqlalchemy.MetaData()
    meta.reflect(context.engine)
    found = []
    with context.engine.connect() as connection:
        for table in meta.sorted_tables:
            for column in table.columns:
                if not isinstance(column.type, sqlalchemy.LargeBinary) and (table.name, column.name) != (
                    "rule",
                    "body",
                ):
                    texts = " ".join(map(str, connection.execute(sqlalchemy.select(column)).scalars()))
                    found += [(f"{table.name}.{column.name}", mark) for mark in MARKS if mark in texts]
    return found


def test_values_that_arrive_are_masked_while_they_are_there(context: Context, tmp_path: Path) -> None:
    uri = str(tmp_path / "lake" / "visitors")
    for day in range(10):
        write_deltalake(uri, visits(day), mode="overwrite")
    source = add_source(context, "lake", str(tmp_path / "lake"))
    crawl_source(context, source.id)
    assert leaks(context) == []
    write_deltalake(uri, visits(10, bad=True), mode="overwrite")
    crawl_source(context, source.id)
    with context.reading() as session:
        table = tables.get_table(session, "visitors")
        incidents = session.exec(select(Incident).where(Incident.table_id == table.id)).all()
        kept = [row for one in session.exec(select(Outcome)) for row in one.rows or ()]
    assert {one.column_name for one in incidents} >= {"sex", "came_on", "gate"}
    assert any(row["came_on"] == "+99 99 9999 9999" for row in kept)  # rows are shown, masked
    assert leaks(context) == []
    with context.reading() as session:
        assert privacy.arrived(session, table.id) == {"sex": "personal", "came_on": "personal", "gate": "secret"}
        hide = privacy.hiding(session, table.id)
        assert hide.row({"came_on": "Lee", "gate": "x1", "hall": "west"}) == {
            "came_on": "Aaa", "gate": "a9", "hall": "west"
        }  # fmt: skip
    shift = next(one for one in incidents if one.column_name == "came_on")
    for allowed, seen in (((), False), (("personal",), True)):
        told = str(incident_rows(context, shift.id, allowed))
        assert ("4455 11" in told) is seen, told[:500]  # who may see personal values sees them here, too
    assert "secretpass" not in str(incident_rows(context, shift.id, ("personal",)))

    write_deltalake(uri, visits(11), mode="overwrite")
    crawl_source(context, source.id)
    assert leaks(context) == []
    with context.reading() as session:
        assert privacy.arrived(session, table.id) == {}  # the table holds them no more
        assert privacy.arrived(session, table.id, 10).keys() == {"sex", "came_on", "gate"}
        profiles: dict[str, Any] = {one.name: one.profile for one in tables.list_columns(session, table.id)}
        sex = tables.get_column(session, table.id, "sex").sensitive
    if not sex:
        assert {value for value, _ in profiles["sex"]["top"]} == {"male", "female"}


def test_what_a_person_says_of_a_column_counts(context: Context, tmp_path: Path) -> None:
    uri = str(tmp_path / "lake" / "visitors")
    for day in range(10):
        write_deltalake(uri, visits(day), mode="append")
    source = add_source(context, "lake", str(tmp_path / "lake"))
    crawl_source(context, source.id)
    write_deltalake(uri, visits(10, bad=True), mode="append")
    write_deltalake(uri, visits(11), mode="append")
    crawl_source(context, source.id)
    with context.transaction() as session:
        table = tables.get_table(session, "visitors")
        assert privacy.arrived(session, table.id).keys() >= {"came_on", "gate"}  # the rows are still there
        gate = tables.get_column(session, table.id, "gate")
        levels.set_level(session, gate.id, "internal", actor="ann", reason="test data")
        assert "gate" not in privacy.arrived(session, table.id)
        assert "gate" not in privacy.hiding(session, table.id).whole
