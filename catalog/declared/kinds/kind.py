"""What a kind of constraint is made of, and figures and bands in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from catalog.declared.facts import Facts
from catalog.declared.kinds.arguments import Argument, crossed
from catalog.measures.metrics import FIGURES, part_of, value
from catalog.measures.part import Part, State

ALL_ROWS = (1.0, 1.0)
OPEN: tuple[float | None, float | None] = (None, None)
REPEATED, LACKING = "repeated", "lacking"
MANY = 99  # columns of a kind that takes any number of them; a bound of what a form can hold


@dataclass(frozen=True)
class Told:
    """What was said of one constraint: its columns, arguments and condition."""

    columns: tuple[str, ...]
    arguments: Mapping[str, Any]
    where: str | None = None

    @property
    def column(self) -> str:
        return self.columns[0]

    @property
    def names(self) -> str:
        """The columns in words."""
        return " and ".join(filter(None, [", ".join(self.columns[:-1]), self.columns[-1]])) if self.columns else ""


@dataclass(frozen=True)
class Reading:
    """What a kind reads of a table.

    Parameters
    ----------
    value : the figure; None where there is none, for the reason `why`.
    low, high : the band that the facts give; it stands in place of the declared one where `own_band`.
    words : what is wrong, where it is. seen : the figure, where it is too early to judge it.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    own_band: bool = False
    words: str = ""
    why: str = ""
    seen: float | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of constraint.

    Parameters
    ----------
    name : of the method, and in YAML. group : subject, for the documentation.
    columns : fewest and most columns.
    words : the demand in words, ``{columns}`` and the arguments in braces.
    figure : name of the metric that is read (`catalog.measures.metrics`), or "Compliance" of `predicate`.
    predicate : the condition in SQL that every row has to meet, made of what was told; None for figures of columns.
    band : the figure's band where none is given; `OPEN` asks for one.
    deequ : what deequ calls it; "" where it has none.
    by_key : of a kind that rows break by their key: `REPEATED`, another row has it too, or `LACKING`, the other table
        has it not; "" of all others.
    together : what is wrong with arguments of which each is right, in words; empty where nothing is.
    takes : kinds of values (`catalog.predicates.kinds`) that its columns may hold; any where there are none.
    """

    name: str
    group: str
    columns: tuple[int, int]
    words: str
    figure: str
    predicate: Callable[[Told], str] | None = None
    band: tuple[float | None, float | None] = OPEN
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    deequ: str = ""
    figure_arguments: Callable[[Told], dict[str, Any]] = lambda told: {}
    by_key: str = ""
    together: Callable[[Mapping[str, Any]], str] = crossed
    takes: tuple[str, ...] = ()

    @property
    def needs_band(self) -> bool:
        return self.band == OPEN

    @property
    def share(self) -> bool:
        return FIGURES[self.figure].share

    @property
    def tells(self) -> bool:
        return FIGURES[self.figure].tells or "values" in self.arguments or "value" in self.arguments

    @property
    def by_row(self) -> bool:
        """Whether single rows break it."""
        return self.predicate is not None or self.figure == "Completeness"

    def mistake(self, told: Told) -> tuple[str, str]:
        """What is wrong with the arguments, and what to give instead; both empty where nothing is."""
        for name, given in told.arguments.items():
            wrong = self.arguments[name].mistake(given)
            if wrong:
                return f"{name} {wrong}", f"{name} is {self.arguments[name].words}"
        wrong = self.together(told.arguments)
        return wrong, "correct the bounds" if wrong else ""

    def parts(self, told: Told) -> tuple[Part, ...]:
        if self.predicate is not None:
            return (part_of("Compliance", predicate=self.predicate(told), where=told.where),)
        names = told.columns if FIGURES[self.figure].columns else ()
        return (part_of(self.figure, names, where=told.where),)

    #: What it asks for beside counted parts (`catalog.declared.kinds.further`).
    needs: ClassVar[str] = ""

    def other_parts(self, told: Told) -> tuple[Part, ...]:
        """What has to be counted of the other table."""
        return ()

    def read(self, told: Told, states: Sequence[State], facts: Facts) -> Reading:
        """The figure of counted parts."""
        found = self.value(told, states)
        return Reading(found, why=FIGURES[self.figure].undefined if found is None and _any(states[0]) else "")

    def value(self, told: Told, states: Sequence[State]) -> float | None:
        found = value(self.figure, states[0], **self.figure_arguments(told))
        return None if found is None else _number(found)

    def say(self, told: Told) -> str:
        shown = {name: _shown(argument) for name, argument in told.arguments.items()}
        missing = {name: f"any {name}" for name in self.arguments if name not in shown}
        words = self.words.replace("{low} to {high}", _range_words(told.arguments))
        return words.format(columns=told.names, column=told.names, **shown, **missing)

    def figure_words(self, told: Told) -> str:
        """What is measured: the share of rows that meet the demand, or the metric."""
        if self.by_row and not self.needs_band:
            return f"the share of rows for which {self.say(told).removeprefix('every ')}".replace(
                "which row has", "which there is"
            )
        extra = "".join(f" {name} {_shown(argument)}" for name, argument in told.arguments.items())
        return FIGURES[self.figure].words.format(column=told.names) + (f" ({extra.strip()})" if extra else "")


def _any(state: State) -> bool:
    """Whether rows were counted that could be judged."""
    return bool(getattr(state, "rows", 0))


def _range_words(told: Mapping[str, Any]) -> str:
    """From where to where values are, with places for the ends.

    >>> _range_words({"low": 1}), _range_words({"low": 1, "high": 2, "exclusive": True}), _range_words({})
    ('at least {low}', 'above {low} and below {high}', '{low} to {high}')
    """
    low, high, out = told.get("low"), told.get("high"), bool(told.get("exclusive"))
    if low is not None and high is not None:
        return "above {low} and below {high}" if out else "{low}" if low == high else "{low} to {high}"
    if low is not None:
        return "above {low}" if out else "at least {low}"
    return "{low} to {high}" if high is None else "below {high}" if out else "at most {high}"


def _number(found: Any) -> float:
    return found if isinstance(found, int) else float(found)


def _shown(argument: Any) -> str:
    if isinstance(argument, list | tuple):
        shown = [str(one) for one in argument[:5]]
        return ", ".join(shown) + (f" and {len(argument) - 5} more" if len(argument) > 5 else "")
    return str(argument)


def number(found: float, share: bool = False) -> str:
    """A figure in words.

    >>> number(1234567), number(0.9999, share=True), number(0.1234567), number(float("nan"))
    ('1,234,567', '99.99%', '0.123457', 'not a number')
    """
    if isinstance(found, float) and math.isnan(found):
        return "not a number"
    if share:
        return f"{100 * found:.6g}%"
    return f"{found:,}" if isinstance(found, int) else f"{found:,.6g}"


def band_words(low: float | None, high: float | None, share: bool = False) -> str:
    """A band in words.

    >>> band_words(1, 1), band_words(0.9, None, True), band_words(None, 5), band_words(1, 20)
    ('1', 'at least 90%', 'at most 5', '1 to 20')
    """
    if low is not None and high is not None:
        return number(low, share) if low == high else f"{number(low, share)} to {number(high, share)}"
    if low is not None:
        return f"at least {number(low, share)}"
    return f"at most {number(high, share)}" if high is not None else "anything"
