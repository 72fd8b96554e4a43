r"""Whether a hostile value can keep a regex busy for ever: a repetition that can match the same text in many ways.

Each repetition of what is no single character is read as an automaton whose states are the characters of its body
(Glushkov, 1961). It takes exponential time where two different ways lead from a state to itself along one text
(Weber & Seidl, On the degree of ambiguity of finite automata, 1991): ``(a+)+``, ``(?:a?b?)*``, ``(?:ab|a|b)*``. Where
a sign decides it does not: ``(?:\w+ )+``, the labels of a host between their dots.

The regex is parsed by Python itself. Bounds above `COPIES` count as none; looking ahead, behind and back is left out,
and what is matched once and for all is taken for what is not: a regex can look worse than it is, not better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

_PARSER: Any = import_module("re._parser")
COPIES = 16  # bound: how often what is repeated so many times at least is written out
#: Characters that stand for all others of their kind: letters, digits and signs of several scripts.
_KINDS = frozenset([*map(chr, range(32, 0x180)), *"\t\nαЯא٣日한あ—’“٪€\U0001f600"])
_CATEGORIES = {"CATEGORY_DIGIT": r"\d", "CATEGORY_SPACE": r"\s", "CATEGORY_WORD": r"\w"}
_LOOPS = ("MAX_REPEAT", "MIN_REPEAT")
_ZERO_WIDTH = ("AT", "ASSERT", "ASSERT_NOT", "FAILURE")
Items = Sequence[tuple[Any, Any]]


#: Chosen: fixed repetitions of what may be read in several ways; each multiplies the time by the text's length.
MOST_TIMES = 4


def ambiguous(pattern: str) -> bool:
    r"""Can a repetition match the same text in exponentially many ways? Errors: `re.error`.

    >>> [ambiguous(one) for one in (r"(a+)+", r"(a*)*", r"(?:a?b?)*", r"(?:\w+ ?){1,40}", r"(?:ab|a|b)*", r"(?:\d+)*x")]
    [True, True, True, True, True, True]
    >>> [ambiguous(one) for one in (r"\d+-[A-Z]{2,}", r"(?:\w+ ){1,40}", r"(?:\d{2})+", r"(?:[A-Z][a-z]+)+")]
    [False, False, False, False]
    >>> ambiguous("(.*a){25}b"), ambiguous("(?:[0-9]{3}-){12}"), ambiguous("(?:[A-Z]?[0-9]+ ?){2}")
    (True, False, False)
    >>> ambiguous(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}")
    False
    """
    parsed = _PARSER.parse(pattern)
    return any(Automaton(flags).of(body) for body, flags in _loops(parsed, parsed.state.flags))


def _loops(items: Items, flags: int) -> Iterator[tuple[Items, int]]:
    """The bodies of the outermost repetitions that vary, or are of many times, with the flags that hold there; not
    those of one character."""
    for operator, given in items:
        name = str(operator)
        if name in _LOOPS and given[1] > 1 and (given[1] != given[0] or given[1] > MOST_TIMES):
            if len(given[2]) > 1 or not _single(given[2]):
                yield given[2], flags
        else:
            for part, within in _parts(name, given, flags):
                yield from _loops(part, within)


def _single(items: Items) -> bool:
    return all(str(operator) in ("LITERAL", "NOT_LITERAL", "ANY", "IN") for operator, _ in items)


def _parts(name: str, given: Any, flags: int) -> list[tuple[Items, int]]:
    """The sequences that a part of a regex holds, with their flags."""
    match name:
        case "SUBPATTERN":
            return [(given[3], (flags | given[1]) & ~given[2])]
        case "BRANCH":
            return [(part, flags) for part in given[1]]
        case "ATOMIC_GROUP":
            return [(given, flags)]
        case "ASSERT" | "ASSERT_NOT":
            return [(given[1], flags)]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [(given[2], flags)]
        case "GROUPREF_EXISTS":
            return [(part, flags) for part in given[1:] if part is not None]
    return []


@dataclass
class Automaton:
    """The states of a repetition, each the characters that lead to it, and which may follow which."""

    flags: int
    states: list[frozenset[str]] = field(default_factory=list)
    follow: dict[int, set[int]] = field(default_factory=dict)
    twice: bool = False  # whether one state follows another in two ways

    def of(self, body: Items) -> bool:
        """Whether the repetition of a body is exponentially ambiguous."""
        first, last, _ = self._sequence(body, self.flags)
        self._join(last, first)
        return self.twice or self._returns()

    def _join(self, last: Sequence[int], first: Sequence[int]) -> None:
        for one in last:
            known = self.follow.setdefault(one, set())
            self.twice |= not known.isdisjoint(first)
            known.update(first)

    def _sequence(self, items: Items, flags: int) -> tuple[list[int], list[int], bool]:
        """(states that it may begin with, that it may end with, whether it may be empty)."""
        first: list[int] = []
        last: list[int] = []
        empty = True
        for operator, given in items:
            begin, end, nothing = self._item(str(operator), given, flags)
            self._join(last, begin)
            first = first + begin if empty else first
            last = last + end if nothing else end
            empty = empty and nothing
        return first, last, empty

    def _item(self, name: str, given: Any, flags: int) -> tuple[list[int], list[int], bool]:
        if name in _ZERO_WIDTH or name.startswith("GROUPREF"):
            return [], [], True
        if name in _LOOPS or name == "POSSESSIVE_REPEAT":
            return self._repeat(given, flags)
        if parts := _parts(name, given, flags):
            first, last, empty = zip(*(self._sequence(*part) for part in parts), strict=True)
            return [one for each in first for one in each], [one for each in last for one in each], any(empty)
        self.states.append(characters(name, given, flags))
        return [len(self.states) - 1], [len(self.states) - 1], False

    def _repeat(self, given: Any, flags: int) -> tuple[list[int], list[int], bool]:
        least, most, body = given
        copies = min(int(least), COPIES)
        first, last, empty = self._sequence([("SUBPATTERN", (None, 0, 0, body))] * copies, flags)
        if most == copies:
            return first, last, empty
        begin, end, _ = self._sequence(body, flags)
        if most > copies + 1:
            self._join(end, begin)
        self._join(last, begin)
        return first + begin if empty else first, last + end, empty

    def _returns(self) -> bool:
        """Whether from a state with itself a pair of two different ones can be reached, and it from them."""
        ahead: dict[tuple[int, int], list[tuple[int, int]]] = {}
        todo = [(one, one) for one in range(len(self.states))]
        while todo:
            pair = todo.pop()
            if pair not in ahead:
                ways = [(a, b) for a in self.follow.get(pair[0], ()) for b in self.follow.get(pair[1], ())]
                ahead[pair] = [way for way in ways if self.states[way[0]] & self.states[way[1]]]
                todo += ahead[pair]
        back: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for pair, ways in ahead.items():
            for way in ways:
                back.setdefault(way, []).append(pair)
        # In the repetition each state leads to each other along some text, so that any pair of one may be the first.
        same = [pair for pair in ahead if pair[0] == pair[1]]
        return any(pair[0] != pair[1] for pair in _reached(same, back))


def _reached(
    start: Sequence[tuple[int, int]], ways: dict[tuple[int, int], list[tuple[int, int]]]
) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    todo = list(start)
    while todo:
        pair = todo.pop()
        if pair not in found:
            found.add(pair)
            todo += ways.get(pair, [])
    return found


def characters(name: str, given: Any, flags: int) -> frozenset[str]:
    """The characters, of those that stand for all, that a part of one character matches."""
    match name:
        case "LITERAL":
            return _cased(chr(given), flags)
        case "NOT_LITERAL":
            return _KINDS - _cased(chr(given), flags)
        case "RANGE":
            return frozenset(
                one for one in _KINDS if any(given[0] <= ord(form) <= given[1] for form in _cased(one, flags))
            )
        case "CATEGORY":
            kind = re.compile(_CATEGORIES[str(given).replace("_NOT_", "_")], flags & re.ASCII)
            return frozenset(one for one in _KINDS if bool(kind.match(one)) != ("_NOT_" in str(given)))
        case "IN":
            out = str(given[0][0]) == "NEGATE"
            found = frozenset().union(*(characters(str(kind), what, flags) for kind, what in given[out:]))
            return _KINDS - found if out else found
    return _KINDS


def _cased(one: str, flags: int) -> frozenset[str]:
    forms = {one, one.lower(), one.upper()} if flags & re.IGNORECASE else {one}
    return frozenset(form for form in forms if len(form) == 1)
