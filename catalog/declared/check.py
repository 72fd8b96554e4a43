"""A list of constraints on one table, written by chained calls as in deequ."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.declared.constraint import COMMON, NOT_APPLICABLE, PASSED, VIOLATED, Constraint, Result
from catalog.declared.facts import NOTHING, Facts
from catalog.declared.kinds.kind import Kind
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.errors import UsageError
from catalog.measures.part import Part, State

#: Of two statuses the worse one stands for both.
_WORSE = (PASSED, NOT_APPLICABLE, "warning", "error")


@dataclass(frozen=True)
class Check:
    """Constraints on a table. Each call of a kind adds one and gives the longer check back; nothing is changed.

    Every kind of `catalog.declared.kinds.registry.CHECK_KINDS` is a method: columns first, then its arguments, those
    that it cannot do without by place or by name, the others by name, and for all of them ``at_least``, ``at_most``,
    ``where``, ``level``, ``hint``, ``scope`` and ``name``.

    >>> orders = Check("orders").is_complete("id").has_min("amount", at_least=0).where("paid")
    >>> [one.sentence for one in orders.constraints]
    ['every row has a value in id', 'minimum of amount is at least 0, where paid']
    """

    table: str = ""
    constraints: tuple[Constraint, ...] = ()
    #: Where each was read, for what is said of a mistake; empty of one that no file holds.
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        names: set[str] = set()
        for constraint in self.constraints:
            if constraint.name in names:
                raise UsageError(
                    f"two checks of {self.table or 'the table'} are named {constraint.name!r}",
                    remedy="give one of them another name",
                )
            names.add(constraint.name)

    def with_constraint(self, constraint: Constraint, line: int | None = None) -> Check:
        """With one more; a name that was made up and is taken gets a number. `line`: where it was read. Raises
        `UsageError` for one of which something is wrong (`Constraint.mistake`)."""
        if (mistake := constraint.mistake()) is not None:
            raise mistake
        taken = {one.name for one in self.constraints}
        made = Constraint(
            constraint.kind, constraint.columns, constraint.arguments, constraint.at_least, constraint.at_most
        )
        if constraint.name in taken and constraint.name == made.name:
            number = next(n for n in range(2, len(taken) + 3) if f"{constraint.name}_{n}" not in taken)
            constraint = replace(constraint, name=f"{constraint.name}_{number}")
        lines = self.lines if line is None else (*self.lines, line)
        return replace(self, constraints=(*self.constraints, constraint), lines=lines)

    def where(self, condition: str) -> Check:
        """Ask the last constraint of the rows only that meet a condition in SQL."""
        return self._last(where=condition)

    def hint(self, words: str) -> Check:
        """Say of the last constraint what to do where it is violated."""
        return self._last(hint=words)

    def warn(self) -> Check:
        """Make the last constraint a warning: it fails no run."""
        return self._last(level="warning")

    def _last(self, **changes: Any) -> Check:
        if not self.constraints:
            raise UsageError("there is no constraint yet", remedy="add one first, such as .is_complete('id')")
        return replace(self, constraints=(*self.constraints[:-1], replace(self.constraints[-1], **changes)))

    @property
    def parts(self) -> list[Part]:
        """What has to be counted, each part once."""
        return list({part.key: part for one in self.constraints for part in one.parts}.values())

    def judge(
        self, states: Mapping[str, State | Exception], facts: Callable[[Constraint], Facts] = lambda one: NOTHING
    ) -> list[Result]:
        """The result of each constraint from counted parts and what else is known; one whose part could not be counted
        says why and fails alone."""
        return [_judge(one, states, facts(one)) for one in self.constraints]

    def to_json(self) -> dict[str, Any]:
        return {"table": self.table, "constraints": [one.to_json() for one in self.constraints]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Check:
        return cls(data["table"], tuple(map(Constraint.from_json, data["constraints"])))


def _judge(constraint: Constraint, states: Mapping[str, State | Exception], facts: Facts) -> Result:
    found: dict[str, State] = {}
    for part in constraint.parts:
        state = states[part.key]
        if isinstance(state, Exception):
            return Result(constraint, VIOLATED, None, f"It cannot be judged: {state}")
        found[part.key] = state
    return constraint.judge(found, facts)


def status_of(results: Iterable[Result]) -> str:
    """The worst of all: ``error``, ``warning``, ``passed``; ``not_applicable`` where nothing could be judged.

    >>> status_of([])
    'not_applicable'
    """
    found = [one.constraint.level if one.status == VIOLATED else one.status for one in results]
    if found and all(one == NOT_APPLICABLE for one in found):
        return NOT_APPLICABLE
    worst = max(map(_WORSE.index, found), default=1)
    return PASSED if worst == 1 and found else _WORSE[worst]


def _method(kind: Kind) -> Callable[..., Check]:
    least, most = kind.columns
    needed = [name for name, one in kind.arguments.items() if one.required] if least == most else []

    def method(self: Check, *given: Any, **told: Any) -> Check:
        common = {name: told.pop(name) for name in COMMON if name in told}
        columns = given if len(given) > most + len(needed) else given[:most]
        by_place = dict(zip((name for name in needed if name not in told), given[len(columns) :], strict=False))
        if len(columns) + len(by_place) < len(given):
            columns = given  # more than it takes, which is said of them all
        return self.with_constraint(Constraint(kind.name, tuple(columns), by_place | told, **common))

    method.__name__ = kind.name
    method.__qualname__ = f"Check.{kind.name}"
    method.__doc__ = documented(kind)
    setattr(method, "__signature__", _signature(kind))  # noqa: B010 - no attribute that a type checker knows
    return method


def _signature(kind: Kind) -> inspect.Signature:
    """What ``help()`` and editors show: columns, the kind's arguments by name, then those of all kinds."""
    by_name, empty = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters.append(inspect.Parameter("columns", inspect.Parameter.VAR_POSITIONAL, annotation=str))
    for name, one in sorted(kind.arguments.items(), key=lambda item: not item[1].required):
        default = empty if one.required else None
        parameters.append(inspect.Parameter(name, by_name, default=default, annotation=one.told_type))
    parameters += [inspect.Parameter(name, by_name, default=None) for name in COMMON]
    return inspect.Signature(parameters)


def documented(kind: Kind) -> str:
    """What a kind demands, its arguments and its name in deequ.

    >>> print(documented(CHECK_KINDS["is_in"]))
    Every value of the column is one of the given values.
    <BLANKLINE>
    values: the values that are allowed (list).
    Where no band is given: exactly 100%. In deequ: isContainedIn.
    """
    blanks = {name: f"the given {name}" for name in kind.arguments} | {"other": "the other table"}
    words = kind.words.format(
        columns="the column" if kind.columns[1] == 1 else "the columns", column="the column", **blanks
    )
    lines = [words[:1].upper() + words[1:] + "."]
    told = [
        f"{name}: {one.words} ({one.told_type}{'' if one.required else ', optional'})."
        for name, one in kind.arguments.items()
    ]
    if told:
        lines += ["", *told]
    exactly = kind.band[0]
    unit = f"{100 * (exactly or 0):g}%" if kind.share else f"{exactly}"
    band = "It needs at_least, at_most or both." if kind.needs_band else f"Where no band is given: exactly {unit}."
    band = "It finds the band itself." if exactly is None and not kind.needs_band else band
    lines += ([] if told else [""]) + [band + (f" In deequ: {kind.deequ}." if kind.deequ else "")]
    return "\n".join(lines)


for _kind in CHECK_KINDS.values():
    setattr(Check, _kind.name, _method(_kind))
