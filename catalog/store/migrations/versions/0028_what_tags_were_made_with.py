"""what a table's tags were made with, so that they are made again only when that changed"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("lake_table", sa.Column("tagged", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("lake_table", "tagged")
