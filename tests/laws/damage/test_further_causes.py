"""Causes of what no drill does: values coded or written in another way, sentinels, other units, times moved."""

import zlib
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from past import Past, observed

from catalog.causes.cause import Cause
from catalog.causes.diagnose import diagnose
from catalog.causes.guesses import numbers
from catalog.causes.proof import mended
from catalog.damage.times import shifted
from catalog.history.series import observe_metrics
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.kinds.schema import SchemaRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

START = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = 20
RANDOM = np.random.default_rng(8)


def slug(rng: np.random.Generator) -> str:
    return "_".join(rng.choice(["late", "torn", "wet", "lost", "new", "paid"], 3))


def day(number: int, rows: int = 600) -> pa.Table:
    """A day of a library's loans."""
    rng = np.random.default_rng([29, number])
    lent = [START + timedelta(days=number, hours=float(h)) for h in rng.normal(12, 2.5, rows).clip(5, 20)]
    return pa.table(
        {
            "loan": [f"L-{90_000 + 900 * number + k}" for k in range(rows)],
            "branch": [str(v) for v in rng.choice(["north", "south", "mobile"], rows, p=[0.6, 0.3, 0.1])],
            "shelf": [f"{'ABC'[k % 3]}{k:03d}" for k in rng.integers(0, 999, rows)],
            "phone": [f"+44 1{k:09d}" for k in rng.integers(0, 10**9, rows)],
            "card": [f"{k:012d}" for k in rng.integers(10**11, 10**12, rows)],
            "host": [".".join(map(str, four)) for four in rng.integers(1, 255, (rows, 4))],
            "due": [f"{START + timedelta(days=number + int(k)):%Y-%m-%d}" for k in rng.integers(5, 60, rows)],
            "fee": np.round(rng.lognormal(1, 0.5, rows), 2),
            "room_celsius": np.round(rng.normal(20, 2, rows), 1),
            "copies": rng.poisson(2, rows) + 1,
            "lent": lent,
            "back": [t + timedelta(hours=float(h)) for t, h in zip(lent, 2 + rng.exponential(5, rows), strict=True)],
            "note": [slug(rng) if k < 0.03 else None for k in rng.random(rows)],
            "fine": [float(f"{rng.lognormal(2, 1):.2f}") if k < 0.04 else None for k in rng.random(rows)],
        }
    )  # fmt: skip


PAST = Past("loans", day, DAYS, START)


def causes(table: pa.Table) -> list[Cause]:
    return PAST.causes(PAST.next(fold(table)))


def changed(column: str, change: Callable[[Any], Any], every: int = 1) -> pa.Table:
    table = day(DAYS)
    cells = [change(v) if k % every == 0 else v for k, v in enumerate(table[column].to_pylist())]
    at = table.schema.get_field_index(column)
    return table.set_column(at, table.schema.field(at), pa.array(cells, table.schema.field(at).type))


CASES: list[tuple[str, Callable[[Any], Any], int, str, str]] = [
    ("branch", {"north": "1", "south": "2", "mobile": "3"}.get, 1, "new_values", '"1", "2", "3" in place of "north"'),
    ("branch", {"north": "Nord", "south": "Süd", "mobile": "Bus"}.get, 1, "new_values", "others than before"),
    ("branch", str.title, 1, "case", "begin with a capital"),
    ("branch", lambda v: "van", 3, "new_values", '"van"'),
    ("branch", lambda v: "N/A", 16, "default", '"N/A"'),
    ("branch", lambda v: "north", 1, "default", 'are "north" now, where others were usual'),
    ("phone", lambda v: v.replace("+44 ", "0"), 1, "prefix", ""),
    ("card", lambda v: f"{v[:4]} {v[4:8]} {v[8:]}", 1, "separators", ""),
    ("card", lambda v: f"{v}.0", 1, "suffix", ""),
    ("card", lambda v: v[:7], 1, "cut", ""),
    ("host", lambda v: f"{v}:443", 1, "suffix", 'have ":443" behind'),
    ("shelf", lambda v: f"https://shelves.example/{v}", 1, "prefix", "in front"),
    ("due", lambda v: f"{v}T00:00:00", 1, "date_format", "in another form"),
    ("due", lambda v: f"{date.fromisoformat(v):%d-%b-%Y}", 1, "date_format", "in another form"),
    ("due", lambda v: str(int(datetime.fromisoformat(v).replace(tzinfo=UTC).timestamp())), 1, "date_format", ""),
    ("due", lambda v: "9999-12-31", 3, "default", '33% of the values in `loans.due` are "9999-12-31"'),
    ("card", lambda v: f"77{v}", 1, "prefix", 'have "77" in front'),
    ("shelf", lambda v: v.replace("0", "O"), 1, "digits_letters", "written as the letter O"),
    ("copies", lambda v: -(-v // 5) * 5, 1, "rounded", "are multiples of 5 now"),
    ("due", lambda v: f"{v[:3]}{v[4]}{v[3]}{v[5:]}", 3, "transposed", "are swapped"),
    ("branch", lambda v: v.ljust(8), 1, "spaces", "have white space behind them"),
    ("phone", lambda v: v.removeprefix("+44 "), 1, "prefix", 'have no "+44 " in front'),
    ("fee", lambda v: v * 12, 1, "scale", "about 12 times"),
    ("fee", lambda v: v / 24, 1, "scale", "Probably days instead of hours."),
    ("fee", lambda v: v * 1e6, 1, "scale", "about 1,000,000 times"),
    ("fee", lambda v: -999.0, 40, "default", '"-999.0"'),
    ("copies", lambda v: -1, 12, "default", '"-1"'),
    ("fee", lambda v: float("nan"), 4, "nulls", "NaN"),
    (
        "note",
        lambda v: slug(RANDOM).replace("_", "")[:9],
        1,
        "filled",
        "100% of the rows hold a value in `loans.note`, usually",
    ),
    ("fine", lambda v: v or float(RANDOM.integers(1, 90)), 1, "filled", "hold a value in `loans.fine`"),
    ("fine", lambda v: v or 0.0, 1, "default", '"0.0"'),
    ("room_celsius", lambda v: v + 273.15, 1, "scale", "273.15 more"),
    ("room_celsius", lambda v: v - 50_000, 1, "scale", "smaller than usual by about 50,000"),
    ("room_celsius", lambda v: v + 9, 1, "scale", "larger than usual by about 8.8"),
    ("lent", lambda v: v + timedelta(hours=3), 1, "time_zone", "`loans.lent` are 3 hours later"),
    ("lent", lambda v: v + timedelta(days=1), 1, "days_moved", "`loans.lent` are 1 day later"),
    ("back", lambda v: v + timedelta(days=1), 1, "days_moved", "`loans.back` are 1 day later"),
    ("back", lambda v: v - timedelta(hours=3), 1, "time_zone", " hours earlier in the day"),
    ("back", lambda v: v + timedelta(days=365), 1, "days_moved", "`loans.back` are 365 days later"),
]


@pytest.mark.parametrize(
    ("column", "change", "every", "cause", "words"), CASES, ids=[f"{c[0]} {c[3]} {k}" for k, c in enumerate(CASES)]
)
def test_what_no_drill_does_is_named(
    column: str, change: Callable[[Any], Any], every: int, cause: str, words: str
) -> None:
    found = causes(changed(column, change, every))
    assert [one.cause for one in found] == [cause], [one.sentence for one in found]
    assert words in found[0].sentence
    assert found[0].columns == (column,)


@pytest.mark.parametrize("state", [TableState.empty(), fold(day(DAYS).slice(0, 0))], ids=["no file", "a file of none"])
def test_a_delivery_without_rows_is_empty_and_has_its_columns(state: TableState) -> None:
    batch = PAST.next(state, "snapshot")
    (found,) = PAST.causes(batch)
    assert (found.cause, found.columns) == ("volume", ())
    assert found.sentence.startswith("`loans` is empty (usual 600")
    assert not any("is not in this version" in rule.judge(batch).sentence for rule in PAST.rules)


def test_identifiers_that_come_again_are_seen() -> None:
    again = iter(day(DAYS - 1)["loan"].to_pylist())
    (found,) = causes(changed("loan", lambda v: next(again)))
    assert (found.cause, found.columns) == ("reused", ("loan",))
    assert "were in the batch before already" in found.sentence


def test_a_clean_day_has_none() -> None:
    assert causes(day(DAYS)) == []


def test_all_times_the_same_are_no_change_of_time_zone() -> None:
    (first, *_) = causes(changed("lent", lambda v: datetime(2026, 1, 5, 2, tzinfo=UTC)))
    assert first.cause == "default"
    assert "hours earlier" not in first.sentence


def test_numbers_that_are_capped_have_not_lost_their_decimals() -> None:
    (first, *_) = causes(changed("fee", lambda v: max(v, 3.0)))
    assert first.cause == "default"
    assert 'end at "3.0"' in first.sentence
    assert "limit on the way" in first.sentence


def test_the_others_are_gone_though_one_number_was_frequent() -> None:
    days = [fold(pa.table({"status": [200] * 540 + [404, 500, 301] * 20, "n": range(k, k + 600)})) for k in range(20)]
    series = observed(days)
    now = fold(pa.table({"status": [200] * 600, "n": range(20, 620)}))
    rules = learn_history(series, kinds={"status": "number", "n": "number"}, unused=unused_in(days[-1]), budget=0.001)
    batch = Batch(20, "snapshot", now, days[-1], [], START, series)
    broken = [(rule, v) for rule in rules if rule.column == "status" and (v := rule.judge(batch)).status == VIOLATED]
    assert [one.cause.cause for one in diagnose("log", batch, broken, rules=rules)][:1] == ["default"]


def test_years_of_two_digits_are_another_form_and_not_cut() -> None:
    (first, *_) = causes(changed("due", lambda v: f"{v[8:]}/{v[5:7]}/{v[2:4]}"))
    assert first.cause == "date_format"


def test_separators_written_twice_are_separators() -> None:
    (first, *_) = causes(changed("host", lambda v: v.replace(".", "..")))
    assert first.cause == "separators"


def test_half_of_yesterday_delivered_again_is_an_old_delivery() -> None:
    (first, *_) = causes(pa.concat_tables([day(DAYS).slice(300), day(DAYS - 1).slice(0, 300)]))
    assert first.cause == "stale"
    assert "of the rows of `loans` were in the batch before already" in first.sentence


def test_other_codes_have_not_changed_places() -> None:
    found = causes(changed("shelf", lambda v: f"{zlib.crc32(v.encode()):08x}{zlib.crc32(v[::-1].encode()):08x}"))
    assert all(one.cause != "transposed" for one in found)


@pytest.mark.parametrize(
    ("column", "change", "words"),
    [
        ("loan", lambda v: v + ".0", "read as numbers on the way"),
        ("loan", lambda v: v + "\r", "line ends of another system"),
        ("card", lambda v: "'" + v, "spreadsheet's mark for text"),
    ],
)
def test_what_stands_around_values_says_where_it_is_from(column: str, change: Callable[[Any], Any], words: str) -> None:
    (first, *_) = causes(changed(column, change))
    assert words in first.sentence


def test_shares_become_per_cents_and_no_cents() -> None:
    days = [
        fold(pa.table({"humidity": np.round(np.random.default_rng(k).beta(6, 4, 600), 3), "n": range(600)}))
        for k in range(21)
    ]
    series = observed(days[:20])
    now = fold(pa.table({"humidity": 100 * np.random.default_rng(30).beta(6, 4, 600), "n": range(600)}))
    rules = learn_history(series, kinds={"humidity": "number", "n": "number"}, unused=unused_in(days[19]), budget=0.001)
    batch = Batch(20, "increment", now, days[19], [], START, series)
    broken = [(rule, v) for rule in rules if (v := rule.judge(batch)).status == VIOLATED]
    (first, *_) = diagnose("air", batch, broken, rules=rules)
    assert first.cause.sentence.endswith("Probably per cents instead of shares.")


def test_a_column_of_another_name_is_said_to_be_so() -> None:
    """By column mapping the files are as they were: the rows know nothing of it."""
    before, now = (fold(pa.table({"id": range(first, first + 50)})) for first in (0, 50))
    batch = Batch(2, "increment", now, before, [], START, [observe_metrics(before, None)])
    said = Verdict(VIOLATED, "", {"damage": ["column 'operator' was renamed to 'technician'"]})
    (found,) = diagnose("calibration", batch, [(Rule("schema", None, {}, 0.0, "", "test"), said)])
    assert found.cause.cause == "schema"
    assert found.cause.sentence == (
        "Columns of `calibration` have changed: column 'operator' was renamed to 'technician'."
    )


def test_what_breaks_in_columns_that_changed_is_one_cause_where_no_batch_came_before() -> None:
    """Rows that were rewritten are compared with none; what checks say of the columns is of one cause all the same."""
    old = [["id", "bigint"], ["amount", "double"], ["currency", "string"]]
    now = fold(pa.table({"id": range(50), "amount": ["1.5"] * 50, "curr": ["EUR"] * 50}))
    new = [["id", "bigint"], ["amount", "string"], ["curr", "string"]]
    batch = Batch(2, "rewrite", now, None, new, START, None)
    rule = SchemaRule("schema", None, {"columns": old}, 0.0, "", "schema")
    check = Verdict(VIOLATED, "It cannot be judged: there is no such column.")
    checks = [(Rule("declared", name, {}, 0.0, "", f"declared:{name}"), check) for name in ("amount", "currency", "id")]
    first, *others = diagnose("orders", batch, [(rule, rule.judge(batch)), *checks])
    assert first.cause.cause == "schema"
    assert set(first.covers) == {"", "amount", "currency"}
    assert "'currency' is gone" in first.cause.sentence
    assert [one.covers for one in others] == [("id",)]


def test_rows_that_were_rewritten_are_no_old_delivery() -> None:
    """They are compared with those that they replaced, and these were there: that is what a MERGE does."""
    days = [
        {"order": list(range(300 * k, 300 * k + 300)), "state": [("paid", "open", "late")[i % 3] for i in range(300)]}
        for k in range(8)
    ]
    states = [fold(pa.table(one)) for one in days]
    past = [observe_metrics(now, before) for before, now in zip([None, *states], states, strict=False)]
    typed = fold(pa.table({**days[2], "state": ["piad"] * 6 + days[2]["state"][6:]}))
    batch = Batch(8, "rewrite", typed, states[2], [], START, past[1:])
    said = Verdict(VIOLATED, "6 of 300 rows are no state.", {"value": 0.98}, {}, "is_in", 0.98, 1.0, 1.0)
    [found] = diagnose("orders", batch, [(Rule("declared", "state", {}, 0.0, "", "declared:states"), said)])
    assert (found.cause.cause, found.covers) == ("typo", ("state",))
    first = Batch(8, "rewrite", states[0], states[0], [], START, past[1:])
    [found] = diagnose("orders", first, [(Rule("declared", "order", {}, 0.0, "", "declared:once"), said)])
    assert found.cause.cause == "unknown"


def test_temperatures_are_not_pounds() -> None:
    """Of 50 to 80 degrees, 9/5 as many and 32 more are nearly 2.2 times as many."""
    rng = np.random.default_rng(5)
    days = [rng.normal(60, 7, 400) for _ in range(2)]
    before, now = (fold(pa.table({"temperature": x})) for x in (days[0], days[1] * 1.8 + 32))
    batch = Batch(2, "increment", now, before, [], START, [observe_metrics(before, None)])
    said = Verdict(VIOLATED, "", {"mean": 140.0}, {"mean": [50.0, 70.0]}, "mean", 140.0, 50.0, 70.0)
    (found,) = diagnose("readings", batch, [(Rule("history", "temperature", {}, 0.0, "", "test"), said)])
    assert found.cause.key == "fahrenheit"


@pytest.mark.parametrize(("by", "words"), [(1.0, "larger than usual by about 0.99"), (273.15, "")])
def test_decimals_that_are_all_more_are_taken_back(by: float, words: str) -> None:
    """Of decimals a binary number cannot be taken away."""
    rng = np.random.default_rng(6)
    kind = pa.decimal128(9, 6)
    days = [pa.array([Decimal(f"{x:.6f}") for x in rng.normal(at, 0.02, 60)], kind) for at in (0.0, by)]
    before, now = (fold(pa.table({"shift": x})) for x in days)
    batch = Batch(2, "increment", now, before, [], START, [observe_metrics(before, None)])
    said = Verdict(VIOLATED, "", {"mean": by}, {"mean": [-0.1, 0.1]}, "mean", by, -0.1, 0.1)
    rule = HistoryRule("history", "shift", {"clauses": [], "kind": "number"}, 0.001, "", "history")
    (found,) = diagnose("calibration", batch, [(rule, said)], rules=[rule])
    assert found.cause.cause == "scale"
    assert words in found.cause.sentence


def test_rates_the_other_way_round() -> None:
    rng = np.random.default_rng(7)
    rates = np.array([1.17, 0.87, 0.93, 172.0, 11.2, 7.46, 4.25, 24.3, 390.0, 1.63, 1640.0, 20.2, 3.9, 49.0, 8.3] * 4)
    before, now = (pa.table({"rate": some}) for some in (rates, 1 / (rates * rng.normal(1, 0.004, len(rates)))))
    found = of_numbers(before, now)
    assert (found.key, found.undo) == ("inverted", "divide one by each")
    assert found.sentence.startswith("Rates in `t.rate` are one divided by what they were")


def test_a_sensor_that_stands_still() -> None:
    """One of twelve; the others warm up and cool down as they do, and were warmer by a degree that day."""
    rng = np.random.default_rng(8)
    before, now = (np.round(rng.normal(at, 5, 6000), 2) for at in (60, 61))
    now[:500] = 63.27
    found = of_numbers(pa.table({"heat": before}), pa.table({"heat": now}))
    assert (found.cause, found.size["value"]) == ("default", 63.27)
    assert found.sentence == (
        '8.2% of the values in `t.heat` are "63.27", which is not usual there. '
        "Probably a field that was not filled, or a measurement that stands still."
    )


def test_of_a_sensitive_column_a_figure_is_said_that_reveals_no_value() -> None:
    before, now = (fold(pa.table({"x": np.random.default_rng(seed).lognormal(3, 1, 300)})) for seed in (3, 4))
    batch = Batch(2, "increment", now, before, [], START, [observe_metrics(before, None)])
    for metric, told in (("dist_val_count", ": 9 different values, expected 100 to 300."), ("max", ".")):
        broken = Verdict(VIOLATED, "", {metric: 9.0}, {metric: [100.0, 300.0]}, metric, 9.0, 100.0, 300.0)
        (found,) = diagnose("t", batch, [(Rule("history", "x", {}, 0.0, "", "test"), broken)], private=["x"])
        assert found.cause.sentence == "Values in `t.x` are not what they usually are" + told


def of_numbers(before: pa.Table, now: pa.Table) -> Cause:
    """The cause of what broke in the one column of a table."""
    states = fold(before), fold(now)
    batch = Batch(2, "increment", states[1], states[0], [], START, [observe_metrics(states[0], None)])
    said = Verdict(VIOLATED, "", {"mean": 9.0}, {"mean": [1.0, 2.0]}, "mean", 9.0, 1.0, 2.0)
    (found,) = diagnose("t", batch, [(Rule("history", before.column_names[0], {}, 0.0, "", "test"), said)])
    return found.cause


def test_of_many_values_that_are_gone_all_are_counted_and_what_is_left_is_no_rewriting() -> None:
    """Three are named; what numbers are left lie where all did."""
    rng = np.random.default_rng(11)
    language = [str(one) for one in rng.choice([f"lang {k}" for k in range(13)], 1300)]
    names = [f"repo {k}" for k in range(1300)]
    whole = pa.table({"language": language, "forks": rng.lognormal(7, 1.5, 1300).astype(int), "name": names})
    left = whole.filter(pa.array([one in ("lang 0", "lang 1", "lang 2") for one in language]))
    grown = [
        int(k) + int(more)
        for k, more in zip(left["forks"].to_pylist(), rng.integers(1, 60, left.num_rows), strict=True)
    ]
    left = left.set_column(1, "forks", pa.array(grown))
    before, now = fold(whole), fold(left)
    batch = Batch(2, "snapshot", now, before, [], START, [observe_metrics(before, None)] * 3)
    few = Verdict(
        VIOLATED, "", {"row_count": 300.0}, {"row_count": [1200.0, 1400.0]}, "row_count", 300.0, 1200.0, 1400.0
    )
    moved = Verdict(VIOLATED, "", {"mean": 900.0}, {"mean": [2000.0, 4000.0]}, "mean", 900.0, 2000.0, 4000.0)
    rules = [(Rule("volume", None, {}, 0.0, "", "test"), few), (Rule("history", "forks", {}, 0.0, "", "test"), moved)]
    (found,) = diagnose("repos", batch, rules)
    assert found.cause.cause == "part_missing"
    assert "or one of 7 more values in `language` are missing" in found.cause.sentence
    (hidden,) = diagnose("repos", batch, rules, private=["language"])
    assert "with one of 10 values in `language`" in hidden.cause.sentence


def test_what_a_mend_leaves_alone_stays_in_the_state() -> None:
    """Hours are nothing that days could be moved by."""
    days = fold(pa.table({"on": [date(2026, 3, 2), date(2026, 3, 3)] * 20})).columns["on"]
    assert mended(days, shifted(-2)) == days


def test_a_factor_of_a_twentieth_of_whole_numbers_is_read_off_their_decimals() -> None:
    """How all are spread tells it from others too little where other numbers came beside; half numbers tell nothing."""
    counts = np.random.default_rng(5).poisson(4, 1600) + 1
    grown = np.random.default_rng(6).poisson(4, 1700) + 1
    few = np.arange(1700) % 20 == 0
    column: Callable[[Any], ColumnState] = lambda values: fold(pa.table({"c": values})).columns["c"]  # noqa: E731
    before = column(counts)
    pounds, halves = (column(np.where(few, grown * by, grown.astype(float))) for by in (2.20462, 0.5))
    best, *_ = numbers.guesses(pounds, before, {}, {})
    assert (best.key, best.credible, best.share < 0.1) == ("scale_2.20462", True, True)
    assert not [g for g in numbers.guesses(halves, before, {}, {}) if g.sure is not None]
