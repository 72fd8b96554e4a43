"""What the JSON interface sends and takes. Each schema is made from the catalog's row, never the row itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Generic, TypeVar

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from catalog.store.engine import unreadable
from catalog.store.pages import answers
from catalog.store.pages.cutting import Page
from web.render import query

Item = TypeVar("Item")


class Out(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Wanted(BaseModel):
    """What a request asks for: nothing that it does not know, no text that is none."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _readable(cls, data: Any) -> Any:
        for text in _texts(data):
            if unreadable(text):
                raise ValueError(
                    f"{text.encode('ascii', 'backslashreplace').decode()!r} holds a character that is no text"
                )
        return data


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for one in [*data, *data.values()] if isinstance(data, dict) else data:
            yield from _texts(one)


class Cause(BaseModel):
    kind: str
    cause: str
    remedy: str


class Failure(BaseModel):
    """Every error has this form."""

    error: Cause


class Listing(BaseModel, Generic[Item]):
    """A stretch of a list. `next` is the address of the following stretch, null at the end."""

    items: list[Item]
    total: int
    limit: int
    offset: int
    next: str | None


def listing(request: Request, found: Page, make: Callable[[Any], Any]) -> dict[str, Any]:
    """A stretch of a list in the one form."""
    more = found.offset + found.limit < found.total
    following = request.url.path + query(request, page=None, limit=found.limit, offset=found.offset + found.limit)
    return answers.listing(found, make, following if more else None)


class Health(BaseModel):
    status: str = Field(description="ok, or degraded: the catalog answers, but new versions wait")
    version: str
    queue: str | None = Field(description="why work would wait, null when a worker is there")
    tables: dict[str, int]
    columns: int
    rules: int
    open_incidents: int
    undelivered: int = Field(description="alerts that were tried and not taken")
    running: int


class SourceOut(Out):
    id: int
    name: str
    uri: str
    include: list[str]
    exclude: list[str]
    allowed: list[str] = Field(description="further folders that logs may name files of")
    owner: str | None = Field(description="a person or a team; null: the default owner answers")
    created_at: datetime
    crawled_at: datetime | None


class Allowed(Wanted):
    folders: list[str] = Field(max_length=100, description="absolute paths or addresses, in place of those before")


class NewSource(Wanted):
    name: str = Field(min_length=1, max_length=100)
    uri: str = Field(min_length=1, max_length=2000)
    include: list[str] = Field(default_factory=list, max_length=1000)
    exclude: list[str] = Field(default_factory=list, max_length=1000)
    untested: bool = Field(False, description="do not look whether it can be read and holds Delta tables")


class TableOut(Out):
    id: int
    source_id: int
    name: str
    uri: str
    status: str
    error_kind: str | None
    error: str | None
    remedy: str | None
    mode: str
    seen_version: int
    judged_version: int
    first_version: int
    rows: int
    bytes: int
    files: int
    partition_columns: list[str]
    found_at: datetime
    changed_at: datetime | None
    learned_at: datetime | None
    source: str
    columns: int
    rules: int
    open_incidents: int
    tags: list[str]
    owner: str | None = Field(description="its own; null: that of its source, else the default owner")


class OwnerOut(Out):
    name: str | None = Field(description="null: nobody")
    given: str = Field(description="to a column, table or source, or by default; empty where nobody is")


class OwnerLine(BaseModel):
    owner: str
    members: list[str] = Field(description="of a team")
    sources: int
    tables: int = Field(description="those of its sources among them")
    columns: int = Field(description="with an owner of their own")


class OwnersOut(BaseModel):
    default: str | None = Field(description="who answers for what nobody was named for")
    unowned: int = Field(description="tables that nobody was named for")
    owners: list[OwnerLine]


class OwnerChoice(Wanted):
    owner: str | None = Field(None, max_length=100, description="a person or team; null leaves it to what holds it")
    reason: str = Field("", max_length=300)


class TeamChoice(Wanted):
    members: list[str] = Field(max_length=1000, description="names of people; none: there is no such team any more")


class ReachOut(BaseModel):
    mode: str
    pinned: bool = Field(description="a person set the mode")
    known: int
    before: int = Field(description="versions older than the log that is left")
    gone: list[tuple[int, int]] = Field(description="versions whose files are gone, as ranges")
    unread: list[tuple[int, int]]
    unchanged: int = Field(description="versions that changed no data")
    batches: int
    rewrites: int
    learned: int = Field(description="batches that rules are learned from")
    suspect: list[tuple[int, int]] = Field(description="versions that look wrong, as ranges")
    replaced_at: datetime | None = Field(description="when it was noticed that the table was dropped and made again")
    replaced_version: int | None = Field(description="the last version seen of the table before")
    words: list[str]


class ModeChoice(Wanted):
    mode: str = Field(max_length=20, description="increment, snapshot, or auto")


class LearnerChoice(Wanted):
    learner: str = Field(max_length=20, description="ours, fmdv, fmdv-v, fmdv-h, fmdv-vh, cmdv or avh")
    settings: dict[str, float] = Field(
        default_factory=dict, max_length=8, description="r, m, tau, theta of the forms of fmdv and cmdv; delta of avh"
    )


class LearnersOut(Out):
    strings: str
    history: str


class LabelChoice(Wanted):
    label: str = Field(max_length=20, description="healthy: it was right; incident: it was wrong")


class LevelChoice(Wanted):
    level: str | None = Field(max_length=20, description="public, internal, personal, secret; null: as its tags say")
    reason: str = Field("", max_length=300, description="needed where it shows values that are hidden")


class VersionLabel(Out):
    number: int
    label: str


class TagOut(Out):
    id: int
    column_id: int
    domain: str
    title: str
    score: float
    match_share: float
    sensitive: bool
    contains: bool = Field(description="only values that hold one are masked")
    status: str
    actor: str
    reason: str | None
    version: int
    updated_at: datetime


class ColumnOut(Out):
    id: int
    table_id: int
    name: str
    type: str
    position: int
    sensitive: bool = Field(description="its values are masked")
    level: str = Field(description="public, internal, personal or secret; by its tags where `hand_level` is null")
    hand_level: str | None
    owner: str | None = Field(description="its own; null: that of its table")
    profile: dict[str, Any]
    tags: list[TagOut]
    rules: int
    open_incidents: int


class VersionOut(Out):
    number: int
    committed_at: datetime
    operation: str
    commit_info: dict[str, Any]
    batch: str
    batch_rows: int | None
    files_added: int
    files_removed: int
    status: str
    label: str | None
    passed: int
    violated: int


class RuleOut(Out):
    id: int
    table_id: int
    table: str
    column_name: str = Field(description="empty: the whole table")
    kind: str
    learner: str
    revision: int
    fingerprint: str
    status: str
    level: str
    level_now: str = Field(description="warning while the rule is demoted")
    demotion: str | None = Field(description="why the rule only warns; null when it does not")
    fpr: float | None = Field(description="stated chance that a healthy version breaks it; null: it states none")
    sentence: str
    since_version: int
    created_at: datetime
    body: dict[str, Any] | None = Field(None, description="the rule itself; only when one rule is asked for")


class DomainOut(Out):
    id: int
    view: str
    pattern: str
    sentence: str
    regex: str
    coverage: int = Field(description="columns that have it")
    tables: int
    impurity: float = Field(description="share of their values that do not match")
    described: list[list[Any]] = Field(description="columns that keep to it, as table id and name")
    domain: str | None = Field(description="the known domain that explains it")
    name: str | None = Field(description="what a person called it")
    label: str | None
    sensitive: bool
    found: bool = Field(description="whether the last survey found it")


class DomainName(Wanted):
    name: str = Field(max_length=60, description="small letters, digits, underscores")
    label: str = Field("", max_length=100)
    sensitive: bool = False


class LikeColumn(BaseModel):
    table_id: int
    table: str
    column_id: int | None
    column: str
    share: float = Field(description="of its rows that match")


class LikeOut(BaseModel):
    kind: str
    sentence: str
    regex: str | None
    coverage: int
    impurity: float
    recommended: bool
    chance: float = Field(description="share of the values of the lake's other columns that match")
    pattern: str
    columns: list[LikeColumn]


class ChangeOut(Out):
    clause: str
    change: str = Field(description="added, dropped, loosened, tightened or moved")
    before: str | None
    after: str | None


class RevisionOut(RuleOut):
    first: bool = Field(description="whether there is no revision before it")
    changed: dict[str, int] = Field(description="how many clauses were added, dropped, loosened, tightened or moved")
    changes: list[ChangeOut] = Field(description="against the revision before; clauses that are the same left out")


class ClauseRuling(Wanted):
    clause: str = Field(max_length=100, description="its metric, or the kind of pattern of strings")
    action: str = Field(max_length=20, description="accepted, loosened, paused, rejected, or undo")
    factor: float = Field(2.0, description="how many times as wide a loosened clause is")


class AccountOut(BaseModel):
    rule_id: int
    kind: str
    column: str
    judged: int
    expected: float
    false: int
    confirmed: int
    unlabelled: int
    demoted: bool


class LedgerOut(BaseModel):
    table_id: int
    table: str
    source: str
    judged: int = Field(description="versions judged in 30 days")
    expected: float = Field(description="false alarms that the rules state over them")
    false: int = Field(description="alarms that a person called false")
    unlabelled: int = Field(description="alarms that nobody has judged")
    confirmed: int
    demoted: int = Field(description="rules that only warn at present")
    budget: float
    over: bool
    accounts: list[AccountOut] = Field(description="rules with something to tell; only when one table is asked for")


class Decision(Wanted):
    status: str = Field(max_length=20)


class Demotion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: str = Field(max_length=300, description="shown with the rule, for those who come later")


class TagDecision(Decision):
    reason: str | None = Field(None, max_length=1000, description="why values may be seen that the tag hides")


class OutcomeOut(Out):
    id: int
    table_id: int
    version: int
    rule_id: int
    status: str
    sentence: str
    metric: str | None
    value: float | None
    low: float | None
    high: float | None
    judged_at: datetime
    kind: str
    column_name: str
    rows: list[dict[str, Any]] | None = Field(description="some offending rows; cells of sensitive columns are masked")


class IncidentOut(Out):
    id: int
    table_id: int
    table: str
    kind: str
    column_name: str
    check_name: str = Field(description="of a declared check; empty: rules that were learned")
    first_version: int
    last_version: int
    passed_version: int | None
    level: str
    sentence: str
    status: str
    reason: str | None
    comment: str | None
    assignee: str | None
    taken_back: str | None = Field(description="the last answer that does not hold any more, and whose it was")
    opened_at: datetime
    updated_at: datetime
    cause: str | None = Field(None, description="What probably happened; see /api/causes for all of them")
    cause_title: str | None = None
    confidence: float | None = Field(None, description="0 to 1")
    columns: list[str] = []
    size: dict[str, Any] = Field({}, description="Factor, hours, share of the rows, values: what is known of it")
    undo: str | None = Field(None, description="What takes it back, in words")
    proof: str | None = Field(None, description="What holds once it is taken back")
    others: list[dict[str, Any]] = Field([], description="Other causes that it may be")
    corrected: str | None = Field(None, description="The cause by a person")
    tables: list[str] = Field([], description="All tables in which columns of the same meaning broke alike")


class Resolution(Wanted):
    reason: str = Field(max_length=40, description="FalsePositive, MissingData, Duplicates, OutOfBounds or Other")
    comment: str | None = Field(None, max_length=4000)
    cause: str | None = Field(None, max_length=40, description="What it was, where the named cause is wrong")


class IncidentStatus(Wanted):
    status: str = Field(max_length=20, description="new, acknowledged or assigned")
    assignee: str | None = Field(None, max_length=200)


class RunOut(Out):
    id: int
    kind: str
    title: str
    source_id: int | None
    table_id: int | None
    status: str
    phase: str
    done: int
    total: int
    cancel: bool
    error: str | None
    remedy: str | None
    stats: dict[str, Any]
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @field_validator("stats")
    @classmethod
    def _without_the_check(cls, stats: dict[str, Any]) -> dict[str, Any]:
        """A check that is tried may quote values: its own page shows it to authors."""
        return {name: value for name, value in stats.items() if name != "check"}


class AuditOut(BaseModel):
    id: int
    at: datetime
    actor: str = Field(description="who decided; local where nobody has an account, assay where it did so itself")
    action: str
    kind: str
    item_id: int | None
    item: str
    source: str | None
    reason: str | None
    before: dict[str, Any]
    after: dict[str, Any]
    undoes: int | None = Field(description="the event that this one took back")


class Undoing(Wanted):
    reason: str = Field("", max_length=300)


class Unmasking(Wanted):
    reason: str = Field("", max_length=300, description="what the values are needed for; it is written down")


class UnmaskedBlock(BaseModel):
    column: str
    sentence: str | None = None
    rows: list[dict[str, Any]]
    why: str | None = Field(None, description="why there are no rows")


class UnmaskedOut(BaseModel):
    """Values of the levels that the role may see, as the lake holds them now; the others masked."""

    table: str
    version: int
    levels: list[str]
    blocks: list[UnmaskedBlock]
