"""parts of declared checks, merged over sets of data files"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "merged_part",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("lake_table.id"), nullable=False),
        sa.Column("part", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.UniqueConstraint("table_id", "part"),
    )
    op.create_table(
        "part_files",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("lake_table.id"), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("keys", sa.JSON(), nullable=False),
        sa.UniqueConstraint("table_id", "digest"),
    )


def downgrade() -> None:
    op.drop_table("part_files")
    op.drop_table("merged_part")
