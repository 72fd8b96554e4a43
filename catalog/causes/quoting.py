"""Values and shares as sentences show them."""

from __future__ import annotations

from typing import Any

MOST_QUOTED = 30  # characters of a value that a sentence shows; a bound


def shown(value: Any) -> str:
    """A value as a sentence shows it, control characters made visible."""
    text = str(value)
    text = text if text.isprintable() else repr(text)[1:-1]
    return f'"{text[:MOST_QUOTED]}{"..." if len(text) > MOST_QUOTED else ""}"'


def per_cent(share: float) -> str:
    """A share for a sentence.

    >>> per_cent(0.4137), per_cent(0.0042), per_cent(0.9999)
    ('41%', '0.42%', '100%')
    """
    return f"{100 * share:.0f}%" if share >= 0.095 else f"{100 * share:.2g}%"
