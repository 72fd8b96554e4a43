"""Programs of clauses, whatever the candidates."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.evidence.clauses.candidates import Candidate
from catalog.evidence.pattern_index.views import profile_values
from catalog.learners.selection import SHARES, Harm, damage_to, select_clauses
from catalog.rules.clauses.strings import StringClause
from catalog.rules.rule import Rule

WEIGHTS = np.full(len(SHARES), 1 / len(SHARES))


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**6), budget=st.sampled_from([0.0025, 0.025, 0.25]))
def test_no_program_holds_a_clause_twice(seed: int, budget: float) -> None:
    """Candidates that catch nearly the same, of which the shortest to read adds nothing to what there is."""
    r = np.random.default_rng(seed)
    candidates = int(r.integers(1, 8))
    risk = np.sort(r.random((candidates, 6)) * r.choice([0.001, 0.02, 0.5]), axis=1)[:, ::-1]
    harms = [Harm((r.random((candidates, 400)) < 0.01).astype(float), WEIGHTS) for _ in range(2)]
    lengths, caps = r.integers(1, 4, candidates).tolist(), np.linspace(0, 0.9, 6)
    forms, names = r.random((candidates, 6)) < 0.4, r.random((candidates, 6)) < 0.3
    for tagged in (None, np.where(names & (r.random((candidates, 6)) < 0.5), risk, 1.0)):
        chosen = select_clauses(risk, harms, caps, budget, (), lengths, None, forms, names, tagged).clauses
        assert len(set(chosen)) == len(chosen)


def test_a_clause_that_adds_nothing_does_not_stand_in_for_one_that_does() -> None:
    """The second clause is nearly as good beside the first as the third, and shorter to read; but it catches nothing
    that the first does not."""
    conforming = np.ones((3, 1000))
    conforming[0, 3:] = conforming[1, 10:] = conforming[2, :3] = 0.0
    chosen = select_clauses(
        np.full((3, 1), 1e-4), [Harm(conforming, WEIGHTS)], np.zeros(1), 0.025, lengths=[1, 2, 30]
    ).clauses
    assert set(chosen) == {(0, 0), (2, 0)}


def test_selection_keeps_to_the_penalty() -> None:
    """A clause is selected only where what it catches is worth its risk; a smaller budget never takes more risk."""
    random_ = np.random.default_rng(3)
    risk = np.sort(random_.random((6, 12)) * 0.1, axis=1)[:, ::-1]
    harms = [Harm(random_.random((6, 50)).round(), WEIGHTS)]
    caps = np.linspace(0, 0.97, 12)
    risks = [select_clauses(risk, harms, caps, budget).risk for budget in (0.0001, 0.001, 0.01, 0.1, 0.5)]
    assert risks == sorted(risks)
    assert select_clauses(np.zeros((6, 12)), harms, caps, 0.01).power > 0
    assert select_clauses(np.ones((6, 12)), harms, caps, 0.01).clauses == ()


def test_of_purchases_worth_the_same_the_shortest_to_read_is_made() -> None:
    harms = [Harm(np.zeros((3, 4)), WEIGHTS)]
    chosen = select_clauses(np.full((3, 1), 0.001), harms, np.zeros(1), 0.05, lengths=[30, 10, 20])
    assert chosen.clauses == ((1, 0),)


def test_a_rule_that_says_what_values_are_is_taken_where_it_is_worth_hardly_less() -> None:
    conforming = np.zeros((2, 100))  # of a form, and of characters that one row in a hundred keeps to
    conforming[1, 0] = 1.0
    harms, forms = [Harm(conforming, WEIGHTS)], np.array([[True], [False]])
    for risk, chosen in ((0.02, 0), (0.2, 1)):
        offered = np.array([[risk], [0.005]])
        assert select_clauses(offered, harms, np.zeros(1), 0.05).clauses == ((1, 0),)
        assert select_clauses(offered, harms, np.zeros(1), 0.05, forms=forms).clauses == ((chosen, 0),)


def test_values_are_described_where_no_form_binds_nearly_all_of_them() -> None:
    """Of forms that are safe only where few values have to keep them the most specific one is part of the program."""
    conforming = np.repeat([[0.2], [0.1], [0.0]], 100, axis=1)  # of two forms, and of characters
    risk = np.array([[0.9, 0.004], [0.9, 0.005], [0.005, 0.004]])
    forms, caps = np.array([[True, False], [True, False], [False, False]]), np.array([0.0, 0.85])
    harms = [Harm(conforming, WEIGHTS)]
    assert select_clauses(risk, harms, caps, 0.05).clauses == ((2, 0),)
    assert set(select_clauses(risk, harms, caps, 0.05, forms=forms).clauses) == {(1, 1), (2, 0)}
    risk[:2, 1] = 0.1
    assert select_clauses(risk, harms, caps, 0.05, forms=forms).clauses == ((2, 0),)


def test_what_is_selected_in_any_case_stays_unless_it_is_selected_more_strictly() -> None:
    harms = [Harm(np.zeros((2, 4)), WEIGHTS)]
    risk = np.array([[0.001, 0.001], [0.9, 0.001]])
    caps = np.array([0.0, 0.9])
    assert (1, 1) in select_clauses(risk, harms, caps, 0.05, first=(1, 1)).clauses
    assert select_clauses(risk[:1], [Harm(np.zeros((1, 4)), WEIGHTS)], caps, 0.05, first=(0, 1)).clauses == ((0, 0),)


def test_what_values_are_is_said_where_that_costs_hardly_anything() -> None:
    harms = [Harm(np.zeros((2, 4)), WEIGHTS)]
    names, caps = np.array([[False, False], [True, True]]), np.array([0.0, 0.9])
    for risk, said in ((0.015, True), (0.1, False)):
        program = select_clauses(np.array([[0.001, 0.001], [0.9, risk]]), harms, caps, 0.05, names=names)
        assert ((1, 1) in program.clauses) is said


def test_what_a_column_is_tagged_with_is_worth_as_much_as_a_form_and_asked_as_strictly_as_is_safe() -> None:
    harms, caps = [Harm(np.zeros((2, 4)), WEIGHTS)], np.array([0.0, 0.01, 0.05])
    names, none = np.array([[False] * 3, [True] * 3]), [1.0] * 3
    for risks, said in (((0.9, 0.05, 0.05), {1}), ((0.9, 0.09, 0.05), {2}), ((0.9, 0.9, 0.5), set())):
        risk = np.array([[0.001] * 3, none])
        program = select_clauses(risk, harms, caps, 0.05, names=names, tagged=np.array([none, risks]))
        assert {at for which, at in program.clauses if which == 1} == said


def test_what_is_safe_and_catches_more_is_selected() -> None:
    """Of two patterns as safe as each other the one is taken that the column's own values, damaged, break."""
    values = profile_values((f"SO{i}", 1) for i in range(40_000, 40_200))
    patterns = [Candidate("names", ("SO<digit>{5}",)), Candidate("stems", ("<letter>+<digit>+",))]
    keeping = [[np.mean([c.accepts(v) for v in bad]) for _, bad in damage_to(values)] for c in patterns]
    harms = [Harm(np.array(keeping), WEIGHTS)]
    chosen = select_clauses(np.full((2, 1), 0.001), harms, np.zeros(1), 0.05)
    assert chosen.clauses[0] == (0, 0)


def test_a_verdict_that_passes_says_how_many_values_conform() -> None:
    clause = StringClause.of(Candidate("shape", ("AA",)), 0.02)
    rule = Rule("pattern", "x", {"clauses": [clause.to_json()], "rows": 400}, 0.01, "x.", "strings")
    assert rule.judge_profile(profile_values([("DE", 400)])).sentence == "400 values conform."
    told = rule.judge_profile(profile_values([("DE", 397), ("d", 3)])).sentence
    assert told == "397 of 400 values conform (others: at most 2%)."
    few = rule.judge_profile(profile_values([("DE", 67), ("d", 4)]))
    assert few.sentence == "67 of 71 values conform (others: at most 7% of so few)."
    assert few.high is not None
    assert few.value is not None
    assert few.value <= few.high  # as it is drawn
    bad = rule.judge_profile(profile_values([("DE", 300), ("d", 100)])).sentence
    assert bad.startswith("100 of 400 values (25%) are not two capitals, expected at most 2%")
