"""A Delta schema as leaf columns and as Arrow types, and partition values as typed constants.

The schema in the log is JSON (Delta protocol, "Schema Serialization Format"). Struct fields become columns of their
own, named ``a.b``, and so does what lists and maps hold, beside these (`catalog.states.elements`); all else are leaves.
Type names are Spark's ``simpleString``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

import pyarrow as pa

from catalog.errors import CorruptLog, UnsupportedTable
from catalog.lake.logs.actions import clean
from catalog.states import elements
from catalog.states.elements import ELEMENT
from catalog.states.folding.kinds import simple_type

_SIMPLE_NAMES = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint", "null": "void"}


@dataclass(frozen=True)
class Field:
    """A column of the table: its name, the name and id it has inside the data files, and its type as JSON data."""

    name: str
    physical: str
    id: int | None
    type: Any


@lru_cache(maxsize=64)  # nearly all versions of a table have the same text
def parse_schema(text: str) -> tuple[Field, ...]:
    """The top-level columns of a schema; raises `CorruptLog` when the text is no schema, or names a column twice.

    >>> parse_schema('{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}')
    (Field(name='id', physical='id', id=None, type='long'),)
    """
    try:
        return _fields(clean(json.loads(text)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CorruptLog(f"the log's schema cannot be read ({type(error).__name__}: {error})") from error


def _fields(struct: dict[str, Any], above: str = "") -> tuple[Field, ...]:
    found = tuple(_field(item) for item in struct["fields"])
    names: set[str] = set()
    for field in found:
        if not isinstance(field.name, str):
            raise TypeError("a column's name is a text")
        if field.name in names:
            raise CorruptLog(
                f"the schema names two columns {above + field.name!r}",
                remedy="rename one of them: nobody can tell which values are whose",
            )
        names.add(field.name)
        _check_kind(field.type, f"{above}{field.name}.")
    return found


def _check_kind(kind: Any, above: str) -> None:
    match kind:
        case str():
            pass
        case {"type": "struct"}:
            _fields(kind, above)
        case {"type": "array", "elementType": inner}:
            _check_kind(inner, above)
        case {"type": "map", "keyType": key, "valueType": value}:
            _check_kind(key, above)
            _check_kind(value, above)
        case {"type": "array" | "map"} | {}:
            raise KeyError("type")
        case {"type": inner}:
            _check_kind(inner, above)
        case _:
            raise TypeError("a type is a name or an object")


def _field(item: dict[str, Any]) -> Field:
    told = item.get("metadata") or {}
    return Field(
        item["name"],
        told.get("delta.columnMapping.physicalName", item["name"]),
        told.get("delta.columnMapping.id"),
        item["type"],
    )


def simple_name(kind: Any) -> str:
    """Spark's short name of a type.

    >>> simple_name("long"), simple_name({"type": "array", "elementType": "integer", "containsNull": True})
    ('bigint', 'array<int>')
    """
    if isinstance(kind, str):
        return _SIMPLE_NAMES.get(kind, kind)
    match kind.get("type"):
        case "array":
            return f"array<{simple_name(kind['elementType'])}>"
        case "map":
            return f"map<{simple_name(kind['keyType'])},{simple_name(kind['valueType'])}>"
        case "struct":
            return "struct<" + ",".join(f"{f['name']}:{simple_name(f['type'])}" for f in kind["fields"]) + ">"
        case other:
            return simple_name(other)


def leaves(fields: tuple[Field, ...]) -> tuple[tuple[str, str], ...]:
    """Leaf columns with their types, in table order, named as the fold does.

    >>> point = {"type": "struct", "fields": [{"name": "x", "type": "double"}, {"name": "y", "type": "double"}]}
    >>> leaves((Field("id", "id", None, "long"), Field("at", "at", None, point)))
    (('id', 'bigint'), ('at.x', 'double'), ('at.y', 'double'))
    """
    columns = ((field.name, field.type) for field in fields)
    return tuple((name, simple_name(kind)) for name, _, kind in elements.leaves(columns, _inside))


def sql_names(fields: tuple[Field, ...]) -> dict[str, str]:
    """How SQL writes the leaf columns of which a name itself holds a dot, by their names here: for SQL a dot outside of
    backticks leads into a struct.

    >>> net = {"type": "struct", "fields": [{"name": "x.y", "type": "double"}, {"name": "z", "type": "double"}]}
    >>> sql_names((Field("net.amount", "net.amount", None, "double"), Field("net", "net", None, net)))
    {'net.amount': '`net.amount`', 'net.x.y': '`net`.`x.y`'}
    """
    found = {}
    for name, path, _ in elements.leaves(((field.name, field.type) for field in fields), _inside):
        parts, kind = [fields[path[0]].name], fields[path[0]].type
        for at in path[1:]:
            part, kind = _inside(kind)[at]
            parts.append(part or "")
        if elements.EACH not in path and any("." in part for part in parts):
            found[name] = ".".join("`" + part.replace("`", "``") + "`" for part in parts)
    return found


def _inside(kind: Any) -> list[tuple[str | None, Any]]:
    """What a type consists of, as `catalog.states.elements.Inside`."""
    match kind:
        case {"type": "struct", "fields": fields}:
            return [(item["name"], item["type"]) for item in fields]
        case {"type": "array", "elementType": inner}:
            return [(ELEMENT, inner)]
        case {"type": "map", "keyType": key, "valueType": value}:
            entry = [{"name": "key", "type": key}, {"name": "value", "type": value}]
            return [(ELEMENT, {"type": "struct", "fields": entry})]
        case _:
            return []


def physical_names(fields: tuple[Field, ...]) -> dict[str, str]:
    """The names of the leaf columns inside the files, by their names in the table.

    >>> physical_names((Field("id", "col-7", 1, "long"),))
    {'id': 'col-7'}
    """
    inside = tuple(Field(item.physical, item.physical, None, _physical(item.type)) for item in fields)
    return {name: own for (name, _), (own, _) in zip(leaves(fields), leaves(inside), strict=True)}


def _physical(kind: Any) -> Any:
    match kind:
        case {"type": "struct"}:
            fields = [_field(item) for item in kind["fields"]]
            return {**kind, "fields": [{"name": item.physical, "type": _physical(item.type)} for item in fields]}
        case {"type": "array" | "map"}:
            parts = kind.keys() & {"elementType", "keyType", "valueType"}
            return {**kind, **{part: _physical(kind[part]) for part in parts}}
        case _:
            return kind


def arrow_type(kind: Any, *, physical: bool = False) -> pa.DataType:
    """The Arrow type that every reader brings a column to, with the names of the table or (`physical`) of its files.

    Raises `UnsupportedTable` for a type nobody here knows.
    """
    if isinstance(kind, str):
        if kind == "variant":
            return pa.string()  # as JSON text: Arrow has no such type
        found = simple_type(simple_name(kind))
        if found is not None:
            return found
        raise UnsupportedTable(f"column type {kind!r} is not known here")
    match kind.get("type"):
        case "array":
            return pa.list_(arrow_type(kind["elementType"], physical=physical))
        case "map":
            key, value = (arrow_type(kind[part], physical=physical) for part in ("keyType", "valueType"))
            return pa.map_(key, value)
        case "struct":
            fields = [_field(item) for item in kind["fields"]]
            return pa.struct(
                [(f.physical if physical else f.name, arrow_type(f.type, physical=physical)) for f in fields]
            )
        case other:
            return arrow_type(other, physical=physical)


def readable(kind: Any, *, variants: bool = False) -> Any:
    """A type without the parts nobody here can read: columns of such types are listed and have no metrics.

    `variants`: whether variants count as readable, as the text that Spark makes of them. None when nothing is left.

    >>> readable({"type": "struct", "fields": [{"name": "a", "type": "long"}, {"name": "g", "type": "geometry"}]})
    {'type': 'struct', 'fields': [{'name': 'a', 'type': 'long'}]}
    >>> readable("geometry") is None, readable("decimal(10,2)"), readable("variant") is None
    (True, 'decimal(10,2)', True)
    """
    if isinstance(kind, str):
        if kind == "variant" and not variants:
            return None
        try:
            arrow_type(kind)
        except (UnsupportedTable, ValueError, pa.ArrowException):
            return None
        return kind
    match kind["type"]:
        case "struct":
            kinds = [(item, readable(item["type"], variants=variants)) for item in kind["fields"]]
            fields = [{**item, "type": inner} for item, inner in kinds if inner is not None]
            return {**kind, "fields": fields} if fields or not kinds else None
        case "array" | "map" as name:
            parts = ("elementType",) if name == "array" else ("keyType", "valueType")
            inner = {part: readable(kind[part], variants=variants) for part in parts}
            return None if inner != {part: kind[part] for part in parts} else kind
        case other:
            return readable(other, variants=variants)


def typed(text: str | None, kind: Any) -> Any:
    """A partition value, which the log keeps as text, as Python value of its type (None for the empty text).

    Delta protocol, "Partition Value Serialization". Raises `CorruptLog` for a text that is no value of the type.

    >>> typed("2021-02-03", "date"), typed("", "long"), typed("true", "boolean"), typed("3", "short")
    (datetime.date(2021, 2, 3), None, True, 3)
    """
    if text is None or text == "":
        return None
    try:
        return _typed(text, kind)
    except (ValueError, InvalidOperation, TypeError, OverflowError, AttributeError) as error:
        raise CorruptLog(f"partition value {text[:80]!r} is no {simple_name(kind)}") from error


def _typed(text: str, kind: str) -> Any:
    match kind:
        case "long" | "integer" | "short" | "byte":
            return int(text)
        case "float" | "double":
            return float(text)
        case "boolean":
            return {"true": True, "false": False}[text.lower()] if text.lower() in ("true", "false") else int(text) != 0
        case "date":
            return date.fromisoformat(text[:10])
        case "timestamp" | "timestamp_ntz":
            return _moment(text, zone=kind == "timestamp")
        case "binary":
            return text.encode("latin-1") if all(ord(c) < 256 for c in text) else text.encode()
        case _ if kind.startswith("decimal"):
            return Decimal(text)
        case _:
            return text


def _moment(text: str, *, zone: bool) -> datetime:
    found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    found = found.astimezone(timezone(timedelta(0)))
    return found if zone else found.replace(tzinfo=None)
