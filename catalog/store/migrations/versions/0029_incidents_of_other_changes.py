"""incidents of another change of a rule whose last one nobody has answered"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

COLUMNS = ["table_id", "kind", "column_name", "check_name"]


def upgrade() -> None:
    op.add_column("incident", sa.Column("since_version", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
    _index([*COLUMNS, "since_version"])


def downgrade() -> None:
    incident = sa.table("incident", sa.column("status"), sa.column("reason"), sa.column("since_version"))
    later = incident.update().where(incident.c.since_version > 0, incident.c.status != "resolved")
    op.execute(later.values(status="resolved", reason="Other"))
    _index(COLUMNS)
    op.drop_column("incident", "since_version")


def _index(columns: list[str]) -> None:
    open_ = sa.text("status != 'resolved'")
    op.drop_index("uq_incident_open", table_name="incident")
    op.create_index(
        "uq_incident_open", "incident", columns, unique=True, sqlite_where=open_, postgresql_where=open_
    )  # fmt: skip
