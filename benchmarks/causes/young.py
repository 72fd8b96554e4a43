"""What is said to have happened where nothing did: ``python -m benchmarks.causes.young --data DIR --json OUT``.

    [--part report|develop] [--tables 200] [--each 6] [--said FILE] [--fit]

A table of one version gets a second one, as most of a lake's tables are in its first weeks. **Undamaged**: the first
seven tenths of the rows of a real table are its first version, the rest the second one, in the order of the file: what
changed between them is other content, and a cause that rewrites values, or exchanges columns (`REWRITTEN`), is wrong.
**Damaged**: rows drawn for the first version, the others for the second one, one column of which is damaged; the cause
is known. Columns whose distributions lie at least `MOVED` apart are handed over as broken. Tables are split by
repository as in `benchmarks.causes`. `--fit` prints how likely the best guess of a column is right by its fit, which
`catalog.causes.cause.probability` takes over; that is done on the part to develop on alone.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.optimize import minimize

from benchmarks.causes.__main__ import Case as Damaged
from benchmarks.causes.__main__ import damaged
from benchmarks.causes.data import PARTS, PAST, Series, real_tables, typed
from catalog.causes.case import Case, guesses_of
from catalog.causes.cause import LESS, OF_TIMES, REWRITTEN
from catalog.causes.compare import changed_columns
from catalog.causes.diagnose import diagnose
from catalog.history.series import observe_metrics
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

FIRST = 0.7  # of the rows are the first version; chosen
MOVED = 0.05  # distance of two distributions (0..1) from which a column is handed over; chosen: a twentieth of the rows
RIDGE = 0.5  # of what is fitted; chosen
LEAST = 100  # rows of a table; chosen: thirty in the second version


@dataclass(frozen=True)
class Guessed:
    """The best guess of a column that rewrites values: its fit, what it is `of`, whether it was right."""

    fit: float
    of: str
    right: bool


@dataclass(frozen=True)
class Pair:
    """Two versions of one table, and how the second one was `damaged`."""

    name: str
    before: TableState
    after: TableState
    damaged: Damaged | None = None

    @property
    def batch(self) -> Batch:
        schema = [[column, state.type] for column, state in self.after.columns.items()]
        known = [observe_metrics(self.before, None)]
        return Batch(1, "snapshot", self.after, self.before, schema, datetime(2026, 1, 1, tzinfo=UTC), known)

    def broken(self) -> list[tuple[Rule, Verdict]]:
        """What is handed over: the columns that changed."""
        rule = Rule("pattern", None, {}, 0.0, "", "benchmark")
        verdict = Verdict(VIOLATED, "Values are unlike before.")
        return [(replace(rule, column=one), verdict) for one in changed_columns(self.before, self.after, MOVED)]

    def guessed(self) -> Iterator[Guessed]:
        """The best guess of each column that changed, of the damaged one alone where one was; those that are sure by
        themselves left out."""
        case = Case(self.name, self.batch, {rule.column or "": [verdict] for rule, verdict in self.broken()}, {}, ())
        for column in case.broken:
            found = guesses_of(case, column)[:1]
            if not found or (self.damaged is not None and self.damaged.column != column):
                continue
            (one,) = found
            if one.cause in REWRITTEN and one.key not in OF_TIMES and one.sure is None and "pairs" not in one.detail:
                of = "exchanged" if one.cause == "swapped" else "number" if one.cause in LESS else "text"
                yield Guessed(one.fit, of, self.damaged is not None and self.damaged.cause == one.cause)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.causes.young",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with columns/")
    parser.add_argument("--json", type=Path, required=True, help="where to write the figures")
    parser.add_argument("--part", choices=PARTS, default="report")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--each", type=int, default=6, help="damaged versions of each table")
    parser.add_argument("--fit", action="store_true", help="fit how likely guesses are right")
    parser.add_argument("--said", type=Path, help="where to write what was said in error")
    options = parser.parse_args()
    whole, right, wrong, lines = Counter[str](), Counter[str](), Counter[str](), list[str]()
    told: list[tuple[float, bool]] = []
    guessed: list[Guessed] = []
    for one in pairs_of(options.data, options.part, options.tables, options.each):
        changed = one.broken()
        guessed += one.guessed()
        found = diagnose(one.name, one.batch, changed) if changed else []
        if one.damaged is None:
            whole["undamaged"] += len(found)
            for cause in (each.cause for each in found if each.cause.cause in REWRITTEN):
                wrong[cause.cause] += 1
                told.append((cause.confidence, False))
                lines.append(f"{one.name}: {cause.confidence}: {cause.sentence}")
        elif found and one.damaged.cause in REWRITTEN:
            first, case = found[0].cause, one.damaged
            whole[case.cause] += 1
            right[case.cause] += first.cause == case.cause
            if first.cause in REWRITTEN:
                told.append((first.confidence, first.cause == case.cause))
            if first.cause != case.cause:
                lines.append(f"  {case.key} {case.share} in {case.column}: {first.cause} {first.sentence}"[:250])
    n = whole.pop("undamaged")
    figures = {
        "undamaged": {"changes": n, "rewriting_named": sum(wrong.values()) / max(n, 1), "causes": dict(wrong)},
        "damaged": {
            "versions": whole.total(), "first": right.total() / max(whole.total(), 1),
            "by_cause": {cause: [right[cause], k] for cause, k in sorted(whole.items())},
        },
        "confidence": [
            [low, len(mine), sum(mine) / len(mine)]
            for low, high in ((0.0, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.01))
            if (mine := [ok for c, ok in told if low <= c < high])
        ],
    }  # fmt: skip
    options.json.write_text(json.dumps({"part": options.part} | figures, indent=1))
    if options.said:
        options.said.write_text("\n".join(line.encode("unicode_escape").decode() for line in lines))
    print(json.dumps(figures))
    if options.fit:
        print(json.dumps(fitted(guessed)))


def pairs_of(data: Path, part: str, count: int, each: int) -> Iterator[Pair]:
    """Undamaged and damaged pairs of versions of real tables."""
    for name, repo, table, rng in real_tables(data, part, count, LEAST, "young"):
        cut = int(FIRST * table.num_rows)
        head, tail = typed([table.slice(0, cut), table.slice(cut)])
        yield Pair(name, fold(head), fold(tail))
        drawn = table.take(pa.array(rng.permutation(table.num_rows)))
        first, second = typed([drawn.slice(0, table.num_rows // 2), drawn.slice(table.num_rows // 2)])
        before = fold(first)
        for case in damaged(Series(name, repo, [*[first] * PAST, second, first]), each):
            yield Pair(name, before, fold(case.table), case)


def fitted(guessed: list[Guessed]) -> dict[str, float]:
    """Log odds that a guess is right: an intercept, how they rise with -log(1.01 - fit), and how much lower they are
    for numbers and for columns exchanged; right and wrong guesses weigh alike, with a ridge on all but the first."""
    y = np.array([1.0 if one.right else -1.0 for one in guessed])
    X = np.array(
        [[1.0, -np.log(max(1 - one.fit, 0) + 0.01), one.of == "number", one.of == "exchanged"] for one in guessed]
    )
    weight = np.where(y > 0, len(y) / 2 / (y > 0).sum(), len(y) / 2 / (y < 0).sum())

    def loss(b: np.ndarray) -> float:
        return float((weight * np.logaddexp(0, -y * (X @ b))).sum() + RIDGE * (b[1:] ** 2).sum() / 2)

    names = ("WRITTEN", "EXPLAINING", "numbers", "exchanged")
    found = dict(zip(names, minimize(loss, np.zeros(len(names))).x.round(2).tolist(), strict=True))
    return found | {"right": int((y > 0).sum()), "wrong": int((y < 0).sum())}


if __name__ == "__main__":
    main()
