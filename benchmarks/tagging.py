"""How well columns are tagged: ``python -m benchmarks.tagging --data DIR --json OUT``.

`DIR` holds ``columns.parquet`` (column_id, repo, column, values), ``benchmark.parquet`` (column_id) and ``labels.csv``
(column_id, label, alt, sure, sensitive). Each column's cells are folded into a state as a scan would fold them, and
only the state and the column's name reach the tagger.

A tag counts as right if it is the label or the alternative. A right tag is a true positive of the label; a wrong one is
a false positive of the domain said and a false negative of the label. Figures are over sure labels, macro over domains
with at least five such columns; ``micro`` rows count all sure columns. A column is said to be sensitive if any proposal
is. Methods: ``ours``; ``ours_without_names`` (every column called ``c``); and as rivals ``regex_votes`` (one regex a
domain, highest share of matching values wins, as pattern catalogs do) and ``name_only`` (the column's name decides).
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from catalog.domains.domain import words
from catalog.domains.known import KNOWN
from catalog.states.column import ColumnState
from catalog.states.fold import fold
from catalog.tags.propose import propose_tags
from catalog.tags.sample import sample

LEAST = 5  # columns a domain needs to count in the macro figures


@dataclass(frozen=True)
class Case:
    """One labelled column."""

    column_id: str
    repo: str
    name: str
    state: ColumnState
    label: str
    alt: str
    sure: bool
    sensitive: bool


Tagger = Callable[[ColumnState, str], tuple[str | None, bool]]  # -> (domain said, said to be sensitive)


def load(data: Path) -> list[Case]:
    """The labelled columns, folded."""
    with (data / "labels.csv").open(newline="", encoding="utf-8") as file:
        labels = {row["column_id"]: row for row in csv.DictReader(file)}
    columns = pl.read_parquet(data / "columns.parquet", columns=["column_id", "repo", "column", "values"])
    cases = []
    for row in columns.filter(pl.col("column_id").is_in(list(labels))).iter_rows(named=True):
        label = labels[row["column_id"]]
        cells = pa.array([cell if cell != "" else None for cell in row["values"]], pa.string())
        state = fold(pa.table({"c": cells})).columns["c"]
        flags = label["sure"] == "1", label["sensitive"] == "1"
        cases.append(Case(row["column_id"], row["repo"], row["column"], state, label["label"], label["alt"], *flags))
    return cases


def ours(state: ColumnState, name: str) -> tuple[str | None, bool]:
    found = propose_tags(state, name)
    return (found[0].domain if found else None), any(p.sensitive for p in found)


def ours_without_names(state: ColumnState, name: str) -> tuple[str | None, bool]:
    return ours(state, "c")


def regex_votes(state: ColumnState, name: str) -> tuple[str | None, bool]:
    """The domain whose regex (no check digits, calendar or dictionary) most values match, if at least 80% do."""
    found = sample(state)
    best, top = None, 0.8
    for domain in KNOWN.values():
        regex = domain.regex
        if regex is not None and "string" in domain.kinds:
            share = found.share(lambda text, regex=regex: bool(regex.fullmatch(text)))[0]  # type: ignore[misc]
            if share > top:
                best, top = domain, share
    return (best.name, best.sensitive) if best else (None, False)


def name_only(state: ColumnState, name: str) -> tuple[str | None, bool]:
    """The first domain whose name words occur in the column's name."""
    named = words(name)
    for domain in KNOWN.values():
        if domain.name_regex and domain.name_regex.search(named):
            return domain.name, domain.sensitive
    return None, False


METHODS: dict[str, Tagger] = {
    "ours": ours,
    "ours_without_names": ours_without_names,
    "regex_votes": regex_votes,
    "name_only": name_only,
}


def measure(cases: list[Case], tagger: Tagger) -> tuple[dict[str, Any], list[tuple[Case, str | None, bool]]]:
    """The figures of one method, and what it said of each column."""
    said, seconds = [], []
    for case in cases:
        began = time.perf_counter()
        domain, sensitive = tagger(case.state, case.name)
        seconds.append(time.perf_counter() - began)
        said.append((case, domain, sensitive))
    sure = [s for s in said if s[0].sure]
    figures = _by_domain(sure) | _sensitivity(sure)
    figures["columns"] = len(sure)
    figures["seconds_median"] = statistics.median(seconds)
    figures["seconds_p95"] = sorted(seconds)[int(0.95 * len(seconds))] if seconds else 0.0
    return figures, said


def _by_domain(sure: list[tuple[Case, str | None, bool]]) -> dict[str, Any]:
    right: Counter[str] = Counter()
    wrongly: Counter[str] = Counter()
    support = Counter(case.label for case, _, _ in sure)
    for case, domain, _ in sure:
        if domain is not None and domain in (case.label, case.alt):
            right[case.label] += 1
        elif domain is not None:
            wrongly[domain] += 1
    per = {}
    for domain, count in sorted(support.items()):
        hits, extra = right[domain], wrongly[domain]
        precision, recall = hits / (hits + extra) if hits + extra else 0.0, hits / count
        per[domain] = {
            "columns": count,
            "precision": precision,
            "recall": recall,
            "f1": 2 * hits / (hits + extra + count),
        }
    counted = [figures for figures in per.values() if figures["columns"] >= LEAST]
    tagged = sum(domain is not None for _, domain, _ in sure)
    return {
        "macro_f1": _mean(f["f1"] for f in counted),
        "precision": _mean(f["precision"] for f in counted),
        "recall": _mean(f["recall"] for f in counted),
        "micro_precision": sum(right.values()) / max(tagged, 1),
        "micro_recall": sum(right.values()) / max(len(sure), 1),
        "per_domain": per,
    }


def _mean(values: Any) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _sensitivity(sure: list[tuple[Case, str | None, bool]]) -> dict[str, float]:
    both = sum(case.sensitive and said for case, _, said in sure)
    return {
        "sensitive_recall": both / max(sum(case.sensitive for case, _, _ in sure), 1),
        "sensitive_precision": both / max(sum(said for _, _, said in sure), 1),
    }


def show(method: str, figures: dict[str, Any]) -> str:
    names = ("macro_f1", "precision", "recall", "micro_precision", "sensitive_recall", "sensitive_precision")
    return (
        f"{method:20}"
        + "".join(f" {name} {figures[name]:.3f}" for name in names)
        + (f"  {1000 * figures['seconds_median']:.1f} ms a column")
    )


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with columns.parquet and labels.csv")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--errors", action="store_true", help="list what our tagger got wrong")
    arguments = parser.parse_args(argv)
    cases = load(arguments.data)
    if cases:
        ours(cases[0].state, "warm up")  # dictionaries are built when first asked for
    methods = {}
    for method, tagger in METHODS.items():
        methods[method], said = measure(cases, tagger)
        print(show(method, methods[method]), flush=True)
        if arguments.errors and method == "ours":
            for case, domain, _ in said:
                if case.sure and domain not in (case.label, case.alt):
                    print(
                        f"  {case.label}{'/' + case.alt if case.alt else ''} said {domain}: {case.name!r} ({case.repo})"
                    )
    if arguments.json:
        report = {"data": str(arguments.data), "methods": methods}
        arguments.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
