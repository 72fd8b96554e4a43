"""Noticing new versions: one look at the name of the next commit file of each table, and no JVM."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from catalog.errors import CorruptLog, TableVanished
from catalog.lake.log import commit_name, list_log
from catalog.lake.storage import Storage

_THREADS = 16


def news(versions: dict[str, int], options: dict[str, str] | None = None) -> dict[str, str]:
    """Which tables have changed: address -> ``new`` (a version after the last known one) or ``gone``.

    `versions` maps each table's address to its last known version. Tables without news are left out. A local table
    costs two calls of the operating system; tables elsewhere are asked side by side.
    """
    here: list[str] = []
    elsewhere: list[str] = []
    for uri in versions:
        (elsewhere if "://" in uri and not uri.startswith("file:") else here).append(uri)
    told = [(uri, _local_news(uri, versions[uri])) for uri in here]
    if elsewhere:
        with ThreadPoolExecutor(_THREADS) as pool:
            answers = pool.map(lambda uri: _remote_news(uri, versions[uri], options or {}), elsewhere)
            told += zip(elsewhere, answers, strict=True)
    return {uri: answer for uri, answer in told if answer is not None}


def _local_news(uri: str, version: int) -> str | None:
    folder = uri if not uri.startswith("file:") else str(Storage(uri).local)
    return _news(uri, version, {}, lambda path: _is_there(f"{folder}/{path}"))


def _remote_news(uri: str, version: int, options: dict[str, str]) -> str | None:
    storage = Storage(uri, options)
    try:
        return _news(uri, version, options, storage.exists)
    except OSError:  # not reachable just now: no news, the next look asks again
        return None


def _is_there(path: str) -> bool:
    try:
        os.stat(path)
    except OSError:
        return False
    return True


def _news(uri: str, version: int, options: dict[str, str], exists: Callable[[str], bool]) -> str | None:
    """The next commit is there: new. The last one still is: nothing. Else the log itself is looked at: clean-up may
    have removed both, the table may be gone, or be another one that began anew."""
    if exists(commit_name(version + 1)):
        return "new"
    if version >= 0 and exists(commit_name(version)):
        return None
    try:
        latest = list_log(uri, options).latest
    except (TableVanished, CorruptLog):
        return "gone"
    return None if latest == version else "new"
