"""From what broke in one version of a table to what happened: as few causes as explain it, the most telling first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from catalog.causes import proof, words
from catalog.causes.case import (
    OWN,
    Case,
    guesses_of,
    listed,
    loaded_again,
    lost,
    partly_exchanged,
    repeated_keys,
)
from catalog.causes.cause import LEAST_FIT, REWRITES, SURE, Cause, Guess
from catalog.causes.guesses import tables, times
from catalog.causes.rows.explaining import beats_own, is_absorbed, is_collapsed
from catalog.causes.rows.rewritten import guesses as rewritten_rows
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.kinds.strings import StringsRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import Batch, Verdict
from catalog.states.column import ColumnState

#: Metrics of a time beside the one in front of it, which may be the one that moved.
OF_PAIRS = {"ordered_ratio", "gap"}
#: Causes of all rows, in the order in which they rule each other out.
WHOLE = ("schema", "loaded_again", "stale", "duplicates", "repeated_key", "part_missing")
#: What logs call commits that only take rows away.
DELETES = ("DELETE", "TRUNCATE")
NOTHING: Mapping[str, str] = MappingProxyType({})
NARROWEST = 0.001  # width of a band that figures are compared by; chosen: of shares that none may have
NEARLY = 0.1  # share by which offsets of columns may differ that are said to be one; chosen
#: What columns have in common that are one cause, beside the kind of damage.
APART = ("factor", "hours", "from")


@dataclass(frozen=True)
class Diagnosis:
    """A cause with the other causes that it might be, the most likely first, as (cause, confidence).

    `covers` are the columns ("" for the table) whose broken rules it explains; each is covered by one diagnosis.
    """

    cause: Cause
    others: tuple[tuple[str, float], ...] = ()
    covers: tuple[str, ...] = ()


def rewritten(found: Iterable[Diagnosis]) -> set[str]:
    """The columns whose values were rewritten by one rule for sure: their cause is a kind of damage to values
    (`REWRITES`), right in nine of ten cases where it was measured.

    >>> one = Cause("cut", "last_cut", 0.97, ("code",), {}, "Values have lost their last character.")
    >>> rewritten([Diagnosis(one, covers=("code",)), Diagnosis(replace(one, confidence=0.8), covers=("name",))])
    {'code'}
    """
    sure = (one for one in found if one.cause.cause in REWRITES and one.cause.confidence >= SURE)
    return {column for one in sure for column in one.covers}


def diagnose(
    table: str,
    batch: Batch,
    verdicts: Sequence[tuple[Rule, Verdict]],
    *,
    rules: Sequence[Rule] = (),
    private: Collection[str] = (),
    meanings: Mapping[str, str] = NOTHING,
) -> list[Diagnosis]:
    """What happened to a batch of which rules broke.

    Parameters
    ----------
    table : its name, for sentences.
    verdicts : the violated ones with their rules; of the batch's history and schema, of strings, of a person.
    rules : the rules in force, by which undoing a cause is checked, and which values are known.
    private : sensitive columns, of which no value is said.
    meanings : the domains that columns are tagged with.

    Returns one diagnosis for each cause; what nothing explains is one of cause ``unknown``. None for no verdicts, and
    of columns of which nothing broke but a comparison with another table.
    """
    verdicts = _of_values_here(verdicts)
    broken: dict[str, list[Verdict]] = {}
    for rule, verdict in verdicts:
        hidden = rule.column in private and isinstance(rule, StringsRule)
        broken.setdefault(rule.column or "", []).append(_without_values(rule, verdict) if hidden else verdict)
    if not broken:
        return []
    history = {rule.column or "": rule for rule in rules if isinstance(rule, HistoryRule)}
    case = Case(table, batch, broken, history, private, listed(rules), meanings, lost(batch, verdicts))
    chosen, rest = _of_rows(case)
    told = bool(chosen)
    chosen += _of_columns(case, rest, told)
    found = [_said(case, guesses, columns) for guesses, columns in chosen]
    covers: list[list[str]] = [[] for _ in found]
    for column in broken:  # what a cause of all rows explains, or no other one, is the first one's
        mine = (i for i, one in enumerate(found) if column in (*one.cause.columns, one.cause.size.get("beside")))
        at = next(mine, 0)
        covers[at].append(column)
    return [replace(one, covers=tuple(mine)) for one, mine in zip(found, covers, strict=True)]


def _of_values_here(verdicts: Sequence[tuple[Rule, Verdict]]) -> list[tuple[Rule, Verdict]]:
    """Without those of columns of which only a comparison with another table broke: rows that are missing there say
    nothing of how values changed here, and stand for themselves."""
    own = {rule.column for rule, _ in verdicts if rule.other is None}
    return [(rule, verdict) for rule, verdict in verdicts if rule.column in own]


def _without_values(rule: Rule, verdict: Verdict) -> Verdict:
    """What a rule on strings said of a sensitive column: which clause is broken in words that hold no value."""
    said = verdict.sentence if rule.clauses else ""
    for told, fit in rule.retold():
        said = said.replace(told, fit)
    return replace(verdict, sentence=said)


Chosen = tuple[list[Guess], tuple[str, ...]]
#: Chosen: the ends, the tails and the quartiles, where shifts, cuts and stretches differ.
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def _of_rows(case: Case) -> tuple[list[Chosen], list[str]]:
    """(causes of whole rows, columns that they leave to be explained)."""
    batch = case.batch
    columns = [name for name in case.broken if name in batch.state.columns]
    if batch.previous is None or batch.kind == "rewrite":  # which has the rows that it replaced, and should
        changed = _changed(case)
        known = ([] if changed is None else [([changed], changed.others)]) + rewritten_rows(case)
        told = {name for _, names in known for name in names}
        return known, [name for name in columns if name not in told]
    columns += [name for name in _retyped(case) if name not in columns]
    usual = case.usual()
    before = batch.previous.rows if _is_change_of_rows(case) else None
    if before is not None:
        usual["row_count"] = float(before)
    found = [g for g in tables.guesses(batch.state, batch.previous, usual, columns) if g.fit >= LEAST_FIT]
    if before is not None:
        found = [replace(g, detail={**g.detail, "before": before}) if g.cause == "volume" else g for g in found]
    if batch.operation in DELETES:
        found = [replace(g, detail={**g.detail, "deleted": True}) if g.key == "rows_lost" else g for g in found]
    found += repeated_keys(case, {name for g in found if g.cause in ("swapped", "shifted") for name in g.others})
    found += loaded_again(case)
    whole = [g for cause in WHOLE for g in found if g.cause == cause and g.fit >= 0.6 and not is_collapsed(case, g)]
    moved = [g for g in found if g.cause in ("swapped", "shifted") and g.credible]
    chosen: list[Chosen] = []
    if whole:
        first = whole[0]
        chosen.append(([first, *[g for g in found if g.cause != first.cause]], first.others))
        columns = [c for c in columns if not is_absorbed(case, first, c)]
    for guess in moved:
        if set(guess.others) & set(columns) and beats_own(case, guess):
            chosen.append(([guess, *[g for g in moved if g is not guess]], guess.others))
            columns = [c for c in columns if c not in guess.others]
    volume = [g for g in found if g.cause == "volume"] if {"row_count", "shortfall"} & case.metrics("") else []
    if volume and not whole:
        chosen.append((volume + [g for g in found if g.cause != "volume"], ()))
        columns = [c for c in columns if not is_absorbed(case, volume[0], c)]
    return chosen, columns


def _is_change_of_rows(case: Case) -> bool:
    """Whether the table had as many rows before, or as few, and these are out because the batch before had others: half
    of a table that doubled is what was usual."""
    broken = next((verdict for verdict in case.broken.get("", ()) if "row_count" in verdict.expected), None)
    known = [m["row_count"] for m in case.past_of("") if m]
    if broken is None or case.batch.previous is None or not known:
        return False
    rows, low, before = case.batch.state.rows, broken.expected["row_count"][0], case.batch.previous.rows
    fell = low is not None and rows < low
    return min(known) <= rows <= max(known) and (rows < before if fell else rows > before)


def _retyped(case: Case) -> list[str]:
    """The columns of another type of the same kind, where that is what broke and something is known to have become of
    their values: a factor makes decimal numbers of whole ones."""
    if not any("damage" in verdict.observed for verdict in case.broken.get("", ())):
        return []
    both = ((name, *case.states(name)) for name in case.batch.state.columns)
    other = [name for name, now, before in both if now and before and now.type != before.type]
    return [name for name in other if any(guess.credible for guess in guesses_of(case, name))]


def _of_columns(case: Case, columns: Sequence[str], told: bool) -> list[Chosen]:
    """Causes of single columns: those that broke alike are one; what nothing explains is one too."""
    groups: dict[tuple[str, str], tuple[list[Guess], list[str]]] = {}
    unknown: list[str] = []
    exchanged = [guess for guess in partly_exchanged(case, columns) if guess.credible]
    for column in [name for name in columns if not any(name in guess.others for guess in exchanged)]:
        beside = bool(case.metrics(column)) and case.metrics(column) <= OF_PAIRS
        if beside and _ahead(case, column) in case.broken:
            continue  # the time in front of it changed
        found = _credible(guesses_of(case, column))
        if "gap" in case.metrics(column) and (not found or beside or found[0].cause == "time_zone"):
            before = case.batch.previous
            usual = lambda name: tables.usual_of(case.past_of(name))  # noqa: E731
            found = times.apart(case.batch.state, before, column, usual) + found if before else found
        if not found:
            unknown.append(column)
            continue
        key = found[0].key, str(next((found[0].detail[name] for name in APART if found[0].detail.get(name)), ""))
        key = (found[0].key, str(found[0].detail["offset"] > 0)) if "offset" in found[0].detail else key
        key = (found[0].cause, "") if found[0].cause in ("nulls", "encoding", "default") else key
        groups.setdefault(key, (found, []))[1].append(column)
    chosen = [([guess], guess.others) for guess in exchanged]
    chosen += [
        (_of_all(case, guesses, names), guesses[0].others if "beside" in guesses[0].detail else tuple(names))
        for guesses, names in groups.values()
    ]
    chosen.sort(key=lambda one: (len(one[1]) > 1, -one[0][0].fit))  # a lone column is seldom a change on purpose
    if unknown or (not chosen and not told):
        unknown.sort(key=lambda name: -max((_beyond(v) for v in case.broken.get(name, ()) if v.metric), default=-1.0))
        chosen.append(([_unknown(case, unknown)], tuple(unknown)))
    return chosen


def _of_all(case: Case, found: list[Guess], columns: Sequence[str]) -> list[Guess]:
    """The guesses at one cause of several columns: with the default of each where these differ, and without how far
    numbers have moved where that does; of values of another column with whether that one still has them."""
    first, *others = _of_most(case, found[0], columns), *found[1:]
    if first.cause == "default" and not set(columns) & set(case.private):
        values = [str(guesses_of(case, name)[0].detail.get("value")) for name in columns]
        if len(set(values)) > 1:
            return [replace(first, detail={**first.detail, "values": values}), *others]
    if "offset" in first.detail:
        by = [guesses_of(case, name)[0].detail["offset"] for name in columns]
        if max(by) - min(by) > NEARLY * abs(first.detail["offset"]):
            return [replace(first, detail={"larger": by[0] > 0}, undo="", mend=None), *others]
    if first.key == "neighbour" and first.detail["from"] not in case.broken:
        return [replace(first, detail={**first.detail, "copied": True}), *others]
    return [first, *others]


def _of_most(case: Case, guess: Guess, columns: Sequence[str]) -> Guess:
    """The guess at the column in whose rows it is most often so, with the `shares` of all where they differ: the least
    of them would say that nearly all rows are right."""
    tops = {name: top[0] for name in columns if (top := guesses_of(case, name)) and top[0].cause == guess.cause}
    shares = {name: top.share for name, top in tops.items()}
    if len(shares) < max(len(columns), 2) or max(shares.values()) - min(shares.values()) <= words.SAME:
        return guess
    most = max(shares, key=lambda name: shares[name])
    return replace(tops[most], detail={**tops[most].detail, "shares": {n: round(s, 4) for n, s in shares.items()}})


def _credible(guesses: Sequence[Guess]) -> list[Guess]:
    """The guesses that may be said, and behind them the others that it might be; none where none may be said."""
    said = [guess for guess in guesses if guess.credible]
    return said and [*said, *(g for g in guesses if not g.credible and g.fit >= LEAST_FIT)]


def _ahead(case: Case, column: str) -> str:
    """The time column in front of this one."""
    return next((one.column for one in case.batch.state.columns[column].before), "")


def _unknown(case: Case, columns: Sequence[str]) -> Guess:
    """What nothing explains, with a figure of the first of these columns: that which is furthest out."""
    changed = _changed(case)
    if changed is not None and not columns:  # of which the rows know nothing: a column has another name
        return replace(changed, others=())
    verdicts = [v for v in case.broken.get(columns[0] if columns else "", ()) if v.metric]
    if not verdicts:
        return Guess("unknown", "unknown", 0.0)
    worst = max(verdicts, key=_beyond)
    detail = {"metric": worst.metric, "value": worst.value, "low": worst.low, "high": worst.high}
    if len(columns) > 1:
        detail["of"] = columns[0]
    known = worst.value is not None and worst.high is not None
    return Guess("unknown", "unknown", 0.0, detail=detail | {"said": worst.sentence} if known else {})


def _changed(case: Case) -> Guess | None:
    """What the schema rule found, about the columns that it names; None where it found nothing."""
    broken = [verdict.observed for verdict in case.broken.get("", ()) if verdict.observed.get("damage")]
    if not broken:
        return None
    names = tuple(name for one in broken for name in one.get("broke", ()))
    detail = {"damage": [said for one in broken for said in one["damage"]]}
    return Guess("schema", "schema", 0.99, detail=detail, others=names)


def _beyond(verdict: Verdict) -> float:
    """How far a figure is out of its band, in widths of the band; of one without a lower or an upper end in those of
    what it is at most."""
    low, value, high = verdict.low, verdict.value, verdict.high
    if value is None or (low is None and high is None):
        return 0.0
    low, high = (low if low is not None else min(0.0, value)), (high if high is not None else max(0.0, value))
    return max(value - high, low - value) / max(high - low, NARROWEST)


def _said(case: Case, guesses: Sequence[Guess], columns: tuple[str, ...]) -> Diagnosis:
    guess = guesses[0]
    column = columns[0] if columns else ""
    now, before = case.states(column)
    whole = not columns or guess.cause in (*WHOLE, "volume")
    seen = words.Seen(
        case.table, now, before, [m for m in case.past_of("" if whole else column) if m], case.batch.state.rows,
        private=bool(set(columns) & set(case.private)), alone=len(columns) == 1, meaning=case.meanings.get(column, ""),
        lost=case.lost.get(column) if len(columns) == 1 and guess.cause in REWRITES else None,
    )  # fmt: skip
    back, of, what = proof.taken_back(case, guess, columns)
    others = tuple((g.cause, g.fit) for g in guesses[1:])
    said = words.sentence(guess, columns, seen)
    told = proof.in_words(guess.undo, back, of, what)
    undo = guess.undo if told or not of or guess.share < OWN else ""  # tried, and it does not bring them back
    if case.batch.kind == "rewrite" and not undo and guess.cause not in ("schema", "unknown"):
        undo = f"take what stood there from version {case.batch.version - 1}, which still has it"
    confidence = _confidence(guess, others, bool(told))
    detail = {} if seen.private else dict(guess.detail)
    size = {"share": round(guess.share, 4), **detail}
    figures = {} if whole or seen.private else _figures(now, before)
    cause = Cause(guess.cause, guess.key, confidence, columns, size, said, undo, told, figures)
    return Diagnosis(cause, _ranked(others, confidence))


def _figures(now: ColumnState | None, before: ColumnState | None) -> dict[str, list[float]]:
    """Quantiles of a column of numbers before and now, at `QUANTILES`."""
    if now is None or before is None or now.kind != "number" or now.quantiles is None or before.quantiles is None:
        return {}
    pairs = (("before", before.quantiles), ("now", now.quantiles))
    return {name: [q.quantile(share) for share in QUANTILES] for name, q in pairs if len(q.values)}


def _ranked(others: Sequence[tuple[str, float]], first: float) -> tuple[tuple[str, float], ...]:
    """The other causes with what confidence is left, shared by their fits."""
    kept = [(cause, fit) for cause, fit in others if fit >= LEAST_FIT][:3]
    total = sum(fit for _, fit in kept) + 0.5
    return tuple((cause, round((1 - first) * fit / total, 3)) for cause, fit in kept)


def _confidence(guess: Guess, others: Sequence[tuple[str, float]], proven: bool) -> float:
    """How often such a guess was right, where that is known; else from how much is explained, how much more than by the
    next cause, and whether undoing it was proven."""
    if guess.cause == "unknown":
        return 0.0
    if guess.probability is not None:
        return round(min(guess.probability, 0.99), 2)
    lead = guess.fit - max((fit for _, fit in others), default=0.0)
    found = 0.35 + 0.4 * guess.fit + 0.25 * min(max(lead, 0.0) / 0.2, 1.0)
    return round(min(found + (0.1 if proven else 0.0), 0.99), 2)
