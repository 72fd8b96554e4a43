"""Rows that were rewritten are judged beside those that they replaced: what nobody means alarms, and why is said; what
somebody may have meant is a warning, or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from past import Past, broken_by

from catalog.causes.diagnose import Diagnosis, diagnose
from catalog.damage.times import swap_day_month
from catalog.history.replaced.changes import Replaced
from catalog.history.series import observe_metrics
from catalog.rules.replaced.figures import with_changes
from catalog.rules.verdict import MEANT, Batch, Verdict
from catalog.states.folding.fold import fold
from catalog.states.table import TableState, merge_all

DAYS, ROWS = 14, 200
START = datetime(2026, 3, 2, 2, tzinfo=UTC)
CITIES = [f"{a}{b}" for a in ("Köln", "Zürich", "Malmö", "Łódź") for b in (" Nord", " Süd", " Ost", " West")]


def orders(day: int) -> pa.Table:
    rng = np.random.default_rng([5, day])
    at = START + timedelta(days=day)
    return pa.table({
        "id": range(ROWS * day, ROWS * (day + 1)),
        "net": rng.lognormal(4, 1, ROWS).round(2),
        "freight": rng.uniform(1, 9, ROWS).round(2),
        "city": rng.choice(CITIES, ROWS),
        "buyer": [f"buyer {k}" for k in rng.integers(0, 9000, ROWS)],
        "state": rng.choice(["open", "paid", "closed"], ROWS),
        "currency": rng.choice(["USD", "GBP"], ROWS),
        "due": [(at + timedelta(days=int(k))).date() for k in rng.integers(3, 30, ROWS)],
        "note": pa.nulls(ROWS, pa.string()),
        "updated_at": pa.array([at] * ROWS, pa.timestamp("us", "UTC")),
    })  # fmt: skip


PAST = Past("orders", orders, DAYS, START + timedelta(days=DAYS))
Rewrite = Callable[[pa.Table], pa.Table]


def put(rows: pa.Table, **columns: Any) -> pa.Table:
    for name, values in columns.items():
        kind = rows.schema.field(name).type
        rows = rows.set_column(rows.column_names.index(name), name, pc.cast(pa.array(values), kind))
    return rows


def of(name: str, change: Callable[[Any], Any], every: int = 1) -> Rewrite:
    """A column of which one row in so many is changed."""

    def rewrite(rows: pa.Table) -> pa.Table:
        old = rows[name].to_pylist()
        return put(rows, **{name: [change(x) if k % every == 0 else x for k, x in enumerate(old)]})

    return rewrite


def batch(rewrite: Rewrite, days: range = range(9, DAYS), before: Rewrite = lambda rows: rows, **more: Any) -> Batch:
    """A version that rewrites the rows of these days, which were as `before` made them."""
    rows = before(pa.concat_tables([orders(day) for day in days]))
    made = rewrite(rows)
    now = fold(made) if len(made) else TableState.empty()
    others = [PAST.states[day] for day in range(DAYS) if day not in days]
    was = fold(rows)
    schema = [[name, column.type] for name, column in was.columns.items()]
    known = {"operation": "UPDATE", "whole": merge_all([*others, now])} | more
    return Batch(DAYS, "rewrite", now, was, schema, PAST.loaded, PAST.series, **known)


def said(one: Batch) -> tuple[list[Verdict], list[Verdict], list[Diagnosis]]:
    """(alarms, warnings, causes)."""
    broken = broken_by(one, PAST.rules)
    loud = [verdict for _, verdict in broken if verdict.p_value != MEANT]
    return loud, [v for _, v in broken if v.p_value == MEANT], diagnose("orders", one, broken, rules=PAST.rules)


def garbled(text: str) -> str:
    return text.encode().decode("latin-1")


def exchanged(rows: pa.Table) -> pa.Table:
    return put(rows, net=rows["freight"].to_pylist(), freight=rows["net"].to_pylist())


def twice(rows: pa.Table) -> pa.Table:
    return pa.concat_tables([rows, rows.slice(0, ROWS)])


BACK = f"take what stood there from version {DAYS - 1}, which still has it"
WRONG: dict[str, tuple[Rewrite, str, set[str], str]] = {
    "times 100": (of("net", lambda x: x * 100), "scale", {"net"}, "divide by 100"),
    "divided by 100": (of("net", lambda x: x / 100), "scale", {"net"}, "multiply by 100"),
    "times 100 in a third": (of("net", lambda x: x * 100, 3), "scale", {"net"}, "divide by 100"),
    "exchanged": (exchanged, "swapped", {"net", "freight"}, "exchange the two columns"),
    "copied": (lambda rows: put(rows, net=rows["freight"].to_pylist()), "swapped", {"net"}, BACK),
    "one text": (lambda rows: put(rows, city=["?"] * len(rows)), "default", {"city"}, BACK),
    "zeros": (lambda rows: put(rows, net=[0.0] * len(rows)), "default", {"net"}, BACK),
    "no value": (of("buyer", lambda x: None), "nulls", {"buyer"}, BACK),
    "garbled": (of("city", garbled), "encoding", {"city"}, BACK),
    "a day later": (of("due", lambda x: x + timedelta(days=1)), "days_moved", {"due"}, "take 1 day away"),
    "day and month": (of("due", lambda x: swap_day_month(x) or x), "day_month", {"due"}, BACK),
    "other keys": (of("id", lambda x: x + 500_000), "identifiers", {"id"}, BACK),
    "rows twice": (twice, "duplicates", set(), "keep each row once"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_nobody_means_alarms_with_its_cause_and_how_it_is_taken_back(what: str) -> None:
    rewrite, cause, columns, undo = WRONG[what]
    loud, _, causes = said(batch(rewrite))
    assert loud
    assert all("expected" in verdict.sentence or "word for word" in verdict.sentence for verdict in loud)
    first = max(causes, key=lambda one: one.cause.confidence).cause
    assert (first.cause, set(first.columns)) == (cause, columns)
    assert first.undo == undo or (undo == BACK and first.undo)


def test_a_table_of_which_all_rows_are_deleted_alarms_and_one_of_which_some_are_does_not() -> None:
    loud, _, causes = said(batch(lambda rows: rows.slice(0, 0), range(DAYS), operation="DELETE"))
    assert [one.sentence for one in loud] == [f"The table: {DAYS * ROWS:,} rows were deleted, none is left."]
    assert causes[0].cause.cause == "volume"
    assert causes[0].cause.sentence.startswith(f"{DAYS * ROWS:,} rows of `orders` were deleted, none is left.")
    assert causes[0].cause.undo == BACK
    old = batch(lambda rows: rows.slice(0, 0), range(3), operation="DELETE")
    assert said(old) == ([], [], [])
    most = said(batch(lambda rows: rows.slice(0, 0), range(9), operation="DELETE"))
    assert (most[0], len(most[1])) == ([], 1), "of most rows somebody may have meant it"


def test_a_state_that_all_rows_of_the_table_have_is_none_that_rows_move_on_to() -> None:
    closed = lambda rows: put(rows, state=["closed"] * len(rows))  # noqa: E731
    some, all_rows = said(batch(closed)), said(batch(closed, range(DAYS)))
    assert (some[0], len(some[1])) == ([], 1)
    assert [one.metric for one in all_rows[0]] == ["set_ratio"]


def forgotten(rows: pa.Table) -> pa.Table:
    return of("buyer", lambda x: "erased", 50)(of("city", lambda x: None, 50)(rows))


def in_another_currency(rows: pa.Table) -> pa.Table:
    return put(rows, net=[x * 163.2 for x in rows["net"].to_pylist()], currency=["JPY"] * len(rows))


QUIET: dict[str, Rewrite] = {
    "filled in": lambda rows: put(rows, note=["seen"] * len(rows)),
    "moves on": of("state", lambda x: {"open": "paid", "paid": "closed"}.get(x, x)),
    "touched": lambda rows: put(rows, updated_at=[PAST.loaded] * len(rows)),
    "touched in part": of("updated_at", lambda x: PAST.loaded, 3),
    "erased": lambda rows: rows.filter(pa.array([k % 40 > 0 for k in range(len(rows))])),
    "forgotten": forgotten,
    "corrected": of("net", lambda x: x * 1.7, 30),
    "as they were": lambda rows: rows,
    "a few days on": of("due", lambda x: x + timedelta(days=1), 12),
}
MAY_BE_MEANT: dict[str, Rewrite] = {
    "a rate": of("net", lambda x: x * 0.92),
    "another currency": in_another_currency,
    "small letters": of("city", str.lower),
}


@pytest.mark.parametrize("what", QUIET)
def test_what_is_done_every_day_is_not_told(what: str) -> None:
    assert said(batch(QUIET[what])) == ([], [], [])


@pytest.mark.parametrize("what", MAY_BE_MEANT)
def test_what_somebody_may_have_meant_is_a_warning_and_none_where_earlier_rewrites_did_as_much(what: str) -> None:
    one = batch(MAY_BE_MEANT[what])
    loud, warnings, _ = said(one)
    assert (loud, len(warnings) > 0) == ([], True)
    kept = with_changes(observe_metrics(one.state, None), one)
    assert said(replace(one, rewrites=[kept])) == ([], [], [])
    assert said(replace(one, rewrites=[None]))[1] == warnings, "of one that was not right nothing is learned"


def test_codes_in_the_place_of_codes_are_other_keys_and_pseudonyms_in_the_place_of_names_are_none() -> None:
    def changes(before: list[str], now: list[str]) -> list[tuple[str, bool]]:
        states = [fold(pa.table({"who": who, "n": range(400)})) for who in (now, before)]
        return [(change.kind, change.fault) for change in Replaced(*states).changes.values()]

    hidden = [hashlib.sha256(str(k).encode()).hexdigest() for k in range(800)]
    assert changes([f"AB{k:05d}" for k in range(400)], [f"ZK{7 * k + 9:05d}" for k in range(400)]) == [
        ("identifiers", True)
    ]
    assert changes(hidden[:400], hidden[400:]) == [("identifiers", True)]
    assert changes([f"person{k}" for k in range(400)], hidden[:400]) == [("values", False)]


def test_times_of_a_part_of_the_rows_move_on_and_marks_of_loads_are_others() -> None:
    """Of a register some rows were seen a day later than before, and nearly all were taken over at another time."""
    seen = [datetime(2026, 3, 1) + timedelta(days=k % 40) for k in range(600)]
    later = [x + timedelta(days=1) if k % 5 == 0 else x for k, x in enumerate(seen)]
    of_few = [f"by hand {k}" for k in range(30)]
    before, now = (
        fold(pa.table({"seen": times, "taken": [mark] * 570 + of_few}))
        for times, mark in ((seen, "first"), (later, "second"))
    )
    assert not any(change.fault for change in Replaced(now, before).changes.values())


def test_what_is_put_right_or_restored_breaks_nothing() -> None:
    wrong = of("net", lambda x: x * 10_000)
    assert said(batch(of("net", lambda x: x / 10_000), before=wrong)) == ([], [], [])
    assert said(batch(of("net", lambda x: x / 100), operation="RESTORE")) == ([], [], [])
    assert said(batch(lambda rows: rows.slice(0, 0), range(DAYS), operation="RESTORE")) == ([], [], [])


def test_nothing_of_a_value_is_in_what_is_said_of_a_rewrite() -> None:
    """A rule hides figures of sensitive columns by the names of its metrics: of these none is a value."""
    for rewrite, _, columns, _ in WRONG.values():
        one = batch(rewrite)
        for rule, verdict in broken_by(one, PAST.rules):
            if rule.column in columns:
                assert rule.private().hide(verdict).sentence == verdict.sentence
                assert "?" not in verdict.sentence
