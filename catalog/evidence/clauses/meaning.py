"""Which known domains the values of a column belong to, and in what share of its rows.

Domains say what no few rows can show: that ``2024-02-29`` and ``Feb 29`` are both dates, which codes name countries,
where a check digit stands. So a clause that asks for a domain may be both wide and safe.

A state keeps every value of a column that has few; of one with many it lists the most frequent and keeps those of the
least hashes, a fair draw of all, with how often each comes. What a draw says of the values that are not listed is a
lower bound: what is unknown never raises an alarm.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from math import log10

import numpy as np
from numpy.typing import NDArray

from catalog.domains.domain import Domain, shown
from catalog.domains.known import generation, in_force
from catalog.domains.validators.temporal import first_part

LARGEST_CHANCE = 0.2  # chosen: a domain that more values of other columns belong to by chance says nothing
UNLIKELY = 0.01  # chosen, by reading: domains of more chance are often another meaning than the column's
PROBED = 5  # values tried first: a domain that none of them belongs to is not tried on the others; a bound of time
LEAST_SHARE = 0.9  # of a column's rows, for a clause that asks for the domain; chosen: nearly all
LEAST_DISTINCT = 0.5  # of the distinct values, for the same; chosen: most, so that no single value makes a meaning
MOST_DOMAINS = 3  # such clauses of one column, the least likely by chance; a bound
COMPLETE = 0.96  # share of a meaning's values that a domain has to know; chosen: that of all but word lists
DATES = frozenset({"date", "datetime"})  # domains whose values are written in one of two orders
#: Different values that have to show the order of dates. Chosen: of 17 real columns in which any value shows one, none
#: of the others shows another, whatever this is.
LEAST_ORDERED = 5
MISSED_SHARE = 0.1  # the lower bound holds but for this share of draws

_REST = re.compile(r" (?:\(|(?:of|with|in|from|by|to|written)\b)")  # what follows the noun that a title is of
_PROPER = frozenset("Amazon Australian Bitcoin Brazilian Ethereum French Indian Roman Unix".split())
_JOINED = re.compile(r"(, | or | and )")


def recognised() -> tuple[Domain, ...]:
    """The domains that are sought in a column's values, the least likely by chance first."""
    return _recognised(generation())


@lru_cache(maxsize=1)
def _recognised(_: int) -> tuple[Domain, ...]:
    found = (d for d in in_force().values() if d.chance < LARGEST_CHANCE and not d.needs_name and "string" in d.kinds)
    return tuple(sorted(found, key=lambda d: (d.chance, d.name)))


@dataclass(frozen=True)
class Texts:
    """Distinct values of a column, each with the share of the rows that it stands for.

    `drawn` are the places of those that stand for unlisted values too; none where every value is listed.
    """

    values: tuple[tuple[str, float], ...]
    drawn: frozenset[int] = frozenset()


def belongs(domain: str, text: str) -> bool:
    """Whether a value belongs to a domain, or may: nothing breaks a rule that asks for a domain of another release.

    >>> belongs("date", "2024-02-29"), belongs("date", "2023-02-29"), belongs("of tomorrow", "1")
    (True, False, True)
    """
    return _belongs(domain, text, generation())


@lru_cache(maxsize=1 << 17)
def _belongs(domain: str, text: str, _: int) -> bool:
    known = in_force().get(domain)
    return known is None or known.may_hold(text)


def domains_of(text: str) -> frozenset[str]:
    """Which of the domains that are `recognised` a value belongs to.

    >>> sorted(domains_of("2024-02-29"))
    ['date']
    """
    return _domains_of(text, generation())


@lru_cache(maxsize=1 << 15)
def _domains_of(text: str, _: int) -> frozenset[str]:
    stripped = shown(text)
    return frozenset(domain.name for domain in recognised() if domain.fits(stripped)) if stripped else frozenset()


def domain_shares(texts: Texts, among: Collection[str] | None = None) -> dict[str, float]:
    """Share of the rows that belongs to each of the domains that are `recognised`, those of none left out; the least
    likely by chance first.

    Parameters
    ----------
    among : names of the only domains that are asked about.

    >>> domain_shares(Texts((("2024-02-29", 0.5), ("2024-03-01", 0.5))))["date"]
    1.0
    """
    values = texts.values
    if not values:
        return {}
    probe = [values[i][0] for i in np.linspace(0, len(values) - 1, min(PROBED, len(values))).astype(int)]
    asked = [domain.name for domain in recognised() if among is None or domain.name in among]
    if among is None:
        possible = frozenset().union(*map(domains_of, probe))
    else:
        possible = frozenset(name for name in asked if any(belongs(name, text) for text in probe))
    total = sum(weight for _, weight in values) or 1.0
    found, now = {}, generation()
    for name in asked:
        if name in possible:
            found[name] = sum(weight for text, weight in values if _belongs(name, text, now)) / total
    return {name: share for name, share in found.items() if share > 0}


def demanded(shares: dict[str, float], texts: Texts) -> list[str]:
    """The domains that a clause may ask of a column with these shares: nearly all of its rows belong, and most of its
    distinct values.

    >>> countries = Texts((("Jordan", 0.94), ("Nepal", 0.02), ("Peru", 0.02), ("Finland", 0.02)))
    >>> demanded({"country_name": 1.0, "first_name": 0.94}, countries)
    ['country_name']
    """
    asked = [name for name, share in shares.items() if share >= LEAST_SHARE and _of_most(texts, name)]
    return asked[:MOST_DOMAINS]


def share_of(texts: Texts, domain: str) -> float:
    """Share of the rows that belongs to a domain, whether or not it is one of those that are sought in any values.

    >>> share_of(Texts((("US", 0.75), ("nowhere", 0.25))), "country_code2")
    0.75
    """
    return sum(share for text, share in texts.values if belongs(domain, text))


def may_mean(texts: Texts, domain: str) -> bool:
    """Whether a clause may ask for a domain of a column that is tagged with it: it is one of texts, and as much of the
    column belongs to it as of those `demanded`.

    >>> codes = Texts((("US", 0.5), ("DE", 0.5)))
    >>> [may_mean(codes, name) for name in ("country_code2", "iban", "about_the_person")]
    [True, False, False]
    """
    known = in_force().get(domain)
    if known is None or "string" not in known.kinds:
        return False
    return share_of(texts, domain) >= LEAST_SHARE and _of_most(texts, domain)


def terms_of(texts: Texts, domain: str) -> tuple[str, ...]:
    """What a clause accepts that asks for a domain of such a column: its name, and the order of dates where the values
    prove one. With day and month exchanged they are dates all the same, mostly others.

    >>> days = Texts(tuple((f"{day}/03/2026", 0.05) for day in range(10, 30)))
    >>> terms_of(days, "date"), terms_of(Texts(days.values[:7]), "date"), terms_of(days, "iban")
    (('date', 'day first'), ('date',), ('iban',))
    """
    if domain not in DATES:
        return (domain,)
    orders = [order for text, _ in texts.values if (order := first_part(text)) and belongs(domain, text)]
    return (domain, orders[0]) if len(orders) >= LEAST_ORDERED and len(set(orders)) == 1 else (domain,)


def accepts(domain: str, order: str, text: str) -> bool:
    """Whether a value belongs to a domain and is no date of another order than this; any is where that is empty.

    >>> [accepts("date", "day first", one) for one in ("25/03/2026", "03/25/2026", "05/03/2026", "2026-03-25")]
    [True, False, True, True]
    """
    return belongs(domain, text) and (not order or first_part(text) in ("", order))


def is_complete(domain: str) -> bool:
    """Whether a domain knows nearly all of its values, as nobody does of names of towns.

    >>> is_complete("month"), is_complete("city"), is_complete("of tomorrow")
    (True, False, False)
    """
    known = in_force().get(domain)
    return known is not None and known.hit >= COMPLETE


def _of_most(texts: Texts, domain: str) -> bool:
    """Whether most of the distinct values belong to a domain."""
    return different_outside(texts, domain) <= 1 - LEAST_DISTINCT


def different_outside(texts: Texts, domain: str) -> float:
    """Share of the different values that does not belong to a domain, however many rows each stands for.

    >>> different_outside(Texts((("2024-02-29", 0.99), ("soon", 0.01))), "date")
    0.5
    """
    return sum(not belongs(domain, text) for text, _ in texts.values) / max(len(texts.values), 1)


def surely_outside(texts: Texts, domain: str, order: str = "") -> float:
    """Share of the rows that does not belong to a domain, or is a date of another `order`, at the least.

    Exact where every value is listed; else the share of the listed values that stand for themselves, and of the
    others Clopper and Pearson's lower bound at `MISSED_SHARE` from those drawn. As these stand for different shares
    of the rows, they count for as many as would have the same variance if all stood for the same: Kish, "Survey
    Sampling" (1965), section 11.7.

    >>> surely_outside(Texts((("2024-02-29", 0.5), ("soon", 0.5))), "date")
    0.5
    >>> drawn = Texts(tuple((str(i), 0.1) for i in range(10)), frozenset(range(10)))
    >>> round(surely_outside(drawn, "date"), 2)
    0.79
    """
    return share_outside(texts, lambda text: accepts(domain, order, text))


def share_outside(texts: Texts, accepts: Callable[[str], bool]) -> float:
    """Share of the rows whose value is not accepted, at the least: as `surely_outside`."""
    outside = [i for i, (text, _) in enumerate(texts.values) if not accepts(text)]
    own = sum(texts.values[i][1] for i in outside if i not in texts.drawn)
    bad = sum(texts.values[i][1] for i in outside if i in texts.drawn)
    if not bad:
        return float(own)
    weights = [texts.values[i][1] for i in texts.drawn]
    drawn = sum(weights)
    effective = drawn**2 / sum(weight**2 for weight in weights)
    return float(own + drawn * lowest_share(effective * min(bad / drawn, 1.0), effective))


def lowest_share(bad: float, drawn: float) -> float:
    """Clopper and Pearson's lower bound at `MISSED_SHARE` of a share of which `bad` of `drawn` were seen.

    >>> lowest_share(0, 50), round(lowest_share(10, 50), 3)
    (0.0, 0.128)
    """
    from scipy.special import betaincinv

    return float(betaincinv(bad, drawn - bad + 1, MISSED_SHARE)) if bad else 0.0


def domain_features(texts: Texts, domain: str, shares: dict[str, float]) -> NDArray[np.float64]:
    """What `catalog.evidence.calibrated.features.CLASS_FEATURES` are for a domain: how many domains fit as well, the
    share outside (what is new is expected at that rate), the domain's chance (log10), the share inside, whether all is
    listed, 0."""
    share = shares[domain] if domain in shares else share_of(texts, domain)
    others = len(demanded(shares, texts))
    return np.array([others, 1 - share, log10(in_force()[domain].chance), share, float(not texts.drawn), 0.0])


def is_unlikely(domain: str) -> bool:
    """Whether hardly any value of another meaning belongs to a domain, by itself: where a column has to show more, as
    that some of its numbers have decimals, single values say nothing.

    >>> is_unlikely("date"), is_unlikely("first_name"), is_unlikely("decimal"), is_unlikely("of tomorrow")
    (True, False, False, False)
    """
    known = in_force().get(domain)
    return known is not None and known.chance <= UNLIKELY and known.whole is None


def words_of(domain: str) -> str:
    """What values of a domain are, to be read in a sentence: its title in the plural.

    >>> words_of("date"), words_of("datetime"), words_of("city"), words_of("iban"), words_of("sha1")
    ('dates', 'dates and times', 'cities', 'bank accounts (IBAN)', 'SHA-1 hashes')
    >>> words_of("day_of_tomorrow")
    'of the domain day of tomorrow'
    """
    known = in_force().get(domain)
    if known is None:
        return f"of the domain {domain.replace('_', ' ')}"
    first, space, others = known.title.partition(" ")
    title = (first.lower() if first[1:].islower() and first not in _PROPER else first) + space + others
    nouns = _REST.split(title)[0]
    *former, last = _JOINED.split(nouns)
    return (
        "".join([*(part if part.isupper() else _plural(part) for part in former), _plural(last)]) + title[len(nouns) :]
    )


def _plural(noun: str) -> str:
    """English nouns as titles of domains have them, in the plural; what joins two of them as it is."""
    if _JOINED.fullmatch(noun) or noun.endswith("data"):
        return noun
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")
