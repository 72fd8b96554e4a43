"""What declared checks ask for beside counted parts of their own files: the past of a figure, another table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog.declared.facts import Compared, Facts, Other
from catalog.errors import AssayError, MissingFile, NotFound, TableError
from catalog.flow.context import Context
from catalog.flow.declared.counting import Counting, batch_of, whole_log
from catalog.flow.declared.frames import rows_of, standing_at, version_frame
from catalog.flow.reading.batches import BatchPlan
from catalog.flow.reading.observe import Observed
from catalog.lake.scanning.delta import spark_error, spark_errors
from catalog.lake.scanning.spill import LARGEST
from catalog.measures.groups.stored import Grown, Stored
from catalog.measures.part import Part
from catalog.rules.kinds.declared import DeclaredRule, facts_place
from catalog.rules.rule import Rule
from catalog.rules.verdict import Batch, part_place
from catalog.store.expectations import declared as store
from catalog.store.lake import tables
from catalog.store.lake.parts import TOO_MANY
from catalog.store.models import RuleRow

#: Earlier versions whose figures a check remembers; a bound.
REMEMBERED = 60


class FactsOf:
    """Facts for the checks of one table; another table is read once for all that compare with it."""

    def __init__(self, context: Context, observed: Observed) -> None:
        self.context, self.observed = context, observed
        self._others: dict[tuple[str, int | None], tuple[Observed, BatchPlan] | AssayError] = {}
        self._counted: dict[tuple[str, int | None, str], Any] = {}

    def given(
        self,
        rule: DeclaredRule,
        plan: BatchPlan,
        past: Sequence[float] | None = None,
        version: int | None = None,
    ) -> Facts:
        """Facts of a rule at a version, with the past as it is given; `version` is that of the other table, the latest
        where it is None and the rule names none."""
        other = self.other(rule, version) if rule.constraint.other else None
        commit = plan.commit
        return Facts(commit.schema, commit.committed_at, past, other, fields=commit.fields or None)

    def subject(
        self,
        batch: Batch,
        row: RuleRow,
        rule: Rule,
        plan: BatchPlan,
        counting: Counting,
        kept: Mapping[str, Any] | None = None,
    ) -> tuple[Batch, dict[str, Any]]:
        """The batch with what a rule asks for beside it, and what has to be kept of that (`of`)."""
        if not isinstance(rule, DeclaredRule) or not rule.constraint.needs:
            return batch, {}
        facts, more = self.of(row, rule, plan, counting, kept)
        return replace(batch, parts={**batch.parts, facts_place(rule.learner): facts}), more

    def of(
        self,
        row: RuleRow,
        rule: DeclaredRule,
        plan: BatchPlan,
        counting: Counting,
        kept: Mapping[str, Any] | None = None,
    ) -> tuple[Facts, dict[str, Any]]:
        """Facts of a rule at a version, and what has to be kept to say its verdict again.

        Parameters
        ----------
        kept : what was kept when it was judged before; None judges it again.
        """
        needs = rule.constraint.needs
        if needs == "past":
            past = kept.get("past") if kept else None
            past = past if past is not None else self._past(row, rule, plan, counting)
            return self.given(rule, plan, [value for _, value in past]), {"past": past}
        if needs == "other":
            name = rule.constraint.other or ""
            facts = self.given(rule, plan, version=(kept.get("others") or {}).get(name) if kept else None)
            if isinstance(facts.other, Other) and self._too_large(rule, plan, counting, facts.other):
                facts = self._joined(rule, plan, facts, facts.other)
            known = facts.other.version if isinstance(facts.other, Other) else None
            return facts, {"others": {name: known}}
        return self.given(rule, plan), {}

    def lost(self, rule: DeclaredRule, kept: Mapping[str, Any]) -> str:
        """Why a verdict on two tables cannot be said again: what is gone of the other one as it was compared with, or
        that it could not be read then and can now. Empty where nothing is in the way."""
        name = rule.constraint.other or ""
        told = kept.get("others") or {}
        found = self.other(rule, told.get(name))
        if name in told and told[name] is None:
            return "" if isinstance(found, Exception) else f"{name} could not be read then, and can be now"
        version = "" if told.get(name) is None else f", version {told[name]}, that it was compared with"
        states = [found] if isinstance(found, Exception) else list(found.states.values())
        cause = next((one.cause for one in states if isinstance(one, NotFound | TableError)), None)
        return f"{name}{version} cannot be read any more: {cause}" if cause else ""

    def other(self, rule: DeclaredRule, version: int | None = None) -> Other | AssayError:
        """The other table of a rule with the parts that are asked of it."""
        name = rule.constraint.other or ""
        wanted = version if version is not None else rule.constraint.arguments.get("version")
        found = self._opened(name, wanted)
        if isinstance(found, AssayError):
            return found
        observed, plan = found
        parts = rule.constraint.other_parts
        missing = [part for part in parts if (name, wanted, part.key) not in self._counted]
        if missing:
            self._count(name, wanted, observed, plan, missing)
        states = {part.key: self._counted[name, wanted, part.key] for part in parts}
        return Other(name, plan.number, plan.commit.schema, states)

    def _too_large(self, rule: DeclaredRule, plan: BatchPlan, counting: Counting, other: Other) -> bool:
        """Whether the values of either side are too many to be kept."""
        own = counting.parts(plan)
        found = [own.get(part_place(rule.scope, part.key)) for part in rule.constraint.parts]
        return any((isinstance(one, Exception) and TOO_MANY in str(one)) or _in_file(one) > LARGEST
                   for one in (*found, *other.states.values()))  # fmt: skip

    def _joined(self, rule: DeclaredRule, plan: BatchPlan, facts: Facts, other: Other) -> Facts:
        """With both tables compared by Spark, or why they cannot be."""
        try:
            return replace(facts, compared=self._compared(rule, plan, other))
        except AssayError as error:
            return replace(facts, other=error)
        except spark_errors() as error:
            return replace(facts, other=spark_error(error, other.name))

    def _compared(self, rule: DeclaredRule, plan: BatchPlan, other: Other) -> Compared:
        from pyspark.sql import functions as f

        from catalog.lake.reading.comparing import compare
        from catalog.lake.reading.failing import names_in_sql

        own = version_frame(self.context, self.observed, plan.number)
        own = own.where(rows_of(self.observed, plan, rule.scope, f.col(own.columns[-1])))
        at, standing = self._opened(other.name, other.version)  # type: ignore[misc]  # it was opened before
        theirs = version_frame(self.context, at, standing.number)
        constraint = rule.constraint.renamed(names_in_sql(own)).with_other_renamed(names_in_sql(theirs))
        named = constraint.other_parts[0].columns
        return compare(own, theirs, constraint.columns, named, constraint.where)

    def _opened(self, name: str, version: int | None) -> tuple[Observed, BatchPlan] | AssayError:
        key = (name, version)
        if key not in self._others:
            try:
                with self.context.reading() as session:
                    table = tables.get_table(session, name)
                self._others[key] = standing_at(self.context, table, version)
            except AssayError as error:
                self._others[key] = error
        return self._others[key]

    def _count(
        self, name: str, version: int | None, observed: Observed, plan: BatchPlan, parts: Sequence[Part]
    ) -> None:
        counting = Counting(self.context, observed, [("table", part) for part in parts])
        counting.count([plan])
        found = counting.parts(plan)
        for part in parts:
            lost = NotFound(f"the data files of version {plan.number} of {name} were not counted", remedy="crawl it")
            state = found.get(part_place("table", part.key), lost)
            if isinstance(state, MissingFile):
                state = MissingFile(f"of {name}, {state.cause}", remedy=state.remedy)
            self._counted[name, version, part.key] = state

    def _past(self, row: RuleRow, rule: DeclaredRule, plan: BatchPlan, counting: Counting) -> list[list[Any]]:
        """``[version, figure]`` of healthy versions before one, oldest first: as the verdict before remembers them,
        else counted from all that the log still tells of."""
        with self.context.reading() as session:
            before = store.last_said(session, row, plan.number)
            bad = store.unhealthy(session, row.table_id)
        known: list[list[Any]] = list((before.replay.get("past") or []) if before is not None else [])
        if before is not None:
            seen = before.replay.get("seen", before.value)
            known += [[before.version, seen]] if seen is not None else []
        else:
            known = self._counted_past(rule, plan)
        return [[number, value] for number, value in known if number not in bad][-REMEMBERED:]

    def _counted_past(self, rule: DeclaredRule, plan: BatchPlan) -> list[list[Any]]:
        log = whole_log(self.context, self.observed.table)
        kind = plan.kind if rule.scope == "batch" else None
        plans = [one for one in log.plans if one.number < plan.number and one.kind != "none"]
        plans = [one for one in plans if kind in (None, one.kind)][-REMEMBERED:]
        counting = Counting(self.context, log, [(rule.scope, part) for part in rule.constraint.parts])
        counting.count(plans)
        found: list[list[Any]] = []
        for one in plans:
            parts = counting.parts(one) | {facts_place(rule.learner): self.given(rule, one, [])}
            value = rule.judge(batch_of(one, parts)).value
            found += [[one.number, value]] if value is not None else []
        return found


def _in_file(state: object) -> int:
    """Bytes of the sorted file that groups lie in."""
    stored = state.base if isinstance(state, Grown) else state
    return stored.size if isinstance(stored, Stored) else 0
