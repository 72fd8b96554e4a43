"""Which clauses a rule is made of: a short program, selected greedily under one budget of false alarms.

Every candidate clause (`catalog.evidence.clauses.candidates`) at every tolerance has a risk, calibrated by replaying
the learner on the lake's own columns (`catalog.evidence.calibrated.calibration`), and a power: the share of what may go
wrong that it would catch, in all rows of a batch, in 20%, 5% or 1% of them. What may go wrong is another column of the
lake in the column's place, and the column's own values, damaged in every way of `catalog.damage` that is damage to
them. How many values are missing is a demand of its own, made first, at the least tolerance that `OF_MISSING` of the
budget allows. The other clauses are selected one by one; each step maximises

    (1 - risk) * power - penalty * risk

of the program so far. What breaks one clause of a column often breaks another: of the breaks of the rarer of two, a
share `SHARED` is taken to come with the other's. The penalty rises as the budget falls. Among clauses that are as good
(`ALIKE`) one that says what a value is comes first, then the shortest to read, at the least tolerance. So the most
specific pattern is selected that the evidence allows, and a broad clause that catches a wrong column beside it where
that is not safe. Where no selected clause says what nearly every value is, a program that does is taken instead, if it
is hardly worse; where none is, one that says what values are and tolerates more, which describes them. Where the
column is tagged and no clause says what it means, or which its values are, the one that asks for the tag is added last,
so that nothing is detected less for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from catalog.damage import STRINGS
from catalog.damage.kind import Kind
from catalog.evidence.calibrated.risk import TOLERANCES
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.meaning import lowest_share
from catalog.evidence.pattern_index.postings import Shares
from catalog.evidence.pattern_index.views import Profile, profile_values
from catalog.rules.clauses.strings import LOOSEST

Floats = NDArray[np.float64]
SHARES = (1.0, 0.2, 0.05, 0.01)  # of a batch that is damaged; chosen: whole files to single rows
# What catching another column's values counts for at each of them (wholly wrong is the commonest), and what catching
# the own ones damaged does; together they sum to 1. Chosen on the develop half, of 0.15, 0.2 and 0.3 for the own ones.
OTHERS = 0.8 * np.array([0.72, 0.2, 0.08, 0.0])
OWN = 0.2 * np.array([0.25, 0.35, 0.25, 0.15])
EXAMPLES = 3  # values that a rule shows as passing and failing; a bound of length
DAMAGED = 24  # values that are damaged to see what a clause would catch; a bound of time
MOST_CLAUSES = 8  # of a rule; a bound of length
OF_MISSING = 0.3  # share of the budget that may be spent on how many values are missing; chosen on real columns
POOL = 400  # columns of the lake on which power is measured; a bound of time
#: Chosen, on columns of the develop half (`benchmarks.fmdv --half develop`): the penalty on risk is PENALTY / budget,
#: so that the mean risk of the programs selected then is about the budget.
PENALTY = 0.065
LEAST_GAIN = 2e-4  # chosen: a clause that adds less is not worth reading
#: What is worse than the best by no more is as good: forms are read first, the strictest taken. Chosen, of .0005, .001,
#: .002 and .005, by real versions (`benchmarks.lived.strings`): what is stricter than it is worth alarms on a few rows.
ALIKE = 5e-4
#: A program that says what a value is may be so much worse than one that does not. Chosen, on the develop half, of .04,
#: .07, .1, .15, .2, .25 by the columns of one format that have a form; precision was the same at each.
FORM_LOSS = 0.25
LOOSE_LOSS = 0.05  # chosen, a fifth of the above: where a form binds fewer of the values, that is worth less
#: What a column is tagged with is worth as much as a form, and asked as strictly as costs no more than so much. Chosen,
#: on the develop half: of .1 and .25 by how many tagged columns say their meaning, which cost no false alarm, and of
#: .02 and .04, of which the latter costs one.
MEANING_LOSS, STRICTER = 0.25, 0.02
TRIED = 4  # forms that such programs are made with; a bound of time
#: Chosen after replays of columns: 0.385 over 222 pairs of clauses that break in at most 15%.
SHARED = 0.4
LISTED = 32  # values by which a batch of many distinct ones shows how many do not belong to a domain; a bound of length


_PROVEN = np.array([lowest_share(seen, LISTED) for seen in range(LISTED + 1)])


@dataclass(frozen=True)
class Program:
    """The clauses selected, as (candidate number, tolerance number), with their joint risk and power."""

    clauses: tuple[tuple[int, int], ...]
    risk: float
    power: float


@dataclass(frozen=True)
class Harm:
    """Rows that may come in a column's place: `conforming` (candidates, kinds of rows) is the share of them that keeps
    to each candidate, `weights` what catching them counts for where they are each of `SHARES` of a batch."""

    conforming: Floats
    weights: Floats

    def caught(self, caps: Floats, asked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each candidate at each tolerance alarms: (candidates * tolerances, shares, kinds of rows)."""
        bad = np.stack([q * (1 - self.conforming) for q in SHARES], axis=1)
        bad[asked] = _PROVEN[np.round(bad[asked] * LISTED).astype(int)]
        caught = bad[:, None] > caps[None, :, None, None] + 1e-6
        return np.asarray(caught.reshape(-1, len(SHARES), bad.shape[2]))


def select_clauses(
    risk: Floats, harms: Sequence[Harm], caps: Floats, budget: float, asked: Sequence[bool] = (),
    lengths: Sequence[int] = (), first: tuple[int, int] | None = None, forms: NDArray[np.bool_] | None = None,
    names: NDArray[np.bool_] | None = None, tagged: Floats | None = None,
) -> Program:  # fmt: skip
    """Select clauses greedily, and drop those that later ones made needless.

    Parameters
    ----------
    risk : (candidates, tolerances) P(false alarm).
    harms : what is to be caught; their weights sum to 1.
    caps : (tolerances,) share of non-conforming rows above which a clause alarms.
    budget : wanted mean false-alarm rate.
    asked : (candidates,) which ask for a domain: what breaks them is seen on the values listed only.
    lengths : (candidates,) how long they are to read; the shorter of two that are as good is taken.
    first : a clause that is part of the program in any case.
    forms : (candidates, tolerances) which say what nearly every value is: a program with one of them is taken if it is
        hardly worse (`FORM_LOSS`), or else one with any of these candidates, at whichever tolerance, the most specific
        of those that are worse by less (`LOOSE_LOSS`).
    names : (candidates, tolerances) which say what values mean, or which they are: where none is selected, the best is,
        if the program is hardly worse (`LOOSE_LOSS`).
    tagged : (candidates, tolerances) the risk of those that ask for what the column is tagged with, 1 of all others;
        None where it is not. One of them is added then, which may be worth as much as a form (`MEANING_LOSS`).
    """
    selection = _Selection.of(risk, harms, caps, budget, asked, lengths)
    start = [] if first is None else [first[0] * selection.tolerances + first[1]]
    best = selection.program(start)
    told = np.zeros(risk.size, bool) if forms is None else forms.ravel()
    if not told[best].any():
        tried = [selection.program([*start, k]) for k in selection.best_among(start, told)]
        enough = selection.objective(best) - FORM_LOSS
        best = max((one for one in tried if selection.objective(one) >= enough), key=selection.objective, default=best)
    loosely = np.repeat(told.reshape(risk.shape).any(axis=1), risk.shape[1])
    if not loosely[best].any():
        made = {k: selection.program([*start, k]) for k in selection.best_among(start, loosely)}
        enough = selection.objective(best) - LOOSE_LOSS
        able = [k for k, one in made.items() if selection.objective(one) >= enough]
        kept = sum(harm.conforming.mean(axis=1) * harm.weights.sum() for harm in harms if harm.conforming.size)
        best = made[min(able, key=lambda k: kept[k // risk.shape[1]])] if able else best
    named = np.zeros(risk.size, bool) if names is None else names.ravel()
    if not named[best].any():
        if tagged is not None:
            selection = replace(selection, risk=np.minimum(selection.risk, tagged.ravel()))
            best = selection.with_one(best, start, tagged.ravel() < 1)
        elif added := [[*best, k] for k in selection.best_among(best, named)[:1]]:
            best = added[0] if selection.objective(added[0]) >= selection.objective(best) - LOOSE_LOSS else best
    clauses = tuple(divmod(k, selection.tolerances) for k in best)
    return Program(clauses, _joint(selection.risk[best]), selection.power(best))


@dataclass(frozen=True)
class _Selection:
    """What each clause, numbered candidate * tolerances + tolerance, risks and catches.

    Parameters
    ----------
    risk, size : (clauses,) P(false alarm), and how long it is to read.
    parts : of each harm, what each clause catches (clauses, shares, kinds of rows), and what the shares weigh.
    penalty : on a risk of 1.
    tolerances : how many there are.
    """

    risk: Floats
    size: NDArray[np.int64]
    parts: list[tuple[NDArray[np.bool_], Floats]]
    penalty: float
    tolerances: int

    @classmethod
    def of(
        cls, risk: Floats, harms: Sequence[Harm], caps: Floats, budget: float, asked: Sequence[bool],
        lengths: Sequence[int],
    ) -> _Selection:  # fmt: skip
        told = np.array(asked or [False] * len(risk), bool)
        size = np.repeat(np.array(lengths or [0] * len(risk)), risk.shape[1])
        there = [harm for harm in harms if harm.conforming.shape[1]]  # of no values no damage is known
        total = sum(float(harm.weights.sum()) for harm in there)
        parts = [(harm.caught(caps, told), harm.weights / total) for harm in there]
        return cls(risk.ravel(), size, parts, PENALTY / budget, risk.shape[1])

    def power(self, chosen: Sequence[int]) -> float:
        """Share of what may go wrong that any of the clauses catches."""
        some = list(chosen)
        return sum(float(caught[some].any(axis=0).mean(axis=1) @ weights) for caught, weights in self.parts)

    def objective(self, chosen: Sequence[int]) -> float:
        """What is maximised."""
        joint = _joint(self.risk[list(chosen)])
        return (1 - joint) * self.power(chosen) - self.penalty * joint

    def program(self, start: Sequence[int]) -> list[int]:
        """The clauses selected one by one from `start` on, without those that are needless; those of `start` stay, but
        for one that is selected more strictly."""
        chosen = self._filled(start)
        again = {k // self.tolerances for k in chosen[len(start) :]}
        return self._needed(chosen, [k for k in start if k // self.tolerances not in again])

    def best_among(self, start: Sequence[int], among: NDArray[np.bool_]) -> list[int]:
        """Of each candidate `among` whose clauses are, the best clause beside `start`; the best `TRIED`."""
        best: dict[int, int] = {}
        if self.parts:
            values = np.where(among, self._beside(start)[0], -np.inf)
            for k in np.argsort(-values, kind="stable")[: int(among.sum())].tolist():
                best.setdefault(k // self.tolerances, k)
        return list(best.values())[:TRIED]

    def with_one(self, chosen: list[int], start: Sequence[int], among: NDArray[np.bool_]) -> list[int]:
        """The clauses chosen and one `among` those that are, without the ones that it makes needless; as they are where
        that is worse by more than `MEANING_LOSS`. Of tolerances that are nearly as good (`STRICTER`) the least: who
        reads of one in ten others takes it for what is usual."""
        best = next(iter(self.best_among(chosen, among)), None)
        if best is None or self.objective([*chosen, best]) < self.objective(chosen) - MEANING_LOSS:
            return chosen
        enough = self.objective([*chosen, best]) - STRICTER
        same = best - best % self.tolerances
        added = next(k for k in range(same, best + 1) if among[k] and self.objective([*chosen, k]) >= enough)
        first = {k // self.tolerances for k in start}
        return self._needed([*chosen, added], [added, *(k for k in chosen if k // self.tolerances in first)])

    def _beside(self, chosen: Sequence[int]) -> tuple[Floats, Floats, Floats]:
        """(objective, risk, power) of the program with each further clause."""
        some = list(chosen)
        had = [(caught, caught[some].any(axis=0), weights) for caught, weights in self.parts]
        power = np.sum([((caught | have).mean(axis=2) @ weights) for caught, have, weights in had], axis=0)
        joint = either(_joint(self.risk[some]), self.risk)
        return (1 - joint) * power - self.penalty * joint, joint, power

    def _filled(self, start: Sequence[int]) -> list[int]:
        chosen = list(start)
        while self.parts and len(chosen) < MOST_CLAUSES:
            values, enough = self._beside(chosen)[0], self.objective(chosen) + LEAST_GAIN
            if values.max() <= enough:
                break
            alike = np.flatnonzero(values >= max(values.max() - ALIKE, enough))  # each gains, so none comes twice
            order = np.lexsort((-values[alike], alike % self.tolerances, self.size[alike]))
            chosen.append(int(alike[order[0]]))
        return chosen

    def _needed(self, chosen: list[int], always: Sequence[int]) -> list[int]:
        """Those clauses without which less would be caught, the first dropped first, and those that stay `always`."""
        kept, power = list(chosen), self.power(chosen)
        for k in (one for one in chosen if one not in always):
            rest = [one for one in kept if one != k]
            if (left := self.power(rest)) >= power - LEAST_GAIN:
                kept, power = rest, left
        return kept


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


def presence_of(risk: Floats, found: Sequence[Candidate], budget: float) -> tuple[int, int] | None:
    """The clause on how many values are missing: (candidate number, tolerance number); None where even the loosest
    risks more than a rule may, as of a column that hardly ever holds a value.

    >>> found = [Candidate("presence", ("given",))]
    >>> unsafe = np.array([[0.9] * (len(TOLERANCES) - 1) + [0.02]])
    >>> presence_of(unsafe, found, 0.1), presence_of(unsafe, found, 0.03), presence_of(unsafe, found, 0.01)
    ((0, 13), (0, 13), None)
    """
    place = next((i for i, candidate in enumerate(found) if candidate.of_missing), None)
    if place is None:
        return None
    safe = np.flatnonzero(risk[place] <= OF_MISSING * budget)
    if not len(safe) and risk[place, -1] > budget:
        return None
    return place, int(safe[0]) if len(safe) else risk.shape[1] - 1


def offers(risk: Floats, found: Sequence[Candidate]) -> Floats:
    """The risk of the clauses that may be selected, and 1 of those that demand of too few values to be a rule."""
    weak = np.array(TOLERANCES) > LOOSEST
    of_values = np.array([not candidate.of_missing for candidate in found])
    return np.where(weak[None, :] & of_values[:, None], 1.0, risk)


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
    forms = [candidate for candidate in program if not candidate.of_missing]
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
