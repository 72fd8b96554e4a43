"""The arguments of kinds of checks: what each takes, and what is wrong with one that was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

#: What a value has to be, by the type of its argument, and how it is told.
_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "float": ((int, float, Decimal), "a number"),
    "int": ((int,), "a whole number"),
    "bool": ((bool,), "true or false"),
    "list": ((list, tuple), "a list"),
    "str": ((str,), "a text; write it in quotes"),
    "value": ((str, int, float, bool, Decimal, date, type(None)), "a text, a number or a date"),
}


def _right(given: Any) -> str:
    return ""


@dataclass(frozen=True)
class Argument:
    """One argument of a kind.

    Parameters
    ----------
    type : in Python's words; ``value`` is what a cell may hold: a text, a number, a date.
    words : what it is. required : whether it must be given.
    condition : whether it is a condition in SQL on the table's rows.
    choices : the texts that it may be; any where there are none.
    least, most : of numbers, from where to where.
    wrong : what else is wrong with a value, in words; empty of one that is right.
    """

    type: str
    words: str
    required: bool = True
    example: Any = None
    condition: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    wrong: Callable[[Any], str] = _right

    @property
    def told_type(self) -> str:
        """Its type for people."""
        return "text, number or date" if self.type == "value" else self.type

    def mistake(self, given: Any) -> str:
        """What is wrong with a value that was given, in words; empty of one that is right.

        >>> q = Argument("float", "which quantile", least=0, most=1)
        >>> q.mistake(0.5), q.mistake(95), q.mistake("x")
        ('', 'is 95, and must be 0 to 1', "is 'x', not a number")
        """
        if given is None and not self.required:
            return ""
        types, told = _TYPES[self.type]
        whole = self.type == "int" and isinstance(given, float) and given.is_integer()
        fits = whole or (isinstance(given, types) and (self.type in ("bool", "value") or not isinstance(given, bool)))
        if not fits:
            return f"is {short(given)}, not {told}"
        if self.choices and given not in self.choices:
            return f"is {short(given)}, not one of {', '.join(self.choices)}"
        low, high = self.least, self.most
        if (low is not None and given < low) or (high is not None and given > high):
            bounds = f"{low:g} to {high:g}" if low is not None and high is not None else f"{low:g} or more"
            return f"is {short(given)}, and must be {bounds}"
        return self.wrong(given)


def crossed(given: Mapping[str, Any], low: str = "low", high: str = "high") -> str:
    """What is wrong with two ends between which nothing lies, in words; empty of ends that are right, or that only a
    column's type orders.

    >>> crossed({"low": 10, "high": 1}), crossed({"low": "2026-01-02", "high": "2026-01-01T12:00"})
    ('low is above high, so nothing could pass', 'low is above high, so nothing could pass')
    >>> crossed({"low": 1, "high": 1, "exclusive": True}), crossed({"low": "9", "high": "10"}), crossed({"low": 3})
    ('nothing lies between low and high without them', '', '')
    """
    ends = [_ordered(given.get(name)) for name in (low, high)]
    if None in ends or ends[0][0] != ends[1][0]:  # type: ignore[index]
        return ""
    if ends[0] > ends[1]:  # type: ignore[operator]
        return f"{low} is above {high}, so nothing could pass"
    alike = ends[0] == ends[1] and given.get("exclusive")
    return f"nothing lies between {low} and {high} without them" if alike else ""


def _ordered(given: Any) -> tuple[str, Any] | None:
    """A number or a moment as it is ordered among its like."""
    if isinstance(given, bool) or given is None:
        return None
    if isinstance(given, int | float | Decimal):
        return "number", given
    try:
        moment = datetime.fromisoformat(str(given)) if len(str(given)) >= 10 else None  # a year is a number, too
    except ValueError:
        return None
    return None if moment is None else ("zoned" if moment.tzinfo else "plain", moment)


def short(given: Any) -> str:
    """A value as it is quoted in a message."""
    try:
        text = given.isoformat() if isinstance(given, date) else repr(given)
    except ValueError:  # Python writes out no integer of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) < 60 else text[:59] + "…"
