"""Checks as YAML files that people keep in their git: read with the line of every mistake, and written."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import RoundTripConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from catalog.declared.check import Check
from catalog.declared.constraint import COMMON, Constraint
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.errors import UsageError

#: Characters of a file, and checks in it: more than people write, less than what would take minutes to read. Bounds.
LARGEST, MOST_CHECKS = 1 << 20, 5_000
#: Brackets that may be open at once: the parser takes time in the square of them. A bound.
DEEPEST = 100
_BRACKETS = re.compile(r"[\[\]{}]")


class _Dates(RoundTripConstructor):
    """Reads dates and times as the texts that they are written as: a date means the same with quotes and without, and
    what the catalog keeps of a check is JSON."""


_Dates.add_constructor("tag:yaml.org,2002:timestamp", lambda constructor, node: node.value)


class FileError(UsageError):
    """A file of checks that cannot be used, with the line."""


def read_checks(text: str) -> list[Check]:
    """The checks of a YAML text, nothing of it where any of it is wrong.

    Raises `FileError`, which names the line and what to write instead; of several mistakes the first, with the others
    as its `more`.

    >>> checks = read_checks('''
    ... tables:
    ...   sales/orders:
    ...     - is_complete: id
    ...     - is_in: currency
    ...       values: [EUR, USD]
    ...       level: warning
    ...     - has_mean: amount
    ...       at_most: 500
    ...       where: paid
    ... ''')
    >>> [one.sentence for one in checks[0].constraints][1:]
    ['every value of currency is one of EUR, USD', 'mean of amount is at most 500, where paid']
    """
    document = _parsed(text)
    tables = document.get("tables") if isinstance(document, Mapping) else None
    if not isinstance(tables, Mapping):
        raise FileError("the file has no tables", remedy="begin with `tables:` and a list of checks under each table")
    for extra in document:
        if extra not in ("tables", "version"):
            raise FileError(f"line {_line(document, extra)}: unknown key {extra!r}", remedy="use `tables`")
    wrong: list[FileError] = []
    checks = [_check(str(name), entries, _line(tables, name), wrong) for name, entries in tables.items()]
    if wrong:
        raise wrong[0].with_more(wrong[1:])
    return checks


def depth(text: str) -> int:
    """How deep brackets are open at most; those within texts count, of which a file of checks has few."""
    depth = deepest = 0
    for mark in _BRACKETS.findall(text):
        depth = depth + 1 if mark in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def _parsed(text: str) -> Any:
    if len(text) > LARGEST:
        raise FileError(f"the file has {len(text):,} characters", remedy="part it into several files")
    if depth(text) > DEEPEST:
        raise FileError(f"the file nests more than {DEEPEST} lists", remedy="write each check as an entry of its own")
    loader = YAML(typ="rt", pure=True)
    loader.allow_duplicate_keys = False
    try:
        # an alias can stand for an alias for an alias: a few lines that grow beyond any memory
        for event in loader.parse(io.StringIO(text)):
            if getattr(event, "anchor", None):
                line = event.start_mark.line + 1
                raise FileError(f"line {line}: the file uses anchors or aliases", remedy="write each check out")
        reader = YAML(typ="rt", pure=True)
        reader.Constructor = _Dates
        return reader.load(io.StringIO(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise FileError(f"{where}{error.problem or error.context}", remedy="correct the YAML") from None
    except (YAMLError, RecursionError, ValueError) as error:
        raise FileError(f"the file is no YAML ({type(error).__name__})", remedy="correct the YAML") from None


def _line(holder: Any, key: Any = None) -> int:
    try:
        return int(holder.lc.key(key)[0] if key is not None else holder.lc.line) + 1
    except (AttributeError, KeyError, TypeError):
        return 1


def _check(table: str, entries: Any, line: int, wrong: list[FileError]) -> Check:
    """The checks of a table that are right; what is `wrong` is added there."""
    check = Check(table)
    if not isinstance(entries, list):
        wrong.append(FileError(f"line {line}: the checks of {table} are no list", remedy="begin each with `- `"))
        return check
    if len(entries) > MOST_CHECKS:
        raise FileError(
            f"line {line}: {table} has {len(entries):,} checks", remedy=f"at most {MOST_CHECKS:,} can be told apart"
        )
    for entry in entries:
        at = _line(entry) if isinstance(entry, Mapping) else line
        try:
            check = check.with_constraint(_constraint(entry, at), at)
        except FileError as error:
            wrong.append(error)
        except UsageError as error:
            wrong.append(FileError(f"line {at}: {error.cause}", remedy=error.remedy))
    return check


def _constraint(entry: Any, line: int) -> Constraint:
    """`line`: where it stands, or where the list begins that holds it."""
    if isinstance(entry, str):
        entry = CommentedMap({entry: None})
    if not isinstance(entry, Mapping):
        raise FileError(f"line {line}: {entry!r} is no check", remedy="write `- is_complete: column`")
    kinds = [name for name in entry if name in CHECK_KINDS]
    if len(kinds) != 1:
        said = next((str(name) for name in entry if name not in COMMON), "")
        cause = f"there is no check {said!r}" if not kinds else f"{kinds[0]} and {kinds[1]} stand in one entry"
        raise FileError(f"line {line}: {cause}", remedy="one check an entry; `assay check kinds` lists them")
    kind, told = kinds[0], {str(k): _plain(v) for k, v in entry.items() if k != kinds[0]}
    columns = entry[kind]
    if CHECK_KINDS[kind].columns[1] == 0 and isinstance(columns, str):  # satisfies: price > 0
        told.setdefault("condition", columns)
        columns = None
    names = columns if isinstance(columns, list) else [] if columns is None else [columns]
    common = {name: told.pop(name) for name in COMMON if name in told}
    try:
        return Constraint(kind, tuple(map(str, names)), told, **common)
    except UsageError as error:
        raise FileError(f"line {line}: {error.cause}", remedy=error.remedy) from None


def _plain(value: Any) -> Any:
    """Values without what the loader keeps of their spelling."""
    if isinstance(value, CommentedSeq | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value


def write_checks(checks: Iterable[Check]) -> str:
    """Inverse of `read_checks`.

    >>> print(write_checks([Check("orders").satisfies(condition="a > 0").has_size(at_least=1)]))
    tables:
      orders:
        - satisfies: a > 0
        - has_size:
          at_least: 1
    <BLANKLINE>
    """
    tables: dict[str, list[dict[str, Any]]] = {}
    for check in checks:
        tables.setdefault(check.table, []).extend(_entry(one) for one in check.constraints)
    out = io.StringIO()
    writer = YAML(typ="rt", pure=True)
    writer.indent(mapping=2, sequence=4, offset=2)
    writer.representer.add_representer(type(None), lambda r, _: r.represent_scalar("tag:yaml.org,2002:null", ""))
    writer.dump({"tables": tables}, out)
    return out.getvalue()


def _entry(constraint: Constraint) -> dict[str, Any]:
    kind = CHECK_KINDS[constraint.kind]
    columns: Any = list(constraint.columns)
    arguments = dict(constraint.arguments)
    if kind.columns[1] == 0:
        columns = arguments.pop("condition", None)
    elif len(columns) <= 1:
        columns = columns[0] if columns else None
    plain = Constraint(constraint.kind, constraint.columns, constraint.arguments, *(
        (None, None) if not kind.needs_band else (constraint.at_least, constraint.at_most)
    ))  # fmt: skip
    kept = {
        name: getattr(constraint, name)
        for name in COMMON
        if getattr(constraint, name) != getattr(plain, name) or (kind.needs_band and name in ("at_least", "at_most"))
    }
    return {kind.name: columns, **arguments, **{name: value for name, value in kept.items() if value is not None}}
