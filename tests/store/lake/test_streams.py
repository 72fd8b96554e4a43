"""A table of many batches a day: what its rows are compared with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from singly import upsert_table
from sqlmodel import Session

from catalog.flow.reading.observe import restarted
from catalog.history.series import Past, TableMetrics, column_series, paced
from catalog.learners.series.history import learn_volume
from catalog.rules.verdict import PASSED, VIOLATED, Verdict
from catalog.store.lake import sources, versions

MONDAY, QUARTER, DAYS = datetime(2026, 1, 5, tzinfo=UTC), timedelta(minutes=15), 28


def _rows(at: datetime) -> float:
    """A sixth of the day's rows at night, and half of the week's on weekends."""
    hour = at.hour + at.minute / 60
    return 1000 * 6 ** (np.sin((hour - 9) / 24 * 2 * np.pi) / 2) * (0.5 if at.weekday() > 4 else 1.0)


@pytest.fixture
def past(db: Session) -> Past:
    """Four weeks of a quarter-hourly stream, up to Sunday midnight, as the catalog keeps them."""
    table = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "clicks", "/lake/clicks")
    rng = np.random.default_rng(7)
    told = []
    for number in range(DAYS * 96):
        at = MONDAY + number * QUARTER
        rows = TableMetrics(round(_rows(at) * np.exp(rng.normal(0, 0.08))))
        known = {"metrics": rows.encode(), "batch_rows": rows.rows}
        told.append({"number": number, "committed_at": at, "batch": "increment", **known})
    versions.record_versions(db, table.id, told)
    db.expire_all()
    return restarted(dict(versions.past_and_seasons(db, table.id, "increment", limit=90)), {})


def _judged(past: Past, times: float) -> Verdict:
    at = MONDAY + timedelta(days=DAYS)
    now = paced(TableMetrics(round(_rows(at) * times), at=at), past, QUARTER / timedelta(days=1))
    rule = learn_volume(past, 0.001)
    assert rule is not None
    return rule.judge_metrics(now.of_table(), column_series(past, None))


def test_a_stream_begins_its_week_as_it_did_the_weeks_before(past: Past) -> None:
    """On Monday at midnight twice as many rows come as on Sunday, and two fifths of them are too few."""
    assert _judged(past, 1.0).status == PASSED
    few = _judged(past, 0.4)
    assert (few.status, few.metric) == (VIOLATED, "shortfall")


def test_the_last_batches_alone_say_nothing_of_the_week(past: Past) -> None:
    assert _judged(past[-90:], 0.4).status == PASSED
