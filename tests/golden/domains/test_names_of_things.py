"""What columns of places, firms, kinds and remarks are called in many languages."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.table import propose_table

TOWNS = ["Voru", "Elva", "Otepa", "Antsla", "Rapina", "Kanepi"]
FIRMS = ["Maison Dupré", "Les Deux Frères", "Chez Paul", "Au Bon Coin"]


def said(table: str, **columns: list[str]) -> dict[str, str]:
    states = fold(pa.table(columns)).columns
    return {name: ones[0].domain for name, ones in propose_table(states, table).items() if ones}


@pytest.mark.parametrize(
    ("name", "table", "values", "domain"),
    [
        ("bydliste", "kandidati", TOWNS, "city"),
        ("tempat_lahir", "pegawai", ["Nganjuk"] * 3, "city"),
        ("İlçe", "liste", ["Pendik"] * 9, "city"),
        ("sigungu", "list", ["서산시", "안양만안구", "남양주시"], "city"),
        ("Bezirksname", "wohnungen", ["Aegidii", "Überwasser", "Dom"], "region"),
        ("district", "wards", ["Mahowe", "Mahowe", "Kapoka"], "region"),
        ("name", "wards", ["Mahowe", "Nthalire", "Kapoka"], "region"),
        ("zeme", "zakaznici", ["Česká republika"] * 2, "country_name"),
        ("fournisseur", "produits", FIRMS, "company_name"),
        ("FurnizorNume", "produse", ["Distribuitor Central"] * 4, "company_name"),
        ("nakladatelstvi", "knihy", ["Argo", "Panteon", "Knihovna"], "company_name"),
        ("name", "pharmacies", FIRMS, "company_name"),
        ("año", "capturas", ["2011", "2011", "2011"], "year"),
        ("metai", "pardavimai", ["2019", "2019", "2019"], "year"),
        ("månad", "mätningar", ["maj", "juni", "maj"], "month"),
        ("mėnuo", "pardavimai", ["sausis", "vasaris", "kovas"], "month"),
        ("день_недели", "продажи", ["понедельник", "среда", "пятница"], "weekday"),
        ("veckodag", "mätningar", ["måndag", "tisdag", "måndag"], "weekday"),
        ("hari", "jadwal", ["Senin", "Rabu", "Senin"], "weekday"),
        ("tháng", "bán", ["1月", "2月", "12月"], "month"),
        ("sous_type", "envois", ["COLIS_EXPRESS", "COLIS_EXPRESS", "LETTRE_SUIVIE", "COLIS_EXPRESS"], "category"),
        ("sens", "envois", ["in", "out", "in", "in"], "category"),
        ("sugu", "osakonnad", ["M", "N", "N", "M"], "gender"),
        ("spol", "članovi", ["M", "Ž", "M"], "gender"),
        ("typ_pol", "doklady", ["O", "D", "O"], "code"),
        ("bandera", "buques", ["PL", "PL", "MT", "NL"], "country_code2"),
        ("nome", "clienti", ["Ferro S.r.l.", "Bianchi Impianti S.p.A.", "Edil Sud S.n.c."], "company_name"),
        ("name", "customers", ["Nordic Steel AS", "Fjord Fisk AS", "Bergen Maskin AS"], "company_name"),
        ("name", "wsen", ["Alpen Technik AG", "Léman Conseil SA"], "company_name"),
        ("zanr", "knihy", ["Beletrie", "Fantasy", "Humor"], "category"),
        ("Varutyp", "lager", ["Fylligt & Smakrikt", "Ljus Lager", "Vodka"], "category"),
        ("poznamka", "objednavky", ["Přijde až po obědě", "Volat předem", "Nechat u sousedů vedle"], "free_text"),
    ],
)
def test_names_in_other_languages(name: str, table: str, values: list[str], domain: str) -> None:
    assert said(table, **{name: values})[name] == domain


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("delovno_mesto", ["Prodajalec", "Izmenovodja", "Poslovodja"]),
        ("district", ["1", "2", "3"]),
        ("otel", ["GSR", "GSR", "GGR"]),
        ("fournisseur_id", ["1", "5", "4"]),
        ("haltestelle", ["Albisgütli", "Albisriederplatz", "Bellevue"]),
    ],
)
def test_neither_place_nor_firm(name: str, values: list[str]) -> None:
    """A post at work, a number, abbreviations, where a tram stops."""
    assert said("t", **{name: values})[name] not in ("city", "region", "company_name")


@pytest.mark.parametrize(
    ("name", "values", "domain"),
    [
        ("Artikelid", ["1", "1000008", "1000083", "1000131"], "opaque_id"),
        ("Varnummer", ["1", "75489", "75639", "75218"], "opaque_id"),
        ("会员编号", ["84", "107", "117", "368"], "opaque_id"),
        ("kategori_id", ["36159", "36159", "36161"], "opaque_id"),
        ("id", ["P001", "P002", "P003"], "opaque_id"),
        ("paid", ["1200", "950", "1010", "700"], "integer"),
        ("antal", ["1", "75489", "75639", "75218"], "integer"),
        ("number of rooms", ["1", "2", "3", "4"], "integer"),
        ("sira_numarasi", ["5", "5", "5", "5", "7"], "integer"),
    ],
)
def test_numbers_of_things_are_no_quantities(name: str, values: list[str], domain: str) -> None:
    assert said("t", **{name: values})[name] == domain


def test_what_a_person_has_no_other_number_for_stays_shown() -> None:
    """A number that a firm gives out is the number of a thing, also in other languages."""
    people = {"姓名": ["王伟", "李娜", "张敏", "刘洋", "陈静", "杨磊", "赵强", "黄丽"], "员工工号": [*"abcdefgh"]}
    people["员工工号"] = [str(200 + 17 * k) for k in range(8)]
    found = propose_table(fold(pa.table(people)).columns, "员工信息")
    assert not any(one.sensitive for one in found["员工工号"])


@pytest.mark.parametrize(
    ("columns", "name", "domain"),
    [
        ({"online": ["Hayır"] * 4}, "online", "boolean"),
        ({"aal": ["1"] * 4, "bbl": ["0", "1", "1", "0"]}, "aal", "boolean"),
        ({"aal": ["1"] * 4, "bbl": ["3", "1", "2", "0"]}, "aal", "integer"),
        ({"quantity": ["1"] * 4, "bbl": ["0", "1", "1", "0"]}, "quantity", "integer"),
        ({"dm": ["N"] * 4, "mail": ["N"] * 4, "gone": ["N"] * 4}, "dm", "boolean"),
        ({"dm": ["N"] * 4, "mail": ["S"] * 4, "gone": ["E"] * 4}, "dm", "code"),
        ({"puan": ["4.5"] * 4}, "puan", "decimal"),
    ],
)
def test_one_value_alone(columns: dict[str, list[str]], name: str, domain: str) -> None:
    """Yes or no that nobody contradicts is told by its word, or by what the columns beside it hold."""
    assert said("t", **columns)[name] == domain


@pytest.mark.parametrize(
    ("name", "values", "domain"),
    [
        ("mmsi", ["235002001", "308123000", "219018271", "235076543"], "opaque_id"),
        ("vessel_name", ["Queen Mary", "Marco Polo", "Anna Maersk", "Grace Darling"], "title"),
        ("isbn", ["9789985123450", "9789949217777", "9789916601230"], "isbn"),
        ("password", ["admin", "janis123", "anna123"], "password"),
        ("verbrauch", ["18 kWh/100km", "15,4 kWh/100km", "6.2 l/100km"], "measurement"),
        ("tage", ["Montag, Mittwoch", "Dienstag, Donnerstag", "Freitag"], "weekday"),
        ("说明", ["需要先确认供应商的交货时间，再安排生产", "系统升级期间暂停使用，预计两小时"], "free_text"),
        ("備考", ["部品が届くまで待っています。連絡済み", "お客様から再度確認の電話がありました"], "free_text"),
        ("หมายเหตุ", ["ต้องรอชิ้นส่วนจากโรงงานก่อนจึงจะซ่อมได้", "ลูกค้าขอเลื่อนนัดไปสัปดาห์หน้า"], "free_text"),
    ],
)
def test_forms_that_a_name_vouches_for(name: str, values: list[str], domain: str) -> None:
    assert said("vessels" if name in ("mmsi", "vessel_name") else "t", **{name: values})[name] == domain


def test_customers_that_are_called_firms_are_no_persons() -> None:
    firms = {"nome": ["Ferro S.r.l.", "Bianchi Impianti S.p.A."], "indirizzo": ["Via Roma 12", "Via Garibaldi 3"]}
    people = {"nome": ["Luca Rossi", "Anna Bianchi"], "indirizzo": ["Via Roma 12", "Via Garibaldi 3"]}
    hidden = [
        propose_table(fold(pa.table(columns)).columns, "clienti")["indirizzo"][0].sensitive
        for columns in (firms, people)
    ]
    assert hidden == [False, True]
