"""What the rule on a table's schema says of columns that went and came."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from catalog.rules.kinds.schema import SchemaRule
from catalog.rules.verdict import PASSED, VIOLATED, Batch
from catalog.states.folding.fold import fold

RULE = SchemaRule("schema", None, {"columns": [["id", "bigint"], ["state", "string"]]}, 0.001, "", "schema")


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
    verdict = RULE.judge(Batch(3, "snapshot", rows, None, schema, datetime(2026, 1, 1, tzinfo=UTC), []))
    assert (verdict.status, verdict.sentence) == (status, words)
