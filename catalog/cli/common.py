"""What several nouns share: options, the catalog they open, and their things as JSON."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.errors import DeliveryError, UsageError
from catalog.logs import log_to_stderr
from catalog.roles import LOCAL, READ, Identity, everyone_here

if TYPE_CHECKING:
    from catalog.flow.context import Context
    from catalog.store.driver.quick import Ask

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it is done; without, a service does it.")]
Owner = Annotated[str, typer.Option(help="Only of this person or team; `mine`, or `unowned`.")]
Offset = Annotated[int, typer.Option(min=0, help="Leave out so many at the beginning.")]
Unmasked = Annotated[bool, typer.Option("--unmasked", help="Values as they are, for who may see them; with --reason.")]
Reason = Annotated[str, typer.Option(help="What the values are needed for; it is written into the audit log.")]
TableName = Annotated[str, typer.Argument(metavar="TABLE", help="Name, source/name, or id.")]


def context(right: str = READ) -> Context:
    """The catalog of the settings in force, for who may do this in it. Errors: `Forbidden`, `UsageError`."""
    from catalog.flow.context import Context
    from catalog.settings import get_settings

    here = Context(get_settings())
    who = identity(here)
    who.demand(right)
    here.actor, here.rights = who.name, who.rights
    return here


@dataclass(frozen=True)
class Look:
    """A look at the catalog through its driver alone, by somebody who may read it."""

    ask: Ask
    name: str

    def who(self, owner: str) -> tuple[str, ...]:
        """Under which names things are one's own, where a list asks for ``mine``."""
        from catalog.store.driver.quick_people import names_of

        return names_of(self.ask, self.name) if owner == "mine" else ()


@contextmanager
def looking() -> Iterator[Look | None]:
    """A look at the catalog, for lists that should answer at once; None where the whole (`context`) has to be asked, or
    to say what is wrong with who is asking."""
    from catalog.store.driver import quick, quick_people

    given = _given()
    with quick.connect(_address(given)) as ask:
        name = None if ask is None else quick_people.name_of(ask, given.get("ASSAY_TOKEN", ""), _here())
        if ask is None or name is None:
            log_to_stderr("WARNING")
            yield None
        else:
            yield Look(ask, name)


@contextmanager
def writing(place: object) -> Iterator[None]:
    """Around writing a file that a person named. Errors: `DeliveryError` where that cannot be done."""
    try:
        yield
    except OSError as error:
        raise DeliveryError(
            f"{place} cannot be written: {error.strerror or error}",
            remedy="see that its folder is there, has room and may be written to",
        ) from error


def _here() -> str:
    return f"{LOCAL}:{getpass.getuser()}"


def _given() -> dict[str, str]:
    """Settings as `catalog.settings` finds them, without loading what checks them."""
    given: dict[str, str] = {}
    if Path(".env").is_file():
        from dotenv import dotenv_values

        given = {name.upper(): value or "" for name, value in dotenv_values(".env").items()}
    return given | {name.upper(): value for name, value in os.environ.items()}


def _address(given: Mapping[str, str]) -> str:
    """The catalog's address."""
    home = Path(given["ASSAY_HOME"]) if "ASSAY_HOME" in given else Path.home() / ".assay"
    return given.get("ASSAY_DATABASE_URL") or f"sqlite:///{home / 'assay.db'}"


def identity(here: Context) -> Identity:
    """Who gives this command: whoever is here while nobody has an account, else whose token ASSAY_TOKEN is."""
    from catalog.store.access import people

    with here.reading() as session:
        if not people.has_users(session):
            return everyone_here(_here())
        rests = here.settings.oidc_token_days
        who = people.by_token(session, here.settings.token, rests_after=rests) if here.settings.token else None
    if who is None:
        raise UsageError(
            "people have accounts here: say who you are"
            if not here.settings.token
            else "ASSAY_TOKEN is wrong, has ended, or rests until its owner logs in again",
            remedy="set ASSAY_TOKEN to a token; the page Account makes one, or `assay token add NAME --user YOU`",
        )
    return who


def unmasked_levels(here: Context, reason: str) -> frozenset[str]:
    """The levels whose values who gives this command may see, for that reason. Errors: `Forbidden`, `UsageError`."""
    from catalog.store.meaning.levels import levels_of

    return levels_of(identity(here), reason)


def mine(here: Context) -> tuple[str, ...]:
    """The names under which things are one's own: one's name and those of one's teams."""
    from catalog.store.access.owners import names_of

    with here.reading() as session:
        return names_of(session, identity(here).name)
