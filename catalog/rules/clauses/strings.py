"""Clauses of rules on strings: what each demands, and what it says of a batch. `sentences` reads a program of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from catalog.evidence.calibrated.risk import TOLERANCES
from catalog.evidence.clauses.candidate import (
    MISSING,
    VALUES_ARE,
    Candidate,
    demand,
    is_known,
    one_of,
)
from catalog.evidence.pattern_index.views import Profile
from catalog.rules.clauses.clause import FORMER_KEYS, Clause

HALF = 0.5  # chosen: what more of the rows may break is a remark, and no demand that a person signs
LOOSEST = 0.8  # chosen, one in five keeps it: what only more of the values may break is no rule
NEARLY_ALL = 0.1  # chosen: a clause that more of the values may break says nothing of a single one
#: Versions in which q times as many rows break a rule as the fewest that are told are q^-BEYOND of those that break it.
#: Fitted by ``python -m benchmarks.lived.beyond`` to the 98 that do of 25 real series and 16 tables of packages.
BEYOND = 0.51
LEAST_TOLERANCE = 0.0025  # chosen: share of the rows that a loosened clause starts from
_ORDER = ("kind", "accepted", "theta", "risk", "risks", "words", "hides")


@dataclass(frozen=True)
class StringClause(Clause):
    """At most about a share `theta` of the values do not conform to a candidate.

    Parameters
    ----------
    kind, accepted : of the candidate: see `catalog.evidence.clauses.candidate`.
    risk : stated chance that it errs on the rows to come, 0..1.
    risks : the same at each of `TOLERANCES`: how improbable it is that so many of healthy rows do not conform. None in
        rules learned by earlier releases.
    words : the clause in words.
    hides : whether nothing that is said by it may hold a value of the column.
    rest : what another release wrote beside these; kept as it is.

    >>> data = {"kind": "charset", "accepted": ["0"], "theta": 0.0, "words": "every value is made of digits"}
    >>> StringClause.from_json(data).to_json() == data
    True
    """

    kind: str
    accepted: tuple[str, ...] = ()
    theta: float = 0.0
    risk: float | None = None
    risks: tuple[float, ...] | None = None
    words: str | None = None
    hides: bool | None = None
    rest: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StringClause:
        known = {name: data[name] for name in _ORDER if name in data}
        rest = {name: value for name, value in data.items() if name not in known}
        if known.get("risks") is not None:
            known["risks"] = tuple(known["risks"])
        kind = FORMER_KEYS.get(data["kind"], data["kind"])
        return cls(**known | {"kind": kind, "accepted": tuple(data.get("accepted") or ())}, rest=rest)

    @classmethod
    def of(cls, candidate: Candidate, theta: float, risks: Sequence[float] | None = None) -> StringClause:
        """A candidate at a tolerance; `risks` is its risk at each of `TOLERANCES`."""
        curve = None if risks is None else tuple(round(float(risk), 6) for risk in risks)
        risk = None if curve is None else curve[TOLERANCES.index(theta)]
        return cls(candidate.kind, candidate.accepted, theta, risk, curve, candidate.words(theta))

    def to_json(self) -> dict[str, Any]:
        values = {"kind": self.kind, "accepted": list(self.accepted), "theta": self.theta}
        risks = None if self.risks is None else list(self.risks)
        more = {"risk": self.risk, "risks": risks, "words": self.words, "hides": self.hides}
        return values | {name: value for name, value in more.items() if value is not None} | dict(self.rest)

    @cached_property
    def candidate(self) -> Candidate:
        """Raises `ValueError` for a kind of another release."""
        return Candidate(self.kind, self.accepted)

    @property
    def key(self) -> str:
        return self.candidate.name if is_known(self.kind) else self.kind

    @property
    def says_what(self) -> bool:
        return is_known(self.kind) and self.candidate.says_what

    @property
    def names(self) -> bool:
        return is_known(self.kind) and self.candidate.names

    @property
    def guards(self) -> bool:
        return is_known(self.kind) and self.candidate.guards

    @property
    def of_missing(self) -> bool:
        return is_known(self.kind) and self.candidate.of_missing

    @property
    def listed(self) -> frozenset[str]:
        """The values that it lists; none where it lists no values."""
        return frozenset(self.accepted) if self.kind == "value" else frozenset()

    @property
    def is_of_domain(self) -> bool:
        """Whether it asks what values mean."""
        return self.kind == "domain"

    @property
    def is_minor(self) -> bool:
        return self.theta > HALF

    @property
    def most_missing(self) -> float | None:
        return self.theta if self.breach() == MISSING else None

    @property
    def risk_stated(self) -> float:
        return float(self.risk or 0.0)

    @property
    def risk_certain(self) -> float:
        """The chance, at the most, that later rows break it as `ClauseVerdict.certain` says. Of clauses without a curve
        of risks it is all that they state."""
        if self.risks is None or self.of_missing or self.guards:
            return self.risk_stated
        least = max(at for at, theta in enumerate(TOLERANCES) if theta <= 1 - NEARLY_ALL)
        return min(self.risks[least], self.risk_stated) if self.theta <= NEARLY_ALL else 0.0

    @property
    def tells(self) -> bool:
        return not is_known(self.kind) or self.candidate.of_values

    def sentence(self, *, private: bool = False) -> str:
        """The clause in words.

        >>> known = StringClause.of(Candidate("value", ("hiv", "flu")), 0.0)
        >>> known.sentence(), known.sentence(private=True)
        ('every value is “hiv” or “flu”', 'every value is one of 2 known values')
        """
        if private and self.tells:
            known = is_known(self.kind)
            return (
                self.candidate.words(self.theta, private=True)
                if known
                else demand(one_of(len(self.accepted)), self.theta)
            )
        return self.words or ""

    def says(self, *, private: bool = False) -> str:
        """What values are; of how many others there may be is not said."""
        if not is_known(self.kind):
            return self.sentence(private=private)
        demanded = self.candidate.words(self.theta, private=private)
        subject = VALUES_ARE if demanded.startswith(VALUES_ARE) else ""
        return subject + self.candidate.said(private=private) if self.theta else demanded

    def breach(self, *, private: bool = False) -> str:
        """What the rows that break it are, before their share."""
        if is_known(self.kind):
            return self.candidate.breach(private=private)
        return f"that break: {self.sentence(private=private)}"

    def broken(self, batch: Profile | None = None) -> str:
        """What the rows of a batch that break it are, behind their number.

        >>> known = StringClause.of(Candidate("value", ("hiv", "flu")), 0.0)
        >>> known.broken(), known.private().broken()
        ('not “hiv” or “flu”', 'not one of 2 known values')
        """
        private = bool(self.hides)
        return self.candidate.broken(batch, private=private) if is_known(self.kind) else self.breach(private=private)

    def hidden(self) -> dict[str, Any]:
        if not self.tells:
            return self.to_json()
        shown = {**self.to_json(), "accepted": len(self.accepted)}
        return shown if self.words is None else {**shown, "words": self.sentence(private=True)}

    def private(self) -> StringClause:
        """The clause, judging as before, with words that list no value."""
        return replace(self, words=None if self.words is None else self.sentence(private=True), hides=True)

    def loosened(self, factor: float) -> StringClause:
        """The next tolerance from `factor` times its own on; one that tolerates none counts as `LEAST_TOLERANCE`.

        >>> digits = StringClause.of(Candidate("charset", ("0",)), 0.0)
        >>> digits.loosened(4.0).theta, digits.loosened(4.0).words
        (0.01, 'values are made of digits; at most 1% others')
        """
        wanted = max(self.theta, LEAST_TOLERANCE) * factor if factor > 1 else self.theta
        theta = next((one for one in TOLERANCES if one >= wanted - 1e-9), TOLERANCES[-1])
        return replace(self, theta=theta, words=self.candidate.words(theta))

    def change(self, old: StringClause) -> str:
        before, after = (one.candidate.allowed() for one in (old, self))
        looser = after >= before and self.theta >= old.theta
        tighter = after <= before and self.theta <= old.theta
        if looser and tighter:
            return "same"
        return "loosened" if looser else "tightened" if tighter else "moved"


@dataclass(frozen=True)
class ClauseVerdict:
    """What one clause says of a batch: `nonconforming` of the `rows` it is about, whether they are too many, at which
    of `TOLERANCES` they would be: the first so many (`beyond`), and the largest share that is not (`bound`)."""

    clause: StringClause
    nonconforming: int
    rows: int
    alarm: bool
    beyond: int = 0
    bound: float = 0.0

    @property
    def share(self) -> float:
        return self.nonconforming / self.rows if self.rows else 0.0

    @property
    def theta(self) -> float:
        return self.clause.theta

    @property
    def most(self) -> float:
        """The largest share that is no alarm: of few values more than of many."""
        return max(self.theta, self.bound)

    @property
    def certain(self) -> bool:
        """Whether a clause learned from one version is enough to say so: of values that are missing or went wrong in a
        known way, and where hardly any is what nearly all were. How else values vary from version to version a single
        one does not show."""
        of = self.clause.candidate
        return of.of_missing or of.guards or (self.theta <= NEARLY_ALL and self.share >= 1 - NEARLY_ALL)

    @property
    def times(self) -> float:
        """How many times as many rows do not conform as the fewest that alarm."""
        return self.share / (self.bound + 1 / self.rows) if self.rows else 0.0

    @property
    def by_risks(self) -> float:
        """`surprise` by the clause's risks alone, which are of later rows of files; 1 where they do not say."""
        risks, here, last = self.clause.risks or (), TOLERANCES.index(self.theta), self.beyond - 1
        return risks[last] / risks[here] if risks and last > here and risks[here] > 0 else 1.0

    @property
    def surprise(self) -> float:
        """How many times less probable so many rows are than the fewest that alarm, 0..1, by these risks or by how far
        versions go that break a rule; 1 where it is not known."""
        of_versions: float = max(self.times, 1.0) ** -BEYOND
        return 1.0 if self.clause.risks is None else min(self.by_risks, of_versions)


def kind_of(clauses: Sequence[Clause]) -> str:
    """The kind of rule that these clauses are."""
    values = all(isinstance(one, StringClause) and one.kind in ("value", "presence") for one in clauses)
    values = values and any(isinstance(one, StringClause) and one.kind == "value" for one in clauses)
    return "vocabulary" if values else "pattern"
