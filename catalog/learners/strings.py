"""Our learner of string rules: a short program of clauses under one budget of false alarms.

Every candidate clause (`catalog.evidence.candidates`) at every tolerance has a risk, calibrated by replaying the
learner on the lake's own columns (`catalog.evidence.calibration`), and a power: the share of the lake's other columns
it would flag, were they put in the column's place whole, or in 20% or 5% of its rows. Clauses are bought one by one;
a purchase maximises

    (1 - risk) * power - price * risk

over the program so far, where risk = 1 - prod(1 - risk of clause) and the price rises as the budget falls. So a broad
clause that catches a wrong column stands beside strict ones where the evidence allows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.calibration import experienced, limits
from catalog.evidence.candidates import KINDS, Candidate, candidates, presence
from catalog.evidence.features import lake_features, training_features
from catalog.evidence.index import PatternIndex
from catalog.evidence.meaning import lowest_share
from catalog.evidence.postings import Shares
from catalog.evidence.replay import Replay
from catalog.evidence.risk import TOLERANCES
from catalog.evidence.views import Profile, profile
from catalog.rules.strings import StringClause, StringsRule, kind_of
from catalog.states.column import ColumnState

Floats = NDArray[np.float64]
LEAST_ROWS = 10  # fewer training rows teach nothing
HORIZON = 9.0  # rows to be judged for each row learned from, unless said: a tenth is seen of what is to come
DAMAGES = (1.0, 0.2, 0.05)  # shares of a batch that come from another column
WEIGHTS = np.array([0.8125, 0.105, 0.0825])  # what catching each is worth: wholly wrong is commonest
MOST_CLAUSES = 5
EMPTIED = 50  # for so many columns that may come in its place, a column is emptied once
POOL = 400  # columns of the lake on which power is measured
PRICE = 0.051  # price = PRICE / budget: the mean risk of the programs bought then is about the budget
WORTH = 1e-4  # a clause that adds less is not worth a line
LISTED = 32  # values by which a batch of many distinct ones shows how many do not belong to a domain, about


_PROVEN = np.array([lowest_share(seen, LISTED) for seen in range(LISTED + 1)])


@dataclass(frozen=True)
class Program:
    """The clauses bought, as (candidate number, tolerance number), with their joint risk and power."""

    clauses: tuple[tuple[int, int], ...]
    risk: float
    power: float


def buy(risk: Floats, matches: Floats, caps: Floats, budget: float, asked: NDArray[np.bool_] | None = None) -> Program:
    """Buy clauses greedily.

    Parameters
    ----------
    risk : (candidates, tolerances) P(false alarm).
    matches : (candidates, columns) share of each column of the pool that conforms.
    caps : (tolerances,) share of non-conforming rows above which a clause alarms.
    budget : wanted mean false-alarm rate.
    asked : (candidates,) which ask for a domain: what breaks them is seen on the values listed only.
    """
    price = PRICE / budget
    bad = np.stack([q * (1 - matches) for q in DAMAGES], axis=1)  # (candidates, damages, columns)
    if asked is not None and asked.any():
        bad[asked] = _PROVEN[np.round(bad[asked] * LISTED).astype(int)]
    caught = bad[:, None] > caps[None, :, None, None] + 1e-6
    caught = caught.reshape(-1, len(DAMAGES), bad.shape[2])  # (candidates * tolerances, damages, columns)
    p = risk.ravel()
    have = np.zeros(caught.shape[1:], bool)
    bought: list[int] = []
    joint, power = 0.0, 0.0
    while len(bought) < MOST_CLAUSES:
        gain = (caught | have).mean(axis=2) @ WEIGHTS
        after = 1 - (1 - joint) * (1 - p)
        worth = (1 - after) * gain - price * after
        k = int(worth.argmax())
        if worth[k] <= (1 - joint) * power - price * joint + WORTH:
            break
        bought.append(k)
        joint, power = float(after[k]), float(gain[k])
        have |= caught[k]
    return Program(tuple(divmod(k, risk.shape[1]) for k in bought), joint, power)


def power_pool(weights: Shares) -> NDArray[np.int64]:
    """Columns on which power is measured: at most `POOL`, spaced so that each stands for as much evidence."""
    total = np.cumsum(weights, dtype=np.float64)
    if not len(total) or total[-1] <= 0:
        return np.empty(0, np.int64)
    size = min(POOL, int((weights > 0).sum()))
    return np.unique(np.searchsorted(total, (np.arange(size) + 0.5) / size * total[-1]))


def learn_strings(
    state: ColumnState | Profile, index: PatternIndex, *, column: str, own_table: str | None, budget: float,
    horizon: float = HORIZON, own: Sequence[Replay] = (),
) -> StringsRule | None:  # fmt: skip
    """Rule for a string column, or None where nothing can be demanded at the budget.

    Parameters
    ----------
    state : the rows seen so far.
    index : evidence and calibrated risk; `own_table`'s part is left out.
    column : the column's name, for the rule.
    budget : stated false-alarm rate that a rule may spend on average, 0..1, while `horizon` rows come for each of the
        rows seen.
    own : replays of this very column.
    """
    seen = state if isinstance(state, Profile) else profile(state)
    if seen is None or seen.all_rows < LEAST_ROWS:
        return None
    weights = index.weights({own_table} if own_table else ())
    return learn_profile(seen, index, weights, column=column, budget=budget, horizon=horizon, own=own)


def learn_profile(
    seen: Profile, index: PatternIndex, weights: Shares, *, column: str, budget: float, horizon: float = HORIZON,
    own: Sequence[Replay] = (),
) -> StringsRule | None:  # fmt: skip
    """`learn_strings` with the weight of every column as evidence given (0: left out)."""
    found = candidates(seen) if seen.rows >= LEAST_ROWS else presence(seen)
    if not found or index.model is None:
        return None
    matches = [index.match(candidate) for candidate in found]
    lake = np.array([lake_features(match, weights) for match in matches])
    features = np.concatenate([training_features(seen, found, horizon), lake], axis=1)
    kinds = np.array([KINDS.index(c.kind) for c in found], np.int8)
    risk = experienced(index.model(features, kinds), found, own)
    caps = limits(max(round(horizon * seen.basis), 1))
    asked = np.array([candidate.sampled for candidate in found])
    program = buy(risk, _accidents(found, np.array(matches)[:, power_pool(weights)]), caps, budget, asked)
    if not program.clauses:
        return None
    return _rule(seen, found, program, risk, lake, matches, weights, index, column)


def _accidents(found: list[Candidate], others: Shares) -> Floats:
    """Share of the rows that conforms to each candidate where a column of the pool has come instead, or the values are
    missing."""
    kept = [[float(candidate.holds_empty())] for candidate in found]
    emptied = np.repeat(kept, -(-others.shape[1] // EMPTIED), axis=1)
    return np.concatenate([others, emptied], axis=1).astype(float)


def _rule(
    seen: Profile, found: list[Candidate], program: Program, risk: Floats, lake: Floats, matches: list[Shares],
    weights: Shares, index: PatternIndex, column: str,
) -> StringsRule:  # fmt: skip
    bought = sorted(program.clauses, key=lambda one: one[1])  # the strictest first, to be read
    clauses = [StringClause.of(found[c], TOLERANCES[t], round(float(risk[c, t]), 6)) for c, t in bought]
    looks = seen.tables.get("runs") or seen.tables.get("tokens") or seen.tables.get("marks", {})
    top = sorted(looks.items(), key=lambda item: (-item[1], item[0]))[:5]
    evidence = {
        "rows": seen.basis,
        "unseen": round(_unseen(seen), 4),
        "power": round(program.power, 4),
        "looks": [[text, count] for text, count in top],
        "columns": _witnesses(found[program.clauses[0][0]], matches[program.clauses[0][0]], weights, index),
        "rivals": [
            {"kind": c.name, "classes": len(c.accepted), "risk": round(float(risk[i, 0]), 6),
             "coverage": round(float(np.expm1(lake[i, 0])), 2), "impurity": round(float(lake[i, 3]), 4)}
            for i, c in enumerate(found)
        ],
    }  # fmt: skip
    params: dict[str, Any] = {"clauses": [clause.to_json() for clause in clauses], "rows": seen.basis}
    sentence = "; ".join(clause.sentence() for clause in clauses)
    return StringsRule(kind_of(clauses), column, params, program.risk, sentence + ".", "strings", evidence)


def _unseen(seen: Profile) -> float:
    """Share of coming rows whose value was never seen (Good and Turing: the share of rows with a value seen once)."""
    if not seen.rows:
        return 0.0
    if seen.values is not None:
        return sum(count == 1 for count in seen.values.values()) / seen.rows
    return min(seen.state.distinct.singletons() / seen.rows, 1.0) if seen.state is not None else 1.0


def _witnesses(
    candidate: Candidate, match: Shares, weights: Shares, index: PatternIndex, most: int = 10
) -> list[list[Any]]:
    """Columns of the lake that are known to keep to a clause: [table, column, share of their rows that conforms]."""
    score = np.where((weights > 0) & index.knows(candidate.kind), match, 0)
    best = np.argsort(-score, kind="stable")[:most]
    return [
        [index.tables[index.columns[i][0]], index.columns[i][1], round(float(score[i]), 4)]
        for i in best
        if score[i] >= 0.5
    ]
