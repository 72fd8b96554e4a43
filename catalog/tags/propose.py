"""Tags for a column, from its state and, as evidence apart, its name.

Each known domain d is weighed against "something else" by how its validator fares on the column's distinct values:

    L(d) = log prior(d) + n [m log(hit / chance) + (1 - m) log((1 - hit) / (1 - chance))] + name

with m the share of matching values (mean of the share of rows and of distinct values), n the number of distinct values,
bounded because the values of a column are not independent, and `hit`, `chance` the probabilities that a value validates
inside and outside the domain. The posterior over all domains and "something else" is the score. A specific domain
(small `chance`) therefore beats a general one that matches as well: an e-mail address is no URL, a year no part of a
card number, whatever the number of votes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from catalog.domains.domain import Domain, words
from catalog.domains.known import GENERIC, KNOWN
from catalog.domains.validators.people import names_inside
from catalog.evidence.candidates import Candidate
from catalog.evidence.index import INDEXED, PatternIndex
from catalog.evidence.views import profile
from catalog.patterns.describe import describe
from catalog.states.column import ColumnState
from catalog.tags.generic import generic
from catalog.tags.inside import INSIDE, holds
from catalog.tags.masking import mask
from catalog.tags.proposal import TagProposal
from catalog.tags.sample import Sample, sample
from catalog.tags.whose import Around, whose

PRIOR = math.log(0.01)  # of any one domain
NAME = math.log(20)  # a name that agrees
NAMED = math.log(0.5)  # prior of a domain that is only considered because the name asks for it
LENIENT = 0.6  # factor on the floor of an incomplete dictionary where the name agrees
INDEPENDENT = 16.0  # distinct values that count as independent evidence at most
ACCEPT = 0.5  # least posterior of a tag
SUREST = 0.98  # score of a tag at most: about so many of the surest are right on columns with known labels
SPARSE = 3  # values of a sensitive domain that are enough to report them, however many others there are
PROBE = 24  # values tried before the rest

Weighed = tuple[Domain, float, float, int, bool]  # domain, log odds, share of rows, matching values, name agrees


def propose_tags(
    state: ColumnState,
    name: str,
    *,
    index: PatternIndex | None = None,
    domains: Iterable[Domain] | None = None,
    around: Around | None = None,
    default: str = "person",
) -> list[TagProposal]:
    """Proposals for one column, best first; empty for a column without values or of a nested type.

    Parameters
    ----------
    state : of the column, over the files of the version that is tagged.
    name : the column's name; may only support or rule out what the values allow.
    index : pattern index of the lake; with it the evidence says how common the column's main pattern is.
    domains : instead of all known ones.
    around : the table that the column stands in.
    default : whose data ("person" or "organisation") a telephone or an address is where nothing tells.

    The first proposal is the column's meaning (or, `generic`, its general kind); the others report sensitive values
    that stand among others, so that a few e-mail addresses in a column of notes are not missed.
    """
    if state.kind in ("binary", "list", "other"):
        return []
    found = sample(state)
    if not found.values or state.kind == "boolean":
        return _by_type(state, name)
    named = words(name)
    known = {one.name: one for one in (KNOWN.values() if domains is None else domains)}
    weighed = [w for d in known.values() if (w := _weigh(d, found, state.kind, named))]
    weighed.sort(key=lambda w: -w[1])
    proposals = [
        settle(p, state, name, known.get(p.domain), around or Around(), default) for p in _main(weighed, found)
    ]
    tagged = {p.domain for p in proposals}
    if not proposals:
        proposals = _by_type(state, name) or _general(state, found, weighed, named)
    if index is not None and proposals:
        proposals[0].evidence.update(_in_the_lake(state, index))
    return proposals + _sparse(found, state, tagged) + _people_inside(found, state, proposals)


def _weigh(domain: Domain, found: Sample, kind: str, named: str) -> Weighed | None:
    """How one domain fares on a sample; None when it is out of the question."""
    if kind not in domain.kinds or (domain.against_regex and domain.against_regex.search(named)):
        return None
    agrees = bool(domain.name_regex and domain.name_regex.search(named))
    if domain.needs_name and not agrees:
        return None
    values = found.values
    if len(values) > PROBE:
        # A domain that none of the first values belongs to is not worth more work.
        probe = values[:: max(len(values) // PROBE, 1)]
        spare = len(probe) - 0.4 * domain.floor * len(probe)  # so many may be of another meaning
        for text, _ in probe:
            spare -= not domain.validate(text, weak=agrees)
            if spare < 0:
                return None
    rows, distinct, matching = found.share(lambda text: domain.validate(text, weak=agrees))
    if not matching:
        return None
    m = (rows + distinct) / 2
    n = min(len(values), INDEPENDENT)
    fit = m * math.log(domain.hit / domain.chance) + (1 - m) * math.log((1 - domain.hit) / (1 - domain.chance))
    prior = NAMED if domain.needs_name else PRIOR + (NAME if agrees else 0.0)
    return domain, prior + n * fit, rows, matching, agrees


def _accepted(weighed: Weighed, found: Sample) -> bool:
    domain, _, rows, matching, agrees = weighed
    needed = 1 if agrees and not domain.needs_name else domain.distinct
    if domain.whole is not None and not domain.whole(set(found.texts)):
        return False
    floor = domain.floor * (LENIENT if agrees and domain.hit <= 0.85 else 1.0)
    return rows >= floor and matching >= needed


def _posterior(weighed: list[Weighed]) -> list[float]:
    top = max(0.0, *(w[1] for w in weighed))
    weights = [math.exp(w[1] - top) for w in weighed]
    total = sum(weights) + math.exp(-top)
    return [w / total for w in weights]


def _main(weighed: list[Weighed], found: Sample) -> list[TagProposal]:
    able = [w for w in weighed if _accepted(w, found)]
    if not able:
        return []
    scores = _posterior(able)
    if scores[0] < ACCEPT:
        return []
    rivals = [(w[0].name, round(s, 4), round(w[2], 4)) for w, s in zip(able, scores, strict=True)][1:4]
    best = able[0]
    return [_proposal(best, min(scores[0], SUREST), found, rivals)]


def _proposal(weighed: Weighed, score: float, found: Sample, rivals: list[tuple[str, float, float]]) -> TagProposal:
    domain, odds, rows, matching, agrees = weighed
    matched = [t for t in found.texts if domain.validate(t, weak=agrees)]
    missed = [t for t in found.texts if t not in set(matched)]
    evidence: dict[str, Any] = {
        "pattern": domain.pattern,
        "match_share": round(rows, 4),
        "matching_values": matching,
        "values_seen": len(found.values),
        "all_values_seen": found.exact,
        "chance": domain.chance,
        "log_odds": round(odds, 2),
        "name_agrees": agrees,
        "rivals": [{"domain": d, "score": s, "match_share": m} for d, s, m in rivals],
        "matching": _show(matched[:5], domain.sensitive),
        # What does not match may hold anything, so that it is masked wherever the domain is sensitive.
        "failing": _show(missed[:5], domain.sensitive),
    }
    return TagProposal(domain.name, domain.title, round(score, 4), round(rows, 4), domain.sensitive, evidence)


def settle(
    one: TagProposal, state: ColumnState, name: str, domain: Domain | None, around: Around, default: str
) -> TagProposal:
    """A tag of what is sensitive only as a person's, with whose it is here."""
    if one.contains or domain is None or not domain.of_persons:
        return one
    said = whose(domain, name, sample(state).texts, around, default=default)
    reasons = [{"what": what, "weight": round(weight, 2)} for what, weight in said.reasons]
    evidence = one.evidence | {"whose": "person" if said.person else "organisation", "whose_because": reasons}
    return replace(one, sensitive=said.person, evidence=evidence)


def _show(texts: list[str], hidden: bool) -> list[str]:
    return [mask(text) if hidden or holds(text) else text[:60] for text in texts]


def _by_type(state: ColumnState, name: str) -> list[TagProposal]:
    """What the column's type alone says."""
    known = {"boolean": "boolean", "date": "date", "timestamp": "datetime", "timestamp_ntz": "datetime"}.get(state.type)
    if known is None:
        return []
    domain = KNOWN[known]
    return [TagProposal(known, domain.title, SUREST, 1.0, domain.sensitive, {"type": state.type, "name_agrees": False})]


def _in_the_lake(state: ColumnState, index: PatternIndex) -> dict[str, Any]:
    """How common the column's main pattern is: columns of the lake that hold it, and their mean impurity."""
    looks = profile(state)
    table = looks.tables.get("runs") if looks is not None else None
    if not table:
        return {}
    text = max(table.items(), key=lambda item: (item[1], item[0]))[0]
    candidate = Candidate("runs", (text,))
    shares = index.match(candidate)
    known = ((index.known >> INDEXED.index("runs")) & 1).astype(bool)
    holds = shares[known & (shares > 0)]
    evidence: dict[str, Any] = {"main_pattern": text[:80], "main_pattern_in_words": describe("runs", text[:80])}
    if len(holds):
        evidence |= {"columns_with_it": len(holds), "their_impurity": round(float(1 - holds.mean()), 4)}
    return evidence


def _general(state: ColumnState, found: Sample, weighed: list[Weighed], named: str) -> list[TagProposal]:
    if state.kind != "string":
        return []
    kind, score = generic(found, named)
    near = [{"domain": w[0].name, "match_share": round(w[2], 4)} for w in weighed[:3]]
    evidence = {"values_seen": len(found.values), "all_values_seen": found.exact, "rivals": near}
    return [TagProposal(kind, GENERIC[kind], round(score, 4), 1.0, False, evidence, generic=True)]


INSIDE_NAMES = 0.2  # share of texts that have to name a person: titles and songs do so now and then
_SHAPE_OF_EMAIL = re.compile(r"[Aa0._%+\-]+@[Aa0\-]+(?:\.[Aa0\-]+)*\.a{1,24}")


def _sparse(found: Sample, state: ColumnState, tagged: set[str]) -> list[TagProposal]:
    """Sensitive values that stand among others, or inside longer texts. Where most values that are written like one
    fail its check digits, those that pass do so by chance: parcels are numbered like cards."""
    if state.kind != "string":
        return []
    out = []
    for name, regex in INSIDE.items():
        if name in tagged:
            continue
        hits = [(t, w) for t, w in found.values if holds(t, (name,))]
        if 2 * len(hits) < sum(regex.search(t) is not None for t in found.texts):
            continue
        share = sum(w for _, w in hits)
        if name == "email" and not hits and not found.exact:
            share = _email_shapes(state)
        if share:
            evidence = {"matching_values": len(hits), "matching": [mask(t) for t, _ in hits[:3]]}
            evidence |= {"pattern": regex.pattern, "match_share": round(share, 6), "all_values_seen": found.exact}
            certain = 0.9 if KNOWN[name].chance <= 1e-3 or len(hits) >= SPARSE else 0.6
            out.append(TagProposal(name, KNOWN[name].title, certain, round(share, 6), True, evidence, contains=True))
    return out


def _email_shapes(state: ColumnState) -> float:
    """Share of rows whose shape holds an e-mail address, where the state knows shapes that no listed value shows."""
    shapes = state.shapes
    if shapes is None or shapes.level & 2 or not shapes.rows:
        return 0.0
    return sum(s.count for s in shapes.items if _SHAPE_OF_EMAIL.search(s.text)) / shapes.rows


def _people_inside(found: Sample, state: ColumnState, proposals: list[TagProposal]) -> list[TagProposal]:
    """Texts that often name people, where the column as a whole is only text."""
    if state.kind != "string" or not proposals or proposals[0].domain not in ("free_text", "title", "category"):
        return []
    named = [text for text in found.texts if names_inside(text)]
    rows, distinct, _ = found.share(set(named).__contains__)
    if len(named) < SPARSE or distinct < INSIDE_NAMES:
        return []
    evidence = {"matching_values": len(named), "matching": [mask(text) for text in named[:3]]}
    evidence |= {"match_share": round(rows, 4), "all_values_seen": found.exact}
    person = KNOWN["person_name"]
    return [TagProposal(person.name, person.title, 0.6, round(rows, 4), True, evidence, contains=True)]
