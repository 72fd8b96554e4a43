"""The index knows what it was made of: what a change of domains or views asks for is made again from stored states."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.cli import main
from catalog.domains.known import use_own
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.pattern_index.index import STARTER, PatternIndex
from catalog.evidence.pattern_index.views import profile_values
from catalog.flow.context import Context, Progress
from catalog.flow.crawl import crawl_source
from catalog.flow.learning.fingerprint import DOMAIN_KEY
from catalog.flow.learning.index import bring_up_to_date, prepare_starter, take_out_gone
from catalog.flow.reading.sources import add_source
from catalog.settings import Settings, get_settings
from catalog.store.lake.sources import remove_source
from catalog.store.pages.tables import TableFilter, find_tables

pytestmark = pytest.mark.spark

ORDERS = [f"SO{43700 + i}" for i in range(60)]
OWN = """
order_number: {title: Order number, pattern: 'SO\\d{5}', examples: [SO43701, SO43702]}
iban: {title: Our accounts, pattern: 'ACC-\\d', examples: [ACC-1, ACC-2]}
"""


@pytest.fixture
def sources(context: Context, tmp_path: Path) -> list[int]:
    """Two sources, so that a crawl of one leaves the tables of the other as they are."""
    found = []
    for name in ("sales", "archive"):
        rows = pa.table({"order": ORDERS, "account": [f"ACC-{i % 7}" for i in range(60)]})
        write_deltalake(str(tmp_path / name / "orders"), rows)
        found.append(add_source(context, name, str(tmp_path / name)).id or 0)
        crawl_source(context, found[-1])
    return found


def shares(context: Context, accepted: str, kind: str = "domain") -> dict[str, float]:
    """Share of each lake column that conforms, by the index on disk; those of none left out."""
    index = PatternIndex.open(context.settings.index_path)
    found = index.match(Candidate(kind, (accepted,)))
    with context.reading() as session:
        names = {str(item.table.id): item.source for item in find_tables(session, TableFilter()).items}
    return {
        f"{names[index.tables[table]]}.{column}": round(float(share), 2)
        for (table, column), share in zip(index.columns, found, strict=True)
        if share and not index.tables[table].startswith(STARTER)
    }


def test_domains_that_come_change_and_go_are_seen_by_the_next_crawl(
    context: Context, sources: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert not shares(context, "order_number")
    before = PatternIndex.open(context.settings.index_path)
    place = tmp_path / "own.yaml"
    place.write_text(OWN)
    own = Context(context.settings.model_copy(update={"domains": str(place)}))
    own.__dict__["spark"] = context.spark
    try:
        monkeypatch.setenv("ASSAY_DOMAINS", str(place))
        monkeypatch.setenv("ASSAY_HOME", str(context.settings.home))
        monkeypatch.setenv("ASSAY_STARTER_INDEX", context.settings.starter_index)
        get_settings.cache_clear()
        assert main(["index", "show", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["out_of_date"] == "new domain order_number; changed domain iban"

        summary = crawl_source(own, sources[0])
        assert summary["index_rebuilt_for"] == told["out_of_date"]
        assert shares(own, "order_number") == {"sales.order": 1.0, "archive.order": 1.0}
        assert shares(own, "iban") == {"sales.account": 1.0, "archive.account": 1.0}
        after = PatternIndex.open(context.settings.index_path)
        assert len(after.replays) == len(before.replays)
        assert main(["index", "show", "--json"]) == 0
        assert not json.loads(capsys.readouterr().out)["out_of_date"]
        assert "index_rebuilt_for" not in crawl_source(own, sources[0])

        place.write_text(OWN.splitlines()[1])
        crawl_source(own, sources[1])
        assert shares(own, "iban") == {}
        assert shares(own, "order_number") == {"sales.order": 1.0, "archive.order": 1.0}
    finally:
        own.close()
        use_own(dict)
        get_settings.cache_clear()


def test_other_views_make_the_whole_index_anew_without_reading_data(
    context: Context, sources: list[int], tmp_path: Path
) -> None:
    index = PatternIndex.open(context.settings.index_path)
    made_of = dict(index.made_of)
    for key in [key for key in index.tables if not key.startswith(STARTER)]:
        index.update(key, {"order": profile_values([("classes that an older release left", 5)])})
    index.made_of = {**made_of, "views": "of an older release"}
    index.save(context.settings.index_path)
    assert not shares(context, "AA00000", "shape")
    shutil.rmtree(tmp_path / "sales")
    shutil.rmtree(tmp_path / "archive")
    assert bring_up_to_date(context, Progress(context, None)).views
    assert shares(context, "AA00000", "shape") == {"sales.order": 1.0, "archive.order": 1.0}
    assert PatternIndex.open(context.settings.index_path).made_of == made_of


def test_the_set_up_brings_a_starter_index_up_to_date(spark_settings: Settings, tmp_path: Path) -> None:
    """Else each lake that begins from it would, though it holds the same columns."""
    index = PatternIndex.open(spark_settings.starter_path)
    made_of, now = dict(index.made_of), index.match(Candidate("domain", ("iban",)))
    assert now.any()
    index.replace_domains(["iban"], {})
    index.made_of = made_of | {f"{DOMAIN_KEY}iban": "of an older release"}
    index.save(tmp_path)
    prepare_starter(spark_settings.model_copy(update={"starter_index": str(tmp_path)}))
    again = PatternIndex.open(tmp_path)
    assert again.made_of == made_of
    assert again.match(Candidate("domain", ("iban",))).tolist() == now.tolist()
    assert again.model is not None


def left_in(context: Context) -> tuple[set[tuple[str, str]], list[bytes]]:
    """The lake's columns of the index on disk, and all its arrays."""
    index = PatternIndex.open(context.settings.index_path)
    home = context.settings.index_path / (context.settings.index_path / "CURRENT").read_text()
    columns = {(index.tables[table], name) for table, name in index.columns if index.tables[table].isdecimal()}
    return columns, [path.read_bytes() for path in sorted(home.glob("*.npy"))]


@pytest.mark.parametrize("how", ["removed", "vanished"])
def test_a_table_that_is_gone_leaves_the_index(context: Context, tmp_path: Path, how: str) -> None:
    """What is left is, to the byte, the index of a lake that never had the table; another crawl changes nothing."""
    rows = pa.table({"order": ORDERS, "account": [f"ACC-{i % 7}" for i in range(60)]})
    write_deltalake(str(tmp_path / "sales" / "orders"), rows)
    sales = add_source(context, "sales", str(tmp_path / "sales")).id or 0
    crawl_source(context, sales)
    without = left_in(context)

    odd = pa.table({"place": [f"Aisle {i % 9}/{i}" for i in range(60)]})
    write_deltalake(str(tmp_path / "archive" / "shelves"), odd)
    write_deltalake(str(tmp_path / "archive" / "more"), odd)
    archive = add_source(context, "archive", str(tmp_path / "archive")).id or 0
    crawl_source(context, archive)
    assert len(left_in(context)[0]) == len(without[0]) + 2

    if how == "removed":
        with context.transaction() as session:
            remove_source(session, archive)
        crawl_source(context, sales)
    else:
        shutil.rmtree(tmp_path / "archive" / "shelves")
        crawl_source(context, archive)
        assert len(left_in(context)[0]) == len(without[0]) + 1
        shutil.rmtree(tmp_path / "archive" / "more")
        crawl_source(context, archive)  # a source without tables
    assert left_in(context) == without
    assert take_out_gone(context) == 0
    assert left_in(context) == without

    if how == "vanished":
        write_deltalake(str(tmp_path / "archive" / "shelves"), odd)
        crawl_source(context, archive)
        assert len(left_in(context)[0]) == len(without[0]) + 1
