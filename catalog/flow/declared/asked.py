"""What the page asks of a worker about declared checks: judge the version that is there, try one on past versions."""

from __future__ import annotations

from typing import Any

from catalog.declared.check import Check
from catalog.declared.constraint import Constraint
from catalog.flow.context import Context
from catalog.flow.declared.present import judge_present
from catalog.flow.declared.preview import preview
from catalog.store import runs
from catalog.store.lake import tables


def run_check(context: Context, table_id: int, run_id: int) -> dict[str, Any]:
    """Judge the version that is there by the checks that have said nothing of it, as a run's work."""
    return judge_present(context, table_id).to_json()


def run_preview(context: Context, table_id: int, run_id: int) -> dict[str, Any]:
    """Judge the last versions by a check that is not declared, as a run's work: the check stays on the run."""
    with context.reading() as session:
        asked = dict(runs.get_run(session, run_id).stats)
        table = tables.get_table(session, table_id)
    constraint = Constraint.from_json(asked["check"])
    check = Check(table.name, (constraint,))
    (verdicts,) = preview(context, table, check, int(asked.get("versions") or 40)).values()
    failed = [version for version, verdict in verdicts if verdict.status == "violated"]
    last = next((verdict.sentence for _, verdict in reversed(verdicts) if verdict.status == "violated"), None)
    newest = verdicts[-1][1].sentence if verdicts else None
    told = {"versions": len(verdicts), "failed": failed, "last": last, "newest": newest}
    unjudged = sum(verdict.status == "not_applicable" for _, verdict in verdicts)
    return asked | told | {"unjudged": unjudged}
