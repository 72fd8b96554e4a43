"""The catalog's tables.

Everything that tells one thing twice is forbidden by a unique constraint, so that a task that is retried or runs twice
records nothing twice: (source, table), (table, version), (table, data file), (table, version, rule).
The database gives ids: an object has its own once it was flushed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    Index,
    Integer,
    LargeBinary,
    String,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

# Constraints are named alike on every database, so that a later migration can name what it drops.
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, kept in UTC, read back with its zone on SQLite too."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def now() -> datetime:
    return datetime.now(UTC)


def _time(*, index: bool = False, nullable: bool = True) -> Any:
    return Column(UtcDateTime, index=index, nullable=nullable)


class Source(SQLModel, table=True):
    """A folder or address under which tables are looked for. `allowed`: further folders that the logs of its tables may
    name files of (shallow clones). `learners`: what a person chose for its tables (`catalog.learners.registry`)."""

    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    uri: str
    include: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    exclude: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    allowed: list[str] = Field(default_factory=list, sa_column=Column(JSON))
    learners: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON))
    owner: str | None = None  # a person or a team; of what has none of its own, that of what holds it
    description: str | None = None
    created_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    crawled_at: datetime | None = Field(default=None, sa_column=_time())


class Table(SQLModel, table=True):
    """A Delta table. `status`: new, learning, watched, error, vanished. `mode`: snapshot, increment; `mode_pinned`
    when a person set it. `seen_version` is in the log, where its commit file has the stamp `seen_stamp`;
    `judged_version` has its outcomes. `replaced_at`: when it was noticed that the table was dropped and made again; the
    one before had reached `replaced_version`, and nothing of it is kept."""

    __tablename__ = "lake_table"
    __table_args__ = (UniqueConstraint("source_id", "name"),)

    id: int = Field(default=None, primary_key=True)
    source_id: int = Field(foreign_key="source.id")
    name: str = Field(index=True)
    uri: str
    status: str = Field(default="new", index=True)
    error_kind: str | None = None
    error: str | None = None
    remedy: str | None = None
    mode: str = "snapshot"
    mode_pinned: bool = False
    seen_version: int = Field(default=-1, sa_column=Column(BigInteger, nullable=False))
    seen_stamp: str | None = None
    judged_version: int = Field(default=-1, sa_column=Column(BigInteger, nullable=False))
    first_version: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))  # before it: VACUUM
    rows: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    bytes: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    files: int = 0
    partition_columns: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    properties: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    found_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    changed_at: datetime | None = Field(default=None, sa_column=_time())
    learned_at: datetime | None = Field(default=None, sa_column=_time())
    replaced_at: datetime | None = Field(default=None, sa_column=_time())
    replaced_version: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    owner: str | None = None
    description: str | None = None
    terms: list[str] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    learners: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON))  # before those of its source
    measured: str | None = None  # the metrics that its versions were brought up to (catalog.metrics.registry)


class LakeColumn(SQLModel, table=True):
    """A leaf column of a table's latest schema. `profile` is a small JSON of display figures of the latest version."""

    __tablename__ = "lake_column"
    __table_args__ = (UniqueConstraint("table_id", "name"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    name: str
    type: str
    position: int
    sensitive: bool = False  # its values are masked: its level is personal or secret
    level: str = Field(default="internal", sa_column=Column(String, nullable=False, server_default="internal"))
    hand_level: str | None = None  # by a person, whatever its tags say
    owner: str | None = None
    description: str | None = None
    terms: list[str] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    profile: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))


class Version(SQLModel, table=True):
    """A version of a table and the batch it makes. `batch`: snapshot, increment, rewrite, or none (no data change).
    `metrics` holds the encoded metrics of every column of the batch (catalog.history), None until observed.
    `passed` and `violated` count its outcomes, `expected_alarms` sums the false-alarm rates their rules state: figures
    over all tables are summed from here, not from millions of outcomes."""

    __tablename__ = "lake_version"
    __table_args__ = (
        UniqueConstraint("table_id", "number"),
        Index("ix_lake_version_judged", "judged_at", "passed", "violated", "expected_alarms"),
    )

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    number: int = Field(sa_column=Column(BigInteger, nullable=False))
    committed_at: datetime = Field(sa_column=_time(nullable=False))
    operation: str = ""
    commit_info: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    batch: str = "none"
    rows: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    batch_rows: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    files_added: int = 0
    files_removed: int = 0
    schema_columns: list[list[str]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    status: str = "known"  # known, observed, judged, lost
    label: str | None = None  # healthy or incident, said by a person
    judged_at: datetime | None = Field(default=None, sa_column=_time())
    passed: int = Field(default=0, sa_column=Column(Integer, nullable=False, server_default="0"))
    violated: int = Field(default=0, sa_column=Column(Integer, nullable=False, server_default="0"))
    expected_alarms: float = Field(default=0.0, sa_column=Column(Float, nullable=False, server_default="0"))
    # last, because SQLite walks through a row's long values to those behind them
    metrics: bytes | None = Field(default=None, sa_column=Column(LargeBinary, nullable=True))


class FileState(SQLModel, table=True):
    """The state of one data file, folded once in its life. `key` is its path in the table, and the deletion vector's
    identity where it has one; `modified_ms` when the log says that it was written (epoch milliseconds)."""

    __tablename__ = "file_state"
    __table_args__ = (
        UniqueConstraint("table_id", "key"),
        Index("ix_file_state_sizes", "table_id", "rows", "data_bytes", "state_bytes"),  # totals without the states
        Index("ix_file_state_order", "table_id", "key", "modified_ms"),  # the files in order without the states
    )

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    key: str
    rows: int = Field(sa_column=Column(BigInteger, nullable=False))
    data_bytes: int = Field(sa_column=Column(BigInteger, nullable=False))
    state_bytes: int = Field(sa_column=Column(BigInteger, nullable=False))
    state: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    modified_ms: int = Field(default=0, sa_column=Column(BigInteger, nullable=False, server_default="0"))


class MergedState(SQLModel, table=True):
    """The merged state of neighbouring data files of a table, named by the `digest` of the files (catalog.states.tree).
    Whatever is not here is merged anew from the states of the files."""

    __tablename__ = "merged_state"
    __table_args__ = (UniqueConstraint("table_id", "digest"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    digest: str
    state: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Tag(SQLModel, table=True):
    """What a column means, or what some of its values hold (`contains`). `status`: proposed, accepted, rejected;
    `actor`: assay or a person's name. A decision of a person stays when the column is tagged anew."""

    __table_args__ = (UniqueConstraint("column_id", "domain"),)

    id: int = Field(default=None, primary_key=True)
    column_id: int = Field(foreign_key="lake_column.id")
    domain: str = Field(index=True)
    title: str = ""
    score: float = 0.0
    match_share: float = 0.0
    sensitive: bool = False
    generic: bool = False  # said when no particular meaning was found
    contains: bool = Field(  # only values that hold one are masked
        default=False, sa_column=Column(Boolean, nullable=False, server_default=false())
    )
    status: str = "proposed"
    actor: str = "assay"
    reason: str | None = None  # why a person decided so
    evidence: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    version: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    updated_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))


class TagEvent(SQLModel, table=True):
    """A tag that the values of a `version` did not bear out any more (`what` is lost), or did again (back). It names an
    incident of the column that was open then."""

    __tablename__ = "tag_event"

    id: int = Field(default=None, primary_key=True)
    tag_id: int = Field(index=True)
    table_id: int = Field(foreign_key="lake_table.id", index=True)
    column_name: str
    domain: str
    title: str = ""
    what: str
    version: int = Field(sa_column=Column(BigInteger, nullable=False))
    incident_id: int | None = Field(default=None, index=True)
    at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))


class PartState(SQLModel, table=True):
    """What a declared check asks for of one data file (`catalog.measures.part`), counted once: `state`, or the `error`
    that keeps it from being counted."""

    __tablename__ = "part_state"
    __table_args__ = (UniqueConstraint("table_id", "part", "file_key"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    file_key: str
    part: str
    state: bytes | None = Field(default=None, sa_column=Column(LargeBinary, nullable=True))
    error: str | None = None


class MergedPart(SQLModel, table=True):
    """A part of a set of data files (`PartFiles`), merged: a version that adds to them costs what it adds. Whatever is
    not here is merged anew."""

    __tablename__ = "merged_part"
    __table_args__ = (UniqueConstraint("table_id", "part"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    part: str
    digest: str
    state: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class PartFiles(SQLModel, table=True):
    """The keys of the data files that merged parts were made of."""

    __tablename__ = "part_files"
    __table_args__ = (UniqueConstraint("table_id", "digest"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    digest: str
    keys: list[str] = Field(sa_column=Column(JSON, nullable=False))


class RuleRow(SQLModel, table=True):
    """A revision of a rule. (table, kind, column, learner) is its identity over revisions; `status`: active, paused,
    rejected, draft, superseded. `body` is catalog.rules.Rule as JSON.

    A rule that spent more false alarms than its budget is demoted: from `demoted_at` on it only warns, for the reason
    `demotion`, until it is promoted again; alarms before `trusted_at` are not held against it any more."""

    __tablename__ = "rule"
    __table_args__ = (
        UniqueConstraint("table_id", "kind", "column_name", "learner", "revision"),
        Index(
            "uq_rule_current",  # at most one revision of a rule is in force
            *("table_id", "kind", "column_name", "learner"),
            unique=True,
            sqlite_where=text("status != 'superseded'"),
            postgresql_where=text("status != 'superseded'"),
        ),
        Index("ix_rule_table_status", "table_id", "status"),
    )

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    column_name: str = ""  # empty: the whole table
    kind: str
    learner: str
    revision: int = 1
    fingerprint: str
    status: str = "active"
    level: str = "error"
    fpr: float  # what its alarms are expected at; see `stated_fpr`
    sentence: str
    body: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    since_version: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))  # judged after this version
    actor: str = "assay"  # who gave it its status
    created_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    demoted_at: datetime | None = Field(default=None, sa_column=_time())
    demotion: str | None = None
    trusted_at: datetime | None = Field(default=None, sa_column=_time())

    @property
    def stated_fpr(self) -> float | None:
        """The false-alarm rate that the rule states; None for one that states none, and is held to none."""
        return None if self.body.get("fpr", self.fpr) is None else self.fpr

    @property
    def level_now(self) -> str:
        """``error`` or ``warning``: what breaking it means at present."""
        return "warning" if self.demoted_at is not None else self.level


class RuleEvent(SQLModel, table=True):
    """What was decided about a rule, by whom and why. `what`: active, paused, rejected, draft, demoted, promoted, or
    what was done to one `clause`: accepted, loosened, paused, rejected, undone."""

    __tablename__ = "rule_event"
    __table_args__ = (Index("ix_rule_event_rule", "table_id", "column_name"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    column_name: str = ""
    kind: str
    learner: str
    what: str
    clause: str | None = None
    reason: str | None = None
    actor: str = "assay"
    at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))


class ClauseDecision(SQLModel, table=True):
    """What a person decided about one clause of a column's program; it outlives what is learned anew.

    `clause` names it within the program (`catalog.rules.decisions.key`); `action`: accepted (its `body` stays as it
    is), loosened (its band `factor` times as wide), paused, rejected."""

    __tablename__ = "clause_decision"
    __table_args__ = (UniqueConstraint("table_id", "column_name", "learner", "clause"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    column_name: str = ""
    learner: str
    clause: str
    action: str
    factor: float = 1.0
    body: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    actor: str
    at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))


class Outcome(SQLModel, table=True):
    """What one rule said of one version: once and only once. `replay` names what it was judged from."""

    __table_args__ = (
        UniqueConstraint("table_id", "version", "rule_id"),
        Index("ix_outcome_rule_version", "rule_id", "version"),
    )

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    version: int = Field(sa_column=Column(BigInteger, nullable=False))
    rule_id: int = Field(foreign_key="rule.id")
    status: str = Field(index=True)  # passed, violated, not_applicable
    sentence: str
    metric: str | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    detail: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    replay: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    rows: list[dict[str, Any]] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))  # masked
    judged_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))


class Incident(SQLModel, table=True):
    """One open row per (table, rule kind, column, declared check: "" of learned rules); rows with one cause have one
    leader (`catalog.store.incidents.causes`).

    `status`: new, acknowledged, assigned, resolved. `sentence` (of a leader its cause's, else its outcome's) and
    `outcome_id` are of the first bad version; `passed_version` is the first version after the last bad one that passed
    (None while the latest judged one is bad): it does not resolve the incident, a person does."""

    __table_args__ = (
        Index(
            "uq_incident_open",
            *("table_id", "kind", "column_name", "check_name"),
            unique=True,
            sqlite_where=text("status != 'resolved'"),
            postgresql_where=text("status != 'resolved'"),
        ),
        Index("ix_incident_table_status", "table_id", "status"),
    )

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    kind: str
    column_name: str = ""
    check_name: str = Field(default="", sa_column=Column(String, nullable=False, server_default=text("''")))
    outcome_id: int = Field(foreign_key="outcome.id")
    first_version: int = Field(sa_column=Column(BigInteger, nullable=False))
    last_version: int = Field(sa_column=Column(BigInteger, nullable=False))
    passed_version: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    level: str = "error"
    sentence: str
    lead_id: int | None = Field(default=None, index=True)  # the row with the cause that this one shows too
    spread_id: int | None = Field(default=None, index=True)  # the leader in another table that broke alike
    cause: str = ""  # one of catalog.causes.TITLES
    confidence: float | None = None
    columns: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    diagnosis: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    corrected: str | None = None  # the cause by a person
    status: str = Field(default="new", index=True)
    reason: str | None = None  # FalsePositive, MissingData, Duplicates, OutOfBounds, Other
    comment: str | None = None
    assignee: str | None = None
    actor: str | None = None  # who changed its status last
    taken_back: str | None = None  # the answer that does not hold any more
    reopened_at: datetime | None = Field(default=None, sa_column=_time())  # by a person
    opened_at: datetime = Field(default_factory=now, sa_column=_time(index=True, nullable=False))
    updated_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))


class Run(SQLModel, table=True):
    """A piece of work with its progress. `kind`: crawl, check, preview, demo, drill; `status`: queued, running, done,
    failed, cancelled. `phase` and done/total are for people; `cancel` asks it to stop."""

    id: int = Field(default=None, primary_key=True)
    kind: str
    title: str = ""
    source_id: int | None = Field(default=None, foreign_key="source.id")
    table_id: int | None = Field(default=None, foreign_key="lake_table.id")
    status: str = Field(default="queued", index=True)
    phase: str = ""
    done: int = 0
    total: int = 0
    cancel: bool = False
    error: str | None = None
    remedy: str | None = None
    stats: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    attempts: int = 0
    queued_at: datetime = Field(default_factory=now, sa_column=_time(index=True, nullable=False))
    heartbeat_at: datetime | None = Field(default=None, sa_column=_time())
    started_at: datetime | None = Field(default=None, sa_column=_time())
    finished_at: datetime | None = Field(default=None, sa_column=_time())


class LakeDomain(SQLModel, table=True):
    """A common pattern of the lake (`catalog.tags.discovery.discover`), as the last look at the index found it.

    `domain`, `title`: the known domain that explains it. `name`, `label`: what a person called it; from then on it tags
    columns, and stays when it is found no more (`found` false). `described` are ``[table id, column]``."""

    __tablename__ = "lake_domain"
    __table_args__ = (UniqueConstraint("view", "pattern"),)

    id: int = Field(default=None, primary_key=True)
    view: str
    pattern: str
    sentence: str
    regex: str
    coverage: int = 0
    tables: int = 0
    impurity: float = 0.0
    described: list[Any] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    domain: str | None = None
    title: str | None = None
    name: str | None = Field(default=None, unique=True)
    label: str | None = None
    sensitive: bool = False
    chance: float = 0.001
    actor: str | None = None
    found: bool = True
    found_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    named_at: datetime | None = Field(default=None, sa_column=_time())


class Lease(SQLModel, table=True):
    """Who may work on something until when (seconds since 1970, by the database's clock where it has one). A lease that
    has run out belongs to whoever asks first: a worker that was killed blocks nobody for long."""

    name: str = Field(primary_key=True)
    holder: str
    expires_at: float = Field(sa_column=Column(Float, nullable=False))


class WebSession(SQLModel, table=True):
    """A browser that logged in. `digest` is of the secret in its cookie, `key` of the credentials that it gave;
    `user_id`: the person, where people have accounts."""

    __tablename__ = "web_session"

    id: int = Field(default=None, primary_key=True)
    digest: str = Field(unique=True, index=True)
    key: str
    user_id: int | None = Field(default=None, index=True)
    opened_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    expires_at: datetime = Field(sa_column=_time(nullable=False, index=True))


class User(SQLModel, table=True):
    """A person with an account. `password`: an argon2 hash, empty where the person logs in elsewhere (`subject`).
    Nobody is deleted: the audit log names them; who may not come in any more is not `active`."""

    __tablename__ = "account"

    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    role: str
    password: str = ""
    subject: str | None = Field(default=None, unique=True)  # issuer and subject of another login
    active: bool = True
    created_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))


class ApiToken(SQLModel, table=True):
    """A token of a program. `digest` is of its secret; `scope` is a role: it has the rights that both this role and its
    owner have."""

    __tablename__ = "api_token"

    id: int = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="account.id", index=True)
    name: str
    digest: str = Field(unique=True)
    scope: str
    created_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    expires_at: datetime = Field(sa_column=_time(nullable=False))
    revoked_at: datetime | None = Field(default=None, sa_column=_time())


class AlertRoute(SQLModel, table=True):
    """Where alerts go. Empty fields ask nothing: `owner` of what an incident is about, `source_id`; of `level` error
    only errors are told. `events`: opened, reopened, resolved. A `fallback` is told what no other route is. `address`
    is sealed (`catalog.vault`), `shown` what may be seen of it. A route is told of what happens after `created_at`."""

    __tablename__ = "alert_route"

    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    address: str
    shown: str
    owner: str | None = None
    source_id: int | None = Field(default=None, foreign_key="source.id")
    level: str = "error"
    events: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    fallback: bool = False
    active: bool = True
    actor: str = ""
    created_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))


class AlertDelivery(SQLModel, table=True):
    """One alert by one route: at most one for each incident and event. `event`: opened, or reopened or resolved with
    what tells one time from another; `route_id` 0: nobody is told. `status`: pending, sending (until `next_at`),
    delivered, failed, nobody. What was said is kept in `title` and `body`."""

    __tablename__ = "alert_delivery"
    __table_args__ = (
        UniqueConstraint("incident_id", "event", "route_id"),
        Index("ix_alert_delivery_due", "status", "next_at"),
    )

    id: int = Field(default=None, primary_key=True)
    incident_id: int
    event: str
    route_id: int
    route: str = ""  # its name then
    status: str = "pending"
    attempts: int = 0
    next_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    error: str | None = None
    title: str = ""
    body: str = ""
    made_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    delivered_at: datetime | None = Field(default=None, sa_column=_time())


class Approval(SQLModel, table=True):
    """A decision that waits for a second person. `what` and `args` say what is done on approval
    (`catalog.store.access.answers`), `words` and `item` what people read. `status`: waiting, approved, rejected."""

    __tablename__ = "approval"

    id: int = Field(default=None, primary_key=True)
    what: str
    words: str
    kind: str
    item: str
    actor: str
    args: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    item_id: int | None = None
    source: str | None = None
    reason: str | None = None
    by: str | None = None
    answer: str | None = None
    table_id: int | None = None
    status: str = Field(default="waiting", index=True)
    undoes: int | None = None  # the event that it takes back
    made_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    answered_at: datetime | None = Field(default=None, sa_column=_time())


class CatalogSetting(SQLModel, table=True):
    """A setting that people change while the service runs."""

    __tablename__ = "catalog_setting"

    name: str = Field(primary_key=True)
    value: Any = Field(sa_column=Column(JSON, nullable=False))


class AuditEvent(SQLModel, table=True):
    """A decision: who made it, when, about what, why, and what was so before and after. The database refuses to change
    or delete one. It refers to nothing that can be forgotten: `item` names the thing for people, `item_id` is the id it
    had. `undoes`: the event that this one took back."""

    __tablename__ = "audit_event"
    __table_args__ = (Index("ix_audit_event_item", "kind", "item_id"),)

    id: int = Field(default=None, primary_key=True)
    at: datetime = Field(default_factory=now, sa_column=_time(index=True, nullable=False))
    actor: str = Field(index=True)
    action: str
    kind: str  # tag, rule, clause, incident, source, table, column, domain, user, token, setting, version, values
    item_id: int | None = None
    item: str
    source: str | None = None
    table_id: int | None = Field(default=None, index=True)
    reason: str | None = None
    before: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    after: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    undoes: int | None = None


class JournalEntry(SQLModel, table=True):
    """What a thing of the catalog is from a moment on, until its next entry; written by triggers and only added to
    (`catalog.store.reports.journal`). `at` is by the database's clock, in whole milliseconds; `gone`: deleted."""

    __tablename__ = "journal"
    __table_args__ = (Index("ix_journal_item", "kind", "item_id", "id"),)

    id: int = Field(default=None, primary_key=True)
    at: datetime = Field(default_factory=now, sa_column=_time(index=True, nullable=False))
    kind: str
    item_id: int
    gone: bool = False
    body: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))


class ReportSchedule(SQLModel, table=True):
    """A report that is written into the service's folder again and again. `every`: day, week, month, quarter; `format`:
    pdf, html, csv, json; of one `source` or `owner` only where they are named. `error`: why the last one failed."""

    __tablename__ = "report_schedule"

    id: int = Field(default=None, primary_key=True)
    kind: str
    every: str
    format: str = "pdf"
    source: str | None = None
    owner: str | None = None
    actor: str
    made_at: datetime = Field(default_factory=now, sa_column=_time(nullable=False))
    next_at: datetime = Field(sa_column=_time(nullable=False))
    last_file: str | None = None
    error: str | None = None


class Term(SQLModel, table=True):
    """A word of the trade and what it means; tables and columns carry terms by name."""

    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    definition: str
    owner: str | None = None
