"""What schemas share, and a stretch of a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from catalog.store.pages.lines import Page

Item = TypeVar("Item")


class Out(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def made(cls, row: Any, **more: Any) -> Self:
        """From what a row has of the same names, and `more` that it has not or not so."""
        return cls(**{name: getattr(row, name) for name in cls.model_fields if name not in more}, **more)


class Listing(BaseModel, Generic[Item]):
    """A stretch of a list. `next` is the address of the following stretch (of a command, the option that gives it),
    null at the end."""

    items: list[Item]
    total: int
    limit: int
    offset: int
    next: str | None

    @property
    def number(self) -> int:
        return self.offset // self.limit + 1

    @property
    def count(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.total // self.limit))


def listing(found: Page, make: Callable[[Any], Item]) -> Listing[Item]:
    """A page of a query as people and programs are told it."""
    items, following = [make(one) for one in found.items], found.offset + found.limit
    more = f"--offset {following}" if following < found.total else None
    return Listing(items=items, total=found.total, limit=found.limit, offset=found.offset, next=more)
