"""Domains of language, flags, and numbers written as text."""

from __future__ import annotations

import re

from catalog.domains import lexicon
from catalog.domains.domain import Domain
from catalog.domains.lexicon import fold


def _is_language_code(text: str) -> bool:
    head, _, tail = re.sub("_", "-", text).partition("-")
    return head.lower() in lexicon.language_codes() and (
        not tail or bool(re.fullmatch(r"[A-Za-z]{2,4}(?:-[A-Za-z]{2})?|\d{3}", tail))
    )


def _is_locale(text: str) -> bool:
    found = re.fullmatch(r"([a-z]{2,3})[-_](?:[A-Z][a-z]{3}[-_])?([A-Z]{2})(?:[.@]\S+)?", text)
    return found is not None and found[1] in lexicon.language_codes() and found[2] in lexicon.country_codes2()


def _unpadded(values: set[str]) -> bool:
    """Numbers are not written with leading zeros; what is has a fixed width and is a code."""
    return not any(re.fullmatch(r"0\d+", value) for value in values)


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
)
FLAGS = frozenset(word for pair in _FLAGS for word in pair)


def flag_pair(values: set[str]) -> bool:
    """Do the values make one pair of opposites, and nothing else?

    >>> flag_pair({"Y", "N", "n"}), flag_pair({"F", "M"}), flag_pair({"yes", "no", "maybe"}), flag_pair({"Y", "F"})
    (True, False, False, False)
    """
    keys = {fold(value) for value in values}
    return any(keys == set(pair) for pair in _FLAGS)


LANGUAGE = (
    Domain(
        "language_code",
        "Language code (ISO 639)",
        ("en", "fra", "zh-CN", "de", "pt"),
        check=lambda text: text[:2].islower() and _is_language_code(text),
        weak=_is_language_code,
        chance=0.25,
        floor=0.9,
        distinct=5,
        names="lang|language|locale|culture|language ?code|iso ?639|lc",
    ),
    Domain(
        "locale",
        "Locale",
        ("en_US", "pt-BR", "fr_FR.UTF-8"),
        check=_is_locale,
        chance=0.001,
        floor=0.8,
        distinct=2,
        names="locale|lang|language|culture",
    ),
    Domain(
        "language_name",
        "Language",
        ("English", "Portuguese", "Japanese"),
        check=lambda text: fold(text) in lexicon.language_names(),
        chance=0.01,
        floor=0.8,
        distinct=2,
        names="language|lang|languages|spoken",
        against="nationality|country",
    ),
)

NUMBERS = (
    Domain(
        "boolean",
        "Boolean flag",
        ("yes", "no"),
        check=lambda text: fold(text) in FLAGS or text in ("0", "1"),
        chance=0.03,
        floor=0.98,
        distinct=2,
        whole=flag_pair,
        names="is|has|flag|active|enabled|valid",
        kinds=frozenset({"string", "boolean"}),
    ),
    Domain(
        "number_range",
        "Range of numbers",
        ("500-999", "1000-1500", "< 200", "1500+"),
        r"[<>≤≥]=? ?\d[\d,.]*|\d[\d,.]*\+|\d[\d,.]* ?(?:-|–|to) ?\d[\d,.]*",
        chance=0.01,
        hit=0.9,
        check=_is_number_range,
        whole=lambda values: len(values) <= 60,
        floor=0.8,
        distinct=2,
        names="range|band|group|bucket",
    ),
    Domain(
        "measurement",
        "Measurement with unit",
        ("165 x 140 mm", "5' 6\"", "12.5 kg"),
        r"(?i)(?:[\w ]{2,20}: )?[<>~]?\d+(?:[.,]\d+)?(?: ?[x×] ?\d+(?:[.,]\d+)?){0,2} ?(?:mm|cm|m|km|in|"
        r"inch(?:es)?|ft|feet|yd|miles?|mi|g|kg|mg|lbs?|oz|t|l|ml|cl|gal|°?[CF]|kw|w|v|hz|khz|mhz|ghz|gb|mb|"
        r"kb|tb|mph|km/h|kmh|bar|psi|kcal|cal|kj|px|pt)\b(?s:.*)|\d{1,2} ?['’′] ?\d{1,2}(?:\.\d+)? ?(?:\"|”|"
        r"″|'')?",
        chance=0.002,
        hit=0.9,
        floor=0.7,
        distinct=2,
        names="size|weight|height|width|length|dimensions?|volume|distance",
    ),
    Domain(
        "integer",
        "Whole number written as text",
        ("12", "4031", "-7"),
        r"[+-]?\d{1,3}(?:,\d{3})+|-?(?:0|[1-9]\d{0,17})|\+\d{1,7}",
        whole=_unpadded,
        chance=0.06,
        floor=0.85,
        distinct=3,
        names="count|number|qty|quantity|total|n",
    ),
    Domain(
        "decimal",
        "Decimal number written as text",
        ("12.5", "0.031", "-7.25"),
        r"[+-]?\d{1,3}(?:,\d{3})*\.\d+(?:[eE][+-]?\d+)?|[+-]?\d*[.,]\d+(?:[eE][+-]?\d+)?",
        chance=0.01,
        hit=0.9,
        floor=0.6,
        distinct=3,
        names="amount|value|rate|score",
    ),
    Domain(
        "ratio_score",
        "Score or ratio",
        ("3-1", "2:0", "4/5"),
        r"\d{1,3} ?[-:/–] ?\d{1,3}",
        chance=0.003,
        needs_name=True,
        floor=0.9,
        distinct=2,
        names="score|result|ratio|odds|ft|ht",
    ),
)
