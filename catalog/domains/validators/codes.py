"""Validators of codes and identifiers of many trades."""

from __future__ import annotations

import re

_VIN_LETTERS = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True))
#: Of ISO 3779, annex: set there, not chosen.
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def is_vin(text: str) -> bool:
    """A vehicle's number with letters and digits: with North America's check digit (ISO 3779), or a European one.

    European makers need not put a check digit; theirs begin with S to Z and end in four digits.

    >>> is_vin("1HGCM82633A004352"), is_vin("1HGCM82633A004353"), is_vin("WVWZZZ1JZXW000001"), is_vin("1" * 17)
    (True, False, True, False)
    """
    if not re.fullmatch(r"[A-HJ-NPR-Z0-9]{17}", text) or text.isdigit() or not re.search(r"\d{4}$", text):
        return False
    if text[0] in "STUVWXYZ":
        return True
    total = sum(int(_VIN_LETTERS.get(c, c)) * weight for c, weight in zip(text, _VIN_WEIGHTS, strict=True))
    return text[8] == "0123456789X"[total % 11]


def _loose_vin(text: str) -> bool:
    return bool(re.fullmatch(r"(?=.*\d)(?=.*[A-Z])[A-HJ-NPR-Z0-9]{17}", text.upper()))


def _loose_plate(text: str) -> bool:
    """Up to ten letters and digits, parted or not; trusted only where the column's name says so. Digits alone are the
    number of a pupil or a member, whom some languages call by the same word."""
    return (
        bool(re.fullmatch(r"(?=.*\d)(?=.*[^\W\d_]|.*[ -])[^\W_]{1,4}(?:[ -]?[^\W_]{1,5}){0,3}", text))
        and len(text) <= 13
    )


def _loose_document(text: str) -> bool:
    return bool(re.fullmatch(r"(?=.*\d)[A-Z0-9][A-Z0-9 -]{4,19}", text.upper()))


def _is_object_id(text: str) -> bool:
    """The first four bytes are seconds since 1970: between 2005 and 2050."""
    return 1_104_537_600 <= int(text[:8], 16) <= 2_524_608_000 and any(char in "abcdef" for char in text)


def _is_cron(text: str) -> bool:
    return text[0] == "@" or "*" in text or "?" in text or bool(re.search(r"[A-Z]{3}", text))


def _is_image(text: str) -> bool:
    name, _, tag = text.rpartition(":")
    return not text.startswith(("http", "urn")) and bool(re.search(r"[a-z]", name)) and len(tag) > 0


def _six_digits(text: str) -> bool:
    return bool(re.fullmatch(r"\d{6}|\d{2} \d{2} \d{2}", text))


def _loose_icd10(text: str) -> bool:
    return bool(re.fullmatch(r"[A-TV-Z]\d[0-9AB](?:\.?[0-9A-TV-Z]{1,4})?", text))


def _is_dna(text: str) -> bool:
    return len(set(text.upper())) >= 3


def _is_pubmed(text: str) -> bool:
    return bool(re.fullmatch(r"\d{4,8}", text))


def _is_arxiv(text: str) -> bool:
    """The first four digits are a year since 1991 and a month."""
    found = re.search(r"(\d\d)(\d\d)", text)
    return found is not None and 1 <= int(found[2]) <= 12 and ("." not in text or 7 <= int(found[1]) <= 60)


def _is_ror(text: str) -> bool:
    return text.startswith("https://") or bool(re.search(r"[a-z]", text))


VALIDATORS = {
    "vin": is_vin,
    "loose_vin": _loose_vin,
    "loose_plate": _loose_plate,
    "loose_document": _loose_document,
    "object_id": _is_object_id,
    "cron": _is_cron,
    "image": _is_image,
    "six_digits": _six_digits,
    "loose_icd10": _loose_icd10,
    "dna": _is_dna,
    "pubmed": _is_pubmed,
    "arxiv": _is_arxiv,
    "ror": _is_ror,
}
