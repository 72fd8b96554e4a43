"""Rates, tariffs and measures are read as tables out of the files of releases; nothing is fetched here."""

import json

from benchmarks.releases.inside.readers import Cells, Files
from benchmarks.releases.lists import CARRIED


def read(name: str, files: dict[str, str]) -> Cells:
    opened: Files = {path: lambda text=text: text.encode() for path, text in files.items()}  # type: ignore[misc]
    return CARRIED["twelfth"][name].read(opened)


def test_tariffs_are_read_from_modules_without_running_them() -> None:
    text = (
        "import nothing\ntariffs = {'D1': {'name': 'Flat', 'periods': [('Peak', time(15, 0), time(21, 0), 5.5 + 2.25),"
        " ('Off-peak', time(0, 0), time(15, 0), rate)]}, 'D2': other}\nfees = {'D1': 0.5}\n"
    )
    table = read("grid_tariffs", {"aemo_to_tariff/ausnet.py": text})
    assert {name: one[0] for name, one in table.items()} == {
        "network": "ausnet", "table": "tariffs", "tariff": "D1", "name": "Flat", "period": "Peak", "start": "15:00",
        "end": "21:00", "rate": "7.75",
    }  # fmt: skip
    assert table["rate"] == ["7.75", ""]


def test_bands_are_read_although_their_descriptions_name_classes() -> None:
    text = (
        "reader: {reader: !!python/name:a.b.C }\ndatasets:\n  C01: {name: C01, wavelength: [0.4, 0.5, 0.6],"
        " resolution: 1000, calibration: {radiance: {}, counts: {}}}\n  sun: {name: sun, units: degree}\n"
    )
    table = read("satellite_bands", {"satpy/etc/readers/a_b.yaml": text})
    assert (table["reader"], table["least"], table["most"]) == (["a_b", "a_b"], ["0.4", ""], ["0.6", ""])
    assert (table["calibrations"], table["units"]) == (["radiance counts", ""], ["", "degree"])


def test_a_chain_has_the_fees_of_its_first_token() -> None:
    text = (
        "const info = {\n chainName: 'a',\n slip44: 118,\n fees: { feeTokens: [{ denom: 'u', fixedMinGasPrice: 0.005,"
        " lowGasPrice: 1e-7 }, { denom: 'v', fixedMinGasPrice: 9 }] },\n apis: { rpc: [{ address: 'x' }] } };"
    )
    table = read("chain_fees", {"package/mainnet/a/chain.js": text})
    kept = ("chainName", "slip44", "denom", "fixedMinGasPrice", "lowGasPrice", "highGasPrice", "endpoints", "tokens")
    assert [table[name][0] for name in kept] == ["a", "118", "u", "0.005", "1e-7", "", "1", "2"]


def test_days_of_exchanges_are_those_that_are_written_out() -> None:
    text = 'Closed = [Timestamp("2020-01-02"), Timestamp("2020-03-04")]\nRule = Holiday("x", start_date="2011")\n'
    table = read("exchange_closures", {"e/exchange_calendar_xbom.py": text})
    assert (table["exchange"], table["day"], table["days"]) == (["xbom"] * 2, ["2020-01-02", "2020-03-04"], ["2", "2"])


def test_sizes_of_models_are_numbers_or_ranges() -> None:
    shapes = [{"type": "dense", "parameters": 7}, {"type": "moe", "parameters": {"total": {"min": 1, "max": 2}}}]
    said = {"models": [{"name": f"m{n}", "architecture": one} for n, one in enumerate(shapes)]}
    table = read("model_footprints", {"ecologits/data/models.json": json.dumps(said)})
    assert (table["total_least"], table["total_most"], table["active_least"]) == (["7", "1"], ["7", "2"], ["", ""])


def test_rates_registers_tiers_and_logs_are_read() -> None:
    rates = {"rates": {"AT": {"currency": "EUR", "standard": 20.0, "reduced": [10.0, 13.0], "names": {"de": "x"}}}}
    table = read("vat_rates", {"e/eu_vat_rates_data.json": json.dumps(rates)})
    assert (table["standard"], table["reduced"], table["rates"]) == (["20.0"], ["10.0 13.0"], ["2"])
    said = {"1": {"title": "Outdoor", "size": "s16", "mappings": {"0": "off"}}, "2": "none"}
    table = read("pump_registers", {"nibe/data/f1.json": json.dumps(said)})
    assert (table["register"], table["size"], table["choices"]) == (["1"], ["s16"], ["1"])
    tiers = {"A": [{"tier": 1.0, "symbol": "A", "info": {"cum": 0.5}}]}
    table = read("leverage_tiers", {"freqtrade/exchange/binance_leverage_tiers.json": json.dumps(tiers)})
    assert table == {"tier": ["1.0"], "symbol": ["A"], "cum": ["0.5"]}
    logs = {"L": {"mmd": 86400, "temporal_interval": {"start_inclusive": "2024"}, "trust_stores": [{"owner": "G"}]}}
    table = read("transparency_logs", {"c/certificate-transparency-log.json": json.dumps(logs)})
    assert (table["mmd"], table["starts"], table["owner"], table["ends"]) == (["86400"], ["2024"], ["G"], [""])
    table = read("risk_factors", {"d/ra_coefficients_2025.csv": "coefficient,value\nA,0.5\n"})
    assert table == {"year": ["2025"], "coefficient": ["A"], "value": ["0.5"]}
    module = 'export const metadata = {"chainId": 7, "blocks": {"confirmations": 1}, "rpcUrls": [{"http": "h"}]};\n'
    table = read("bridge_chains", {"package/dist/chains/a/metadata.js": module})
    assert (table["confirmations"], table["node"], table["nodes"]) == (["1"], ["h"], ["1"])


def test_calls_in_modules_are_read_as_settings() -> None:
    chip = "class A(Target):\n MAP = MemoryMap(FlashRegion(name='f', start=0x0, length=0x100), RamRegion(start=0x20))\n"
    table = read("chip_memories", {"pyocd/target/builtin/target_A1.py": chip})
    assert (table["chip"], table["kind"]) == (["A", "A"], ["Flash", "Ram"])
    assert (table["length"], table["name"]) == (["0x100", ""], ["f", ""])
    text = "cfgs = {'m.a': _cfg(crop_pct=0.9, input_size=(3, 8, 8)), 'n': other(1)}\n"
    table = read("image_models", {"timm/models/a.py": text})
    assert table == {"module": ["a"], "model": ["m.a"], "crop_pct": ["0.9"], "input_size": ["(3, 8, 8)"]}


def test_goods_have_no_pictures_and_services_have_their_regions() -> None:
    goods = {"2": {"id": 2, "cost": 5, "icon": "iVBOR", "weapon": {"speed": 1}}}
    assert read("item_prices", {"o/items-complete.json": json.dumps(goods)}) == {"id": ["2"], "cost": ["5"]}
    of = {"endpoints": {"fips": {"credentialScope": {"region": "r1"}, "variants": [{"hostname": "h"}]}}}
    said = {"partitions": [{"partition": "p", "services": {"s": of}}]}
    table = read("service_regions", {"botocore/data/endpoints.json": json.dumps(said)})
    assert (table["endpoint"], table["region"], table["variant"]) == (["fips"], ["r1"], ["h"])


def test_devices_have_what_constants_say_and_layers_their_measures() -> None:
    constants = 'M1 = "SHSW-1"\nMIN: Final = 20200812\n'
    text = constants + "D = {\n    M1: ShellyDevice(\n        model=M1,\n        date=MIN,\n    ),\n}\n"
    assert read("firmware_dates", {"aioshelly/const.py": text}) == {"model": ["SHSW-1"], "date": ["20200812"]}
    layers = {"Brick": {"conductivity": 0.9, "layers": ["x"]}}
    table = read("building_materials", {"h/constructions/opaque_material.json": json.dumps(layers)})
    assert table == {"key": ["Brick"], "conductivity": ["0.9"]}
