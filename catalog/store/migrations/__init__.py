"""Alembic migrations of the catalog's database; `catalog.store.engine.upgrade` runs them."""
