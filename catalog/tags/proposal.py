"""What is proposed about the meaning of a column, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class TagProposal:
    """A tag that a column may carry, with its reasons.

    `score` is the estimated chance that a person would agree (0..1); `match_share` the share of the non-null rows
    looked at that validate. `evidence` is JSON data and holds sample values of a sensitive domain masked only.
    `contains`: only some values are, or hold, one of the domain: these are masked, the column is not of it.
    `generic` marks what is said when no particular meaning was found (code, category, free text ...).
    """

    domain: str
    title: str
    score: float
    match_share: float
    sensitive: bool
    evidence: dict[str, Any] = field(default_factory=dict)
    generic: bool = False
    contains: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "title": self.title,
            "score": self.score,
            "match_share": self.match_share,
            "sensitive": self.sensitive,
            "generic": self.generic,
            "contains": self.contains,
            "evidence": self.evidence,
        }
