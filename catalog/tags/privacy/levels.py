"""How much harm a column's values could do: five levels, of which the three higher are masked."""

from __future__ import annotations

from collections.abc import Iterable

UNREVIEWED = "unreviewed"  # not known: treated as personal until somebody has looked
SENSITIVITY_LEVELS = ("public", "internal", UNREVIEWED, "personal", "secret")
LEVELS_BY_HAND = tuple(one for one in SENSITIVITY_LEVELS if one != UNREVIEWED)  # what a person may say
HIDDEN = frozenset({UNREVIEWED, "personal", "secret"})
USUAL = "internal"  # of what nothing sensitive is known
#: The tag of a column that is about the person that a row is, whatever it means. While nobody has decided on it, no
#: more is known than that it may be so.
ABOUT = "about_the_person"
#: The tag of a column of numbers that stand for persons, beside what they are.
IDENTIFIER = "person_key"
WORDS = {
    "public": "anybody may see it",
    "internal": "for everybody here",
    UNREVIEWED: "not classified: masked as personal until reviewed",
    "personal": "of a person: masked",
    "secret": "gives access to a system or to money: masked",
}
#: Sensitive domains that identify nobody but open something; all others are personal.
SECRETS = frozenset(
    "api_key bitcoin_address card_number card_expiry card_security_code credentials_url ethereum_address jwt password "
    "password_hash private_key".split()
)


def shows_more(before: str, after: str) -> bool:
    """Whether more people may see values of a column after its level changes: what is not known counts as personal.

    >>> [shows_more(*one) for one in (("secret", "personal"), ("personal", "internal"), ("unreviewed", "personal"))]
    [True, True, False]
    """
    harm = {one: 2 if one == "secret" else int(one in HIDDEN) for one in (before, after)}
    return harm[after] < harm[before]


def level_of(domains: Iterable[tuple[str, str]]) -> str:
    """The level of a column whose sensitive tags ``(domain, status)``, not rejected, are these.

    >>> level_of([]), level_of([("email", "proposed")]), level_of([("email", "proposed"), ("password", "proposed")])
    ('internal', 'personal', 'secret')
    >>> level_of([(ABOUT, "proposed")]), level_of([(ABOUT, "accepted")]), level_of([(ABOUT, "proposed"), ("email", "")])
    ('unreviewed', 'personal', 'personal')
    """
    found = set(domains)
    if found == {(ABOUT, "proposed")}:
        return UNREVIEWED
    return "secret" if SECRETS & {domain for domain, _ in found} else "personal" if found else USUAL
