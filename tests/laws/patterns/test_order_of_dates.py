"""Rules on dates of which either the day or the month stands first, learned and judged."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

import pyarrow as pa
import pytest

from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.starter import pretrain
from catalog.lake.reading.rows import wrong
from catalog.rules.verdict import PASSED, VIOLATED
from tests.quality.test_string_rules import COLUMNS, batch, learned

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def index() -> PatternIndex:
    index = PatternIndex()
    pretrain(index, COLUMNS)
    return index


@pytest.mark.parametrize("form", ["%d/%m/%Y %H:%M", "%m/%d/%Y", "%d.%m.%Y"])
def test_dates_with_day_and_month_exchanged_break_the_rule_that_knows_their_order(
    index: PatternIndex, form: str
) -> None:
    """They are dates and written as before, only others: nothing but their order tells. A healthy load passes."""
    r = random.Random(5)

    def load(n: int, form: str) -> list[str | None]:
        return [(datetime(2020, 1, 1) + timedelta(hours=r.randrange(20_000))).strftime(form) for _ in range(n)]

    exchanged = form.translate(str.maketrans("dm", "md"))
    rule = learned(index, load(400, form))
    first = "day" if form.startswith("%d") else "month"
    assert f"with the {first} first" in rule.sentence
    assert rule.judge(batch(load(70, form))).status == PASSED
    verdict = rule.judge(batch(load(70, exchanged)))
    assert verdict.status == VIOLATED
    assert f"with the {first} first" in verdict.sentence
    wrong_ones = [datetime(2020, 3, 25).strftime(exchanged), datetime(2020, 3, 4).strftime(exchanged)]
    assert wrong(pa.array(wrong_ones), verdict.offenders).to_pylist() == [True, False]


def test_a_column_of_dates_in_both_orders_is_asked_for_none(index: PatternIndex) -> None:
    days = [datetime(2020, 1, 1) + timedelta(days=k) for k in range(400)]
    both = [day.strftime("%d/%m/%Y" if k % 2 else "%m/%d/%Y") for k, day in enumerate(days)]
    assert "first" not in learned(index, list(both)).sentence
