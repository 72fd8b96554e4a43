"""Factors that are measured: of all rows or of a part of them, said as a unit where the numbers may have it."""

import numpy as np
import pyarrow as pa
import pytest

from catalog.causes.case import Case, guesses_of
from catalog.causes.cause import Guess
from catalog.causes.likely import probably
from catalog.causes.proof import mended
from catalog.causes.words import Seen, sentence
from catalog.rules.verdict import Batch
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from tests.laws.causes.values.test_columns_moved_on import PAST
from tests.past import Past


def drawn(seed: int, rows: int, spread: float = 0.3) -> np.ndarray:
    return np.round(np.random.default_rng([17, seed]).lognormal(2, spread, rows), 2)


RATES = [1.08, 0.85, 0.95, 160, 11.3, 11.6, 7.46, 4.3, 25, 395, 36, 1.48, 1.63, 1.78, 7.8, 91, 6, 20, 19.8, 1480, 1.45,
         8.4, 38, 17300, 5, 62, 4, 4.97, 1.9558, 149]  # fmt: skip


def rates(number: int) -> pa.Table:
    moved = np.random.default_rng([41, number]).normal(1, 0.003, len(RATES))
    return pa.table({"rate": np.round(RATES * moved, 6)})


OF_RATES = Past("fx", rates, 16, PAST.loaded)


def of(column: str, before: np.ndarray, now: np.ndarray, meaning: str = "") -> tuple[list[Guess], ColumnState]:
    """What may have become of a column of numbers, the most telling first, and its state now."""
    was, state = (fold(pa.table({column: some})) for some in (before, now))
    batch = Batch(1, "increment", state, was, [[column, "double"]], PAST.loaded)
    return guesses_of(Case("t", batch, {}, {}, (), meanings={column: meaning}), column), state.columns[column]


@pytest.mark.parametrize(
    ("column", "meaning", "named"),
    [("kwota", "", False), ("x", "money", False), ("x", "", False), ("length", "", True)],
)
def test_feet_are_told_of_lengths_alone_where_a_factor_is_not_exact(column: str, meaning: str, named: bool) -> None:
    (found, *_), _ = of(column, drawn(1, 70), np.round(drawn(2, 70) * 3.3, 2), meaning)
    assert found.cause == "scale"
    assert (found.detail["factor"] == 3.28084) is named
    said = sentence(found, [column], Seen("t", meaning=meaning))
    assert ("metres" in said) is named
    assert ("Probably another currency." in said) is (column == "kwota" or meaning == "money")


def test_a_factor_that_is_exact_is_told_of_numbers_of_any_meaning() -> None:
    (found, *_), _ = of("x", drawn(1, 9000), np.round(drawn(2, 9000) * 3.28084, 2))
    assert found.detail["factor"] == 3.28084


def test_amounts_that_are_smaller_are_divided() -> None:
    (found, *_), _ = of("renda", drawn(1, 400), np.round(drawn(2, 400) / 5.4, 2), "salary")
    said = sentence(found, ["renda"], Seen("t", meaning="salary"))
    assert said.startswith("Amounts in `t.renda` are divided by about 5")
    assert found.undo.startswith("multiply by about 5")


@pytest.mark.parametrize("factor", [40.0, 453.592, 1 / 37])
def test_the_factor_of_a_part_of_the_rows_is_measured(factor: float) -> None:
    """What is undone in these rows alone brings the others to no harm."""
    before, right = drawn(1, 300), drawn(2, 300)
    now = right.copy()
    part = np.random.default_rng(3).random(300) < 0.4
    now[part] = np.round(now[part] * factor, 2)
    (found, *_), state = of("x", before, now)
    assert (found.cause, found.credible) == ("scale", True)
    assert found.detail["factor"] == pytest.approx(factor, rel=0.1)
    assert found.share == pytest.approx(part.mean(), abs=0.05)
    assert f"those that are too {'large' if factor > 1 else 'small'}" in found.undo
    assert found.mend is not None
    again = mended(state, found.mend)
    assert again is not None
    assert again.quantiles is not None
    assert again.quantiles.median() == pytest.approx(np.median(right), rel=0.05)


def test_pounds_that_came_as_whole_grams_are_told() -> None:
    before, now = drawn(1, 200, 0.15), drawn(2, 200, 0.15)
    now[:80] = np.round(now[:80] * 453.592)
    (found, *_), _ = of("weight", before, now)
    assert found.detail["factor"] == 453.592
    assert probably(found, "weight", None) == "Probably grams instead of pounds."


def test_some_larger_numbers_of_another_spread_are_no_factor() -> None:
    """Larger ones among the others, and new ones that are all one size."""
    before = drawn(1, 300)
    for more in (np.linspace(5, 20, 100), np.full(100, 90.0) + np.arange(100) / 100):
        found, _ = of("x", before, np.concatenate([drawn(2, 200), np.round(more, 2)]))
        assert not [guess for guess in found if guess.cause == "scale" and guess.credible]


def test_rates_the_other_way_round_are_no_factor() -> None:
    """Their middle is 1/67 of what it was; no factor brings each back, one divided by each does."""
    now = pa.table({"rate": np.round(1 / rates(16)["rate"].to_numpy(), 6)})
    (found,) = OF_RATES.causes(OF_RATES.next(fold(now)))
    assert (found.cause, found.undo) == ("inverted", "divide one by each")
    assert found.proof.startswith("Divide one by each: ")


def test_a_factor_by_which_medians_do_not_move_is_not_told() -> None:
    """Thirty rates spread so far that 1/67 and 1/100 look alike; that their middle hardly moves tells which it is."""
    now = pa.table({"rate": rates(16)["rate"].to_numpy() / 67})
    (found,) = OF_RATES.causes(OF_RATES.next(fold(now)))
    assert found.cause == "scale"
    assert found.size["factor"] == pytest.approx(1 / 67, rel=0.02)
    assert "divided by about 70" in found.sentence
