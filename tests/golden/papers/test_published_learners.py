"""The published learners as rules of the product: what they demand, when they alarm, what is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from catalog.errors import UsageError
from catalog.evidence.homogeneity import increased
from catalog.learners.published import Corpus, learn_pattern, learn_program
from catalog.learners.registry import LEARNERS, Choice, chosen
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, VIOLATED, Batch
from catalog.states.folding.fold import fold

CODES = [[(f"SO{n}-{k:04d}", 1) for k in range(30)] for n in range(6)]


def batch(values: list[str | None]) -> Batch:
    state = fold(pa.table({"code": pa.array(values, pa.string())}))
    return Batch(version=2, kind="snapshot", state=state, previous=None, schema=[], committed_at=None, history=[])  # type: ignore[arg-type]


def learned(name: str, values: list[tuple[str, int]], **settings: float) -> Rule:
    rule = learn_pattern(Choice.of(name, settings), values, Corpus(CODES), np.ones(6, bool), column="code")
    assert rule is not None
    return Rule.from_json(rule.to_json())  # as stored


@pytest.mark.parametrize("name", ["fmdv", "fmdv-v", "fmdv-h", "fmdv-vh", "cmdv"])
def test_each_form_learns_a_rule_that_says_its_learner_and_judges(name: str) -> None:
    rule = learned(name, [(f"SO7-{k:04d}", 1) for k in range(40)])
    assert (rule.kind, rule.learner, rule.column) == ("data_pattern", name, "code")
    assert rule.judge(batch([f"SO8-{k:04d}" for k in range(50)])).status == PASSED
    alarm = rule.judge(batch([f"SO8/{k:04d}" for k in range(50)]))
    assert alarm.status == VIOLATED
    assert alarm.offenders


def test_without_horizontal_cuts_one_value_is_enough_with_them_a_significant_share() -> None:
    values = [(f"SO7-{k:04d}", 1) for k in range(198)] + [("-", 1), ("?", 1)]
    later = [f"SO7-{k:04d}" for k in range(200)]
    strict = learned("fmdv", values[:198])
    tolerant = learned("fmdv-h", values, theta=0.05)
    assert tolerant.params["nonconforming"] in (0, 2)  # markers of missing values may be left out before
    assert strict.judge(batch([*later, "x!"])).status == VIOLATED
    assert tolerant.judge(batch([*later, "x!"])).status == PASSED
    assert tolerant.judge(batch([*later, *["x!"] * 40])).status == VIOLATED
    assert increased(2, 200, 40, 240)


def test_settings_decide() -> None:
    values = [(f"SO7-{k:04d}", 1) for k in range(40)]
    assert learn_pattern(Choice.of("fmdv", {"m": 100}), values, Corpus(CODES), np.ones(6, bool), column="x") is None
    assert learn_pattern(Choice.of("fmdv", {}), values, Corpus(CODES), np.zeros(6, bool), column="x") is None


def test_a_program_from_history_has_bands_and_judges_a_batch() -> None:
    rng = np.random.default_rng(0)
    history = [{"complete_ratio": 1.0, "mean": float(m), "row_count": 50.0} for m in rng.normal(10, 0.1, 20)]
    issues = [{"complete_ratio": 0.5, "mean": 10.0, "row_count": 50.0}, {"complete_ratio": 1.0, "mean": 90.0}]
    rule = learn_program(Choice.of("avh", {"delta": 0.01}), history, issues, column="code", kind="number")
    assert rule is not None
    assert (rule.kind, rule.learner) == ("history", "avh")
    assert rule.fpr is not None
    assert rule.fpr <= 0.01
    again = Rule.from_json(rule.to_json())
    assert again.judge_metrics(history[0], history).status == PASSED  # type: ignore[attr-defined]
    assert again.judge_metrics({**history[0], "complete_ratio": 0.9}, history).status == VIOLATED  # type: ignore[attr-defined]
    assert learn_program(Choice.of("avh", {}), history, [], column="code", kind="number") is None


@pytest.mark.parametrize(
    ("name", "settings", "cause"),
    [
        ("fmvd", {}, "no learner 'fmvd'"), ("fmdv", {"theta": 0.1}, "no setting 'theta'"),
        ("avh", {"delta": 2}, "delta is 2"),
        ("fmdv", {"m": 2.5}, "m is 2.5"), ("ours", {"r": 0.1}, "no settings"),
    ],
)  # fmt: skip
def test_what_cannot_be_chosen_is_said(name: str, settings: dict[str, float], cause: str) -> None:
    with pytest.raises(UsageError, match=cause.replace("no settings", "take no settings")) as said:
        Choice.of(name, settings)
    assert said.value.remedy


def test_what_this_release_does_not_know_is_left_to_the_product() -> None:
    stored = {"strings": {"name": "fmdv", "settings": {"m": 5}}, "history": {"name": "later"}}
    assert chosen(stored) == {"strings": Choice("fmdv", {"m": 5})}
    assert chosen({"strings": {"name": "avh"}}) == {}
    assert set(LEARNERS) == {"fmdv", "fmdv-v", "fmdv-h", "fmdv-vh", "cmdv", "avh"}
