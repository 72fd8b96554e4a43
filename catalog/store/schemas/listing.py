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
    """A stretch of a list. `next` is the address of the following stretch, null at the end."""

    items: list[Item]
    total: int
    limit: int
    offset: int
    next: str | None


def listing(found: Page, make: Callable[[Any], Item], following: str | None = None) -> Listing[Item]:
    """A page of a query as programs are told it; `following` is the address of the next."""
    items = [make(one) for one in found.items]
    return Listing(items=items, total=found.total, limit=found.limit, offset=found.offset, next=following)
