"""Days on which the people of a table were born, where no word of the column's name says so, and places.

What else a table of persons dates is an event: people are hired, join, order and pay within the years that a firm keeps
its books, hardly on Sundays where an office writes it down, and soon before the table was written. People are born on
any day of the week, over decades, and years before anything else that a table knows of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from catalog.domains.domain import Domain, words
from catalog.domains.known import KNOWN
from catalog.domains.load import Validator
from catalog.domains.names.told import said
from catalog.domains.validators.temporal import by_the_minute
from catalog.states.column import ColumnState
from catalog.tags.discovery.sample import Sample, sample
from catalog.tags.generic import NAMED
from catalog.tags.proposal import TagProposal
from catalog.tags.rows import SURELY, hidden, of_people
from catalog.tags.whose import NO_PEOPLE, REACHING, Around

GENERATIONS = Validator("people.births")
BORN = frozenset({"birth_date", "birth_year"})
DATED = frozenset({"date", "datetime", "birth_date"})
FEW = 8  # chosen: distinct days from which their spread tells something
SPREAD = 15  # chosen: years; of 41 columns of births in four labelled lists 40 span more, of 57 of events 13
ADULT = 14  # bound: years; younger people may not be hired (ILO convention 138), and seldom are customers or voters
TENTHS = (0.1, 0.25, 0.5, 0.75, 0.9)  # chosen: where two columns of days are compared; the ends hold slips of the pen
WEEKENDS = 1 / 7  # bound: half of the share of Saturdays and Sundays among days drawn at random
YEAR = 365.25  # bound: days of the calendar's year
_BORN = re.compile(rf"\b(?:{said('born')})\b")


def born(one: TagProposal, found: Sample, name: str, around: Around, default: str) -> TagProposal:
    """Days called by no word for dates that we know, which lie as births do, are those on which the people of a table
    were born that has no other such column."""
    if one.domain not in ("date", "datetime") or not untold(one, name) or _has_births(name, around):
        return one
    if not (what := _as_births(found, name, around)) or not (told := of_people(name, around, default)):
        return one
    birth = KNOWN["birth_date"]
    found_out = hidden(one, {"what": told, "weight": SURELY}, {"what": what})
    return replace(found_out, domain=birth.name, title=birth.title, evidence=found_out.evidence | {"placed": True})


def untold(one: TagProposal, name: str) -> bool:
    """Whether the name of a column agrees neither with its tag nor with a general kind."""
    return not one.evidence.get("name_agrees") and not any(regex.search(words(name)) for regex in NAMED)


def _has_births(name: str, around: Around) -> bool:
    """Whether a column before this one, or one that is called so, holds them."""
    called = KNOWN["birth_date"].name_regex
    others = [one for one in around.columns if one != name and around.tags.get(one) in BORN]
    before = set(around.columns[: around.columns.index(name)]) if name in around.columns else set()
    return any(one in before or (called is not None and called.search(words(one))) for one in others)


def _as_births(found: Sample, name: str, around: Around) -> str:
    """What says that days lie as births do; empty where nothing does."""
    if by_the_minute(found.texts):
        return ""
    if GENERATIONS(set(found.texts)):
        return "days more than a generation apart"
    own = around.days.get(name, ())
    if len(own) < FEW or sum(day.weekday() >= 5 for day in own) < WEEKENDS * len(own):
        return ""
    leads = [lead(own, days) for other, days in around.days.items() if other != name and len(days) >= FEW]
    if leads and min(leads) >= ADULT:
        return f"days {int(min(leads))} years and more before all others of the table, on any day of the week"
    if min(leads, default=1.0) > 0 and years_between(_at(own, TENTHS[0]), _at(own, TENTHS[-1])) >= SPREAD:
        return "days many years apart, on any day of the week"
    return ""


def birthplace(domain: Domain, name: str, around: Around) -> bool:
    """Whether a town is where somebody was born, as telling as the day: of people whom the table reaches, no animals.

    >>> from catalog.domains.known import KNOWN
    >>> city = KNOWN["city"]
    >>> mail = {"m": "email"}
    >>> asked = (("born", ""), ("city", ""), ("born", "cats"))
    >>> [birthplace(city, one, Around(table, (), mail)) for one, table in asked]
    [True, False, False]
    """
    asked = domain.name in ("city", "region") and bool(_BORN.search(words(name)))
    reached = (REACHING | {"national_id"}) & set(around.tags.values())
    return asked and bool(reached) and not any(NO_PEOPLE.search(words(one)) for one in (*around.columns, around.table))


def lead(own: Sequence[date], other: Sequence[date]) -> float:
    """By how many years days come before others at least, at the same place in the order of each: people who were all
    hired at 18 or older were born 18 years before at every place.

    >>> births, hires = [date(1960 + i, 5, 1) for i in range(20)], [date(2000 + i, 5, 1) for i in range(20)]
    >>> round(lead(births, hires)), round(lead(hires, births)), round(lead(hires, hires))
    (40, -40, 0)
    """
    return min(years_between(_at(own, place), _at(other, place)) for place in TENTHS)


def years_between(one: date, two: date) -> float:
    return (two - one).days / YEAR


def _at(days: Sequence[date], place: float) -> date:
    return days[int(place * (len(days) - 1))]


def dated(columns: Mapping[str, ColumnState], tags: Mapping[str, str]) -> dict[str, tuple[date, ...]]:
    """The distinct days, in order, of the columns that are tagged as holding some."""
    return {one: days_of(sample(columns[one]).texts) for one, tag in tags.items() if tag in DATED}


_ISO = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})|(\d{4})(\d\d)(\d\d)(?!\d)|(\d{4})[年년] ?(\d{1,2})[月월] ?(\d{1,2})"
)
_YEAR_LAST = re.compile(r"(\d{1,2})[-/. ]{1,2}(\d{1,2})[-/. ]{1,2}(\d{4})")


def days_of(texts: Sequence[str]) -> tuple[date, ...]:
    """The distinct days that texts in figures say, in order; with the year last the month is first where one of them
    could not be read otherwise. What is written in another way is left out.

    >>> [one.isoformat() for one in days_of(["1999-12-31T10:00", "19991230", "2.1.2000", "May 5"])]
    ['1999-12-30', '1999-12-31', '2000-01-02']
    >>> [one.isoformat() for one in days_of(["12/31/1999", "1/2/2000"])]
    ['1999-12-31', '2000-01-02']
    """
    whole = [[int(part) for part in one.groups() if part] for text in texts if (one := _ISO.match(text))]
    last = [[int(part) for part in one.groups()] for text in texts if (one := _YEAR_LAST.match(text))]
    month_first = any(two > 12 for _, two, _ in last)
    whole += [[year, one, two] if month_first else [year, two, one] for one, two, year in last]
    return tuple(sorted({day for parts in whole if (day := _day(*parts))}))


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
