"""Where bands end whatever wild beginning a column or table had: no value, all others, half of the rows."""

import numpy as np
import pyarrow as pa
import pytest
from learned import learn, status_of, volume, with_rows

from catalog.history.series import TableMetrics, observe_metrics
from catalog.learners.keys import is_code
from catalog.learners.series.history import learn_column, learn_volume, unused_in
from catalog.learners.series.limits import BREAK, LEAST, as_it_is_now
from catalog.learners.series.scales import median
from catalog.rules.verdict import PASSED, VIOLATED
from catalog.states.folding.fold import fold


def test_a_column_filled_from_its_second_batch_on_is_not_empty_again():
    rng = np.random.default_rng(1)
    shares = [0.0, *rng.uniform(0.97, 0.98, 30)]
    past = [{"row_count": 1800.0, "complete_ratio": float(s), "unique_ratio": 0.4} for s in shares]
    rule = learn(past)
    assert status_of(rule, past[5] | {"complete_ratio": 0.965}, past) == PASSED
    assert status_of(rule, past[5] | {"complete_ratio": 0.0}, past) == VIOLATED


def test_what_was_otherwise_once_on_the_way_may_be_so_again():
    rng = np.random.default_rng(1)
    shares = [*rng.uniform(0.97, 0.98, 10), 0.3, *rng.uniform(0.97, 0.98, 20)]
    past = [{"row_count": 1800.0, "complete_ratio": float(s), "unique_ratio": 0.4} for s in shares]
    assert status_of(learn(past), past[5] | {"complete_ratio": 0.3}, past) == PASSED


def test_all_values_gone_is_told_though_the_first_weeks_were_wild():
    rng = np.random.default_rng(2)
    lost = [*rng.uniform(0.0, 0.3, 15), *rng.uniform(0.0, 0.01, 30)]
    past = [{"row_count": 3000.0, "complete_ratio": 1.0, "lost_values": float(x)} for x in lost]
    rule = learn(past, kind="string")
    assert status_of(rule, past[-1] | {"lost_values": 0.4}, past) == PASSED
    assert status_of(rule, past[-1] | {"lost_values": 1.0}, past) == VIOLATED
    replaced = [m | {"lost_values": float(x)} for m, x in zip(past, rng.uniform(0.3, 0.8, 45), strict=True)]
    assert status_of(learn(replaced, kind="string"), replaced[-1] | {"lost_values": 1.0}, replaced) == PASSED


def test_a_small_table_that_once_grew_at_once_does_not_lose_half():
    rng = np.random.default_rng(3)
    rows = [56, 70, *(int(n) for n in rng.integers(72, 84, 36))]
    rule = volume(rows)
    assert with_rows(rule, rows, 60) == PASSED
    assert with_rows(rule, rows, 36) == VIOLATED


def test_all_values_gone_are_improbable_however_wide_the_bands_are():
    shares = [0.3, 0.7, 0.5, 0.35, 0.6, 0.75, 0.4, 0.55, 0.3, 0.65] * 2
    past = [{"row_count": 100.0, "complete_ratio": share, "dist_val_count": 9.0} for share in shares]
    rule, gone = learn(past, "string"), {"row_count": 100.0, "complete_ratio": 0.0, "dist_val_count": 0.0}
    young, old = rule.judge_metrics(gone, past[-9:]), rule.judge_metrics(gone, past)
    assert young.status == old.status == VIOLATED
    assert old.p_value < 0.05 * rule.fpr < young.p_value


def test_a_column_that_fills_keeps_what_it_has() -> None:
    """A fifth of its cells emptied at once, though it once was filled by as many."""
    shares = [0.4] * 6 + [0.5] * 6 + [0.6] * 8
    past = [{"row_count": 1000.0, "complete_ratio": share, "filled_ratio": share} for share in shares]
    rule = learn(past)
    for share, status in ((0.57, PASSED), (0.67, PASSED), (0.48, VIOLATED)):
        assert status_of(rule, past[-1] | {"complete_ratio": share, "filled_ratio": share}, past) == status, share
    steady = [m | {"complete_ratio": 0.4, "filled_ratio": 0.4} for m in past]
    for share, status in ((0.5, PASSED), (0.6, VIOLATED)):
        assert status_of(learn(steady), steady[-1] | {"complete_ratio": share}, steady) == status, share
    swinging = [m | {"complete_ratio": share} for m, share in zip(past, [0.4, 0.6] * 10, strict=True)]
    assert status_of(learn(swinging), swinging[-1] | {"complete_ratio": 0.4}, swinging) == PASSED


def test_how_full_a_column_is_is_compared_with_the_batch_before_in_a_table_that_grows_by_leaps_too() -> None:
    """A fifth of its cells emptied, as empty as before the table doubled; that rows come empty is no news."""
    rows = [
        200.0,
        206.0,
        212.0,
        218.0,
        225.0,
        232.0,
        239.0,
        246.0,
        520.0,
        536.0,
        552.0,
        569.0,
        586.0,
        604.0,
        622.0,
        641.0,
    ]
    shares = [0.8, 0.81, 0.8, 0.81, 0.82, 0.81, 0.8, 0.81, 0.9, 0.9, 0.91, 0.92, 0.92, 0.93, 0.93, 0.94]
    past = [
        {"row_count": n, "complete_ratio": share, "filled_ratio": share} for n, share in zip(rows, shares, strict=True)
    ]
    rule = learn(past, kind="string", budget=0.0005)
    for n, share, status in ((660.0, 0.94, PASSED), (660.0, 0.75, VIOLATED), (720.0, 0.84, PASSED)):
        now = {"row_count": n, "complete_ratio": share, "filled_ratio": share}
        assert status_of(rule, now, past) == status, (n, share)


def test_a_column_that_lost_all_its_values_or_all_but_one_is_told_whatever_the_budget() -> None:
    past = [
        {
            "row_count": 900.0,
            "complete_ratio": 1.0,
            "filled_ratio": 1.0,
            "dist_val_count": 400.0 + n % 3,
            "unique_ratio": 0.44,
        }
        for n in range(20)
    ]
    rule = learn(past, kind="string")
    for gone in ({"complete_ratio": 0.0, "filled_ratio": 0.0}, {"dist_val_count": 1.0, "unique_ratio": 1 / 900}):
        verdict = rule.judge_metrics(past[-1] | gone, past)
        assert (verdict.status, verdict.p_value) == (VIOLATED, 0.0)
    half = rule.judge_metrics(past[-1] | {"complete_ratio": 0.5, "filled_ratio": 0.5}, past)
    assert half.status == VIOLATED
    assert half.p_value


def test_that_rows_are_the_old_ones_again_is_no_news_after_a_version_of_new_ones():
    """A share that compares two batches is a change itself: none of it is compared with the last change."""
    rng = np.random.default_rng(4)
    of_rows = [{"repeated_ratio": float(share)} for share in rng.uniform(0.94, 1.0, 28)]
    past = [
        *(TableMetrics(3500, table=one) for one in of_rows),
        None,
        TableMetrics(3500, table={"repeated_ratio": 0.003}),
    ]
    rule = learn_volume(past, 0.001)
    earlier = [one.of_table() if one else {} for one in past]
    assert status_of(rule, {"row_count": 3500.0, "repeated_ratio": 0.87}, earlier) == PASSED
    new = [TableMetrics(3500, table={"repeated_ratio": float(share)}) for share in rng.uniform(0.0, 0.02, 30)]
    assert status_of(learn_volume(new, 0.001), {"row_count": 3500.0, "repeated_ratio": 0.5}, earlier) == VIOLATED


def test_one_new_row_may_hold_a_number_several_times_the_largest_and_several_rows_may_not() -> None:
    """That one of 1,336 settings is 4,095 where the largest was 1,000 is no alarm; that it is in another unit is."""
    usual = {"complete_ratio": 1.0, "mean": 60.0, "std": 120.0, "max": 1000.0, "min": 0.0, "high_decile": 200.0}
    past = [usual | {"row_count": 1300.0 + n} for n in range(30)]
    rule = learn(past)

    def with_rows_of(number: float, rows: int) -> str:
        now = past[-1] | {"mean": 60.0 + rows * number / 1329, "max": number}
        return status_of(rule, now, past)

    assert [with_rows_of(4095.0, rows) for rows in (1, 13)] == [PASSED, VIOLATED]
    assert with_rows_of(1e6, 1) == VIOLATED


def test_a_share_that_goes_back_and_forth_is_not_filled_by_and_by() -> None:
    """A fifth of each batch's rows, which are others each time, holds something: that no batch so far had a tenth less
    than the one before is luck."""
    for seed in range(60):
        draws = np.random.default_rng(seed).binomial(4000, 0.2, 36) / 4000
        past = [{"row_count": 4000.0, "complete_ratio": share, "filled_ratio": share} for share in draws.tolist()]
        rule = learn_column(past[:30], column="x", kind="string", budget=0.001)
        assert all(rule.judge_metrics(past[at], past[:at]).status == PASSED for at in range(30, 36)), seed


def test_a_few_amounts_a_hundred_times_as_large_are_told_and_a_single_large_one_is_not() -> None:
    """None to eight rows a day: an average of one row strays farther than that of four, and bands of four are not as
    wide for it."""
    told = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        days = [rng.gamma(2, 40, rng.poisson(3)).round(2) for _ in range(70)]
        past, last = [], None
        for amounts in days:
            state = fold(pa.table({"x": amounts}))
            past.append(observe_metrics(state, last).columns["x"])
            last = state
        rule = learn_column(past[:60], column="x", kind="number", budget=0.001)
        assert all(rule.judge_metrics(past[at], past[:at]).status != VIOLATED for at in range(60, 70)), seed
        for amounts in (days[60][:1], np.array([40.0, 90.0, 61.5, 120.2])):
            now = observe_metrics(fold(pa.table({"x": amounts * 100})), None).columns["x"]
            told.append((len(amounts), rule.judge_metrics(now, past[:60]).status))
    assert told.count((4, VIOLATED)) >= 7
    assert (1, VIOLATED) not in told


def _as_told(x: np.ndarray, resolution: float) -> int:
    """How many batches are forgotten, as `as_it_is_now` tells it: by looking at every batch from all sides."""
    known = np.flatnonzero(np.isfinite(x))
    for at in range(len(known) - 2 * LEAST + 1, 0, -1):
        before, after = x[known[:at]], x[known[at:]]
        gap = min(max(after.min() - one, one - after.max()) for one in before)
        if gap > BREAK * (after.max() - after.min() + resolution):
            return int(known[at])
    return 0


@pytest.mark.parametrize("seed", range(3))
def test_what_is_looked_at_at_once_is_what_is_told_one_by_one(seed):
    rng, forgotten = np.random.default_rng(seed), 0
    for _ in range(200):
        x = np.round(rng.normal(size=rng.integers(0, 60)), int(rng.integers(0, 4)))
        x[: rng.integers(0, len(x) + 1)] += rng.choice([0, 5, 100, -30])
        x[rng.random(len(x)) < 0.1] = np.nan
        found = as_it_is_now(x, 0.01)
        begins = _as_told(x, 0.01)
        assert np.isnan(found[:begins]).all()
        assert np.array_equal(found[begins:], x[begins:], equal_nan=True)
        forgotten += begins > 0
        known = x[np.isfinite(x)]
        assert not len(known) or median(known) == np.median(known)
    assert forgotten > 10


def of_numbers(means, ends, **more):
    """A past of batches of a column of numbers with these averages, between the same ends."""
    low, high = ends
    batch = {"row_count": 900.0, "complete_ratio": 1.0, "unique_ratio": 0.4, "std": 5.0, "min": low, "max": high}
    return [batch | more | {"mean": float(mean)} for mean in means]


def test_a_clause_that_no_batch_can_break_is_not_in_the_rule_and_an_end_beyond_all_is_none():
    rng = np.random.default_rng(5)
    past = of_numbers(rng.uniform(40, 60, 9), (0.0, 90.0), dist_val_count=700.0)
    past = [one | {"KS_dist": float(x), "L_1": 2.0} for one, x in zip(past, rng.uniform(0.2, 0.9, 9), strict=True)]
    rule = learn(past)
    assert not {"KS_dist", "L_1"} & set(rule.metrics)  # a shift is 1 at most, rows that went over count twice
    assert all(one.low is not None or one.high < np.inf for one in rule.bands_of)
    full = next(one for one in rule.bands_of if one.metric == "complete_ratio")
    assert full.low is not None
    assert full.ends[1] == np.inf
    assert rule.params["clauses"] == [one.to_json() for one in rule.clauses]
    wild = of_numbers([50.0] * 9, (0.0, 90.0))
    counts = zip(wild, rng.uniform(100, 900, 9), strict=True)  # a column has no more different values than rows
    assert "dist_val_count" not in learn([one | {"dist_val_count": float(round(x))} for one, x in counts]).metrics


def test_the_average_of_what_never_was_negative_is_not_and_its_band_says_so():
    rng = np.random.default_rng(6)
    means = rng.uniform(5, 60, 9)
    rule, free = learn(of_numbers(means, (0.0, 900.0))), learn(of_numbers(means, (-1.0, 900.0)))
    of, with_sign = (next(one for one in found.bands_of if one.metric == "mean") for found in (rule, free))
    assert with_sign.ends[0] < 0 == of.ends[0]
    assert of.sentence().startswith("the average is 0 to ")
    now, past = of_numbers([-0.5], (-80.0, 900.0))[0], of_numbers(means, (0.0, 900.0))
    found = next(one for one in rule.apart(now | {"row_count": 1500.0}, past) if one.metric == "mean")
    assert found.low == 0  # however few rows there were, or many came
    assert found.excess > 0
    inside = past[3] | {"mean": 4.0}
    assert [one.excess for one in rule.apart(inside, past) if one.metric == "mean"] == [
        one.excess for one in free.apart(inside, past) if one.metric == "mean"
    ]


def test_ends_that_nobody_would_sign_are_no_demand_or_read_last():
    """A number that never was negative has no smallest of -1,000 at least: how many are negative is asked. Of a column
    that held one value in each batch at most 11 different ones is no first thing to read."""
    rng = np.random.default_rng(8)
    rule = learn(of_numbers(rng.uniform(5, 60, 20), (0.0, 900.0), negative_ratio=0.0))
    smallest = next(one for one in rule.bands_of if one.metric == "min")
    assert smallest.ends[0] is None
    assert "negative_ratio" in rule.metrics
    of_signs = learn(of_numbers(rng.uniform(5, 60, 20), (-1.0, 900.0), negative_ratio=0.1))
    assert next(one for one in of_signs.bands_of if one.metric == "min").ends[0] < -1
    single = {"row_count": 60.0, "complete_ratio": 1.0, "dist_val_count": 1.0, "top_ratio": 1.0, "unique_ratio": 1 / 60}
    rule = learn([single] * 12, kind="string")
    wide = next(one for one in rule.bands_of if one.metric == "dist_val_count")
    assert wide.ends[1] > 3
    assert wide.is_minor
    assert rule.sentence.startswith("the most frequent value is in at least ")
    assert " different values; " not in rule.sentence
    assert status_of(rule, single | {"dist_val_count": 40.0}, [single] * 12) == VIOLATED  # judged as ever
    many = [single | {"dist_val_count": 30.0, "top_ratio": 0.1, "unique_ratio": 0.5}] * 12
    assert " different values; " in learn(many, kind="string").sentence


def test_what_a_column_means_ends_its_average_and_extremes():
    """Degrees north and east exchanged are told, though the few batches before say little of how far they go."""
    rng = np.random.default_rng(7)
    past = of_numbers(rng.uniform(45, 65, 9), (35.0, 71.0))
    past = [one | {"min": float(low)} for one, low in zip(past, rng.uniform(-40, 35, 9), strict=True)]
    kept = learn_column(past, column="x", kind="number", budget=0.001, limits=(-90.0, 90.0))
    ends = {one.metric: one.ends for one in kept.bands_of if one.metric in ("mean", "min", "max")}
    assert all(low >= -90 and high <= 90 for low, high in ends.values())
    exchanged = past[-1] | {"max": 145.0}
    assert status_of(kept, past[-1], past) == PASSED
    assert status_of(kept, exchanged, past) == VIOLATED
    assert "expected" in kept.judge_metrics(exchanged, past).sentence
    beyond = [*past[:-1], past[-1] | {"max": 4000.0}]  # where the past knows better, the meaning is not so
    free = learn_column(beyond, column="x", kind="number", budget=0.001, limits=(-90.0, 90.0))
    assert all(one.most is None for one in free.bands_of)


def test_whole_numbers_have_no_share_of_nan_and_codes_no_average():
    columns = {"customer_id": pa.array(range(1000, 1090)), "price": pa.array([0.5 * n for n in range(90)])}
    table = fold(pa.table(columns | {"pieces": pa.array([n % 7 for n in range(90)])}))
    codes = [name for name, column in table.columns.items() if is_code(name, column, ())]
    assert codes == ["customer_id"]
    unused = unused_in(table, codes)
    assert {"nan_ratio", "decimals", "mean", "std"} <= unused["customer_id"]
    assert {"nan_ratio", "decimals"} <= unused["pieces"]
    assert not {"nan_ratio", "decimals", "mean", "std"} & unused["price"]
    assert "mean" not in unused["pieces"]
