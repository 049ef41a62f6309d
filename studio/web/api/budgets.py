"""What may be spent: by all teams, by one team, by one run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.runs import Budget, DayLimits, Limits, RunAlreadyEnded, SpendingScope
from studio.runs.spending.ledger import STUDIO, BudgetLine
from studio.store import RunPart
from studio.web.dependencies import BooksDep, PersonDep, StoreDep, SupervisorDep
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["budgets"])
LOOK_AGAIN = '{"action": "look"}'


class Used(DeferredModel):
    """How much of a limit is spent. `scope` is `run`, `agent`, `team_day` or `studio_day`, `name` that of the agent."""

    scope: str
    name: str
    measure: str
    limit: int
    spent: int


class BudgetOut(DeferredModel):
    """`own` are the limits that were set here, `general` those that hold where these say nothing."""

    own: Budget
    general: Budget


class RunBudgetOut(DeferredModel):
    """`holds` are the limits that hold, `used` how much of those of money and tokens is spent."""

    holds: Budget
    used: list[Used]


@router.get("/budget", summary="Read the default budget of all teams")
async def studio_budget(books: BooksDep) -> BudgetOut:
    return BudgetOut(own=books.budgets.of_studio(), general=Budget())


@router.put("/budget", summary="Set the default budget of all teams; also applies to active runs")
async def set_studio_budget(body: Budget, books: BooksDep) -> BudgetOut:
    await books.budgets.set(STUDIO, body)
    return await studio_budget(books)


@router.get("/teams/{team_id}/budget", summary="Read the budget of a team")
async def team_budget(team_id: str, store: StoreDep, books: BooksDep) -> BudgetOut:
    await store.teams.summary(team_id)
    return BudgetOut(own=books.budgets.of_team(team_id), general=books.budgets.of_studio())


@router.put("/teams/{team_id}/budget", summary="Set the budget of a team; also applies to active runs")
async def set_team_budget(team_id: str, body: Budget, store: StoreDep, books: BooksDep) -> BudgetOut:
    await store.teams.summary(team_id)
    await books.budgets.set(f"team:{team_id}", body)
    return await team_budget(team_id, store, books)


@router.get("/runs/{run_id}/budget", summary="Read the budget of a run and its spending")
async def run_budget(run_id: str, store: StoreDep, books: BooksDep, supervisor: SupervisorDep) -> RunBudgetOut:
    team_id = (await store.runs.summary(run_id)).team_id or ""
    holds, usage = books.budgets.of_run(run_id, team_id), (await supervisor.view(run_id)).usage
    tokens = usage.prompt_tokens + usage.completion_tokens
    used = _used("run", "", holds.run, usage.micro_usd, tokens)
    for name, part in _by_agent(await store.costs.of_run(run_id)).items():
        used += _used("agent", name, holds.of_agent(name), *part)
    return RunBudgetOut(holds=holds, used=[*used, *_days(books, team_id)])


@router.put("/runs/{run_id}/budget", summary="Set the budget of a run, also while it is active")
async def set_run_budget(
    run_id: str, body: Budget, store: StoreDep, books: BooksDep, supervisor: SupervisorDep, person: PersonDep
) -> RunBudgetOut:
    await store.runs.summary(run_id)
    await books.budgets.set(f"run:{run_id}", body)
    with suppress(RunAlreadyEnded):
        data: JsonObject = {"limits": cast("JsonObject", body.model_dump(mode="json", exclude_none=True))}
        view = await supervisor.command(run_id, "budget", by=person.name, data=data)
        if view.pending is not None and view.pending.kind == "budget":
            await supervisor.command(
                run_id, "answer", by=person.name, request_id=view.pending.request_id, text=LOOK_AGAIN
            )
    return await run_budget(run_id, store, books, supervisor)


def _used(scope: str, name: str, limits: Limits | DayLimits, micro_usd: int, tokens: int) -> list[Used]:
    spent = {"micro_usd": (limits.micro_usd, micro_usd), "tokens": (limits.tokens, tokens)}
    return [
        Used(scope=scope, name=name, measure=measure, limit=limit, spent=amount)
        for measure, (limit, amount) in spent.items()
        if limit is not None
    ]


def _days(books: SpendingScope, team_id: str) -> list[Used]:
    return [used for line in books.budgets.day_lines(team_id) for used in _used_of_day(line)]


def _used_of_day(line: BudgetLine) -> list[Used]:
    return _used(line.scope, "", line.limits, line.account.micro_usd, line.account.tokens)


def _by_agent(parts: Sequence[RunPart]) -> dict[str, tuple[int, int]]:
    sums: dict[str, tuple[int, int]] = {}
    for part in parts:
        money, tokens = sums.get(part.agent, (0, 0))
        sums[part.agent] = (money + part.sum.micro_usd, tokens + part.sum.prompt_tokens + part.sum.completion_tokens)
    return sums
