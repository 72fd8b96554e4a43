"""Strings that match a regex, drawn at random: what columns of a domain without a generator of its own are made of."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from re import _constants as sre  # type: ignore[attr-defined]  # isort: skip
from re import _parser as parser  # type: ignore[attr-defined]  # isort: skip

MOST = 8  # repetitions of an open repeat beyond its least
_CLASSES = {
    sre.CATEGORY_DIGIT: "0123456789",
    sre.CATEGORY_WORD: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
    sre.CATEGORY_SPACE: " ",
}
_ANY = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_PRINTABLE = "".join(map(chr, range(33, 127)))


def draw(pattern: str, rng: random.Random) -> str:
    """One string that matches, but for look-arounds and back-references to what varies.

    >>> import re
    >>> bool(re.fullmatch("[A-F]{2}-[0-9]{3}(?:x|yy)?", draw("[A-F]{2}-[0-9]{3}(?:x|yy)?", random.Random(1))))
    True
    """
    return _draw(parser.parse(pattern), rng, {})


def _draw(tree: Iterable[Any], rng: random.Random, groups: dict[int, str]) -> str:
    return "".join(_node(kind, value, rng, groups) for kind, value in tree)


def _node(kind: Any, value: Any, rng: random.Random, groups: dict[int, str]) -> str:
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.NOT_LITERAL:
        return rng.choice(_ANY.replace(chr(value), ""))
    if kind is sre.ANY:
        return rng.choice(_ANY)
    if kind is sre.IN:
        return rng.choice(_members(value))
    if kind is sre.BRANCH:
        return _draw(rng.choice(value[1]), rng, groups)
    if kind is sre.SUBPATTERN:
        found = _draw(value[3], rng, groups)
        if value[0] is not None:
            groups[value[0]] = found
        return found
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        low, high, part = value
        return "".join(_draw(part, rng, groups) for _ in range(rng.randint(low, min(high, low + MOST))))
    if kind is sre.GROUPREF:
        return groups.get(value, "")
    return ""  # anchors and look-arounds


def _members(items: list[Any]) -> str:
    negated = bool(items) and items[0][0] is sre.NEGATE
    chars: set[str] = set()
    for kind, value in items:
        if kind is sre.LITERAL:
            chars.add(chr(value))
        elif kind is sre.RANGE:
            chars.update(map(chr, range(value[0], min(value[1], value[0] + 200) + 1)))
        elif kind is sre.CATEGORY:
            chars.update(_CLASSES.get(value, _ANY))
    return "".join(sorted(set(_PRINTABLE) - chars if negated else chars))
