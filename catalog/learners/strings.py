"""Our learner of string rules: what a column's values will be, from few of them and what the lake's other columns did.

Candidates (`catalog.evidence.clauses.candidates`), their risk (`catalog.evidence.calibrated.calibration`), and the
choice among them (`catalog.learners.selection`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.damage.kind import Kind
from catalog.evidence.calibrated.calibration import limits
from catalog.evidence.calibrated.features import DIFFERENT, lake_features, training_features
from catalog.evidence.calibrated.risk import PRIOR, TOLERANCES
from catalog.evidence.calibrated.trials import Trial, after_trials
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.candidates import CLAUSE_KINDS, LEARNED, candidates, exceptions, grown, presence
from catalog.evidence.clauses.listed import SIZED
from catalog.evidence.clauses.meaning import is_complete, may_mean, recognised, terms_of
from catalog.evidence.clauses.patterned import Versions
from catalog.evidence.clauses.undamaged import VALUE, Undamaged
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.postings import Shares
from catalog.evidence.pattern_index.views import Profile, profile, profile_values
from catalog.learners.selection import (
    OTHERS,
    OWN,
    Floats,
    Harm,
    Program,
    damage_to,
    examples,
    offers,
    power_pool,
    presence_of,
    select_clauses,
)
from catalog.patterns.language.characters import MOST_CHARACTERS
from catalog.patterns.unions import FEW_DIFFERENT
from catalog.rules.clauses.forms import forms_of
from catalog.rules.clauses.sentences import said_of
from catalog.rules.clauses.strings import NEARLY_ALL, StringClause, kind_of
from catalog.rules.kinds.strings import FORMS, StringsRule
from catalog.states.column import ColumnState

LEAST_ROWS = 10  # chosen: fewer training rows teach nothing
#: Of columns that are tagged with a domain that knows nearly all of its values no more break the clause that asks for
#: it than TAGGED / sqrt(tolerance + TAGGED_AT_ALL), whatever the trees say, which know nothing of tags. Chosen: above
#: what `python -m benchmarks.fmdv.sharpness --tagged` finds at each tolerance on the develop half (5.5% at none, 2.9%
#: at 1%, 0.7% at 3% to 10%, of 112 columns).
TAGGED, TAGGED_AT_ALL = 0.0045, 0.003
HORIZON = 9.0  # rows to be judged for each row learned from, unless said; chosen: a tenth is seen


def learn_strings(
    state: ColumnState | Profile, index: PatternIndex, *, column: str, own_table: str | None, budget: float,
    horizon: float = HORIZON, own: Sequence[Trial] = (), often: float = 1.0, meant: Collection[str] = (),
) -> StringsRule | None:  # fmt: skip
    """Rule for a string column, or None where nothing can be demanded at the budget.

    Parameters
    ----------
    state : the rows seen so far.
    index : evidence and calibrated risk; `own_table`'s part is left out.
    column : the column's name, for the rule.
    budget : stated false-alarm rate that a rule may spend on average, 0..1, while `horizon` rows come for each of the
        rows seen.
    own : trials of this very column's past.
    often : how many times as often demands on its values break as the calibration says.
    meant : the domains that the column is tagged with: where its values allow it, its rule asks for one of them, as
        who reads the tag expects.
    """
    seen = state if isinstance(state, Profile) else profile(state)
    if seen is None or seen.all_rows < LEAST_ROWS:
        return None
    weights = index.weights({own_table} if own_table else ())
    return learn_profile(
        seen, index, weights, column=column, budget=budget, horizon=horizon, own=own, often=often, meant=meant
    )


def learn_profile(
    seen: Profile, index: PatternIndex, weights: Shares, *, column: str, budget: float, horizon: float = HORIZON,
    own: Sequence[Trial] = (), often: float = 1.0, meant: Collection[str] = (),
) -> StringsRule | None:  # fmt: skip
    """`learn_strings` with the weight of every column as evidence given (0: left out)."""
    found = candidates(seen, LEARNED) if seen.rows >= LEAST_ROWS else presence(seen)
    if not found or index.model is None:
        return None
    tagged = tagged_with(seen, meant, found) if seen.rows >= LEAST_ROWS else []
    found += [one for one in tagged if one not in found]
    of_tag = np.array([candidate in tagged for candidate in found])
    matches = [index.match(candidate) for candidate in found]
    lake = np.array([lake_features(match, weights) for match in matches])
    features = np.concatenate([training_features(seen, found, horizon), lake], axis=1)
    kinds = np.array([CLAUSE_KINDS.index(c.kind) for c in found], np.int8)
    of_values = np.array([not candidate.of_missing for candidate in found])
    said = index.model(features, kinds)
    said = np.where(of_values[:, None], np.minimum(often * said, 1.0), said)
    broken = broken_by_own_rows(found, seen)
    broken |= (other_meanings(found, broken) & ~of_tag)[:, None]
    usual = index.model.usual[kinds]

    def after_all(said: Floats) -> Floats:
        of_few = of_few_values(said, found, features[0, DIFFERENT], usual, of_tag)
        return np.where(broken, 1.0, after_trials(of_few, found, own))

    risk = after_all(said)
    known = np.array([one.kind == "domain" and is_complete(one.accepted[0]) for one in found]) & of_tag
    of_tagged = after_all(np.where(known[:, None], np.minimum(said, tagged_risk()), said)) if of_tag.any() else risk
    caps = limits(max(round(horizon * seen.basis), 1))
    asked = [candidate.sampled for candidate in found]
    damaged = damage_to(seen)
    lengths = [len(one.pattern()) + MOST_CHARACTERS * (not one.says_what) for one in found]  # forms come first
    elsewhere = np.array(matches)[:, power_pool(weights)].astype(float)
    sought = {one.name for one in recognised()}
    unsought = [one.kind == "domain" and one.accepted[0] not in sought for one in found]
    elsewhere[unsought] = 1.0  # the index does not know which columns hold what is not sought in values
    harms = (Harm(elsewhere, OTHERS), Harm(_keeping(found, damaged, _unseen(seen)), OWN))
    names = _naming(found, of_tag)
    asked_for = np.where(of_tag[:, None] & names, of_tagged, 1.0) if of_tag.any() else None
    first = presence_of(risk, found, budget)
    offered, forms = offers(risk, found), _forms(found)
    program = select_clauses(offered, harms, caps, budget, asked, lengths, first, forms, names, asked_for)
    if not program.clauses:
        return None
    risk = np.minimum(risk, of_tagged)
    rule = _rule(seen, found, program, risk, lake, matches, weights, index, column)
    chosen = [found[c] for c, _ in program.clauses]
    return replace(rule, evidence={**rule.evidence, "examples": examples(seen, chosen, damaged)})


def tagged_with(seen: Profile, meant: Collection[str], found: Sequence[Candidate]) -> list[Candidate]:
    """The clauses that ask for the domains that a column is tagged with (`meant`), as far as its values allow; they
    need not be among those `found` by the values alone, in which two capitals are no country. Versions have a grammar
    of their own.

    >>> seen = profile_values([("US", 7), ("DE", 5)])
    >>> [one.name for one in tagged_with(seen, ["country_code2", "iban"], ())]
    ['domain:country_code2']
    """
    if any(isinstance(one, Versions) for one in found):
        return []
    return [Candidate("domain", terms_of(seen.texts, name)) for name in sorted(meant) if may_mean(seen.texts, name)]


def tagged_risk() -> Floats:
    """The risk of the clause that asks for what a column is tagged with, at each of `TOLERANCES`, at the most.

    >>> tagged_risk()[[0, 5, 8]].round(3)
    array([0.082, 0.03 , 0.014])
    """
    return np.asarray(TAGGED / np.sqrt(np.array(TOLERANCES) + TAGGED_AT_ALL))


def of_few_values(
    risk: Floats, found: Sequence[Candidate], different: float, usual: Floats, of_tag: NDArray[np.bool_] | None = None
) -> Floats:
    """The risk of candidates, (candidates, tolerances), where what was drawn are few `different` values, however many
    rows repeat them.

    Of up to `FEW_DIFFERENT` values lengths are no demand. Of a single one nothing is known of what others have in
    common: where another comes, which is the risk of the list of values, it breaks a demand about as often as demands
    of the kind `usual`-ly do, by the rule of succession with `PRIOR` values for what is usual. Two values share the
    rows: where half of them may break a demand, the second one breaks nothing. A known domain is nothing that values
    share by chance, where only one has them: ``USA`` is the name of a country and a code of one. Where the column is
    tagged with one of them (`of_tag`), it is that one.

    >>> found = [Candidate("value", ("a",)), Candidate("runs", ("a",)), Candidate("shape", ("a",))]
    >>> small = np.full((3, len(TOLERANCES)), 0.01)
    >>> small[0] = 0.9
    >>> of_few_values(small, found, 1.0, np.full(3, 0.2))[:, [0, -1]].round(2).tolist()
    [[0.9, 0.9], [0.12, 0.01], [1.0, 1.0]]
    >>> of_few_values(small, found, 4.0, np.full(3, 0.2))[:, 0].tolist()
    [0.9, 0.01, 0.01]
    """
    if different > FEW_DIFFERENT:
        return risk
    out = risk.copy()
    if different <= 1:
        listed = [risk[at, 0] for at, one in enumerate(found) if one.kind == "value"]
        drawn = np.array([not (one.of_missing or one.sampled or one.kind == "value") for one in found])
        floor = usual * PRIOR / (1 + PRIOR) * (listed[0] if listed else 1.0)
        binding = drawn[:, None] & (np.array(TOLERANCES) < 1 / 2)
        out = np.where(binding, np.maximum(out, floor[:, None]), out)
    out[[one.kind in SIZED or one.kind in ("length", "length_range") for one in found]] = 1.0
    meanings = [at for at, one in enumerate(found) if one.kind == "domain"]
    if len(meanings) > 1:
        out[[at for at in meanings if of_tag is None or not of_tag[at]]] = 1.0
    return np.asarray(out)


def broken_by_own_rows(found: list[Candidate], seen: Profile) -> NDArray[np.bool_]:
    """Which clauses the very rows learned from break, or would with one more value of the kind that breaks them:
    (candidates, tolerances). That is no demand that a person would sign.

    Of n different values d break a clause. The next different one does in d + 1 of n + 2 cases (the rule of succession,
    Laplace 1774), its rows are as many as it likes, and those that do by now may grow by one.
    """
    out = np.zeros((len(found), len(TOLERANCES)), bool)
    for at, candidate in enumerate(found):
        if not candidate.nonconforming(seen):
            continue
        different = 0 if candidate.of_missing else exceptions(candidate, seen)
        following = (different + 1) / (len(seen.texts.values) + 2) if different else 0.0
        caps = limits(candidate.rows(seen))
        out[at] = (grown(candidate, seen) > caps + 1e-9) | (following > np.array(TOLERANCES))
    return out


def other_meanings(found: Sequence[Candidate], broken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which candidates are domains that some of the rows do not belong to, behind one that is less likely by chance and
    that all belong to: addresses of computers that look like telephone numbers, for the most part, are none.

    >>> found = [Candidate("domain", (name,)) for name in ("ipv4", "phone")]
    >>> [other_meanings(found, np.array([[one], [True]])).tolist() for one in (False, True)]
    [[False, True], [False, False]]
    """
    held, out = False, np.zeros(len(found), bool)
    for at, one in enumerate(found):
        if one.kind == "domain":
            out[at] = held and broken[at, 0]
            held = held or not broken[at, 0]
    return out


def _forms(found: list[Candidate]) -> NDArray[np.bool_]:
    """Which clauses say what nearly every value is: (candidates, tolerances)."""
    forms = np.array([candidate.says_what for candidate in found])
    return np.asarray(forms[:, None] & (np.array(TOLERANCES) <= NEARLY_ALL))


def _naming(found: list[Candidate], of_tag: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which clauses say what values mean, or which they are: (candidates, tolerances). Of a column that is tagged these
    are the clauses that bind nearly every value; beside its tag another meaning is none."""
    names = np.array([candidate.names for candidate in found])
    if not of_tag.any():
        return np.repeat(names[:, None], len(TOLERANCES), axis=1)
    lists = names & [one.kind != "domain" for one in found]
    return np.asarray((of_tag | lists)[:, None] & (np.array(TOLERANCES) <= NEARLY_ALL))


def _keeping(found: list[Candidate], damaged: Sequence[tuple[Kind, Sequence[str]]], unseen: float) -> Floats:
    """Share of the values of each kind of damage that conforms to each candidate, where a share `unseen` of the values
    to come was never seen: of those no usual value tells what has gone wrong with them."""
    profiles = [profile_values((value, 1) for value in values) for _, values in damaged]

    def conforming(candidate: Candidate | None) -> Floats:
        if candidate is None:
            return np.ones(len(profiles))
        return np.array([1 - candidate.nonconforming(rows) / max(candidate.rows(rows), 1) for rows in profiles])

    shares = [conforming(candidate) for candidate in found]
    for i, candidate in enumerate(found):
        if isinstance(candidate, Undamaged) and candidate.usual[VALUE]:
            shares[i] = (1 - unseen) * shares[i] + unseen * conforming(candidate.of_shapes)
    return np.array(shares, float).reshape(len(found), len(damaged))


def _rule(
    seen: Profile, found: list[Candidate], program: Program, risk: Floats, lake: Floats, matches: list[Shares],
    weights: Shares, index: PatternIndex, column: str,
) -> StringsRule:  # fmt: skip
    chosen = sorted(program.clauses, key=lambda one: one[1])  # the strictest first, to be read
    clauses = [StringClause.of(found[c], TOLERANCES[t], risk[c]) for c, t in chosen]
    classes = seen.tables.get("runs") or seen.tables.get("tokens") or seen.tables.get("marks", {})
    top = sorted(classes.items(), key=lambda item: (-item[1], item[0]))[:5]
    main = next((c for c, _ in program.clauses if not found[c].of_missing), program.clauses[0][0])
    evidence: dict[str, Any] = {
        "rows": seen.basis,
        "unseen": round(_unseen(seen), 4),
        "power": round(program.power, 4),
        "replays": len(index.replays),
        "replayed_here": index.replayed(),
        "shapes": [[text, count] for text, count in top],
        "columns": _witnesses(found[main], matches[main], weights, index),
        "rivals": [
            {"kind": c.name, "classes": len(c.accepted), "risk": round(float(risk[i, 0]), 6),
             "coverage": round(float(np.expm1(lake[i, 0])), 2), "impurity": round(float(lake[i, 3]), 4)}
            for i, c in enumerate(found)
        ],
    }  # fmt: skip
    params: dict[str, Any] = {"clauses": [clause.to_json() for clause in clauses], "rows": seen.basis}
    only = next(iter(seen.values)) if seen.values is not None and len(seen.values) == 1 else None
    if only is not None:
        params["alone"] = True
    usual = [text for text, _ in sorted(seen.texts.values, key=lambda one: (-one[1], one[0]))]
    forms = {one.key: forms_of(one.candidate, usual) for one in clauses}
    if known := {key: [list(one) for one in found] for key, found in forms.items() if found}:
        evidence[FORMS] = known
    said = said_of(clauses, alone=only is not None, only=only, forms=known)
    return StringsRule(kind_of(clauses), column, params, program.risk, said, "strings", evidence)


def _unseen(seen: Profile) -> float:
    """Share of coming rows whose value was never seen (Good and Turing: the share of rows with a value seen once)."""
    if not seen.rows:
        return 0.0
    if seen.values is not None:
        return sum(count == 1 for count in seen.values.values()) / seen.rows
    return min(seen.state.distinct.singletons() / seen.rows, 1.0) if seen.state is not None else 1.0


def _witnesses(
    candidate: Candidate, match: Shares, weights: Shares, index: PatternIndex, most: int = 10
) -> list[list[Any]]:
    """Columns of the lake that are known to keep to a clause: [table, column, share of their rows that conforms]."""
    score = np.where((weights > 0) & index.knows(candidate.kind), match, 0)
    best = np.argsort(-score, kind="stable")[:most]
    return [
        [index.tables[index.columns[i][0]], index.columns[i][1], round(float(score[i]), 4)]
        for i in best
        if score[i] >= 0.5
    ]
