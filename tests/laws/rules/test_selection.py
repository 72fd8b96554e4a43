"""Programs of clauses, whatever the candidates."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.learners.selection import SHARES, Harm, select_clauses

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
    forms, names = r.random((candidates, 6)) < 0.4, r.random(candidates) < 0.3
    chosen = select_clauses(risk, harms, caps, budget, lengths=lengths, forms=forms, names=names).clauses
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
