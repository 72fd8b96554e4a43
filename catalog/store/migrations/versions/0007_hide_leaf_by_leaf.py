"""tell tags of whole columns and of some values apart; mask rows, figures and evidence leaf by leaf"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from catalog.rules.rule import Rule
from catalog.store.meaning.privacy import SAID, hidden
from catalog.tags.privacy.figures import private_profile
from catalog.tags.privacy.hiding import Hiding, hiding_of
from catalog.tags.privacy.masking import mask_all

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

PORTION = 500
SENSITIVE_NOW = ("ipv4", "ipv6", "postcode", "latitude", "longitude")
COLUMN = sa.table(
    "lake_column", sa.column("profile", sa.JSON), *map(sa.column, ("id", "table_id", "name", "type", "sensitive"))
)
TAG = sa.table(
    "tag",
    sa.column("evidence", sa.JSON),
    sa.column("contains", sa.Boolean),
    *map(sa.column, ("id", "column_id", "domain", "sensitive", "status")),
)
RULE = sa.table("rule", sa.column("body", sa.JSON), *map(sa.column, ("id", "table_id", "column_name", "sentence")))
OUTCOME = sa.table(
    "outcome",
    sa.column("rows", sa.JSON),
    sa.column("detail", sa.JSON),
    *(sa.column(name) for name in ("id", "table_id", "rule_id", *SAID) if name != "detail"),
)
INCIDENT = sa.table("incident", *map(sa.column, ("outcome_id", "sentence")))


def upgrade() -> None:
    with op.batch_alter_table("tag", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.add_column(sa.Column("contains", sa.Boolean(), nullable=False, server_default=sa.false()))
    connection = op.get_bind()
    _tell_apart(connection)
    for (table_id,) in connection.execute(sa.select(COLUMN.c.table_id).distinct()).all():
        hide = _hiding(connection, table_id)
        _columns(connection, table_id, hide)
        _rules(connection, table_id, hide)
        _rows(connection, table_id, hide)


def _tell_apart(connection: sa.Connection) -> None:
    """What was found inside some values is said of these; a column is as sensitive as what is said of all of it."""
    for tag in connection.execute(sa.select(TAG.c.id, TAG.c.evidence)).all():
        if (tag.evidence or {}).get("inside"):
            evidence = {name: value for name, value in tag.evidence.items() if name != "inside"}
            of_tag = sa.update(TAG).where(TAG.c.id == tag.id)
            connection.execute(of_tag.values(contains=True, evidence=evidence))
    connection.execute(sa.update(TAG).where(TAG.c.domain.in_(SENSITIVE_NOW)).values(sensitive=True))
    tags = sa.select(TAG.c.column_id).where(TAG.c.status != "rejected", TAG.c.sensitive.is_(sa.true()))
    some, whole = tags.where(TAG.c.contains.is_(sa.true())), tags.where(TAG.c.contains.is_(sa.false()))
    connection.execute(sa.update(COLUMN).where(COLUMN.c.id.in_(some)).values(sensitive=False))
    connection.execute(sa.update(COLUMN).where(COLUMN.c.id.in_(whole)).values(sensitive=True))


def _hiding(connection: sa.Connection, table_id: int) -> Hiding:
    of_table = COLUMN.c.table_id == table_id
    columns = connection.execute(sa.select(COLUMN).where(of_table)).all()
    tags = sa.select(COLUMN.c.name, TAG.c.domain, TAG.c.contains, TAG.c.status)
    found = connection.execute(tags.join(TAG, TAG.c.column_id == COLUMN.c.id).where(of_table)).all()
    return hiding_of(
        ((one.name, one.type, bool(one.sensitive), bool(one.profile)) for one in columns),
        ((one.name, one.domain, bool(one.contains), one.status) for one in found),
    )


def _columns(connection: sa.Connection, table_id: int, hide: Hiding) -> None:
    for one in connection.execute(sa.select(COLUMN).where(COLUMN.c.table_id == table_id)).all():
        if one.name not in hide.whole:
            continue
        if one.profile:
            of_column = sa.update(COLUMN).where(COLUMN.c.id == one.id)
            connection.execute(of_column.values(profile=private_profile(one.profile)))
        for tag in connection.execute(sa.select(TAG.c.id, TAG.c.evidence).where(TAG.c.column_id == one.id)).all():
            shown = {name: mask_all(tag.evidence[name]) for name in ("matching", "failing") if name in tag.evidence}
            if shown:
                of_tag = sa.update(TAG).where(TAG.c.id == tag.id)
                connection.execute(of_tag.values(evidence=tag.evidence | shown))


def _rules(connection: sa.Connection, table_id: int, hide: Hiding) -> None:
    of_table = RULE.c.table_id == table_id, RULE.c.column_name.in_(hide.whole)
    for rule_id, body in connection.execute(sa.select(RULE.c.id, RULE.c.body).where(*of_table)).all():
        rule = Rule.from_json(body) if body else None
        if rule is None or not rule.tells_values:
            continue
        of_rule = sa.update(RULE).where(RULE.c.id == rule_id)
        connection.execute(of_rule.values(sentence=rule.said(private=True)))
        for said in connection.execute(sa.select(OUTCOME).where(OUTCOME.c.rule_id == rule_id)).all():
            fit = hidden(rule, {name: getattr(said, name) for name in SAID})
            connection.execute(sa.update(OUTCOME).where(OUTCOME.c.id == said.id).values(**fit))
            of_outcome = sa.update(INCIDENT).where(INCIDENT.c.outcome_id == said.id)
            connection.execute(of_outcome.values(sentence=fit["sentence"]))


def _rows(connection: sa.Connection, table_id: int, hide: Hiding) -> None:
    last = -1
    while True:
        query = sa.select(OUTCOME.c.id, OUTCOME.c.rows).where(OUTCOME.c.table_id == table_id, OUTCOME.c.id > last)
        found: list[Any] = list(connection.execute(query.order_by(OUTCOME.c.id).limit(PORTION)).all())
        for said in found:
            if said.rows:
                fit = [hide.row(row) for row in said.rows]
                connection.execute(sa.update(OUTCOME).where(OUTCOME.c.id == said.id).values(rows=fit))
        if not found:
            return
        last = found[-1].id


def downgrade() -> None:
    """What is hidden is hidden for good."""
    with op.batch_alter_table("tag") as batch:
        batch.drop_column("contains")
