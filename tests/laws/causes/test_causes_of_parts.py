"""Causes that concern a part of the rows, or what only the column's past or the time of loading tells."""

import hashlib
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from past import Past

from catalog.causes.cause import Cause
from catalog.states.folding.fold import fold

START, DAYS, ROWS = date(2026, 5, 4), 16, 500
GIVEN = "Ida Rolf Uwe Nora Jette Maik Silke Arne Fenja Tomke".split()
FAMILY = "Hansen Petersen Thomsen Lorenzen Carstensen Jessen Brodersen".split()
LOADED = datetime(2026, 5, 21, 2, 30, tzinfo=UTC)  # the night after day 16


def visits(number: int) -> dict[str, list[Any]]:
    """A day at a practice."""
    rng = np.random.default_rng([91, number])
    draw: Callable[[list[str]], list[str]] = lambda of: [str(v) for v in rng.choice(of, ROWS)]  # noqa: E731
    return {
        "visit": [40_000 + ROWS * number + k for k in range(ROWS)],
        "given": draw(GIVEN),
        "family": draw(FAMILY),
        "person": [hashlib.sha256(b"%d" % k).hexdigest() for k in rng.integers(0, 900, ROWS)],
        "weight_kg": [float(v) for v in np.round(rng.normal(76, 13, ROWS), 1)],
        "height_cm": [int(v) for v in rng.normal(171, 9, ROWS)],
        "fee": [float(v) for v in np.round(rng.lognormal(3, 0.6, ROWS), 2)],
        "voucher": [f"{'AB'[k % 2]}{k:02d}" for k in rng.integers(0, 40, ROWS)],
        "diagnosis": [f"{'EJKM'[k % 4]}{k % 90:02d}.{k % 10}" for k in rng.integers(0, 900, ROWS)],
        "share_pct": [float(v) for v in rng.choice([0.0, 5.0, 10.0, 25.0], ROWS)],
        "insured": [bool(v) for v in rng.random(ROWS) < 0.9],
        "stock": [int(v) for v in rng.exponential(60, ROWS)],
        "held": [int(v) for v in rng.poisson(4, ROWS)],
        "billed": [START + timedelta(days=number - int(k)) for k in rng.integers(0, 12, ROWS)],
    }


PAST = Past("visits", lambda number: pa.table(visits(number)), DAYS, LOADED)


def causes(private: tuple[str, ...] = (), **changed: Callable[[int, dict[str, list[Any]]], Any]) -> list[Cause]:
    """What is said of a day of which each named column has another value in each row."""
    rows = visits(DAYS)
    return said_of(rows | {name: [change(k, rows) for k in range(ROWS)] for name, change in changed.items()}, private)


def said_of(rows: dict[str, list[Any]], private: tuple[str, ...] = (), operation: str = "WRITE") -> list[Cause]:
    return PAST.causes(PAST.next(fold(pa.table(rows)), operation=operation), private)


def test_columns_exchanged_in_a_part_of_the_rows_are_one_cause() -> None:
    (said,) = causes(
        given=lambda k, rows: rows["family" if k % 8 == 0 else "given"][k],
        family=lambda k, rows: rows["given" if k % 8 == 0 else "family"][k],
    )
    assert (said.cause, said.columns) == ("swapped", ("family", "given"))
    assert said.sentence.startswith("Values of `visits.family` and `visits.given` are swapped in about 14% of")


def test_values_filled_from_a_column_that_still_has_them_are_no_column_too_many() -> None:
    (said,) = causes(stock=lambda k, rows: rows["held"][k])
    assert said.sentence.startswith("Values in `visits.stock` are those of `held`")
    assert said.sentence.endswith("Probably filled from the wrong column.")


def test_defaults_that_differ_by_column_are_both_told_and_none_of_a_sensitive_one() -> None:
    harm: dict[str, Any] = {
        "fee": lambda k, rows: 0.01 if k % 9 == 0 else rows["fee"][k],
        "voucher": lambda k, rows: "TESTTEST" if k % 9 == 0 else rows["voucher"][k],
    }
    (said,) = causes(**harm)
    assert said.cause == "default"
    assert '"0.01" and "TESTTEST"' in said.sentence
    assert said.sentence.endswith("Probably rows of a test.")
    assert not any("TESTTEST" in one.sentence or "0.01" in one.sentence for one in causes(("voucher",), **harm))


def test_all_flags_alike_are_a_default() -> None:
    (said,) = causes(insured=lambda k, rows: False)
    assert said.cause == "default"
    assert said.sentence == 'All values in `visits.insured` are "false" now, where others were usual.'


def test_a_day_of_loading_is_told_from_a_field_that_was_not_filled() -> None:
    for day, told in ((LOADED.date(), True), (LOADED.date() - timedelta(days=1), True), (date(1970, 1, 1), False)):
        (said,) = causes(billed=lambda k, rows, day=day: day)  # type: ignore[misc]
        assert said.sentence.startswith(f'All values in `visits.billed` are "{day}"')
        assert ("the time of loading in place of their own" in said.sentence) == told


def test_a_counter_that_begins_again_is_no_other_unit() -> None:
    said = causes(visit=lambda k, rows: k + 1)[0]
    assert said.cause == "restarted"
    assert said.sentence.startswith("Numbers in `visits.visit` begin again at 1, having reached 47,999")
    assert all(one.cause != "restarted" for one in causes(visit=lambda k, rows: rows["visit"][k] // 10))
    (hidden,) = causes(("visit",), visit=lambda k, rows: k + 1)
    assert "47,999" not in hidden.sentence


def test_a_part_in_another_unit_is_told_from_values_of_another_column() -> None:
    (said,) = causes(weight_kg=lambda k, rows: round(rows["weight_kg"][k] * (2.20462 if k % 3 == 0 else 1), 1))
    assert (said.cause, said.size["factor"]) == ("scale", 2.20462)


def test_mails_in_clear_where_all_were_hashes_are_named_and_not_quoted() -> None:
    mails = [f"{GIVEN[k % 10].lower()}.kern{k}@mail.example" for k in range(ROWS)]
    (said,) = causes(person=lambda k, rows: mails[k] if k % 5 == 0 else rows["person"][k])
    assert said.cause == "in_clear"
    assert (
        "20% of the values in `visits.person` are e-mail addresses in clear, where each was a SHA-256" in said.sentence
    )
    assert not any(mail in said.sentence for mail in mails)
    one = causes(person=lambda k, rows: "test@example.com" if k % 20 == 0 else rows["person"][k])
    assert all(cause.cause != "in_clear" for cause in one)


def test_percentages_a_hundred_times_smaller_are_shares() -> None:
    (said,) = causes(share_pct=lambda k, rows: rows["share_pct"][k] / 100)
    assert "Percentages in `visits.share_pct` are about 1/100 times" in said.sentence
    assert said.sentence.endswith("Probably shares instead of per cents.")


def test_a_separator_that_is_gone_is_named() -> None:
    harm: dict[str, Any] = {"diagnosis": lambda k, rows: rows["diagnosis"][k].replace(".", "")}
    (said,) = causes(**harm)
    assert said.cause == "separators"
    assert said.sentence.startswith('Values in `visits.diagnosis` have no "." any more')
    (other,) = causes(diagnosis=lambda k, rows: rows["diagnosis"][k].replace(".", "-"))
    assert other.sentence.startswith('Values in `visits.diagnosis` have "-" in place of "."')
    (hidden,) = causes(("diagnosis",), **harm)
    assert hidden.sentence.startswith('Values in `visits.diagnosis` have no "." any more')
    assert "became" not in hidden.sentence


def test_rows_multiplied_by_a_join_explain_the_sums_that_they_move() -> None:
    rows = visits(DAYS)
    often = [1 + min(int(fee / 15), 3) for fee in rows["fee"]]  # a row for each item: the more, the higher the fee
    (said,) = said_of(
        {name: [v for v, n in zip(of, often, strict=True) for _ in range(n)] for name, of in rows.items()}
    )
    assert (said.cause, said.key) == ("duplicates", "part_twice")
    repeats = 1 - len(often) / sum(often)  # never more than all rows
    assert said.sentence.startswith(f"About {repeats:.0%} of the rows of `visits` repeat others (")
    assert said.sentence.endswith("Probably rows that a join multiplied: some came more than twice.")
    (again,) = said_of({name: [*of, *of[: ROWS // 2]] for name, of in rows.items()})
    assert again.sentence.endswith("loaded twice.")


def test_rows_that_a_delete_took_were_not_lost_by_a_load() -> None:
    few = {name: of[: ROWS // 2] for name, of in visits(DAYS).items()}
    for operation, told in (
        ("WRITE", "Probably a load that broke off."),
        ("DELETE", "They were deleted by hand or by"),
    ):
        said = said_of(few, operation=operation)[0]
        assert said.cause == "volume"
        assert told in said.sentence


def test_figures_of_one_column_are_not_said_of_several() -> None:
    cents: dict[str, Any] = {name: lambda k, rows, name=name: rows[name][k] * 100 for name in ("fee", "weight_kg")}
    (both,), (one,) = causes(**cents), causes(fee=cents["fee"])
    assert set(both.columns) == {"fee", "weight_kg"}
    assert "median" not in both.sentence
    assert "(median " in one.sentence


def test_how_far_numbers_moved_is_said_only_of_columns_that_moved_alike() -> None:
    by = lambda n, name: lambda k, rows: rows[name][k] + n  # noqa: E731
    (alike,) = causes(stock=by(7_000, "stock"), held=by(7_000, "held"))
    assert "larger than usual by about 7,0" in alike.sentence
    (apart,) = causes(stock=by(7_000, "stock"), held=by(900, "held"))
    assert set(apart.columns) == {"stock", "held"}
    assert apart.sentence.startswith("Numbers in `visits.stock` and `visits.held` are larger than usual")
    assert ("by about" in apart.sentence, apart.undo) == (False, "")
    sides = causes(stock=by(7_000, "stock"), held=by(-900, "held"))
    assert sorted(one.columns for one in sides) == [("held",), ("stock",)]
