"""Kinds that ask for more than counts of one table: its schema, its age, its past, another table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from catalog.declared.facts import Compared, Facts, Other
from catalog.declared.kinds.anomalies import BOUNDED, STRATEGIES, expected
from catalog.declared.kinds.arguments import Argument, crossed
from catalog.declared.kinds.kind import ALL_ROWS, LACKING, MANY, OPEN, Kind, Reading, Told
from catalog.errors import UsageError
from catalog.measures.counts import Matches
from catalog.measures.groups.across import pair
from catalog.measures.groups.frequency import Groups
from catalog.measures.metrics import FIGURES, part_of, value
from catalog.measures.part import Part, State
from catalog.states.elements import list_of
from catalog.states.folding.kinds import simple_type
from catalog.wording import counted, do

#: What a kind may ask for beside counted parts.
SCHEMA, AGE, PAST, OTHER, WAIT = "schema", "age", "past", "other", "wait"
HOUR = 3600.0
#: Types that the catalog knows by name only, other names of types in Spark's SQL, and what a mistaken one is told of.
_OTHER_TYPES = ("array<", "map<", "struct<", "interval", "variant", "geometry", "geography")
_SYNONYMS = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint", "real": "float"}
_SOME_TYPES = ("string", "int", "bigint", "double", "decimal(10,2)", "boolean", "date", "timestamp", "array<string>")
_OTHER = {"other": Argument("str", "the other table, as source/name", example="shop/customers")}
_VERSION = {"version": Argument("int", "the other table's version; the latest where none is given", False, least=0)}


def _no_parts(told: Told) -> tuple[Part, ...]:
    return ()


@dataclass(frozen=True)
class Further(Kind):
    """A kind that is read off facts.

    Parameters
    ----------
    needs : one of `SCHEMA`, `AGE`, `PAST`, `OTHER`, `WAIT`.
    measure : the figure from what was told, the counted parts and the facts.
    asks, asks_other : parts of the table, and of the other one.
    measured : the figure in words; ``{columns}`` and the arguments in braces.
    of_rows : whether the figure is a share of rows. wants_band : whether a band must be given.
    """

    needs: str = ""  # type: ignore[misc]  # of a class no constant here
    measure: Callable[[Told, Sequence[State], Facts], Reading] = lambda told, states, facts: Reading(None)
    asks: Callable[[Told], tuple[Part, ...]] = _no_parts
    asks_other: Callable[[Told], tuple[Part, ...]] = _no_parts
    measured: str = ""
    of_rows: bool = False
    wants_band: bool = False

    @property
    def needs_band(self) -> bool:
        return self.wants_band

    @property
    def share(self) -> bool:
        return self.of_rows

    @property
    def tells(self) -> bool:
        return self.needs == PAST

    @property
    def by_row(self) -> bool:
        return False

    def parts(self, told: Told) -> tuple[Part, ...]:
        return self.asks(told)

    def other_parts(self, told: Told) -> tuple[Part, ...]:
        return self.asks_other(told)

    def read(self, told: Told, states: Sequence[State], facts: Facts) -> Reading:
        return self.measure(told, states, facts)

    def say(self, told: Told) -> str:
        return self._filled(self.words, told)

    def figure_words(self, told: Told) -> str:
        return self._filled(self.measured, told)

    def _filled(self, template: str, told: Told) -> str:
        shown = {name: str(argument) for name, argument in told.arguments.items()}
        missing = {name: f"any {name}" for name in self.arguments if name not in shown}
        template = template if told.columns else template.replace(" of {columns}", "")
        words = template.format(columns=told.names, **shown, **missing)
        return words + (f" of type {told.arguments['type']}" if "type" in told.arguments else "")


# --------------------------------------------------------------------------------------------------- the schema


def _yes(holds: bool, words: str) -> Reading:
    return Reading(1.0 if holds else 0.0, words=words)


def _types(facts: Facts) -> dict[str, str]:
    return {column[0]: column[1] for column in facts.schema or ()}


def _fields(facts: Facts) -> dict[str, str]:
    """Types of the columns as people count them."""
    if facts.fields is not None:
        return {column[0]: column[1] for column in facts.fields}
    return {name: told for name, told in _types(facts).items() if not list_of(name)}


def _unknown(facts: Facts) -> Reading | None:
    return None if facts.schema is not None else Reading(None, why="The schema of this version is not known.")


def _has_column(told: Told, states: Sequence[State], facts: Facts) -> Reading:
    types, wanted = _types(facts) | _fields(facts), told.arguments.get("type")
    missing = [name for name in told.columns if name not in types]
    if missing:
        return _yes(False, f"There is no column {', '.join(missing)}.")
    other = [name for name in told.columns if wanted and _type_of(types[name]) != _type_of(wanted)]
    return _yes(not other, " ".join(f"Column {name} is {types[name]}, not {wanted}." for name in other))


def _has_columns(told: Told, states: Sequence[State], facts: Facts) -> Reading:
    names, wanted = list(_fields(facts)), list(told.columns)
    missing, more = [n for n in wanted if n not in names], [n for n in names if n not in wanted]
    said = [f"{', '.join(missing)} is missing"] if missing else []
    said += [f"{', '.join(more)} came beside"] if more else []
    if not said and names != wanted:
        said = [f"the order is {', '.join(names)}"]
    return _yes(not said, f"The columns are others: {'; '.join(said)}.")


def _type_of(name: str) -> str:
    """A type as tables show it, however it is written."""
    name = name.replace(" ", "").lower()
    return _SYNONYMS.get(name, name)


def _no_type(given: str) -> str:
    name = _type_of(given)
    known = simple_type(name) is not None or name.startswith(_OTHER_TYPES)
    return "" if known else f"is {given!r}, which is no type; types are " + ", ".join(_SOME_TYPES)


def _column_count(told: Told, states: Sequence[State], facts: Facts) -> Reading:
    return _unknown(facts) or Reading(len(_fields(facts)))


_SCHEMA = (
    Further(
        "has_column", "Schema", (1, MANY), "the schema has {columns}", "", None, ALL_ROWS,
        {"type": Argument("str", "its type, as the table's page shows it", False, "bigint", wrong=_no_type)},
        "hasColumn",
        needs=SCHEMA, measure=lambda t, s, f: _unknown(f) or _has_column(t, s, f),
        measured="the share of wanted columns that are there as they should be", of_rows=True,
    ),
    Further(
        "has_columns", "Schema", (1, MANY), "the schema is exactly {columns}, in this order", "", None,
        ALL_ROWS, {}, "", needs=SCHEMA, measure=lambda t, s, f: _unknown(f) or _has_columns(t, s, f),
        measured="whether the columns are those given", of_rows=True,
    ),
    Further(
        "has_column_count", "Schema", (0, 0), "number of columns", "", None, OPEN, {}, "hasColumnCount",
        needs=SCHEMA, measure=_column_count, measured="number of columns", wants_band=True,
    ),
)  # fmt: skip

# --------------------------------------------------------------------------------------------------- ages


def _age(told: Told, states: Sequence[State], facts: Facts) -> Reading:
    newest = value("NewestTime", states[0])
    if newest is None:
        return Reading(None)
    if facts.committed_at is None:
        return Reading(None, why="When the rows came is not known.")
    moment = datetime.fromtimestamp(newest / 1e6, UTC)
    return Reading(round((facts.committed_at - moment).total_seconds() / HOUR, 6))


_AGES = (
    Further(
        "is_fresh", "Freshness", (1, 1), "age of the newest value of {columns} when its version came, in hours", "",
        None, OPEN, {}, "Glue's DataFreshness", needs=AGE, measure=_age,
        asks=lambda told: (part_of("NewestTime", told.columns, where=told.where),),
        measured="age of the newest value of {columns} when its version came, in hours,", wants_band=True,
    ),
    Further(
        "is_updated", "Freshness", (0, 0), "time until the next version comes, in hours", "", None, OPEN, {}, "",
        needs=WAIT, measure=lambda told, states, facts: Reading(None, why="It is judged while time goes by."),
        measured="the wait for the next version, in hours,", wants_band=True,
    ),
)  # fmt: skip

# --------------------------------------------------------------------------------------------------- the past


def _figure_arguments(told: Told) -> dict[str, float]:
    return {"q": told.arguments["q"]} if "q" in told.arguments else {}


def _no_band(given: Mapping[str, Any]) -> str:
    """Of the other strategies lower and upper are distances from what is expected."""
    return crossed(given, "lower", "upper") if given.get("strategy") in BOUNDED else ""


def _metric_part(told: Told) -> tuple[Part, ...]:
    name = str(told.arguments["metric"])
    if name in ("Compliance", "DataType") or (name == "ExactQuantile") != ("q" in told.arguments):
        raise UsageError(
            f"{name} cannot be followed over versions like that",
            remedy="use another metric; ExactQuantile, and it alone, takes q",
        )
    expected([], str(told.arguments["strategy"]), **_settings(told))
    return (part_of(name, told.columns, where=told.where),)


def _settings(told: Told) -> dict[str, float]:
    return {name: told.arguments[name] for name in ("lower", "upper", "order", "period") if name in told.arguments}


def metric_value(told: Told, states: Sequence[State]) -> float | None:
    """The figure that a check follows over the versions."""
    found = value(str(told.arguments["metric"]), states[0], **_figure_arguments(told))
    return None if found is None else float(found)


def _no_anomaly(told: Told, states: Sequence[State], facts: Facts) -> Reading:
    found = metric_value(told, states)
    past = list(facts.past or ())
    band = expected(past, str(told.arguments["strategy"]), **_settings(told))
    if found is None or band is None:
        many = f"{len(past)} earlier version{'s' if len(past) != 1 else ''}"
        why = f"{told.arguments['strategy']} cannot say yet what to expect: it knows {many}."
        return Reading(None, why=why if band is None else "", seen=found)
    return Reading(found, low=band[0], high=band[1], own_band=True)


_PAST = (
    Further(
        "has_no_anomaly", "Anomalies", (0, MANY), "{metric} of {columns} is where {strategy} expects it from the past",
        "", None, OPEN,
        {
            "metric": Argument("str", "one of " + ", ".join(n for n in FIGURES if n not in ("Compliance", "DataType")),
                               example="Size"),
            "strategy": Argument("str", "one of " + ", ".join(STRATEGIES), example="OnlineNormal"),
            "lower": Argument("float", "smallest value, change or ratio; of Normal ones, deviations below", False, 3),
            "upper": Argument("float", "largest value, change or ratio; of Normal ones, deviations above", False, 3),
            "order": Argument("int", "how many versions back a change is taken over", False, 1, least=0),
            "period": Argument("int", "versions in a season, of HoltWinters", False, 7, least=2),
            "q": Argument("float", "which quantile, of ExactQuantile", False, 0.95, least=0, most=1),
        },
        "hasNoAnomalies", together=_no_band, needs=PAST, measure=_no_anomaly, asks=_metric_part,
        measured="{metric} of {columns}",
    ),
)  # fmt: skip

# --------------------------------------------------------------------------------------------------- other tables


def _theirs(facts: Facts) -> Other:
    """The other table. Raises what kept it from being read."""
    if isinstance(facts.other, Exception):
        raise facts.other
    if facts.other is None:
        raise UsageError("the other table is not known here", remedy="give it: run(frame, others={...})")
    return facts.other


def _state(facts: Facts, part: Part) -> State:
    found = _theirs(facts).states[part.key]
    if isinstance(found, Exception):
        raise found
    return found


def _other_columns(told: Told) -> tuple[str, ...]:
    given = told.arguments.get("other_columns") or told.columns
    if isinstance(given, str) or len(given) != len(told.columns):
        raise UsageError("other_columns does not go with the columns", remedy="name as many, in the same order")
    return tuple(map(str, given))


def _groups(told: Told) -> tuple[Part, ...]:
    return (Part("frequencies", told.columns, where=told.where),)


def _other_groups(told: Told) -> tuple[Part, ...]:
    return (Part("frequencies", _other_columns(told)),)


def _compared(told: Told, states: Sequence[State], facts: Facts) -> Compared:
    if facts.compared is not None:
        return facts.compared
    own, theirs = states[0], _state(facts, _other_groups(told)[0])
    assert isinstance(own, Groups) and isinstance(theirs, Groups)  # noqa: PT018 - by the parts
    found = pair(own, theirs)
    alike = found.alike + min(own.nulls, theirs.nulls)
    return Compared(own.rows + own.nulls, theirs.rows + theirs.nulls, own.rows, found.found, alike)


def _references(told: Told, states: Sequence[State], facts: Facts) -> Reading:
    found = _compared(told, states, facts)
    if not found.asked:
        return Reading(None)
    lost = found.asked - found.found
    has = do(lost, "have", "has")
    words = f"{lost:,} of {counted(found.asked, 'row')} {has} a value in {told.names} that the other table lacks."
    return Reading(found.found / found.asked, words=words)


def _size(told: Told, states: Sequence[State], facts: Facts) -> Reading:
    own, theirs = states[0], _state(facts, part_of("Size"))
    assert isinstance(own, Matches) and isinstance(theirs, Matches)  # noqa: PT018
    ratio = own.rows / theirs.rows if theirs.rows else 1.0 if not own.rows else float("inf")
    return Reading(ratio, words=f"It has {counted(own.rows, 'row')}, the other table {theirs.rows:,}.")


def _same_rows(told: Told, states: Sequence[State], facts: Facts) -> Reading:
    found = _compared(told, states, facts)
    if not found.own and not found.others:
        return Reading(None)
    gone = found.own - found.alike
    lost = f"{gone:,} of {counted(found.own, 'row')} {do(gone, 'are', 'is')} not in the other table"
    more = f"{found.others - found.alike:,} of its {found.others:,} not here"
    return Reading(found.alike / max(found.own, found.others), words=f"{lost}, {more}.")


def _same_schema(told: Told, states: Sequence[State], facts: Facts) -> Reading:
    own, theirs = _types(facts), {column[0]: column[1] for column in _theirs(facts).schema}
    named = list(dict.fromkeys([*own, *theirs]))
    wrong = [name for name in named if own.get(name) != theirs.get(name)]
    said = [f"{name} is {own.get(name, 'missing')} here, {theirs.get(name, 'missing')} there" for name in wrong[:5]]
    more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    return Reading(1 - len(wrong) / len(named) if named else None, words=f"{'; '.join(said)}{more}.")


_COLUMNS = {
    "other_columns": Argument("list", "its columns in the same order; those of the same names where none are given",
                              False, ["id"])
}  # fmt: skip
_TABLES = (
    Further(
        "references", "Other tables", (1, MANY), "every value of {columns} is one of {other}", "", None, ALL_ROWS,
        _OTHER | _COLUMNS | _VERSION, "ReferentialIntegrity", needs=OTHER, measure=_references,
        asks=_groups, asks_other=_other_groups, measured="the share of rows whose {columns} is one of {other}",
        of_rows=True, by_key=LACKING,
    ),
    Further(
        "has_same_size", "Other tables", (0, 0), "there are as many rows as in {other}", "", None, ALL_ROWS,
        _OTHER | _VERSION, "RowCountMatch", needs=OTHER, measure=_size,
        asks=lambda told: (part_of("Size", where=told.where),), asks_other=lambda told: (part_of("Size"),),
        measured="number of rows over that of {other}",
    ),
    Further(
        "matches_table", "Other tables", (1, MANY), "the rows of {columns} are those of {other}", "", None, ALL_ROWS,
        _OTHER | _COLUMNS | _VERSION, "DatasetMatch", needs=OTHER, measure=_same_rows,
        asks=_groups, asks_other=_other_groups, measured="the share of rows of {columns} that {other} has too",
        of_rows=True,
    ),
    Further(
        "has_same_schema", "Other tables", (0, 0), "the columns and their types are those of {other}", "", None,
        ALL_ROWS, _OTHER | _VERSION, "SchemaMatch", needs=OTHER,
        measure=lambda t, s, f: _unknown(f) or _same_schema(t, s, f),
        measured="the share of columns that are those of {other}", of_rows=True,
    ),
)  # fmt: skip

FURTHER: tuple[Further, ...] = (*_SCHEMA, *_AGES, *_PAST, *_TABLES)
