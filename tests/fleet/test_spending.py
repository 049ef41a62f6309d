"""Two workers never spend the same rest of a day's limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, delete, insert
from sqlmodel import col

from studio.components import JsonObject
from studio.models import Price
from studio.models.prices import PriceBook
from studio.runs import (
    Budget,
    BudgetRegistry,
    DayLimits,
    Hold,
    RunState,
    RunSupervisor,
    SpendingScope,
    spending_scope,
)
from studio.store import Store, open_store
from studio.store.tables import Spending, SpendingHold, table_of
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.fleet.approvals import AllApproved
from tests.kills.teams import group
from tests.store.postgres import PostgresServer

PRICE = Price.model_validate({"input": 1, "output": 1, "as_of": "2026-01-01", "source": "own"})
TAKES = 110
LIMIT = 600
"""Millionths of a dollar. A call may take 117: there is room for five at once, and none for a sixth after them."""


@asynccontextmanager
async def workers(
    postgres: PostgresServer, folder: Path, budget: Budget, count: int = 2
) -> AsyncGenerator[Sequence[tuple[Store, RunSupervisor]]]:
    """Workers that know of one another by their database alone."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(postgres.database())
        opened: list[tuple[Store, RunSupervisor]] = []
        for number in range(count):
            store = await stack.enter_async_context(open_store(folder / str(number), url))
            registry = BudgetRegistry(store.costs, {"studio": budget.model_dump(mode="json")})
            with spending_scope(SpendingScope(PriceBook({"gpt-4o": PRICE}), registry)):
                supervisor = RunSupervisor(store.runs, AllApproved(), store.secrets, store.settings)
                await stack.enter_async_context(supervisor)
            opened.append((store, supervisor))
        yield opened


def document(url: str) -> JsonObject:
    """An agent that asks once, for ten tokens at most."""
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": url, "api_key": "key", "max_tokens": 10, "max_retries": 0},
    }
    agent: JsonObject = {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_type": "agent",
        "config": {"name": "ann", "model_client": model, "system_message": None},
    }
    return group("RoundRobinGroupChat", [agent], max_turns=1)


async def ended(supervisor: RunSupervisor, run_id: str) -> RunState:
    """The state in which a run ends, or waits for a person."""
    async for batch in supervisor.subscribe(run_id):
        if batch.view.state.is_final or batch.view.pending:
            return batch.view.state
    raise AssertionError("The run did not end.")


async def test_a_day_is_shared_by_all_workers(
    postgres: PostgresServer, tmp_path: Path, openai_server: OpenAIServer
) -> None:
    openai_server.always(Reply("Said.", usage=(TAKES - 10, 10)))
    budget = Budget(day=DayLimits(micro_usd=LIMIT))
    async with workers(postgres, tmp_path, budget) as both:
        wanted = [
            (supervisor, await supervisor.start(document(openai_server.url), "Go."))
            for _ in range(8)
            for _, supervisor in both
        ]
        states = await asyncio.gather(*(ended(supervisor, run_id) for supervisor, run_id in wanted))
        totals = await both[0][0].costs.day_totals(datetime.now(UTC).date())
    assert openai_server.request_count == 5
    assert (states.count(RunState.FINISHED), states.count(RunState.PAUSED)) == (5, 11)
    assert totals.used("micro_usd") == 5 * TAKES
    assert totals.aside == {}, "what is logged is set aside no more"


async def test_a_call_that_is_refused_takes_nothing(
    postgres: PostgresServer, tmp_path: Path, openai_server: OpenAIServer
) -> None:
    openai_server.always(Reply(status=400))
    budget = Budget(day=DayLimits(micro_usd=LIMIT))
    async with workers(postgres, tmp_path, budget, count=1) as [(store, supervisor)]:
        states = [await ended(supervisor, await supervisor.start(document(openai_server.url), "Go.")) for _ in range(6)]
        assert (await store.costs.day_totals(datetime.now(UTC).date())).used("micro_usd") == 0
    assert set(states) == {RunState.FAILED}
    assert openai_server.request_count == 6


async def test_what_is_set_aside_holds_for_its_team_and_for_all(postgres: PostgresServer, tmp_path: Path) -> None:
    day = datetime.now(UTC).date().isoformat()
    own, all_of_them = DayLimits(tokens=100), DayLimits(tokens=150)

    async def held(store: Store, number: int, team_id: str, tokens: int) -> bool:
        hold = Hold(str(number), day, team_id, tokens, 0)
        return (await store.costs.hold(hold, of_team=own, of_studio=all_of_them))[0]

    async with workers(postgres, tmp_path, Budget()) as [(one, _), (other, _)]:
        assert await held(one, 1, "a", 80)
        assert not await held(other, 2, "a", 30)
        assert await held(other, 3, "b", 60)
        assert not await held(one, 4, "b", 20)
        await other.costs.free("1")
        assert await held(one, 5, "b", 20)


async def test_a_call_that_is_logged_while_another_asks_is_counted(postgres: PostgresServer, tmp_path: Path) -> None:
    """What it took comes into the log, and what was set aside for it goes, in one transaction."""
    limit = DayLimits(micro_usd=150)
    nothing = dict.fromkeys(("prompt_tokens", "completion_tokens", "cached_tokens", "unpriced_calls", "ms"), 0)
    async with workers(postgres, tmp_path, Budget()) as [(one, _), (other, _)]:
        for number in range(200):
            first, second = (Hold(f"{name} {number}", str(number), "a", 0, TAKES) for name in ("first", "second"))
            assert (await one.costs.hold(first, of_team=limit, of_studio=limit))[0]

            def log(connection: Connection, first: Hold = first) -> None:
                named = {"run_id": "r", "agent": "ann", "kind": "model", "name": "gpt-4o", "team_name": "A", "calls": 1}
                taken = {"day": first.day, "team_id": first.team_id, "micro_usd": first.micro_usd}
                connection.execute(insert(table_of(Spending)).values(**named, **taken, **nothing))
                connection.execute(delete(table_of(SpendingHold)).where(col(SpendingHold.id) == first.id))

            database = one.runs._database  # pyright: ignore[reportPrivateUsage]
            (fits, totals), _ = await asyncio.gather(
                other.costs.hold(second, of_team=limit, of_studio=limit), database.run_in_transaction(log)
            )
            assert not fits, f"{number}: {totals}"
