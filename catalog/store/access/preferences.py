"""Settings that people change while the service runs, each change in the audit log. Never commits."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session

from catalog.store.access import audit
from catalog.store.models import CatalogSetting


def preference(session: Session, name: str, default: Any = None) -> Any:
    """What people set, or the default where nobody did."""
    row = session.get(CatalogSetting, name)
    return default if row is None else row.value


def set_preference(session: Session, name: str, value: Any, *, actor: str, reason: str | None = None) -> None:
    """Set it; None goes back to the default. What changes nothing is not written down."""
    before = preference(session, name)
    if before == value:
        return
    row = session.get(CatalogSetting, name)
    if value is None:
        session.delete(row)
    elif row is None:
        session.add(CatalogSetting(name=name, value=value))
    else:
        row.value = value
    session.flush()
    item = audit.Item("setting", None, name)
    audit.record(session, actor, "set", item, before={"value": before}, after={"value": value}, reason=reason)
