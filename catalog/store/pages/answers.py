"""What programs are told of each noun: one function makes it, for the API and for ``--json`` of the commands alike.

JSON data with the fields that `web.api.schemas` describes. Rows may be those of a session or of `pages.quick`; what is
sensitive was hidden before, or is hidden here. Quick to load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from catalog.causes import TITLES

if TYPE_CHECKING:
    from catalog.store.lake.batches import Reach
    from catalog.tags.privacy.hiding import Hiding

TABLE = """id source_id name uri status error_kind error remedy mode seen_version judged_version first_version rows
    bytes files partition_columns found_at changed_at learned_at owner""".split()
COLUMN = "id table_id name type position sensitive level hand_level owner".split()
TAG = (
    """id column_id domain title score match_share sensitive contains status actor reason version updated_at""".split()
)
VERSION = (
    """number committed_at operation commit_info batch batch_rows files_added files_removed status label""".split()
)
RULE = """id table_id column_name kind learner revision fingerprint status level demotion sentence since_version
    created_at""".split()
INCIDENT = """id table_id kind column_name check_name first_version last_version passed_version level sentence status
    reason comment assignee taken_back opened_at updated_at confidence corrected""".split()
OUTCOME = "id table_id version rule_id status sentence metric value low high judged_at".split()
RUN = """id kind title source_id table_id status phase done total cancel error remedy stats queued_at started_at
    finished_at""".split()
SOURCE = "id name uri include exclude allowed owner created_at crawled_at".split()


@dataclass(frozen=True)
class Page:
    """A stretch of a list: `items` from `offset` on, at most `limit` of `total`."""

    items: list[Any]
    total: int
    limit: int
    offset: int

    @property
    def number(self) -> int:
        return self.offset // self.limit + 1

    @property
    def count(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.total // self.limit))


@dataclass(frozen=True)
class TableLine:
    """A table as lists show it, with what is counted of it: active rules, open incidents (one for each cause), domains
    that tag its columns and nobody rejected; `found` are columns ``(id, name)`` that hold a searched word."""

    table: Any
    source: str
    columns: int
    rules: int
    incidents: int
    tags: list[str]
    found: list[tuple[int, str]] = field(default_factory=list)

    @property
    def ref(self) -> str:
        """``source/name``: finds the table again."""
        return f"{self.source}/{self.table.name}"


@dataclass(frozen=True)
class IncidentLine:
    """An incident as lists show it: its table and source, and the names of all tables that it is of."""

    incident: Any
    table: str
    source: str
    tables: list[str]

    @property
    def ref(self) -> str:
        return f"{self.source}/{self.table}"


def listing(found: Page, make: Callable[[Any], Any], following: str | None = None) -> dict[str, Any]:
    """A stretch of a list in the one form; `following` is the address of the next."""
    items = [make(one) for one in found.items]
    return {"items": items, "total": found.total, "limit": found.limit, "offset": found.offset, "next": following}


def table(line: TableLine) -> dict[str, Any]:
    counted = {"columns": line.columns, "rules": line.rules, "open_incidents": line.incidents, "tags": line.tags}
    return _fields(line.table, TABLE) | {"source": line.source} | counted


def column(line: Any, hide: Hiding) -> dict[str, Any]:
    """A `pages.columns.ColumnLine`; of its figures what may be seen."""
    from catalog.store.meaning.privacy import shown_profile

    counted = {"rules": line.rules, "open_incidents": line.incidents}
    tags = [tag(one) for one in line.tags]
    return _fields(line.column, COLUMN) | {"profile": shown_profile(line.column, hide), "tags": tags} | counted


def tag(row: Any) -> dict[str, Any]:
    return _fields(row, TAG)


def version(row: Any, violated: int, passed: int) -> dict[str, Any]:
    return _fields(row, VERSION) | {"violated": violated, "passed": passed}


def rule(row: Any, table_name: str, hide: Hiding | None = None) -> dict[str, Any]:
    """A rule; with its body, of a sensitive column without values, where `hide` says what is hidden of its table."""
    body = None if hide is None else _body(row, hide)
    named = {"table": table_name, "level_now": row.level_now, "fpr": row.stated_fpr}
    return _fields(row, RULE) | named | {"body": body}


def revision(row: Any, older: Any, table_name: str, hide: Hiding) -> dict[str, Any]:
    """A revision of a rule, and what it changed of the `older` one before, None of the first; clauses that are the same
    left out."""
    from catalog.rules.clause import count_changes
    from catalog.store.expectations.rules import as_rule

    private = hide.private_rule(row.column_name, row.body)
    found = as_rule(row).compare(as_rule(older), private=private) if older is not None else []
    changes = [vars(one) for one in found if one.change != "same"]
    return rule(row, table_name) | {"first": older is None, "changed": count_changes(found), "changes": changes}


def _body(row: Any, hide: Hiding) -> dict[str, Any]:
    from catalog.store.expectations.rules import as_rule
    from catalog.tags.privacy.masking import masked_texts

    if not hide.private_rule(row.column_name, row.body):
        return dict(row.body)
    typed = as_rule(row)
    evidence = masked_texts(typed.shown_evidence(private=True))
    shown = {"params": typed.shown_params(private=True), "evidence": evidence, "sentence": row.sentence}
    return {**row.body, **shown}


def incident(line: IncidentLine) -> dict[str, Any]:
    row = line.incident
    diagnosis = row.diagnosis or {}
    named = {
        "table": line.table,
        "cause": row.cause or None,
        "cause_title": TITLES.get(row.cause) if row.cause else None,
        "columns": row.columns or ([row.column_name] if row.column_name else []),
        "size": diagnosis.get("size", {}),
        "undo": diagnosis.get("undo") or None,
        "proof": diagnosis.get("proof") or None,
        "others": [{"cause": name, "confidence": share} for name, share in diagnosis.get("others", [])],
        "tables": line.tables,
    }
    return _fields(row, INCIDENT) | named


def outcome(row: Any, of: Any, hide: Hiding) -> dict[str, Any]:
    """What the rule `of` said of a version; cells of its rows as they may be shown."""
    rows = None if row.rows is None else [hide.row(one) for one in row.rows]
    return _fields(row, OUTCOME) | {"kind": of.kind, "column_name": of.column_name, "rows": rows}


def run(row: Any) -> dict[str, Any]:
    told = _fields(row, RUN)  # a check that is tried may quote values: its own page shows it to authors
    return told | {"stats": {name: value for name, value in (row.stats or {}).items() if name != "check"}}


def source(row: Any) -> dict[str, Any]:
    return _fields(row, SOURCE)


def reach(found: Reach) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(found), "words": found.words()}


def _fields(row: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}
