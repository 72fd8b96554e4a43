"""Open Data Contract Standard: data contracts in YAML (v3.0 and v3.1).

``python -m benchmarks.exchange --tool odcs`` runs what is written by the Data Contract CLI (docs/figures/exchange.md).
A property's quality that counts wrong rows is asked of all rows, of which nulls are no invalid ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from catalog.declared.constraint import Constraint
from catalog.declared.fitting import arrow_type
from catalog.errors import UsageError
from catalog.measures.metrics import quoted, unquoted
from catalog.rules.exchange.bands import Band, band_of, between, both, figure, wrong_rows
from catalog.rules.exchange.demands import (
    AGE,
    NO_CHECK,
    OF_TAGS,
    Asked,
    Lost,
    Made,
    Noted,
    ask,
    is_named,
    is_whole,
    of_values,
)
from catalog.rules.exchange.documents import entries, list_of, map_of, name_of, number_of, text_of
from catalog.rules.exchange.queries import of_query, query_of
from catalog.rules.exchange.rows import (
    accepts_empty,
    among,
    lengths,
    matching,
    none_of,
    of_all_rows,
    satisfies,
    within,
)

_SIGNS = {
    "mustBe": "=", "mustNotBe": "!=", "mustBeGreaterThan": ">", "mustBeGreaterOrEqualTo": ">=",
    "mustBeGreaterThanOrEqualTo": ">=", "mustBeLessThan": "<", "mustBeLessOrEqualTo": "<=",
    "mustBeLessThanOrEqualTo": "<=",
}  # fmt: skip
#: Names that earlier versions of the standard had for its metrics.
_FORMER = {"nullCheck": "nullValues", "duplicateCount": "duplicateValues", "uniqueCheck": "duplicateValues",
           "validValues": "invalidValues", "countCheck": "rowCount"}  # fmt: skip
_DUPLICATES = "how duplicates are counted differs from tool to tool: only that there are none is the same in all"
_LEVELS = ("warning", "warn", "info", "low", "minor")
_HOURS = {"h": 1, "hour": 1, "hours": 1, "d": 24, "day": 24, "days": 24, "m": 1 / 60, "minutes": 1 / 60}
#: By option, which end of a range it is.
_SIDES = {"minimum": "low", "exclusiveMinimum": "low", "maximum": "high", "exclusiveMaximum": "high"}


# ------------------------------------------------------------------------------------------------------- reading


def read(data: Any) -> Iterator[Asked]:
    """The demands of a contract. Raises `UsageError` for one of a version that is not known."""
    contract = map_of(data, "the contract")
    version = str(contract.get("apiVersion"))
    if not re.match(r"v?3\.", version):
        raise UsageError(
            f"the contract is of version {version[:20]} of the standard", remedy="write it in version 3.0 or 3.1"
        )
    for one in list_of(contract.get("schema") or [], "schema"):
        if not isinstance(one, Mapping) or not isinstance(one.get("name") or one.get("physicalName"), str):
            yield Asked("a schema without a name", why="it names no table")
            continue
        yield from _of_table(one)
    for one in entries(contract.get("slaProperties")):
        yield from _service_level(one)


def _of_table(schema: Mapping[str, Any]) -> Iterator[Asked]:
    table = str(schema.get("physicalName") or schema.get("name"))
    names = {str(schema.get(name)) for name in ("name", "physicalName") if schema.get(name)}
    found = list(_properties(entries(schema.get("properties")), ""))
    yield from _columns(table, found)
    for name, told in found:
        yield from _of_column(table, name, told, names)
    for one in entries(schema.get("quality")):
        yield _quality(table, "", one, names)
    for one in entries(schema.get("relationships")):
        yield _relationship(table, one, "")


def _properties(listed: list[Any], above: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Leaf columns by dotted name."""
    for one in listed:
        name = one.get("physicalName") or one.get("name") if isinstance(one, Mapping) else None
        if not isinstance(name, str) or not name:
            continue
        inner = entries(one.get("properties"))
        if inner:
            yield from _properties(inner, f"{above}{name}.")
        else:
            yield f"{above}{name}", one


def _columns(table: str, found: list[tuple[str, Mapping[str, Any]]]) -> Iterator[Asked]:
    """That the columns are there, of their types where the contract gives one of Delta's."""
    by_type: dict[str, list[str]] = {}
    for name, told in found:
        wanted = str(told.get("physicalType") or "").lower()
        known = wanted if wanted and "char" not in wanted and arrow_type(wanted) is not None else ""
        by_type.setdefault(known, []).append(name)
    for wanted, names in by_type.items():
        arguments = {"type": wanted} if wanted else {}
        label = "columns_of_contract" + (f"_{wanted}" if wanted else "")
        for start in range(0, len(names), 50):
            made = Constraint("has_column", tuple(names[start : start + 50]), arguments)
            part = f"{label}_{start // 50 + 1}" if start else label
            yield ask(f"{table}: properties", table, lambda made=made: made, name=part)  # type: ignore[misc]
    keys = [(_place(told.get("primaryKeyPosition")), name) for name, told in found if told.get("primaryKey") is True]
    columns = tuple(name for _, name in sorted(keys, key=lambda one: one[0]))
    if columns:
        made_all = [Constraint("is_unique", columns), *(Constraint("is_complete", (name,)) for name in columns)]
        yield ask(f"{table}: primaryKey", table, lambda: made_all)


def _place(given: Any) -> float:
    return given if isinstance(given, int) and given >= 0 else 1e9


def _of_column(table: str, name: str, told: Mapping[str, Any], names: set[str]) -> Iterator[Asked]:
    at = f"{table}.{name}"
    if told.get("required") is True and told.get("primaryKey") is not True:
        yield ask(f"{at}: required", table, lambda: Constraint("is_complete", (name,)))
    if told.get("unique") is True:
        yield ask(f"{at}: unique", table, lambda: Constraint("is_unique", (name,)))
    if told.get("enum"):
        yield ask(f"{at}: enum", table, lambda: _enum(name, told["enum"]))
    options = told.get("logicalTypeOptions")
    if isinstance(options, Mapping):
        yield from _options(table, name, options)
    for one in entries(told.get("quality")):
        yield _quality(table, name, one, names)
    for one in entries(told.get("relationships")):
        yield _relationship(table, one, name)


def _enum(name: str, listed: Any) -> Constraint:
    return among(name, [one.get("value") if isinstance(one, Mapping) else one for one in list_of(listed, "enum")])


def _options(table: str, name: str, options: Mapping[str, Any]) -> Iterator[Asked]:
    at = f"{table}.{name}: logicalTypeOptions"
    ends = {key: options[key] for key in ("minLength", "maxLength") if options.get(key) is not None}
    if ends:
        yield ask(f"{at} length", table, lambda: lengths(name, ends.get("minLength"), ends.get("maxLength")))
    for key, value in options.items():
        if key not in ("minLength", "maxLength") and not isinstance(value, bool):
            yield ask(f"{at} {key}", table, partial(_option, name, str(key), value, options))


def _option(name: str, key: str, value: Any, options: Mapping[str, Any]) -> Constraint:
    if key == "pattern":
        return matching(name, text_of(value, "the pattern"))
    if key == "multipleOf":
        if not isinstance(number := number_of(value, key), int):
            raise UsageError("fractions are not exact: whether a value is a multiple of one is not asked")
        return satisfies(f"{quoted(name)} IS NULL OR {quoted(name)} % {number} = 0")
    if key == "format":
        raise UsageError(OF_TAGS)
    if key == "enum":
        return _enum(name, value)
    side = _SIDES.get(key)
    if side is None:
        raise UsageError(f"{key[:40]} is no check here")
    beside = options.get(f"exclusive{key[:1].upper()}{key[1:]}")  # of version 3.0: that the bound itself is out
    return within(name, {side: value}, exclusive=key.startswith("exclusive") or beside is True)


def _band(told: Mapping[str, Any]) -> Band:
    found = [band_of(sign, told[name]) for name, sign in _SIGNS.items() if told.get(name) is not None]
    found += [between(told["mustBeBetween"])] if told.get("mustBeBetween") is not None else []
    if told.get("mustNotBeBetween") is not None:
        raise UsageError("a figure that may be anything outside a range has no band")
    if not found:
        raise UsageError("it says no bound", remedy="give mustBe, mustBeLessThan or another")
    if len(found) > 2:
        raise UsageError("it says more than two bounds")
    return found[0] if len(found) == 1 else both(found[0], found[1])


def _quality(table: str, column: str, one: Any, names: set[str]) -> Asked:
    told = map_of(one, "quality") if isinstance(one, Mapping) else {}
    what = told.get("metric") or told.get("rule") or told.get("type") or "quality"
    level = "warning" if str(told.get("severity", "")).lower() in _LEVELS else "error"
    at = f"{table}.{column}: {what}" if column else f"{table}: {what}"
    return ask(
        at, table, lambda: _check(told, column, names), level=level, hint=told.get("description"), name=told.get("name")
    )


def _check(told: Mapping[str, Any], column: str, names: set[str]) -> Made:
    kind = str(told.get("type") or "library")
    if kind == "sql":
        return of_query(text_of(told.get("query"), "the query"), _band(told), column=column, names=names)
    if kind == "text":
        raise UsageError("it is a text for people")
    if kind == "custom":
        raise UsageError(f"it is written for {str(told.get('engine'))[:40]}: import that tool's own file")
    if kind != "library":
        raise UsageError(f"{kind[:40]!r} is no type of quality")
    metric = str(told.get("metric") or told.get("rule") or "")
    metric = _FORMER.get(metric, metric)
    percent = str(told.get("unit") or "rows").lower() in ("percent", "%")
    given = {**told, **(map_of(told["arguments"], "arguments") if told.get("arguments") else {})}
    if metric == "rowCount":
        return figure("has_size", (), _band(told))
    if metric == "duplicateValues":
        columns = [name_of(one) for one in list_of(given.get("properties"), "properties")] if not column else [column]
        if not _band(told).none_at_all:
            raise UsageError(_DUPLICATES)
        return Constraint("is_unique", tuple(columns))
    if not column:
        raise UsageError(f"{metric[:40] or 'it'} is asked of no column")
    if metric == "nullValues":
        return wrong_rows(Constraint("is_complete", (column,)), _band(told), percent=percent)
    if metric == "missingValues":
        return wrong_rows(_not_missing(column, given.get("missingValues")), _band(told), percent=percent)
    if metric == "invalidValues":
        one, band = _valid(column, given), _band(told)
        return wrong_rows(one if band.none_at_all else of_all_rows(one), band, percent=percent)
    raise UsageError(f"{metric[:40]!r} is no metric that is known")


def _not_missing(column: str, listed: Any) -> Constraint:
    values = [one for one in list_of(listed if listed is not None else [None], "missingValues") if one is not None]
    return none_of(column, values)


def _valid(column: str, given: Mapping[str, Any]) -> Constraint:
    if given.get("validValues") is not None and given.get("pattern") is not None:
        raise UsageError("it asks for values and for a pattern", remedy="write them as two demands")
    if given.get("validValues") is not None:
        return among(column, list_of(given["validValues"], "validValues"))
    return matching(column, text_of(given.get("pattern"), "validValues or pattern"))


def _relationship(table: str, one: Any, column: str) -> Asked:
    def make() -> Constraint:
        told = map_of(one, "the relationship")
        own = [column] if column else [_parted(name)[1] for name in _listed(told.get("from"))]
        theirs = [_parted(name) for name in _listed(told.get("to"))]
        others = {name for name, _ in theirs}
        if len(others) != 1 or not all(name for _, name in theirs) or not own:
            raise UsageError("it does not name columns of one other table", remedy="write to: table.column")
        return Constraint("references", tuple(own), {"other": others.pop(), "other_columns": [n for _, n in theirs]})

    return ask(f"{table}{'.' + column if column else ''}: relationships", table, make)


def _listed(given: Any) -> list[str]:
    return [text_of(one, "a column") for one in (given if isinstance(given, list) else [given])]


def _parted(name: str) -> tuple[str, str]:
    """Table and column of ``table.column``, or of a path ``schema/table/properties/column``."""
    path = re.sub(r"^.*?schema/|properties/", "", name).replace("/", ".") if "/" in name else name
    table, _, column = path.rpartition(".")
    return table, column


def _service_level(one: Any) -> Iterator[Asked]:
    told = one if isinstance(one, Mapping) else {}
    what = str(told.get("property") or "?")
    for element in str(told.get("element") or "").split(","):
        table, column = _parted(element.strip())

        yield ask(f"slaProperties: {what}", table, partial(_age, told, what, column))


def _age(told: Mapping[str, Any], what: str, column: str) -> Made:
    if what.lower() not in ("latency", "freshness", "ly", "fr") or not column:
        raise UsageError("it is a promise of people, or names no column: no check of a table")
    hours = _HOURS.get(str(told.get("unit") or "").lower())
    if hours is None:
        raise UsageError(f"{str(told.get('unit'))[:20]} is no unit of time that is known")
    most = hours * number_of(told.get("value"), "the value")
    return Noted((Constraint("is_fresh", (column,), at_most=most),), AGE)


# ------------------------------------------------------------------------------------------------------- writing


def write(table: str, found: Iterable[Constraint]) -> tuple[dict[str, Any], list[Lost]]:
    """A data contract of these checks; what is lost of them.

    >>> written, lost = write("t", [Constraint("is_complete", ("id",))])
    >>> written["schema"][0]["properties"][0]["quality"]
    [{'type': 'library', 'metric': 'nullValues', 'mustBe': 0}]
    """
    properties: dict[str, dict[str, Any]] = {}
    of_table: list[dict[str, Any]] = []
    lost: list[Lost] = []
    for one in found:
        column = one.columns[0] if len(one.columns) == 1 else ""
        if one.kind == "has_column" and one.where is None:
            for name in one.columns:
                told = properties.setdefault(name, {"name": name})
                told |= {"physicalType": one.arguments["type"]} if "type" in one.arguments else {}
            continue
        said = _said(one, column)
        if said is None:
            lost.append(Lost(column, one.sentence, NO_CHECK))
            continue
        name = unquoted(column)
        quality = properties.setdefault(name, {"name": name}).setdefault("quality", []) if column else of_table
        quality.append(said | _told_beside(one))
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": table, "version": "1.0.0", "status": "draft"}
    named = {"name": table, "properties": list(properties.values())}
    return {**head, "schema": [named | ({"quality": of_table} if of_table else {})]}, lost


def _told_beside(one: Constraint) -> dict[str, Any]:
    beside = {"name": one.name} if is_named(one) else {}
    beside |= {"severity": "warning"} if one.level == "warning" else {}
    return beside | ({"description": one.hint} if one.hint else {})


def _said(one: Constraint, column: str) -> dict[str, Any] | None:
    library = _in_library(one, column)
    if library is not None:
        return {"type": "library", **library}
    asked = query_of(one, "{object}")
    if asked is None:
        return None
    query, low, high = asked
    return {"type": "sql", "query": query, **_must(low, high)}


def _in_library(one: Constraint, column: str) -> dict[str, Any] | None:
    """What the standard has a metric for. Nulls are no invalid values, and count among the rows of a share."""
    if one.kind == "has_size" and one.where is None:
        return {"metric": "rowCount", **_must(one.at_least, one.at_most)}
    if one.kind == "is_unique" and one.where is None and is_whole(one):
        more = {} if column else {"arguments": {"properties": [unquoted(name) for name in one.columns]}}
        return {"metric": "duplicateValues", **more, "mustBe": 0}
    told: dict[str, Any] | None = None
    if one.kind in ("is_complete", "has_completeness") and one.where is None:
        told = {"metric": "nullValues"}
    elif one.kind == "is_in" and (one.where is None or (of_values(one) and is_whole(one))):
        told = {"metric": "invalidValues", "arguments": {"validValues": list(one.arguments["values"])}}
    elif one.kind == "has_pattern" and of_values(one) and is_whole(one) and not accepts_empty(one.arguments["pattern"]):
        told = {"metric": "invalidValues", "arguments": {"pattern": one.arguments["pattern"]}}
    if told is None or (one.at_most is not None and one.at_most < 1):
        return None
    if is_whole(one):
        return told | {"mustBe": 0}
    return told | {"mustBeLessOrEqualTo": round(100 * (1 - (one.at_least or 0)), 7), "unit": "percent"}


def _must(low: float | None, high: float | None) -> dict[str, Any]:
    """One operator: the standard's schema takes no two."""
    if low is not None and high is not None:
        return {"mustBe": low} if low == high else {"mustBeBetween": [low, high]}
    ends = {"mustBeGreaterOrEqualTo": low, "mustBeLessOrEqualTo": high}
    return {name: end for name, end in ends.items() if end is not None}
