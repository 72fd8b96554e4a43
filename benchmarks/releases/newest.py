"""The latest of the lists of tables that releases of packages carry."""

from __future__ import annotations

from benchmarks.releases.inside.readers import Carried
from benchmarks.releases.subjects import figures, numbered, written

EIGHTEENTH = {
    "bank_numbers": Carried("clabe", numbered.bank_numbers),
    "board_codes": Carried("mbed-tools", numbered.board_codes),
    "database_machines": Carried("cfn-lint", figures.database_machines),
    "database_releases": Carried("bioversions", written.database_releases, ("retrieved", "date")),
    "dialled_prefixes": Carried("npm:phone", numbered.dialled_prefixes),
    "goods": Carried("osrsbox", figures.kept("items-complete.json", *figures.GOOD), ("last_updated", "release_date")),
    "language_people": Carried("gflanguages", written.language_people),
    "machine_regions": Carried("cfn-lint", figures.machine_regions),
    "monsters": Carried(
        "osrsbox", figures.kept("monsters-complete.json", *figures.MONSTER), ("last_updated", "release_date")
    ),
    "province_amounts": Carried("policyengine-canada", numbered.province_amounts, ("day",)),
    "record_slots": Carried("nmdc-schema", written.record_slots),
    "sign_words": Carried("npm:emojilib", written.sign_words),
    "style_definitions": Carried("npm:@webref/css", written.style_definitions),
    "term_mappings": Carried("biomappings", written.term_mappings, ("mapping_date",)),
    "written_languages": Carried("hyperglot", written.written_languages),
}
