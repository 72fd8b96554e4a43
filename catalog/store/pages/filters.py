"""What lists can be asked for. Quick to load."""

from __future__ import annotations

from collections.abc import Iterable

from catalog.errors import UsageError

OPEN = ("new", "acknowledged", "assigned")
LEVELS = ("error", "warning")
TABLE_STATUSES = ("new", "learning", "empty", "watched", "error", "vanished", "excluded")
RUN_STATUSES = ("queued", "running", "done", "failed", "cancelled")
VERDICTS = ("passed", "violated", "not_applicable")


def one_of(what: str, value: str | None, allowed: Iterable[str]) -> None:
    """Refuse a filter that nothing can have: an empty list would say that there is nothing. Errors: `UsageError`.

    >>> one_of("status", "zzz", ["new", "done"])
    Traceback (most recent call last):
        ...
    catalog.errors.UsageError: there is no status 'zzz'; use one of new, done
    """
    listed = list(allowed)
    if value and value not in listed:
        raise UsageError(f"there is no {what} {value!r}", remedy=f"use one of {', '.join(listed)}")
