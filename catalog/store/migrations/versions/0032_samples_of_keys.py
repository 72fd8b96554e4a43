"""samples of columns that are called keys, to find which name rows of other tables"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "key_sample",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("lake_table.id"), nullable=False),
        sa.Column("column_name", sa.String(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("is_own", sa.Boolean(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("once", sa.BigInteger(), nullable=False),
        sa.Column("sample", sa.LargeBinary(), nullable=False),
        sa.UniqueConstraint("table_id", "column_name"),
    )


def downgrade() -> None:
    op.drop_table("key_sample")
