"""What a person may say of a violation, and what follows for the version: pure words, for all who ask."""

from __future__ import annotations

FALSE_ALARM = "FalsePositive"
EXPECTED = "Expected"
#: The answers after which the data counts as right; only the first of them blames the rule that alarmed.
RIGHT = (FALSE_ALARM, EXPECTED)
#: The answers by the names that programs give them, with what each means; and as people read them.
REASONS = {
    FALSE_ALARM: "the data is right, and nothing had changed",
    EXPECTED: "the change is real and intended; it is normal from now on",
    "MissingData": "values or rows did not arrive",
    "Duplicates": "data arrived twice",
    "OutOfBounds": "values are wrong",
    "Other": "see the comment",
}
IN_WORDS = {
    FALSE_ALARM: "False alarm",
    EXPECTED: "Expected change",
    "MissingData": "Missing data",
    "Duplicates": "Duplicates",
    "OutOfBounds": "Wrong values",
    "Other": "Something else",
}


def label(reason: str) -> str:
    """What the reason makes of the bad versions: learners learn from what is healthy and leave incidents out.

    >>> label("FalsePositive"), label("Expected"), label("Duplicates")
    ('healthy', 'healthy', 'incident')
    """
    return "healthy" if reason in RIGHT else "incident"
