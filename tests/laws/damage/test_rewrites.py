"""Values that one rule has rewritten are led back to those that went; what people and time change is not."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from past import Past, broken_by

from catalog.causes.diagnose import Diagnosis, diagnose, rewritten
from catalog.damage import DAMAGE_KINDS
from catalog.history.rewrites import Rewriting, at_least, rewriting
from catalog.rules.verdict import Verdict
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from catalog.states.table import merge_all

SYLLABLES = ["ka", "ro", "mi", "ten", "la", "bur", "sel", "dor", "vin", "ga", "zu", "pell", "or", "hay"]


def names(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    made: dict[str, None] = {}
    while len(made) < n:
        made["".join(rng.choice(SYLLABLES, rng.integers(3, 6))).title() + f" & {rng.choice(SYLLABLES)}-10"] = None
    return list(made)


def column(values: list[Any]) -> ColumnState:
    return fold(pa.table({"x": values})).columns["x"]


def found(before: list[Any], now: list[Any]) -> Rewriting | None:
    return rewriting(column(now), column(before))


def some(values: list[Any], change: Callable[[Any], Any], share: float, seed: int = 1) -> list[Any]:
    """The values with that share of them changed."""
    rng = np.random.default_rng(seed)
    return [change(v) if x < share else v for v, x in zip(values, rng.random(len(values)), strict=True)]


RULES = ["upper", "lower", "quotes", "space_behind", "space_before", "last_cut", "first_lost", "half_cut", "doubled",
         "digit_as_letter", "html", "url", "separators", "prefix", "suffix", "transposed"]  # fmt: skip


MANY = [key for key in RULES if key not in ("prefix", "suffix")]  # these are read off values that are listed


@pytest.mark.parametrize(
    ("key", "distinct", "rows"),
    [*((key, *size) for key in RULES for size in ((40, 400), (120, 120))), *((key, 600, 6000) for key in MANY)],
)
def test_a_fifth_of_the_rows_written_by_another_rule_is_found(key: str, distinct: int, rows: int) -> None:
    before = (names(distinct) * rows)[:rows]
    kind = DAMAGE_KINDS[key]
    now = kind.damage(before, np.random.default_rng(3), 0.2)
    assert now is not None
    one = found(before, now)
    assert one is not None
    assert DAMAGE_KINDS[one.key].cause == kind.cause
    assert 0.12 < one.share < 0.28
    known = set(before)
    assert all(old in known and new in now and new not in known for old, new in one.pairs)


@pytest.mark.parametrize("number", [int, float])
def test_signs_of_numbers_are_led_back(number: Callable[[Any], Any]) -> None:
    before = [number(x) for x in np.random.default_rng(0).integers(1, 10**6, 110)]
    one = found(before, some(before, lambda v: -v, 0.3))
    assert one is not None
    assert one.key == "sign"
    assert all(old == -new for old, new in one.pairs)


def test_of_many_values_some_are_looked_up_and_the_share_is_of_those() -> None:
    before = names(3000)
    one = found(before, some(before, lambda v: f'"{v}"', 0.5))
    assert one is None or (one.key == "quotes" and one.share < 0.75)


def test_a_fifth_that_changes_by_hand_beside_it_hides_nothing() -> None:
    before = names(120)
    others = names(240, seed=7)
    now = some(some(before, lambda v: others.pop(), 0.2), lambda v: v.upper(), 0.2, seed=2)
    one = found(before, now)
    assert one is not None
    assert one.key == "upper"
    assert all(new == old.upper() for old, new in one.pairs)


def messages(seed: int) -> list[str]:
    """A log's messages, each with a number of its own: one in six is another one with two digits exchanged."""
    rng = np.random.default_rng(seed)
    forms = ("request done in {} ms", "user {} logged in", "cache miss for key {}", "retry {} of upload",
             "job {} finished", "slow query took {} ms")  # fmt: skip
    return [forms[i].format(n) for i, n in zip(rng.integers(0, 6, 1200), rng.integers(1, 5000, 1200), strict=True)]


DAYS = [date(2026, 1, 1) + timedelta(days=k) for k in range(200)]
HEALTHY: dict[str, tuple[list[Any], list[Any]]] = {
    "one value spelt right": (["Munchen"] * 30 + names(50), ["München"] * 30 + names(50)),
    "two names in capitals": (names(60), [*(v.upper() for v in names(60)[:2]), *names(60)[2:]]),
    "other names": (names(100), names(100)[:80] + names(200, seed=5)[150:170]),
    "all rows are others each day": (names(100), names(100, seed=9)),
    "other numbers in messages": (messages(13), messages(113)),
    "numbers that count up": ([f"INV-{k:05d}" for k in range(1000, 1300)], [f"INV-{k:05d}" for k in range(1100, 1400)]),
    "dense codes": (
        [f"{'ABC'[k % 3]}{k:03d}" for k in np.random.default_rng(1).integers(0, 999, 200)],
        [f"{'ABC'[k % 3]}{k:03d}" for k in np.random.default_rng(2).integers(0, 999, 200)],
    ),
    "days that move on": ([str(d) for d in DAYS[:100]], [str(d) for d in DAYS[30:130]]),
    "versions": (
        [f"1.{k}.{j}" for k in range(12) for j in range(6)],
        [f"1.{k}.{j}" for k in range(3, 16) for j in range(6)],
    ),
    "prices of both signs": (
        [int(x) for x in np.random.default_rng(1).integers(-60, 60, 300)],
        [int(x) for x in np.random.default_rng(2).integers(-60, 60, 300)],
    ),
    "words of both cases": (
        [str(x) for x in np.random.default_rng(1).choice([*names(60), *map(str.upper, names(60))], 70)],
        [str(x) for x in np.random.default_rng(2).choice([*names(60), *map(str.upper, names(60))], 70)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", HEALTHY)
def test_what_people_and_time_change_is_not_told(what: str) -> None:
    assert found(*HEALTHY[what]) is None


def test_nothing_is_compared_between_kinds_nor_of_empty_columns() -> None:
    assert rewriting(column(["1", "2", "3"]), column([1, 2, 3])) is None
    assert rewriting(column([None, None]), column(["a", "b"])) is None
    assert found(["", "a"], ["", "A"]) is None


def test_states_of_several_files_tell_it_too() -> None:
    before, now = names(300), some(names(300), lambda v: f" {v}", 0.4)
    parts = [[fold(pa.table({"x": some_[k::3]})) for k in range(3)] for some_ in (before, now)]
    one = rewriting(*(merge_all(part).columns["x"] for part in reversed(parts)))
    assert one is not None
    assert one.key == "space_before"


@given(
    st.lists(st.text(max_size=12) | st.from_regex(r"\A[0-9./:,-]{1,12}\Z"), min_size=6, max_size=40),
    st.sampled_from([*RULES, "thousands", "iso_compact", "excel_serial", "mojibake", "zeros_lost"]),
)
def test_whatever_the_values_are_a_share_comes_out(before: list[str], key: str) -> None:
    now = DAMAGE_KINDS[key].damage(before, np.random.default_rng(0), 0.5) or before[::-1]
    one = found(before, now)
    assert one is None or (0 < one.share <= 1 and len(one.pairs) >= 3)


@given(st.lists(st.floats() | st.integers(-(2**62), 2**62).map(float), min_size=6, max_size=40))
def test_whatever_the_numbers_are_a_share_comes_out(before: list[float]) -> None:
    one = found(before, [-x for x in before])
    assert one is None or 0 < one.share <= 1


def test_the_tail_of_a_binomial() -> None:
    assert at_least(3, 10, 0.0) == 0.0
    assert at_least(11, 10, 0.5) == 0.0
    assert at_least(8, 10, 0.5) == pytest.approx(56 / 1024)


# ------------------------------------------------------------------------------------- a register, edited by hand


def edited(rows: list[str], version: int) -> list[str]:
    """The next version: up to a seventh of the values are others; once half of them were."""
    fresh = names(len(rows), seed=100 + version)
    share = 0.5 if version == 6 else np.random.default_rng([5, version]).random() / 7
    return some(rows, lambda v: fresh.pop(), float(share), seed=version)


def register() -> list[list[str]]:
    versions = [names(300)]
    while len(versions) < 22:
        versions.append(edited(versions[-1], len(versions)))
    return versions


VERSIONS = register()
PAST = Past("register", lambda version: pa.table({"title": VERSIONS[version]}), 22, datetime(2026, 1, 1, tzinfo=UTC))


def judged(rows: list[str], private: bool = False) -> tuple[list[Verdict], list[Diagnosis]]:
    batch = PAST.next(fold(pa.table({"title": rows})), "snapshot")
    broken = broken_by(batch, PAST.rules)
    said = diagnose("register", batch, broken, rules=PAST.rules, private=["title"] if private else [])
    return [verdict for _, verdict in broken], said


def test_where_half_of_the_values_changed_once_a_fifth_that_one_rule_rewrote_is_told_with_its_cause() -> None:
    now = some(edited(VERSIONS[-1], 30), lambda v: f'"{v}"', 0.2)
    verdicts, said = judged(now)
    assert [verdict.metric for verdict in verdicts] == ["rewritten_ratio"]
    assert "new_values" not in verdicts[0].observed
    assert "of the rows have values that are written another way" in verdicts[0].sentence
    assert [one.cause.cause for one in said] == ["quotes"]
    assert said[0].cause.sentence.count(" became ") == 3
    assert rewritten(said) == {"title"}
    words = judged(now, private=True)[1][0].cause
    assert "became" not in words.sentence
    assert "pairs" not in words.size


def test_the_same_register_edited_by_hand_alone_is_told_of_no_rewriting() -> None:
    assert all(
        "rewritten_ratio" not in m.columns["title"] or not m.columns["title"]["rewritten_ratio"] for m in PAST.series
    )
    for version in range(30, 40):
        assert not any("rewritten_ratio" in one.observed for one in judged(edited(VERSIONS[-1], version))[0])


def test_codes_that_are_dense_and_amounts_of_both_signs_are_led_to_others_by_chance() -> None:
    """Of codes that are three apart every exchange of two digits makes another one; of a few hundred amounts some come
    with the other sign. Where the states list a few values, that hardly any stayed says little."""
    draw = random.Random(10)
    parts = [f"P-{number}" for number in range(10001, 14591, 3)]
    before, now = ([draw.choice(parts) for _ in range(int(420 * draw.uniform(0.85, 1.15)))] for _ in range(2))
    assert found(before, now) is None
    for seed in range(40):
        draw = random.Random(seed)
        before, now = (sorted(draw.choices(parts, k=draw.randrange(360, 480))) for _ in range(2))
        assert found(before, now) is None
    for pair in (19, 39):
        amounts = [amounts_of_a_day(seed) for seed in (2 * pair, 2 * pair + 1)]
        assert found(*amounts) is None


def amounts_of_a_day(seed: int) -> list[float]:
    draw = random.Random(seed)
    return [round(draw.lognormvariate(3.6, 1.0) * (1 if draw.random() < 0.2 else -1), 2) for _ in range(900)]


def test_first_names_and_surnames_are_not_rewritten_into_each_other_by_chance() -> None:
    """Of a day's people some always differ from those of the day before in a first name alone."""
    first, last = "Ada Bo Cem Dana Finn Gil Hana Jun Kai Lea Mia Nia Oto Pia Rosa Tea Yara".split(), "ABCDEFGHIJKLMN"
    for seed in range(150):
        draw = random.Random(seed)
        before, now = ([f"{draw.choice(first)} {draw.choice(last)}ura" for _ in range(60)] for _ in range(2))
        assert found(before, now) is None, seed
    codes = [f"{draw.choice(('DE', 'AT', 'CH'))}-{draw.randrange(10**5):05d}" for _ in range(60)]
    assert found(codes, [code.replace("DE", "XX") for code in codes]).key == "prefix"


def test_another_item_of_fewer_digits_is_no_longer_one_cut_short() -> None:
    """Items of one to three digits are drawn anew each day: those that come seem to be led from those that went."""

    def items(seed: int) -> list[str]:
        rng = np.random.default_rng(seed)
        return [f"Item {k % 700}" for k in rng.integers(1, 900, int(rng.integers(200, 420)))]

    assert not any(found(items(seed), items(1000 + seed)) for seed in (114, 367, 372))
