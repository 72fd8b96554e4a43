"""The columns that tagging is measured on: labelled ones of real tables, and generated ones."""

from __future__ import annotations

import csv
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pyarrow as pa

from benchmarks.tagging.generated.columns import columns
from benchmarks.tagging.generated.draws import LOCALES
from catalog.domains.known import GENERIC, KNOWN
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from catalog.tags.table import settled
from catalog.tags.whose import Around

HALVES = ("one", "other")
SPLIT = 16  # seed of the halves: one was looked at while tagging was worked on, the other only measured


@dataclass(frozen=True)
class Case:
    """One labelled column. `right` are the labels that count as right; `around` is where it stands in its table;
    `person_key` is whether it holds identifiers of persons, None where its list does not say."""

    column_id: str
    repo: str
    name: str
    state: ColumnState
    label: str
    right: frozenset[str]
    sure: bool
    sensitive: bool
    around: Around = field(default_factory=Around)
    cells: tuple[str, ...] = ()
    person_key: bool | None = None


def state_of(cells: Iterable[str | None]) -> ColumnState:
    """The state a scan would fold from cells of text; '' is missing."""
    return fold(pa.table({"c": pa.array([cell or None for cell in cells], pa.string())})).columns["c"]


def labelled(data: Path) -> Path:
    """Where the labelled columns are: the folder itself, or ``columns`` in it."""
    return data if (data / "labels.csv").exists() else data / "columns"


def load(data: Path) -> list[Case]:
    """The labelled columns of a folder, folded, with the columns beside them where ``tables.parquet`` says which."""
    with (data / "labels.csv").open(newline="", encoding="utf-8") as file:
        labels = {row["column_id"]: row for row in csv.DictReader(file)}
    found = pl.read_parquet(data / "columns.parquet")
    rows = {row["column_id"]: row for row in found.iter_rows(named=True)}
    beside = _around(data, rows, labels)
    cases = []
    for column_id, label in labels.items():
        row = rows[column_id]
        right = frozenset({label["label"], *label["alt"].split("|")} - {""})
        flags = label["sure"] == "1", label["sensitive"] == "1"
        state = state_of(row["values"])
        cells = tuple(cell for cell in row["values"] if cell)
        around = beside.get(column_id, Around())
        key = {"1": True, "0": False}.get(label.get("person_key", ""))
        where = column_id, row["repo"], row["column"]
        cases.append(Case(*where, state, label["label"], right, *flags, around, cells, key))
    return cases


def _around(data: Path, rows: dict[str, dict], labels: dict[str, dict[str, str]]) -> dict[str, Around]:
    """Tables of the labelled columns: the name of the file, and what is said of the columns."""
    path = data / "tables.parquet"
    if not path.exists():
        return {}
    found: dict[str, Around] = {}
    for table in pl.read_parquet(path).iter_rows(named=True):
        ids = [one for one in table["column_ids"] if one in rows]
        if not any(one in labels for one in ids):
            continue
        names = [rows[one]["column"] for one in ids]
        states = {name: state_of(rows[one]["values"][:200]) for one, name in zip(ids, names, strict=True)}
        _, around = settled(states, Path(table["path"]).stem)
        found |= dict.fromkeys(ids, around)
    return found


def halves(cases: Sequence[Case], seed: int = SPLIT) -> dict[str, list[Case]]:
    """The cases in two halves of about the same size, no repository in both."""
    sizes = Counter(case.repo for case in cases)
    repos = sorted(sizes)
    random.Random(seed).shuffle(repos)
    one: set[str] = set()
    for repo in repos:
        if sum(sizes[other] for other in one) + sizes[repo] / 2 < len(cases) / 2:
            one.add(repo)
    parts = defaultdict(list)
    for case in cases:
        parts[HALVES[case.repo not in one]].append(case)
    return dict(parts)


def generated(seed: int, locales: Sequence[str] = LOCALES) -> list[Case]:
    """Columns of every domain in some locales, with near-misses."""
    return [
        Case(
            f"{one.locale}:{one.kind}", one.locale, one.name, state_of(one.values), one.label,
            frozenset({one.label, *one.alts}), True, one.sensitive, Around(), tuple(v for v in one.values if v),
        )
        for one in columns(seed, tuple(locales))
    ]  # fmt: skip


def vocabulary(data: Path, cases: Iterable[Case]) -> frozenset[str]:
    """The labels that the people who labelled could choose: of ``domains.txt``, or those they used."""
    path = data / "domains.txt"
    used = {label for case in cases for label in case.right}
    if path.exists():
        lines = path.read_text(encoding="utf-8").splitlines()
        used |= {word for line in lines if not line.startswith("#") for word in line.split()}
    return frozenset(used)


def spoken(domain: str | None, right: frozenset[str], words: frozenset[str]) -> str | None:
    """A tag in the words of the labels. One that they have no word for counts as what is said without knowing it: any
    of its broader kinds is right, the first that they know is what a wrong one is counted against.

    >>> spoken("siret", frozenset({"opaque_id"}), frozenset({"opaque_id", "code"}))
    'opaque_id'
    >>> spoken("siret", frozenset({"phone"}), frozenset({"code", "phone"})), spoken("phone", frozenset(), frozenset())
    ('code', 'phone')
    """
    if domain is None or domain in words or domain in GENERIC or domain not in KNOWN:
        return domain
    broader = KNOWN[domain].broader
    agreed = [one for one in broader if one in right]
    return next((one for one in (*agreed, *broader) if one in words), domain)
