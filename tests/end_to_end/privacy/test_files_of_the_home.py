"""What is kept in the home holds values of the lake: nobody but its owner reads it, whatever the umask is."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.evidence.pattern_index.index import PatternIndex
from catalog.flow.context import Context
from catalog.settings import Settings
from catalog.store import runs
from catalog.vault import Vault


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def _open_to_others(home: Path) -> list[str]:
    """What others could read, by what is above it too."""
    return [] if not home.stat().st_mode & 0o001 else sorted(
        str(one.relative_to(home)) for one in home.rglob("*")
        if all(each.stat().st_mode & 0o005 for each in (one, *one.parents) if each.is_relative_to(home))
        and one.stat().st_mode & 0o004 and one.is_file()
    )  # fmt: skip


def _use(home: Path) -> None:
    settings = Settings(home=home)
    context = Context(settings)
    with context.transaction() as session:
        runs.queue_run(session, "crawl", "lake")
    PatternIndex().save(settings.index_path)
    Vault(settings).seal("x")
    assert (home / "assay.db-wal").exists()
    context.close()


def test_a_new_home_is_its_owners(tmp_path: Path) -> None:
    home = tmp_path / "new"
    _use(home)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "assay.db").stat().st_mode) == 0o600


@pytest.mark.parametrize("kept", [False, True], ids=["empty", "of_an_earlier_release"])
def test_in_a_home_that_others_may_enter_nothing_is_theirs_to_read(tmp_path: Path, kept: bool) -> None:
    tmp_path.chmod(0o755)
    if kept:
        _use(tmp_path)
        for one in (tmp_path / "index", tmp_path / "index" / "gen-0001"):
            one.chmod(0o755)
        (tmp_path / "assay.db").chmod(0o644)
        assert "assay.db" in _open_to_others(tmp_path)
    _use(tmp_path)
    assert _open_to_others(tmp_path) == []
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755, "other things may lie in it"
