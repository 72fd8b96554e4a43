"""A table with one version is watched from its second one on: by what healthy tables do, until its own past is long
enough."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.learners.series.limits import LEAST
from catalog.store.expectations import allowance
from catalog.store.lake import tables
from catalog.store.models import Incident, RuleRow

pytestmark = pytest.mark.spark


def _payments(seed: int, factor: float = 1.0) -> pa.Table:
    rng = np.random.default_rng(seed)
    amounts = np.round(rng.lognormal(3.5, 0.7, 300), 2)
    return pa.table(
        {
            "payment": [f"PAY-{seed:02}{number:05}" for number in range(300)],
            "amount": np.round(amounts * factor),
            "parts": rng.integers(1, 5, 300),
        }
    )


def test_numbers_are_watched_from_the_second_version_on(context: Context, tmp_path: Path) -> None:
    table = str(tmp_path / "lake" / "payments")
    write_deltalake(table, _payments(0))
    source = add_source(context, "lake", str(tmp_path / "lake")).id
    crawl_source(context, source)

    def incidents() -> list[Incident]:
        with context.reading() as session:
            return list(session.exec(select(Incident).where(Incident.status != "resolved")))

    def sentences() -> dict[str, str]:
        with context.reading() as session:
            found = session.exec(select(RuleRow).where(RuleRow.status == "active", RuleRow.learner == "history")).all()
            return {row.column_name or "*": row.sentence for row in found if row.kind in ("history", "volume")}

    assert {"amount", "parts", "*"} == sentences().keys(), "strings are told by their values"
    assert all("default range for a new table" in one for one in sentences().values())

    for seed in range(1, 3):
        write_deltalake(table, _payments(seed), mode="overwrite")
    crawl_source(context, source)
    assert incidents() == []

    write_deltalake(table, _payments(3, factor=100.0), mode="overwrite")
    crawl_source(context, source)
    told = [one for one in incidents() if one.column_name == "amount"]
    assert told
    assert any("100 times" in one.sentence for one in told), [one.sentence for one in told]

    for seed in range(4, 4 + 2 * LEAST):
        write_deltalake(table, _payments(seed), mode="overwrite")
        if seed % 5 == 0:
            crawl_source(context, source)
    crawl_source(context, source)
    with context.reading() as session:
        assert tables.get_table(session, "payments").judged_version == 3 + 2 * LEAST
    assert "as in its last" in sentences()["amount"]


def _orders(seed: int, shipped: float, **how: float) -> pa.Table:
    """Payments of which a share is shipped yet."""
    days = [float(day) if day < 300 * shipped else None for day in range(300)]
    return _payments(seed, **how).append_column("shipped", pa.array(days, pa.float64()))


@pytest.mark.parametrize("created", ["append", "overwrite"])
def test_what_the_first_load_taught_is_asked_of_the_first_append(
    context: Context, tmp_path: Path, created: str
) -> None:
    """However the table was created. How much comes at once the first load does not say: it may hold years; nor how
    many of what it holds of some rows only."""
    lake = tmp_path / "lake"
    second = {"wrong": _orders(1, 0.9, factor=1000.0), "few": _orders(1, 0.0).slice(0, 20)}
    for name in second:
        write_deltalake(str(lake / name), _orders(0, 0.9), mode=created)
    source = add_source(context, "lake", str(lake)).id
    crawl_source(context, source)
    for name, rows in second.items():
        write_deltalake(str(lake / name), rows, mode="append")
    crawl_source(context, source)

    def said(name: str) -> list[tuple[str, str]]:
        with context.reading() as session:
            of = tables.get_table(session, name).id
            found = session.exec(select(Incident).where(Incident.table_id == of, Incident.status != "resolved"))
            return [(one.column_name, one.level) for one in found]

    def volume(name: str) -> str:
        with context.reading() as session:
            of = tables.get_table(session, name).id
            row = select(RuleRow).where(RuleRow.table_id == of, RuleRow.kind == "volume", RuleRow.status == "active")
            return " ".join(one.sentence for one in session.exec(row))

    assert said("wrong") == [("amount", "error")]
    assert said("few") == []
    write_deltalake(str(lake / "wrong"), _orders(2, 0.9, factor=1000.0), mode="append")
    crawl_source(context, source)
    assert said("wrong") == [("amount", "error")], "nothing was learned from rows that were wrong"
    for seed in range(2, 5):
        write_deltalake(str(lake / "few"), _orders(seed, 0.0).slice(0, 20), mode="append")
        crawl_source(context, source)
    assert said("few") == []
    assert volume("few") != volume("wrong"), "the second load says how much comes at once"


def test_what_a_week_may_bring_is_changed_between_two_versions_of_a_running_service(
    context: Context, tmp_path: Path
) -> None:
    """What is beyond the budget only warns; with another budget, set by a person, the next such version alarms."""
    levels = []
    for name, allowed in (("few", 1e-9), ("many", None)):
        table = str(tmp_path / name / "payments")
        write_deltalake(table, _payments(0))
        source = add_source(context, name, str(tmp_path / name)).id
        crawl_source(context, source)
        with context.transaction() as session:
            allowance.allow_a_week(session, allowed, actor="ann")
        rows = _payments(1)
        far = pa.array([one * 12.0 for one in rows["amount"].to_pylist()])
        write_deltalake(table, rows.set_column(1, "amount", far), mode="overwrite")
        crawl_source(context, source)
        with context.reading() as session:
            found = session.exec(
                select(Incident).where(Incident.table_id == tables.get_table(session, f"{name}/payments").id)
            )
            levels.append({one.level for one in found if one.column_name == "amount"})
    assert levels == [{"warning"}, {"error"}]
