"""Rules on whole tables: what columns went and came, and how long the next version may take."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from catalog.learners.freshness import learn_freshness, resting_days
from catalog.rules.kinds.freshness import DAYS, counted_seconds
from catalog.rules.kinds.schema import SchemaRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, VIOLATED, Batch, Wait
from catalog.states.folding.fold import fold

COLUMNS = SchemaRule("schema", None, {"columns": [["id", "bigint"], ["state", "string"]]}, 0.001, "", "schema")


@pytest.mark.parametrize(
    ("names", "status", "words"),
    [
        (["id", "state"], PASSED, "All 2 columns are there with their types."),
        (["id", "state", "level"], PASSED, "All 2 columns are there with their types. New: level."),
        (["id", "level"], VIOLATED, "The schema changed: column 'state' is gone. New: level."),
    ],
)
def test_new_columns_are_told_beside_those_that_are_gone(names, status, words):
    types = {"id": "bigint", "state": "string", "level": "string"}
    schema = [[name, types[name]] for name in names]
    rows = fold(pa.table({name: pa.array([], pa.string()) for name in names}))
    verdict = COLUMNS.judge(Batch(3, "snapshot", rows, None, schema, datetime(2026, 1, 1, tzinfo=UTC), []))
    assert (verdict.status, verdict.sentence) == (status, words)


MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
RISK = 0.001


def days(weeks: int, on: str) -> list[datetime]:
    return [MONDAY + timedelta(days=d) for d in range(7 * weeks) if DAYS[d % 7] in on]


def learned(times: list[datetime]) -> Rule:
    rule = learn_freshness(times, RISK)
    assert rule is not None
    return rule


WORKDAYS = " ".join(DAYS[:5])


def test_a_table_of_workdays_is_late_after_days_and_not_after_weeks() -> None:
    rule = learned(days(6, WORKDAYS))
    friday = MONDAY + timedelta(days=4)
    for waited, late in ((3, False), (7, False), (11, True)):
        verdict = rule.judge_wait(Wait(7, friday, friday + timedelta(days=waited), arrived=True))
        assert verdict is not None
        assert (verdict.status == VIOLATED) == late
    assert "Saturdays and Sundays not counted; at most 6 days was expected" in verdict.sentence


def test_weekends_are_known_in_the_third_week() -> None:
    """Of workdays' gaps of one and three days alone a month would follow."""
    for versions in (15, 18):
        assert learned(days(4, WORKDAYS)[:versions]).params == {
            "seconds": 6 * 86_400.0,
            "not_on": ["Saturday", "Sunday"],
        }


def test_a_long_past_is_no_reason_to_wait_longer() -> None:
    """A daily table that paused for ten days twice: the longest of two hundred gaps, more than twice which the next is
    in one case of a thousand; by how gaps spread alone it could stop for a month."""
    daily = [MONDAY + timedelta(days=day + 9 * (day > 50) + 9 * (day > 150)) for day in range(201)]
    assert learned(daily).params["seconds"] == pytest.approx(10 * 86_400 * (0.001 * 201) ** -0.5, rel=1e-6)
    weekly = [MONDAY + timedelta(days=7 * week, hours=week % 3) for week in range(30)]
    assert learned(weekly).params["seconds"] > 8 * 86_400 or learned(weekly).params["not_on"]


def test_a_weekly_table_may_be_a_week_late() -> None:
    rule = learned(days(12, "Wednesday"))
    assert (rule.params["seconds"] / 86_400, rule.params["not_on"]) == (2.0, [d for d in DAYS if d != "Wednesday"])
    assert rule.sentence.endswith("of the one before, only Wednesdays counted.")


def test_days_that_chance_left_out_are_no_days_of_rest() -> None:
    """Versions that come on any day are seldom said to rest, however few they are: as often as the rule may err."""
    rng = np.random.default_rng(7)
    said = 0
    for _ in range(2000):
        taken = np.sort(rng.choice(60, size=int(rng.integers(5, 20)), replace=False))
        said += bool(resting_days([MONDAY + timedelta(days=int(day)) for day in taken], RISK))
    assert said <= 2000 * RISK * 3
    assert resting_days(days(2, WORKDAYS), RISK) == []


def test_what_is_counted_and_what_is_not_are_the_whole_wait() -> None:
    rng = np.random.default_rng(8)
    for _ in range(200):
        start = MONDAY + timedelta(seconds=int(rng.integers(10**6)))
        end = start + timedelta(seconds=int(rng.integers(2 * 10**6)))
        some = [day for day in DAYS if rng.random() < 0.5]
        parts = (counted_seconds(start, end, some), counted_seconds(start, end, [d for d in DAYS if d not in some]))
        assert abs(sum(parts) - (end - start).total_seconds()) < 1e-3 or not some or len(some) == len(DAYS)


def test_a_change_of_the_days_is_told_as_one() -> None:
    before, after = learned(days(6, WORKDAYS)), learned([MONDAY + timedelta(days=d) for d in range(60)])
    (found,) = after.compare(before)
    assert (found.change, found.before) == ("moved", "within 6 days, Saturdays and Sundays not counted")
