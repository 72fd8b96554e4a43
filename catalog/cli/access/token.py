"""`assay token`: tokens of programs."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from catalog.cli.common import Json, context, identity
from catalog.cli.console import emit, grid, plain, say
from catalog.errors import UsageError

app = typer.Typer(no_args_is_help=True, help="Tokens with which programs and commands act for a person.")


@app.command("add")
def token_add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which program or machine it is for.")],
    user: Annotated[str, typer.Option(help="Whose it is; the password is asked for (or ASSAY_PASSWORD).")],
    scope: Annotated[str, typer.Option(help="A role: the token may do what both it and the person may.")] = "viewer",
    days: Annotated[int, typer.Option(help="Days until it ends.")] = 90,
    as_json: Json = False,
) -> None:
    """Make a token. It is shown this once: set it as ASSAY_TOKEN, or send it as `Authorization: Bearer`.

    Example: assay token add airflow --user ann --scope runner --days 30
    """
    from catalog.flow.context import Context
    from catalog.settings import get_settings
    from catalog.store.access import people

    here = Context(get_settings())
    with here.reading() as session:
        if people.by_provider_alone(session, user):
            remedy = "make the token on the page Account, logged in there"
            raise UsageError(f"{user} has no password here: the identity provider lets {user} in", remedy=remedy)
    password = os.environ.get("ASSAY_PASSWORD") or typer.prompt("Password", hide_input=True)
    with here.transaction() as session:
        person = people.log_in(session, user, password)
        if person is None:
            raise UsageError("name and password do not fit", remedy="an admin can give you a new password")
        token, secret = people.make_token(session, person, name, scope=scope, days=days, actor=person.name)
    data = plain(token, "id", "name", "scope", "expires_at", token=secret)
    emit(data, as_json, lambda: say(f"{secret}\nmay act as {scope} for {user} until {token.expires_at:%Y-%m-%d}"))


@app.command("list")
def token_list(as_json: Json = False) -> None:
    """List tokens: your own, or everybody's for an admin.

    Example: assay token list
    """
    from catalog.roles import ADMIN
    from catalog.store.access import people
    from catalog.store.schemas.people import TokenOut

    here = context()
    who = identity(here)
    with here.reading() as session:
        found = people.list_tokens(session, None if who.may(ADMIN) else who.user_id)
    rows = [(t.id, u.name, t.name, t.scope, f"{t.expires_at:%Y-%m-%d}") for t, u in found]
    data = [TokenOut.of(one) for one in found]
    emit(data, as_json, lambda: grid("", ("id", "person", "for", "scope", "ends"), rows, "no tokens"))


@app.command("revoke")
def token_revoke(token_id: Annotated[int, typer.Argument(help="Its id.")]) -> None:
    """End a token at once.

    Example: assay token revoke 3
    """
    from catalog.store.access import people

    here = context()
    with here.transaction() as session:
        token = people.revoke_token(session, token_id, by=identity(here))
    say(f"token {token.name} is revoked")
