"""Terms and descriptions. Each function takes a session and never commits.

A term is a word of the trade with its definition; columns and tables carry terms by name. A description is what people
say of a source, table or column. Both are decisions of the audit log, and can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import or_
from sqlmodel import Session, col, select

from catalog.errors import NotFound, UsageError
from catalog.store.access import audit
from catalog.store.access.owners import OWNED, Owned, named
from catalog.store.engine import unreadable
from catalog.store.models import LakeColumn, Source, Table, Term
from catalog.store.pages.cutting import has
from catalog.store.seen import demand_seen, mark
from catalog.wording import do

LONGEST_NAME, LONGEST_TEXT, MOST_TERMS = 100, 4000, 20  # characters, and terms of one thing; bounds


def add_term(session: Session, name: str, definition: str, *, owner: str = "", actor: str) -> Term:
    """Add a term that the glossary does not have. Errors: `UsageError`."""
    word = _free(session, name)
    return put_term(session, word, definition, owner=owner, actor=actor)


def put_term(
    session: Session, name: str, definition: str, *, owner: str | None = None, actor: str, seen: str = ""
) -> Term:
    """Add a term, or change what it means; an owner of None stays as it is. Errors: `UsageError`, `Changed` where it is
    not as it was `seen`: the mark of its definition and owner."""
    word, meaning = term_name(name), fit_text(definition)
    found = session.exec(select(Term).where(Term.name == word)).first() if not seen else get_term(session, word)
    if not meaning and (found is None or found.definition):
        raise UsageError(f"the term {word!r} would mean nothing", remedy="say what it means")
    before = _said(found) if found else {}
    was = mark(found.definition, found.owner) if found else ""
    term = found or Term(name=word, definition="")
    term.definition, term.owner = meaning, term.owner if owner is None else named(owner)
    if found and before != _said(term):
        _demand_seen(session, seen, was, "term", found.id, before["definition"])
    session.add(term)
    session.flush()
    if before != _said(term):
        item = audit.Item("term", term.id, term.name)
        audit.record(session, actor, "define" if before else "add", item, before=before, after=_said(term))
    return term


def rename_term(session: Session, name: str, new: str, *, actor: str) -> Term:
    """Call a term otherwise, on all that carries it. Errors: `NotFound`, `UsageError` where another is called so."""
    term = get_term(session, name)
    if term_name(new) == term.name:
        return term
    word, before = _free(session, new), {"name": term.name}
    for _, row in carriers(session, term.name):
        assert not isinstance(row, Source)
        row.terms = [word if one == term.name else one for one in row.terms or []]
        session.add(row)
    term.name = word
    session.add(term)
    session.flush()
    audit.record(session, actor, "rename", audit.Item("term", term.id, word), before=before, after={"name": word})
    return term


def _free(session: Session, name: str) -> str:
    """A name that no term has. Errors: `UsageError`."""
    word = term_name(name)
    if session.exec(select(Term.id).where(Term.name == word)).first() is not None:
        raise UsageError(f"the glossary has the term {word!r} already", remedy="change it where it is listed")
    return word


def remove_term(session: Session, name: str, *, actor: str) -> None:
    """Take a term out of the glossary; what carries it is told of in the error. Errors: `NotFound`, `UsageError`."""
    term = get_term(session, name)
    used = len(carriers(session, term.name))
    if used:
        raise UsageError(
            f"{used} {do(used, 'tables or columns carry', 'table or column carries')} the term {term.name!r}",
            remedy="take it off them first",
        )
    audit.record(session, actor, "remove", audit.Item("term", term.id, term.name), before=_said(term))
    session.delete(term)
    session.flush()


def get_term(session: Session, name: str) -> Term:
    """Errors: `NotFound`."""
    found = session.exec(select(Term).where(Term.name == name.strip())).first()
    if found is None:
        raise NotFound(f"the glossary has no term {name[:LONGEST_NAME]!r}", remedy="`assay glossary list` shows them")
    return found


def list_terms(session: Session, text: str = "") -> Sequence[Term]:
    """Terms by name; with `text` those that have it in their name or definition."""
    query = select(Term).order_by(col(Term.name))
    if text:
        named = (has(one, text) for one in (Term.name, Term.definition))
        query = query.where(or_(*named))
    return session.exec(query).all()


def carriers(session: Session, name: str) -> list[tuple[str, Owned]]:
    """What carries a term: (kind, row)."""
    out: list[tuple[str, Owned]] = []
    for kind, model in OWNED.items():
        if kind != "source":
            carrier: Any = model
            rows = session.exec(select(carrier).where(carrier.terms.is_not(None)).order_by(carrier.id))
            out += [(kind, row) for row in rows if name in (row.terms or [])]
    return out


def describe(
    session: Session,
    kind: str,
    item_id: int,
    *,
    text: str | None = None,
    terms: Sequence[str] | None = None,
    actor: str,
    reason: str | None = None,
    seen: str = "",
) -> Owned:
    """Say what a source, table or column is, and which terms it carries; None leaves either as it is.

    Errors: `NotFound` also for a term that the glossary has not, `UsageError`, `Changed` where it is not as it was
    `seen`: the mark of its description and terms.
    """
    row = find_described(session, kind, item_id)
    before, was = said_of(row), mark(row.description or "", _terms(row))
    if text is not None:
        row.description = fit_text(text) or None
    if terms is not None and not isinstance(row, Source):
        wanted = list(dict.fromkeys(get_term(session, one).name for one in terms if one.strip()))
        if len(wanted) > MOST_TERMS:
            raise UsageError(f"{len(wanted)} terms are too many", remedy=f"use {MOST_TERMS} at most")
        row.terms = wanted or None
    if before != said_of(row):
        told = "; ".join(filter(None, (before["description"], ", ".join(before.get("terms", [])))))
        _demand_seen(session, seen, was, kind, item_id, told)
    session.add(row)
    session.flush()
    if before != said_of(row):
        audit.record(
            session, actor, "describe", _item(session, kind, row), before=before, after=said_of(row), reason=reason
        )
    return row


def said_of(row: Owned) -> dict[str, Any]:
    """The description and terms of something."""
    more = {} if isinstance(row, Source) else {"terms": _terms(row)}
    return {"description": row.description or ""} | more


def _terms(row: Owned) -> list[str]:
    return [] if isinstance(row, Source) else list(row.terms or [])


def _demand_seen(session: Session, seen: str, is_now: str, kind: str, item_id: int, told: str) -> None:
    if seen not in ("", is_now):
        last = audit.find_events(session, kind=kind, item_id=item_id, limit=20)
        who = next((one.actor for one in last if one.action in ("describe", "define", "add")), "somebody")
        demand_seen(seen, is_now, f"{who} changed this text meanwhile", told or "nothing is said of it")


def term_name(name: str) -> str:
    """A term as it is kept. Errors: `UsageError`.

    >>> term_name("  gross   margin ")
    'gross margin'
    """
    word = " ".join(name.split())
    if not word or len(word) > LONGEST_NAME or unreadable(word) or not word.isprintable() or "," in word:
        raise UsageError(
            f"{name[:40]!r} cannot be a term", remedy=f"use at most {LONGEST_NAME} letters in a line, without a comma"
        )
    return word


def fit_text(text: str) -> str:
    """A description as it is kept. Errors: `UsageError`."""
    fit = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n"))
    if len(fit) > LONGEST_TEXT:
        raise UsageError(f"a text of {len(fit):,} letters is too long", remedy=f"use {LONGEST_TEXT:,} at most")
    return fit


def _said(term: Term) -> dict[str, Any]:
    return {"definition": term.definition, "owner": term.owner}


def find_described(session: Session, kind: str, item_id: int) -> Owned:
    """What has a description. Errors: `NotFound`, `UsageError`."""
    if kind not in OWNED:
        raise UsageError(f"a {kind[:20]!r} has no description", remedy=f"use one of {', '.join(OWNED)}")
    row: Owned | None = session.get(OWNED[kind], item_id)  # type: ignore[assignment]
    if row is None:
        raise NotFound(f"there is no {kind} {item_id}", remedy="see the lists for those there are")
    return row


def _item(session: Session, kind: str, row: Owned) -> audit.Item:
    if isinstance(row, Source):
        return audit.Item("source", row.id, row.name, row.name)
    if isinstance(row, Table):
        return audit.of_table(session, "table", row.id, row.id)
    assert isinstance(row, LakeColumn)
    return audit.of_column(session, kind, row.id, row.id)
