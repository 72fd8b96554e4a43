"""the journal, from which reports of a past date are made, and schedules of reports

Its triggers are made after every migration (catalog.store.reports.journal), which also writes down what is there now.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
TABLES = ("source", "lake_table", "lake_column", "tag", "rule", "lake_version", "incident", "audit_event")
KINDS = ("source", "table", "column", "tag", "rule", "version", "incident", "event")


def upgrade() -> None:
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", TIME, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
    )
    op.create_index("ix_journal_item", "journal", ["kind", "item_id", "id"])
    op.create_index("ix_journal_at", "journal", ["at"])
    op.create_table(
        "report_schedule",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("every", sa.String(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=True),
        sa.Column("owner", sa.String(), nullable=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("made_at", TIME, nullable=False),
        sa.Column("next_at", TIME, nullable=False),
        sa.Column("last_file", sa.String(), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
    )


def downgrade() -> None:
    postgresql = op.get_bind().dialect.name == "postgresql"
    for kind, table in zip(KINDS, TABLES, strict=True):
        for verb in ("insert", "delete", "update"):
            op.execute(f"DROP TRIGGER IF EXISTS journal_{kind}_{verb}" + (f" ON {table}" if postgresql else ""))
        if postgresql:
            op.execute(f"DROP FUNCTION IF EXISTS journal_{kind}()")
    op.drop_table("report_schedule")
    op.drop_table("journal")
