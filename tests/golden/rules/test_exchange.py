"""Rules in the formats of other tools: what is written judges as the rule does, and what is not is told."""

from __future__ import annotations

import json
import re

import pytest

from catalog.evidence.clauses.candidates import Candidate
from catalog.rules.clauses.band import BandClause
from catalog.rules.clauses.strings import StringClause
from catalog.rules.exchange.demands import EARLIER, HIDDEN, IN_TIME, VALIDATOR, demands
from catalog.rules.exchange.formats.gx import write as gx
from catalog.rules.exchange.registry import WRITERS
from catalog.rules.rule import Rule

SECRET = "Marburg 'fever'"  # noqa: S105 - an illness


def strings(*clauses: StringClause) -> Rule:
    return Rule("pattern", "a.b", {"clauses": [one.to_json() for one in clauses], "rows": 90}, 0.01, "x.", "strings")


CODES = strings(
    StringClause.of(Candidate("names", ("SO<digit>{5}",)), 0.01),
    StringClause.of(Candidate("value", (SECRET, "flu")), 0.0),
    StringClause.of(Candidate("presence", ("given",)), 0.0),
    StringClause.of(Candidate("domain", ("date",)), 0.0),
    StringClause.of(Candidate("clean", ("padded",)), 0.0),
)


def bands(kind: str, *clauses: BandClause) -> Rule:
    params = {"clauses": [one.to_json() for one in clauses], "batches": 30, "kind": kind}
    return Rule("history", "n", params, 0.001, "x.", "history")


def keeps(suite: dict, values: list[str | None]) -> bool:
    """Whether a column keeps to the expectations on its values, as Great Expectations documents them."""

    def fits(one: dict, value: str) -> bool:
        kwargs = one["kwargs"]
        return re.search(kwargs["regex"], value) is not None if "regex" in kwargs else value in kwargs["value_set"]

    for one in suite["expectations"]:
        given = [value for value in values if value is not None]
        if one["type"] == "expect_column_values_to_not_be_null":
            share = len(given) / len(values)
        else:
            share = sum(fits(one, value) for value in given) / len(given)
        if share < one["kwargs"].get("mostly", 1.0):
            return False
    return True


def test_an_expectation_suite_tells_right_values_from_wrong_ones() -> None:
    rule = strings(
        StringClause.of(Candidate("names", ("SO<digit>{5}",)), 0.01),
        StringClause.of(Candidate("presence", ("given",)), 0.0),
    )
    suite, lost = gx("orders", demands(rule)[0])
    assert not lost
    right: list[str | None] = [f"SO{n:05}" for n in range(200)]
    assert keeps(suite, right)
    assert keeps(suite, [*right[:-1], "PO00001"])
    assert not keeps(suite, [*right[:-5], *["PO00001"] * 5])
    assert not keeps(suite, [*right[:-1], None])


def test_what_cannot_be_expressed_is_told_with_its_reason() -> None:
    found, lost = demands(CODES)
    assert [one.kind for one in found] == ["has_pattern", "is_in", "is_complete"]
    assert (lost[0].why, len(lost)) == (VALIDATOR, 2)
    here, since = BandClause("mean", low=1.0, high=2.0), BandClause("mean", lag=1, low=-1.0, high=2.0)
    found, lost = demands(bands("number", here, since, BandClause("L_1", high=1.0)))
    assert [(one.kind, one.at_least, one.at_most) for one in found] == [("has_mean", 1.0, 2.0)]
    assert [one.why for one in lost] == [EARLIER, "no format knows this figure"]
    assert demands(bands("time", BandClause("max", low=1.0, high=2.0)))[1][0].why == IN_TIME
    assert demands(bands("number", BandClause("std", low=-3.0, high=2.0)))[0][0].at_least is None
    found, lost = demands(bands("string", BandClause("complete_ratio", low=0.99519, high=1.004)))
    assert found[0].at_least == 0.9951


@pytest.mark.parametrize("name", WRITERS)
def test_each_demand_is_written_or_lost(name: str) -> None:
    found, _ = demands(CODES)
    written, lost = WRITERS[name]("orders", found)
    text = written if isinstance(written, str) else json.dumps(written)
    assert ("SO[0-9]{5}" in text) is (name != "check")  # one row in a hundred may be another
    assert len(lost) == (name == "check")
    assert "a.b" in text.replace("`", "")
    assert "flu" in text


@pytest.mark.parametrize("name", WRITERS)
def test_no_value_of_a_sensitive_column_is_written(name: str) -> None:
    found, lost = demands(CODES, private=True)
    written, more = WRITERS[name]("orders", found)
    assert "Marburg" not in json.dumps(written) + str(lost) + str(more)
    assert HIDDEN in {one.why for one in lost}
