"""What rules from history do with constant, weekly, growing, short and gappy series; no data folder needed."""

import json
import math
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from learned import batch_of, learn, status_of, volume, with_rows
from past import observed

from catalog.checks.drill import backtest, drill, replay_learner
from catalog.history.series import TableMetrics, column_series, observe_metrics
from catalog.learners.series.bands import stated, strictness
from catalog.learners.series.history import column_budget, learn_column, learn_history, learn_volume, unused_in
from catalog.learners.series.limits import LEAST
from catalog.metrics.registry import METRICS
from catalog.rules.clauses.band import BandClause
from catalog.rules.deviation import Deviation, furthest, pooled
from catalog.rules.kinds.history import VolumeRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Batch
from catalog.states.folding.fold import fold


def test_a_constant_number_of_rows_may_end_by_a_row_but_not_by_half():
    rows = [50] * 30
    rule = volume(rows)
    assert with_rows(rule, rows, 50) == PASSED
    assert with_rows(rule, rows, 51) == PASSED
    assert with_rows(rule, rows, 10) == VIOLATED
    assert with_rows(rule, rows, 0) == VIOLATED
    assert with_rows(rule, rows, 500) == VIOLATED


def test_a_band_of_rows_ends_at_whole_rows():
    """Two rows are not too few where 2.001 are expected."""
    clause = BandClause("row_count", center=4.5, low=2.001, high=7.083)
    rule = VolumeRule("volume", None, {"clauses": [clause.to_json()], "batches": 9}, 0.001, "", "history")
    assert [with_rows(rule, [4], rows) for rows in (1, 2, 8, 9)] == [VIOLATED, PASSED, PASSED, VIOLATED]
    told = rule.judge_metrics({"row_count": 1.0}, []).sentence
    assert "expected 2 to 8" in told
    assert clause.sentence() == "2 to 8 rows"
    step = BandClause("row_count", lag=1, center=4.0, low=-3.347, high=20.65)
    assert step.sentence() == "at most 4 fewer or 21 more rows than in the batch before"
    grown = VolumeRule("volume", None, {"clauses": [step.to_json()], "batches": 9}, 0.001, "", "history")
    assert "expected 96 to 121" in grown.judge_metrics({"row_count": 95.0}, [{"row_count": 100.0}]).sentence


def test_rows_hardly_beyond_their_band_have_a_chance_and_rows_far_beyond_are_always_told():
    clause = BandClause("row_count", center=2700.0, low=2508.0, high=2900.0)
    twice = BandClause("duplicate_ratio", center=0.0, high=0.1)
    params = {"clauses": [clause.to_json(), twice.to_json()], "batches": 30}
    rule = VolumeRule("volume", None, params, 0.001, "", "history")
    chances = [rule.judge_metrics({"row_count": rows}, []).p_value for rows in (2505.0, 2490.0, 1250.0, 2910.0, 4000.0)]
    assert [p is None for p in chances] == [False, True, True, False, True]
    assert rule.judge_metrics({"row_count": 2505.0, "duplicate_ratio": 0.5}, []).p_value is None
    assert rule.judge_metrics({"row_count": 2600.0, "duplicate_ratio": 0.5}, []).p_value is None


def test_a_band_of_counts_that_all_aspects_make_narrower_ends_at_whole_ones():
    """Of whole numbers 309.2 to 313.7 are 310 to 313: so it is said, and what is 314 is beyond it."""
    band = Deviation("dist_val_count", 314.0, 306.0, 317.0, 2.5 / 5.5 - 1, 311.5)
    other = Deviation("mean", 1.2, 0.0, 1.0, 0.4, 0.5)
    first = next(f for f in pooled([band, other], 1.3) if f.metric == "dist_val_count")
    assert (first.low, first.high) == (310.0, 313.0)
    assert first.value > first.high


def test_a_metric_inside_its_own_band_is_not_told_beside_one_that_is_out():
    """All aspects together make bands narrower, down to nothing where one of them is far out: nobody expects that."""
    bands = [
        BandClause("mean", center=50.0, low=40.0, high=60.0),
        BandClause("zero_ratio", center=0.3, low=0.2, high=0.4),
    ]
    params = {"clauses": [one.to_json() for one in bands], "batches": 30, "kind": "number", "pool": 1.3}
    rule = Rule("history", "amount", params, 0.001, "", "history")
    far = rule.judge_metrics({"mean": 5000.0, "zero_ratio": 0.38}, [])
    assert far.sentence == "Column 'amount': the average is 5,000, expected 40 to 60."
    assert (far.metric, far.observed, far.expected) == ("mean", {"mean": 5000.0}, {"mean": [40.0, 60.0]})
    both = rule.judge_metrics({"mean": 59.5, "zero_ratio": 0.395}, [])  # neither is out alone
    assert both.status == VIOLATED
    assert both.observed.keys() == {"mean", "zero_ratio"}
    calm = rule.judge_metrics({"mean": 51.0, "zero_ratio": 0.31}, [])
    assert calm.sentence == "Within expected ranges: average, range, zeros, signs and placeholders."


def test_what_is_beyond_of_numbers_that_never_were_negative_is_so_from_nothing_on():
    most = BandClause("max", center=200.0, low=-1771.0, high=2218.0)
    never = BandClause("negative_ratio", center=0.0, low=None, high=0.01)
    for clauses, said, less in (
        ([most, never], "expected at most 2,", "expected 0 to 2,"), ([most], "expected -1,", "expected -1,")
    ):  # fmt: skip
        params = {"clauses": [one.to_json() for one in clauses], "batches": 30, "kind": "number"}
        rule = Rule("history", "amount", params, 0.001, "", "history")
        assert said in rule.judge_metrics({"max": 40607.0, "negative_ratio": 0.0}, []).sentence
        assert less in rule.judge_metrics({"max": -9000.0, "negative_ratio": 0.0}, []).sentence


def test_weekly_cycles_and_growth_are_foreseen():
    rng = np.random.default_rng(0)
    week = np.array([1, 1.05, 1.1, 1.1, 1.3, 0.6, 0.5])
    rows = [int(rng.poisson(2000 * week[i % 7] * 1.01**i)) for i in range(60)]
    for k in range(21, 60):
        rule = volume(rows[:k])
        assert with_rows(rule, rows[:k], rows[k]) == PASSED, k
    rule = volume(rows)
    assert with_rows(rule, rows, rows[-7] * 3) == VIOLATED
    assert with_rows(rule, rows, rows[-7] / 5) == VIOLATED


def test_a_hole_keeps_its_place_in_the_week():
    rng = np.random.default_rng(0)
    week = np.array([1, 1.05, 1.1, 1.1, 1.3, 0.6, 0.5])
    past: list[TableMetrics | None] = [TableMetrics(int(rng.poisson(2000 * week[i % 7] * 1.01**i))) for i in range(60)]
    with_holes = [None if at in (17, 40, 53) else one for at, one in enumerate(past)]
    rule = learn_volume(with_holes[:42], 0.001)
    assert (rule.params["clauses"][0]["lag"], rule.evidence["batches"]) == (7, 40)
    rows = column_series(with_holes, None)
    for k in range(42, 60):
        assert status_of(rule, {"row_count": past[k].rows}, rows[:k]) == PASSED, k
        assert status_of(rule, {"row_count": past[k].rows / 4}, rows[:k]) == VIOLATED, k
    dropped = [one for one in rows[:47] if one]
    assert status_of(rule, {"row_count": past[47].rows}, dropped) == VIOLATED  # another day of the week


def test_a_past_full_of_holes_still_teaches():
    rows = [3420, 3421, 3429, 3430, 3434, 3439, None, None, 3441]
    rule = learn_volume([None if n is None else TableMetrics(n) for n in rows], 0.001)
    assert (
        status_of(rule, {"row_count": 3443.0}, [{} if n is None else {"row_count": float(n)} for n in rows]) == PASSED
    )
    assert (
        status_of(rule, {"row_count": 900.0}, [{} if n is None else {"row_count": float(n)} for n in rows]) == VIOLATED
    )
    scattered = [None if at % 2 else TableMetrics(3400 + at) for at in range(2 * LEAST + 1)]
    assert learn_volume(scattered, 0.001) is not None


def test_what_grows_may_have_grown_over_a_hole():
    ids = [{"row_count": 100.0, "mean": 1000.0 + 50 * i + i % 3, "KS_dist": 0.5 + 0.01 * (i % 2)} for i in range(30)]
    rule = learn(ids)
    gone = [*ids[:-2], {}, {}]
    now = ids[-1] | {"mean": ids[-1]["mean"] + 50}
    over = now | {"KS_dist": 1.0}  # of three steps
    assert status_of(rule, over, gone) == PASSED
    assert status_of(rule, over, ids) == VIOLATED
    assert status_of(rule, now | {"mean": ids[-1]["mean"] + 200}, gone) == VIOLATED
    again = learn([*ids[:12], {}, ids[13] | {"KS_dist": 1.0}, *ids[14:]])  # a step of two teaches as one
    saturated = [m | {"JS_div": 1.0} for m in ids]
    rules = [learn(one) for one in (saturated, [*saturated[:12], {}, *saturated[13:]])]
    assert all("JS_div" not in rule.metrics for rule in rules)  # what cannot grow has not shrunk by a hole
    widths = [{c["metric"]: c["high"] for c in one.params["clauses"]}["KS_dist"] for one in (rule, again)]
    assert widths[1] == pytest.approx(widths[0], rel=0.2)


def test_a_ratio_at_its_bound_has_a_band_of_its_resolution():
    past = [{"row_count": 5000.0, "complete_ratio": 1.0, "mean": 5.0, "std": 1.0}] * 20
    rule = learn(past)
    assert status_of(rule, past[0] | {"complete_ratio": 0.9995}, past) == PASSED
    verdict = rule.judge_metrics(past[0] | {"complete_ratio": 0.95}, past)
    assert verdict.status == VIOLATED
    assert (verdict.metric, verdict.value) == ("complete_ratio", 0.95)
    assert "5% of the rows are null" in verdict.sentence
    assert verdict.low is not None
    assert 0.98 < verdict.low < 1
    assert verdict.offenders == {"null": True}


def test_below_seven_batches_nothing_is_said():
    table = fold(pa.table({"x": [1.0, 2, 3]}))
    metrics = observe_metrics(table, table)
    assert learn_history([metrics] * (LEAST - 1), kinds={"x": "number"}, unused=unused_in(table), budget=0.001) == []
    rules = learn_history([metrics] * LEAST, kinds={"x": "number"}, unused=unused_in(table), budget=0.001)
    assert {r.kind for r in rules} == {"volume", "history"}


def test_missing_metrics_say_nothing():
    past = [{"row_count": 100.0, "complete_ratio": 1.0, "mean": 5.0, "std": 1.0}] * 10
    rule = learn(past)
    assert status_of(rule, {}, past) == NOT_APPLICABLE
    assert status_of(rule, {"row_count": 100.0, "complete_ratio": 1.0}, past) == PASSED
    assert learn([{}] * 10) is None
    gappy = [m if i % 2 else {} for i, m in enumerate(past)]
    assert learn(gappy) is None
    sums = [m | ({"mean": 5.0 + i} if i > 2 else {}) for i, m in enumerate(past)]
    assert learn(sums) is not None


def test_a_first_batch_without_history_never_raises():
    past = [{"row_count": 100.0 + i, "mean": float(i)} for i in range(20)]
    rule = learn(past)
    for earlier in ([], past[:1], [{}] * 3):
        rule.judge_metrics(past[0], earlier)


def test_rules_survive_json_and_the_verdict_with_them():
    rng = np.random.default_rng(1)
    tables = [pa.table({"x": rng.lognormal(2, 1, 300), "s": rng.choice(["aa", "bb", "c"], 300)}) for _ in range(20)]
    states = [fold(t) for t in tables]
    series = observed(states)
    kinds = {name: c.kind for name, c in states[-1].columns.items()}
    rules = learn_history(series, kinds=kinds, unused=unused_in(states[-1]), budget=0.001)
    assert rules == learn_history(series, kinds=kinds, unused=unused_in(states[-1]), budget=0.001)
    batch = batch_of(states, series, fold(pa.table({"x": rng.lognormal(7, 1, 300), "s": ["AA"] * 300})))
    broken = 0
    for rule in rules:
        again = Rule.from_json(json.loads(json.dumps(rule.to_json())))
        assert again == rule
        verdict = rule.judge(batch)
        assert again.judge(batch) == verdict
        json.dumps([verdict.observed, verdict.expected, verdict.value, verdict.low, verdict.high], allow_nan=False)
        broken += verdict.status == VIOLATED
    assert broken == 2


def test_a_smaller_budget_widens_bands_and_is_what_is_stated():
    assert strictness(0.0001) > strictness(0.001) > strictness(0.01)
    assert stated(strictness(0.001)) == pytest.approx(0.001)
    assert column_budget(0.001, 40) == 0.00025
    rng = np.random.default_rng(2)
    past = [{"row_count": 100.0, "mean": m, "std": 1.0} for m in rng.normal(10, 1, 30)]
    wide, narrow = (
        next(c for c in learn(past, budget=b).params["clauses"] if c["metric"] == "mean") for b in (1e-4, 1e-2)
    )
    assert wide["high"] - wide["low"] > narrow["high"] - narrow["low"]
    assert wide["fpr"] < narrow["fpr"]


def test_drill_and_backtest():
    rng = np.random.default_rng(3)
    tables = [
        pa.table(
            {"price": np.round(rng.lognormal(3, 1, 500), 2), "code": [f"AB-{k:03d}" for k in rng.integers(0, 99, 500)]}
        )
        for _ in range(20)
    ]
    states = [fold(t) for t in tables]
    series = observed(states)
    kinds = {name: c.kind for name, c in states[-1].columns.items()}
    rules = learn_history(series[:-1], kinds=kinds, unused=unused_in(states[-2]), budget=0.001)
    last = batch_of(states[:-1], series[:-1], states[-1])
    found = drill(rules, tables[-1], last)
    assert found.quiet
    assert found.recall()["unit_change"] == 1
    assert found.recall()["volume"] == 1
    assert sum(found.tried.values()) > 60
    assert sum(found.caught.values()) + len(found.misses) == sum(found.tried.values())
    assert found.shares()["unit_change"]["mean"] == 1
    assert found.shares()["padding"]["space_len"] == 1
    assert all(0 < share <= 1 for clauses in found.shares().values() for share in clauses.values())
    past = backtest(rules[0], [last], per_month=30)
    assert (past.judged, past.alarms) == (1, ())
    replayed = replay_learner(series, column="price", kind="number", budget=0.001, per_month=30)
    assert replayed.judged == len(series) - LEAST
    assert replayed.alarms == ()
    assert 0 < replayed.expected_per_month < 1


def test_a_clause_stored_without_a_center_is_judged_all_the_same():
    rng = np.random.default_rng(4)
    past = [{"row_count": 100.0, "mean": m, "std": 1.0} for m in rng.normal(10, 1, 30)]
    rule = learn(past)
    older = [
        {k: v for k, v in c.items() if k in ("metric", "lag", "log", "low", "high")} for c in rule.params["clauses"]
    ]
    old = Rule.from_json({**rule.to_json(), "params": {"clauses": older, "batches": 30, "kind": "number"}})
    assert status_of(old, {"row_count": 100.0, "mean": 10.0}, past) == PASSED
    assert status_of(old, {"row_count": 100.0, "mean": 1000.0}, past) == VIOLATED


def test_small_deviations_of_several_aspects_count_together():
    rng = np.random.default_rng(5)
    names = {"mean": 10.0, "KS_dist": 0.1, "new_values": 0.3}
    past = [{"row_count": 900.0, **{n: m * (1 + 0.1 * rng.normal()) for n, m in names.items()}} for _ in range(30)]
    rule = learn(past)
    highs = {f.metric: (f.center, f.high) for f in rule.findings(past[0], past)}

    def off(share, *moved):
        return past[0] | {n: c + share * (h - c) for n, (c, h) in highs.items() if n in moved}

    assert status_of(rule, off(0.8, "mean"), past) == PASSED
    assert status_of(rule, off(0.8, "mean", "KS_dist", "new_values"), past) == VIOLATED
    assert all(f.low <= f.value <= f.high for f in rule.findings(off(0.5, *names), past))
    apart = [f for f in rule.findings(off(0.5, *names), past) if f.metric in names]
    together = math.hypot(*(0.5 * METRICS[name].alone for name in names))
    assert furthest(apart, rule.params["pool"]) == pytest.approx(together / rule.params["pool"], rel=1e-6)
    assert furthest(apart, None) == pytest.approx(0.5, rel=1e-6)


def test_one_band_for_a_metric_in_the_verdict_the_chart_and_its_clause():
    rng = np.random.default_rng(5)
    names = {"mean": 10.0, "KS_dist": 0.1, "new_values": 0.3}
    past = [{"row_count": 900.0, **{n: m * (1 + 0.1 * rng.normal()) for n, m in names.items()}} for _ in range(30)]
    rule = learn(past)
    apart = {f.metric: f for f in rule.apart(past[0], past)}
    now = past[0] | {name: apart[name].center + 4 * (apart[name].high - apart[name].center) for name in names}
    verdict = rule.judge_metrics(now, past)
    assert {name: tuple(band) for name, band in verdict.expected.items()} == {
        name: (None if math.isinf(low) else low, high)
        for name, (low, high) in rule.bands(now, past).items()
        if name in verdict.expected
    }
    own = {f.metric: (f.low, f.high) for f in rule.apart(now, past)}
    bands = rule.bands(now, past)
    assert [bands[name] for name in names] == [own[name] for name in names]  # beyond by itself: its own band


def test_without_differencing_no_clause_is_on_a_change():
    past = [{"row_count": 100.0, "mean": float(i), "std": 1.0} for i in range(30)]
    lags = [
        {
            c["lag"]
            for c in learn_column(past, column="x", kind="number", budget=0.001, differencing=d).params["clauses"]
        }
        for d in (True, False)
    ]
    assert lags[0] > {0}
    assert lags[1] == {0}


def test_a_column_that_always_held_something_is_not_empty_however_its_nulls_swing():
    rng = np.random.default_rng(7)
    shares = rng.uniform(0.2, 0.8, 30)
    past = [{"row_count": 500.0, "complete_ratio": float(s), "mean": 5.0, "std": 1.0} for s in shares]
    rule = learn(past)
    assert status_of(rule, past[0] | {"complete_ratio": 0.15}, past) == PASSED
    assert status_of(rule, past[0] | {"complete_ratio": 0.0}, past) == VIOLATED


def test_an_extreme_is_judged_by_the_tail_on_its_side():
    """A heavy tail above says nothing of how far below its least value a ranking goes."""
    rng = np.random.default_rng(8)
    past = [
        {"row_count": 1000.0, "min": 680.0 + rng.integers(3), "low_decile": 900.0, "high_decile": 2e4, "max": 2e5,
         "mean": 9000.0, "std": 26_000.0}
        for _ in range(30)
    ]  # fmt: skip
    rule = learn(past)
    assert status_of(rule, past[0] | {"min": 600.0, "max": 3e5}, past) == PASSED
    assert status_of(rule, past[0] | {"min": 33.0}, past) == VIOLATED


def test_the_past_of_a_column_begins_with_it():
    """A column that came late is learned from once it was there often enough; before it nothing can be missing."""
    rng = np.random.default_rng(4)
    there = [{"row_count": 300.0, "complete_ratio": 1.0, "zero_ratio": float(z)} for z in rng.normal(0.92, 0.002, 9)]
    assert learn_column([{}] * 40 + there[:6], column="x", kind="number", budget=0.001) is None
    rule = learn_column([{}] * 40 + there, column="x", kind="number", budget=0.001)
    assert rule is not None
    assert rule.params["batches"] == 9
    assert rule == learn_column(there, column="x", kind="number", budget=0.001)
    now = {"row_count": 300.0, "complete_ratio": 1.0, "zero_ratio": 0.02}
    assert rule.judge_metrics(now, [{}] * 40 + there).status == VIOLATED


def test_the_past_of_a_column_begins_with_its_first_value():
    """A column that was empty at first, as one that is still to be filled: years times 60 are none."""
    empty = [{"row_count": 300.0, "complete_ratio": 0.0}] * 11
    year = {"row_count": 300.0, "complete_ratio": 0.6, "min": 1996.0, "max": 2018.0, "mean": 2004.0, "std": 6.0}
    filled = [year] * 9
    rule, now = learn(empty + filled), filled[-1] | {"max": 121_000.0}
    assert status_of(rule, now, empty + filled) == VIOLATED
    assert status_of(rule, filled[-1] | {"max": 2019.0}, empty + filled) == PASSED
    assert learn(empty + filled[:6]) is None


def test_dates_as_integers_pass_new_year():
    def day(k: int) -> pa.Table:
        dates = [date(2026, 12, 20) + timedelta(days=k - i) for i in range(30)]
        return pa.table({"day": [int(f"{d:%Y%m%d}") for d in dates for _ in range(5)], "n": list(range(150))})

    states = [fold(day(k)) for k in range(14)]
    series = observed(states)
    kinds = {"day": "number", "n": "number"}
    for k in (12, 13):  # the first days of January
        rules = learn_history(series[:k], kinds=kinds, unused=unused_in(states[k - 1]), budget=0.001)
        batch = Batch(k, "snapshot", states[k], states[k - 1], [], datetime(2027, 1, 1, tzinfo=UTC), series[:k])
        assert {rule.judge(batch).status for rule in rules} == {PASSED}, k
        assert not {"mean", "max", "std"} & set(next(r for r in rules if r.column == "day").metrics)
        assert {"mean", "max"} <= set(next(r for r in rules if r.column == "n").metrics)


def test_a_level_far_beyond_everything_seen_is_told_however_far_the_metric_jumps():
    rng = np.random.default_rng(3)
    tops = 1000 * rng.pareto(1.1, 40) + 1000
    past = [{"row_count": 300.0, "mean": 80 + t / 300, "max": t, "std": 90.0, "high_decile": 200.0} for t in tops]
    rule = learn(past)
    names = {c.metric: c for c in rule.clauses}
    assert names["max"].lag == names["mean"].lag == 0
    assert names["max"].high == pytest.approx(3 * max(tops))
    assert status_of(rule, past[0] | {"max": 2.9 * max(tops)}, past) == PASSED
    assert status_of(rule, past[0] | {"max": 3.1 * max(tops)}, past) == PASSED  # of one row, by the average
    assert status_of(rule, past[0] | {"max": 3.1 * max(tops), "mean": 80 + 3.1 * max(tops) / 50}, past) == VIOLATED
    assert status_of(rule, past[0] | {"max": 10.1 * max(tops)}, past) == VIOLATED
    few = [m | {"row_count": 12.0, "complete_ratio": 1.0} for m in past]
    assert status_of(learn(few), few[0] | {"max": 3.1 * max(tops)}, few) == PASSED
