"""Which clauses a rule is made of: a short program bought under one budget of false alarms.

Every candidate clause (`catalog.evidence.clauses.candidates`) at every tolerance has a risk, calibrated by replaying
the learner on the lake's own columns (`catalog.evidence.calibrated.calibration`), and a power: the share of what may go
wrong that it would catch, in all rows of a batch, in 20%, 5% or 1% of them. What may go wrong is another column of the
lake in the column's place, and the column's own values, damaged in every way of `catalog.damage` that is damage to
them. How many values are missing is a demand of its own, made first, at the least tolerance that `OF_MISSING` of the
budget allows. The other clauses are bought one by one; a purchase maximises

    (1 - risk) * power - price * risk

over the program so far. What breaks one clause of a column often breaks another: of the breaks of the rarer of two, a
share `SHARED` is taken to come with the other's. The price rises as the budget falls. Among purchases that are worth
the same (`ALIKE`) one that says what a value is comes first, then the shortest to read, at the least tolerance. So the
most specific pattern is bought that the evidence allows, and a broad clause that catches a wrong column beside it where
that is not safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.damage import STRINGS
from catalog.damage.kind import Kind
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.meaning import lowest_share
from catalog.evidence.pattern_index.postings import Shares
from catalog.evidence.pattern_index.views import Profile, profile_values

Floats = NDArray[np.float64]
SHARES = (1.0, 0.2, 0.05, 0.01)  # of a batch that is damaged; chosen: whole files to single rows
# What catching another column's values is worth at each of them (wholly wrong is the commonest), and what catching the
# own ones damaged is; together they sum to 1.
OTHERS = 0.7 * np.array([0.72, 0.2, 0.08, 0.0])
OWN = 0.3 * np.array([0.25, 0.35, 0.25, 0.15])
EXAMPLES = 3  # values that a rule shows as passing and failing; a bound of length
DAMAGED = 24  # values that are damaged to see what a clause would catch; a bound of time
MOST_CLAUSES = 5  # of a rule; a bound of length
OF_MISSING = 0.3  # share of the budget that may be spent on how many values are missing; chosen on real columns
POOL = 400  # columns of the lake on which power is measured; a bound of time
#: Chosen, on columns of the develop half (`benchmarks.fmdv --half develop`): the price of risk is PRICE / budget, so
#: that the mean risk of the programs bought then is about the budget.
PRICE = 0.065
WORTH = 2e-4  # chosen: a clause that adds less is not worth a line
ALIKE = 2e-3  # purchases worth no more than this less than the best are worth the same; chosen: forms are read first
#: Chosen after replays of columns: 0.385 over 222 pairs of clauses that break in at most 15%.
SHARED = 0.4
LISTED = 32  # values by which a batch of many distinct ones shows how many do not belong to a domain; a bound of length


_PROVEN = np.array([lowest_share(seen, LISTED) for seen in range(LISTED + 1)])


@dataclass(frozen=True)
class Program:
    """The clauses bought, as (candidate number, tolerance number), with their joint risk and power."""

    clauses: tuple[tuple[int, int], ...]
    risk: float
    power: float


@dataclass(frozen=True)
class Harm:
    """Rows that may come in a column's place: `conforming` (candidates, kinds of rows) is the share of them that keeps
    to each candidate, `weights` what catching them is worth where they are each of `SHARES` of a batch."""

    conforming: Floats
    weights: Floats

    def caught(self, caps: Floats, asked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each candidate at each tolerance alarms: (candidates * tolerances, shares, kinds of rows)."""
        bad = np.stack([q * (1 - self.conforming) for q in SHARES], axis=1)
        bad[asked] = _PROVEN[np.round(bad[asked] * LISTED).astype(int)]
        caught = bad[:, None] > caps[None, :, None, None] + 1e-6
        return np.asarray(caught.reshape(-1, len(SHARES), bad.shape[2]))


def buy(
    risk: Floats, harms: Sequence[Harm], caps: Floats, budget: float, asked: Sequence[bool] = (),
    lengths: Sequence[int] = (), first: tuple[int, int] | None = None,
) -> Program:  # fmt: skip
    """Buy clauses greedily, and give back those that later ones made needless.

    Parameters
    ----------
    risk : (candidates, tolerances) P(false alarm).
    harms : what is to be caught; their weights sum to 1.
    caps : (tolerances,) share of non-conforming rows above which a clause alarms.
    budget : wanted mean false-alarm rate.
    asked : (candidates,) which ask for a domain: what breaks them is seen on the values listed only.
    lengths : (candidates,) how long they are to read; the shorter of two that are worth the same is taken.
    first : a clause that is part of the program in any case.
    """
    price, p = PRICE / budget, risk.ravel()
    told = np.array(asked or [False] * len(risk), bool)
    size = np.repeat(np.array(lengths or [0] * len(risk)), risk.shape[1])
    there = [harm for harm in harms if harm.conforming.shape[1]]  # of no values no damage is known
    total = sum(float(harm.weights.sum()) for harm in there)
    parts = [(harm.caught(caps, told), harm.weights / total) for harm in there]
    have = [np.zeros(caught.shape[1:], bool) for caught, _ in parts]
    bought = [] if first is None else [first[0] * risk.shape[1] + first[1]]
    have = [had | caught[bought].any(axis=0) for (caught, _), had in zip(parts, have, strict=True)]
    joint = _joint(p[bought])
    power = sum(float(had.mean(axis=1) @ w) for (_, w), had in zip(parts, have, strict=True))
    while parts and len(bought) < MOST_CLAUSES:
        gain = np.sum([((caught | had).mean(axis=2) @ w) for (caught, w), had in zip(parts, have, strict=True)], axis=0)
        after = either(joint, p)
        worth = (1 - after) * gain - price * after
        if worth.max() <= (1 - joint) * power - price * joint + WORTH:
            break
        alike = np.flatnonzero(worth >= worth.max() - ALIKE)
        k = int(alike[np.lexsort((-worth[alike], alike % risk.shape[1], size[alike]))[0]])
        bought.append(k)
        joint, power = float(after[k]), float(gain[k])
        have = [had | caught[k] for (caught, _), had in zip(parts, have, strict=True)]
    again = first is not None and any(k // risk.shape[1] == first[0] for k in bought[1:])  # then the other one tells
    bought = _needed(bought, parts, power, bought[:1] if first is not None and not again else [])
    return Program(tuple(divmod(k, risk.shape[1]) for k in bought), _joint(p[bought]), power)


def either(one: float | Floats, other: Floats) -> Floats:
    """Chance that either of two clauses of a column breaks, from the chance of each."""
    least, most = np.minimum(one, other), np.maximum(one, other)
    return np.asarray(most + (1 - SHARED) * least * (1 - most))


def _joint(risks: Floats) -> float:
    """Chance that any breaks."""
    joint = 0.0
    for risk in risks:
        joint = float(either(joint, risk))
    return joint


def _needed(
    bought: list[int], parts: Sequence[tuple[NDArray[np.bool_], Floats]], power: float, always: Sequence[int]
) -> list[int]:
    """Those purchases without which less would be caught, the first given back first, and those made `always`."""
    kept = list(bought)
    for k in (one for one in bought if one not in always):
        rest = [one for one in kept if one != k]
        left = sum(float(caught[rest].any(axis=0).mean(axis=1) @ weights) for caught, weights in parts)
        if left >= power - WORTH:
            kept, power = rest, left
    return kept


def presence_of(risk: Floats, found: Sequence[Candidate], budget: float) -> tuple[int, int] | None:
    """The clause on how many values are missing: (candidate number, tolerance number)."""
    place = next((i for i, candidate in enumerate(found) if candidate.kind == "presence"), None)
    if place is None:
        return None
    safe = np.flatnonzero(risk[place] <= OF_MISSING * budget)
    return place, int(safe[0]) if len(safe) else risk.shape[1] - 1


def damage_to(seen: Profile) -> list[tuple[Kind, list[str]]]:
    """Values of the column as every kind of `catalog.damage` that is damage to it leaves them."""
    known = sorted(text for text, _ in seen.texts.values)
    if not known:
        return []
    values = [known[i] for i in np.unique(np.linspace(0, len(known) - 1, min(DAMAGED, len(known))).astype(int))]
    rng = np.random.default_rng(0)
    out = []
    for kind in STRINGS:
        damaged = kind.damage(values, rng)
        if damaged is not None and kind.is_damage(values, damaged, known):
            out.append((kind, [new for old, new in zip(values, damaged, strict=True) if new != old]))
    return out


def examples(
    seen: Profile, program: Sequence[Candidate], damaged: Sequence[tuple[Kind, Sequence[str]]]
) -> dict[str, list[str]]:
    """Three of the column's values that keep to every clause, and three that break one, each in another way."""
    forms = [candidate for candidate in program if candidate.kind != "presence"]
    texts = [text for text, _ in seen.texts.values[: 4 * EXAMPLES]]
    passing = [text for text in texts if forms and not _breaks(text, forms)]
    breaking: dict[str, str] = {}
    for kind, values in damaged:
        text = next((value for value in values if kind.cause not in breaking and _breaks(value, forms)), None)
        if text is not None:
            breaking[kind.cause] = text
    return {"passing": passing[:EXAMPLES], "breaking": list(breaking.values())[:EXAMPLES]}


def _breaks(text: str, forms: Sequence[Candidate]) -> bool:
    rows = profile_values([(text, 1)])
    return any(candidate.nonconforming(rows) for candidate in forms)


def power_pool(weights: Shares) -> NDArray[np.int64]:
    """Columns on which power is measured: at most `POOL`, spaced so that each stands for as much evidence."""
    total = np.cumsum(weights, dtype=np.float64)
    if not len(total) or total[-1] <= 0:
        return np.empty(0, np.int64)
    size = min(POOL, int((weights > 0).sum()))
    return np.unique(np.searchsorted(total, (np.arange(size) + 0.5) / size * total[-1]))
