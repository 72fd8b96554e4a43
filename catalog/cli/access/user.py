"""`assay user`: people with accounts and what they may do."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog.cli.common import Json, context
from catalog.cli.console import emit, grid, say
from catalog.roles import ADMIN, ROLES

app = typer.Typer(no_args_is_help=True, help="People with accounts and what they may do.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name to log in with.")]
Password = Annotated[
    str,
    typer.Option(prompt=True, hide_input=True, confirmation_prompt=True, envvar="ASSAY_PASSWORD", help="Asked for."),
]
Role = Annotated[str, typer.Option(help=f"One of {', '.join(ROLES)}.")]


@app.command("add")
def user_add(name: Name, password: Password, role: Role = "viewer", as_json: Json = False) -> None:
    """Give a person an account. The first one is an admin's; from then on everybody logs in, and commands want the
    token of a person in ASSAY_TOKEN (`assay token add`).

    Example: assay user add ann --role admin
    """
    from catalog.store.access import people
    from catalog.store.schemas.people import UserOut

    here = context(ADMIN)
    with here.transaction() as session:
        user = people.add_user(session, name, password, role, actor=here.actor)
    emit(UserOut.made(user), as_json, lambda: say(f"{name} may log in as {role}"))


@app.command("list")
def user_list(as_json: Json = False) -> None:
    """List everybody who has or had access.

    Example: assay user list
    """
    from catalog.store.access import people
    from catalog.store.schemas.people import UserOut

    with context(ADMIN).reading() as session:
        found = people.list_users(session)
    rows = [(u.name, u.role, "" if u.active else "locked out", f"{u.created_at:%Y-%m-%d}") for u in found]
    empty = "nobody has an account: everyone at this machine may do everything"
    emit([UserOut.made(one) for one in found], as_json, lambda: grid("", ("name", "role", "", "since"), rows, empty))


@app.command("role")
def user_role(name: Name, role: Annotated[str, typer.Argument(help="The new role.")], as_json: Json = False) -> None:
    """Change what a person may do.

    Example: assay user role ann approver
    """
    from catalog.store.access import people
    from catalog.store.schemas.people import UserOut

    here = context(ADMIN)
    with here.transaction() as session:
        user = people.set_role(session, name, role, actor=here.actor)
    emit(UserOut.made(user), as_json, lambda: say(f"{name} is {role}"))


@app.command("password")
def user_password(name: Name, password: Password) -> None:
    """Give a person a new password: whoever was logged in with the old one is so no more. Tokens stay; it says which.

    Example: assay user password ann
    """
    from catalog.store.access import people

    here = context(ADMIN)
    with here.transaction() as session:
        user = people.set_password(session, name, password, actor=here.actor)
        left = people.live_tokens(session, user.id)
    say(f"{name} has a new password")
    if left:
        ways = ", ".join(f"`assay token revoke {one}`" for one in left)
        say(f"programs with a token still act for {name}; if one may have leaked: {ways}", "yellow")


@app.command("lock")
def user_lock(name: Name) -> None:
    """Lock a person out, sessions and tokens included. The name stays in the audit log.

    Example: assay user lock ann
    """
    _activate(name, False)


@app.command("unlock")
def user_unlock(name: Name) -> None:
    """Let a person in again.

    Example: assay user unlock ann
    """
    _activate(name, True)


def _activate(name: str, active: bool) -> None:
    from catalog.store.access import people

    here = context(ADMIN)
    with here.transaction() as session:
        people.set_active(session, name, active, actor=here.actor)
    say(f"{name} {'may log in again' if active else 'is locked out'}")


@app.command("recover")
def user_recover(name: Name, password: Password) -> None:
    """When no admin can log in: make a person admin with a new password. It asks for no token, because whoever can
    write to the catalog's database could do so anyway; the audit log says that it was done.

    Example: assay user recover ann
    """
    import getpass

    from catalog.flow.context import Context
    from catalog.roles import LOCAL
    from catalog.settings import get_settings
    from catalog.store.access import people

    with Context(get_settings()).transaction() as session:
        people.recover(session, name, password, actor=f"{LOCAL}:{getpass.getuser()}")
    say(f"{name} is admin and has a new password")
