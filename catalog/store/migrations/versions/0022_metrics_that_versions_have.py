"""which metrics the versions of a table were brought up to"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("lake_table", sa.Column("measured", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("lake_table", "measured")
