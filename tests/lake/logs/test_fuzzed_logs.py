"""Logs of any JSON: a table, or an error of that table; never anything else, and nothing that cannot be stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.errors import AssayError, CorruptLog
from catalog.lake.logs.log import read_commits, read_table, table_at
from catalog.lake.logs.replaying import commit_name
from catalog.lake.reading.files import ReadPlan
from catalog.lake.scanning.delta import absolute
from catalog.lake.scanning.scan import fold_unit, plan_units
from catalog.lake.scanning.tasks import Task
from catalog.lake.types import LARGEST

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**40), 10**40), st.floats(), st.text(max_size=20),
    st.text(st.characters(categories=["Cs", "Cc", "Lu"]), max_size=5),
    st.sampled_from(["id", "day", "GOOD", "long", "string", "struct", "array", "map", "decimal(5,2)", "decimal(99,x)",
                     "file:///etc/passwd", "../x", "s3://a|b", "name", "3", "2024-01-01", "%ff", "u", "i"]),
)  # fmt: skip
KEYS = st.sampled_from(
    ["path", "size", "partitionValues", "stats", "stats_parsed", "numRecords", "deletionVector", "storageType",
     "pathOrInlineDv", "offset", "modificationTime", "dataChange", "name", "type", "fields", "elementType", "keyType",
     "valueType", "metadata", "delta.columnMapping.physicalName", "delta.columnMapping.mode", "configuration",
     "partitionColumns", "minReaderVersion", "readerFeatures", "timestamp", "operation", "operationParameters", "mode",
     "predicate", "domain", "id", "day", "description", "createdTime"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=20
)
KINDS = st.sampled_from(["add", "remove", "metaData", "protocol", "commitInfo", "domainMetadata", "sidecar", "txn"])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lake") / "t"
    write_deltalake(str(path), pa.table({"id": [1, 2], "day": ["a", "b"]}), partition_by=["day"])
    return path


@st.composite
def commits(draw: Any, good: list[dict[str, Any]]) -> list[Any]:
    """Actions of a real commit of which some values are others, and actions of anything."""
    found = json.loads(json.dumps(good))
    for _ in range(draw(st.integers(1, 3))):
        action = draw(st.sampled_from(found))
        (kind,) = action
        value = action[kind]
        if not isinstance(value, dict) or not value or draw(st.integers(0, 9)) == 0:
            action[kind] = draw(VALUES)
        elif kind == "metaData" and draw(st.booleans()):
            schema = {"type": "struct", "fields": draw(st.lists(VALUES, max_size=3))}
            value["schemaString"] = json.dumps(draw(st.sampled_from([schema, draw(VALUES)])))
        else:
            value[draw(st.sampled_from(sorted(value)) | KEYS)] = draw(VALUES)
    extra = [{draw(KINDS): draw(VALUES)} for _ in range(draw(st.integers(0, 2)))]
    return draw(st.permutations([*found, *extra]))


def storable(error: AssayError) -> None:
    str(error).encode()
    assert "\0" not in str(error)
    assert error.cause
    assert len(error.cause) < 1000


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_log_is_a_table_or_an_error_of_it(table: Path, data: Any) -> None:
    log = table / commit_name(0)
    whole = log.read_bytes()
    actions = data.draw(commits([json.loads(line) for line in whole.splitlines()]))
    try:
        log.write_text("\n".join(map(json.dumps, actions)))
        try:
            look(str(table))
        except AssayError as error:
            storable(error)
    finally:
        log.write_bytes(whole)


@pytest.mark.parametrize("columns", [[[]], [{"day": 1}], [None], 5, "day"])
def test_partition_columns_are_names(table: Path, columns: Any) -> None:
    """Found by the test above: what no name is made planning fail, for every table of the crawl."""
    log = table / commit_name(0)
    whole = log.read_bytes()
    actions = [json.loads(line) for line in whole.splitlines()]
    for action in actions:
        if "metaData" in action:
            action["metaData"]["partitionColumns"] = columns
    try:
        log.write_text("\n".join(map(json.dumps, actions)))
        with pytest.raises(CorruptLog, match="partition columns"):
            look(str(table))
    finally:
        log.write_bytes(whole)


def look(uri: str) -> None:
    """What a crawl does with a log, up to the files' states."""
    info = read_table(uri)
    found = read_commits(uri)
    assert 0 <= info.properties["bytes"] <= LARGEST
    json.dumps([info.properties, [commit.info for commit in found]], allow_nan=False)
    str([info.name, info.columns, info.partition_columns, info.properties, [c.schema for c in found]]).encode()
    for commit in found:
        table_at(info, commit)
        assert 1970 <= commit.committed_at.year < 9999
        str([commit.operation, commit.info, commit.removed]).encode()
    for file in info.files:
        assert 0 <= file.size <= LARGEST
        assert file.rows is None or 0 <= file.rows <= LARGEST
        file.key.encode()
        try:
            absolute(uri, file.path)
        except AssayError as error:
            storable(error)
    plans, units, failed = plan_units([Task(1, uri, info, file) for file in info.files], {})
    for unit in units:
        state, _, kind, error = fold_unit(plans[unit.plan], unit)
        assert (state is None) == (kind is not None)
        (error or "").encode()
    for result in failed:
        (result.error or "").encode()
    ReadPlan.of(info).empty()
