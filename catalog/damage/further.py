"""What happens to data beside what rules are drilled with: values written or coded in another way, numbers that are
more by a constant, times moved by days."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from catalog.damage.kind import Change, Kind, Rng, each

_PART = "fewer than nine of ten values change, or the column holds such values anyway"
_AT = datetime(2026, 3, 9, 14, 30, tzinfo=UTC)
#: Ways to write a day, besides those that tell it in seconds.
FORMATS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y%m%d", "%y-%m-%d",
    "%d.%m.%y", "%m/%d/%y", "%d-%b-%Y", "%d %b %Y", "%b %d, %Y", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
    "%d/%m/%Y %H:%M:%S",
)  # fmt: skip
SECONDS, MILLISECONDS = "seconds since 1970", "milliseconds since 1970"


def moment(text: str, form: str) -> datetime | None:
    """What a text says in one of `FORMATS`, or in seconds or milliseconds since 1970; None where it does not.

    >>> moment("2026-03-09", "%Y-%m-%d") == moment("1773014400", SECONDS), moment("09.03.2026", "%Y-%m-%d")
    (True, None)
    """
    try:
        if form in (SECONDS, MILLISECONDS):
            digits = 10 if form == SECONDS else 13
            known = len(text) == digits and text.isascii() and text.isdigit()
            return datetime.fromtimestamp(int(text) / 10 ** (digits - 10), UTC).replace(tzinfo=None) if known else None
        return datetime.strptime(text, form)
    except (ValueError, OverflowError):
        return None


def rewritten(old: str, new: str) -> Callable[[str], str | None]:
    """A day written in one way, in another one; None for other values."""

    def change(value: str) -> str | None:
        when = moment(value, old)
        if when is None:
            return None
        if new in (SECONDS, MILLISECONDS):
            return str(int(when.replace(tzinfo=UTC).timestamp()) * (1 if new == SECONDS else 1000))
        return when.strftime(new)

    return change


def _capitalised(value: str) -> str | None:
    return value.title() if value.title() != value else None


def _recoded(values: Sequence[str], rng: Rng) -> Change:
    """Numbers in place of names, in another order than theirs."""
    codes = {value: f"{k + 71}" for k, value in enumerate(dict.fromkeys(values))}
    return lambda value: codes.get(value)


def moved(days: float) -> Change:
    """A time or date that many days later."""

    def change(value: Any) -> Any:
        try:
            return value + timedelta(days=days) if isinstance(value, date) else None
        except OverflowError:
            return None

    return change


def _spelt(table: dict[int, str]) -> Callable[[str], str | None]:
    """Some characters as others; None for values without them."""
    return lambda value: new if (new := value.translate(table)) != value else None


def _without_accents(value: str) -> str | None:
    """Letters without their accents, where there are such."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", value) if not unicodedata.combining(c))
    return plain if plain != value else None


def _exchanged(value: str) -> str | None:
    """Day and month exchanged where hyphens part them."""
    return f"{m[2]}-{m[1]}-{m[3]}" if (m := _HYPHENS.fullmatch(value)) else None


_HYPHENS = re.compile(r"(\d\d)-(\d\d)-(\d{4})")
_ACCENTED = "no value has a letter beyond ASCII"
KELVIN = 273.15  # degrees Celsius, negative, of absolute zero: a bound

FURTHER = (
    Kind("capitalised", "case", "Words in {column} begin with a capital now", ("in stock", "In Stock"), _PART,
         each(_capitalised), guess="Probably normalised on the way."),
    Kind("suffix", "suffix", "Values in {column} have something behind them", ("12.50", "12.50 EUR"), _PART,
         each(lambda v: v + " EUR" if v else None),
         guess="Probably a unit, or a format for people."),
    Kind("rewritten", "date_format", "Dates in {column} are written in another form", ("2026-03-09", "09-Mar-2026"),
         "the values are no dates of the form 2026-03-09", each(rewritten("%Y-%m-%d", "%d-%b-%Y")),
         undo=rewritten("%d-%b-%Y", "%Y-%m-%d"), guess="Probably another export format."),
    Kind("recoded", "new_values", "All values in {column} are others than before", ("yes", "71"), _PART, _recoded,
         guess="Probably another coding or language."),
    Kind("question_marks", "encoding", "Letters in {column} have become question marks", ("Zürich", "Z?rich"),
         _ACCENTED, each(lambda v: None if v.isascii() else re.sub(r"[^\x00-\x7f]", "?", v)), least=0.0,
         guess="Probably written by a system that knows English letters only."),
    Kind("letters_lost", "encoding", "Letters in {column} are missing", ("Zürich", "Zrich"), _ACCENTED,
         each(lambda v: None if v.isascii() else re.sub(r"[^\x00-\x7f]", "", v)), least=0.0,
         guess="Probably written by a system that knows English letters only."),
    Kind("accents_lost", "encoding", "Letters in {column} have lost their accents", ("Zürich", "Zurich"), _ACCENTED,
         each(_without_accents), least=0.0, guess="Probably written by a system that knows English letters only."),
    Kind("zero_as_letter", "digits_letters", "Zeros in {column} are written as the letter O", ("A-100", "A-1OO"), _PART,
         each(_spelt({ord("0"): "O"})), guess="Probably typed by hand, or read by optical recognition."),
    Kind("one_as_letter", "digits_letters", "Ones in {column} are written as letters", ("A-100", "A-I00"), _PART,
         each(_spelt({ord("1"): "I"})), guess="Probably typed by hand, or read by optical recognition."),
    Kind("day_month_hyphens", "day_month", "Day and month in {column} are swapped",
         ("25-03-2026", "03-25-2026"), "the values are no dates like 25-03-2026", each(_exchanged),
         undo=lambda v: _exchanged(v) or v, guess="Probably exported with another locale.", seen=False),
    Kind("kelvin", "scale", "Numbers in {column} are 273.15 more", (20.0, 293.15),
         "the numbers spread so widely that the change is within what they do anyway",
         each(lambda v: v + type(v)(KELVIN)),
         undo=lambda v: v - type(v)(KELVIN), guess="Probably kelvins.", of="numbers", seen=False),
    Kind("days_moved", "days_moved", "Times in {column} have moved by days", (_AT, _AT + timedelta(days=365)),
         "the times are of any day anyway", each(moved(365)), undo=moved(-365), 
         guess="Probably a wrong year, month or day.", of="times", seen=False),
)  # fmt: skip
