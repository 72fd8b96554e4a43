"""parts of data files that declared checks ask for"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "part_state",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("lake_table.id"), nullable=False),
        sa.Column("file_key", sa.String(), nullable=False),
        sa.Column("part", sa.String(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.UniqueConstraint("table_id", "part", "file_key"),
    )


def downgrade() -> None:
    op.drop_table("part_state")
