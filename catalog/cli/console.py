"""What the command line says: tables for people, JSON for programs, errors as cause and remedy, progress bars.

Exit codes: 0 passed, 1 a check failed, 2 a warning, or a table or folder could not be read and the others were, 3 an
error, or nothing to judge yet, 4 results could not be delivered, 130 interrupted (128 and the number of SIGINT, as
shells have it).
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from catalog.errors import AssayError

if TYPE_CHECKING:
    from rich.console import Console

    from catalog.store.pages.lines import Page
    from catalog.store.schemas.listing import Listing

PASSED, FAILED, WARNED, ERROR, UNDELIVERED, INTERRUPTED = 0, 1, 2, 3, 4, 130
ENDED = ("done", "failed", "cancelled")
#: Words of a table that are kept whole, in characters: names of tables are read and typed again. A bound of width.
MOST_WHOLE = 24
#: Pieces of words in a column may be no shorter; where they would be, each row is a block of lines. Chosen: dates fit.
LEAST = 10
MOST_ERRORS = 50  # of one file that are told; a bound
#: Width of what is written into a file or a pipe, in characters: more than a line of a table takes. A bound.
FILE = 100_000
BETWEEN = 3  # characters from one column of a table to the next, as rich sets them
#: Columns of numbers that name something: they are typed again as they stand.
NUMBERS = ("id", "event", "version", "rule", "incident", "value")


@cache
def out() -> Console:
    """Where people are told what they asked for."""
    from rich.console import Console

    console = Console(soft_wrap=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = FILE  # who reads a file or a pipe searches it line by line
    return console


@cache
def err() -> Console:
    """Where they are told what is going on and what is wrong."""
    from rich.console import Console

    return Console(stderr=True)


def emit(data: Any, as_json: bool, show: Callable[[], None], stretch: Page | Listing | None = None) -> None:
    """Print the data, or what it makes where it is a function, as JSON, or show it to a person; where it is a `stretch`
    of a list that goes on, that is said last."""
    if as_json:
        sys.stdout.write(as_text(data() if callable(data) else data, indent=2) + "\n")
        return
    show()
    if stretch and (following := stretch.offset + len(stretch.items)) < stretch.total:
        remark(f"{stretch.total - following:,} more: `--offset {following}` goes on, `--limit` says how many at a time")


def as_text(data: Any, indent: int | None = None) -> str:
    """Data as JSON that every reader takes: what is no number is null, and what is no text is escaped.

    >>> as_text({"a": [float("nan"), 1.5], "b": "é"}), as_text("\\ud800")
    ('{"a": [null, 1.5], "b": "é"}', '"\\\\ud800"')
    """
    try:
        text = json.dumps(data, indent=indent, default=_json, ensure_ascii=False, allow_nan=False)
    except ValueError:  # rare: the data is walked through only then
        text = json.dumps(_finite(data), indent=indent, default=_json, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(_finite(data), indent=indent, default=_json)
    return text


def _finite(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _json(value: Any) -> Any:
    """Times and schemas as the API writes them."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return value.isoformat().replace("+00:00", "Z") if hasattr(value, "isoformat") else str(value)


def say(text: str, style: str | None = None) -> None:
    """A line for a person. Names and values in it are data, never markup."""
    from rich.markup import escape

    out().print(escape(text), style=style, highlight=False)


def grid(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], empty: str = "none") -> None:
    """Rows in columns, without those that no row fills; words stay whole where there is room. Columns of numbers are
    set to the right. Where so many columns would break words into scraps, each row is a block, a line for a value."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    cells = [[("" if cell is None else cell) for cell in row] for row in rows]
    if not cells:
        say(f"{title}: {empty}" if title else empty)
        return
    filled = [i for i in range(len(columns)) if any(row[i] != "" for row in cells)]
    table = Table(title=escape(title) or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    texts = [[_text(row[i], columns[i]) for i in filled] for row in cells]
    widths = _widths([[columns[i] for i in filled], *texts], out().width)
    if _scraps([[columns[i] for i in filled], *texts], widths):
        _blocks(title, [columns[i] for i in filled], texts)
        return
    for i, width in zip(filled, widths, strict=True):
        numeric = columns[i] not in NUMBERS and all(isinstance(row[i], int | float) or row[i] == "" for row in cells)
        table.add_column(columns[i], justify="right" if numeric else "left", overflow="fold", width=width)
    for row in texts:
        table.add_row(*map(escape, row))
    out().print(table)


def _widths(texts: Sequence[Sequence[str]], room: int) -> list[int]:
    """Widths of columns in so much room: of what is too wide, texts are folded between words before words are.

    >>> _widths([["table", "what"], ["shop/exchange_rates", "it broke again"]], 34)
    [19, 10]
    >>> _widths([["column"], ["郵便番号"]], 34)
    [8]
    """
    from rich.cells import cell_len  # characters of East Asia take two cells each

    columns = list(zip(*texts, strict=True))
    widths = [max(cell_len(line) for text in column for line in text.splitlines() or [""]) for column in columns]
    words = [max((cell_len(word) for text in column for word in text.split()), default=1) for column in columns]
    while sum(widths) + BETWEEN * len(widths) - 1 > room and max(widths) > 1:
        loose = [width - min(word, MOST_WHOLE) for width, word in zip(widths, words, strict=True)]
        from_these = [width if free > 0 else 0 for width, free in zip(widths, loose, strict=True)]
        give = from_these if max(from_these) else widths
        widths[give.index(max(give))] -= 1
    return widths


def _scraps(texts: Sequence[Sequence[str]], widths: Sequence[int]) -> bool:
    """Whether a column of such a width breaks a word into pieces that nobody reads.

    >>> _scraps([["customer_id"], ["17"]], [2]), _scraps([["customer_id"], ["17"]], [11])
    (True, False)
    """
    from rich.cells import cell_len

    columns = zip(*texts, strict=True)
    longest = [max((cell_len(word) for text in column for word in text.split()), default=1) for column in columns]
    return any(width < min(word, LEAST) for width, word in zip(widths, longest, strict=True))


def _blocks(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if title:
        say(title, "italic")
    width = max(map(len, heads))
    for number, row in enumerate(rows):
        if number:
            say("")
        for head, text in zip(heads, row, strict=True):
            if text:
                say(f"  {head:<{width}}  " + text.replace("\n", "\n" + " " * (width + 4)))


def _text(cell: Any, name: str) -> str:
    return f"{cell:,}" if isinstance(cell, int) and name not in NUMBERS else str(cell)


def nothing(noun: str, asked: Iterable[Any], otherwise: str) -> str:
    """What an empty list says: that nothing is like what was asked for, or how there comes to be something.

    >>> nothing("tables", ["", None, "email"], "a crawl finds them"), nothing("tables", [], "a crawl finds them")
    ('no tables like that', 'no tables yet: a crawl finds them')
    """
    return f"no {noun} like that" if any(asked) else f"no {noun} yet: {otherwise}"


def complain(error: Exception) -> None:
    """An error on standard error: cause; remedy. Those that were found with it each on a line of its own."""
    from rich.markup import escape

    more = error.more if isinstance(error, AssayError) else ()
    for one in (error, *more[:MOST_ERRORS]):
        err().print(f"assay: {escape(str(one))}", style="red", highlight=False, soft_wrap=True)
    if more[MOST_ERRORS:]:
        err().print(f"assay: and {len(more) - MOST_ERRORS} more", style="red", highlight=False)


def remark(text: str) -> None:
    """What is going on, on standard error: for whoever wonders why nothing comes."""
    from rich.markup import escape

    err().print(escape(text), highlight=False, soft_wrap=True)


@contextmanager
def bar(title: str, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar on standard error; the block calls ``tell(done, total, phase)``."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err(), transient=True, disable=quiet or not err().is_terminal) as progress:
        task = progress.add_task(title, total=None)

        def tell(done: int, total: int, phase: str) -> None:
            progress.update(task, completed=done, total=total or None, description=f"{title}: {phase or 'waiting'}")

        yield tell


def plain(row: Any, *names: str, **more: Any) -> dict[str, Any]:
    """Fields of a row of the catalog as JSON data; times as ISO texts.

    >>> from catalog.store.models import Source
    >>> plain(Source(name="shop", uri="/lake"), "name", "uri", tables=3)
    {'name': 'shop', 'uri': '/lake', 'tables': 3}
    """
    values = {name: getattr(row, name) for name in names} | more
    return {name: _json(value) if hasattr(value, "isoformat") else value for name, value in values.items()}


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "table"), count(2, "table"), count(3, "check")
    ('1 table', '2 tables', '3 checks')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def size(number: float) -> str:
    """Bytes for people.

    >>> size(12), size(3_400_000)
    ('12 B', '3.4 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


def share(value: float | None) -> str:
    """A share as a percentage, nothing where there is none.

    >>> share(0.25), share(None)
    ('25%', '')
    """
    return "" if value is None else f"{value:.0%}"


def pairs(data: Mapping[str, Any]) -> None:
    """Names and values, one a line."""
    width = max(map(len, data), default=0)
    for name, value in data.items():
        say(f"  {name:<{width}}  {value}")
