"""The figures that are compared: what each is called here, in deequ, and in SQL for DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

import pyarrow as pa

from catalog.declared.constraint import Constraint
from catalog.measures.metrics import part_of, value
from catalog.measures.part import Part, State

#: Histograms are compared of columns with at most so many values, as deequ's profile makes them.
FEW = 120


@dataclass(frozen=True)
class Demand:
    """A figure of a table.

    Parameters
    ----------
    name : metric (`catalog.measures.metrics.FIGURES`), kind of a declared check, or ``Histogram``.
    columns, where, arguments : as for that metric or kind.
    deequ : how `session35` builds it: the name of an ``analyzer`` or the method of a ``check``, with arguments.
    sql : scalar expression over a table ``t`` that holds the rows; None where SQL has no short one.
    """

    name: str
    columns: tuple[str, ...]
    deequ: Mapping[str, Any]
    sql: str | None = None
    where: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        told = ", ".join([*self.columns, *(f"{key}={one}" for key, one in self.arguments.items())])
        return f"{self.name}({told})" + (f" where {self.where}" if self.where else "")

    @cached_property
    def constraint(self) -> Constraint | None:
        """The declared check, where it is one."""
        if not self.name[0].islower():
            return None
        return Constraint(self.name, self.columns, self.arguments, where=self.where)

    @cached_property
    def part(self) -> Part:
        if self.constraint is not None:
            return self.constraint.parts[0]
        if self.name in ("Histogram", "ApproxCountDistinct"):
            return Part("frequencies", self.columns, where=self.where)
        if self.name == "DataType":
            return Part("types", self.columns, where=self.where)
        return part_of(self.name, self.columns, where=self.where)

    def read(self, state: State) -> Any:
        """Our answer from the counted part."""
        if self.constraint is not None:
            return self.constraint.judge({self.part.key: state}).value
        if self.name == "Histogram":
            return {shown(bin_): rows for bin_, rows, _ in state.histogram()}  # type: ignore[union-attr]
        if self.name == "ApproxCountDistinct":
            return value("CountDistinct", state)
        if self.name == "DataType":
            names = ("Unknown", "Fractional", "Integral", "Boolean", "String")
            return dict(zip(names, state.to_json(), strict=True))  # type: ignore[union-attr]
        return value(self.name, state, **self.arguments)

    def to_deequ(self) -> dict[str, Any]:
        return {"id": self.id, **self.deequ}


def shown(cell: Any) -> str:
    """A cell as Spark casts it to a text; a null under a name of its own, which no text of a column can be."""
    if cell is None:
        return "\0null"
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=None).isoformat(sep=" ")
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def numbered(bins: dict[str, int]) -> dict[str, int]:
    """A histogram of doubles under one spelling: Spark writes 1.0E-5 where Python writes 1e-05, and -0.0 is 0.0."""
    found: dict[str, int] = {}
    for name, rows in bins.items():
        known = name if name in ("\0null", "NullValue") else repr(float(name) + 0.0)
        found[known] = found.get(known, 0) + rows
    return found


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def demands_of(schema: pa.Schema, few: set[str], numbers: list[str]) -> list[Demand]:
    """What is asked of a table: every metric of every column it fits, and the checks on pairs and conditions.

    Parameters
    ----------
    few : columns with at most `FEW` values. numbers : those of numbers whose pairs are compared.
    """
    found: list[Demand] = [Demand("Size", (), _analyzer("Size"), "count(*)")]
    for column in schema:
        found += _of_column(column.name, column.type, column.name in few)
    for a, b in pairwise(numbers):
        found += _of_pair(a, b)
    names = sorted(few)
    for a, b in list(pairwise(names))[:4]:
        found += _of_groups(a, b)
    return list({one.id: one for one in found}.values())


def _analyzer(name: str, *arguments: Any, **named: Any) -> dict[str, Any]:
    return {"analyzer": name, "arguments": list(arguments), "named": named}


def _check(method: str, *arguments: Any) -> dict[str, Any]:
    return {"check": method, "arguments": list(arguments)}


def _of_column(name: str, kind: pa.DataType, few: bool) -> Iterator[Demand]:
    column = quoted(name)
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    yield Demand("Completeness", (name,), _analyzer("Completeness", name), f"count({column}) / nullif(count(*), 0)")
    yield from _of_groups(name)
    yield Demand("Entropy", (name,), _analyzer("Entropy", name), _groups((name,), "-sum(n / s * ln(n / s))"))
    yield Demand("ApproxCountDistinct", (name,), _analyzer("ApproxCountDistinct", name), f"count(DISTINCT {column})")
    yield Demand("DataType", (name,), _analyzer("DataType", name))
    if few:
        yield Demand("Histogram", (name,), _analyzer("Histogram", name))
    if text:
        yield from _of_texts(name)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        yield from _of_numbers(name)


def _of_texts(name: str) -> Iterator[Demand]:
    column = quoted(name)
    yield Demand("MinLength", (name,), _analyzer("MinLength", name), f"min(length({column}))")
    yield Demand("MaxLength", (name,), _analyzer("MaxLength", name), f"max(length({column}))")
    yield Demand(
        "has_pattern", (name,), _check("hasPattern", name, "[0-9]{3}"),
        f"count(*) FILTER ({column} <> '' AND regexp_matches({column}, '[0-9]{{3}}')) / nullif(count(*), 0)",
        arguments={"pattern": "[0-9]{3}"},
    )  # fmt: skip
    values = ["paid", "open", "it's", ""]
    listed = ", ".join("'" + one.replace("'", "''") + "'" for one in values)
    yield Demand(
        "is_in", (name,), _check("isContainedIn", name, values),
        f"count(*) FILTER ({column} IS NULL OR {column} IN ({listed})) / nullif(count(*), 0)",
        arguments={"values": values},
    )  # fmt: skip
    yield Demand(
        "Completeness", (name,), _analyzer("Completeness", name, where=f"length(`{name}`) > 3 OR `{name}` IS NULL"),
        f"count({column}) FILTER (length({column}) > 3 OR {column} IS NULL)"
        f" / nullif(count(*) FILTER (length({column}) > 3 OR {column} IS NULL), 0)",
        where=f"length(`{name}`) > 3 OR `{name}` IS NULL",
    )  # fmt: skip


def _of_numbers(name: str) -> Iterator[Demand]:
    column = quoted(name)
    for ours, sql in (("Minimum", "min"), ("Maximum", "max"), ("Mean", "avg"), ("Sum", "sum")):
        yield Demand(ours, (name,), _analyzer(ours, name), f"{sql}({column})")
    yield Demand("StandardDeviation", (name,), _analyzer("StandardDeviation", name), f"stddev_pop({column})")
    for kind, method, sign in (("is_non_negative", "isNonNegative", ">="), ("is_positive", "isPositive", ">")):
        yield Demand(
            kind,
            (name,),
            _check(method, name),
            f"count(*) FILTER ({column} IS NULL OR {column} {sign} 0) / nullif(count(*), 0)",
        )
    for q in (0.25, 0.5):
        yield Demand(
            "ExactQuantile", (name,), _analyzer("ApproxQuantile", name, q), f"quantile_cont({column}, {q})",
            arguments={"q": q},
        )  # fmt: skip
    yield Demand(
        "Mean", (name,), _analyzer("Mean", name, where=f"`{name}` > 1"), f"avg({column}) FILTER ({column} > 1)",
        where=f"`{name}` > 1",
    )  # fmt: skip
    condition = f"`{name}` > 1 AND `{name}` < 1000000"
    yield Demand(
        "satisfies", (), _check("satisfies", condition, f"inside {name}"),
        f"CASE WHEN count({column}) > 0 THEN count(*) FILTER ({column} > 1 AND {column} < 1000000) / count(*) END",
        arguments={"condition": condition},
    )  # fmt: skip


def _of_pair(a: str, b: str) -> Iterator[Demand]:
    one, other = quoted(a), quoted(b)
    yield Demand("Correlation", (a, b), _analyzer("Correlation", a, b), f"corr({one}, {other})")
    yield Demand(
        "is_less_than", (a, b), _check("isLessThan", a, b), f"count(*) FILTER ({one} < {other}) / nullif(count(*), 0)"
    )
    yield Demand(
        "is_greater_or_equal", (a, b), _check("isGreaterThanOrEqualTo", a, b),
        f"count(*) FILTER ({one} >= {other}) / nullif(count(*), 0)",
    )  # fmt: skip


def _of_groups(*names: str) -> Iterator[Demand]:
    listed: Any = list(names)
    for ours, sql in (
        ("Uniqueness", "count(*) FILTER (n = 1) / s"), ("Distinctness", "count(*) / s"),
        ("UniqueValueRatio", "count(*) FILTER (n = 1) / nullif(count(*), 0)"), ("CountDistinct", "count(*)"),
    ):  # fmt: skip
        yield Demand(ours, names, _analyzer(ours, listed), _groups(names, sql))
    if len(names) == 2:
        yield Demand("MutualInformation", names, _analyzer("MutualInformation", listed))


def _groups(names: tuple[str, ...], figure: str) -> str:
    """A figure of the groups: ``n`` rows each, ``s`` rows together; rows that are null throughout are left out."""
    columns = ", ".join(map(quoted, names))
    there = " OR ".join(f"{quoted(name)} IS NOT NULL" for name in names)
    inner = f"SELECT count(*) AS n, sum(count(*)) OVER () AS s FROM t WHERE {there} GROUP BY {columns}"
    if figure == "count(*)":
        return f"(SELECT count(*) FROM ({inner}))"
    grouped = figure if "sum(" in figure else figure.replace(" / s", " / any_value(s)")
    return f"(SELECT {grouped} FROM ({inner}))"
