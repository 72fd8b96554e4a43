"""All commands in the order in which help lists them, the options before them, and how errors end."""

from __future__ import annotations

import errno
import os
import signal
import sys
from functools import cache
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from catalog.cli import console
from catalog.cli.access import approval, audit, owner, token, user
from catalog.cli.lake import export, index, source, table
from catalog.cli.meaning import domain, glossary, tag
from catalog.cli.rules import alert, check, contract, declare, drill, incident, rows, rule
from catalog.cli.service import doctor, processes, report, run
from catalog.errors import AssayError, Cancelled, DeliveryError, Held, Interrupted
from catalog.logs import log_to_stderr

#: What writing to an output answers that is full, or that nobody reads any more.
UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EIO)

#: Commands that log nothing while they answer at once (`catalog.cli.common.looking`): what logs takes long to load.
QUICK = (["table", "list"], ["incident", "list"])

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Tags and tests every column of a Delta lake by itself.",
    epilog="Exit codes: 0 passed, 1 a check failed, 2 a warning, or a table or folder could not be read and the others "
    "were, 3 an error, or nothing to judge yet, 4 results could not be delivered.",
)
for verb, command in (
    ("crawl", source.crawl),
    ("drill", drill.drill),
    ("tag-by-example", index.by_example),
    ("export", export.export),
    ("demo", processes.demo),
    ("up", processes.up),
    ("worker", processes.worker),
    ("scheduler", processes.scheduler),
    ("web", processes.web),
    ("setup", doctor.setup),
    ("doctor", doctor.doctor),
    ("settings", doctor.show_settings),
):
    app.command(verb)(command)
check.app.command("apply")(declare.check_apply)
check.app.command("import")(contract.check_import)
check.app.command("preview")(declare.check_preview)
check.app.command("kinds")(declare.check_kinds)
check.app.command("quarantine")(rows.check_quarantine)
for noun in (
    *(source, table, rule, check, run, incident, alert, index, domain, tag, glossary, owner, report),
    *(user, token, approval, audit),
):
    app.add_typer(noun.app, name=noun.__name__.rpartition(".")[2])


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version as installed_version

        console.say(f"assay {installed_version('assay-catalog')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Log what is done.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
) -> None:
    """Tags and tests every column of a Delta lake by itself."""
    if not verbose and not _is_process():
        os.environ.setdefault("RUST_LOG", "off")  # clients of stores log what their error says already
    if verbose or (context.obj or [])[:2] not in QUICK:
        log_to_stderr("DEBUG" if verbose else _level_of_processes() if _is_process() else "WARNING")


def _is_process() -> bool:
    """Whether this is a process of the service, whose log is read, rather than a person's command."""
    return any(name in sys.argv[1:2] for name in ("worker", "scheduler", "web"))


def _level_of_processes() -> str:
    from catalog.settings import get_settings

    return get_settings().log_level


@cache
def _commands() -> Any:
    """All commands, built once for who runs several in a process."""
    return typer.main.get_command(app)


def run_command(arguments: list[str] | None = None) -> int:
    """Run a command; its exit code. Without `arguments` it is the command of a process, which ends as by Ctrl-C when it
    is told to end: a job that is stopped leaves no run that waits for nobody. Processes of the service know better."""
    if arguments is None and not _is_process():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        given = sys.argv[1:] if arguments is None else arguments
        code = _commands()(args=given, obj=given, prog_name="assay", standalone_mode=False) or console.PASSED
        if code == console.INTERRUPTED:  # which typer makes of Ctrl-C
            raise KeyboardInterrupt
        sys.stdout.flush()  # what cannot be printed is no result
        return code
    except TyperException as error:
        error.show()  # type: ignore[attr-defined]  # only the base class is public
    except typer.Abort:
        console.complain(Cancelled("stopped", remedy="nothing was changed"))
    except Held as error:
        console.complain(error)
        return console.WARNED
    except DeliveryError as error:
        console.complain(error)
        return console.UNDELIVERED
    except (Interrupted, KeyboardInterrupt) as error:
        console.complain(error if isinstance(error, Interrupted) else Interrupted("interrupted"))
        return console.INTERRUPTED
    except AssayError as error:
        console.complain(error)
    except OSError as error:
        if error.errno in UNWRITABLE:
            return _unprinted(error)
        remedy = "see that it is there, and who may read and write it"
        console.complain(AssayError(f"{error.filename or 'a file'}: {error.strerror or error}", remedy=remedy))
    except Exception as error:  # that nobody foresaw: told as what it is, and never with the exit code of a check
        _tell_bug(error)
    return console.ERROR


def _tell_bug(error: Exception) -> None:
    """A bug on standard error, with where it happened and no value of a cell."""
    import structlog

    log_to_stderr("ERROR")  # some commands log nothing: without it every variable would be printed
    structlog.get_logger().error("something unexpected went wrong", exc_info=error)
    remedy = "report it with the lines above; `assay doctor` shows what may be missing here"
    console.complain(AssayError(f"something unexpected went wrong ({type(error).__name__})", remedy=remedy))


def _unprinted(error: OSError) -> int:
    """The output is full or nobody reads it any more: what is left of it goes nowhere, since Python would try again at
    its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(error, BrokenPipeError):
        console.complain(DeliveryError(f"the output cannot be written: {error.strerror}", remedy="see where it goes"))
    return console.UNDELIVERED
