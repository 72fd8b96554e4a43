"""Declared checks: what they say of rows, how they are written in YAML, and what is said of a mistake."""

from __future__ import annotations

import inspect
import json
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from catalog.declared.check import Check, status_of
from catalog.declared.constraint import NOT_APPLICABLE, PASSED, VIOLATED, Constraint
from catalog.declared.facts import Facts, Other
from catalog.declared.files import FileError, read_checks, write_checks
from catalog.declared.fitting import misfits
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.errors import UsageError
from catalog.measures.part import fold_parts
from catalog.predicates.engine import evaluate
from catalog.predicates.predicate import Predicate, PredicateError

ORDERS = {
    "id": pa.array([1, 2, 3, 3]),
    "amount": pa.array([10.0, None, -5.0, 20.0]),
    "code": pa.array(["AB1", "AB2", "zz", None]),
    "text": pa.array(["1", "2", "x", ""]),
    "paid": pa.array([True, True, False, None]),
    "at": pa.array([datetime(2026, 2, day, tzinfo=UTC) for day in (1, 5, 27, 9)]),
}
#: An example of the arguments of every kind, on the table above.
NUMBER, TEXT = "amount", "code"


def example(name: str) -> Constraint:
    kind = CHECK_KINDS[name]
    arguments: dict[str, Any] = {key: one.example for key, one in kind.arguments.items() if one.required}
    arguments |= {"condition": "id > 0"} if "condition" in arguments else {}
    arguments |= {"low": 0} if name in ("is_between", "has_length_between") else {}
    column = "at" if name == "is_fresh" else TEXT if kind.group == "Texts" else NUMBER
    arguments |= {"other_columns": ["amount"]} if "other_columns" in kind.arguments else {}
    columns = ("id", "amount")[: kind.columns[0]] if kind.columns[0] > 1 else (column,) * kind.columns[0]
    return Constraint(name, columns, arguments, at_least=0 if kind.needs_band else None)


def facts(constraint: Constraint) -> Facts:
    """What checks ask for beside rows: the table itself is the other one."""
    schema = [[name, "bigint"] for name in ORDERS]
    other = Other("shop/customers", 7, schema[1:], fold_parts(ORDERS, 4, constraint.other_parts))  # type: ignore[arg-type]
    return Facts(schema, datetime(2026, 3, 1, tzinfo=UTC), [4.0, 5.0, 4.0], other)


def results(check: Check, data: dict[str, pa.Array] = ORDERS) -> list[Any]:
    return check.judge(fold_parts(data, len(next(iter(data.values()))), check.parts))


def one(check: Check, data: dict[str, pa.Array] = ORDERS) -> Any:
    (found,) = results(check, data)
    return found


@pytest.mark.parametrize("name", CHECK_KINDS)
def test_every_kind_is_judged_said_and_written(name: str) -> None:
    constraint = example(name)
    check = Check("orders", (constraint,))
    (found,) = check.judge(fold_parts(ORDERS, 4, check.parts), facts)
    assert found.status in ((NOT_APPLICABLE,) if name == "is_updated" else (PASSED, VIOLATED)), found
    assert found.sentence.endswith(".")
    assert "{column" not in constraint.sentence
    assert read_checks(write_checks([Check("orders", (constraint,))]))[0].constraints == (constraint,)
    assert Constraint.from_json(constraint.to_json()) == constraint
    assert inspect.getdoc(getattr(Check, name))


@pytest.mark.parametrize("name", [name for name, kind in CHECK_KINDS.items() if kind.by_row])
def test_rows_that_fail_are_those_that_were_counted(name: str) -> None:
    constraint = example(name)
    failing = evaluate(ORDERS, [Predicate(constraint.failing() or "")])[0].to_pylist()
    found = one(Check("orders", (constraint,)))
    assert found.value == pytest.approx(1 - sum(bool(row) for row in failing) / 4)


def test_sentences_lead_with_what_broke() -> None:
    assert one(Check().is_complete("amount")).sentence.startswith("1 of 4 rows (25%) breaks it")
    assert one(Check().has_max("amount", at_most=15)).sentence == "Maximum of amount is 20, expected at most 15."
    assert one(Check().has_size(at_least=1)).sentence == "Number of rows is 4."


def test_sentences_of_a_single_row_are_in_the_singular() -> None:
    data = {"id": pa.array([1]), "x": pa.array([None], pa.int64())}
    whole, broken = results(Check().is_complete("id").is_complete("x"), data)
    assert whole.sentence == "The only row keeps to it."
    assert broken.sentence.startswith("1 of 1 row (100%) breaks it")


def test_a_text_that_is_no_number_is_not_positive() -> None:
    found = one(Check().is_non_negative("text"))
    assert found.status == VIOLATED
    assert found.value == 0.5


def test_where_that_no_row_meets_is_not_applicable() -> None:
    found = results(Check().is_complete("amount").where("id > 99").is_unique("id").where("id > 99"))
    assert [result.status for result in found] == [NOT_APPLICABLE, NOT_APPLICABLE]
    assert status_of(found) == NOT_APPLICABLE


def test_the_worst_status_stands_for_all() -> None:
    check = Check().has_size(at_least=1).is_unique("id").warn()
    assert status_of(results(check)) == "warning"
    assert status_of(results(check.is_complete("amount"))) == "error"
    assert status_of(results(Check().has_size(at_least=1))) == PASSED


def test_a_bad_column_fails_alone() -> None:
    found = results(Check().is_complete("nope").has_size(at_least=1).satisfies(condition="code > 5"))
    assert [result.status for result in found] == [VIOLATED, PASSED, VIOLATED]
    assert "there is no column 'nope'" in found[0].sentence


def test_a_share_that_is_met_exactly_passes() -> None:
    data = {"x": pa.array([1] * 7 + [None] * 3)}
    assert one(Check().has_completeness("x", at_least=0.7), data).status == PASSED


@pytest.mark.parametrize(
    ("wrong", "cause"),
    [
        (lambda: Constraint("is_complet", ("a",)), "there is no check"),
        (lambda: Constraint("is_complete"), "takes 1 column, not 0"),
        (lambda: Constraint("has_mean", ("a",)), "does not say what is expected"),
        (lambda: Constraint("has_mean", ("a",), at_least=5, at_most=1), "above at_most"),
        (lambda: Constraint("has_mean", ("a",), at_least="x"), "not a number"),  # type: ignore[arg-type]
        (lambda: Constraint("is_in", ("a",)), "needs values"),
        (lambda: Constraint("is_in", ("a",), {"values": "EUR"}), "no list"),
        (lambda: Constraint("is_in", ("a",), {"values": [{"a": 1}]}), "no value of a column"),
        (lambda: Constraint("is_complete", ("a",), {"q": 1}), "takes no 'q'"),
        (lambda: Constraint("is_complete", ("a",), level="fatal"), "level 'fatal'"),
        (lambda: Constraint("is_complete", ("a",), where="a >"), "cannot be parsed"),
        (lambda: Constraint("satisfies", (), {"condition": "1; drop table x"}), "more than one expression"),
        (lambda: Check().where("a = 1"), "no constraint yet"),
    ],
)
def test_what_cannot_be_demanded_is_said(wrong: Any, cause: str) -> None:
    with pytest.raises(UsageError, match=cause) as error:
        wrong()
    assert error.value.remedy


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "no tables"),
        ("- a\n- b", "no tables"),
        ("tables:\n  t:\n    is_complete: id", "are no list"),
        ("tables:\n  t:\n    - is_complet: id", "line 3: there is no check 'is_complet'"),
        ("tables:\n  t:\n    - is_complete: id\n    - has_mean: x", "line 4: has_mean does not say"),
        ("tables:\n  t:\n    - is_complete: id\n      is_unique: id", "stand in one entry"),
        ("tables:\n  t:\n    - satisfies: a >", "line 3: .*cannot be parsed"),
        ("tables:\n  t:\n    - {is_complete: a, name: n}\n    - {is_unique: a, name: n}", "named 'n'"),
        ("tables:\n  t: []\n  t: []", "duplicate key"),
        ("tables: [", "line 1"),
        ("tables: &a\n  t: *a", "line 1: the file uses anchors or aliases"),
        ("[" * 100_000 + "]" * 100_000, "nests more than 100"),
        ("a: &a [x,x]\nb: &b [*a,*a]\ntables: *b", "line 1: the file uses anchors or aliases"),
        ("tables:\n  t:\n    - 5", "line .*no check"),
        ("x: 1\ntables: {}", "unknown key 'x'"),
        ("tables:\n\tt: []", "line 2"),
        ("tables:\n  t:\n    - is_complete", "line 2: is_complete takes 1 column"),
        ("tables:\n  t:\n    - is_complete: id\n      were: x", "takes no 'were'"),
        ("tables:\n  t:\n    - is_in: a\n      values: [1, .nan]", "line 3: .*nan in values"),
        ("tables:\n  t:\n    - has_size:\n      at_least: " + "9" * 4200, "line 3: .*not a number"),
        ("tables: !!python/object/apply:os.system ['true']", "no tables"),
    ],
)
def test_mistakes_in_files_name_their_line(text: str, cause: str) -> None:
    with pytest.raises(FileError, match=cause) as error:
        read_checks(text)
    assert error.value.remedy


def test_all_mistakes_of_a_file_are_told_at_once() -> None:
    text = "tables:\n  a:\n    - is_complet: id\n    - is_complete: id\n    - is_in: x\n  b: 5\n  c:\n    - 5\n"
    with pytest.raises(FileError, match="line 3") as error:
        read_checks(text)
    assert [one.cause.split(":")[0] for one in error.value.more] == ["line 5", "line 6", "line 7"]


def test_columns_may_be_named_by_numbers() -> None:
    (check,) = read_checks("tables:\n  t:\n    - is_complete: 5\n    - is_unique: [5, 6]")
    assert [one.columns for one in check.constraints] == [("5",), ("5", "6")]


def test_dates_mean_the_same_with_quotes_and_without() -> None:
    text = "tables:\n  t:\n    - is_between: d\n      low: {0}2026-01-01{0}\n      high: {0}2026-01-09T10:00:00Z{0}\n"
    text += "    - is_in: d\n      values: [{0}2026-01-01{0}, {0}2026-01-02 03:04:05{0}]\n"
    plain, quoted = read_checks(text.format("")), read_checks(text.format("'"))
    assert plain == quoted
    assert read_checks(write_checks(plain)) == plain
    json.dumps(plain[0].to_json())


def test_dates_of_python_are_kept_as_texts() -> None:
    check = Check("t").is_between("d", low=date(2026, 2, 1)).is_in("at", values=[datetime(2026, 3, 1, tzinfo=UTC)])
    kept = json.loads(json.dumps(check.to_json()))
    told = [one["arguments"] for one in kept["constraints"]]
    assert told == [{"low": "2026-02-01"}, {"values": ["2026-03-01T00:00:00+00:00"]}]
    data = {"d": pa.array([date(2026, 1, 31), date(2026, 2, 1)]), "at": pa.array([datetime(2026, 3, 1)] * 2)}
    assert results(Check.from_json(kept), data)[0].value == results(check, data)[0].value == 0.5


def test_a_file_of_a_million_characters_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(FileError, match="characters"):
        read_checks("tables:\n" + "#" * (1 << 20))


@pytest.mark.parametrize("name", CHECK_KINDS)
def test_the_examples_of_every_kind_are_right(name: str) -> None:
    told = {key: one.example for key, one in CHECK_KINDS[name].arguments.items() if one.example is not None}
    wrong = {key: CHECK_KINDS[name].arguments[key].mistake(value) for key, value in told.items()}
    assert not any(wrong.values()), wrong
    assert example(name).mistake() is None


def test_too_few_different_rows_to_predict_by_are_said_to_be_it() -> None:
    data = {"a": pa.array(["x"] * 50), "b": pa.array(["1"] * 50)}
    found = one(Check().has_predictability("a", "b", at_least=0.5), data)
    assert (found.status, found.sentence[:34]) == (NOT_APPLICABLE, "There are too few different rows: ")


def test_a_hostile_value_stays_a_value() -> None:
    data = {"s": pa.array(["x' OR TRUE OR '", "\\", "a"])}
    assert one(Check().is_in("s", values=["x' OR TRUE OR '", "\\"]), data).value == pytest.approx(2 / 3)
    with pytest.raises(PredicateError):
        Check().satisfies(condition="TRUE) OR (SELECT 1")


def test_names_that_were_made_up_do_not_collide() -> None:
    check = Check().has_mean("amount", at_least=0).has_mean("amount", at_most=9)
    assert [constraint.name for constraint in check.constraints] == ["has_mean_amount", "has_mean_amount_2"]


def judged(constraint: Constraint, **known: Any) -> Any:
    parts = fold_parts(ORDERS, 4, constraint.parts)
    return constraint.judge(parts, Facts(**known))  # type: ignore[arg-type]


def test_a_schema_that_changed_is_said_in_names() -> None:
    schema = [["id", "bigint"], ["amount", "double"]]
    for told in ("BIGINT", "long"):
        assert Constraint("has_column", ("id",), {"type": told}).mistake() is None
        assert judged(Constraint("has_column", ("id",), {"type": told}), schema=schema).status == PASSED
    found = judged(Constraint("has_column", ("amount",), {"type": "decimal(10,2)"}), schema=schema)
    assert found.sentence.startswith("Column amount is double, not decimal(10,2).")
    assert judged(Constraint("has_column", ("x",)), schema=schema).sentence.startswith("There is no column x.")
    order = Constraint("has_columns", ("amount", "id"))
    assert judged(order, schema=schema).sentence.startswith("The columns are others: the order is id, amount.")
    more = judged(Constraint("has_columns", ("id", "name")), schema=schema)
    assert more.sentence.startswith("The columns are others: name is missing; amount came beside.")
    assert judged(Constraint("has_column_count", (), at_most=1), schema=schema).sentence == (
        "Number of columns is 2, expected at most 1."
    )


def test_a_struct_and_a_list_are_one_column_each() -> None:
    schema = [
        ["id", "bigint"],
        ["who.name", "string"],
        ["who.age", "int"],
        ["tags", "array<string>"],
        ["tags[]", "string"],
    ]
    fields = [["id", "bigint"], ["who", "struct<name:string,age:int>"], ["tags", "array<string>"]]
    known = {"schema": schema, "fields": fields}
    assert judged(Constraint("has_column_count", (), at_least=3, at_most=3), **known).status == PASSED
    assert judged(Constraint("has_columns", ("id", "who", "tags")), **known).status == PASSED
    for name, told in [("who", fields[1][1]), ("who.name", "string"), ("tags", "ARRAY<STRING>")]:
        assert judged(Constraint("has_column", (name,), {"type": told}), **known).status == PASSED
    (error,) = misfits(Check("t").is_complete("who"), schema)
    assert str(error) == (
        "is_complete_who: column 'who' is a struct, and a check is asked of its fields; "
        "name one of them: who.name, who.age"
    )


def test_rows_that_came_late_are_counted_in_hours() -> None:
    fresh = Constraint("is_fresh", ("at",), at_most=24)
    assert judged(fresh, committed_at=datetime(2026, 2, 27, 6, tzinfo=UTC)).status == PASSED
    late = judged(fresh, committed_at=datetime(2026, 3, 1, tzinfo=UTC))
    assert (late.status, late.value) == (VIOLATED, 48)
    assert judged(fresh).status == NOT_APPLICABLE


def test_an_anomaly_shows_the_band_and_waits_for_a_past() -> None:
    followed = Constraint("has_no_anomaly", ("amount",), {"metric": "Mean", "strategy": "BatchNormal", "upper": 2})
    early = judged(followed, past=[8.0])
    assert (early.status, early.value) == (NOT_APPLICABLE, pytest.approx(25 / 3)), "the figure is remembered"
    found = judged(followed, past=[8.0, 9.0, 8.0, 9.0])
    assert (found.status, round(found.high, 3)) == (PASSED, 9.655)
    far = judged(followed, past=[1.0, 2.0, 1.0])
    assert far.status == VIOLATED
    assert far.sentence == "Mean of amount is 8.33333, expected -0.398717 to 2.48803."
    for wrong, cause in [
        ({"metric": "Nope", "strategy": "BatchNormal"}, "no metric"),
        ({"metric": "Mean", "strategy": "Nope"}, "no strategy"),
        ({"metric": "Mean", "strategy": "SimpleThreshold"}, "does not say what is expected"),
        ({"metric": "Mean", "strategy": "BatchNormal", "q": 0.5}, "cannot be followed"),
    ]:
        with pytest.raises(UsageError, match=cause):
            Constraint("has_no_anomaly", ("amount",), wrong)


def test_what_another_table_lacks_is_counted() -> None:
    keys = Constraint("references", ("id",), {"other": "c", "other_columns": ["key"]})
    customers = {"key": pa.array([1, 2, 9], pa.int32())}
    other = Other("c", 3, [], fold_parts(customers, 3, keys.other_parts))  # type: ignore[arg-type]
    found = judged(keys, other=other)
    assert (found.status, found.value) == (VIOLATED, 0.5)
    assert found.sentence.startswith("2 of 4 rows have a value in id that the other table lacks.")
    assert "not known here" in judged(keys).sentence
    assert "gone" in judged(keys, other=UsageError("gone", remedy="")).sentence
    same = Constraint("matches_table", ("id",), {"other": "c"})
    twice = {"id": pa.array([3, 1, 2, 3])}
    assert judged(same, other=Other("c", 3, [], fold_parts(twice, 4, same.other_parts))).status == PASSED  # type: ignore[arg-type]
    texts = {"id": pa.array(["1", "2"])}
    mixed = judged(same, other=Other("c", 3, [], fold_parts(texts, 2, same.other_parts)))  # type: ignore[arg-type]
    assert "cannot be compared" in mixed.sentence
