"""Numbers that stand for persons are told apart from other numbers, and masked where a steward says so."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.privacy.levels import IDENTIFIER, level_of
from catalog.tags.table import propose_table

ROWS = 200
NUMBERS = list(range(4_000, 4_000 + ROWS))


def _said(table: str, columns: dict[str, list], *, masked: bool = False) -> dict[str, bool]:
    """The columns said to hold identifiers of persons, with whether they are sensitive."""
    found = propose_table(fold(pa.table(columns)).columns, table, masked=masked)
    return {name: one.sensitive for name, ones in found.items() for one in ones if one.domain == IDENTIFIER}


@pytest.mark.parametrize(
    ("table", "name", "values"),
    [
        ("orders", "customer_id", NUMBERS),
        ("visits", "PatientNo", [f"P{one}" for one in NUMBERS]),
        ("tickets", "assigned_to_user_id", [one % 40 for one in NUMBERS]),
        ("contracts", "tenant", NUMBERS),
        ("employees", "id", NUMBERS),
        ("umsatz", "kunden_nr", NUMBERS),
    ],
)
def test_a_number_that_stands_for_a_person_is_told(table: str, name: str, values: list) -> None:
    assert _said(table, {name: values, "amount": [one * 0.37 for one in NUMBERS]}) == {name: False}


@pytest.mark.parametrize(
    ("table", "name", "values"),
    [
        ("orders", "order_id", NUMBERS),
        ("orders", "store_id", NUMBERS),
        ("orders", "id", NUMBERS),
        ("visits", "session_id", NUMBERS),
        ("shops", "number_of_customers", NUMBERS),
        ("shops", "customers_no", NUMBERS),
        ("files", "doc_id", NUMBERS),
        ("orders", "OS X customer", NUMBERS),
        ("voters", "birthplace", NUMBERS),
        ("families", "children", [one % 7 for one in NUMBERS]),
        ("orders", "customer", ["gold", "silver", "bronze", "none"] * (ROWS // 4)),
        ("orders", "customer_key", [one % 2 for one in NUMBERS]),
        ("customers", "customer_email", [f"ann{one}@mail.org" for one in NUMBERS]),
    ],
)
def test_other_numbers_are_not(table: str, name: str, values: list) -> None:
    assert _said(table, {name: values, "amount": [one * 0.37 for one in NUMBERS]}) == {}


@pytest.mark.parametrize(
    "name",
    [
        *("nr_pacjenta", "no_patient", "numero_eleve", "pacjenta", "id_cliente", "idcliente", "codPaciente"),
        *("id_klienta", "nr_ucznia", "číslo_žáka", "broj_člana", "številka_bolnika", "ārsta_numurs", "nario_kodas"),
        *("Patientennummer", "Mitgliedsnummer", "elevnummer", "ügyfélszám", "potilaan_numero", "õpilase_kood"),
        *("nr_elev", "numărul_pacientului", "номер_ученика", "код_клиента", "табельный_номер_сотрудника"),
        *(
            "κωδικός_μαθητή",
            "müşteri_kodu",
            "رقم_المريض",
            "nomor_siswa",
            "mã_nhân_viên",
            "学生编号",
            "환자id",
            "namba_ya_mteja",
        ),
        *("uimhir_othair", "numru_pazjent", "numero_de_l_adhérent", "id_alumnos"),
    ],
)
def test_words_for_persons_are_read_before_and_behind_numbers_in_any_case(name: str) -> None:
    assert _said("visits", {name: NUMBERS, "amount": [one * 0.37 for one in NUMBERS]}) == {name: False}


@pytest.mark.parametrize(
    "name",
    [
        *("no_patients", "num_alumnos", "numero_alunni", "numero_eleves", "nr_pacienti", "clients_no"),  # counts
        *(
            "patientenzimmer_nr",
            "kundengruppe_nr",
            "id_tipo_cliente",
            "customer_type_code",
        ),  # what is joined to persons
        *("nr_lokalu", "id_tienda", "code_postal", "notario", "numero_factura", "species_id", "商品番号"),
    ],
)
def test_numbers_of_things_and_counts_of_persons_are_none(name: str) -> None:
    assert _said("visits", {name: NUMBERS, "amount": [one * 0.37 for one in NUMBERS]}) == {}


def test_kinds_of_customers_under_a_word_that_means_codes_too_are_none() -> None:
    kinds = {"cod_cliente": ["A1", "B2", "C3", "D4"] * (ROWS // 4), "amount": [one * 0.37 for one in NUMBERS]}
    assert _said("visits", kinds) == {}


def test_identifiers_are_masked_where_a_steward_has_them_masked() -> None:
    columns = {"customer_id": NUMBERS, "amount": [one * 0.37 for one in NUMBERS]}
    assert _said("orders", columns, masked=True) == {"customer_id": True}
    assert level_of([(IDENTIFIER, "proposed")]) == "personal"
