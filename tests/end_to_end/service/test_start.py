"""What keeps the service from starting is said at once, with what to do."""

from __future__ import annotations

import socket
import sqlite3

import pytest
from assay_command import Within

pytestmark = pytest.mark.spark


def test_what_keeps_the_page_from_listening_is_told(within: Within, monkeypatch: pytest.MonkeyPatch) -> None:
    for host in ("nosuch.host.invalid", "203.0.113.7"):  # kept for documentation: nobody has it
        monkeypatch.setenv("ASSAY_HOST", host)
        for command in ("web", "up"):
            assert f"{host}: that is no address of this machine; set ASSAY_HOST" in within(command, code=3).stderr
    monkeypatch.setenv("ASSAY_HOST", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("ASSAY_PORT", str(taken.getsockname()[1]))
        assert "of 127.0.0.1 is taken; set another ASSAY_PORT" in within("web", code=3).stderr


def test_a_catalog_that_cannot_be_used_is_told_before_anything_starts(
    within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    within("user", "list")  # makes it
    with sqlite3.connect(within.settings.home / "assay.db") as catalog:
        catalog.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "use the Assay that made it, or a newer one" in within("up", code=3).stderr
    monkeypatch.setenv("ASSAY_DATABASE_URL", "postgresql://127.0.0.1:1/assay")
    assert "the catalog's database cannot be opened" in within("up", code=3).stderr
    assert list((within.settings.home / "logs").glob("w*.log")) == [], "no worker and no page was started"


def test_a_home_without_room_is_told_as_such(within: Within) -> None:
    (within.settings.home / "service.json").symlink_to("/dev/full")
    assert f"there is no room left in {within.settings.home}; make room" in within("up", code=3).stderr
