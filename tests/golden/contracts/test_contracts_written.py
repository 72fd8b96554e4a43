"""What is written where a tool would read it otherwise: each was found by running the tool (benchmarks/exchange)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog.declared.constraint import Constraint
from catalog.rules.exchange.demands import demands
from catalog.rules.exchange.registry import WRITERS, read_contract
from catalog.rules.rule import Rule, class_of

PATTERN = Constraint("has_pattern", ("currency",), {"pattern": "^[A-Z]{3}$"})
PAIR = Constraint("is_unique", ("id", "currency"))
SHARE = Constraint("is_positive", ("amount",), at_least=0.9)
MEAN = Constraint("has_mean", ("amount",), at_least=-1, at_most=2.5, where="paid")


def key(tolerated: float) -> Rule:
    return class_of("key")("key", "id", {"repeated": tolerated}, 0.001, "x.", "keys")


def test_great_expectations_fills_in_its_batch_and_nothing_of_a_pattern() -> None:
    (one,) = WRITERS["gx"]("orders", [PATTERN])[0]["expectations"]
    query = one["kwargs"]["unexpected_rows_query"]
    assert "'^[A-Z]{3}$'" in query.format(batch="orders")
    assert query.format(batch="orders").startswith("SELECT * FROM orders WHERE ")


def test_a_count_in_a_pattern_is_no_place_to_fill_in() -> None:
    for form in ("odcs", "dqdl", "gx"):
        written = str(WRITERS[form]("orders", [PATTERN])[0])
        assert "{3}" in written
    text = "Rules = [ CustomSql \"SELECT COUNT(*) FROM primary WHERE NOT s RLIKE '^[A-Z]{3}$'\" = 0 ]"
    ((one,),) = [asked.checks for asked in read_contract(text.encode())[1]]
    assert "{3}" in one.sentence


def test_glue_knows_a_key_of_one_column_alone() -> None:
    text, lost = WRITERS["dqdl"]("orders", [replace(PAIR, columns=("id",)), PAIR])
    assert text == 'Rules = [\n    IsUnique "id"\n]'
    assert [one.words for one in lost] == ["no value of id and currency occurs twice"]


def test_a_learned_key_of_several_columns_is_a_share_of_the_rows_that_have_all_of_them() -> None:
    rule = class_of("key")("key", None, {"repeated": 0.005, "columns": ["id", "line"]}, 0.001, "x.", "together")
    found, lost = demands(rule)
    assert not lost
    text, lost = WRITERS["dqdl"]("lines", found)
    query = "SELECT COUNT(DISTINCT `id`, `line`) * 1E0 / NULLIF(COUNT(*), 0) AS figure FROM primary"
    assert f'"{query} WHERE `id` IS NOT NULL AND `line` IS NOT NULL" >= 0.995' in text
    assert not lost
    ((read,),) = [asked.checks for asked in read_contract(text.encode())[1]]
    assert (read.kind, read.columns, read.at_least) == ("has_distinctness", ("id", "line"), 0.995)
    assert read.where == found[0].where
    none_at_all, _ = demands(replace(rule, params={"repeated": 0, "columns": ["id", "line"]}))
    assert WRITERS["dqx"]("lines", none_at_all)[0][0]["check"]["function"] == "is_unique"
    bare = text.replace(" WHERE `id` IS NOT NULL AND `line` IS NOT NULL", "").encode()
    assert [asked.why for asked in read_contract(bare)[1]] == [
        "rows that lack one of several columns are counted in part"
    ]


def test_a_share_is_a_double_and_no_decimal() -> None:
    text, lost = WRITERS["dqdl"]("orders", [SHARE])
    assert "THEN 1E0 ELSE 0E0 END" in text
    assert not lost


def test_a_null_is_no_different_value() -> None:
    text, _ = WRITERS["dqdl"]("orders", [Constraint("has_count_distinct", ("currency",), at_most=9)])
    assert 'CustomSql "SELECT COUNT(DISTINCT `currency`) AS figure FROM primary" <= 9' in text


def test_dqx_takes_rows_that_lack_a_part_of_a_key_for_alike() -> None:
    (one,) = WRITERS["dqx"]("orders", [PAIR])[0]
    assert one["check"]["arguments"] == {"columns": ["id", "currency"], "nulls_distinct": False}
    by_itself = "- check: {function: is_unique, arguments: {columns: [id, currency]}}"
    ((read,),) = [asked.checks for asked in read_contract(by_itself.encode(), "dqx")[1]]
    assert read.where == "`id` IS NOT NULL AND `currency` IS NOT NULL"


def test_soda_does_not_ask_rows_that_lack_a_part_of_a_key() -> None:
    ((one,),) = [asked.checks for asked in read_contract(b"checks for t: ['duplicate_count(a, b) = 0']")[1]]
    assert one.where == "`a` IS NOT NULL AND `b` IS NOT NULL"


def test_what_is_too_little_for_an_error_of_dbt_is_a_warning() -> None:
    text = "models: [{name: t, columns: [{name: a, tests: [{not_null: {name: there, error_if: '>5'}}]}]}]"
    found = [one for asked in read_contract(text.encode())[1] for one in asked.checks]
    assert [(one.name, one.level, one.at_most) for one in found] == [
        ("there (error)", "error", 5),
        ("there (warning)", "warning", 1),
    ]


def test_dqx_is_asked_for_figures_by_queries() -> None:
    (one,), lost = WRITERS["dqx"]("orders", [MEAN])
    assert one["filter"] == "paid"
    assert one["check"]["arguments"]["query"] == (
        "SELECT AVG(`amount`) < -1 OR AVG(`amount`) > 2.5 AS condition FROM {{ input_view }}"
    )
    assert not lost


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT AVG(a) < 1 AS other FROM {{ input_view }}", "the query is none"),
        ("SELECT AVG(a) < 1 OR AVG(b) > 2 AS condition FROM {{ input_view }}", "the query is none"),
        ("SELECT AVG(a) = 1 AS condition FROM {{ input_view }}", "the query is none"),
        ("SELECT AVG(a) < 1 OR AVG(a) < 2 AS condition FROM {{ input_view }}", "two bounds"),
        ("SELECT AVG(a) < b AS condition FROM {{ input_view }}", "the query is none"),
        ("SELECT AVG(a) < 1 AS condition FROM elsewhere", "the query reads another table"),
    ],
)
def test_queries_of_dqx_that_are_more_than_a_band_are_told(query: str, why: str) -> None:
    written = f"- check: {{function: sql_query, arguments: {{query: '{query}', condition_column: condition}}}}"
    (asked,) = read_contract(written.encode(), "dqx")[1]
    assert asked.why.startswith(why)


def test_a_learned_key_keeps_its_tolerance_where_a_format_can_say_it() -> None:
    (strict,), _ = demands(key(0.0))
    assert strict == Constraint("is_unique", ("id",))
    (tolerant,), _ = demands(key(0.005))
    asked = "COUNT(DISTINCT `id`) * 1E0 / NULLIF(COUNT(`id`), 0)"
    assert f' {asked} AS figure FROM primary" >= 0.995' in WRITERS["dqdl"]("t", [tolerant])[0]
    (one,) = WRITERS["gx"]("t", [tolerant])[0]["expectations"]
    assert one["type"] == "expect_column_proportion_of_unique_values_to_be_between"
    assert one["kwargs"] == {"column": "id", "min_value": 0.995, "max_value": None}
    (one,) = WRITERS["dqx"]("t", [tolerant])[0]
    assert one["check"]["arguments"]["query"].startswith(f"SELECT {asked} < 0.995 AS condition")
    (quality,) = WRITERS["odcs"]("t", [tolerant])[0]["schema"][0]["properties"][0]["quality"]
    assert quality["query"].removeprefix("SELECT ") == f"{asked} AS figure FROM {{object}}"
    assert quality["mustBeGreaterOrEqualTo"] == 0.995
    assert WRITERS["check"]("t", [tolerant])[1][0].why == "single rows are looked at"
