"""What is hidden of a table's rows and texts, leaf by leaf: the one place all that is kept or shown goes through."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.states.elements import is_opened
from catalog.tags.privacy.inside import ALWAYS, NAMES, holds, mask_inside
from catalog.tags.privacy.levels import SECRETS
from catalog.tags.privacy.masking import blank, mask_all

#: Types whose cells no scan looks into, so that nobody knows what they hold.
UNSEEN = ("array<", "map<", "binary", "variant")


@dataclass(frozen=True)
class Hiding:
    """What of a table may not be seen.

    Parameters
    ----------
    whole : leaves (dotted names) whose values are masked whatever they are.
    known : leaves that a scan looked at; a column that came a moment ago, or is gone, is masked too.
    blind : leaves whose cells no scan looks into: masked. Of lists what they hold is, unless it is `known`.
    inside : leaves for which the domains masked inside their values are not `ALWAYS`.
    shapeless : leaves of whose masked values the shape is hidden too, since it tells them (`figures.told_by_shape`).

    >>> hide = Hiding(frozenset({"who.name"}), frozenset({"id", "note", "who.age"}))
    >>> hide.row({"id": 7, "note": "ask ann@b.io", "who": {"name": "Ann", "age": 9}, "tags": ["x1"]})
    {'id': 7, 'note': 'aaa aaa@a.aa', 'who': {'name': 'Aaa', 'age': 9}, 'tags': ['a9']}
    >>> hide = Hiding(frozenset({"who[].name"}), frozenset({"who", "who[].name", "who[].age"}), frozenset({"who"}))
    >>> hide.row({"who": [{"name": "Ann", "age": 9, "new": "x"}, None]})
    {'who': [{'name': 'Aaa', 'age': 9, 'new': 'a'}, None]}
    >>> Hiding(frozenset({"sex"}), frozenset({"sex"}), shapeless=frozenset({"sex"})).row({"sex": "Female"})
    {'sex': 'aaa'}
    """

    whole: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    blind: frozenset[str] = frozenset()
    inside: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shapeless: frozenset[str] = frozenset()

    def seen(self, levels: Collection[str], secret: Collection[str]) -> Hiding:
        """What is hidden from somebody who may see values of these levels; `secret` are the leaves of that level. What
        nobody looked into (arrays, maps, a column that came a moment ago) may hold anything, and counts as secret.

        >>> hide = Hiding(frozenset({"mail", "pin"}), frozenset({"mail", "pin", "note"}))
        >>> row = {"mail": "ann@b.io", "pin": "x1", "note": "ann@b.io", "new": "y2"}
        >>> hide.seen({"personal"}, {"pin"}).row(row)
        {'mail': 'ann@b.io', 'pin': 'a9', 'note': 'ann@b.io', 'new': 'a9'}
        >>> hide.seen({"personal", "secret"}, {"pin"}).row({**row, "new": [1]})
        {'mail': 'ann@b.io', 'pin': 'x1', 'note': 'ann@b.io', 'new': ['9']}
        """
        every = self.known | self.whole | self.blind | set(self.inside)
        if "secret" in levels:
            return Hiding(known=every, inside=dict.fromkeys(every, frozenset()))
        if "personal" not in levels:
            return self
        inside = {leaf: SECRETS & set(self.within(leaf)) for leaf in every}
        return Hiding(self.whole & set(secret), self.known, self.blind, inside, self.shapeless)

    def wider(self, leaves: Collection[str]) -> Hiding:
        """The same with further leaves masked whole.

        >>> Hiding(known=frozenset({"sex"})).wider({"sex"}).row({"sex": "Ann Lee"})
        {'sex': 'Aaa Aaa'}
        """
        return replace(self, whole=self.whole | set(leaves)) if leaves else self

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row as JSON data, masked."""
        return {name: self.cell(name, value) for name, value in row.items()}

    def cell(self, leaf: str, value: Any) -> Any:
        """One cell of a leaf or of a struct above leaves; a value that holds something sensitive is masked whole."""
        if value is None:
            return None
        names = {leaf, f"`{leaf}`"}  # a column whose name holds dots may share it with a leaf
        if names & self.whole:
            return blank(value) if names & self.shapeless else mask_all(value)
        if isinstance(value, dict):
            return {name: self.cell(f"{leaf}.{name}", part) for name, part in value.items()}
        if isinstance(value, list) and is_opened(leaf, self.known):
            return [self._element(f"{leaf}[]", part) for part in value]
        if not names & self.known or names & self.blind:
            return mask_all(value)
        return mask_all(value) if holds(str(value), self.within(leaf)) else value

    def _element(self, leaf: str, value: Any) -> Any:
        """One element of a list; an entry of a map as its key and value."""
        if isinstance(value, list) and len(value) == 2 and not is_opened(leaf, self.known):
            return [self.cell(f"{leaf}.{name}", part) for name, part in zip(("key", "value"), value, strict=True)]
        return self.cell(leaf, value)

    def within(self, leaf: str) -> Collection[str]:
        """Domains that are masked inside the values of a leaf."""
        return self.inside.get(leaf, ALWAYS)

    def private(self, leaf: str) -> bool:
        """Whether nothing that is made of a leaf's values may be told; what is no column any more stays hidden."""
        return bool(leaf) and (leaf in self.whole or leaf not in self.known or NAMES in self.within(leaf))

    def private_rule(self, leaf: str | None, body: Any) -> bool:
        """Whether a rule may not tell values: its leaf is private, one that it quotes holds something, or a condition
        of it asks about leaves that are private. How many rows meet a condition tells what they hold."""
        told = bool(leaf) and (self.private(leaf or "") or self._quotes(leaf or "", body))
        return told or bool(self.asked(conditions_of(body)))

    def asked(self, conditions: Iterable[str], columns: Collection[str] = ()) -> set[str]:
        """What may not be seen of that which conditions in SQL, and columns, name: leaves, or a name that is none.

        >>> hide = Hiding(frozenset({"who.pin"}), frozenset({"id", "who.pin", "who.age"}))
        >>> sorted(hide.asked(["ID > 7 AND Who.Pin = 'x'", "who.age > 7"])), sorted(hide.asked(["who = 1"], ["new"]))
        (['who.pin'], ['new', 'who.pin'])
        """
        given = list(conditions)
        if not given and not columns:
            return set()
        from catalog.predicates.predicate import Predicate  # a parser: only where a condition is asked

        every = self.known | self.whole | self.blind
        found: set[str] = set()
        for name in [*columns, *(name for one in given for name in Predicate(one).columns)]:
            asked = name.casefold()
            meant = {one for one in every if (one.casefold() + ".").startswith((asked + ".", asked + "[]"))}
            found |= set(filter(self._unseen, meant)) if meant else {name}
        return found

    def _unseen(self, leaf: str) -> bool:
        """Whether a leaf's values may not be seen; of a list that was looked into its elements say so."""
        return not is_opened(leaf, self.known) if leaf in self.blind else self.private(leaf)

    def _quotes(self, leaf: str, data: Any) -> bool:
        if isinstance(data, str):
            return holds(data, self.within(leaf))
        parts = data.values() if isinstance(data, Mapping) else data if isinstance(data, list | tuple) else ()
        return any(self._quotes(leaf, part) for part in parts)

    def data(self, leaf: str, data: Any) -> Any:
        """What is said of a leaf that is not private, with the sensitive values that it quotes masked."""
        if isinstance(data, str):
            return mask_inside(data, self.within(leaf))
        if isinstance(data, dict):
            return {name: self.data(leaf, part) for name, part in data.items()}
        return [self.data(leaf, part) for part in data] if isinstance(data, list | tuple) else data


#: Under which names a rule's body holds conditions in SQL: of rows that it is asked of, and arguments of its check.
CONDITIONS = ("where", "condition", "premise")


def conditions_of(body: Any) -> list[str]:
    """The conditions in SQL in a rule's body.

    >>> conditions_of({"column": "a", "where": "b = 1", "params": {"arguments": {"condition": "c = 2"}}})
    ['b = 1', 'c = 2']
    """
    if not isinstance(body, Mapping):
        return []
    params = body.get("params")
    given = params.get("arguments") if isinstance(params, Mapping) else None
    places = [body, given if isinstance(given, Mapping) else {}]
    return [one[name] for one in places for name in CONDITIONS if isinstance(one.get(name), str) and one[name]]


def hiding_of(
    columns: Iterable[tuple[str, str, bool, bool]],
    tags: Iterable[tuple[str, str, bool, str]],
    shapeless: Iterable[str] = (),
) -> Hiding:
    """What a table's columns ``(leaf, type, sensitive, looked at)`` and their tags ``(leaf, domain, contains, status)``
    hide; of `shapeless` leaves the shape, too. A domain that a person rejected for a leaf is not masked inside its
    values.

    >>> columns = [("a", "string", True, True), ("b", "map<int,int>", False, True)]
    >>> told = hiding_of(columns, [("a", "iban", False, "rejected")])
    >>> sorted(told.whole), sorted(told.blind), "iban" in told.within("a"), "email" in told.within("a")
    (['a'], ['b'], False, True)
    """
    listed = list(columns)
    inside: dict[str, frozenset[str]] = {}
    for leaf, domain, contains, status in tags:
        if status == "rejected":
            inside[leaf] = inside.get(leaf, ALWAYS) - {domain}
        elif contains:
            inside[leaf] = inside.get(leaf, ALWAYS) | {domain}
    return Hiding(
        frozenset(leaf for leaf, _, sensitive, _ in listed if sensitive),
        frozenset(leaf for leaf, _, _, looked in listed if looked),
        frozenset(leaf for leaf, kind, _, _ in listed if kind.startswith(UNSEEN)),
        inside,
        frozenset(shapeless),
    )
