"""Hostile and broken tables beside good ones, on the way that the scheduler takes: no table holds back another."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.observe import restarted
from catalog.flow.reading.sources import add_source, allow
from catalog.flow.watch import tick
from catalog.history.series import TableMetrics
from catalog.lake.logs.log import read_commits, read_table
from catalog.lake.logs.replaying import commit_name
from catalog.store.lake import tables, versions
from catalog.store.models import Table
from catalog.store.pages.rules import find_outcomes
from workers.tasks import crawl_tables as crawl_task

pytestmark = pytest.mark.spark

SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}


def rows(start: int = 0) -> pa.Table:
    return pa.table({"id": list(range(start, start + 20)), "code": [f"A-{i % 7}" for i in range(20)]})


def added(path: Any, **more: Any) -> dict[str, Any]:
    told = {"path": path, "size": 100, "partitionValues": {}, "modificationTime": 1, "dataChange": True}
    return {"add": told | more}


def vector(kind: str, text: str, **more: Any) -> dict[str, Any]:
    return {"storageType": kind, "pathOrInlineDv": text, "sizeInBytes": 1, "cardinality": 1, **more}


def schema_of(*fields: Any) -> dict[str, Any]:
    return {"metaData": {"id": "x", "schemaString": json.dumps({"type": "struct", "fields": list(fields)})}}


FIELD = SCHEMA["fields"][0]


def nested(depth: int) -> dict[str, Any]:
    """A schema whose one column is a list of lists of lists."""
    kind = '{"type": "array", "containsNull": true, "elementType": ' * depth + '"string"' + "}" * depth
    text = '{"type": "struct", "fields": [{"name": "id", "nullable": true, "metadata": {}, "type": ' + kind + "}]}"
    return {"metaData": {"id": "x", "schemaString": text}}


#: What the next commit of a table says. Each of these tables was healthy and judged before.
# fmt: off
COMMITS: list[list[Any] | bytes] = [
    *(
        [added(path, **more)]
        for more in ({}, {"size": 1 << 40})
        for path in (
            "nosuch://x/y", "http://127.0.0.1:9/x", "s3://a|b", "s3://bucket/x", "gs://b/x", "abfss://c@d/x",
            "hdfs://x:1/y", "file:///etc/passwd", "/etc/passwd", "../../secret.parquet", "%2e%2e/%2e%2e/secret.parquet",
            "memory://x", "zip://x::file:///etc/passwd", "absent.parquet", "text.parquet", "folder", "pipe",
            "x" * 5000, "link.parquet",
        )
    ),
    *([added(path)] for path in ("\ud800", "%ff", "a\x00b", "", 7, None, [], {})),
    *([added("GOOD", size=size)] for size in (10**30, -1, "large", None, 1e400)),
    *([added("GOOD", modificationTime=time)] for time in (10**30, "x")),
    [added("GOOD", stats='{"numRecords": ' + "9" * 30 + "}")],
    [added("GOOD", partitionValues={"id": "7", "\ud800": "x"})],
    [added("GOOD", partitionValues=[1])],
    *(
        [added("GOOD", deletionVector=told)]
        for told in (
            vector("i", "#####"), vector("u", "short"), vector("p", "/etc/passwd", offset=1), vector("x", "y"),
            vector("p", "http://169.254.169.254/x"), vector("u", "../.." + "0" * 20, offset=1), {"odd": 1}, "text",
        )
    ),
    [{"add": 7}], [{"remove": {}}], [[]], [7], [{"metaData": "text"}], [{"protocol": []}], [{"commitInfo": []}],
    [{"protocol": {"minReaderVersion": "3"}}], [{"protocol": {"minReaderVersion": 10**30}}],
    [{"commitInfo": {"timestamp": 10**40, "operation": "\ud800", "note": "\x00"}}, added("GOOD")],
    [{"commitInfo": {"timestamp": float("nan"), "n": float("inf")}}, added("GOOD")],
    [schema_of(FIELD, FIELD)], [nested(300)], [nested(5000)], [schema_of({**FIELD, "type": 7})],
    [schema_of({**FIELD, "name": "\ud800"})], [schema_of({**FIELD, "name": "x" * 100_000})],
    [schema_of({**FIELD, "type": "geometry"})], [schema_of({**FIELD, "type": "decimal(x)"})],
    [schema_of({**FIELD, "name": None})], [schema_of(), added("GOOD")],
    b"\xff\xfe\x00", b"{" * 100_000, b'{"add": {"path": "x"', b"[" * 5000, b"\x00" * 1000, b'"text"', b"9" * 10_000,
]
# fmt: on


def spoil(table: Path, commit: list[Any] | bytes) -> None:
    """Give a table a hostile version 1."""
    (table / "text.parquet").write_text("no parquet")
    (table / "folder").mkdir()
    os.mkfifo(table / "pipe")
    (table / "link.parquet").symlink_to("/etc/passwd")
    data = commit
    if isinstance(commit, list):
        good = read_table(str(table)).files[0].path
        lines = [json.dumps(action).replace('"GOOD"', json.dumps(good)) for action in commit]
        data = "\n".join(lines).encode()
    (table / commit_name(1)).write_bytes(data)  # type: ignore[arg-type]


def state(context: Context) -> dict[str, Table]:
    with context.reading() as session:
        return {table.name: table for table in tables.every_table(session)}


def test_no_table_holds_back_another(context: Context, tmp_path: Path) -> None:
    """Some 80 tables that turn hostile at once, and good ones with news, in the one task that the scheduler queues."""
    lake = tmp_path / "lake"
    pq.write_table(pa.table({"id": [666]}), tmp_path / "secret.parquet")
    good = [f"good{number}" for number in range(5)]
    bad = [f"bad{number:02d}" for number in range(len(COMMITS))]
    write_deltalake(str(lake / "good0"), rows())
    for name in [*good[1:], *bad]:
        _copy(lake / "good0", lake / name)
    source = add_source(context, "lake", str(lake))
    first = crawl_source(context, source.id)
    assert first["failed"] == 0
    for name, commit in zip(bad, COMMITS, strict=True):
        spoil(lake / name, commit)
    for name in good:
        write_deltalake(str(lake / name), rows(20), mode="append")
    news = tick(context)
    assert len(news) == len(good) + len(bad)
    crawl_task(context, news)
    found = state(context)
    for name in good:
        assert (found[name].judged_version, found[name].error) == (1, None), name
    told = {name: found[name] for name in bad if found[name].error_kind}
    for table in told.values():
        assert table.error
        assert table.remedy
        assert table.error_kind not in ("table_error", "store_error"), (table.name, table.error)
        assert len(table.error) < 1000
    for name in set(bad) - told.keys():  # what only described something did not cost the table
        assert found[name].judged_version == 1, name
    assert len(told) >= 60, sorted(told)
    with context.reading() as session:
        assert not any(table.error and "666" in table.error for table in told.values())
        assert all(v.rows != 1 for table in found.values() for v in versions.list_versions(session, table.id))
    again = tick(context)  # those that stay broken are news again: the good ones are not among them
    crawl_tables(context, again)
    assert {found[name].id for name in good}.isdisjoint(again)


def _copy(table: Path, to: Path) -> None:
    for file in table.rglob("*"):
        if file.is_file():
            place = to / file.relative_to(table)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())


def test_a_clone_is_read_where_its_folder_is_allowed(context: Context, tmp_path: Path) -> None:
    lake, away = tmp_path / "lake", tmp_path / "away"
    write_deltalake(str(away / "t"), rows())
    write_deltalake(str(lake / "clone"), rows())
    _rename_file(lake / "clone", str(away / "t" / read_table(str(away / "t")).files[0].path))
    write_deltalake(str(lake / "inner"), rows())
    write_deltalake(str(lake / "copy"), rows())
    _rename_file(lake / "copy", f"file://{lake}/inner/{read_table(str(lake / 'inner')).files[0].path}")
    source = add_source(context, "lake", str(lake))
    crawl_source(context, source.id)
    found = state(context)
    assert {name: table.error_kind for name, table in found.items()} == {
        "clone": "outside_source",
        "copy": None,
        "inner": None,
    }
    assert "assay source allow" in (found["clone"].remedy or "")
    allow(context, "lake", [str(away)])
    crawl_source(context, source.id)
    assert state(context)["clone"].error is None
    assert state(context)["clone"].judged_version == 0


def _rename_file(table: Path, path: str) -> None:
    log = table / commit_name(0)
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        if "add" in action:
            action["add"]["path"] = path
    log.write_text("\n".join(map(json.dumps, actions)))


def test_a_folder_whose_name_is_no_utf8(context: Context, tmp_path: Path) -> None:
    write_deltalake(str(tmp_path / "lake" / "t"), rows())
    os.rename(tmp_path / "lake" / "t", os.fsencode(tmp_path) + b"/lake/caf\xe9")
    source = add_source(context, "lake", str(tmp_path / "lake"))
    summary = crawl_source(context, source.id)
    assert (summary["tables"], summary["failed"]) == (1, 0)
    table = state(context)["caf\\xe9"]
    assert (table.error, table.rows) == (None, 20)
    assert tick(context) == []


class TestTypeHistory:
    """A schema history that Delta allows: each file is read with the columns of its own version."""

    TEXTS: tuple[Callable[[int], Any], ...] = (lambda i: f"A-{i:03d}", lambda i: 1000 + i)

    def test_text_to_number_and_back(self, context: Context, tmp_path: Path) -> None:
        uri = str(tmp_path / "lake" / "t")
        for version, kind in enumerate([0] * 8 + [1] * 6 + [0] * 3):
            code = [self.TEXTS[kind](i + version) for i in range(100)]
            data = pa.table({"id": list(range(100)), "code": code})
            write_deltalake(uri, data, mode="overwrite", schema_mode="overwrite")
        source = add_source(context, "lake", str(tmp_path / "lake"))
        crawl_source(context, source.id)
        table = state(context)["t"]
        assert (table.error, table.judged_version) == (None, 16)
        with context.reading() as session:
            known = {v.number: v for v in versions.list_versions(session, table.id)}
        assert all(known[n].batch_rows == 100 for n in known)
        data = pa.table({"id": list(range(100)), "code": list(range(100))})
        write_deltalake(uri, data, mode="overwrite", schema_mode="overwrite")
        write_deltalake(
            uri, pa.table({"id": list(range(100)), "code": ["x"] * 100}), mode="overwrite", schema_mode="overwrite"
        )
        crawl_tables(context, tick(context))
        table = state(context)["t"]
        assert (table.error, table.judged_version) == (None, 18)
        with context.reading() as session:
            said = [one for one, _ in find_outcomes(session, table_id=table.id, limit=1000).items]
        assert any("was string and is bigint" in one.sentence for one in said if one.version == 17)


def test_rows_that_cannot_be_shown_cost_no_verdict(context: Context, tmp_path: Path, monkeypatch: Any) -> None:
    """A MERGE by delta-rs leaves strings as views; and whatever goes wrong while rows are fetched stays there."""
    uri = str(tmp_path / "lake" / "t")
    for day in range(12):
        data = pa.table({"id": list(range(day * 50, day * 50 + 50)), "code": [f"A-{i:03d}" for i in range(50)]})
        write_deltalake(uri, data, mode="append")
    source = add_source(context, "lake", str(tmp_path / "lake"))
    crawl_source(context, source.id)
    bad = pa.table({"id": list(range(900, 950)), "code": [f"?? {i}!" for i in range(50)]})
    for start in (0, 1000):
        shifted = bad.set_column(0, "id", pa.array([i + start for i in range(900, 950)]))
        merge = DeltaTable(uri).merge(shifted, "t.id = s.id", "s", "t")
        merge.when_not_matched_insert_all().execute()
    added = [read_commits(uri)[-1].added[0].path, read_commits(uri)[-2].added[0].path]
    assert any(pq.read_schema(Path(uri, path)).field("code").type == pa.string_view() for path in added)
    crawl_tables(context, tick(context))
    with context.reading() as session:
        table = tables.get_table(session, "lake/t")
        said = [one for one, _ in find_outcomes(session, table_id=table.id, limit=1000).items]
    violated = [one for one in said if one.status == "violated"]
    assert violated
    assert (table.error, table.judged_version) == (None, 13)
    assert any(outcome.rows for outcome in violated)

    def fails(*_: Any, **__: Any) -> None:
        raise pa.ArrowNotImplementedError("array_take of secret@example.com")

    monkeypatch.setattr("catalog.flow.checking.saying.offending_rows", fails)
    more = bad.set_column(0, "id", pa.array(list(range(5000, 5050))))
    DeltaTable(uri).merge(more, "t.id = s.id", "s", "t").when_not_matched_insert_all().execute()
    crawl_tables(context, tick(context))
    with context.reading() as session:
        table = tables.get_table(session, "lake/t")
        said = [one for one, _ in find_outcomes(session, table_id=table.id, limit=1000).items]
    last = [one for one in said if one.version == 14 and one.status == "violated"]
    assert (table.error, table.judged_version) == (None, 14)
    assert [o.replay["no_rows"] for o in last if "no_rows" in o.replay] == [
        "the data files could not be read (ArrowNotImplementedError)"
    ] * sum("no_rows" in o.replay for o in last)
    assert any("no_rows" in o.replay for o in last)


def test_a_column_that_changed_its_type_begins_again() -> None:
    moment = datetime(2024, 1, 1, tzinfo=UTC)
    kinds = ["string", "string", "bigint", "bigint", "string", "string"]
    metrics = [TableMetrics(3, {"a": {"x": float(i)}, "n": {"x": 1.0}}).encode() for i in range(6)]
    past = {i: versions.Point(i, moment, "snapshot", 3, metrics[i], None) for i in range(6)}
    past[4] = None  # type: ignore[assignment]
    schemas = {i: [["a", kind], ["n", "int" if i < 3 else "bigint"]] for i, kind in enumerate(kinds)}
    found = restarted(past, schemas)
    assert [None if m is None else "a" in m.columns for m in found] == [False, False, False, False, None, True]
    assert all("n" in m.columns for m in found if m is not None)  # widened: what it was still says something
    again = restarted(past, schemas, [["a", "double"], ["n", "bigint"]])
    assert not any("a" in m.columns for m in again if m is not None)


def test_numbers_stay_numbers_and_what_a_hole_was_changes_nothing() -> None:
    moment = datetime(2024, 1, 1, tzinfo=UTC)
    kinds = [("bigint", "string"), ("double", "string"), ("bigint", "bigint"), ("decimal(9,2)", "string")]
    metrics = [TableMetrics(3, {"a": {"x": float(i)}, "b": {"x": 1.0}}).encode() for i in range(4)]
    past: dict[int, versions.Point | None] = {
        i: versions.Point(i, moment, "snapshot", 3, metrics[i], None) for i in range(4)
    }
    past[2] = None
    schemas = {i: [["a", a], ["b", b]] for i, (a, b) in enumerate(kinds)}
    found = restarted(past, schemas)
    assert [None if m is None else set(m.columns) for m in found] == [{"a", "b"}, {"a", "b"}, None, {"a", "b"}]
    again = restarted(past, schemas, [["a", "string"], ["b", "string"]])
    assert [None if m is None else set(m.columns) for m in again] == [{"b"}, {"b"}, None, {"b"}]
