"""Rows of many days that are written again are no day's rows; that they were written otherwise is seen all the same."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from sqlmodel import select

from catalog.cli.rules import check
from catalog.demo.lake import date_commit
from catalog.flow.checking.replaying import replay_version
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.store.lake import tables
from catalog.store.meaning import privacy
from catalog.store.models import Incident, now
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark

DAYS = 14
TODAY = now().replace(hour=2, minute=0, second=0, microsecond=0) - timedelta(days=DAYS + 2)


def orders(day: int, rows: int = 300) -> pa.Table:
    rng = np.random.default_rng([23, day])
    paid = pa.array([None if x < 0.2 else "yes" for x in rng.random(rows)])
    return pa.table({"order": range(rows * day, rows * (day + 1)), "amount": rng.uniform(5, 500, rows), "paid": paid})


def test_an_update_of_all_rows_is_judged_beside_the_rows_that_it_replaced(
    context: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "lake" / "orders")

    def updated(amount: str, where: str | None) -> int:
        DeltaTable(path).update(updates={"amount": amount}, predicate=where)
        number = DeltaTable(path).version()
        date_commit(Path(path), number, TODAY + timedelta(days=DAYS, minutes=number))
        crawl_tables(context, [table.id or 0])
        return number

    def violated(number: int) -> list[tuple[str, str]]:
        with context.reading() as session:
            found = find_outcomes(session, table_id=table.id, version=number, limit=100).items
        return [(rule.column_name, outcome.sentence) for outcome, rule in found if outcome.status == "violated"]

    for day in range(DAYS):
        write_deltalake(path, orders(day), mode="append")
        date_commit(Path(path), day, TODAY + timedelta(days=day))
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id or 0)
    with context.reading() as session:
        table = tables.every_table(session)[0]

    few = updated("amount + 1", "order % 50 = 0")
    assert violated(few) == []
    with context.reading() as session:
        said = find_outcomes(session, table_id=table.id, version=few, limit=100).items
        data, code = check._verdict(table, few, said, "error", privacy.hiding(session, table.id or 0))
    check._show(data, None)
    told = capsys.readouterr().out
    assert (code, ", 0 broken, " in told) == (0, True)
    assert "rules not applicable: The version rewrote rows that were there" in " ".join(told.split())
    wrong = updated("amount * 100", None)
    [(column, sentence)] = violated(wrong)
    assert column == "amount"
    assert "expected" in sentence
    with context.reading() as session:
        [incident] = session.exec(select(Incident).where(Incident.table_id == table.id)).all()
        said = find_outcomes(session, table_id=table.id, version=wrong, limit=100).items
    assert (incident.cause, "100 times" in incident.sentence) == ("scale", True)
    assert replay_version(context, table, wrong, said).same
    assert violated(updated("amount / 100", None)) == [], "what is put right breaks nothing"
