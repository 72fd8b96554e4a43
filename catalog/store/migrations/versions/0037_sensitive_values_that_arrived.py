"""which columns that are not masked held sensitive values, in which versions of their table"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("lake_table", sa.Column("arrived", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("lake_table", "arrived")
