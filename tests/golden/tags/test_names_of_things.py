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
