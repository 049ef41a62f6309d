"""Stepping through runs of agents and teams from a program."""

from __future__ import annotations

import gc
from collections.abc import AsyncGenerator, Sequence

import pytest
from pydantic import PrivateAttr

from studio.agents import ChatAgent, InputRequestEvent, UserProxyAgent
from studio.agents.base import Step
from studio.errors import ModelUnavailable
from studio.messages import (
    BaseChatMessage,
    CancellationToken,
    HandoffMessage,
    Response,
    TaskResult,
    TextMessage,
    ThoughtEvent,
)
from studio.teams import RoundRobinGroupChat
from tests.teams.scripted import agent, pair, said


class Opened(ChatAgent):
    """Thinks and speaks, and knows whether it still holds something."""

    fails: bool = False
    _turns: list[str] = PrivateAttr(default_factory=list[str])

    @property
    def held(self) -> list[str]:
        return self._turns

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        del messages, cancellation_token
        self._turns.append("turn")
        try:
            yield ThoughtEvent(content="hm", source=self.name)
            if self.fails:
                raise ModelUnavailable("gone")
            yield Response(chat_message=TextMessage(content="done", source=self.name))
        finally:
            self._turns.remove("turn")


async def test_an_agent_alone_is_stepped_through_to_its_result():
    items = [item async for item in agent("a", "1").run_iter("go")]
    assert said(items[:-1]) == [("user", "go"), ("a", "1")]  # pyright: ignore[reportArgumentType] -- all but the last are messages
    assert isinstance(items[-1], TaskResult)


async def test_both_names_of_ag2_serve_an_async_loop():
    assert [type(item) async for item in pair().a_run_iter("go")] == [
        type(item) async for item in pair().run_iter("go")
    ]


def test_a_plain_loop_steps_through_a_run_where_no_event_loop_is_running():
    texts = [item.to_text() for item in pair().run_iter("go", yield_on=[TextMessage]) if isinstance(item, TextMessage)]
    assert texts == ["go", "1", "1", "2"]


def test_a_plain_loop_can_be_run_again_and_again():
    team = pair(limit=2)
    for _ in range(2):
        assert sum(isinstance(item, TaskResult) for item in team.run_iter("go")) == 1


def test_leaving_a_plain_loop_ends_the_run_at_once():
    opened = Opened(name="a")
    team = RoundRobinGroupChat(participants=[opened])
    for item in team.run_iter("go", yield_on=[ThoughtEvent]):
        assert isinstance(item, ThoughtEvent)
        assert opened.held == ["turn"]
        break
    assert opened.held == []
    for item in team.run_iter("again", yield_on=[ThoughtEvent]):
        assert isinstance(item, ThoughtEvent)
        break


async def test_a_plain_loop_inside_an_event_loop_is_told_to_be_an_async_one():
    with pytest.raises(RuntimeError, match="async for"):
        iter(agent("a", "1").run_iter("go"))


async def test_breaking_out_of_an_agents_run_closes_it():
    opened = Opened(name="a")
    async with opened.run_iter("go", yield_on=[ThoughtEvent]) as items:
        async for _ in items:
            break
    assert opened.held == []


async def test_an_error_of_the_run_is_raised_in_the_loop():
    with pytest.raises(ModelUnavailable, match="gone"):
        async for _ in Opened(name="a", fails=True).run_iter("go", yield_on=[TextMessage]):
            pass


@pytest.mark.slow
def test_an_error_of_the_run_is_raised_in_a_plain_loop_and_leaves_nothing_open():
    opened = Opened(name="a", fails=True)
    with pytest.raises(ModelUnavailable, match="gone"):
        for _ in opened.run_iter("go"):
            pass
    gc.collect()
    assert opened.held == []


async def test_a_question_comes_with_its_prompt_and_takes_an_answer_whatever_the_filter():
    questions: list[str] = []
    answer = ""
    async for item in UserProxyAgent("user").run_iter("go", yield_on=[ThoughtEvent]):
        if isinstance(item, InputRequestEvent):
            questions.append(item.prompt)
            item.respond("42")
        elif isinstance(item, TaskResult):
            answer = item.messages[-1].to_text()
    assert (questions, answer) == (["Enter your response: "], "42")


def test_a_question_in_a_plain_loop_takes_an_answer():
    handed = HandoffMessage(content="yours", source="a", target="user")
    for item in UserProxyAgent("user").run_iter(handed):
        if isinstance(item, InputRequestEvent):
            assert item.prompt == "Handoff received from a. Enter your response: "
            item.respond("mine")
        elif isinstance(item, TaskResult):
            assert item.messages[-1].to_text() == "mine"
