"""What replays of rules on the past of their tables showed, as it is kept in the rules' evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalog.wording import counted

#: Alarms expected that each level's prior weighs as much as: chosen on the real series of fit and tune
#: (`benchmarks.weekly`), where 1 to 3 differ by three versions of 1,889.
PRIOR = 2.0
#: Replays are made again after this share of the versions they were of, and so many at least: bounds of the cost.
SHARE, LEAST_VERSIONS = 0.5, 5
#: Names in a rule's evidence, in the order of the fields.
WIDER = "bands_wider_for_it"  # ... and of what followed from them
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


def in_words(evidence: Mapping[str, Any]) -> str:
    """What the replays of a rule's table were, and why its bands are wider where they are; empty where there were none.

    >>> told = {"replays_on_its_past": 8, "alarms_in_replays": 0, "expected_in_replays": 0.1}
    >>> in_words(told)
    "8 replays on this table's past, none of which alarmed"
    >>> print(in_words(told | {"bands_wider_for_it": 2.589}))
    8 replays on this table's past, none of which alarmed; those of the lake's other tables alarmed more often than
    stated, so its bands are 2.6 times as wide
    >>> in_words(told | {"replays_on_its_past": 1, "alarms_in_replays": 1, "bands_wider_for_it": 2.0})
    "1 replay on this table's past, which alarmed; that is more often than stated, so its bands are 2 times as wide"
    """
    versions, alarms, expected = (evidence.get(name) or 0 for name in REPLAYED[:3])
    if not versions:
        return ""
    of_one = "which alarmed" if alarms else "which did not alarm"
    some = "all" if alarms == versions else alarms or "none"
    told = of_one if versions == 1 else f"{some} of which alarmed"
    said = f"{counted(versions, 'replay')} on this table's past, {told}"
    if not evidence.get(WIDER):
        return said
    why = "that is more often" if alarms > expected else "those of the lake's other tables alarmed more often"
    return f"{said}; {why} than stated, so its bands are {evidence[WIDER]:.2g} times as wide"
