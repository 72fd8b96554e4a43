"""Realistic values of a shop's columns, drawn in vectors from a seeded generator."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.random import Generator

COUNTRIES = ("DE", "FR", "NL", "AT")
COUNTRY_SHARES = (0.55, 0.2, 0.15, 0.1)
CITIES = {
    "DE": ("Berlin", "Hamburg", "Köln", "München", "Leipzig", "Bremen", "Dresden", "Kassel"),
    "FR": ("Paris", "Lyon", "Nantes", "Lille", "Toulouse", "Rennes"),
    "NL": ("Amsterdam", "Utrecht", "Delft", "Leiden", "Breda"),
    "AT": ("Wien", "Graz", "Linz", "Salzburg"),
}
_MOBILE = {"DE": ("+49151", 8), "FR": ("+336", 8), "NL": ("+316", 8), "AT": ("+43664", 7)}
_BANK = {"DE": 18, "FR": 23, "NL": 0, "AT": 16}
_MAIL = ("gmail.com", "web.de", "gmx.de", "outlook.com", "orange.fr", "ziggo.nl", "proton.me")


def choose(rng: Generator, values: Sequence[str], count: int, shares: Sequence[float] | None = None) -> list[str]:
    """`count` values with replacement, with the given shares."""
    weights = None if shares is None else np.asarray(shares) / np.sum(shares)
    return [values[i] for i in rng.choice(len(values), size=count, p=weights)]


def digits(rng: Generator, width: int) -> str:
    return "".join(map(str, rng.integers(0, 10, width)))


def uuids(rng: Generator, count: int) -> list[str]:
    """Random (version 4) UUIDs."""
    raw = rng.bytes(16 * count)
    return [str(uuid.UUID(bytes=raw[16 * i : 16 * i + 16], version=4)) for i in range(count)]


def hexes(rng: Generator, count: int, width: int = 16) -> list[str]:
    raw = rng.bytes(count * width // 2).hex()
    return [raw[i * width : (i + 1) * width] for i in range(count)]


def addresses(rng: Generator, count: int) -> list[str]:
    """Public-looking IPv4 addresses."""
    parts = np.stack([rng.integers(11, 224, count), *rng.integers(0, 256, (3, count))], axis=1)
    return [".".join(map(str, row)) for row in parts]


def postcode(rng: Generator, country: str) -> str:
    if country == "NL":
        letters = rng.integers(0, 26, 2)
        return f"{rng.integers(1011, 9999)} {chr(65 + letters[0])}{chr(65 + letters[1])}"
    return f"{rng.integers(1010, 9990):04d}" if country == "AT" else f"{rng.integers(1067, 99990):05d}"


def phone(rng: Generator, country: str) -> str:
    """A mobile number in E.164."""
    prefix, width = _MOBILE[country]
    return f"{prefix}{rng.integers(1, 10)}{digits(rng, width - 1)}"


def iban(rng: Generator, country: str) -> str:
    """An IBAN whose check digits are right (ISO 13616, modulo 97).

    >>> number = iban(np.random.default_rng(1), "DE")
    >>> len(number), int(number[4:] + "1314" + number[2:4]) % 97
    (22, 1)
    """
    body = "ABNA" + digits(rng, 10) if country == "NL" else digits(rng, _BANK[country])
    check = 98 - int("".join(str(int(char, 36)) for char in f"{body}{country}00")) % 97
    return f"{country}{check:02d}{body}"


def ean(rng: Generator) -> str:
    """A 13-digit article number with its check digit."""
    body = "40" + digits(rng, 10)
    return body + str(-sum(int(char) * (3 if i % 2 else 1) for i, char in enumerate(body)) % 10)


def vat_number(rng: Generator) -> str:
    """A German VAT number with its check digit (ISO 7064, modulo 11, 10)."""
    body = f"{rng.integers(1, 10)}{digits(rng, 7)}"
    check = 10
    for char in body:
        check = (int(char) + check) % 10 or 10
        check = check * 2 % 11
    return f"DE{body}{(11 - check) % 10}"


@lru_cache(maxsize=1)
def names() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """First names, last names, streets and companies: fixed pools to draw from."""
    text = (files("catalog.demo") / "names.txt").read_text(encoding="utf-8")
    first, last, streets, companies = (tuple(part.split("\n")[1:-1]) for part in text.split("[")[1:])
    return first, last, streets, companies


def ascii_of(name: str) -> str:
    """A name as it stands in an e-mail address.

    >>> ascii_of("Jürgen Groß")
    'juergen-gross'
    """
    text = name.lower()
    for old, new in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), (" ", "-")):
        text = text.replace(old, new)
    return "".join(char for char in text if char.isascii() and (char.isalnum() or char == "-"))


def email(rng: Generator, first: str, last: str) -> str:
    sign = (".", "_", "")[rng.integers(0, 3)]
    number = str(rng.integers(1, 99)) if rng.random() < 0.4 else ""
    return f"{ascii_of(first)}{sign}{ascii_of(last)}{number}@{_MAIL[rng.integers(0, len(_MAIL))]}"


def moments(rng: Generator, day: date, count: int, first_hour: float = 7, last_hour: float = 23) -> list[datetime]:
    """`count` times of one day in order, to the millisecond, denser towards the evening."""
    share = np.sort(rng.beta(2.2, 1.6, count))
    start = datetime(day.year, day.month, day.day)
    seconds = (first_hour + share * (last_hour - first_hour)) * 3600
    return [start + timedelta(milliseconds=int(second * 1000)) for second in seconds]


def prices(rng: Generator, count: int, median: float, spread: float = 0.6) -> np.ndarray:
    """Log-normal amounts with two decimals."""
    return np.round(median * np.exp(rng.normal(0, spread, count)), 2)


def sprinkle(rng: Generator, values: Sequence, share: float) -> list:
    """The values, each missing with the given chance."""
    gone = rng.random(len(values)) < share
    return [None if missing else value for value, missing in zip(values, gone, strict=True)]
