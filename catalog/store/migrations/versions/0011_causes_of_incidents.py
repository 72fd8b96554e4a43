"""name the causes of incidents, and gather what broke for one cause"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("incident", schema=None) as batch_op:
        batch_op.add_column(sa.Column("lead_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("spread_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("cause", sa.String(), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("confidence", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("columns", sa.JSON(), nullable=False, server_default="[]"))
        batch_op.add_column(sa.Column("diagnosis", sa.JSON(), nullable=False, server_default="{}"))
        batch_op.add_column(sa.Column("corrected", sa.String(), nullable=True))
        batch_op.create_index(batch_op.f("ix_incident_lead_id"), ["lead_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_incident_spread_id"), ["spread_id"], unique=False)
    with op.batch_alter_table("incident", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        for name in ("cause", "columns", "diagnosis"):
            batch_op.alter_column(name, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("incident", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_incident_spread_id"))
        batch_op.drop_index(batch_op.f("ix_incident_lead_id"))
        for name in ("corrected", "diagnosis", "columns", "confidence", "cause", "spread_id", "lead_id"):
            batch_op.drop_column(name)
