"""Deletion vectors against bitmaps that another implementation wrote."""

from __future__ import annotations

import base64
import shutil
import struct
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pytest
from deltalake import DeltaTable
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import MissingFile, UnreadableFile
from catalog.lake.logs.log import read_commits, read_table
from catalog.lake.reading.deletion import _B85, _Z85, deleted_rows, parse_bitmap
from catalog.lake.reading.files import Plan, read_file

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
                whole = read_file(Plan.of(info), replace(file, deletion_vector=None))
                kept = sum(batch.num_rows for batch in read_file(Plan.of(info), file))
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
