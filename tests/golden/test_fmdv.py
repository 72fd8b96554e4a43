"""The worked examples of Auto-Validate (SIGMOD 2021), each by its number."""

from __future__ import annotations

import numpy as np
import pytest

from catalog.evidence.pattern_index.postings import Postings
from catalog.papers.cmdv import cmdv
from catalog.papers.fmdv import Lake, chi_squared, fisher, fmdv, fmdv_h, fmdv_v, fmdv_vh
from catalog.papers.impurity import column_patterns, evidence, pattern_table
from catalog.patterns.language.pattern import Pattern
from catalog.patterns.language.tokens import chunks

# The data column D of figure 6: single-digit hours first, then two digits, the last two in the afternoon.
FIGURE_6 = (
    [f"9/0{day}/2019 {day}:01:32 AM" for day in range(1, 5)]
    + [f"9/0{day}/2019 1{day - 5}:02:20 AM" for day in (5, 6)]
    + [f"9/1{day}/2019 10:02:2{day} AM" for day in range(4)]
    + ["9/12/2019 12:01:32 PM", "9/13/2019 12:41:32 PM"]
)
H1 = "<digit>+/<digit>{2}/<digit>{4} <digit>+:<digit>{2}:<digit>{2} AM"
H2 = "<digit>+/<digit>{2}/<digit>{4} <digit>{1}:<digit>{2}:<digit>{2} <letter>{2}"
H5 = "<digit>+/<digit>{2}/<digit>{4} <digit>+:<digit>{2}:<digit>{2} <letter>{2}"
TIMESTAMP = "[0.1|02/18/2015 00:00:00|02/18/2015 00:00:{:02d}|OnBooking]"


@pytest.mark.parametrize(("pattern", "impurity"), [(H1, 2 / 12), (H2, 8 / 12), (H5, 0 / 12)])
def test_example_4_impurity(pattern: str, impurity: float) -> None:
    parsed = Pattern.parse(pattern)
    assert str(parsed) == pattern
    assert sum(not parsed.match(v) for v in FIGURE_6) / len(FIGURE_6) == pytest.approx(impurity)


def test_offline_index_has_the_same_impurities() -> None:
    values = [(v, 1) for v in FIGURE_6]
    keys, shares = column_patterns(values)
    found = fmdv(values, Lake(pattern_table([values] * 4), np.ones(4, bool), m=1))
    assert found is not None
    assert all(found.segments[0][0].match(v) for v in FIGURE_6)
    assert shares.max() == pytest.approx(1.0)
    assert len(keys) == len(set(keys.tolist()))


def test_example_8_expected_false_positive_rate() -> None:
    shares = np.array([1.0] * 4800 + [0.99] * 200, np.float32)
    table = Postings.build(np.full(5000, 7, np.uint64), np.arange(5000, dtype=np.int32), shares)
    fpr, cov = evidence(table, np.array([7], np.uint64), np.ones(5000, bool))
    assert fpr[0] == pytest.approx(0.0004, rel=1e-4)
    assert cov[0] == 5000
    without, fewer = evidence(table, np.array([7], np.uint64), np.arange(5000) < 4800)
    assert without[0] == 0
    assert fewer[0] == 4800


def test_section_3_example_1_has_29_tokens() -> None:
    assert len(chunks(TIMESTAMP.format(0))) == 29


def lake_of_parts() -> Lake:
    """Columns that hold the parts of the composite value by themselves."""
    days = [
        [(f"{m:02d}/{d:02d}/20{y:02d}", 1) for m, d, y in zip(range(1, 13), range(9, 21), range(12), strict=True)]
    ] * 6
    times = [[(f"{h:02d}:{h + 9:02d}:{2 * h + 10:02d}", 1) for h in range(12)]] * 6
    numbers = [[(f"{x / 10}", 1) for x in range(1, 30)]] * 6
    words = [[(w, 1) for w in ("OnBooking", "Closed", "OnHold", "New")]] * 6
    columns = [*days, *times, *numbers, *words]
    return Lake(pattern_table(columns), np.ones(len(columns), bool), m=3)


def test_section_3_example_3_vertical_cuts() -> None:
    values = [(TIMESTAMP.format(s), 1) for s in range(10, 60)]
    lake = lake_of_parts()
    assert fmdv(values, lake) is None
    found = fmdv_v(values, lake)
    assert found is not None
    assert len(found.segments) > 5
    again = Pattern(tuple(t for p, _ in found.segments for t in p.tokens))
    assert all(again.match(v) for v, _ in values)
    assert again.match(TIMESTAMP.format(0).replace("02/18/2015", "03/01/2021"))


def test_section_4_example_1_the_dash() -> None:
    groups = [(f"{a},{a + 1}{a},{a}0, {a},{a}9", 1) for a in range(1, 10)] * 11
    lake = Lake(pattern_table([groups] * 6), np.ones(6, bool), m=3)
    dirty = [*groups, ("-", 1)]
    assert fmdv(dirty, lake) is None
    found = fmdv_h(dirty, lake)
    assert found is not None
    assert found.nonconforming == pytest.approx(0.01)
    assert not found.segments[0][0].match("-")
    assert fmdv_vh(dirty, lake) is not None


def test_cmdv_takes_less_coverage_than_fmdv() -> None:
    narrow = [("Mar 01 2019", 1), ("Mar 02 2019", 1)]
    wide = [("Apr 01 2019", 1), ("May 02 2018", 1), ("Mar 03 2019", 1)]
    lake = Lake(pattern_table([narrow] * 3 + [wide] * 9), np.ones(12, bool), m=2)
    least, safest = cmdv(narrow, lake), fmdv(narrow, lake)
    assert least is not None
    assert safest is not None
    assert least.coverage <= safest.coverage


def test_homogeneity_tests_of_section_4() -> None:
    small = (1, 1000, 2, 1000)  # 0.1% and 0.2%: no issue
    large = (1, 1000, 50, 1000)  # 0.1% and 5%: an issue
    for test in (fisher, chi_squared):
        assert test(*small) > 0.01
        assert test(*large) < 0.01
