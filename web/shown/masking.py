"""Texts of sensitive columns in what pages show beside rows and profiles: only their shape may be seen."""

from __future__ import annotations

from typing import Any

from catalog.tags.privacy.masking import mask_all


def masked_texts(value: Any) -> Any:
    """JSON data with its texts masked; figures stay.

    >>> masked_texts({"rows": 12, "looks": [["Ann", 3]]})
    {'rows': 12, 'looks': [['Aaa', 3]]}
    """
    if isinstance(value, dict):
        return {name: masked_texts(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [masked_texts(part) for part in value]
    return mask_all(value) if isinstance(value, str) else value
