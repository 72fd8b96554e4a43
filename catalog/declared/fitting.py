"""Whether a constraint fits the columns of a table, before anything is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

import pyarrow as pa

from catalog.declared.check import Check
from catalog.declared.constraint import Constraint
from catalog.errors import UsageError
from catalog.measures.part import Part, fold_parts
from catalog.predicates.kinds import NeedsSpark, kind_of
from catalog.predicates.predicate import is_struct, short
from catalog.states.elements import list_of
from catalog.states.folding.kinds import simple_type

#: Leaf columns of a table: dotted name and type as the catalog shows it.
Columns = Sequence[Sequence[str]]


def arrow_type(name: str) -> pa.DataType | None:
    """The Arrow type of a type's name, lists and maps without what they hold; None of one that says nothing here.

    >>> arrow_type("decimal(10,2)"), arrow_type("array<int>"), arrow_type("geometry")
    (Decimal128Type(decimal128(10, 2)), ListType(list<item: null>), None)
    """
    return pa.list_(pa.null()) if name.startswith(("array<", "map<")) else simple_type(name)


def misfit(constraint: Constraint, columns: Columns) -> UsageError | None:
    """What keeps a constraint from being judged on a table of these columns: one that is not there, or of a type that
    the check cannot be asked of.

    >>> columns = [("id", "bigint"), ("note", "string")]
    >>> print(misfit(Constraint("is_complete", ("ids",)), columns))
    there is no column 'ids'; did you mean id? The columns are: id, note
    >>> misfit(Constraint("has_max", ("note",), at_most=3), columns).cause
    'column note: values of type string are no numbers'
    >>> misfit(Constraint("is_complete", ("items[].price",)), [("items[].price", "double")]).cause
    "column 'items[].price' is inside a list, and a check is asked of rows"
    """
    elements = {_plain(column[0]).replace("[]", "") for column in columns if list_of(column[0])}
    elements -= {_plain(column[0]) for column in columns}
    asked = [name for part in constraint.parts for name in (*part.columns, *part.reads)]
    inside = next((name for name in asked if list_of(name) or _plain(name) in elements), None)
    if inside is not None:
        return UsageError(
            f"column {inside!r} is inside a list, and a check is asked of rows",
            remedy="learned rules watch it; to check it yourself, ask an element (`list[0].field`) or the number of "
            "elements (`size(list)`), or make a table of them",
        )
    columns = [column for column in columns if not list_of(column[0])]
    types = {column[0]: column[1] for column in columns}
    for name in constraint.columns if constraint.takes else ():
        held = arrow_type(types.get(name, ""))
        if held is not None and kind_of(held).name not in constraint.takes:
            return UsageError(
                f"column {name}: {constraint.kind} is asked of numbers, and it is {types[name]}",
                remedy="ask is_between with dates, or satisfies with a condition",
            )
    names = [column[0] for column in columns]
    in_sql = {_plain(name) for name in names}
    conditions = {_plain(name) for part in constraint.parts for name in part.reads}
    conditions -= {_plain(name) for name in constraint.columns}  # a kind's own condition is asked of fields
    structs = {name for name in conditions if is_struct(name, in_sql)}
    for part in constraint.parts:
        wanted = next((name for name in part.columns if name not in names), None)
        wanted = wanted or next((name for name in part.reads if _plain(name) not in in_sql | structs), None)
        if wanted is not None:
            return _missing(wanted, names)
    empty = {name: pa.nulls(0, kind) for name, told, *_ in columns if (kind := arrow_type(told)) is not None}
    for part in constraint.parts:
        if any(name not in empty for name in part.columns):
            continue  # a type that nothing is known of: counting says what is wrong, if anything is
        state = fold_parts(empty, 0, [part])[part.key]
        if isinstance(state, UsageError) and not isinstance(state, NeedsSpark):
            return _in_words(constraint, part, state, types, empty)
    return None


def _in_words(
    constraint: Constraint, part: Part, error: UsageError, types: Mapping[str, str], empty: Mapping[str, pa.Array]
) -> UsageError:
    """A misfit with types as the catalog shows them, and without the condition in SQL that a check stands for, which
    nobody wrote."""
    for name in part.columns:
        head, found, what = error.cause.partition(f"values of type {empty[name].type} ")
        if found:
            dated = types[name].startswith(("date", "timestamp")) and what == "are no numbers"
            remedy = (
                "dates are compared by is_between, and their age by is_fresh" if dated else "ask what fits its type"
            )
            return UsageError(f"column {name}: values of type {types[name]} {what}", remedy=remedy)
    head, found, what = error.cause.partition(f"in {short(part.predicate or '')}: ")
    if found and not head and "condition" not in constraint.arguments:
        held = " and ".join(f"{name} is {types[name]}" for name in constraint.columns if name in types)
        return UsageError(f"{held}: {what}", remedy="give what fits the type, or ask satisfies with a CAST")
    return error


def _plain(name: str) -> str:
    """A name as conditions find it: they know no case, and quote what holds dots."""
    return name.replace("`", "").casefold()


def _missing(wanted: str, names: Sequence[str]) -> UsageError:
    inside = [name for name in names if name.startswith(f"{wanted}.")]
    if inside:
        return UsageError(
            f"column {wanted!r} is a struct, and a check is asked of its fields",
            remedy="name one of them: " + ", ".join(inside[:12]),
        )
    near = get_close_matches(wanted, names, 1, 0.6)
    listed = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    return UsageError(
        f"there is no column {wanted!r}",
        remedy=f"did you mean {near[0]}? The columns are: {listed}" if near else f"the columns are: {listed}",
    )


def fit(check: Check, columns: Columns) -> None:
    """Raise the first of `misfits`, with the others as its `more`."""
    wrong = misfits(check, columns)
    if wrong:
        raise wrong[0].with_more(wrong[1:])


def misfits(check: Check, columns: Columns) -> list[UsageError]:
    """What is wrong with each constraint, or keeps it from being judged; with its line where the check was read from a
    file. Of a table of which no column is known nothing is said of columns."""
    found = []
    for place, constraint in enumerate(check.constraints):
        error = constraint.mistake() or (misfit(constraint, columns) if columns else None)
        if error is not None:
            line = check.lines[place] if place < len(check.lines) else None
            where = f"line {line}: " if line else f"{constraint.name}: "
            told = f"{where}{check.table + ': ' if line else ''}{error.cause}"
            found.append(UsageError(told, remedy=error.remedy))
    return found
