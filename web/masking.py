"""Values of sensitive columns: only their shape may be seen.

The catalog's offending rows are masked before they are kept; pages mask once more, because a column may have become
sensitive since.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from catalog.tags.masking import mask


def masked(value: Any) -> Any:
    """The value with only its shape left; lists and structs keep their form, nothing stays nothing.

    >>> masked("Ann.Lee@mail.example"), masked(-41.5), masked(None), masked([1, {"a": "b"}])
    ('Aaa.Aaa@aaaa.aaaaaaa', '-99.9', None, ['9', {'a': 'a'}])
    """
    if value is None:
        return None
    if isinstance(value, dict):
        return {key: masked(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [masked(part) for part in value]
    return mask(value)


def masked_texts(value: Any) -> Any:
    """JSON data with its texts masked; figures stay.

    >>> masked_texts({"rows": 12, "looks": [["Ann", 3]]})
    {'rows': 12, 'looks': [['Aaa', 3]]}
    """
    if isinstance(value, dict):
        return {name: masked_texts(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [masked_texts(part) for part in value]
    return masked(value) if isinstance(value, str) else value


def mask_rows(rows: Iterable[dict[str, Any]], sensitive: set[str]) -> list[dict[str, Any]]:
    """Rows with the cells of sensitive columns masked; a struct that holds a sensitive leaf is masked whole.

    >>> mask_rows([{"id": 1, "who": {"mail": "a@b.c"}}], {"who.mail"})
    [{'id': 1, 'who': {'mail': 'a@a.a'}}]
    """
    roots = sensitive | {name.split(".", 1)[0] for name in sensitive}
    return [{name: masked(cell) if name in roots else cell for name, cell in row.items()} for row in rows]
