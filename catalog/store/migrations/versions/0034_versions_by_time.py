"""versions of a table by the time of their commit: those of the same time of other days are found without the others"""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

NAME = "ix_lake_version_committed"


def upgrade() -> None:
    op.create_index(NAME, "lake_version", ["table_id", "committed_at"])


def downgrade() -> None:
    op.drop_index(NAME, table_name="lake_version")
