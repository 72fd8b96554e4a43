"""Distances from states against the same on raw values; stationarity against statsmodels."""

import random
import uuid
import warnings
from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.tsa.stattools import adfuller

from catalog.errors import StateError
from catalog.history import distances as d
from catalog.history import numbers
from catalog.history.series import TableMetrics, column_metrics, observe_metrics
from catalog.history.stationarity import adf_p_value
from catalog.papers.bounds import cantelli, chebyshev, clt
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold

SMALL = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=60)


def _weighted(values):
    found = np.unique(np.asarray(values, float), return_counts=True)
    return numbers.curve(found[0], found[1].astype(float))


@given(SMALL, SMALL)
@settings(max_examples=60, deadline=None)
def test_emd_and_ks_are_exact_on_exact_summaries(a, b):
    assert numbers.emd(_weighted(a), _weighted(b)) == pytest.approx(stats.wasserstein_distance(a, b))
    assert numbers.ks(_weighted(a), _weighted(b)) == pytest.approx(stats.ks_2samp(a, b, method="asymp").statistic)


@given(SMALL, SMALL)
@settings(max_examples=60, deadline=None)
def test_value_distances_equal_their_definitions(a, b):
    x, y = Counter(a), Counter(b)
    p = d.paired_counts(x, y)
    keys = sorted(x.keys() | y.keys())
    u, v = np.array([x[k] / len(a) for k in keys]), np.array([y[k] / len(b) for k in keys])
    assert d.l_1(p) == pytest.approx(np.abs(u - v).sum())
    assert d.l_inf(p) == pytest.approx(np.abs(u - v).max())
    assert d.cosine(p) == pytest.approx(1 - u @ v / np.sqrt((u @ u) * (v @ v)), abs=1e-12)
    assert d.chi_squared(p) == pytest.approx(((u - v) ** 2 / (u + v)).sum() / 2)
    assert d.new_values(p) == pytest.approx(sum(n for k, n in x.items() if k not in y) / len(a))
    assert 0 <= d.js_values(p) <= 1
    assert d.kl_values(p) >= 0


def test_distances_from_quantile_summaries_keep_to_the_rank_error():
    rng = np.random.default_rng(3)
    for shift in (0.0, 0.3, 2.0):
        a, b = rng.normal(0, 1, 20_000), rng.normal(shift, 1.3, 15_000)
        s, t = fold(pa.table({"x": a})).columns["x"], fold(pa.table({"x": b})).columns["x"]
        p, q = s.quantiles, t.quantiles
        exact = stats.ks_2samp(a, b).statistic
        error = p.error + q.error
        assert abs(numbers.ks(*numbers.curves(p, q)) - exact) <= error
        width = max(a.max(), b.max()) - min(a.min(), b.min())
        assert abs(numbers.emd(*numbers.curves(p, q)) - stats.wasserstein_distance(a, b)) <= error * width


def _standard_error(pairs):
    """Standard error of a sampled sum such as `l_1`: sqrt(sum (1 - pi) / pi^2 d^2), Horvitz-Thompson, pi = 1 /
    scale."""
    d = np.abs(pairs.current / max(pairs.n, 1) - pairs.previous / max(pairs.m, 1))
    return float(np.sqrt(np.sum(pairs.scale * (pairs.scale - 1) * d * d)))


def test_sampled_value_distances_stay_within_their_standard_error():
    rng = np.random.default_rng(4)
    for changed in (0.0, 0.1, 0.5):
        a = rng.permutation(20_000)
        b = np.where(rng.random(20_000) < changed, a + 1_000_000, a)
        s, t = (fold(pa.table({"x": v})).columns["x"] for v in (b, a))
        pairs = d.paired_values(s, t)
        exact = 2 * float((b != a).mean())
        assert abs(d.l_1(pairs) - exact) <= 4 * _standard_error(pairs) + 1e-9


def test_changes_of_the_bounds_of_a_shape_are_noticed():
    a = fold(pa.table({"x": [f"AB-{i:04d}" for i in range(1000)]}))
    b = fold(pa.table({"x": [f"AB-{i:04d}" for i in range(999)] + ["AC-0001"]}))
    assert observe_metrics(b, a).columns["x"]["Pat_wide"] == pytest.approx(1 / 7)
    assert observe_metrics(a, a).columns["x"]["Pat_wide"] == 0


def test_metrics_are_finite_and_absent_where_they_cannot_be_had():
    table = pa.table(
        {
            "n": pa.array([None, None], pa.float64()),
            "nan": [float("nan"), float("inf")],
            "s": pa.array([None, ""], pa.string()),
            "big": pa.array([2**63 - 1, -(2**63)], pa.int64()),
        }
    )
    state = fold(table)
    for previous in (None, state, fold(table.slice(0, 0))):
        metrics = observe_metrics(state, previous)
        assert all(np.isfinite(v) for m in metrics.columns.values() for v in m.values())
        assert "mean" not in metrics.columns["n"]
        assert metrics.columns["n"]["complete_ratio"] == 0
        assert TableMetrics.decode(metrics.encode()) == metrics


def test_damaged_metrics_are_a_state_error():
    data = TableMetrics(1, {"a": {"mean": 1.0}}).encode()
    for bad in (b"", b"\x07" + data[1:], data[:-3], data[:1] + b"xxxx"):
        with pytest.raises(StateError):
            TableMetrics.decode(bad)


def test_adf_tells_constants_and_short_series_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert adf_p_value(np.full(20, 7.0)) == 0.0
        assert adf_p_value([1.0, 2.0, 1.0]) == 1.0
        assert 0 <= adf_p_value([1.0, 2.0] * 10) <= 1
        walk = np.cumsum(np.random.default_rng(0).normal(size=60))
        assert adf_p_value(walk) == pytest.approx(adfuller(walk, autolag="AIC", result_object=False)[1])


def test_bounds_hold_on_samples():
    rng = np.random.default_rng(1)
    for sample in (rng.normal(size=50_000), rng.exponential(size=50_000), rng.uniform(size=50_000)):
        mu, sigma = sample.mean(), sample.std()
        for k in (1.5, 2, 3, 5):
            assert (np.abs(sample - mu) >= k * sigma).mean() <= chebyshev(k * sigma, sigma)
            assert (sample - mu >= k * sigma).mean() <= cantelli(k * sigma, sigma)
    normal = rng.normal(size=200_000)
    assert (np.abs(normal) >= 2).mean() == pytest.approx(clt(2, 1), abs=0.002)
    assert (chebyshev(1, 0), cantelli(1, 0), clt(1, 0)) == (0, 0, 0)


def _metrics_of(values, before=None):
    state = fold(pa.table({"x": values}))
    return observe_metrics(state, None if before is None else fold(pa.table({"x": before}))).columns["x"]


def test_magnitudes_and_decimals_tell_how_numbers_are_written():
    found = _metrics_of([1.5, 10.25, -100.0, 0.0])
    assert found["log_mean"] == pytest.approx((np.log10(1.5) + np.log10(10.25) + 2) / 3)
    assert found["decimals"] == pytest.approx(3 / 4)
    assert "log_mean" not in _metrics_of([0.0, 0.0, 5.0])  # one row in three would decide
    assert _metrics_of(["a", "abc", "ab"])["len_std"] == pytest.approx(np.std([1, 3, 2]))


def test_values_that_only_a_summary_lacks_make_no_divergence():
    """A summary stands for most values by their neighbours: these get no bins of their own."""
    rng = np.random.default_rng(0)
    now, before = (np.round(rng.lognormal(3, 1, 3000), 3) for _ in range(2))
    assert _metrics_of(now, before)["JS_div"] < 0.02
    assert _metrics_of(now * 3, before)["JS_div"] > 0.1
    heavy = np.where(rng.random(3000) < 0.3, 7.0, now)
    assert _metrics_of(heavy, np.where(rng.random(3000) < 0.3, 7.0, before))["JS_div"] < 0.02


def test_zeros_that_no_row_holds_are_not_made_up():
    rng = np.random.default_rng(1)
    values = np.concatenate((np.round(rng.normal(0, 30, 299), 3), [0.0]))
    assert _metrics_of(values)["zero_ratio"] <= 2 / 300


def test_distances_do_not_jump_where_values_are_no_longer_kept_one_by_one():
    """A column of 128 distinct values is kept value by value, one of 129 as a summary."""
    rng = np.random.default_rng(2)
    found = []
    for distinct in (120, 128, 129, 140):
        draws = [rng.integers(0, distinct, 4000) / 7 for _ in range(40)]
        pairs = [_metrics_of(now, before) for before, now in pairwise(draws)]
        found.append([np.mean([p[name] for p in pairs]) for name in ("KS_dist", "log_EMD", "JS_div")])
    assert (np.ptp(found, axis=0) <= [0.005, 0.004, 0.002]).all()


def test_a_column_that_walks_is_near_itself():
    """A summary's points of two batches that hold nearly the same are no bucket apart."""
    rng = np.random.default_rng(3)
    before = rng.lognormal(3, 1, 2000)
    found = _metrics_of(before * 1.001, before)
    assert found["KS_dist"] < 0.002
    assert found["JS_div"] < 1e-4
    assert found["log_EMD"] == pytest.approx(np.log10(1.001), rel=0.01)
    hit = rng.random(2000) < 0.1
    assert _metrics_of(np.where(hit, before * 10, before), before)["log_EMD"] == pytest.approx(hit.mean(), rel=0.05)


def test_a_value_that_came_with_a_sixth_of_the_rows_is_one_value() -> None:
    """It used to stand for as many as the sample left out if it was drawn, and for none if not."""
    for month in range(11, 17):
        draw = random.Random(month)
        days = [[reference(draw, month - ago) for _ in range(2500)] for ago in (1, 0)]
        before, now = (fold(pa.table({"x": one})).columns["x"] for one in days)
        p = d.paired_values(now, before)
        assert not p.exact
        true = sum(one not in set(days[0]) for one in days[1]) / 2500
        assert d.new_values(p) == pytest.approx(true, abs=0.08)
        assert d.l_1(p) == pytest.approx(2 * true, abs=0.16)


def reference(draw: random.Random, month: int) -> str:
    return draw.choice(
        [f"rent {month}", "salary", "power", "thanks", *(f"R {draw.randrange(10**7)}" for _ in range(2))]
    )


def test_forms_that_each_value_has_for_itself_are_not_compared() -> None:
    """Random identifiers: of thirty hardly any has the form of another."""
    rng = np.random.default_rng(7)

    def drawn() -> ColumnState:
        return fold(pa.table({"id": [str(uuid.UUID(bytes=rng.bytes(16))) for _ in range(30)]})).columns["id"]

    one, two = drawn(), drawn()
    assert not {name for name in column_metrics(two, one) if name.startswith("Pat_") and name != "Pat_wide"}
    codes = [fold(pa.table({"id": [f"A-{n}" for n in range(k, k + 30)]})).columns["id"] for k in (100, 130)]
    assert column_metrics(codes[1], codes[0])["Pat_new"] == 0
