"""The reference of checks is what the code makes, and each of its examples is run: Python, YAML and SQL agree."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from catalog.declared.docs import TABLE, example, in_python, in_sql, page, pages
from catalog.declared.files import read_checks
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.library import Check

FOLDER = Path(__file__).parents[3] / "docs" / "checks"
ROWS = 60
MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ORDERS = pa.table(
    {
        "id": [*range(ROWS - 2), 5, None],
        "amount": [float(n % 17) if n % 11 else None for n in range(ROWS)],
        "tax": [float(n % 17) * 0.19 + n % 3 for n in range(ROWS)],
        "currency": [["EUR", "USD", "GBP", " EU", "", "E1R", None][n % 7] for n in range(ROWS)],
        "paid": [bool(n % 3) for n in range(ROWS)],
        "ordered_at": [MOMENT - timedelta(hours=3 + n) for n in range(ROWS)],
    }
)
CURRENCIES = pa.table({"code": ["EUR", "USD", "GBP", "CHF"]})
COPY = ORDERS.slice(1)
OTHERS = {"shop/currencies": CURRENCIES, "shop/orders_copy": COPY}
#: What checks that are no query say of the table.
PASSED = {
    "has_column": "passed", "has_columns": "passed", "has_column_count": "passed", "is_fresh": "passed",
    "is_updated": "not_applicable", "has_no_anomaly": "passed", "has_same_schema": "passed",
    "has_predictability": "violated",
}  # fmt: skip
PAST = {"has_no_anomaly_amount": [7.5, 8.25, 7.75, 8.0, 7.5]}


def block(text: str, language: str) -> str:
    return text.split(f"```{language}\n")[1].split("```")[0]


def test_the_pages_are_those_of_the_code() -> None:
    written = {path.name: path.read_text() for path in FOLDER.glob("*.md")}
    assert written == pages(), "run `make docs`"


@pytest.mark.parametrize("name", CHECK_KINDS)
def test_the_three_forms_of_an_example_say_the_same(name: str) -> None:
    text = page(name)
    found: dict[str, object] = {}
    lines = block(text, "python").strip().splitlines()
    exec("\n".join([*lines[:-1], f"made = {lines[-1]}"]), found)  # noqa: S102 - our own page
    made = found["made"]
    assert isinstance(made, Check)
    assert made.constraints == (example(name),)
    assert read_checks(block(text, "yaml"))[0].constraints == made.constraints
    assert in_python(example(name)) == lines[-1]
    (result,) = made.run(ORDERS, others=OTHERS, past=PAST, at=MOMENT).results
    connection = duckdb.connect()
    connection.register(TABLE, ORDERS)
    connection.register("currencies", CURRENCIES)
    connection.register("orders_copy", COPY)
    query = in_sql(example(name))
    if not query:
        assert result.status == PASSED[name], result
    elif example(name).failing() is not None:
        if "RLIKE" in query or "<=>" in query or "CAST" in query:
            return  # Spark's own words: tests/lake compares those with Spark
        answer = connection.sql(query).fetchall()
        assert result.value == pytest.approx(1 - len(answer) / ROWS)
    else:
        ((answer,),) = connection.sql(query).fetchall()
        assert result.value == pytest.approx(float(answer), rel=1e-6)
        assert not math.isnan(float(answer))
