"""when a column was found to name no rows of another table, so that it is not asked again at every version"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("key_sample") as batch_op:
        batch_op.add_column(sa.Column("refused", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("key_sample") as batch_op:
        batch_op.drop_column("refused")
