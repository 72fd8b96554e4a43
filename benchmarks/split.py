"""Which real series a figure may be reported from, and how sure it is.

Sources (repositories), not series, are dealt into three parts by a seed: on ``fit`` constants are computed, on ``tune``
ideas are tried and alarms are read, on ``report`` nothing is chosen. A source of the last part that was looked at is of
``tune`` from then on. `looked.csv` is the dated list of looks; `benchmarks` write it before they measure. A look is of
the product's code as it was: several commands may measure the same code, and any later code needs another source.

A rate's interval draws sources, not columns: columns of a table alarm together, tables of a source are kept alike.
"""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

SEED = 1
FIT, TUNE, REPORT, KNOWN, ALL = "fit", "tune", "report", "known", "all"
#: Where each part ends, of a uniform number that a source draws.
ENDS = {FIT: 0.2, TUNE: 0.6, REPORT: 1.0}
FOLDERS = ("histories", "histories2")
LOOKED = Path(__file__).with_name("looked.csv")
DRAWS = 4000


def drawn(source: str, seed: int = SEED) -> str:
    """The part that a source was dealt.

    >>> drawn("a/b") == drawn("a/b"), {drawn(f"owner/{i}") for i in range(40)} == set(ENDS)
    (True, True)
    """
    digest = hashlib.sha256(f"{seed}:{source}".encode()).hexdigest()
    uniform = int(digest[:12], 16) / 16**12
    return next(part for part, end in ENDS.items() if uniform < end)


def part_of(source: str, looks: Sequence[Mapping[str, str]], code: str) -> str:
    """The part that a source is in for the product's `code`, after these looks.

    >>> mine = next(f"owner/{i}" for i in range(40) if drawn(f"owner/{i}") == REPORT)
    >>> look = {"source": mine, "code": "abc"}
    >>> part_of(mine, [], "abc"), part_of(mine, [look], "abc"), part_of(mine, [look], "def")
    ('report', 'report', 'tune')
    """
    part = drawn(source)
    looked = any(look["source"] == source and look["code"] != code for look in looks)
    return TUNE if part == REPORT and looked else part


def looks(path: Path | None = None) -> list[dict[str, str]]:
    """Every look that was written down: date, source, code, what was looked at."""
    with (path or LOOKED).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def product_code() -> str:
    """The git tree of the product's code. Raises `SystemExit` where it has changes that no commit holds."""
    top = LOOKED.parent.parent

    def git(*words: str) -> str:
        run = subprocess.run(["git", *words], cwd=top, check=True, capture_output=True, text=True)
        return run.stdout.strip()

    if git("status", "--porcelain", "--", "catalog"):
        raise SystemExit("catalog/ has changes that are not committed: a report is of code that can be found again")
    return git("rev-parse", "HEAD:catalog")


def source_of(folder: Path) -> str:
    """The source of a series: its repository, or the series itself where none is told."""
    manifest = folder / "manifest.json"
    said = json.loads(manifest.read_text()) if manifest.exists() else {}
    return str(said.get("repo") or folder.name)


def series_folders(data: Path, split: str) -> list[Path]:
    """The folders of the series of a part; ``known`` is fit and tune, ``all`` the first collection, whose figures are
    from before the parts."""
    within = FOLDERS[:1] if split == ALL else FOLDERS
    folders = [p.parent for name in within for p in sorted((data / name).glob("*/incidents.json"))]
    if split == ALL:
        return folders
    code = product_code() if split == REPORT else ""
    known = looks()
    wanted = (FIT, TUNE) if split == KNOWN else (split,)
    return [one for one in folders if part_of(source_of(one), known, code) in wanted]


def look(folders: Sequence[Path], what: str, path: Path | None = None) -> None:
    """Write down that the report part is looked at now, once for each state of the product's code and command."""
    code, today = product_code(), datetime.now(UTC).date().isoformat()
    before = {(one["source"], one["code"], one["what"]) for one in looks(path)}
    with (path or LOOKED).open("a", newline="", encoding="utf-8") as file:
        for source in sorted({source_of(folder) for folder in folders}):
            if (source, code, what) not in before:
                csv.writer(file, lineterminator="\n").writerow([today, source, code, what])


def by_source(counts: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """A rate with its interval over sources, and without each of them.

    Parameters
    ----------
    counts : (hits, tests) by source; sources without tests say nothing.

    >>> found = by_source({"a": (1, 100), "b": (0, 100), "c": (5, 100)})
    >>> found["rate"], found["low"] <= found["rate"] <= found["high"], found["without"]
    (0.02, True, {'a': 0.025, 'b': 0.03, 'c': 0.005})
    """
    there = {source: pair for source, pair in counts.items() if pair[1]}
    pairs = np.array(list(there.values()), float).reshape(-1, 2)
    hits, tests = pairs.sum(axis=0)
    draws = np.random.default_rng(0).integers(0, max(len(pairs), 1), (DRAWS, len(pairs)))
    sums = pairs[draws].sum(axis=1) if len(pairs) else np.array([[0.0, 1.0]])
    low, high = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975])
    rest = {s: (hits - h, tests - n) for s, (h, n) in there.items()}
    return {
        "rate": float(hits / tests) if tests else 0.0,
        "low": float(low),
        "high": float(high),
        "without": {s: float(h / n) for s, (h, n) in rest.items() if n},
        "sources": {s: [float(x) for x in pair] for s, pair in there.items()},
    }


def interval(found: Mapping[str, Any]) -> str:
    """The rate in words.

    >>> interval(by_source({"a": (1, 100), "b": (1, 100)}))
    '1.00% (1.00% to 1.00% over 2 sources; 1.00% to 1.00% without one)'
    """
    without = list(found["without"].values()) or [found["rate"]]
    return (
        f"{found['rate']:.2%} ({found['low']:.2%} to {found['high']:.2%} over {len(found['sources'])} sources; "
        f"{min(without):.2%} to {max(without):.2%} without one)"
    )
