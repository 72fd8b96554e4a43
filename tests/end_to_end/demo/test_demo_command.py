"""`assay demo` catches every bad version of its lake and nothing else."""

from __future__ import annotations

import pytest
from assay_command import Assay

from catalog.demo.faults import FAULTS


@pytest.mark.spark
@pytest.mark.slow
def test_the_demo_catches_the_three_bad_versions_and_nothing_else(assay: Assay) -> None:
    summary = assay.json("demo", "--once")
    caught = {(one["table"], one["column"], one["fault"]) for one in summary["incidents"]}
    assert caught == {(fault.table, fault.column, fault.kind) for fault in FAULTS.values()}
    assert all(one["version"] and one["kind"] for one in summary["incidents"])
    assert all(one["cause"] == FAULTS[one["table"]].cause for one in summary["incidents"])
    assert [one["opened"] for one in summary["incidents"]] == [1, 1, 1]
    assert (summary["tables"], summary["false_alarms"], summary["missed"]) == (12, 0, [])
    assert summary["tags"] > 50
    assert summary["rules"] > 100
    assert summary["versions_checked"] >= 24
    assert summary["first_tag_seconds"] < summary["seconds"]
