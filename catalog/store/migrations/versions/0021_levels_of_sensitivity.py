"""how sensitive a column is, by its tags or by hand"""

import sqlalchemy as sa
from alembic import op

from catalog.tags.privacy.levels import SECRETS

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("lake_column", sa.Column("level", sa.String(), nullable=False, server_default="internal"))
    op.add_column("lake_column", sa.Column("hand_level", sa.String(), nullable=True))
    column = sa.table("lake_column", sa.column("id"), sa.column("level"), sa.column("sensitive"))
    tag = sa.table("tag", *map(sa.column, ("column_id", "domain", "status", "sensitive", "contains")))
    op.execute(column.update().where(column.c.sensitive.is_(sa.true())).values(level="personal"))
    secret = sa.select(tag.c.column_id).where(
        tag.c.sensitive.is_(sa.true()), tag.c.contains.is_(sa.false()), tag.c.status != "rejected",
        tag.c.domain.in_(sorted(SECRETS)),
    )  # fmt: skip
    hidden = column.c.sensitive.is_(sa.true())
    op.execute(column.update().where(hidden, column.c.id.in_(secret)).values(level="secret"))


def downgrade() -> None:
    op.drop_column("lake_column", "hand_level")
    op.drop_column("lake_column", "level")
