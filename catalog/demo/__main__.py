"""``python -m catalog.demo OUT [DAYS] [SEED]`` writes the demo's lake alone, without its bad day."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from catalog.demo.lake import ShopLake


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 3
    days, seed = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 42), (3, 1)))
    started = time.perf_counter()
    lake = ShopLake(Path(sys.argv[1]), days=days, seed=seed)
    for _ in lake.write_history():
        pass
    print(f"{days} days of 12 tables in {sys.argv[1]}, {time.perf_counter() - started:.1f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
