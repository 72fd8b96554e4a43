"""The catalog's tables.

Everything that tells one thing twice is forbidden by a unique constraint, so that a task that is retried or runs twice
records nothing twice: (source, table), (table, version), (table, data file), (table, version, rule).
The database gives ids: an object has its own once it was flushed.
"""

from __future__ import annotations

from catalog.store.models.alerts import AlertDelivery, AlertRoute
from catalog.store.models.base import UtcDateTime, now
from catalog.store.models.expectations import ClauseDecision, RuleEvent, RuleRow
from catalog.store.models.incidents import ANYWAY, HELD_BACK, Incident, Outcome
from catalog.store.models.lake import (
    GONE,
    FileState,
    KeyLoad,
    KeySample,
    LakeColumn,
    MergedPart,
    MergedState,
    PartFiles,
    PartState,
    Source,
    Table,
    Version,
)
from catalog.store.models.meaning import LakeDomain, Tag, TagEvent, Term
from catalog.store.models.people import ApiToken, Approval, AuditEvent, CatalogSetting, User, WebSession
from catalog.store.models.service import JournalEntry, Lease, ReportSchedule, Run

__all__ = [
    "ANYWAY",
    "GONE",
    "HELD_BACK",
    "AlertDelivery",
    "AlertRoute",
    "ApiToken",
    "Approval",
    "AuditEvent",
    "CatalogSetting",
    "ClauseDecision",
    "FileState",
    "Incident",
    "JournalEntry",
    "KeyLoad",
    "KeySample",
    "LakeColumn",
    "LakeDomain",
    "Lease",
    "MergedPart",
    "MergedState",
    "Outcome",
    "PartFiles",
    "PartState",
    "ReportSchedule",
    "RuleEvent",
    "RuleRow",
    "Run",
    "Source",
    "Table",
    "Tag",
    "TagEvent",
    "Term",
    "User",
    "UtcDateTime",
    "Version",
    "WebSession",
    "now",
]
