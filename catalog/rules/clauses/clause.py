"""One clause of a program: what it is about, in words, without values, looser, and against another revision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CHANGES = ("added", "dropped", "loosened", "tightened", "moved", "same")
#: Clauses by the names under which earlier releases wrote them.
FORMER_KEYS = {"span": "length_range", "wide": "wider_length_range"}
#: What moved by less than this share is the same to people. Chosen: what a sentence would round to the same.
HARDLY = 0.05


class Clause:
    """What the kinds of clauses have in common. They are frozen and survive JSON unchanged."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Clause:
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        raise NotImplementedError

    @property
    def key(self) -> str:
        """What it is about, whatever its bounds: people's decisions are about it."""
        raise NotImplementedError

    @property
    def risk_stated(self) -> float:
        """Chance that it errs on a healthy version; 0 where none is stated."""
        raise NotImplementedError

    @property
    def tells(self) -> bool:
        """Whether it is made of the column's values."""
        return False

    @property
    def is_minor(self) -> bool:
        """Whether people read others first: most of the rows may break it, or it takes a statistician to say it."""
        return False

    @property
    def most_missing(self) -> float | None:
        """The share of missing values that it lets pass; None of a clause on anything else."""
        return None

    def sentence(self, *, private: bool = False) -> str:
        """The clause in words; of a sensitive column (`private`) without values."""
        raise NotImplementedError

    def brief(self, *, private: bool = False) -> str:
        """The same in round figures, where it has others."""
        return self.sentence(private=private)

    def hidden(self) -> dict[str, Any]:
        """Its JSON as it may be shown of a sensitive column."""
        raise NotImplementedError

    def loosened(self, factor: float) -> Clause:
        """The clause `factor` times as wide, or as tolerant."""
        raise NotImplementedError

    def change(self, old: Any) -> str:
        """What became of an older clause of the same key: one of `CHANGES`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Difference:
    """One clause in two revisions: `before` and `after` in words, None where it is not there."""

    clause: str
    change: str
    before: str | None
    after: str | None


def count_changes(found: Sequence[Difference]) -> dict[str, int]:
    """How many clauses of each change there are; those that are the same left out.

    >>> count_changes([Difference("a", "added", None, "x"), Difference("b", "same", "y", "y")])
    {'added': 1}
    """
    counts = {change: sum(one.change == change for one in found) for change in CHANGES[:-1]}
    return {change: count for change, count in counts.items() if count}
