"""Data files that a version names and that are not there, or not as large: on this machine and in a store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import fsspec
import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.errors import MissingFile, OutsideSource, UnreadableFile
from catalog.lake.logs.log import read_table
from catalog.lake.reading.presence import MOST_ASKED, look_for_files
from catalog.lake.types import TableInfo

PLACES = ["local", "store"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "lake" / "t"
    kinds = ["a b", "c%d", "é/f", None]
    for start in range(0, 8, 4):
        write_deltalake(folder, pa.table({"p": kinds, "x": range(start, start + 4)}), partition_by=["p"], mode="append")
    return folder


def seen(folder: Path, place: str) -> TableInfo:
    """The table, read where it lies or as a copy in a store that only fsspec reaches."""
    if place == "local":
        return read_table(str(folder))
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]
    memory.put(str(folder), f"/{folder.name}", recursive=True)
    return read_table(f"memory://{folder.name}")


@pytest.mark.parametrize("place", PLACES)
def test_a_whole_table_is_passed(folder: Path, place: str) -> None:
    info = seen(folder, place)
    assert len(info.files) == 8
    look_for_files(info)


@pytest.mark.parametrize("place", PLACES)
def test_missing_files_are_counted_and_the_first_is_named(folder: Path, place: str) -> None:
    paths = sorted(folder.rglob("*.parquet"))
    for path in paths[:3]:
        path.unlink()
    info = seen(folder, place)
    with pytest.raises(MissingFile, match=r"is missing, and 2 more of 8; restore") as told:
        look_for_files(info)
    assert any(path.name in str(told.value) for path in paths[:3])
    assert "FSCK" in told.value.remedy


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("size", [0, 200, 100_000])
def test_a_file_of_another_size_is_damaged_unless_the_log_names_none(folder: Path, place: str, size: int) -> None:
    path = min(folder.rglob("*.parquet"))
    path.write_bytes(path.read_bytes()[:size].ljust(size, b"\0"))
    info = seen(folder, place)
    with pytest.raises(UnreadableFile, match=f"it has {size:,} bytes, the log says"):
        look_for_files(info)
    look_for_files(replace(info, files=tuple(replace(file, size=0) for file in info.files)))


def test_files_that_nobody_may_read_or_that_lie_outside_are_told(folder: Path, tmp_path: Path) -> None:
    path = min(folder.rglob("*.parquet"))
    elsewhere = tmp_path / "elsewhere.parquet"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(OutsideSource):
        look_for_files(seen(folder, "local"))
    look_for_files(replace(seen(folder, "local"), roots=(str(tmp_path),)))
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(UnreadableFile, match="cannot be read"):
        look_for_files(replace(seen(folder, "local"), roots=(str(tmp_path),)))


def test_of_a_store_that_cannot_be_listed_some_files_are_asked_for(folder: Path) -> None:
    info = seen(folder, "store")
    memory = fsspec.filesystem("memory")
    asked: list[str] = []

    class Closed(type(memory)):  # type: ignore[misc]
        """The same store, of which files may be read and folders not listed, as some rights are."""

        protocol = "closed"

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return super()._strip_protocol(path.replace("closed://", "memory://"))

        def find(self, *_: object, **__: object) -> None:
            raise PermissionError("no right to list")

        def _open(self, path: str, *args: object, **more: object) -> object:
            asked.append(path)
            return super()._open(path, *args, **more)

    fsspec.register_implementation("closed", Closed, clobber=True)
    many = info.files * (MOST_ASKED // 2)
    hidden = replace(info, uri="closed://t", roots=("closed://t",), files=many)
    look_for_files(hidden)
    assert len(asked) == MOST_ASKED
    memory.rm(f"/t/{info.files[0].path}")
    with pytest.raises(MissingFile):
        look_for_files(hidden)
