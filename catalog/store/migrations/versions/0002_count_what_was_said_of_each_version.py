"""count what was said of each version"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None
SAID = """FROM outcome JOIN rule ON rule.id = outcome.rule_id
    WHERE outcome.table_id = lake_version.table_id AND outcome.version = lake_version.number"""


def upgrade() -> None:
    with op.batch_alter_table("lake_version", schema=None) as batch_op:
        batch_op.add_column(sa.Column("passed", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("violated", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("expected_alarms", sa.Float(), server_default="0", nullable=False))
        batch_op.drop_index(batch_op.f("ix_lake_version_judged_at"))
        batch_op.create_index(
            "ix_lake_version_judged", ["judged_at", "passed", "violated", "expected_alarms"], unique=False
        )
    op.execute(
        f"""
        UPDATE lake_version SET
            passed = (SELECT count(*) {SAID} AND outcome.status = 'passed'),
            violated = (SELECT count(*) {SAID} AND outcome.status = 'violated'),
            expected_alarms = coalesce((SELECT sum(rule.fpr) {SAID} AND outcome.status <> 'not_applicable'), 0)
        """  # noqa: S608
    )


def downgrade() -> None:
    with op.batch_alter_table("lake_version", schema=None) as batch_op:
        batch_op.drop_index("ix_lake_version_judged")
        batch_op.create_index(batch_op.f("ix_lake_version_judged_at"), ["judged_at"], unique=False)
        batch_op.drop_column("expected_alarms")
        batch_op.drop_column("violated")
        batch_op.drop_column("passed")
