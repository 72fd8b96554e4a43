"""`assay check apply`, `preview`, `kinds`: checks that people declare in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, context, identity
from catalog.cli.console import count, emit, grid, say
from catalog.errors import UsageError
from catalog.roles import APPROVE, READ, RUN

if TYPE_CHECKING:
    from catalog.flow.declared.present import Present

YamlFile = Annotated[Path, typer.Argument(help="YAML file of checks; docs/checks tells what it may hold.")]
#: Characters of a file that are read at most: what is longer is refused unread.
MOST_FILE_BYTES = 2 << 20


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_FILE_BYTES:
            raise UsageError(f"{file} has {file.stat().st_size:,} bytes", remedy="part it into several files")
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} cannot be read ({error})", remedy="give a text file in UTF-8") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror})", remedy="give a YAML file of checks") from None


def check_apply(
    file: YamlFile,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    as_json: Json = False,
) -> int:
    """Make the declared checks of tables those of a file, and judge the version that is there by what is new. Checks
    that the file leaves out of a table that it names are retired; their results stay. What somebody paused or rejected
    stays so, and is named. All of it is applied or, where any of it is wrong, nothing. Ends with 0 whatever the checks
    say: `assay check run` is the gate.

    Example: assay check apply checks.yaml --dry-run
    """
    from dataclasses import asdict

    from catalog.declared.files import read_checks
    from catalog.flow.declared.counting import apply_checks, table_of
    from catalog.flow.declared.present import judge_present

    text = _text(file)
    here = context(READ if dry_run else APPROVE)
    changes = apply_checks(here, read_checks(text), dry_run=dry_run)
    present: list[Present] = []
    if not dry_run:
        present = [judge_present(here, table_of(here, change.table).id or 0) for change in changes]
    data: dict[str, Any] = {"dry_run": dry_run, "tables": [asdict(change) for change in changes]}
    data |= {} if dry_run else {"present": [one.to_json() for one in present]}

    def show() -> None:
        for change in changes:
            say(f"{change.table}: {count(len(change.added) + len(change.changed) + len(change.kept), 'check')}")
            marks = (("+", change.added, "green"), ("~", change.changed, "yellow"), ("-", change.retired, "red"))
            for sign, names, style in marks:
                for name in names:
                    say(f"  {sign} {name}", style)
            for one in change.off:
                how = f"assay rule {'accept' if one.status == 'draft' else 'resume'} {one.rule}"
                say(f"  ! {one.check} judges nothing: it is {one.status}; {how} puts it in force", "yellow")
        for said in present:
            show_present(said)
        if dry_run:
            say("nothing was changed")

    emit(data, as_json, show)
    return console.PASSED


def show_present(present: Present) -> None:
    """What new checks say of the version that is there."""
    if present.version is None:
        say(f"{present.table}: {present.why}")
        return
    broken = [one for one in present.said if one.verdict.status == "violated"]
    if present.said:
        judged = f"judged {count(len(present.said), 'check')}, {len(broken)} broken"
        say(f"{present.table}, version {present.version}: {judged}", "red" if broken else "green")
    for one in broken:
        say(f"  {one.row.learner.partition(':')[2]}: {one.verdict.sentence}", "red")
    if present.newer is not None:
        say(f"{present.table}: version {present.newer} came since; the next crawl judges it")


def check_preview(
    file: YamlFile,
    versions: Annotated[int, typer.Option(help="How many of each table's last versions.", min=1, max=500)] = 40,
    as_json: Json = False,
) -> int:
    """Judge a table's last versions by the checks of a file before they are applied: each would have failed on so many.
    Nothing is recorded but that masked values were asked about, which is for those who may see them.

    Example: assay check preview checks.yaml --versions 20
    """
    from catalog.declared.files import read_checks
    from catalog.flow.declared.counting import table_of
    from catalog.flow.declared.preview import preview, unjudged
    from catalog.store.meaning.levels import ask_of_hidden

    here = context(RUN)
    found: list[dict[str, Any]] = []
    for check in read_checks(_text(file)):
        table = table_of(here, check.table)
        with here.transaction() as session:
            for constraint in check.constraints:
                ask_of_hidden(session, table, constraint, identity(here))
        for name, verdicts in preview(here, table, check, versions).items():
            failed = [version for version, verdict in verdicts if verdict.status == "violated"]
            last = next((verdict.sentence for _, verdict in reversed(verdicts) if verdict.status == "violated"), None)
            one = {"table": check.table, "check": name, "versions": len(verdicts), "failed": failed, "last": last}
            found.append(one | unjudged([verdict for _, verdict in verdicts]))

    def show() -> None:
        for one in found:
            unjudged = f" ({one['unjudged']} could not be judged)" if one["unjudged"] else ""
            said = f"would have failed on {len(one['failed'])} of {one['versions']}{unjudged}"
            say(f"{one['table']} {one['check']}: {said}", "red" if one["failed"] else "green")
            for why in filter(None, (one["last"], one["unjudged_why"])):
                say(f"  {why}")

    emit({"checks": found}, as_json, show)
    return console.FAILED if any(one["failed"] for one in found) else console.PASSED


def check_kinds(as_json: Json = False) -> int:
    """The checks that can be declared, with what each demands and what it takes.

    Example: assay check kinds --json
    """
    from catalog.declared.kinds.registry import CHECK_KINDS
    from catalog.store.schemas.rules import KindOut

    data = [KindOut.of(kind) for kind in CHECK_KINDS.values()]

    def show() -> None:
        grid("checks", ("name", "what it demands"), [(one.name, one.demands) for one in data])

    emit(data, as_json, show)
    return console.PASSED
