"""People with accounts, and the tokens of their programs: nothing by which anybody could come in."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from catalog.store.models import ApiToken, User
from catalog.store.schemas.listing import Out


class UserOut(Out):
    id: int
    name: str
    role: str
    active: bool = Field(description="may come in")
    created_at: datetime


class TokenOut(Out):
    id: int
    name: str
    scope: str = Field(description="a role: it may do what both this and its owner's role may")
    created_at: datetime
    expires_at: datetime
    user: str

    @classmethod
    def of(cls, found: tuple[ApiToken, User]) -> TokenOut:
        token, user = found
        return cls.made(token, user=user.name)
