"""The figures of a report: sections of rows and totals, and the fingerprint over all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from catalog.errors import UsageError
from catalog.reports import incidents, inventory
from catalog.reports.facts import Facts, Scope, present, within
from catalog.reports.section import Section, iso

#: Changes when the same facts give other figures.
FORMAT = 6
GOVERNANCE = "governance"
SECTIONS: dict[str, tuple[Callable[[Facts], Section], ...]] = {
    "privacy": (inventory.personal, inventory.identifiers, inventory.not_known, inventory.set_aside),
    "coverage": (inventory.coverage,),
    "rules": (inventory.rules,),
    "incidents": (incidents.incidents, incidents.false_alarms),
    "decisions": (incidents.decisions,),
}
OF_THE_LAKE = ("privacy", "coverage", "rules")  # what is there, not what happened
REPORT_KINDS = (*SECTIONS, GOVERNANCE)


@dataclass(frozen=True)
class Report:
    """The figures of one kind of report about a scope.

    `begins` is where the journal begins: a period that starts before is told of as far as it goes.
    """

    kind: str
    scope: Scope
    start: datetime
    moment: datetime
    begins: datetime
    sections: tuple[Section, ...]

    def section(self, name: str) -> Section | None:
        return next((one for one in self.sections if one.name == name), None)

    def figures(self) -> dict[str, Any]:
        """The figures as JSON data, of which the fingerprint is made: codes and numbers, no words about them."""
        return {
            "format": FORMAT,
            "kind": self.kind,
            "source": self.scope.source or None,
            "owner": self.scope.owner or None,
            "from": iso(self.start),
            "as_of": iso(self.moment),
            "sections": {one.name: {"totals": dict(one.totals), "rows": list(one.rows)} for one in self.sections},
        }

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the figures: sixty-four hexadecimal digits."""
        text = json.dumps(self.figures(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def make_report(kind: str, facts: Facts, scope: Scope, begins: datetime) -> Report:
    """A report of a kind (`REPORT_KINDS`) about a scope. Errors: `UsageError`."""
    if kind not in REPORT_KINDS:
        raise UsageError(f"there is no report {kind[:40]!r}", remedy=f"use one of {', '.join(REPORT_KINDS)}")
    chosen: Mapping[str, Any] = SECTIONS if kind == GOVERNANCE else {kind: SECTIONS[kind]}
    seen = within(facts, scope)
    there = present(seen)
    sections = tuple(make(there if one in OF_THE_LAKE else seen) for one, makes in chosen.items() for make in makes)
    return Report(kind, scope, facts.start, facts.moment, begins, sections)
