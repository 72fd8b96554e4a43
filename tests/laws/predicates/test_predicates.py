"""Predicates: what is refused and why, which columns they name, and null as a third answer."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.predicates.engine import check, evaluate, kinds_of
from catalog.predicates.kinds import NeedsSpark
from catalog.predicates.predicate import Predicate, PredicateError, renamed
from catalog.predicates.spark import spark_sql
from catalog.predicates.typed import compile_predicate

ROWS = {
    "id": pa.array([1, 2, None, 4], pa.int64()),
    "name": pa.array(["a", None, "", "it's"], pa.string()),
    "price": pa.array([1.5, float("nan"), None, -2.0]),
    "at": pa.array([0, 10**15, None, 5], pa.timestamp("us", "Europe/Paris")),
    "odd name": pa.array([True, False, None, True]),
    'quo"te': pa.array([1, 2, 3, 4], pa.int32()),
}


def said(text: str) -> list[bool | None]:
    return evaluate(ROWS, [Predicate(text)])[0].to_pylist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s NOT LIKE 'a%'", [False, True, None, True]),
        ("s NOT ILIKE 'A%'", [False, True, None, False]),
        ("NOT s NOT LIKE 'a%'", [True, False, None, False]),
        ("n > 0 AND s NOT LIKE 'a%' OR s NOT LIKE '%c%'", [False, True, None, True]),
        ("CASE WHEN s NOT LIKE 'a%' THEN n = 2 ELSE s NOT LIKE 'x' END", [True, True, None, False]),
        ("coalesce(s NOT LIKE 'a%', false)", [False, True, False, True]),
    ],
)
def test_not_like_is_the_contrary_of_like(text: str, expected: list[bool | None]) -> None:
    rows = {"s": pa.array(["abc", "b", None, "A"]), "n": pa.array([1, 2, 3, 4])}
    assert evaluate(rows, [Predicate(text)])[0].to_pylist() == expected
    assert "NOT" in spark_sql(Predicate(text))
    assert renamed(text, {"s": "t"}) == text.replace("s NOT", "t NOT").replace("s)", "t)")


def test_what_the_parser_says_beside_what_is_read_is_left_to_spark() -> None:
    assert not check(Predicate("s NOT LIKE 'a!%' ESCAPE '!'"), {"s": pa.string()})
    for text in ("d + INTERVAL 1 DAY > d", "s || 'x' = 'ax'", "n & 1 = 1", "n IS DISTINCT FROM 1"):
        assert not check(Predicate(text), {"s": pa.string(), "d": pa.date32(), "n": pa.int64()}), text


@pytest.mark.parametrize(
    "text",
    [
        "1; DROP TABLE x",
        "DROP TABLE x",
        "SELECT 1",
        "id IN (SELECT id FROM other)",
        "EXISTS (SELECT 1)",
        "count(id) > 1",
        "sum(id) OVER () > 1",
        "read_csv('/etc/passwd') IS NULL",
        "input_file_name() = 'x'",
        "java_method('java.lang.Runtime', 'exit')",
        "reflect('a', 'b') = 'c'",
        "rand() > 0.5",
        "uuid() = name",
        "current_timestamp() > at",
        "explode(name) = 'a'",
        "",
        "   ",
        "id >",
        "id > 1 -- and then\n; delete from x",
        "(" * 500 + "id > 1" + ")" * 500,
        "id = 1 OR " * 2000 + "id = 2",
    ],
)
def test_more_than_an_expression_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(PredicateError) as refused:
        Predicate(text)
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("nmae = 'a'", "there is no column 'nmae'"),
        ("name > 5", "compared with"),
        ("id + name > 1", "not a number"),
        ("id", "not true or false"),
        ("at > 'yesterday'", "is no time"),
        ("id AND id", "not true or false"),
    ],
)
def test_what_does_not_fit_the_table_is_said(text: str, cause: str) -> None:
    with pytest.raises(PredicateError, match=cause):
        check(Predicate(text), {name: array.type for name, array in ROWS.items()})


def test_null_is_neither_true_nor_false() -> None:
    assert said("id > 1") == [False, True, None, True]
    assert said("NOT id > 1") == [True, False, None, False]
    assert said("id > 1 OR id IS NULL") == [False, True, True, True]
    assert said("id <=> NULL") == [False, False, True, False]


def test_nan_is_above_every_number_and_equals_itself() -> None:
    assert said("price > 1e300") == [False, True, None, False]
    assert said("price = price") == [True, True, None, True]
    assert said("isnan(price)") == [False, True, False, False]


def test_a_failing_cell_is_null_and_fails_nobody_else() -> None:
    assert said("1 / (id - 1) > 0") == [None, True, None, True]
    assert said("CAST(name AS INT) = 1") == [None, None, None, None]
    assert said("id * 9223372036854775807 > 0") == [True, None, None, None]


def test_names_are_taken_as_they_are_written() -> None:
    assert said('`odd name` AND `quo"te` >= 1') == [True, False, None, True]
    assert said("ID = 1") == [True, False, None, False]
    assert said('name = "it\'s"') == [False, None, False, True]


def test_times_are_compared_in_utc() -> None:
    assert said("at < '1970-01-02'") == [True, False, None, True]
    assert said("hour(at) = 0") == [True, False, None, True]


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        found = Predicate(text)
    except PredicateError:
        return
    assert found.fingerprint == Predicate(found.canonical).fingerprint


def test_what_is_missing_can_be_told_of_a_column_of_any_type() -> None:
    rows = {
        "at": pa.array([0, None], pa.timestamp("us", "Europe/Berlin")),
        "items": pa.array([[1], None]),
        "share": pa.array([0.5, None], pa.float32()),
    }
    for name in rows:
        assert evaluate(rows, [Predicate(f"{name} IS NOT NULL")])[0].to_pylist() == [True, False]


def test_single_precision_is_compared_as_spark_does() -> None:
    rows = {"f": pa.array([0.1, -1.0, None], pa.float32()), "x": pa.array([0.1, -1.0, 1.0])}
    said = evaluate(rows, [Predicate("f = x"), Predicate("f >= 0"), Predicate("CAST(f AS DOUBLE) > 0.1")])
    assert [one.to_pylist() for one in said] == [[False, True, None], [True, False, None], [True, False, None]]
    with pytest.raises(NeedsSpark):  # long integers are rounded to single precision there
        evaluate(rows | {"n": pa.array([1, 2, 3])}, [Predicate("f > n")])


BACKTRACKING = [r"(?=x)(a+)+b", r"^(a|aa)+\1$", r"(?<!x)(?:[ab]+)*c", r"(\w+\s?){2,}(?!x)", "(é+)+"]


@pytest.mark.parametrize("pattern", BACKTRACKING)
def test_a_regex_that_only_a_backtracking_engine_reads_repeats_no_group(pattern: str) -> None:
    condition = Predicate(f"s RLIKE '{pattern.replace(chr(92), 2 * chr(92))}'")
    with pytest.raises(PredicateError, match="can take for ever"):
        compile_predicate(condition, kinds_of({"s": pa.string()}))


def test_nested_repeats_cost_no_more_than_the_text() -> None:
    cells = pa.array(["a" * 100_000 + "!"] * 10)
    for pattern in ("^(a+)+$", "^(a|a)*$", "^(a|aa)+$"):
        assert evaluate({"s": cells}, [Predicate(f"s RLIKE '{pattern}'")])[0].to_pylist() == [False] * 10


HANGING = [
    "regexp_extract(s, '(?=x)(.*a){25}b', 0) = 'q'",
    "regexp_replace(s, '(.*a)+$', '$1') = 'q'",
    "s RLIKE '(.*a){25}b' AND md5(s) = 'q'",  # for its other half Spark evaluates it
    "regexp_extract(s, '(?=x).*a.*a.*a.*a.*a.*a.*b', 0) = 'q'",
    "s RLIKE concat('(.*a', '){25}b')",
]


@pytest.mark.parametrize("text", HANGING)
def test_no_regex_reaches_spark_that_may_take_for_ever(text: str) -> None:
    with pytest.raises(PredicateError, match="can take for ever"):
        compile_predicate(Predicate(text), kinds_of({"s": pa.string()}))
    with pytest.raises(PredicateError, match="can take for ever"):
        spark_sql(Predicate(text))


def test_parts_of_texts_are_taken_by_the_engine_that_needs_no_more_than_the_text() -> None:
    cells = pa.array(["a1b22", "xx", None, "", "a" * 100_000 + "!"])
    asked = {
        "regexp_extract(s, '([a-z])([0-9]+)', 2) = '1'": [True, False, None, False, False],
        "regexp_extract(s, '(.*a){25}b', 0) = ''": [True, True, None, True, True],
        "regexp_replace(s, '[0-9]+', '#') = 'a#b#'": [True, False, None, False, False],
    }
    assert [one.to_pylist() for one in evaluate({"s": cells}, list(map(Predicate, asked)))] == list(asked.values())
    for text in ("regexp_replace(s, 'a*', '-') = '-'", "regexp_extract(s, 'a$', 0) = 'a'"):
        with pytest.raises(NeedsSpark):  # the two engines would answer otherwise
            compile_predicate(Predicate(text), kinds_of({"s": pa.string()}))


def test_a_chain_of_hundreds_is_judged_and_what_is_too_deep_is_refused() -> None:
    rows = {"n": pa.array([1, 2])}
    assert evaluate(rows, [Predicate(" AND ".join(["n>1"] * 490))])[0].to_pylist() == [False, True]
    assert evaluate(rows, [Predicate(" OR ".join(["n>1 AND n<9"] * 250))])[0].to_pylist() == [False, True]
    for text in (" + ".join(["n"] * 700) + " > 0", "n" + ".a" * 900 + " = 1", "s" + "||s" * 1200 + " = 'x'"):
        with pytest.raises(PredicateError, match="nested too deeply"):
            Predicate(text)


def test_two_columns_that_differ_in_case_are_told() -> None:
    rows = {"a": pa.array([1]), "A": pa.array([2]), "b": pa.array([3])}
    assert evaluate(rows, [Predicate("b = 3")])[0].to_pylist() == [True]
    with pytest.raises(PredicateError, match="but for case"):
        evaluate(rows, [Predicate("a = 1")])


def test_what_is_wrong_is_told_without_marks_of_terminals() -> None:
    with pytest.raises(PredicateError) as error:
        Predicate("id >> (")
    assert "\x1b" not in str(error.value)
