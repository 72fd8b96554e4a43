"""The formats of other tools by name: who writes them, who reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from catalog.declared.constraint import Constraint
from catalog.errors import UsageError
from catalog.rules.exchange.demands import Asked, Lost
from catalog.rules.exchange.documents import decoded, form_of, parsed
from catalog.rules.exchange.formats import dbt, delta, dqdl, dqx, gx, odcs, soda

Writer = Callable[[str, Sequence[Constraint]], tuple[Any, list[Lost]]]
WRITERS: dict[str, Writer] = {
    "odcs": odcs.write, "dqdl": dqdl.write, "dqx": dqx.write, "gx": gx.write, "check": delta.write,
}  # fmt: skip
#: Those that take what a YAML or JSON file says, and those that take its text.
_OF_DATA: dict[str, Callable[[Any], Iterable[Asked]]] = {
    "odcs": odcs.read, "dqx": dqx.read, "gx": gx.read, "soda": soda.read, "dbt": dbt.read,
}  # fmt: skip
_OF_TEXT: dict[str, Callable[[str], Iterable[Asked]]] = {"dqdl": dqdl.read, "check": delta.read}
READERS = (*_OF_DATA, *_OF_TEXT)
MOST_DEMANDS = 5_000  # a bound: more than people write


def read_contract(data: bytes, form: str = "") -> tuple[str, list[Asked]]:
    """The format of a contract, guessed where it is not given, and its demands.

    Raises `UsageError` where nothing of it can be read.

    >>> read_contract(b'Rules = [ IsComplete "id" ]')[0]
    'dqdl'
    """
    text = decoded(data)
    form = form or form_of(text)
    if form not in READERS:
        raise UsageError(f"there is no format {form[:40]!r}", remedy=f"use one of {', '.join(READERS)}")
    try:
        found = list(_some(_OF_TEXT[form](text) if form in _OF_TEXT else _OF_DATA[form](parsed(text))))
    except RecursionError:
        raise UsageError("the contract is nested too deeply", remedy="write it with fewer levels") from None
    if not found:
        raise UsageError(f"the file holds no demand that is read as {form}", remedy="say with --as what it is")
    return form, found


def _some(found: Iterable[Asked]) -> Iterator[Asked]:
    for number, one in enumerate(found):
        if number >= MOST_DEMANDS:
            raise UsageError(f"the contract has more than {MOST_DEMANDS:,} demands", remedy="part it")
        yield one
