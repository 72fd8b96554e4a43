"""demotions of rules, decisions about clauses, domains found in the lake"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "lake_domain",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("view", sa.String(), nullable=False),
        sa.Column("pattern", sa.String(), nullable=False),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.Column("regex", sa.String(), nullable=False),
        sa.Column("coverage", sa.Integer(), nullable=False),
        sa.Column("tables", sa.Integer(), nullable=False),
        sa.Column("impurity", sa.Float(), nullable=False),
        sa.Column("described", sa.JSON(), nullable=False),
        sa.Column("domain", sa.String(), nullable=True),
        sa.Column("title", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=True),
        sa.Column("label", sa.String(), nullable=True),
        sa.Column("sensitive", sa.Boolean(), nullable=False),
        sa.Column("chance", sa.Float(), nullable=False),
        sa.Column("actor", sa.String(), nullable=True),
        sa.Column("found", sa.Boolean(), nullable=False),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("named_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lake_domain")),
        sa.UniqueConstraint("name", name=op.f("uq_lake_domain_name")),
        sa.UniqueConstraint("view", "pattern", name=op.f("uq_lake_domain_view_pattern")),
    )
    op.create_table(
        "clause_decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("column_name", sa.String(), nullable=False),
        sa.Column("learner", sa.String(), nullable=False),
        sa.Column("clause", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("factor", sa.Float(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["lake_table.id"], name=op.f("fk_clause_decision_table_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clause_decision")),
        sa.UniqueConstraint(
            "table_id",
            "column_name",
            "learner",
            "clause",
            name=op.f("uq_clause_decision_table_id_column_name_learner_clause"),
        ),
    )
    op.create_table(
        "rule_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("column_name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("learner", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("clause", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["lake_table.id"], name=op.f("fk_rule_event_table_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rule_event")),
    )
    with op.batch_alter_table("rule_event", schema=None) as batch_op:
        batch_op.create_index("ix_rule_event_rule", ["table_id", "column_name"], unique=False)

    with op.batch_alter_table("rule", schema=None) as batch_op:
        batch_op.add_column(sa.Column("demoted_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("demotion", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("trusted_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("rule", schema=None) as batch_op:
        batch_op.drop_column("trusted_at")
        batch_op.drop_column("demotion")
        batch_op.drop_column("demoted_at")

    with op.batch_alter_table("rule_event", schema=None) as batch_op:
        batch_op.drop_index("ix_rule_event_rule")

    op.drop_table("rule_event")
    op.drop_table("clause_decision")
    op.drop_table("lake_domain")
