"""What to say of a column that has no particular meaning: category, code, identifier, title or free text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from catalog.domains.headers import KIND, REMARK
from catalog.domains.known import words_for
from catalog.domains.lexicon import unmarked, vocabulary
from catalog.domains.names.asked import KEYED
from catalog.tags.discovery.sample import Sample


@dataclass(frozen=True)
class Features:
    """Averages over the distinct values of a sample (each value counts once).

    `length` in characters, `words` per value; the others are shares of values: `spaced` has a blank, `digits` a digit,
    `mixed` has digits and letters, `jumbled` changes case or kind of character within a word, `prefixed` is a reference
    such as ``company:01288342``, `joined` has -, /, _, . or + within, `pairs` is made of ``key=value``, `upper` has no
    lower-case letter, `wordy` is made of words of three or more letters for a good part, `sentence` reads like prose.
    `unique` is distinct values per row. `recurs` is the chance that the next row holds a value that was seen before.
    """

    length: float
    words: float
    spaced: float
    digits: float
    mixed: float
    jumbled: float
    prefixed: float
    joined: float
    pairs: float
    upper: float
    wordy: float
    sentence: float
    unique: float
    distinct: float
    recurs: float


_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{3,}(?![^\W_])")
#: Of scripts in which a character is a syllable or a word.
_DENSE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
#: Scripts of words without capitals, from Hebrew to Khmer: nothing in them is written in capitals.
_UNCASED = re.compile(r"[\u0590-\u10ff\u1200-\u137f\u1780-\u17ff]")
#: Words in capitals with a line between, as programs write kinds: RIVER_CRUISE.
_JOINED_WORDS = re.compile(r"[^\W\d_]{2,}(?:_[^\W\d_]{2,})+")
_LOWER = re.compile(r"[^\W\d_A-Z]{2,}")
_CAPPED = re.compile(r"[^\W\d_a-z]?[^\W\d_A-Z]{3,}").fullmatch  # a word among abbreviations: TI, RH, Ventes
_JUMBLED = re.compile(r"[a-z][A-Z]|[A-Za-z]\d+[A-Za-z]|[a-z]\d{2}\b")
_CAMEL = re.compile(r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,4})(?:[A-Z][a-z]+)+")
_PREFIXED = re.compile(r"[A-Za-z][\w-]{2,40}:[\w-]{1,40}")
_NUMBER = re.compile(r"\d+([.,]\d+)?")
_PAIRS = re.compile(r"\w+=[^=]+(?:[,;&]\s*\w+=|$)")
_TEXT = re.compile(
    r"\b(?:descriptions?|comments?|notes?|remarks?|summary|abstract|text|message|details?|reviews?|body|content|reason|"
    r"instructions?|bio|biography|caption|overview|beschreibung|descripcion|descrizione|descricao)$"
)
_CLASS = re.compile(
    r"\b(?:(?:sub)?types?|status|categor(?:y|ies)|class|kinds?|groups?|genres?|methods?|levels?|segment|sector|industry|department|"
    r"role|format|tags?|stage|phase|mode|reason|unit|language|style|medium|material)$"
)
_TITLE_NAME = re.compile(
    r"\b(?:titles?|titel|titre|titulo|titolo|headlines?|songs?|albums?|movies?|films?|books?|tracks?|works?|products?|"
    r"subjects?|headings?|names?|labels?|articles?|episodes?|games?|projects?)$"
)


@dataclass(frozen=True)
class _OrCalled:
    """English words at the end of a name, or those of a line of `headers` in other languages."""

    english: re.Pattern[str]
    line: str

    def search(self, named: str) -> bool:
        return bool(self.english.search(named)) or words_for(self.line).search(named)


CLASS_NAME, TEXT_NAME = _OrCalled(_CLASS, KIND), _OrCalled(_TEXT, REMARK)
#: What a column is called that has a kind rather than a meaning.
NAMED = (KEYED, TEXT_NAME, CLASS_NAME, _TITLE_NAME)
LONG = 16.0  # chosen: characters; codes are shorter, with a blank in them too
_SMALL = vocabulary(
    "the a an of to is are was in for and with by on at from that this de la le les el und der die von s"
)


#: Scripts without spaces between words: Thai, Chinese, Japanese.
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_OF_SENTENCES = re.compile(
    r"[，。；！？]|、.*(?:[\u3040-\u309f]{2})|[はがをにで].*(?:ます|です|した|ない|ている|てい|のみ|済)|[需请應应将已为因可能]"
)
LEAST_UNSPACED = 10  # chosen: characters; names of things are shorter


def _prose(text: str) -> bool:
    """A sentence rather than a title: five words or more, and most of those that count are not capitalised; in scripts
    without spaces, long with signs or particles of a sentence."""
    if len(_UNSPACED.findall(text)) >= max(LEAST_UNSPACED, 0.5 * len(text)):
        return bool(_OF_SENTENCES.search(text)) or "\u0e00" < text[0] < "\u0e80"
    words = [word for word in re.findall(r"[^\W\d_]+", text)[1:] if word.lower() not in _SMALL]
    return len(text.split()) >= 5 and (
        sum(word[0].islower() for word in words) > 0.5 * len(words) or len(text.split()) > 14
    )


# Fitted by `python -m benchmarks.tagging.calibrate` (Platt's scaling) on halves that were read: log odds of being right
# from those of a score, and what a name takes off that says nothing: what is told by names alone is missed there.
FITTED = (1.01, 1.04, -1.57)


def stated(score: float, mute: bool = False) -> float:
    """What a score of `generic` comes to: about that share is right of columns whose name says nothing, or of others.

    >>> round(stated(0.5), 2), round(stated(0.8), 2), round(stated(0.8, mute=True), 2)
    (0.73, 0.92, 0.71)
    """
    intercept, slope, silent = FITTED
    return 1 / (1 + math.exp(-intercept - slope * math.log(score / (1 - score)) - silent * mute))


def features(sample: Sample) -> Features:
    texts = sample.texts
    n = max(len(texts), 1)

    def share(test: Callable[[str], bool]) -> float:
        return sum(1 for text in texts if test(text)) / n

    counts = [len(text.split()) for text in texts]
    return Features(
        length=sum(map(_length, texts)) / n,
        words=sum(counts) / n,
        spaced=share(lambda t: " " in t),
        digits=share(lambda t: any(c.isdigit() for c in t)),
        mixed=share(lambda t: any(c.isdigit() for c in t) and any(c.isalpha() for c in t)),
        jumbled=share(lambda t: bool(_JUMBLED.search(t)) and not _CAMEL.fullmatch(t)),
        prefixed=share(lambda t: bool(_PREFIXED.fullmatch(t))),
        joined=share(lambda t: bool(re.search(r"\w[-/_.+]\w", t))),
        pairs=share(lambda t: bool(_PAIRS.match(t))),
        upper=share(lambda t: not any(c.islower() for c in t) and not _DENSE.search(t) and not _UNCASED.search(t)),
        wordy=share(
            lambda t: sum(map(len, _WORD.findall(unmarked(t)))) + len(_DENSE.findall(t)) >= 0.5 * len(unmarked(t))
        ),
        sentence=share(_prose),
        unique=sample.distinct / max(sample.rows, 1),
        distinct=sample.distinct,
        recurs=_recurs(sample),
    )


def _recurs(sample: Sample) -> float:
    """The chance that the next row holds a value that was seen before: Good and Turing's share of rows whose value is
    not theirs alone (Biometrika 40, 1953), after Laplace's rule of succession, so that it is even before a row was seen
    and three different words are no list of them.

    >>> from fractions import Fraction
    >>> def of(*counts):
    ...     rows = sum(counts)
    ...     values = tuple((str(k), count / rows) for k, count in enumerate(counts))
    ...     return str(Fraction(_recurs(Sample(values, len(counts), rows, True, 0.0))).limit_denominator(99))
    >>> of(1, 1, 1), of(3), of(10, 10), of(2, 2, 1, 1)
    ('1/5', '4/5', '21/22', '5/8')
    """
    again = sample.rows * sum(weight for _, weight in sample.values if weight * sample.rows > 1.5)
    return (again + 1) / (sample.rows + 2)


def _length(text: str) -> int:
    """In letters of an alphabet: a character of a dense script stands for about three.

    >>> _length("Seoul"), _length("서울시")
    (5, 9)
    """
    return len(text) + 2 * len(_DENSE.findall(text))


def generic(sample: Sample, named: str = "") -> tuple[str, float]:
    """(generic domain, score in (0, 1), which `stated` calibrates) of a column of strings.

    `named` are the words of its name, which break ties only.
    """
    f = features(sample)
    recurring = (f.unique < 0.2 or f.distinct <= 12) and f.recurs > 0.5
    if f.sentence > 0.5 and f.spaced < 0.5:
        return "free_text", 0.6
    if f.spaced == 0 and f.unique == 1 < f.distinct and f.mixed > 0.5 and KEYED.search(named):
        return "opaque_id", 0.8
    if f.pairs > 0.6 or (f.spaced < 0.2 and f.length > 50):
        return "other", 0.5
    if f.spaced > 0.5 and (f.length > 80 or f.sentence > 0.3 or f.words > 12):
        return "free_text", min(0.85, 0.5 + f.sentence / 3 + f.words / 40)
    if f.spaced > 0.4 and f.words >= 1.8 and f.wordy > 0.4:
        return _phrases(f, recurring, named)
    if _looks_like_id(f, recurring, bool(KEYED.search(named))):
        return "opaque_id", 0.7 + 0.2 * min(f.unique, 1)
    capitals = f.wordy >= 0.9 and f.digits < 0.1 and f.length > 4.5 and f.joined < 0.5  # words, not symbols
    if f.wordy >= 0.5 and ((f.length >= 3 and f.upper < 0.5) or (f.length > 8 and f.joined < 0.5) or capitals):
        return ("category", 0.85 * f.recurs) if recurring else _once(named)
    if f.spaced > 0.5 and f.length > LONG and f.wordy < 0.5:
        return "other", 0.3  # opening hours
    a_word = f.length >= 4 or any(map(_CAPPED, sample.texts))
    if f.digits == 0 and f.spaced < 0.5 and a_word and CLASS_NAME.search(named):
        return "category", 0.6 * f.recurs if recurring else 0.5
    if recurring and f.digits == 0 and (_worded(sample.texts, f, named) or any(map(_CAPPED, sample.texts))):
        return "category", 0.6 * f.recurs
    if f.length <= 4.5 or (f.upper > 0.7 and (f.length <= 8 or f.joined > 0.5)) or f.mixed + f.digits > 1.2:
        if f.distinct == 1 and (alone := _NUMBER.fullmatch(sample.texts[0])):  # tells nothing of what it stands for
            return ("decimal" if alone[1] else "integer"), 0.5
        return "code", 0.8
    if f.wordy > 0.5:
        return ("category", 0.6 * f.recurs) if recurring else _once(named)
    return ("code", 0.5) if f.spaced < 0.5 else ("other", 0.3)


def _worded(texts: tuple[str, ...], f: Features, named: str) -> bool:
    """Whether short values are words after all: joined by a line, in small letters (in, out), or those of a kind."""
    joined = sum(bool(_JOINED_WORDS.fullmatch(text)) for text in texts) > 0.5 * len(texts)
    return joined or all(map(_LOWER.fullmatch, texts)) or (f.length > 4.5 and CLASS_NAME.search(named))


def _once(named: str) -> tuple[str, float]:
    """Words that do not recur: of a kind where the name says so, else mostly a name or a place that no list has."""
    return ("category", 0.5) if CLASS_NAME.search(named) else ("title", 0.2)


def _phrases(f: Features, recurring: bool, named: str) -> tuple[str, float]:
    """Short texts: categories recur, titles name one thing each, notes are called so."""
    if recurring and f.length < 40:
        return "category", 0.8 * f.recurs
    if TEXT_NAME.search(named) and f.words >= 3:
        return "free_text", 0.6
    if CLASS_NAME.search(named):
        return _once(named)
    return "title", 0.35 + (0.25 if _TITLE_NAME.search(named) else 0.1 * min(f.unique, 1))


def _looks_like_id(f: Features, recurring: bool, named: bool) -> bool:
    """Long enough to number many things, and letters mixed with digits, or unique without being words."""
    if f.prefixed > 0.7 and f.distinct > 12:
        return True
    if f.length < 5:
        return named and f.unique == 1 and f.digits == 1 and f.distinct > 1  # 01, 02, A1, A2: a short key
    if f.spaced > 0.3:  # numbers in groups, a catalogue's letters before a number
        return f.mixed + f.digits > 1.5 and f.wordy < 0.3 and f.unique > 0.5 and f.length >= 8
    many = f.distinct > 20 or not recurring
    if f.wordy > 0.7 and f.jumbled < 0.5 and not (f.mixed > 0.6 and f.unique > 0.5):
        return named and many
    if (f.mixed > 0.6 or f.jumbled > 0.5) and many:
        return f.length >= 5.5 or f.unique > 0.5
    if f.mixed > 0.6 and f.length >= 10:
        return True
    return f.digits > 0.5 and (f.unique > 0.5 or (named and many))
