"""What broke in one version of a table, and what may have become of one of its columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

from catalog.causes.cause import LEAST_FIT, NONCONFORMING, READ_OFF, REWRITES, Guess
from catalog.causes.guesses import numbers, strings, tables, times
from catalog.causes.guesses.features import sample_of
from catalog.causes.guesses.vocabulary import flags
from catalog.causes.likely import fits_noun, noun
from catalog.causes.sizes.factors import as_medians_allow, as_units_allow
from catalog.evidence.pattern_index.views import profile
from catalog.history.calendar.seasons import usual_rows
from catalog.history.series import column_series, rows_at, since_filled
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.kinds.strings import StringsRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import Batch, Verdict
from catalog.states.column import ColumnState
from catalog.states.elements import list_of
from catalog.states.parts.exact import as_float

GUESSERS = {"string": strings.guesses, "number": numbers.guesses, "time": times.guesses, "boolean": flags}
#: Metrics that times move when the clock turns.
OF_CLOCKS = {"hour_EMD", "hour_mean", "hour_turn"}
#: Batches that each lie above the one before, from which numbers go on by a rule. Chosen: of batches in any order one
#: in 120 does so.
GOING_ON = 5
#: Share of the rows that must hold a value beside those that ever did, to be told as such. Chosen: one in twenty.
GAINED = 0.05
#: A column has a cause of its own beside one of all rows if that explains so much of what changed.
#: Chosen: nearly all, or the cause of all rows says enough.
OWN = 0.9
#: How sure it is that a key which repeats values is one. Chosen: it never did, and is called so.
KEYS_FIT = 0.95
#: Causes by which different values may become the same; numbers in another unit stay different, and times that moved.
ALIKE = REWRITES - {"scale", "inverted", "days_moved", "time_zone"} | {"default", "nulls", "swapped"}
#: Causes that make values which no rule lists.
UNKNOWN_VALUES = REWRITES | {"new_values", "typo"}
#: Share of a column's rows that hold different values, from which rows that are alike in it are the same. Chosen.
DIFFERENT = 0.9
#: What a rule on a key observes, and one on keys of earlier loads.
OF_KEYS, OF_LOADS = {"repeated", "share"}, {"again", "share", "version", "exact"}
#: Share of a load's rows that an earlier load brought, from which both are the same. Chosen: as of an old delivery.
SAME_ROWS = 0.98


@dataclass
class Case:
    """One version with what broke in it.

    Parameters
    ----------
    broken : the verdicts that a rule was violated, by column ("" for the table).
    rules : the rules from history, by column.
    known : the values that a rule in force lists, by column.
    meanings : the domains that columns are tagged with.
    lost : what values are no longer, and in how many of the rows, by column.
    """

    table: str
    batch: Batch
    broken: Mapping[str, Sequence[Verdict]]
    rules: Mapping[str, HistoryRule]
    private: Collection[str]
    known: Mapping[str, Collection[str]] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    lost: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    past: dict[str, Sequence[Mapping[str, float]]] = field(default_factory=dict)
    guessed: dict[str, list[Guess]] = field(default_factory=dict)

    def past_of(self, column: str) -> Sequence[Mapping[str, float]]:
        """The metrics of a column since it held a value, or of the table ("")."""
        if column not in self.past:
            series = column_series(self.batch.history or [], column or None)
            self.past[column] = since_filled(series) if column else series
        return self.past[column]

    def usual(self) -> dict[str, float]:
        """The median of each of the table's metrics over its past; where the rows are out for their hour, day of the
        week or level, as many as usually come then, and `then` is set."""
        found = tables.usual_of(self.past_of(""))
        if any("shortfall" in verdict.observed for verdict in self.broken.get("", ())):
            now = (float(self.batch.state.rows), self.batch.committed_at)
            usually, _ = usual_rows(*zip(*rows_at(self.batch.history or []), now, strict=True))
            found |= {"row_count": float(usually[-1]), "then": 1.0}
        return found

    def states(self, column: str) -> tuple[ColumnState | None, ColumnState | None]:
        """The column now and in the batch before."""
        previous = self.batch.previous
        return self.batch.state.columns.get(column), None if previous is None else previous.columns.get(column)

    def metrics(self, column: str) -> set[str]:
        """Metrics of the column that are out of their bands."""
        return {name for verdict in self.broken.get(column, ()) for name in verdict.observed}


def listed(rules: Sequence[Rule]) -> dict[str, frozenset[str]]:
    """The values that rules list, by column."""
    of_strings = [rule for rule in rules if isinstance(rule, StringsRule)]
    return {rule.column or "": clause.listed for rule in of_strings for clause in rule.program if clause.listed}


def lost(batch: Batch, verdicts: Sequence[tuple[Rule, Verdict]]) -> dict[str, tuple[str, float]]:
    """Of what the values of a column are no longer, in so many of the rows: e-mail addresses that they were before."""
    found = {}
    for rule, verdict in verdicts:
        before = batch.previous.columns.get(rule.column or "") if batch.previous is not None else None
        was = profile(before) if before is not None and isinstance(rule, StringsRule) else None
        if was is None or not isinstance(rule, StringsRule) or not rule.column:
            continue
        for clause, seen in zip(rule.program, verdict.observed.get("clauses") or (), strict=False):
            healthy = clause.candidate.nonconforming(was) / max(clause.candidate.rows(was), 1)
            if clause.is_of_domain and seen["share"] - healthy >= 0.5 * (verdict.value or 0.0) > 0:
                found[rule.column] = clause.broken(), seen["share"]
    return found


def guesses_of(case: Case, column: str) -> list[Guess]:
    """What may have become of a column's values, the most telling first; asked for often, worked out once."""
    if column not in case.guessed:
        case.guessed[column] = _guesses(case, column)
    return case.guessed[column]


def partly_exchanged(case: Case, columns: Sequence[str]) -> Iterator[Guess]:
    """Columns of which each holds, in some rows, what the other one holds."""
    first = {name: found[0] for name in columns if (found := guesses_of(case, name)) and found[0].fit >= LEAST_FIT}
    source = {name: guess.detail["from"] for name, guess in first.items() if guess.key == "neighbour"}
    for name, other in source.items():
        if source.get(other) == name and name < other:
            both = first[name], first[other]
            share, undo = max(one.share for one in both), "exchange the two columns in these rows"
            fit = min(one.fit for one in both)
            texts = all((now := case.states(column)[0]) and now.kind == "string" for column in (name, other))
            sure = READ_OFF if texts else None  # each holds values that the other one held: `strings._unlike`
            yield Guess("partly_exchanged", "swapped", fit, share, {}, None, undo, (name, other), sure)


def repeated_keys(case: Case, moved: Collection[str]) -> list[Guess]:
    """That columns which identify rows do so no longer, though nothing else became of the values of any of them: of
    those that were cut, put in others' places or `moved` some are alike, too, and so are others than used to come."""
    said = [(name, one.observed) for name, found in case.broken.items() for one in found]
    keys = {
        name: seen
        for name, seen in said
        if _is_of(OF_KEYS, seen)
        and not any(one in moved or _broke(case, one, seen["share"]) for one in seen.get("columns", (name,)))
    }
    if not keys:
        return []
    most = max(keys.values(), key=lambda seen: seen["share"])
    if dated := _dated_anew(case, keys, most["share"]):
        detail = {"share": most["share"], "rows": most["repeated"], "same": False, "dated": dated}
        return [Guess("stale", "stale", KEYS_FIT, most["share"], detail)]
    detail, undo = {"rows": most["repeated"]}, "keep the latest row of each value"
    return [Guess("key_repeated", "repeated_key", KEYS_FIT, most["share"], detail, undo=undo, others=_keyed(keys))]


def _dated_anew(case: Case, keys: Mapping[str, Mapping[str, Any]], share: float) -> list[str]:
    """The days by which rows that repeat a key differ, where nothing else in them does: every column whose values used
    to be different ones repeats them as often, numbers among them. They are those of another day; what was changed
    would hold other numbers, or another time of its change."""
    of_keys = {one for name, seen in keys.items() for one in (name, *seen.get("columns", ()))}
    both = {name: case.states(name) for name in case.batch.state.of_rows if name not in of_keys}
    held = {name: (now, was) for name, (now, was) in both.items() if now and was and now.non_null and was.non_null}
    dates = [name for name, (now, _) in held.items() if now.type == "date"]
    told = [now for now, was in held.values() if was.distinct.estimate() >= DIFFERENT * was.non_null]
    again = all(now.distinct.estimate() <= (1 - OWN * share) * now.non_null for now in told)
    return dates if again and any(now.kind == "number" for now in told) else []


def loaded_again(case: Case) -> list[Guess]:
    """That rows came which an earlier load brought: whose keys that one has, and perhaps all else."""
    said = [(name, one.observed) for name, found in case.broken.items() for one in found]
    keys = {name: seen for name, seen in said if _is_of(OF_LOADS, seen)}
    keys |= {name: seen for name, seen in said if _is_of(OF_LOADS, seen) and "columns" in seen}  # before whole rows
    if not keys:
        return []
    most, rows = max(keys.values(), key=lambda seen: seen["share"]), case.batch.state.row_distinct
    earlier = case.batch.earlier.get("")
    again = earlier.again(rows.hashes, rows.threshold, case.batch.version).share if earlier is not None else 0.0
    same = again >= SAME_ROWS * most["share"]
    detail = {"rows": most["again"], "version": most["version"], "exact": most["exact"], "same": same}
    undo = "delete the rows of one of the loads" if same else "keep the latest row of each value"
    return [Guess("loaded_again", "loaded_again", KEYS_FIT, most["share"], detail, undo=undo, others=_keyed(keys))]


def _is_of(figures: Collection[str], seen: Mapping[str, Any]) -> bool:
    """Whether a verdict says these of a column, or of several together."""
    return seen.keys() - {"columns"} == figures


def _keyed(keys: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """The columns that identify rows, by themselves before those that do so together; none of whole rows."""
    single = tuple(name for name in keys if name)
    return single or tuple(keys[""].get("columns", ()))


def _broke(case: Case, column: str, share: float) -> bool:
    """Whether what became of a column's values may have made different ones the same in such a `share` of the rows:
    they were rewritten, or as many of them are not what a rule on values demands."""
    unlike = (one for one in case.broken.get(column, ()) if one.metric == NONCONFORMING)
    if any(one.value is not None and one.value >= share for one in unlike):
        return True
    return any(guess.fit >= OWN and guess.cause in ALIKE for guess in guesses_of(case, column))


def _guesses(case: Case, column: str) -> list[Guess]:
    now, before = case.states(column)
    if now is None or before is None or now.kind != before.kind:
        return []
    usual = tables.usual_of(case.past_of(column))
    found = [*_missing(now, case.past_of(column)), *_again(case, column)]
    others = {
        name: state
        for name, state in (case.batch.previous.columns if case.batch.previous else {}).items()
        if state.kind == now.kind and name != column and state.non_null and list_of(name) == list_of(column)
    }
    guesser = GUESSERS.get(now.kind)
    if guesser is not None and now.non_null and before.non_null:
        meaning = case.meanings.get(column, "")
        guessed = [g for g in guesser(now, before, others, usual) if fits_noun(g, column, meaning)]
        guessed = [as_units_allow(g, noun(column, meaning)) for g in guessed]
        found += [as_medians_allow(g, *medians) for g in guessed] if (medians := _medians(case, column)) else guessed
    found = [g for g in found if g.cause not in UNKNOWN_VALUES or not _are_known(case, column, now, g.share)]
    if case.metrics(column) and not case.metrics(column) & OF_CLOCKS:  # where the hours are as ever, none has turned
        found = [g for g in found if g.cause != "time_zone"]
    found = [_at_loading(g, case) for g in found]
    if case.batch.kind != "rewrite":  # of rows that came long ago numbers are those of then
        found += _restarted(now, case.past_of(column))
    found += _off_pace(case, column, now, before, usual)
    found += times.strays(now, case.past_of(column)) if "stray" in case.metrics(column) else []
    return sorted(_best_of_each(found), key=lambda g: -g.fit)


def _medians(case: Case, column: str) -> tuple[float, list[float]] | None:
    """The median of a column of numbers, and those of its past; None of others."""
    now = case.states(column)[0]
    if now is None or now.kind != "number" or now.quantiles is None or not len(now.quantiles.values):
        return None
    return now.quantiles.median(), [m["median"] for m in case.past_of(column) if "median" in m]


def _are_known(case: Case, column: str, now: ColumnState, share: float) -> bool:
    """Whether values that are said to be rewritten, or new, in such a `share` of the rows, are those that a rule lists:
    of most of these rows at least."""
    known, values = case.known.get(column), sample_of(now) if now.kind == "string" else []
    if not known or not values:
        return False
    other = sum(n for value, n in values if value not in known) / sum(n for _, n in values)
    return other < share / 2


def _at_loading(guess: Guess, case: Case) -> Guess:
    """A default that is a time: whether it is the one at which the rows were loaded, or its day."""
    day = case.batch.committed_at.date()
    days = {str(day), str(day - timedelta(days=1))}  # loads of a day are made in the night after it
    loaded = guess.key == "default_time" and guess.detail["value"][:10] in days
    return replace(guess, detail={**guess.detail, "loaded": True}) if loaded else guess


def _again(case: Case, column: str) -> list[Guess]:
    """That identifiers which used to be new are those of the batch before."""
    broken = [v for v in case.broken.get(column, ()) if "reused_ratio" in v.observed]
    if not broken:
        return []
    share = float(broken[0].observed["reused_ratio"])
    return [Guess("reused", "reused", 0.85, share, {"share": share})]


def _off_pace(
    case: Case, column: str, now: ColumnState, before: ColumnState, usual: Mapping[str, float]
) -> list[Guess]:
    """That times moved otherwise than they do and the calendar did."""
    broken = [v for v in case.broken.get(column, ()) if "pace" in v.observed]
    return times.off_pace(now, before, usual, float(broken[0].observed["pace"])) if broken else []


def _missing(now: ColumnState, past: Sequence[Mapping[str, float]]) -> list[Guess]:
    """That more values are missing, NULL or empty, than ever; or that there are values where there were hardly any."""
    name = "filled_ratio" if now.kind in ("string", "list") else "complete_ratio"
    known = [m[name] for m in past if name in m]
    if now.kind == "number" and now.rows:
        more = now.nans / now.rows - max((m.get("nan_ratio", 0.0) for m in past), default=0.0)
        if more >= 0.005:
            return [Guess("nans", "nulls", 0.95 if more > 0.1 else 0.7, more, {"missing": now.nans / now.rows})]
    if not now.rows or not known:
        return []
    filled = (now.non_null - (now.empties if name == "filled_ratio" else 0)) / now.rows
    lost, gained = min(known) - filled, filled - max(known)
    moved = 0.5 * (max(known) - min(known))
    detail = {"missing": 1 - filled}
    if gained >= max(GAINED, moved):  # of so few values before, how those of now differ says little
        return [Guess("filled", "filled", 0.95 if gained > 0.5 else 0.7, gained, detail)]
    if lost < max(0.005, moved):
        return []
    return [Guess("nulls", "nulls", 0.95 if lost > 0.1 else 0.7, lost / max(min(known), 1e-9), detail)]


def _restarted(now: ColumnState, past: Sequence[Mapping[str, float]]) -> list[Guess]:
    """That numbers begin again near zero, of which every batch went on where the one before had ended.

    >>> from catalog.states.folding.fold import fold
    >>> import pyarrow as pa
    >>> now = fold(pa.table({"case": range(1, 90)})).columns["case"]
    >>> _restarted(now, [{"min": 7000 + 90.0 * k, "max": 7089 + 90.0 * k} for k in range(5)])[0].detail
    {'first': 1, 'highest': 7449}
    """
    known = [(m["min"], m["max"]) for m in past if "min" in m and "max" in m]
    if now.kind != "number" or now.low is None or len(known) < GOING_ON:
        return []
    low, high = as_float(now.low), as_float(now.high)
    goes_on = all(before[1] < after[0] for before, after in pairwise(known))
    begins = 0 <= low <= high - low and high < known[0][0]
    if not goes_on or not begins:
        return []
    return [Guess("restarted", "restarted", 1.0, 1.0, {"first": int(low), "highest": int(known[-1][1])})]


def _best_of_each(found: Sequence[Guess]) -> list[Guess]:
    """The best guess of each cause. Values that are known before and after are some of those that were rewritten: where
    all are counted by a mark that they have, it is in so many rows."""
    best: dict[str, Guess] = {}
    for guess in found:
        if guess.cause not in best or guess.fit > best[guess.cause].fit:
            best[guess.cause] = guess
    counted = {guess.key: guess.share for guess in found if guess.cause == "encoding" and "share" in guess.detail}
    return [
        replace(one, share=max(one.share, counted.get(one.key, 0.0))) if "pairs" in one.detail else one
        for one in best.values()
    ]
