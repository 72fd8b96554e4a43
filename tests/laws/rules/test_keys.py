"""Rules on keys: what is called so and never came twice is one, and what repeats it then is told."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from catalog.history.series import observe_metrics
from catalog.learners.keys import ENOUGH, learn_keys
from catalog.rules.kinds.key import KeyRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold
from catalog.states.table import merge_all

DAY = datetime(2026, 1, 1, tzinfo=UTC)


def orders(first: int, rows: int = 200, **columns: list[object]) -> pa.Table:
    ids = list(range(first, first + rows))
    table = {"order_id": ids, "customer_id": [n % 40 for n in ids], "note": [f"note {n}" for n in ids]}
    return pa.table(table | columns)


def learned(*batches: pa.Table) -> list[KeyRule]:
    states = [fold(batch) for batch in batches]
    series = [observe_metrics(state, None) for state in states]
    return learn_keys(series, "orders", {name: column.kind for name, column in states[-1].columns.items()})


def judged(rule: Rule, *parts: pa.Table) -> Verdict:
    state = merge_all([fold(part) for part in parts])
    return rule.judge(Batch(9, "increment", state, None, [], DAY, []))


def test_what_is_called_a_key_and_never_came_twice_is_one() -> None:
    assert [rule.column for rule in learned(orders(0), orders(200))] == ["order_id"]
    assert learned(orders(0), orders(200, order_id=[7] * 200)) == []
    assert learned(orders(0, ENOUGH - 1)) == []
    assert learned(orders(0, order_id=[n + 0.5 for n in range(200)])) == []  # an amount
    assert [rule.column for rule in learned(orders(0, ENOUGH))] == ["order_id"]


@pytest.mark.parametrize(
    ("repeated", "status", "words"),
    [
        (0, PASSED, "No value comes twice."),
        (1, PASSED, "1 row repeats a value of another."),
        (9, VIOLATED, "Column 'order_id': 9 rows (4.31%) repeat a value of another, expected none."),
    ],
)
def test_rows_that_repeat_a_key_are_counted(repeated: int, status: str, words: str) -> None:
    (rule,) = learned(orders(0))
    said = judged(rule, pa.concat_tables([orders(400), orders(400).slice(0, repeated)]))
    assert (said.status, said.sentence) == (status, words)
    assert said.observed["repeated"] == repeated


def test_more_is_less_probable_and_missing_values_are_no_repeats() -> None:
    (rule,) = learned(orders(0))
    again = (pa.concat_tables([orders(400), orders(400).slice(0, n)]) for n in (5, 100))
    few, many = (judged(rule, one).p_value for one in again)
    assert None not in (rule.fpr, few, many)
    assert many < few < rule.fpr
    assert judged(rule, orders(400), orders(0, 40, order_id=[None] * 40)).status == PASSED
    assert judged(rule, orders(0, 40, order_id=pa.nulls(40, pa.int64()))).status == NOT_APPLICABLE


def test_of_many_rows_a_sample_answers() -> None:
    """Beyond what a state counts one by one, a healthy batch passes and one in which 2% come twice does not."""
    (rule,) = learned(orders(0))
    parts = [orders(first, 9_000) for first in range(0, 90_000, 9_000)]
    assert not merge_all([fold(part) for part in parts]).columns["order_id"].distinct.exact
    assert judged(rule, *parts).status == PASSED
    assert judged(rule, *parts, parts[0].slice(0, 1_800)).status == VIOLATED
