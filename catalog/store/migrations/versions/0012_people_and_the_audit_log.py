"""people, tokens, owners, settings, and the audit log, which the database lets nobody change

SQLite drops a trigger with its table: a later migration that makes ``audit_event`` again has to make them again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

SQLITE = """CREATE TRIGGER audit_event_keep_{verb} BEFORE {verb} ON audit_event
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END"""
POSTGRESQL = (
    """CREATE FUNCTION assay_only_added_to() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the audit log is only added to'; END $$""",
    """CREATE TRIGGER audit_event_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event
FOR EACH STATEMENT EXECUTE FUNCTION assay_only_added_to()""",
)
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    for table in ("source", "lake_table", "lake_column"):
        op.add_column(table, sa.Column("owner", sa.String(), nullable=True))
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("password", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("subject"),
    )
    op.create_table(
        "api_token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("revoked_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_index("ix_api_token_user_id", "api_token", ["user_id"])
    op.create_table(
        "catalog_setting",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    _audit()


def _audit() -> None:
    op.create_table(
        "audit_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("actor", "action", "kind")),
        sa.Column("item_id", sa.Integer(), nullable=True),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=True),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("after", sa.JSON(), nullable=False),
        sa.Column("undoes", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    for columns in (["actor"], ["at"], ["table_id"]):
        op.create_index(f"ix_audit_event_{columns[0]}", "audit_event", columns)
    op.create_index("ix_audit_event_item", "audit_event", ["kind", "item_id"])
    if op.get_bind().dialect.name == "postgresql":
        for statement in POSTGRESQL:
            op.execute(statement)
    else:
        for verb in ("UPDATE", "DELETE"):
            op.execute(SQLITE.format(verb=verb))


def downgrade() -> None:
    for table in ("audit_event", "catalog_setting", "api_token", "account"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION assay_only_added_to()")
    for table in ("lake_column", "lake_table", "source"):
        op.drop_column(table, "owner")
