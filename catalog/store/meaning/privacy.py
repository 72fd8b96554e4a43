"""Sentences and figures of sensitive columns hold none of their values: what is kept for people to read follows the
tags. Each function takes a session and never commits.

A rule's body keeps what judging needs; its sentence is made again when its column becomes sensitive, or is no more.
What is only shown of values is hidden for good: what was said of versions, and the examples of a rule until it is
learned again. A copy of the database holds no second version of either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlalchemy import or_, update
from sqlmodel import Session, col, select

from catalog.rules.kinds.strings import FORMS
from catalog.rules.rule import DECLARED, Rule
from catalog.rules.verdict import Verdict
from catalog.store.engine import chunks
from catalog.store.incidents.hidden import hide_causes
from catalog.store.lake.versions import last_with_data
from catalog.store.models import ANYWAY, HELD_BACK, Incident, LakeColumn, Outcome, RuleRow, Table, Tag
from catalog.tags.privacy.figures import private_profile, told_by_shape
from catalog.tags.privacy.hiding import Hiding, hiding_of
from catalog.tags.privacy.levels import HIDDEN
from catalog.tags.privacy.masking import blank, mask_all

#: What an outcome's detail says of why people were told of it, or not: no value is in it.
OF_TELLING = ("p_value", HELD_BACK, ANYWAY)
#: Values in the evidence of a rule; no verdict needs them.
EXAMPLES = "examples"
#: Fields of an outcome from which `hidden` makes what may be kept.
SAID = ("status", "sentence", "metric", "value", "low", "high", "detail")
MOST = 2**63 - 1  # a bound: of the numbers of versions


@dataclass(frozen=True)
class Standing:
    """What is known of the columns of a table before a version of it is looked at.

    Parameters
    ----------
    levels : the level of each column that is masked.
    shown : the columns whose values a person said may be seen.
    refused : the domains that a person said a column is not of.
    """

    levels: dict[str, str]
    shown: frozenset[str]
    refused: dict[str, set[str]]


def standing(session: Session, table_id: int) -> Standing:
    """How the columns of a table stand, by their tags and by what people said."""
    of_table = LakeColumn.table_id == table_id
    columns = session.exec(select(LakeColumn.name, LakeColumn.level, LakeColumn.hand_level).where(of_table)).all()
    rejected = select(LakeColumn.name, Tag.domain).where(
        of_table, Tag.column_id == LakeColumn.id, Tag.status == "rejected"
    )
    refused: dict[str, set[str]] = {}
    for name, domain in session.exec(rejected):
        refused.setdefault(name, set()).add(domain)
    return Standing(
        {name: level for name, level, _ in columns if level in HIDDEN},
        frozenset(name for name, _, said in columns if said is not None and said not in HIDDEN),
        refused,
    )


def note_arrived(session: Session, table_id: int, version: int, found: Mapping[str, str]) -> None:
    """Columns of a version that hold sensitive values of these levels though they are not masked: whatever shows values
    of that version, or of the table while it holds its rows, masks them from now on."""
    if found:
        table = session.get_one(Table, table_id, populate_existing=True)
        kept = table.arrived or {}
        table.arrived = kept | {name: kept.get(name, {}) | {str(version): level} for name, level in found.items()}
        session.flush()


def arrived(session: Session, table_id: int, version: int | None = None) -> dict[str, str]:
    """The level of the sensitive values that columns hold at a version, or at present, though they are not masked: of a
    snapshot those that came with it, else all that came until then. What a person said of a column's level counts."""
    table = session.exec(select(Table.arrived, Table.mode).where(Table.id == table_id)).one_or_none()
    if table is None or not table[0]:
        return {}
    came, mode = table
    last: float | None = float("inf") if version is None else version
    if mode == "snapshot":
        last = last_with_data(session, table_id, MOST if version is None else version)
    found: dict[str, str] = {}
    for name, versions in came.items():
        there = [
            level
            for number, level in versions.items()
            if last is not None and (int(number) == last if mode == "snapshot" else int(number) <= last)
        ]
        if there:
            found[name] = "secret" if "secret" in there else "personal"
    shown = standing(session, table_id).shown if found else ()
    return {name: level for name, level in found.items() if name not in shown}


def of_past(session: Session, table_id: int) -> Hiding:
    """What of a table's versions, past and present, may not be seen."""
    table, known = session.get_one(Table, table_id), standing(session, table_id)
    return hiding(session, table_id).wider(set(table.arrived or ()) - known.shown)


def hiding(session: Session, table_id: int, levels: Collection[str] = (), version: int | None = None) -> Hiding:
    """What of a table may not be seen, at present or of a version's rows, by who may see values of these levels."""
    of_table = LakeColumn.table_id == table_id
    columns = session.exec(
        select(LakeColumn.name, LakeColumn.type, LakeColumn.sensitive, LakeColumn.profile).where(of_table)
    ).all()
    tags = select(LakeColumn.name, Tag.domain, Tag.contains, Tag.status).where(
        of_table, Tag.column_id == LakeColumn.id, or_(col(Tag.status) == "rejected", col(Tag.contains).is_(True))
    )
    looked = ((name, kind, hid, bool(seen)) for name, kind, hid, seen in columns)
    shapeless = [name for name, _, hid, seen in columns if hid and told_by_shape(seen or {})]
    came = arrived(session, table_id, version)
    hide = hiding_of(looked, session.exec(tags).all(), shapeless).wider(came)
    if not levels:
        return hide
    secret = session.exec(select(LakeColumn.name).where(of_table, LakeColumn.level == "secret")).all()
    return hide.seen(levels, {*secret, *(name for name, level in came.items() if level == "secret")})


def shown_sentence(rule: Rule, hide: Hiding, most_missing: float | None = None) -> str:
    """What people read of a rule; `most_missing`, see `Rule.said`."""
    private = hide.private_rule(rule.column, rule.to_json())
    return rule.said(private=private, most_missing=most_missing)


def most_missing(rows: Iterable[RuleRow]) -> dict[str, float]:
    """The share of each column's values that may be missing by the strictest of these rules that is active."""
    found: dict[str, float] = {}
    for row in rows:
        most = Rule.from_json(row.body).most_missing if row.status == "active" and row.column_name else None
        if most is not None:
            found[row.column_name] = min(most, found.get(row.column_name, most))
    return found


def say_once(session: Session, table_id: int, column: str | None = None) -> None:
    """Leave out of the sentences of a table's rules, or of those of one column, how much may be missing where another
    rule lets less of it pass: two shares of the same column read as a contradiction."""
    query = select(RuleRow).where(RuleRow.table_id == table_id, RuleRow.status != "superseded")
    if column is not None:
        query = query.where(RuleRow.column_name == column)
    rows = session.exec(query).all()
    most = most_missing(rows)
    told = [(row, rule) for row in rows if (rule := Rule.from_json(row.body)).most_missing is not None]
    if not told:
        return
    hide = hiding(session, table_id)
    for row, rule in told:
        row.sentence = shown_sentence(rule, hide, most.get(row.column_name))


def at_rest(rule: Rule, hide: Hiding) -> Rule:
    """A rule as the catalog keeps it: all that it is judged by, and of its examples those that may be seen; the others
    are masked. Which values have the forms that it knows is not kept of columns whose values are hidden."""
    column = rule.column or ""
    whole, masked = hide.private(column), blank if column in hide.shapeless else mask_all
    evidence = {name: told for name, told in rule.evidence.items() if not (whole and name == FORMS)}
    if kept := evidence.get(EXAMPLES):
        said = {name: [masked(one) if whole else hide.cell(column, one) for one in of] for name, of in kept.items()}
        evidence[EXAMPLES] = said
    if forms := evidence.get(FORMS):
        cell = partial(hide.cell, column)
        evidence[FORMS] = {name: [list(map(cell, some)) for some in of] for name, of in forms.items()}
    return rule if evidence == rule.evidence else replace(rule, evidence=evidence)


def is_private(session: Session, row: RuleRow) -> bool:
    """Whether values that a rule is made of may not be shown."""
    return hiding(session, row.table_id).private_rule(row.column_name, row.body)


def shown_params(row: RuleRow, hide: Hiding) -> dict[str, Any]:
    """A rule's parameters as they may be shown."""
    return Rule.from_json(row.body).shown_params(private=hide.private_rule(row.column_name, row.body))


def shown_profile(column: LakeColumn, hide: Hiding) -> dict[str, Any]:
    """A column's display figures as they may be shown: they were masked for what was known when they were made."""
    if column.name in hide.whole:
        return private_profile(column.profile)
    cells = {name: hide.cell(column.name, column.profile[name]) for name in ("low", "high") if name in column.profile}
    top = [[hide.cell(column.name, one[0]), *one[1:]] for one in column.profile.get("top") or []]
    return column.profile | cells | ({"top": top} if top else {})


def follow(session: Session, column_ids: Iterable[int], turned: Collection[int] | None = None) -> None:
    """Make what is kept of these columns fit what may be seen of them, which has just changed: sentences of their rules
    either way; figures, rows and what was said of versions are hidden for good. `turned` are those that are sensitive
    since now (None: any that is): causes of others, that were so before, were told without values from the start."""
    changed: dict[int, list[LakeColumn]] = {}
    for part in chunks(sorted(set(column_ids))):
        query = select(LakeColumn).where(col(LakeColumn.id).in_(part)).execution_options(populate_existing=True)
        for column in session.exec(query):
            changed.setdefault(column.table_id, []).append(column)
    for table_id, columns in changed.items():
        hide = hiding(session, table_id)
        hidden = [column for column in columns if column.name in hide.whole]
        for column in hidden:
            if column.profile:
                column.profile = private_profile(column.profile)
        hide_evidence(session, hidden)
        of_table = select(RuleRow).where(RuleRow.table_id == table_id)
        for part in chunks([column.name for column in columns]):
            about = or_(
                col(RuleRow.column_name).in_(part), col(RuleRow.learner).startswith(DECLARED)
            )  # by conditions too
            for row in session.exec(of_table.where(about)).all():
                private = hide.private_rule(row.column_name, row.body)
                rule = at_rest(Rule.from_json(row.body), hide)
                row.sentence = shown_sentence(rule, hide)
                if rule.evidence != row.body.get("evidence"):
                    row.body = {**row.body, "evidence": rule.evidence}
                if private and rule.tells_values:
                    _hide_outcomes(session, row, rule)
        say_once(session, table_id)
        hide_rows(session, table_id, hide)
        hide_causes(session, table_id, [one.name for one in hidden if turned is None or one.id in turned])
        session.get_one(Table, table_id).tagged = None  # figures that may be seen again come with the next crawl
    session.flush()


def hide_evidence(session: Session, columns: Sequence[LakeColumn]) -> None:
    """What tags of these columns show of their values, whatever they say that these mean."""
    for part in chunks([column.id for column in columns]):
        for tag in session.exec(select(Tag).where(col(Tag.column_id).in_(part))):
            shown = {name: mask_all(tag.evidence[name]) for name in ("matching", "failing") if name in tag.evidence}
            if any(tag.evidence[name] != value for name, value in shown.items()):
                tag.evidence = tag.evidence | shown


def hide_rows(session: Session, table_id: int, hide: Hiding) -> None:
    """Mask the offending rows that are kept of a table."""
    for said in session.exec(select(Outcome).where(Outcome.table_id == table_id, col(Outcome.rows).is_not(None))):
        if said.rows:
            fit = [hide.row(row) for row in said.rows]
            if fit != said.rows:
                said.rows = fit


def _hide_outcomes(session: Session, row: RuleRow, rule: Rule) -> None:
    for said in session.exec(select(Outcome).where(Outcome.rule_id == row.id)).all():
        for name, value in hidden(rule, {name: getattr(said, name) for name in SAID}).items():
            setattr(said, name, value)
        session.exec(update(Incident).where(col(Incident.outcome_id) == said.id).values(sentence=said.sentence))


def hidden(rule: Rule, said: Mapping[str, Any]) -> dict[str, Any]:
    """What an outcome of a rule that tells values may keep: those of its fields `SAID` that change. What is hidden
    already stays as it is."""
    words = rule.retold()
    detail = dict(said["detail"] or {})
    before = Verdict(
        said["status"], _without(said["sentence"], words), detail.get("observed") or {}, detail.get("expected") or {},
        said["metric"], said["value"], said["low"], said["high"],
    )  # fmt: skip
    verdict = rule.private().hide(before)
    observed, expected = _in_words(verdict.observed, words), _in_words(verdict.expected, words)
    return {
        "sentence": verdict.sentence,
        "value": verdict.value,
        "low": verdict.low,
        "high": verdict.high,
        "detail": {
            **{name: detail[name] for name in OF_TELLING if name in detail},
            "observed": observed,
            "expected": expected,
            "offenders": {},
        },
    }


def _without(sentence: str, words: list[tuple[str, str]]) -> str:
    for told, fit in words:
        sentence = sentence.replace(told, fit)
    return sentence


def _in_words(data: Any, words: list[tuple[str, str]]) -> Any:
    """JSON data with the clauses in it said without values."""
    if isinstance(data, str):
        return _without(data, words)
    if isinstance(data, dict):
        return {name: _in_words(value, words) for name, value in data.items()}
    return [_in_words(one, words) for one in data] if isinstance(data, list) else data
