"""Finding tables and noticing their new versions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from catalog.errors import NotFound
from catalog.lake.logs.discover import discover
from catalog.lake.logs.replaying import commit_name
from catalog.lake.logs.watch import news
from catalog.lake.reading.storage import Storage

ROWS = pa.table({"id": [1, 2, 3]})


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for name in ("sales/orders", "sales/orders_tmp", "crm/people", "deep/er/still/x"):
        write_deltalake(str(tmp_path / name), ROWS, mode="append")
    (tmp_path / "crm" / "notes.txt").write_text("no table")
    (tmp_path / ".trash").mkdir()
    shutil.copytree(tmp_path / "crm" / "people", tmp_path / ".trash" / "people")
    return tmp_path


def test_tables_are_found_by_name(lake: Path) -> None:
    found = dict(discover(str(lake)))
    assert list(found) == ["crm/people", "deep/er/still/x", "sales/orders", "sales/orders_tmp"]
    assert found["sales/orders"] == str(lake / "sales" / "orders")
    assert [n for n, _ in discover(str(lake), ["sales/*"], ["*_tmp"])] == ["sales/orders"]
    assert [n for n, _ in discover(str(lake / "crm" / "people"))] == ["people"]
    assert list(discover(str(lake), ["nothing"])) == []


def test_folders_that_lie_in_each_other_for_ever_cost_no_table(lake: Path) -> None:
    here = os.getcwd()
    told: list[str] = []
    try:
        os.chdir(lake / "deep")
        for _ in range(2500):  # deeper than Python calls, and longer than the system's paths
            os.mkdir("d")
            os.chdir("d")
        os.chdir(here)
        found = dict(discover(str(lake), on_error=lambda path, error: told.append(f"{path}: {error}")))
        assert list(found) == ["crm/people", "deep/er/still/x", "sales/orders", "sales/orders_tmp"]
        assert len(told) == 1
        assert told[0].startswith("deep/d/d/d")
    finally:
        os.chdir(here)
        subprocess.run(["rm", "-rf", lake / "deep"], check=True)  # pytest's own way is recursive


def test_links_in_a_circle_end(lake: Path) -> None:
    (lake / "crm" / "again").symlink_to(lake, target_is_directory=True)
    (lake / "crm" / "dangling").symlink_to(lake / "nowhere")
    assert [n for n, _ in discover(str(lake))] == ["crm/people", "deep/er/still/x", "sales/orders", "sales/orders_tmp"]


@pytest.mark.parametrize("link", ["aaa", "zzz"])
def test_a_real_folder_is_listed_whatever_links_to_it_are_called(lake: Path, link: str) -> None:
    before = dict(discover(str(lake)))
    (lake / f"{link}_people").symlink_to(lake / "crm" / "people", target_is_directory=True)
    (lake / f"{link}_sales").symlink_to(lake / "sales", target_is_directory=True)
    assert dict(discover(str(lake))) == before
    assert dict(discover(str(lake), [], ["sales/*"])).keys() == before.keys() - {"sales/orders", "sales/orders_tmp"}
    asked = dict(discover(str(lake), [f"{link}_sales/*"]))  # by name, and without the folder's own
    assert asked.keys() == {f"{link}_sales/orders", f"{link}_sales/orders_tmp"}
    (lake / f"{link}_trash").symlink_to(lake / ".trash", target_is_directory=True)  # found by no other way
    assert dict(discover(str(lake))).keys() == before.keys() | {f"{link}_trash/people"}


def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        list(discover(str(tmp_path / "never")))


def test_tables_in_memory_through_fsspec(tmp_path: Path) -> None:
    """Any fsspec address works: here a file system in memory."""
    import fsspec

    write_deltalake(str(tmp_path / "people"), ROWS, mode="append")
    memory = fsspec.filesystem("memory")
    memory.put(str(tmp_path / "people"), "/lake/people", recursive=True)
    try:
        found = dict(discover("memory://lake"))
        assert list(found) == ["people"]
        from catalog.lake.logs.log import read_table

        info = read_table(found["people"])
        assert info.version == 0
        assert len(info.files) == 1
        assert news({found["people"]: 0}) == {}
        assert news({found["people"]: -1}) == {found["people"]: "new"}
    finally:
        memory.rm("/lake", recursive=True)


def test_news_of_a_table(lake: Path) -> None:
    uri = str(lake / "crm" / "people")
    other = str(lake / "sales" / "orders")
    assert news({uri: 0, other: 0}) == {}
    write_deltalake(uri, ROWS, mode="append")
    assert news({uri: 0, other: 0}) == {uri: "new"}
    assert news({uri: 1, f"file://{other}": 0}) == {}
    shutil.rmtree(uri)
    assert news({uri: 1, other: 0}) == {uri: "gone"}


def test_news_after_the_log_was_cleaned(lake: Path) -> None:
    """The watcher slept while versions came and their commit files went."""
    uri = str(lake / "crm" / "people")
    for _ in range(5):
        write_deltalake(uri, ROWS, mode="append")
    DeltaTable(uri).create_checkpoint()
    for number in range(4):
        Path(uri, commit_name(number)).unlink()
    assert news({uri: 1}) == {uri: "new"}
    assert news({uri: 5}) == {}


def test_news_of_a_table_that_began_again(lake: Path) -> None:
    uri = str(lake / "crm" / "people")
    assert news({uri: 7}) == {uri: "new"}


def test_a_thousand_quiet_tables_cost_next_to_nothing(tmp_path: Path) -> None:
    """No file is opened and no folder listed for them, and the one new commit is seen."""
    write_deltalake(str(tmp_path / "t0"), ROWS, mode="append")
    for number in range(1, 1000):
        shutil.copytree(tmp_path / "t0" / "_delta_log", tmp_path / f"t{number}" / "_delta_log")
    known = {str(tmp_path / f"t{number}"): 0 for number in range(1000)}
    write_deltalake(str(tmp_path / "t0"), ROWS, mode="append")
    touched: list[str] = []
    looking = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if looking and event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith(str(tmp_path)):
            touched.append(f"{event} {arguments[0]}")

    sys.addaudithook(hook)
    told = news(known)
    looking = False
    assert told == {str(tmp_path / "t0"): "new"}
    assert len(touched) <= 4, touched


def test_a_commit_that_was_written_anew_is_news(lake: Path) -> None:
    """A table dropped and made again with as many versions has the same file names."""
    uri = str(lake / "crm" / "people")
    commit = Storage(uri).look(commit_name(0))
    assert commit is not None
    stamps = {uri: commit.stamp}
    assert news({uri: 0}, stamps=stamps) == {}
    assert news({f"file://{uri}": 0}, stamps={f"file://{uri}": commit.stamp}) == {}
    shutil.rmtree(uri)
    write_deltalake(uri, ROWS, mode="append")
    assert news({uri: 0}, stamps=stamps) == {uri: "new"}
    assert news({uri: 0}) == {}  # nothing is known of its file
