"""Hiding the content of a value while its shape stays readable."""

from __future__ import annotations

from typing import Any

from catalog.domains.lexicon import fold
from catalog.domains.validators.text import FLAGS

MOST_MASKED = 60  # characters shown of a masked value; a bound
#: Of true, false, yes and no in any language: how long they are, and whether capitals begin them, would tell which.
FLAG = "aaa"
_FLAGS = frozenset(one for one in FLAGS if len(one) > 1)
_LONGEST = max(map(len, _FLAGS)) + 1  # with an accent apart


def mask(value: Any, *, limit: int = MOST_MASKED) -> str:
    """The value with digits as 9, capitals as A, other letters as a; punctuation and spaces stay.

    Only the shape remains (length, separators, case); of flags not even that, since it tells them. None stays visible
    as such.

    Parameters
    ----------
    value : anything; it is rendered with ``str``.
    limit : characters kept, an ellipsis marks the cut.

    >>> mask("Ann.Lee7@example.com")
    'Aaa.Aaa9@aaaaaaa.aaa'
    >>> mask("+44 1798 342332"), mask("Zoë 王"), mask(None)
    ('+99 9999 999999', 'Aaa a', 'null')
    >>> mask(True), mask(False), mask("Yes"), mask("não"), mask("Y")
    ('aaa', 'aaa', 'aaa', 'aaa', 'A')
    >>> mask("x" * 70, limit=5)
    'aaaaa…'
    """
    if value is None:
        return "null"
    text = str(value)
    if len(text) <= _LONGEST and fold(text) in _FLAGS:
        return FLAG
    masked = "".join(_hide(char) for char in text[:limit])
    return masked + "…" if len(text) > limit else masked


def _hide(char: str) -> str:
    if char.isalpha():
        return "A" if char.isupper() else "a"
    if char.isnumeric():  # digits of every script
        return "9"
    # Other symbols carry content only outside ASCII (emoji, private use): they are hidden too.
    return char if char.isascii() else "*"


def mask_all(value: Any) -> Any:
    """JSON data with every cell masked; lists and structs keep their form, nothing stays nothing.

    >>> mask_all("Ann.Lee@mail.example"), mask_all(-41.5), mask_all(None), mask_all([1, {"a": "b"}])
    ('Aaa.Aaa@aaaa.aaaaaaa', '-99.9', None, ['9', {'a': 'a'}])
    """
    if value is None:
        return None
    if isinstance(value, dict):
        return {key: mask_all(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [mask_all(part) for part in value]
    return mask(value)


def blank(value: Any) -> Any:
    """JSON data of which only the form is left: not even how long a value is.

    >>> blank("Female"), blank(None), blank([12, {"a": "b"}])
    ('aaa', None, ['aaa', {'a': 'aaa'}])
    """
    if isinstance(value, dict):
        return {key: blank(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [blank(part) for part in value]
    return None if value is None else FLAG


def masked_texts(value: Any) -> Any:
    """JSON data with its texts masked; figures stay.

    >>> masked_texts({"rows": 12, "shapes": [["Ann", 3]]})
    {'rows': 12, 'shapes': [['Aaa', 3]]}
    """
    if isinstance(value, dict):
        return {name: masked_texts(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [masked_texts(part) for part in value]
    return mask_all(value) if isinstance(value, str) else value
