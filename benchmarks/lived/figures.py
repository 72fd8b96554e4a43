"""What `benchmarks.lived` counts: false alarms, incidents seen, how soon, and whether their cause was named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.lived.data import Series, cells_of, is_about
from benchmarks.split import by_source
from catalog.checks.feedback import FALSE_ALARM

TOLD = "schema, told"
WEEK = 7  # executions, one a day
#: The level of a finding that belongs to an alarm which waits for its answer: it alarms nobody again.
WAITING = "waiting"
SHOWN = ("series", "index", "kind", "columns", "documented", "by", "quiet", "waiting", "days", "cause")


@dataclass
class Alarm:
    """What was told of an execution; `cause` is what the product said had happened, empty where it said nothing.
    `level` is ``error``, `WAITING`, or ``warning`` for a finding that wakes nobody: the budget held it back, or its
    rule was demoted. `about` are the columns that a finding on the schema names, empty for others. `confidence` is of
    the cause, 0..1, `chance` the p-value as a part of what the rule states; `strength` is by how much a rival's rule
    was exceeded, in the rule's own measure."""

    series: str
    index: int
    column: str | None
    kind: str
    sentence: str
    cause: str = ""
    confidence: float = 0.0
    level: str = "error"
    chance: float | None = None
    strength: float = 0.0
    about: tuple[str, ...] = ()

    def concerns(self, incident: dict[str, Any]) -> bool:
        """Whether it is about a column of the incident, or about the whole table.

        >>> gone = Alarm("tables", 20, None, "schema", "The schema changed: column 'b' is gone.", about=("b",))
        >>> gone.concerns({"columns": ["a"]}), gone.concerns({"columns": ["b"]}), gone.concerns({"columns": ["*"]})
        (False, True, True)
        """
        return any(is_about(incident, column) for column in self.about or (self.column,))


def figures(found: Sequence[Series], alarms: Sequence[Alarm], first: int, until: int | None = None) -> dict[str, Any]:
    """Rates over the clean windows, and the incidents seen, of the executions after `first` and `until` then."""
    findings, alarms = alarms, [a for a in alarms if a.level == "error"]
    last = {one.name: min(len(one.days), until or len(one.days)) for one in found}
    tests: Counter[tuple[str, str]] = Counter()  # by what is counted and source
    false: list[Alarm] = []
    for one in found:
        mine = [a for a in alarms if a.series == one.name and a.kind != TOLD]
        for index in range(first + 1, last[one.name] + 1):
            aside = one.aside(index)
            if aside is None:
                continue
            tests["versions", one.source] += 1
            tests["columns", one.source] += len(cells_of(one, index)) - len(aside)
            false += [a for a in mine if a.index == index and (a.column not in aside if a.column else not aside)]
    incidents = [
        x | {"series": one.name, "source": one.source}
        for one in found
        for x in one.incidents
        if x["severity"] == "column"
    ]
    incidents = [x for x in incidents if first < x["index"] <= last[x["series"]]]
    for x in incidents:
        x |= _noticed(x, [a for a in alarms if a.series == x["series"] and a.concerns(x)])
        x |= {"quiet": _found(x, findings, "warning"), "waiting": _found(x, findings, WAITING)}
    sources = {one.name: one.source for one in found}
    weeks = (max(last.values()) - first) / WEEK
    wrong: dict[str, set[tuple[Any, ...]]] = {
        "versions": {(a.series, a.index) for a in false},
        "columns": {(a.series, a.index, a.column) for a in false},
    }
    hits = Counter((what, sources[one[0]]) for what, ones in wrong.items() for one in ones)
    hits.update(("incidents", x["source"]) for x in incidents if x["by"])
    tests.update(("incidents", x["source"]) for x in incidents)
    rates = {
        what: by_source({source: (hits[what, source], n) for (of, source), n in tests.items() if of == what})
        for what in ("versions", "columns", "incidents")
    }
    return {
        "clean_versions": sum(n for (of, _), n in tests.items() if of == "versions"),
        "clean_pairs": sum(n for (of, _), n in tests.items() if of == "columns"),
        "versions_with_false_alarm": len(wrong["versions"]),
        "versions_labelled_true": len(wrong["versions"] - _called_false(found, false)),
        "table_fpr": rates["versions"]["rate"],
        "column_fpr": rates["columns"]["rate"],
        "by_source": rates,
        "false_alarms_by_kind": dict(Counter(a.kind for a in false)),
        "false_alarms": [vars(a) for a in false],
        "incidents": len(incidents),
        "incidents_seen": sum(bool(x["by"]) for x in incidents),
        "incidents_found_quietly": sum(bool(x["quiet"]) and not x["by"] for x in incidents),
        "incidents_of_one_that_waits": sum(bool(x["waiting"]) and not x["by"] for x in incidents),
        "incident_list": [{k: x[k] for k in SHOWN} for x in incidents],
        "incidents_within_a_week": sum(x["days"] is not None for x in incidents),
        "days_to_notice": _mean([x["days"] for x in incidents if x["days"] is not None]),
        "causes_of_findings": _causes(found, findings),
        "causes_named": _mean([bool(x["cause"]) for x in incidents if x["by"] and x["by"] != [TOLD]]),
        "weeks": weeks,
        "false_alarms_a_week": len(wrong["versions"]) / weeks,
        "answered_false_a_week": len(_called_false(found, alarms)) / weeks,
        "other_alarms": sum(a.kind != TOLD for a in alarms) - len(false),
    }


def _noticed(incident: dict[str, Any], mine: Sequence[Alarm]) -> dict[str, Any]:
    """By which rules an incident was seen at once, after how many executions at all, and what cause was named."""
    begin, end = incident["index"], min(incident["index_end"], incident["index"] + WEEK)
    at_once = [a for a in mine if a.index == begin]
    later = [a.index - begin for a in mine if begin <= a.index <= end]
    causes = [a.cause for a in at_once if a.cause]
    return {
        "by": sorted({a.kind for a in at_once}),
        "days": min(later, default=None),
        "cause": causes[0] if causes else "",
    }


def _found(incident: dict[str, Any], findings: Sequence[Alarm], level: str) -> list[str]:
    """The rules that found an incident at once, at a level that is no alarm of its own."""
    of_it = (a for a in findings if a.series == incident["series"] and a.index == incident["index"])
    return sorted({a.kind for a in of_it if a.level == level and a.concerns(incident)})


def _causes(found: Sequence[Series], findings: Sequence[Alarm]) -> dict[str, list[list[Any]]]:
    """(cause, confidence, p-value as a part of what is stated) of each finding, told or not, on healthy versions and on
    incidents: what `catalog.checks.weekly` weighs findings by is counted here."""
    of = {one.name: one for one in found}
    out: dict[str, list[list[Any]]] = {"healthy": [], "incidents": []}
    for one in (one for one in findings if one.kind != TOLD):
        wrong = any(one.concerns(x) for x in of[one.series].wrong(one.index))
        if wrong or of[one.series].aside(one.index) is not None:
            out["incidents" if wrong else "healthy"].append([one.cause, one.confidence, one.chance])
    return out


def _called_false(found: Sequence[Series], alarms: Sequence[Alarm]) -> set[tuple[str, int]]:
    """The versions with an alarm that a steward calls false who knows the incidents, the true changes that were read,
    and nothing else: what the labels set aside (a natural change, what an incident left behind, days that are no clean
    window) is among them."""
    of = {one.name: one for one in found}
    return {
        (a.series, a.index) for a in alarms if a.kind != TOLD and of[a.series].answer(a.index, a.column) == FALSE_ALARM
    }


def curve(
    found: Sequence[Series], alarms: Sequence[Alarm], first: int, strengths: Sequence[float]
) -> list[dict[str, Any]]:
    """What a rival that can be made stricter shows at each strictness: false alarms, and incidents seen."""
    rows = []
    for strength in strengths:
        one = figures(found, [a for a in alarms if a.strength >= strength], first)
        shown = ("table_fpr", "column_fpr", "false_alarms_a_week", "incidents_seen", "incidents")
        rows.append({"strength": strength, **{name: one[name] for name in shown}})
    return rows


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
