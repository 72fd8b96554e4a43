"""Logs tell what failed and where, never what a cell or a variable held."""

from __future__ import annotations

import subprocess
import sys

FAILING = """
import logging, sys
import structlog
from catalog.cli.app import log_to_stderr

log_to_stderr(sys.argv[1])
log = structlog.get_logger()

def step(rows, count):
    raise ValueError("Failed to parse string: 'Zoe Kim' as a scalar of type int64, near bob.ray@mail.example")

try:
    step(["ann.lee@mail.example", "GB82 WEST 1234 5698 7654 32"], 41017)
except ValueError as error:
    log.exception("a step failed", table="orders")
    log.warning("it failed", error=error.args[0])
    logging.getLogger("web").error("unexpected error", exc_info=error)
"""
VALUES = ("ann.lee", "bob.ray", "Zoe", "WEST", "41017")


def test_no_local_and_no_cell_is_logged() -> None:
    for level in ("WARNING", "DEBUG"):
        asked = [sys.executable, "-c", FAILING, level]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stderr
        assert "a step failed" in said
        assert said.count("in step") == 2  # both tracebacks are there
        assert "Failed to parse string: 'Aaa Aaa'" in said
        assert [value for value in VALUES if value in said.replace(_code(said), "")] == []


def _code(said: str) -> str:
    """The lines of source that tracebacks show."""
    return "\n".join(line for line in said.splitlines() if line.startswith("    raise "))


REPLACED = """
import io, sys
import structlog
from catalog.logs import log_to_stderr

own, sys.stderr = sys.stderr, io.StringIO()
log_to_stderr("WARNING")
sys.stderr.close()
sys.stderr = own
structlog.get_logger().warning("it goes on")
"""


def test_a_standard_error_that_was_replaced_and_closed_stops_nothing() -> None:
    said = subprocess.run([sys.executable, "-c", REPLACED], capture_output=True, text=True, check=True).stderr
    assert "it goes on" in said
