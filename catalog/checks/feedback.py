"""What a person may say of a violation, and what follows for the version: pure words, for all who ask."""

from __future__ import annotations

FALSE_ALARM = "FalsePositive"
REASONS = {
    FALSE_ALARM: "the data was right: a false alarm",
    "MissingData": "data was missing",
    "Duplicates": "data arrived twice",
    "OutOfBounds": "values were wrong",
    "Other": "something else was wrong; the comment says what",
}


def label(reason: str) -> str:
    """What the reason makes of the bad versions: learners learn from what is healthy and leave incidents out.

    >>> label("FalsePositive"), label("Duplicates")
    ('healthy', 'incident')
    """
    return "healthy" if reason == FALSE_ALARM else "incident"
