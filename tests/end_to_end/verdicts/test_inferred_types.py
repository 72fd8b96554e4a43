"""Types that a job infers from a handful of rows are no damage where values say nothing of them; a column that loses
all values with its type is."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.rules.verdict import PASSED, VIOLATED
from catalog.store.incidents import outcomes
from catalog.store.lake import tables
from catalog.store.models import Incident
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark

ROWS = 12


def fires(day: int, **columns: pa.Array) -> pa.Table:
    """A delivery: whole numbers that never lack, remarks that nobody has made yet, and what the day is about."""
    rows = {
        "number": pa.array([day * ROWS + row for row in range(ROWS)], pa.int64()),
        "remark": pa.nulls(ROWS, pa.string()),
        "acres": pa.array([row * 1.5 for row in range(ROWS)], pa.float64()),
        "people": pa.array([row * 2 for row in range(ROWS)], pa.int64()),
    }
    return pa.table(rows | columns)


def judged(context: Context, root: Path, source: int, table: pa.Table, version: int) -> tuple[str, str]:
    """Status and sentence of the rule on the schema for a version."""
    write_deltalake(str(root / "fires"), table, mode="overwrite", schema_mode="overwrite")
    crawl_source(context, source)
    with context.reading() as session:
        table_id = tables.get_table(session, "lake/fires").id or 0
        said = find_outcomes(session, table_id=table_id, version=version, limit=100).items
    return next((outcome.status, outcome.sentence) for outcome, rule in said if rule.kind == "schema")


def test_a_type_without_values_is_no_damage_and_one_inferred_of_numbers_once_it_was_called_right(
    context: Context, tmp_path: Path
) -> None:
    root = tmp_path / "lake"
    for day in range(8):
        write_deltalake(str(root / "fires"), fires(day), mode="overwrite")
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    first = pa.array([7, *[None] * (ROWS - 1)], pa.int64())
    assert judged(context, root, source, fires(8, remark=first), 8) == (
        PASSED, "All 4 columns are there with their types. Of another type, without values before or now: remark.",
    )  # fmt: skip
    assert judged(context, root, source, fires(9), 9)[0] == PASSED  # nothing once more
    texts = fires(10, number=pa.array([f"n{row}" for row in range(ROWS)]))
    assert judged(context, root, source, texts, 10) == (
        VIOLATED, "The schema changed: column 'number' was bigint and is string.",
    )  # fmt: skip
    lost = fires(11, number=pa.nulls(ROWS, pa.string()))
    assert judged(context, root, source, lost, 11)[0] == VIOLATED
    whole = fires(12, acres=pa.array(range(ROWS), pa.int64()))
    status, sentence = judged(context, root, source, whole, 12)
    assert (status, sentence) == (VIOLATED, "The schema changed: column 'acres' was double and is bigint.")
    with context.transaction() as session:
        table_id = tables.get_table(session, "lake/fires").id or 0
        query = select(Incident).where(Incident.table_id == table_id, Incident.status != "resolved")
        for one in session.exec(query).all():
            outcomes.resolve(session, one.id, "FalsePositive", actor="steward")
    halves = fires(13, people=pa.array([row + 0.5 for row in range(ROWS)], pa.float64()))
    assert judged(context, root, source, halves, 13)[0] == PASSED


def test_a_damaged_type_may_be_mended_in_silence_and_does_not_blind_what_looks_at_the_values(
    context: Context, tmp_path: Path
) -> None:
    root = tmp_path / "lake"
    for day in range(10):
        write_deltalake(str(root / "fires"), fires(day), mode="overwrite")
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    scaled = fires(10, people=pa.array([row * 5.08 for row in range(ROWS)], pa.float64()))
    assert judged(context, root, source, scaled, 10) == (
        VIOLATED, "The schema changed: column 'people' was bigint and is double.",
    )  # fmt: skip
    with context.transaction() as session:
        table_id = tables.get_table(session, "lake/fires").id or 0
        for one in session.exec(select(Incident).where(Incident.table_id == table_id)).all():
            if one.status != "resolved":
                outcomes.resolve(session, one.id, "OutOfBounds", actor="steward")
    assert judged(context, root, source, fires(11), 11)[0] == PASSED  # as it was before
    assert judged(context, root, source, fires(12, people=pa.nulls(ROWS, pa.int64())), 12)[0] == PASSED
    with context.reading() as session:
        said = find_outcomes(session, table_id=table_id, version=12, limit=100).items
    of_people = {rule.kind for outcome, rule in said if rule.column_name == "people" and outcome.status == VIOLATED}
    assert of_people == {"history"}
    texts = fires(13, people=pa.array([f"{row} persons" for row in range(ROWS)]))
    assert judged(context, root, source, texts, 13)[0] == VIOLATED
    assert judged(context, root, source, fires(14), 14)[0] == PASSED  # nobody answered, and it is mended
    assert judged(context, root, source, texts, 15)[0] == VIOLATED  # damaged once more
