"""The glossary, descriptions and owners in and out of files, as YAML and CSV. Functions take a session, never commit.

Both forms hold the same lines, `FIELDS`: of a ``term`` its name, definition and owner; of a source, table or column its
description, terms and owner. What a file does not name stays as it is; a line that cannot be used is told with its
reason, the others are taken. What a line says beyond these fields is told, too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from sqlalchemy import or_
from sqlmodel import Session, col, select

from catalog.errors import AssayError, UsageError
from catalog.reports.document import FORMULA, guarded
from catalog.store.access import owners
from catalog.store.glossary import terms
from catalog.store.models import LakeColumn, Source, Table

FIELDS = ("kind", "source", "table", "column", "term", "text", "terms", "owner")
#: The fields that are taken over; the others say what of.
SAID = ("text", "terms", "owner")
#: What other glossaries call the same, from which lists of terms come: in lower case.
ALIKE = {"name": "term", "definition": "text", "description": "text", "means": "text", "meaning": "text"}
#: Where a line holds the names of what it says that no field is for.
UNREAD = "unread"
LARGEST = 8 * 2**20  # bytes of a file; a bound of memory
Line = dict[str, str]


@dataclass(frozen=True)
class Taken:
    """What became of a line: ``added``, ``changed``, ``same``, or ``skipped`` for a `reason`, which also names what of
    a line was not taken."""

    number: int
    name: str
    what: str
    reason: str = ""


def export_lines(session: Session) -> Iterator[Line]:
    """Every term, and what people say of sources, tables and columns."""
    for term in terms.list_terms(session):
        yield _line("term", term=term.name, text=term.definition, owner=term.owner)
    query: Any = select(LakeColumn, Table, Source).join(Table, col(Table.id) == LakeColumn.table_id)
    query = query.join(Source, col(Source.id) == Table.source_id).order_by(Source.name, Table.name, LakeColumn.position)
    for source in session.exec(select(Source).order_by(Source.name)):
        yield from _said(source, source=source.name)
    of_tables: Any = select(Table, Source).join(Source, col(Source.id) == Table.source_id)
    for table, source in session.exec(of_tables.order_by(Source.name, Table.name)):
        yield from _said(table, source=source.name, table=table.name)
    filled = (col(one).is_not(None) for one in (LakeColumn.description, LakeColumn.terms, LakeColumn.owner))
    for column, table, source in session.exec(query.where(or_(*filled))):
        yield from _said(column, source=source.name, table=table.name, column=column.name)


def as_csv(lines: Iterable[Line]) -> str:
    text = io.StringIO(newline="")
    usual = csv.DictWriter(text, FIELDS, lineterminator="\n")
    odd = csv.DictWriter(text, FIELDS, lineterminator="\n", quoting=csv.QUOTE_ALL)
    usual.writeheader()
    for line in lines:  # a lone carriage return ends a line for readers, and Python's writer does not quote it
        writer = odd if any("\r" in value for value in line.values()) else usual
        writer.writerow({name: f"'{value}" if _marked(value) else guarded(value) for name, value in line.items()})
    return text.getvalue()


def _marked(value: str) -> bool:
    """Whether a value begins as one does that is kept from being run as a formula."""
    return value.startswith("'") and value.lstrip("'").startswith(FORMULA)


def as_yaml(lines: Iterable[Line]) -> str:
    kept = [{name: value for name, value in line.items() if value} for line in lines]
    return yaml.safe_dump(kept, allow_unicode=True, sort_keys=False, width=100)


def read_lines(data: bytes, form: str) -> list[Line]:
    """The lines of a ``csv`` or ``yaml`` file. Errors: `UsageError`."""
    if len(data) > LARGEST:
        raise UsageError(f"the file is larger than {LARGEST // 2**20} MiB", remedy="part it")
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeError as error:
        raise UsageError("the file cannot be read as UTF-8", remedy="save it as UTF-8") from error
    try:
        rows: Any = _of_csv(text) if form == "csv" else _of_yaml(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise UsageError(f"{where}{error.problem or error.context}", remedy="correct the YAML there") from error
    except (ValueError, csv.Error, yaml.YAMLError, RecursionError) as error:
        said = " ".join(str(error).split())[:300]
        raise UsageError(f"the file is no {form.upper()}: {said}", remedy="export one to see its form") from error
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise UsageError("the file is no list of lines", remedy=f"export one to see its form: {', '.join(FIELDS)}")
    lines = [_read(row) for row in rows]
    if form == "csv":
        lines = [{name: value[1:] if _marked(value) else value for name, value in line.items()} for line in lines]
    return lines


def _of_csv(text: str) -> list[dict[Any, Any]]:
    """Rows of a CSV file; spreadsheets part cells by what their language does not need for decimals, or by tabs."""
    head = text.split("\n", 1)[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
    names = [name.strip().lower() for name in reader.fieldnames or ()]
    if not {ALIKE.get(name, name) for name in names} & {"kind", "term"}:
        raise UsageError(
            f"the file has neither a column kind nor one term: {', '.join(names)[:200] or 'it is empty'}",
            remedy=f"name its columns {', '.join(FIELDS)}, or term, text and owner where it lists terms only",
        )
    return list(reader)


def _of_yaml(text: str) -> Any:
    # an alias can stand for an alias for an alias: a few lines that grow beyond any memory
    if any(getattr(event, "anchor", None) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
        raise UsageError("the file uses anchors or aliases", remedy="write each line out")
    return yaml.safe_load(text) or []


def take(session: Session, lines: Iterable[Line], *, actor: str) -> list[Taken]:
    """Take the lines of a file in: terms first, of several lines about the same the first. What became of each, in the
    order of the file."""
    numbered = list(enumerate(lines, 1))
    taken: dict[tuple[str | None, ...], int] = {}
    done = []
    for number, line in sorted(numbered, key=lambda one: (one[1]["kind"] != "term", one[0])):
        about = ("term", " ".join(line["term"].split())) if line["kind"] == "term" else tuple(map(line.get, FIELDS[:4]))
        done.append(_take(session, number, line, actor, taken.get(about)))
        if done[-1].what != "skipped":
            taken[about] = number
    return sorted(done, key=lambda one: one.number)


def _take(session: Session, number: int, line: Line, actor: str, before: int | None) -> Taken:
    name = "/".join(line[one] for one in ("term", "source", "table", "column") if line[one]) or "(nothing)"
    if before is not None:
        return Taken(number, name, "skipped", f"line {before} says it already")
    try:
        with session.begin_nested():
            what = _put(session, line, actor)
    except AssayError as error:
        return Taken(number, name, "skipped", str(error))
    return Taken(number, name, what, f"not taken: {line[UNREAD]}" if line.get(UNREAD) else "")


def _put(session: Session, line: Line, actor: str) -> str:
    """What became of a line. Errors: `AssayError`."""
    if line["kind"] == "term":
        known = {one.name: (one.definition, one.owner) for one in terms.list_terms(session)}
        text, owner = known.get(terms.term_name(line["term"]), ("", None))
        text, owner = line.get("text", text), line.get("owner", owner)
        made = terms.put_term(session, line["term"], text, owner=owner, actor=actor)
        same = known.get(made.name) == (made.definition, made.owner)
        return "added" if made.name not in known else "same" if same else "changed"
    kind, row = _find(session, line)
    before, owner = terms.said_of(row), row.owner
    listed = [one.strip() for one in line["terms"].split(",") if one.strip()] if "terms" in line else None
    terms.describe(session, kind, row.id, text=line.get("text"), terms=listed, actor=actor)
    if "owner" in line:
        owners.set_owner(session, kind, row.id, line["owner"], actor=actor)
    return "same" if before == terms.said_of(row) and owner == row.owner else "changed"


def _find(session: Session, line: Line) -> tuple[str, owners.Owned]:
    """What a line is about. Errors: `UsageError`."""
    kind = line["kind"]
    source = session.exec(select(Source).where(Source.name == line["source"])).first()
    row: owners.Owned | None = source
    if kind in ("table", "column") and source is not None:
        row = session.exec(select(Table).where(Table.source_id == source.id, Table.name == line["table"])).first()
    if kind == "column" and isinstance(row, Table):
        wanted = LakeColumn.table_id == row.id, LakeColumn.name == line["column"]
        row = session.exec(select(LakeColumn).where(*wanted)).first()
    if kind not in owners.OWNED:
        said = f"{kind[:20]!r} is no kind of line" if kind else "the line does not say its kind"
        raise UsageError(said, remedy=f"use term, {', '.join(owners.OWNED)}")
    if not isinstance(row, owners.OWNED[kind]):
        raise UsageError(f"the catalog has no such {kind}", remedy="see that it was crawled, and is spelt so")
    return kind, row


def _said(row: owners.Owned, **where: str) -> Iterator[Line]:
    listed = [] if isinstance(row, Source) else list(row.terms or [])
    if row.description or listed or row.owner:
        kind = "column" if "column" in where else "table" if "table" in where else "source"
        yield _line(kind, **where, text=row.description, terms=", ".join(listed), owner=row.owner)


def _line(kind: str, **values: str | None) -> Line:
    return {"kind": kind, **{name: values.get(name) or "" for name in FIELDS[1:]}}


def _read(row: Mapping[Any, Any]) -> Line:
    """A line of a file; a term where no kind is said and nothing of the lake is named. What the file has no column
    for is not in it: that stays as it is."""
    line = {}
    given = {str(name).strip().lower(): value for name, value in row.items() if name is not None}
    # of names for the same, one that is filled counts, and our own before another glossary's
    ranked = sorted(given.items(), key=lambda one: (bool(one[1]), one[0] in FIELDS))
    given = {ALIKE.get(name, name): value for name, value in ranked}
    if "kind" not in given and not any(given.get(name) for name in ("source", "table", "column")):
        given["kind"] = "term"
    for name in FIELDS:
        if name in SAID and name not in given:
            continue
        value = given.get(name)
        text = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
        line[name] = text
    return line | ({UNREAD: unread} if (unread := _unread(row, given)) else {})


def _unread(row: Mapping[Any, Any], given: Mapping[str, Any]) -> str:
    """The names of what a line says that no field is for, or that another name says otherwise."""
    names = {name: str(name).strip().lower() for name, value in row.items() if name is not None and value}
    fields = {name: ALIKE.get(lower, lower) for name, lower in names.items()}
    out = [str(name).strip() for name, one in fields.items() if one not in FIELDS or given[one] != row[name]]
    return ", ".join(out + ["cells beyond the columns"] * bool(row.get(None)))[:200]
