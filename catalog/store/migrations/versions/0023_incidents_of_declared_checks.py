"""incidents of declared checks, each of its own check"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

COLUMNS = ["table_id", "kind", "column_name"]


def upgrade() -> None:
    op.add_column("incident", sa.Column("check_name", sa.String(), nullable=False, server_default=sa.text("''")))
    incident = sa.table("incident", sa.column("outcome_id"), sa.column("check_name"))
    outcome = sa.table("outcome", sa.column("id"), sa.column("rule_id"))
    rule = sa.table("rule", sa.column("id"), sa.column("learner"))
    of_check = (
        sa.select(sa.func.substr(rule.c.learner, len("declared:") + 1))
        .join(outcome, outcome.c.rule_id == rule.c.id)
        .where(outcome.c.id == incident.c.outcome_id, rule.c.learner.startswith("declared:"))
        .scalar_subquery()
    )
    op.execute(incident.update().values(check_name=sa.func.coalesce(of_check, "")))
    _index([*COLUMNS, "check_name"])


def downgrade() -> None:
    _index(COLUMNS)
    op.drop_column("incident", "check_name")


def _index(columns: list[str]) -> None:
    open_ = sa.text("status != 'resolved'")
    op.drop_index("uq_incident_open", table_name="incident")
    op.create_index(
        "uq_incident_open", "incident", columns, unique=True, sqlite_where=open_, postgresql_where=open_
    )  # fmt: skip
