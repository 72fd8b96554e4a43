"""``python -m catalog.declared FOLDER`` writes the reference of checks."""

from __future__ import annotations

import sys
from pathlib import Path

from catalog.declared.docs import pages

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text)
