"""What a version is taken for, by the catalog or by a person: learners learn from what nothing is held against.

A version without a label broke no rule, or no rule has judged it.
"""

from __future__ import annotations

HEALTHY, SUSPECT, INCIDENT = "healthy", "suspect", "incident"
#: What nothing is learned from: a rule broke and nobody said that it was wrong, or a person confirmed it.
UNHEALTHY = (SUSPECT, INCIDENT)
#: What a person may say.
ANSWERS = (HEALTHY, INCIDENT)


def taken_for(label: str | None, violated: int) -> str | None:
    """The label of a version; without one it is suspect where rules broke (`violated` of them) and nobody answered.

    >>> taken_for(None, 0), taken_for(None, 2), taken_for(HEALTHY, 2)
    (None, 'suspect', 'healthy')
    """
    return label or (SUSPECT if violated else None)
