"""Days on which people were born are told from other days of a table of persons by how they lie."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.proposal import TagProposal
from catalog.tags.table import propose_table

DRAW = random.Random(11)
FIRST = ["Linda", "Michael", "Hannah", "Peter", "Julia", "Andrea", "Thomas", "Maria", "Susan", "Robert"] * 12
LAST = ["Harrington", "Gonzalez", "Schmidt", "Johnson", "Nguyen", "Rossi", "Kowalski", "Patel", "Smith"] * 20
STAFF = {"first_name": FIRST, "last_name": LAST[: len(FIRST)]}


def days(first: int, last: int, *, weekdays: bool = False) -> list[date]:
    """Days from one year to another, drawn at random."""
    span = (date(last, 12, 31) - date(first, 1, 1)).days
    drawn = [date(first, 1, 1) + timedelta(DRAW.randrange(span + 1)) for _ in FIRST]
    return [one - timedelta(max(one.weekday() - 4, 0)) if weekdays else one for one in drawn]


def said(name: str, **columns: list) -> TagProposal:
    return propose_table(fold(pa.table({**STAFF, **columns})).columns, "t")[name][0]


@pytest.mark.parametrize("written", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "typed"])
@pytest.mark.parametrize(("first", "last"), [(1972, 1999), (1978, 1999), (1941, 1999)])
def test_births_of_twenty_years_and_more_are_told_whatever_the_column_is_called(
    written: str, first: int, last: int
) -> None:
    drawn: list = days(first, last)
    found = said("zglbr", zglbr=drawn if written == "typed" else [one.strftime(written) for one in drawn])
    assert (found.domain, found.sensitive) == ("birth_date", True)
    assert not {str(one) for one in drawn} & {*found.evidence.get("matching", ())}


def test_births_of_few_years_lie_long_before_all_else_that_a_table_dates() -> None:
    found = said("zglbr", zglbr=days(1995, 1999), vrnk=days(2016, 2024))
    assert (found.domain, found.sensitive) == ("birth_date", True)
    assert "before all others" in found.evidence["whose_because"][1]["what"]


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("zglbr", {"zglbr": days(2004, 2024, weekdays=True)}),  # as offices are open
        ("zglbr", {"zglbr": days(2016, 2024)}),  # few years, nothing else dated
        ("zglbr", {"zglbr": days(2004, 2023), "vrnk": days(2004, 2020)}),  # another goes before
        ("vrnk", {"zglbr": days(1975, 1999), "vrnk": days(2002, 2022)}),  # births are there already
        ("vrnk", {"zglbr": days(1995, 1999), "vrnk": days(2010, 2019), "plk": days(2020, 2024)}),  # later than these
        ("hire_date", {"hire_date": days(1978, 1999)}),  # its name says otherwise
    ],
)
def test_other_days_of_people_are_no_births(name: str, columns: dict[str, list]) -> None:
    assert said(name, **columns).domain == "date"


def test_days_of_a_table_of_nobody_are_no_births() -> None:
    things = {"shelf": [f"A{i % 7}" for i in range(len(FIRST))], "zglbr": days(1978, 1999)}
    assert propose_table(fold(pa.table(things)).columns, "t")["zglbr"][0].domain == "date"
