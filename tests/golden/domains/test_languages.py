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
    "phone da": ("telefonnummer", ["+45 463 654 078", "44 468 511", "4263 5597", "35 18 60 25", "0788 1506"]),
    "postcode fi": ("postinumero", ["85739", "37564", "28060", "46554", "63506"]),
    "postcode uk": ("індекс", ["441493", "005289", "206648", "740647", "019410"]),
    "birth_date hu": ("szuletesi_datum", ["2000-03-24", "1998-05-04", "1987-09-08", "1985-05-29"]),
    "last_name cs": ("prijmeni", ["Koprziwa", "Vítkovský", "Kuba", "Kovář", "Zdráhal"]),
    "company_name fi": ("yritys", ["Rake", "Omenahotellit", "Findus", "Kuntien tiera", "Kesko"]),
    "street_address ko": ("주소", ["염화내로 781", "이화여대대로 341", "수박등로 1133", "갓바위내로 1181"]),
    "city ko": ("도시", ["오산시", "영통구", "구미시", "부여군", "김제시"]),
    "category": ("도시구분", ["광역시", "특별시", "기초시", "광역시", "특별시", "기초시"]),
    "birth_date th": ("วันเกิด", ["1970-11-02", "1986-06-17", "1999-01-30", "1961-08-08"]),
    "salary hi": ("वेतन", ["42000", "51500", "38000", "64250"]),
    "last_name fa": ("نام_خانوادگی", ["داودی", "وکیلی", "رضایی", "کریمی", "موسوی"]),
    "city ka": ("ქალაქი", ["ბორჯომი", "გორი", "ფოთი", "თელავი"]),
    "gender kk": ("жынысы", ["Ер", "Әйел", "Ер", "Әйел"]),
    "category th": ("c", ["ชุมพล", "ปราบพล", "บุญมา", "ศรีสุข"]),
    "salary zh": ("员工基本工资", ["42000", "51500", "38000", "64250"]),
    "postcode ja": ("請求先郵便番号", ["4600008", "5300001", "0600001", "8120011"]),
    "birth_date zh": ("会员出生日期", ["1971-03-02", "1986-06-17", "1999-01-30", "1961-08-08"]),
    "country_code2 de": ("land", ["DE", "FR", "JP", "AT", "DE", "FR"]),
    "currency_code fr": ("devise", ["EUR", "CHF", "USD", "EUR"]),
    "date ja": ("転記日", ["2026年11月05日", "2026年1月31日", "2025年12月24日", "2026年3月8日"]),
    "date ko": ("c", ["2026년 11월 5일", "2026년 1월 31일", "2025년 12월 24일", "2026년 3월 8일"]),
    "postcode": ("postcode", ["H-8097", "H-1051", "H-6720", "A-1010", "CH-8001"]),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_what_a_column_means_in_another_language(case: str) -> None:
    name, values = COLUMNS[case]
    found = propose_tags(fold(pa.table({"c": values * 3})).columns["c"], name)
    assert found[0].domain == case.split()[0], [(one.domain, one.score) for one in found]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("ad", ["Summer Sale", "Free Shipping", "Last Chance", "New In"]),
        ("by", ["Ann Lee", "Bob Cole", "Peter Schmidt", "Maria Garcia", "Tom Hill"]),
    ],
)
def test_short_words_of_one_language_are_words_of_another(name: str, values: list[str]) -> None:
    """An advertisement is no Turkish first name, who wrote something no Danish town."""
    found = propose_tags(fold(pa.table({"c": values * 3})).columns["c"], name)
    assert found[0].domain not in ("first_name", "city")
