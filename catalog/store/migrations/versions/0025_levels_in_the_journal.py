"""the journal tells how sensitive columns are: its triggers, made after every migration, write it down"""

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """`catalog.store.reports.journal.install` does it all."""


def downgrade() -> None:
    """Entries keep what they tell."""
