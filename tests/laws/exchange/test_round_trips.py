"""Whatever is written in a format and read again judges any rows as it did; and no contract breaks a reader."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.declared.check import Check
from catalog.declared.constraint import NOT_APPLICABLE, PASSED, VIOLATED, Constraint
from catalog.declared.facts import Facts
from catalog.errors import UsageError
from catalog.measures.part import fold_parts
from catalog.rules.exchange.demands import demands
from catalog.rules.exchange.registry import READERS, WRITERS, read_contract
from catalog.rules.exchange.rows import accepts_empty
from catalog.rules.kinds.key import KeyRule

TEXTS = ("a", "b", "", "it's", 'say "x"', "back\\slash", "back\\", "ä", "two\nlines", "A1", "NULL", "true", "3", "a b")
NUMBERS = (0, 1, 2, -3, 7, 10**9)
FLOATS = (0.0, 0.5, -2.25, 1e-5, 1e10)
PATTERNS = ("^[a-z]$", "[0-9]+", "^A\\d$", "it's", '"', "^$|a", ".*", "\\\\", "ä", "^(a|b)$", "a b", "^[a-z]{1,2}$")
NAMES = ("s", "a b", "it's", "tick`s", "x.y")
COLUMNS = ("n", "x", *NAMES)


def table(draw: Any) -> dict[str, pa.Array]:
    rows = draw(st.integers(0, 8))

    def filled(values: tuple[Any, ...], kind: pa.DataType) -> pa.Array:
        few = [values[0], draw(st.one_of(st.none(), st.none(), st.sampled_from(values)))]  # most keep to most
        return pa.array(draw(st.lists(st.sampled_from(few), min_size=rows, max_size=rows)), kind)

    texts = {name: filled(TEXTS, pa.string()) for name in NAMES}
    return {"n": filled(NUMBERS, pa.int64()), "x": filled(FLOATS, pa.float64()), **texts}


tables = st.composite(table)()
#: Most demands are whole, of all rows, and errors.
SHARES = st.sampled_from([None, None, None, 0.5, 0.99, 1 / 3])
WHERES = st.sampled_from(
    [None, None, None, "n > 0", "`a b` = 'it\\'s'", "s IS NOT NULL", "`it's` RLIKE '^[a-z]\\\\w*'"]
)
LEVELS = st.sampled_from(["error", "error", "error", "warning"])


def banded(kind: str, columns: tuple[str, ...], **arguments: Any) -> st.SearchStrategy[Constraint]:
    bounds = st.tuples(st.sampled_from([0, 1, 2.5, 5]), st.sampled_from([0, 1.5, 7])).map(
        lambda ends: (ends[0], sum(ends))
    )
    sides = st.sampled_from([(True, True), (True, False), (False, True)])
    whole = kind in ("has_size", "has_count_distinct")

    def make(told: tuple[Any, ...]) -> Constraint:
        (low, high), (lower, upper), where, level = told
        low, high = (int(low), int(high)) if whole else (low, high)
        ends = (low if lower else None, high if upper else None)
        return Constraint(kind, columns, arguments, *ends, where=where, level=level)

    return st.tuples(bounds, sides, WHERES, LEVELS).map(make)


def of_rows(kind: str, columns: st.SearchStrategy[Any], **arguments: st.SearchStrategy[Any]) -> Any:
    def make(told: tuple[Any, ...]) -> Constraint:
        named, given, share, where, level = told
        names = (named,) if isinstance(named, str) else tuple(named)
        where = f"`{names[0].replace('`', '``')}` IS NOT NULL" if where == "s IS NOT NULL" and names else where
        return Constraint(kind, names, given, share, where=where, level=level)

    return st.tuples(columns, st.fixed_dictionaries(arguments), SHARES, WHERES, LEVELS).map(make)


A_TEXT = st.sampled_from(NAMES[:4])
constraints = st.one_of(
    of_rows("is_complete", st.sampled_from(COLUMNS[:-1])),
    of_rows("is_in", A_TEXT, values=st.lists(st.sampled_from(TEXTS), max_size=2).map(lambda more: ["a", *more])),
    of_rows("is_in", st.just("n"), values=st.lists(st.sampled_from(NUMBERS), max_size=2).map(lambda more: [0, *more])),
    of_rows("is_not_in", A_TEXT, values=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3)),
    of_rows("has_pattern", A_TEXT, pattern=st.sampled_from(PATTERNS)),
    of_rows("has_no_pattern", A_TEXT, pattern=st.sampled_from(PATTERNS)),
    of_rows("is_between", st.just("n"), low=st.sampled_from([0, -3]), high=st.sampled_from([7, 2]),
            exclusive=st.booleans()),
    of_rows("has_length_between", A_TEXT, low=st.sampled_from([0, 1]), high=st.sampled_from([1, 3])),
    of_rows("is_not_empty", A_TEXT),
    of_rows("is_positive", st.sampled_from(["n", "x"])),
    of_rows("is_less_than", st.just(("n", "x"))),
    of_rows("are_any_complete", st.just(("n", "s"))),
    of_rows("satisfies", st.just(()), 
            condition=st.sampled_from(["n > 0 OR s = 'it\\'s'", "x IS NULL", "NOT s <=> 'a'"])),
    of_rows("is_unique", st.sampled_from([("n",), ("s", "n")])),
    banded("has_size", ()),
    banded("has_count_distinct", ("s",)),
    banded("has_distinctness", ("n",)),
    *(banded(kind, ("x",)) for kind in ("has_mean", "has_min", "has_max", "has_sum", "has_standard_deviation")),
    st.just(Constraint("has_column", ("n", "s"))),
    st.just(Constraint("has_column", ("gone",))),
)  # fmt: skip


def status(found: list[Constraint], rows: dict[str, pa.Array]) -> str:
    """The worst of what checks say; one that has nothing to judge is kept, where another one judges."""
    check = Check("t", tuple(Constraint.from_json(one.to_json() | {"name": str(at)}) for at, one in enumerate(found)))
    states = fold_parts(rows, len(rows["n"]), check.parts)
    facts = Facts(schema=[(name, str(one.type)) for name, one in rows.items()])
    said = [(one.status, one.constraint.level) for one in check.judge(states, lambda one: facts)]
    if said and all(told == NOT_APPLICABLE for told, _ in said):
        return NOT_APPLICABLE
    worst = {level for told, level in said if told == VIOLATED}
    return "error" if "error" in worst else "warning" if worst else PASSED


def text_in(form: str, written: Any) -> bytes:
    if isinstance(written, str):
        return written.encode()
    told = yaml.safe_dump(written, allow_unicode=True) if form in ("odcs", "dqx") else json.dumps(written)
    return told.encode()


@pytest.mark.parametrize("form", WRITERS)
@settings(max_examples=120, deadline=None)
@given(one=constraints, some=st.lists(tables, min_size=3, max_size=3))
def test_what_is_written_and_read_again_judges_as_it_did(form: str, one: Constraint, some: list[Any]) -> None:
    written, lost = WRITERS[form]("orders", [one])
    if lost:
        assert len(lost) == 1
        assert lost[0].why
        return
    _, asked = read_contract(text_in(form, written), form)
    assert not [told.why for told in asked if told.why], written
    again = [check for told in asked for check in told.checks]
    implied = {name for one in again if one.kind == "has_column" for name in one.columns} - {"gone"}
    for rows in some:
        before, after = status([one], rows), status(again, rows)
        kept = {PASSED, NOT_APPLICABLE} if after == NOT_APPLICABLE else {after, NOT_APPLICABLE}
        assert before in kept, (written, again)  # what has nothing to judge here, other tools judge
    assert implied <= set(COLUMNS)


@pytest.mark.parametrize("form", WRITERS)
def test_a_share_of_the_values_is_not_one_of_all_rows(form: str) -> None:
    rows = {
        "n": pa.array([0, None], pa.int64()),
        "x": pa.array([0.0, 0.0]),
        **{name: pa.array(["a", "a"]) for name in NAMES},
    }
    asked = Constraint("is_positive", ("n",), at_least=0.5, where="`n` IS NOT NULL")
    written, lost = WRITERS[form]("orders", [asked])
    if not lost:
        again = [check for told in read_contract(text_in(form, written), form)[1] for check in told.checks]
        assert status([asked], rows) == status(again, rows) == "error", written


def test_most_kinds_are_written_in_every_format() -> None:
    plain = [Constraint("is_complete", ("n",)), Constraint("is_in", ("s",), {"values": ["a"]})]
    for form, write in WRITERS.items():
        assert write("orders", plain)[1] == [], form
    assert accepts_empty(".*")
    assert not accepts_empty("a")


LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("x" * 100_000))
NAMED = st.text(max_size=8)
TREES = st.recursive(
    LEAVES, lambda one: st.lists(one, max_size=3) | st.dictionaries(NAMED, one, max_size=3), max_leaves=6
)
WHOLE: dict[str, Any] = {
    "odcs": {"kind": "DataContract", "apiVersion": "v3.1.0", "schema": [{"name": "t", "properties": [
        {"name": "id", "required": True, "logicalTypeOptions": {"pattern": "a", "maximum": 3},
         "relationships": [{"to": "b.c"}], "enum": [{"value": 1}],
         "quality": [{"metric": "invalidValues", "arguments": {"validValues": [1]}, "mustBe": 3, "unit": "rows"},
                     {"type": "sql", "query": "SELECT COUNT(*) FROM {object}", "mustBeBetween": [1, 2]}]}],
        "quality": [{"metric": "duplicateValues", "arguments": {"properties": ["id"]}, "mustBe": 0}]}],
        "slaProperties": [{"property": "latency", "value": 4, "unit": "d", "element": "t.id"}]},
    "gx": {"name": "t", "expectations": [
        {"type": "expect_column_values_to_be_between", "kwargs": {"column": "n", "min_value": 1, "mostly": 0.9}},
        {"type": "expect_column_quantile_values_to_be_between", "kwargs": {
            "column": "n", "quantile_ranges": {"quantiles": [0.5], "value_ranges": [[1, 2]]}}},
        {"type": "unexpected_rows_expectation", "kwargs": {"unexpected_rows_query": "SELECT * FROM {batch} WHERE a"}}]},
    "dqx": [{"name": "a", "criticality": "warn", "filter": "a > 1", "check": {
        "function": "is_in_list", "arguments": {"column": "a", "allowed": ["'x'"]}}},
        {"check": {"function": "foreign_key", "arguments": {
            "columns": ["a"], "ref_columns": ["b"], "ref_table": "c"}}}],
    "soda": {"checks for t": ["row_count > 0", {"invalid_percent(a) < 3 %": {"valid values": [1], "filter": "b > 1"}},
                              {"schema": {"fail": {"when wrong column type": {"a": "int"}}}},
                              {"avg(a)": {"warn": "when > 5", "fail": "when > 9"}}]},
    "dbt": {"version": 2, "models": [{"name": "t", "columns": [{"name": "id", "constraints": [{"type": "not_null"}],
        "tests": ["unique", {"accepted_values": {"values": [1], "config": {"severity": "warn", "error_if": ">5"}}},
                  {"dbt_expectations.expect_column_values_to_be_between": {"min_value": 1}}]}]}]},
}  # fmt: skip


def broken(draw: Any, given: Any) -> Any:
    """A contract with something in it exchanged for anything."""
    if draw(st.integers(0, 5)) == 0 or not isinstance(given, dict | list) or not given:
        return draw(TREES)
    place = draw(st.sampled_from(sorted(given) if isinstance(given, dict) else range(len(given))))
    made = dict(given) if isinstance(given, dict) else list(given)
    made[place] = broken(draw, given[place])
    return made


@pytest.mark.parametrize("form", WHOLE)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_contract_with_anything_in_it_is_read_or_told_why_not(form: str, data: Any) -> None:
    given = broken(data.draw, WHOLE[form])
    try:
        _, asked = read_contract(json.dumps(given).encode(), form)
    except UsageError:
        return
    for one in asked:
        assert bool(one.checks) != bool(one.why)
        assert len(one.why) <= 800
        for check in one.checks:
            assert Constraint.from_json(json.loads(json.dumps(check.to_json()))) == check


MARKS = "Rules=[] \"ab\\,()\n<>0.and or not in between where with threshold CHECK;`'-:"


@pytest.mark.parametrize("form", READERS)
@settings(max_examples=200, deadline=None)
@given(
    text=st.text(
        st.sampled_from("Rules=[] \"ab\\,()\n<>0.and or not in between where with threshold CHECK;`'-:"), max_size=80
    )
)
def test_any_text_is_read_or_told_why_not(form: str, text: str) -> None:
    start = {"dqdl": "Rules = [", "check": "ALTER TABLE t ADD CONSTRAINT a CHECK ("}.get(form, "")
    try:
        _, asked = read_contract((start + text).encode(), form)
    except UsageError:
        return
    assert all(bool(one.checks) != bool(one.why) for one in asked)


def test_a_key_of_loads_is_demanded_of_the_table_only_where_no_load_brings_it_again() -> None:
    """A log of changes holds each id once in a load, and again in a later one."""
    rule = KeyRule("key", "n", {"repeated": 0.005}, 0.01, "No two rows have the same value.", "keys")
    log = {"n": pa.array([1, 2, 3, 2, 3, 4], pa.int64())}
    (of_all,), lost = demands(rule)
    assert (status([of_all], log), lost) == ("error", [])
    found, (left,) = demands(rule, again={"n"})
    assert (found, left.column, left.words) == ([], "n", "No two rows have the same value.")
    assert "within a load" in left.why


def test_shares_of_values_that_match_are_asked_of_deequ_by_a_query() -> None:
    """deequ counts rows without a value as ones that do not match, whatever the rule leaves out."""
    some = Constraint("has_pattern", ("s",), {"pattern": "^SO[0-9]+$"}, 0.9, where="`s` IS NOT NULL")
    said, lost = WRITERS["dqdl"]("orders", [some])
    assert "CustomSql" in said
    assert lost == []
    _, asked = read_contract(said.encode(), "dqdl")
    (one,) = [check for told in asked for check in told.checks]
    for texts, expected in ((["SO1", "SO22", *[None] * 98], PASSED), (["SO1", "x", None], "error")):
        rows = {"n": pa.nulls(len(texts), pa.int64()), "s": pa.array(texts)}
        assert status([one], rows) == status([some], rows) == expected
