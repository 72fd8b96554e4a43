"""mask examples of rules on sensitive columns: they are only shown, and a copy of the database held the values"""

import sqlalchemy as sa
from alembic import op

from catalog.rules.rule import Rule
from catalog.store.meaning.privacy import EXAMPLES, at_rest
from catalog.tags.privacy.hiding import Hiding, hiding_of

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

COLUMN = sa.table(
    "lake_column", sa.column("profile", sa.JSON), *map(sa.column, ("id", "table_id", "name", "type", "sensitive"))
)
TAG = sa.table("tag", sa.column("contains", sa.Boolean), *map(sa.column, ("column_id", "domain", "status")))
RULE = sa.table("rule", sa.column("body", sa.JSON), *map(sa.column, ("id", "table_id")))


def upgrade() -> None:
    connection = op.get_bind()
    for (table_id,) in connection.execute(sa.select(COLUMN.c.table_id).distinct()).all():
        hide = _hiding(connection, table_id)
        of_table = sa.select(RULE.c.id, RULE.c.body).where(RULE.c.table_id == table_id)
        for rule_id, body in connection.execute(of_table).all():
            if EXAMPLES not in ((body or {}).get("evidence") or {}):
                continue
            kept = at_rest(Rule.from_json(body), hide)
            if kept.evidence != body["evidence"]:
                fit = {**body, "evidence": kept.evidence}
                connection.execute(sa.update(RULE).where(RULE.c.id == rule_id).values(body=fit))


def _hiding(connection: sa.Connection, table_id: int) -> Hiding:
    of_table = COLUMN.c.table_id == table_id
    columns = connection.execute(sa.select(COLUMN).where(of_table)).all()
    tags = sa.select(COLUMN.c.name, TAG.c.domain, TAG.c.contains, TAG.c.status)
    found = connection.execute(tags.join(TAG, TAG.c.column_id == COLUMN.c.id).where(of_table)).all()
    return hiding_of(
        ((one.name, one.type, bool(one.sensitive), bool(one.profile)) for one in columns),
        (
            (one.name, one.domain, bool(one.contains), one.status)
            for one in found
            if one.contains or one.status == "rejected"
        ),
    )


def downgrade() -> None:
    """What is hidden is hidden for good."""
