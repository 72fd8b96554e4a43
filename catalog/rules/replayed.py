"""What replays of rules on the past of their tables showed, as it is kept in the rules' evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: Alarms expected that each level's prior weighs as much as: chosen on the real series of fit and tune
#: (`benchmarks.weekly`), where 1 to 3 differ by three versions of 1,889.
PRIOR = 2.0
#: Replays are made again after this share of the versions they were of, and so many at least: bounds of the cost.
SHARE, LEAST_VERSIONS = 0.5, 5
#: Names in a rule's evidence, in the order of the fields.
REPLAYED = ("replays_on_its_past", "alarms_in_replays", "expected_in_replays", "replayed_until_version")


@dataclass(frozen=True)
class Replayed:
    """Versions that were judged again, those of them in which anything alarmed, and how many were expected to by the
    rates that the rules state; the latest version of the table then."""

    versions: int = 0
    alarms: int = 0
    expected: float = 0.0
    until: int = -1

    def factor(self, prior: float = 1.0) -> float:
        """How many alarms there are for each one stated.

        >>> Replayed().factor(), Replayed(8, 1, 0.08).factor(), Replayed(100, 0, 1.0).factor(3.0)
        (1.0, 1.44..., 2.0)
        """
        return (PRIOR * prior + self.alarms) / (PRIOR + self.expected)

    def is_due(self, version: int) -> bool:
        """Whether it is worth to replay them again after a version: that costs several times what learning does.

        >>> Replayed(8, until=15).is_due(19), Replayed(8, until=15).is_due(20), Replayed().is_due(14)
        (False, True, True)
        """
        return not self.versions or version >= self.until + max(int(SHARE * self.versions), LEAST_VERSIONS)

    def to_json(self) -> dict[str, Any]:
        return dict(zip(REPLAYED, (self.versions, self.alarms, round(self.expected, 4), self.until), strict=True))
