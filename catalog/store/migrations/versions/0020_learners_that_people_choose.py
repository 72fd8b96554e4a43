"""learners that people choose for tables and sources; our own learner from history is named for what it is"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_NAMED = ("rule", "rule_event", "clause_decision")


def upgrade() -> None:
    for name in ("source", "lake_table"):
        op.add_column(name, sa.Column("learners", sa.JSON(), nullable=True))
        op.execute(sa.update(sa.table(name, sa.column("learners", sa.JSON()))).values(learners={}))
    _rename("avh", "history")


def downgrade() -> None:
    # what the papers' learners learned is not known to the release before
    rule = sa.table("rule", sa.column("learner"), sa.column("status"))
    op.execute(sa.update(rule).where(rule.c.learner == "avh").values(status="superseded", learner="avh-published"))
    _rename("history", "avh")
    for name in ("source", "lake_table"):
        op.drop_column(name, "learners")


def _rename(before: str, after: str) -> None:
    for name in _NAMED:
        table = sa.table(name, sa.column("learner"))
        op.execute(sa.update(table).where(table.c.learner == before).values(learner=after))
    rule = sa.table("rule", sa.column("id"), sa.column("learner"), sa.column("body", sa.JSON()))
    bind = op.get_bind()
    for key, body in bind.execute(sa.select(rule.c.id, rule.c.body).where(rule.c.learner == after)).all():
        told = json.loads(body) if isinstance(body, str) else body
        bind.execute(sa.update(rule).where(rule.c.id == key).values(body={**told, "learner": after}))
