"""Noticing new versions: one look at the name of the next commit file of each table, and no JVM."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from catalog.errors import TableError
from catalog.lake.logs.replaying import commit_name, list_log
from catalog.lake.reading.storage import Entry, Storage, look

_THREADS = 16  # a bound


def news(
    versions: Mapping[str, int], options: dict[str, str] | None = None, stamps: Mapping[str, str | None] | None = None
) -> dict[str, str]:
    """Which tables have changed: address -> ``new`` (a version after the last known one, or another table in its place)
    or ``gone``.

    Tables without news are left out. A local table costs two calls of the operating system; tables elsewhere are asked
    side by side.

    Parameters
    ----------
    versions : last known version of each table, by address.
    stamps : stamp (`Entry.stamp`) that the commit file of that version had, where it is known: another one means that
        the file was written another time, as happens to a table that was dropped and made again.
    """
    stamps = stamps or {}
    here: list[str] = []
    elsewhere: list[str] = []
    for uri in versions:
        (elsewhere if "://" in uri and not uri.startswith("file:") else here).append(uri)
    told = [(uri, _local_news(uri, versions[uri], stamps.get(uri))) for uri in here]
    if elsewhere:
        with ThreadPoolExecutor(_THREADS) as pool:
            answers = pool.map(lambda uri: _remote_news(uri, versions[uri], stamps.get(uri), options or {}), elsewhere)
            told += zip(elsewhere, answers, strict=True)
    return {uri: answer for uri, answer in told if answer is not None}


def _local_news(uri: str, version: int, stamp: str | None) -> str | None:
    folder = uri if not uri.startswith("file:") else str(Storage(uri).local)
    return _news(uri, version, stamp, {}, lambda path: look(f"{folder}/{path}"))


def _remote_news(uri: str, version: int, stamp: str | None, options: dict[str, str]) -> str | None:
    storage = Storage(uri, options)
    try:
        return _news(uri, version, stamp, options, storage.look)
    except Exception:  # not reachable just now: no news, the next look asks again; stores' clients raise their own
        return None


def _news(
    uri: str, version: int, stamp: str | None, options: dict[str, str], seen: Callable[[str], Entry | None]
) -> str | None:
    """The next commit is there: new. The last one still is, as it was: nothing. Else the log itself is looked at:
    clean-up may have removed both, the table may be gone, or be another one that began again."""
    if seen(commit_name(version + 1)) is not None:
        return "new"
    last = seen(commit_name(version)) if version >= 0 else None
    if last is not None:
        return "new" if stamp and stamp != last.stamp else None
    try:
        latest = list_log(uri, options).latest
    except TableError:
        return "gone"
    return None if latest == version else "new"
