"""What all tables of the catalog share: times in UTC, names of constraints."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, DateTime
from sqlalchemy.types import TypeDecorator
from sqlmodel import SQLModel

# Constraints are named alike on every database, so that a later migration can name what it drops.
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

#: For `__table_args__`: SQLite gives each number once, also after rows are gone, as PostgreSQL does. What decisions,
#: reports and links name by its number asks for it.
ONCE = {"sqlite_autoincrement": True}


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, kept in UTC, read back with its zone on SQLite too."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def now() -> datetime:
    return datetime.now(UTC)


def time_column(*, index: bool = False, nullable: bool = True) -> Any:
    return Column(UtcDateTime, index=index, nullable=nullable)
