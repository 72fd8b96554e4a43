"""The demand that what is written like a value of a domain is one."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.candidates import candidates
from catalog.evidence.pattern_index.views import Profile, profile, profile_values
from catalog.lake.reading.rows import wrong
from catalog.rules.clauses.strings import StringClause, said_of
from catalog.states.folding.fold import fold

DAYS = [f"2024-{month:02d}-{day:02d}" for month in (1, 2, 3) for day in (3, 17, 29)]
ACCOUNTS = ["DE89370400440532013000", "DE75512108001245126199", "DE02120300000000202051"]


def seen(values: list[str]) -> Profile:
    return profile_values(Counter(values).items())


def learned(values: list[str]) -> list[Candidate]:
    return candidates(seen(values), ["invalid"])


@pytest.mark.parametrize(
    ("values", "valid", "invalid"),
    [
        (DAYS, ["2025-12-31", "soon", "2024/13/45", "2024-13"], ["2023-02-29", "2024-13-01", "2402-94-07"]),
        (ACCOUNTS, ["DE27100777770209299700", "GB82WEST12345698765432", "cash"], ["DE89370400440532013001"]),
    ],
)
def test_what_is_written_as_ever_and_is_none_breaks_it(values: list[str], valid: list[str], invalid: list[str]) -> None:
    (found,) = learned(values)
    assert [text for text in valid if found.nonconforming(seen([text]))] == []
    assert [text for text in invalid if not found.nonconforming(seen([text]))] == []
    assert found.nonconforming(seen(values)) == 0


@pytest.mark.parametrize(
    "values", [[*DAYS, "2023-02-30"], ["Anna", "Otto", "Maria"], ["12", "14", "15"], ["A-1", "B-2"], ["1.5", "12"]]
)
def test_it_is_asked_only_where_all_are_of_one_unlikely_domain(values: list[str]) -> None:
    assert learned(values) == []


@settings(deadline=None, max_examples=30)
@given(st.lists(st.dates().map(str), min_size=1, max_size=30), st.lists(st.text("0123-", max_size=10), max_size=30))
def test_rows_are_found_that_are_counted(values: list[str], later: list[str]) -> None:
    for found in learned(values):
        batch = [text for text in later + values if seen([text]).rows]
        offenders = wrong(pa.array(batch, pa.string()), found.offenders()).to_pylist()
        assert offenders == [not found.accepts(text) for text in batch]
        assert found.nonconforming(seen(batch)) == sum(offenders)


def test_of_many_values_those_listed_tell() -> None:
    days = [f"{1900 + n // 336:04d}-{n // 28 % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(20_000)]
    state, batch = (
        of_state(days),
        of_state([f"{day[:5]}{int(day[5]) + 3}{day[6:]}" for day in days[:10_000]] + days[10_000:]),
    )
    (found,) = candidates(state, ["invalid"])
    assert 5_000 < found.nonconforming(batch) <= 10_000
    assert found.nonconforming(state) == 0


def test_values_that_come_often_say_nothing_of_rare_ones() -> None:
    """2,000 invalid days that come twice are all that is listed of 20,000 rows: at most their rows break the demand."""
    days = [f"{1900 + n // 336:04d}-{n // 28 % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(16_000)]
    (found,) = candidates(of_state(days), ["invalid"])
    batch = of_state(days + 2 * [f"{day[:5]}{int(day[5]) + 3}{day[6:]}" for day in days[:2_000]])
    assert 1_000 < found.nonconforming(batch) <= 4_000


def of_state(values: list[str]) -> Profile:
    found = profile(fold(pa.table({"x": values})).columns["x"])
    assert found is not None
    assert found.values is None
    return found


def test_it_reads_as_damage_and_says_in_full_what_is_invalid() -> None:
    (found,) = learned(DAYS)
    clause = StringClause.of(found, 0.01)
    assert clause.words == "alarm above 1% invalid dates"
    assert StringClause.from_json(clause.to_json()).candidate == found
    dates = StringClause.of(Candidate("domain", ("date",)), 0.06)
    assert said_of([dates, clause]) == "dates; alarm above 6% others, 1% damaged."
