"""The grammar of versions of software, and the forms that versions have in it.

A version is numbers split by points, perhaps a ``v`` before them, behind them perhaps a prerelease (``-rc.3``, ``rc1``,
``-canary-20250101``) or a build (``+abc``): https://semver.org, PEP 440. In a range each has a sign before it (``^``,
``~``, ``>=``). Its form is the sign, the ``v`` and a 0 for each number: widths and prereleases say nothing of the next.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from catalog.patterns.describe import either
from catalog.patterns.language.characters import quote

SIGNS = "<>=!^~"  # what stands before the versions of a range
_LETTER = {"text": "[vV]", "shape": "[aA]"}  # what stands before the numbers of a version, and of its shape
_SIGNED = rf"(?:[{SIGNS}]{{1,3}} ?)?"
_NUMBERS = r"[0-9]+(?:\.[0-9]+)*"
# A prerelease or a build; its length is a bound, of hostile values.
_BEHIND = r"(?:[\-.+_~]?[A-Za-z][0-9A-Za-z.+_~\-]{0,80}|[\-+][0-9][0-9A-Za-z.+_~\-]{0,80})?"
_BETWEEN = rf"(?: ?(?:,|\|\|) ?| (?=[{SIGNS}]))"
_ONE = {of: re.compile(f"({_SIGNED})({letter}?)({_NUMBERS}){_BEHIND}") for of, letter in _LETTER.items()}
_SPLIT = re.compile(_BETWEEN)


def parts_of(text: str) -> list[str]:
    """The versions of a range, each with its sign.

    >>> parts_of(">=1.2.0 <2"), parts_of("1.2")
    (['>=1.2.0', '<2'], ['1.2'])
    """
    return _SPLIT.split(text)


def forms_of(text: str, of: str = "text") -> frozenset[str]:
    """The forms of the versions in a value, or in a ``shape``; none where it is none.

    >>> sorted(forms_of(">=1.2.0, <2")), sorted(forms_of("v1.10.3-beta.1")), sorted(forms_of("soon"))
    (['<0', '>=0.0.0'], ['v0.0.0'], [])
    """
    found = set()
    for part in parts_of(text):
        one = _ONE[of].fullmatch(part)
        if one is None:
            return frozenset()
        signs, letter, numbers = one.groups()
        found.add(signs.strip() + "v" * bool(letter) + ".".join("0" * (numbers.count(".") + 1)))
    return frozenset(found)


def expression(forms: Sequence[str]) -> str:
    """Regular expression of the versions, and of the ranges of versions, of some forms."""
    one = "|".join(map(_expression, forms))
    return f"(?:{one}){_BEHIND}(?:{_BETWEEN}(?:{one}){_BEHIND})*"


def _expression(form: str) -> str:
    """A form without what stands behind."""
    signs, numbers = form.rstrip("0."), form.count("0")
    letter = "[vV]" if "v" in signs else ""
    signs = signs.removesuffix("v")
    before = "".join(map(quote, signs)) + " ?" if signs else ""
    return f"{before}{letter}" + r"\.".join(["[0-9]+"] * numbers)


def words_of(forms: Sequence[str]) -> str:
    """Versions of some forms in words.

    >>> words_of(["0.0", "0.0.0"]), words_of(["v0.0.0"]), words_of([">=0.0", "^0"])
    ('versions of two or three numbers', 'versions of three numbers behind a “v”', \
'versions, or ranges of them, of one or two numbers')
    """
    many = sorted({form.count("0") for form in forms})
    what = "versions, or ranges of them," if any(form[0] in SIGNS for form in forms) else "versions"
    behind = " behind a “v”" if all("v" in form for form in forms) else ""
    return f"{what} of {either(many)} number{'' if many == [1] else 's'}{behind}"
