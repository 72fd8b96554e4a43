"""Sensitive values that arrived in a column which is not masked: columns moved on by one, a telephone where a date
should be. A column's tags say what it means; this says what a single version of it holds instead."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, lru_cache

import pyarrow as pa

from catalog.domains.domain import Domain
from catalog.domains.known import KNOWN
from catalog.domains.validators.text import FLAGS
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from catalog.states.parts.shapes import RUNS, coarsen, shape_of
from catalog.tags.discovery.sample import Sample, sample
from catalog.tags.privacy.inside import ALWAYS
from catalog.tags.proposal import TagProposal
from catalog.tags.propose import propose_tags

#: Dictionaries of names do not know all, and whoever is listed by them alone may be a town: never enough for a tag, but
#: for values that the column never held.
NAMES = ("first_name", "last_name")
SPARSE = 3  # chosen: as many values as a tag on some values of a column asks for; two are chance
MOSTLY = 0.5  # chosen: rather so than not
BEFORE = 0.1  # chosen: share of what a column held before, from which such values are nothing new in it
BY_CHANCE = 1e-3  # chosen: how seldom values of another meaning may pass for sensitive ones
LEAST_LETTERS, LEAST_DIGITS = 3, 6  # chosen: shorter values are alike in columns that have nothing to do with another
_RUN = re.compile(r"[A-Za-z0é]+|[^A-Za-z0é]")


class _Held:
    """What is known of a column's values."""

    def __init__(self, state: ColumnState) -> None:
        self.state = state

    @cached_property
    def sample(self) -> Sample:
        return sample(self.state)

    @cached_property
    def texts(self) -> frozenset[str]:
        return frozenset(self.sample.texts)

    @cached_property
    def shapes(self) -> dict[str, float]:
        """Share of the rows that each shape has, runs written once; of values that are no texts, of those known."""
        known = self.state.shapes
        if known is None:
            found: dict[str, float] = {}
            for text, weight in self.sample.values:
                found[_shape(text)] = found.get(_shape(text), 0.0) + weight
            return found
        at = known.at(RUNS)
        return {one.text: one.count / max(at.rows, 1) for one in at.items}

    @cached_property
    def told(self) -> frozenset[str]:
        """Values that are the same in two columns by no chance."""
        return frozenset(filter(_telling, self.texts))


def arrived(
    now: Mapping[str, ColumnState],
    before: Mapping[str, ColumnState],
    masked: Mapping[str, str],
    shown: Collection[str] = (),
    meant: Mapping[str, str] | None = None,
    refused: Mapping[str, Collection[str]] | None = None,
) -> dict[str, str]:
    """The columns, not masked, that hold sensitive values which they did not hold before, each with whose these are: a
    masked column that held them, else the domain that they are of.

    Parameters
    ----------
    now, before : the columns of a version and of the last right one.
    masked : the columns whose values nobody may see, with their domains ("" where none is known).
    shown : columns whose values a person said may be seen, whatever they are.
    meant : the domains of the other columns: what stands in clear beside is no secret here.
    refused : domains that a person said a column is not of.

    >>> held = {"who": ["Ann Lee", "Bo Fox", "Cy Ray"], "class": ["first", "third", "first"]}
    >>> came = {"who": ["x", "y", "z"], "class": ["Ann Lee", "Cy Ray", "first"]}
    >>> states = [fold(pa.table(one)).columns for one in (came, held)]
    >>> arrived(*states, {"who": "person_name"}), arrived(*states, {"who": "person_name"}, {"class"})
    ({'class': 'who'}, {})
    """
    old = {name: _Held(state) for name, state in before.items()}
    new = {name: _Held(state) for name, state in now.items()}
    open_domains = {domain for name, domain in (meant or {}).items() if name not in masked}
    found = {}
    for name, held in new.items():
        if name in masked or name in shown or name not in old or held.state.kind not in ("string", "number"):
            continue
        if values := _fresh(held, old[name]):
            source = _source(values, old[name], _columns(masked, new, old))
            if not source and held.state.kind == "string":
                source = _meant(values, old[name], masked, open_domains.union((refused or {}).get(name, ())))
            source = source or _formed(values, name, masked, old)
            if source:
                found[name] = source
    return found


def _columns(masked: Collection[str], *states: Mapping[str, _Held]) -> Iterator[tuple[str, frozenset[str]]]:
    """The masked columns with what they hold, or held."""
    for name in masked:
        yield name, frozenset().union(*(known[name].told for known in states if name in known))


def _fresh(now: _Held, before: _Held) -> tuple[str, ...]:
    """Values that a column did not hold: of one that holds few those not among them, of others those written as none
    was; where all are written as ever, all of them."""
    texts = [text for text in now.sample.texts if text.casefold() not in FLAGS]
    if before.state.table is not None:
        return tuple(text for text in texts if text not in before.texts)
    return tuple(text for text in texts if _shape(text) not in before.shapes) or tuple(texts)


def _source(values: Collection[str], before: _Held, columns: Iterator[tuple[str, frozenset[str]]]) -> str:
    """The masked column that holds the same values, as this one did not before."""
    for name, told in columns:
        same = sum(value in told for value in values)
        ever = len(before.told & told)
        if (same >= SPARSE or (same and same >= MOSTLY * len(values))) and ever <= BEFORE * len(before.texts):
            return name
    return ""


def _meant(values: Collection[str], before: _Held, masked: Mapping[str, str], shown: Collection[str]) -> str:
    """The sensitive domain that values are of, as those of the column were not before, and that no column of the table
    shows: as a tag would say without a name to go by, or by enough values of what masked columns are, or of names."""
    likely = [one.domain for one in _proposed(tuple(values)) if one.sensitive and not (one.contains and _inside(one))]
    known = {*masked.values(), *NAMES} - set(shown)
    able = [KNOWN[one] for one in sorted(known) if one in KNOWN and KNOWN[one].sensitive and not KNOWN[one].needs_name]
    likely += [domain.name for domain in able if _are_of(domain, values)]
    old = tuple(before.texts)
    return next((one for one in likely if one not in shown and not _were_of(one, old)), "")


def _inside(one: TagProposal) -> bool:
    """Whether such values are masked where they stand in others."""
    return one.domain in ALWAYS


def _are_of(domain: Domain, values: Collection[str]) -> bool:
    """Whether so many values are of a domain that no other meaning has as many by chance."""
    of_it = sum(map(domain.validate, values))
    return of_it >= domain.least_share * len(values) and domain.chance**of_it <= BY_CHANCE


def _were_of(domain: str, values: tuple[str, ...]) -> bool:
    of_it = sum(map(KNOWN[domain].validate, values)) if domain in KNOWN else 0
    return of_it > BEFORE * len(values) or any(one.domain == domain for one in _proposed(values))


def _formed(values: Collection[str], name: str, masked: Mapping[str, str], before: Mapping[str, _Held]) -> str:
    """The masked column that alone is written as most of the values are, in a way that tells; what these mean is not
    known otherwise."""
    own = before[name].shapes
    shapes = [one for one in map(_shape, values) if one not in own]
    for source in masked:
        if source not in before:
            continue
        main = {one for one, share in before[source].shapes.items() if share >= BEFORE and len(_RUN.findall(one)) > 2}
        like = sum(one in main for one in shapes)
        if like >= MOSTLY * len(values) and like >= SPARSE and not _usual(main, masked, before):
            first = next(iter(_proposed(tuple(values))), None)
            return "" if first is not None and not first.generic and not first.sensitive else source
    return ""


def _usual(shapes: Collection[str], masked: Collection[str], before: Mapping[str, _Held]) -> bool:
    """Whether a column that is not masked is written so, too."""
    others = (held.shapes for name, held in before.items() if name not in masked)
    return any(sum(known.get(one, 0.0) for one in shapes) >= BEFORE for known in others)


@lru_cache(maxsize=1 << 8)
def _proposed(values: tuple[str, ...]) -> tuple[TagProposal, ...]:
    """What a column of these texts would be tagged, whatever it is called."""
    if not values:
        return ()
    return tuple(propose_tags(fold(pa.table({"": list(values)})).columns[""], ""))


def _telling(text: str) -> bool:
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    return (letters >= LEAST_LETTERS or digits >= LEAST_DIGITS) and text.casefold() not in FLAGS


def _shape(text: str) -> str:
    return coarsen(shape_of(text), RUNS)
