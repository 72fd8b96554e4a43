"""What a kind of damage is: how it is said, what it does, when it is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Rng = np.random.Generator
Change = Callable[[Any], Any]

#: Share of a column's values that a kind has to change, and of the changed ones that the column must not hold anyway.
#: Chosen: damage that hardly changes anything is no test of a rule.
LEAST_CHANGED = 0.9


@dataclass(frozen=True)
class Kind:
    """One kind of damage to the values of one column.

    Parameters
    ----------
    key : identifier, unique among all kinds.
    cause : what a steward calls it: kinds of one cause differ in a detail (upper and lower case are both ``case``).
    words : sentence with ``{column}`` in it.
    example : a value before and after, in the column's own type.
    harmless : when the kind is no damage to a column, in words.
    plan : from the column's values (no nulls, at least one) to the change of one value, or None where the kind does
        not apply. What is chosen once for the whole column (the new prefix, the hours of a shift) is chosen here. The
        change returns None for a value that it does not apply to.
    undo : a value back as it was, where that can be told from the damaged value alone.
    guess : what has probably happened, a sentence.
    of : ``strings``, ``numbers`` or ``times``.
    least : share of the values that has to change, else the kind is no damage.
    seen : whether the changed values can be told from those the column holds anyway. A wrong check digit or an amount
        with tax can not: only a rule that knows what they mean, or the column's distribution, tells.
    """

    key: str
    cause: str
    words: str
    example: tuple[Any, Any]
    harmless: str
    plan: Callable[[Sequence[Any], Rng], Change | None]
    undo: Change | None = None
    guess: str = ""
    of: str = "strings"
    least: float = LEAST_CHANGED
    seen: bool = True

    def damage(self, values: Sequence[Any], rng: Rng, share: float = 1.0) -> list[Any] | None:
        """The column's values with the damage in `share` of those it can change (at least one of them).

        Nulls stay null. None where the kind does not apply or changes nothing.

        >>> from catalog.damage import DAMAGE_KINDS
        >>> DAMAGE_KINDS["last_cut"].damage(["AB-1", None, "AB-2"], np.random.default_rng(0))
        ['AB-', None, 'AB-']
        """
        present = [v for v in values if v is not None]
        change = self.plan(present, rng) if present else None
        if change is None:
            return None
        changed = {
            i: new for i, v in enumerate(values) if v is not None and (new := change(v)) is not None and new != v
        }
        places = list(changed)
        if not places:
            return None
        if share < 1:
            size = max(1, round(share * len(places)))
            places = sorted(rng.choice(places, size, replace=False).tolist())
        out = list(values)
        for i in places:
            out[i] = changed[i]
        return out

    def is_damage(self, values: Sequence[Any], damaged: Sequence[Any] | None, future: Sequence[Any]) -> bool:
        """Whether the damage of all values is damage to this column, told by what the column will hold.

        It is none where it changes fewer than `least` of the values, or where more than a tenth of the changed values
        are such as `future`, undamaged later values of the column, hold as well (where `seen`).

        >>> from catalog.damage import DAMAGE_KINDS
        >>> kind, codes = DAMAGE_KINDS["upper"], ["a1", "b2", "c3"]
        >>> kind.is_damage(codes, ["A1", "B2", "C3"], ["d4"]), kind.is_damage(codes, ["A1", "B2", "C3"], ["A1", "B2"])
        (True, False)
        >>> kind.is_damage(["1", "2", "a"], ["1", "2", "A"], ["3"])
        False
        """
        if damaged is None:
            return False
        new = [b for a, b in zip(values, damaged, strict=True) if a is not None and a != b]
        present = sum(v is not None for v in values)
        if not new or len(new) < self.least * present:
            return False
        if not self.seen:
            return True
        known = set(future)
        return sum(v in known for v in new) <= (1 - LEAST_CHANGED) * len(new)


def each(change: Change) -> Callable[[Sequence[Any], Rng], Change]:
    """A plan that changes every value by itself."""
    return lambda values, rng: change


def drawn(change: Callable[[Any, Rng], Any]) -> Callable[[Sequence[Any], Rng], Change]:
    """A plan that changes every value by itself and by chance."""
    return lambda values, rng: lambda value: change(value, rng)
