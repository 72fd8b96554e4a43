"""where alerts go, and which were delivered"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "alert_route",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("shown", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=True),
        sa.Column("source_id", sa.Integer(), sa.ForeignKey("source.id"), nullable=True),
        sa.Column("level", sa.String(), nullable=False),
        sa.Column("events", sa.JSON(), nullable=False),
        sa.Column("fallback", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "alert_delivery",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("incident_id", sa.Integer(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("route_id", sa.Integer(), nullable=False),
        sa.Column("route", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", TIME, nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("made_at", TIME, nullable=False),
        sa.Column("delivered_at", TIME, nullable=True),
        sa.UniqueConstraint("incident_id", "event", "route_id"),
    )
    op.create_index("ix_alert_delivery_due", "alert_delivery", ["status", "next_at"])


def downgrade() -> None:
    op.drop_table("alert_delivery")
    op.drop_table("alert_route")
