"""A commit is dated without a change of what else it says."""

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from catalog.demo.lake import date_commit


def test_values_with_line_breaks_of_unicode_stay(tmp_path: Path) -> None:
    """Statistics quote the least and the largest value: a garbled letter can be a line break of its own (U+0085)."""
    words = pa.table({"word": ["\u0085ngstrom", "a\u2028b", "\u00c3\u0085"]})
    write_deltalake(str(tmp_path), words)
    at = datetime(2026, 3, 2, 3, tzinfo=UTC)
    date_commit(tmp_path, 0, at)
    assert DeltaTable(tmp_path).history()[0]["timestamp"] == at.timestamp() * 1000
    assert DeltaTable(tmp_path).to_pyarrow_table()["word"].to_pylist() == words["word"].to_pylist()
