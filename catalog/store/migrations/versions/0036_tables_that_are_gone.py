"""the journal says whether a table is there: its triggers, which are made again after each revision, write that down"""

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing but the triggers."""


def downgrade() -> None:
    """What the journal says more harms nobody."""
