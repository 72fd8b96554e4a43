"""Errors that say what happened, why, and what to do about it.

The tree::

    AssayError                     everything below; ``str()`` gives cause and remedy
    ├── UsageError                 the caller asked for something that cannot be
    │   ├── NotFound               no source, table, rule, version or run of that name
    │   ├── Held                   the decision waits for a second person
    │   ├── Changed                what is decided on is not as it was seen any more
    │   └── SettingError           a setting has a value that cannot be used
    ├── TableError                 one table cannot be read; the rest of the lake goes on
    │   ├── TableVanished          the folder or its log is gone
    │   ├── ClosedLog              the transaction log is there and cannot be listed, or nobody knows whether it is
    │   ├── CorruptLog             the transaction log cannot be replayed
    │   ├── UnsupportedTable       the table asks for a reader feature that is not there
    │   ├── OutsideSource          the log names a file that lies outside the table's source
    │   ├── MissingFile            a data file that the log lists is not there
    │   └── UnreadableFile         a data file is there and cannot be read
    ├── StateError                 stored state bytes are of another version or damaged
    ├── StoreError                 the catalog's database cannot be used
    │   └── NoRoom                 what was found cannot be kept: a disk is full
    ├── DeliveryError              results could not be recorded, written or printed
    ├── BrokerError                the task queue cannot be used
    └── Cancelled                  a person stopped the run
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Self

#: What no database keeps as text and no terminal prints: causes quote names and logs that hold anything.
_NO_TEXT = re.compile("[\ud800-\udfff\x00]")

#: Characters of a cause beyond which nobody reads: names in a log may be of any length; a bound.
_LONGEST = 800


class AssayError(Exception):
    """An error with a cause and a remedy.

    >>> print(CorruptLog("commit 7 of 'orders' is not JSON", remedy="restore the file from a backup"))
    commit 7 of 'orders' is not JSON; restore the file from a backup
    >>> CorruptLog("x").kind
    'corrupt_log'
    """

    remedy = ""
    #: Others that were found with it, so that all are mended at once.
    more: tuple[AssayError, ...] = ()

    def __init__(self, cause: str, *, remedy: str | None = None) -> None:
        cause = _NO_TEXT.sub("\ufffd", cause)
        if len(cause) > _LONGEST:
            cause = cause[: _LONGEST - 1] + "…"
        super().__init__(cause)
        self.cause = cause
        if remedy is not None:
            self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.cause}; {self.remedy}" if self.remedy else self.cause

    def with_more(self, others: Iterable[AssayError]) -> Self:
        """The same error, with others that are told after it."""
        self.more = tuple(others)
        return self

    @property
    def kind(self) -> str:
        """The class name in snake case: what the store and the JSON interface show."""
        name = type(self).__name__
        return "".join(("_" if i and c.isupper() else "") + c.lower() for i, c in enumerate(name))


class UsageError(AssayError):
    """The caller asked for something that cannot be."""


class NotFound(UsageError):
    """No source, table, rule, version or run of that name."""


class Held(UsageError):
    """The decision waits for a second person; that it does is kept."""

    remedy = "another approver answers it, at /approvals or by `assay approval`"


class Changed(UsageError):
    """What is decided on is not as it was seen any more: `seen` is its state now, `told` what people are told of it."""

    remedy = "look at what is so now, then decide again"

    def __init__(self, cause: str, *, seen: str, told: str = "") -> None:
        super().__init__(cause)
        self.seen, self.told = seen, told


class SettingError(UsageError):
    """A setting has a value that cannot be used."""


class TableError(AssayError):
    """One table cannot be read; the rest of the lake goes on."""


class TableVanished(TableError):
    """The table's folder or its transaction log is gone."""

    remedy = "restore the table, or forget it: on its page, or by `assay table remove`"


class ClosedLog(TableError):
    """The transaction log is there and cannot be listed, or nobody knows whether it is."""

    remedy = "check the address, the rights and the storage options"


class CorruptLog(TableError):
    """The transaction log cannot be replayed."""

    remedy = "restore _delta_log from a backup; the next crawl tries again"


class UnsupportedTable(TableError):
    """The table asks for a reader feature that is not there."""

    remedy = "upgrade Assay's Spark and Delta, or drop the table feature"


class OutsideSource(TableError):
    """The log names a file that lies outside the table's source."""

    remedy = "if the table is a shallow clone, allow the folder of its files on the source (`assay source allow`)"


class MissingFile(TableError):
    """A data file that the log lists is not there."""

    remedy = "restore the file, or on Databricks remove it from the log with FSCK REPAIR TABLE"


class UnreadableFile(TableError):
    """A data file is there and cannot be read."""

    remedy = "rewrite or restore the file"


class StateError(AssayError):
    """Stored state bytes are of another version or damaged."""

    remedy = "crawl the table again: the state is rebuilt from its data files"


class StoreError(AssayError):
    """The catalog's database cannot be used."""


class NoRoom(StoreError):
    remedy = "make room there, and start it again: what was done is kept"


class DeliveryError(AssayError):
    """Results were found, and could not be recorded, written or printed."""


class BrokerError(AssayError):
    """The task queue cannot be used."""


class Cancelled(AssayError):
    """A person stopped the run."""


class Interrupted(Cancelled):
    """The command was interrupted, by Ctrl-C or by a signal."""

    remedy = "start it again: what was done is kept"


def table_error(kind: str, cause: str) -> TableError:
    """The error of one table from its stored kind and cause.

    >>> table_error("missing_file", "part-0 is gone").kind
    'missing_file'
    """
    made = {one("").kind: one for one in TableError.__subclasses__()}.get(kind, TableError)
    return made(cause.removesuffix(f"; {made.remedy}"))
