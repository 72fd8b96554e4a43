"""Arrow types as kinds of columns and as Spark's simple type names."""

from __future__ import annotations

import re

import pyarrow as pa

_NAMES = {
    pa.null(): "void",
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.uint8(): "smallint",
    pa.uint16(): "int",
    pa.uint32(): "bigint",
    pa.uint64(): "decimal(20,0)",
    pa.float16(): "float",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.date32(): "date",
    pa.date64(): "date",
}

_SIMPLE = {
    **{_NAMES[kind]: kind for kind in (pa.null(), pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64())},
    **{_NAMES[kind]: kind for kind in (pa.float32(), pa.float64(), pa.date32())},
    "string": pa.string(),
    "binary": pa.binary(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_DECIMAL = re.compile(r"decimal(?:\((\d+),\s*(\d+)\))?")


def simple_type(name: str) -> pa.DataType | None:
    """The Arrow type of one of Spark's simple type names; None of one that is nested or not known.

    >>> simple_type("bigint"), simple_type("decimal(10,2)"), simple_type("varchar(5)"), simple_type("geometry")
    (DataType(int64), Decimal128Type(decimal128(10, 2)), DataType(string), None)
    """
    if digits := _DECIMAL.fullmatch(name):
        return pa.decimal128(int(digits[1] or 10), int(digits[2] or 0))
    return pa.string() if name.startswith(("varchar(", "char(")) else _SIMPLE.get(name)


def kind_of(kind: pa.DataType) -> str:
    """The kind of a column of this type (`catalog.states.column.COLUMN_KINDS`)."""
    t = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return kind_of(kind.storage_type)
    if t.is_dictionary(kind):
        return kind_of(kind.value_type)
    if t.is_run_end_encoded(kind):
        return kind_of(kind.value_type)
    if t.is_string(kind) or t.is_large_string(kind) or t.is_string_view(kind):
        return "string"
    if t.is_boolean(kind):
        return "boolean"
    if t.is_integer(kind) or t.is_floating(kind) or t.is_decimal(kind) or t.is_duration(kind):
        return "number"
    if t.is_date(kind) or t.is_timestamp(kind) or t.is_time(kind):
        return "time"
    if t.is_binary(kind) or t.is_large_binary(kind) or t.is_binary_view(kind) or t.is_fixed_size_binary(kind):
        return "binary"
    if is_any_list(kind) or t.is_map(kind):
        return "list"
    return "other"


def is_any_list(kind: pa.DataType) -> bool:
    t = pa.types
    return bool(
        t.is_list(kind)
        or t.is_large_list(kind)
        or t.is_fixed_size_list(kind)
        or t.is_list_view(kind)
        or t.is_large_list_view(kind)
    )


def type_name(kind: pa.DataType) -> str:
    """Spark's simple type name.

    >>> type_name(pa.decimal128(10, 2)), type_name(pa.list_(pa.struct([("a", pa.timestamp("us", "UTC"))])))
    ('decimal(10,2)', 'array<struct<a:timestamp>>')
    """
    t = pa.types
    if kind in _NAMES:
        return _NAMES[kind]
    if isinstance(kind, pa.BaseExtensionType):
        return type_name(kind.storage_type)
    if t.is_dictionary(kind) or t.is_run_end_encoded(kind):
        return type_name(kind.value_type)
    if t.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if t.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    if t.is_duration(kind):
        return "interval day to second"
    if t.is_struct(kind):
        return "struct<" + ",".join(f"{f.name}:{type_name(f.type)}" for f in kind) + ">"
    if t.is_map(kind):
        return f"map<{type_name(kind.key_type)},{type_name(kind.item_type)}>"
    if is_any_list(kind):
        return f"array<{type_name(kind.value_type)}>"
    simple = kind_of(kind)
    return simple if simple in ("string", "binary") else str(kind)
