"""The catalog's database: its engine, its sessions, its schema, and the one way to insert what may be there already.

SQLite and PostgreSQL behave alike to all callers:

- SQLite runs in WAL mode (readers never wait), with foreign keys checked. A session that may write takes the write lock
  when it begins (``BEGIN IMMEDIATE``) and waits for it up to `BUSY_SECONDS`: a transaction that starts by reading and
  then writes would otherwise fail at once when another process wrote in between.
- Texts lose NUL characters and lone surrogates (U+FFFD instead), JSON loses NaN and infinities (null instead):
  PostgreSQL can keep neither, and both arrive from column names, values and logs that nobody checked.
- A forked child drops the connections it inherited.
"""

from __future__ import annotations

import json
import math
import os
import re
import sqlite3
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy
from sqlalchemy import Engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError
from sqlmodel import Session, SQLModel

from catalog.errors import Held, NoRoom, SettingError, StoreError
from catalog.store.migrations import MIGRATIONS, newest_revision
from catalog.wording import folded

BUSY_SECONDS = 30  # a bound
MIGRATION_LOCK = 7_201_177_001  # PostgreSQL advisory lock: any number nobody else uses
_BAD_TEXT = re.compile("[\x00\ud800-\udfff]")
_LONE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")  # what may be one of these in JSON
Model = TypeVar("Model", bound=SQLModel)


def make_engine(url: str) -> Engine:
    """An engine for a ``sqlite:///path`` or ``postgresql://...`` address. Nothing is connected yet.

    Errors: `SettingError` for an address of another kind.

    >>> make_engine("postgresql://me@db/assay").url.drivername
    'postgresql+psycopg'
    >>> make_engine("mysql://me@db/assay")
    Traceback (most recent call last):
        ...
    catalog.errors.SettingError: the catalog cannot live in 'mysql'; use sqlite:///path/to/assay.db or postgresql://...
    """
    remedy = "use sqlite:///path/to/assay.db or postgresql://..."
    try:
        address = make_url(re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", url))
        kind = address.get_backend_name()
        if "@" in (address.host or ""):
            raise ValueError("the end of a password is taken for a host")
        if kind not in ("sqlite", "postgresql"):
            raise SettingError(f"the catalog cannot live in {kind!r}", remedy=remedy)
        options: dict[str, Any] = {"json_serializer": to_json, "json_deserializer": from_json}
        options["hide_parameters"] = True  # errors would quote what was to be stored
        if kind == "sqlite":
            options["connect_args"] = {"timeout": BUSY_SECONDS, "check_same_thread": False}
            if address.database and address.database != ":memory:":
                Path(address.database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        else:
            options["pool_pre_ping"] = True
        engine = sqlalchemy.create_engine(address, **options)
    except (ArgumentError, NoSuchModuleError) as error:
        raise SettingError(f"the catalog's address cannot be used: {error}", remedy=remedy) from error
    except ValueError:  # of a port that is none: it quotes it, and that may be the end of a password
        remedy = f"{remedy}, where / and @ in a password are %2F and %40"
        raise SettingError("the catalog's address cannot be taken apart", remedy=remedy) from None
    if kind == "sqlite":
        event.listen(engine, "do_connect", _private_file)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "before_cursor_execute", _clean_parameters, retval=True)
    reference = weakref.ref(engine)
    os.register_at_fork(after_in_child=lambda: _forget_connections(reference))
    return engine


@contextmanager
def session(
    engine: Engine, *, write: bool = True, actor: str | None = None, rights: Collection[str] | None = None
) -> Iterator[Session]:
    """One transaction: committed at the end, rolled back when the block raises anything but `Held`. Objects stay
    readable afterwards.

    ``write=False`` for what only reads (on SQLite it then never waits for a writer). Short: never around a scan.
    `actor` is who decides in it: `catalog.store.access.audit` writes the name down. `rights` are his, where what is
    decided asks for more than its caller knew; None of the service itself, which has all.
    Errors: `StoreError` when the database cannot be reached or stays locked, `NoRoom` when its disk is full.
    """
    info = ({"actor": actor} if actor else {}) | ({} if rights is None else {"rights": frozenset(rights)})
    bind = engine if write else engine.execution_options(assay_read=True)
    try:
        with Session(bind, expire_on_commit=False, info=info) as current:
            try:
                yield current
            except Held:  # what waits is written down
                current.commit()
                raise
            if write:
                current.commit()
    except OperationalError as error:
        if _is_full(error.orig):
            raise NoRoom("there is no room left for the catalog's database") from error
        raise StoreError(
            f"the catalog's database cannot be used: {error.orig}",
            remedy="see that the server runs, the disk has room and ASSAY_DATABASE_URL is right",
        ) from error


def _is_full(error: object) -> bool:
    """Whether a driver's error says that the disk is full."""
    lite = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
    return lite or getattr(error, "sqlstate", "") == "53100"


def upgrade(engine: Engine) -> None:
    """Bring the schema to its newest revision. Safe to call at every start, by several processes at once: the first
    one works under a lock, the others wait and find nothing to do.

    Errors: `StoreError` when the database cannot be reached or was made by a newer Assay.
    """
    try:
        with engine.execution_options(assay_read=True).connect() as connection:
            if revisions(connection) == [newest_revision()]:
                return
        _migrate(engine)
    except OperationalError as error:
        raise StoreError(
            f"the catalog's database cannot be opened: {error.orig}",
            remedy="check ASSAY_DATABASE_URL, and that the folder or server can be written to",
        ) from error


def revisions(connection: sqlalchemy.Connection) -> list[str]:
    """The revisions that the schema of a database is at; none for an empty one."""
    if not sqlalchemy.inspect(connection).has_table("alembic_version"):
        return []
    return list(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars())


def _migrate(engine: Engine) -> None:
    from alembic import command
    from alembic.config import Config

    from catalog.store.reports.journal import install

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    try:
        with engine.begin() as connection:  # on SQLite this takes the write lock
            if engine.dialect.name == "postgresql":
                connection.execute(sqlalchemy.text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            install(connection)
    except command.util.CommandError as error:
        raise StoreError(
            f"the catalog's schema is not known here: {error}", remedy="use the Assay that made it, or a newer one"
        ) from error


def dialect_insert(current: Session, table: Any) -> Any:
    """An INSERT of the session's own database, which knows conflicts. Only that database's dialect is loaded."""
    dialect = import_module(f"sqlalchemy.dialects.{current.get_bind().dialect.name}")
    return dialect.insert(table)


def insert_new(
    current: Session, model: type[Model], rows: Iterable[Mapping[str, Any]], *, returning: Sequence[Any] = ()
) -> list[Any]:
    """Insert the rows that break no unique constraint, ignore the others; defaults of the model are filled in.

    Returns the `returning` columns of the rows that were inserted, in no order. Rows should come sorted by their key:
    two processes that insert the same rows then wait for each other instead of deadlocking.
    """
    values = [full_row(model, row) for row in rows]
    if not values:
        return []
    statement = dialect_insert(current, model.__table__).on_conflict_do_nothing()  # type: ignore[attr-defined]
    connection = current.connection()
    if not returning:
        connection.execute(statement, values)
        return []
    return list(connection.execute(statement.returning(*returning), values))


def chunks(items: Sequence[Any], size: int = 5000) -> Iterator[Sequence[Any]]:
    """Pieces short enough for one IN list (SQLite takes 32,766 parameters, PostgreSQL 65,535)."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def to_json(value: Any) -> str:
    """JSON text that both databases keep: no NaN, no infinity, and what JSON does not know as text.

    >>> to_json({"a": float("nan"), "b": [1, "x"]}), to_json(["\\ud800"])
    ('{"a": null, "b": [1, "x"]}', '["\\\\ufffd"]')
    """
    try:
        text = json.dumps(value, default=str, allow_nan=False)
    except ValueError:
        text = json.dumps(_fit(value), default=str, allow_nan=False)
    return text if not _ESCAPED.search(text) else json.dumps(_fit(value), default=str, allow_nan=False)


def from_json(text: str | bytes) -> Any:
    """JSON data of the database. What older programs let in is made readable here.

    >>> from_json('["\\\\ud800", "\\\\ud83d\\\\ude00"]')
    ['\ufffd', '\U0001f600']
    """
    value = json.loads(text)
    return _fit(value) if _ESCAPED.search(text if isinstance(text, str) else text.decode()) else value


def _fit(value: Any) -> Any:
    """JSON data that can be kept and written as UTF-8."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_fit(key): _fit(item) for key, item in value.items()}
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    return [_fit(item) for item in value] if isinstance(value, list | tuple) else value


def full_row(model: type[SQLModel], row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with the model's defaults; `id` is left to the database."""
    constants, factories = _defaults(model)
    full = {**constants, **{name: make() for name, make in factories.items() if name not in row}, **row}
    if len(full) != len(constants) + len(factories):
        raise ValueError(f"{model.__name__} has no {sorted(full.keys() - constants.keys() - factories.keys())}")
    return full


@lru_cache
def _defaults(model: type[SQLModel]) -> tuple[dict[str, Any], dict[str, Callable[[], Any]]]:
    """Default values of a model's fields, and what makes the others; without its `id`."""
    fields = {name: field for name, field in model.model_fields.items() if name != "id"}
    factories: dict[str, Any] = {name: one.default_factory for name, one in fields.items() if one.default_factory}
    return {name: one.get_default() for name, one in fields.items() if name not in factories}, factories


def _private_file(_dialect: Any, _record: Any, given: Sequence[Any], _more: Any) -> None:
    """A database that is made now can be read by its owner alone: it holds values of the lake. SQLite makes the files
    beside it with the rights of the first."""
    place = str(given[0]) if given else ""
    if place and place != ":memory:" and not place.startswith("file:") and not os.path.exists(place):
        with suppress(OSError):  # made by another process meanwhile; or SQLite says what is wrong with the place
            os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.create_function("lower", 1, _lower, deterministic=True)  # its own knows the letters of English alone
    connection.create_function("folded", 1, folded, deterministic=True)
    connection.isolation_level = None  # the driver starts no transaction by itself: _begin_sqlite does
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    _keep_write_ahead_log(cursor)
    for pragma in (
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "cache_size=-32000",
        "temp_store=MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _lower(text: object) -> str | None:
    return None if text is None else str(text).lower()


def _keep_write_ahead_log(cursor: Any) -> None:
    """Of a file just made, the process that writes first holds a lock that SQLite refuses here at once, whatever the
    busy timeout: waiting for it is left to the caller."""
    try:
        cursor.execute("PRAGMA journal_mode=WAL")
    except sqlite3.OperationalError:
        import tenacity

        retry = tenacity.Retrying(
            stop=tenacity.stop_after_delay(BUSY_SECONDS),
            wait=tenacity.wait_random(0.01, 0.1),
            retry=tenacity.retry_if_exception_type(sqlite3.OperationalError),
            reraise=True,
        )
        retry(cursor.execute, "PRAGMA journal_mode=WAL")


def _begin_sqlite(connection: sqlalchemy.Connection) -> None:
    reading = connection.get_execution_options().get("assay_read", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _clean_parameters(
    _connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool
) -> tuple[str, Any]:
    return statement, _clean(parameters)


def _clean(value: Any) -> Any:
    """The parameters of a statement, or of many, with texts that both databases can keep.

    >>> _clean({"name": "a\\x00b", "n": 1}), _clean([("ok", 2), ("\\ud800", 3)])
    ({'name': 'a\ufffdb', 'n': 1}, [('ok', 2), ('\ufffd', 3)])
    """
    if isinstance(value, list):
        return [_clean(one) for one in value]
    texts = "".join([one for one in (value.values() if isinstance(value, dict) else value) if isinstance(one, str)])
    if "\x00" not in texts and (texts.isascii() or not _BAD_TEXT.search(texts)):  # one look at all of them together
        return value
    if isinstance(value, dict):
        return {key: _clean_text(one) for key, one in value.items()}
    return tuple(map(_clean_text, value))


def unreadable(text: str) -> bool:
    """Whether a text holds what cannot be written as UTF-8, or kept."""
    return _BAD_TEXT.search(text) is not None


def _clean_text(value: Any) -> Any:
    return _BAD_TEXT.sub("\ufffd", value) if isinstance(value, str) else value


def _forget_connections(reference: weakref.ref[Engine]) -> None:
    engine = reference()
    if engine is not None:
        engine.dispose(close=False)
