"""What runs cost: by message, agent, model and tool of one run, by team and day of all, and what models cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from fastapi import Query, Response
from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.models import Price, model_catalogue
from studio.models.prices import PriceBook
from studio.runs.spending.costs import Estimate, estimate_of
from studio.services.run_costs import MessageCost, messages_of, total_of
from studio.store import Cost, DayPart, RunPart, Step
from studio.web.dependencies import BooksDep, StoreDep
from studio.web.requests import RequestBody, large_answer
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["costs"])
DEFAULT_DAYS = 30
MAX_DAYS = 366
FIRST_DAY = date(2000, 1, 1)
"""Nothing was spent before; and days can be counted back from it."""
PAST_RUNS = 50


class NamedCost(Cost):
    """What an agent, model or tool took."""

    name: str


class PriceOut(DeferredModel):
    """US dollars per million tokens. `origin` is `own`, `catalogue` or `free`; all null when nobody knows the price."""

    model: str
    input: float | None = None
    output: float | None = None
    cached_input: float | None = None
    as_of: date | None = None
    origin: str = ""
    source: str = ""


class RunCostOut(DeferredModel):
    total: Cost
    agents: list[NamedCost]
    models: list[NamedCost]
    tools: list[NamedCost]
    messages: list[MessageCost]
    prices: list[PriceOut]


class DayCost(Cost):
    """What a team took of one model on one day (UTC)."""

    day: date
    team_id: str
    team_name: str
    model: str
    runs: int


class CostsOut(DeferredModel):
    since: date
    until: date
    total: Cost
    parts: list[DayCost]


class SetPrice(RequestBody):
    model: Annotated[str, Field(min_length=1, max_length=200)]
    input: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
    output: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
    cached_input: Annotated[float | None, Field(ge=0, le=1e6, allow_inf_nan=False)] = None


@router.get(
    "/runs/{run_id}/cost",
    summary="Read the cost of a run by message, agent, model and tool",
    response_model=RunCostOut,
)
async def run_cost(run_id: str, store: StoreDep, books: BooksDep) -> Response:
    await store.runs.summary(run_id)
    parts, steps = await store.costs.of_run(run_id), await store.costs.steps_of_run(run_id)
    return await large_answer(lambda: _run_cost(parts, steps, books.prices))


def _run_cost(parts: Sequence[RunPart], steps: Sequence[Step], prices: PriceBook) -> RunCostOut:
    models = [part for part in parts if part.kind == "model"]
    return RunCostOut(
        total=total_of(part.sum for part in parts),
        agents=_by(parts, lambda part: part.agent),
        models=_by(models, lambda part: part.name),
        tools=_by([part for part in parts if part.kind != "model"], lambda part: part.name),
        messages=messages_of(steps),
        prices=[_price_of(prices, name, models) for name in sorted({part.name for part in models})],
    )


@router.get("/costs", summary="Read the cost of teams by day and model; days are in UTC")
async def costs(
    store: StoreDep,
    team_id: str | None = None,
    since: Annotated[date | None, Query(alias="from")] = None,
    until: Annotated[date | None, Query(alias="to")] = None,
) -> CostsOut:
    last = max(until or datetime.now(UTC).date(), FIRST_DAY)
    first = max(since or last - timedelta(days=DEFAULT_DAYS - 1), last - timedelta(days=MAX_DAYS))
    parts = await store.costs.by_day(since=first, until=last, team_id=team_id)
    return CostsOut(
        since=first, until=last, total=total_of(part.sum for part in parts), parts=[_day_cost(part) for part in parts]
    )


@router.get("/teams/{team_id}/estimate", summary="Estimate the cost of a run from past runs of the team")
async def estimate(team_id: str, store: StoreDep) -> Estimate:
    await store.teams.summary(team_id)
    return estimate_of(await store.costs.past_runs(team_id, limit=PAST_RUNS))


@router.get("/prices", summary="List your own prices")
async def list_prices(store: StoreDep) -> list[PriceOut]:
    return [_price_out(model, price, "own") for model, price in (await store.costs.own_prices()).items()]


@router.put("/prices", summary="Set the price of a model from now on; past costs stay as they are")
async def set_price(body: SetPrice, store: StoreDep, books: BooksDep) -> PriceOut:
    price = await store.costs.set_price(body.model, **body.model_dump(exclude={"model"}))
    books.prices.own = await store.costs.own_prices()
    return _price_out(body.model, price, "own")


@router.delete("/prices", status_code=204, summary="Remove your own price; the list price applies again")
async def forget_price(model: str, store: StoreDep, books: BooksDep) -> None:
    await store.costs.forget_price(model)
    books.prices.own = await store.costs.own_prices()


def _by(parts: Sequence[RunPart], name_of: Callable[[RunPart], str]) -> list[NamedCost]:
    """Sums by name, the dearest first."""
    sums: dict[str, list[Cost]] = {}
    for part in parts:
        sums.setdefault(name_of(part), []).append(part.sum)
    named = [NamedCost(name=name, **total_of(found).model_dump()) for name, found in sums.items()]
    return sorted(named, key=lambda cost: (-cost.micro_usd, -cost.prompt_tokens - cost.completion_tokens, -cost.ms))


def _day_cost(part: DayPart) -> DayCost:
    return DayCost(
        day=date.fromisoformat(part.day),
        team_id=part.team_id,
        team_name=part.team_name,
        model=part.model,
        runs=part.run_count,
        **part.sum.model_dump(),
    )


def _price_of(prices: PriceBook, model: str, parts: Sequence[RunPart]) -> PriceOut:
    """What the model costs now; what costs nothing and has no price in any list is told by what was paid for it."""
    sums = [part.sum for part in parts if part.name == model]
    was_free = not any(part.unpriced_calls or part.micro_usd for part in sums)
    known = prices.find(model, is_free=was_free)
    return _price_out(model, known.price, known.origin) if known else PriceOut(model=model)


def _price_out(model: str, price: Price, origin: str) -> PriceOut:
    return PriceOut(
        model=model,
        **price.model_dump(exclude={"source", "as_of"}),
        as_of=None if origin == "free" else price.as_of,
        origin=origin,
        source=model_catalogue().sources.get(price.source, ""),
    )
