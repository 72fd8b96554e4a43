"""The kinds of rules and the classes that they are, one line each: those that tell most of values first.

A class is named, not imported: a list of rules needs none of what judging loads.
"""

from __future__ import annotations

PLACES = {
    "pattern": "catalog.rules.strings:StringsRule",
    "vocabulary": "catalog.rules.strings:StringsRule",
    "history": "catalog.rules.history:HistoryRule",
    "volume": "catalog.rules.history:VolumeRule",
    "schema": "catalog.rules.schema:SchemaRule",
    "freshness": "catalog.rules.freshness:FreshnessRule",
    "declared": "catalog.rules.declared:DeclaredRule",
}
