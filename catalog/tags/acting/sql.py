"""SQL that carries tags into Unity Catalog, or into the comments of a plain Delta table.

Names and comments are whatever a lake holds: every one is quoted, so that none ends a statement. What a system cannot
say is a line of comment with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from catalog.errors import UsageError

MARK = "Assay: "  # what comments that were written from tags begin with, after a description
FOR = ("unity", "delta")
READERS = "pii_readers"  # whose members see what is masked, where nobody says whose
MASKED_AS = {"string": "'***'"}  # other types are masked as null
_SIMPLE = re.compile(r"[a-z]+(\(\d+(,\s*\d+)?\))?")


@dataclass(frozen=True)
class Meaning:
    """A column and what is to be said of it elsewhere.

    Parameters
    ----------
    column : its leaf name, a path of nested fields with dots; `type` that of the leaf.
    domain, title, status, by : of the tag that says most; empty domain: none.
    sensitive : whether its values are to be masked.
    description : by a person.
    """

    column: str
    type: str
    domain: str = ""
    title: str = ""
    status: str = ""
    by: str = ""
    sensitive: bool = False
    description: str = ""
    terms: tuple[str, ...] = ()
    level: str = "personal"  # of what is sensitive: that, or secret


def comment(one: Meaning) -> str:
    """The comment of a column; empty where nothing is known of it.

    >>> comment(Meaning("mail", "string", "email", "E-mail address", "accepted", "ann", True, "For receipts."))
    'For receipts. (Assay: E-mail address; sensitive; accepted by ann)'
    >>> comment(Meaning("mail", "string", "email", "E-mail address", "proposed", "assay"))
    'Assay: E-mail address; proposed'
    """
    standing = f"accepted by {one.by}" if one.status == "accepted" else one.status
    parts = (one.title or one.domain, "sensitive" if one.sensitive else "", standing)
    said = "; ".join(part for part in parts if part)
    if not said:
        return one.description
    return f"{one.description} ({MARK}{said})" if one.description else f"{MARK}{said}"


def is_ours(text: str) -> bool:
    """Whether a comment was written from tags.

    >>> is_ours("Assay: ISBN; proposed"), is_ours("The book."), is_ours("The book. (Assay: ISBN; proposed)")
    (True, False, True)
    """
    return text.startswith(MARK) or f"({MARK}" in text


def name(part: str) -> str:
    """A quoted identifier.

    >>> name("a`b; DROP TABLE x")
    '`a``b; DROP TABLE x`'
    """
    return "`" + part.replace("`", "``") + "`"


def text(value: str) -> str:
    """A quoted string; line ends and quotes cannot leave it.

    >>> print(text("it's\\\\n"), text("a\\nb"))
    'it\\'s\\\\n' 'a b'
    """
    line = " ".join(value.split())
    return "'" + line.replace("\\", "\\\\").replace("'", "\\'") + "'"


def path(column: str, *, whole: bool = False) -> str:
    """A column as SQL names it: nested fields with dots between, or, `whole`, one name with dots in it."""
    return name(column) if whole else ".".join(map(name, column.split(".")))


def table_name(called: str) -> str:
    """A table of a catalog: one to three names with dots between. Errors: `UsageError`.

    >>> table_name("main.sales.orders")
    '`main`.`sales`.`orders`'
    """
    parts = [part.strip("`") for part in called.split(".")]
    if not 1 <= len(parts) <= 3 or not all(parts):
        raise UsageError(f"{called[:80]!r} names no table", remedy="write catalog.schema.table")
    return ".".join(map(name, parts))


def statements(
    table: str, columns: Iterable[Meaning], *, system: str, description: str = "", group: str = READERS
) -> list[str]:
    """The statements for a system of `FOR`, in the order in which they are to be run.

    Parameters
    ----------
    table : quoted, as that system names it.
    group : members of it see values that are masked for everybody else (Unity Catalog).
    """
    if system not in FOR:
        raise UsageError(f"nothing is known of {system[:20]!r}", remedy=f"use one of {', '.join(FOR)}")
    listed = list(columns)
    out = [f"COMMENT ON TABLE {table} IS {text(description)};"] if description else []
    masked = [one for one in listed if one.sensitive and "." not in one.column and _SIMPLE.fullmatch(one.type)]
    if system == "unity":
        out += [_function(table, kind, group) for kind in sorted({one.type for one in masked})]
    for one in listed:
        if said := comment(one):
            out.append(f"ALTER TABLE {table} ALTER COLUMN {path(one.column)} COMMENT {text(said)};")
        if system == "unity":
            out += _unity(table, one, one in masked)
    return out


def _unity(table: str, one: Meaning, masked: bool) -> Iterator[str]:
    if not (one.domain or one.terms or one.sensitive):
        return
    if "." in one.column:
        yield f"-- {_plain(one.column)} is a nested field, which Unity Catalog neither tags nor masks"
        return
    pairs = ([("assay_domain", one.domain), ("assay_status", one.status)] if one.domain else []) + (
        [("sensitivity", one.level)] if one.sensitive else []
    )
    pairs += [("terms", ", ".join(one.terms))] if one.terms else []
    said = ", ".join(f"{text(key)} = {text(value)}" for key, value in pairs)
    yield f"ALTER TABLE {table} ALTER COLUMN {name(one.column)} SET TAGS ({said});"
    if masked:
        yield f"ALTER TABLE {table} ALTER COLUMN {name(one.column)} SET MASK {_mask(table, one.type)};"
    elif one.sensitive:
        yield f"-- {_plain(one.column)} is of type {_plain(one.type)}, for which no mask can be written here"


def _function(table: str, kind: str, group: str) -> str:
    shown = MASKED_AS.get(kind, f"CAST(NULL AS {kind})")
    return (
        f"CREATE OR REPLACE FUNCTION {_mask(table, kind)}(value {kind.upper()}) RETURN "
        f"CASE WHEN is_account_group_member({text(group)}) THEN value ELSE {shown} END;"
    )


def _mask(table: str, kind: str) -> str:
    """The function that masks a type, beside the table."""
    schema = table.rpartition(".")[0]
    return (f"{schema}." if schema else "") + name("assay_mask_" + re.sub(r"\W+", "_", kind).strip("_"))


def _plain(value: str) -> str:
    """A name within a comment of SQL, which ends with its line."""
    return "".join(c if c.isprintable() else "?" for c in value)[:120]
