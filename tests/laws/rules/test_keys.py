"""Rules on keys: what is called so and never came twice is one, and what repeats it then is told; and on columns that
name rows of other tables."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from catalog.history.earlier import Again, Earlier, decode, encode
from catalog.history.series import observe_metrics
from catalog.learners.keys import ENOUGH, learn_keys, learn_new_keys, learn_new_rows, may_be_keys, own_key
from catalog.learners.references import Keyed, candidates, learn_references
from catalog.rules.kinds.key import ROWS, KeyRule, NewKeyRule, repeats
from catalog.rules.kinds.reference import Joined
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold
from catalog.states.parts.distinct import FULL, Hashes
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


def test_what_a_household_shares_is_no_key_though_it_is_called_a_number() -> None:
    state = fold(pa.table({"phone_no": [f"+48 600 {n} {n}" for n in range(100, 300)]}))
    series = [observe_metrics(state, None)]
    assert [rule.column for rule in learn_keys(series, "clients", {"phone_no": "string"})] == ["phone_no"]
    kinds = may_be_keys({"phone_no": "string"}, {"phone_no": {"phone"}})
    assert learn_keys(series, "clients", kinds) == []
    assert learn_new_keys(series, "clients", kinds, {"phone_no": [Again(0, 200)]}) == []
    assert learn_new_keys(series, "clients", kinds, {ROWS: [Again(0, 200)] * 3}) == []  # whole rows are of no column


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
    right, wrong = judged(rule, *parts), judged(rule, *parts, parts[0].slice(0, 1_800))
    assert (right.status, wrong.status) == (PASSED, VIOLATED)
    assert right.sentence == "None of 1,024 values comes twice."
    assert re.search(r": at least [\d,]+ rows \(.*\) repeat a value of another", wrong.sentence)
    assert wrong.observed["repeated"] <= 1_800


def loaded(*loads: pa.Table) -> tuple[list[NewKeyRule], Earlier]:
    """What is learned of loads about keys of earlier ones, and what these hold."""
    earlier, shared = Earlier(), []
    states = [fold(load) for load in loads]
    for number, state in enumerate(states):
        distinct = state.columns["order_id"].distinct
        shared += [earlier.again(distinct.hashes, distinct.threshold, number)] if number else []
        earlier.add(number, *decode(encode(distinct.hashes, distinct.threshold)))
    kinds = {name: column.kind for name, column in states[-1].columns.items()}
    series = [observe_metrics(state, None) for state in states]
    return learn_new_keys(series, "orders", kinds, {"order_id": shared}), earlier


@pytest.mark.parametrize("closely", [(0.1, 0.14), (0.14, 0.1), (0.1, 0.1), (0.2, 0.2)])
def test_old_loads_that_come_with_todays_are_counted_together(closely: tuple[float, float]) -> None:
    """Two of them make two thirds of a load of which neither alone is half, however closely each was sampled."""
    drawn = np.random.default_rng(4).integers(0, FULL - 1, (3, 4_500), np.uint64)

    def sampled(share: float, *loads: int) -> tuple[Hashes, int]:
        hashes = np.sort(drawn[list(loads)].ravel())
        return hashes[hashes < np.uint64(int(share * FULL))], int(share * FULL)

    earlier = Earlier()
    for version, share in enumerate(closely):
        earlier.add(version, *sampled(share, version))
    found = earlier.again(*sampled(0.12, 0, 1, 2), 2)
    assert 0.6 < found.share < 0.73
    assert found.least > 0.5
    assert earlier.again(*sampled(0.12, 2), 2).seen == 0


def said_of_load(rule: Rule, earlier: Earlier, *parts: pa.Table, kind: str = "increment") -> Verdict:
    state = merge_all([fold(part) for part in parts])
    return rule.judge(Batch(9, kind, state, None, [], DAY, [], earlier={"order_id": earlier}))


@pytest.mark.parametrize("rows", [90, 900, 40_000])
def test_a_load_that_comes_again_whole_or_in_part_is_told(rows: int) -> None:
    loads = [orders(first * rows, rows) for first in range(8)]
    (rule,), earlier = loaded(*loads)
    assert rule.column == "order_id"
    assert said_of_load(rule, earlier, orders(50 * rows, rows)).status == PASSED
    whole = said_of_load(rule, earlier, loads[3])
    assert (whole.status, whole.observed["version"], whole.offenders) == (VIOLATED, 3, {"again": 3})
    assert whole.observed["again"] == rows
    half = said_of_load(rule, earlier, loads[5].slice(0, rows // 2), orders(50 * rows, rows // 2))
    assert (half.status, half.observed["version"]) == (VIOLATED, 5)
    assert half.observed["again"] == pytest.approx(rows / 2, rel=0.3)
    assert None not in (rule.fpr, whole.p_value, half.p_value)
    assert whole.p_value < half.p_value < rule.fpr
    assert said_of_load(rule, earlier, loads[3], kind="rewrite").status == NOT_APPLICABLE
    earlier.forget(3)
    assert said_of_load(rule, earlier, loads[3]).status == PASSED


def test_of_a_large_first_load_what_it_shares_with_small_ones_is_seen_as_far_as_its_sample_goes() -> None:
    parts = [orders(first, 9_000) for first in range(0, 90_000, 9_000)]
    large = merge_all([fold(part) for part in parts]).columns["order_id"].distinct
    earlier = Earlier()
    earlier.add(0, large.hashes, large.threshold)
    small = fold(orders(0, 9_000)).columns["order_id"].distinct
    found = earlier.again(small.hashes, small.threshold, 1)
    assert 0 < found.seen == found.compared <= len(small.hashes)
    assert not found.exact


@pytest.mark.parametrize(
    "loads",
    [
        [orders(0), orders(0), orders(200), orders(400)],  # changes of rows are appended
        [orders(0), orders(200, order_id=[7] * 200), orders(400), orders(600)],
        [orders(0, 60), orders(60, 20), orders(80, 20)],  # of so few values nothing is known
        [orders(0)],
    ],
)
def test_what_came_again_or_was_hardly_compared_is_no_key_of_loads(loads: Sequence[pa.Table]) -> None:
    assert loaded(*loads)[0] == []


def test_only_a_table_s_own_key_is_held_to_earlier_loads() -> None:
    """What stands behind it is often the key of what its rows are about."""
    metrics = [observe_metrics(fold(orders(first, customer_id=list(range(200)))), None) for first in (0, 200, 400)]
    shared = {name: [Again(0, 90), Again(0, 90)] for name in ("order_id", "customer_id")}
    found = learn_new_keys(metrics, "orders", {"order_id": "number", "customer_id": "number"}, shared)
    assert [rule.column for rule in found] == ["order_id"]


def test_a_load_of_few_rows_again_is_no_more_than_a_few() -> None:
    (rule,), earlier = loaded(*(orders(first * 100, 100) for first in range(8)))
    mixed = [orders(0, 1), orders(5_000, 99)]
    assert said_of_load(rule, earlier, *mixed).sentence == "1 row holds a value that an earlier load has."
    assert said_of_load(rule, earlier, orders(5_000, 100)).sentence == "No value is one of an earlier load."


def keyed(table: str, number: int, **columns: Iterable[object]) -> list[Keyed]:
    """The columns of a table as they are kept to be compared."""
    state = fold(pa.table({name: pa.array(list(values)) for name, values in columns.items()}))
    own = own_key(state.columns, table)
    return [
        Keyed(number, table, f"shop/{table}", name, column.kind, name == own and not repeats(column),
              column.distinct.hashes, column.distinct.threshold, column.non_null, round(column.distinct.singletons()))
        for name, column in state.columns.items()
    ]  # fmt: skip


def found(*tables: list[Keyed]) -> list[tuple[str, str, str, str]]:
    pairs = candidates(one for table in tables for one in table)
    return [(one.own.table, one.own.column, one.other.table, one.other.column) for one in pairs]


ORDERS = {"order_id": range(900), "customer_id": [7 * n % 80 for n in range(900)]}


@pytest.mark.parametrize(
    ("table", "key", "column"),
    [
        ("customers", "customer_id", "customer_id"),
        ("customers", "id", "customer_id"),
        ("dim_customer", "id", "customer_id"),
        ("customers", "customer_id", "billing_customer_id"),
        ("customer", "c_custkey", "o_custkey"),
        ("categories", "id", "CategoryID"),
    ],
)
def test_a_column_that_is_called_like_another_table_s_key_and_holds_its_values_names_its_rows(
    table: str, key: str, column: str
) -> None:
    orders = keyed("orders", 1, order_id=range(900), **{column: [7 * n % 80 for n in range(900)]})
    assert found(orders, keyed(table, 2, **{key: range(100)})) == [("orders", column, table, key)]


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("customers", {"customer_id": range(60)}),  # some are lacking
        ("customers", {"customer_id": [n // 2 for n in range(200)]}),  # no key
        ("customers", {"customer_id": [str(n) for n in range(100)]}),  # of another kind
        ("sensors", {"id": range(100)}),  # whole numbers from 0 on are among any others
        ("sensors", {"sensor_id": range(100)}),
        ("visits", {"visit_id": range(100), "customer_id": range(100)}),  # what its rows are about
    ],
)
def test_what_is_not_called_or_not_held_so_is_no_reference(table: str, columns: dict[str, Iterable[object]]) -> None:
    assert found(keyed("orders", 1, **ORDERS), keyed(table, 2, **columns)) == []


def test_where_two_tables_have_the_key_none_is_it_for_sure() -> None:
    both = [keyed(name, number, customer_id=range(100)) for number, name in ((2, "customers"), (3, "customers_old"))]
    assert found(keyed("orders", 1, **ORDERS), *both) == []


def test_large_tables_are_compared_by_their_samples() -> None:
    customers = keyed("customers", 2, customer_id=range(50_000))
    orders = keyed("orders", 1, order_id=range(40_000), customer_id=[n % 20_000 for n in range(40_000)])
    assert found(orders, customers) == [("orders", "customer_id", "customers", "customer_id")]
    others = keyed("orders", 1, order_id=range(40_000), customer_id=[n % 20_000 + 35_000 for n in range(40_000)])
    assert found(others, customers) == []


def test_rows_that_name_nothing_are_counted_and_those_that_may_come_are_waited_for() -> None:
    (one,) = candidates([*keyed("orders", 1, **ORDERS), *keyed("customers", 2, customer_id=range(100))])
    (rule,) = learn_references([one])
    assert (rule.column, rule.other, rule.params["column"]) == ("customer_id", "shop/customers", "customer_id")
    assert rule.judge_joined(Joined(900, 0, 4)).sentence == "Every value is one of shop/customers.customer_id."
    assert rule.judge_joined(Joined(900, 1, 4)).status == PASSED
    few, many = (rule.judge_joined(Joined(900, rows, 4)) for rows in (60, 600))
    assert few.status == many.status == VIOLATED
    assert None not in (rule.fpr, few.p_value, many.p_value)
    assert many.p_value < few.p_value < rule.fpr
    assert rule.judge_joined(Joined(900, 60, 4, waits=True)).status == NOT_APPLICABLE
    assert rule.judge_joined(Joined(0, 0, 4)).status == NOT_APPLICABLE


def loads(*tables: pa.Table) -> tuple[list[Again], dict[str, Earlier]]:
    """(what each load but the first shared with those before it, all that they brought), of whole rows."""
    earlier, found = Earlier(), []
    for number, table in enumerate(tables):
        rows = fold(table).row_distinct
        if number:
            found.append(earlier.again(rows.hashes, rows.threshold, number))
        earlier.add(number, rows.hashes, rows.threshold)
    return found, {"": earlier}


def notes(first: int, rows: int = 400) -> pa.Table:
    """Rows of which no column is called a key."""
    return orders(first, rows).rename_columns(["rownames", "customer", "note"])


@pytest.mark.parametrize(
    ("batch", "status", "share"),
    [
        (notes(9000), PASSED, 0.0),
        (pa.concat_tables([notes(9000), notes(400, 80)]), PASSED, 1 / 6),
        (notes(400), VIOLATED, 1.0),
        (pa.concat_tables([notes(9000, 100), notes(400)]), VIOLATED, 0.8),
    ],
)
def test_a_load_that_comes_again_is_told_where_no_column_is_called_a_key(
    batch: pa.Table, status: str, share: float
) -> None:
    shared, earlier = loads(*(notes(400 * number) for number in range(4)))
    (rule,) = learn_new_rows(shared)
    said = rule.judge(Batch(9, "increment", fold(batch), None, [], DAY, [], earlier=earlier))
    assert (said.status, said.observed["share"]) == (status, pytest.approx(share, abs=0.06))
    assert said.offenders == ({"again": 1, "columns": ["rownames", "customer", "note"]} if status == VIOLATED else {})
    if share == 1.0:
        told = "about 400 rows (100%) came in an earlier load, most of them version 1; expected at most 50%."
        assert said.sentence == told


def test_rows_that_come_again_by_themselves_are_no_load_that_does() -> None:
    shared, _ = loads(*(pa.table({"state": ["open", "shut"] * 200}) for _ in range(4)))
    assert learn_new_rows(shared) == []
    few, _ = loads(*(notes(9 * number, 9) for number in range(4)))
    assert learn_new_rows(few) == []
