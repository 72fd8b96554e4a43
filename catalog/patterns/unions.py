"""The few patterns that all values of a column have in common, as a person would write them.

Values are cut into tokens, those with the same sequence of kinds of tokens make a group, and each group becomes one
pattern: at every position the text, where all values have the same there, or else the class and, where all have the
same, the length; of a group of up to `FEW_DIFFERENT` values, however many rows they fill, the class. `UNION_LEVELS` say
how values are cut and what is kept:

=============  ======================================================================================================
``constants``  ``SO<digit>{5}``, ``2026-<digit>{2}-<digit>{2}``: texts and lengths
``names``      ``SO<digit>{5}``, ``<digit>{4}-<digit>{2}-<digit>{2}``: texts without digits, lengths
``stems``      ``SO<digit>+``: texts without digits, no lengths
``formats``    ``<upper>{2}<digit>{5}``: symbols and lengths
``numbers``    ``<upper>+ <num>``: numbers with sign and decimals are one token; symbols only, no lengths
``chunks``     ``<alphanum>{8}-<alphanum>{4}``: letters and digits side by side are one token; texts as above, lengths
``affixes``    ``https://www.<all>.jpg``: what all values begin and end with
=============  ======================================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from catalog.patterns.language.characters import MOST_CHARACTERS, shape_of
from catalog.patterns.language.hierarchy import class_of
from catalog.patterns.language.pattern import Pattern
from catalog.patterns.language.regex import NUM as NUMBER
from catalog.patterns.language.tokens import ALL, ALNUMS, CONST, DIGIT, LETTERS, LOWER, NUM, UPPER, Token, chunks, lex

UNION_LEVELS = ("constants", "names", "stems", "formats", "numbers", "chunks", "affixes")
FEW_DIFFERENT = 3  # chosen: of so few different values neither what all have in common nor their lengths are evidence
MOST_PATTERNS = 3  # a union of more is read by nobody; a bound
MOST_TOKENS = 64  # of a value; longer ones are prose, a bound
# Names of months and days in English, whole and short, and halves of a day.
CALENDAR = frozenset(
    name
    for word in (
        "january february march april may june july august september october november december "
        "monday tuesday wednesday thursday friday saturday sunday am pm"
    ).split()
    for name in (word, word[:3])
)
Group = list[tuple[tuple[str, ...], float]]  # (the parts of a value, its rows)

_LETTERS = r"[^\x00-@\x5b-\x60\x7b-\x7f]+"  # ASCII letters and everything beyond ASCII
_DIGITS = re.compile(r"[0-9]+")
_NUMBERS = re.compile(rf"{NUMBER}|[0-9]+|{_LETTERS}|[\s\S]")
_LAST_RUN, _FIRST_RUN = re.compile(rf"(?:[0-9]+|{_LETTERS})\Z"), re.compile(rf"\A(?:[0-9]+|{_LETTERS})")
_KINDS = (
    (DIGIT, re.compile(r"[0-9]+")), (UPPER, re.compile(r"[A-Z]+")), (LOWER, re.compile(r"[a-z]+")),
    (LETTERS, re.compile(_LETTERS)), (ALNUMS, re.compile(r"[^\x00-/:-@\x5b-\x60\x7b-\x7f]+")),
    (NUM, re.compile(r"-?[0-9]+(\.[0-9]+)?")),
)  # fmt: skip
_LENGTHS = ("constants", "names", "formats", "chunks")  # levels that keep them


@dataclass(frozen=True)
class Union:
    """Patterns that every value has, by rows, most first.

    Parameters
    ----------
    patterns : at most `MOST_PATTERNS`.
    rows : of each pattern.
    frail : how many times a single row made a pattern more general, or needed a pattern of its own: what Good and
        Turing's estimate of the unseen counts.
    """

    patterns: tuple[Pattern, ...]
    rows: tuple[float, ...]
    frail: int


def union(values: Mapping[str, float], level: str) -> Union | None:
    """The patterns of the values (with their rows) at one of `UNION_LEVELS`; None where they are too many.

    >>> [str(p) for p in union(dict.fromkeys(["SO17", "SO18", "SO20", "SO44"], 1), "constants").patterns]
    ['SO<digit>{2}']
    >>> [str(p) for p in union({"SO17": 900, "SO18": 70, "none": 1}, "constants").patterns]  # of few different ones
    ['<upper>+<digit>+', '<lower>+']
    >>> [str(p) for p in union(dict.fromkeys(["a-1", "b-10", "c-7", "d-4"], 1), "constants").patterns]
    ['<lower>{1}-<digit>+']
    >>> [str(p) for p in union(dict.fromkeys(["3f-a", "20-0", "7a-1", "77-c"], 1), "chunks").patterns]
    ['<alphanum>{2}-<alphanum>{1}']
    >>> [str(p) for p in union({"3.50 EUR": 3, "-2 USD": 1}, "numbers").patterns]
    ['<num> <upper>+']
    >>> [str(p) for p in union({f"Oct {day}": 1 for day in range(12, 16)}, "names").patterns]
    ['<letter>{3} <digit>{2}']
    >>> [str(p) for p in union({"http://a.b/1.jpg": 3, "http://c/d.jpg": 1}, "affixes").patterns]
    ['http://<all>.jpg']
    """
    if level == "affixes":
        return _affixes(values)
    groups = grouped(values, cutting(level))
    return None if groups is None else union_of(groups, level)


def cutting(level: str) -> str:
    """How values are cut at a level; levels that cut alike share the groups."""
    return level if level in ("numbers", "chunks") else "lex"


def grouped(values: Mapping[str, float], cut: str) -> list[Group] | None:
    """The values by the kinds of their tokens; None where there are more than `MOST_PATTERNS` groups, or prose."""
    groups: dict[tuple[str, ...], Group] = {}
    parts_of, slot = _CUTS[cut]
    for value, count in values.items():
        if len(value) >= MOST_CHARACTERS or len(parts := parts_of(value)) > MOST_TOKENS:
            return None
        groups.setdefault(tuple(map(slot, parts)), []).append((parts, count))
        if len(groups) > MOST_PATTERNS:
            return None
    return list(groups.values()) or None


def union_of(groups: Sequence[Group], level: str, open_runs: Collection[tuple[str, int]] = ()) -> Union:
    """The patterns of groups at one of `UNION_LEVELS`.

    `open_runs` are runs of digits without a length, since they count: (class of the view ``runs``, which of its runs).

    >>> group = [(("a", str(n)), 1) for n in range(17, 21)]
    >>> [str(union_of([group], "constants", open_runs).patterns[0]) for open_runs in ((), [("a0", 0)])]
    ['a<digit>{2}', 'a<digit>+']
    """
    made = [(*_pattern(group, level, _places(group, open_runs)), sum(n for _, n in group)) for group in groups]
    made.sort(key=lambda item: (-item[2], str(item[0])))
    frail = sum(alone + (rows == 1) for _, alone, rows in made)
    return Union(tuple(p for p, _, _ in made), tuple(rows for *_, rows in made), frail)


def form_of(text: str) -> Pattern:
    """What one text looks like: classes, lengths and symbols.

    >>> str(form_of("SO-17"))
    '<upper>{2}-<digit>{2}'
    """
    tokens = (Token(CONST, part) if _symbol(part) else Token(_kind(part), size=len(part)) for part in lex(text))
    return Pattern(tuple(tokens))


def _places(group: Group, open_runs: Collection[tuple[str, int]]) -> frozenset[int]:
    """Which runs of digits of a group have no length."""
    if not open_runs:
        return frozenset()
    kinds = {class_of("runs", shape_of("".join(parts))) for parts, _ in group}
    return frozenset(place for kind, place in open_runs if kind in kinds)


def _symbol(part: str) -> bool:
    return len(part) == 1 and part.isascii() and not part.isalnum()


@lru_cache(maxsize=65536)
def _slot(part: str) -> str:
    """What parts at one position of a group have in common; a symbol is itself."""
    if _symbol(part):
        return part
    return "0" if _kind(part) in (DIGIT, NUM) else "a"


def _chunk(part: str) -> str:
    """The same of parts of letters and digits side by side."""
    return part if _symbol(part) else "x"


def _numbers(value: str) -> tuple[str, ...]:
    return tuple(_NUMBERS.findall(value))


@lru_cache(maxsize=65536)
def _kind(part: str) -> str:
    """The narrowest class of a run of letters and digits, or a number."""
    return next((kind for kind, regex in _KINDS if regex.fullmatch(part)), ALL)


#: By how values are cut: what cuts them, and what parts have in common.
_CUTS: Mapping[str, tuple[Callable[[str], tuple[str, ...]], Callable[[str], str]]] = {
    "lex": (lex, _slot),
    "numbers": (_numbers, _slot),
    "chunks": (chunks, _chunk),
}


def _above(kinds: Collection[str]) -> str:
    """The narrowest class of what is of any of these."""
    if len(kinds) == 1:
        return next(iter(kinds))
    if ALL in kinds or NUM in kinds:
        return NUM if set(kinds) == {DIGIT, NUM} else ALL
    return ALNUMS if DIGIT in kinds or ALNUMS in kinds else LETTERS


def _pattern(group: Group, level: str, places: frozenset[int]) -> tuple[Pattern, int]:
    """(pattern of one group, how many times a single row made it more general)."""
    tokens: list[Token] = []
    frail = place = 0
    firm = len({parts for parts, _ in group}) > FEW_DIFFERENT
    for position, part in enumerate(group[0][0]):
        texts: dict[str, float] = {}
        for parts, count in group:
            texts[parts[position]] = texts.get(parts[position], 0) + count
        runs = len(_DIGITS.findall(part))
        counts = not places.isdisjoint(range(place, place + runs))
        token, alone = _token(texts, level, counts=counts, firm=firm)
        place += runs
        frail += alone
        if tokens and token.kind == CONST == tokens[-1].kind:
            tokens[-1] = Token(CONST, tokens[-1].text + token.text)
        else:
            tokens.append(token)
    return Pattern(tuple(tokens)), frail


def _token(texts: Mapping[str, float], level: str, *, counts: bool, firm: bool) -> tuple[Token, bool]:
    """(token of the texts at one position, whether a single row made it more general)."""
    first = next(iter(texts))
    kept = firm and not counts and _kept(first, level)
    if _symbol(first) or (len(texts) == 1 and kept):
        return Token(CONST, first), False
    kinds: dict[str, float] = {}
    sizes: dict[int, float] = {}
    for text, count in texts.items():
        kind = _kind(text)
        kind = NUM if level == "numbers" and kind == DIGIT else kind
        kinds[kind] = kinds.get(kind, 0) + count
        sizes[len(text)] = sizes.get(len(text), 0) + count
    kind = _above(kinds)
    if level not in _LENGTHS or kind in (NUM, ALL) or counts or not firm:
        sizes = {}
    told = (kinds, sizes, texts if kept else {})
    return Token(kind, size=len(first) if len(sizes) == 1 else 0), any(
        len(seen) == 2 and min(seen.values()) == 1 for seen in told
    )


def _kept(text: str, level: str) -> bool:
    """Whether a text that all values have is kept as it is; what a calendar says of one day passes."""
    if text.casefold() in CALENDAR:
        return False
    return level == "constants" or (level in ("names", "stems", "chunks") and not any(c.isdigit() for c in text))


def _affixes(values: Mapping[str, float]) -> Union | None:
    if len(values) < 2 or any(len(value) >= MOST_CHARACTERS for value in values):
        return None
    low, high = min(values), max(values)  # what these two begin with all do
    backwards = {text[::-1]: count for text, count in values.items()}
    head, tail = _begin(low, high), _begin(min(backwards), max(backwards))[::-1]
    head, tail = _LAST_RUN.sub("", head), _FIRST_RUN.sub("", tail)
    if min(map(len, values)) < len(head) + len(tail):
        tail = ""
    if not head + tail:
        return None
    frail = sum(table[end] == 1 for table in (values, backwards) for end in (min(table), max(table)))
    tokens = [Token(CONST, head)] * bool(head) + [Token(ALL)] + [Token(CONST, tail)] * bool(tail)
    return Union((Pattern(tuple(tokens)),), (sum(values.values()),), frail)


def _begin(a: str, b: str) -> str:
    """What both begin with."""
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return a[:same]
