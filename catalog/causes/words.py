"""Causes in words: what happened, where, how much, what is usual, what it is; no value of a sensitive column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from catalog.causes.cause import NONCONFORMING, OF_TABLES, TITLES, Guess
from catalog.causes.guesses.vocabulary import share_of_true
from catalog.causes.likely import probably
from catalog.causes.quoting import MOST_QUOTED, example, per_cent, shown, side_by_side
from catalog.causes.rows.words import SAID_OF_ROWS, named
from catalog.causes.sizes.words import coarse, extent, medians, offset, scale
from catalog.damage import DAMAGE_KINDS
from catalog.metrics.registry import JUDGED, reveals
from catalog.metrics.sayings import finding
from catalog.metrics.words import number
from catalog.states.column import ColumnState
from catalog.states.elements import list_of
from catalog.wording import counted, of_values

SAME = 0.1  # shares of the rows that differ by no more are of the same rows; chosen
ALL = 0.995  # share of the values that a sentence calls all; a bound of rounding


@dataclass(frozen=True)
class Seen:
    """What a sentence may use: the table's name, the column's states and the metrics of its healthy past.

    Parameters
    ----------
    private : the column is sensitive: nothing is said that is a value.
    alone : no other column broke alike, so that its figures are those of all that the sentence names.
    meaning : the domain that the column is tagged with.
    lost : what values are no longer, by a rule that they broke: "not e-mail addresses", in so many of the rows.
    """

    table: str
    now: ColumnState | None = None
    before: ColumnState | None = None
    past: Sequence[Mapping[str, float]] = ()
    rows: int = 0
    private: bool = False
    alone: bool = True
    meaning: str = ""
    lost: tuple[str, float] | None = None

    def usual(self, metric: str) -> str:
        """The range of a metric in the past, as "48 to 90"; empty where there is none."""
        known = [m[metric] for m in self.past if metric in m]
        if not known:
            return ""
        low, high = number(metric, min(known)), number(metric, max(known))
        return low if low == high else f"{low} to {high}"


def sentence(guess: Guess, columns: Sequence[str], seen: Seen) -> str:
    """The whole story of one cause."""
    where = _where(seen.table, columns)
    said = _SAID.get(guess.key) or _SAID.get(guess.cause) or _plain
    words = said(guess, where, seen)
    if columns and all(map(list_of, columns)):
        words = of_values(words)
    subject, may_be = f"Values in {where} ", probably(guess, where, seen.before, seen.meaning)
    if seen.lost is not None and words.startswith(subject):
        (broken, share), may_be = seen.lost, ""
        some = subject if share >= ALL else f"{per_cent(share)} of the values in {where} "
        if abs(share - guess.share) <= SAME:
            words = f"{some}are {broken} any more: they {words.removeprefix(subject)}"
        else:
            words = f"{words}; {per_cent(share)} of them are {broken} any more"
    return f"{words[:1].upper()}{words[1:]}. {may_be}".strip()


def _where(table: str, columns: Sequence[str]) -> str:
    names = [f"`{table}.{name}`" if table else f"`{name}`" for name in columns[:3]] or [named(table)]
    if len(columns) > 3:
        return f"{', '.join(names)} and {counted(len(columns) - 3, 'more column')}"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _plain(guess: Guess, where: str, seen: Seen) -> str:
    """The kind's own words, with a value before and after."""
    kind = DAMAGE_KINDS.get(guess.key)
    said = (kind.words if kind else "Values in {column} have changed").format(column=where)
    pair = "" if seen.private or kind is None else example(guess, seen.now, seen.before)
    return f"{said}{extent(guess)}{pair}"


def _numbers(guess: Guess, where: str, seen: Seen) -> str:
    return f"{_plain(guess, where, seen)}{medians(seen)}"


def _around(guess: Guess, where: str, seen: Seen) -> str:
    """What stands in front of values, or behind, as it did not before."""
    old, new = str(guess.detail.get("old", "")), str(guess.detail.get("new", ""))
    verb, place = ("begin", "in front") if guess.cause == "prefix" else ("end", "behind")
    if old and (seen.private or len(new) > MOST_QUOTED):
        return f"Values in {where} {verb} differently{extent(guess)}"
    if seen.private or not (old or new) or not f"{old}{new}".isprintable() or len(new) > MOST_QUOTED:
        return _plain(guess, where, seen)
    if old and new:
        said = f"{verb} with {shown(new)} in place of {shown(old)}"
    else:
        said = f"have {shown(new)} {place}" if new else f"have no {shown(old)} {place}"
    return f"Values in {where} {said}{extent(guess)}{example(guess, seen.now, seen.before)}"


def _separators(guess: Guess, where: str, seen: Seen) -> str:
    """Which character is gone between others, and what stands there now: no value, so told of any column."""
    old, new = str(guess.detail.get("old", "")), str(guess.detail.get("new", ""))
    if not (old or new) or not f"{old}{new}".isprintable():
        return _plain(guess, where, seen)
    if old and new:
        said = f"have {shown(new)} in place of {shown(old)}"
    else:
        said = f"have {shown(new)} between their parts" if new else f"have no {shown(old)} any more"
    return f"Values in {where} {said}{extent(guess)}{'' if seen.private else example(guess, seen.now, seen.before)}"


def _times_moved(guess: Guess, where: str, seen: Seen) -> str:
    unit, than = ("hour", "in the day than usual") if guess.cause != "days_moved" else ("day", "than they should be")
    by = int(guess.detail[f"{unit}s"])
    return f"Times in {where} are {counted(abs(by), unit)} {'later' if by > 0 else 'earlier'} {than}{extent(guess)}"


def _time_cut(guess: Guess, where: str, seen: Seen) -> str:
    return f"Times in {where} are cut to whole {guess.detail['unit']}{extent(guess)}"


def _stray(guess: Guess, where: str, seen: Seen) -> str:
    rows = counted(guess.detail["rows"], "row") if "rows" in guess.detail else "Single rows"
    hold = "holds" if guess.detail.get("rows") == 1 else "hold"
    said = f"{rows} of {where} {hold} times far from all others"
    if seen.private:
        return said
    end, value, before = ("latest" if guess.detail["late"] else "earliest", *(
        guess.detail[name].removesuffix("+00:00")[:16] for name in ("value", "before")
    ))  # fmt: skip
    return f"{said}: the {end} is {value}, and was {before[: len(value)]}"


def _default(guess: Guess, where: str, seen: Seen) -> str:
    if "values" in guess.detail:
        values = " and ".join(map(shown, dict.fromkeys(guess.detail["values"])))
        return f"Values in {where} are {values} in rows where others were usual"
    value = "one default value" if seen.private else shown(guess.detail.get("value"))
    if guess.detail.get("capped"):
        return f"Numbers in {where} end at {value}, which {per_cent(guess.share)} of them are and few were"
    what = ", a word for a missing value" if guess.key == "missing_text" else ""
    if guess.detail.get("all"):
        return f"All values in {where} are {value} now{what}, where others were usual"
    share = "All" if guess.share == 1.0 else f"{per_cent(guess.share)} of the"
    share = f"Up to {per_cent(guess.share)} of the" if "shares" in guess.detail else share
    return f"{share} values in {where} are {value}{what}, which is not usual there"


def _nulls(guess: Guess, where: str, seen: Seen) -> str:
    missing = [1 - m[name] for m in seen.past if (name := _filled(m))]
    ends = dict.fromkeys(per_cent(one) for one in (min(missing), max(missing))) if missing else ()
    usual = f", usual {' to '.join(ends)}" if ends else ""
    if missing and max(missing) == 0:
        usual = ", usually none"
    most = "up to " * ("shares" in guess.detail)
    return f"{most}{per_cent(guess.detail['missing'])} of the values in {where} are missing{usual}"


def _now_filled(guess: Guess, where: str, seen: Seen) -> str:
    had = [m[name] for m in seen.past if (name := _filled(m))]
    usual = f", usually {per_cent(min(had))} to {per_cent(max(had))}" if had and max(had) > 0 else ", usually none"
    return f"{per_cent(1 - guess.detail['missing'])} of the rows hold a value in {where}{usual}"


def _filled(metrics: Mapping[str, float]) -> str:
    return next((name for name in ("filled_ratio", "complete_ratio") if name in metrics), "")


def _typo(guess: Guess, where: str, seen: Seen) -> str:
    new, like = guess.detail["new"], guess.detail["like"]
    if seen.private:
        return f"A new value in {where} looks like a usual one misspelt ({per_cent(guess.share)} of the rows)"
    alike = (side_by_side(a, b) for a, b in zip(new, like, strict=False) if b)
    pairs = " and ".join(f"{one} looks like {other}" for one, other in alike)
    return f"A new value in {where}: {pairs} ({per_cent(guess.share)} of the rows)"


def _new_values(guess: Guess, where: str, seen: Seen) -> str:
    named = "" if seen.private else ": " + ", ".join(map(shown, guess.detail["new"][:3]))
    return f"There are values in {where} that were never there{named} ({per_cent(guess.share)} of the rows)"


def _recoded(guess: Guess, where: str, seen: Seen) -> str:
    if seen.private:
        return f"All values in {where} are others than before"
    new, old = (", ".join(map(shown, guess.detail[name][:3])) for name in ("new", "old"))
    return f"All values in {where} are others than before: {new} in place of {old}"


def _reused(guess: Guess, where: str, seen: Seen) -> str:
    share = per_cent(guess.share)
    return f"{share} of the values in {where} were in the batch before already, where all used to be new"


def _identifiers(guess: Guess, where: str, seen: Seen) -> str:
    return f"Rows are identified by other values of {where} than before{extent(guess)}; all else in them is as it was"


def _restarted(guess: Guess, where: str, seen: Seen) -> str:
    told = "" if seen.private else f" at {guess.detail['first']:,}, having reached {guess.detail['highest']:,}"
    return f"Numbers in {where} begin again{told}; they used to go on from batch to batch"


def _in_clear(guess: Guess, where: str, seen: Seen) -> str:
    """None of the values is quoted, whether or not the column is known to be sensitive."""
    share, was = per_cent(guess.share), guess.detail["was"]
    return f"{share} of the values in {where} are e-mail addresses in clear, where each was a {was}"


def _nans(guess: Guess, where: str, seen: Seen) -> str:
    return f"{per_cent(guess.share)} of the values in {where} are no numbers (NaN)"


def _swapped(guess: Guess, where: str, seen: Seen) -> str:
    if moved := guess.detail.get("moved"):
        one, source = next(iter(moved.items()))
        return f"{where} hold values of other columns: `{one}` those of `{source}`"
    how = "are in each other's columns" if guess.cause == "shifted" else "are swapped"
    return f"Values of {where} {how}{extent(guess)}"


def _neighbour(guess: Guess, where: str, seen: Seen) -> str:
    return f"Values in {where} are those of `{guess.detail['from']}`{extent(guess)}"


def _unknown(guess: Guess, where: str, seen: Seen) -> str:
    """The figure furthest out, of several columns with whose it is; of sensitive columns one that reveals no value."""
    detail, usual = guess.detail, f"Values in {where} are not what they usually are"
    name, of = detail.get("metric"), detail.get("of")
    if name is None or (seen.private and (reveals(name) if name in JUDGED else name != NONCONFORMING)):
        return usual
    start, now, before = usual + (f"; in `{of}`" if of else ":"), seen.now, seen.before
    if now is not None and before is not None and now.kind == "boolean" and not seen.private:
        share, past = per_cent(share_of_true(now)), per_cent(share_of_true(before))
        return f"{f'{start} it' if of else where} is true in {share} of the rows, in {past} before"
    if name not in JUDGED:
        return f"{start} {told}" if (told := detail["said"].partition("; ")[0].removesuffix(".")) else usual
    return f"{start} {finding(name, detail['value'], detail['low'], detail['high'], now.kind if now else '')}"


_SAID: dict[str, Callable[[Guess, str, Seen], str]] = {
    **SAID_OF_ROWS,
    "scale": scale, "inverted": scale, "sign": _numbers, "rounded": _numbers, "coarse": coarse,
    "prefix": _around, "suffix": _around, "separators": _separators, "zone": _times_moved, "default": _default,
    "nulls": _nulls, "filled": _now_filled,
    "typo": _typo, "new_values": _new_values,
    "columns_swapped": _swapped, "times_swapped": _swapped,
    "partly_exchanged": _swapped,
    "recoded": _recoded, "offset": offset, "days_moved": _times_moved, "reused": _reused, "nans": _nans,
    "restarted": _restarted, "identifiers": _identifiers, "in_clear": _in_clear, "time_cut": _time_cut,
    "stray": _stray, "neighbour": _neighbour, "shifted": _swapped, "unknown": _unknown,
}  # fmt: skip


def veiled(cause: str, table: str, columns: Sequence[str], share: str = "") -> str:
    """The sentence of a cause without any figure: of columns that turned out to be sensitive. `share` is what a rule
    said whose sentence holds no value; it stands where nothing is known to have happened.

    >>> veiled("scale", "payments", ["amount"])
    '`payments.amount`: another unit or scale. Figures are hidden: sensitive column.'
    >>> veiled("part_missing", "payments", ["state"])
    '`payments`: a part of the rows missing.'
    >>> veiled("unknown", "payments", ["card"], "2 of 9 values (22%) are not card numbers; before mostly digits.")
    'Values in `payments.card` are not what they usually are: 2 of 9 values (22%) are not card numbers.'
    """
    where, told = _where(table, () if cause in OF_TABLES else columns), share.partition("; ")[0].removesuffix(".")
    if cause == "unknown":
        return f"Values in {where} are not what they usually are{f': {told}' if told else ''}."
    hidden = " Figures are hidden: sensitive column." if columns and cause not in {*OF_TABLES, "schema"} else ""
    return f"{where}: {TITLES.get(cause, cause)}.{hidden}"
