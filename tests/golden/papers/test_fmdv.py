"""The worked examples of Auto-Validate (SIGMOD 2021), each by its number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from catalog.papers.cmdv import cmdv
from catalog.papers.corpus import Corpus
from catalog.papers.fmdv import Lake, chi_squared, fisher, fmdv, fmdv_h, fmdv_v, fmdv_vh
from catalog.patterns.generalise import Space, spaces
from catalog.patterns.language.pattern import Pattern
from catalog.patterns.language.tokens import CONST, DIGIT, Token, chunks

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


def test_the_lake_has_the_same_impurities_and_every_hypothesis_of_figure_6() -> None:
    column = [(value, 1) for value in FIGURE_6]
    lake = Corpus([column] * 4)
    query = [(value, 1) for value in FIGURE_6[:4]]
    ((name, hypotheses, _),) = spaces(query, tokens=13)
    fpr, cov = lake.evidence(name, hypotheses.options)
    told = {str(hypotheses.pattern(i)): (float(fpr[i]), int(cov[i])) for i in _numbers(hypotheses, (H1, H2, H5))}
    assert told == {H1: (pytest.approx(2 / 12), 4), H2: (pytest.approx(8 / 12), 4), H5: (pytest.approx(0.0), 4)}
    found = fmdv(query, Lake(lake, np.ones(4, bool), m=1))
    assert found is not None
    assert all(found.segments[0][0].match(v) for v in FIGURE_6)


def _numbers(hypotheses: Space, patterns: tuple[str, ...]) -> list[int]:
    """Numbers of patterns in a space, found position by position."""
    sizes = [len(one) for one in hypotheses.options]
    found = []
    for pattern in patterns:
        left, number = pattern, 0
        for option, size in zip(hypotheses.options, sizes, strict=True):
            texts = ["".join(map(str, one)) for one in option]
            at = max((i for i, text in enumerate(texts) if left.startswith(text)), key=lambda i: len(texts[i]))
            left, number = left[len(texts[at]) :], number * size + at
        assert not left
        found.append(number)
    return found


def test_impurity_counts_columns_that_hardly_ever_match() -> None:
    """Fifty columns of all states and five of Texas: `TX-<digit>{4}` is no domain, though Texas has 2% of the rows."""
    states = [f"{chr(65 + n // 26)}{chr(65 + n % 26)}" for n in range(49)] + ["TX"]
    mixed = [(f"{state}-{1000 + n}", 1) for n, state in enumerate(states)]
    lake = Corpus([mixed] * 50 + [[(f"TX-{2000 + n}", 1) for n in range(9)]] * 5)
    texas = [[(Token(CONST, "TX"),)], [(Token(CONST, "-"),)], [(Token(DIGIT, size=4),)]]
    fpr, cov = lake.evidence("X-X", texas)
    assert (float(fpr[0]), int(cov[0])) == (pytest.approx(50 * 0.98 / 55), 55)
    found = fmdv([("TX-1234", 1), ("TX-4321", 1)], Lake(lake, np.ones(55, bool), m=3))
    assert str(found) == "<upper>{2}-<digit>{4}"


def test_patterns_under_a_tenth_of_a_column_count() -> None:
    lake = Corpus([[("12:30", 95), ("12", 5)], [("7", 1)]])
    fpr, cov = lake.evidence("X", [[(Token(DIGIT),)]])
    assert (float(fpr[0]), int(cov[0])) == (pytest.approx(0.95 / 2), 2)


def test_signed_integers_have_a_rule() -> None:
    numbers = [(str(n), 1) for n in range(-30, 30)]
    lake = Lake(Corpus([numbers] * 6), np.ones(6, bool), m=3)
    for method in (fmdv, fmdv_v, fmdv_h, fmdv_vh, cmdv):
        found = method(numbers, lake)
        assert found is not None
        assert str(found) == "<num>", method


def test_evidence_is_what_matching_says() -> None:
    """Every hypothesis of a few columns against the plain definition."""
    columns = [
        [("a1-x", 3), ("b22-y", 2), ("-3", 1)], [("c3-z", 1), ("c4-zz", 1)], [("12", 2), ("1.5", 1), ("-7", 1)],
        [("AB-9", 1), ("é7-q", 4)],
    ]  # fmt: skip
    lake = Corpus(columns)
    for column in columns:
        for name, hypotheses, _ in spaces(column, tokens=13, enough=0.2):
            fpr, cov = lake.evidence(name, hypotheses.options)
            for number in range(hypotheses.size):
                pattern = hypotheses.pattern(number)
                shares = [sum(n for v, n in one if pattern.match(v)) / sum(n for _, n in one) for one in columns]
                there = [1 - share for share in shares if share]
                assert int(cov[number]) == len(there), str(pattern)
                assert there == [] or float(fpr[number]) == pytest.approx(sum(there) / len(there)), str(pattern)


def test_example_8_expected_false_positive_rate() -> None:
    lake = Corpus([[("1:00", 100)]] * 4800 + [[("1:00", 99), ("x", 1)]] * 200)
    time = [[(Token(DIGIT),)], [(Token(CONST, ":"),)], [(Token(DIGIT, size=2),)]]
    fpr, cov = lake.evidence("X:X", time)
    assert fpr[0] == pytest.approx(0.0004, rel=1e-4)
    assert cov[0] == 5000
    without, fewer = lake.evidence("X:X", time, np.arange(5000) < 4800)
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
    return Lake(Corpus(columns), np.ones(len(columns), bool), m=3)


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
    lake = Lake(Corpus([groups] * 6), np.ones(6, bool), m=3)
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
    lake = Lake(Corpus([narrow] * 3 + [wide] * 9), np.ones(12, bool), m=2)
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


@pytest.mark.parametrize("counts", [(0, 5, 3, 9), (7, 7, 0, 4), (1, 1000, 50, 1000), (300, 2000, 5, 40)])
def test_both_tests_are_those_of_scipy(counts: tuple[int, int, int, int]) -> None:
    before, n_before, now, n_now = counts
    table = [[before, n_before - before], [now, n_now - now]]
    assert fisher(*counts) == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-9)
    assert chi_squared(*counts) == pytest.approx(stats.chi2_contingency(table).pvalue, rel=1e-9)
