"""Columns in languages whose words come late to the lists."""

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.propose import propose_tags

COLUMNS = {
    "color_name": ("color_name", ["purple", "silver", "teal", "white", "lime", "purple"]),
    "street_address": ("col_3", ["Bahnhofstr. 12a", "Hauptstr. 5", "Lindenstr. 77", "Gartenstr. 3", "Ringstr. 8b"]),
    "street_address hu": ("cim_address", ["Kossuth tér 173.", "Petőfi utca 12.", "Dózsa út 9.", "Ady körút 44."]),
    "street_address cs": ("adresa_address", ["Průškova 554", "Hlavní 7", "Vratislavova 1", "Masarykova 12/3"]),
    "street_address tr": ("col_4", ["Atatürk Cad. No: 12", "Lale Sok. 5", "Fatih Mah. Gül Sok. 3", "Vatan Caddesi 41"]),
    "month": ("month", ["tammikuu", "helmikuu", "maaliskuu", "huhtikuu", "toukokuu", "kesäkuu"]),
    "weekday": ("weekday", ["hétfő", "kedd", "szerda", "csütörtök", "péntek", "szombat"]),
    "postcode": ("postcode", ["H-8097", "H-1051", "H-6720", "A-1010", "CH-8001"]),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_what_a_column_means_in_another_language(case: str) -> None:
    name, values = COLUMNS[case]
    found = propose_tags(fold(pa.table({"c": values * 3})).columns["c"], name)
    assert found[0].domain == case.split()[0], [(one.domain, one.score) for one in found]
