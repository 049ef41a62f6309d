"""All runs, of every team: found by text, team, state, date, cost, tag and star, in any order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query, Request, Response
from pydantic import BeforeValidator, Field

from studio.runs import RunState, RunSummary
from studio.services.amounts import duration, money
from studio.store import ALL_TEAMS, NO_LABELS, Labels, RunFilter
from studio.store.run_search import Order
from studio.web.api.labels import MAX_TAG
from studio.web.api.runs import MAX_USD
from studio.web.auth.person import Person
from studio.web.dependencies import PersonDep, StoreDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
PAGE = 50
MAX_TEAMS = 200
"""That can be chosen: those changed last."""
ORDERS: dict[Order, str] = {
    "newest": "Newest first",
    "oldest": "Oldest first",
    "cost": "Highest cost first",
    "tokens": "Most tokens first",
}
TeamId = Annotated[str, Field(max_length=100)]
_absent_when_empty = BeforeValidator(lambda value: value or None)  # a form sends what is not filled in as ""


@dataclass(frozen=True)
class RunRow:
    """A run as the list shows it; `took` is empty until it has ended."""

    id: str
    name: str
    """What a person calls it, else its task."""
    task: str
    team_id: str | None
    team_name: str
    state: str
    has_ended: bool
    created_at: datetime
    labels: Labels
    took: str
    tokens: int
    cost: str
    is_cost_whole: bool
    """Whether each call has a known price."""


@dataclass(frozen=True)
class RunQuery:
    """What the address of the page asks for."""

    text: Annotated[str, Query(max_length=200)] = ""
    team_id: Annotated[TeamId | None, _absent_when_empty, Query()] = None
    state: Annotated[RunState | None, _absent_when_empty, Query()] = None
    since: Annotated[date | None, _absent_when_empty, Query()] = None
    until: Annotated[date | None, _absent_when_empty, Query()] = None
    min_usd: Annotated[Annotated[float, Field(ge=0, le=MAX_USD)] | None, _absent_when_empty, Query()] = None
    tag: Annotated[str, Query(max_length=MAX_TAG)] = ""
    starred: Annotated[bool, Query()] = False
    listing: Annotated[Literal["active", "archived"], Query()] = "active"
    order: Annotated[Order, Query()] = "newest"
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1

    def filter(self, person: Person) -> RunFilter:
        return RunFilter(
            text=self.text,
            team_id=self.team_id,
            states=(self.state,) if self.state else (),
            since=self.since,
            until=self.until,
            min_usd=self.min_usd,
            tag=self.tag,
            starred_by=person.id if self.starred else None,
            listing=self.listing,
            order=self.order,
        )

    @property
    def is_narrowed(self) -> bool:
        return bool(self.text or self.state or self.tag or self.starred or self.has_more)

    @property
    def has_more(self) -> bool:
        """Whether one of the filters is used that are folded away."""
        return bool(self.team_id or self.since or self.until or self.min_usd is not None)

    def address(self) -> str:
        """The query of the address without its page."""
        given: dict[str, object] = {"text": self.text, "team_id": self.team_id, "since": self.since}
        given |= {"until": self.until, "tag": self.tag, "min_usd": self.min_usd}
        given["state"] = self.state.value if self.state else ""
        given["starred"] = "1" if self.starred else ""
        given["listing"] = self.listing if self.listing != "active" else ""
        given["order"] = self.order if self.order != "newest" else ""
        return urlencode({name: str(value) for name, value in given.items() if value not in ("", None)})


@router.get("/runs")
async def runs_page(
    request: Request,
    store: StoreDep,
    templates: TemplatesDep,
    person: PersonDep,
    asked: Annotated[RunQuery, Depends()],
) -> Response:
    wanted, page = asked.filter(person), asked.page
    found, count = await store.runs.search(wanted, offset=(page - 1) * PAGE, limit=PAGE)
    page_count = max(1, -(-count // PAGE))
    if page > page_count:
        page = page_count
        found, count = await store.runs.search(wanted, offset=(page - 1) * PAGE, limit=PAGE)
    labels = await store.labels.get_many("run", [run.id for run in found], person.id)
    return templates.page(
        request,
        "pages/runs.html",
        title="Runs",
        nav="runs",
        runs=[_row(run, labels.get(run.id, NO_LABELS)) for run in found],
        run_count=count,
        asked=asked,
        states=[*RunState],
        orders=ORDERS,
        tags=await store.labels.tags("run"),
        teams=await store.teams.list(ALL_TEAMS, limit=MAX_TEAMS),
        team_name=found[0].team_name if asked.team_id and found else "",
        has_any=bool(found) or await store.labels.has_any("run"),
        page=page,
        page_count=page_count,
        query=asked.address(),
    )


def _row(run: RunSummary, labels: Labels) -> RunRow:
    usage = run.status.usage
    return RunRow(
        id=run.id,
        name=run.title or run.task_text,
        task=run.task_text,
        team_id=run.team_id,
        team_name=run.team_name,
        state=run.status.state.value,
        has_ended=run.status.state.is_final,
        created_at=run.created_at,
        labels=labels,
        took=duration((run.ended_at - run.started_at).total_seconds()) if run.ended_at and run.started_at else "",
        tokens=usage.prompt_tokens + usage.completion_tokens,
        cost=money(usage.micro_usd) if usage.micro_usd or not usage.unpriced_calls else "–",
        is_cost_whole=not usage.unpriced_calls,
    )
