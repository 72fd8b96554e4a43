"""One demand on a table, and what a table's figures say of it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any

from catalog.declared.facts import NOTHING, Facts
from catalog.declared.kinds.arguments import short
from catalog.declared.kinds.kind import Kind, Told, band_words, number
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.errors import AssayError, UsageError
from catalog.measures.counts import Matches
from catalog.measures.part import Part, State
from catalog.predicates.predicate import renamed
from catalog.wording import counted, do

PASSED, VIOLATED, NOT_APPLICABLE = "passed", "violated", "not_applicable"
CHECK_LEVELS, SCOPES = ("error", "warning"), ("batch", "table")
_SAME = 1e-9  # figures are sums of floats: a share of 0.7 is not to fail at 0.7; a bound of rounding

#: What every kind takes beside its own arguments.
COMMON = ("at_least", "at_most", "where", "level", "hint", "scope", "name")
#: Arguments that are no values of columns.
_NO_VALUES = ("other", "other_columns", "version", "metric", "strategy", "type")
_MOST = 1.7e308  # a bound: of doubles
_LONGEST = 4_000  # digits of a bound that is an integer; Python writes out no longer ones


@dataclass(frozen=True)
class Constraint:
    """A demand that somebody declared.

    Parameters
    ----------
    kind : one of `catalog.declared.kinds.registry.CHECK_KINDS`.
    columns : dotted names of leaf columns, as many as the kind takes.
    arguments : what the kind needs beside (``values``, ``pattern``, ``q`` ...).
    at_least, at_most : the band of the kind's figure, both inclusive; None: the kind's own, or open.
    where : condition in SQL; only rows that meet it are asked.
    level : ``error`` fails a check run, ``warning`` does not.
    hint : what to do where it is violated, in the words of whoever declared it.
    scope : ``batch``: the rows a version brought; ``table``: the table as it stands.
    name : unique within its table; made of the kind and the columns where none is given.

    Raises `UsageError` for what cannot be demanded.

    >>> Constraint("is_complete", ("id",)).sentence
    'every row has a value in id'
    >>> Constraint("has_mean", ("price",), at_least=1, at_most=20, where="paid").sentence
    'mean of price is 1 to 20, where paid'
    """

    kind: str
    columns: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    at_least: float | None = None
    at_most: float | None = None
    where: str | None = None
    level: str = "error"
    hint: str = ""
    scope: str = "table"
    name: str = ""

    def __post_init__(self) -> None:
        _known(self)
        if self.needs == "past" and (self.at_least is not None or self.at_most is not None):
            raise UsageError(f"{self.kind} finds its band itself", remedy="give lower and upper to its strategy")
        if self.at_least is None and self.at_most is None:
            low, high = self._kind.band
            if low is None and high is None and self._kind.needs_band:
                raise UsageError(f"{self.kind} does not say what is expected", remedy="give at_least, at_most or both")
            object.__setattr__(self, "at_least", low)
            object.__setattr__(self, "at_most", high)
        if not self.name:
            object.__setattr__(self, "name", "_".join([self.kind, *(c.replace(".", "_") for c in self.columns)]))
        parts = (*self.parts, *self.other_parts)
        _ = [condition.columns for part in parts for condition in part.conditions]  # each parses, or says why not

    def mistake(self) -> UsageError | None:
        """What is wrong with what was told though it can be judged: arguments of another type, bounds that nothing
        could meet. Whoever declares a check is told; one that was declared before it was asked is judged as it stands.

        >>> str(Constraint("has_completeness", ("id",), at_least=95).mistake())
        'has_completeness: at_least is 95, and a share is 0 to 1; write 95% as 0.95'
        """
        cause, remedy = self._kind.mistake(self._told)
        for name in ("at_least", "at_most") if self._kind.share and not cause else ():
            bound = getattr(self, name)
            if bound is not None and not 0 <= bound <= 1:
                cause, remedy = f"{name} is {short(bound)}, and a share is 0 to 1", "write 95% as 0.95"
        return UsageError(f"{self.kind}: {cause}", remedy=remedy) if cause else None

    @property
    def takes(self) -> tuple[str, ...]:
        """Kinds of values that its columns may hold; any where there are none."""
        return self._kind.takes

    @property
    def _kind(self) -> Kind:
        return CHECK_KINDS[self.kind]

    @property
    def _told(self) -> Told:
        return Told(self.columns, self.arguments, self.where)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What has to be counted to judge it; empty where schema or commit times say it."""
        return self._kind.parts(self._told)

    @property
    def sentence(self) -> str:
        """The demand in words."""
        words = self._kind.say(self._told)
        if self._kind.needs_band or (self.at_least, self.at_most) != self._kind.band:
            words = (
                f"{self._kind.figure_words(self._told)} is {band_words(self.at_least, self.at_most, self._kind.share)}"
            )
        return words + (f", where {self.where}" if self.where else "")

    @property
    def private_sentence(self) -> str:
        """The demand in words, without what may be values of its columns: arguments, bounds, conditions.

        >>> Constraint("is_between", ("pay",), {"low": 10}, where="age > 60").private_sentence
        'every value of pay is at least the given low, where the given condition holds'
        >>> Constraint("has_max", ("pay",), at_most=10).private_sentence
        'maximum of pay is within the given bounds'
        """
        kind = self._kind
        shown = {name: one if name in _NO_VALUES else f"the given {name}" for name, one in self.arguments.items()}
        shown.pop("exclusive", None)
        told = Told(self.columns, shown if kind.by_row or kind.needs else {})
        words = kind.say(told)
        if kind.needs_band or (self.at_least, self.at_most) != kind.band:
            words = f"{kind.figure_words(told)} is within the given bounds"
        return words + (", where the given condition holds" if self.where else "")

    @property
    def fingerprint(self) -> str:
        """SHA-256 (first 16 hex digits) of what judging depends on: neither name nor hint."""
        told = [
            self.kind,
            list(self.columns),
            dict(self.arguments),
            self.at_least,
            self.at_most,
            self.where,
            self.scope,
            self.level,
        ]
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:16]

    @property
    def tells(self) -> bool:
        """Whether its words or figures may reveal a value of its columns."""
        return self._kind.tells

    def failing(self) -> str | None:
        """The condition in SQL that the rows meet that break it; None where no row by itself breaks it.

        >>> Constraint("is_positive", ("n",), where="m = 1").failing()
        '(m = 1) AND NOT COALESCE(`n` IS NULL OR COALESCE(CAST(`n` AS DOUBLE) > 0, FALSE), FALSE)'
        """
        predicate = next((part.predicate for part in self.parts if part.kind == "matches"), None)
        if predicate is None or not self._kind.by_row:
            return None
        wrong = f"NOT COALESCE({predicate}, FALSE)"
        return f"({self.where}) AND {wrong}" if self.where else wrong

    @property
    def by_key(self) -> str:
        """How its key makes a row break it, where no condition on the row does (`catalog.declared.kinds.kind`)."""
        return self._kind.by_key

    @property
    def needs(self) -> str:
        """What it asks for beside counted parts: ``schema``, ``age``, ``past``, ``other``, ``wait``, or nothing."""
        return self._kind.needs

    @property
    def other(self) -> str | None:
        """The table that it compares with."""
        return str(self.arguments["other"]) if self.needs == "other" else None

    @property
    def other_parts(self) -> tuple[Part, ...]:
        """What has to be counted of the other table."""
        return self._kind.other_parts(self._told)

    def judge(self, states: Mapping[str, State], facts: Facts = NOTHING) -> Result:
        """What the counted parts (by their keys) of a table or batch, and the facts, say of it."""
        found = [] if facts.compared is not None else [states[part.key] for part in self.parts]
        try:
            reading = self._kind.read(self._told, found, facts)
        except (AssayError, KeyError) as error:
            return Result(self, VIOLATED, None, f"It cannot be judged: {error}.")
        value = reading.value
        if value is None:
            why = reading.why or "There is nothing to judge: no row, or none with a value."
            return Result(self, NOT_APPLICABLE, reading.seen, why)
        low, high = (reading.low, reading.high) if reading.own_band else (self.at_least, self.at_most)
        inside = (
            not math.isnan(value)
            and (low is None or value >= low - _margin(low))
            and (high is None or value <= high + _margin(high))
        )
        if not inside and reading.words:
            words = f"{reading.words} Expected: {self.sentence}."
        else:
            words = self._words(found, value, inside, low, high)
        return Result(self, PASSED if inside else VIOLATED, value, words, low, high)

    def _words(self, found: list[State], value: float, inside: bool, low: float | None, high: float | None) -> str:
        matches = next((state for state in found if isinstance(state, Matches)), None)
        if matches is not None and self._kind.by_row and self._kind.share:
            wrong = matches.rows - matches.true
            head = (
                f"{wrong:,} of {counted(matches.rows, 'row')} ({100 * (1 - value):.3g}%) {do(wrong, 'break')} it"
                if wrong
                else "no row breaks it"
            )
            if not inside or wrong:
                return f"{head}: {self.sentence}."
            return f"All {matches.rows:,} rows keep to it." if matches.rows > 1 else "The only row keeps to it."
        what = self._kind.figure_words(self._told)
        said = f"{what[:1].upper()}{what[1:]} is {number(value, self._kind.share)}"
        return said + ("." if inside else f", expected {band_words(low, high, self._kind.share)}.")

    def to_json(self) -> dict[str, Any]:
        arguments = {name: _kept(value) for name, value in self.arguments.items()}
        return {**asdict(self), "columns": list(self.columns), "arguments": arguments}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Constraint:
        return cls(
            **{**data, "columns": tuple(data.get("columns") or ()), "arguments": dict(data.get("arguments") or {})}
        )

    def renamed(self, moved: Mapping[str, str]) -> Constraint:
        """The same demand on a table whose columns have other names now (dotted names, old to new). Its name stays, and
        so does a demand on the names themselves.

        >>> one = Constraint("satisfies", arguments={"condition": "price > cost"}, where="paid", name="margin")
        >>> one.renamed({"price": "amount", "paid": "settled"}).sentence
        'every row meets amount > cost, where settled'
        """
        kind = self._kind
        if self.needs == "schema":
            return self
        arguments = {
            name: renamed(value, moved) if name in kind.arguments and kind.arguments[name].condition else value
            for name, value in self.arguments.items()
        }
        if "other_columns" in kind.arguments and set(self.columns) & set(moved):  # of the other table, where none moved
            arguments.setdefault("other_columns", list(self.columns))
        columns = tuple(moved.get(name, name) for name in self.columns)
        where = None if self.where is None else renamed(self.where, moved)
        return replace(self, columns=columns, arguments=arguments, where=where)

    def with_other_renamed(self, moved: Mapping[str, str]) -> Constraint:
        """The same demand where the other table's columns have other names now."""
        theirs = [str(name) for name in self.arguments.get("other_columns") or self.columns]
        if "other_columns" not in self._kind.arguments or not set(theirs) & set(moved):
            return self
        now = [moved.get(name, name) for name in theirs]
        return replace(self, arguments={**self.arguments, "other_columns": now})


def _margin(bound: float) -> float:
    return _SAME * max(1.0, abs(bound)) if isinstance(bound, float) else 0


def _known(constraint: Constraint) -> None:
    kind = CHECK_KINDS.get(constraint.kind)
    try:
        json.dumps(list(vars(constraint).values()), ensure_ascii=False, default=_told_of).encode()
    except UnicodeEncodeError:
        raise UsageError("the check holds what is no text (a lone surrogate)", remedy="write it in UTF-8") from None
    if kind is None:
        near = [name for name in CHECK_KINDS if constraint.kind.strip("_ ").lower() in name][:3]
        raise UsageError(
            f"there is no check {constraint.kind!r}",
            remedy=("did you mean " + " or ".join(near) + "? " if near else "") + "`assay check kinds` lists them",
        )
    if isinstance(constraint.columns, str) or not all(isinstance(name, str) and name for name in constraint.columns):
        raise UsageError(f"{kind.name}: columns are names", remedy="give a list of column names")
    least, most = kind.columns
    if not least <= len(constraint.columns) <= most:
        wanted = f"{least} or more columns" if most > 9 else f"{least} to {most} columns"
        wanted = counted(least, "column") if least == most else wanted
        more = ", ".join(name for name, one in kind.arguments.items() if one.required)
        raise UsageError(
            f"{kind.name} takes {wanted if most else 'no column'}{f' and {more}' if more else ''}, "
            f"not {counted(len(constraint.columns), 'column')}",
            remedy="correct the check; `assay check kinds` lists what each takes",
        )
    for name in constraint.arguments:
        if name not in kind.arguments:
            raise UsageError(
                f"{kind.name} takes no {name!r}", remedy="it takes " + ", ".join((*kind.arguments, *COMMON))
            )
    for name, argument in kind.arguments.items():
        if argument.required and name not in constraint.arguments:
            raise UsageError(f"{kind.name} needs {name}: {argument.words}", remedy=f"give {name}")
    for name, known in (("level", CHECK_LEVELS), ("scope", SCOPES)):
        if getattr(constraint, name) not in known:
            raise UsageError(f"{name} {getattr(constraint, name)!r} is none", remedy="use " + " or ".join(known))
    for name in ("at_least", "at_most"):
        if (bound := getattr(constraint, name)) is None:
            continue
        wrong = isinstance(bound, bool) or not isinstance(bound, int | float)
        wrong = wrong or not (abs(bound) <= _MOST if isinstance(bound, float) else abs(bound) < 10**_LONGEST)
        if wrong:
            dated = "; dates are compared by is_between" if isinstance(bound, str | date) else ""
            raise UsageError(f"{kind.name}: {name} is {short(bound)}, not a number", remedy="give a number" + dated)
    if constraint.at_least is not None and constraint.at_most is not None and constraint.at_least > constraint.at_most:
        raise UsageError(f"{kind.name}: at_least is above at_most, so nothing could pass", remedy="swap them")
    for name, given in constraint.arguments.items():
        for one in given if isinstance(given, list | tuple) else [given]:
            if isinstance(one, float | int) and not abs(one) <= _MOST:
                raise UsageError(f"{kind.name}: {short(one)} in {name} is not a number", remedy="give a finite one")


def _kept(given: Any) -> Any:
    """A value as JSON holds it: dates and times as texts."""
    if isinstance(given, list | tuple):
        return [_kept(one) for one in given]
    return given.isoformat() if isinstance(given, date) else given


def _told_of(given: Any) -> Any:
    return dict(given) if isinstance(given, Mapping) else str(given)


@dataclass(frozen=True)
class Result:
    """What was found of one constraint.

    Parameters
    ----------
    status : ``passed``, ``violated`` or ``not_applicable``. value : the figure, None without one. sentence : in words.
    low, high : the band that it was judged by.
    """

    constraint: Constraint
    status: str
    value: float | None
    sentence: str
    low: float | None = None
    high: float | None = None

    def to_json(self) -> dict[str, Any]:
        found = self.value if self.value is None or math.isfinite(self.value) else str(self.value)
        return {
            "name": self.constraint.name,
            "check": self.constraint.sentence,
            "status": self.status,
            "value": found,
            "sentence": self.sentence,
            "level": self.constraint.level,
            "hint": self.constraint.hint,
        }
