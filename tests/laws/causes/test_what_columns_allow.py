"""What is known of a column decides what may have happened to it: its values, its meaning, the figures themselves."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog.causes import proof
from catalog.causes.cause import Cause, Guess
from catalog.causes.diagnose import diagnose
from catalog.causes.likely import probably
from catalog.evidence.clauses.candidate import Candidate
from catalog.history.series import observe_metrics
from catalog.rules.clauses.strings import StringClause
from catalog.rules.kinds.strings import StringsRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold

LOADED = datetime(2026, 5, 21, 2, 30, tzinfo=UTC)


def said(
    past: Sequence[Sequence[Any]],
    now: Sequence[Any],
    *,
    name: str = "code",
    clause: Candidate | None = None,
    theta: float = 0.0,
    meaning: str = "",
) -> Cause:
    """What is said of one column that broke, behind batches of it; a `clause` is a rule on its values."""
    states = [fold(pa.table({name: list(values)})) for values in past]
    state = fold(pa.table({name: list(now)}))
    known = [observe_metrics(one, states[k - 1] if k else None) for k, one in enumerate(states)]
    batch = Batch(9, "increment", state, states[-1], [[name, state.columns[name].type]], LOADED, known)
    rule, verdict = Rule("history", name, {"clauses": []}, 0.001, "", "test"), Verdict(VIOLATED, "Others than usual.")
    rules: list[Rule] = [rule]
    if clause is not None:
        clauses = [StringClause.of(clause, theta).to_json()]
        rules.append(StringsRule("pattern", name, {"clauses": clauses, "rows": 400}, 0.001, "", "test"))
        judged = rules[1].judge(batch)
        verdict, rule = (judged, rules[1]) if judged.status == VIOLATED else (verdict, rule)
    meanings: Mapping[str, str] = {name: meaning} if meaning else {}
    return diagnose("t", batch, [(rule, verdict)], rules=rules, meanings=meanings)[0].cause


LEAGUES = [["AL"] * 50 + ["NL"] * 26, ["NL"] * 40 + ["AL"] * 36, ["AL"] * 76]


def test_a_value_that_a_rule_lists_is_neither_another_prefix_nor_new() -> None:
    now = ["NL"] * 61 + ["AL"] * 15
    assert said(LEAGUES, now).cause != "unknown"  # what nothing is known of may be rewritten
    told = said(LEAGUES, now, clause=Candidate("value", ("AL", "NL")))
    assert (told.cause, told.undo) == ("unknown", "")


def test_values_that_are_new_each_time_have_no_default_but_a_word_for_one() -> None:
    days = [[f"2026-05-{day:02d} 02:32:31"] * 300 for day in range(10, 20)]
    assert said(days, ["05/20/2026 02:32"] * 300).cause != "default"
    assert said(days, ["UNKNOWN"] * 300).cause == "default"
    assert said(days, ["1900-01-01 00:00:00"] * 300).cause == "default"
    files = [[f"company:{1000 * batch + k // 8}" for k in range(80)] for batch in range(9)]
    told = said(files, ["government:D1342"] * 36 + [f"company:{99000 + k // 8}" for k in range(44)])
    assert told.cause != "default"


def test_a_word_for_a_missing_value_is_called_so() -> None:
    told = said([["ssh", "http", "dns"] * 30] * 9, ["(empty)"] * 90)
    assert told.sentence.startswith('All values in `t.code` are "(empty)" now, a word for a missing value, where') or (
        'are "(empty)", a word for a missing value, which is not usual there' in told.sentence
    )


def test_what_values_are_no_longer_is_said_before_how_they_were_changed() -> None:
    past = [[f"{who}{k}@adventure.example" for k in range(batch, batch + 20) for who in ("ann", "bo", "cy")]
            for batch in range(0, 180, 20)]  # fmt: skip
    now = [f"{who}{k}_at_adventure.example" for k in range(180, 200) for who in ("ann", "bo", "cy")]
    told = said(past, now, clause=Candidate("domain", ("email",)), theta=0.8)
    assert told.sentence.startswith("Values in `t.code` are not e-mail addresses any more: they ")
    assert "another system" not in told.sentence


def test_numbers_in_clumps_are_off_by_the_factor_that_their_ends_and_middle_show() -> None:
    rng = np.random.default_rng(4)

    def batch(*of: int) -> list[int]:
        first = [one for one, rows in zip((1, 3, 5, 7), of, strict=True) for _ in range(rows)]
        return [one * 11_111_111_111_111 + int(rng.integers(10**9)) for one in first]

    told = said([batch(19, 20, 15, 22) for _ in range(9)], [n // 10_000 for n in batch(19, 20, 30, 7)])
    assert told.undo == "multiply by 10000"
    assert "1/1000 " not in told.sentence
    assert "1/10,000 times" in told.sentence


def test_the_other_sign_is_not_told_of_places() -> None:
    rng = np.random.default_rng(5)
    north = [[float(v) for v in rng.uniform(10, 60, 76)] for _ in range(9)]
    south = [float(-v) for v in rng.uniform(10, 60, 60)] + [float(v) for v in rng.uniform(10, 60, 16)]
    assert said(north, south, name="balance").cause == "sign"
    assert said(north, south, name="y", meaning="latitude").cause == "unknown"
    assert said(north, south, name="altitude").cause == "unknown"


def test_units_are_told_of_what_has_them() -> None:
    milli = Guess("scale_1000", "scale", 0.99, detail={"factor": 1000})
    assert "millimetres" in probably(milli, "`t.reach`", None)
    assert probably(milli, "`t.Testing_Rate`", None) == ""
    assert "millimetres" not in probably(milli, "`t.x`", None, "salary")
    pounds = Guess("scale_2.20462", "scale", 0.99, detail={"factor": 2.20462})
    assert probably(pounds, "`t.price`", None) == ""
    debits = Guess("sign", "sign", 0.99)
    assert "debits" in probably(debits, "`t.amount`", None)
    assert probably(debits, "`t.age`", None) == ""


def test_words_are_not_numbered() -> None:
    words, codes = (fold(pa.table({"x": v})).columns["x"] for v in (["wk inc flu hosp"], ["Q526176"]))
    guess = Guess("prefix", "prefix", 0.99, detail={"old": "wk", "new": "week"})
    assert probably(guess, "`t.x`", words) == ""
    assert probably(guess, "`t.x`", codes) == "Probably another system's numbering."


def test_a_remedy_that_does_not_bring_the_figures_back_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    *fees, euros = [[float(v) for v in rng.lognormal(3, 0.4, 200)] for _ in range(10)]
    cents = [100 * fee for fee in euros]
    assert said(fees, cents, name="fee").undo == "divide by 100"
    monkeypatch.setattr(proof, "figures_back", lambda *_: (12, 20))
    told = said(fees, cents, name="fee")
    assert (told.cause, told.undo, told.proof) == ("scale", "", "")
