"""The reference of checks, a page a kind, made from the kinds: in Python, in YAML and as the SQL that it means."""

from __future__ import annotations

import json
from typing import Any

from catalog.declared.check import Check, documented
from catalog.declared.constraint import Constraint
from catalog.declared.files import write_checks
from catalog.declared.kinds.kind import Kind
from catalog.declared.kinds.registry import CHECK_KINDS

TABLE = "orders"
#: Columns of the example table: numbers, texts and a column that occurs once.
COLUMNS = {"Numbers": "amount", "Texts": "currency", "Values that occur once": "id", "Values that are there": "id"}
PAIR = ("amount", "tax")
_BANDS: dict[str, dict[str, float]] = {
    "has_predictability": {"at_least": 0.9},
    "has_size": {"at_least": 1},
    "has_completeness": {"at_least": 0.95},
    "has_uniqueness": {"at_least": 0.9},
    "has_distinctness": {"at_least": 0.5},
    "has_unique_value_ratio": {"at_least": 0.5},
    "has_count_distinct": {"at_least": 3},
    "has_duplicates": {"at_most": 10},
    "has_entropy": {"at_least": 0.5},
    "has_mutual_information": {"at_least": 0.1},
    "has_min": {"at_least": 0},
    "has_max": {"at_most": 1000},
    "has_range": {"at_most": 1000},
    "has_zeros": {"at_most": 5},
    "has_mean": {"at_least": 1, "at_most": 100},
    "has_sum": {"at_least": 0},
    "has_quantile": {"at_most": 500},
    "has_correlation": {"at_least": 0.5},
    "has_min_length": {"at_least": 3},
    "has_max_length": {"at_most": 3},
    "has_mean_length": {"at_least": 3, "at_most": 3},
    "has_skewness": {"at_least": -3, "at_most": 3},
}
#: Examples of kinds that ask for more than the table's own rows: columns, arguments and band.
_COPY = {"other": "shop/orders_copy"}
_FURTHER: dict[str, tuple[tuple[str, ...], dict[str, Any], dict[str, float]]] = {
    "has_column": (("id",), {"type": "bigint"}, {}),
    "has_columns": (("id", "amount", "tax", "currency", "paid", "ordered_at"), {}, {}),
    "has_column_count": ((), {}, {"at_least": 1}),
    "is_fresh": (("ordered_at",), {}, {"at_most": 24}),
    "is_updated": ((), {}, {"at_most": 24}),
    "has_no_anomaly": (("amount",), {"metric": "Mean", "strategy": "OnlineNormal"}, {}),
    "references": (("currency",), {"other": "shop/currencies", "other_columns": ["code"]}, {}),
    "has_same_size": ((), _COPY, {}),
    "matches_table": (("id", "amount"), _COPY, {}),
    "has_same_schema": ((), _COPY, {}),
}
_FURTHER_SQL = {
    "references": "SELECT count(*) FILTER (currency IN (SELECT code FROM currencies)) / count(currency) FROM orders",
    "has_same_size": "SELECT (SELECT count(*) FROM orders) / (SELECT count(*) FROM orders_copy)",
    "matches_table": "SELECT count(*) / greatest((SELECT count(*) FROM orders), (SELECT count(*) FROM orders_copy)) "
    "FROM (SELECT id, amount FROM orders INTERSECT ALL SELECT id, amount FROM orders_copy)",
}
_GROUPED = "(SELECT count(*) AS n FROM {table} WHERE {there} GROUP BY {columns})"
#: What each figure is in SQL (DuckDB's dialect; Spark's where the function has the same name).
FIGURES_SQL = {
    "Size": "SELECT count(*) FROM {table}",
    "Completeness": "SELECT count({column}) / count(*) FROM {table}",
    "Uniqueness": f"SELECT count(*) FILTER (n = 1) / sum(n) FROM {_GROUPED}",
    "UniqueValueRatio": f"SELECT count(*) FILTER (n = 1) / count(*) FROM {_GROUPED}",
    "Distinctness": f"SELECT count(*) / sum(n) FROM {_GROUPED}",
    "CountDistinct": f"SELECT count(*) FROM {_GROUPED}",
    "DuplicateRows": f"SELECT coalesce(sum(n) FILTER (n > 1), 0) FROM {_GROUPED}",
    "Entropy": "SELECT -sum(p * ln(p)) FROM (SELECT count(*) / sum(count(*)) OVER () AS p FROM {table} "
    "WHERE {there} GROUP BY {columns})",
    "MutualInformation": "SELECT sum(n / t * ln(n * t / (a * b))) FROM (SELECT {columns}, count(*) AS n, "
    "sum(count(*)) OVER () AS t, sum(count(*)) OVER (PARTITION BY {column}) AS a, "
    "sum(count(*)) OVER (PARTITION BY {second}) AS b FROM {table} WHERE {there} GROUP BY {columns}) WHERE {both}",
    "ExactQuantile": "SELECT quantile_cont({column}, {q}) FROM {table}",
    "InterquartileRange": "SELECT quantile_cont({column}, 0.75) - quantile_cont({column}, 0.25) FROM {table}",
    "Minimum": "SELECT min({column}) FROM {table}",
    "Maximum": "SELECT max({column}) FROM {table}",
    "Range": "SELECT max({column}) - min({column}) FROM {table}",
    "Mean": "SELECT avg({column}) FROM {table}",
    "Sum": "SELECT sum({column}) FROM {table}",
    "StandardDeviation": "SELECT stddev_pop({column}) FROM {table}",
    "Variance": "SELECT var_pop({column}) FROM {table}",
    "Skewness": "SELECT avg(pow(({column} - m) / s, 3)) FROM {table}, "
    "(SELECT avg({column}) AS m, stddev_pop({column}) AS s FROM {table})",
    "Kurtosis": "SELECT kurtosis_pop({column}) FROM {table}",
    "ZerosCount": "SELECT count(*) FILTER ({column} = 0) FROM {table}",
    "MinLength": "SELECT min(length({column})) FROM {table}",
    "MaxLength": "SELECT max(length({column})) FROM {table}",
    "MeanLength": "SELECT avg(length({column})) FROM {table}",
    "Correlation": "SELECT corr({column}, {second}) FROM {table}",
    "DataType": r"SELECT avg(regexp_full_match(CAST({column} AS VARCHAR), '[-+]? ?\d+')::INT) "
    "FROM {table} WHERE {there}",
}


def example(name: str) -> Constraint:
    """An example of a kind on the table of examples.

    >>> example("is_in").sentence
    'every value of currency is one of EUR, USD'
    """
    kind = CHECK_KINDS[name]
    if name in _FURTHER:
        named, told, bounds = _FURTHER[name]
        return Constraint(name, named, dict(told), bounds.get("at_least"), bounds.get("at_most"))
    arguments = {key: one.example for key, one in kind.arguments.items() if one.required}
    if name in ("is_between", "has_length_between"):
        arguments = {"low": 0, "high": 1000} if name == "is_between" else {"low": 3, "high": 3}
    special = {"has_pattern": "^[A-Z]{3}$", "has_no_pattern": "[0-9]"}
    if name in special:
        arguments["pattern"] = special[name]
    if "condition" in kind.arguments:
        arguments["condition"] = "tax <= amount"
        arguments |= {"premise": "currency = 'EUR'"} if "premise" in kind.arguments else {}
    if "value" in kind.arguments:
        arguments["value"] = "EUR"
    column = "amount" if name in ("is_castable", "has_data_type", "has_entropy") else COLUMNS.get(kind.group, "id")
    column = "id" if name == "has_data_type" else "currency" if name == "has_entropy" else column
    columns = (
        ("currency", "paid") if name in ("has_mutual_information", "has_predictability") else PAIR[: kind.columns[0]]
    )
    band = _BANDS.get(name, {"at_least": 0} if kind.needs_band else {})
    names = columns if kind.columns[0] > 1 else (column,) * kind.columns[0]
    return Constraint(name, names, arguments, band.get("at_least"), band.get("at_most"))


def in_python(constraint: Constraint) -> str:
    """The call that makes a constraint."""
    told = [_spelt(name) for name in constraint.columns]
    told += [f"{name}={_spelt(value)}" for name, value in constraint.arguments.items()]
    kind = CHECK_KINDS[constraint.kind]
    if kind.needs_band:
        told += [f"{n}={v!r}" for n in ("at_least", "at_most") if (v := getattr(constraint, n)) is not None]
    return f"check({_spelt(TABLE)}).{constraint.kind}({', '.join(told)})"


def _spelt(value: Any) -> str:
    """A value as Python's formatters spell it."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | list) else repr(value)


def in_sql(constraint: Constraint) -> str:
    """The query that it stands for: the rows that break it, or the figure that is judged; empty for what no query on
    the table says."""
    if constraint.needs:
        return _FURTHER_SQL.get(constraint.kind, "")
    failing = constraint.failing()
    if failing is not None:
        return f"SELECT * FROM {TABLE} WHERE {failing.replace('`', '')}"
    names = constraint.columns or ("",)
    return FIGURES_SQL.get(CHECK_KINDS[constraint.kind].figure, "").format(
        table=TABLE,
        column=names[0],
        second=names[-1],
        columns=", ".join(names),
        q=constraint.arguments.get("q", ""),
        there=" OR ".join(f"{name} IS NOT NULL" for name in names),
        both=" AND ".join(f"{name} IS NOT NULL" for name in names),
    )


def page(name: str) -> str:
    """A kind's page in Markdown."""
    constraint, kind = example(name), CHECK_KINDS[name]
    rows = "The rows that break it" if constraint.failing() is not None else "The figure that is judged"
    return "\n".join(
        [
            f"# `{name}`",
            "",
            documented(kind),
            "",
            f"Example: {constraint.sentence}.",
            "",
            "```python",
            "from catalog import check",
            "",
            in_python(constraint),
            "```",
            "",
            "```yaml",
            write_checks([Check(TABLE, (constraint,))]).rstrip(),
            "```",
            "",
            *([f"{rows}, in SQL:", "", "```sql", query, "```", ""] if (query := in_sql(constraint)) else []),
            "What all checks take is told in [all checks](README.md).",
            "",
        ]
    )


def overview() -> str:
    """The list of all kinds by subject, in Markdown."""
    lines = [
        "# Checks that can be declared",
        "",
        "A page a check, made by `make docs` from the code. Each can be written in Python and in YAML.",
        "What all of them take:",
        "",
        "| | |",
        "|---|---|",
        "| `at_least`, `at_most` | the band of the figure, both inclusive; of rows: the share that keeps to it |",
        "| `where` | condition in SQL: only such rows are asked; without one the check is not applicable |",
        "| `level` | `error` (fails a run) or `warning` |",
        "| `scope` | `table`: the table as it stands; `batch`: the rows that a version brought |",
        "| `hint` | what to do where it is violated |",
        "| `name` | unique within its table; made of check and columns where none is given |",
        "",
        "Nulls pass where a value is judged (`is_in`, `is_between`, `is_positive` ...): that it is there is another",
        "demand (`is_complete`). Comparisons of two columns fail where one is null. Conditions are SQL in",
        "Spark's dialect; a cast that fails and a division by zero are null. A field of a struct is a column",
        "(`customer.key`), and the struct may be asked for as a whole (`customer IS NOT NULL`), a list for its `size`",
        "or an element (`items[0].price`, null beyond the end); where columns are listed or counted, either is one.",
        "",
    ]
    groups: dict[str, list[Kind]] = {}
    for kind in CHECK_KINDS.values():
        groups.setdefault(kind.group, []).append(kind)
    for group, kinds in groups.items():
        lines += [f"## {group}", "", "| check | what it demands | in deequ |", "|---|---|---|"]
        lines += [f"| [`{k.name}`]({k.name}.md) | {documented(k).splitlines()[0]} | {k.deequ} |" for k in kinds]
        lines.append("")
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """Every page by its file name."""
    return {"README.md": overview(), **{f"{name}.md": page(name) for name in CHECK_KINDS}}
