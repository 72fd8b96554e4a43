"""The known domains, by name. A domain is added to one of the themed modules and appears here by itself."""

from __future__ import annotations

from catalog.domains.contact import CONTACT
from catalog.domains.domain import Domain
from catalog.domains.people import PEOPLE
from catalog.domains.places import PLACES
from catalog.domains.technical import TECHNICAL
from catalog.domains.temporal import TIME
from catalog.domains.text import LANGUAGE, NUMBERS
from catalog.domains.trade import MONEY

THEMES: dict[str, tuple[Domain, ...]] = {
    "people": PEOPLE,
    "contact and identity": CONTACT,
    "places": PLACES,
    "networks and computing": TECHNICAL,
    "time": TIME,
    "money, trade and organisations": MONEY,
    "language": LANGUAGE,
    "numbers and flags": NUMBERS,
}

KNOWN: dict[str, Domain] = {domain.name: domain for domains in THEMES.values() for domain in domains}

# What is said of a column with no particular meaning, so that every column can be sorted and searched.
GENERIC: dict[str, str] = {
    "category": "Category (few recurring words)",
    "code": "Code (short symbols)",
    "opaque_id": "Identifier",
    "title": "Title or label",
    "free_text": "Free text",
    "other": "Structured text",
}


def title(name: str) -> str:
    """What people read for a domain's name.

    >>> title("ipv4"), title("opaque_id"), title("my_own")
    ('IPv4 address', 'Identifier', 'My own')
    """
    if name in KNOWN:
        return KNOWN[name].title
    return GENERIC.get(name) or name.replace("_", " ").capitalize()


def sensitive_domains() -> frozenset[str]:
    """Names of the domains whose values identify or reach a person."""
    return frozenset(domain.name for domain in KNOWN.values() if domain.sensitive)
