"""Reports as files: one HTML page that prints, a PDF of it, CSV and JSON of its figures. The same figures give the same
bytes."""

from __future__ import annotations

import csv
import io
import json
import logging
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from catalog.errors import UsageError
from catalog.reports import words
from catalog.reports.figures import Report

#: Rows of a section that a document prints; its CSV and JSON have all of them; a bound.
PRINTED_ROWS = 1000
MEDIA = {
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def render(report: Report, form: str) -> bytes:
    """A report as the bytes of a file of one of the forms of `MEDIA`. Errors: `UsageError`."""
    makers: dict[str, Callable[[Report], bytes]] = {"html": as_html, "pdf": as_pdf, "csv": as_csv, "json": as_json}
    if form not in makers:
        raise UsageError(f"a report cannot be a {form[:20]!r} file", remedy=f"use one of {', '.join(makers)}")
    return makers[form](report)


def as_html(report: Report) -> bytes:
    """One page without a script or anything from elsewhere."""
    page = _template().render(report=report, words=words, most=PRINTED_ROWS, said=words.said)
    return page.encode("utf-8", "replace")


def as_pdf(report: Report) -> bytes:
    """The page drawn by WeasyPrint, which may fetch nothing. Errors: `UsageError` where its libraries are missing."""
    try:
        from weasyprint import HTML

        logging.getLogger("weasyprint").setLevel(logging.ERROR)  # it warns of styles that are for screens
    except OSError as error:
        raise UsageError(
            f"no PDF can be drawn here: {error}",
            remedy="install libpango-1.0-0, libpangoft2-1.0-0 and libharfbuzz-subset0, or ask for html and print it",
        ) from error
    return bytes(HTML(string=as_html(report).decode(), url_fetcher=_fetch_nothing).write_pdf())


def as_json(report: Report) -> bytes:
    """The figures and their fingerprint."""
    data = {"fingerprint": report.fingerprint, **report.figures()}
    return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def as_csv(report: Report) -> bytes:
    """One table: ``section`` says what a row is of; totals and the fingerprint are rows of ``figure`` and ``value``.
    Fields that a section has not are empty."""
    fields = ["section", "figure", "value"]
    for section in report.sections:
        fields += [name for row in section.rows[:1] for name in row if name not in fields]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fields, restval="", lineterminator="\n")
    writer.writeheader()
    for row in _lines(report):
        writer.writerow({name: guarded(value) for name, value in row.items()})
    return text.getvalue().encode("utf-8", "replace")


def _lines(report: Report) -> Iterator[dict[str, Any]]:
    figures = report.figures()
    for name in ("kind", "source", "owner", "from", "as_of"):
        yield {"section": "report", "figure": name, "value": figures[name]}
    yield {"section": "report", "figure": "fingerprint", "value": report.fingerprint}
    for section in report.sections:
        for name, value in section.totals.items():
            yield {"section": section.name, "figure": name, "value": value}
        for row in section.rows:
            yield {"section": section.name, **row}


def guarded(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: names of tables and columns are whatever a lake holds.

    >>> guarded("=1+1"), guarded({"a": 1}), guarded(None), guarded(3), guarded("a")
    ("'=1+1", '{"a": 1}', '', 3, 'a')
    """
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, str) and value.startswith(FORMULA):
        return "'" + value
    return "" if value is None else value


def _fetch_nothing(url: str, *_: object, **__: object) -> dict[str, object]:
    raise ValueError(f"a report fetches nothing: {url[:80]}")


@cache
def _template() -> Template:
    loader = PackageLoader("catalog.reports", ".")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters["visible"] = words.visible
    return made.get_template("report.html")
