"""The kinds of rules and the classes that they are, one line each: those that tell most of values first.

A class is named, not imported: a list of rules needs none of what judging loads.
"""

from __future__ import annotations

PLACES = {
    "pattern": "catalog.rules.kinds.strings:StringsRule",
    "vocabulary": "catalog.rules.kinds.strings:StringsRule",
    "data_pattern": "catalog.rules.kinds.published:DataPatternRule",
    "key": "catalog.rules.kinds.key:KeyRule",
    "new_key": "catalog.rules.kinds.key:NewKeyRule",
    "new_rows": "catalog.rules.kinds.key:NewRowsRule",
    "reference": "catalog.rules.kinds.reference:ReferenceRule",
    "history": "catalog.rules.kinds.history:HistoryRule",
    "volume": "catalog.rules.kinds.history:VolumeRule",
    "schema": "catalog.rules.kinds.schema:SchemaRule",
    "freshness": "catalog.rules.kinds.freshness:FreshnessRule",
    "declared": "catalog.rules.kinds.declared:DeclaredRule",
    "declared_wait": "catalog.rules.kinds.declared:DeclaredWait",
}
