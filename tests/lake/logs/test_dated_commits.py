"""A commit is dated without a change of what else it says."""

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from catalog.demo.lake import arriving, date_commit


def test_values_with_line_breaks_of_unicode_stay(tmp_path: Path) -> None:
    """Statistics quote the least and the largest value: a garbled letter can be a line break of its own (U+0085)."""
    words = pa.table({"word": ["\u0085ngstrom", "a\u2028b", "\u00c3\u0085"]})
    write_deltalake(str(tmp_path), words)
    at = datetime(2026, 3, 2, 3, tzinfo=UTC)
    date_commit(tmp_path, 0, at)
    assert DeltaTable(tmp_path).history()[0]["timestamp"] == at.timestamp() * 1000
    assert DeltaTable(tmp_path).to_pyarrow_table()["word"].to_pylist() == words["word"].to_pylist()


def test_what_arrives_is_dated_before_anybody_sees_it(tmp_path: Path) -> None:
    path, at = tmp_path / "lake" / "words", datetime(2026, 3, 2, 3, tzinfo=UTC)
    write_deltalake(str(path), pa.table({"id": [1, 2]}))
    before = sorted(path.rglob("*"))
    with arriving(path) as copy:
        merger = DeltaTable(str(copy)).merge(pa.table({"id": [2, 3]}), "t.id = s.id", "s", "t")
        merger.when_matched_update_all().when_not_matched_insert_all().execute()
        DeltaTable(str(copy)).create_checkpoint()
        date_commit(copy, 1, at)
        assert sorted(path.rglob("*")) == before
        assert [one.name for one in path.parent.iterdir()] == ["words"]  # nor does the lake have another table
    table = DeltaTable(str(path))
    assert (table.version(), table.history()[0]["timestamp"]) == (1, at.timestamp() * 1000)
    assert sorted(table.to_pyarrow_table()["id"].to_pylist()) == [1, 2, 3]
    assert (path / "_delta_log" / "_last_checkpoint").exists()
    assert [one.name for one in tmp_path.iterdir()] == ["lake"]
