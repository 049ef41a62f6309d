"""Model clients of a script behave in ways that ours do not."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, cast

import pytest
from pydantic import PrivateAttr

from studio.agents import AssistantAgent, CodeExecutorAgent
from studio.executors import LocalCommandLineCodeExecutor
from studio.messages import CancellationToken, CreateResult, LLMMessage, RequestUsage
from studio.models import ChatCompletionClient
from studio.teams import SelectorGroupChat

SPENT = RequestUsage(prompt_tokens=1, completion_tokens=1)


class Listing(ChatCompletionClient):
    """Keeps the tokens it was called with; its stream ends early."""

    _tokens: list[object] = PrivateAttr(default_factory=list[object])

    @property
    def tokens(self) -> list[object]:
        return self._tokens

    async def create(self, messages: Sequence[LLMMessage], **arguments: Any) -> CreateResult:
        del messages
        self._tokens.append(arguments.get("cancellation_token"))
        return CreateResult(finish_reason="stop", content="Yes", usage=SPENT, cached=False)

    async def create_stream(
        self, messages: Sequence[LLMMessage], **arguments: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        del messages, arguments
        yield "half an ans"


async def test_a_client_is_given_the_token_of_the_run():
    token, client = CancellationToken(), Listing()
    await AssistantAgent("a", client).run("Hello?", token)
    assert client.tokens == [token]


async def test_a_stream_without_a_whole_answer_is_an_error_in_words():
    with pytest.raises(RuntimeError, match="No final model result"):
        await AssistantAgent("a", Listing(), model_client_stream=True).run("Hello?")


class Tiring(Listing):
    """Its first stream has a whole answer, with code; the next one ends early."""

    async def create_stream(
        self, messages: Sequence[LLMMessage], **arguments: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        del arguments
        if len(messages) == 2:
            yield CreateResult(finish_reason="stop", content="```python\n1\n```", usage=SPENT, cached=False)


async def test_an_agent_that_runs_code_does_not_take_its_last_answer_for_the_next():
    runner = CodeExecutorAgent("a", LocalCommandLineCodeExecutor(), model_client=Tiring(), model_client_stream=True)
    with pytest.raises(RuntimeError, match="No final model result"):
        await runner.run("Hello?")


class Babbling(Listing):
    """Yields something that is neither text nor an answer, and then an answer."""

    async def create_stream(
        self, messages: Sequence[LLMMessage], **arguments: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        yield "Yes"
        yield cast("str", 42)
        yield await self.create(messages, **arguments)


async def test_a_piece_of_an_answer_of_a_wrong_kind_is_an_error_in_words():
    with pytest.raises(RuntimeError, match="Invalid chunk type: <class 'int'>"):
        await AssistantAgent("a", Babbling(), model_client_stream=True).run("Hello?")


async def test_a_selector_whose_client_babbles_says_so_too():
    members = [AssistantAgent(name, Listing()) for name in "ab"]
    team = SelectorGroupChat(members, Babbling(), model_client_streaming=True, max_turns=1)
    with pytest.raises(RuntimeError, match="Invalid chunk type: <class 'int'>"):
        await team.run("Who?")
