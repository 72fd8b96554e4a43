"""From states and evidence to proposals: tags, rules and the profile of each column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlmodel import Session

from catalog.checks.weekly import NAMED_HEALTHY, weight
from catalog.domains.domain import Domain
from catalog.domains.known import limits_of
from catalog.evidence.calibrated.trials import OF_INCREMENTS, OF_SNAPSHOTS, Trial, trials_of, trials_of_answers
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.flow.checking.loads import shared
from catalog.flow.context import Context
from catalog.flow.learning.domains import all_domains
from catalog.flow.learning.published import pattern_rules, program_rules
from catalog.flow.reading.observe import decoded, restarted
from catalog.history.calendar.months import is_part_of_date
from catalog.history.labels import HEALTHY, taken_for
from catalog.history.series import of_columns
from catalog.lake.logs.partitions import is_of_time
from catalog.learners.freshness import learn_freshness
from catalog.learners.keys import is_code, learn_keys, learn_new_keys, learn_new_rows, may_be_keys
from catalog.learners.registry import HISTORY, LEARNERS, STRINGS
from catalog.learners.schema import learn_schema
from catalog.learners.series.history import learn_history, unused_in
from catalog.learners.series.limits import LEAST
from catalog.learners.series.outliers import outlying_batches
from catalog.learners.strings import learn_strings
from catalog.rules.kinds.key import ROWS
from catalog.rules.kinds.schema import without_values
from catalog.rules.kinds.strings import StringsRule
from catalog.rules.replayed import Replayed
from catalog.rules.rule import Rule, kinds_where
from catalog.rules.verdict import VIOLATED, Wait
from catalog.states.table import TableState
from catalog.store.domains import lakedomains, upgrades
from catalog.store.expectations import learners, rules
from catalog.store.lake import batches, keys, tables, versions
from catalog.store.meaning import privacy, tags
from catalog.store.models import Table, Version, now
from catalog.tags.privacy.figures import profile
from catalog.tags.privacy.hiding import Hiding
from catalog.tags.proposal import TagProposal
from catalog.tags.table import propose_table

#: The history of a table is learned from again when this many batches came since; the longer the history, the rarer;
#: chosen.
RELEARN_EVERY, RELEARN_SHARE = 5, 0.1

#: Bounds of the risk, over the life of a column, that its string rule may run.
LEAST_RISK, MOST_RISK = 0.01, 0.03
#: How many times as often demands on values break as the calibration says, where a table has a single version, so that
#: nothing of its own was ever put to the test. Chosen by `benchmarks.second` on the part to develop on, of 1, 2, 3 and
#: 6: the least at which second versions of rows that were drawn break no more rules than these state.
UNTRIED = 3.0

#: Who learns from strings and who from the past: the rules of a learner are replaced together.
OF_STRINGS = ("strings", *(one.name for one in LEARNERS.values() if one.part == STRINGS))
OF_TABLE = ("schema", "freshness")
OF_HISTORY = ("history", *(one.name for one in LEARNERS.values() if one.part == HISTORY), "keys", *OF_TABLE)
Points = Mapping[int, versions.Point | None]
Meant = Mapping[str, Collection[str]]  # the domains of each column, as far as anybody knows
STRING_RULES = tuple(StringsRule.meanings)  # kinds of rules that say what strings are


@dataclass(frozen=True)
class Due:
    """What is to be learned of a table now."""

    history: bool
    strings: bool


def due(context: Context, table: Table) -> Due:
    """Everything of a table that was never learned from; the strings again when a person called an alarm false, when
    the second batch put to the test what the first taught or when the batches doubled since, which waits for an upgrade
    that waits; the history when a person said so or enough batches came; either alone when a person chose who learns
    it. Nothing while the latest batch is under suspicion: what is learned from it would excuse it."""
    if table.learned_at is None:
        return Due(True, True)
    assert table.id is not None
    with context.reading() as session:
        if batches.latest_suspect(session, table.id):
            return Due(False, False)
        if batches.feedback_since(session, table.id, table.learned_at):
            return Due(True, True)
        chosen = learners.learners_of(session, table).at
        of_past = HISTORY in chosen and chosen[HISTORY] > table.learned_at
        of_texts = STRINGS in chosen and chosen[STRINGS] > (table.strings_at or table.learned_at)
        if of_past or of_texts:
            return Due(of_past, of_texts)
        since = batches.judged_since(session, table.id, table.learned_at)
        if not since:
            return Due(False, False)
        observed, wrong = batches.batches_by_health(session, table.id)
        of_strings = batches.judged_since(session, table.id, table.strings_at or table.learned_at)
        waits = upgrades.is_waiting(session)  # what learns strings is another than people have seen
    grown = since >= max(RELEARN_SHARE * min(observed, context.settings.history_limit), RELEARN_EVERY)
    tried = observed > 1 >= observed - of_strings
    came = table.mode == "increment" and observed > 1 >= observed - since  # the second load says how much comes at once
    kept_wrong = table.mode == "increment" and wrong > 0  # rows of wrong increments stay in the table
    return Due(grown or came, (tried or (grown and doubled(observed, of_strings))) and not kept_wrong and not waits)


def doubled(observed: int, since: int) -> bool:
    """Whether the batches of a table reached another power of two with the latest so many: string rules state what they
    risk while as many rows come again as they were learned from, at most.

    >>> [doubled(observed, 5) for observed in (6, 14, 16, 21, 33)]
    [True, False, True, False, True]
    """
    return observed.bit_length() > max(observed - since, 0).bit_length()


def known_domains(context: Context) -> list[Domain]:
    """Whatever a column may mean: what everybody knows, and what people named in this lake."""
    with context.reading() as session:
        return [*all_domains(context.settings.domains).values(), *lakedomains.named_domains(session)]


def propose(
    context: Context,
    table: Table,
    version: int,
    state: TableState,
    index: PatternIndex,
    domains: Sequence[Domain],
    what: Due,
    tagged: str | None = None,
    is_early: bool = False,
) -> dict[str, int]:
    """Tag the columns of a table and learn its rules. Returns how many were proposed.

    Parameters
    ----------
    version : the one after which what is learned holds, the latest that was judged; `state` that of all its rows.
    domains : what a column may mean.
    tagged : what is noted of what the tags were made with; None: the next crawl makes them again.
    is_early : whether all this is to be learned again when the patterns of the whole lake are known.
    """
    table_id = table.id
    assert table_id is not None
    bare = not state.rows and table.learned_at is None  # never held a row: its columns and loads are known all the same
    if not state.rows:  # of values an empty table teaches nothing, and what was learned before it was emptied stays
        what = Due(False, False)
    limit = context.settings.history_limit
    with context.reading() as session:
        points = _points(session, table, limit) if what.strings or what.history else {}
        first = rules.first_judged(session, table_id, kinds_where("of_series"), LEAST)
        known = versions.list_versions(session, table_id, limit=limit)[::-1] if what.history or bare else []
        schemas = versions.schemas(session, table_id, points) if what.history else {}
        brought = keys.key_loads(session, table_id) if what.history else []
        choices = learners.learners_of(session, table).choices
        own, lake = rules.replayed(session, table_id)
        decided = tags.decided_domains(session, table_id) if what.strings or what.history else {}
        by_days = table.mode == "increment" and batches.usual_partitions(batches.commit_counts(session, table_id))
    past = [one for one in known if one.number <= version]
    outliers = (
        _outliers(points, first) if what.history and table.learned_at else set()
    )  # of a whole past, judging said it
    points = {number: None if number in outliers else point for number, point in points.items()}
    meant = proposed(context, table, state, index, domains)
    domains_of = {name: believed(found, decided.get(name, {})) for name, found in meant.items()}
    budget = context.settings.fpr_budget
    learned: list[Rule] = []
    parts: tuple[str, ...] = ()
    if what.strings:
        parts += OF_STRINGS
        if STRINGS in choices:
            learned += pattern_rules(context, table, state, index, choices[STRINGS])
        else:
            learned += learned_strings(context, table, state, index, domains_of, points)
    if what.history:
        parts += OF_HISTORY
        series = restarted(points, schemas, past[-1].schema_columns if past else None)
        again = what.strings or own.is_due(version)  # after a false alarm always: it is what replays count
        of_time = _of_time(table, state, bool(by_days))
        kinds = {name: column.kind for name, column in state.columns.items() if name not in of_time}
        seen = Replayed(until=version) if again else own
        codes = [name for name, column in state.columns.items() if is_code(name, column, domains_of[name])]
        limits = {name: ends for name, of in domains_of.items() if (ends := limits_of(of))}
        unused = unused_in(state, codes)
        of_past: list[Rule] = [
            *learn_history(series, kinds=kinds, unused=unused, budget=budget, limits=limits, own=seen, lake=lake)
        ]
        if HISTORY in choices:  # of the table as a whole, its rows, the paper's learner says nothing
            of_past = [rule for rule in of_past if rule.column is None]
            of_past += program_rules(context, table, of_columns(series), state, choices[HISTORY])
        series = of_columns(series)
        alike = shared(brought, {number for number, point in points.items() if point is not None})
        kinds = may_be_keys(kinds, domains_of)
        learned += [*of_past, *learn_keys(series, table.name, kinds)]
        learned += learn_new_keys(series, table.name, kinds, alike) or learn_new_rows(alike.get(ROWS, []))
        learned += _table_rules(past, without_values(state), _emptied(points), budget, by_days=bool(by_days))
    if bare:
        parts += OF_TABLE
        learned += _table_rules(past, without_values(state), (), budget, by_days=False)
    with context.transaction() as session:
        for number in outliers:
            versions.set_version(session, table_id, number, label="suspect")
        columns = {column.name: column for column in tables.list_columns(session, table_id)}
        proposals = {columns[name].id or 0: meant[name] for name in meant if name in columns}
        tagged_before = {one.id for one in columns.values() if one.profile}  # as all are whose figures are shown
        held = tagged_before if upgrades.is_waiting(session) else ()
        suspect = tagged_before if batches.latest_suspect(session, table_id) else ()
        tags.put_table_tags(session, proposals, version, held=held, suspect=suspect)
        hide = privacy.hiding(session, table_id)
        privacy.hide_evidence(session, [one for name, one in columns.items() if name in hide.whole])
        tables.set_profile(session, table_id, _profiles(state, hide))
        tables.update_table(session, table_id, tagged=tagged)  # after the tags: what these hide says that they are old
        if parts:
            rules.put_rules(session, table_id, learned, learners=parts, since_version=version)
            tables.update_table(session, table_id, status="empty" if bare else "watched")
        if what.history and not is_early:
            tables.update_table(session, table_id, learned_at=now())
        if what.strings and not is_early:
            tables.update_table(session, table_id, strings_at=now())
    return {"tags": sum(map(len, meant.values())), "rules": len(learned)}


def proposed(
    context: Context, table: Table, state: TableState, index: PatternIndex, domains: Sequence[Domain]
) -> dict[str, list[TagProposal]]:
    """What the columns of a table may mean, by their names."""
    default = "person" if context.settings.personal_by_default else "organisation"
    masked = context.settings.mask_identifiers
    return propose_table(state.columns, table.name, index=index, domains=domains, default=default, masked=masked)


def believed(found: Iterable[TagProposal], decided: Mapping[str, bool]) -> set[str]:
    """The domains that a column is of, as far as anybody knows: those proposed that no person rejected, and those that
    one said."""
    said = {domain for domain, is_of in decided.items() if is_of}
    return said | {one.domain for one in found if not one.contains and decided.get(one.domain, True)}


def _of_time(table: Table, state: TableState, by_days: bool) -> set[str]:
    """The partition columns of which nothing is demanded, since they say no more than which days a batch is of.

    Of batches that come day by day a part of a date starts again with every month and year. Where a version replaces
    days (`by_days`), whole dates are among them: after a pause it replaces others than usual, which is no error.
    """
    if table.mode != "increment":
        return set()
    found = {name for name in table.partition_columns if is_part_of_date(name)}
    for name, column in state.columns.items() if by_days else ():
        values = [value for value, _ in column.frequent.items]
        if name in table.partition_columns and is_of_time(name, column.kind, values):
            found.add(name)
    return found


def _trials(false: Sequence[tuple[Rule, dict[str, Any]]]) -> dict[str, list[Trial]]:
    """What people called false alarms of string rules, by column, as trials of what was demanded."""
    found: dict[str, list[Trial]] = defaultdict(list)
    for rule, detail in false:
        if isinstance(rule, StringsRule):
            found[rule.column or ""].append(rule.trial(detail))
    return found


def learned_strings(
    context: Context, table: Table, sample: TableState, index: PatternIndex, meant: Meant, points: Points | None = None
) -> list[Rule]:
    """The string rules of a table by our own learner; `meant` are the domains of its columns, `points` its batches,
    read where they are not in hand."""
    limit = context.settings.history_limit
    with context.reading() as session:
        known = _points(session, table, limit) if points is None else points
        false = rules.called_false(session, table.id or 0, STRING_RULES)
    seen = max(min(sum(point is not None for point in known.values()), limit), 1)
    return column_rules(table, sample, index, seen, context.settings.fpr_budget, _trials(false), meant)


def column_rules(
    table: Table, sample: TableState, index: PatternIndex, seen: int, budget: float,
    false: Mapping[str, list[Trial]], meant: Meant,
) -> list[Rule]:  # fmt: skip
    """String rules, after `seen` batches, some alarms in which were `false`; `meant` are the domains of each column.

    The learner is asked about the rows to come within its horizon and answers with the chance of ever being wrong on
    them; the rate that a rule states is that of one version.
    """
    horizon, life = _ahead(table.mode, seen)
    risk = min(MOST_RISK, max(LEAST_RISK, budget * life))
    often = UNTRIED if seen == 1 else 1.0
    longest = OF_SNAPSHOTS if table.mode == "snapshot" else OF_INCREMENTS
    found: list[Rule] = []
    of_time = _of_time(table, sample, by_days=False)
    for name, column in sample.columns.items():
        if column.kind != "string" or name in of_time:
            continue
        past = trials_of(index.replays_of(str(table.id), name), longest)
        own = [*past, *trials_of_answers(false.get(name, ()))]
        rule = learn_strings(
            column, index, column=name, own_table=str(table.id), budget=risk, horizon=horizon, own=own, often=often,
            meant=meant.get(name, ()),
        )  # fmt: skip
        if rule is not None:
            rule = rule.untried(NAMED_HEALTHY * weight(named=True)) if seen == 1 else rule
            found.append(replace(rule, fpr=(rule.fpr or 0.0) / life))
    return found


def _ahead(mode: str, seen: int) -> tuple[float, float]:
    """(rows to come for each row seen, versions that they make) after `seen` batches.

    A snapshot comes again whole; what n of them kept breaks in the next with 1 / (n + 1) (rule of succession). Of
    increments the next is one n-th of what was seen; no replay looks less far ahead than a quarter.

    >>> _ahead("snapshot", 4), _ahead("increment", 2), _ahead("increment", 40)
    ((1.0, 5.0), (0.5, 1.0), (0.25, 10.0))
    """
    if mode == "snapshot":
        return 1.0, 1.0 + seen
    horizon = max(1 / seen, 0.25)
    return horizon, horizon * seen


def _points(session: Session, table: Table, limit: int) -> Points:
    """The batches of a table that its history is learned from, holes among them, by version."""
    return dict(versions.past_and_seasons(session, table.id or 0, table.mode, limit=limit))


def _outliers(points: Points, first: int | None) -> set[int]:
    """Numbers of the batches that no rule from their own history judged, being older than the `first` one that any did,
    and that are unlike those around them. What a person called right is not."""
    there = [point for point in points.values() if point is not None and point.metrics]
    unjudged = [there[at] for at in outlying_batches(decoded(there)) if first is None or there[at].number < first]
    return {point.number for point in unjudged if point.label != HEALTHY}


def _emptied(points: Points) -> set[str]:
    """Names of the columns that held nothing in some healthy batch."""
    there = [metrics for metrics in decoded(points.values()) if metrics is not None and metrics.rows]
    return {name for one in there for name, of in one.columns.items() if of.get("complete_ratio") == 0.0}


def _table_rules(
    past: Sequence[Version], empty: Collection[str], emptied: Collection[str], budget: float, *, by_days: bool
) -> list[Rule]:
    """Schema and freshness. A table that is late already when it is registered is not on a schedule. Of a job that
    replaces days (`by_days`) new ones are waited for: yesterday's rows alone are no delivery."""
    schema = learn_schema([(one.schema_columns, taken_for(one.label, one.violated)) for one in past], empty, emptied)
    came = [one for one in past if one.batch != "none" and (not by_days or one.commit_info.get("partitions"))]
    times = [version.committed_at for version in came]
    fresh = learn_freshness(times, budget, new_days=by_days)
    if fresh and (late := fresh.judge_wait(Wait(0, times[-1], now(), arrived=False))) and late.status == VIOLATED:
        fresh = None
    return [rule for rule in (schema, fresh) if rule is not None]


def _profiles(state: TableState, hide: Hiding) -> dict[str, dict[str, Any]]:
    """Display figures of every column, as they may be stored."""
    hide = replace(hide, known=frozenset(state.columns))  # they were looked at just now
    return {
        name: profile(column, partial(hide.cell, name), private=name in hide.whole)
        for name, column in state.columns.items()
    }
