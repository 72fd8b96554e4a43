"""keep sessions of browsers, so that they end where they are kept"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "web_session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("web_session", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_web_session_digest"), ["digest"], unique=True)
        batch_op.create_index(batch_op.f("ix_web_session_expires_at"), ["expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_web_session_user_id"), ["user_id"], unique=False)


def downgrade() -> None:
    op.drop_table("web_session")
