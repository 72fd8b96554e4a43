"""Processor seconds of a process and everything it started, from Linux's /proc. Imports nothing of this project."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def tree_seconds(root: int | None = None) -> float:
    """User and system seconds so far of a process (this one), its living descendants, and those they waited for."""
    times: dict[int, tuple[int, float]] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        times[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:15])) / _TICKS
    root = root or os.getpid()
    return sum(seconds for pid, (_, seconds) in times.items() if _descends(pid, root, times))


def _descends(pid: int, root: int, times: dict[int, tuple[int, float]]) -> bool:
    while pid != root:
        if pid not in times:
            return False
        pid = times[pid][0]
    return True
