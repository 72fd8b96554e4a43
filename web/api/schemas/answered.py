"""What the interface answers beside the nouns of `catalog.store.schemas`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import Request
from pydantic import BaseModel, Field

from catalog.store.pages.lines import Page
from catalog.store.schemas import listing as schema
from catalog.store.schemas.listing import Item, Listing
from web.render import query


class Cause(BaseModel):
    kind: str
    cause: str
    remedy: str


class Failure(BaseModel):
    """Every error has this form."""

    error: Cause


def listing(request: Request, found: Page, make: Callable[[Any], Item]) -> Listing[Item]:
    """A stretch of a list with the address of the next."""
    told = schema.listing(found, make)
    if told.next is not None:
        told.next = request.url.path + query(request, page=None, limit=found.limit, offset=found.offset + found.limit)
    return told


class Health(BaseModel):
    status: str = Field(description="ok, or degraded: the catalog answers, but new versions wait")
    version: str
    queue: str | None = Field(description="why work would wait, null when a worker is there")
    tables: dict[str, int]
    columns: int
    rules: int
    open_incidents: int
    undelivered: int = Field(description="alerts that were tried and not taken")
    failed_reports: int = Field(description="scheduled reports whose last try failed")
    running: int
