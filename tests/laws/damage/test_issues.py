"""The sixty procedures: what each may change, that they are seeded, and that what changes nothing is no issue."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from catalog.damage.issues import ISSUES, TYPES, Issue, inject

RNG = np.random.default_rng(0)
TABLE = pa.table(
    {
        "name": [f"Item {k}" for k in RNG.integers(0, 99, 200)],
        "code": [f"ab-{k:03d}" for k in RNG.integers(0, 500, 200)],
        "price": np.round(RNG.lognormal(3, 1, 200), 2),
        "weight": RNG.normal(5, 1, 200),
        "pieces": pa.array(RNG.integers(0, 100, 200), pa.int8()),
        "paid": [Decimal(int(k)) / 100 for k in RNG.integers(0, 9999, 200)],
        "flag": RNG.random(200) < 0.5,
        "tags": [[1, 2]] * 200,
    }
)


def test_ten_types_and_sixty_procedures():
    assert len(ISSUES) == 60
    assert len({i.key for i in ISSUES}) == 60
    assert len(TYPES) == 10


@pytest.mark.parametrize("issue", ISSUES, ids=lambda i: i.key)
def test_each_is_seeded_and_keeps_the_schema(issue: Issue):
    applied = 0
    for column in TABLE.column_names:
        one, same, other = (inject(TABLE, column, issue, seed) for seed in (1, 1, 2))
        if one is None:
            continue
        applied += 1
        assert one.schema == TABLE.schema
        assert one.equals(same)
        assert other is None or other.schema == TABLE.schema
        if issue.type not in ("volume", "distribution"):
            assert one.drop_columns([column]).equals(TABLE.drop_columns([column]))
            assert one.num_rows == TABLE.num_rows
    assert applied


def test_settings_are_met():
    nulls = inject(TABLE, "name", Issue("nulls", 50, "null"))
    assert nulls is not None
    assert nulls["name"].null_count == 100
    cased = inject(TABLE, "code", Issue("casing", 10, "upper"))
    assert cased is not None
    assert sum(v[:2] == "AB" for v in cased["code"].to_pylist()) == 20
    assert inject(TABLE, "price", Issue("volume", 10, "random")).num_rows == 2000
    scaled = inject(TABLE, "price", Issue("unit_change", 100, "times"))
    assert np.allclose(scaled["price"].to_numpy(), 100 * TABLE["price"].to_numpy())


def test_no_issue_where_nothing_changes():
    assert inject(TABLE, "code", Issue("casing", 100, "lower")) is None
    assert inject(TABLE, "name", Issue("unit_change", 10, "times")) is None
    assert inject(TABLE, "flag", Issue("padding", 10, "leading")) is None
    assert inject(TABLE.select(["name"]), "name", Issue("schema_change", 10, "sampled")) is None
    assert inject(TABLE.slice(0, 0), "name", Issue("nulls", 50, "null")) is None


def test_numbers_that_do_not_fit_become_null():
    changed = inject(TABLE, "pieces", Issue("unit_change", 1000, "times"))
    assert changed is not None
    assert changed["pieces"].null_count > 150


def test_a_digit_beyond_what_a_double_holds_is_no_issue():
    rng = np.random.default_rng(1)
    thirds = pa.table({"x": rng.integers(1, 99, 50) / 3 + 1 / 7})
    changed = [inject(thirds, "x", Issue("insertion", 50, "end"), seed) for seed in range(5)]
    kept = np.sort(thirds["x"].to_numpy())
    assert all(c is None or not np.allclose(np.sort(c["x"].to_numpy()), kept, rtol=1e-12) for c in changed)
    assert inject(thirds, "x", Issue("unit_change", 10, "times")) is not None
