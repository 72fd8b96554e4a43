"""The transaction log, replayed without a JVM, on tables written by deltalake and on real ones of many writers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from catalog.errors import AssayError, CorruptLog, TableVanished, UnsupportedTable
from catalog.lake.logs.log import files_at, read_commits, read_table
from catalog.lake.logs.replaying import LOG, commit_name


def rows(start: int, count: int = 100) -> pa.Table:
    ids = list(range(start, start + count))
    return pa.table({"id": ids, "city": [f"city {i % 7}" for i in ids], "day": [f"2024-01-0{i % 3 + 1}" for i in ids]})


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Versions: 0 create with rows, 1 append, 2 append, 3 optimize, 4 delete, 5 overwrite, 6 append."""
    uri = str(tmp_path / "shop" / "orders")
    write_deltalake(uri, rows(0), mode="append")
    for start in (100, 200):
        write_deltalake(uri, rows(start), mode="append")
    DeltaTable(uri).optimize.compact()
    DeltaTable(uri).delete("id = 5")
    write_deltalake(uri, rows(300), mode="overwrite")
    write_deltalake(uri, rows(400), mode="append")
    return uri


def test_the_table_is_what_deltalake_says(table: str) -> None:
    info = read_table(table)
    theirs = DeltaTable(table)
    assert (info.version, info.name, info.reader) == (theirs.version(), "orders", "files")
    assert {f"{table}/{file.path}" for file in info.files} == set(theirs.file_uris())
    assert info.columns == (("id", "bigint"), ("city", "string"), ("day", "string"))
    assert sum(file.rows or 0 for file in info.files) == theirs.count()
    assert info.properties["bytes"] == sum(Path(table, file.path).stat().st_size for file in info.files)


def test_every_version_has_its_files_and_its_kind(table: str) -> None:
    commits = read_commits(table)
    assert [c.number for c in commits] == list(range(7))
    assert [c.batch for c in commits] == ["append", "append", "append", "none", "rewrite", "overwrite", "append"]
    assert [c.operation for c in commits][3:5] == ["OPTIMIZE", "DELETE"]
    live: set[str] = set()
    for commit in commits:
        live = (live - set(commit.removed)) | {file.key for file in commit.added}
        theirs = DeltaTable(table, version=commit.number)
        assert {f"{table}/{key}" for key in live} == set(theirs.file_uris())
        assert {file.key for file in files_at(table, commit.number)} == live
    assert [c.number for c in read_commits(table, after=4)] == [5, 6]
    assert read_commits(table, after=6) == []


def test_a_cleaned_log_still_tells_what_is_left(table: str) -> None:
    checkpoint(table, 4)
    write_deltalake(table, rows(500), mode="append")
    for number in range(4):
        Path(table, commit_name(number)).unlink()
    assert [(c.number, c.batch) for c in read_commits(table)] == [
        (4, "rewrite"),
        (5, "overwrite"),
        (6, "append"),
        (7, "append"),
    ]
    assert len(read_table(table).files) == 3
    with pytest.raises(CorruptLog, match="commit 3 is missing"):
        files_at(table, 3)
    Path(table, commit_name(4)).unlink()  # the commit of the checkpoint itself is gone, too
    assert [c.number for c in read_commits(table)] == [5, 6, 7]


def test_only_a_checkpoint_is_left(table: str) -> None:
    checkpoint(table, 6)
    for number in range(7):
        Path(table, commit_name(number)).unlink()
    assert read_table(table).version == 6
    assert len(files_at(table, 6)) == 2
    assert read_commits(table) == []


def test_a_damaged_checkpoint_is_replayed_around(table: str) -> None:
    checkpoint(table, 4)
    before = read_table(table)
    next(Path(table, LOG).glob("*4.checkpoint.parquet")).write_bytes(b"PAR1 and then nothing PAR1")
    after = read_table(table)
    assert after.properties == before.properties
    assert {file.key for file in after.files} == {file.key for file in before.files}
    Path(table, commit_name(2)).unlink()
    with pytest.raises(CorruptLog, match="checkpoint 4 cannot be read"):
        read_table(table)


READ = """
import resource, sys
from catalog.lake.logs.log import read_table
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
before = peak()
print(len(read_table(sys.argv[1]).files), peak() - before)
"""


@pytest.mark.parametrize("rows", [90_000_000, 110_000_000])
def test_a_checkpoint_of_nothing_holds_no_memory(table: str, rows: int) -> None:
    """Some kilobytes on disk may say that they are a hundred million actions, none of which says anything."""
    checkpoint(table, 4)
    names = [Path(table, LOG, f"{4:020d}.checkpoint.{part:010d}.{2:010d}.parquet") for part in (1, 2)]
    next(Path(table, LOG).glob("*4.checkpoint.parquet")).rename(names[0])
    kind = pa.struct([("path", pa.string())])
    nothing = pa.table({"add": pa.nulls(10_000_000, kind)})
    with pq.ParquetWriter(names[1], nothing.schema, compression="zstd") as writer:
        for _ in range(rows // nothing.num_rows):
            writer.write_table(nothing)
    command = [sys.executable, "-c", READ, table]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    files, megabytes = map(int, done.stdout.split())
    assert files == len(read_table(table).files)
    assert megabytes < 300


def checkpoint(uri: str, version: int) -> None:
    DeltaTable(uri, version=version).create_checkpoint()
    assert list(Path(uri, LOG).glob(f"*{version}.checkpoint.parquet"))


@pytest.mark.parametrize("parts", [1, 3])
def test_checkpoints_in_parts(table: str, parts: int) -> None:
    """A checkpoint of several files counts only when all of them are there."""
    before = read_table(table)
    checkpoint(table, 6)
    whole = next(Path(table, LOG).glob("*6.checkpoint.parquet"))
    content = pq.read_table(whole)
    whole.unlink()
    for part in range(parts):
        name = f"{6:020d}.checkpoint.{part + 1:010d}.{parts:010d}.parquet"
        pq.write_table(content.slice(*_share(content.num_rows, part, parts)), Path(table, LOG, name))
    for number in range(7):
        Path(table, commit_name(number)).unlink()
    assert {f.key for f in read_table(table).files} == {f.key for f in before.files}
    Path(table, LOG, f"{6:020d}.checkpoint.{1:010d}.{parts:010d}.parquet").unlink()
    with pytest.raises(CorruptLog):
        read_table(table)


def _share(rows: int, part: int, parts: int) -> tuple[int, int]:
    start, end = rows * part // parts, rows * (part + 1) // parts
    return start, end - start


@pytest.mark.parametrize("kind", ["json", "parquet"])
def test_checkpoints_of_the_second_kind(table: str, kind: str) -> None:
    """A v2 checkpoint names sidecar files that hold the adds."""
    before = read_table(table)
    checkpoint(table, 6)
    whole = next(Path(table, LOG).glob("*6.checkpoint.parquet"))
    content = pq.read_table(whole)
    whole.unlink()
    sidecars = Path(table, LOG, "_sidecars")
    sidecars.mkdir()
    adds = content.filter(pa.array([value is not None for value in content["add"].to_pylist()]))
    pq.write_table(adds.select(["add"]), sidecars / "one.parquet")
    sidecar = {"path": "one.parquet", "sizeInBytes": 1, "modificationTime": 1}
    actions = [{"checkpointMetadata": {"version": 6}}, {"sidecar": sidecar}]
    for name in ("protocol", "metaData"):
        actions += [{name: value} for value in content[name].to_pylist() if value is not None]
    stem = f"{6:020d}.checkpoint.3a0d65cd-4056-49b8-937b-95f9e3ee90e5"
    if kind == "json":
        text = "\n".join(json.dumps(action, default=dict) for action in actions)
        Path(table, LOG, f"{stem}.json").write_text(text)
    else:
        names = ("sidecar", "protocol", "metaData")
        columns = {n: pa.array([a.get(n) for a in actions], None if n == "sidecar" else content[n].type) for n in names}
        pq.write_table(pa.table(columns), Path(table, LOG, f"{stem}.parquet"))
    for number in range(7):
        Path(table, commit_name(number)).unlink()
    after = read_table(table)
    assert {f.key for f in after.files} == {f.key for f in before.files}
    assert after.columns == before.columns


def test_partitions_with_odd_names(tmp_path: Path) -> None:
    uri = str(tmp_path / "lake with space" / "Größe")
    data = pa.table({"place": ["a b", "ü/ö", "100%", None, "x=y:z"], "n": [1, 2, 3, 4, 5]})
    write_deltalake(uri, data, partition_by=["place"], mode="append")
    info = read_table(uri)
    assert info.partition_columns == ("place",)
    assert {file.partition_values["place"] for file in info.files} == {"a b", "ü/ö", "100%", None, "x=y:z"}
    assert all(Path(uri, file.path).is_file() for file in info.files)
    assert len(read_table(f"file://{uri}").files) == 5


class TestDamage:
    """Each kind of damage is told by name, with its remedy, on the table it befell."""

    def test_a_vanished_folder(self, tmp_path: Path) -> None:
        with pytest.raises(TableVanished) as told:
            read_table(str(tmp_path / "never"))
        assert "restore the table" in str(told.value)

    def test_an_empty_log(self, tmp_path: Path) -> None:
        (tmp_path / LOG).mkdir()
        with pytest.raises(CorruptLog, match="neither a commit nor a checkpoint"):
            read_table(str(tmp_path))

    @pytest.mark.parametrize("text", ['{"add": {"path": "x.par', "[1, 2]", "not json", '{"add": {"size": 3}}'])
    def test_a_damaged_commit(self, table: str, text: str) -> None:
        with Path(table, commit_name(2)).open("a") as file:
            file.write("\n" + text)
        for read in (read_table, read_commits):
            with pytest.raises(CorruptLog):
                read(table)

    def test_a_commit_of_zero_bytes_in_the_middle(self, table: str) -> None:
        Path(table, commit_name(0)).write_text("")
        with pytest.raises(CorruptLog, match="no metadata"):
            read_table(table)

    def test_a_missing_commit(self, table: str) -> None:
        Path(table, commit_name(2)).unlink()
        for read in (read_table, read_commits):
            with pytest.raises(CorruptLog, match="commit 2 is missing"):
                read(table)

    def test_a_damaged_schema(self, table: str) -> None:
        path = Path(table, commit_name(0))
        path.write_text(path.read_text().replace("schemaString", "schemaStrong").replace('\\"fields\\"', '\\"f\\"'))
        info = read_table(table)  # a table without a schema has no columns; nothing stops
        assert info.columns == ()

    def test_an_unknown_feature(self, table: str) -> None:
        action = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["teleport"], "writerFeatures": []}
        Path(table, commit_name(7)).write_text(json.dumps({"protocol": action}))
        with pytest.raises(UnsupportedTable, match="teleport"):
            read_table(table)


def test_any_damage_is_told_as_an_error_of_the_table(table: str) -> None:
    """Bytes flipped, cut, doubled or swapped for other JSON: a table or an `AssayError`, never anything else."""
    random = Random(3)
    paths = sorted(Path(table, LOG).glob("*.json"))
    whole = {path: path.read_bytes() for path in paths}
    odd = [b"null", b"[]", b'""', b"7", b"{}", b'{"a":1}', b"1e999", b"true", b"[[[[", b"\xff\xfe"]
    refused = 0
    for _ in range(400):
        path = random.choice(paths)
        data = bytearray(whole[path])
        match random.randrange(4):
            case 0:
                data[random.randrange(len(data))] = random.randrange(256)
            case 1:
                del data[random.randrange(len(data)) :]
            case 2:
                start = random.randrange(len(data))
                data[start:start] = data[start : start + random.randrange(1, 200)]
            case _:
                values = list(re.finditer(rb'(?<=":)([^,{}\[\]]+|\{[^{}]*\}|\[[^\[\]]*\])', bytes(data)))
                found = random.choice(values)
                data[found.start() : found.end()] = random.choice(odd)
        path.write_bytes(data)
        for read in (read_table, read_commits):
            try:
                read(table)
            except AssayError as error:
                refused += bool(error.cause and error.remedy)
        path.write_bytes(whole[path])
    assert refused > 100
    assert read_table(table).version == 6


#: Tables that Spark's Delta reader refuses, too.
REFUSED = {"simple_table_features": UnsupportedTable}


def test_the_real_tables(data_dir: Path) -> None:
    """All valid tables have the files that deltalake lists; the one Spark refuses is refused by name."""
    names = sorted(path.name for path in (data_dir / "delta-tables" / "valid").iterdir())
    assert len(names) >= 30
    for name in names:
        uri = str(data_dir / "delta-tables" / "valid" / name)
        if name in REFUSED:
            with pytest.raises(REFUSED[name]):
                read_table(uri)
            continue
        info = read_table(uri)
        theirs = DeltaTable(uri)
        assert info.version == theirs.version(), name
        assert {f.path for f in info.files} == {unquote(u).split(f"/{name}/", 1)[1] for u in theirs.file_uris()}, name
        commits = read_commits(uri)
        assert [c.number for c in commits] == list(range(info.version + 1 - len(commits), info.version + 1)), name


def test_the_broken_tables(data_dir: Path) -> None:
    broken = data_dir / "delta-tables" / "broken"
    with pytest.raises(CorruptLog, match="commit 12 is missing"):
        read_table(str(broken / "table_c"))
    with pytest.raises(UnsupportedTable, match="catalogOwned"):
        read_table(str(broken / "table_d"))
    # its history has a hole: what lies behind it cannot be told, what lies after the checkpoint can
    assert [c.number for c in read_commits(str(broken / "table_b"))] == [10, 11, 12, 13]


def test_a_table_copied_elsewhere_has_the_same_keys(table: str, tmp_path: Path) -> None:
    shutil.copytree(table, tmp_path / "copy")
    assert [f.key for f in read_table(str(tmp_path / "copy")).files] == [f.key for f in read_table(table).files]
