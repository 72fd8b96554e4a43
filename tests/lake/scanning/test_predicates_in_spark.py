"""Predicates mean what Spark means by them: a thousand generated expressions on awkward values, answered by both."""

from __future__ import annotations

import random
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from catalog.predicates.engine import evaluate
from catalog.predicates.kinds import NeedsSpark
from catalog.predicates.predicate import Predicate
from catalog.predicates.spark import spark_sql

pytestmark = pytest.mark.spark
SEED, WANTED, PORTION = 20, 1000, 125

TEXTS = [
    "",
    " ",
    "a",
    "A",
    "abc",
    "a.c",
    "a%c",
    "12",
    " 12 ",
    "+7",
    "-3.5",
    "1e3",
    ".5",
    "1.",
    "NaN",
    "inf",
    "true",
    "No",
    "2024-02-29",
    "a\nb",
    "b\n",
    "é",
    "日本",
    "99999999999999999999",
    "0x1F",
    "1_000",
    "\t5",
    "t",
    "it's",
    "a\\b",
]
NUMBERS = [0, 1, -1, 2, 7, -7, 100, 2**31 - 1, -(2**31)]
LONGS = [0, 1, -1, 3, 2**63 - 1, -(2**63), 10**12]
DOUBLES = [0.0, -0.0, 1.0, -1.5, 0.1, 1e300, -1e300, float("nan"), float("inf"), float("-inf"), 2.5, 3.5, 1e-320]
DECIMALS = [Decimal("0.00"), Decimal("1.50"), Decimal("-2.25"), Decimal("99999999.99")]
DATES = [date(1970, 1, 1), date(2024, 2, 29), date(1999, 12, 31), date(2024, 12, 30)]
TIMES = [datetime(2024, 2, 29, 23, 59, 59), datetime(1969, 12, 31, 12), datetime(2000, 1, 1, 0, 0, 0, 123456)]


def rows(seed: int, count: int = 160) -> pa.Table:
    rng = random.Random(seed)

    def some(values: list) -> list:
        return [None if rng.random() < 0.12 else rng.choice(values) for _ in range(count)]

    return pa.table(
        {
            "s": pa.array(some(TEXTS), pa.string()),
            "t": pa.array(some(TEXTS), pa.string()),
            "i": pa.array(some(NUMBERS), pa.int32()),
            "j": pa.array(some(NUMBERS), pa.int32()),
            "n": pa.array(some(LONGS), pa.int64()),
            "x": pa.array(some(DOUBLES), pa.float64()),
            "y": pa.array(some(DOUBLES), pa.float64()),
            "f": pa.array(some(DOUBLES), pa.float32()),
            "g": pa.array(some(DOUBLES), pa.float32()),
            "l": pa.array(some([[], [1], [None]]), pa.list_(pa.int32())),
            "m": pa.array(some(DECIMALS), pa.decimal128(10, 2)),
            "b": pa.array(some([True, False]), pa.bool_()),
            "d": pa.array(some(DATES), pa.date32()),
            "at": pa.array(some(TIMES), pa.timestamp("us")),
        }
    )


LIKES = ["a%", "_", "%c", "a_c", r"a\\%c", "%"]
REGEXES = ["^[a-z]+$", "^.$", "[0-9]+", "^a.b$", "(a|b)c?$", r"^\\d+$", r"\\s"]

PARTS = ["year", "month", "day", "dayofweek", "weekofyear", "quarter", "dayofyear"]


class Writer:
    """Writes expressions as people do: typed, a few levels deep."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def one(self, *choices: object) -> str:
        found = self.rng.choice(choices)
        return found() if callable(found) else str(found)

    def condition(self, depth: int = 3) -> str:
        def deeper() -> str:
            return self.condition(depth - 1)

        if depth == 0 or self.rng.random() < 0.45:
            return self.atom()
        return self.one(
            lambda: f"({deeper()} AND {deeper()})",
            lambda: f"({deeper()} OR {deeper()})",
            lambda: f"NOT ({deeper()})",
            lambda: f"CASE WHEN {deeper()} THEN {deeper()} ELSE {deeper()} END",
            lambda: f"coalesce({deeper()}, {deeper()})",
            lambda: f"if({deeper()}, {deeper()}, {deeper()})",
        )

    def atom(self) -> str:
        compare = self.one("=", "<>", "<", "<=", ">", ">=", "<=>")
        return self.one(
            lambda: f"{self.number()} {compare} {self.number()}",
            lambda: f"{self.text()} {compare} {self.text()}",
            lambda: f"{self.moment()} {compare} {self.moment()}",
            lambda: f"d {compare} '{self.rng.choice(DATES)}'",
            lambda: f"{self.one('s', 'i', 'x', 'd', 'm', 'b', 'f', 'l')} IS {self.one('', 'NOT')} NULL",
            lambda: f"{self.text()} {self.one('', 'NOT ')}LIKE '{self.one(*LIKES)}'",
            lambda: f"{self.text()} RLIKE '{self.one(*REGEXES)}'",
            lambda: f"i IN (1, {self.number_literal()}, 7)",
            lambda: "s IN ('a', 'abc', '')",
            lambda: f"x BETWEEN {self.number_literal()} AND {self.number_literal()}",
            lambda: f"{self.one('f', 'CAST(f AS DOUBLE)')} {compare} {self.one('f', 'g', 'x', 'm', '0', '-1', '2.5')}",
            lambda: f"m {compare} {self.one('1.5', '0', 'i', 'x', '-2.25')}",
            lambda: self.one("b", "NOT b", "b IS TRUE", "isnan(x)", "isnan(y)", "CAST(s AS BOOLEAN)"),
            lambda: self.one("contains(s, 'a')", "startswith(s, 'a')", "endswith(t, 'c')", "startswith(s, t)"),
        )

    def number_literal(self) -> str:
        return self.one("0", "1", "-1", "100", "2.5", "1e3", "3000000000")

    def number(self, depth: int = 2) -> str:
        def deeper() -> str:
            return self.number(depth - 1)

        if depth == 0 or self.rng.random() < 0.5:
            return self.one("i", "j", "n", "x", "y", self.number_literal)
        return self.one(
            lambda: f"({deeper()} + {deeper()})",
            lambda: f"({deeper()} - {deeper()})",
            lambda: f"({deeper()} * {deeper()})",
            lambda: f"({deeper()} / {deeper()})",
            lambda: f"({self.one('i', 'j', 'n')} % {self.one('i', 'j', '7')})",
            lambda: f"({self.one('i', 'n')} div {self.one('j', '3')})",
            lambda: f"abs({deeper()})",
            lambda: f"length({self.text()})",
            lambda: f"CAST({self.text()} AS {self.one('INT', 'BIGINT', 'DOUBLE', 'SMALLINT')})",
            lambda: f"CAST({self.one('x', 'y')} AS {self.one('INT', 'BIGINT')})",
            lambda: f"-({self.one('i', 'n', 'x')})",
            lambda: f"{self.one(*PARTS)}({self.one('d', 'at')})",
            lambda: f"{self.one('hour', 'minute', 'second')}(at)",
            lambda: f"nullif({deeper()}, {self.number_literal()})",
            lambda: f"{self.one('floor', 'ceil')}(x)",
        )

    def text(self, depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.6:
            return self.one("s", "t", "'a'", "'12'", "''", '"it\'s"')
        return self.one(
            lambda: f"trim({self.text(depth - 1)})",
            lambda: f"substring({self.text(depth - 1)}, {self.one('1', '2')}, {self.one('1', '3')})",
            lambda: f"concat({self.text(depth - 1)}, {self.text(depth - 1)})",
            lambda: f"CAST({self.one('i', 'n', 'd', 'b')} AS STRING)",
            lambda: f"coalesce(s, {self.text(depth - 1)})",
            lambda: "CASE WHEN b THEN s ELSE t END",
            lambda: "nullif(s, t)",
        )

    def moment(self) -> str:
        return self.one("d", "at", "date'2024-02-29'", "CAST(at AS DATE)", "CAST(d AS TIMESTAMP)")


def test_a_thousand_expressions_mean_what_spark_means(spark) -> None:
    table, writer = rows(SEED), Writer(SEED)
    columns = dict(zip(table.column_names, (c.combine_chunks() for c in table.columns), strict=True))
    kept: list[tuple[str, list]] = []
    elsewhere = 0
    while len(kept) < WANTED:
        text = writer.condition()
        try:
            kept.append((text, evaluate(columns, [Predicate(text)])[0].to_pylist()))
        except NeedsSpark:
            elsewhere += 1
    assert elsewhere < WANTED  # most of what people write needs no Spark
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    frame = _frame(spark, table)
    wrong = []
    for start in range(0, WANTED, PORTION):
        portion = kept[start : start + PORTION]
        said = frame.selectExpr(
            "row", *(f"({spark_sql(Predicate(text))}) AS p{at}" for at, (text, _) in enumerate(portion))
        ).toArrow()
        said = said.sort_by("row")
        for at, (text, ours) in enumerate(portion):
            theirs = said[f"p{at}"].to_pylist()
            if theirs != ours:
                row = next(k for k, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b)
                wrong.append((text, ours[row], theirs[row], table.slice(row, 1).to_pylist()[0]))
    assert not wrong, f"{len(wrong)} differ: {wrong[:5]}"


SCHEMA = (
    "row long, s string, t string, i int, j int, n long, x double, y double, f float, g float, "
    "l array<int>, m decimal(10,2), b boolean, d date, at timestamp_ntz"
)


def _frame(spark, table: pa.Table):
    return spark.createDataFrame([(at, *one.values()) for at, one in enumerate(table.to_pylist())], SCHEMA)
