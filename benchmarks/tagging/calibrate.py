"""What the scores of tags are fitted to: ``python -m benchmarks.tagging.calibrate --data DIR`` prints `FITTED` of
`catalog.tags.weigh` and of `catalog.tags.generic`.

A logistic regression of "the tag was right" on the traits of the best candidate, over the labelled columns of the one
half and generated ones (five locales, two seeds). The other half, locales and seeds report how true the scores are.
Scores of general kinds are held to the labelled columns of such halves alone (Platt's scaling), since generated columns
are near-misses of particular meanings; printed is how true they are of repositories left out of the fit, one at a time.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.tagging.cases import HALVES, Case, generated, halves, labelled, load, spoken, vocabulary
from benchmarks.tagging.generated.draws import LOCALES
from catalog.domains.known import KNOWN
from catalog.tags.beside.naming import named_in
from catalog.tags.discovery.sample import sample
from catalog.tags.generic import generic
from catalog.tags.propose import ACCEPT, propose_tags
from catalog.tags.rows import silent
from catalog.tags.weigh import accepted, posterior, traits, weigh
from catalog.tags.whose import Around

SEEDS = (1, 2)
RIDGE = 1.0  # bound: keeps a weight finite that the few errors do not determine


def examples(cases: list[Case], words: frozenset[str]) -> list[tuple[tuple[float, ...], bool]]:
    """(traits, was it right) of every column that is given a particular meaning; each with and without its name."""
    found = []
    for case in cases:
        if not case.sure:
            continue
        values = sample(case.state)
        for named in (named_in(case.name, case.around), "c"):
            tags = frozenset(case.around.tags.values()) if named != "c" else frozenset()
            able = [w for d in KNOWN.values() if (w := weigh(d, values, case.state.kind, named, tags))]
            able = sorted((w for w in able if accepted(w, values)), key=lambda w: -w.odds)
            if able and posterior(able)[0] >= ACCEPT:
                said = spoken(able[0].domain.name, case.right, words)
                found.append((traits(able), said in case.right))
    return found


General = tuple[str, float, bool, bool, bool]


def general(cases: list[Case], words: frozenset[str]) -> list[General]:
    """(repository, log odds of the score, has it its name, does that say nothing, was it right) of columns that are
    said to be of a general kind."""
    found = []
    for case in cases:
        for name, around in ((case.name, case.around), ("c", Around())) if case.sure else ():
            said = propose_tags(case.state, name, around=around)
            if said and said[0].generic:
                kind, score = generic(sample(case.state), named_in(name, around))
                right = spoken(kind, case.right, words) in case.right
                found.append((case.repo, math.log(score / (1 - score)), name != "c", silent(name), right))
    return found


def platt(found: list[General]) -> np.ndarray:
    """Intercept and slope in log odds, and what a name adds that says nothing."""
    x = np.array([[1.0, odds, float(mute)] for _, odds, _, mute, _ in found])
    y = [right for *_, right in found]
    return LogisticRegression(C=1 / RIDGE, fit_intercept=False, max_iter=1000).fit(x, y).coef_[0]


def left_out(found: list[General]) -> list[str]:
    """How true stated scores are, each stated by a fit to the others' columns, by whether names tell anything."""
    stated: dict[bool, list[tuple[float, bool]]] = {False: [], True: []}
    for repo in sorted({one[0] for one in found}):
        intercept, slope, unsaid = platt([one for one in found if one[0] != repo])
        for _, odds, _, mute, right in (one for one in found if one[0] == repo):
            said = intercept + slope * odds + unsaid * mute
            stated[mute].append((1 / (1 + math.exp(-said)), right))
    lines = []
    for mute, tags in stated.items():
        for tenth in range(10):
            if part := [one for one in tags if int(10 * one[0]) == tenth]:
                said, right = np.mean(part, axis=0)
                name = "mute" if mute else "telling"
                lines.append(f"  name {name}, {tenth / 10}: {len(part)} tags, stated {said:.3f}, right {right:.3f}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = "folders with columns.parquet and labels.csv; what is particular is fitted to the first"
    parser.add_argument("--data", type=Path, required=True, nargs="+", help=what)
    read = []
    for data in map(labelled, parser.parse_args().data):
        cases = load(data)
        read.append((halves(cases)[HALVES[0]], vocabulary(data, cases)))
    half, words = read[0]
    kinds = [one for cases, said in read for one in general(cases, said)]
    print("general kinds: FITTED =", tuple(round(float(one), 2) for one in platt(kinds)))
    print("\n".join(left_out(kinds)))
    found = examples(half, words)
    for seed in SEEDS:
        made = generated(seed, LOCALES[::2])
        found += examples(made, frozenset(label for case in made for label in case.right))
    x, y = np.array([one for one, _ in found]), np.array([right for _, right in found])
    model = LogisticRegression(C=1 / RIDGE, fit_intercept=False, max_iter=1000).fit(x, y)
    print(f"{len(y)} tags, {y.mean():.3f} right")
    print("FITTED =", tuple(round(float(weight), 2) for weight in model.coef_[0]))


if __name__ == "__main__":
    main()
