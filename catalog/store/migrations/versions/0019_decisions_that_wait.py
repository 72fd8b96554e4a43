"""decisions that wait for a second person"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "approval",
        sa.Column("id", sa.Integer(), primary_key=True),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("what", "words", "kind", "item", "actor")),
        sa.Column("args", sa.JSON(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=True),
        *(sa.Column(name, sa.String(), nullable=True) for name in ("source", "reason", "by", "answer")),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("undoes", sa.Integer(), nullable=True),
        sa.Column("made_at", TIME, nullable=False),
        sa.Column("answered_at", TIME, nullable=True),
    )
    op.create_index("ix_approval_status", "approval", ["status"])


def downgrade() -> None:
    op.drop_table("approval")
