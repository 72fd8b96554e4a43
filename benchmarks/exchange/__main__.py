"""Contracts run in the tools that they are written for, beside what Assay says of the same rows.

    python -m benchmarks.exchange --tool gx|dqx|dqdl|odcs|soda|dbt --cache FOLDER [--demo FOLDER] [--json OUT]

Of gx, dqx, dqdl and odcs, what Assay writes: a check of every kind, and with --demo the rules in force on a lake that
``assay demo --once --keep FOLDER`` left there. Of soda and dbt, which it reads, contracts as people write them. Each is
asked of rows that keep to it and of rows that do not. The environments are built under the cache, once, with a network.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from benchmarks.exchange import cases, contracts, demo
from benchmarks.exchange.environment import TOOLS, run
from catalog.rules.exchange.registry import WRITERS, read_contract

_READ = ("soda", "dbt")


@dataclass
class Asked:
    """Cases that a tool is asked, their contracts by id, and those that are lost, with the reason."""

    found: list[cases.Case] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


def written(form: str, found: Sequence[cases.Case]) -> Asked:
    """Each case in a contract of its own."""
    asked = Asked()
    for one in found:
        made, lost = WRITERS[form](cases.TABLE, one.checks)
        if lost:
            asked.lost[one.id] = lost[0].why
            continue
        asked.found.append(one)
        if not isinstance(made, str):
            made = json.dumps(made) if form == "gx" else yaml.safe_dump(made, sort_keys=False)
        asked.texts[one.id] = made
    return asked


def read(form: str, tables: Iterable[str]) -> Asked:
    """Contracts as Assay reads them."""
    asked = Asked()
    for name, text in contracts.texts(form).items():
        _, demands = read_contract(text.encode(), form)
        refused = [one.why for one in demands if one.why]
        if refused:
            asked.lost[name] = refused[0]
            continue
        checks = tuple(check for one in demands for check in one.checks)
        of_schema = all(one.kind == "has_column" for one in checks)
        asked.found.append(
            cases.Case(name, checks, tuple(one for one in tables if of_schema or one not in cases.OTHERS))
        )
        asked.texts[name] = text
        if note := next((one.note for one in demands if one.note), ""):
            asked.notes[name] = note
    return asked


def compared(asked: Asked, told: Sequence[cases.Case], answers: Mapping[str, Any]) -> dict[str, Any]:
    """How many contracts a tool reads, and agrees on, with every difference."""
    unread, differences, judged, rows = {}, [], Counter[str](), Counter[str]()
    agreeing = 0
    for one in told:
        theirs = answers[one.id]
        errors = [theirs[name]["error"] for name in one.said if theirs[name]["error"]]
        if one.said and len(errors) == len(one.said):
            unread[one.id] = errors[0]
            continue
        same = True
        for name, (passes, wrong) in one.said.items():
            said = theirs[name]
            judged["kept" if passes else "broken"] += 1
            if said["passed"] != passes:
                same = False
                differences.append({"check": one.id, "table": name, "here": passes, "there": said["passed"],
                                    "error": said["error"], "contract": asked.texts[one.id]})  # fmt: skip
            elif wrong is not None and said["wrong"] is not None:
                rows["compared"] += 1
                if wrong != said["wrong"]:
                    rows["other"] += 1
                    differences.append(
                        {"check": one.id, "table": name, "rows_here": wrong, "rows_there": said["wrong"]}
                    )
        agreeing += same
    left_out = {one.id for one in asked.found} - {one.id for one in told}
    return {
        "asked": len(told) + len(asked.lost), "not_judged_here": sorted(left_out),
        "written": len(told), "read_by_the_tool": len(told) - len(unread),
        "agreeing": agreeing, "verdicts_on_rows_that_keep_to_it": judged["kept"],
        "verdicts_on_rows_that_break_it": judged["broken"], "counts_compared": rows["compared"],
        "counts_that_differ": rows["other"], "differences": differences, "not_read_by_the_tool": unread,
        "lost": dict(Counter(asked.lost.values())), "lost_checks": asked.lost,
    }  # fmt: skip


def report(tool: str, cache: Path, lake: Path | None, most: int) -> dict[str, Any]:
    """Figures of a tool, by what it was asked."""
    parts = {"one_of_every_kind": cases.every_kind()}
    if lake is not None and tool not in _READ:
        parts["rules_of_the_demo"] = cases.of_rules(demo.rules_of(lake))
    found: dict[str, Any] = {"tool": tool, "packages": [*TOOLS[tool].packages, *TOOLS[tool].jars]}
    for name, one in parts.items():
        asked = read(tool, one.tables) if tool in _READ else written(tool, one.found)
        told = cases.Cases(one.tables, asked.found).told(most)
        listed = [{"id": case.id, "text": asked.texts[case.id], "tables": list(case.said)} for case in told]
        answers = run(tool, cache, one.tables, listed)
        found[name] = compared(asked, told, answers)
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exchange", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tool", choices=list(TOOLS), required=True)
    parser.add_argument("--cache", type=Path, required=True, help="folder of the environments, built if absent")
    parser.add_argument("--demo", type=Path, help="folder that `assay demo --once --keep FOLDER` left")
    parser.add_argument("--tables", type=int, default=3, help="tables that keep to each check, and that break it")
    parser.add_argument("--json", type=Path, help="file the figures are written to")
    options = parser.parse_args(arguments)
    found = report(options.tool, options.cache.absolute(), options.demo, options.tables)
    text = json.dumps(found, indent=1, default=str)
    if options.json:
        options.json.write_text(text + "\n")
    print(text)
    return 0


if __name__ == "__main__":
    main()
