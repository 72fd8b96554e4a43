"""`assay report`: documents that an auditor files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.cli.common import Json, Offset, context, writing
from catalog.cli.console import emit, grid, say
from catalog.errors import UsageError

if TYPE_CHECKING:
    from catalog.reports.facts import Scope
    from catalog.reports.figures import Report

app = typer.Typer(
    no_args_is_help=True,
    help="Reports that an auditor files: HTML that prints, PDF, CSV, JSON. Made again as of the same moment, a report "
    "has the same figures and the same fingerprint, whatever was crawled and decided since.",
)
AsOf = Annotated[str, typer.Option("--as-of", metavar="DATE", help="The end of this day, or this moment, in UTC.")]
Source = Annotated[str, typer.Option(help="Only of this source.")]
Owner = Annotated[str, typer.Option(help="Only what this person or team owns.")]
Period = Annotated[
    str, typer.Option(help="What happened in: 30d, 4w, 3m or 1y before, 2026, 2026-Q1, 2026-03, or since a date.")
]
Out = Annotated[str, typer.Option("--out", metavar="FILE", help="Write it here: .html, .pdf, .csv or .json.")]
Schedule = Annotated[int, typer.Argument(metavar="SCHEDULE", help="Its number, as `assay report schedules` shows it.")]
SHOWN = 20

REPORTS = {
    "privacy": "Where personal data is: which tag, confidence, reviewed by whom, how masked, since when.",
    "coverage": "How many columns of each table are tagged, and how many tags people reviewed.",
    "rules": "Rules and checks of each table.",
    "incidents": "Incidents with the time to notice and to resolve them, and false alarms by table.",
    "decisions": "Every decision: who, when, what, why.",
    "governance": "All of these in one document.",
}


def _add(kind: str, words: str) -> None:
    def command(
        as_of: AsOf = "",
        source: Source = "",
        owner: Owner = "",
        period: Period = "",
        out: Out = "",
        as_json: Json = False,
    ) -> None:
        _make(kind, as_of, source, owner, period, out, as_json)

    command.__doc__ = f"{words}\n\nExample: assay report {kind} --as-of 2026-03-31 --period 2026-Q1 --out {kind}.pdf"
    app.command(kind)(command)


for _kind, _words in REPORTS.items():
    _add(_kind, _words)


def _make(kind: str, as_of: str, source: str, owner: str, period: str, out: str, as_json: bool) -> None:
    from catalog.flow import report as flow
    from catalog.reports.document import MEDIA
    from catalog.reports.facts import Scope

    form = Path(out).suffix.lower().removeprefix(".")
    if out and form not in MEDIA:
        raise UsageError(f"a report cannot be written as {out}", remedy="end it with .html, .pdf, .csv or .json")
    made = flow.make(context(), kind, Scope(source, owner), as_of=as_of, period=period)
    if out:
        with writing(out):
            flow.write(made, Path(out), form)
    data = {"fingerprint": made.fingerprint, **({"file": out} if out else {}), **made.figures()}
    emit(data, as_json, lambda: _tell(made, out))


def _tell(made: Report, out: str) -> None:
    from catalog.reports import words

    say(words.heading(made), "bold")
    for sentence in words.summary(made):
        say(sentence)
    if not out:
        for section in made.sections:
            rows = [[words.said(name, row[name]) for name, _ in section.columns] for row in section.rows[:SHOWN]]
            more = f" (the first {SHOWN} of {len(section.rows)})" if len(section.rows) > SHOWN else ""
            grid(section.title + more, [head for _, head in section.columns], rows)
    say(f"as of       {words.moment_words(made.moment)}, for the time from {words.moment_words(made.start)}")
    say(f"fingerprint {made.fingerprint}")
    if out:
        say(f"written to {out}")


@app.command("schedules")
def list_all(as_json: Json = False) -> None:
    """Reports that the running service writes into ASSAY_HOME/reports by itself, and the last file of each.

    Example: assay report schedules
    """
    from catalog.store.reports import schedules
    from catalog.store.schemas.runs import ScheduleOut

    with context().reading() as session:
        found = schedules.list_schedules(session)
    rows = [
        (one.id, one.kind, one.every, one.format, one.source or "", one.owner or "", f"{one.next_at:%Y-%m-%d}",
         one.error or one.last_file or "")
        for one in found
    ]  # fmt: skip
    heads = ("schedule", "report", "every", "as", "source", "owner", "next", "last")
    data = [ScheduleOut.made(one) for one in found]
    emit(data, as_json, lambda: grid("", heads, rows, "no report is scheduled; `assay report schedule` does it"))


@app.command("filed")
def list_filed(limit: Annotated[int, typer.Option(min=1)] = 1000, offset: Offset = 0, as_json: Json = False) -> None:
    """Reports that the running service wrote into ASSAY_HOME/reports, the latest day first.

    Example: assay report filed
    """
    from catalog.store.pages.lines import cut_list
    from catalog.store.reports.filed import FOLDER, filed
    from catalog.store.schemas.listing import listing
    from catalog.store.schemas.runs import FiledOut

    home = context().settings.home
    found = listing(cut_list(filed(home), limit, offset), FiledOut.made)
    rows = [
        (
            one.kind,
            one.day,
            one.whose,
            one.format,
            f"{one.at:%Y-%m-%d %H:%M}",
            str(home / FOLDER / one.whose / one.name),
        )
        for one in found.items
    ]
    heads = ("report", "up to", "of", "as", "written (UTC)", "file")
    empty = "no report was written yet; `assay report schedule` has it done"
    emit(found, as_json, lambda: grid("", heads, rows, empty), found)


@app.command("schedule")
def schedule(
    kind: Annotated[str, typer.Argument(metavar="REPORT", help=f"{', '.join(REPORTS)}.")],
    every: Annotated[str, typer.Option(help="day, week, month or quarter.")] = "month",
    form: Annotated[str, typer.Option("--format", help="pdf, html, csv or json.")] = "pdf",
    source: Source = "",
    owner: Owner = "",
    as_json: Json = False,
) -> None:
    """Have a report written into ASSAY_HOME/reports at the start of every day, week, month or quarter, about the one
    before.

    Example: assay report schedule governance --every quarter --owner finance
    """
    from catalog.reports.facts import Scope
    from catalog.roles import EDIT
    from catalog.store.reports import schedules
    from catalog.store.schemas.runs import ScheduleOut

    here = context(EDIT)
    scope: Scope = Scope(source, owner)
    with here.transaction() as session:
        made = schedules.add_schedule(session, kind, every, form, scope, actor=here.actor)
    emit(
        ScheduleOut.made(made),
        as_json,
        lambda: say(f"schedule {made.id}: {kind} every {every}, next on {made.next_at:%Y-%m-%d} (UTC)"),
    )


@app.command("unschedule")
def unschedule(number: Schedule) -> None:
    """Make a scheduled report no more; the files stay.

    Example: assay report unschedule 1
    """
    from catalog.roles import EDIT
    from catalog.store.reports import schedules

    here = context(EDIT)
    with here.transaction() as session:
        schedules.remove_schedule(session, number, actor=here.actor)
    say(f"schedule {number} is gone")
