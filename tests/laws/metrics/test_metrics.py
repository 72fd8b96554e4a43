"""One registry of metrics: what is computed of one state or of two is in it, once, and means the same everywhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from catalog.history.series import TableMetrics, column_metrics, observe_metrics, paced
from catalog.learners.keys import is_code
from catalog.metrics import registry
from catalog.metrics.registry import JUDGED, METRICS, reveals
from catalog.rules.clauses.band import BandClause
from catalog.rules.replaced.figures import with_changes
from catalog.rules.verdict import Batch
from catalog.states import metrics as computing
from catalog.states.folding.fold import fold
from catalog.states.metrics import bounds, metrics
from catalog.states.table import TableState

START = datetime(2026, 1, 1)
NAN = float("nan")


def table(shift: int) -> TableState:
    n = 400
    return fold(
        pa.table({
            "number": [float((i * 7 + shift) % 90) / 4 for i in range(n)],
            "holes": [1.0, 1.0, NAN, None] * (n // 4),
            "text": [f"{'ab' if i % 3 else 'CD'}-{i * 37 % 1000 + shift}" for i in range(n)],
            "digits": [str(i * 13 % 500 + shift) for i in range(n)],
            "moment": [START + timedelta(hours=7 * i + shift) for i in range(n)],
            "later": [START + timedelta(hours=7 * i + 30) for i in range(n)],
            "flag": [i % 3 == 0 for i in range(n)],
            "items": [[i] * (i % 4) for i in range(n)],
        })
    )  # fmt: skip


ONE, TWO = table(0), table(3)
SERIES = paced(observe_metrics(TWO, ONE), [observe_metrics(TWO, ONE)] * 9, 1.0)


def test_everything_computed_is_registered_and_everything_registered_computed() -> None:
    computed = {name for column in TWO.columns.values() for name in metrics(column)}
    computed |= {name for column in SERIES.columns.values() for name in column} | set(SERIES.of_table())
    now, before = (fold(pa.table({"x": rows})) for rows in ([1, 2], [1, 2, 3]))
    rewrite = Batch(1, "rewrite", now, before, [], datetime(2026, 1, 1, tzinfo=UTC), whole=now)
    kept = with_changes(TableMetrics(2, {"x": {}}), rewrite)
    computed |= {*kept.columns["x"], *kept.table}
    said = {"nonconforming", "seconds_to_next_version"}  # by rules that compare no batches
    assert computed - METRICS.keys() == set()
    assert METRICS.keys() - computed - said == set()


def test_a_metric_without_a_computation_is_noticed_and_the_other_way_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe of CONTRIBUTING.md rests on this: forgetting either half fails the test above."""
    monkeypatch.setitem(METRICS, "capital_ratio", registry.Metric("share of values in capitals", unit="share"))
    with pytest.raises(AssertionError, match="capital_ratio"):
        test_everything_computed_is_registered_and_everything_registered_computed()
    monkeypatch.delitem(METRICS, "capital_ratio")
    monkeypatch.delitem(METRICS, "uniqueness")
    with pytest.raises(AssertionError, match="uniqueness"):
        test_everything_computed_is_registered_and_everything_registered_computed()


@pytest.mark.parametrize("column", list(TWO.columns))
def test_a_metric_means_the_same_in_a_profile_and_in_a_series(column: str) -> None:
    told, series = metrics(TWO.columns[column]), column_metrics(TWO.columns[column], None)
    assert series
    assert series.items() <= told.items()
    assert series.items() <= SERIES.columns[column].items()


def test_a_metric_of_one_state_is_computed_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is computed there and registered is in profiles and, of the kinds that it names, in series: nothing else has
    to be told of it. What is computed there alone decides what a series says."""
    shout = registry.Metric("share of values in capitals", unit="share", series=frozenset({"string"}))
    monkeypatch.setitem(METRICS, "capital_ratio", shout)
    monkeypatch.setattr(computing, "COMPUTED", (lambda state: iter([("capital_ratio", 0.5)]),))
    for name, state in TWO.columns.items():
        assert metrics(state) == {"capital_ratio": 0.5}
        assert column_metrics(state, None) == ({"capital_ratio": 0.5} if name in ("text", "digits") else {})


def test_shares_with_nan_are_of_the_rows_that_are_not_null() -> None:
    holes = metrics(TWO.columns["holes"])
    assert holes["top_ratio"] == SERIES.columns["holes"]["top_ratio"] == pytest.approx(2 / 3)
    assert bounds(TWO.columns["holes"]) == {}


def test_times_are_in_days() -> None:
    days = (START - datetime(1970, 1, 1)).days
    assert metrics(TWO.columns["moment"])["min"] == pytest.approx(days + 3 / 24)


def test_what_a_rule_may_ask_for_has_a_resolution_and_what_tells_a_value_is_hidden() -> None:
    assert all(m.resolution or m.relative or m.spread or m.length for m in JUDGED.values())
    clauses = {name: BandClause(name, low=1.0, high=2.0) for name in JUDGED}
    assert {name for name, clause in clauses.items() if "hidden" in clause.sentence(private=True)} == {
        name for name in JUDGED if reveals(name)
    }


@pytest.mark.filterwarnings("error")
def test_numbers_without_end_are_measured_in_silence() -> None:
    """What numpy warns of goes to the terminal of a crawl, where pipelines take it for a failure."""

    def batch(seed: int) -> TableState:
        drawn = np.random.default_rng(seed).normal(1000.0, 30.0, 60)
        drawn[:5], drawn[5:8], drawn[8] = np.inf, -np.inf, np.nan
        return fold(pa.table({"amount": drawn, "order_id": np.floor(drawn), "single": drawn.astype("float32")}))

    before, after = batch(1), batch(2)
    found = observe_metrics(after, before).columns
    assert 0 < found["amount"]["EMD"] < 30  # those without end are as many as before
    assert not is_code("order_id", after.columns["order_id"], ())
