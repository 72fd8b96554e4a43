"""How the evidence of values, name, table and type is weighed for one domain.

Each domain d is weighed against "something else" by how its validator fares on the column's distinct values:

    L(d) = log prior(d) + n [m log(hit / chance) + (1 - m) log((1 - hit) / (1 - chance))] + name + beside

with m the share of matching values (mean of the share of rows and of distinct values), n the number of distinct values,
bounded because the values of a column are not independent, and `hit`, `chance` the probabilities that a value validates
inside and outside the domain. A specific domain (small `chance`) therefore beats a general one that matches as well: an
e-mail address is no URL, a year no part of a card number, whatever the number of votes. Where nothing but a regex
recognises the domain, its chance is at least the share of the lake's columns that are written like this one: what is
common in a lake says little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from catalog.domains.domain import Domain
from catalog.tags.discovery.sample import Sample

# Chosen, in log odds: a name that agrees outweighs one value in a few, never all; a neighbour less than a name.
PRIOR = math.log(0.01)  # of any one domain
NAME = math.log(20)  # a name that agrees
BESIDE = math.log(5)  # a column beside that often stands with the domain
NAMED = math.log(0.5)  # prior of a domain that is only considered because the name asks for it
LENIENT = 0.6  # chosen: factor on the least share of an incomplete dictionary where name or neighbours agree
INDEPENDENT = 16.0  # bound of the distinct values that count as independent evidence
# Chosen: share of rows with a value of their own, or number of such values, that are asked of what stands somewhere
# beside people: regions and kinds recur.
DIFFER, ENOUGH = 0.5, 1000
SO_NAMED = 0.01  # bound: of the chance that values of another meaning fit, where the name leaves no doubt
PROBE = 24  # values tried before the rest; a bound of time

# Fitted by `python -m benchmarks.tagging.calibrate`: of tags stated at a score, about that share is right.
FITTED = (3.0, 1.11, 0.46, 0.99, -2.2)
LEAST_SCORE = 0.3  # bound: rather so than something else is proposed at all
SUREST = 0.95  # chosen: of tags at 0.9 and above 0.914 to 0.974 were right at the first readings of eight unread lists
MARGIN = 40.0  # bound: log odds over the next best beyond which nothing gets surer


@dataclass(frozen=True)
class Weighed:
    """How one domain fares: `parts` are the log odds that the prior, values, name and neighbours give; `rows` the share
    of rows that match, `share` the mean with that of distinct values, `matching` the number of distinct ones, `sure`
    whether the column's name leaves no doubt, `placed` whether its place stands for a name that agrees."""

    domain: Domain
    parts: dict[str, float]
    rows: float
    share: float
    matching: int
    agrees: bool
    sure: bool = False
    placed: bool = False

    @property
    def odds(self) -> float:
        return sum(self.parts.values())


def weigh(
    domain: Domain,
    found: Sample,
    kind: str,
    named: str,
    beside: frozenset[str] = frozenset(),
    common: float = 0.0,
    adjacent: frozenset[str] | None = None,
) -> Weighed | None:
    """How one domain fares on a sample; None when it is out of the question.

    Parameters
    ----------
    kind : of the column's state: a domain applies to some types only.
    named : the words of the column's name.
    beside : tags of the other columns of the table.
    adjacent : tags of the columns right beside it where no domain knows its name; None where one does.
    common : share of the lake's columns that are written like this one.
    """
    if kind not in domain.kinds:
        return None
    against, sure, agrees = domain.told(named)
    if against:
        return None
    placed = not agrees and adjacent is not None and _placed(domain, found, beside, adjacent)
    agrees, sure = agrees or placed, sure or (placed and domain.placed is not None)
    fits = None if domain.needs_name and not agrees else _fits(domain, found, agrees, sure)
    if fits is None:
        return None
    rows, distinct, matching = fits
    m = (rows + distinct) / 2
    if (
        agrees and not sure and domain.weak is not None and domain.whole is not None
    ):  # only written like names: half as telling
        m = (m + found.share(domain.validate)[1]) / 2
    n = min(len(found.values), INDEPENDENT)
    chance = min(max(domain.chance, common), 0.9 * domain.hit) if domain.check is None else domain.chance
    chance = min(chance, SO_NAMED) if sure and not placed else chance
    fit = m * math.log(domain.hit / chance) + (1 - m) * math.log((1 - domain.hit) / (1 - chance))
    parts = {"prior": NAMED if domain.needs_name else PRIOR, "values": n * fit}
    if agrees and not domain.needs_name:
        parts["place" if placed else "name"] = NAME
    if domain.beside & beside:
        parts["beside"] = BESIDE
    return Weighed(domain, parts, rows, m, matching, agrees, sure, placed)


def _fits(domain: Domain, found: Sample, agrees: bool, sure: bool) -> tuple[float, float, int] | None:
    """The share of values that belong, as `Sample.share` tells it; None where hardly any does. Looked at once."""
    key = domain.name, agrees, sure
    if key not in found.fits:
        holds = domain.fits if found.plain and not agrees else partial(domain.validate, weak=agrees, sure=sure)
        fits = None if _hopeless(domain, found, holds) else found.share(holds)
        found.fits[key] = fits if fits and fits[2] else None
    return found.fits[key]


def _placed(domain: Domain, found: Sample, beside: frozenset[str], adjacent: frozenset[str]) -> bool:
    """Whether the place of a column without a telling name stands for one: postcodes stand beside towns."""
    if domain.name in beside or not (domain.next_to & adjacent or domain.among & beside):
        return False
    if not domain.next_to & adjacent and found.distinct < min(DIFFER * found.rows, ENOUGH):
        return False
    return domain.placed is None or domain.placed(set(found.texts))


def _hopeless(domain: Domain, found: Sample, holds: Callable[[str], bool]) -> bool:
    """Does hardly any of the first values belong to the domain? It is not worth more work then."""
    if len(found.values) <= PROBE:
        return False
    probe = found.values[:: max(len(found.values) // PROBE, 1)]
    spare = len(probe) - 0.4 * domain.least_share * len(probe)  # so many may be of another meaning
    for text, _ in probe:
        spare -= not holds(text)
        if spare < 0:
            return True
    return False


def accepted(weighed: Weighed, found: Sample) -> bool:
    """Whether enough of the values belong, and all together do."""
    domain = weighed.domain
    needed = 1 if weighed.sure or (weighed.agrees and not domain.needs_name) else domain.distinct
    if domain.whole is not None and not weighed.sure and not domain.whole(set(found.texts)):
        return False
    expected = weighed.agrees or "beside" in weighed.parts
    least = domain.least_share * (LENIENT if expected and domain.hit <= 0.85 else 1.0)
    return weighed.rows >= least and weighed.matching >= needed


def posterior(able: Sequence[Weighed]) -> list[float]:
    """Of each domain, against the others and something else."""
    top = max(0.0, *(w.odds for w in able))
    weights = [math.exp(w.odds - top) for w in able]
    total = sum(weights) + math.exp(-top)
    return [weight / total for weight in weights]


def traits(able: Sequence[Weighed]) -> tuple[float, ...]:
    """What the score of the best is made of: 1, its margin over the next best in tens of log odds, the share of values
    that do not match, whether the name agrees, whether its dictionary is incomplete."""
    best = able[0]
    margin = best.odds - max(0.0, *(w.odds for w in able[1:])) if len(able) > 1 else best.odds
    return (1.0, min(margin, MARGIN) / 10, 1 - best.share, float(best.agrees), float(best.domain.hit < 0.93))


def score(able: Sequence[Weighed]) -> float:
    """The estimated chance that the best is right."""
    logit = sum(weight * value for weight, value in zip(FITTED, traits(able), strict=True))
    return min(SUREST, max(LEAST_SCORE, 1 / (1 + math.exp(-logit))))
