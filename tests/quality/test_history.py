"""False alarms and recall of rules from history: a shop, and the real series where present."""

import json
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog.history.series import column_metrics, observe_metrics
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.replayed import REPLAYED, Replayed
from catalog.rules.verdict import VIOLATED, Batch
from catalog.states.folding.fold import fold

WEEK = (1, 1.05, 1.1, 1.1, 1.3, 0.6, 0.5)


def _orders(
    day: int, rng: np.random.Generator, *, unit: float = 1, nulls: float = 0.0, form: str = "%Y-%m-%d"
) -> pa.Table:
    """A day of a shop: weekly cycle, growth, everything that real orders have."""
    n = int(rng.poisson(800 * WEEK[day % 7] * 1.01**day))
    when = date(2026, 1, 1) + timedelta(day)
    mails = [None if rng.random() < nulls else f"user{k}@mail{k % 7}.com" for k in rng.integers(1, 9000, n)]
    return pa.table(
        {
            "order_id": np.arange(day * 100_000, day * 100_000 + n),
            "customer": rng.integers(1, 5000, n),
            "amount": np.round(rng.lognormal(3, 1, n) * unit, 2),
            "quantity": rng.poisson(2, n) + 1,
            "country": rng.choice(["DE", "FR", "US", "IT", "ES"], n, p=[0.4, 0.25, 0.2, 0.1, 0.05]),
            "email": pa.array(mails, pa.string()),
            "sku": [f"SKU-{k:05d}" for k in rng.integers(1, 300, n)],
            "ordered": [when.strftime(form)] * n,
            "coupon": pa.array([None if x > 0.1 else f"C{int(x * 1000)}" for x in rng.random(n)], pa.string()),
            "at": [datetime(2026, 1, 1) + timedelta(days=day, seconds=int(s)) for s in rng.integers(0, 86_400, n)],
        }
    )


def learned(series, kinds, last, seen: Replayed) -> tuple[list[HistoryRule], Replayed]:
    """The rules that a past teaches and what its replays showed, which are made again when they are due, as crawls do:
    they cost several times what learning does."""
    own = Replayed(until=len(series)) if seen.is_due(len(series)) else seen
    rules = learn_history(series, kinds=kinds, unused=unused_in(last), budget=0.001, own=own)
    return rules, next((Replayed(*map(rule.evidence.get, REPLAYED)) for rule in rules), seen)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_shop_of_forty_days_raises_nothing_and_its_accidents_are_caught(seed):
    rng = np.random.default_rng(seed)
    states = [fold(_orders(day, rng)) for day in range(40)]
    series = [observe_metrics(s, states[i - 1] if i else None) for i, s in enumerate(states)]
    kinds = {name: column.kind for name, column in states[0].columns.items()}

    seen = Replayed()

    def broken(k: int, state) -> list[tuple[str | None, str]]:
        nonlocal seen
        rules, seen = learned(series[:k], kinds, states[k - 1], seen)
        batch = Batch(k, "increment", state, states[k - 1], [], datetime(2026, 1, 1, tzinfo=UTC), series[:k])
        verdicts = [(rule, rule.judge(batch)) for rule in rules]
        return [(rule.column, verdict.sentence) for rule, verdict in verdicts if verdict.status == VIOLATED]

    assert [found for k in range(7, 40) if (found := broken(k, states[k]))] == []
    for column, accident in {
        "amount": {"unit": 100.0},
        "email": {"nulls": 0.3},
        "ordered": {"form": "%d/%m/%Y"},
    }.items():
        assert column in {name for name, _ in broken(40, fold(_orders(40, rng, **accident)))}


@pytest.mark.slow
def test_clean_days_of_a_real_series_raise_next_to_nothing(data_dir):
    folder = data_dir / "histories" / "csse_us"
    window = json.loads((folder / "incidents.json").read_text())["clean_windows"][-1]
    tables = [pq.read_table(folder / f"{i:04d}.parquet") for i in range(window["start"], window["end"] + 1)]
    states = [fold(t) for t in tables]
    series = [observe_metrics(s, states[i - 1] if i else None) for i, s in enumerate(states)]
    assert column_metrics(states[1].columns["Deaths"], states[0].columns["Deaths"])
    kinds = {name: column.kind for name, column in states[0].columns.items()}
    pairs = alarms = 0
    seen = Replayed()
    for k in range(14, len(states)):
        rules, seen = learned(series[:k], kinds, states[k - 1], seen)
        batch = Batch(k, "snapshot", states[k], states[k - 1], [], datetime(2026, 1, 1, tzinfo=UTC), series[:k])
        alarms += sum(rule.judge(batch).status == VIOLATED for rule in rules)
        pairs += len(rules)
    assert pairs > 400
    assert alarms / pairs <= 0.005
