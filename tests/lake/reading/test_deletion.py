"""Deletion vectors against bitmaps that another implementation wrote."""

from __future__ import annotations

import base64
import json
import shutil
import struct
import uuid
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from delta.tables import DeltaTable as DeltaSparkTable
from deltalake import DeltaTable
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import MissingFile, UnreadableFile
from catalog.lake.logs.log import read_commits, read_table
from catalog.lake.reading.deletion import _B85, _Z85, deleted_rows, parse_bitmap, vector_place, z85_decode
from catalog.lake.reading.files import ReadPlan, read_file

MAGIC = 1681511377


def array_bitmap(values: list[int]) -> bytes:
    """A 64-bit bitmap of array containers, written by the format's text (no runs)."""
    out = b""
    highs = sorted({value >> 32 for value in values})
    for high in highs:
        lows = sorted(value & 0xFFFFFFFF for value in values if value >> 32 == high)
        keys = sorted({low >> 16 for low in lows})
        boxes = [[low & 0xFFFF for low in lows if low >> 16 == key] for key in keys]
        out += struct.pack("<III", high, 12346, len(keys))
        out += b"".join(struct.pack("<HH", key, len(box) - 1) for key, box in zip(keys, boxes, strict=True))
        out += b"\0\0\0\0" * len(keys)
        out += b"".join(struct.pack(f"<{len(box)}H", *box) for box in boxes)
    return struct.pack("<iq", MAGIC, len(highs)) + out


@pytest.mark.parametrize("values", [[], [0], [3, 4, 7, 11, 18, 29], [1, 70_000, 2**32 + 5, 2**33]])
def test_array_containers(values: list[int]) -> None:
    assert parse_bitmap(array_bitmap(values)).tolist() == values


def test_run_and_bitmap_containers() -> None:
    runs = struct.pack("<I", 12347) + b"\x01" + struct.pack("<HH", 0, 9) + struct.pack("<HHH", 1, 5, 9)
    assert parse_bitmap(struct.pack("<iqI", MAGIC, 1, 0) + runs).tolist() == list(range(5, 15))
    even = np.zeros(65536, np.uint8)
    even[::2] = 1
    bits = struct.pack("<IIHHI", 12346, 1, 2, 32767, 0) + np.packbits(even, bitorder="little").tobytes()
    assert parse_bitmap(struct.pack("<iqI", MAGIC, 1, 0) + bits).tolist() == list(range(131072, 196608, 2))


@pytest.mark.parametrize("data", [b"", struct.pack("<iq", 7, 0), struct.pack("<iqIII", MAGIC, 1, 0, 99, 1)])
def test_damage_is_told(data: bytes) -> None:
    with pytest.raises((ValueError, struct.error)):
        parse_bitmap(data)


def test_vectors_of_real_tables(data_dir: Path) -> None:
    """The rows that deltalake's own reading of the vectors hides are those we find deleted, at every version."""
    compared = 0
    for name in ("table-with-dv-small", "cdf-table-with-cdc-and-dvs"):
        uri = str(data_dir / "delta-tables" / "valid" / name)
        for commit in read_commits(uri):
            masks = pa.table(DeltaTable(uri, version=commit.number).deletion_vectors().read_all()).to_pydict()
            theirs = {
                unquote(path).rpartition("/")[2]: [i for i, kept in enumerate(mask) if not kept]
                for path, mask in zip(masks["filepath"], masks["selection_vector"], strict=True)
            }
            info = read_table(uri, version=commit.number)
            vectors = {file.path: file.deletion_vector for file in info.files if file.deletion_vector}
            ours = {path: deleted_rows(uri, vector, {}).tolist() for path, vector in vectors.items()}
            assert ours == theirs, commit.number
            compared += len(ours)
            for file in info.files:
                whole = read_file(ReadPlan.of(info), replace(file, deletion_vector=None))
                kept = sum(batch.num_rows for batch in read_file(ReadPlan.of(info), file))
                assert kept == sum(batch.num_rows for batch in whole) - len(ours.get(file.path, []))
    assert compared > 10


def test_a_vector_file_that_is_damaged_or_gone(data_dir: Path, tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    shutil.copytree(data_dir / "delta-tables" / "valid" / "table-with-dv-small", uri)
    (file,) = read_table(uri).files
    assert file.deletion_vector is not None
    assert len(deleted_rows(uri, file.deletion_vector, {})) == 2
    (vector,) = Path(uri).glob("deletion_vector_*.bin")
    data = bytearray(vector.read_bytes())
    data[-6] ^= 1
    vector.write_bytes(data)
    with pytest.raises(UnreadableFile, match="checksum"):
        deleted_rows(uri, file.deletion_vector, {})
    vector.unlink()
    with pytest.raises(MissingFile):
        deleted_rows(uri, file.deletion_vector, {})


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 3), st.sampled_from([0, 12346, 12347, 12347 | (3 << 16)]))
def test_any_bytes_are_a_vector_or_damage(body: bytes, count: int, cookie: int) -> None:
    data = struct.pack("<iqII", MAGIC, count, 0, cookie) + body
    text = base64.b85encode(data + b"\0" * (-len(data) % 4)).decode().translate(str.maketrans(_B85, _Z85))
    with suppress(UnreadableFile):  # and nothing else
        assert len(deleted_rows("/nowhere", "i" + text, {}, (), 1000)) <= 1 << 16


def test_the_protocol_s_example_of_an_inline_vector() -> None:
    """Delta protocol, "Deletion Vector Descriptor Schema": the older format, its numbers with the high byte first."""
    told = "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
    assert deleted_rows("/nowhere", "i" + told, {}).tolist() == [3, 4, 7, 11, 18, 29]
    data = z85_decode(told)
    turned = struct.pack("<iii", 1681511376, 1, 28) + data[12:]
    assert parse_bitmap(turned, 30).tolist() == [3, 4, 7, 11, 18, 29]
    with pytest.raises(ValueError, match="as long as it says"):
        parse_bitmap(struct.pack("<iii", 1681511376, 1, 24) + data[12:])
    with pytest.raises(ValueError, match="rows that the file does not have"):
        parse_bitmap(struct.pack("<iiiI", 1681511376, 2, 8, 12346) + b"\0" * 4 + struct.pack("<i", 28) + data[12:], 30)


def roaring(values: np.ndarray, runs: bool) -> bytes:
    """Values below 2^32 as the format has them: arrays, bitmaps beyond 4,096 values, runs where asked for."""
    keys = np.unique(values >> 16)
    boxes = [(values[values >> 16 == key] & 0xFFFF).astype("<u2") for key in keys]
    heads = b"".join(struct.pack("<HH", int(key), len(box) - 1) for key, box in zip(keys, boxes, strict=True))
    bodies = []
    for box in boxes:
        if runs:
            starts = np.flatnonzero(np.diff(box.astype(int), prepend=-2) != 1)
            lengths = np.diff(np.append(starts, len(box))) - 1
            pairs = np.stack([box[starts], lengths.astype("<u2")], axis=1)
            bodies.append(struct.pack("<H", len(starts)) + pairs.tobytes())
        elif len(box) > 4096:
            bits = np.zeros(1 << 16, np.uint8)
            bits[box] = 1
            bodies.append(np.packbits(bits, bitorder="little").tobytes())
        else:
            bodies.append(box.tobytes())
    if runs:
        flags = np.packbits(np.ones(len(boxes), np.uint8), bitorder="little").tobytes()
        top = struct.pack("<I", 12347 | (len(boxes) - 1) << 16) + flags
    else:
        top = struct.pack("<II", 12346, len(boxes))
    at, offsets = len(top) + len(heads) + 4 * len(boxes), b""
    for body in bodies:
        offsets, at = offsets + struct.pack("<I", at), at + len(body)
    return top + heads + (offsets if not runs or len(boxes) >= 4 else b"") + b"".join(bodies)


@pytest.mark.parametrize("offset", [None, 0, 1])
@pytest.mark.parametrize("runs", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8, 63, 100, 1000, 4096, 4097, 20_000, 300_000])
def test_inline_vectors_hide_the_rows_that_another_reader_hides(
    tmp_path: Path, size: int, runs: bool, offset: int | None
) -> None:
    """Whatever the size of a vector, how its parts are kept, and whether the log gives it an offset."""
    rng = np.random.default_rng(size)
    rows = max(2 * size, 10)
    gone = np.sort(rng.choice(rows, size, replace=False)) if size < 20_000 else np.arange(5, size)
    body = roaring(gone.astype(np.uint32), runs)
    data = struct.pack("<iqI", MAGIC, 1, 0) + body
    text = base64.b85encode(data + b"\0" * (-len(data) % 4)).decode().translate(str.maketrans(_B85, _Z85))
    vector = {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": len(data), "cardinality": len(gone)}
    table_with(tmp_path, rows, vector if offset is None else {**vector, "offset": offset})
    (file,) = read_table(str(tmp_path)).files
    assert file.deletion_vector is not None
    ours = deleted_rows(str(tmp_path), file.deletion_vector, {}, (), rows)
    assert np.array_equal(ours, gone)
    masks = pa.table(DeltaTable(str(tmp_path)).deletion_vectors().read_all()).to_pydict()["selection_vector"]
    assert np.array_equal(np.flatnonzero(~np.array(masks[0])), gone)


def table_with(folder: Path, rows: int, vector: dict[str, object]) -> None:
    """A table of one file, some of whose rows are deleted."""
    pq.write_table(pa.table({"id": np.arange(rows)}), folder / "part-0.parquet")
    features = ["deletionVectors"]
    schema = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
    size = (folder / "part-0.parquet").stat().st_size
    add = {"path": "part-0.parquet", "partitionValues": {}, "size": size, "modificationTime": 1, "dataChange": True}
    stats = json.dumps({"numRecords": rows})
    actions: list[dict[str, object]] = [
        {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features,
                      "writerFeatures": features}},
        {"metaData": {"id": "t", "format": {"provider": "parquet", "options": {}}, "schemaString": json.dumps(schema),
                      "partitionColumns": [], "configuration": {"delta.enableDeletionVectors": "true"}}},
        {"add": {**add, "stats": stats, "deletionVector": vector}},
    ]  # fmt: skip
    (folder / "_delta_log").mkdir()
    lines = "".join(json.dumps(action) + "\n" for action in actions)
    (folder / "_delta_log" / f"{0:020}.json").write_text(lines)


def test_a_name_that_ends_like_an_offset(tmp_path: Path) -> None:
    """A vector's name in base 85 may end in `@` and a digit: only what stands behind the whole name is an offset."""
    name = next(
        text
        for text in (
            base64.b85encode(b"\0" * 12 + struct.pack(">I", n)).decode().translate(str.maketrans(_B85, _Z85))
            for n in range(10**6)
        )
        if text[-2] == "@" and text[-1].isdigit()
    )
    plain = vector_place("u" + name)
    assert plain == f"deletion_vector_{uuid.UUID(bytes=z85_decode(name))}.bin"
    assert vector_place("u" + name + "@1") == plain
    assert vector_place("uab" + name + "@1") == f"ab/{plain}"


def test_the_protocol_s_examples_of_vectors_in_files() -> None:
    """Delta protocol, "Deletion Vector Descriptor Schema": the same vector by a relative and by an absolute path."""
    name = "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
    assert vector_place("uab^-aqEH.-t@S}K{vb[*k^@4") == f"ab/{name}"
    assert vector_place(f"ps3://mytable/{name}@4") == f"s3://mytable/{name}"


@pytest.mark.spark
@pytest.mark.parametrize(
    "deleted", ["id = 7", "id % 3 = 0", "id between 5 and 90000", "id in (0, 65535, 65536, 99999)"]
)
def test_vectors_that_delta_spark_writes(spark: Any, tmp_path: Path, deleted: str) -> None:
    spark.range(0, 100_000, 1, 1).write.format("delta").option("delta.enableDeletionVectors", "true").save(
        str(tmp_path / "t")
    )
    DeltaSparkTable.forPath(spark, str(tmp_path / "t")).delete(deleted)
    info = read_table(str(tmp_path / "t"))
    (file,) = info.files
    assert file.deletion_vector is not None
    gone = {row.id for row in spark.range(0, 100_000).where(deleted).collect()}
    assert set(deleted_rows(str(tmp_path / "t"), file.deletion_vector, {}, (), 100_000).tolist()) == gone
    kept = pa.Table.from_batches(list(read_file(ReadPlan.of(info), file)))["id"].to_pylist()
    assert len(kept) == 100_000 - len(gone)
    assert not gone & set(kept)


@pytest.mark.spark
@pytest.mark.parametrize(
    "gone", [[3, 4, 7, 11, 18, 29], [0], list(range(5, 9000)), list(range(0, 200_000, 7)), [1, 2**32]]
)
@pytest.mark.parametrize("form", ["Portable", "Native"])
def test_inline_vectors_as_delta_spark_writes_them_into_the_log(spark: Any, gone: list[int], form: str) -> None:
    """Made by the classes of delta-spark: its bitmap, its serialisations, its base 85, its descriptor."""
    delta = spark._jvm.org.apache.spark.sql.delta
    bitmap = delta.deletionvectors.RoaringBitmapArray()
    for row in gone:
        bitmap.add(row)
    bitmap.runOptimize()
    data = bitmap.serializeAsByteArray(getattr(delta.deletionvectors.RoaringBitmapArrayFormat, form)())
    told = delta.actions.DeletionVectorDescriptor.inlineInLog(data, len(gone))
    assert told.storageType() == "i"
    assert deleted_rows("/nowhere", "i" + told.pathOrInlineDv(), {}, (), 2**33).tolist() == gone
