"""Declared checks as JSON: the kinds, the checks of a table, and what is done about them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import Field
from sqlmodel import Session

from catalog.declared.constraint import Constraint
from catalog.declared.files import LARGEST
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.store.expectations import declared as store
from catalog.store.models import RuleRow, Run
from catalog.store.schemas.rules import CheckOut, ContractOut, KindOut
from catalog.store.schemas.runs import RunOut
from web.api.schemas.asked import Wanted
from web.deps import Ident, Reading
from web.pages.expectations import checks as pages
from web.pages.expectations import contracts
from web.pages.lake.tables import table_or_404

router = APIRouter(tags=["checks"])


class WantedCheck(Wanted):
    kind: str = Field(max_length=60)
    columns: list[str] = Field(default_factory=list, max_length=99)
    arguments: dict[str, Any] = Field(default_factory=dict)
    at_least: float | None = None
    at_most: float | None = None
    where: str | None = Field(None, max_length=4000)
    level: str = Field("error", max_length=20)
    scope: str = Field("table", max_length=20)
    hint: str = Field("", max_length=4000)
    name: str = Field("", max_length=200)

    def constraint(self) -> Constraint:
        """Raises `UsageError` for what cannot be demanded."""
        return Constraint.from_json(self.model_dump())


@router.get("/checks/kinds", response_model=list[KindOut], summary="Checks that can be declared")
def list_kinds() -> list[KindOut]:
    return [KindOut.of(kind) for kind in CHECK_KINDS.values()]


@router.get("/tables/{table_id}/checks", response_model=list[CheckOut], summary="The declared checks of a table")
def list_checks(session: Reading, table_id: Ident) -> list[CheckOut]:
    table_or_404(session, table_id)
    return pages.shown_checks(session, store.checks_of(session, table_id))


class WantedContract(Wanted):
    text: str = Field(max_length=LARGEST, description="the file")
    form: str = Field(
        "", max_length=20, alias="format", description="odcs, dqdl, gx, dqx, soda, dbt or check; guessed where empty"
    )
    name: str = Field("", max_length=200, description="of the file, for the audit log")
    dry_run: bool = Field(False, description="say what would change, and change nothing")
    replace: bool = Field(False, description="take the contract's where somebody changed a check since, too")


@router.post(
    "/tables/{table_id}/checks/import",
    response_model=ContractOut,
    summary="Take the demands of another tool's contract on a table in as checks",
)
def import_contract(request: Request, session: Reading, table_id: Ident, wanted: WantedContract) -> ContractOut:
    told = (wanted.text, wanted.form, wanted.name or "sent by a program")
    return contracts.take(request, table_or_404(session, table_id), *told, dry=wanted.dry_run, replace=wanted.replace)


@router.post("/tables/{table_id}/checks", response_model=CheckOut, status_code=201, summary="Declare a check")
def add_check(request: Request, session: Reading, table_id: Ident, wanted: WantedCheck) -> CheckOut:
    return _told(session, pages.save(request, table_id, wanted.constraint()))


@router.put(
    "/tables/{table_id}/checks/{rule_id}",
    response_model=CheckOut,
    summary="Change a check: it goes by the id of the answer from then on",
)
def edit_check(request: Request, session: Reading, table_id: Ident, rule_id: Ident, wanted: WantedCheck) -> CheckOut:
    return _told(session, pages.save(request, table_id, wanted.constraint(), rule_id))


@router.delete("/tables/{table_id}/checks/{rule_id}", status_code=204, summary="Retire a check; its results stay")
def retire_check(request: Request, table_id: Ident, rule_id: Ident) -> None:
    pages.retire(request, table_id, rule_id)


@router.post(
    "/tables/{table_id}/checks/preview",
    response_model=RunOut,
    status_code=202,
    summary="Judge the last versions by a check that is not declared; the run tells on how many it would have failed",
)
def preview_check(request: Request, session: Reading, table_id: Ident, wanted: WantedCheck) -> Run:
    return pages.preview(request, table_or_404(session, table_id), wanted.constraint())


def _told(session: Session, made: RuleRow) -> CheckOut:
    (told,) = pages.shown_checks(session, store.declared_rows([session.get_one(RuleRow, made.id)]))
    return told
