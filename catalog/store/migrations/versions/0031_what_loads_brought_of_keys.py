"""samples of what each load brought of columns that identify rows"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "key_load",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("lake_table.id"), nullable=False),
        sa.Column("column_name", sa.String(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("files", sa.JSON(), nullable=False),
        sa.Column("sample", sa.LargeBinary(), nullable=False),
        sa.UniqueConstraint("table_id", "column_name", "number"),
    )


def downgrade() -> None:
    op.drop_table("key_load")
