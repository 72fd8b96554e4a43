"""What the scores of tags are fitted to: ``python -m benchmarks.tagging.calibrate --data DIR`` prints `FITTED` of
`catalog.tags.weigh`.

A logistic regression of "the tag was right" on the traits of the best candidate, over the labelled columns of the one
half and generated ones (five locales, two seeds). The other half, locales and seeds report how true the scores are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.tagging.cases import HALVES, Case, generated, halves, load, spoken, vocabulary
from benchmarks.tagging.draws import LOCALES
from catalog.domains.known import KNOWN
from catalog.tags.discovery.sample import sample
from catalog.tags.propose import ACCEPT, named_in
from catalog.tags.weigh import accepted, posterior, traits, weigh

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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with columns.parquet and labels.csv")
    cases = load(parser.parse_args().data)
    found = examples(halves(cases)[HALVES[0]], vocabulary(parser.parse_args().data, cases))
    for seed in SEEDS:
        made = generated(seed, LOCALES[::2])
        found += examples(made, frozenset(label for case in made for label in case.right))
    x, y = np.array([one for one, _ in found]), np.array([right for _, right in found])
    model = LogisticRegression(C=1 / RIDGE, fit_intercept=False, max_iter=1000).fit(x, y)
    print(f"{len(y)} tags, {y.mean():.3f} right")
    print("FITTED =", tuple(round(float(weight), 2) for weight in model.coef_[0]))


if __name__ == "__main__":
    main()
