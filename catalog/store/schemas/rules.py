"""Rules and declared checks, their revisions, what they said of versions, who learns them, and what they may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, Field
from sqlmodel import Session

from catalog.declared.check import documented
from catalog.declared.kinds.kind import Kind
from catalog.rules.clauses.clause import count_changes
from catalog.rules.kinds.declared import DeclaredRule
from catalog.rules.kinds.strings import UNPROVEN
from catalog.rules.verdict import MEANT
from catalog.store.expectations import allowance
from catalog.store.expectations.allowance import Trial
from catalog.store.expectations.budget import Ledger
from catalog.store.expectations.clauses import ClauseLine
from catalog.store.expectations.rules import as_rule
from catalog.store.expectations.weekly import expected_of_week, last_week, likely_false
from catalog.store.models import HELD_BACK, Outcome, RuleRow
from catalog.store.pages.lines import RuleLine
from catalog.store.schemas.listing import Out
from catalog.tags.privacy.hiding import Hiding
from catalog.tags.privacy.masking import masked_texts


class RuleOut(Out):
    id: int
    table_id: int
    table: str
    column_name: str = Field(description="empty: the whole table")
    kind: str
    learner: str
    revision: int
    fingerprint: str
    status: str
    level: str
    level_now: str = Field(description="warning while the rule is demoted")
    demotion: str | None = Field(description="why the rule only warns; null when it does not")
    demoted_at: datetime | None
    fpr: float | None = Field(
        description="stated chance that a healthy version breaks it; null: it states none; 0: none was estimated from "
        "what it was learned from, which is no promise"
    )
    sentence: str
    since_version: int
    created_at: datetime
    last_status: str | None = Field(description="what it said last; null: nothing yet")
    last_version: int | None = Field(description="of which version")

    @classmethod
    def of(cls, line: RuleLine, **more: Any) -> Self:
        last = line.last
        said = {"last_status": last.status if last else None, "last_version": last.version if last else None}
        return cls.made(line.rule, table=line.table, fpr=line.rule.stated_fpr, **said, **more)


class ClauseOut(Out):
    clause: str
    words: str
    in_force: bool
    is_minor: bool = Field(
        description="whether others are read first: most rows may break it, or it is a finer measure"
    )
    decided: str | None = Field(description="accepted, loosened, paused or rejected by a person; null: by nobody")
    factor: float | None = Field(description="how many times as wide")
    by: str | None
    at: datetime | None

    @classmethod
    def of(cls, line: ClauseLine) -> ClauseOut:
        one = line.decision
        said = (one.action, one.factor, one.actor, one.at) if one is not None else (None,) * 4
        told = dict(zip(("decided", "factor", "by", "at"), said, strict=True))
        return cls(clause=line.key, words=line.words, in_force=line.in_force, is_minor=line.is_minor, **told)


class RuleEventOut(Out):
    """What was decided about a rule or a clause of it."""

    at: datetime
    what: str
    clause: str | None
    reason: str | None
    actor: str


class WholeRuleOut(RuleOut):
    """What is told of one rule alone; of a sensitive column without values."""

    body: dict[str, Any] = Field(description="the rule itself")
    examples: dict[str, list[str]] = Field(description="values that keep to it (passing) and that would break it")
    clauses: list[ClauseOut]
    events: list[RuleEventOut] = Field(description="the latest first")
    stands: int | None = Field(description="id of the revision that stands now; null: it is demanded no more")

    @classmethod
    def whole(cls, line: RuleLine) -> WholeRuleOut:
        row = line.rule
        private = line.hide.private_rule(row.column_name, row.body)
        return cls.of(
            line,
            body=_body(row, line.hide),
            examples=shown_examples(row.body, private=private),
            clauses=[ClauseOut.of(one) for one in line.clauses],
            events=[RuleEventOut.made(one) for one in line.events],
            stands=line.stands,
        )


class ChangeOut(Out):
    clause: str
    change: str = Field(description="added, dropped, loosened, tightened or moved")
    before: str | None
    after: str | None


class RevisionOut(RuleOut):
    first: bool = Field(description="whether there is no revision before it")
    changed: dict[str, int] = Field(description="how many clauses were added, dropped, loosened, tightened or moved")
    changes: list[ChangeOut] = Field(description="against the revision before; clauses that are the same left out")

    @classmethod
    def against(cls, line: RuleLine, older: RuleLine | None) -> RevisionOut:
        """A revision and what it changed of the `older` one before, None of the first."""
        row = line.rule
        private = line.hide.private_rule(row.column_name, row.body)
        found = as_rule(row).compare(as_rule(older.rule), private=private) if older is not None else []
        changes = [ChangeOut.made(one) for one in found if one.change != "same"]
        told = {"first": older is None, "changed": count_changes(found), "changes": changes}
        return cls.of(line, **told)


class SaidOut(Out):
    """What a rule says of a version, kept or not."""

    table_id: int
    version: int
    rule_id: int
    status: str
    sentence: str
    metric: str | None
    value: float | None
    low: float | None
    high: float | None
    judged_at: datetime
    kind: str
    column_name: str
    learner: str
    revision: int = Field(description="of the rule")
    held_back: bool = Field(description="not improbable enough to be told under the week's budget")
    unproven: bool = Field(description="the rule knew one version alone: no alarm unless the cause is sure")
    meant: bool = Field(description="rows were rewritten as somebody may have meant: no alarm by itself")
    rows: list[dict[str, Any]] | None = Field(description="some offending rows; cells of sensitive columns are masked")
    no_rows: str | None = Field(description="why rows cannot be shown")

    @classmethod
    def of(cls, row: Outcome, rule: RuleRow, hide: Hiding) -> Self:
        """What the rule said of a version; cells of its rows as they may be shown."""
        of_rule = {name: getattr(rule, name) for name in ("kind", "column_name", "learner", "revision")}
        rows = None if row.rows is None else [hide.row(one) for one in row.rows]
        detail = row.detail or {}
        why = {"held_back": bool(detail.get(HELD_BACK)), "unproven": bool((detail.get("observed") or {}).get(UNPROVEN))}
        why["meant"] = detail.get("p_value") == MEANT
        return cls.made(row, **of_rule, **why, rows=rows, no_rows=row.replay.get("no_rows"))


class OutcomeOut(SaidOut):
    id: int


def shown_examples(body: Mapping[str, Any], *, private: bool) -> dict[str, list[str]]:
    """Values that keep to a rule and values that would break it, masked where the column is sensitive; empty where the
    rule keeps none.

    >>> shown_examples({"evidence": {"examples": {"passing": ["Ann"], "breaking": ["Ann "]}}}, private=True)
    {'passing': ['Aaa'], 'breaking': ['Aaa ']}
    """
    kept = (body.get("evidence") or {}).get("examples") or {}
    found = {name: [str(one) for one in kept.get(name) or []] for name in ("passing", "breaking")}
    if not any(found.values()):
        return {}
    return {name: masked_texts(values) for name, values in found.items()} if private else found


def _body(row: RuleRow, hide: Hiding) -> dict[str, Any]:
    if not hide.private_rule(row.column_name, row.body):
        return dict(row.body)
    typed = as_rule(row)
    evidence = masked_texts(typed.shown_evidence(private=True))
    return {
        **{name: value for name, value in row.body.items() if name != "where"},  # a condition may quote values
        "params": typed.shown_params(private=True),
        "evidence": evidence,
        "sentence": row.sentence,
    }


class LastVerdict(Out):
    version: int
    status: str
    sentence: str


class CheckOut(Out):
    id: int
    name: str
    kind: str
    columns: list[str]
    arguments: dict[str, Any]
    at_least: float | None
    at_most: float | None
    where: str | None
    level: str = Field(description="warning, too, while the check is demoted")
    scope: str
    hint: str
    status: str = Field(description="active, paused, rejected, or draft: waits for an approver")
    sentence: str
    revision: int
    last: LastVerdict | None

    @classmethod
    def of(cls, row: RuleRow, rule: DeclaredRule, last: Outcome | None, *, private: bool) -> CheckOut:
        """Without what may be a value where the check is `private`."""
        one = rule.constraint
        hidden: dict[str, Any] = {"arguments": {}, "at_least": None, "at_most": None, "where": None}
        told = hidden if private else {name: getattr(one, name) for name in hidden}
        told |= {"name": one.name, "kind": one.kind, "columns": list(one.columns), "hint": rule.hint or ""}
        told |= {"level": row.level_now, "scope": rule.scope, "last": last and LastVerdict.made(last)}
        return cls.made(row, **told)


class TakenOut(Out):
    """What became of one demand of a contract."""

    place: str = Field(description="where it stands in the contract")
    table: str
    what: str = Field(description="added, changed, same, kept (somebody changed or retired it here since) or skipped")
    check: str = Field(description="name of the check; empty of what is not taken")
    sentence: str = Field(description="what the check demands")
    reason: str = Field(description="why it is kept or skipped")
    note: str = Field(description="how the other tool judges otherwise")


class ContractOut(BaseModel):
    """A contract of another tool, read."""

    format: str
    dry_run: bool = Field(description="whether nothing was changed")
    demands: list[TakenOut]


class ArgumentOut(BaseModel):
    name: str
    type: str
    words: str
    required: bool
    example: Any


class KindOut(BaseModel):
    """A kind of check that can be declared."""

    name: str
    group: str
    demands: str
    columns: list[int] = Field(description="fewest and most")
    needs_band: bool = Field(description="whether at_least, at_most or both must be given")
    arguments: list[ArgumentOut]
    deequ: str

    @classmethod
    def of(cls, kind: Kind) -> KindOut:
        takes = [ArgumentOut(name=name, **vars(one)) for name, one in kind.arguments.items()]
        demands, columns = documented(kind).splitlines()[0], list(kind.columns)
        told = {"name": kind.name, "group": kind.group, "needs_band": kind.needs_band, "deequ": kind.deequ}
        return cls(demands=demands, columns=columns, arguments=takes, **told)


class LearnersOut(Out):
    strings: str
    history: str


class TableLearnersOut(LearnersOut):
    waits: str = Field(description="why what was chosen is not learned yet and how to end that; empty: nothing waits")


class AccountOut(BaseModel):
    rule_id: int
    kind: str
    column: str
    judged: int
    expected: float
    false: int
    confirmed: int
    unlabelled: int
    demoted: bool


class LedgerOut(BaseModel):
    table_id: int
    table: str
    source: str
    judged: int = Field(description="versions judged in 30 days")
    expected: float = Field(description="false alarms that the rules state over them")
    false: int = Field(description="alarms that a person called false")
    unlabelled: int = Field(description="alarms that nobody has judged")
    confirmed: int
    demoted: int = Field(description="rules that only warn at present")
    budget: float
    over: bool
    accounts: list[AccountOut] = Field(description="rules with something to tell; only when one table is asked for")

    @classmethod
    def of(cls, found: Ledger) -> LedgerOut:
        return cls(**asdict(found), over=found.over)


class WeekOut(BaseModel):
    """The lake's last seven days against what a week may bring."""

    allowed: float = Field(description="false alarms that the lake may raise in a week")
    default: float = Field(description="the service's own setting, which holds while nobody sets another")
    is_set: bool = Field(description="whether a person set it")
    stated: float = Field(description="false alarms that the rules stated of what was judged")
    expected: float = Field(
        description="false alarms that the rules expect of a week's versions, those not judged included: above what is "
        "allowed only extreme findings raise an alarm"
    )
    raised: int = Field(description="alarms: versions in which incidents began")
    false: int = Field(description="of these, called false")
    unanswered: int = Field(description="of these, not answered by anybody so far")
    likely_false: float = Field(description="as how many false ones the unanswered count until somebody answers")
    held_back: int = Field(description="versions with findings that only warned for want of budget")

    @classmethod
    def of(cls, session: Session, default: float) -> WeekOut:
        allowed = allowance.allowed_a_week(session, default)
        is_set = allowance.is_set(session)
        week, likely = asdict(last_week(session)), round(likely_false(session, allowed), 2)
        expected = round(expected_of_week(session), 4)  # it falls with every moment of a young table's week
        return cls(allowed=allowed, default=default, is_set=is_set, expected=expected, likely_false=likely, **week)


class AlarmOut(Out):
    table_id: int
    table: str
    version: int
    incident_id: int


class TrialOut(BaseModel):
    """What another number a week would have meant in the last 30 days."""

    before: float = Field(description="what is allowed a week now")
    allowed: float
    sentence: str
    more: list[AlarmOut] = Field(description="findings that only warned and would have been told")
    fewer: list[AlarmOut] = Field(description="alarms that would only have warned")

    @classmethod
    def of(cls, found: Trial) -> TrialOut:
        told = {name: [AlarmOut.made(one) for one in getattr(found, name)] for name in ("more", "fewer")}
        return cls(before=found.before, allowed=found.allowed, sentence=found.sentence, **told)
