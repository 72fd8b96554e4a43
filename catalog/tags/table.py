"""Tags for all columns of a table: each by itself first, then by what stands beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from catalog.domains.domain import Domain
from catalog.domains.known import KNOWN
from catalog.domains.lexicon import vocabulary
from catalog.domains.names.asked import coded_domain
from catalog.domains.names.reading import reading
from catalog.domains.names.seams import explained
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.states.column import ColumnState
from catalog.tags.beside.births import dated, untold
from catalog.tags.beside.objects import keys_of
from catalog.tags.beside.structs import of_structs
from catalog.tags.beside.unheaded import twins
from catalog.tags.discovery.sample import Sample, sample
from catalog.tags.privacy.inside import ALWAYS
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.privacy.pseudonyms import identifies
from catalog.tags.privacy.unknown import TITLE, not_known
from catalog.tags.proposal import TagProposal
from catalog.tags.propose import propose_tags, settle
from catalog.tags.rows import HALVES, SURELY, unread
from catalog.tags.whose import Around

PAIR = 2  # bound: values of a column of yes and no
FEW = 6  # bound: distinct values, of which all but two may stand for no answer
UNANSWERED = vocabulary("7 8 9 77 88 99 u nk dk unk unknown")  # not known, refused, does not apply
ROUNDS = 2  # chosen: what is found by a neighbour tells of the next one
OWN = 0.5  # chosen: share of rows with a value of their own, from which most have one
MOST_SHOWN = 3  # bound: keys that are named as reasons
UNSURE = 0.9  # score below which a tag is thought over with the other columns in sight; chosen: surer ones stay


def propose_table(
    columns: Mapping[str, ColumnState],
    table: str,
    *,
    index: PatternIndex | None = None,
    domains: Iterable[Domain] | None = None,
    default: str = "person",
    masked: bool = False,
) -> dict[str, list[TagProposal]]:
    """Proposals for each column of a table (`propose_tags`), whose data they are settled with the others in sight; then
    that its values are identifiers of persons, and last of all that nobody knows whether a column is about the person
    that a row is, where that is so.

    Parameters
    ----------
    columns : states by name.
    table : its name, which may say what its rows are.
    index, domains, default : as of `propose_tags`.
    masked : whether identifiers of persons are sensitive.
    """
    known = {one.name: one for one in (KNOWN.values() if domains is None else domains)}
    samples = {name: sample(one) for name, one in columns.items()}
    found, around = settled(columns, table, known, index=index, default=default, samples=samples)
    inside = of_structs(found, around, samples, default)
    out = {}
    for name, proposals in found.items():
        place = inside.get(name, around)
        ones = [settle(one, samples[name], name, known.get(one.domain), place, default) for one in proposals]
        key = identifies(name, columns[name], ones, around, masked=masked)
        about = [] if key else not_known(name, columns[name], ones, place, default)
        out[name] = ones + key + (about or _by_keys(name, samples[name], ones, default))
    return out


def _by_keys(name: str, found: Sample, ones: list[TagProposal], default: str) -> list[TagProposal]:
    """The proposal that a column of JSON be treated as about a person, where what stands behind some keys is: names,
    births and illnesses have no form by which they could be masked where they stand."""
    if any(one.sensitive and not one.contains for one in ones) or not (keys := keys_of(found.texts)):
        return []
    told = propose_table(keys, name, default=default)
    about = {
        key: max(one.score for one in said)
        for key, tags in told.items()
        if (said := [one for one in tags if one.sensitive and not one.contains and one.domain not in {*ALWAYS, ABOUT}])
    }
    reasons = [{"what": f"{key} in its texts", "weight": round(SURELY, 2)} for key in list(about)[:MOST_SHOWN]]
    evidence = {"not_known": True, "whose": "person", "whose_because": reasons}
    return [TagProposal(ABOUT, TITLE, round(max(about.values()), 4), 0.0, True, evidence)] if about else []


def settled(
    columns: Mapping[str, ColumnState],
    table: str,
    known: Mapping[str, Domain] = KNOWN,
    *,
    index: PatternIndex | None = None,
    default: str = "person",
    samples: Mapping[str, Sample] | None = None,
) -> tuple[dict[str, list[TagProposal]], Around]:
    """Proposals for each column, by itself, and, for those that are not sure then, by the others, `ROUNDS` times: what
    is found by a neighbour tells of the next, a street of the postcode beside it. With them where the columns stand."""

    ask = partial(propose_tags, index=index, domains=known.values(), default=default)
    seen = samples or {name: sample(one) for name, one in columns.items()}

    def asked(name: str, around: Around) -> list[TagProposal]:
        return ask(columns[name], name, around=around, found=seen[name])

    found = {name: asked(name, Around(table)) for name in columns}
    asking = {name for name in found if unread(name) or coded_domain(name) or reading(name)[0]}
    asking |= explained(tuple(columns)).keys()
    unsure = [name for name, ones in found.items() if name in asking or _unsure(name, ones)]
    own = frozenset(name for name, one in columns.items() if one.different >= OWN * max(one.non_null, 1))
    pairs = {name: two for name, one in columns.items() if len(two := _answers(one, seen[name])) == PAIR}
    single = {name: one.texts[0] for name, one in seen.items() if len(one.texts) == 1}
    days = dated(columns, _tags(found))
    for _ in range(ROUNDS):
        around = Around(table, tuple(columns), _tags(found), own, pairs, single, days)
        found |= {name: asked(name, around) for name in unsure}
        if _tags(found) == around.tags:
            break
    around = replace(around, tags=_tags(found))
    if pair := twins({name: (columns[name], ones) for name, ones in found.items()}, around):
        around = replace(around, tags={**around.tags, **pair})
        found |= {name: asked(name, around) for name in {*pair, *unsure}}
    return found, replace(around, tags=_tags(found))


def _answers(state: ColumnState, found: Sample) -> frozenset[str]:
    """The values of a column of few, without those of many surveys for no answer where others are left."""
    texts = found.texts if state.different <= FEW else ()
    return frozenset(one for one in texts if len(texts) <= PAIR or one.lower() not in UNANSWERED)


def _unsure(name: str, ones: list[TagProposal]) -> bool:
    if not ones:
        return False
    one = ones[0]
    a_day = one.domain in ("date", "datetime") and untold(one, name)
    return one.generic or one.score < UNSURE or one.domain in HALVES or a_day


def _tags(found: Mapping[str, list[TagProposal]]) -> dict[str, str]:
    return {name: ones[0].domain for name, ones in found.items() if ones and not ones[0].generic}
