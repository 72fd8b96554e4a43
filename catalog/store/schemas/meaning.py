"""What columns mean: tags, the domains that tag them, proposals that wait for a decision."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, Field, computed_field

from catalog.store.schemas.listing import Listing, Out
from catalog.store.seen import mark
from catalog.tags.privacy.masking import mask_all
from catalog.tags.review import ProposedTag

if TYPE_CHECKING:  # what commands read through the driver alone needs none of it
    from collections.abc import Mapping, Sequence

    from sqlmodel import Session

    from catalog.store.models import LakeColumn, Table, Tag, TagEvent, Term
    from catalog.tags.discovery.example import ExamplePattern
    from catalog.tags.review import Group, Proposed, Question

#: What of a tag's evidence are values of its column.
VALUES = ("examples", "matching", "failing", "values")


class TagOut(Out):
    id: int
    column_id: int
    domain: str
    title: str
    score: float
    match_share: float
    sensitive: bool
    generic: bool = Field(description="a general kind (code, category): describes the column, and needs no decision")
    contains: bool = Field(description="only values that hold one are masked")
    status: str
    actor: str
    reason: str | None
    version: int
    updated_at: datetime
    evidence: dict[str, Any] | None = Field(None, description="why it is proposed; only when one column is asked for")

    @classmethod
    def of(cls, row: Tag, **more: Any) -> Self:
        """Without its evidence."""
        return cls.made(row, **{"evidence": None, **more})

    @classmethod
    def whole(cls, row: Tag, hidden: bool) -> Self:
        """With its evidence, in which the values of a column that is `hidden` are masked."""
        masked = {name: mask_all(row.evidence[name]) for name in VALUES if hidden and name in row.evidence}
        return cls.of(row, evidence=row.evidence | masked)


class DecidedTagOut(TagOut):
    """A tag that was just decided on."""

    events: list[int] = Field(description="the events of the audit log by which the decision can be undone")


class PlacedTagOut(TagOut):
    """A tag with its column and table."""

    column: str
    table_id: int
    table: str

    @classmethod
    def at(cls, found: tuple[Tag, LakeColumn, Table]) -> PlacedTagOut:
        row, column, table = found
        return cls.of(row, column=column.name, table_id=table.id, table=table.name)


class TagEventOut(Out):
    """A tag that the values of a version do not bear out any more, or bear out again."""

    what: str = Field(description="lost or back")
    table_id: int
    column_name: str
    domain: str
    title: str
    version: int
    incident_id: int | None = Field(description="of a rule of the column that broke, too")


class TagCountOut(BaseModel):
    """A domain with how many columns it tags."""

    domain: str
    title: str
    sensitive: bool
    proposed: int = Field(description="that wait for a decision: general kinds do not")
    accepted: int
    rejected: int
    columns: int = Field(description="of which nobody rejected it")
    tables: int


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
    title: str | None = Field(description="of that domain")
    name: str | None = Field(description="what a person called it")
    label: str | None
    actor: str | None = Field(description="who called it so")
    named_at: datetime | None
    sensitive: bool
    found: bool = Field(description="whether the last survey found it")


class TermOut(Out):
    """A word of the trade."""

    id: int
    name: str
    definition: str
    owner: str | None

    @computed_field(description="hand it back with a change: 409 where somebody else changed the term meanwhile")
    def seen(self) -> str:
        return mark(self.definition, self.owner)


class CarrierOut(BaseModel):
    """A table or column that carries a term."""

    kind: str
    id: int
    name: str


class WholeTermOut(TermOut):
    """A term with what carries it."""

    carriers: list[CarrierOut]

    @classmethod
    def of(cls, row: Term, carriers: Sequence[tuple[str, Any]]) -> WholeTermOut:
        return cls.made(row, carriers=[CarrierOut(kind=kind, id=one.id, name=one.name) for kind, one in carriers])


class DescribedOut(BaseModel):
    """What people say of a source, table or column."""

    description: str
    terms: list[str] = Field([], description="of the glossary; a source has none")

    @computed_field(description="hand it back with a change: 409 where somebody else changed it meanwhile")
    def seen(self) -> str:
        return mark(self.description, self.terms)


class TakenOut(Out):
    """What became of a line of a file."""

    number: int
    name: str
    what: str = Field(description="added, changed, same or skipped")
    reason: str = Field(description="why it was skipped, or what of it was not taken")


class SpreadOut(Out):
    """What becomes of a column when a tag is carried."""

    column_id: int
    name: str
    what: str = Field(description="carry or skip")
    share: float | None = Field(description="of its values that the tagged column has too; null: not known")
    reason: str = Field(description="why it is skipped")


class CarriedOut(BaseModel):
    """The columns that a tag was carried to."""

    carried: list[SpreadOut]
    skipped: int = Field(description="how many were left out; asked for before, each has its reason")
    events: list[int] = Field(description="the events of the audit log by which it can be undone")


class SqlOut(BaseModel):
    system: str
    statements: list[str] = Field(description="in the order in which they are to be run; empty: no tag was accepted")


class TagChangeOut(BaseModel):
    """A tag that an upgrade would change."""

    what: str = Field(description="comes, goes, lost (accepted, and not borne out any more; it stays), or back")
    domain: str
    title: str
    sensitive: bool
    table_id: int
    table: str
    column_id: int
    column: str


class RuleChangeOut(BaseModel):
    """A rule on strings that would be learned otherwise, were it learned today."""

    what: str = Field(description="comes, goes or changes")
    kind: str
    table_id: int
    table: str
    column: str
    rule_id: int | None = Field(description="the one in force")
    changes: dict[str, int] = Field(description="how many of its clauses")


class DomainChangesOut(BaseModel):
    """What an upgrade would change of one domain, in columns."""

    domain: str
    title: str
    sensitive: bool
    comes: int
    goes: int
    lost: int
    back: int


class UpgradeOut(BaseModel):
    """Whether what is known of meanings follows the version of Assay that runs, and what that would change."""

    waits: bool = Field(description="whether tables keep the tags that they have until somebody approves")
    release: str = Field(description="fingerprint of what waits; empty: nothing does")
    answer: str = Field(description="approved or refused; empty: nothing yet")
    run_id: int | None = Field(description="the run that worked the difference out; null: none did")
    status: str = Field(description="of that run")
    worked_out_at: datetime | None
    tables: int
    unread: int = Field(description="tables that could not be read, or hold nothing")
    columns: int
    domains: list[DomainChangesOut] = Field(description="those first that change most")
    rules: int | None = Field(description="rules that would be learned otherwise; null: not worked out")

    @classmethod
    def of(cls, session: Session) -> UpgradeOut:
        from catalog.store.domains import upgrades  # lists of tables need none of it

        found, run = upgrades.standing(session), None
        release = found.waiting if found else ""
        if found is not None:
            run = upgrades.last_difference(session, release or found.shipped)
        stats = run.stats if run is not None and run.status == "done" else {}
        by_domain: dict[str, dict[str, Any]] = {}
        for one in stats.get("tags", []):
            said = {name: one[name] for name in ("domain", "title", "sensitive")}
            line = by_domain.setdefault(one["domain"], said | dict.fromkeys(("comes", "goes", "lost", "back"), 0))
            line[one["what"]] += 1
        domains = [DomainChangesOut(**one) for one in by_domain.values()]
        return cls(
            **{"waits": bool(release), "release": release, "answer": found.answer if found else ""},
            **{"run_id": run.id if run else None, "status": run.status if run else ""},
            worked_out_at=run.finished_at if run else None,
            **{name: stats.get(name, 0) for name in ("tables", "unread", "columns")},
            domains=sorted(domains, key=lambda one: (-(one.comes + one.goes + one.lost + one.back), one.domain)),
            rules=None if stats.get("rules") is None else len(stats["rules"]),
        )


class ProposedOut(Out, ProposedTag):
    """A tag that waits for a decision; values of sensitive ones are masked."""

    matching: list[Any] = Field(description="values that belong to the domain")
    failing: list[Any] = Field(description="values that do not")

    @classmethod
    def of(cls, one: Proposed) -> ProposedOut:
        values = {name: one.evidence.get(name) or [] for name in ("matching", "failing")}
        return cls.made(one, **({name: mask_all(seen) for name, seen in values.items()} if one.sensitive else values))


class UnknownLineOut(BaseModel):
    """Columns of one family, for which one answer is enough."""

    kind: str
    ticked: bool = Field(description="whether they are likely to be about the person, or people answered so before")
    columns: list[ProposedOut]


class UnknownOut(BaseModel):
    """What is not known of a table whose rows may be persons."""

    key: str = Field(description="names the question on the page")
    table_id: int
    table: str
    source: str
    because: list[str] = Field(description="what says that rows are persons")
    lines: list[UnknownLineOut]

    @classmethod
    def of(cls, question: Question) -> UnknownOut:
        first = question.items[0]
        lines = [
            UnknownLineOut(kind=one.kind, ticked=one.ticked, columns=[ProposedOut.of(item) for item in one.items])
            for one in question.lines
        ]
        where = {"table_id": first.table_id, "table": first.table, "source": first.source}
        return cls(key=question.key, because=list(question.because), lines=lines, **where)


class LostTagOut(ProposedOut):
    """An accepted tag that the values do not bear out any more."""

    event: TagEventOut

    @classmethod
    def lost(cls, one: Proposed, event: TagEvent) -> LostTagOut:
        return cls(**dict(ProposedOut.of(one)), event=TagEventOut.made(event))


class ReviewGroupOut(Out):
    """Proposed tags that one decision settles."""

    key: str = Field(description="names the group on the page")
    domain: str
    title: str
    sensitive: bool
    contains: bool
    because: list[str] = Field(description="the reasons that they share")
    columns: list[ProposedOut]

    @classmethod
    def of(cls, group: Group) -> ReviewGroupOut:
        columns = [ProposedOut.of(one) for one in group.items]
        return cls.made(group, because=list(group.because), columns=columns)


class OpenOut(BaseModel):
    """How much of one kind waits for a decision."""

    kind: str = Field(description="lost: accepted, but values no longer support it; unknown: nobody knows it; proposed")
    decisions: int = Field(description="lost tags, tables, or groups that one decision settles")
    columns: int
    at: str = Field(description="the address that lists it, without filters")


class ReviewOut(Listing[ReviewGroupOut]):
    """Groups of proposed tags, and how much waits besides."""

    open: list[OpenOut] = Field(description="in the order in which the page asks: what is next is the first with any")


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

    @classmethod
    def of(cls, found: ExamplePattern, places: Mapping[tuple[str, str], tuple[int, int | None, str]]) -> LikeOut:
        """A pattern with the columns that it describes, of those that the catalog has (`lakedomains.where`)."""
        columns = [
            LikeColumn(table_id=place[0], column_id=place[1], table=place[2], column=name, share=share)
            for table, name, share in found.described
            if (place := places.get((table, name))) is not None
        ]
        return cls(**{name: getattr(found, name) for name in cls.model_fields if name != "columns"}, columns=columns)
