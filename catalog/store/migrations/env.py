"""Alembic's entry: runs on the connection and in the transaction that `catalog.store.engine.upgrade` hands over.

To write the next revision: change models, then ``python -m catalog.store.migrations "what changes"``.
"""

from alembic import context
from sqlmodel import SQLModel

import catalog.store.models  # noqa: F401  fills the metadata

connection = context.config.attributes.get("connection")
if connection is None:
    raise RuntimeError("run migrations through catalog.store.engine.upgrade or python -m catalog.store.migrations")
context.configure(
    connection=connection,
    target_metadata=SQLModel.metadata,
    transactional_ddl=True,  # SQLite too: an interrupted migration leaves nothing behind
    render_as_batch=connection.dialect.name == "sqlite",
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
