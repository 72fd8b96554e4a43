"""Views: ways to look at a value, from its exact shape up to the set of its symbols.

Each view maps a shape (`catalog.patterns.language.characters`) to the text of a class; two values of one class look
alike in that view. The views form a lattice in which every one is a function of a finer one, so a column's histogram of
a coarse view is computed from its histogram of the finer one and never from the values again:

    shape ── letters ── alnum           lengths kept; case merged; digits merged too
      └── runs ── words ── tokens ── phrase     lengths dropped; case merged; digits merged; repeats merged
           │        └── number                  numbers with sign and decimals merged
           └── symbols ── marks                 the set of classes and symbols; symbols only
    shape ── length, ends               number of characters; class of the first and the last

>>> [(view, class_of(view, "Aaa 00.00")) for view in ("letters", "runs", "words", "number", "symbols")]
[('letters', 'aaa 00.00'), ('runs', 'Aa 0.0'), ('words', 'a 0.0'), ('number', 'a 1'), ('symbols', ' .0Aa')]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from catalog.patterns.language.characters import CHARACTER_CLASSES, DIGIT, LOWER, OTHER, UPPER, shape_of

# Marks of the views in which 0, A, a and é are merged, numbers are, repeats are (‹-X… is -X twice or more). No shape
# holds them otherwise.
WORD, NUMBER, OPEN, REPEAT = "X", "1", "\u2039", "\u2026"

_MERGE_CASE = str.maketrans({UPPER: LOWER, OTHER: LOWER})
_MERGE_ALL = str.maketrans({DIGIT: WORD, UPPER: WORD, LOWER: WORD, OTHER: WORD})
_WORD_RUN = re.compile(r"[0a]+")
_NUMBER = re.compile(r"(?<![0a.\-])-?0(?:\.0)?(?![0a.\-])")
_REPEAT = re.compile(r"([^X]+X)\1+")


def _runs(shape: str) -> str:
    for one in CHARACTER_CLASSES:  # a regex that refers to what it found takes five times as long
        while one + one in shape:
            shape = shape.replace(one + one, one)
    return shape


def _words(runs: str) -> str:
    return _runs(runs.translate(_MERGE_CASE))


def _tokens(words: str) -> str:
    return _WORD_RUN.sub(WORD, words)


def _phrase(tokens: str) -> str:
    return _REPEAT.sub(OPEN + r"\1" + REPEAT, tokens)


def _symbols(runs: str) -> str:
    return "".join(sorted(set(runs)))


def _marks(symbols: str) -> str:
    return "".join(sorted({WORD if c in CHARACTER_CLASSES else c for c in symbols}))


# view -> (the finer view it is computed from, function). In an order in which every finer view comes first.
VIEWS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "shape": ("shape", lambda shape: shape),
    "letters": ("shape", lambda shape: shape.translate(_MERGE_CASE)),
    "alnum": ("letters", lambda letters: letters.translate(_MERGE_ALL)),
    "runs": ("shape", _runs),
    "words": ("runs", _words),
    "number": ("words", lambda words: _NUMBER.sub(NUMBER, words)),
    "tokens": ("words", _tokens),
    "phrase": ("tokens", _phrase),
    "symbols": ("runs", _symbols),
    "marks": ("symbols", _marks),
    "length": ("alnum", lambda alnum: str(len(alnum))),
    "ends": ("shape", lambda shape: shape[:1] + shape[-1:]),
}

# Which coarser views the class of a view determines.
_ABOVE_WORDS = ("number", "tokens", "phrase", "marks")
DETERMINES: Mapping[str, tuple[str, ...]] = {
    "shape": tuple(view for view in VIEWS if view != "shape"),
    "letters": ("alnum", "words", *_ABOVE_WORDS, "length"),
    "alnum": ("tokens", "phrase", "marks", "length"),
    "runs": ("words", *_ABOVE_WORDS, "symbols", "ends"),
    "words": _ABOVE_WORDS,
    "tokens": ("phrase", "marks"),
    "symbols": ("marks",),
}


def class_of(view: str, shape: str) -> str:
    """Class of a shape in a view."""
    finer, function = VIEWS[view]
    return function(shape if finer == view else class_of(finer, shape))


def project(view: str, text: str, coarser: str) -> str:
    """Class in a coarser view of a class of `view`; `coarser` is `view` or one that it determines.

    >>> project("alnum", "XXX-XX", "tokens"), project("runs", "Aa-0", "ends")
    ('X-X', 'A0')
    """
    if coarser == view:
        return text
    if coarser not in DETERMINES.get(view, ()):
        raise ValueError(f"view {view!r} does not determine {coarser!r}")
    return class_of(coarser, text.replace(WORD, DIGIT))


def histograms(table: Mapping[str, int], base: str = "shape") -> dict[str, dict[str, int]]:
    """Histogram of `base` and of every view that it determines.

    >>> histograms({"A-0": 2, "A-00": 1})["runs"]
    {'A-0': 3}
    >>> sorted(histograms({"X-X": 5}, "tokens"))
    ['marks', 'phrase', 'tokens']
    """
    tables: dict[str, dict[str, int]] = {base: dict(table)}
    if base != "shape":
        for view in DETERMINES.get(base, ()):
            tables[view] = _sum((project(base, text, view), count) for text, count in table.items())
        return tables
    for view, (finer, function) in VIEWS.items():
        if view != base:
            tables[view] = _sum((function(text), count) for text, count in tables[finer].items())
    return tables


def _sum(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    table: dict[str, int] = {}
    for key, count in pairs:
        table[key] = table.get(key, 0) + count
    return table


def are_numbered(values: Iterable[str]) -> bool:
    """Whether values hold numbers that run on: of more and fewer digits in values that are written alike beside. One
    that is new may be what another is without its last digit, and as usual.

    >>> are_numbered(["Item 16", "Part 163"]), are_numbered(["A-12", "B-34"]), are_numbered(["2013", "2013-15"])
    (True, False, False)
    """
    forms = {shape_of(value) for value in values}
    return len({re.sub(f"{DIGIT}+", DIGIT, form) for form in forms}) < len(forms)
