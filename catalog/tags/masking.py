"""Hiding the content of a value while its shape stays readable."""

from __future__ import annotations

from typing import Any

LONGEST = 60  # characters shown of a masked value


def mask(value: Any, *, limit: int = LONGEST) -> str:
    """The value with digits as 9, capitals as A, other letters as a; punctuation and spaces stay.

    Only the shape remains (length, separators, case). None stays visible as such.

    Parameters
    ----------
    value : anything; it is rendered with ``str``.
    limit : characters kept, an ellipsis marks the cut.

    >>> mask("Ann.Lee7@example.com")
    'Aaa.Aaa9@aaaaaaa.aaa'
    >>> mask("+44 1798 342332"), mask("Zoë 王"), mask(None)
    ('+99 9999 999999', 'Aaa a', 'null')
    >>> mask("x" * 70, limit=5)
    'aaaaa…'
    """
    if value is None:
        return "null"
    text = str(value)
    masked = "".join(_hide(char) for char in text[:limit])
    return masked + "…" if len(text) > limit else masked


def _hide(char: str) -> str:
    if char.isalpha():
        return "A" if char.isupper() else "a"
    if char.isnumeric():  # digits of every script
        return "9"
    # Other symbols carry content only outside ASCII (emoji, private use): they are hidden too.
    return char if char.isascii() else "*"


def mask_row(row: dict[str, Any], sensitive: set[str] | frozenset[str]) -> dict[str, Any]:
    """A row with the cells of the sensitive columns masked.

    >>> mask_row({"id": 7, "email": "a@b.io", "phone": None}, {"email", "phone"})
    {'id': 7, 'email': 'a@a.aa', 'phone': None}
    """
    return {k: mask(v) if k in sensitive and v is not None else v for k, v in row.items()}
