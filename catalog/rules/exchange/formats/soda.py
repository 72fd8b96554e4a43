"""SodaCL: checks of Soda in YAML, as its documentation has them. Read only.

``python -m benchmarks.exchange --tool soda`` runs what is read (docs/figures/exchange.md). Missing values are neither
valid nor invalid; shares are of all rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from catalog.declared.constraint import Constraint
from catalog.declared.kinds.sql import literal
from catalog.errors import UsageError
from catalog.measures.metrics import quoted
from catalog.predicates.predicate import short
from catalog.rules.exchange.bands import Band, band_of, figure, wrong_rows
from catalog.rules.exchange.demands import AGE, OF_TAGS, Asked, Made, Noted, all_there, ask, each, is_there
from catalog.rules.exchange.documents import entries, list_of, map_of, mapping, name_of, number_of, text_of
from catalog.rules.exchange.queries import never, of_failing_rows, of_query
from catalog.rules.exchange.rows import among, lengths, matching, none_of, not_matching, of_all_rows, satisfies, within

_FIGURES = {
    "avg": "has_mean", "mean": "has_mean", "min": "has_min", "max": "has_max", "sum": "has_sum",
    "stddev": "has_standard_deviation", "stddev_pop": "has_standard_deviation", "variance": "has_variance",
    "var_pop": "has_variance", "min_length": "has_min_length", "max_length": "has_max_length",
    "avg_length": "has_mean_length", "distinct_count": "has_count_distinct",
}  # fmt: skip
_WRONG = (
    "missing_count",
    "missing_percent",
    "invalid_count",
    "invalid_percent",
    "duplicate_count",
    "duplicate_percent",
)
_HEAD = re.compile(r"checks for ([^\[]+?)(?:\s*\[.*\])?$")
_METRIC = re.compile(r"\s*(\w+)\s*(?:\(([^()]*)\))?\s*(.*)$", re.S)
_BOUND = re.compile(r"(>=|<=|!=|<>|=|>|<)\s*(-?[\d.]+(?:e-?\d+)?)\s*%?\s*$", re.I)
_BETWEEN = re.compile(r"(not\s+)?between\s*(\()?\s*(-?[\d.]+)%?\s+and\s+(-?[\d.]+)%?\s*(\))?\s*$", re.I)
_AGED = re.compile(r"(?:<|<=)\s*((?:\d+\s*[dhms]\s*)+)$")
_EXISTS = re.compile(r"values in\s*\(?([^()]+?)\)?\s+must exist in\s+(\S+?)\s*\(([^()]+)\)\s*$", re.I)
_HOURS = {"d": 24.0, "h": 1.0, "m": 1 / 60, "s": 1 / 3600}
_DUPLICATES = "how duplicates are counted differs from tool to tool: only that there are none is the same in all"
_OF_TIME = "it compares with earlier scans: declare has_no_anomaly, or leave it to the rules that are learned"
_ALERTS = ("warn", "fail")
#: Settings of a check that say nothing of what is demanded.
_BESIDE = {"name", "filter", "samples limit", "attributes", "identity", "collect failed rows", "title", *_ALERTS}


def read(data: Any) -> Iterator[Asked]:
    """The demands of a file of checks."""
    for head, listed in map_of(data, "the file").items():
        named = _HEAD.match(head.strip())
        if named is None:
            if not head.startswith(("filter ", "variables", "configurations", "discover", "profile", "sample ")):
                yield Asked(short(head), why="it is no list of checks for a table")
            continue
        table = named[1].strip().strip('"`')
        partition = re.search(r"\[(.*)\]$", head.strip())
        for one in entries(listed):
            if partition is not None:
                yield Asked(f"{table}: {_said(one)}", table, why="it is of a part of the table that a filter names")
            else:
                yield from _of_entry(table, one)


def _said(one: Any) -> str:
    return short(next(iter(one), "") if isinstance(one, Mapping) else str(one))


def _of_entry(table: str, one: Any) -> Iterator[Asked]:
    """A check: a text, or one with its settings; with both alerts it is two."""
    said = str(next(iter(one), "") if isinstance(one, Mapping) else one)
    told = mapping(next(iter(one.values()), None)) if isinstance(one, Mapping) else {}
    place = f"{table}: {short(said)}"
    where, named = told.get("filter"), told.get("name")
    if said.strip().lower() == "schema":
        for level in _ALERTS:
            yield from _schema(table, place, mapping(told.get(level)), "warning" if level == "warn" else "error")
        return
    alerts = [level for level in _ALERTS if isinstance(told.get(level), str | list)]
    for level in alerts:
        words = "warning" if level == "warn" else "error"
        for when in told[level] if isinstance(told[level], list) else [told[level]]:
            name = f"{named} ({words})" if isinstance(named, str) and len(alerts) > 1 else named
            make = partial(_alert, said, str(when), told)
            yield ask(f"{place} {level} {short(str(when))}", table, make, where=where, level=words, name=name)
    if not alerts:
        yield ask(place, table, partial(check, said, told), where=where, name=named)


def _alert(said: str, when: str, told: Mapping[str, Any]) -> Made:
    """What has to hold where an alert is raised otherwise."""
    found = re.match(r"when\s+(.*)$", when.strip(), re.S)
    bound = _BOUND.match(found[1]) if found else None
    if bound is None:
        raise UsageError(f"when it alerts is not understood: {short(when)}")
    turned = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "!=", "!=": "=", "<>": "="}[bound[1]]
    return check(f"{said} {turned} {bound[2]}", told)


def _schema(table: str, place: str, told: Mapping[str, Any], level: str) -> Iterator[Asked]:
    for what, given in told.items():
        if what == "when required column missing":
            make: Callable[[], Made] = partial(_columns, given)
        elif what == "when wrong column type":
            make = partial(_types, given)
        else:
            make = partial(_unknown, what)
        yield ask(f"{place} {what}", table, make, level=level)


def _columns(given: Any) -> Made:
    return Constraint("has_column", tuple(name_of(one) for one in list_of(given, "the columns")))


def _types(given: Any) -> Made:
    return [Constraint("has_column", (name,), {"type": text_of(told, "the type")})
            for name, told in map_of(given, "the types").items()]  # fmt: skip


def _unknown(what: str) -> Made:
    raise UsageError(f"there is no check like {what[:60]!r}")


# ------------------------------------------------------------------------------------------------- single checks


def check(said: str, told: Mapping[str, Any]) -> Made:
    """The check that a line with its settings is. Raises `UsageError` for one that has none.

    >>> check("invalid_percent(size) < 2 %", {"valid max": 500}).note
    'a figure that is exactly the bound passes here'
    >>> check("row_count between 10 and 20", {}).sentence
    'number of rows is 10 to 20'
    """
    lower = said.strip().lower()
    if "${" in said or any("${" in str(one) for one in told.values()):
        raise UsageError("it has a variable that is filled in when it runs")
    if lower.startswith(("change ", "anomaly", "distribution", "automated", "change for")) or " last " in lower:
        raise UsageError(_OF_TIME)
    if lower == "failed rows":
        return _failed_rows(told)
    if (found := _EXISTS.match(said.strip())) is not None:
        return _exists(found)
    if (same := re.match(r"row_count same as (\S+)$", said.strip(), re.I)) is not None:
        return Constraint("has_same_size", arguments={"other": same[1]})
    found = _METRIC.match(said)
    if found is None:
        raise UsageError("it is no check that is understood")
    metric, columns, rest = (
        found[1].lower(),
        [one.strip() for one in (found[2] or "").split(",") if one.strip()],
        found[3],
    )
    if metric == "freshness":
        return _fresh(columns, rest)
    for setting in told:
        if setting == f"{metric} query":
            return of_query(text_of(told[setting], "the query"), _band(rest))
    if metric == "row_count":
        return figure("has_size", (), _band(rest))
    if metric in _FIGURES and columns:
        return figure(_FIGURES[metric], columns, _band(rest))
    if metric in _WRONG and columns:
        return _wrong(metric, columns, _band(rest), told)
    raise UsageError(f"there is no check like {metric[:60]}")


def _band(rest: str) -> Band:
    bound = _BOUND.match(rest.strip())
    if bound is not None:
        return band_of(bound[1], bound[2])
    ends = _BETWEEN.match(rest.strip())
    if ends is None or ends[1]:
        raise UsageError(f"its bound is not understood: {short(rest)}")
    return Band(number_of(ends[3], "the bound"), number_of(ends[4], "the bound"), bool(ends[2]), bool(ends[5]))


def _wrong(metric: str, columns: list[str], band: Band, told: Mapping[str, Any]) -> Made:
    what, percent = metric.split("_")[0], metric.endswith("percent")
    if what == "duplicate":
        if not band.none_at_all:
            raise UsageError(_DUPLICATES)
        there = all_there(columns) if len(columns) > 1 else None
        return Constraint("is_unique", tuple(columns), where=there)  # rows that lack one of several are not asked
    if len(columns) != 1:
        raise UsageError(f"{metric} asks for one column")
    if what == "missing":
        return wrong_rows(_there(columns[0], told), band, percent=percent)
    found = _valid(columns[0], told)
    if band.none_at_all and not percent:
        return found
    if len(found) != 1:
        raise UsageError("a share is not counted of several demands", remedy="write them one by one")
    return wrong_rows(of_all_rows(found[0]), band, percent=percent)


def _there(column: str, told: Mapping[str, Any]) -> Constraint:
    if told.get("missing regex") is not None:
        pattern = literal(text_of(told["missing regex"], "missing regex"))
        return satisfies(f"{is_there(column)} AND NOT {quoted(column)} RLIKE {pattern}")
    return none_of(column, entries(told.get("missing values")))


def _valid(column: str, told: Mapping[str, Any]) -> list[Constraint]:
    """What makes a value valid: all settings together."""
    found: list[Constraint] = []
    settings = {name: one for name, one in told.items() if name not in _BESIDE and not name.startswith("missing ")}
    for name, given in settings.items():
        if name == "valid format":
            raise UsageError(OF_TAGS)
        build = _VALID.get(name)
        if build is None:
            raise UsageError(f"{name[:60]!r} is no check here")
        found.append(build(column, given))
    if not found:
        raise UsageError("it does not say what is valid")
    return found


_VALID: dict[str, Callable[[str, Any], Constraint]] = {
    "valid values": lambda c, v: among(c, list_of(v, "valid values")),
    "invalid values": lambda c, v: among(c, list_of(v, "invalid values"), denied=True),
    "valid regex": lambda c, v: matching(c, text_of(v, "valid regex")),
    "invalid regex": lambda c, v: not_matching(c, text_of(v, "invalid regex")),
    "valid min": lambda c, v: within(c, {"low": v}),
    "valid max": lambda c, v: within(c, {"high": v}),
    "valid length": lambda c, v: lengths(c, v, v),
    "valid min length": lambda c, v: lengths(c, v),
    "valid max length": lambda c, v: lengths(c, None, v),
}


def _failed_rows(told: Mapping[str, Any]) -> Made:
    if told.get("fail condition") is not None:
        return never(text_of(told["fail condition"], "the condition"))
    if told.get("fail query") is not None:
        return of_failing_rows(text_of(told["fail query"], "the query"), names=(str(told.get("table", "")),))
    raise UsageError("it says no condition", remedy="give fail condition")


def _exists(found: re.Match[str]) -> Made:
    own, theirs = (tuple(one.strip() for one in part.split(",")) for part in (found[1], found[3]))
    return Constraint("references", own, {"other": found[2], "other_columns": list(theirs)})


def _fresh(columns: list[str], rest: str) -> Made:
    found = _AGED.match(rest.strip())
    if found is None or len(columns) != 1:
        raise UsageError("how old it may be is not understood")
    hours = sum(int(amount) * _HOURS[unit] for amount, unit in re.findall(r"(\d+)\s*([dhms])", found[1]))
    return each(Noted((Constraint("is_fresh", (columns[0],), at_most=hours),), AGE), lambda one: one)
