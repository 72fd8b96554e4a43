"""keep merged states"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "merged_state",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["lake_table.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("table_id", "digest"),
    )
    with op.batch_alter_table("file_state", schema=None) as batch_op:
        batch_op.add_column(sa.Column("modified_ms", sa.BigInteger(), nullable=False, server_default="0"))
        batch_op.create_index("ix_file_state_order", ["table_id", "key", "modified_ms"])


def downgrade() -> None:
    with op.batch_alter_table("file_state", schema=None) as batch_op:
        batch_op.drop_index("ix_file_state_order")
        batch_op.drop_column("modified_ms")
    op.drop_table("merged_state")
