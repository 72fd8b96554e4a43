"""What the interface answers beside the nouns of `catalog.store.schemas`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import Request
from pydantic import BaseModel, Field

from catalog.store.pages.lines import Page
from catalog.store.schemas import listing as schema
from catalog.store.schemas.listing import Item, Listing, Out
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
    if found.offset + found.limit < found.total:
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
    running: int


class OwnerOut(Out):
    name: str | None = Field(description="null: nobody")
    given: str = Field(description="to a column, table or source, or by default; empty where nobody is")


class OwnerLine(BaseModel):
    owner: str
    members: list[str] = Field(description="of a team")
    sources: int
    tables: int = Field(description="those of its sources among them")
    columns: int = Field(description="with an owner of their own")


class OwnersOut(BaseModel):
    default: str | None = Field(description="who answers for what nobody was named for")
    unowned: int = Field(description="tables that nobody was named for")
    owners: list[OwnerLine]


class LearnersOut(Out):
    strings: str
    history: str


class VersionLabel(Out):
    number: int
    label: str


class LikeColumn(BaseModel):
    table_id: int
    table: str
    column_id: int | None
    column: str
    share: float = Field(description="of its rows that match")


class LikeOut(BaseModel):
    kind: str
    sentence: str
    regex: str | None
    coverage: int
    impurity: float
    recommended: bool
    chance: float = Field(description="share of the values of the lake's other columns that match")
    pattern: str
    columns: list[LikeColumn]


class AccountOut(BaseModel):
    rule_id: int
    kind: str
    column: str
    judged: int
    expected: float
    false: int
    confirmed: int
    unlabelled: int
    demoted: bool


class LedgerOut(BaseModel):
    table_id: int
    table: str
    source: str
    judged: int = Field(description="versions judged in 30 days")
    expected: float = Field(description="false alarms that the rules state over them")
    false: int = Field(description="alarms that a person called false")
    unlabelled: int = Field(description="alarms that nobody has judged")
    confirmed: int
    demoted: int = Field(description="rules that only warn at present")
    budget: float
    over: bool
    accounts: list[AccountOut] = Field(description="rules with something to tell; only when one table is asked for")


class UnmaskedBlock(BaseModel):
    column: str
    sentence: str | None = None
    rows: list[dict[str, Any]]
    why: str | None = Field(None, description="why there are no rows")


class UnmaskedOut(BaseModel):
    """Values of the levels that the role may see, as the lake holds them now; the others masked."""

    table: str
    version: int
    levels: list[str]
    blocks: list[UnmaskedBlock]
