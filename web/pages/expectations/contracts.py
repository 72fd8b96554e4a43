"""Contracts of other tools on the page of a table's checks: shown as what they would become, then taken."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, Form, Request, Response, UploadFile

from catalog.declared.files import LARGEST
from catalog.errors import Held, NotFound, UsageError
from catalog.roles import APPROVE
from catalog.rules.exchange.documents import decoded
from catalog.rules.exchange.registry import read_contract
from catalog.store.contracts import importing as contracts
from catalog.store.models import Table
from catalog.store.schemas.rules import ContractOut, TakenOut
from web.access.gate import actor, identity
from web.deps import Ident, Reading, writing
from web.pages.expectations.checks import judge_soon, shown_list
from web.pages.lake.tables import table_or_404

router = APIRouter()
#: Bytes of a file that are read at most: one that is longer holds more characters than are taken. A bound.
MOST_BYTES = 4 * LARGEST + 4


@router.post("/tables/{table_id}/checks/import")
def import_contract(
    request: Request,
    session: Reading,
    table_id: Ident,
    file: Annotated[UploadFile | None, File()] = None,
    text: Annotated[str, Form(max_length=LARGEST)] = "",
    form: Annotated[str, Form(max_length=20)] = "",
    name: Annotated[str, Form(max_length=200)] = "",
    dry: Annotated[bool, Form()] = False,
    replace: Annotated[bool, Form()] = False,
) -> Response:
    """A file, or text that was pasted, or is that of the file shown before."""
    table = table_or_404(session, table_id)
    told = None
    error = None
    try:
        if file is not None and file.filename:
            text, name = decoded(file.file.read(MOST_BYTES)), file.filename[:200]
        told = take(request, table, text, form, name or "pasted", dry=dry, replace=replace)
    except UsageError as problem:
        if isinstance(problem, NotFound | Held):
            raise
        error = problem
    session.expire_all()
    given = {"text": text, "form": form, "name": name, "replace": replace}
    response = shown_list(request, session, table_id, contract=told, contract_error=error, contract_given=given)
    response.status_code = 200 if error is None else 422
    return response


def take(request: Request, table: Table, text: str, form: str, name: str, *, dry: bool, replace: bool) -> ContractOut:
    """Take a contract's demands on a table in, or only say what would become of them, and let a worker judge the
    version that is there. Who may not decide on rules makes drafts. Errors: `UsageError`, `Held`."""
    form, asked = read_contract(text.replace("\r\n", "\n").encode(), form)
    draft = not identity(request).may(APPROVE)
    with writing(request) as current:
        done = contracts.take(
            current,
            asked,
            form=form,
            file=name,
            chosen={"": str(table.id)},
            actor=actor(request),
            replacing=replace,
            draft=draft,
        )
        if dry:
            current.rollback()
    if not dry and any(one.what in (contracts.ADDED, contracts.CHANGED) for one in done):
        judge_soon(request, table)
    return ContractOut(format=form, dry_run=dry, demands=[TakenOut.made(one) for one in done])
