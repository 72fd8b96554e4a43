"""Contracts as they come: bytes to text, text to data without harm, and which tool wrote them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import yaml

from catalog.declared.files import DEEPEST, LARGEST, depth
from catalog.errors import UsageError

#: Entries that a file may stand for once its aliases are written out; a bound of memory.
MOST_ENTRIES = 100_000
_DQDL = re.compile(r"^\s*(Rules|Analyzers|Metadata|DataSources)\s*=\s*[\[{]", re.M)
_DELTA = re.compile(r"\bADD\s+CONSTRAINT\b.*\bCHECK\s*\(", re.I | re.S)
_AS = "say with --as what it is: odcs, dqdl, dqx, gx, soda, dbt or check"


def decoded(data: bytes) -> str:
    """The text of a file. Raises `UsageError` for what is neither UTF-8 nor UTF-16 with its mark, or too long.

    >>> decoded("é".encode("utf-16")), decoded(b"\\xef\\xbb\\xbfa")
    ('é', 'a')
    """
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the file is no text in UTF-8 (byte {error.start:,})", remedy="save it in UTF-8, and try again"
        ) from None
    if len(text) > LARGEST:
        raise UsageError(f"the file has {len(text):,} characters", remedy="part it into several files")
    return text


def parsed(text: str) -> Any:
    """What a text in YAML or JSON says. Raises `UsageError` with the line of a mistake.

    >>> parsed("a: &x [1]\\nb: *x"), parsed('{"a": 1}')
    ({'a': [1], 'b': [1]}, {'a': 1})
    """
    if depth(text) > DEEPEST:
        raise UsageError(f"the file nests more than {DEEPEST} lists", remedy="write it with fewer")
    try:
        if text.lstrip()[:1] in ("{", "["):
            try:
                return json.loads(text)
            except ValueError:
                pass  # YAML in one line
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is None:
            raise UsageError("the file is empty", remedy="give a contract")
        _written_out(node, {})
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise UsageError(f"{where}{error.problem or error.context}", remedy="correct the YAML") from None
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        raise UsageError(f"the file is no YAML ({type(error).__name__})", remedy="correct the YAML") from None


def _written_out(node: yaml.Node, known: dict[int, int | None]) -> int:
    """Entries of a node with aliases written out, of which a few lines can stand for more than any memory holds.
    `known`: by node, None while it is counted: it holds itself."""
    if id(node) in known:
        found = known[id(node)]
        if found is None:
            raise UsageError("an alias of the file stands for itself", remedy="write each entry out")
        return found
    known[id(node)] = None
    count = 1
    if isinstance(node, yaml.SequenceNode):
        count += sum(_written_out(one, known) for one in node.value)
    elif isinstance(node, yaml.MappingNode):
        count += sum(_written_out(key, known) + _written_out(one, known) for key, one in node.value)
    if count > MOST_ENTRIES:
        raise UsageError(
            f"aliases of the file stand for more than {MOST_ENTRIES:,} entries", remedy="write each entry out"
        )
    known[id(node)] = count
    return count


def form_of(text: str) -> str:
    """Which tool's contract a text is: a name of `catalog.rules.exchange.registry.READERS`. Raises `UsageError`
    where it cannot be told.

    >>> form_of('Rules = [ IsComplete "id" ]'), form_of("checks for orders:\\n  - row_count > 0")
    ('dqdl', 'soda')
    """
    if _DQDL.search(text):
        return "dqdl"
    if _DELTA.search(text):
        return "check"
    data = parsed(text)
    first = data[0] if isinstance(data, list) and data else None
    names = {str(name) for name in (data if isinstance(data, Mapping) else first if isinstance(first, Mapping) else ())}
    if isinstance(data, list):
        found = "dqx" if "check" in names else "gx" if names & {"type", "expectation_type"} else ""
    elif "expectations" in names:
        found = "gx"
    elif "apiVersion" in names or data_contract(data):
        found = "odcs"
    elif any(name.startswith(("checks for ", "for each dataset ")) for name in names):
        found = "soda"
    elif names & {"models", "sources", "seeds", "snapshots"}:
        found = "dbt"
    elif "tables" in names:
        raise UsageError("these are checks of Assay itself", remedy="`assay check apply` takes them")
    else:
        found = ""
    if not found:
        raise UsageError("nothing in the file tells which tool it is of", remedy=_AS)
    return found


def data_contract(data: Any) -> bool:
    return isinstance(data, Mapping) and data.get("kind") == "DataContract"


# ------------------------------------------------------------------------------------------ what is expected where


def text_of(given: Any, what: str) -> str:
    """Raises `UsageError` for what is no text."""
    if isinstance(given, str) and given.strip():
        return given
    raise UsageError(f"{what} is no text" if given is not None else f"{what} is missing", remedy="correct the contract")


def name_of(given: Any, what: str = "the column") -> str:
    """A name, which people may write as a number."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else text_of(given, what).strip()


def number_of(given: Any, what: str) -> float | int:
    """A finite number, also one that is written as a text.

    >>> number_of("0.5 ", "share"), number_of(3, "share")
    (0.5, 3)
    """
    if isinstance(given, str):
        try:
            given = float(given) if re.search(r"[.eE]", given) else int(given)
        except ValueError:
            given = None
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise UsageError(f"{what} is no number", remedy="correct the contract")
    return given


def list_of(given: Any, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise UsageError(f"{what} is no list", remedy="correct the contract")
    return given


def map_of(given: Any, what: str) -> Mapping[str, Any]:
    """A mapping by texts."""
    if not isinstance(given, Mapping):
        raise UsageError(f"{what} is no mapping of names", remedy="correct the contract")
    return {str(name): one for name, one in given.items()}


def mapping(given: Any) -> Mapping[str, Any]:
    """A mapping where one is given, nothing of what is none."""
    return map_of(given, "") if isinstance(given, Mapping) else {}


def entries(given: Any) -> list[Any]:
    """A list where one is given, nothing of what is no list."""
    return given if isinstance(given, list) else []
