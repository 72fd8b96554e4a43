"""when string rules were last learned, so that learning them again is put off, not left out"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("lake_table", sa.Column("strings_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("lake_table", "strings_at")
