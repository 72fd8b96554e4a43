"""How replays on a table's own past, and on the lake's, make its bands wider; no data folder needed."""

import pyarrow as pa
import pytest

from catalog.history.series import column_series, observe_metrics
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.deviation import furthest
from catalog.rules.replayed import Replayed
from catalog.rules.verdict import VIOLATED
from catalog.states.folding.fold import fold

ROWS = 200


def _register(batches, relabelled):
    """States of a register of which people relabel each part of the rows once, in the batches named."""
    labels = dict.fromkeys(range(ROWS), 0)
    found = []
    for at in range(batches):
        if at in relabelled:
            share = relabelled[at]
            labels |= {k: at for k in range(ROWS) if k % 100 < 100 * share}
        table = {
            "name": [f"member {k}" for k in range(ROWS)],
            "kind": [f"kind {v} of {k % 9}" for k, v in labels.items()],
        }
        found.append(fold(pa.table(table)))
    return found


def _learned(states, lake=None):
    series = [observe_metrics(now, before) for before, now in zip([None, *states[:-1]], states, strict=True)]
    rules = learn_history(
        series, kinds={"name": "string", "kind": "string"}, unused=unused_in(states[-1]), budget=0.001, lake=lake
    )
    return series, {rule.column: rule for rule in rules}


def test_a_table_whose_past_would_have_alarmed_has_wider_bands_and_says_from_how_many_replays():
    _, quiet = _learned(_register(30, {}))
    _, edited = _learned(_register(30, {12: 0.1, 19: 0.15, 25: 0.2}))
    assert quiet["kind"].evidence["replays_on_its_past"] == edited["kind"].evidence["replays_on_its_past"] == 23
    assert quiet["name"].evidence["alarms_in_replays"] == 0
    assert "bands_wider_for_it" not in quiet["name"].evidence
    assert edited["name"].evidence["alarms_in_replays"] >= 2
    assert edited["name"].evidence["bands_wider_for_it"] > 1.5
    narrow, wide = (next(c for c in rules["name"].clauses if c.metric == "lost_values") for rules in (quiet, edited))
    assert wide.high > 1.3 * narrow.high  # of the column that nobody edits


def test_the_next_wanted_change_of_an_edited_table_is_no_news():
    past = {12: 0.1, 19: 0.15, 25: 0.2}
    states = _register(31, {**past, 30: 0.3})
    series, rules = _learned(states[:30])
    now = observe_metrics(states[30], states[29])
    out = furthest(rules["kind"].apart(now.columns["kind"], column_series(series, "kind")), rules["kind"].pool)
    assert out <= 1
    states = _register(31, {30: 0.3})
    series, rules = _learned(states[:30])
    now = observe_metrics(states[30], states[29])
    assert furthest(rules["kind"].apart(now.columns["kind"], column_series(series, "kind")), rules["kind"].pool) > 1


@pytest.mark.parametrize(("alarms", "more"), [(0, False), (40, True)])
def test_a_table_without_a_past_that_says_much_is_taken_for_one_of_its_lake(alarms, more):
    _, rules = _learned(_register(9, {}), Replayed(500, alarms, 5.0))
    assert rules["kind"].evidence.get("bands_wider_for_it", 1.0) > 3 if more else True
    assert ("bands_wider_for_it" in rules["kind"].evidence) == more


def test_a_long_quiet_past_gives_way_from_what_the_lake_shows():
    lake = Replayed(500, 40, 5.0)
    assert Replayed(8, 0, 0.1).factor(lake.factor()) > 5
    assert Replayed(2000, 0, 20.0).factor(lake.factor()) < 1


def test_relabelling_widens_nothing_about_values_that_never_lacked():
    _, quiet = _learned(_register(30, {}))
    series, edited = _learned(_register(30, {12: 0.1, 19: 0.15, 25: 0.2}))
    filled = [next(c for c in rules["kind"].clauses if c.metric == "complete_ratio") for rules in (quiet, edited)]
    assert filled[0].low == filled[1].low > 0.98
    past = column_series(series, "kind")
    verdict = edited["kind"].judge_metrics({**past[-1], "complete_ratio": 0.95, "filled_ratio": 0.95}, past)
    assert verdict.status == VIOLATED
    assert verdict.p_value < 0.1 * edited["kind"].fpr  # which no column of 76 tables comes near
    seldom = [{**past[0], "complete_ratio": 0.97}, *past[1:]]
    assert edited["kind"].judge_metrics({**past[-1], "complete_ratio": 0.95}, seldom).p_value > verdict.p_value
