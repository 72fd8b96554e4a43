"""What rules say of a version, and which of its columns hold sensitive values though they are not masked: that is
decided once, before anything of the version is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import structlog

from catalog.causes import Cause
from catalog.causes.diagnose import Diagnosis, diagnose
from catalog.flow.checking.saying import Said, offenders, pointed, rule_of, said_of
from catalog.flow.context import Context
from catalog.flow.declared.counting import Counting
from catalog.flow.declared.facts import FactsOf
from catalog.flow.reading.batches import BatchPlan
from catalog.flow.reading.observe import Observed
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from catalog.store.expectations import rules
from catalog.store.meaning.privacy import Standing
from catalog.store.models import RuleRow
from catalog.tags.beside.arrived import arrived
from catalog.tags.privacy.hiding import Hiding
from catalog.tags.privacy.levels import SECRETS

log = structlog.get_logger()
#: Causes that say that columns hold what others held.
MOVED = ("swapped", "shifted")
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Judging:
    """A version that is judged.

    Parameters
    ----------
    known : how the table's columns stand.
    meant : the domains that they are tagged with.
    """

    context: Context
    observed: Observed
    plan: BatchPlan
    batch: Batch
    counting: Counting
    facts: FactsOf
    known: Standing
    meant: dict[str, str]

    def say(
        self, applicable: Sequence[tuple[RuleRow, Rule]], active: list[RuleRow], hide: Hiding
    ) -> tuple[list[Said], Hiding, dict[str, str]]:
        """What rules say of the version as it may be kept, what of it may not be seen, and the levels of the sensitive
        values that arrived in columns which `hide` does not mask."""
        asked = [
            (row, rule, *self.facts.subject(self.batch, row, rule, self.plan, self.counting))
            for row, rule in applicable
        ]
        verdicts = [pointed(row, rule.judge(subject), self.batch, hide) for row, rule, subject, _ in asked]
        keys = [self.counting.keys_of(rule, self.plan) for _, rule, _, _ in asked]
        found = [
            offenders(self.context, self.observed, self.plan, keys[at], one[0], verdicts[at])
            for at, one in enumerate(asked)
        ]
        broken = [(one[0], verdict) for one, verdict in zip(asked, verdicts, strict=True) if verdict.status == VIOLATED]
        came: dict[str, str] = {}
        if broken:
            rows = [row for some, _ in found for row in some or ()]
            came = arrived_in(self.batch, rows, self.known, self.meant)
            if self.known.levels:
                plain = Hiding(known=frozenset(self.batch.state.columns))  # whose values came where: told to nobody
                told = diagnosed(self.observed, self.batch, broken, active, plain, self.meant)
                came |= moved_into([one.cause for one in told], self.known)
        if came:
            hide = hide.wider(came)
            for at, (row, _, subject, _) in enumerate(asked):
                if row.column_name in came:
                    verdicts[at] = pointed(row, rule_of(row, hide).judge(subject), self.batch, hide)
        said = [
            said_of(self.context, self.observed, self.plan, keys[at], row, verdicts[at], hide, more, found[at])
            for at, (row, _, _, more) in enumerate(asked)
        ]
        return said, hide, came


def arrived_in(batch: Batch, rows: Rows, known: Standing, meant: Mapping[str, str]) -> dict[str, str]:
    """The level of the sensitive values that columns of a batch hold though they are not masked, or not as secret ones
    are, and did not hold such before; none where no batch is known to compare with.

    Parameters
    ----------
    rows : those that broke rules: of a column with many values a state knows a part alone, and these are shown.
    meant : the domains of columns.
    """
    if batch.previous is None:
        return {}
    now, before = batch.state.columns, batch.previous.columns
    masked = {name: meant.get(name, "") for name in known.levels}
    secret = {name: domain for name, domain in masked.items() if known.levels[name] == "secret"}
    found: dict[str, str] = {}
    for hidden in (secret, masked) if secret else (masked,):  # what holds personal values may get secret ones
        came = arrived(now, before, hidden, known.shown, meant, known.refused)
        many = [name for name, state in now.items() if state.table is None and name not in came]
        if seen := {name: state for name in many if (state := _of_rows(name, rows))}:
            held = {name: now[name] for name in hidden if name in now}
            came |= arrived(seen | held, before, hidden, known.shown, meant, known.refused)
        levels = {name: _level(source, known) for name, source in came.items()}
        found |= {name: level for name, level in levels.items() if _more(name, level, known)}
    return found


def moved_into(causes: Sequence[Cause], known: Standing) -> dict[str, str]:
    """The same by what happened: columns that hold what others held, one of which is masked."""
    found: dict[str, str] = {}
    for cause in (one for one in causes if one.cause in MOVED):
        for name in set(cause.columns) - known.shown:
            told = dict(cause.size.get("moved") or {}).get(name) or cause.size.get("from")
            sources = {told} if told else set(cause.columns) - {name}
            if masked := [_level(one, known) for one in sources & set(known.levels)]:
                level = "secret" if "secret" in masked else "personal"
                found |= {name: level} if _more(name, level, known) else {}
    return found


def diagnosed(
    observed: Observed,
    batch: Batch,
    verdicts: list[tuple[RuleRow, Verdict]],
    active: list[RuleRow],
    hide: Hiding,
    meant: dict[str, str],
) -> list[Diagnosis]:
    """What happened to a batch of which rules broke, without anything that may not be seen."""
    broken = [(rules.as_rule(row), verdict) for row, verdict in verdicts if verdict.status == VIOLATED]
    if not broken:
        return []
    private = {name for name in batch.state.columns if hide.private(name) or name in hide.blind}
    rules_now = [rules.as_rule(row) for row in active]
    try:
        found = diagnose(observed.table.name, batch, broken, rules=rules_now, private=private, meanings=meant)
    except Exception as error:  # a cause explains a verdict: whatever happens here, the verdict stands
        name = type(error).__name__
        log.warning("no cause can be looked for", table=observed.table.name, version=batch.version, error=name)
        return []
    return [replace(one, cause=_masked(one.cause, hide)) for one in found]


def _masked(cause: Cause, hide: Hiding) -> Cause:
    """A cause with the sensitive values that it quotes of other columns masked."""
    column = cause.columns[0] if cause.columns else ""
    return replace(cause, sentence=hide.data(column, cause.sentence), size=hide.data(column, dict(cause.size)))


def _of_rows(column: str, rows: Rows) -> ColumnState | None:
    """What a column holds in these rows; None where it holds no text."""
    texts = [row[column] for row in rows if isinstance(row.get(column), str)]
    return fold(pa.table({column: pa.array(texts, pa.string())})).columns[column] if texts else None


def _more(name: str, level: str, known: Standing) -> bool:
    """Whether fewer people may see values of a level than those that a column holds otherwise."""
    return name not in known.levels or (level == "secret" and known.levels[name] != "secret")


def _level(source: str, known: Standing) -> str:
    return "secret" if known.levels.get(source) == "secret" or source in SECRETS else "personal"
