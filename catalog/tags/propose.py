"""Tags for a column, from its state and, as evidence apart, its name and what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from catalog.domains.domain import Domain, words
from catalog.domains.known import KNOWN, title
from catalog.domains.lexicon import fold
from catalog.domains.names.asked import KEYED, asking
from catalog.domains.names.meaning import english
from catalog.domains.names.told import counts_people
from catalog.domains.validators.people import names_inside
from catalog.domains.validators.text import FLAGS, flag_pair
from catalog.domains.validators.trade import are_firms
from catalog.domains.written import are_initialled, are_listed
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.pattern_index.index import INDEXED, PatternIndex
from catalog.evidence.pattern_index.views import profile
from catalog.patterns.describe import describe
from catalog.states.column import ColumnState
from catalog.tags.beside.births import birthplace, born
from catalog.tags.beside.naming import NAMELESS, half_named, named_in, of_places
from catalog.tags.beside.unheaded import sexed
from catalog.tags.discovery.sample import Sample, sample
from catalog.tags.generic import generic, stated
from catalog.tags.privacy.inside import BEHIND, INSIDE, holds
from catalog.tags.privacy.masking import mask
from catalog.tags.proposal import TagProposal
from catalog.tags.rows import (
    MAYBE,
    OWN_VALUE,
    coded,
    in_full,
    of_pay,
    of_people,
    personal,
    silent,
    taken,
    unnamed,
    unread,
    whole_names,
)
from catalog.tags.weigh import SUREST, Weighed, accepted, posterior, score, weigh
from catalog.tags.whose import AGES, Around, beings, speaks_of, whose

ACCEPT = 0.5  # least posterior of a tag; chosen: rather so than not
MOSTLY = 0.9  # share of a column's values written in one way, from which it counts as so; chosen
SPARSE = 3  # values of a sensitive domain that are reported, however many others there are; chosen: two are chance
_ID = re.compile(r"\b(?:mmsi|imo|eni|u?id|guid|uuid|key|identifier)$")  # words that mean no count
_SERIES = re.compile(r"([^\W\d_]{1,3})[-_.]?\d+")  # the same letters before a number: U002, U014
JOINED = 5  # chosen: letters of a word that ends in id, which few words of other meanings do
SHARING = 5  # chosen: rows with one address, more than a household has
FORMED = 0.9  # chosen: score of two firms or three that each name their legal form, as sure as a name that agrees
LIKELY = 0.8  # chosen: score of names as rolls list them, without a word for them
SAME = 2  # chosen: other columns that hold nothing but the same letter, from which it is an answer


def propose_tags(
    state: ColumnState,
    name: str,
    *,
    index: PatternIndex | None = None,
    domains: Iterable[Domain] | None = None,
    around: Around | None = None,
    default: str = "person",
    found: Sample | None = None,
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
    found : the state's sample, by who asks more than once.

    The first proposal is the column's meaning (or, `generic`, its general kind); the others report sensitive values
    that stand among others, so that a few e-mail addresses in a column of notes are not missed.
    """
    if state.kind in ("binary", "list", "other"):
        return []
    found = found or sample(state)
    around = around or Around()
    if not found.values or state.kind == "boolean":
        return [coded(one, found, name, around, default) for one in _by_type(state, name)]
    named = in_full(name, found, around, default) or half_named(name, found, around) or named_in(name, around)
    common, written = _in_the_lake(state, index) if index is not None else (0.0, {})
    beside = frozenset(tag for other, tag in around.tags.items() if other != name)
    adjacent = _adjacent(name, around) if unread(name) else None
    known = {one.name: one for one in (KNOWN.values() if domains is None else domains)}
    weighed = [w for d in known.values() if (w := weigh(d, found, state.kind, named, beside, common, adjacent))]
    weighed.sort(key=lambda w: -w.odds)
    proposals = [settle(p, found, name, known.get(p.domain), around, default) for p in _main(weighed, found)]
    tagged = {p.domain for p in proposals}
    if not proposals:
        proposals = _by_type(state, name) or _general(state, found, weighed, named, silent(name))
    if proposals and proposals[0].domain == "title" and (asks := of_places(name, around)):
        places = [w for one in ("city", "region") if (w := weigh(KNOWN[one], found, state.kind, asks))]
        proposals = _main(sorted(places, key=lambda w: -w.odds), found) or proposals
    if not proposals and state.kind == "number":
        return unnamed(found, name, around, default)
    if proposals:
        proposals[0].evidence.update(written)
        main = whole_names(proposals[0], found, name, around)
        main = coded(born(main, found, name, around, default), found, name, around, default)
        main = taken(personal(main, found, name, around, default), found, name, around, default)
        main = of_pay(main, found, name, around, default)
        main = counted(flagged(numbered(main, found, name), found, name, around), found, name)
        proposals[0] = sexed(main, found, name, around)
    return proposals + _sparse(found, state, tagged, named) + _people_inside(found, state, proposals)


def numbered(one: TagProposal, found: Sample, name: str) -> TagProposal:
    """Whole numbers under a word for the number of a thing stand for the thing; they are no quantities. Where the word
    may mean a count as well, each row has its own.

    >>> from catalog.tags.proposal import TagProposal
    >>> one = TagProposal("integer", "", 0.9, 1.0, False)
    >>> ids = Sample((("7", 0.25), ("8", 0.25), ("12", 0.5)), 3, 4, True, 0.0)
    >>> own = Sample((("7", 0.5), ("8", 0.5)), 2, 2, True, 0.0)
    >>> [numbered(one, ids, name).domain for name in ("tenant_id", "Varenummer", "house_number")]
    ['opaque_id', 'integer', 'integer']
    >>> [numbered(one, own, name).domain for name in ("Varenummer", "artikelid", "paid", "number_of_rooms")]
    ['opaque_id', 'opaque_id', 'integer', 'integer']
    >>> files = Sample((("2021-113", 0.5), ("2021-118", 0.5)), 2, 2, True, 0.0)
    >>> numbered(replace(one, domain="postcode"), files, "processo").domain
    'opaque_id'
    >>> login = Sample((("U002", 0.5), ("U014", 0.5)), 2, 2, True, 0.0)
    >>> numbered(replace(one, domain="username"), login, "user_id").domain
    'opaque_id'
    """
    named = words(name)
    if one.domain == "postcode" and not one.evidence.get("name_agrees") and len(found.texts) > 1:
        split = [re.fullmatch(r"(\d+)-\d+", text) for text in found.texts]
        cohort = all(split) and len({one[1] for one in split if one}) == 1
        if cohort or (all(split) and KEYED.search(named)):  # a year, or a cohort, before a number that runs on
            return replace(one, domain="opaque_id", title=title("opaque_id"), sensitive=False, generic=True)
    if one.domain == "username" and (same := [_SERIES.fullmatch(text) for text in found.texts]):
        letters = {it[1] if it else "" for it in same}
        if len(same) > 1 and len(letters) == 1 and letters != {""}:  # who keeps the table numbers so
            return replace(one, domain="opaque_id", title=title("opaque_id"), sensitive=False, generic=True)
    asked = (d for d in asking(named) if d.name != "integer")
    if one.domain != "integer" or one.sensitive or any(d.sensitive or "number" in d.kinds for d in asked):
        return one
    each = found.distinct >= OWN_VALUE * found.rows > 1
    joined = named.endswith("id") and len(named.split()[-1]) >= JOINED and not english(named)  # artikelid
    if not _ID.search(named) and not (each and (joined or KEYED.search(named))):
        return one
    return replace(one, domain="opaque_id", title=title("opaque_id"), generic=True)


def flagged(one: TagProposal, found: Sample, name: str, around: Around) -> TagProposal:
    """One value alone answers yes or no where another column of the table answers with it and its opposite, or letters
    where two more columns hold nothing else."""
    if not (one.generic or one.domain == "integer") or len(found.texts) != 1 or asking(words(name)):
        return one
    value = fold(found.texts[0])
    if value not in FLAGS:
        return one
    others = {other: two for other, two in around.pairs.items() if other != name and not counts_people(words(other))}
    pairs = ({fold(text) for text in two} for two in others.values())
    same = sum(fold(text) == value for other, text in around.single.items() if other != name)
    if not (any(value in two and flag_pair(two) for two in pairs) or (value.isalpha() and same >= SAME)):
        return one
    return replace(one, domain="boolean", title=title("boolean"), generic=False)


def counted(one: TagProposal, found: Sample, name: str) -> TagProposal:
    """Noughts and ones under a name for how many there were are numbers: few died yet.

    >>> one = TagProposal("boolean", "", 0.9, 1.0, False)
    >>> few = Sample((("0", 0.5), ("1", 0.5)), 2, 9, True, 0.0)
    >>> [counted(one, few, name).domain for name in ("deaths", "died")]
    ['integer', 'boolean']
    """
    if one.domain != "boolean" or not counts_people(words(name)) or not all(map(str.isdigit, found.texts)):
        return one
    return replace(one, domain="integer", title=title("integer"))


def _adjacent(name: str, around: Around) -> frozenset[str]:
    """Tags of the columns right before and after one; of a street also two columns off, with its town between."""
    if name not in around.columns:
        return frozenset()
    at = around.columns.index(name)
    found = set()
    for k in range(max(at - 2, 0), min(at + 3, len(around.columns))):
        tag = around.tags.get(around.columns[k])
        if tag and k != at and (abs(k - at) == 1 or tag == "street_address"):
            found.add(tag)
    return frozenset(found)


def _main(weighed: list[Weighed], found: Sample) -> list[TagProposal]:
    able = [w for w in weighed if accepted(w, found)]
    if not able:
        return []
    posteriors = posterior(able)
    if posteriors[0] < ACCEPT:
        return []
    rivals = [
        {"domain": w.domain.name, "score": round(p, 4), "match_share": round(w.rows, 4)}
        for w, p in zip(able[1:4], posteriors[1:4], strict=True)
    ]
    one = _proposal(_narrowed(able), score(able), found, rivals)
    mere = found.floats and one.domain == "integer"  # a fraction of nothing is one, unless the numbers mean something
    if mere:
        return [replace(one, domain="decimal", title=title("decimal"))]
    coded_town = one.domain in TOWNS and found.share(lambda text: bool(_CODED_TOWN.match(text)))[0] > MOSTLY
    return [replace(one, domain="postcode", title=title("postcode")) if coded_town else one]


TOWNS = frozenset({"city", "region"})
_CODED_TOWN = re.compile(r"(?:[A-Z]{1,3}-)?\d{4,6} ")  # 9130 Kieldrecht: a postcode with its town


def _narrowed(able: list[Weighed]) -> Weighed:
    """The best, or the kind of it that the name asks for and the values fit as well: money under the name of pay."""
    best = able[0]
    kinds = (w for w in able[1:] if best.domain.name in w.domain.broader and w.agrees and w.rows >= best.rows)
    return next(kinds, best)


def _proposal(best: Weighed, sure: float, found: Sample, rivals: list[dict[str, Any]]) -> TagProposal:
    domain = best.domain
    matched = [t for t in found.texts if domain.validate(t, weak=best.agrees, sure=best.sure)]
    missed = [t for t in found.texts if t not in set(matched)]
    evidence: dict[str, Any] = {
        "pattern": domain.pattern,
        "match_share": round(best.rows, 4),
        "matching_values": best.matching,
        "values_seen": len(found.values),
        "all_values_seen": found.exact,
        "chance": domain.chance,
        "log_odds": round(best.odds, 2),
        "weights": {part: round(weight, 2) for part, weight in best.parts.items()},
        "name_agrees": best.agrees and not best.placed,
        "placed": best.placed,
        "rivals": rivals,
        "matching": _show(matched[:5], domain.sensitive),
        # What does not match may hold anything, so that it is masked wherever the domain is sensitive.
        "failing": _show(missed[:5], domain.sensitive),
    }
    return TagProposal(domain.name, domain.title, round(sure, 4), round(best.rows, 4), domain.sensitive, evidence)


def settle(
    one: TagProposal, found: Sample, name: str, domain: Domain | None, around: Around, default: str
) -> TagProposal:
    """A tag of what is sensitive only as a person's, with whose it is here."""
    if one.contains or domain is None:
        return one
    shared = found.distinct == 1 and found.rows >= SHARING and bool(around.own)
    by = beings(domain, name, around)
    if not by and domain.name == "person_name" and words(name) in NAMELESS and speaks_of(words(around.table)) < 0:
        by = f"table {around.table}"
    if by:
        if one.domain == "person_name":  # two words and more: what a ship is called, not an animal
            one = replace(one, domain="title", title=title("title"), score=min(one.score, MAYBE), generic=True)
        return replace(
            one, sensitive=False, evidence=one.evidence | {"whose": "no person", "whose_because": [{"what": by}]}
        )
    if domain.name in AGES:
        told = of_people(name, around, default) if around.columns else "no column beside it"
        of = {"whose": "person" if told else "no person", "whose_because": [{"what": told}] if told else []}
        return replace(one, sensitive=bool(told), evidence=one.evidence | of)
    if not domain.of_persons and not birthplace(domain, name, around):
        return one
    said = whose(domain, name, found.texts, around, default=default, shared=shared)
    reasons = [{"what": what, "weight": round(weight, 2)} for what, weight in said.reasons]
    reasons += [because for because in one.evidence.get("whose_because", ()) if "weight" not in because]
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


def _in_the_lake(state: ColumnState, index: PatternIndex) -> tuple[float, dict[str, Any]]:
    """How common the way the column is written is: the share of the lake's columns that are mostly written so, and, to
    be told, the pattern with the columns that hold it and their mean impurity."""
    column = profile(state)
    table = column.tables.get("runs") if column is not None else None
    if not table:
        return 0.0, {}
    text = max(table.items(), key=lambda item: (item[1], item[0]))[0]
    candidate = Candidate("runs", (text,))
    shares = index.match(candidate)
    known = ((index.known >> INDEXED.index("runs")) & 1).astype(bool)
    holds = shares[known & (shares > 0)]
    evidence: dict[str, Any] = {"main_pattern": text[:80], "main_pattern_in_words": describe("runs", text[:80])}
    if not len(holds):
        return 0.0, evidence
    told = {"columns_with_it": len(holds), "their_impurity": round(float(1 - holds.mean()), 4)}
    return float((shares[known] >= MOSTLY).mean()), evidence | told


def _general(state: ColumnState, found: Sample, weighed: list[Weighed], named: str, mute: bool) -> list[TagProposal]:
    if state.kind != "string":
        return []
    if are_listed(found.texts):
        evidence = {"what": "each has a known given name behind another word", "values_seen": len(found.values)}
        return [TagProposal("person_name", title("person_name"), LIKELY, 1.0, True, evidence)]
    if are_initialled(found.texts):
        evidence = {"what": "each is a family name with initials", "values_seen": len(found.values)}
        return [TagProposal("person_name", title("person_name"), LIKELY, 1.0, True, evidence)]
    if are_firms(found.texts):
        evidence = {"what": "each names its legal form", "values_seen": len(found.values)}
        return [TagProposal("company_name", title("company_name"), FORMED, 1.0, False, evidence)]
    kind, score = generic(found, named)
    near = [{"domain": w.domain.name, "match_share": round(w.rows, 4)} for w in weighed[:3]]
    evidence = {"values_seen": len(found.values), "all_values_seen": found.exact, "rivals": near}
    return [
        TagProposal(kind, title(kind), round(min(stated(score, mute), SUREST), 4), 1.0, False, evidence, generic=True)
    ]


INSIDE_NAMES = 0.2  # chosen: share of texts that have to name a person: titles and songs do so now and then
_SHAPE_OF_EMAIL = re.compile(r"[Aa0._%+\-]+@[Aa0\-]+(?:\.[Aa0\-]+)*\.a{1,24}")


def _sparse(found: Sample, state: ColumnState, tagged: set[str], named: str) -> list[TagProposal]:
    """Sensitive values that stand among others, or inside longer texts. Where most values that are written like one
    fail its check digits, those that pass do so by chance: parcels are numbered like cards. So are all values of a
    column whose name says what else they number."""
    if state.kind != "string":
        return []
    out = []
    for name, regex in INSIDE.items():
        if name in tagged:
            continue
        hits = [(t, w) for t, w in found.values if holds(t, (name,))]
        if name != BEHIND and 2 * len(hits) < sum(regex.search(t) is not None for t in found.texts):
            continue
        share = sum(w for _, w in hits)
        against = KNOWN[name].against_regex
        if share >= KNOWN[name].least_share and against and against.search(named):
            continue
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
