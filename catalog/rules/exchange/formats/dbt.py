"""dbt's tests in `schema.yml`: its own, those of dbt_utils and of dbt_expectations. Read only.

``python -m benchmarks.exchange --tool dbt`` runs its own (docs/figures/exchange.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from catalog.declared.constraint import Constraint
from catalog.errors import UsageError
from catalog.measures.metrics import quoted
from catalog.rules.exchange.bands import Band, band_of, figure, wrong_rows
from catalog.rules.exchange.demands import AGE, Asked, Made, Noted, ask, each, is_there, limited, row_condition
from catalog.rules.exchange.documents import entries, list_of, map_of, mapping, name_of, number_of, text_of
from catalog.rules.exchange.formats.gx import expectation
from catalog.rules.exchange.rows import among, not_refuted, satisfies, within

_REF = re.compile(r"""^\s*(?:\{\{\s*)?(?:ref|source)\s*\(\s*((?:['"][^'"]+['"]\s*,?\s*)+)\)(?:\s*\}\})?\s*$""")
_COUNT = re.compile(r"\s*(>=|<=|!=|<>|=|>|<)\s*(\d+)\s*$")
_SETTINGS = ("name", "config", "severity", "where", "tags", "meta", "description", "enabled", "error_if", "warn_if",
             "store_failures", "limit", "arguments", "test_name", "fail_calc")  # fmt: skip
#: Bounds that a single failing row is beyond.
_ANY = (None, "!= 0", "!=0", "> 0", ">0")
_PARTS = {"hour": 1.0, "day": 24.0, "week": 168.0, "minute": 1 / 60}


def read(data: Any) -> Iterator[Asked]:
    """The demands of a file of properties. Raises `UsageError` for one of a version that is not known."""
    file = map_of(data, "the file")
    if file.get("version") not in (None, 2, "2"):
        raise UsageError(f"version {str(file['version'])[:20]} of a schema.yml is not known", remedy="write version 2")
    for kind in ("models", "seeds", "snapshots"):
        for one in entries(file.get(kind)):
            yield from _of_table(mapping(one), str(mapping(one).get("alias") or mapping(one).get("name") or ""))
    for source in entries(file.get("sources")):
        for one in entries(mapping(source).get("tables")):
            name = mapping(one).get("identifier") or mapping(one).get("name")
            yield from _of_table(mapping(one), str(name or ""))
            if mapping(one).get("freshness") or mapping(source).get("freshness"):
                yield Asked(f"{name}: freshness", str(name), why="it names when rows were loaded: declare is_fresh")


def _of_table(told: Mapping[str, Any], table: str) -> Iterator[Asked]:
    if not table:
        yield Asked("a table without a name", why="it names no table")
        return
    for one in _tests(told):
        yield from _test(table, "", one)
    for one in entries(told.get("constraints")):
        yield _constraint(table, "", mapping(one))
    for column in entries(told.get("columns")):
        name = mapping(column).get("name")
        if not isinstance(name, str) or not name:
            yield Asked(f"{table}: a column without a name", table, why="it names no column")
            continue
        for one in _tests(mapping(column)):
            yield from _test(table, name, one)
        for one in entries(mapping(column).get("constraints")):
            yield _constraint(table, name, mapping(one))


def _tests(told: Mapping[str, Any]) -> list[Any]:
    return [*entries(told.get("tests")), *entries(told.get("data_tests"))]


def _constraint(table: str, column: str, told: Mapping[str, Any]) -> Asked:
    def make() -> Made:
        kind = str(told.get("type"))
        columns = (column,) if column else tuple(name_of(one) for one in list_of(told.get("columns"), "columns"))
        if kind == "not_null":
            return [Constraint("is_complete", (name,)) for name in columns]
        if kind == "unique":
            return Constraint("is_unique", columns)
        if kind == "primary_key":
            return [Constraint("is_unique", columns), *(Constraint("is_complete", (name,)) for name in columns)]
        if kind == "check":
            return not_refuted(_sql(told.get("expression")))
        raise UsageError(f"there is no check like {kind[:60]}")

    return ask(f"{table}{'.' + column if column else ''}: {told.get('type')}", table, make, name=told.get("name"))


def _test(table: str, column: str, one: Any) -> Iterator[Asked]:
    """A test, with its settings beside its arguments or under `config`."""
    entry = {one: None} if isinstance(one, str) else mapping(one)
    settings = {name: entry[name] for name in entry if name in _SETTINGS}
    named = entry.get("test_name") or next((name for name in entry if name not in _SETTINGS), "?")
    told = dict(mapping(entry.get(str(named))))
    settings |= {name: told.pop(name) for name in list(told) if name in _SETTINGS}
    told |= mapping(settings.get("arguments"))
    settings |= mapping(settings.get("config"))
    name = re.sub(r"^(?:dbt|dbt_utils)\.", "", str(named))
    own = "warning" if str(settings.get("severity", "error")).lower() == "warn" else "error"
    limits = {own: settings.get("warn_if" if own == "warning" else "error_if")}
    if limits.get("error") not in _ANY and settings.get("warn_if") != limits["error"]:
        limits["warning"] = settings.get("warn_if")  # what is too little for an error is one
    for level, limit in limits.items():
        called = settings.get("name")
        yield ask(
            f"{table}{'.' + column if column else ''}: {named}",
            table,
            partial(_made, name, column, told, settings, limit),
            where=settings.get("where"),
            level=level,
            hint=settings.get("description"),
            name=f"{called} ({level})" if isinstance(called, str) and len(limits) > 1 else called,
        )


def _made(name: str, column: str, told: Mapping[str, Any], settings: Mapping[str, Any], limit: Any) -> Made:
    if settings.get("enabled") is False:
        raise UsageError("it is turned off")
    if isinstance(settings.get("where"), str):
        _sql(settings["where"])
    if settings.get("fail_calc") not in (None, "count(*)"):
        raise UsageError("how many rows fail is calculated in its own way")
    made = test_of(name, column, told)
    if limit in _ANY:
        return made
    found = _COUNT.match(str(limit))
    if found is None or found[1] not in (">", ">="):
        raise UsageError(f"{str(limit)[:40]!r} is no bound that is understood")
    checks = each(made, lambda one: one).checks
    if len(checks) != 1 or row_condition(checks[0]) is None:
        raise UsageError("how many rows may fail is counted of single rows alone")
    return wrong_rows(checks[0], band_of("<=" if found[1] == ">" else "<", found[2]))


def test_of(name: str, column: str, told: Mapping[str, Any]) -> Made:
    """The check that a test is. Raises `UsageError` for one that has none.

    >>> test_of("accepted_range", "price", {"min_value": 0, "inclusive": False}).sentence
    'every value of price is above 0'
    """
    if name.startswith("dbt_expectations."):
        return _expectation(name.partition(".")[2], column, told)
    build = _OF_COLUMN.get(name) if column else _OF_TABLE.get(name)
    build = build or _ANYWHERE.get(name)
    if build is None:
        raise UsageError(f"there is no check like {name[:80]}")
    return build(column, told)


def _expectation(name: str, column: str, told: Mapping[str, Any]) -> Made:
    """Its arguments are those of Great Expectations, in other letters here and there."""
    renamed = {"strictly": None, "row_condition": "where", "compare_model": None, "group_by": None}
    for argument, other in renamed.items():
        if told.get(argument) not in (None, False, "") and other is None:
            raise UsageError(f"{argument} is not looked at")
    kwargs = {one: value for one, value in told.items() if one not in renamed}
    kwargs |= {"column": column} if column else {}
    kwargs |= {f"column_{end}": told[f"column_{end}"] for end in ("A", "B") if f"column_{end}" in told}
    condition = told.get("row_condition")
    return each(expectation(name, kwargs), lambda one: limited(one, _sql(condition) if condition else None))


def _sql(given: Any) -> str:
    text = text_of(given, "the condition")
    if "{{" in text or "{%" in text:
        raise UsageError("it has places that are filled in when it runs")
    return text


def _table(given: Any) -> str:
    """The table that `ref` or `source` names."""
    text = text_of(given, "the other table")
    found = _REF.match(text)
    if found is None:
        if "(" in text or "{" in text:
            raise UsageError("which table it compares with is not understood")
        return text.strip()
    return str(re.findall(r"['\"]([^'\"]+)['\"]", found[1])[-1])


def _expression(column: str, told: Mapping[str, Any]) -> Made:
    text = _sql(told.get("expression"))
    condition = told.get("condition")
    one = not_refuted(f"{quoted(column)} {text}" if column else text)
    return limited(one, _sql(condition) if condition else None)


def _range(column: str, told: Mapping[str, Any]) -> Made:
    ends = {"low": told.get("min_value"), "high": told.get("max_value")}
    if any(isinstance(end, str) and re.search(r"[A-Za-z(]", end) for end in ends.values()):
        signs = {"low": ">", "high": "<"}
        equal = "" if told.get("inclusive") is False else "="
        return [not_refuted(f"{quoted(column)} {signs[side]}{equal} ({_sql(str(end))})")
                for side, end in ends.items() if end is not None]  # fmt: skip
    return within(column, ends, exclusive=told.get("inclusive") is False)


def _filled(column: str, told: Mapping[str, Any]) -> Made:
    low, high = (None if told.get(one) is None else number_of(told[one], one) for one in ("at_least", "at_most"))
    return figure("has_completeness", (column,), Band(low, high))


def _recent(column: str, told: Mapping[str, Any]) -> Made:
    hours = _PARTS.get(str(told.get("datepart")))
    if hours is None or told.get("group_by_columns"):
        raise UsageError("how old it may be is not understood")
    most = hours * number_of(told.get("interval"), "interval")
    return Noted((Constraint("is_fresh", (name_of(told.get("field"), "field"),), at_most=most),), AGE)


def _related(column: str, told: Mapping[str, Any]) -> Made:
    one = Constraint(
        "references", (column,), {"other": _table(told.get("to")), "other_columns": [name_of(told.get("field"))]}
    )
    if told.get("to_condition"):
        raise UsageError("a condition on the other table is not looked at")
    own = told.get("from_condition")
    return limited(one, _sql(own) if own else None)


def _listed(column: str, told: Mapping[str, Any], denied: bool = False) -> Made:
    return among(column, list_of(told.get("values"), "values"), denied=denied)


_OF_COLUMN: dict[str, Callable[[str, Mapping[str, Any]], Made]] = {
    "not_null": lambda c, k: Constraint("is_complete", (c,)),
    "unique": lambda c, k: Constraint("is_unique", (c,)),
    "accepted_values": _listed,
    "not_accepted_values": lambda c, k: _listed(c, k, denied=True),
    "relationships": _related,
    "relationships_where": _related,
    "accepted_range": _range,
    "not_null_proportion": _filled,
    "not_empty_string": lambda c, k: satisfies(f"{quoted(c)} IS NULL OR trim({quoted(c)}) <> ''"),
    "not_constant": lambda c, k: figure("has_count_distinct", (c,), Band(low=2)),
    "at_least_one": lambda c, k: figure("has_size", (), Band(low=1), where=is_there(c)),
}
_OF_TABLE: dict[str, Callable[[str, Mapping[str, Any]], Made]] = {
    "unique_combination_of_columns": lambda c, k: Constraint(
        "is_unique", tuple(name_of(one) for one in list_of(k.get("combination_of_columns"), "combination_of_columns"))
    ),
    "equal_rowcount": lambda c, k: Constraint("has_same_size", arguments={"other": _table(k.get("compare_model"))}),
    "recency": _recent,
}
_ANYWHERE: dict[str, Callable[[str, Mapping[str, Any]], Made]] = {"expression_is_true": _expression}
