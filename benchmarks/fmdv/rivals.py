"""The rivals of Auto-Validate's section 5.2, re-implemented from their publications, documentation or sources.

Each takes the training values in order and returns `Rival`s: what conforms and when it is an alarm. Profilers of
patterns (Potter's Wheel, SSIS, XSystem, FlashProfile, schema matching) have no test of their own; as the paper does
for its own methods, an alarm is a significant rise of the share of non-conforming values (Fisher, 0.01), which is
kinder to them than "any value".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, product

import numpy as np

from benchmarks.fmdv.score import Alarm, above, fisher_alarm, never
from catalog.patterns.generalise import coarse, joined, options_of, spaces
from catalog.patterns.language.characters import quote, shape_of
from catalog.patterns.language.hierarchy import class_of
from catalog.patterns.language.pattern import Pattern
from catalog.patterns.language.regex import class_regex, whole
from catalog.patterns.language.tokens import ALNUMS, CONST, DIGIT, LETTERS, LOWER, NUM, UPPER, signed_chunks


@dataclass
class Rival:
    """A rule of a rival: exactly one of `known` (dictionary), `patterns`, `regexes` says what conforms."""

    alarm: Alarm
    known: frozenset[str] | None = None
    patterns: list[Pattern] = field(default_factory=list)
    regexes: list[str] = field(default_factory=list)
    text: str = ""


def tfdv(train: Sequence[str]) -> Rival | None:
    """TensorFlow Data Validation: a string feature with at most 400 distinct values gets a domain of the values seen."""
    known = frozenset(train)
    return Rival(never, known=known) if len(known) <= 400 else None


def deequ_cat(train: Sequence[str]) -> Rival | None:
    """Deequ's CategoricalRangeRule: a dictionary where at most 10% of the distinct values were seen once."""
    counts = Counter(train)
    once = sum(c == 1 for c in counts.values()) / len(counts)
    return Rival(never, known=frozenset(counts)) if once <= 0.1 else None


def deequ_fra(train: Sequence[str]) -> Rival | None:
    """Deequ's FractionalCategoricalRangeRule: the top values that cover 90% must cover, within 1.96 standard errors, as
    much as they do now; where at most 40% of the distinct values were seen once."""
    counts = Counter(train)
    if sum(c == 1 for c in counts.values()) / len(counts) > 0.4:
        return None
    top: list[str] = []
    covered = 0.0
    for value, count in counts.most_common():
        if covered >= 0.9:
            break
        top.append(value)
        covered += count / len(train)
    least = covered - 1.96 * math.sqrt(max(covered * (1 - covered), 0) / len(train))
    least = math.floor(least * 100) / 100
    return Rival(above(1 - least), known=frozenset(top))


# ----------------------------------------------------------------------------------------- Potter's Wheel (VLDB 2001)

_BITS = {
    DIGIT: math.log2(10),
    UPPER: math.log2(26),
    LOWER: math.log2(26),
    LETTERS: math.log2(52),
    ALNUMS: math.log2(62),
}
_TOKEN_BITS, _CHARACTER_BITS = 4.0, 7.0


def _description_length(pattern: Pattern, mean_length: float, chunk_lengths: list[float]) -> tuple[float, float]:
    """(bits of the pattern itself, bits per value): section 4.3 of the paper, with average lengths."""
    model, data = 0.0, 0.0
    loose = [t for t in pattern.tokens if t.kind != CONST and t.size == 0]
    fixed = sum(len(t.text) if t.kind == CONST else t.size for t in pattern.tokens)
    rest = max(mean_length - fixed, len(loose)) / max(len(loose), 1)
    for token in pattern.tokens:
        model += _TOKEN_BITS
        if token.kind == CONST:
            model += _CHARACTER_BITS * len(token.text)
        elif token.kind == NUM:
            data += rest * math.log2(12) + math.log2(max(rest, 1) + 1)
        elif token.size:
            model += math.log2(token.size + 1)
            data += token.size * _BITS[token.kind]
        else:
            data += rest * _BITS[token.kind] + math.log2(max(rest, 1) + 1)
    return model, data


def _structures(counts: Sequence[tuple[str, int]], most: int = 1024) -> Iterator[tuple[Pattern, int]]:
    """Patterns of the values of each sequence of chunk classes, with the rows that they match, `most` of each."""
    weights = dict(counts)
    groups: dict[str, list[str]] = {}
    for value in weights:
        groups.setdefault(coarse(signed_chunks(value)), []).append(value)
    for values in groups.values():
        rows = np.array([weights[value] for value in values])
        enough = 0.02 * len(values) / len(counts)
        for _, one, _ in spaces([(value, weights[value]) for value in values], tokens=40, enough=enough):
            parts = [signed_chunks(value) for value in values]
            has = [
                {option: np.array([option in options_of(part[at], True) for part in parts]) for option in options}
                for at, options in enumerate(one.options)
            ]
            for chosen in islice(product(*one.options), most):
                matched = np.logical_and.reduce([has[at][option] for at, option in enumerate(chosen)])
                yield Pattern(joined(tuple(chain.from_iterable(chosen)))), int(rows[matched].sum())


def potters_wheel(train: Sequence[str]) -> Rival | None:
    """Potter's Wheel: the structure of least description length; values it does not match cost 7 bits a character."""
    covered = Counter[Pattern]()
    for pattern, rows in _structures(list(Counter(v[:256] for v in train).items())):
        covered[pattern] += rows
    total, mean = len(train), float(np.mean([len(v) for v in train]))
    most = max(covered.values(), default=0)
    best: tuple[float, Pattern, float] | None = None
    for pattern, rows in covered.items():
        if rows >= 0.5 * most:
            model, data = _description_length(pattern, mean, [])
            bits = model + rows * data + (total - rows) * mean * _CHARACTER_BITS
            if best is None or bits < best[0]:
                best = (bits, pattern, float(rows))
    if best is None:
        return None
    return Rival(fisher_alarm(round(total - best[2]), total), patterns=[best[1]], text=str(best[1]))


# ------------------------------------------------------------------------------------------------------- profilers


def ssis(train: Sequence[str]) -> Rival | None:
    """SQL Server's column pattern profile: regular expressions (constants, lengths) that cover 95% of the rows."""
    shapes: dict[str, list[str]] = {}
    for value in train:
        shapes.setdefault(shape_of(value), []).append(value)
    ordered = sorted(shapes, key=lambda s: -len(shapes[s]))
    chosen: list[str] = []
    rows = 0
    for shape in ordered:
        if rows >= 0.95 * len(train):
            break
        chosen.append(_with_constants(shape, shapes[shape]))
        rows += len(shapes[shape])
    if len(chosen) > 50:
        return None
    return Rival(fisher_alarm(len(train) - rows, len(train)), regexes=[whole(chosen)])


def _with_constants(shape: str, values: list[str], alternatives: int = 1) -> str:
    """Regular expression of values of one shape: runs that are constant stay constants."""
    out = []
    for run in re.finditer(r"([0Aaé])\1*|[^0Aaé]+", shape):
        texts = {v[run.start() : run.end()] for v in values}
        if run.group(1) is None or (len(texts) <= alternatives and len(values) > 1):
            out.append("(?:" + "|".join(quote(t) for t in sorted(texts)) + ")")
        else:
            out.append(class_regex("shape", run.group()))
    return "".join(out)


def xsystem(train: Sequence[str], branches: int = 8) -> Rival | None:
    """XSystem (ICDE 2018), in outline: branches of token structure, each position a set of characters or a class.

    A position is a set where few characters cover it (chi-squared of uniformity in the paper; here at most 4 distinct
    over at least 5 values), else its class; branches of the same tokens are merged; the most frequent are kept.
    """
    groups: dict[str, list[str]] = {}
    for value in train:
        groups.setdefault(class_of("alnum", shape_of(value)), []).append(value)
    ordered = sorted(groups, key=lambda s: -len(groups[s]))[:branches]
    regexes = []
    for group in ordered:
        values = [v[:256] for v in groups[group]]
        out = []
        for i in range(min(len(v) for v in values)):
            characters = {v[i] for v in values}
            if len(characters) <= 4 and (len(values) >= 5 or len(characters) == 1):
                out.append("(?:" + "|".join(quote(c) for c in sorted(characters)) + ")")
            else:
                classes = {shape_of(c) for c in characters}
                out.append("(?:" + "|".join(class_regex("shape", c) for c in sorted(classes)) + ")")
        regexes.append("".join(out))
    rows = sum(len(groups[g]) for g in ordered)
    return Rival(fisher_alarm(len(train) - rows, len(train)), regexes=[whole(regexes)])


def flash_profile(train: Sequence[str], clusters: int = 5) -> Rival | None:
    """FlashProfile (OOPSLA 2018), in outline: at most `clusters` clusters of token sequences; in each the cheapest
    atoms (constant, fixed length, class) that describe all its values."""
    groups: dict[str, list[str]] = {}
    for value in train:
        groups.setdefault(class_of("words", shape_of(value)), []).append(value)
    if len(groups) > clusters:
        coarse: dict[str, list[str]] = {}
        for value in train:
            coarse.setdefault(class_of("phrase", shape_of(value)), []).append(value)
        groups = coarse
    ordered = sorted(groups, key=lambda s: -len(groups[s]))[:clusters]
    regexes = []
    for group in ordered:
        values = groups[group]
        shapes = {shape_of(v) for v in values}
        if len(shapes) == 1:
            regexes.append(_with_constants(next(iter(shapes)), values))
        elif len({class_of("runs", s) for s in shapes}) == 1:
            regexes.append(class_regex("runs", class_of("runs", next(iter(shapes)))))
        elif len({class_of("words", s) for s in shapes}) == 1:
            regexes.append(class_regex("words", class_of("words", next(iter(shapes)))))
        else:
            regexes.append(class_regex("phrase", class_of("phrase", next(iter(shapes)))))
    rows = sum(len(groups[g]) for g in ordered)
    return Rival(fisher_alarm(len(train) - rows, len(train)), regexes=[whole(regexes)])


# ruff: noqa: E501 (regular expressions as they were published)
# Grok patterns (the logstash collection), those that stand for a whole value, most specific first.
_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
_IPV4 = r"(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})"
_TIME = r"(?:2[0123]|[01]?[0-9]):(?:[0-5][0-9])(?::(?:(?:[0-5]?[0-9]|60)(?:[:.,][0-9]+)?))?"
_HOST = r"(?:[0-9A-Za-z][0-9A-Za-z\-]{0,62})(?:\.(?:[0-9A-Za-z][0-9A-Za-z\-]{0,62}))+"
_DAY = r"(?:(?:0[1-9])|(?:[12][0-9])|(?:3[01])|[1-9])"
_MONTHNUM = r"(?:0?[1-9]|1[0-2])"
GROK = {
    "UUID": r"[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}", "IPV4": _IPV4, "IPV6": r"[0-9A-Fa-f:]*:[0-9A-Fa-f:]+:[0-9A-Fa-f:.]*",
    "MAC": r"(?:[A-Fa-f0-9]{2}[:-]){5}[A-Fa-f0-9]{2}|(?:[A-Fa-f0-9]{4}\.){2}[A-Fa-f0-9]{4}",
    "TIMESTAMP_ISO8601": rf"[0-9]{{4}}-{_MONTHNUM}-{_DAY}[T ]{_TIME}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?",
    "DATE_ISO": rf"[0-9]{{4}}-{_MONTHNUM}-{_DAY}", "DATE_US": rf"{_MONTHNUM}[/-]{_DAY}[/-](?:[0-9]{{2}}){{1,2}}",
    "DATE_EU": rf"{_DAY}[./-]{_MONTHNUM}[./-](?:[0-9]{{2}}){{1,2}}", "DATESTAMP": rf"[0-9/.-]+[- ]{_TIME}",
    "MONTH": _MONTH, "DAYNAME": r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?", "TIME": _TIME,
    "LOGLEVEL": r"(?i:debug|info|notice|warn(?:ing)?|error|critical|fatal|trace|alert|severe|emerg(?:ency)?)",
    "EMAIL": rf"[a-zA-Z0-9!#$%&'*+/=?^_`{{|}}~.-]+@{_HOST}", "URI": r"[A-Za-z][A-Za-z0-9+\-.]*://[^\s]+",
    "HOSTPORT": rf"(?:{_IPV4}|{_HOST}):[0-9]+", "WINPATH": r"(?:[A-Za-z]:|\\)(?:\\[^\\?*]*)+", "UNIXPATH": r"(?:/[\w_%!$@:.,+~-]*)+",
    "INT": r"[+-]?[0-9]+", "NUMBER": r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)", "BASE16NUM": r"[+-]?(?:0x)?[0-9A-Fa-f]+",
    "HOSTNAME": _HOST, "QUOTEDSTRING": r"\"[^\"]*\"|'[^']*'",
}  # fmt: skip


def grok(train: Sequence[str]) -> Rival | None:
    """Grok: the first pattern of the collection that every training value matches; word-like catch-alls are left out."""
    values = set(train)
    for name, regex in GROK.items():
        compiled = re.compile(rf"^(?:{regex})(?![\s\S])")
        if all(compiled.search(v) for v in values):
            return Rival(never, regexes=[compiled.pattern], text=name)
    return None
