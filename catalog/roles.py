"""Roles: what each person may do.

Rights build on each other from viewer to admin. A runner reads and starts work, and decides nothing: that is for
schedulers and pipelines.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalog.errors import UsageError

READ, RUN, EDIT, APPROVE, ADMIN = "read", "run", "edit", "approve", "admin"
UNMASK, UNMASK_SECRET = "unmask", "unmask secrets"
ROLES = {
    "viewer": frozenset({READ}),
    "runner": frozenset({READ, RUN}),
    "author": frozenset({READ, RUN, EDIT}),
    "approver": frozenset({READ, RUN, EDIT, APPROVE, UNMASK}),
    "admin": frozenset({READ, RUN, EDIT, APPROVE, ADMIN, UNMASK, UNMASK_SECRET}),
}
WORDS = {
    READ: "see the catalog",
    RUN: "start crawls and checks",
    EDIT: "change sources, owners and incidents, and name domains",
    APPROVE: "decide on tags and rules",
    UNMASK: "see personal values unmasked, for a reason",
    UNMASK_SECRET: "see secret values unmasked",
    ADMIN: "manage people and settings, and forget sources",
}
LOCAL = "local"


class Forbidden(UsageError):
    """The one who asks may not do this."""


@dataclass(frozen=True)
class Identity:
    """Who asks, and what he may do.

    Parameters
    ----------
    name : as it is written into the audit log; ``local`` where nobody has to log in.
    rights : among those of `ROLES`.
    role : in words, for pages and errors.
    by_token : whether a program asks with a person's token: it may not make further ones, which could do more.
    """

    name: str
    rights: frozenset[str]
    role: str
    user_id: int | None = None
    by_token: bool = False

    def may(self, right: str) -> bool:
        return right in self.rights

    def demand(self, right: str) -> None:
        """Raise `Forbidden` unless he may."""
        if self.may(right):
            return
        able = ", ".join(role for role, rights in ROLES.items() if right in rights)
        raise Forbidden(
            f"{self.name} may not {WORDS[right]}: the role is {self.role}", remedy=f"ask one of these roles: {able}"
        )


def everyone_here(name: str = LOCAL) -> Identity:
    """Whoever is at this machine, where nobody has an account."""
    return Identity(name, ROLES["admin"], "admin")


def rights_of(role: str, scope: str | None = None) -> frozenset[str]:
    """The rights of a role, narrowed to those of a token's scope, which is a role too. Errors: `UsageError`.

    >>> sorted(rights_of("admin", "runner")), sorted(rights_of("viewer", "admin"))
    (['read', 'run'], ['read'])
    """
    for name in (role, scope or role):
        if name not in ROLES:
            raise UsageError(f"there is no role {name!r}", remedy=f"use one of {', '.join(ROLES)}")
    return ROLES[role] & ROLES[scope or role]
