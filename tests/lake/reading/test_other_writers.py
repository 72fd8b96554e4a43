"""What other writers write, and what a log should not hold: read where it can be, told by name where it cannot."""

from __future__ import annotations

import base64
import json
import os
import struct
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from test_deletion import MAGIC, array_bitmap

from catalog.errors import CorruptLog, UnreadableFile, UnsupportedTable
from catalog.lake.logs.discover import discover
from catalog.lake.logs.log import read_commits, read_table
from catalog.lake.logs.replaying import commit_name
from catalog.lake.reading.deletion import _B85, _Z85, deleted_rows, parse_bitmap
from catalog.lake.reading.files import ReadPlan, read_file
from catalog.lake.reading.rows import offending_rows
from catalog.lake.scanning import session
from catalog.lake.scanning.delta import spark_error
from catalog.lake.scanning.scan import fold_file, plan_units
from catalog.lake.scanning.tasks import Task
from catalog.settings import Settings

FROM_B85 = str.maketrans(_B85, _Z85)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    write_deltalake(str(tmp_path / "t"), pa.table({"id": list(range(12)), "name": [f"n{i}" for i in range(12)]}))
    return tmp_path / "t"


def actions(table: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (table / commit_name(0)).read_text().splitlines()]


def rewrite(table: Path, found: list[dict[str, Any]], **layout: Any) -> str:
    (table / commit_name(0)).write_text("\n".join(json.dumps(action, **layout) for action in found))
    return str(table)


def edit(table: Path, kind: str, **values: Any) -> str:
    found = actions(table)
    for action in found:
        if kind in action:
            action[kind] |= values
    return rewrite(table, found)


def count(uri: str) -> int:
    info = read_table(uri)
    return sum(batch.num_rows for file in info.files for batch in read_file(ReadPlan.of(info), file))


class TestReadable:
    @pytest.mark.parametrize("more", [{}, {"offset": 1}, {"offset": 85}, {"offset": None}])
    def test_inline_deletion_vectors(self, table: Path, more: dict[str, Any]) -> None:
        """An offset has no meaning there, though some write one."""
        data = array_bitmap([3, 4])
        text = base64.b85encode(data).decode().translate(FROM_B85)
        vector = {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": len(data), "cardinality": 2, **more}
        uri = edit(table, "add", deletionVector=vector)
        assert count(uri) == 10
        assert read_table(uri).files[0].deletion_vector == "i" + text
        assert read_table(uri).files[0].rows == 10

    @pytest.mark.parametrize("data", [b"#####", b"abc\xc3\xa9", b"{}{}{"])
    def test_an_inline_vector_that_is_none(self, table: Path, data: bytes) -> None:
        with pytest.raises(UnreadableFile, match="inline deletion vector is damaged"):
            deleted_rows(str(table), "i" + data.decode(), {})

    def test_a_vector_that_names_billions_of_rows(self) -> None:
        """A few bytes of runs would otherwise take all memory."""
        runs = struct.pack("<I", 12347 | (999 << 16)) + b"\xff" * 125
        runs += b"".join(struct.pack("<HH", key, 65535) for key in range(1000)) + b"\0\0\0\0" * 1000
        runs += struct.pack("<HHH", 1, 0, 65535) * 1000
        data = struct.pack("<iqI", MAGIC, 1, 0) + runs
        with pytest.raises(ValueError, match="rows that the file does not have"):
            parse_bitmap(data, 12)
        overlapping = (
            struct.pack("<I", 12347) + b"\x01" + struct.pack("<HHH", 0, 9, 2) + struct.pack("<HH", 0, 65535) * 2
        )
        with pytest.raises(ValueError, match="overlap"):
            parse_bitmap(struct.pack("<iqI", MAGIC, 1, 0) + overlapping)

    @pytest.mark.parametrize("indent", [1, "\t", 4])
    def test_a_commit_laid_out_for_people(self, table: Path, indent: Any) -> None:
        before = read_table(str(table))
        after = read_table(rewrite(table, actions(table), indent=indent))
        assert (after.files, after.columns) == (before.files, before.columns)
        assert [c.operation for c in read_commits(str(table))] == ["WRITE"]
        path = table / commit_name(0)
        path.write_text(path.read_text()[:-20])  # half of it is damage as ever
        with pytest.raises(CorruptLog, match="line"):
            read_table(str(table))

    def test_a_log_without_a_protocol(self, table: Path) -> None:
        assert count(rewrite(table, [action for action in actions(table) if "protocol" not in action])) == 12

    def test_types_that_nobody_here_knows(self, table: Path) -> None:
        """They are columns without metrics: all else of the table is folded."""
        found = actions(table)
        meta = next(action["metaData"] for action in found if "metaData" in action)
        schema = json.loads(meta["schemaString"])
        struct_type = {
            "type": "struct",
            "fields": [dict(schema["fields"][0]), {**schema["fields"][0], "name": "v", "type": "variant"}],
        }
        for name, kind in (("place", "geometry"), ("raw", "variant"), ("deep", struct_type), ("big", "decimal(99,2)")):
            schema["fields"].append({**schema["fields"][0], "name": name, "type": kind})
        schema["fields"].append(
            {
                **schema["fields"][0],
                "name": "l",
                "type": {"type": "array", "elementType": "interval", "containsNull": True},
            }
        )
        meta["schemaString"] = json.dumps(schema)
        info = read_table(rewrite(table, found))
        assert dict(info.columns)["place"] == "geometry"
        assert dict(info.columns)["deep.v"] == "variant"
        state = fold_file(ReadPlan(info.uri, info.properties["schema"]), info.files[0])
        assert list(state.columns) == ["id", "name", "deep.id"]
        assert state.rows == 12

    def test_views_of_strings(self, tmp_path: Path) -> None:
        """A MERGE by delta-rs writes Parquet whose Arrow schema says Utf8View."""
        uri = str(tmp_path / "t")
        data = pa.table({"id": list(range(5)), "code": ["A-1", "A-2", "bad", None, "A-5"]})
        write_deltalake(uri, data)
        merge = DeltaTable(uri).merge(data.slice(0, 3), "t.id = s.id", "s", "t")
        merge.when_matched_update_all().when_not_matched_insert_all().execute()
        file = read_table(uri).files[0]
        views = pa.table({"id": data["id"], "code": data["code"].cast(pa.string_view())})
        nested = pa.array([["x"], None, [], ["y", "z"], [None]], pa.list_(pa.string_view()))
        pq.write_table(views.append_column("tags", nested), Path(uri, file.path))
        assert pq.read_schema(Path(uri, file.path)).field("code").type == pa.string_view()
        info = read_table(uri)
        rows = offending_rows(info, info.files, "code", {"regex": r"A-\d"}, 10)
        assert [row["code"] for row in rows] == ["bad"]
        assert all(batch.schema.field("code").type == pa.string() for batch in read_file(ReadPlan.of(info), file))
        schema = json.loads(info.properties["schema"])
        schema["fields"].append(
            {"name": "tags", "type": {"type": "array", "elementType": "string", "containsNull": True}}
        )
        (batch,) = read_file(ReadPlan(uri, json.dumps(schema)), file)
        assert batch.column("tags").to_pylist() == nested.to_pylist()


class TestTold:
    @pytest.mark.parametrize(
        ("kind", "values"),
        [
            ("add", {"size": 10**30}),
            ("add", {"size": -5}),
            ("add", {"modificationTime": 10**18}),
            ("add", {"modificationTime": "soon"}),
            ("add", {"stats": '{"numRecords": ' + "9" * 5000 + "}"}),
            ("metaData", {"createdTime": 10**30}),
            ("metaData", {"createdTime": -(10**14)}),
            ("commitInfo", {"timestamp": 999999999999999999}),
            ("commitInfo", {"timestamp": 10**30}),
            ("commitInfo", {"inCommitTimestamp": -1e300}),
            ("commitInfo", {"operationParameters": "none"}),
            ("commitInfo", {"userMetadata": "\ud800 half, zero \x00"}),
            ("commitInfo", {"clock": float("nan"), "more": float("inf")}),
            ("commitInfo", {"operationParameters": {"path": "\ud800", "files": [{"path": "a\x00b"}]}}),
            ("metaData", {"configuration": {"path": "\ud800", "a\x00": "b"}}),
        ],
    )
    def test_what_only_describes_costs_no_table(self, table: Path, kind: str, values: dict[str, Any]) -> None:
        uri = edit(table, kind, **values)
        (commit,) = read_commits(uri)
        assert datetime(1970, 1, 1, tzinfo=UTC) <= commit.committed_at < datetime(9999, 1, 1, tzinfo=UTC)
        info = read_table(uri)
        assert 0 <= info.properties["bytes"] < 2**63
        json.dumps(commit.info, allow_nan=False).encode()
        for told in (commit.info, commit.metadata, info.properties):
            text = json.dumps(told, ensure_ascii=False)
            assert "\\u0000" not in text.encode().decode()
        str(commit.info).encode()
        assert count(uri) == 12

    def test_sizes_that_only_together_are_too_large(self, table: Path) -> None:
        found = actions(table)
        add = next(action for action in found if "add" in action)
        add["add"]["size"] = 2**63 - 1
        found.append({"add": {**add["add"], "path": "another.parquet"}})
        assert read_table(rewrite(table, found)).properties["bytes"] == 2**63 - 1

    def test_two_columns_of_one_name(self, table: Path) -> None:
        found = actions(table)
        meta = next(action["metaData"] for action in found if "metaData" in action)
        schema = json.loads(meta["schemaString"])
        schema["fields"].append(schema["fields"][0])
        meta["schemaString"] = json.dumps(schema)
        with pytest.raises(CorruptLog, match="two columns 'id'; rename one"):
            read_table(rewrite(table, found))

    @pytest.mark.parametrize("path", ["\ud800.parquet", "%FF.parquet", "a\x00b", "", 7, None])
    def test_a_path_that_is_no_text(self, table: Path, path: Any) -> None:
        with pytest.raises(CorruptLog, match="no valid text") as told:
            read_table(edit(table, "add", path=path))
        str(told.value).encode()

    def test_a_column_name_that_is_no_text(self, table: Path) -> None:
        path = table / commit_name(0)
        path.write_text(path.read_text().replace('\\"name\\":\\"id\\"', '\\"name\\":\\"i\\\\ud800d\\"'))
        assert read_table(str(table)).columns[0][0] == "i\ufffdd"

    def test_a_folder_whose_name_is_no_utf8(self, table: Path, tmp_path: Path) -> None:
        os.rename(table, os.fsencode(tmp_path) + b"/caf\xe9 t")
        ((name, uri),) = discover(str(tmp_path))
        assert name == "caf\\xe9 t"
        uri.encode()
        assert count(uri) == 12
        assert [c.number for c in read_commits(uri)] == [0]

    def test_a_version_that_no_database_keeps(self, table: Path) -> None:
        (table / commit_name(0)).rename(table / "_delta_log" / f"{'9' * 20}.json")
        with pytest.raises(CorruptLog):
            read_table(str(table))

    @pytest.mark.parametrize("path", ["nosuch://x/y", "http://127.0.0.1:9/x", "s3://a|b", "../x"])
    def test_a_large_file_elsewhere_fails_alone(self, table: Path, path: str) -> None:
        """Large files are looked into before the job is planned."""
        uri = edit(table, "add", path=path, size=1 << 40)
        info = read_table(uri)
        _, units, failed = plan_units([Task(1, uri, info, file) for file in info.files], {})
        assert not units
        assert [one.error_kind for one in failed] == ["outside_source"]


class TestSessionsWithoutDelta:
    ERROR = (
        "[DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG] This Delta operation requires the SparkSession to "
        "be configured with the DeltaSparkSessionExtension and the DeltaCatalog."
    )

    def test_the_log_is_not_blamed(self) -> None:
        told = spark_error(RuntimeError(self.ERROR), "/lake/t")
        assert isinstance(told, UnsupportedTable)
        assert "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension" in told.remedy
        assert "FSCK" not in str(told)

    def test_a_cluster_gets_extension_and_catalog(self, tmp_path: Path, jars_home: Path) -> None:
        settings = Settings(home=jars_home, spark_master="spark://cluster:7077")
        conf = session._prepare(settings)
        assert conf["spark.sql.extensions"] == "io.delta.sql.DeltaSparkSessionExtension"
        assert conf["spark.sql.catalog.spark_catalog"] == "org.apache.spark.sql.delta.catalog.DeltaCatalog"

    @pytest.mark.spark
    def test_a_table_with_variants_is_read_without_them(
        self, spark: Any, spark_settings: Settings, tmp_path: Path
    ) -> None:
        """In a process of its own, whose session has Delta's jars and not its extension, as a cluster may have."""
        uri = str(tmp_path / "t")
        spark.sql(f"CREATE TABLE delta.`{uri}` (v VARIANT, s STRUCT<a: INT, w: VARIANT>) USING delta")
        spark.sql(f"INSERT INTO delta.`{uri}` SELECT parse_json('{{\"a\":1}}'), struct(1, parse_json('3'))")
        jars = ",".join(str(jar) for jar in session.local_jars(spark_settings))
        environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        done = subprocess.run(
            [sys.executable, "-c", _PLAIN, uri, jars], env=environment, capture_output=True, text=True, timeout=600
        )
        assert done.stdout.splitlines()[-1] == "['s.a'] 1 None", done.stdout + done.stderr[-3000:]


_PLAIN = """
import sys
from pyspark.sql import SparkSession
from catalog.lake.logs.log import read_table
from catalog.lake.scanning.scan import scan
from catalog.lake.scanning.tasks import Task
from catalog.states.encoding import decode
from catalog.states.table import TableState

uri, jars = sys.argv[1:]
spark = SparkSession.builder.master("local[1]").config("spark.jars", jars).config("spark.ui.enabled", "false")
info = read_table(uri)
assert info.reader == "delta"
(result,) = scan(spark.getOrCreate(), [Task(1, uri, info, file, info.version) for file in info.files])
state = decode(result.state) if result.state else TableState.empty()
print(list(state.columns), state.rows, result.error)
"""
