"""tables that were dropped and made again"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("lake_table", schema=None) as batch_op:
        batch_op.add_column(sa.Column("seen_stamp", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("replaced_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("replaced_version", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("lake_table", schema=None) as batch_op:
        batch_op.drop_column("replaced_version")
        batch_op.drop_column("replaced_at")
        batch_op.drop_column("seen_stamp")
