"""A report in words: its title, summary, method and limits, and how its values are said."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from catalog.causes import TITLES
from catalog.reports.figures import Report
from catalog.reports.inventory import GENERAL, LEVEL, MASKED
from catalog.reports.section import Section, iso
from catalog.wording import counted, do

TITLE = {
    "privacy": "Report on personal data",
    "coverage": "Report on tag coverage",
    "rules": "Report on rules and checks",
    "incidents": "Report on incidents",
    "decisions": "Report on decisions",
    "governance": "Governance report",
}
ANSWERS = {
    "FalsePositive": "a false alarm",
    "Expected": "an expected change",
    "MissingData": "data was missing",
    "Duplicates": "data arrived twice",
    "OutOfBounds": "values were wrong",
    "Other": "something else",
}
STATUS = {"proposed": "to review", "accepted": "accepted", "rejected": "rejected"}
STATUS |= {GENERAL: "not asked: a general kind", LEVEL: "no tag"}


def number(value: int, noun: str) -> str:
    """A number with its noun.

    >>> number(1, "table"), number(1200, "table"), number(0, "column")
    ('1 table', '1,200 tables', 'no column')
    """
    return f"{value:,} {noun}s" if value > 1 else f"{value or 'no'} {noun}"


def few(value: int) -> str:
    """A number within a sentence.

    >>> few(0), few(1200)
    ('none', '1,200')
    """
    return f"{value:,}" if value else "none"


def filled(section: Section) -> tuple[list[tuple[str, str]], list[str]]:
    """The columns of a section that some row fills, and the headings of the others: a printed page has room for few."""
    empty = [field for field, _ in section.columns if all(said(field, row[field]) == "" for row in section.rows)]
    shown = [(field, heading) for field, heading in section.columns if field not in empty]
    return shown, [heading for field, heading in section.columns if field in empty]


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


def repeating(report: Report) -> list[str]:
    """The command that makes a report again, in the parts between which a line may break."""
    scope = [("--source", report.scope.source), ("--owner", report.scope.owner)]
    options = [("--as-of", iso(report.moment)), ("--period", iso(report.start)), *scope, ("--out", "FILE")]
    return [f"assay report {report.kind}", *(f"{name} {shlex.quote(value)}" for name, value in options if value)]


def heading(report: Report) -> str:
    about = [f"source {visible(report.scope.source)}"] if report.scope.source else []
    about += [f"owned by {visible(report.scope.owner)}"] if report.scope.owner else []
    return TITLE[report.kind] + (f": {', '.join(about)}" if about else "")


def summary(report: Report) -> list[str]:
    """The report in sentences, one or two for each section."""
    said = [sentence for one in report.sections for sentence in _SAYS[one.name](one.totals)]
    gone = next((one.totals["tables_gone"] for one in report.sections if one.totals.get("tables_gone")), ())
    return said + ([_gone(gone)] if gone else [])


def _gone(names: Sequence[str]) -> str:
    """What of tables that are not in their source any more is not told.

    >>> _gone(["shop/a", "shop/b"])
    '2 tables are not in their source any more, and nothing of them is counted here: shop/a, shop/b.'
    """
    told = ", ".join(map(visible, names[:5])) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
    are, theirs = ("are", "their") if len(names) > 1 else ("is", "its")
    them = "them" if len(names) > 1 else "it"
    return (
        f"{counted(len(names), 'table')} {are} not in {theirs} source any more, and nothing of {them} is counted here: "
        f"{told}."
    )


def _personal(t: Mapping[str, Any]) -> list[str]:
    if not t["all_columns"]:
        return ["No table had been read, so nothing is known of personal data."]
    if not t["columns"]:
        return [
            f"None of {number(t['all_columns'], 'column')} in {number(t['all_tables'], 'table')} is known to hold "
            "personal or other sensitive data."
        ]
    most = _first(t["by_meaning"], 5) if t["by_meaning"] else "people set their levels so"
    text = (
        f"{t['columns']:,} of {number(t['all_columns'], 'column')}, in {t['tables']:,} of "
        f"{number(t['all_tables'], 'table')}, {'holds' if t['columns'] == 1 else 'hold'} personal or other sensitive "
        f"data: {most}."
    )
    waiting, general, untagged = t["columns_to_review"], t["columns_general"], t["columns_by_level"]
    review = f"People have confirmed the tags of {few(t['columns_reviewed'])} of them; {few(waiting)} "
    review += f"{do(waiting, 'await')} review."
    if general:
        review += f" {general:,} {do(general, 'are', 'is')} told by a general kind, which nobody is asked about."
    if t["levels_by_hand"]:
        review += f" People set the level of {t['levels_by_hand']:,} by hand"
        review += f", of {untagged:,} without a sensitive tag." if untagged else "."
    hidden = f"All values are masked in {few(t['columns_hidden_whole'])} of them."
    secret = t["by_level"]["secret"]
    if secret:
        hidden += f" {secret:,} {'is' if secret == 1 else 'are'} secret."
    if t["columns_not_hidden"]:
        hidden += f" Nothing is masked in {t['columns_not_hidden']:,}."
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


def _identifiers(t: Mapping[str, Any]) -> list[str]:
    if not t["columns"]:
        return []
    return [
        f"{number(t['columns'], 'column')} in {number(t['tables'], 'table')} {do(t['columns'], 'hold')} numbers that "
        f"stand for persons (customer number, patient id), masked in {few(t['columns_hidden'])}."
    ]


def _not_known(t: Mapping[str, Any]) -> list[str]:
    if not t["columns"]:
        return []
    return [
        f"{number(t['columns'], 'column')} in {number(t['tables'], 'table')} {do(t['columns'], 'are', 'is')} not yet "
        f"reviewed, masked until then: whether {do(t['columns'], 'they hold', 'it holds')} personal data is not known."
    ]


def _set_aside(t: Mapping[str, Any]) -> list[str]:
    return (
        [f"People removed a sensitive tag from {number(t['columns'], 'column')}, each with a reason."]
        if t["columns"]
        else []
    )


def _coverage(t: Mapping[str, Any]) -> list[str]:
    if not t["columns"]:
        return ["No table had been read, so nothing is known of its columns."]
    known = t["accepted"] + t["proposed"]
    return [
        f"The meaning of {known:,} of {number(t['columns'], 'column')} is known; people have confirmed "
        f"{few(t['accepted'])}, {few(t['proposed'])} {do(t['proposed'], 'await')} review. {t['described']:,} "
        f"{do(t['described'], 'are', 'is')} described by a general kind only; nothing is known of {t['none']:,}. "
        f"{counted(t['waiting'], 'proposed tag')} {do(t['waiting'], 'wait', 'waits')} in the review."
    ]


def _rules(t: Mapping[str, Any]) -> list[str]:
    bare = t["tables_without_rules"]
    if not t["rules"]:
        return ["No rule was in force" + (f" for {number(bare, 'table')}." if bare else ".")]
    text = f"{number(t['rules'], 'rule')} {'is' if t['rules'] == 1 else 'are'} in force, {few(t['declared'])} of them "
    text += f"declared by people; {t['covered']:,} of {number(t['columns'], 'column')} have at least one."
    more = [f"{number(bare, 'table')} {'has' if bare == 1 else 'have'} no rule in force."] if bare else []
    demoted = (
        [f"{number(t['demoted'], 'rule')} only {do(t['demoted'], 'warn')}, after false alarms."] if t["demoted"] else []
    )
    return [" ".join([text, *more, *demoted])]


def _incidents(t: Mapping[str, Any]) -> list[str]:
    if not t["incidents"]:
        return ["No incident was open in the period."]
    text = f"{number(t['incidents'], 'incident')} {'was' if t['incidents'] == 1 else 'were'} open in the period: "
    text += f"{t['resolved']:,} resolved, {t['open']:,} open at its end; {few(t['false_alarms'])} of them "
    text += (
        f"{do(t['false_alarms'], 'were', 'was')} found to be {do(t['false_alarms'], 'false alarms', 'a false alarm')}."
    )
    if t["median_to_notice"] is not None:
        noticed = t["median_to_notice"]
        within = f"within {span(noticed)}" if noticed else "in less than a second"
        text += f" Half were noticed {within} of the commit that caused them"
        more = t["median_to_resolve"]
        text += f", and half of the resolved ones were resolved within {span(more)}." if more is not None else "."
    return [text]


def _false_alarms(t: Mapping[str, Any]) -> list[str]:
    if not t["versions"]:
        return ["No version of a table was judged in the period."]
    return [
        f"{number(t['versions'], 'version')} of tables {do(t['versions'], 'were', 'was')} judged by "
        f"{counted(t['verdicts'], 'verdict')}. By the rates that the rules state, {t['expected']:,.2f} false alarms "
        f"were to be expected; people found {number(t['false_alarms'], 'version')} with one."
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
    "identifiers": _identifiers,
    "not_known": _not_known,
    "set_aside": _set_aside,
    "coverage": _coverage,
    "rules": _rules,
    "incidents": _incidents,
    "false_alarms": _false_alarms,
    "decisions": _decisions,
}

METHOD = {
    "personal": (
        "Every data file is read when it arrives. The values of each column are tested by recognisers of known kinds "
        "of data; its name and the columns beside it are further evidence. “Confidence” is the estimated chance that a "
        "person would agree. The program proposes tags, and people accept or reject them; what is proposed is masked "
        "at once. Each column is listed once, with all its sensitive tags; “Review”, “Said by” and “Event” are of the "
        "first. A level that a person set decides on masking, and confirms no tag."
    ),
    "identifiers": (
        "Numbers by which an organisation knows a person (customer number, patient id) name nobody to an outsider, but "
        "lead to a person inside; data-protection law counts them as personal data. They are told by the column's name "
        "or, in a table of persons, by being its key. ASSAY_MASK_IDENTIFIERS has them masked."
    ),
    "not_known": (
        "Where the rows of a table may be persons, columns whose names and values do not tell what they are count as "
        "personal until somebody has looked. “Probability” is the share of columns like it that turned out to be "
        "sensitive."
    ),
    "coverage": (
        "A column is reviewed when a person accepted one of its tags. A general kind (a code, a category, free text) "
        "describes a column of which no particular meaning was found; nobody is asked to review it."
    ),
    "rules": (
        "Rules are learned from the data of a column, its past and the columns of the whole lake, or declared by "
        "people. A rule in force judges every new version of its table. One with more false alarms than it "
        "states only warns."
    ),
    "incidents": (
        "An incident is opened when a rule in force is broken; rules that break by one cause are one incident, listed "
        "in the table where it began. Time to notice runs from the commit to the opening, time to resolve from there "
        "to the answer of a person. What was open at any time of the period is listed."
    ),
    "false_alarms": (
        "The false alarms to be expected are the sum, over all verdicts, of the rate that the rule states. Versions "
        "with an alarm that people resolved as false are counted once each."
    ),
    "decisions": (
        "Decisions are taken from the audit log, where entries can be added but not changed. An answer to incidents of "
        "one cause is one decision; the log has an entry for each of them."
    ),
}
LIMITS = {
    "personal": (
        "What no recogniser knows is not found; a tag that nobody has reviewed may be wrong. Arrays, maps and binary "
        "columns are not looked into: they are masked, and not listed here. Only tables in the catalog's sources are "
        "covered."
    ),
    "incidents": (
        "Damage that breaks no rule opens no incident. Times to notice depend on the clocks of the writers. Of a "
        "source that was removed from the catalog, incidents and versions are in reports as of moments before that "
        "only; its removal and the answers to its incidents stay in the log of decisions. Incidents of one cause are "
        "listed under one number, so that numbers may be missing."
    ),
    "rules": "A rule says nothing of damage that does not break it.",
    "decisions": "Decisions made outside the catalog are not in its log.",
}


def method(report: Report) -> list[tuple[str, str]]:
    return [(one.title, METHOD[one.name]) for one in report.sections if one.name in METHOD]


def limits(report: Report) -> list[str]:
    """What the report does not say."""
    out = [LIMITS[one.name] for one in report.sections if one.name in LIMITS]
    if report.start < report.begins:
        out.append(
            f"The journal of this catalog begins at {moment_words(report.begins)}. Of the time before, the report "
            "holds what the catalog still knew then."
        )
    return out


def moment_words(moment: datetime) -> str:
    """A moment to the millisecond.

    >>> from datetime import UTC
    >>> moment_words(datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC))
    '2026-01-02 03:04:05.678 UTC'
    """
    return (iso(moment) or "").replace("T", " ").removesuffix("Z") + " UTC"
