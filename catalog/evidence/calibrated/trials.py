"""What a column's own past says of how safe demands are there, beside other columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.calibrated.calibration import limits
from catalog.evidence.calibrated.features import HORIZON
from catalog.evidence.calibrated.replay import Replay
from catalog.evidence.calibrated.risk import PRIOR, TOLERANCES
from catalog.evidence.clauses.candidate import Candidate, class_of_kind
from catalog.evidence.clauses.candidates import ABSENT, CLAUSE_KINDS

Floats = NDArray[np.float64]
Demand = tuple[str, int]  # what a clause is about: of most kinds there is one, of others one for each thing asked for
#: Bound of the rows to come for each row seen, in replays of increments that count as a column's own past; chosen: what
#: broke after a first batch is known by now.
OF_INCREMENTS = 2.0
OF_SNAPSHOTS = math.inf  # a whole version judged the one before, as the next will, however much the table grew
MAJORITY = 0.5  # chosen, one of `TOLERANCES`: share of the rows up to which those that do not conform are exceptions


@dataclass(frozen=True)
class Trial:
    """A stretch of a column's own past that put demands to the test.

    Parameters
    ----------
    alarms : of each demand, at how many of `TOLERANCES`, the first so many, healthy rows raised an alarm.

    >>> Trial.from_json(Trial({("charset", 0): 2}).to_json())
    Trial(alarms={('charset', 0): 2})
    """

    alarms: Mapping[Demand, int] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Iterable[tuple[str, str, int]]) -> Trial:
        return cls({(kind, int(key, 16)): count for kind, key, count in data})

    def to_json(self) -> list[list[Any]]:
        return [[kind, f"{key:x}", count] for (kind, key), count in sorted(self.alarms.items())]


def demand_of(kind: str, key: NDArray[np.uint64]) -> Demand:
    """What a clause with these numbers of its accepted classes is about."""
    return kind, int(key[0]) if class_of_kind(kind).several else 0


def trials_of(replays: Iterable[Replay], longest: float) -> list[Trial]:
    """Replays of the column as trials; only those that judged at most `longest` rows for each row learned from
    (`OF_INCREMENTS`, `OF_SNAPSHOTS`)."""
    out = []
    for replay in replays:
        if replay.features[0, HORIZON] > np.log(longest):
            continue
        alarms = {}
        for at, (kind, key) in enumerate(zip(replay.kinds, replay.keys, strict=True)):
            broken = replay.broken[at] > limits(int(replay.rows[at])) + 1e-9
            alarms[demand_of(CLAUSE_KINDS[kind], key)] = int(broken.sum())
        out.append(Trial(alarms))
    return out


def trials_of_answers(trials: Iterable[Trial]) -> list[Trial]:
    """What people called false alarms, oldest first, as trials. The first time that most rows break a demand the
    column has another format from then on, and a person who says that this is right wants the new one to be kept: no
    alarm. The next time it is a habit.

    >>> some, most = Trial({("charset", 0): 3}), Trial({("charset", 0): len(TOLERANCES)})
    >>> [next(iter(one.alarms.values())) for one in trials_of_answers([most, some, most])]
    [0, 3, 14]
    """
    changed: set[Demand] = set()
    out = []
    for trial in trials:
        most = {demand for demand, count in trial.alarms.items() if count > TOLERANCES.index(MAJORITY)}
        out.append(Trial({demand: 0 if demand in most - changed else n for demand, n in trial.alarms.items()}))
        changed |= most
    return out


def after_trials(risk: Floats, found: Sequence[Candidate], trials: Iterable[Trial]) -> Floats:
    """The risk of candidates, (candidates, tolerances), given trials of the very column they are for.

    A risk is worth `PRIOR` trials beside the column's own. A quiet past makes no demand on values safer, since it is
    short, nor that few of them are missing; but that most are, where they never were, is another matter than in files
    that are sorted by the column. That nothing is ever there no batch says by itself: however many rows it has, they
    are empty for one reason, so that without a trial it is not demanded.

    >>> given, digits = Candidate("presence", ("given",)), Candidate("charset", ("0",))
    >>> known, kept = np.full((2, len(TOLERANCES)), 0.1), Trial({demand_of("presence", given.numbers()): 2})
    >>> after_trials(known, [given, digits], [kept, kept])[:, [0, 2, 11]].round(3).tolist()
    [[0.55, 0.1, 0.05], [0.1, 0.1, 0.1]]
    >>> nothing = Candidate("presence", (ABSENT,))
    >>> empty = Trial({demand_of("presence", nothing.numbers()): 0})
    >>> [float(after_trials(known[:1], [nothing], trials)[0, 0]) for trials in ([], [empty])]
    [1.0, 0.1]
    """
    alarms, count = np.zeros_like(risk), np.zeros((len(risk), 1))
    wanted = [demand_of(candidate.kind, candidate.numbers()) for candidate in found]
    for trial in trials:
        for i, demand in enumerate(wanted):
            if demand in trial.alarms:
                alarms[i, : trial.alarms[demand]] += 1
                count[i] += 1
    known = (PRIOR * risk + alarms) / (PRIOR + count)
    of_missing = np.array([one.of_missing for one in found])[:, None]
    untried = of_missing & np.array([one.accepted == (ABSENT,) for one in found])[:, None] & (count == 0)
    out = np.where(of_missing & (np.array(TOLERANCES) >= MAJORITY), known, risk)
    return np.where(untried, 1.0, np.where(alarms > 0, np.maximum(risk, known), out))
