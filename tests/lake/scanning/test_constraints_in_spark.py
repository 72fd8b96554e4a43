"""Rules written as CHECK constraints: Delta takes them, keeps rows that conform and refuses those that do not."""

from __future__ import annotations

import pytest

from catalog.evidence.clauses.candidates import Candidate
from catalog.rules.clauses.strings import StringClause
from catalog.rules.exchange.demands import demands
from catalog.rules.exchange.formats.delta import write as check
from catalog.rules.rule import Rule

pytestmark = pytest.mark.spark
TABLE = "checked_orders"


def _rule(column: str, *clauses: StringClause) -> Rule:
    params = {"clauses": [one.to_json() for one in clauses], "rows": 90}
    return Rule("pattern", column, params, 0.01, "x.", "strings")


def test_delta_judges_by_constraints_as_the_rules_do(spark) -> None:  # type: ignore[no-untyped-def]
    rules = [
        _rule(
            "id",
            StringClause.of(Candidate("names", ("SO<digit>{5}",)), 0.0),
            StringClause.of(Candidate("presence", ("given",)), 0.0),
        ),
        _rule("who", StringClause.of(Candidate("value", ("it's", "a\\b", "none")), 0.0)),
    ]
    written, lost = check(TABLE, [one for rule in rules for one in demands(rule)[0]])
    assert not lost
    spark.sql(f"DROP TABLE IF EXISTS {TABLE}")
    spark.sql(f"CREATE TABLE {TABLE} (id string, who string) USING delta")
    for line in written.splitlines():
        spark.sql(line.removesuffix(";"))
    frame = "id string, who string"
    right = [("SO43659", "it's"), ("SO00001", "a\\b"), ("SO00002", None)]
    spark.createDataFrame(right, frame).write.insertInto(TABLE)
    for wrong in [("PO43659", "it's"), ("SO4365", "it's"), ("SO43659\n", "it's"), (None, "it's"), ("SO43659", "its")]:
        with pytest.raises(Exception, match=r"(?i)check constraint"):
            spark.createDataFrame([wrong], frame).write.insertInto(TABLE)
    assert sorted(map(tuple, spark.table(TABLE).collect()), key=str) == sorted(right, key=str)
    spark.sql(f"DROP TABLE {TABLE}")
