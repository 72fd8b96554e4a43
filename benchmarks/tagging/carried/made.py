"""Tables of made-up people: what a library makes of the expressions that stand beside the labels."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.releases.inside.readers import Cells, Files
from benchmarks.tagging.carried.sources import Maker

ROWS = 200
SEED = 29
TODAY = "2025-06-01T00:00:00Z"  # what "past" and "recent" are counted from, so that a column is the same every day

#: Reads what is asked for as JSON, runs what a maker starts with, writes tables of cells. ``g`` is the library's maker.
PROGRAMS = {
    "python": """
import json, sys
sys.path.insert(0, sys.argv[1])
asked = json.load(sys.stdin)
exec(asked["start"])
rows = range(asked["rows"])
made = {}
for table, columns in asked["tables"].items():
    made[table] = {column: [str(eval(expression)) for _ in rows] for column, expression in columns.items()}
print(json.dumps(made))
""",
    "javascript": """
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
const package = process.argv[1] + "/package/";
let state = asked.seed;
Math.random = () => {  // mulberry32, for makers that take no seed
  state = (state + 0x6D2B79F5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
(async () => {
  const start = Object.getPrototypeOf(async () => {}).constructor("asked", "package", "require", asked.start);
  const g = await start(asked, package, require);
  const made = {};
  for (const [table, columns] of Object.entries(asked.tables)) {
    made[table] = {};
    for (const [column, expression] of Object.entries(columns)) {
      const draw = new Function("g", "return " + expression);
      made[table][column] = Array.from({length: asked.rows}, () => String(draw(g)));
    }
  }
  process.stdout.write(JSON.stringify(made));
})();
""",
}


def made(
    maker: Maker, files: Files, room: Path, wanted: Mapping[str, Mapping[str, Mapping[str, str]]]
) -> dict[str, dict[str, Cells]]:
    """The tables of each source that a maker stands for, by source and table.

    Parameters
    ----------
    files : of the maker's package.
    room : an empty folder to unpack it in.
    wanted : source -> table -> column -> expression. Errors: `subprocess.CalledProcessError` where one fails.
    """
    for path, read in files.items():
        where = room / path
        if where.resolve().is_relative_to(room.resolve()) and not path.endswith("/"):
            where.parent.mkdir(parents=True, exist_ok=True)
            where.write_bytes(read())
    command = [sys.executable, "-c"] if maker.language == "python" else ["node", "-e"]
    out = {}
    for source, locale in maker.locales.items():
        if source not in wanted:
            continue
        asked = {"locale": locale, "seed": SEED, "rows": ROWS, "today": TODAY, "start": maker.start}
        asked |= {"tables": wanted[source]}
        done = subprocess.run(
            [*command, PROGRAMS[maker.language], str(room)],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=True,
        )
        out[source] = json.loads(done.stdout)
    return out
