"""`assay source`: where tables are looked for; `assay crawl`: looking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, Wait, context
from catalog.cli.console import count, emit, grid, nothing, say
from catalog.cli.lake.choosing import LEARNER_HELP, Delta, M, R, Tau, Theta, given, say_learners
from catalog.errors import DeliveryError, UsageError
from catalog.roles import ADMIN, EDIT, READ, RUN
from catalog.wording import unlisted

if TYPE_CHECKING:
    from catalog.flow.context import Context

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Untested = Annotated[bool, typer.Option("--untested", help="Do not look whether it can be read: it comes later.")]

app = typer.Typer(no_args_is_help=True, help="Sources: folders and addresses that contain Delta tables.")


@app.command("add")
def source_add(
    name: Annotated[str, typer.Argument(help="What to call it.")],
    path: Annotated[str, typer.Argument(help="Folder, or an address such as s3://bucket/lake.")],
    include: Annotated[list[str] | None, typer.Option(help="Only tables whose name matches this glob.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No tables whose name matches this glob.")] = None,
    untested: Untested = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Register a source, or change its address. It is tested first: it can be listed and contains Delta tables. Where
    tables that it has are not there, it is asked whether that is meant.

    Example: assay source add shop /data/lake --include 'sales/*' --exclude '*_tmp'
    """
    from catalog.flow.reading.sources import add_source
    from catalog.store.lake import sources

    here, uri = context(EDIT), _address(path)
    found = None if untested else _probe(here, name, uri, include or [], exclude or [], yes)
    source = add_source(here, name, uri, include, exclude)
    data = _told(here, source.id, found)
    with here.reading() as session:
        twice = [one.name for one in sources.list_sources(session) if one.uri == uri and one.name != name]
    note = f" {', '.join(twice)} has this folder too: tables of both are in the catalog twice." if twice else ""
    emit(data, as_json, lambda: say(f"{name}: {uri}{_counted(found)}. `assay crawl {name}` reads it.{note}"))


@app.command("edit")
def source_edit(
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    path: Annotated[str, typer.Argument(help="Its new folder or address; without, it stays.")] = "",
    rename: Annotated[str, typer.Option(help="What to call it from now on.")] = "",
    include: Annotated[list[str] | None, typer.Option(help="Instead of the globs there are; '' takes all.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Instead of the globs there are; '' excludes none.")] = None,
    untested: Untested = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Change a source's name, address or globs. What was learned of its tables is kept. Where tables that it has are
    not there, it is asked whether that is meant.

    Example: assay source edit shop /data/new-lake --rename shop-eu
    """
    from catalog.store.lake import sources

    here = context(EDIT)
    with here.reading() as session:
        source = sources.get_source(session, name)
    uri = _address(path) if path else source.uri
    wanted = [one for one in (source.include if include is None else include) if one]
    left_out = [one for one in (source.exclude if exclude is None else exclude) if one]
    found = None if untested else _probe(here, name, uri, wanted, left_out, yes)
    with here.transaction() as session:
        source = sources.edit_source(session, source.id, rename or name, uri, wanted, left_out)
    data = _told(here, source.id, found)
    emit(data, as_json, lambda: say(f"{source.name}: {uri}{_counted(found)}."))


def _told(here: Context, source_id: int | None, found: int | None = None) -> dict[str, Any]:
    """A source as programs are told of it, with the number of tables that were found by a look into it."""
    from catalog.store.lake.sources import get_source
    from catalog.store.pages.work import source_line
    from catalog.store.schemas.lake import SourceOut

    with here.reading() as session:
        told = SourceOut.of(source_line(session, get_source(session, source_id or 0))).model_dump(mode="json")
    return told if found is None else told | {"found": found}


def _address(path: str) -> str:
    if not path.strip():
        raise UsageError("the folder has no name", remedy="give the folder that holds the Delta tables")
    if "://" in path:
        return path
    folder = Path(path).expanduser().absolute()
    return str(folder)


def _probe(here: Context, name: str, uri: str, include: list[str], exclude: list[str], yes: bool) -> int:
    """How many tables a source has there; asked whether it may go without those that it has now."""
    from catalog.flow.reading.probe import ENOUGH, probe
    from catalog.store.lake import sources

    if "://" not in uri and not Path(uri).is_dir():
        raise UsageError(f"there is no folder {uri}", remedy="give the folder that holds the Delta tables")
    with here.reading() as session:
        known = next((one for one in sources.list_sources(session) if one.name == name), None)
    roots, most = (known.allowed or [], None) if known else ([], ENOUGH)
    found, closed = probe(uri, include, exclude, here.options, roots=roots, most=most)
    if closed:
        console.remark(f"{unlisted(closed)}: tables in there are not counted; see who may read them")
    if known and not yes:
        with here.reading() as session:
            lost = sources.would_lose(session, known.id, found)
        if lost:
            few = ", ".join(lost[:8]) + (f" and {len(lost) - 8} more" if len(lost) > 8 else "")
            told = f"{count(len(lost), 'table')} of {name} would not be watched any more: {few}."
            typer.confirm(f"{told} What was learned is kept. Save it all the same?", abort=True, err=True)
    return len(found)


def _counted(found: int | None) -> str:
    return "" if found is None else f", {count(found, 'table')}" + (" or more" if found == 1000 else "")


@app.command("learner")
def source_learner(
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    learner: Annotated[str, typer.Argument(help=LEARNER_HELP)] = "",
    r: R = None,
    m: M = None,
    tau: Tau = None,
    theta: Theta = None,
    delta: Delta = None,
    as_json: Json = False,
) -> None:
    """Choose who learns the rules of a source's tables, as `assay table learner` does of one table, whose own choice
    comes before. The next crawl relearns. Without a learner it says who is chosen.

    Example: assay source learner shop avh --delta 0.001
    """
    from catalog.store.expectations import learners
    from catalog.store.lake import sources

    settings = given(r=r, m=m, tau=tau, theta=theta, delta=delta)
    here = context(EDIT if learner else READ)
    if not learner and settings:
        raise UsageError("settings are a learner's", remedy="name it: assay source learner SOURCE avh --delta 0.001")
    if learner:
        with here.transaction() as session:
            learners.choose_for_source(session, name, learner, settings)
    with here.reading() as session:
        words = learners.of_source(sources.get_source(session, name)).words()
    emit({"source": name, **words}, as_json, lambda: say_learners(name, words))


@app.command("allow")
def source_allow(
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    folder: Annotated[
        list[str] | None, typer.Argument(help="Folders or addresses; none: only the source itself.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Allow logs to name files in folders outside the source, as shallow clones do. Replaces the list allowed before.

    A table whose log names a file elsewhere is refused: whoever writes to a lake could otherwise have any file read.

    Example: assay source allow shop /data/archive s3://bucket/archive
    """
    from catalog.flow.reading.sources import allow

    roots = [one if "://" in one else str(Path(one).expanduser().absolute()) for one in folder or []]
    here = context(ADMIN)
    source = allow(here, name, roots)
    told = ", ".join(source.allowed) or "only the source itself"
    emit(_told(here, source.id), as_json, lambda: say(f"{name}: files may lie in {told}."))


@app.command("list")
def source_list(as_json: Json = False) -> None:
    """List the sources.

    Example: assay source list --json
    """
    from catalog.store.pages.work import source_lines
    from catalog.store.schemas.lake import SourceOut

    with context().reading() as session:
        found = [SourceOut.of(line) for line in source_lines(session)]
    rows = [(s.name, s.uri, " ".join(s.include), " ".join(s.exclude), _ago(s.crawled_at)) for s in found]
    empty = nothing("sources", (), "`assay source add NAME FOLDER` registers one")
    emit(found, as_json, lambda: grid("", ("source", "address", "include", "exclude", "crawled"), rows, empty))


@app.command("remove")
def source_remove(
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove a source with its tables, rules and incidents from the catalog. The data is not touched.

    Example: assay source remove shop --yes
    """
    from catalog.store.lake import sources

    here = context(ADMIN)
    with here.reading() as session:
        source = sources.get_source(session, name)
    if not yes:
        typer.confirm(
            f"Forget {name}, what was learned of its tables, and what people decided: levels, tags, rules, owners?",
            abort=True,
        )
    with here.transaction() as session:
        sources.remove_source(session, source.id or 0)
    emit({"removed": name}, as_json, lambda: say(f"{name} is forgotten."))


def crawl(
    source: Annotated[str, typer.Argument(help="Name of a source; without one, all of them.")] = "",
    wait: Wait = True,
    as_json: Json = False,
) -> int:
    """Crawl: find tables, read new versions, check them, tag columns and learn rules.

    With a service running (`assay up`) its worker does it and the progress is followed; without one it is done here,
    and tables that another crawl has are waited for.
    Ends with 0, with 2 when a table could not be read or a folder not be listed (the others were), or with 4 when
    alerts about these sources could not be delivered.

    Example: assay crawl shop
    """
    from catalog.cli import work
    from catalog.store.alerts import deliveries
    from catalog.store.lake import sources

    here = context(RUN)
    with here.reading() as session:
        chosen = [sources.get_source(session, source)] if source else sources.list_sources(session)
    if not chosen:
        raise UsageError("there is no source yet", remedy="`assay source add NAME PATH` registers one")
    results = []
    for one in chosen:
        run_id, _ = work.crawl(here, source=one, wait=wait, quiet=as_json)
        results.append({"source": one.name, **_run(here, run_id)})
    with here.reading() as session:
        lost = deliveries.undelivered(session, [one.id for one in chosen]) if wait else 0
    emit(results, as_json, lambda: _show_crawls(results))
    if lost:
        console.complain(
            DeliveryError(f"{count(lost, 'alert')} not taken", remedy="see `assay alert log --undelivered`")
        )
        return console.UNDELIVERED
    unread = any(result["stats"].get("failed") or result["stats"].get("closed") for result in results)
    return console.WARNED if unread else console.PASSED


def _run(here: Context, run_id: int) -> dict[str, Any]:
    from catalog.store.runs import get_run
    from catalog.store.schemas.runs import RunOut

    with here.reading() as session:
        return RunOut.made(get_run(session, run_id)).model_dump(mode="json")


def _show_crawls(results: list[dict[str, Any]]) -> None:
    for one in results:
        did = one["stats"]
        if "seconds" not in did:
            say(f"{one['source']}: {one['status']} as run {one['id']}")
            continue
        failed = f", {count(did['failed'], 'table')} could not be read (`assay table list`)" if did["failed"] else ""
        busy = f", {count(did['busy'], 'table')} left to another crawl" if did["busy"] else ""
        say(
            f"{one['source']}: {count(did['tables'], 'table')}, {count(did['versions_judged'], 'version')} judged"
            f"{failed}{busy}, {did['seconds']:.1f} s"
        )
        if did.get("closed"):
            told = unlisted(did["closed_folders"], did["closed"])
            say(f"  {told}: nobody knows what came of the tables in there; see who may read them", "yellow")


def _ago(moment: Any) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else "never"
