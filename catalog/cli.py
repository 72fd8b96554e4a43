"""The `assay` command: one service, and commands of the form noun verb.

Commands answer people in tables and programs in JSON (``--json``). Errors go to standard error as cause and remedy.
Exit codes: 0 passed, 1 a check failed, 2 a warning, 3 an error, 4 results could not be delivered.
"""

from __future__ import annotations

import logging
import sys
import time
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated, Any

import structlog
import typer
from pydantic import ValidationError
from typer.exceptions import TyperException

from catalog import atlas, commands, console, health, rulings, trials
from catalog.commands import Json
from catalog.console import emit, say
from catalog.errors import AssayError, Cancelled, SettingError
from catalog.settings import Settings, get_settings

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Tags and tests every column of a Delta lake by itself.",
    epilog="Exit codes: 0 passed, 1 a check failed, 2 a warning, 3 an error, 4 results could not be delivered.",
)
for noun, group in (
    ("source", commands.source_app),
    ("table", commands.table_app),
    ("rule", commands.rule_app),
    ("check", commands.check_app),
    ("run", commands.run_app),
    ("incident", commands.incident_app),
    ("index", atlas.index_app),
):
    app.add_typer(group, name=noun)
app.command("crawl")(commands.crawl)
commands.rule_app.command("backtest")(trials.backtest)
for verb, command in (
    ("show", rulings.rule_show),
    ("history", rulings.history),
    ("accept", rulings.accept),
    ("loosen", rulings.loosen),
    ("pause", rulings.pause),
    ("reject", rulings.reject),
    ("resume", rulings.resume),
    ("promote", rulings.promote),
):
    commands.rule_app.command(verb)(command)
commands.table_app.command("budget")(rulings.table_budget)
commands.table_app.command("mode")(rulings.table_mode)
app.command("drill")(trials.drill)
app.command("tag-by-example")(atlas.by_example)
app.command("export")(atlas.export)


def _version(asked: bool) -> None:
    if asked:
        say(f"assay {installed_version('assay-catalog')}")
        raise typer.Exit


@app.callback()
def options(
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Log what is done.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
) -> None:
    """Tags and tests every column of a Delta lake by itself."""
    log_to_stderr("DEBUG" if verbose else get_settings().log_level if _is_process() else "WARNING")


@app.command()
def demo(
    once: Annotated[bool, typer.Option("--once", help="End when the bad versions were judged.")] = False,
    keep: Annotated[Path | None, typer.Option(help="Keep lake and catalog in this folder.")] = None,
    days: Annotated[int, typer.Option(min=30, help="Days of history.")] = 42,
    seed: Annotated[int, typer.Option(help="Other numbers, other data.")] = 1,
    as_json: Json = False,
) -> int:
    """Write a shop's lake, crawl it, let three bad versions arrive, and show what was caught.

    Ends with 1 when one of the three was missed or there was a false alarm.

    Example: assay demo --once --json
    """
    from catalog.demo.run import run_demo

    return run_demo(get_settings(), once=once, as_json=as_json, keep=keep, days=days, seed=seed)


@app.command()
def up() -> None:
    """Run the service: task queue, worker, scheduler and web page, until Ctrl-C.

    Example: ASSAY_PORT=8080 assay up
    """
    from catalog import work
    from catalog.service import Service

    settings = get_settings()
    with work.stop_signals() as stop, Service(settings) as service:
        say(f"starting; logs are in {service.logs}")
        service.wait_ready(stop=stop)
        if not stop.is_set():
            say(f"Assay is up at {service.url}  (Ctrl-C stops it)", "bold")
        restarts = 0
        while not stop.wait(0.5):
            now = sum(child["restarts"] for child in service.status())
            if now > restarts:
                names = [child["name"] for child in service.status() if child["restarts"]]
                console.err.print(f"restarted: {', '.join(names)}; see {service.logs}", style="yellow")
                restarts = now
        say("stopping")


@app.command()
def worker() -> int:
    """Run one worker (for containers; `assay up` runs all processes).

    Example: ASSAY_REDIS_URL=redis://redis:6379/0 assay worker
    """
    from workers.process import run_worker

    return run_worker(get_settings())


@app.command()
def scheduler() -> None:
    """Run the scheduler: look at the transaction logs, queue what is new.

    Example: ASSAY_WATCH_SECONDS=5 assay scheduler
    """
    from workers.app import make_app
    from workers.schedule import serve

    settings = get_settings()
    serve(settings, make_app(settings, with_tasks=False))


@app.command()
def web() -> None:
    """Run the web page and the JSON interface.

    Example: ASSAY_PORT=8080 assay web
    """
    import uvicorn

    from catalog.store.engine import make_engine, upgrade
    from web.app import create_app

    settings = get_settings()
    upgrade(make_engine(settings.database))
    uvicorn.run(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level=settings.log_level.lower(),
        access_log=settings.log_level == "DEBUG",
    )


@app.command()
def setup(as_json: Json = False) -> None:
    """Bring Delta's jars, find a Java, prepare the starter index: afterwards nothing needs the network.

    Example: assay setup
    """
    from catalog.flow.index import prepare_starter
    from catalog.lake.session import ensure_jars, java_version, use_java

    settings = get_settings()
    started = time.monotonic()
    java = Path(use_java(settings.home)["JAVA_HOME"])
    jars = ensure_jars(settings)
    starter = prepare_starter(settings)
    data = {
        "java": str(java),
        "java_version": java_version(java / "bin" / "java"),
        "jars": len(jars),
        "starter_index": str(starter),
        "seconds": round(time.monotonic() - started, 1),
    }
    emit(data, as_json, lambda: say(f"Java {data['java_version']} at {java}; {len(jars)} jars for Spark and Delta"))


@app.command()
def doctor(as_json: Json = False) -> int:
    """See whether everything is there and works. Ends with 3 when something needed is not.

    Example: assay doctor
    """
    found = health.examine(get_settings())
    rows = [({"ok": "ok", "idle": "-", "bad": "BAD"}[one["status"]], one["name"], one["detail"]) for one in found]
    emit(found, as_json, lambda: console.grid("", ("", "what", "found"), rows))
    return console.ERROR if any(one["status"] == "bad" for one in found) else console.PASSED


@app.command("settings")
def show_settings(as_json: Json = False) -> None:
    """Show every setting: its environment variable, the value in force, what it is for.

    Example: ASSAY_PORT=9000 assay settings
    """
    values = get_settings().model_dump(mode="json")
    data = [
        {
            "name": f"ASSAY_{name.upper()}",
            "value": _shown(name, values[name]),
            "set": name in get_settings().model_fields_set,
            "help": field.description,
        }
        for name, field in Settings.model_fields.items()
    ]
    rows = [(one["name"], one["value"] if one["value"] not in ("", {}) else "", one["help"]) for one in data]
    emit(data, as_json, lambda: console.grid("", ("setting", "value", "what for"), rows))


def _shown(name: str, value: Any) -> Any:
    """The value of a setting, without the secrets in it."""
    if not value:
        return value
    if name == "access_token":
        return "****"
    if name == "storage_options":
        return dict.fromkeys(value, "****")
    return health.without_password(value) if name in ("database_url", "redis_url") else value


def _is_process() -> bool:
    """Whether this is a process of the service, whose log is read, rather than a person's command."""
    return any(name in sys.argv[1:2] for name in ("worker", "scheduler", "web"))


def log_to_stderr(level: str) -> None:
    """Logs of this process: lines on standard error."""
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise SettingError(f"ASSAY_LOG_LEVEL is {level!r}", remedy="use DEBUG, INFO, WARNING or ERROR")
    logging.basicConfig(level=max(number, logging.INFO), format="%(asctime)s %(levelname)s %(name)s %(message)s")
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def main(arguments: list[str] | None = None) -> int:
    """Run a command; its exit code."""
    try:
        return app(args=arguments, prog_name="assay", standalone_mode=False) or console.PASSED
    except TyperException as error:
        error.show()  # type: ignore[attr-defined]  # only the base class is public
    except typer.Abort:
        console.complain(Cancelled("stopped", remedy="nothing was changed"))
    except ValidationError as error:
        first = error.errors()[0]
        name = "ASSAY_" + "_".join(map(str, first["loc"])).upper()
        console.complain(SettingError(f"{name} cannot be {first['input']!r}: {first['msg']}", remedy="correct it"))
    except AssayError as error:
        console.complain(error)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output went away
    return console.ERROR


if __name__ == "__main__":
    sys.exit(main())
