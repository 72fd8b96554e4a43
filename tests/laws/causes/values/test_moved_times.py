"""Times that moved past another one have not changed places with it, and numbered codes are no typing errors."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pyarrow as pa

from catalog.causes.guesses.tables import guesses
from catalog.causes.guesses.vocabulary import new_values
from catalog.flow.reading.batches import BatchPlan
from catalog.lake.types import Commit, DataFile
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

START = datetime(2026, 11, 2, tzinfo=UTC)


def readings(day: int, later: int = 0) -> TableState:
    """Of meters, every half hour of a day: in UTC, so many hours later, and in the local time of an hour ahead."""
    times = [START + timedelta(days=day, minutes=30 * k) for k in range(48) for _ in range(6)]
    local = [(one + timedelta(hours=1)).replace(tzinfo=None) for one in times]
    return fold(pa.table({"at": [one + timedelta(hours=later) for one in times], "local": local}))


def prices(ends: date) -> TableState:
    days = [date(2024, 1, 1) + timedelta(days=3 * k) for k in range(60)]
    return fold(pa.table({"starts": days, "ends": [ends] * len(days)}))


def exchanged(now: TableState, before: TableState) -> Iterator[str]:
    return (one.key for one in guesses(now, before, {}, list(now.columns)) if one.cause == "swapped")


def test_a_time_that_moved_past_another_one_has_not_changed_places_with_it() -> None:
    """Hours of the day that are all alike, or none, say nothing of which is which; how far apart both are does."""
    assert not [*exchanged(readings(1, later=3), readings(0))]
    assert not [*exchanged(prices(date(1900, 1, 1)), prices(date(9999, 12, 31)))]
    assert "times_swapped" in [*exchanged(readings(1, later=2), readings(0))]  # as when each holds the other's


def test_the_next_of_numbered_codes_is_no_typing_error() -> None:
    before = fold(pa.table({"depot": ["HAM1", "LEJ1", "MUC1"] * 50})).columns["depot"]
    for code, cause in (("LEJ2", "new_values"), ("LEI1", "typo")):
        now = fold(pa.table({"depot": ["HAM1", "LEJ1", "MUC1", "MUC1", code] * 30})).columns["depot"]
        assert [one.cause for one in new_values(now, before)] == [cause]


def test_rows_that_were_taken_back_do_not_stand() -> None:
    """A version that only removes the files of a batch takes it back; one that writes them anew does not."""
    one, other = (DataFile(f"{name}.parquet", 1) for name in "ab")

    def plan(number: int, kind: str, added: tuple[DataFile, ...], removed: tuple[str, ...]) -> BatchPlan:
        commit = Commit(number, START, "RESTORE", {}, kind, added, removed, ())
        return BatchPlan(commit, kind, tuple(file.key for file in added))

    load = plan(1, "increment", (one,), ())
    assert plan(2, "rewrite", (), (one.key,)).days_after(load) is None, "times of a restored version did not move on"
    for written, stands in (((), False), ((other,), True)):
        assert load.stands(3, [load, plan(2, "rewrite", written, (one.key,))]) is stands
