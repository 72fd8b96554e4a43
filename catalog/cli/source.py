"""`assay source`: where tables are looked for; `assay crawl`: looking."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, Wait, context
from catalog.cli.console import count, emit, grid, plain, say
from catalog.errors import UsageError

app = typer.Typer(no_args_is_help=True, help="Folders and addresses under which tables are looked for.")


@app.command("add")
def source_add(
    name: Annotated[str, typer.Argument(help="What to call it.")],
    path: Annotated[str, typer.Argument(help="Folder, or an address such as s3://bucket/lake.")],
    include: Annotated[list[str] | None, typer.Option(help="Only tables whose name matches this glob.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No tables whose name matches this glob.")] = None,
    as_json: Json = False,
) -> None:
    """Register a lake, or change where it is. Nothing is read yet.

    Example: assay source add shop /data/lake --include 'sales/*' --exclude '*_tmp'
    """
    from catalog.flow.sources import add_source

    uri = path
    if "://" not in path:
        folder = Path(path).expanduser().absolute()
        if not folder.is_dir():
            raise UsageError(f"there is no folder {path}", remedy="give the folder that holds the Delta tables")
        uri = str(folder)
    source = add_source(context(), name, uri, include, exclude)
    data = plain(source, "id", "name", "uri", "include", "exclude")
    emit(data, as_json, lambda: say(f"{name}: {uri}. `assay crawl {name}` reads it."))


@app.command("allow")
def source_allow(
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    folder: Annotated[
        list[str] | None, typer.Argument(help="Folders or addresses; none: only the source itself.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Let logs name files of more folders than the source's own, as shallow clones do. Replaces what was allowed.

    A table whose log names a file elsewhere is refused: whoever writes to a lake could otherwise have any file read.

    Example: assay source allow shop /data/archive s3://bucket/archive
    """
    from catalog.flow.sources import allow

    roots = [one if "://" in one else str(Path(one).expanduser().absolute()) for one in folder or []]
    source = allow(context(), name, roots)
    told = ", ".join(source.allowed) or "only the source itself"
    emit(plain(source, "id", "name", "uri", "allowed"), as_json, lambda: say(f"{name}: files may lie in {told}."))


@app.command("list")
def source_list(as_json: Json = False) -> None:
    """List the sources.

    Example: assay source list --json
    """
    from catalog.store import tables

    with context().reading() as session:
        found = tables.list_sources(session)
    names = ("id", "name", "uri", "include", "exclude", "allowed", "crawled_at")
    data = [plain(source, *names) for source in found]
    rows = [(s.name, s.uri, " ".join(s.include), " ".join(s.exclude), _ago(s.crawled_at)) for s in found]
    emit(data, as_json, lambda: grid("", ("source", "address", "include", "exclude", "crawled"), rows, "no sources"))


@app.command("remove")
def source_remove(
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Forget a source with its tables, rules and incidents. The data stays.

    Example: assay source remove shop --yes
    """
    from catalog.store import tables

    here = context()
    with here.reading() as session:
        source = tables.get_source(session, name)
    if not yes:
        typer.confirm(f"Forget {name} and everything learned of its tables?", abort=True)
    with here.transaction() as session:
        tables.remove_source(session, source.id or 0)
    emit({"removed": name}, as_json, lambda: say(f"{name} is forgotten."))


def crawl(
    source: Annotated[str, typer.Argument(help="Name of a source; without one, all of them.")] = "",
    wait: Wait = True,
    as_json: Json = False,
) -> int:
    """Find tables, read what is new in them, judge it, tag and learn.

    With a service running (`assay up`) its worker does it and the progress is followed; without one it is done here.
    Ends with 0, or with 2 when a table could not be read: the others were.

    Example: assay crawl shop
    """
    from catalog.cli import work
    from catalog.store import tables

    here = context()
    with here.reading() as session:
        chosen = [tables.get_source(session, source)] if source else tables.list_sources(session)
    if not chosen:
        raise UsageError("there is no source yet", remedy="`assay source add NAME PATH` registers one")
    results = []
    for one in chosen:
        run_id, stats = work.crawl(here, source=one, wait=wait, quiet=as_json)
        results.append({"source": one.name, "run": run_id, **(stats or {"queued": True})})
    emit(results, as_json, lambda: _show_crawls(results))
    return console.WARNED if any(result.get("failed") for result in results) else console.PASSED


def _show_crawls(results: list[dict[str, Any]]) -> None:
    for one in results:
        if one.get("queued"):
            say(f"{one['source']}: queued as run {one['run']}")
            continue
        failed = f", {count(one['failed'], 'table')} could not be read (`assay table list`)" if one["failed"] else ""
        busy = f", {count(one['busy'], 'table')} left to another crawl" if one["busy"] else ""
        say(
            f"{one['source']}: {count(one['tables'], 'table')}, {count(one['versions_judged'], 'version')} judged"
            f"{failed}{busy}, {one['seconds']:.1f} s"
        )


def _ago(moment: Any) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else "never"
