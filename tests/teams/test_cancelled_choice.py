"""Cancelling a token ends the question of a team's own model, too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

import pytest
from pydantic import PrivateAttr

from studio.agents import Participant
from studio.messages import CancellationToken, CreateResult
from studio.models import ReplayChatCompletionClient
from studio.models.base import ModelCall
from studio.teams import MagenticOneGroupChat, SelectorGroupChat, Team
from tests.teams.scripted import agent


class Pondering(ReplayChatCompletionClient):
    """A model that never answers; an event tells when it was asked."""

    provider = ""

    _asked: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)

    async def until_asked(self) -> None:
        await self._asked.wait()

    async def _create(self, call: ModelCall) -> CreateResult:
        del call
        self._asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        yield await self._create(call)


CHOOSING: dict[str, Callable[[Pondering], Team]] = {
    "selector": lambda model: SelectorGroupChat(participants=people(), model_client=model),
    "streaming": lambda model: SelectorGroupChat(
        participants=people(), model_client=model, model_client_streaming=True
    ),
    "magentic": lambda model: MagenticOneGroupChat(participants=people(), model_client=model),
}


def people() -> list[Participant]:
    return [agent("a", "1"), agent("b", "1")]


@pytest.mark.parametrize("kind", CHOOSING)
async def test_a_cancelled_token_ends_the_choice_of_a_speaker(kind: str):
    token, model = CancellationToken(), Pondering(chat_completions=[])
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(CHOOSING[kind](model).run(task="go", cancellation_token=token))
        await model.until_asked()
        token.cancel()
    assert running.cancelled()
