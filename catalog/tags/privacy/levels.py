"""How much harm a column's values could do: four levels, of which the two higher are masked."""

from __future__ import annotations

from collections.abc import Iterable

SENSITIVITY_LEVELS = ("public", "internal", "personal", "secret")
HIDDEN = frozenset({"personal", "secret"})
USUAL = "internal"  # of what nothing sensitive is known
WORDS = {
    "public": "anybody may see it",
    "internal": "for everybody here",
    "personal": "of a person: masked",
    "secret": "opens a door, or money: masked",
}
#: Sensitive domains that identify nobody but open something; all others are personal.
SECRETS = frozenset(
    "api_key bitcoin_address card_number card_expiry card_security_code credentials_url ethereum_address jwt password "
    "password_hash private_key".split()
)


def level_of(domains: Iterable[str]) -> str:
    """The level of a column whose sensitive domains are these.

    >>> level_of([]), level_of(["email"]), level_of(["email", "password"])
    ('internal', 'personal', 'secret')
    """
    found = set(domains)
    return "secret" if found & SECRETS else "personal" if found else USUAL
