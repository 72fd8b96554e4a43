"""Expressions in DuckDB's SQL with the kinds of their values, and what says that only Spark can answer."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.predicates.kinds import Kind


class NeedsSpark(Exception):
    """DuckDB would answer otherwise than Spark here: let Spark evaluate."""


@dataclass(frozen=True)
class Sql:
    """An expression in DuckDB's SQL with the kind of its value; `literal` where it is a constant somebody wrote."""

    text: str
    kind: Kind
    literal: object = None
