"""A report in words: its title, summary, method and limits, and how its values are said."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from catalog.causes import TITLES
from catalog.reports.figures import Report
from catalog.reports.inventory import MASKED
from catalog.reports.section import iso
from catalog.wording import counted, do

TITLE = {
    "privacy": "Report on personal data",
    "coverage": "Report on what is known of the data",
    "rules": "Report on what is tested",
    "incidents": "Report on incidents",
    "decisions": "Report on decisions",
    "governance": "Governance report",
}
ANSWERS = {
    "FalsePositive": "a false alarm",
    "MissingData": "data was missing",
    "Duplicates": "data arrived twice",
    "OutOfBounds": "values were wrong",
    "Other": "something else",
}
STATUS = {"proposed": "to review", "accepted": "accepted", "rejected": "rejected"}


def number(value: int, noun: str) -> str:
    """A number with its noun.

    >>> number(1, "table"), number(1200, "table"), number(0, "column")
    ('1 table', '1,200 tables', 'no column')
    """
    return f"{value:,} {noun}s" if value > 1 else f"{value or 'no'} {noun}"


def span(seconds: int | None) -> str:
    """A span of time in its two largest units.

    >>> span(59), span(3700), span(200000), span(None)
    ('59 s', '1 h 1 min', '2 d 7 h', '')
    """
    if seconds is None:
        return ""
    for size, name, part, part_name in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            rest = seconds % size // part
            return f"{seconds // size} {name}" + (f" {rest} {part_name}" if rest else "")
    return f"{seconds} s"


def stamp(text: str | None) -> str:
    """A time of the figures for people.

    >>> stamp("2026-01-02T03:04:05.678Z"), stamp(None)
    ('2026-01-02 03:04', '')
    """
    return text[:16].replace("T", " ") if text else ""


def visible(text: str) -> str:
    """Text in which nothing hides: control and direction characters become their code points.

    >>> visible("a\\u202eb")
    'a⟨U+202E⟩b'
    """
    return "".join(c if c.isprintable() else f"⟨U+{ord(c):04X}⟩" for c in text)


def said(field: str, value: Any) -> str:
    """A value of a row as a person reads it.

    >>> said("sure", 97), said("masked", "some"), said("after", {"status": "accepted", "hidden": True}), said("x", None)
    ('0.97', 'values that hold one', 'status accepted, hidden yes', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {said(name, one) or 'none'}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(said(field, one) for one in value)
    if isinstance(value, str):
        word = _WORDS.get(field, {}).get(value, value) if field in _WORDS else value
        return stamp(value) if field in _MOMENTS else visible(word)
    if field == "sure":
        return f"{value / 100:.2f}"
    if field in ("to_notice", "to_resolve"):
        return span(value)
    return str(value) if field in ("id", "event", "version", "undoes") else f"{value:,}"


_WORDS: dict[str, Mapping[str, str]] = {"masked": MASKED, "status": STATUS, "reason": ANSWERS, "cause": TITLES}
_MOMENTS = ("written", "opened", "resolved", "decided", "since", "at")


quoted = shlex.quote


def heading(report: Report) -> str:
    about = [f"source {visible(report.scope.source)}"] if report.scope.source else []
    about += [f"owned by {visible(report.scope.owner)}"] if report.scope.owner else []
    return TITLE[report.kind] + (f": {', '.join(about)}" if about else "")


def summary(report: Report) -> list[str]:
    """The report in sentences, one or two for each section."""
    return [sentence for one in report.sections for sentence in _SAYS[one.name](one.totals)]


def _personal(t: Mapping[str, Any]) -> list[str]:
    if not t["columns"]:
        return [
            f"No personal or sensitive data is known in {number(t['all_columns'], 'column')} of "
            f"{number(t['all_tables'], 'table')}."
        ]
    most = _first(t["by_meaning"], 5)
    text = (
        f"{number(t['columns'], 'column')} of {t['all_columns']:,}, in {number(t['tables'], 'table')} of "
        f"{t['all_tables']:,}, {'holds' if t['columns'] == 1 else 'hold'} personal or other sensitive data: {most}."
    )
    waiting = t["columns"] - t["columns_reviewed"]
    verb = "waits" if waiting == 1 else "wait"
    review = f"People confirmed {t['columns_reviewed']:,} of them; {waiting:,} {verb} for review."
    hidden = f"Every value is masked in {t['columns_hidden_whole']:,}."
    secret = t["by_level"]["secret"]
    if secret:
        hidden += f" {secret:,} {'is' if secret == 1 else 'are'} secret."
    if t["columns_not_hidden"]:
        hidden += f" In {t['columns_not_hidden']:,} nothing is masked."
    if t["without_owner"]:
        hidden += f" {t['without_owner']:,} {'has' if t['without_owner'] == 1 else 'have'} no owner."
    return [text, f"{review} {hidden}"]


def _first(counted: Sequence[Sequence[Any]], most: int) -> str:
    """The first of a list with their numbers, and how many the others are together.

    >>> _first([["IBAN", 1200], ["City", 2], ["Name", 1]], 1), _first([["IBAN", 3]], 1)
    ('IBAN (1,200) and 2 others (3)', 'IBAN (3)')
    """
    told = ", ".join(f"{visible(name)} ({count:,})" for name, count in counted[:most])
    rest = [count for _, count in counted[most:]]
    return told + (f" and {number(len(rest), 'other')} ({sum(rest):,})" if rest else "")


def _set_aside(t: Mapping[str, Any]) -> list[str]:
    return (
        [f"People took a sensitive meaning away {counted(t['columns'], 'time')}, with a reason each."]
        if t["columns"]
        else []
    )


def _coverage(t: Mapping[str, Any]) -> list[str]:
    known = t["accepted"] + t["proposed"]
    return [
        f"A particular meaning is known of {known:,} of {number(t['columns'], 'column')}; people confirmed "
        f"{t['accepted']:,}, {t['proposed']:,} {do(t['proposed'], 'wait')} for review. {t['described']:,} "
        f"{do(t['described'], 'are', 'is')} described by a general kind "
        f"only, of {t['none']:,} nothing is known."
    ]


def _rules(t: Mapping[str, Any]) -> list[str]:
    bare = t["tables_without_rules"]
    text = f"{number(t['rules'], 'rule')} {'is' if t['rules'] == 1 else 'are'} in force, {t['declared']:,} of them "
    text += f"declared by people; {t['covered']:,} of {number(t['columns'], 'column')} have one."
    more = [f"{number(bare, 'table')} {'has' if bare == 1 else 'have'} no rule in force."] if bare else []
    demoted = (
        [f"{number(t['demoted'], 'rule')} only {do(t['demoted'], 'warn')}, after false alarms."] if t["demoted"] else []
    )
    return [" ".join([text, *more, *demoted])]


def _incidents(t: Mapping[str, Any]) -> list[str]:
    if not t["incidents"]:
        return ["No incident was open in the period."]
    text = f"{number(t['incidents'], 'incident')} {'was' if t['incidents'] == 1 else 'were'} open in the period: "
    text += f"{t['resolved']:,} resolved, {t['open']:,} open at its end; {t['false_alarms']:,} were false alarms."
    if t["median_to_notice"] is not None:
        text += f" Half were noticed within {span(t['median_to_notice'])} of the commit that caused them"
        more = t["median_to_resolve"]
        text += f", and half of the resolved ones were resolved within {span(more)}." if more is not None else "."
    return [text]


def _false_alarms(t: Mapping[str, Any]) -> list[str]:
    if not t["versions"]:
        return ["No version of a table was judged in the period."]
    return [
        f"{number(t['versions'], 'version')} of tables {do(t['versions'], 'were', 'was')} judged by "
        f"{counted(t['verdicts'], 'verdict')}. The rules stated {t['expected']:,.2f} false alarms; people said of "
        f"{counted(t['false_alarms'], 'version')} that the alarm was false."
    ]


def _decisions(t: Mapping[str, Any]) -> list[str]:
    if not t["decisions"]:
        return ["Nothing was decided in the period."]
    people = _first(t["by_person"], 8)
    verb = "was" if t["decisions"] == 1 else "were"
    text = f"{number(t['decisions'], 'decision')} {verb} made in the period, by {people}."
    return [text + (f" {t['undone']:,} took another back." if t["undone"] else "")]


_SAYS: dict[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "personal": _personal,
    "set_aside": _set_aside,
    "coverage": _coverage,
    "rules": _rules,
    "incidents": _incidents,
    "false_alarms": _false_alarms,
    "decisions": _decisions,
}

METHOD = {
    "personal": (
        "Every data file is read when it arrives. The values of a column are held to recognisers of known kinds of "
        "data; its name and its neighbours are evidence beside them. How sure is the estimated chance that a person "
        "would agree. The program proposes, a person accepts or takes away; what is proposed is masked at once."
    ),
    "coverage": (
        "A column is reviewed when a person accepted one of its tags. A general kind (a code, a category, free text) "
        "describes a column of which no particular meaning was found; nobody is asked to review it."
    ),
    "rules": (
        "Rules are learned from the data of a column, its past and the columns of the whole lake, or declared by "
        "people. A rule in force judges every new version of its table. One that spent more false alarms than it "
        "stated only warns."
    ),
    "incidents": (
        "An incident is opened when a rule in force is broken; rules that break by one cause are one incident, listed "
        "in the table where it began. Time to notice runs from the commit to the opening, time to resolve from there "
        "to the answer of a person. What was open at any time of the period is listed."
    ),
    "false_alarms": (
        "Each verdict adds the rate of false alarms that its rule states to what is expected. What people resolved as "
        "a false alarm is counted once a version."
    ),
    "decisions": "Decisions are taken from the audit log, to which the database lets everybody add and nobody change.",
}
LIMITS = {
    "personal": (
        "What no recogniser knows is not found; a tag that nobody reviewed may be wrong. Cells that no scan looks into "
        "(arrays, maps, binary) are hidden and not listed. Only tables that the catalog was pointed at are told of."
    ),
    "incidents": "Damage that no rule forbids opens no incident. Times depend on the clocks of those who commit.",
    "rules": "A rule in force says nothing about damage that it does not forbid.",
    "decisions": "Decisions made outside of the catalog are not in its log.",
}


def method(report: Report) -> list[tuple[str, str]]:
    return [(one.title, METHOD[one.name]) for one in report.sections if one.name in METHOD]


def limits(report: Report) -> list[str]:
    """What the report does not say."""
    out = [LIMITS[one.name] for one in report.sections if one.name in LIMITS]
    if report.start < report.begins:
        out.append(
            f"The journal of this catalog begins at {moment_words(report.begins)}: of the time before it the report "
            "tells what was still known then."
        )
    return out


def moment_words(moment: datetime) -> str:
    """A moment to the millisecond.

    >>> from datetime import UTC
    >>> moment_words(datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC))
    '2026-01-02 03:04:05.678 UTC'
    """
    return (iso(moment) or "").replace("T", " ").removesuffix("Z") + " UTC"
