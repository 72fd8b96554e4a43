"""`assay domain`: what columns may mean, and domains of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli.common import Json
from catalog.cli.console import FAILED, count, emit, grid, pairs, say
from catalog.errors import NotFound

if TYPE_CHECKING:
    from catalog.domains.domain import Domain

app = typer.Typer(no_args_is_help=True, help="Domains: the meanings that columns can have, and your own.")
Name = Annotated[str, typer.Argument(metavar="DOMAIN", help="Its name, as `assay domain list` shows it.")]


@app.command("list")
def list_domains(
    like: Annotated[str, typer.Argument(metavar="WORD", help="Only those whose name or title has it.")] = "",
    as_json: Json = False,
) -> None:
    """The known domains and those of ASSAY_DOMAINS, by theme.

    Example: assay domain list bank
    """
    asked = like.casefold()
    found = [one for one in _all().values() if asked in f"{one.name} {one.title} {one.description}".casefold()]
    rows = [(one.name, one.title, one.theme, _sensitive(one), one.example) for one in found]
    heads = ("name", "title", "theme", "sensitive", "example")
    emit(
        [_plain(one) for one in found],
        as_json,
        lambda: grid(count(len(found), "domain"), heads, rows, "none like that"),
    )


@app.command("show")
def show(name: Name, as_json: Json = False) -> None:
    """How a domain is recognised, with examples and counter-examples.

    Example: assay domain show iban
    """
    data = _plain(_get(name))
    emit(data, as_json, lambda: pairs({key.replace("_", " "): _text(value) for key, value in data.items() if value}))


@app.command("test")
def try_values(
    name: Name, values: Annotated[list[str], typer.Argument(help="Values to try.")], as_json: Json = False
) -> None:
    """Which values a domain recognises. Exit code 1 when it does not recognise all of them.

    Example: assay domain test isbn 978-1-61779-766-8 978-1-61779-766-9
    """
    domain = _get(name)
    said = [{"value": value, "recognised": domain.validate(value)} for value in values]
    rows = [(one["value"], "yes" if one["recognised"] else "no") for one in said]
    emit(said, as_json, lambda: grid(domain.title, ("value", "recognised"), rows))
    if not all(one["recognised"] for one in said):
        raise typer.Exit(FAILED)


@app.command("check")
def check(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A YAML file, or a folder of them.")],
    as_json: Json = False,
) -> None:
    """Whether files of domains can be used: each is held to its examples and counter-examples.

    Example: assay domain check mine.yaml
    """
    from catalog.flow.learning.domains import own_domains

    found, errors = own_domains(str(path))
    data = {"domains": [one.name for one in found], "errors": [str(error) for error in errors]}

    def tell() -> None:
        say(f"{count(len(found), 'domain')}: {', '.join(data['domains'])}" if found else "no domain")
        for error in data["errors"]:
            say(error, "red")

    emit(data, as_json, tell)
    if errors:
        raise typer.Exit(FAILED)


def _all() -> dict[str, Domain]:
    from catalog.flow.learning.domains import all_domains
    from catalog.settings import get_settings

    return all_domains(get_settings().domains)


def _get(name: str) -> Domain:
    found = _all().get(name)
    if found is None:
        raise NotFound(f"there is no domain {name!r}", remedy="`assay domain list` shows them")
    return found


def _plain(one: Domain) -> dict[str, Any]:
    texts = ("name", "title", "description", "theme")
    lists = ("examples", "counter_examples", "broader")
    return (
        {key: getattr(one, key) for key in texts}
        | {"sensitive": _sensitive(one), "types": sorted(one.kinds), "pattern": one.pattern}
        | {key: list(getattr(one, key)) for key in lists}
        | {"name_words": one.names, "needs_name": one.needs_name, "chance": one.chance, "hit": one.hit}
    )


def _sensitive(one: Domain) -> str:
    return ("person" if one.of_persons else "yes") if one.sensitive else "no"


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
