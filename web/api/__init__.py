"""The JSON interface: the pages' subjects for programs, described by OpenAPI at ``/api/v1/openapi.json``."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from web.api.access import approvals, audit, tokens, unmasked
from web.api.expectations import alerts, checks, ledger, verdicts
from web.api.lake import owners, tables
from web.api.meaning import acting, glossary, review, upgrade, workbench
from web.api.schemas.answered import Failure
from web.api.service import health, reports, work
from web.deps import known_parameters

FAILURES: dict[int | str, dict] = {
    400: {"model": Failure, "description": "The request cannot be done"},
    401: {"model": Failure, "description": "The access token is missing or wrong"},
    403: {"model": Failure, "description": "The role does not allow it, or the request comes from another site"},
    404: {"model": Failure, "description": "There is no such thing"},
    422: {"model": Failure, "description": "A value cannot be used, or a query parameter is not known"},
    503: {"model": Failure, "description": "The catalog or the task queue does not answer"},
}

router = APIRouter()
for module in (
    *(health, tables, checks, verdicts, ledger, work, owners, alerts),
    *(approvals, reports, review, acting, glossary, workbench, upgrade, audit, tokens, unmasked),
):
    router.include_router(module.router, prefix="/api/v1", responses=FAILURES, dependencies=[Depends(known_parameters)])
router.include_router(health.metrics_router)
