"""when the identity provider last let a person in: tokens of who does not come back rest after some days"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Who is there counts from now on: nobody's nightly job stops with the upgrade."""
    op.add_column("account", sa.Column("let_in_at", sa.DateTime(timezone=True), nullable=True))
    op.execute("UPDATE account SET let_in_at = CURRENT_TIMESTAMP WHERE subject IS NOT NULL")


def downgrade() -> None:
    op.drop_column("account", "let_in_at")
