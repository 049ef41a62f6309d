"""How the parts of a team are let go at the end of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from pydantic import PrivateAttr

from studio.agents import AssistantAgent, ChatAgent, cleanup
from studio.messages import BaseChatMessage, CancellationToken, Response, ToolSchema
from studio.models import ReplayChatCompletionClient
from studio.teams import RoundRobinGroupChat
from studio.tools import Workbench


class Clinging(ChatAgent):
    """Fails in its turn, and cannot be released either."""

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        del messages, cancellation_token
        raise ValueError("what matters")

    async def release(self) -> None:
        raise OSError("what does not")


class LetGo(ChatAgent):
    """Notes that it was released."""

    _is_released: bool = PrivateAttr(default=False)

    async def release(self) -> None:
        await asyncio.sleep(0)
        self._is_released = True

    @property
    def is_released(self) -> bool:
        return self._is_released


class Bench(Workbench):
    """Notes what is done with it."""

    fails: bool = False

    _noted: list[str] = PrivateAttr(default_factory=list[str])

    @property
    def noted(self) -> list[str]:
        return self._noted

    async def list_tools(self) -> list[ToolSchema]:
        return []

    async def start(self) -> None:
        self._noted.append("start")
        if self.fails:
            raise OSError("no server")

    async def stop(self) -> None:
        self._noted.append("stop")


async def test_a_workbench_that_was_not_reached_is_not_stopped():
    benches = [Bench(), Bench(fails=True), Bench()]
    model = ReplayChatCompletionClient(chat_completions=["hi"])
    agent = AssistantAgent(name="a", model_client=model, workbench=benches)
    with pytest.raises(OSError, match="no server"):
        await agent.run(task="go")
    assert [bench.noted for bench in benches] == [["start", "stop"], ["start", "stop"], []]


async def test_a_release_that_fails_covers_up_no_error_and_holds_up_no_other():
    other = LetGo(name="b")
    with pytest.raises(ValueError, match="what matters"):
        await RoundRobinGroupChat(participants=[Clinging(name="a"), other], max_turns=1).run(task="go")
    assert other.is_released


async def test_a_release_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    monkeypatch.setattr(cleanup, "RELEASE_LIMIT_S", 0.01)
    await cleanup.release_all(asyncio.Event().wait, asyncio.Event().wait)
    assert caplog.text.count("was not released") == 2
