"""Validators of language, flags, and numbers written as text."""

from __future__ import annotations

import re

from catalog.domains.lexicon import fold, words


def _is_language_code(text: str) -> bool:
    head, _, tail = re.sub("_", "-", text).partition("-")
    return head.lower() in words("language_codes") and (
        not tail or bool(re.fullmatch(r"[A-Za-z]{2,4}(?:-[A-Za-z]{2})?|\d{3}", tail))
    )


def _is_locale(text: str) -> bool:
    found = re.fullmatch(r"([a-z]{2,3})[-_](?:[A-Z][a-z]{3}[-_])?([A-Z]{2})(?:[.@]\S+)?", text)
    return found is not None and found[1] in words("language_codes") and found[2] in words("country_codes2")


def _unpadded(values: set[str]) -> bool:
    """Numbers are not written with leading zeros; what is has a fixed width and is a code."""
    return not any(re.fullmatch(r"0\d+", value) for value in values)


def _whole_numbers(values: set[str]) -> bool:
    return _unpadded(values) and not _some_fractions(values)


def _some_fractions(values: set[str]) -> bool:
    """Decimal numbers are also written without a fraction, but not all of them."""
    return sum(bool(re.search(r"[.,]\d*(?:[eE][+-]?\d+)?$", value)) for value in values) >= 0.1 * len(values)


def _is_number_range(text: str) -> bool:
    """From a smaller to a larger number, written without leading zeros."""
    found = re.fullmatch(r"(\d[\d,.]*) ?(?:-|–|to) ?(\d[\d,.]*)", text)
    if not found:
        return True
    low, high = (part.replace(",", "") for part in found.groups())
    plain = re.compile(r"(?:0|[1-9]\d{0,8})(?:\.\d+)?")
    return bool(plain.fullmatch(low) and plain.fullmatch(high)) and float(low) < float(high)


_FLAGS = (
    ("yes", "no"),
    ("y", "n"),
    ("true", "false"),
    ("t", "f"),
    ("si", "no"),
    ("oui", "non"),
    ("ja", "nein"),
    ("on", "off"),
    ("sim", "nao"),
    ("0", "1"),
    ("vrai", "faux"),
    ("wahr", "falsch"),
    ("ja", "nee"),
    ("ja", "nej"),
    ("ja", "nei"),
    ("kylla", "ei"),
    ("jah", "ei"),
    ("tak", "nie"),
    ("ano", "ne"),
    ("ano", "nie"),
    ("igen", "nem"),
    ("da", "nu"),
    ("da", "ne"),
    ("да", "не"),
    ("да", "нет"),
    ("так", "ні"),
    ("ja", "ne"),
    ("taip", "ne"),
    ("evet", "hayır"),
    ("ναι", "οχι"),
    ("ya", "tidak"),
    ("co", "khong"),
    ("是", "否"),
    ("はい", "いいえ"),
    ("예", "아니오"),
    ("نعم", "لا"),
    ("כן", "לא"),
)
_PAIRS = frozenset(frozenset(map(fold, pair)) for pair in _FLAGS)
FLAGS = frozenset(word for pair in _PAIRS for word in pair)
_SHORT = frozenset(map(fold, ("y", "no", "sí", "ja", "да", "ні")))
#: Those that mean nothing else: words of three letters, and of scripts of which one is a word.
_ALONE = _SHORT | {word for word in FLAGS if len(word) > 2 or word > "\u0590"}


def flag_pair(values: set[str]) -> bool:
    """Do the values make one pair of opposites, and nothing else?

    >>> flag_pair({"Y", "N", "n"}), flag_pair({"F", "M"}), flag_pair({"yes", "no", "maybe"}), flag_pair({"Y", "F"})
    (True, False, False, False)

    One alone is a flag too where it means nothing else: a column of yes and blanks.

    >>> flag_pair({"Sí"}), flag_pair({"Hayır"}), flag_pair({"N"})
    (True, True, False)
    """
    keys = {fold(value) for value in values}
    return (len(keys) == 1 and keys <= _ALONE) or frozenset(keys) in _PAIRS


def _is_language_tag(text: str) -> bool:
    return text[:2].islower() and _is_language_code(text)


def _is_flag(text: str) -> bool:
    return fold(text) in FLAGS or text in ("0", "1")


def _few(values: set[str]) -> bool:
    return len(values) <= 100


VALIDATORS = {
    "language_tag": _is_language_tag,
    "language_code": _is_language_code,
    "locale": _is_locale,
    "whole_numbers": _whole_numbers,
    "number_range": _is_number_range,
    "few": _few,
    "some_fractions": _some_fractions,
    "flag": _is_flag,
    "flag_pair": flag_pair,
}
