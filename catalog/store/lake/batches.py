"""Queries about the batches that versions make. Each function takes a session and never commits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import case, delete, update
from sqlmodel import Session, col, func, select

from catalog.checks.feedback import RIGHT
from catalog.errors import NotFound, UsageError
from catalog.history.labels import ANSWERS, HEALTHY, INCIDENT, UNHEALTHY
from catalog.rules.rule import kinds_where
from catalog.store.access import audit
from catalog.store.engine import chunks
from catalog.store.incidents.groups import leave_groups
from catalog.store.lake.tables import OF_VERSIONS, get_table
from catalog.store.models import ClauseDecision, Incident, KeyLoad, RuleRow, Table, Version, now

MODES = ("increment", "snapshot", "auto")


class CommitKind(NamedTuple):
    """What the log says of a commit, whatever the mode: its `batch` and `partitions` (`catalog.lake.types.Commit`), and
    whether it `writes` rows: a DELETE of whole files writes none."""

    batch: str
    partitions: int = 0
    writes: bool = True


def commit_kinds(session: Session, table_id: int) -> list[tuple[int, CommitKind]]:
    """``(number, kind)`` of every known commit, oldest first."""
    query = select(Version.number, Version.commit_info, Version.files_added).where(Version.table_id == table_id)
    return [
        (number, CommitKind(info.get("batch", "none"), info.get("partitions", 0), added > 0))
        for number, info, added in session.exec(query.order_by(col(Version.number)))
    ]


def commit_counts(session: Session, table_id: int, before: int | None = None) -> list[tuple[CommitKind, int]]:
    """Every kind of known commit (below version `before`) and how many there are, that which came first foremost. The
    database counts, so that a table of many versions costs little more than one of few."""
    info = col(Version.commit_info)
    batch, partitions = (
        func.coalesce(info["batch"].as_string(), "none"),
        func.coalesce(info["partitions"].as_integer(), 0),
    )
    writes = case((col(Version.files_added) > 0, 1), else_=0)
    of_table = select(Version.number, batch.label("batch"), partitions.label("partitions"), writes.label("writes"))
    of_table = of_table.where(Version.table_id == table_id)
    told = (of_table if before is None else of_table.where(Version.number < before)).subquery()
    kind = (told.c.batch, told.c.partitions, told.c.writes)
    query = select(*kind, func.count()).group_by(*kind).order_by(func.min(told.c.number))
    return [(CommitKind(batch, partitions, bool(writes)), n) for batch, partitions, writes, n in session.exec(query)]


def last_healthy(session: Session, table_id: int, before: int) -> int | None:
    """Number of the last observed batch before version `before` that a next batch may be compared with."""
    query = select(func.max(Version.number)).where(
        Version.table_id == table_id,
        Version.number < before,
        col(Version.batch).in_(("snapshot", "increment")),
        col(Version.metrics).is_not(None),
        func.coalesce(Version.label, "").not_in(UNHEALTHY),
    )
    return session.exec(query).one()


def usual_partitions(kinds: Sequence[tuple[CommitKind, int]]) -> int:
    """How many partitions of time a version of the table writes: as many as most versions that write rows; 0 where it
    is mostly appended to, or written otherwise. `kinds` as `commit_counts` has them; the first commit says nothing.

    >>> two_days, one_day = CommitKind("rewrite", 2), CommitKind("rewrite", 1)
    >>> usual_partitions([(CommitKind("overwrite"), 1), (two_days, 2), (one_day, 1)])
    2
    >>> usual_partitions([(two_days, 1), (one_day, 1)]), usual_partitions([(CommitKind("append", 1), 3)])
    (1, 0)
    >>> usual_partitions([(two_days, 2), (one_day, 1)])
    0
    """
    changing = _changing(kinds)
    writing: Counter[int] = Counter()
    for kind, n in changing:
        writing[kind.partitions] += n * kind.writes
    number, often = max(writing.items(), key=lambda found: found[1], default=(0, 0))
    return number if 2 * often > writing.total() and not _appended(changing) else 0


def detect_mode(kinds: Sequence[tuple[CommitKind, int]]) -> str:
    """``increment`` or ``snapshot`` from what the commits were (`commit_counts`).

    >>> append, overwrite, rewrite = CommitKind("append"), CommitKind("overwrite"), CommitKind("rewrite")
    >>> detect_mode([(append, 3), (rewrite, 1)]), detect_mode([(overwrite, 1), (CommitKind("rewrite", 2), 1)])
    ('increment', 'increment')
    >>> detect_mode([(append, 1), (overwrite, 2)]), detect_mode([(append, 1)])
    ('snapshot', 'snapshot')
    """
    return "increment" if _appended(_changing(kinds)) or usual_partitions(kinds) else "snapshot"


def _changing(kinds: Sequence[tuple[CommitKind, int]]) -> list[tuple[CommitKind, int]]:
    """The commits that say how the table is written: every table begins with one that does not."""
    changing = [(kind, n) for kind, n in kinds if kind.batch != "none"]
    return [(changing[0][0], changing[0][1] - 1), *changing[1:]] if changing else []


def _appended(changing: Sequence[tuple[CommitKind, int]]) -> bool:
    appended = sum(n for kind, n in changing if kind.batch == "append")
    return 2 * appended > sum(n for _, n in changing)


def batch_kind(mode: str, usual: int, kind: CommitKind) -> str:
    """The kind of batch that a commit makes in a table of that mode, of which a version usually writes so many
    partitions (`usual_partitions`): where it writes more or fewer days than usual, its rows are compared with none.

    >>> append, two_days = CommitKind("append"), CommitKind("rewrite", 2)
    >>> batch_kind("increment", 0, append), batch_kind("increment", 0, two_days), batch_kind("snapshot", 0, append)
    ('increment', 'rewrite', 'snapshot')
    >>> batch_kind("increment", 2, append), batch_kind("increment", 2, two_days)
    ('rewrite', 'increment')
    """
    if kind.batch == "none":
        return "none"
    if mode == "snapshot":
        return "snapshot"
    return "increment" if (kind.partitions == usual if usual else kind.batch == "append") else "rewrite"


def forget_batches(session: Session, table_id: int, mode: str) -> None:
    """The table's versions make other batches from now on: what was observed of them is observed again, and what was
    learned from the others' metrics is demanded no more; but the first batch, where no other was observed yet, has the
    same rows either way, so that what it taught is asked of the next one. What people said of versions stays."""
    taught_by_first = batches_by_health(session, table_id)[0] == 1
    by_kind: dict[str, list[int]] = defaultdict(list)
    usual = usual_partitions(commit_counts(session, table_id))
    for number, kind in commit_kinds(session, table_id):
        by_kind[batch_kind(mode, usual, kind)].append(number)
    of_table = col(Version.table_id) == table_id
    for batch, numbers in by_kind.items():
        for part in chunks(numbers):
            session.exec(update(Version).where(of_table, col(Version.number).in_(part)).values(batch=batch))
    session.exec(update(Version).where(of_table).values(metrics=None, batch_rows=None, status="known"))
    session.exec(delete(KeyLoad).where(col(KeyLoad.table_id) == table_id))
    session.exec(update(Version).where(of_table, col(Version.label) == "suspect").values(label=None))
    told = {} if taught_by_first else {"learned_at": None}
    session.exec(update(Table).where(col(Table.id) == table_id).values(mode=mode, judged_version=-1, **told))
    if not taught_by_first:
        of_series = (col(RuleRow.table_id) == table_id, col(RuleRow.kind).in_(kinds_where("of_series")))
        in_force = col(RuleRow.status).in_(("active", "draft"))
        session.exec(update(RuleRow).where(*of_series, in_force).values(status="superseded"))


def forget_history(session: Session, table_id: int) -> None:
    """The table was dropped and made again: it is a new one. Its predecessor's versions, states, outcomes and incidents
    go, and what was learned of them is demanded no more. What people decided about rules, tags and columns stays, but
    for clauses that were accepted as they were: their bounds are the predecessor's."""
    table = session.get_one(Table, table_id)
    leave_groups(session, table_id)
    for model in OF_VERSIONS:
        session.exec(delete(model).where(model.__table__.c.table_id == table_id))  # type: ignore[attr-defined]
    session.exec(
        delete(ClauseDecision).where(col(ClauseDecision.table_id) == table_id, col(ClauseDecision.action) == "accepted")
    )
    learned = (col(RuleRow.table_id) == table_id, col(RuleRow.status).in_(("active", "draft")))
    session.exec(update(RuleRow).where(*learned).values(status="superseded"))
    session.exec(update(RuleRow).where(col(RuleRow.table_id) == table_id).values(since_version=0))
    table.replaced_at, table.replaced_version = now(), table.seen_version
    table.seen_version = table.judged_version = -1
    table.status, table.learned_at, table.tagged, table.arrived = "new", None, None, None
    session.flush()


def set_mode(session: Session, table_id: int, mode: str) -> Table:
    """A person says how a table is written: ``increment``, ``snapshot``, or ``auto`` to leave it to the log. Where that
    changes something, the next crawl observes its past again. Errors: `NotFound`, `UsageError`."""
    table = get_table(session, table_id)
    if mode not in MODES:
        raise UsageError(f"a table's batches cannot be {mode!r}", remedy=f"use one of {', '.join(MODES)}")
    before = table.mode if table.mode_pinned else "auto"
    table.mode_pinned = mode != "auto"
    session.flush()
    item = audit.of_table(session, "table", table_id, table_id)
    audit.record(session, audit.actor_of(session), "mode", item, before={"mode": before}, after={"mode": mode})
    if mode not in ("auto", table.mode):
        forget_batches(session, table_id, mode)
        session.refresh(table)
    return table


@dataclass(frozen=True)
class HistoryCoverage:
    """How far back a table's history goes, and what of it is gone.

    `before` versions are older than the log that is left; `gone` are versions whose data files are (VACUUM), `unread`
    those that were not read because enough newer ones were; both as ranges ``(first, last)``. `unchanged` versions
    changed no data. `batches` of the table's mode were observed, `learned` of them are learned from, none of those that
    are `suspect`; `waits` says why nothing is learned now (`learning_waits`). `rewrites` are compared with the rows
    that they replaced. At `replaced_at` it was noticed that the table had been dropped and made again, after
    `replaced_version` of its predecessor.
    """

    mode: str
    pinned: bool
    known: int
    before: int
    gone: list[tuple[int, int]]
    unread: list[tuple[int, int]]
    unchanged: int
    batches: int
    rewrites: int
    learned: int
    suspect: list[tuple[int, int]] = field(default_factory=list)
    waits: str = ""
    replaced_at: datetime | None = None
    replaced_version: int | None = None

    def words(self) -> list[str]:
        """The same in sentences.

        >>> HistoryCoverage("increment", False, 20, 4, [(4, 6)], [], 1, 16, 0, 15).words()[1:3]
        ['Versions 0 to 3 are lost: their log was cleaned away.', 'Versions 4 to 6 are lost: VACUUM took their files.']
        """
        kind = "the new rows of each version" if self.mode == "increment" else "the whole table at each version"
        why = "set by a person" if self.pinned else "detected from its log"
        taught = f", and are learned from {self.learned} of {self.batches} batches" if self.batches else ""
        said = [f"Rules check {kind} ({why}){taught or '; there is none yet that brought rows to learn from'}."]
        if self.replaced_at:
            noticed = f"{self.replaced_at:%Y-%m-%d %H:%M} UTC"
            said.append(
                f"The table was dropped and made again (noticed {noticed}): what was known of the one before, "
                f"up to its version {self.replaced_version}, is forgotten."
            )
        if self.before:
            said.append(f"{_versions([(0, self.before - 1)])} lost: their log was cleaned away.")
        if self.gone:
            said.append(f"{_versions(self.gone)} lost: VACUUM took their files.")
        if self.unread:
            said.append(f"{_versions(self.unread)} not read: newer ones are enough (ASSAY_HISTORY_LIMIT).")
        if self.unchanged:
            said.append(f"{self.unchanged} version{'' if self.unchanged == 1 else 's'} changed no data.")
        if self.suspect:
            said.append(f"{_versions(self.suspect)} suspect, and excluded from learning until somebody confirms it.")
        if self.waits:
            said.append(self.waits)
        if self.rewrites:
            said.append(
                f"{self.rewrites} rewrote rows that were there, and are compared with those that they replaced."
            )
        return said


def history_coverage(session: Session, table: Table) -> HistoryCoverage:
    """How far back a table's history goes."""
    fields = (Version.number, Version.batch, Version.status, Version.label, col(Version.metrics).is_not(None))
    query: Any = select(*fields).where(Version.table_id == table.id).order_by(col(Version.number))  # type: ignore[call-overload]
    rows = session.exec(query).all()
    measured = [(batch, label) for _, batch, _, label, there in rows if there]
    own = [label for batch, label in measured if batch == table.mode]
    return HistoryCoverage(
        mode=table.mode,
        pinned=table.mode_pinned,
        known=len(rows),
        before=table.first_version,
        gone=_ranges(number for number, _, status, _, _ in rows if status == "lost"),
        unread=_ranges(
            number
            for number, batch, status, _, there in rows
            if not there
            and batch != "none"
            and status == "known"
            and table.first_version <= number <= table.judged_version
        ),
        unchanged=sum(batch == "none" for _, batch, _, _, _ in rows),
        batches=len(own),
        rewrites=sum(batch == "rewrite" for batch, _ in measured),
        learned=sum(label not in UNHEALTHY for label in own),
        suspect=_ranges(number for number, _, _, label, _ in rows if label == "suspect"),
        waits=learning_waits(session, table.id or 0),
        replaced_at=table.replaced_at,
        replaced_version=table.replaced_version,
    )


def _ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Neighbours drawn together.

    >>> _ranges([1, 2, 3, 7])
    [(1, 3), (7, 7)]
    """
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def _versions(ranges: list[tuple[int, int]]) -> str:
    """Ranges as the subject of a sentence."""
    said = [str(first) if first == last else f"{first} to {last}" for first, last in ranges[:6]]
    more = [f"{len(ranges) - 6} more stretches"] if len(ranges) > 6 else []
    one = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return f"Version {said[0]} is" if one else f"Versions {', '.join(said + more)} are"


def judged_since(session: Session, table_id: int, moment: datetime) -> int:
    """How many batches were judged after a moment."""
    query = select(func.count()).where(
        Version.table_id == table_id, col(Version.judged_at) > moment, Version.batch != "none"
    )
    return session.exec(query).one()


def batches_by_health(session: Session, table_id: int) -> tuple[int, int]:
    """(how many batches of a table were observed, how many of them are not healthy)."""
    unhealthy = func.sum(case((func.coalesce(Version.label, "").in_(UNHEALTHY), 1), else_=0))
    query = select(func.count(), func.coalesce(unhealthy, 0)).where(
        Version.table_id == table_id, col(Version.metrics).is_not(None), Version.batch != "none"
    )
    observed, wrong = session.exec(query).one()
    return int(observed), int(wrong)


def _latest(session: Session, table_id: int) -> tuple[int, str | None]:
    """Number and label of the latest observed batch."""
    query = select(Version.number, Version.label).where(
        Version.table_id == table_id, col(Version.metrics).is_not(None), Version.batch != "none"
    )
    return session.exec(query.order_by(col(Version.number).desc()).limit(1)).first() or (-1, None)


def latest_suspect(session: Session, table_id: int) -> bool:
    """Whether the latest observed batch broke a rule and nobody said that it was right."""
    return _latest(session, table_id)[1] in UNHEALTHY


def learning_waits(session: Session, table_id: int) -> str:
    """Why nothing is learned of a table now and how to end that; "" where learning does not wait."""
    number, label = _latest(session, table_id)
    if label not in UNHEALTHY:
        return ""
    if label == INCIDENT:
        return f"Learning waits for a version that breaks no rule: version {number} was wrong."
    query = select(Incident.id, Incident.lead_id, Incident.level).where(
        Incident.table_id == table_id, Incident.status != "resolved", Incident.first_version <= number
    )
    found = session.exec(query.where(Incident.last_version >= number)).all()
    alarms = [one for one in found if one[2] == "error"] or found
    ids = sorted({lead or key or 0 for key, lead, _ in alarms})  # who answers the first of a group answers all
    named = f"incident{'' if len(ids) == 1 else 's'} {', '.join(map(str, ids))}"
    answer = f"{named} is" if len(ids) == 1 else f"{named} are"
    until = f"until {answer} resolved" if ids else "until somebody confirms it"
    return f"Learning waits {until}, or a version breaks no rule: version {number} is suspect."


def feedback_since(session: Session, table_id: int, moment: datetime) -> bool:
    """Whether a person called the data right that the table alarmed for after a moment, or took such a word back."""
    right = (col(Incident.reason).in_(RIGHT)) & (col(Incident.updated_at) > moment)
    query = select(Incident.id).where(Incident.table_id == table_id, right | (col(Incident.reopened_at) > moment))
    return session.exec(query.limit(1)).first() is not None


def called_healthy(session: Session, table_id: int) -> set[int]:
    """Numbers of the versions that a person called right."""
    query = select(Version.number).where(Version.table_id == table_id, Version.label == HEALTHY)
    return set(session.exec(query))


def label_version(session: Session, table_id: int, number: int, label: str) -> Version:
    """A person says of a version that no rule broke in whether it was right (`healthy`) or wrong (`incident`): what is
    learned next takes it in or leaves it out. Errors: `NotFound`, `UsageError`."""
    version = session.exec(select(Version).where(Version.table_id == table_id, Version.number == number)).first()
    if version is None:
        raise NotFound(f"no version {number} is known of the table", remedy="its versions are listed on its page")
    if label not in ANSWERS:
        raise UsageError(f"{label!r} is no label of a version", remedy=f"use one of {', '.join(ANSWERS)}")
    if version.violated:
        raise UsageError(f"rules broke in version {number}", remedy="resolve its incident: that labels the version")
    _labelled(session, version, label)
    return version


def take_label_back(session: Session, version_id: int, before: str | None) -> None:
    """A person takes back what he said of a version: it has the label that it had before."""
    _labelled(session, session.get_one(Version, version_id), before)


def _labelled(session: Session, version: Version, label: str | None) -> None:
    before, version.label = version.label, label
    session.flush()
    item = audit.of_table(session, "version", version.id, version.table_id, f"version {version.number}")
    audit.record(session, audit.actor_of(session), "label", item, before={"label": before}, after={"label": label})
