# ruff: noqa: S608 - the SQL is made of our own paths
"""A column renamed where the table maps names is told as renamed, and its files are read under its new name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.flow.reading.states import States
from catalog.flow.watch import tick
from catalog.history.series import TableMetrics
from catalog.lake.logs.log import read_commits
from catalog.learners.schema import learn_schema
from catalog.rules.verdict import PASSED, VIOLATED, Batch
from catalog.settings import Settings
from catalog.states.table import TableState
from catalog.store.lake import tables, versions
from catalog.store.models import Version
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark


def make(spark: Any, uri: str) -> None:
    spark.sql(
        f"CREATE TABLE delta.`{uri}` (id BIGINT, amount DOUBLE, s STRUCT<a: INT, b: STRING>) USING delta "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    for start in range(0, 80, 20):
        frame = spark.range(start, start + 20, 1, 1).selectExpr(
            "id", "id * 1.5D AS amount", "named_struct('a', cast(id AS INT), 'b', 'x') AS s"
        )
        frame.write.format("delta").mode("append").save(uri)


def test_the_schema_rule_names_the_new_name(spark: Any, tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    make(spark, uri)
    rule = learn_schema([(commit.schema, None) for commit in read_commits(uri)])
    assert rule is not None
    spark.sql(f"ALTER TABLE delta.`{uri}` RENAME COLUMN amount TO price")
    spark.sql(f"ALTER TABLE delta.`{uri}` RENAME COLUMN s.a TO aa")
    spark.sql(f"ALTER TABLE delta.`{uri}` ADD COLUMN more STRING")
    commit = read_commits(uri)[-1]
    batch = Batch(commit.number, "none", TableState.empty(), None, commit.schema, commit.committed_at, [])
    verdict = rule.judge(batch)
    assert verdict.status == VIOLATED
    assert "'amount' was renamed to 'price'" in verdict.sentence
    assert "'s.a' was renamed to 's.aa'" in verdict.sentence
    assert "gone" not in verdict.sentence
    assert verdict.observed["added"] == ["more"]
    again = learn_schema([(commit.schema, None)])
    assert again is not None
    assert again.judge(batch).status == PASSED


def test_what_is_known_of_a_renamed_column_moves_along(spark: Any, spark_settings: Settings, tmp_path: Path) -> None:
    """Its id (and with it tags and what people said), and its files' states under the new name."""
    home = tmp_path / "home"
    home.mkdir()
    context = Context(spark_settings.model_copy(update={"home": home}))
    context.__dict__["spark"] = spark
    uri = str(tmp_path / "lake" / "t")
    make(spark, uri)
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id)
    with context.reading() as session:
        table = tables.get_table(session, "lake/t")
        before = {column.name: column.id for column in tables.list_columns(session, table.id)}
    spark.sql(f"ALTER TABLE delta.`{uri}` RENAME COLUMN amount TO price")
    spark.sql(f"INSERT INTO delta.`{uri}` VALUES (80, 120.0, named_struct('a', 80, 'b', 'x'))")
    crawl_tables(context, tick(context))
    with context.reading() as session:
        table = tables.get_table(session, "lake/t")
        after = {column.name: column for column in tables.list_columns(session, table.id)}
        said = [one for one, _ in find_outcomes(session, table_id=table.id, limit=1000).items]
        keys = versions.known_file_keys(session, table.id)
        known = session.exec(select(Version.metrics).where(Version.table_id == table.id))
        past = [set(TableMetrics.decode(data).columns) for data in known if data is not None]
    assert table.error is None
    assert len(past) == 5  # batches of the old name among them
    assert all(names == {"id", "price", "s.a", "s.b"} for names in past)
    assert after["price"].id == before["amount"]
    assert set(after) == {"id", "price", "s.a", "s.b"}
    assert any("'amount' was renamed to 'price'" in one.sentence for one in said)
    assert not any("is gone" in one.sentence for one in said)
    state = States(context, table.id).merged(keys)
    assert state is not None
    assert (state.rows, list(state.columns), state.columns["price"].nulls) == (81, ["id", "price", "s.a", "s.b"], 0)
    context.close()
