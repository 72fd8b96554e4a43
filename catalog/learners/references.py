"""Learning which columns name rows of other tables, from the names of both and samples of their values.

A reference is looked for where a column is called like another table's key: only these few pairs are compared, by the
samples that are kept of both columns. Containment alone proves nothing: whole numbers from 1 on are among any others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from catalog.domains.domain import words
from catalog.domains.names.asked import KEYED
from catalog.rules.chances import LACKED, REPEATED
from catalog.rules.kinds.reference import ReferenceRule
from catalog.states.parts.distinct import Hashes, share_bounds

#: Words of a table's name that say what it is in a warehouse, and not of what.
_LAYERS = frozenset("dim fact tbl stg raw src vw bronze silver gold".split())

HALF = 0.5  # of rows: a demand on fewer than that is none; a bound


@dataclass(frozen=True, eq=False)
class Keyed:
    """A column that is called a key, of a table as it stands.

    Parameters
    ----------
    table, full : the table's name, and ``source/name``.
    is_own : whether it is the table's own key: called so first, and of each row another value.
    hashes, threshold : sample of its values (`catalog.states.parts.distinct`).
    rows, once : rows that have a value, and about how many of these values come once.
    version : the table's. refused : tables whose rows it was found not to name (`catalog.store.models.KeySample`).
    """

    table_id: int
    table: str
    full: str
    column: str
    kind: str
    is_own: bool
    hashes: Hashes
    threshold: int
    rows: int
    once: int
    version: int = 0
    refused: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def waits(self, other: Keyed) -> bool:
        """Whether it was found not to name rows of another table, and too little came since to ask again: each time,
        twice as many versions of both as before, so that what never holds is asked ever less often.

        >>> from dataclasses import replace
        >>> of = Keyed(1, "t", "s/t", "id", "number", False, np.array([], np.uint64), 1, 9, 9)
        >>> refused = replace(of, version=5, refused={"s/t": [2, 5, 7]})
        >>> [refused.waits(replace(of, version=at)) for at in (7, 8, 11)], of.waits(of)
        ([True, True, False], False)
        """
        times, *before = self.refused.get(other.full, (0, 0, 0))
        return times > 0 and abs(self.version - before[0]) + abs(other.version - before[1]) < 2**times


@dataclass(frozen=True)
class Candidate:
    """A column whose values are all among those of another table's key; `compared` of them were seen, of a sample or
    of all."""

    own: Keyed
    other: Keyed
    compared: int

    @property
    def tolerated(self) -> float:
        """The share of rows that may lack their value: of the values that were compared none did, and of the rows few
        have a value that no row had before them (Good, "The population frequencies of species", 1953)."""
        of_values = share_bounds(0, self.compared)[1]
        of_rows = share_bounds(min(self.own.once, self.own.rows), self.own.rows)[1]
        return round(max(REPEATED, min(of_values, of_rows)), 4)


def stem(column: str) -> str:
    """The words of a key's name without what stands for the table in front: ``o_custkey`` is a ``custkey``.

    >>> [stem(name) for name in ("o_custkey", "ps_partkey", "customer_id", "billingCustomerID", "id")]
    ['custkey', 'partkey', 'customer id', 'billing customer id', 'id']
    """
    first, _, rest = words(column).partition(" ")
    return rest if rest and len(first) <= 2 and not KEYED.search(first) else words(column)


def called(parent: str, table: str) -> set[str]:
    """What a column is called that names a row of a table by its key.

    >>> sorted(called("id", "dim_customers")), sorted(called("c_custkey", "customer"))
    (['customer id'], ['custkey'])
    >>> sorted(called("customer_id", "customers"))
    ['customer id']
    """
    own = stem(parent)
    if not is_generic(own):
        return {own}
    of_table = [word for word in words(table).split() if word not in _LAYERS]
    if not of_table:
        return set()
    return {" ".join([*of_table[:-1], last, own]) for last in singulars(of_table[-1])}


def is_generic(stem: str) -> bool:
    """Whether a key's name says nothing of what it is a key of.

    >>> is_generic("id"), is_generic("serial number"), is_generic("code"), is_generic("customer id")
    (True, True, True, False)
    """
    return all(KEYED.search(word) or word in ("code", "uuid") for word in stem.split())


def singulars(word: str) -> set[str]:
    """What one of many may be called in English.

    >>> [sorted(singulars(word)) for word in ("orders", "categories", "addresses", "staff")]
    [['order'], ['categorie', 'category'], ['address', 'addresse'], ['staff']]
    """
    if word.endswith("ies"):
        return {f"{word[:-3]}y", word[:-1]}
    if word.endswith(("ses", "xes", "ches", "shes")):
        return {word[:-2], word[:-1]}
    return {word[:-1]} if word.endswith("s") and not word.endswith("ss") else {word}


def candidates(columns: Iterable[Keyed]) -> list[Candidate]:
    """The columns that name rows of another table of the same source, as far as names and samples tell. Where several
    tables have the key, none is it for sure; and a table's own key names its own rows, whatever copies there are."""
    known = list(columns)
    keys: dict[str, list[Keyed]] = defaultdict(list)
    for one in known:
        for name in called(one.column, one.table) if one.is_own else ():
            keys[name].append(one)
    found = []
    for own in (one for one in known if not one.is_own):
        others = [one for one in _named(own, keys) if one.table_id != own.table_id and one.kind == own.kind]
        compared = [(other, held_by(own, other)) for other in others]
        held = [Candidate(own, other, count) for other, count in compared if count]
        found += held if len(held) == 1 else []
    return found


def _named(own: Keyed, keys: dict[str, list[Keyed]]) -> Iterator[Keyed]:
    """The keys that a column is called like: with all its words, or with a role in front of them."""
    tokens = stem(own.column).split()
    for at in range(len(tokens)):
        some = keys.get(" ".join(tokens[at:]))
        if some:
            yield from some
            return


def held_by(own: Keyed, other: Keyed) -> int:
    """How many values of one column's sample could be seen in the other's, where all of them are; 0 where one is not.

    >>> of = lambda values: Keyed(1, "t", "s/t", "id", "number", True, np.array(values, np.uint64), 1 << 64, 9, 9)
    >>> held_by(of([2, 4]), of([1, 2, 3, 4])), held_by(of([2, 9]), of([1, 2, 3, 4]))
    (2, 0)
    """
    least = np.uint64(min(own.threshold, other.threshold) - 1)
    seen = own.hashes[own.hashes <= least]
    return len(seen) if np.isin(seen, other.hashes).all() else 0


def learn_references(found: Sequence[Candidate]) -> list[ReferenceRule]:
    """One rule for each column that names rows of another table."""
    return [_rule(one) for one in found]


def _rule(one: Candidate) -> ReferenceRule:
    told = f"Every value is one of {one.other.full}.{one.other.column}"
    sentence = f"{told}; at most {one.tolerated:.1%} of the rows lack theirs (as none of {one.own.rows:,} did)."
    params = {"column": one.other.column, "lacking": one.tolerated}
    evidence = {"values": one.compared, "rows": one.own.rows}
    return ReferenceRule(
        "reference", one.own.column, params, LACKED, sentence, "references", evidence, other=one.other.full
    )
