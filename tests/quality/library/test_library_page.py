"""Every block of the library's page runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "library.md"


def test_every_block_runs_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 8
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)  # noqa: S102 - our own page
    said = capsys.readouterr().out
    assert "orders: error" in said
    assert "100 times" in said
