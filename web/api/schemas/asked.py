"""What requests ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from catalog.store.engine import unreadable


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


class Allowed(Wanted):
    folders: list[str] = Field(max_length=100, description="absolute paths or addresses, in place of those before")


class NewSource(Wanted):
    name: str = Field(min_length=1, max_length=100)
    uri: str = Field(min_length=1, max_length=2000)
    include: list[str] = Field(default_factory=list, max_length=1000)
    exclude: list[str] = Field(default_factory=list, max_length=1000)
    untested: bool = Field(False, description="do not look whether it can be read and holds Delta tables")


class ChangedSource(NewSource):
    leave_out: bool = Field(False, description="save it although tables that are known are not there")


class OwnerChoice(Wanted):
    owner: str | None = Field(None, max_length=100, description="a person or team; null leaves it to what holds it")
    reason: str = Field("", max_length=300)


class TeamChoice(Wanted):
    members: list[str] = Field(max_length=1000, description="names of people; none: there is no such team any more")


class ModeChoice(Wanted):
    mode: str = Field(max_length=20, description="increment, snapshot, or auto")


class LearnerChoice(Wanted):
    learner: str = Field(max_length=20, description="ours, fmdv, fmdv-v, fmdv-h, fmdv-vh, cmdv or avh")
    settings: dict[str, float] = Field(
        default_factory=dict, max_length=8, description="r, m, tau, theta of the forms of fmdv and cmdv; delta of avh"
    )


class LabelChoice(Wanted):
    label: str = Field(max_length=20, description="healthy: it was right; incident: it was wrong")


class Seen(Wanted):
    """A decision that may say of what state of things it is one."""

    seen: str = Field("", max_length=200, description="what it was when read; 409 where that is not so any more")


class LevelChoice(Seen):
    level: str | None = Field(max_length=20, description="public, internal, personal, secret; null: as its tags say")
    reason: str = Field("", max_length=300, description="needed where it shows values that are hidden")


class DomainName(Wanted):
    name: str = Field(max_length=60, description="small letters, digits, underscores")
    label: str = Field("", max_length=100)
    sensitive: bool = False


class ClauseRuling(Wanted):
    clause: str = Field(max_length=100, description="its metric, or the kind of pattern of strings")
    action: str = Field(max_length=20, description="accepted, loosened, paused, rejected, or undo")
    factor: float = Field(2.0, description="how many times as wide a loosened clause is")


class Allowance(Wanted):
    allowed: float | None = Field(description="above 0; null: as the service's own setting says")
    reason: str = Field("", max_length=300)


class Decision(Wanted):
    status: str = Field(max_length=20)


class Demotion(Wanted):
    reason: str = Field(max_length=300, description="shown with the rule, for those who come later")


class TagDecision(Seen, Decision):
    reason: str | None = Field(None, max_length=1000, description="why values may be seen that the tag hides")


class TagSaid(Wanted):
    domain: str = Field(max_length=200, description="its name, as `assay domain list` shows it")
    reason: str = Field("", max_length=1000)


class Resolution(Wanted):
    reason: str = Field(
        max_length=40, description="FalsePositive, Expected, MissingData, Duplicates, OutOfBounds, Other"
    )
    comment: str | None = Field(None, max_length=4000)
    cause: str | None = Field(None, max_length=40, description="What it was, where the named cause is wrong")


class IncidentStatus(Wanted):
    status: str = Field(max_length=20, description="new, acknowledged or assigned")
    assignee: str | None = Field(None, max_length=200)


class Undoing(Wanted):
    reason: str = Field("", max_length=300)


class Unmasking(Wanted):
    reason: str = Field("", max_length=300, description="what the values are needed for; it is written down")
