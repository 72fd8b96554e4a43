"""Guesses at what happened to a column of strings: every kind of damage, done to what the column was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog.causes.cause import READ_OFF, Guess
from catalog.causes.guesses import features as f
from catalog.causes.guesses import texts
from catalog.causes.guesses.hypotheses import ALL, UNDO, hypotheses, is_filled_in, is_sentinel, led_back
from catalog.causes.guesses.vocabulary import new_values
from catalog.damage import STRINGS, exchanges
from catalog.domains.known import KNOWN
from catalog.states.column import ColumnState
from catalog.states.parts.shapes import SET, coarsen, shape_of

#: A change that explains so much, and makes one value of most, is a better guess than that value as a default: by so
#: much. Chosen.
ALIKE, BETTER = 0.8, 0.2
#: Values of a column, and their share in a healthy batch that is new, below which they are a vocabulary.
#: Chosen: as many values as a state keeps one by one, at least.
VOCABULARY, FRESH = 128, 0.1
#: Share of the rows with values, or shapes, unlike those before, from which these are compared with what a guess makes
#: of values, and share of them that it must make; by how much a guess that does not is worse. Chosen: such a guess is
#: said where there is no better one.
UNLIKE, MADE, LESS_LIKE = 0.02, 0.5, 0.3
#: How much rows that hold one value count beside those of one shape. Chosen: alike, as in `features.weights_of`.
VALUE = 0.5
#: Share of the distinct values that as many rows of another column hold, which those of it have at least. Chosen.
AS_MANY = 0.1
#: Share of a healthy batch that is new, from which batches bring other values each time (chosen); how many times as
#: frequent as the most frequent value of a batch one must be to be a default all the same: as of numbers.
OTHERS, RISEN = 0.5, 5.0


def guesses(
    now: ColumnState, before: ColumnState, others: Mapping[str, ColumnState], usual: Mapping[str, float]
) -> list[Guess]:
    """Explanations of what changed in a column, the best first.

    Parameters
    ----------
    now, before : the column in this batch and in the last healthy one.
    others : the other columns of strings in the last healthy batch, by name.
    usual : the usual value of each metric of the column.
    """
    if not f.sample_of(before) or not f.sample_of(now):
        return []
    counted = f.like_all_of(before)
    vocabulary = usual.get("new_values", 1.0) <= FRESH and usual.get("dist_val_count", 1e9) <= VOCABULARY
    level = f.level_of(now, before)
    base, here = f.of_state(before, level, vocabulary), f.of_values(counted, level, vocabulary)
    weight = f.weights_of(base, one_value=_one_value(usual))
    moved = f.difference(base, f.of_state(now, level, vocabulary), weight)
    regular = usual.get("new_values" if vocabulary else "Pat_new", 1.0) <= FRESH
    found = list(_special(now, before, usual, vocabulary))
    if regular and not vocabulary:
        found += _misplaced(now, before)
    key_of = _key_of(now, before, level, vocabulary)
    known = {key_of(v) for v, _ in counted}
    unlike = [(v, n) for v, n in f.like_all_of(now) if key_of(v) not in known]
    fresh = [v for v, _ in f.sample_of(now) if key_of(v) not in known]
    images: set[str] = set()
    for key, cause, change, detail, mend in hypotheses(now, before, fresh):
        if cause == "default" and _as_ever(detail, usual):
            continue
        if cause == "doubled" and mend is not None and fresh and all(mend(v) == v for v in fresh):
            continue  # longer than before, but none of what is new stands twice in its cell
        damaged = [(change(v) or v, n) for v, n in counted]
        unmade = regular and not _makes(damaged, unlike, now.non_null, key_of)
        if unmade and (vocabulary or detail):  # values are known one by one, or it was read off the new ones
            continue
        predicted = f.difference(here, f.of_values(damaged, level, vocabulary), weight)
        fit, share = f.explained(moved, predicted)
        if cause == "default" and not vocabulary:  # written like the others, it shows in no shape
            fit, share = f.explained(*_with_value(detail, moved, predicted))
        if cause == "default":  # as many rows as hold the value, whatever else looks like it
            fit, share = fit - max(share - detail["share"], 0.0), detail["share"]
        if (
            fit > 0
            and share > 0.01
            and not (cause == "case" and vocabulary and _unlike(now, before, before, str.casefold))
        ):
            fit += _simplicity(cause, detail, before, others, usual) - (LESS_LIKE if unmade else 0.0)
            found.append(Guess(key, cause, min(fit, 1.0), share, detail, mend, UNDO.get(key, "")))
            if cause != "default" and not unmade and fit > ALIKE and (image := _one_image(damaged)):
                images.add(image)
    found += _in_clear(now, before)
    for name, other in others.items():
        predicted = f.difference(base, f.of_state(other, level, vocabulary), weight)
        fit, share = f.explained(moved, predicted)
        if share > 0.05 and not _unlike(now, before, other):
            found.append(Guess("neighbour", "swapped", fit - 0.02, share, {"from": name}, others=(name,)))
    found = [g if g.detail.get("value") not in images else replace(g, fit=g.fit - BETTER) for g in found]
    if now.table is None and max((g.fit for g in found), default=0.0) < ALIKE:
        after, values = ([v for v, _ in f.sample_of(state)] for state in (now, before))
        found += texts.guesses(after, values, hypotheses(now, before, fresh))
    return sorted(found, key=lambda g: -g.fit)


def _with_value(
    detail: Mapping[str, Any], moved: Mapping[str, float], predicted: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, float]]:
    """What moved, and what a default would move, with the rows that hold it."""
    key = f"v{detail['value']}"
    return {**moved, key: VALUE * detail["share"]}, {**predicted, key: VALUE}


def _key_of(now: ColumnState, before: ColumnState, level: int, vocabulary: bool) -> Callable[[str], str]:
    """By what values are told apart: themselves in a vocabulary, else their shapes."""
    if vocabulary and now.table is not None and before.table is not None:
        return str
    return lambda v: coarsen(shape_of(v), level)


def _makes(damaged: f.Counted, unlike: f.Counted, rows: int, key_of: Callable[[str], str]) -> bool:
    """Whether a change makes such values as are `unlike` those before, where there are enough of them."""
    new = sum(n for _, n in unlike)
    if new < UNLIKE * rows:
        return True
    made = {key_of(v) for v, _ in damaged}
    return sum(n for v, n in unlike if key_of(v) in made) >= MADE * new


def _one_image(damaged: f.Counted) -> str:
    """The value that most of the rows are after a change; empty where there is none."""
    counts: dict[str, float] = {}
    for value, n in damaged:
        counts[value] = counts.get(value, 0.0) + n
    value = max(counts, key=lambda v: counts[v])
    return value if counts[value] > 0.5 * sum(counts.values()) else ""


def _unlike(now: ColumnState, before: ColumnState, source: ColumnState, told_by: Callable[[str], str] = str) -> bool:
    """Whether what is new is not what `source` held, where that is known value by value, or is by far fewer values."""
    if source.table is None:
        return now.table is not None and _fewer(now, before, source)
    known, held = {v for v, _ in f.sample_of(before)}, {told_by(v) for v, _ in source.table}
    new = [(v, n) for v, n in f.sample_of(now) if v not in known]
    return 2 * sum(n for v, n in new if told_by(v) in held) < sum(n for _, n in new)


def _fewer(now: ColumnState, before: ColumnState, source: ColumnState) -> bool:
    """Whether new values are far fewer than as many rows of `source` hold."""
    known = {v for v, _ in f.sample_of(before)}
    new = [n for v, n in f.sample_of(now) if v not in known]
    return len(new) < AS_MANY * min(sum(new), source.distinct.estimate())


def _simplicity(
    cause: str,
    detail: Mapping[str, Any],
    before: ColumnState,
    others: Mapping[str, ColumnState],
    usual: Mapping[str, float],
) -> float:
    """Of equals a default is the simplest, unless the column was one value before, or another column holds that one."""
    if cause != "default":
        return 0.0
    value, often = detail["value"], max(n for _, n in f.sample_of(before)) / before.non_null
    elsewhere = any(n > 0.1 * c.non_null for c in others.values() for v, n in c.frequent.items if v == value)
    return -0.03 if elsewhere or (often > 0.9 and not is_filled_in(value)) else 0.02


def _as_ever(detail: Mapping[str, Any], usual: Mapping[str, float]) -> bool:
    """Whether batches bring other values each time, and a few of them fill each: the day's date, a place's files. That
    one is new and frequent makes it no default; a word for one does."""
    if usual.get("new_values", 0.0) <= OTHERS or is_filled_in(detail["value"]) or is_sentinel(detail["value"]):
        return False
    return bool(detail["share"] < RISEN * usual.get("top_ratio", 0.0))


def _one_value(usual: Mapping[str, float]) -> bool:
    """Whether the column is one value in each batch, another one each time: the day's date."""
    return usual.get("new_values", 0.0) > 0.9 and usual.get("top_ratio", 0.0) > 0.9


def _special(now: ColumnState, before: ColumnState, usual: Mapping[str, float], vocabulary: bool) -> Iterator[Guess]:
    """What is read from values rather than from their shapes."""
    yield from led_back(now, before)
    yield from _encoding(now, before)
    yield from _marked(now, before)
    if vocabulary:
        yield from new_values(now, before)
    yield from _check_digits(now, before)
    yield from _transposed(now, before)


#: What stands in the place of values that nobody may read, and what is told from them by its shape alone.
HASHES = ("md5", "sha1", "sha256", "sha512")
MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
#: Domains whose last characters check the others.
CHECKED = (
    "barcode", "iban", "isbn", "issn", "ismn", "isin", "card_number", "vat_number", "lei", "imei", "national_id",
    "orcid",
)  # fmt: skip


def checked_domain(values: Sequence[str]) -> str | None:
    """The domain with a check digit that nine of ten values belong to."""
    for name in CHECKED:
        if values and sum(KNOWN[name].validate(v) for v in values) >= 0.9 * len(values):
            return name
    return None


#: Marks of single values that a healthy column has nearly always or never, and what they are signs of.
SIGNS = {
    "html": ("html", "escapes"), "url": ("url", "escapes"), "quoted": ("quotes", "quotes"),
    "leading space": ("space_before", "spaces"), "trailing space": ("space_behind", "spaces"),
}  # fmt: skip
#: The signs that the first and the last character are.
AT_ENDS = ("quoted", "leading space", "trailing space")
#: Share of the rows that a mark was on before at most, and is on more now at least, to be a sign: chosen, so that one
#: value in a hundred is none.
NEVER, OFTEN = 0.005, 0.02
#: Share of the rows that began with a zero, to be missed. Chosen: three of a hundred values known.
ZEROS = 0.03


def _marked(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """Escapes, quotation marks and white space where there was none, though what moved most is something else."""
    old, new = (_marks(state) for state in (before, now))
    for mark, (key, cause) in SIGNS.items():
        share = new[mark] - old[mark]
        if cause == "spaces" and 2 * _more_spaces(now, before) < share:
            continue  # few values are known, and these end with a blank that was there
        if old[mark] <= NEVER and share >= OFTEN:
            kind = next(k for k in STRINGS if k.key == key)
            yield Guess(key, cause, 0.75, share, {"share": share}, kind.undo, UNDO.get(key, ""), sure=READ_OFF)
    lost = old["leading zero"] - new["leading zero"]
    if lost >= ZEROS and new["leading zero"] <= NEVER and _shorter(now, before):
        yield Guess("zeros_lost", "leading_zeros", 0.96, lost, {"share": lost}, sure=READ_OFF)


def _marks(state: ColumnState) -> dict[str, float]:
    """Share of the rows that each mark is on: of a column of which few values are known, at the ends of the shapes."""
    found, shapes = f.marks_of(f.like_all_of(state)), state.shapes
    if shapes is None or shapes.level & SET:
        return found
    ends = f.marks_of([(shape.text, shape.count) for shape in shapes.items])
    listed = sum(shape.count for shape in shapes.items) / max(shapes.rows, 1)
    return found | {mark: max(found[mark], ends[mark] * listed) for mark in AT_ENDS}


def _more_spaces(now: ColumnState, before: ColumnState) -> float:
    """How many more spaces a value has than before on the mean of all rows, or characters that may be some."""
    was, has = ((one.spaces + one.other) / one.n if one and one.n else 0.0 for one in (before.lengths, now.lengths))
    return has - was


def _shorter(now: ColumnState, before: ColumnState) -> bool:
    """Whether values are shorter than any were, and none longer."""
    a, b = before.lengths, now.lengths
    return a is not None and b is not None and b.shortest < a.shortest and b.longest <= a.longest


def _encoding(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    if now.garbled is None or before.garbled is None or not now.non_null or not before.non_null:
        return
    more = now.garbled / now.non_null - before.garbled / before.non_null
    if more > 0.002:
        lost = any("\ufffd" in v for v, _ in f.sample_of(now))
        key = "replaced" if lost else "mojibake"
        kind = next(k for k in STRINGS if k.key == key)
        yield Guess(key, "encoding", 0.97, more, {"share": more}, kind.undo, UNDO.get(key, ""), sure=READ_OFF)


def _in_clear(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """That values are e-mail addresses, told by how they are written, where all were hashes."""
    old = [v for v, _ in f.sample_of(before)[:VALIDATED]]
    was = next((name for name in HASHES if all(KNOWN[name].validate(v) for v in old)), None)
    if was is None:
        return
    width = len(old[0])  # all hashes of a kind are as long as each other
    other = [(v, n) for v, n in f.like_all_of(now) if len(v) != width]
    if now.shapes is not None and now.shapes.level:  # most are known by their shape alone
        other = [(shape.text, float(shape.count)) for shape in now.shapes.items if len(shape.text) != width]
    rows = sum(n for _, n in other)
    if len(other) < 2:  # one value stands for nobody's
        return
    if rows >= UNLIKE * now.non_null and sum(n for v, n in other if MAIL.fullmatch(v)) >= ALL * rows:
        yield Guess("in_clear", "in_clear", 1.0, rows / now.non_null, {"was": KNOWN[was].title})


def _check_digits(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """Values that passed a check and do not any more, though they are written as before."""
    old, new = ([v for v, _ in f.sample_of(state)[:VALIDATED]] for state in (before, now))
    name = checked_domain(old)
    if name is None:
        return
    fails = 1 - sum(KNOWN[name].validate(v) for v in new) / len(new)
    wrong = [v for v in new if not KNOWN[name].validate(v)]
    if fails > 0.1 and len(wrong) >= EXCHANGED and all(_mended(v, KNOWN[name].validate) for v in wrong):
        detail = {"domain": KNOWN[name].title, "share": fails}
        yield Guess("transposed", "transposed", 0.92, fails, detail, sure=READ_OFF)
    if fails > 0.1 and {shape_of(v) for v in new} <= {shape_of(v) for v in old}:
        detail = {"domain": KNOWN[name].title, "share": fails, "example": wrong[0]}
        yield Guess("check_digit", "check_digit", 0.9, fails, detail, sure=READ_OFF)


#: So many values must each be right again with two neighbours exchanged: of thirteen digits whose last one is wrong an
#: exchange mends 3 in 4 by chance. Chosen: eight all mended by chance are one in ten, and come with other proof.
EXCHANGED = 8
VALIDATED = 128  # values of a column whose check digits are looked at; a bound of time


def _mended(value: str, valid: Callable[[str], bool]) -> bool:
    """Whether a value passes its check with two neighbouring characters exchanged."""
    pairs = range(len(value) - 1)
    return any(valid(value[:i] + value[i + 1] + value[i] + value[i + 2 :]) for i in pairs if value[i] != value[i + 1])


def _transposed(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """New values with the same characters as values that were there, in another order."""
    if now.table is None or before.table is None:
        return
    known = {v for v, _ in f.sample_of(before)}
    sorted_known = {"".join(sorted(v)) for v in known if len(set(v)) > 1}
    new = [(v, n) for v, n in f.sample_of(now) if v not in known]
    rows = sum(n for _, n in new)
    same = sum(n for v, n in new if "".join(sorted(v)) in sorted_known)
    if rows and same > 0.8 * rows and len(new) > 2:  # one or two are a misspelt value
        yield Guess("transposed", "transposed", 0.92 * same / rows, rows / now.non_null, sure=READ_OFF * same / rows)


def _misplaced(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """Values written as none was, that are written as before with two neighbouring characters exchanged."""
    known = {shape_of(v) for v, _ in f.sample_of(before)}
    sample = [(v, n) for v, n in f.sample_of(now) if len(v) <= texts.LONGEST]
    new = [(v, n) for v, n in sample if shape_of(v) not in known]
    rows, total = sum(n for _, n in new), sum(n for _, n in sample)
    if len(new) < EXCHANGED or rows < UNLIKE * total:
        return
    back = sum(n for v, n in new if any(shape_of(u) in known for u in exchanges(v)))
    if back >= ALIKE * rows:
        yield Guess("transposed", "transposed", 0.92 * back / rows, rows / total, sure=READ_OFF * back / rows)
