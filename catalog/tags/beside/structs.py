"""Whom a struct names: its fields are about that person, whatever the rows of the table around it are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from catalog.domains.domain import words
from catalog.domains.known import KNOWN
from catalog.tags.discovery.sample import Sample
from catalog.tags.proposal import TagProposal
from catalog.tags.propose import settle
from catalog.tags.whose import NAMES, Around

T = TypeVar("T")
#: What names a person where it stands in a struct as a field of its own.
NAMING = NAMES | {"email", "national_id"}
#: What a struct that names somebody is a table of.
PERSON = "person"


def of_structs(
    found: Mapping[str, Sequence[TagProposal]], around: Around, samples: Mapping[str, Sample], default: str
) -> dict[str, Around]:
    """Where each leaf stands that lies in a struct which names a person: among the leaves of that struct alone, as in a
    table of persons. Of several such structs the innermost.

    Parameters
    ----------
    found : proposals of each leaf, by its dotted name. around : the table. samples : of each leaf.
    default : as of `catalog.tags.propose.propose_tags`.
    """
    out: dict[str, Around] = {}
    for struct, leaves in sorted(_structs(found)):  # the innermost last
        inner = _among(struct, leaves, around)
        own = [leaf for leaf in leaves if "." not in leaf[len(struct) + 1 :]]
        naming = ((leaf, one) for leaf in own for one in found[leaf][:1] if one.domain in NAMING and not one.contains)
        if any(
            settle(one, samples[leaf], leaf, KNOWN.get(one.domain), inner, default).sensitive for leaf, one in naming
        ):
            out |= dict.fromkeys(leaves, replace(inner, table=PERSON))
    return out


def _structs(names: Mapping[str, object]) -> Iterator[tuple[str, list[str]]]:
    """Each struct with all leaves below it."""
    above = {name[:at] for name in names for at, sign in enumerate(name) if sign == "." and not name.startswith("`")}
    for struct in above:
        yield struct, [name for name in names if name.startswith(f"{struct}.")]


def _among(struct: str, leaves: Sequence[str], around: Around) -> Around:
    """The leaves of a struct, by themselves, as a table of its name."""
    of = frozenset(leaves)
    return Around(
        words(struct),
        tuple(leaves),
        _kept(around.tags, of),
        around.own & of,
        _kept(around.pairs, of),
        _kept(around.single, of),
        _kept(around.days, of),
    )


def _kept(told: Mapping[str, T], of: frozenset[str]) -> dict[str, T]:
    return {name: one for name, one in told.items() if name in of}
