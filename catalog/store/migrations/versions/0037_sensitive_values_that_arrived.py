"""which columns that are not masked held sensitive values, in which versions of their table"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("lake_table") as batch_op:
        batch_op.add_column(sa.Column("arrived", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("lake_table") as batch_op:
        batch_op.drop_column("arrived")
