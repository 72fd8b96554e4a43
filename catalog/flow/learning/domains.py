"""The domains that a lake has of its own: YAML files that the settings name."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import structlog

from catalog.domains.domain import Domain
from catalog.domains.known import KNOWN, use_own
from catalog.domains.load import read
from catalog.errors import UsageError

log = structlog.get_logger()

THEME = "this lake"


def own_files(place: str) -> list[Path]:
    """The files that a setting names: one, or all of a folder. Errors: `UsageError` when there is nothing."""
    if not place:
        return []
    path = Path(place)
    found = sorted([*path.glob("*.yaml"), *path.glob("*.yml")]) if path.is_dir() else [path]
    if not path.exists() or not found:
        raise UsageError(f"there is no YAML file at {place}", remedy="correct ASSAY_DOMAINS")
    return found


def own_domains(place: str) -> tuple[list[Domain], list[UsageError]]:
    """The lake's own domains, and all that is wrong with the files that could not be read: these are left out."""
    found: dict[str, Domain] = {}
    errors: list[UsageError] = []
    try:
        files = own_files(place)
    except UsageError as error:
        return [], [error]
    for path in files:
        try:
            fit, wrong = read(path.read_text(encoding="utf-8"), path.name, theme=THEME)
        except (OSError, UnicodeDecodeError) as error:
            wrong = [UsageError(f"{path} cannot be read: {error}", remedy="it has to be a text in UTF-8")]
        except UsageError as error:
            wrong = [error]
        if not wrong:
            found |= {one.name: one for one in fit}
        errors += wrong
    return list(found.values()), errors


def all_domains(place: str) -> dict[str, Domain]:
    """Whatever a column may mean: the known domains and the lake's own, which come instead of known ones of their name.

    A file with an error is left out and logged; nothing else stops.
    """
    return {**KNOWN, **_logged(place)}


def take_up(place: str) -> None:
    """From now on this process learns and judges with the domains that a setting names, read when first needed."""
    use_own(partial(_logged, place) if place else dict)


def _logged(place: str) -> dict[str, Domain]:
    own, errors = own_domains(place)
    for error in errors:
        log.warning("domains left out", cause=error.cause, remedy=error.remedy)
    return {one.name: one for one in own}
