"""Write the next revision from what differs between models and the migrations: ``python -m catalog.store.migrations
"add a column"``. Read what it wrote before committing it."""

import re
import sys
import tempfile
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from catalog.store.engine import make_engine, upgrade
from catalog.store.migrations import MIGRATIONS


def main(message: str) -> Path:
    """Path of the new revision, numbered after the last one."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    head = ScriptDirectory.from_config(config).get_current_head()
    number = f"{int(head or 0) + 1:04d}"
    with tempfile.TemporaryDirectory() as folder:
        engine = make_engine(f"sqlite:///{folder}/empty.db")
        if head:
            upgrade(engine)
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            script = command.revision(config, message, autogenerate=True, rev_id=number)
        engine.dispose()
    path = Path(str(script.path))  # type: ignore[union-attr]
    text = path.read_text()
    text = re.sub(r"catalog\.store\.models\.UtcDateTime\(timezone=True\)", "sa.DateTime(timezone=True)", text)
    text = re.sub(r"sqlmodel\.sql\.sqltypes\.AutoString\(\)", "sa.String()", text)
    path.write_text(text)
    return path


if __name__ == "__main__":
    print(main(" ".join(sys.argv[1:]) or "change"))
