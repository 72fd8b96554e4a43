"""Who asks for a quick list, through the driver alone, as `catalog.store.access.people` and `owners` say.."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256

from catalog.roles import READ, rights_of
from catalog.store.driver.quick import Ask

_WHOSE = """
SELECT u.name AS name, u.role AS role, u.active AS active, t.scope AS scope, t.expires_at AS expires_at
FROM api_token t JOIN account u ON u.id = t.user_id WHERE t.digest = :digest AND t.revoked_at IS NULL
"""


def name_of(ask: Ask, token: str, local: str) -> str | None:
    """The name of who may read: `local` where nobody has an account, else that of the person whose token it is; None
    for a token that is none, or over, or of somebody who is locked out."""
    if not ask("SELECT id FROM account LIMIT 1", {}):
        return local
    digest = sha256(token.encode("utf-8", "replace")).hexdigest()
    for row in ask(_WHOSE, {"digest": digest}) if token else ():
        if row.active and row.expires_at > datetime.now(UTC) and READ in rights_of(row.role, row.scope):
            return str(row.name)
    return None


def names_of(ask: Ask, person: str) -> tuple[str, ...]:
    """A person's name and those of the teams he is in."""
    rows = ask("SELECT value AS teams FROM catalog_setting WHERE name = 'teams'", {})
    teams = rows[0].teams if rows else {}
    return (person, *sorted(team for team, members in teams.items() if person in members))
