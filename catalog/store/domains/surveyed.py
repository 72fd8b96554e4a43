"""Reading the figures of the pattern index that a survey left beside it."""

from __future__ import annotations

import json
from typing import Any

from catalog.settings import Settings

SURVEY = "survey.json"


def read_survey(settings: Settings) -> dict[str, Any] | None:
    """What the last survey found, None before the first one (or where it cannot be read)."""
    try:
        found = json.loads((settings.index_path / SURVEY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
