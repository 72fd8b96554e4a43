"""Noticing at a crawl that another version of Assay runs than the one that made the tags."""

from __future__ import annotations

import structlog

from catalog.errors import AssayError, Cancelled
from catalog.flow.context import Context
from catalog.flow.learning.fingerprint import shipped, tagged_with
from catalog.flow.upgrades.difference import work_out
from catalog.store import runs
from catalog.store.domains import upgrades

log = structlog.get_logger()


def notice(context: Context) -> tuple[str, bool]:
    """Fingerprint of what tables are tagged with, and whether an upgrade waits: tables that are as they were are then
    left as they are."""
    made_with = tagged_with(context)
    with context.transaction() as session:
        found = upgrades.notice(session, shipped(), made_with)
    return (found.made_with, True) if found.waiting else (made_with, False)


def tell_difference(context: Context) -> None:
    """Work out what an upgrade that waits would tag otherwise, once: it is there when somebody looks."""
    with context.transaction() as session:
        found = upgrades.standing(session)
        if found is None or not found.waiting or upgrades.last_difference(session, found.waiting) is not None:
            return
        run_id = runs.queue_run(session, upgrades.RUN, found.waiting).id
        runs.start_run(session, run_id)
    try:
        stats = work_out(context, run_id)
    except (AssayError, OSError) as error:  # what was judged and learned stands without it
        with context.transaction() as session:
            failure = error if isinstance(error, AssayError) else AssayError(str(error), remedy="crawl again")
            runs.fail_run(session, run_id, failure)
        if isinstance(error, Cancelled):
            raise
        log.warning("what an upgrade changes could not be worked out", error=str(error))
        return
    with context.transaction() as session:
        runs.finish_run(session, run_id, stats)
