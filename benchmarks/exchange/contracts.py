"""Contracts as people write them for tools that Assay reads and does not write: each with one demand."""

from __future__ import annotations

from typing import Any

import yaml

#: SodaCL, by what each is of.
SODA: dict[str, Any] = {
    one if isinstance(one, str) else f"{next(iter(one))} {next(iter(one.values()))}": one
    for one in (
        "row_count between 100 and 300",
        "row_count > 150",
        "row_count = 200",
        "missing_count(id) = 0",
        "missing_count(currency) < 5",
        "missing_percent(currency) < 5 %",
        "missing_percent(currency) <= 20",
        "duplicate_count(id) = 0",
        "duplicate_count(id, currency) = 0",
        "avg(amount) between 1 and 60",
        "avg(amount) between (1 and 60)",
        "min(amount) >= 1",
        "max(amount) <= 60",
        "max(amount) < 51",
        "sum(amount) < 10000",
        "stddev(amount) < 20",
        "variance(amount) < 400",
        "stddev_pop(amount) < 14.58",
        "min_length(currency) = 3",
        "max_length(currency) = 3",
        "avg_length(currency) between 2.9 and 3.1",
        "distinct_count(currency) = 2",
        {"invalid_count(currency) = 0": {"valid values": ["EUR", "USD"]}},
        {"invalid_count(currency) < 5": {"valid values": ["EUR", "USD"]}},
        {"invalid_percent(currency) < 10": {"valid values": ["EUR", "USD"]}},
        {"invalid_count(currency) = 0": {"invalid values": ["x", "EURO"]}},
        {"invalid_count(currency) = 0": {"valid regex": "^[A-Z]{3}$"}},
        {"invalid_count(currency) = 0": {"valid regex": "[A-Z]{3}"}},
        {"invalid_count(currency) = 0": {"valid regex": "EUR|USD"}},
        {"invalid_percent(currency) <= 1": {"valid regex": "^[A-Z]{3}$"}},
        {"invalid_count(currency) = 0": {"invalid regex": "^x$"}},
        {"invalid_count(currency) = 0": {"invalid regex": "x"}},
        {"invalid_count(amount) = 0": {"valid min": 0}},
        {"invalid_count(amount) < 3": {"valid min": 0, "filter": "paid"}},
        {"invalid_count(amount) = 0": {"valid max": 60}},
        {"invalid_count(amount) = 0": {"valid min": 0, "valid max": 60}},
        {"invalid_count(currency) = 0": {"valid length": 3}},
        {"invalid_count(currency) = 0": {"valid min length": 2}},
        {"invalid_count(currency) = 0": {"valid max length": 3}},
        {"missing_count(currency) = 0": {"missing values": ["", "x"]}},
        {"missing_count(currency) = 0": {"missing regex": "^x$"}},
        {"missing_count(currency) = 0": {"filter": "paid"}},
        {"avg(amount)": {"warn": "when > 60"}},
        {"avg(amount)": {"fail": "when < 1"}},
        {"failed rows": {"fail condition": "amount < tax"}},
        {"schema": {"fail": {"when required column missing": ["id", "amount"]}}},
        {"schema": {"fail": {"when wrong column type": {"id": "bigint"}}}},
    )
}
#: Tests of dbt itself; those of its packages come from a hub that no registry of packages has.
DBT: dict[str, dict[str, Any]] = {
    "not_null": {"name": "id", "data_tests": ["not_null"]},
    "unique": {"name": "id", "data_tests": ["unique"]},
    "accepted_values": {"name": "currency", "data_tests": [{"accepted_values": {"values": ["EUR", "USD"]}}]},
    "accepted_values of numbers": {
        "name": "id", "data_tests": [{"accepted_values": {"values": list(range(1, 201)), "quote": False}}]},
    "not_null where": {"name": "id", "data_tests": [{"not_null": {"config": {"where": "paid"}}}]},
    "not_null, where below config": {"name": "currency", "data_tests": [{"not_null": {"where": "not paid"}}]},
    "not_null of some": {"name": "id", "data_tests": [{"not_null": {"config": {"error_if": ">5", "warn_if": ">5"}}}]},
    "not_null of fewer": {
        "name": "id", "data_tests": [{"not_null": {"config": {"error_if": ">=40", "warn_if": ">=40"}}}]},
    "not_null, error above": {"name": "id", "data_tests": [{"not_null": {"config": {"error_if": ">5"}}}]},
    "not_null as a warning": {"name": "id", "data_tests": [{"not_null": {"config": {"severity": "warn"}}}]},
    "unique as a warning": {"name": "id", "data_tests": [{"unique": {"severity": "warn"}}]},
    "accepted_values of some": {
        "name": "currency",
        "data_tests": [{"accepted_values": {"values": ["EUR", "USD"], "config": {"error_if": ">5", "warn_if": ">5"}}}]},
    "accepted_values where": {
        "name": "currency",
        "data_tests": [{"accepted_values": {"values": ["EUR"], "config": {"where": "id % 3 <> 1"}}}]},
    "unique where": {"name": "id", "data_tests": [{"unique": {"config": {"where": "paid"}}}]},
}  # fmt: skip


def texts(form: str) -> dict[str, str]:
    """The contracts of a tool as the text of a file, by what each is of."""
    if form == "soda":
        return {name: yaml.safe_dump({"checks for orders": [one]}, sort_keys=False) for name, one in SODA.items()}
    return {
        name: yaml.safe_dump({"version": 2, "models": [{"name": "orders", "columns": [column]}]}, sort_keys=False)
        for name, column in DBT.items()
    }
