"""How well columns are tagged: ``python -m benchmarks.tagging --data DIR --json OUT`` or ``--generated SEED``.

`DIR` holds ``columns.parquet`` (column_id, repo, column, values), ``labels.csv`` (column_id, label, alt, sure,
sensitive) and, where there are, ``tables.parquet`` (path, column_ids) and ``domains.txt`` (the labels to choose from).
Each column's cells are folded into a state as a scan would fold them; only the state, the name and the columns beside
it reach our tagger.

A tag counts as right if it is the label or the alternative. A domain that the labels have no word for counts as one of
its broader kinds (a SIRET number is an identifier to those who do not know it). Figures are over sure labels, macro
over domains with at least five such columns. A column is sensitive if any proposal is. ``reliability`` compares
the scores that were stated with the share of tags that was right, tenth by tenth.

``--half one|other`` measures on the repositories of one half only (`benchmarks.tagging.cases.halves`). ``--rivals
FOLDER`` also asks Presidio (its recognisers of patterns; without a language model) and DataProfiler (its network), each
installed into an environment in FOLDER. ``--generated SEED`` makes the columns (`benchmarks.tagging.generated`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.tagging.cases import HALVES, Case, generated, halves, labelled, load, vocabulary
from benchmarks.tagging.generated.draws import LOCALES
from benchmarks.tagging.methods import METHODS, ours
from benchmarks.tagging.rivals import PACKAGES, rival
from benchmarks.tagging.score import Said, measure, show


def main(argv: list[str] | None = None) -> None:
    arguments = _arguments(argv)
    cases, words = _cases(arguments)
    if cases:
        ours(cases[0])  # word lists are read when first asked for
    methods: dict[str, Any] = {}
    taggers = dict(METHODS)
    for name in PACKAGES if arguments.rivals else ():
        try:
            taggers[name] = rival(name, cases, arguments.rivals)
        except (subprocess.SubprocessError, OSError, IndexError) as error:
            reason = getattr(error, "stderr", None) or str(error)
            print(f"{name}: does not run here: {reason[-300:]}", file=sys.stderr)
            methods[name] = {"does_not_run": reason[-300:]}
    for method, tagger in taggers.items():
        methods[method], said = measure(cases, tagger, words)
        print(show(method, methods[method]), flush=True)
        if method == "ours":
            for row in methods[method]["reliability"]:
                print(
                    f"  {row['from']:.1f}: {row['tags']:4} tags, stated {row['stated']:.3f}, right {row['right']:.3f}"
                )
            if arguments.errors:
                _tell(said)
    if arguments.json:
        report = {"data": str(arguments.data or f"generated {arguments.generated}"), "methods": methods}
        arguments.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tagging", description=(__doc__ or "").splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--data", type=Path, help="folder with columns.parquet and labels.csv")
    source.add_argument("--generated", type=int, metavar="SEED", help="columns of every domain, made from this seed")
    parser.add_argument("--locales", default=",".join(LOCALES), help="of the generated columns")
    parser.add_argument("--half", choices=HALVES, help="only the repositories of one half")
    parser.add_argument("--rivals", type=Path, metavar="FOLDER", help="where rivals are installed, to run them too")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--errors", action="store_true", help="list what our tagger got wrong")
    return parser.parse_args(argv)


def _cases(arguments: argparse.Namespace) -> tuple[list[Case], frozenset[str]]:
    if arguments.data is None:
        cases = generated(arguments.generated, arguments.locales.split(","))
        return cases, frozenset(label for case in cases for label in case.right)
    data = labelled(arguments.data)
    cases = load(data)
    words = vocabulary(data, cases)
    return (halves(cases)[arguments.half] if arguments.half else cases), words


def _tell(said: list[Said]) -> None:
    for one in said:
        case = one.case
        where = f"{case.name!r} ({case.repo})"
        if case.sure and not one.right:
            print(f"  {'/'.join(sorted(case.right))} said {one.domain} {one.score}: {where} {list(case.cells[:3])}")
        if case.sure and one.sensitive != case.sensitive:
            print(f"  {'' if one.sensitive else 'not '}said to be sensitive: {case.label} as {one.domain} {where}")


if __name__ == "__main__":
    main()
