"""The benchmark of checks without its rivals' environment: our answers are DuckDB's, in one pass, however rows come."""

import itertools

import pyarrow as pa
import pytest

from benchmarks.checks import engines, growing, tables
from benchmarks.checks.demands import Demand, demands_of, numbered
from benchmarks.checks.differences import reason_of, same


@pytest.fixture(scope="module")
def uris(tmp_path_factory):
    return tables.write_generated(tmp_path_factory.mktemp("checks"), 1200)


@pytest.mark.parametrize("name", ["odd", "empty", "wide"])
def test_our_figures_are_duckdbs(uris, name):
    schema, few, numeric, rows = tables.described(uris[name])
    demands = demands_of(schema, few, numeric)
    with engines.measured() as cost:
        ours = engines.read(demands, engines.count(uris[name], demands))
    assert cost.rows == rows  # hundreds of figures, each row read once
    theirs = engines.Duck(tables.files_of(uris[name])).values(demands)
    single = {f.name for f in schema if pa.types.is_float32(f.type)}  # DuckDB interpolates in single precision
    wrong = {
        one.id: (ours[one.id], theirs[one.id])
        for one in demands
        if one.id in theirs and not same(ours[one.id], theirs[one.id])
        and not (one.name == "ExactQuantile" and one.columns[0] in single)
    }  # fmt: skip
    assert not wrong
    assert len(demands) >= 250


def test_no_answer_is_no_reason_and_ends_nothing():
    for name, answer in (("DataType", {"String": 1}), ("Histogram", {"a": 1}), ("Minimum", 1.5), ("Maximum", 1.5)):
        for ours, deequ in ((None, answer), (answer, {"error": "no metric"})):
            assert reason_of(Demand(name, ("a",), {}), ours, deequ, None, lambda query: (0,)) == ""


def test_a_changed_answer_is_seen():
    assert not same(0.5, 0.5000001)
    assert not same({"a": 1}, {"a": 2})
    assert not same(None, 0.0)
    assert Demand("Mean", ("x",), {}).id != Demand("Mean", ("x",), {}, where="x > 1").id


def test_five_hundred_columns_and_two_hundred_histograms_are_one_pass_over_a_table(tmp_path):
    from deltalake import write_deltalake

    uri = str(tmp_path / "broad")
    for start in (0, 40):
        write_deltalake(uri, pa.table({f"c{n}": range(start + n, start + n + 40) for n in range(500)}), mode="append")
    demands = [Demand("Completeness", (f"c{n}",), {}) for n in range(500)]
    demands += [Demand("Histogram", (f"c{n}",), {}) for n in range(200)]
    with engines.measured() as cost:
        found = engines.read(demands, engines.count(uri, demands))
    assert cost.rows == 80
    assert all(one == 1.0 or sum(one.values()) == 80 for one in found.values())


def test_states_that_grow_answer_as_all_rows_again(tmp_path):
    uri = str(tmp_path / "grown")
    from deltalake import write_deltalake

    from catalog.lake.logs.log import read_table

    keys = []
    for number in range(3):
        write_deltalake(uri, tables.wide(200, 200 * number, number), mode="append")
        keys.append([f.key for f in read_table(uri).files if f.key not in itertools.chain(*keys)])
    for name in growing.COLUMNS:
        demands = growing._demands(uri, name)
        (_, again), (_, grown) = growing._counted_at_once(uri, keys, demands), growing._incremental(uri, keys, demands)
        assert demands
        assert all(same(again[one], grown[one]) for one in again)


def test_zeros_of_either_sign_are_one_bin() -> None:
    deequ = {"nan": 4, "NullValue": 2, "-0.0": 2, "0.0": 2, "1.0E-5": 2}
    assert numbered(deequ) == {"nan": 4, "NullValue": 2, "0.0": 4, "1e-05": 2}
    ours = {"0.0": 4, "1e-05": 2, "\0null": 2}
    assert same(ours, {name: rows for name, rows in numbered(deequ).items() if name != "nan"})


def test_a_quantile_that_is_not_a_number_is_explained_by_values_that_are_none():
    demand = Demand("ExactQuantile", ("a",), {}, arguments={"q": 0.25})
    nan = float("nan")
    assert "loses its order" in reason_of(demand, 1.0, nan, 1.0, lambda query: (3,))
    for ours, duckdb, nans in ((1.0, 2.0, 3), (1.0, 1.0, 0)):
        assert reason_of(demand, ours, nan, duckdb, lambda query, nans=nans: (nans,)) == ""


def test_two_columns_one_of_nulls_have_no_mutual_information():
    from catalog.measures.groups.frequency import frequencies

    assert frequencies([pa.array(["a", "b"]), pa.nulls(2, pa.string())]).mutual_information() is None
