"""Causes of damaged versions: each kind is named, with its size, its sentence, and its proof; a clean one has none."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from past import Past, broken_by

from catalog.causes import TITLES, Cause
from catalog.causes.diagnose import Diagnosis, diagnose
from catalog.causes.guesses import numbers, strings, times
from catalog.causes.guesses.tables import guesses as tables_guesses
from catalog.causes.words import Seen, sentence
from catalog.damage import DAMAGE_KINDS, STRINGS, TABLES
from catalog.damage.times import swap_day_month
from catalog.history.series import observe_metrics
from catalog.learners.keys import learn_keys
from catalog.learners.schema import learn_schema
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold

START = datetime(2026, 3, 2, tzinfo=UTC)
BY_KEY = {kind.key: kind for kind in TABLES}
DAYS = 16


def day(number: int, rows: int = 700) -> pa.Table:
    """One day of a shop's payments."""
    rng = np.random.default_rng([5, number])
    opened = [START + timedelta(days=number, hours=float(h)) for h in rng.normal(13, 2, rows).clip(6, 20)]
    return pa.table(
        {
            "id": [f"PAY-{number:03d}-{k:04d}" for k in range(rows)],
            "amount": np.round(rng.lognormal(4, 0.5, rows), 2),
            "state": [str(v) for v in rng.choice(["shipped", "packed", "returned"], rows, p=[0.6, 0.3, 0.1])],
            "country": [str(v) for v in rng.choice(["DE", "FR", "NL", "PL"], rows, p=[0.5, 0.2, 0.2, 0.1])],
            "due": [f"2026-{k // 28 % 12 + 1:02d}-{k % 28 + 1:02d}" for k in rng.integers(0, 336, rows)],
            "street": [f"Straße {k}" for k in rng.integers(0, 500, rows)],
            "opened": opened,
            "closed": [t + timedelta(hours=float(h)) for t, h in zip(opened, rng.exponential(4, rows), strict=True)],
        }
    )  # fmt: skip


PAST = Past("payments", day, DAYS, START)


@cache
def rules() -> list[Rule]:
    schema = learn_schema([(PAST.next(PAST.states[0]).schema, None)] * DAYS)
    return [*PAST.rules, *learn_keys(PAST.series, "payments", PAST.kinds), *([schema] if schema else [])]


def said(table: pa.Table, private: Sequence[str] = (), handed: str = "") -> list[Diagnosis]:
    """What is said of a day; a column that is `handed` over is one of which a rule of another kind broke."""
    batch = PAST.next(fold(table))
    broken = broken_by(batch, rules())
    if not broken and handed:
        broken = [(Rule("pattern", handed, {}, 0.001, "", "test"), Verdict(VIOLATED, "Values are unlike before."))]
    return diagnose("payments", batch, broken, rules=rules(), private=private)


def only(table: pa.Table, private: Sequence[str] = (), handed: str = "") -> Cause:
    found = said(table, private, handed)
    assert len(found) == 1, [one.cause for one in found]
    return found[0].cause


def damaged(key: str, column: str, share: float = 1.0, seed: int = 1) -> pa.Table:
    table = day(DAYS)
    at = table.schema.get_field_index(column)
    values = DAMAGE_KINDS[key].damage(table[column].to_pylist(), np.random.default_rng(seed), share)
    assert values is not None
    return table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type))


def test_a_clean_day_has_no_cause() -> None:
    assert said(day(DAYS)) == []


COLUMNS = {
    "scale_100": "amount", "scale_1/1000": "amount", "sign": "amount", "rounded": "amount", "default_number": "amount",
    "zone": "opened", "default_time": "opened", "time_lost": "opened", "time_cut": "opened", "day_month": None,
    "decimal_comma": None, "decimal_point": None, "thousands": None, "zeros_lost": None, "check_digit": None,
    "excel_number": None, "excel_date": None, "letter_as_digit": None, "mojibake": "street", "replaced": "street",
    "html": "street", "url": "street", "typo": "state", "upper": "country", "lower": "country",
    "iso_to_european": "due", "iso_to_american": "due", "iso_compact": "due", "excel_serial": "due",
    "transposed": "state",
}  # fmt: skip
CASES = [(kind.key, COLUMNS.get(kind.key, "id")) for kind in STRINGS if COLUMNS.get(kind.key, "id")]
CASES += [(key, column) for key, column in COLUMNS.items() if column in ("amount", "opened")]
CASES = [(key, "state" if key == "upper" else column) for key, column in CASES]


@pytest.mark.parametrize(("key", "column"), CASES, ids=[key for key, _ in CASES])
def test_each_kind_of_damage_is_named(key: str, column: str) -> None:
    cause = only(damaged(key, column), handed=column)
    assert cause.cause == DAMAGE_KINDS[key].cause
    assert cause.columns == (column,)
    assert f"`payments.{column}`" in cause.sentence
    assert cause.sentence.endswith(".")
    assert cause.confidence >= 0.7
    assert cause.cause in TITLES


@pytest.mark.parametrize("key", ["upper", "quotes", "space_behind", "iso_to_european"])
def test_part_of_the_rows_is_enough(key: str) -> None:
    column = {"upper": "state", "iso_to_european": "due"}.get(key, "id")
    cause = only(damaged(key, column, share=0.3))
    assert cause.cause == DAMAGE_KINDS[key].cause
    assert 0.2 < cause.size["share"] < 0.4


def test_zeros_are_lost_behind_a_prefix_too() -> None:
    table = day(DAYS)
    ids = [re.sub(r"-0+(\d+)$", r"-\1", value) for value in table["id"].to_pylist()]
    cause = only(table.set_column(0, "id", pa.array(ids)), handed="id")
    assert (cause.cause, cause.columns) == ("leading_zeros", ("id",))
    assert cause.sentence.startswith("Values in `payments.id` have lost their leading zeros (")


def test_single_numbers_of_the_other_sign_are_told_as_such() -> None:
    table = day(DAYS)
    amounts = [-value if k % 100 == 0 else value for k, value in enumerate(table["amount"].to_pylist())]
    at = table.schema.get_field_index("amount")
    cause = only(table.set_column(at, table.schema.field(at), pa.array(amounts)), handed="amount")
    assert (cause.cause, cause.columns) == ("sign", ("amount",))
    assert "have the other sign in about 1.3% of the rows" in cause.sentence


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: kind.key)
def test_damage_to_rows_is_named(kind: object) -> None:
    assert hasattr(kind, "damage")
    done = kind.damage(day(DAYS), np.random.default_rng(3), day(DAYS - 1))
    assert done is not None
    found = said(done.table)
    assert [one.cause.cause for one in found] == [kind.cause]
    if done.columns and kind.key != "columns_shifted":
        assert set(found[0].cause.columns) == set(done.columns) or kind.cause in ("schema", "part_missing")


def test_the_sentence_of_an_amount_in_cents() -> None:
    cause = only(damaged("scale_100", "amount"))
    assert cause.sentence.startswith(
        "Amounts in `payments.amount` are about 100 times their usual size and have lost their decimals (median 5,"
    )
    assert "; usual 5" in cause.sentence
    assert cause.sentence.endswith("Probably cents.")
    assert cause.undo == "divide by 100"
    assert cause.proof.startswith("Divide by 100: all ")
    assert cause.proof.endswith(" metrics are back in their expected ranges.")
    assert cause.size["factor"] == 100


def test_what_is_named_in_sentences() -> None:
    typo = only(damaged("typo", "state")).sentence
    assert "looks like" in typo
    done = BY_KEY["part_missing"].damage(day(DAYS), np.random.default_rng(0))
    assert done is not None
    assert f'"{done.detail["value"]}" in `{done.columns[0]}`' in only(done.table).sentence
    zone = only(damaged("zone", "opened", seed=6))
    hours = zone.size["hours"]
    assert f"{abs(hours)} hour" in zone.sentence
    assert ("later" if hours > 0 else "earlier") in zone.sentence


def test_nothing_of_a_sensitive_column_is_said() -> None:
    values = set(day(DAYS)["state"].to_pylist())
    for key in ("typo", "default_text", "upper", "last_cut"):
        cause = only(damaged(key, "state"), ["state"])
        told = cause.sentence + cause.proof + str(cause.size)
        assert not any(value.lower() in told.lower() for value in values), told
    cause = only(damaged("scale_100", "amount"), ["amount"])
    assert "median" not in cause.sentence


def test_what_nothing_explains_says_what_broke() -> None:
    """Of a rule on strings what it says first; of a sensitive column nothing where no clause says it without values."""
    told = "3 of 700 values (0.4%) are not “PAY” and digits, expected none; mostly this before, now also that."
    rule, verdict = Rule("pattern", "id", {}, 0.001, "", "test"), Verdict(VIOLATED, told)
    verdict = replace(verdict, metric="nonconforming", value=0.004, low=0.0, high=0.0)
    batch = PAST.next(fold(day(DAYS)))
    (found,) = diagnose("payments", batch, [(rule, verdict)], rules=rules())
    assert found.cause.cause == "unknown"
    assert found.cause.sentence.endswith("usually are: 3 of 700 values (0.4%) are not “PAY” and digits, expected none.")
    (hidden,) = diagnose("payments", batch, [(rule, verdict)], rules=rules(), private=["id"])
    assert hidden.cause.sentence.endswith("are not what they usually are.")


def test_two_causes_are_two_and_one_cause_of_two_columns_is_one() -> None:
    table = damaged("scale_100", "amount")
    due = damaged("iso_to_european", "due")["due"]
    both = table.set_column(table.schema.get_field_index("due"), "due", due)
    assert {one.cause.cause for one in said(both)} == {"scale", "date_format"}
    upper = damaged("lower", "country").set_column(0, "id", damaged("lower", "id")["id"])
    cause = only(upper)
    assert set(cause.columns) == {"country", "id"}


def test_a_cause_survives_json() -> None:
    import json

    cause = only(damaged("scale_100", "amount"))
    assert json.loads(json.dumps(cause.to_json()))["columns"] == ["amount"]


def ean(body: str) -> str:
    return body + str(-sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(body)) % 10)


def column(values: Sequence[object]) -> pa.Table:
    return pa.table({"x": values})


def first_guess(now: Sequence[object], before: Sequence[object], **others: Sequence[object]) -> str:
    """The cause of the best guess at what happened to a column of strings."""
    past = {name: fold(column(values)).columns["x"] for name, values in others.items()}
    old = fold(column(before)).columns["x"]
    usual = {"new_values": 0.0, "dist_val_count": float(old.distinct.estimate())}
    return strings.guesses(fold(column(now)).columns["x"], old, past, usual)[0].cause


def test_exchanged_digits_are_told_from_wrong_check_digits() -> None:
    rng = np.random.default_rng(1)
    codes = [ean("40" + "".join(map(str, rng.integers(0, 10, 10)))) for _ in range(800)]
    before, now = codes[:400], codes[400:]
    for key, cause in (("transposed", "transposed"), ("check_digit", "check_digit")):
        damaged = DAMAGE_KINDS[key].damage(now, np.random.default_rng(2), 0.4)
        assert damaged is not None
        assert first_guess(damaged, before) == cause


def test_a_wrong_check_digit_is_shown() -> None:
    codes = [ean(f"40{k:010d}") for k in range(0, 9_000_000, 30_011)]
    wrong = [v[:-1] + str((int(v[-1]) + 1) % 10) if k % 5 == 0 else v for k, v in enumerate(codes)]
    old, now = (fold(column(some)).columns["x"] for some in (codes, wrong))
    guess = next(g for g in strings.guesses(now, old, {}, {"new_values": 1.0}) if g.cause == "check_digit")
    said = sentence(guess, ["x"], Seen("t", now, old))
    assert any(f'("{v}" now' in said for v in set(wrong) - set(codes)), said


def test_a_new_word_is_not_another_column_s_nor_another_case() -> None:
    rng = np.random.default_rng(1)
    before = [str(v) for v in rng.choice(["EUR", "CHF", "PLN"], 500)]
    methods = [str(v) for v in rng.choice(["card", "transfer", "wallet"], 500)]
    now = ["unheard-of" if k % 6 == 0 else v for k, v in enumerate(before)]
    assert first_guess(now, before, method=methods) == "new_values"
    mixed = [methods[k] if k % 6 == 0 else v for k, v in enumerate(before)]
    assert first_guess(mixed, before, method=methods) == "swapped"
    colours = [str(v) for v in rng.choice(["blue", "red", "green", "white"], 500)]
    assert first_guess(["DEFAULT" if k % 3 == 0 else v for k, v in enumerate(colours)], colours) == "default"
    assert first_guess([v.upper() if k % 3 == 0 else v for k, v in enumerate(colours)], colours) == "case"


def test_times_that_are_near_each_other_are_seen_to_change_places() -> None:
    def sensors(number: int, swap: bool = False, hours: int = 0) -> pa.Table:
        rng = np.random.default_rng([7, number])
        read = [START + timedelta(days=number, hours=float(h)) for h in rng.normal(11, 2, 300).clip(1, 14)]
        waits = [timedelta(hours=hours, minutes=float(m) + 1) for m in rng.exponential(15, 300)]
        late = [t + wait for t, wait in zip(read, waits, strict=True)]
        return pa.table({"read": late if swap else read, "stored": read if swap else late})

    before = fold(sensors(0))
    swapped = tables_guesses(fold(sensors(1, swap=True)), before, {}, ["stored"])
    assert [guess.key for guess in swapped if guess.cause == "swapped"][:1] == ["times_swapped"]
    early = tables_guesses(fold(sensors(1, hours=-9)), before, {}, ["stored"])  # another zone is no exchange
    assert not [guess for guess in early if guess.cause == "swapped"]


def test_a_day_s_date_in_another_form_is_no_default() -> None:
    before, now = (fold(pa.table({"on": [text] * 90})).columns["on"] for text in ("2026-03-31", "01/04/2026"))
    usual = {"new_values": 1.0, "top_ratio": 1.0, "dist_val_count": 1.0}
    assert strings.guesses(now, before, {}, usual)[0].cause == "date_format"


def test_whole_numbers_in_thousands_are_not_many_ones() -> None:
    rng = np.random.default_rng(3)
    old, new = (rng.lognormal(7, 1, 800).astype(int) for _ in range(2))
    before, now = (fold(pa.table({"n": x})).columns["n"] for x in (old, new // 1000))
    found = numbers.guesses(now, before, {}, {})
    assert (found[0].cause, found[0].detail["factor"]) == ("scale", 0.001)


def test_a_load_that_broke_off_in_a_sorted_file_is_one_cause() -> None:
    for name in ("amount", "due", "street"):
        cause = only(day(DAYS).sort_by(name).slice(0, 70))
        assert cause.cause == "volume"


def state_of(values: Sequence[object]) -> ColumnState:
    return fold(pa.table({"c": list(values)})).columns["c"]


def test_values_known_by_their_frequency_stand_for_all_rows() -> None:
    often = ["1 (11) 500 555-0181"] * 40
    before = state_of([*often, *[f"{k:03d}-555-{7 * k:04d}" for k in range(900)]])
    now = state_of([v.replace("-", "/") for v in [*often, *[f"{k:03d}-555-{5 * k:04d}" for k in range(900)]]])
    assert strings.guesses(now, before, {}, {})[0].cause == "separators"


def test_codes_cut_to_one_letter_are_no_default() -> None:
    before, now = state_of([f"B{chr(65 + k % 26)}{chr(65 + k // 26)}" for k in range(500)]), state_of(["B"] * 500)
    assert strings.guesses(now, before, {}, {})[0].cause == "cut"


def test_a_constant_that_changed_its_sign_is_no_default() -> None:
    assert numbers.guesses(state_of([-1.0] * 300), state_of([1.0] * 300), {}, {})[0].cause == "sign"


def test_dates_that_were_there_with_day_and_month_exchanged() -> None:
    days = [date(2010 + k // 365, 1, 1) + timedelta(days=k % 365) for k in range(0, 3000, 30)]
    turned = [swap_day_month(d) or d for d in days]
    assert times.guesses(state_of(turned), state_of(days), {}, {})[0].cause == "day_month"
    assert not [g for g in times.guesses(state_of(days[9:]), state_of(days[:-9]), {}, {}) if g.cause == "day_month"]


def test_a_day_that_stands_for_none_is_a_default_though_another_is_more_frequent() -> None:
    days = [date(2025, 1, 1) + timedelta(days=k) for k in range(100)] + [date(2026, 9, 1)] * 100
    now = [date(1970, 1, 1) if k % 25 == 0 else day for k, day in enumerate(days)]
    found = times.guesses(state_of(now), state_of(days), {}, {})[0]
    assert (found.cause, found.detail["value"]) == ("default", "1970-01-01")


def test_a_default_is_as_many_rows_as_hold_it() -> None:
    codes = [f"{a}{b}{c}" for a in "BCDEFGH" for b in "AEIOU" for c in "KLMNPRST"] * 2
    found = strings.guesses(state_of([v[:1] for v in codes]), state_of(codes), {}, {})
    assert found[0].cause == "cut"
    assert all(g.share < 0.2 for g in found if g.cause == "default")


def test_escapes_are_told_though_other_things_moved() -> None:
    before = state_of([f"Fish & chips, table {k}" if k % 9 == 0 else f"tea {k}" for k in range(60)])
    now = state_of([f"Fish &amp; chips, table {k}" if k % 9 == 0 else f"Tea and cake for {k}" for k in range(60)])
    assert "escapes" in [g.cause for g in strings.guesses(now, before, {}, {})[:2]]


@pytest.mark.parametrize("share", [1.0, 0.2])
def test_whole_numbers_that_became_decimal_ones_have_the_cause_that_made_them_so(share: float) -> None:
    """Nothing broke but the type of the column."""
    years = np.random.default_rng(3).integers(1980, 2026, 400)
    inches = np.where(np.arange(400) < 400 * share, years * 2.54, years)
    before, now = (fold(pa.table({"game": range(400), "year": some})) for some in (years, inches))
    batch = Batch(2, "snapshot", now, before, [], START, [observe_metrics(before, None)])
    broken = [
        (Rule("schema", None, {}, 0.0, "", "test"), Verdict(VIOLATED, "", {"damage": ["column 'year' was bigint"]}))
    ]
    found = diagnose("payments", batch, broken)
    assert [(one.cause.cause, one.cause.columns, one.covers) for one in found] == [("scale", ("year",), ("",))]
    others = [*np.random.default_rng(4).integers(1980, 2026, 399).astype(float), 1999.5]
    edited = fold(pa.table({"game": range(400, 800), "year": others}))
    unknown = diagnose("payments", replace(batch, state=edited), broken)
    assert [one.cause.cause for one in unknown] == ["schema"]


def test_rows_that_a_table_had_while_it_grew_are_fewer_than_the_batch_before() -> None:
    """A third more than usual, and yet lost."""
    states = [fold(pa.table({"x": range(rows)})) for rows in [34, 35, 36, 37, 40, 45, 56, 63, 49]]
    series = [observe_metrics(state, states[at - 1] if at else None) for at, state in enumerate(states)]
    batch = Batch(9, "snapshot", states[-1], states[-2], [], START, series[:-1])
    low = Verdict(VIOLATED, "", {"row_count": 49.0}, {"row_count": [60.0, 205.0]}, "row_count")
    cause = diagnose("payments", batch, [(Rule("volume", None, {}, 0.0, "", "test"), low)])[0].cause
    assert cause.key == "rows_lost"
    assert (
        cause.sentence
        == "`payments` has 49 rows, 22% fewer than the batch before (63). Probably a load that broke off."
    )
    high = replace(low, observed={"row_count": 29.0}, expected={"row_count": [30.0, 41.0]})
    few = replace(batch, state=fold(pa.table({"x": range(29)})))
    cause = diagnose("payments", few, [(Rule("volume", None, {}, 0.0, "", "test"), high)])[0].cause
    assert cause.sentence.startswith("`payments` has 29 rows, 25% fewer than usual (34 to 63).")


def test_what_a_column_held_before_its_first_value_is_not_usual() -> None:
    cells = [[None] * 200] * 6 + [[*range(160), *[None] * 40]] * 6
    states = [fold(pa.table({"x": pa.array(some, pa.int64())})) for some in cells]
    series = [observe_metrics(state, states[at - 1] if at else None) for at, state in enumerate(states)]
    now = fold(pa.table({"x": [*range(0, 160, 3), *[None] * 146]}))
    batch = Batch(13, "snapshot", now, states[-1], [], START, series)
    found = diagnose("payments", batch, [(Rule("history", "x", {}, 0.0, "", "test"), Verdict(VIOLATED, ""))])
    assert found[0].cause.sentence.startswith("73% of the values in `payments.x` are missing, usual 20%.")


def test_longer_values_of_which_none_stands_twice_are_not_doubled() -> None:
    names = [f"{a}{b}{c}" for a in "bdfg" for b in "aeiou" for c in "klmnprst"]
    before, now = state_of(names), state_of([*names[:140], *[f"{name}the{name[::-1]}" for name in names[140:]]])
    assert "doubled" not in [g.cause for g in strings.guesses(now, before, {}, {}) if g.fit >= 0.35]
    twice = state_of([*names[:140], *[name * 2 for name in names[140:]]])
    assert strings.guesses(twice, before, {}, {})[0].cause == "doubled"
