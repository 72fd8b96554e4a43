"""An archive of the classes that a session loads, from which this machine's later JVMs begin sooner (JEP 350).

A JVM that starts Spark and opens a first Delta table reads, verifies and links some thirty thousand classes. The
set-up lets one do so and keep the result beside Delta's jars; later ones map the file. It is bound to one Java and one
installation of pyspark: for others there is none, and a JVM that cannot use it says nothing and begins as ever.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

from catalog.settings import Settings

#: What such an archive is written on top of; a Java without it (the bundled one) can write none.
_BASE = Path("lib", "server", "classes.jsa")

#: Run in a process of its own: what a crawl asks of Spark first, on a table that takes no time.
_LOAD = """
import sys
from catalog.lake.scanning.session import session, stop
from catalog.settings import get_settings

archive, table = sys.argv[1:]
options = f"-XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit={archive} -Xlog:cds=off -Xlog:cds+dynamic=off"
conf = {"spark.driver.extraJavaOptions": options}
local = {"spark_remote": "", "spark_master": "local[1]", "spark_conf": conf}
spark = session(get_settings().model_copy(update=local))
rows = spark.range(100).selectExpr("id", "cast(id as string) name")
for mode in ("append", "append", "overwrite"):
    rows.write.format("delta").mode(mode).save(table)
read = spark.read.format("delta").load(table)
read.groupBy("name").count().orderBy("name").collect()
read.mapInArrow(lambda batches: batches, read.schema).collect()
stop()
"""


def archive_path(settings: Settings, java_home: Path) -> Path | None:
    """Where the archive of this Java and this pyspark lies or would lie; None where that Java can have none."""
    base = java_home / _BASE
    if not base.is_file():
        return None
    found, spark = base.stat(), Path(pyspark.__file__).parent.resolve()
    # a JVM looks at the jars' times: those of a package that was installed again are others
    jars = max((jar.stat().st_mtime_ns for jar in (spark / "jars").glob("*.jar")), default=0)
    made_of = (str(base.resolve()), found.st_size, found.st_mtime_ns, str(spark), pyspark.__version__, jars)
    return settings.home / "jars" / f"classes-{hashlib.sha256(repr(made_of).encode()).hexdigest()[:12]}.jsa"


def archive_options(settings: Settings, java_home: Path) -> str:
    """A JVM's options to begin from the archive; empty where there is none."""
    path = archive_path(settings, java_home)
    if path is None or not path.is_file():
        return ""
    return f'"-XX:SharedArchiveFile={path}" -Xlog:cds=off -Xlog:cds+dynamic=off'


def write_archive(settings: Settings, java_home: Path) -> Path | None:
    """Write the archive where it is not there, once Delta's jars are; takes about as long as a first crawl. Archives
    of other Javas are taken away: each takes some 200 MB.

    None where none could be written, which costs later sessions some seconds and nothing else.
    """
    path = archive_path(settings, java_home)
    if path is None or path.is_file():
        return path
    partial = path.with_name(f".{path.stem}.{os.getpid()}")
    with tempfile.TemporaryDirectory(prefix="assay-classes-") as folder:
        # the JVM writes when it ends, after Python: its end is that of the output, which is waited for
        done = subprocess.run(  # noqa: S603 - our own code
            [sys.executable, "-c", _LOAD, str(partial), str(Path(folder, "table"))],
            env={**os.environ, **settings.as_environment()},
            capture_output=True,
        )
    if done.returncode or not partial.is_file():
        partial.unlink(missing_ok=True)
        return None
    for old in path.parent.glob("classes-*.jsa"):
        old.unlink(missing_ok=True)
    partial.replace(path)
    return path
