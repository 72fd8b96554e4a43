"""Laws of the share of a column's rows that belongs to a known domain."""

from __future__ import annotations

import random
import string
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.domains.known import KNOWN
from catalog.evidence.clauses.candidates import Candidate, candidates
from catalog.evidence.clauses.meaning import MISSED_SHARE, belongs, lowest_share, recognised, surely_outside
from catalog.evidence.pattern_index.views import Profile, profile, profile_values
from catalog.rules.kinds.strings import StringsRule
from catalog.states.folding.fold import fold

HEX = "0123456789abcdef"
BASE64 = string.ascii_letters + string.digits + "+/"
DATES = [f"20{y:02d}-{m:02d}-{d:02d}" for y in range(100) for m in range(1, 13) for d in range(1, 29)]


def kept(values: list[str]) -> Profile:
    seen = profile(fold(pa.table({"x": pa.array(values, pa.string())})).columns["x"])
    assert seen is not None
    return seen


@settings(deadline=None)
@given(st.lists(st.sampled_from(["2024-02-29", "1.5", "DE", "no", "ab"]), min_size=1, max_size=30))
def test_where_every_value_is_known_the_share_is_exact(values: list[str]) -> None:
    seen = profile_values(Counter(values).items())
    for domain, share in seen.domains.items():
        inside = sum(KNOWN[domain].validate(value) for value in values)
        assert share == pytest.approx(inside / len(values))
        assert Candidate("domain", (domain,)).nonconforming(seen) == len(values) - inside


@pytest.mark.parametrize("wrong", [0, 300, 1500])
def test_what_a_state_lists_of_many_values_bounds_the_share_from_below(wrong: int) -> None:
    """Of 3,000 distinct values a state knows at most 128; which ones depends on their hashes alone."""
    above, shares = 0, []
    for seed in range(40):
        r = random.Random(seed)
        values = r.sample(DATES, 3000 - wrong) + [f"x{r.randrange(10**9)}" for _ in range(wrong)]
        seen = kept(values)
        assert seen.values is None
        assert 64 <= len(seen.texts.values) <= 128
        shares.append(surely_outside(seen.texts, "date"))
        above += shares[-1] > wrong / 3000
    assert above <= 10  # expected 40 * MISSED_SHARE
    if wrong:
        assert sum(shares) / len(shares) > 0.25 * wrong / 3000
    else:
        assert not any(shares)


@pytest.mark.parametrize(
    ("domain", "letters", "size"), [("hex_string", HEX, 8), ("base64", BASE64, 16), ("md5", HEX, 32)]
)
def test_random_identifiers_keep_to_what_rules_ask_of_them(domain: str, letters: str, size: int) -> None:
    """One in a hundred has digits only: by itself a number, in a column of identifiers one of them."""
    r = random.Random(3)
    values = ["".join(r.choices(letters, k=size)) for _ in range(20_000)]
    told = sum(map(KNOWN[domain].validate, values)) / len(values)
    assert 0.9 < told <= 1.0
    assert all(belongs(domain, value) for value in values)
    assert not belongs(domain, values[0][:-1] + "~")
    assert not belongs(domain, "N/A")


def test_frequent_values_stand_for_themselves() -> None:
    """A value that fills a third of the rows is known to, however many others there are."""
    values = ["soon"] * 1500 + random.Random(1).sample(DATES, 3000)
    outside = surely_outside(kept(values).texts, "date")
    assert outside == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("wrong", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("spread", ["all twice", "evenly", "few often"])
def test_a_draw_of_values_that_come_again_bounds_the_share_from_below(spread: str, wrong: float) -> None:
    """Of 1,000 values in 4,000 rows the most frequent say nothing of the others: a fair draw of all does."""
    above, shares, truth = 0, [], []
    for seed in range(40):
        r = random.Random(seed)
        values = [v if r.random() >= wrong else f"x{r.randrange(10**9)}" for v in r.sample(DATES, 1000)]
        weights = [1 / (i + 1) if spread == "few often" else 1.0 for i in range(1000)]
        rows = values * 2 if spread == "all twice" else values + r.choices(values, weights, k=3000)
        seen = kept(rows)
        truth.append(sum(v.startswith("x") for v in rows) / len(rows))
        shares.append(surely_outside(seen.texts, "date"))
        above += shares[-1] > truth[-1] + 1e-9
        assert sum(share for _, share in seen.texts.values) == pytest.approx(1)
    assert above <= 10  # expected 40 * MISSED_SHARE at the most
    assert sum(shares) >= (0.4 if wrong else 0) * sum(truth)


def test_values_that_come_often_say_nothing_of_rare_ones() -> None:
    """Of 2,600 rows 400 hold values that come twice, and of the frequent only these are listed."""
    shares = []
    for seed in range(40):
        r = random.Random(seed)
        seen = kept(r.sample(DATES, 2200) + [f"x{r.randrange(10**9)}" for _ in range(200)] * 2)
        shares.append(surely_outside(seen.texts, "date"))
    assert sum(share > 400 / 2600 for share in shares) <= 10
    assert sum(shares) / len(shares) > 0.25 * 400 / 2600


def test_wrong_check_digits_are_seen_among_values_that_repeat() -> None:
    """Numbers of cards in 6,000 rows, half of which end with another digit: the frequent ones are few of the rows."""
    r = random.Random(1)
    right = [number for number in (f"4{r.randrange(10**15):015d}" for _ in range(12_000)) if luhn(number)][:1000]
    wrong = [number[:-1] + str((int(number[-1]) + 3) % 10) for number in right]
    assert surely_outside(kept(right * 6).texts, "card_number") == 0
    assert surely_outside(kept((right[:500] + wrong[500:]) * 6).texts, "card_number") > 0.3


def luhn(number: str) -> bool:
    digits = [int(c) for c in reversed(number)]
    return sum(d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(digits)) % 10 == 0


@given(st.integers(1, 64), st.data())
def test_the_lowest_share_grows_with_what_was_seen(drawn: int, data: st.DataObject) -> None:
    bad = data.draw(st.integers(0, drawn))
    least = lowest_share(bad, drawn)
    assert 0 <= least <= bad / drawn
    assert bad == 0 or lowest_share(bad - 1, drawn) <= least
    assert lowest_share(drawn, drawn) == pytest.approx(MISSED_SHARE ** (1 / drawn))


def test_a_domain_asked_for_is_seldom_met_by_chance_and_known() -> None:
    assert len(recognised()) > 50
    assert [d.chance for d in recognised()] == sorted(d.chance for d in recognised())
    assert not belongs("date", "x" * 100_000)
    assert belongs("gone with an older release", "x")


def test_a_domain_is_asked_of_most_values_not_of_one_that_fills_the_rows() -> None:
    """Jordan is a first name as well: a register of countries in which it fills nine rows of ten holds no names."""
    countries = ["Jordan"] * 940 + ["France", "Peru", "Mali", "Japan", "Nepal", "Chile"] * 10
    names = ["Linda"] * 940 + ["Michael", "Hannah", "Peter", "Julia", "Thomas", "Maria"] * 10
    asked = [{one.accepted[0] for one in candidates(kept(values), ["domain"])} for values in (countries, names)]
    assert "country_name" in asked[0]
    assert "first_name" not in asked[0]
    assert "first_name" in asked[1]


def test_dates_in_another_order_are_outside_of_those_that_proved_one() -> None:
    """Those that may be of either order never are; what shows no order, or both, asks for none."""
    days = [f"{d:02d}/{m:02d}/2024" for m in range(1, 13) for d in range(1, 29)]
    turned = [f"{m:02d}/{d:02d}/2024" for m in range(1, 13) for d in range(1, 29)]
    (ordered,) = candidates(kept(days), ["domain"])
    assert ordered.accepted == ("date", "day first")
    assert ordered.nonconforming(profile_values((day, 1) for day in days)) == 0
    assert ordered.nonconforming(profile_values((day, 1) for day in turned)) == 12 * 16  # days 13 to 28
    for other in (days[:12], days + turned, DATES[:400]):
        assert [one.accepted for one in candidates(kept(other), ["domain"])] == [("date",)]
    (plain,) = candidates(kept(days[:12]), ["domain"])
    assert (plain.name, plain.allowed() > ordered.allowed()) == (ordered.name, True)


def test_a_verdict_says_how_many_values_were_looked_at() -> None:
    """Of many different values a state keeps a draw: what was found in it is no word about all of them."""
    body = {"kind": "domain", "accepted": ["date"], "theta": 0.0, "risk": 0.01, "words": "all values are dates"}
    params = {"clauses": [body], "rows": 3000}
    rule = StringsRule(kind="pattern", column="x", params=params, fpr=0.01, sentence="", learner="strings")
    many, few = kept(random.Random(2).sample(DATES, 3000)), kept(DATES[:9])
    said = rule.judge_profile(many).sentence
    assert said == f"3,000 values conform. {len(many.texts.values)} of the different ones were looked at one by one."
    assert rule.judge_profile(few).sentence == "9 values conform."
