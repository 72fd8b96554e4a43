"""folders beside a source's own that logs may name files of"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("source", sa.Column("allowed", sa.JSON(), nullable=True))
    source = sa.table("source", sa.column("allowed", sa.JSON()))
    op.execute(sa.update(source).values(allowed=[]))


def downgrade() -> None:
    op.drop_column("source", "allowed")
