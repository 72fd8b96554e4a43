"""Actions of a log: parsed from a commit or a checkpoint, their values taken for what they are worth.

A log is untrusted. What an action must have (a path, a schema) is demanded; what only describes (times, sizes,
comments) is left out where it cannot be, so that it never costs the table.
"""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from catalog.errors import CorruptLog
from catalog.lake.types import LARGEST, DataFile

Action = dict[str, Any]

_ROWS = re.compile(r'"numRecords"\s*:\s*(\d{1,18})(?!\d)')
#: What no database keeps as text: halves of surrogate pairs, and the zero character.
_NO_TEXT = re.compile("[\ud800-\udfff\x00]")
#: Actions that name a file by its path.
_OF_FILES = ("add", "remove", "cdc", "sidecar")
#: The year 9999 is left out: a wait added to it would be no date any more.
_LATEST = datetime(9999, 1, 1, tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_actions(data: bytes, what: str) -> list[Action]:
    """The actions of a commit: one a line, or JSON objects laid out in any way. Raises `CorruptLog` naming `what`."""
    actions: list[Action] = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            actions.append(_action(line))
        except (ValueError, RecursionError) as error:
            laid_out = _laid_out(data)
            if laid_out is not None:
                return laid_out
            raise CorruptLog(f"{what} is damaged: line {number} is no JSON action ({error})") from error
    return actions


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


#: Numbers that JSON has no words for are taken for none: databases refuse them.
_DECODER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_finite)


def _action(line: bytes) -> Action:
    return _checked(_DECODER.decode(line.decode("utf-8-sig")), line)


def _checked(action: Any, source: bytes) -> Action:
    if not isinstance(action, dict):
        raise ValueError("an action is a JSON object")
    return cleaned(action) if b"\\u" in source else action


def _laid_out(data: bytes) -> list[Action] | None:
    """The actions of a commit whose objects span lines; None when it is no such text."""
    actions: list[Action] = []
    try:
        text = data.decode("utf-8-sig").strip()
        at = 0
        while at < len(text):
            action, at = _DECODER.raw_decode(text, at)
            actions.append(_checked(action, data))
            while at < len(text) and text[at].isspace():
                at += 1
    except (ValueError, RecursionError):
        return None
    return actions


def cleaned(action: Action) -> Action:
    """An action whose texts can be stored. Only the path of a file is left as it is, for `data_file` to judge."""
    found: Action = clean(action)
    for name, told in action.items():
        if name in _OF_FILES and isinstance(told, dict) and "path" in told:
            found[name]["path"] = told["path"]
    return found


def clean(value: Any) -> Any:
    """JSON data whose texts can be stored: what is no Unicode text is replaced."""
    match value:
        case str():
            return _NO_TEXT.sub("\ufffd", value)
        case dict():
            return {clean(key): clean(item) for key, item in value.items()}
        case list():
            return [clean(item) for item in value]
        case _:
            return value


def file_path(text: Any) -> str:
    """A path as the log writes it, percent-decoded; raises `CorruptLog` when it is no valid text."""
    try:
        path = unquote(text, errors="strict")
        path.encode()
        if not path or "\0" in path:
            raise ValueError("empty, or with a zero character")
    except (TypeError, ValueError, AttributeError) as error:
        raise CorruptLog("the log lists a file whose path is no valid text") from error
    return path


def data_file(action: Action) -> DataFile:
    """An add or remove action as data file; raises `CorruptLog` without a usable path."""
    if not isinstance(action, dict) or "path" not in action:
        raise CorruptLog("the log lists a file without a path")
    stats, parsed = action.get("stats"), action.get("stats_parsed")
    rows = _ROWS.search(stats) if isinstance(stats, str) else None
    told = parsed.get("numRecords") if isinstance(parsed, dict) else None
    vector = action.get("deletionVector")
    return DataFile(
        file_path(action["path"]),
        count(action.get("size")) or 0,
        mapping(action.get("partitionValues")),
        _left(int(rows[1]) if rows else count(told), vector),
        _vector(vector),
        moment(action.get("modificationTime")),
    )


def key(action: Action) -> str:
    """Identity of the content that an add or remove action is about."""
    return data_file(action).key


def count(value: Any) -> int | None:
    """A count or size; None where it is no number or out of range."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number <= LARGEST else None


def moment(milliseconds: Any) -> datetime | None:
    """A time in epoch milliseconds; None where it is no number, before 1970 or beyond the year 9998.

    >>> moment(1e15) is None, moment("x") is None, moment(0).year
    (True, True, 1970)
    """
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    try:
        found = datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return found if _EPOCH <= found < _LATEST else None


def mapping(value: Any) -> dict[str, Any]:
    """A map as JSON has it (object) or as Arrow gives it (list of pairs)."""
    return dict(value or {})


def _left(rows: int | None, vector: Any) -> int | None:
    """How many of a file's rows its deletion vector leaves; None where the log does not say.

    >>> _left(130, None), _left(130, {"cardinality": 5}), _left(130, {}), _left(130, {"cardinality": "many"})
    (130, 125, 130, None)
    """
    if not vector or rows is None:
        return rows
    deleted = count(vector.get("cardinality"))
    return None if deleted is None or deleted > rows else rows - deleted


def _vector(told: Any) -> str | None:
    """Identity of a deletion vector: Delta's ``uniqueId``. One that is inline has no offset, whatever is written."""
    if not told:
        return None
    kind, place, offset = told.get("storageType"), told.get("pathOrInlineDv"), told.get("offset")
    if kind not in ("u", "i", "p") or not isinstance(place, str) or not place:
        raise CorruptLog("the log lists a deletion vector of an unknown kind")
    if offset is None or kind == "i":
        return f"{kind}{place}"
    return f"{kind}{place}@{int(offset)}"
