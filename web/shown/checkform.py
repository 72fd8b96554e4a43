"""The form of a declared check, made from its kind's own parameters, and the check that a filled form stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog.declared.check import documented
from catalog.declared.constraint import CHECK_LEVELS, SCOPES, Constraint
from catalog.declared.kinds.arguments import Argument
from catalog.declared.kinds.kind import MANY, Kind
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.errors import UsageError

#: What of a form is an argument of the kind.
ARGUMENT = "arg_"
#: Characters of one field, as `catalog.predicates` takes of a condition; a bound.
MOST_FIELD = 4000
Given = Mapping[str, Sequence[str]]
_WHOLE = ("bigint", "int", "smallint", "tinyint")


@dataclass(frozen=True)
class Field:
    """One field: `shape` is text, number, list (one value a line) or yes (a box to tick)."""

    name: str
    words: str
    shape: str
    required: bool
    example: str


def grouped() -> dict[str, list[Kind]]:
    """The kinds by subject, as they are documented."""
    found: dict[str, list[Kind]] = {}
    for kind in CHECK_KINDS.values():
        found.setdefault(kind.group, []).append(kind)
    return found


def demands(kind: Kind) -> str:
    """What a kind demands, in a sentence."""
    return documented(kind).splitlines()[0]


def kind_named(name: str) -> Kind:
    """Raises `UsageError` for a kind that is not there."""
    if name not in CHECK_KINDS:
        raise UsageError(f"there is no check {name!r}", remedy="choose one of the list")
    return CHECK_KINDS[name]


def fields_of(kind: Kind) -> list[Field]:
    """The fields of a kind's arguments, those that must be given first."""
    listed = sorted(kind.arguments.items(), key=lambda item: not item[1].required)
    return [
        Field(ARGUMENT + name, f"{name}: {one.words}", _shape(one), one.required, _example(one)) for name, one in listed
    ]


def _shape(argument: Argument) -> str:
    return {"list": "list", "bool": "yes", "float": "number", "int": "number"}.get(argument.type, "text")


def _example(argument: Argument) -> str:
    example = argument.example
    if isinstance(example, list | tuple):
        return "\n".join(map(str, example))
    return "" if example is None or isinstance(example, bool) else str(example)


def slots(kind: Kind) -> int:
    """How many columns are chosen one by one; 0 where any number of them is ticked.

    >>> [slots(CHECK_KINDS[name]) for name in ("is_complete", "is_less_than", "is_unique", "has_size")]
    [1, 2, 0, 0]
    """
    return kind.columns[1] if kind.columns[1] < MANY else 0


def constraint_of(given: Given, types: Mapping[str, str]) -> Constraint:
    """The check that a form stands for.

    Parameters
    ----------
    given : values by field; fields that are left empty say nothing.
    types : type of each leaf column: values of a list become numbers where the column holds numbers.

    Raises `UsageError`, which names the field.

    >>> given = {"kind": ["is_in"], "columns": ["n"], "arg_values": ["1\\n2"], "level": ["warning"]}
    >>> one = constraint_of(given, {"n": "bigint"})
    >>> one.arguments, one.level
    ({'values': [1, 2]}, 'warning')
    """
    kind = kind_named(_text(given, "kind"))
    columns = tuple(name for name in given.get("columns", ()) if name)
    held = types.get(columns[0], "string") if len(columns) == 1 else "string"
    arguments = {}
    for name, argument in kind.arguments.items():
        read = _read(given, ARGUMENT + name, name, argument, held)
        if read is not None:
            arguments[name] = read
    bounds = {name: _number(text, name) for name in ("at_least", "at_most") if (text := _text(given, name))}
    if kind.needs_band and not bounds and kind.needs != "past":
        raise UsageError(f"{kind.name} does not say what is expected", remedy="fill in “At least”, “At most” or both")
    more = {name: text for name in ("where", "hint", "name", "level", "scope") if (text := _text(given, name))}
    return Constraint(kind.name, columns, arguments, **bounds, **more)  # type: ignore[arg-type]


def _text(given: Given, name: str) -> str:
    text = next(iter(given.get(name, ())), "").strip()
    if len(text) > MOST_FIELD:
        raise UsageError(f"{name} has {len(text):,} characters", remedy=f"use at most {MOST_FIELD:,}")
    return text


def _read(given: Given, field: str, name: str, argument: Argument, held: str) -> Any:
    text = _text(given, field)
    if _shape(argument) == "yes":
        return True if text else None
    if not text:
        return None
    if _shape(argument) == "list":
        return [_typed(line.strip(), held) for line in text.splitlines() if line.strip()]
    return (
        _number(text, name)
        if _shape(argument) == "number"
        else _typed(text, held if argument.type == "value" else "string")
    )


def _number(text: str, name: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{name}: {text[:40]!r} is no number", remedy="write it as 12 or 0.95") from None


def _typed(text: str, held: str) -> Any:
    """A value as its column holds it; a text where it is none of those."""
    if held == "boolean":
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        if held in _WHOLE:
            return int(text)
        return float(text) if held in ("float", "double") or held.startswith("decimal") else text
    except ValueError:
        return text


def filled(constraint: Constraint) -> dict[str, list[str]]:
    """A check as the fields of its form.

    >>> filled(Constraint("has_mean", ("n",), at_least=1))["at_least"]
    ['1']
    """
    told: dict[str, list[str]] = {"kind": [constraint.kind], "columns": list(constraint.columns)}
    for name, value in constraint.arguments.items():
        listed = isinstance(value, list | tuple)
        told[ARGUMENT + name] = ["\n".join(map(str, value)) if listed else "" if value is False else str(value)]
    band = (constraint.at_least, constraint.at_most)
    usual = band == CHECK_KINDS[constraint.kind].band
    for name, bound in zip(("at_least", "at_most"), band, strict=True):
        told[name] = ["" if bound is None or usual else f"{bound:g}" if bound == float(f"{bound:g}") else str(bound)]
    for name in ("where", "hint", "name", "level", "scope"):
        told[name] = [str(getattr(constraint, name) or "")]
    return told


CHOICES = {"level": CHECK_LEVELS, "scope": SCOPES}
