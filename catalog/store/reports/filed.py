"""Reports that the service wrote into its folder: where each lies, and which there are. Nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from catalog.errors import NotFound
from catalog.reports.document import MEDIA
from catalog.reports.facts import Scope
from catalog.reports.figures import REPORT_KINDS
from catalog.reports.period import EVERY

FOLDER = "reports"
#: A report's kind, how often it is made (earlier releases did not write it), the last day of its period, and its form.
NAMED = re.compile(rf"({'|'.join(REPORT_KINDS)})-(?:(?:{'|'.join(EVERY)})-)?(\d{{4}}-\d\d-\d\d)\.({'|'.join(MEDIA)})")


@dataclass(frozen=True)
class Filed:
    """A report that was written: `whose` folder it lies in, its last day, bytes, and when it was written."""

    whose: str
    name: str
    kind: str
    day: str
    format: str
    bytes: int
    at: datetime


def place(home: Path, kind: str, every: str, scope: Scope, end: datetime, form: str) -> Path:
    """Where a scheduled report lies: by whose it is, kind, how often it is made and the last day of its period. The day
    and the month that end with it have a file each.

    >>> str(place(Path("/home"), "privacy", "month", Scope(owner="../Team A"), datetime(2026, 4, 1, tzinfo=UTC), "pdf"))
    '/home/reports/Team_A/privacy-month-2026-03-31.pdf'
    """
    whose = " ".join(name for name in (scope.owner, scope.source) if name) or "all"
    folder = re.sub(r"[^\w@+-]+", "_", whose).strip("_")[:80] or "all"
    day = end - timedelta(milliseconds=1)
    return home / FOLDER / folder / f"{kind}-{every}-{day:%Y-%m-%d}.{form}"


def filed(home: Path) -> list[Filed]:
    """Every report that was written, the latest day first."""
    return sorted(_found(home), key=lambda one: (one.day, one.at, one.whose, one.name), reverse=True)


def _found(home: Path) -> Iterator[Filed]:
    for path in (home / FOLDER).glob("*/*"):
        named = NAMED.fullmatch(path.name)
        if named is not None and path.is_file() and not path.is_symlink():
            told, (kind, day, form) = path.stat(), named.groups()
            at = datetime.fromtimestamp(told.st_mtime, UTC)
            yield Filed(path.parent.name, path.name, kind, day, form, told.st_size, at)


def read_filed(home: Path, whose: str, name: str) -> tuple[Filed, bytes]:
    """A report that was written, with its bytes; only what `filed` lists is read. Errors: `NotFound`."""
    one = next((one for one in filed(home) if (one.whose, one.name) == (whose, name)), None)
    try:
        if one is not None:
            return one, (home / FOLDER / one.whose / one.name).read_bytes()
    except OSError:
        pass  # taken away since
    raise NotFound(f"no report {whose[:80]}/{name[:80]} was written", remedy="`assay report filed` lists them")
