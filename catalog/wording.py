"""Numbers with their nouns, and texts as they are compared. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import normalize

_ACCENTS = re.compile("[\u0300-\u036f]")
#: `folded` in the words of PostgreSQL, but for the case: ILIKE takes both.
FOLDED = (
    r"normalize(regexp_replace(normalize(replace(replace({0}, 'ß', 'ss'), 'ς', 'σ'), NFKD), "
    r"'[\u0300-\u036f]', '', 'g'), NFC)"
)


def folded(text: object) -> str | None:
    """A text as searches compare it: in any case and without accents, however these are written. None stays None.

    >>> folded("CAFE\\N{COMBINING ACUTE ACCENT}"), folded("São Straße"), folded("ORDERS"), folded(None)
    ('cafe', 'sao strasse', 'orders', None)
    """
    if text is None:
        return None
    plain = str(text)
    if plain.isascii():
        return plain.lower()
    return normalize("NFC", _ACCENTS.sub("", normalize("NFKD", plain.casefold())))


def counted(count: int, noun: str, many: str = "") -> str:
    """A count with its noun, whose plural is `many` where it is not made by an s.

    >>> counted(1, "row"), counted(0, "row"), counted(1200, "row"), counted(2, "batch", "batches")
    ('1 row', '0 rows', '1,200 rows', '2 batches')
    """
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def unlisted(folders: Sequence[str], many: int = 0) -> str:
    """How folders are told that cannot be listed, of `many` where these are not all.

    >>> unlisted(["raw/hr"]), unlisted(list("abcdefghij"), 12)
    ('1 folder cannot be listed (raw/hr)', '12 folders cannot be listed (a, b, c, d, e, f, g, h and 4 more)')
    """
    many = max(many, len(folders))
    few = ", ".join(folders[:8]) + (f" and {many - 8:,} more" if many > 8 else "")
    return f"{counted(many, 'folder')} cannot be listed ({few})"


def do(count: int, many: str, one: str = "") -> str:
    """A verb as its subject's count asks for it; of one with an s where nothing else is told.

    >>> do(1, "break"), do(2, "break"), do(1, "are", "is")
    ('breaks', 'break', 'is')
    """
    return many if count != 1 else one or many + "s"


def within(table: str, said: str) -> str:
    """A sentence where its table is named beside it: of its columns the names alone.

    >>> within("web/pay", "Amounts in `web/pay.amount` are large, those of `b.pay.x` are not.")
    'Amounts in `amount` are large, those of `b.pay.x` are not.'
    >>> within("pay", "`pay` has no rows.")
    'The table has no rows.'
    """
    told = said.replace(f"`{table}.", "`").replace(f"`{table}`", "the table")
    return f"T{told[1:]}" if said.startswith(f"`{table}`") else told


_OF_VALUES = (
    ("of the rows have values that are", "of the values are"),
    ("of the rows have values of a form", "of the values are of a form"),
    ("of the rows of the batch before had values that are", "of the values of the batch before are"),
    ("of the rows hold a value in", "of the values are there in"),
    ("of the rows", "of the values"),
    ("null rows", "null values"),
    ("or empty rows", "or empty values"),
    ("per row", "per value"),
    ("Single rows of", "Single values of"),
)


def of_values(said: str) -> str:
    """A sentence about rows as one about what lists hold.

    >>> of_values("at most 3% of the rows are null"), of_values("6% of the rows have values that are new")
    ('at most 3% of the values are null', '6% of the values are new')
    """
    for rows, values in _OF_VALUES:
        said = said.replace(rows, values)
    return said


def one_in(rate: float) -> str:
    """A small rate as people say it. One of zero, as published learners state, is no promise.

    >>> one_in(0.001), one_in(0.0), one_in(0.00025), one_in(0.5)
    ('1 in 1,000', 'none estimated', '1 in 4,000', '1 in 2')
    """
    return f"1 in {1 / rate:,.0f}" if rate > 0 else "none estimated"
