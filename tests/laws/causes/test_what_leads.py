"""Of several things that broke in a version the one that explains most rows is told, and nothing that it explains."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from catalog.causes.diagnose import Diagnosis, diagnose
from catalog.causes.words import veiled
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.pattern_index.views import profile
from catalog.history.series import observe_metrics
from catalog.rules.clauses.strings import StringClause
from catalog.rules.kinds.strings import StringsRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold

LOADED = datetime(2026, 5, 21, 2, 30, tzinfo=UTC)
ROWS = 400
REGIONS = [f"{where}-{side}-{k}" for where in ("eu", "us", "ap", "sa") for side in ("west", "east") for k in (1, 2)]
SERVICES = ["AMAZON", "EC2", "S3", "ROUTE53"]


def unlike(share: float, most: float = 0.0) -> Verdict:
    """What a rule on values says where such a share of them is none that it allows."""
    said = f"{share:.0%} of the values are others."
    return Verdict(VIOLATED, said, {"rows": ROWS}, {}, "nonconforming", share, 0.0, most)


def repeated(share: float, *columns: str) -> Verdict:
    seen: dict[str, Any] = {"repeated": int(share * ROWS), "share": share, "columns": list(columns)}
    return Verdict(VIOLATED, "Rows repeat a value.", seen)


def told(
    before: Mapping[str, Sequence[Any]],
    now: Mapping[str, Sequence[Any]],
    broken: Mapping[str, Sequence[Verdict]],
    private: Sequence[str] = (),
    rules: Sequence[Rule] = (),
) -> list[Diagnosis]:
    """What is said of a version in which such rules broke, by column."""
    was, has = fold(pa.table(dict(before))), fold(pa.table(dict(now)))
    schema = [[name, column.type] for name, column in has.columns.items()]
    batch = Batch(2, "snapshot", has, was, schema, LOADED, [observe_metrics(was, None)])
    of = {rule.column or "": rule for rule in rules}
    pairs = [
        (of.get(name, Rule("pattern", name or None, {}, 0.001, "", "test")), one)
        for name, said in broken.items()
        for one in said
    ]
    return diagnose("ranges", batch, pairs, rules=rules, private=private)


def ranges(seed: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    return {
        "prefix": [f"10.{k // 2}.{seed}.0/24" for k in range(ROWS)],
        "region": [str(v) for v in rng.choice(REGIONS, ROWS)],
        "service": [SERVICES[k % 2 + int(rng.integers(2)) * 2] for k in range(ROWS)],
    }


def test_a_key_that_one_of_its_columns_broke_does_not_lead() -> None:
    rows = ranges(1)
    wrong = rows | {"region": rows["service"], "service": rows["region"]}
    broken = {"region": [unlike(1.0)], "service": [unlike(0.95)], "": [repeated(0.19, "prefix", "service")]}
    (found,) = told(ranges(1), wrong, broken)
    assert (found.cause.cause, set(found.cause.columns)) == ("swapped", {"region", "service"})
    assert found.cause.undo == "exchange the two columns"
    assert set(found.covers) == {"region", "service", ""}


def test_a_key_breaks_where_its_values_are_others_though_nobody_knows_why() -> None:
    rows = ranges(1)
    wrong = rows | {"service": [f"?{k % 3}" for k in range(ROWS)]}
    found = told(rows, wrong, {"service": [unlike(1.0)], "": [repeated(0.19, "prefix", "service")]})
    assert not any(one.cause.cause == "repeated_key" or "keep the latest" in one.cause.undo for one in found)


def test_a_key_that_only_repeats_is_told_as_such() -> None:
    rows, other = ranges(1), ranges(2)
    again = {name: [*values, *values[:80]] for name, values in other.items()}
    again["region"] = again["region"][:ROWS] + again["region"][1:81]
    found = told(rows, again, {"": [repeated(0.17, "prefix", "service")], "service": [unlike(0.01)]})
    assert found[0].cause.sentence.startswith("68 rows (17%) repeat a value of `ranges.prefix` and `ranges.service`")


def test_of_clauses_the_one_that_most_rows_break_is_told() -> None:
    form = StringClause.of(Candidate("runs", ("a-a-0",)), 0.0)
    known = StringClause.of(Candidate("value", tuple(REGIONS)), 0.02)
    rule = StringsRule(
        "pattern", "region", {"clauses": [form.to_json(), known.to_json()], "rows": ROWS}, 0.001, "", "t"
    )
    values = ["eu-north-9"] * 300 + ["EC2"] * 100
    seen = profile(fold(pa.table({"region": values})).columns["region"])
    assert seen is not None
    verdict = rule.judge_profile(seen)
    assert verdict.sentence.startswith("400 of 400 values (100%) are not")
    assert verdict.value == 1.0


def test_others_that_were_there_before_are_said_to_be_no_news() -> None:
    clause = StringClause.of(Candidate("shape", ("AA",)), 0.0)
    rule = StringsRule("pattern", "x", {"clauses": [clause.to_json()], "rows": ROWS}, 0.001, "", "test")
    seen = profile(fold(pa.table({"x": ["DE"] * 399 + ["d-1"]})).columns["x"])
    assert seen is not None
    assert rule.judge_profile(seen, seen).sentence == "399 of 400 values conform (others: as before)."
    assert rule.judge_profile(seen).status == VIOLATED


def test_what_nobody_can_explain_is_told_by_the_figure_that_is_furthest_out() -> None:
    rows = ranges(1)
    hair = Verdict(VIOLATED, "Forms are new.", {"Pat_new": 0.050251}, {}, "Pat_new", 0.050251, 0.0, 0.0502)
    wide = Verdict(VIOLATED, "40 of 796 values (5%) are not six letters, expected at most 0.2%; more.", {}, {},
                   "nonconforming", 0.05, 0.0, 0.002)  # fmt: skip
    other = ranges(2)
    (found,) = told(rows, other, {"region": [hair, wide]})
    assert found.cause.cause == "unknown"
    assert found.cause.sentence == (
        "Values in `ranges.region` are not what they usually are: 40 of 796 values (5%) are not six letters, "
        "expected at most 0.2%."
    )


def test_of_several_columns_nobody_can_explain_the_figure_is_told_with_its_own_column() -> None:
    flags, others = (
        {n: [True, False] * 50 for n in ("open", "paid")},
        {n: [True, True, True, False, False] * 16 for n in ("open", "paid")},
    )
    sizes = np.random.default_rng(3).lognormal(0, 1, (2, 100))
    before, now = {"size": list(sizes[0]), **flags}, {"size": list(sizes[1][:80]), **others}
    wide = Verdict(VIOLATED, "", {"mean": 9.0}, {}, "mean", 9.0, 1.0, 2.0)
    near = Verdict(VIOLATED, "", {"top_ratio": 0.6}, {}, "top_ratio", 0.6, 0.4, 0.55)
    usual = "Values in `ranges.{}` and `ranges.{}` are not what they usually are; in `{}` "
    for broken, said in (
        ({"open": [near], "size": [wide]}, usual.format("size", "open", "size") + "the average is 9, expected 1 to 2."),
        (
            {"open": [near], "paid": [wide]},
            usual.format("paid", "open", "paid") + "it is true in 60% of the rows, in 50% before.",
        ),
    ):
        (found,) = told(before, now, broken)
        assert found.cause.sentence == said
        assert found.cause.columns[0] in said.rpartition("; ")[2], "the distribution that is shown is of the same one"


def test_of_a_sensitive_column_the_share_is_told_in_words_without_values() -> None:
    known = StringClause.of(Candidate("value", tuple(REGIONS)), 0.0).to_json()
    rule = StringsRule("pattern", "region", {"clauses": [known], "rows": ROWS}, 0.001, "", "test")
    wide = Verdict(VIOLATED, f"40 of 400 values (10%) are {rule.program[0].broken()}, expected none.", {}, {},
                   "nonconforming", 0.1, 0.0, 0.0)  # fmt: skip
    (hidden,) = told(ranges(1), ranges(2), {"region": [wide]}, private=["region"], rules=[rule])
    assert hidden.cause.sentence == (
        "Values in `ranges.region` are not what they usually are: 40 of 400 values (10%) are not one of 16 known "
        "values, expected none."
    )


def test_not_known_is_said_of_no_column() -> None:
    assert "not known" not in veiled("unknown", "people", ["name"])


def positions(day: int, prices: int) -> dict[str, list[Any]]:
    """What a fund holds on a day, loaded in the night after it, at the prices of some day."""
    rng = np.random.default_rng(prices)
    return {
        "isin": [f"DE{k:09d}" for k in range(ROWS // 2)],
        "price": [float(v) for v in rng.lognormal(4, 1, ROWS // 2)],
        "loaded": [datetime(2026, 5, prices + 1, 1, tzinfo=UTC)] * (ROWS // 2),
        "as_of": [date(2026, 5, day)] * (ROWS // 2),
    }


def both(*loads: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {name: [value for load in loads for value in load[name]] for name in loads[0]}


def test_rows_of_the_day_before_under_the_date_of_today_are_an_old_delivery() -> None:
    """To keep the latest row of each would delete a day."""
    before, now = both(positions(18, 18), positions(19, 19)), both(positions(19, 19), positions(20, 19))
    broken = {"": [repeated(0.5, "isin", "loaded")], "price": [unlike(0.5)]}
    (found,) = told(before, now, broken)
    assert (found.cause.cause, found.cause.undo, set(found.covers)) == ("stale", "", {"", "price"})
    assert found.cause.sentence.startswith(
        "200 rows (50%) of `ranges` are those of another load under another `as_of`: all else in them is the same."
    )
    changed = both(positions(19, 19), positions(20, 19) | {"price": positions(20, 20)["price"]})
    (found,) = told(before, changed, {"": broken[""]})
    assert (found.cause.cause, found.cause.undo) == ("repeated_key", "keep the latest row of each value")


def test_a_load_that_is_the_one_before_but_for_its_date_is_an_old_delivery() -> None:
    before = positions(19, 19)
    now = before | {"as_of": [date(2026, 5, 20)] * len(before["as_of"])}
    (found,) = told(before, now, {"price": [unlike(1.0)]})
    assert (found.cause.cause, found.covers) == ("stale", ("price",))
    assert found.cause.sentence.startswith("All rows of `ranges` are those of another load under another `as_of`:")
    assert all(one.cause.cause != "stale" for one in told(before, positions(20, 20), {"price": [unlike(1.0)]}))
