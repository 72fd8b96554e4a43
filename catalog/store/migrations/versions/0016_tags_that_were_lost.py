"""tags that a later version lost, and the incident that it belongs to"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tag_event",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("tag_id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("lake_table.id"), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("column_name", "domain", "title", "what")),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("incident_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_tag_event_tag_id", "tag_event", ["tag_id"])
    op.create_index("ix_tag_event_table_id", "tag_event", ["table_id"])
    op.create_index("ix_tag_event_incident_id", "tag_event", ["incident_id"])


def downgrade() -> None:
    op.drop_table("tag_event")
