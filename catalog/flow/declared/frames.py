"""Versions of tables as Spark frames, and the version at which another table is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.errors import NotFound
from catalog.flow.context import Context
from catalog.flow.declared.counting import live_keys, whole_log
from catalog.flow.reading.batches import BatchPlan, plan_batches
from catalog.flow.reading.observe import Observed, latest_only
from catalog.lake.logs.log import files_at
from catalog.lake.reading.files import ReadPlan
from catalog.lake.scanning.delta import absolute, normal, read_version
from catalog.store.models import Table

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def standing_at(context: Context, table: Table, version: int | None) -> tuple[Observed, BatchPlan]:
    """A table as it stands at a version, the latest for None. Errors: `NotFound`, `TableError`."""
    observed = whole_log(context, table, (table.seen_version if version is None else version) - 1)
    number = observed.info.version if version is None else version
    plan = next((one for one in observed.plans if one.number == number), None)
    if plan is not None:
        return observed, plan
    if number != observed.info.version:
        raise NotFound(
            f"{table.name} has no version {number} any more",
            remedy=f"its log tells of versions up to {observed.info.version}",
        )
    plans = plan_batches(table.mode, 0, [latest_only(observed.info)], observed.info.files)
    observed.plans[:] = plans
    return observed, plans[0]


def version_frame(context: Context, observed: Observed, number: int) -> DataFrame:
    """A version's rows with the address of each one's file, after a look at where its log leads."""
    info = observed.as_of(number)
    for file in files_at(info.uri, number, context.options, info.roots):
        absolute(info.uri, file.path, info.roots)
    return read_version(context.spark, info.uri, number, ReadPlan.of(info, context.options))


def rows_of(observed: Observed, plan: BatchPlan, scope: str, address: Column) -> Column:
    """The rows that a check is asked of: those that the version brought, or all."""
    from pyspark.sql import functions as f

    if scope == "table" or set(plan.keys) == set(live_keys(observed).get(plan.number, ())):
        return f.lit(True)
    info = observed.info
    own = {absolute(info.uri, observed.files[key].path, info.roots) for key in plan.keys if key in observed.files}
    return f.udf(lambda one: normal(one) in own, "boolean")(address)
