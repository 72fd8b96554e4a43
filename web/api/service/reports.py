"""Reports as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from web.pages.service.reports import Wanted, make, wanted

router = APIRouter(tags=["reports"])


@router.get("/reports", summary="The figures of a report, with their fingerprint")
def get_report(request: Request, asked: Annotated[Wanted, Depends(wanted)]) -> dict[str, Any]:
    report = make(request, asked)
    return {"fingerprint": report.fingerprint, **report.figures()}
