"""terms of a glossary, descriptions of sources, tables and columns"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("source", "lake_table", "lake_column"):
        op.add_column(table, sa.Column("description", sa.String(), nullable=True))
    for table in ("lake_table", "lake_column"):
        op.add_column(table, sa.Column("terms", sa.JSON(), nullable=True))
    op.create_table(
        "term",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("definition", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=True),
        sa.UniqueConstraint("name"),
    )


def downgrade() -> None:
    op.drop_table("term")
    for table in ("lake_column", "lake_table"):
        op.drop_column(table, "terms")
    for table in ("lake_column", "lake_table", "source"):
        op.drop_column(table, "description")
