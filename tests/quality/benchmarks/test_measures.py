"""Rates, tariffs, measures, registers and amounts are read as tables out of the files of releases; nothing is fetched
here."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from benchmarks.releases.inside.readers import Cells, Files
from benchmarks.releases.lists import CARRIED


def read(name: str, files: dict[str, str]) -> Cells:
    opened: Files = {path: lambda text=text: text.encode() for path, text in files.items()}  # type: ignore[misc]
    return (CARRIED["twelfth"] | CARRIED["seventeenth"])[name].read(opened)


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


def first(table: Cells) -> dict[str, str]:
    return {name: values[0] for name, values in table.items()}


def test_sensors_of_inverters_are_the_calls_in_the_tuples_of_a_class() -> None:
    text = (
        'class ET(Inverter):\n    __all_sensors: Tuple[Sensor, ...] = (\n        Voltage("vpv1", 35103, "PV1 Voltage",'
        ' Kind.PV),\n        Calculated("ppv", lambda data: 0, "PV Power", "W", Kind.PV),\n    )\n'
        '    names = ("a", "b")\n'
    )
    table = read("inverter_sensors", {"goodwe/et.py": text})
    assert first(table) == {
        "family": "et", "group": "all_sensors", "kind": "Voltage", "sensor": "vpv1", "register": "35103",
        "label": "PV1 Voltage", "unit": "", "measures": "PV",
    }  # fmt: skip
    assert (table["register"][1], table["unit"][1]) == ("", "W")


def test_registers_have_one_shape_though_releases_write_them_in_two() -> None:
    old = 'REGISTERS = {"nb": RegisterDefinitions("u16", "V", 10, 30071, 1)}'
    new = (
        "PV_REGISTERS = {**A, rn.NB: U16Register('V', 10, 30071, 1, writeable=True), rn.NAME: StringRegister(30000,"
        " 15)}"
    )
    table = read("inverter_registers", {"huawei_solar/huawei_solar.py": old})
    assert first(table) | {"group": ""} == {
        "group": "", "name": "nb", "kind": "u16", "register": "30071", "unit": "V", "factor": "10", "length": "1",
    }  # fmt: skip
    table = read("inverter_registers", {"huawei_solar/registers.py": new})
    assert (table["register"], table["length"], table["factor"]) == (["30071", "30000"], ["1", "15"], ["10", ""])
    assert (table["kind"][0], table["unit"], table["writeable"]) == ("U16Register", ["V", ""], ["true", ""])


def test_formats_of_small_sensors_name_a_quantity_and_its_unit() -> None:
    text = (
        "MEAS_TYPES: dict[int, M] = {0x02: M(meas_format=Library.TEMPERATURE__CELSIUS, data_length=2, factor=0.01),"
        " 0x11: M(meas_format=d.BaseBinarySensorDescription(device_class=C.OPENING))}"
    )
    table = read("object_formats", {"bthome_ble/const.py": text})
    assert (table["code"], table["measure"], table["unit"]) == (
        ["2", "17"],
        ["TEMPERATURE", "OPENING"],
        ["CELSIUS", ""],
    )
    assert (table["is_binary"], table["factor"]) == (["false", "true"], ["0.01", ""])


def test_products_and_lamps_are_read_by_their_numbers() -> None:
    text = 'DEVICE_TYPES = {0x0C3C: DeviceEntry(name="Alarm", model="CGC1"), 0x0576: DeviceEntry("Clock", "CGD1")}'
    table = read("ble_products", {"xiaomi_ble/devices.py": text})
    assert (table["code"], table["model"]) == (["0x0c3c", "0x0576"], ["CGC1", "CGD1"])
    text = "product_map = {1: 'A', 3: 'B'}\nfeatures_map = {1: {'color': True, 'max_kelvin': 9000}}\n"
    table = read("lamp_products", {"aiolifx/products.py": text})
    assert (table["name"], table["max_kelvin"]) == (["A", "B"], ["9000", ""])


def test_parameters_of_the_weather_are_read_below_their_resolutions_and_datasets() -> None:
    text = (
        "DwdMetadataSpec = {**_METADATA, 'resolutions': [{'name': 'daily', 'periods': ['now'], 'datasets': [{'name':"
        " 'kl', 'name_original': DEFAULT, 'parameters': [{'name': 'snow', 'name_original': 'sh', 'unit': 'cm'}]}]}]}"
    )
    table = read("weather_parameters", {"wetterdienst/provider/dwd/observation/metadata.py": text})
    assert first(table) == {
        "provider": "dwd", "network": "observation", "resolution": "daily", "periods": '["now"]', "dataset": "kl",
        "dataset_code": "DEFAULT", "parameter": "snow", "code": "sh", "unit": "cm",
    }  # fmt: skip


def test_amounts_have_the_day_from_which_they_hold_and_the_nearest_unit() -> None:
    text = (
        "description: x\nmetadata: {unit: currency-GBP}\nbrackets:\n- amount:\n    0000-01-01: 0\n    2010-10-01:\n"
        "      value: 1_003.64\n      reference: [{title: t}]\n  rate:\n    values: {2011-01-01: 0.1}\n"
        "    metadata: {unit: /1}\n"
    )
    table = read("benefit_amounts", {"policyengine_uk/parameters/gov/wage.yaml": text})
    assert (table["day"], table["value"]) == (["", "2010-10-01", "2011-01-01"], ["0", "1003.64", "0.1"])
    assert (table["part"][0], table["unit"]) == ("brackets.0.amount", ["currency-GBP", "currency-GBP", "/1"])


def test_tables_of_one_database_are_read_with_the_columns_that_are_there(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as database:
        database.execute("create table heroes (id integer, name varchar, base_armor float, json_data varchar)")
        database.execute("insert into heroes values (1, 'axe', -1.5, '{}'), (2, 'bane', null, '{}')")
        database.execute("create table talents (hero_id integer, ability_id integer)")
        database.execute("insert into talents values (2, 7)")
        database.commit()
    files: Files = {"dotabase/dotabase.db": (tmp_path / "x.db").read_bytes}
    tables = CARRIED["seventeenth"]
    assert tables["game_heroes"].read(files) == {"id": ["1", "2"], "name": ["axe", "bane"], "base_armor": ["-1.5", ""]}
    assert tables["game_talents"].read(files) == {"hero_id": ["2"], "ability_id": ["7"]}


def test_files_settings_topics_and_attributes_are_rows() -> None:
    text = (
        '{"ipsw_files": {"a.ipsw": {"urls": [{"url": "u"}, {"ipfs": "z"}], "hashes": {"md5": "5"}, "metadata":'
        ' {"version": "4.1", "build_number": "8M89", "products": ["p", "q"]}}}}'
    )
    table = read("firmware_files", {"share/ipsw.json": text})
    assert (table["devices"], table["places"], table["sha1"]) == (["p q"], ["1"], [""])
    text = '{"Local": {"costfun": {"friendly_name": "Cost", "default_value": "profit"}}}'
    assert read("optimiser_settings", {"emhass/static/data/param_definitions.json": text})["setting"] == ["costfun"]
    text = "topics = [TopicDescriptor(topic='N/{id}/switch/0/Name', message_type=MetricKind.SENSOR, precision=1)]"
    table = read("topic_metrics", {"victron_mqtt/_victron_topics.py": text})
    assert (table["service"], table["message_type"], table["precision"]) == (["switch"], ["SENSOR"], ["1"])
    table = read("component_attributes", {"pypsa/data/component_attrs/links.csv": "attribute,unit\np_nom,MW\n"})
    assert first(table) == {"component": "links", "attribute": "p_nom", "unit": "MW"}
