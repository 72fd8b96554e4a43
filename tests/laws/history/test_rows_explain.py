"""What the number of rows explains: of few rows little is said, and rows that were added are judged once."""

import numpy as np
import pyarrow as pa
import pytest
from learned import batch_of, learn, status_of, volume, with_rows
from past import observed

from catalog.history.series import TableMetrics
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.verdict import PASSED, VIOLATED
from catalog.states.folding.fold import fold
from catalog.states.table import TableState


def test_added_rows_explain_changes_once():
    base = {f"s{i}": "x" for i in range(1000)}
    tables = [pa.table({"k": list(base), "v": ["x"] * 1000})] * 12
    states = [fold(t) for t in tables]
    series = observed(states)
    kinds = {name: c.kind for name, c in states[-1].columns.items()}
    rules = learn_history(series, kinds=kinds, unused=unused_in(states[-1]), budget=0.001)
    grown = fold(pa.table({"k": [*base, *(f"n{i}" for i in range(60))], "v": ["x"] * 1000 + ["new"] * 60}))
    edited = fold(pa.table({"k": [*list(base)[60:], *(f"n{i}" for i in range(60))], "v": ["x"] * 940 + ["new"] * 60}))
    assert [r.column for r in rules if r.judge(batch_of(states, series, grown)).status == VIOLATED] == []
    assert {r.column for r in rules if r.judge(batch_of(states, series, edited)).status == VIOLATED} == {"k", "v"}


def test_fewer_rows_explain_fewer_distinct_values_and_more_noise():
    rng = np.random.default_rng(6)
    past = [
        {
            "row_count": 1000.0,
            "complete_ratio": 1.0,
            "dist_val_count": 950 + rng.normal(),
            "str_len": 8 + rng.normal() / 9,
        }
        for _ in range(30)
    ]
    rule = learn(past, kind="string")
    half = {"row_count": 500.0, "complete_ratio": 1.0, "dist_val_count": 480.0, "str_len": 8.1}
    assert status_of(rule, half, past) == PASSED
    assert status_of(rule, half | {"row_count": 1000.0}, past) == VIOLATED
    wide, usual = ({f.metric: f.high for f in rule.findings(half | {"row_count": n}, past)} for n in (250.0, 1000.0))
    assert wide["str_len"] > usual["str_len"]


def test_a_table_that_became_another_is_learned_from_what_it_is_now():
    rows = [300] * 20 + [3420, 3421, 3429, 3430, 3434, 3439]
    rule = volume(rows)
    assert with_rows(rule, rows, 3442) == PASSED
    assert with_rows(rule, rows, 2434) == VIOLATED


def test_kept_rows_may_be_imported_by_hundreds_but_not_vanish():
    rows = [4900 + i // 3 for i in range(30)]
    rule = volume(rows)
    assert with_rows(rule, rows, 5050) == PASSED
    assert with_rows(rule, rows, rows[-1] - 3) == PASSED
    assert with_rows(rule, rows, rows[-1] - 40) == VIOLATED


def test_one_row_of_a_column_of_few_is_no_news_and_half_of_them_are():
    values = ["a", "a", "b", "b", "c", "d"]
    states = [fold(pa.table({"few": values + [None] * 400, "k": [str(i) for i in range(406)]}))] * 20
    series = observed(states)
    rules = learn_history(series, kinds={"few": "string"}, unused=unused_in(states[-1]), budget=0.001)
    for changed, status in ((["e"], PASSED), (["e", "f", "g"], VIOLATED)):
        now = fold(pa.table({"few": values[: -len(changed)] + changed + [None] * 400, "k": ["x"] * 406}))
        said = {rule.column: rule.judge(batch_of(states, series, now)).status for rule in rules}
        assert said["few"] == status, changed


def test_a_column_that_was_always_filled_misses_its_first_row():
    rows = [{"row_count": 60.0, "complete_ratio": 1.0, "filled_ratio": 1.0}] * 30
    assert status_of(learn(rows), rows[0] | {"complete_ratio": 58 / 60}, rows) == VIOLATED
    zeros = [m | {"zero_ratio": 0.0, "negative_ratio": 0.0} for m in rows]
    rule = learn(zeros)
    assert status_of(rule, zeros[0] | {"zero_ratio": 1 / 60}, zeros) == PASSED
    assert status_of(rule, zeros[0] | {"zero_ratio": 3 / 60}, zeros) == VIOLATED


def test_rows_that_were_added_explain_what_they_change_and_rows_that_are_gone_do_not():
    sizes = [400] * 14 + [520] + [522] * 6  # a year's rows, once
    tables = [pa.table({"v": ["x" if i % 5 else "y" for i in range(n)]}) for n in sizes]
    states = [fold(t) for t in tables]
    series = observed(states)
    rules = [
        r
        for r in learn_history(series, kinds={"v": "string"}, unused=unused_in(states[-1]), budget=0.001)
        if r.column is not None
    ]
    old = ["x" if i % 5 else "y" for i in range(522)]
    more = fold(pa.table({"v": [*old, *["y"] * 90]}))
    less = fold(pa.table({"v": [v for i, v in enumerate(old) if v == "x" or i > 450]}))
    for state, status in ((more, PASSED), (less, VIOLATED)):
        assert [r.judge(batch_of(states, series, state)).status for r in rules] == [status]


def test_what_was_accepted_yesterday_is_no_news_today():
    past = [{"row_count": 1000.0, "complete_ratio": 1.0, "mean": 50.0 + i % 3, "std": 5.0} for i in range(30)]
    rule = learn(past)
    other = past[0] | {"mean": 70.0}
    assert status_of(rule, other, past) == VIOLATED
    assert status_of(rule, other, [*past, other]) == PASSED  # a person, or added rows, explained it
    assert status_of(rule, past[0] | {"mean": 90.0}, [*past, other]) == VIOLATED


def test_a_share_that_added_rows_moved_is_missed_in_rows_that_nobody_touched():
    """A register whose growth brought filled rows: a fifth of them empty is none of what its past has shown."""
    sizes = [928] * 5 + [1088] * 5 + [1251, 1526, 1980] + [1981] * 10
    added = np.diff(sizes, prepend=928)
    filled = 266 + np.cumsum(added)  # every row that was added is filled
    past = [{"row_count": float(n), "complete_ratio": f / n} for n, f in zip(sizes, filled, strict=True)]
    rule = learn(past)
    assert status_of(rule, past[-1], past) == PASSED
    assert status_of(rule, past[-1] | {"complete_ratio": 0.8 * past[-1]["complete_ratio"]}, past) == VIOLATED
    empty = {"row_count": 2476.0, "complete_ratio": filled[-1] / 2476}  # as many rows again as were added, all empty
    assert status_of(rule, empty, past) == PASSED


def judged(tables: list[pa.Table], now: pa.Table) -> dict[str, str]:
    """What the rules of columns say of a table, learned from those before it."""
    states: list[TableState] = [fold(table) for table in tables]
    series: list[TableMetrics] = observed(states)
    kinds = {name: column.kind for name, column in states[-1].columns.items()}
    rules = learn_history(series, kinds=kinds, unused=unused_in(states[-1]), budget=0.001)
    said = {rule.column: rule.judge(batch_of(states, series, fold(now))) for rule in rules}
    return {name: verdict.status for name, verdict in said.items() if name is not None}


def versions(filled: dict[str, int], rows: int) -> pa.Table:
    values = [value for value, count in filled.items() for _ in range(count)]
    return pa.table({"k": [str(i) for i in range(rows)], "since": values + [None] * (rows - len(values))})


@pytest.mark.parametrize(("new", "status"), [(24, PASSED), (180, VIOLATED)])
def test_cells_that_are_filled_explain_what_they_change(new: int, status: str) -> None:
    """A tenth of the missing cells filled by one new value is what a vocabulary that grows does."""
    past = [versions({"0.1": 120, "0.6": 40, "0.7": 20}, 440 + 2 * i) for i in range(20)]
    assert judged(past, versions({"0.1": 120, "0.6": 40, "0.7": 20, "0.13": new}, 480))["since"] == status


def test_cells_in_the_place_of_others_explain_nothing() -> None:
    past = [versions({"0.1": 120, "0.6": 40, "0.7": 20}, 480)] * 20
    assert judged(past, versions({"0.1": 96, "0.6": 40, "0.7": 20, "0.13": 24}, 480))["since"] == VIOLATED


@pytest.mark.parametrize("length", [1, 40, 400, 4000])
@pytest.mark.parametrize("few", [4, 9, 15])
def test_one_text_among_few_may_be_as_long_as_it_is(few: int, length: int) -> None:
    words = ["seen on some sites", "shown in the EU only", "for those who pay", "no longer used"] * 5
    past = [pa.table({"k": ["x"] * (700 + i), "note": words[:few] + [None] * (700 + i - few)}) for i in range(20)]
    text = ("one sentence more, " * 220)[:length]
    assert (
        judged(past, pa.table({"k": ["x"] * 720, "note": [*words[:few], text] + [None] * (719 - few)}))["note"]
        == PASSED
    )


def test_what_is_counted_again_is_other_numbers_and_no_news() -> None:
    """Lines of files: a part of them changes with each release, by a few lines, and once all of them do."""
    rng = np.random.default_rng(5)
    lines = rng.lognormal(8, 1, 120).round()
    past = []
    for i in range(21):
        changed = rng.random(120) < (0.35 if i % 7 == 3 else 0.08)
        lines = lines + changed * rng.integers(1, 6, 120)
        past.append(pa.table({"lines": lines}))
    assert judged(past, pa.table({"lines": lines + rng.integers(1, 6, 120)}))["lines"] == PASSED
    assert judged(past, pa.table({"lines": (lines * 1.2).round()}))["lines"] == VIOLATED


#: Texts of 40 characters, five of them digits and seven capitals, in a table that gains a row with each version.
GROWING = [
    {"row_count": 180.0 + i, "complete_ratio": 1.0, "str_len": 40.0, "digit_len": 5.0, "char_len": 30.0,
     "upper_len": 7.0}
    for i in range(16)
]  # fmt: skip


def joined(before: dict[str, float], others: dict[str, float], new: dict[str, float], rows: int) -> dict[str, float]:
    """The metrics of a batch of the rows before, with what became of their averages, and of so many `new` ones."""
    old = before["row_count"]
    mean = {name: ((before | others)[name] * old + (before | new)[name] * rows) / (old + rows) for name in before}
    return mean | {"row_count": old + rows}


@pytest.mark.parametrize(
    ("others", "status"),
    [
        ({}, PASSED),
        ({"digit_len": 3.0, "char_len": 32.0}, VIOLATED),  # digits became letters
        ({"upper_len": 0.0}, VIOLATED),
    ],
)
@pytest.mark.parametrize("new", [
    {}, {"digit_len": 10.0, "char_len": 25.0}, {"str_len": 100.0, "char_len": 90.0, "digit_len": 0.0},
    {"upper_len": 0.0}, {"upper_len": 40.0},
])  # fmt: skip
def test_a_few_new_rows_do_not_explain_what_became_of_all_others(
    new: dict[str, float], others: dict[str, float], status: str
) -> None:
    """Whatever the new rows are: they have no more digits than characters, and no fewer than none."""
    assert status_of(learn(GROWING, kind="string"), joined(GROWING[-1], others, new, 10), GROWING) == status


def test_rows_that_went_do_not_explain_what_became_of_all_others() -> None:
    left = GROWING[-1] | {"row_count": GROWING[-1]["row_count"] - 4}
    rule = learn(GROWING, kind="string")
    assert status_of(rule, left | {"digit_len": 5.1}, GROWING) == PASSED  # four texts without a digit
    assert status_of(rule, left | {"digit_len": 6.5, "char_len": 28.5}, GROWING) == VIOLATED


def test_rows_of_a_busy_day_explain_no_missing_values() -> None:
    """Days have other rows each, and quiet ones fewer; on Monday as many come as always, a fifth of them empty."""
    rng = np.random.default_rng(2)
    week = (1.0, 1.05, 0.98, 1.02, 1.3, 0.45, 0.35)
    two_days = [900 * (week[day % 7] + week[day % 7 - 1]) * (1 + rng.normal(0, 0.04)) for day in range(49)]
    past = [{"row_count": float(int(n)), "complete_ratio": 1 - rng.binomial(int(n), 0.02) / int(n)} for n in two_days]
    monday = past[-7]
    rule = learn(past)
    for share, status in ((0.98, PASSED), (0.93, VIOLATED), (0.79, VIOLATED)):
        assert status_of(rule, monday | {"complete_ratio": share}, past) == status, share


def test_a_table_of_one_row_that_holds_none_is_told():
    """Bands end at whole rows, and so one of a single row began at none."""
    for rows in ([1] * 31, [1] * 20 + [2] * 11, [3] * 31):
        rule = volume(rows)
        assert with_rows(rule, rows, rows[-1]) == PASSED
        emptied = rule.judge_metrics({"row_count": 0.0}, [{"row_count": float(r)} for r in rows])
        assert emptied.status == VIOLATED
        assert emptied.p_value is None  # no week is too full to tell it
    now_and_then = [1, 0] * 15
    assert with_rows(volume(now_and_then), now_and_then, 0) == PASSED


def test_payloads_that_are_empty_are_missing():
    """Of binary columns as of texts and lists: zero bytes hold nothing."""
    bodies = [f"body {n}".encode() for n in range(400)]
    states = [fold(pa.table({"body": bodies}))] * 20
    series = observed(states)
    (rule,) = learn_history(series, kinds={"body": "binary"}, unused=unused_in(states[-1]), budget=0.001)[-1:]
    assert rule.column == "body"
    for empty, status in ((0, PASSED), (40, VIOLATED), (400, VIOLATED)):
        now = fold(pa.table({"body": [b""] * empty + bodies[empty:]}))
        assert rule.judge(batch_of(states, series, now)).status == status, empty


def test_the_only_row_misses_a_value_that_was_always_there():
    """A table of one row: all of a column, or nothing."""
    filled = [{"row_count": 1.0, "complete_ratio": 1.0, "filled_ratio": 1.0}] * 31
    rule = learn(filled, kind="string")
    assert status_of(rule, filled[0], filled) == PASSED
    assert status_of(rule, filled[0] | {"complete_ratio": 0.0, "filled_ratio": 0.0}, filled) == VIOLATED
    at_times = [one | {"complete_ratio": float(at % 9 > 0)} for at, one in enumerate(filled)]
    rule = learn(at_times, kind="boolean")
    assert rule is None or status_of(rule, at_times[0], at_times) == PASSED
