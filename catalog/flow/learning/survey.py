"""A survey of the lake's patterns: its common domains, and figures of the index for people.

The domains go to the catalog, where people name them; the figures lie beside the index they are of, as
``survey.json``, replaced at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.pattern_index.index import STARTER, PatternIndex
from catalog.flow.context import Context, Progress
from catalog.flow.learning.fingerprint import DOMAIN_KEY, difference, made_of
from catalog.flow.learning.index import open_index
from catalog.states.column import ColumnState
from catalog.store.domains import lakedomains
from catalog.store.domains.surveyed import SURVEY
from catalog.store.lake import tables
from catalog.store.models import now
from catalog.tags.discovery.census import Counting
from catalog.tags.discovery.discover import Discovered, Heads, discover


class Seen:
    """What a survey counts of the columns of strings, table by table: no state is held."""

    def __init__(self) -> None:
        self.tables: set[int] = set()
        self.heads, self.counting = Heads(), Counting()

    def add(self, table_id: int, columns: Mapping[str, ColumnState]) -> None:
        self.tables.add(table_id)
        for state in columns.values():
            if state.kind == "string":
                self.heads.add(state)
                self.counting.add(state)


def survey(
    context: Context,
    index: PatternIndex | None = None,
    seen: Seen | None = None,
    *,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Find the lake's common domains and count its patterns. Returns the figures.

    Parameters
    ----------
    index : the lake's index, opened when it is not given.
    seen : what was counted of tables whose states were in hand; the others are counted by their newest files.
    """
    progress = progress or Progress(context, None)
    index = index or open_index(context.settings)
    seen = seen or Seen()
    with context.reading() as session:
        listed = tables.present(session)
        tags = lakedomains.tags_by_column(session)
    progress.begin("surveying patterns", len(listed))
    _see_others(context, index, seen, listed, progress)
    found = discover(index, {}, tags=tags, heads=seen.heads)
    chances = {(one.view, one.pattern): _chance(index, one) for one in found}
    with context.transaction() as session:
        lakedomains.put_domains(session, found, chances)
    figures = index_figures(index, context.settings.index_path, context.settings.starter_path)
    figures |= {"surveyed_at": now().isoformat(), "domains": len(found), **asdict(seen.counting.census())}
    _write(context.settings.index_path, figures)
    return figures


def _see_others(context: Context, index: PatternIndex, seen: Seen, listed: Sequence[int], progress: Progress) -> None:
    """Count the tables that were not in hand. Those that the index lacks, because it was begun again (another format)
    and no crawl has come to them since, are put into it: their states are kept, so that the lake is not read again."""
    present, lacking = set(index.tables), False
    for table_id in listed:
        if table_id not in seen.tables:
            with context.reading() as session:
                columns = lakedomains.string_states(session, table_id)
            seen.add(table_id, columns)
            if columns and str(table_id) not in present:
                index.update(str(table_id), columns)
                lacking = True
        progress.advance()
    if lacking:
        index.save(context.settings.index_path)


def _chance(index: PatternIndex, found: Discovered) -> float:
    """Share of the values of the lake's other columns that match: what a domain's specificity is."""
    shares = index.match(Candidate(found.view, (found.pattern,)))
    described = set(found.described)
    lake = np.array(
        [
            not index.tables[table].startswith(STARTER) and (index.tables[table], name) not in described
            for table, name in index.columns
        ],
        bool,
    )
    others = int(lake.sum())
    return (float(shares[lake].sum()) + 1.0) / (others + 1000.0) if others else 0.001


def index_figures(index: PatternIndex, folder: Path, starter: Path) -> dict[str, Any]:
    """Size of an index, and how much of it is the starter's."""
    index.settle()
    own = np.array([not table.startswith(STARTER) for table in index.tables], bool)
    of_lake = own[index.table_of] if len(index.columns) else np.empty(0, bool)
    weights = index.weights()
    home = folder if folder.is_dir() else starter
    current = home / (home / "CURRENT").read_text().strip() if (home / "CURRENT").exists() else home
    total = float(weights.sum())
    return {
        "folder": str(home),
        "generation": current.name,
        "bytes": sum(path.stat().st_size for path in current.rglob("*") if path.is_file()),
        "tables": int(own.sum()),
        "columns": int(of_lake.sum()),
        "starter_tables": int((~own).sum()),
        "starter_columns": int((~of_lake).sum()),
        "starter_weight": round(float(weights[~of_lake].sum()) / total, 4) if total else 0.0,
        "classes": len(index.postings.keys),
        "postings": len(index.postings.columns),
        "replays": len(index.replays),
        "calibrated": index.model is not None,
        "domains_known": sum(key.startswith(DOMAIN_KEY) for key in index.made_of),
        "out_of_date": difference(index.made_of, made_of()).words,
    }


def _write(folder: Path, figures: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = folder / f".{SURVEY}.{os.getpid()}"
    temporary.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    os.replace(temporary, folder / SURVEY)
