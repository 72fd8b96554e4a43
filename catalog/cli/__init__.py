"""The `assay` command: one service, and commands of the form noun verb, one module a noun.

Commands answer people in tables and programs in JSON (``--json``). Errors go to standard error as cause and remedy.
Exit codes are told in `catalog.cli.console`.

A module of this room imports nothing heavy at its top: what a command needs (the store, Spark, statistics) it imports
when it is run, so that ``--help`` answers at once. ``tests/laws/test_architecture.py`` holds this.
"""

from __future__ import annotations

import gc


def main(arguments: list[str] | None = None) -> int:
    """Run a command; its exit code.

    Without `arguments` it is the command of a process of its own. Modules are made of hundreds of thousands of objects
    that stay: while they are loaded, nearly nothing is found by looking through them for garbage.
    """
    from catalog.cli.app import run_command

    if arguments is not None:
        return run_command(arguments)
    gc.set_threshold(200_000)
    return run_command()
