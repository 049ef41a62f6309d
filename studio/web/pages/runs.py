"""All runs, of every team: found by text, team, state and date, in any order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from pydantic import BeforeValidator, Field

from studio.runs import RunState, RunSummary
from studio.store import RunFilter
from studio.store.run_search import Order
from studio.web.amounts import duration, money
from studio.web.dependencies import StoreDep, TemplatesDep

router = APIRouter(include_in_schema=False)
PAGE = 50
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
    task: str
    team_id: str | None
    team_name: str
    state: str
    has_ended: bool
    created_at: datetime
    took: str
    tokens: int
    cost: str
    is_cost_whole: bool
    """Whether each call has a known price."""


@router.get("/runs")
async def runs_page(
    request: Request,
    store: StoreDep,
    templates: TemplatesDep,
    text: Annotated[str, Query(max_length=200)] = "",
    team_id: Annotated[TeamId | None, _absent_when_empty, Query()] = None,
    state: Annotated[RunState | None, _absent_when_empty, Query()] = None,
    since: Annotated[date | None, _absent_when_empty, Query()] = None,
    until: Annotated[date | None, _absent_when_empty, Query()] = None,
    order: Annotated[Order, Query()] = "newest",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Response:
    states = (state,) if state else ()
    wanted = RunFilter(text=text, team_id=team_id, states=states, since=since, until=until, order=order)
    found, count = await store.runs.search(wanted, offset=(page - 1) * PAGE, limit=PAGE)
    page_count = max(1, -(-count // PAGE))
    if page > page_count:
        page = page_count
        found, count = await store.runs.search(wanted, offset=(page - 1) * PAGE, limit=PAGE)
    asked = {"text": text, "team_id": team_id, "state": state, "since": since, "until": until}
    filled = {name: str(value) for name, value in asked.items() if value}
    return templates.page(
        request,
        "pages/runs.html",
        title="Runs",
        nav="runs",
        runs=[_row(run) for run in found],
        run_count=count,
        wanted=wanted,
        state=state,
        states=[*RunState],
        orders=ORDERS,
        team_name=found[0].team_name if team_id and found else "",
        is_filtered=bool(filled),
        page=page,
        page_count=page_count,
        query=urlencode({**filled, **({"order": order} if order != "newest" else {})}),
    )


def _row(run: RunSummary) -> RunRow:
    usage = run.status.usage
    return RunRow(
        id=run.id,
        task=run.task_text,
        team_id=run.team_id,
        team_name=run.team_name,
        state=run.status.state.value,
        has_ended=run.status.state.is_final,
        created_at=run.created_at,
        took=duration((run.ended_at - run.started_at).total_seconds()) if run.ended_at and run.started_at else "",
        tokens=usage.prompt_tokens + usage.completion_tokens,
        cost=money(usage.micro_usd) if usage.micro_usd or not usage.unpriced_calls else "–",
        is_cost_whole=not usage.unpriced_calls,
    )
