"""the columns whose level a person gave, found at once: the same ones of other sources follow"""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_lake_column_hand_level", "lake_column", ["hand_level"])


def downgrade() -> None:
    op.drop_index("ix_lake_column_hand_level", "lake_column")
