"""Damage to the characters of strings."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote, unquote

from catalog.damage.kind import Change, Kind, Rng, drawn, each

SEPARATORS = "-/._:, "
DIGITS_TO_LETTERS = str.maketrans("01", "Ol")
LETTERS_TO_DIGITS = str.maketrans("OolI", "0011")
#: A text in quotation marks that enclose the whole of it: those inside are doubled, as in CSV, or escaped, as in JSON.
QUOTED = re.compile(r'"[^"]*(?:(?:""|\\")[^"]*)*"')
SMALL_VOCABULARY = 50  # values beyond which a typo is one among many; chosen, as people pick from lists no longer
DEFAULTS = ("UNKNOWN", "DEFAULT", "0", "TEST", "xxx")
MISSING = ("N/A", "NULL", "None", "nan", "-", "#N/A")


def _transposed(value: str, rng: Rng) -> str | None:
    places = [i for i in range(len(value) - 1) if value[i] != value[i + 1]]
    if not places:
        return None
    i = places[int(rng.integers(len(places)))]
    return value[:i] + value[i + 1] + value[i] + value[i + 2 :]


def exchanges(value: str) -> Iterator[str]:
    """A value with each two neighbours exchanged."""
    for i in range(len(value) - 1):
        if value[i] != value[i + 1]:
            yield value[:i] + value[i + 1] + value[i] + value[i + 2 :]


def is_number_cut(value: str, made: str) -> bool:
    """Whether a value lost digits of a number inside it, of which some are left: another number of its kind, perhaps.

    >>> [is_number_cut("Item 163", made) for made in ("Item 16", "Item 63", "Item 3", "Item ", "Ite", "Item 17")]
    [True, True, True, False, False, False]
    """
    lost, same = len(value) - len(made), zip(value, made, strict=False)
    start = next((i for i, (a, b) in enumerate(same) if a != b), len(made))
    gone, rest = value[start : start + lost], value[start + lost :]
    if lost <= 0 or value[:start] + rest != made or not gone.isdecimal():
        return False
    return value[:start][-1:].isdecimal() or rest[:1].isdecimal()


def _halved(value: str) -> str:
    half = len(value) // 2
    return value[:half] if value[:half] == value[half:] else value


def is_quoted(value: str) -> bool:
    """Whether quotation marks enclose the whole of a value.

    >>> [text for text in ('"a"', '"a ""b"" c"', '"a \\\\"b"', '"a" or "b"', 'a "b"', '"') if is_quoted(text)]
    ['"a"', '"a ""b"" c"', '"a \\\\"b"']
    """
    return QUOTED.fullmatch(value) is not None


def _quoted(value: str) -> str:
    """A value as a CSV file that is read without its quoting holds it.

    >>> _quoted("A17"), _quoted('3" pipe')
    ('"A17"', '"3"" pipe"')
    """
    return '"' + value.replace('"', '""') + '"'


def _unquoted(value: str) -> str:
    return value[1:-1].replace('""', '"') if is_quoted(value) else value


def _prefix(values: Sequence[str], rng: Rng) -> Change | None:
    """The letters that values begin with become others of the same case; digits get letters put before them."""
    starts = Counter(m.group() if (m := re.match(r"[A-Za-z]{1,4}(?=[^A-Za-z])", v)) else "" for v in values)
    common = starts.most_common(1)[0][0]
    letters = "QXZJKW" if common.isupper() or not common else "qxzjkw"
    new = "".join(letters[int(rng.integers(len(letters)))] for _ in common or "XX")
    if not common:
        return lambda value: f"{new}-{value}" if value else None
    return lambda value: new + value[len(common) :] if value.startswith(common) else None


def _separators(values: Sequence[str], rng: Rng) -> Change | None:
    """Every occurrence of the most common separator becomes another one, or none."""
    counts = Counter(c for v in values for c in v if c in SEPARATORS)
    if not counts:
        return None
    old = counts.most_common(1)[0][0]
    others = ["", *(c for c in "-/._ " if c not in counts)]
    new = others[int(rng.integers(len(others)))]
    return lambda value: value.replace(old, new) if value.strip(old) and old in value else None


def _mojibake(value: str) -> str | None:
    """UTF-8 read as Windows-1252, where that has a character for every byte; else as Latin-1."""
    if value.isascii():
        return None
    raw = value.encode("utf-8", "surrogatepass")
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def mend_mojibake(value: str) -> str:
    """Undo `mojibake` where the value is such.

    >>> mend_mojibake("ZÃ¼rich"), mend_mojibake("Zürich")
    ('Zürich', 'Zürich')
    """
    for encoding in ("cp1252", "latin-1"):
        try:
            return value.encode(encoding).decode("utf-8")
        except (UnicodeEncodeError, UnicodeDecodeError):
            continue
    return value


def _constant(choices: Sequence[str]) -> Callable[[Sequence[str], Rng], Change | None]:
    def plan(values: Sequence[str], rng: Rng) -> Change | None:
        known = set(values)
        fit = [c for c in choices if c not in known]
        if not fit:
            return None
        new = fit[int(rng.integers(len(fit)))]
        return lambda value: new

    return plan


def _typo(values: Sequence[str], rng: Rng) -> Change | None:
    """One value of a small vocabulary is misspelt wherever it stands: a letter lost, doubled or swapped."""
    counts = Counter(v for v in values if len(v) > 3 and v.isalpha())
    if not counts or len(set(values)) > SMALL_VOCABULARY:
        return None
    words = sorted(counts)
    word = words[int(rng.integers(len(words)))]
    i = int(rng.integers(1, len(word) - 1))
    forms = [word[:i] + word[i + 1 :], word[:i] + word[i] + word[i:], _transposed(word, rng)]
    new = forms[int(rng.integers(3))]
    return lambda value: new if value == word and new not in counts else None


def _unless(test: str) -> str:
    return f"fewer than nine of ten values change, because {test}, or the column holds such values anyway"


CHARACTERS = (
    Kind("last_cut", "cut", "Values in {column} have lost their last character", ("DE-4471", "DE-447"),
         _unless("they are empty"), each(lambda v: v[:-1] if v else None), guess="Probably cut by a field's width."),
    Kind("half_cut", "cut", "Values in {column} are cut off", ("Königstrasse 12", "Königst"),
         _unless("they have one character"), each(lambda v: v[: len(v) // 2] if len(v) > 1 else None),
         guess="Probably cut by a field's width."),
    Kind("first_lost", "cut", "Values in {column} have lost their first character", ("DE-4471", "E-4471"),
         _unless("they are empty"), each(lambda v: v[1:] if v else None), guess="Probably read from the wrong place."),
    Kind("doubled", "doubled", "Values in {column} stand twice in their cell", ("A17", "A17A17"),
         _unless("they are empty"), each(lambda v: v + v if v else None), undo=_halved,
         guess="Probably two fields joined."),
    Kind("transposed", "transposed", "Characters in {column} are swapped", ("4471", "4741"),
         _unless("all their characters are the same"), drawn(_transposed), guess="Probably typed by hand."),
    Kind("upper", "case", "Values in {column} are in upper case now", ("Berlin", "BERLIN"),
         _unless("they have no lower-case letters"), each(str.upper), guess="Probably normalised on the way."),
    Kind("lower", "case", "Values in {column} are in lower case now", ("DE-17", "de-17"),
         _unless("they have no upper-case letters"), each(str.lower), guess="Probably normalised on the way."),
    Kind("prefix", "prefix", "Values in {column} begin differently", ("INV-0001", "XQZ-0001"),
         _unless("they do not begin alike"), _prefix, guess="Probably another system's numbering."),
    Kind("separators", "separators", "Values in {column} have other separators", ("2026-17", "2026/17"),
         _unless("they have no separators"), _separators, guess="Probably another export format."),
    Kind("space_behind", "spaces", "Values in {column} have white space behind them", ("A17", "A17 "),
         _unless("they have some already"), each(lambda v: v + " "), undo=str.strip,
         guess="Probably padded to a fixed width."),
    Kind("space_before", "spaces", "Values in {column} have white space before them", ("A17", " A17"),
         _unless("they have some already"), each(lambda v: " " + v), undo=str.strip,
         guess="Probably split at commas only."),
    Kind("quotes", "quotes", "Values in {column} are in quotation marks", ("A17", '"A17"'),
         _unless("they are quoted already"), each(_quoted), undo=_unquoted,
         guess="Probably a CSV file read without its quoting."),
    Kind("digit_as_letter", "digits_letters", "Digits in {column} are written as letters", ("A-100", "A-lOO"),
         _unless("they have neither 0 nor 1"), each(lambda v: v.translate(DIGITS_TO_LETTERS)),
         undo=lambda v: v.translate(LETTERS_TO_DIGITS), guess="Probably read by optical recognition."),
    Kind("letter_as_digit", "digits_letters", "Letters in {column} are written as digits", ("IO-7", "10-7"),
         _unless("they have none of O, o, l, I"), each(lambda v: v.translate(LETTERS_TO_DIGITS)),
         guess="Probably read by optical recognition."),
    Kind("mojibake", "encoding", "Letters in {column} are garbled", ("Zürich", "ZÃ¼rich"),
         "no value has a letter beyond ASCII", each(_mojibake), undo=mend_mojibake, least=0.0,
         guess="Probably UTF-8 read as Latin-1."),
    Kind("replaced", "encoding", "Letters in {column} are replaced by \N{REPLACEMENT CHARACTER}",
         ("Zürich", "Z\ufffdrich"), "no value has a letter beyond ASCII",
         each(lambda v: re.sub(r"[^\x00-\x7f]", "\ufffd", v)), least=0.0, guess="Probably Latin-1 read as UTF-8."),
    Kind("html", "escapes", "Values in {column} hold HTML escapes", ("Smith & Sons", "Smith &amp; Sons"),
         "no value has a character that HTML escapes",
         each(lambda v: html.escape(v).encode("ascii", "xmlcharrefreplace").decode()), undo=html.unescape, least=0.0,
         guess="Probably taken from a page."),
    Kind("url", "escapes", "Values in {column} hold URL escapes", ("a b/c", "a%20b%2Fc"),
         "no value has a character that URLs escape", each(lambda v: quote(v, safe="", errors="replace")),
         undo=unquote, least=0.0, guess="Probably taken from an address."),
    Kind("missing_text", "default", "Values in {column} are a word for a missing value", ("A17", "N/A"),
         "the column holds that word anyway", _constant(MISSING), guess="Probably a source that had nothing to send."),
    Kind("default_text", "default", "Values in {column} are all one default", ("A17", "UNKNOWN"),
         "the column holds that value anyway", _constant(DEFAULTS), guess="Probably a field that was not filled."),
    Kind("typo", "typo", "A new value in {column} looks like a usual one misspelt", ("shipped", "shiped"),
         f"the column has more than {SMALL_VOCABULARY} values, or none that is a word", _typo, least=0.0,
         guess="Probably a typing error in a list of values."),
)  # fmt: skip


def neighbour(beside: Sequence[str | None]) -> Kind:
    """The kind that puts the values of another column of the table, drawn again for each cell, in a column's place."""
    pool = [v for v in beside if v is not None]

    def plan(values: Sequence[str], rng: Rng) -> Change | None:
        return (lambda value: pool[int(rng.integers(len(pool)))]) if pool else None

    return Kind(
        "neighbour", "swapped", "Values in {column} are those of another column", ("Berlin", "DE-4471"),
        _unless("both columns hold the same values"), plan, guess="Probably a column too many or too few.",
    )  # fmt: skip
