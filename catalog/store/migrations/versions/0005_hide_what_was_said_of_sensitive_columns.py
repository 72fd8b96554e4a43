"""hide the values in what was said of sensitive columns before sentences were made without them"""

import sqlalchemy as sa
from alembic import op

from catalog.rules.rule import Rule
from catalog.store.meaning.privacy import SAID, hidden

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

COLUMN = sa.table("lake_column", *map(sa.column, ("table_id", "name", "sensitive")))
RULE = sa.table("rule", sa.column("body", sa.JSON), *map(sa.column, ("id", "table_id", "column_name", "sentence")))
OUTCOME = sa.table(
    "outcome", sa.column("detail", sa.JSON), *(sa.column(name) for name in ("id", "rule_id", *SAID) if name != "detail")
)
INCIDENT = sa.table("incident", *map(sa.column, ("outcome_id", "sentence")))


def upgrade() -> None:
    connection = op.get_bind()
    of_column = (COLUMN.c.table_id == RULE.c.table_id) & (COLUMN.c.name == RULE.c.column_name)
    sensitive = sa.select(RULE.c.id, RULE.c.body).join(COLUMN, of_column).where(COLUMN.c.sensitive.is_(sa.true()))
    for rule_id, body in connection.execute(sensitive).all():
        if not body:
            continue
        rule = Rule.from_json(body)
        if not rule.tells_values:
            continue
        of_rule = sa.update(RULE).where(RULE.c.id == rule_id)
        connection.execute(of_rule.values(sentence=rule.said(private=True)))
        for said in connection.execute(sa.select(OUTCOME).where(OUTCOME.c.rule_id == rule_id)).all():
            fit = hidden(rule, {name: getattr(said, name) for name in SAID})
            connection.execute(sa.update(OUTCOME).where(OUTCOME.c.id == said.id).values(**fit))
            of_outcome = sa.update(INCIDENT).where(INCIDENT.c.outcome_id == said.id)
            connection.execute(of_outcome.values(sentence=fit["sentence"]))


def downgrade() -> None:
    """What is hidden is hidden for good."""
