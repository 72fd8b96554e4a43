"""The review of proposed tags, by groups and by keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.errors import UsageError
from catalog.store.access import approvals
from catalog.store.access.undo import undo
from catalog.store.meaning import review
from catalog.store.pages.lines import cut_list
from catalog.store.schemas.listing import listing
from catalog.store.schemas.meaning import LostTagOut, ReviewGroupOut, UnknownOut
from catalog.tags.review import Group
from web.access.gate import actor, identity
from web.deps import PageNumber, Reading, Seen, stretch, writing
from web.render import page

router = APIRouter()
GROUPS = 10  # shown at once; chosen: what a screen or two hold, of which a large lake is drawn in a blink
Name = Annotated[str, Query(max_length=200)]
#: Reasons that a number alone stands for: showing what is hidden needs one.
REASONS = (
    "not what the values are",
    "about an organisation, not a person",
    "made-up data for tests",
    "public anyway",
    "not about the person",
)
MOST_UNDONE = 200  # a bound


@router.get("/review")
def show_review(
    request: Request,
    session: Reading,
    domain: Name = "",
    source: Name = "",
    done: Annotated[str, Query(max_length=4000)] = "",
    at: Annotated[str, Query(max_length=20)] = "",
    unticked: bool = False,
    number: PageNumber = 1,
) -> Response:
    lost, unknown, waiting = review.everything(session, domain=domain, source=source)
    at = next((one.key for one in unknown if at in {one.key, *(f"g{item.tag_id}" for item in one.items)}), at)
    unknown.sort(key=lambda one: one.key != at)  # the one that is asked for comes first
    place = _place(waiting, at)
    if place is not None:
        at, number = waiting[place].key, number if "page" in request.query_params else place // GROUPS + 1
    found = listing(cut_list(waiting, **stretch(number, GROUPS)), ReviewGroupOut.of)
    return page(
        request,
        session,
        "meaning/review.html",
        found=found,
        columns=sum(len(one.items) for one in waiting),
        unknown=listing(cut_list(unknown, GROUPS, 0), UnknownOut.of),
        unknown_columns=sum(len(one.items) for one in unknown),
        lost=[LostTagOut.lost(*one) for one in lost],
        domain=domain,
        source=source,
        done=_events(done),
        at=at,
        unticked=unticked,
        reasons=REASONS,
        held=approvals.waiting_about(session, "tag"),
    )


@router.post("/review")
def decide_group(
    request: Request,
    status: Annotated[str, Form(max_length=20)],
    tag: Annotated[list[int] | None, Form()] = None,
    reason: Annotated[str, Form(max_length=1000)] = "",
    domain: Annotated[str, Form(max_length=200)] = "",
    source: Annotated[str, Form(max_length=200)] = "",
    here: Annotated[str, Form(max_length=20)] = "",
    after: Annotated[str, Form(max_length=20)] = "",
    seen: Seen = "",
) -> Response:
    """Decide on the ticked columns of a group; `after` is the group to go on with, `here` itself."""
    if not tag:
        return _unticked(request, domain, source, here)
    with writing(request) as session:
        made = review.decide(session, tag, status, actor(request), _said(reason), seen)
    return _back(request, made, domain, source, after)


@router.post("/review/table")
def answer_table(
    request: Request,
    asked: Annotated[list[int], Form()],
    tag: Annotated[list[int] | None, Form()] = None,
    only: Annotated[bool, Form()] = False,
    reason: Annotated[str, Form(max_length=1000)] = "",
    domain: Annotated[str, Form(max_length=200)] = "",
    source: Annotated[str, Form(max_length=200)] = "",
    here: Annotated[str, Form(max_length=20)] = "",
    after: Annotated[str, Form(max_length=20)] = "",
    seen: Seen = "",
) -> Response:
    """Answer for the columns of a table that nobody knew: those ticked are about the person, the others are not, or,
    where `only` those ticked are answered for, stay hidden. What is shown by it needs a reason."""
    about = set(tag or ())
    others = [] if only else [one for one in asked if one not in about]
    if not about and not others:
        return _unticked(request, domain, source, here)
    with writing(request) as session:
        made = review.answer(session, sorted(about), others, actor(request), _said(reason), seen)
    return _back(request, made, domain, source, after)


@router.post("/review/undo")
def undo_group(
    request: Request,
    events: Annotated[str, Form(max_length=4000)],
    domain: Annotated[str, Form(max_length=200)] = "",
    source: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Take the last decision back, on all its columns."""
    numbers = _events(events)
    if not numbers:
        raise UsageError("there is nothing to undo", remedy="the audit log lists every decision")
    who, allowed = identity(request), request.app.state.settings.false_alarm_budget
    with writing(request) as session:
        made = [undo(session, number, by=who, false_alarm_budget=allowed) for number in reversed(numbers)]
        first = min(event.item_id or 0 for event in made)
    return _back(request, [], domain, source, f"g{first}")


def _said(reason: str) -> str:
    """A reason as it is kept: a number alone is the ready one of that number. One's own words may begin with one.

    >>> _said(" 2 "), _said("2 of these count"), _said("9")
    ('about an organisation, not a person', '2 of these count', '9')
    """
    ready = {str(number): words for number, words in enumerate(REASONS, 1)}
    return ready.get(reason.strip(), reason.strip())


def _place(groups: Sequence[Group], at: str) -> int | None:
    """Where the group is that has the tag whose number `at` names: the page of it is shown, wherever it is."""
    tag = int(at[1:]) if at[:1] == "g" and at[1:].isdecimal() else 0
    return next((i for i, group in enumerate(groups) if any(one.tag_id == tag for one in group.items)), None)


def _events(text: str) -> list[int]:
    found = [int(one) for one in text.split(".") if one.isdecimal() and len(one) < 10]
    return found[:MOST_UNDONE]


def _unticked(request: Request, domain: str, source: str, here: str) -> Response:
    """Back to the group of which nothing was ticked, which says so."""
    return _to(request, domain=domain, source=source, at=here, unticked="true")


def _back(request: Request, made: list[int], domain: str, source: str, at: str) -> Response:
    return _to(request, domain=domain, source=source, at=at, done=".".join(map(str, made)))


def _to(request: Request, **wanted: str) -> Response:
    url = request.url_for("show_review").include_query_params(**{k: v for k, v in wanted.items() if v})
    return RedirectResponse(f"{url.path}?{url.query}" if url.query else url.path, 303)
