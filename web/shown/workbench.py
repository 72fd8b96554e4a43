"""The workbench, and the pattern index as pages see it: opened once for each generation, never written."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sqlmodel import Session

from catalog.errors import NotFound, StateError, UsageError
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.views import profile
from catalog.settings import Settings
from catalog.store.domains import lakedomains
from catalog.store.meaning import privacy
from catalog.store.models import LakeColumn
from catalog.store.schemas.meaning import LikeOut
from catalog.tags.discovery.example import ExamplePattern, tag_by_example, tag_like, tag_pattern

MOST_VALUES = 1000  # of an example; a bound
REMEDY = "crawl a source: its columns are indexed at the end"


class Index:
    """Opens the index of the settings when it is first asked for, and again when a crawl swapped in the next one."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._opened: tuple[str, PatternIndex] | None = None

    def get(self) -> PatternIndex:
        """Errors: `NotFound` where there is none yet, or one of another release."""
        folder = self.settings.index_path
        try:
            generation = (folder / "CURRENT").read_text(encoding="utf-8").strip()
        except OSError as error:
            raise NotFound("there is no pattern index yet", remedy=REMEDY) from error
        with self._lock:
            if self._opened is None or self._opened[0] != generation:
                try:
                    self._opened = (generation, PatternIndex.open(folder))
                except StateError as error:
                    raise NotFound("the pattern index is of another release", remedy=REMEDY) from error
            return self._opened[1]


def like(session: Session, index: Index, column: LakeColumn) -> list[ExamplePattern]:
    """Patterns of a column that describe columns of the lake, the most restrictive first.

    Errors: `NotFound` without an index, `UsageError` for a column that holds no strings or was not scanned.
    """
    state = lakedomains.column_state(session, column.table_id, column.name)
    known = profile(state) if state is not None else None
    if known is None:
        raise UsageError(f"column {column.name!r} holds no strings", remedy="look for the like of a column of strings")
    found = [one for one in tag_like(known, index.get()) if one.described]
    hide = privacy.hiding(session, column.table_id)  # a pattern of values lists them
    return [one for one in found if not (one.kind == "value" and hide.private_rule(column.name, one.sentence))]


@dataclass(frozen=True)
class Example:
    """What the workbench starts from: pasted values, a column, or a pattern as pages show one."""

    values: str = ""
    column: LakeColumn | None = None
    pattern: str = ""

    @cached_property
    def distinct(self) -> list[str]:
        """The values, one a line, each once."""
        return list(dict.fromkeys(line.strip() for line in self.values.splitlines() if line.strip()))

    @property
    def pasted(self) -> list[str]:
        """Those of them that are looked at."""
        return self.distinct[:MOST_VALUES]


def ranked(session: Session, index: Index, example: Example) -> list[ExamplePattern]:
    """Patterns of an example, the most restrictive first. Errors: `NotFound`, `UsageError`."""
    if example.column is not None:
        return like(session, index, example.column)
    if example.pattern:
        return tag_pattern(example.pattern, index.get())
    if len(example.pasted) < 3:
        raise UsageError("a pattern needs an example", remedy=f"paste 3 to {MOST_VALUES} different values, one a line")
    return [one for one in tag_by_example(example.pasted, index.get()) if one.coverage]


def tried(regex: str, values: Iterable[str]) -> tuple[list[str], list[str]]:
    """The values that a pattern of ours matches, and those that it does not.

    >>> tried("[A-Z]{2}-[0-9]{4}", ["AB-1234", "n/a"])
    (['AB-1234'], ['n/a'])
    """
    whole = re.compile(regex)
    found: tuple[list[str], list[str]] = [], []
    for value in values:
        found[whole.fullmatch(value) is None].append(value)
    return found


def placed(session: Session, found: list[ExamplePattern]) -> list[LikeOut]:
    """The patterns as people and programs are told them, with the columns that they describe."""
    places = lakedomains.where(session, [one for pattern in found for one in pattern.described])
    return [LikeOut.of(one, places) for one in found]
