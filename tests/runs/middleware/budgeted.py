"""Teams with prices and budgets."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

from studio.components import JsonObject
from studio.components.secrets import SecretSource
from studio.models import Price
from studio.models.prices import PriceBook
from studio.runs import RunSupervisor, RunView, SpendingScope, spending_scope
from studio.runs.part_runs.memory_store import InMemoryRunStore
from studio.runs.spending.ledger import BudgetRegistry
from studio.runs.spending.limits import Budget

SCRIPTED = "ReplayChatCompletionClient"
PRICE = Price(input=2, output=8, as_of=date(2026, 1, 1), source="own")
TEAM = "team"


class Open:
    """A studio where everything is allowed and nothing is secret."""

    async def active_for(self, hashes: Collection[str], *, team_id: str = "") -> dict[str, tuple[str, ...]]:
        del team_id
        return dict.fromkeys(hashes, ())

    async def source(self) -> SecretSource:
        return lambda _: None


@dataclass
class Studio:
    """A supervisor that keeps its logs in memory, and what its runs reckon with."""

    supervisor: RunSupervisor
    books: SpendingScope

    async def until_question_or_end(self, run_id: str) -> RunView:
        async with aclosing(self.supervisor.subscribe(run_id)) as batches:
            async for batch in batches:
                if batch.view.pending is not None or batch.view.state.is_final:
                    return batch.view
        return await self.supervisor.view(run_id)

    async def answer(self, run_id: str, view: RunView, **answer: object) -> RunView:
        assert view.pending is not None
        text = json.dumps(answer)
        await self.supervisor.command(run_id, "answer", request_id=view.pending.request_id, text=text)
        return await self.until_question_or_end(run_id)

    async def warnings(self, run_id: str) -> list[str]:
        seen: list[str] = []
        async with aclosing(self.supervisor.subscribe(run_id)) as batches:
            async for batch in batches:
                bodies = [entry.body for entry in batch.entries if entry.body.get("command") == "budget_warning"]
                seen += [str(body["content"]) for body in bodies]
        return seen


@asynccontextmanager
async def opened(
    budgets: Mapping[str, Budget], *, spent_today: Mapping[str, Mapping[Any, int]] | None = None
) -> AsyncGenerator[Studio]:
    kept: dict[str, JsonObject] = {scope: budget.model_dump(mode="json") for scope, budget in budgets.items()}
    books = SpendingScope(PriceBook({SCRIPTED: PRICE}), BudgetRegistry(None, kept, spent_today))
    with spending_scope(books):
        async with RunSupervisor(InMemoryRunStore(10**9, lambda _: None), Open(), Open()) as supervisor:
            yield Studio(supervisor, books)


def reply(prompt_tokens: int, completion_tokens: int) -> JsonObject:
    usage: JsonObject = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    return {"finish_reason": "stop", "content": "Said.", "usage": usage, "cached": False}


def agent(name: str, *usages: tuple[int, int], **model: object) -> JsonObject:
    client: JsonObject = {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "component_type": "replay_chat_completion_client",
        "config": {"chat_completions": [reply(*usage) for usage in usages]},
    }
    if model:
        provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
        client = {"provider": provider, "component_type": "model", "config": dict[str, Any](model)}
    return {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_type": "agent",
        "config": {"name": name, "model_client": client, "system_message": None},
    }


def in_turn(*agents: JsonObject, turns: int) -> JsonObject:
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "config": {"participants": list(agents), "max_turns": turns},
    }
