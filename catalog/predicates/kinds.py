"""Kinds of values in a predicate: what of a column's type decides how it is compared and computed with; expressions
in DuckDB's SQL with the kinds of theirs, and what says that only Spark can answer."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True)
class Kind:
    """A kind of values.

    Parameters
    ----------
    name : ``integer``, ``decimal``, ``double``, ``float`` (single precision), ``boolean``, ``text``, ``date``,
        ``time``, ``null`` or ``other``.
    bits : width of an integer, digits of a decimal.
    places : of a decimal, digits behind the point.
    """

    name: str
    bits: int = 0
    places: int = 0

    @property
    def is_integer(self) -> bool:
        return self.name == "integer"

    @property
    def is_number(self) -> bool:
        return self.name in ("integer", "decimal", "double")

    @property
    def known(self) -> bool:
        return self.name != "other"

    @property
    def words(self) -> str:
        return {
            "integer": "a number",
            "decimal": "a decimal",
            "double": "a number",
            "float": "a number",
            "boolean": "true or false",
            "date": "a date",
            "time": "a time",
            "null": "null",
            "other": "a type of its own",
        }.get(self.name, self.name)

    @property
    def duckdb(self) -> str:
        """Its type in DuckDB."""
        if self.is_integer:
            return {8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}[self.bits]
        if self.name == "decimal":
            return f"DECIMAL({self.bits},{self.places})"
        return {
            "double": "DOUBLE", "float": "FLOAT", "boolean": "BOOLEAN", "text": "VARCHAR", "date": "DATE",
            "time": "TIMESTAMP",
        }[self.name]  # fmt: skip


INTEGERS = (Kind("integer", 8), Kind("integer", 16), Kind("integer", 32), Kind("integer", 64))
DOUBLE, FLOAT, BOOLEAN, TEXT, DATE, TIME, NULL, OTHER = map(
    Kind, ("double", "float", "boolean", "text", "date", "time", "null", "other")
)


def decimal(digits: int, places: int) -> Kind:
    """The kind of decimals of so many digits, `places` of them behind the point."""
    return Kind("decimal", digits, places)


#: Digits before the point that an integer of so many bits needs.
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}


def wider(a: Kind, b: Kind) -> Kind | None:
    """The kind in which two kinds of numbers are compared; None beyond 38 digits.

    >>> wider(INTEGERS[2], decimal(5, 2))
    Kind(name='decimal', bits=12, places=2)
    """
    if DOUBLE in (a, b):
        return DOUBLE
    if a.is_integer and b.is_integer:
        return max(a, b, key=lambda kind: kind.bits)
    a, b = (decimal(_DIGITS[kind.bits], 0) if kind.is_integer else kind for kind in (a, b))
    places = max(a.places, b.places)
    digits = max(a.bits - a.places, b.bits - b.places) + places
    return decimal(digits, places) if digits <= 38 else None


def kind_of(kind: pa.DataType) -> Kind:
    """Kind of an Arrow type.

    >>> kind_of(pa.int16()), kind_of(pa.list_(pa.string())).known
    (Kind(name='integer', bits=16, places=0), False)
    """
    if pa.types.is_signed_integer(kind):
        return Kind("integer", kind.bit_width)
    if pa.types.is_decimal(kind) and kind.precision <= 38:
        return decimal(kind.precision, kind.scale)
    if pa.types.is_float64(kind):
        return DOUBLE
    if pa.types.is_float32(kind):
        return FLOAT
    if pa.types.is_boolean(kind):
        return BOOLEAN
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return TEXT
    if pa.types.is_date32(kind):
        return DATE
    if pa.types.is_timestamp(kind):
        return TIME
    return NULL if pa.types.is_null(kind) else OTHER


class NeedsSpark(Exception):
    """DuckDB would answer otherwise than Spark here: let Spark evaluate."""


@dataclass(frozen=True)
class Sql:
    """An expression in DuckDB's SQL with the kind of its value; `literal` where it is a constant somebody wrote."""

    text: str
    kind: Kind
    literal: object = None
