"""What may be demanded of a column or a table, as plain data.

A rule is immutable: a change makes a new revision. Everything in it survives JSON unchanged, so that the same rule
judges the same state the same way years later.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

KINDS = {
    "pattern": "the strings of a column keep to a program of patterns",
    "vocabulary": "the strings of a column come from a vocabulary",
    "history": "a column's metrics stay within what its own past predicts",
    "schema": "the columns of a table and their types stay",
    "volume": "the number of rows stays within what the past predicts",
    "freshness": "a new version arrives in time",
}


@dataclass(frozen=True)
class Rule:
    """One demand.

    Parameters
    ----------
    kind : one of `KINDS`; tells `catalog.checks` how to judge.
    column : dotted leaf name (``a.b``), or None for a demand on the whole table.
    params : what judging needs, as JSON data.
    fpr : stated false-alarm rate: the chance that a healthy version breaks this rule, 0..1.
    sentence : the demand in words.
    learner : who proposed it (``fmdv``, ``avh``, ``suggest``, ``person`` ...).
    evidence : why, as JSON data; never needed for judging.
    level : ``error`` or ``warning``.

    >>> rule = Rule("schema", None, {"columns": [["id", "long"]]}, 0.0001, "Columns stay.", "schema")
    >>> Rule.from_json(rule.to_json()) == rule
    True
    >>> rule.fingerprint == rule.with_evidence({"versions": 3}).fingerprint
    True
    """

    kind: str
    column: str | None
    params: dict[str, Any]
    fpr: float
    sentence: str
    learner: str
    evidence: dict[str, Any] = field(default_factory=dict)
    level: str = "error"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"rule kind {self.kind!r} is none of {sorted(KINDS)}")
        if not 0 <= self.fpr <= 1:
            raise ValueError(f"stated false-alarm rate {self.fpr!r} is not in 0..1")

    @property
    def fingerprint(self) -> str:
        """SHA-256 (first 16 hex digits) of what judging depends on: kind, column, params, level."""
        text = json.dumps([self.kind, self.column, self.params, self.level], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Rule:
        return cls(**data)

    def with_evidence(self, evidence: dict[str, Any]) -> Rule:
        return replace(self, evidence=evidence)
