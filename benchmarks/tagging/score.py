"""The figures of one method: by domain, of sensitivity, and how true its scores are."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.tagging.cases import Case, spoken
from catalog.domains.known import GENERIC

LEAST = 5  # columns a domain needs to count in the macro figures
TENTHS = 10


@dataclass(frozen=True)
class Said:
    """What a method said of a column: a domain in the words of the labels, whether it is sensitive, how sure."""

    case: Case
    domain: str | None
    sensitive: bool
    score: float | None = None

    @property
    def right(self) -> bool:
        return self.domain is not None and self.domain in self.case.right


#: column -> (domain, sensitive, score)
Tagger = Callable[[Case], tuple[str | None, bool, float | None]]


def measure(cases: Sequence[Case], tagger: Tagger, words: frozenset[str]) -> tuple[dict[str, Any], list[Said]]:
    """The figures of one method over sure labels, and what it said of each column."""
    said, seconds = [], []
    for case in cases:
        began = time.process_time()
        domain, sensitive, score = tagger(case)
        seconds.append(time.process_time() - began)
        said.append(Said(case, spoken(domain, case.right, words), sensitive, score))
    sure = [one for one in said if one.case.sure]
    figures = _by_domain(sure) | _sensitivity(sure) | _specific(sure)
    figures["columns"] = len(sure)
    figures["seconds_median"] = statistics.median(seconds) if seconds else 0.0
    figures["seconds_p95"] = sorted(seconds)[int(0.95 * len(seconds))] if seconds else 0.0
    if any(one.score is not None for one in sure):
        figures["reliability"] = reliability(sure)
    return figures, said


def _by_domain(sure: Sequence[Said]) -> dict[str, Any]:
    """A right tag is a true positive of the label; a wrong one a false positive of the domain said and a false negative
    of the label."""
    right: Counter[str] = Counter()
    wrongly: Counter[str] = Counter()
    support = Counter(one.case.label for one in sure)
    for one in sure:
        if one.right:
            right[one.case.label] += 1
        elif one.domain is not None:
            wrongly[one.domain] += 1
    per = {}
    for domain, count in sorted(support.items()):
        hits, extra = right[domain], wrongly[domain]
        precision, recall = hits / (hits + extra) if hits + extra else 0.0, hits / count
        f1 = 2 * hits / (hits + extra + count)
        per[domain] = {"columns": count, "precision": precision, "recall": recall, "f1": f1}
    counted = [figures for figures in per.values() if figures["columns"] >= LEAST]
    tagged = sum(one.domain is not None for one in sure)
    return {
        "macro_f1": _mean(f["f1"] for f in counted),
        "precision": _mean(f["precision"] for f in counted),
        "recall": _mean(f["recall"] for f in counted),
        "micro_precision": sum(right.values()) / max(tagged, 1),
        "micro_recall": sum(right.values()) / max(len(sure), 1),
        "per_domain": per,
    }


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _sensitivity(sure: Sequence[Said]) -> dict[str, float]:
    both = sum(one.case.sensitive and one.sensitive for one in sure)
    return {
        "sensitive_recall": both / max(sum(one.case.sensitive for one in sure), 1),
        "sensitive_precision": both / max(sum(one.sensitive for one in sure), 1),
    }


def _specific(sure: Sequence[Said]) -> dict[str, float]:
    """Of the tags that claim a particular meaning, how many are right; of the general kinds, the same."""
    claimed = [one for one in sure if one.domain is not None and one.domain not in GENERIC]
    general = [one for one in sure if one.domain in GENERIC]
    return {
        "specific_precision": sum(one.right for one in claimed) / max(len(claimed), 1),
        "generic_precision": sum(one.right for one in general) / max(len(general), 1),
    }


def reliability(said: Sequence[Said]) -> list[dict[str, float]]:
    """For each tenth of the scores: how many tags, the mean score stated, the share that was right."""
    rows = []
    for tenth in range(TENTHS):
        part = [s for s in said if s.score is not None and min(int(s.score * TENTHS), TENTHS - 1) == tenth]
        if part:
            rows.append(
                {
                    "from": tenth / TENTHS,
                    "tags": len(part),
                    "stated": _mean(s.score or 0.0 for s in part),
                    "right": _mean(float(s.right) for s in part),
                }
            )
    return rows


def show(method: str, figures: dict[str, Any]) -> str:
    names = ["macro_f1", "precision", "recall", "micro_precision", "specific_precision"]
    names += ["sensitive_recall", "sensitive_precision"]
    said = "".join(f" {name} {figures[name]:.3f}" for name in names)
    return f"{method:20}{said}  {1000 * figures['seconds_median']:.1f} ms a column"
