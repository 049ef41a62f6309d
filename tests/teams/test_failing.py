"""A part of a team that fails leaves the team usable: nothing is told twice or lost, and the run can go on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import ClassVar

import pytest
from pydantic import JsonValue, PrivateAttr

from studio import effects
from studio.agents import ChatAgent, Participant
from studio.conditions import TerminationCondition
from studio.effects import EffectRequest, LiveEffects, Perform, StreamItem
from studio.memory import ListMemory, UpdateContextResult
from studio.memory.base import Conversation
from studio.messages import BaseChatMessage, BaseMessage, CancellationToken, Response, TextMessage
from studio.teams import DiGraphBuilder, GraphFlow, RoundRobinGroupChat, SelectorGroupChat, Team
from tests.teams.interrupting import assert_nothing_runs, told
from tests.teams.remembering import TEAMS, agent, done, model

TASK = "Please do it."


class Failed(Exception):
    """What the test brought about."""


class FailingWorld(LiveEffects):
    """A world in which the n-th request fails, counted from 1."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self._at = at
        self.count = 0

    def _note(self) -> None:
        self.count += 1
        if self.count == self._at:
            raise Failed

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        self._note()
        return await super().call(request, perform)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        async for item in super().stream(request, perform):
            yield item
        self._note()  # when all was said


@pytest.mark.parametrize("kind", TEAMS)
async def test_whatever_fails_the_run_goes_on_to_the_same_end(kind: str):
    whole, at = TEAMS[kind](), 1
    await whole.run(task=TASK)
    expected = await told(whole)
    while True:
        team = TEAMS[kind]()
        with effects.use(FailingWorld(at)):
            try:
                await team.run(task=TASK)
            except Failed:
                assert_nothing_runs()
            else:
                break
        if await told(team) != expected:
            await team.run()
        assert await told(team) == expected
        await team.reset()
        await team.run(task=TASK)
        assert await told(team) == expected
        at += 1
    assert at > 1


class FailsOnce:
    """Raises the first time that it is asked."""

    def __init__(self) -> None:
        self._is_spent = False

    def __call__(self) -> None:
        if not self._is_spent:
            self._is_spent = True
            raise Failed


class Clumsy(ChatAgent):
    """An agent of a script."""

    _fail: FailsOnce = PrivateAttr(default_factory=FailsOnce)
    _heard: list[str] = PrivateAttr(default_factory=list[str])

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        del cancellation_token
        self._fail()
        self._heard += [message.to_text() for message in messages]
        return Response(chat_message=TextMessage(content=f"heard {self._heard}", source=self.name))


class ClumsyCondition(TerminationCondition):
    """A condition of a script."""

    provider: ClassVar[str] = ""

    _fail: FailsOnce = PrivateAttr(default_factory=FailsOnce)

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        if any(message.source == "a" for message in messages):
            self._fail()
        return "DONE" if any("DONE" in message.to_text() for message in messages) else None


class ClumsyMemory(ListMemory):
    """A memory of a script."""

    provider: ClassVar[str] = ""

    _fail: FailsOnce = PrivateAttr(default_factory=FailsOnce)

    async def update_context(self, model_context: Conversation) -> UpdateContextResult:
        self._fail()
        return await super().update_context(model_context)


def with_agent() -> Team:
    return RoundRobinGroupChat(
        participants=[agent("a", "1"), Clumsy(name="b"), agent("c", "DONE")], termination_condition=done()
    )


def with_condition() -> Team:
    people: list[Participant] = [agent("a", "1"), agent("b", "DONE")]
    return RoundRobinGroupChat(participants=people, termination_condition=ClumsyCondition())


def with_memory() -> Team:
    return RoundRobinGroupChat(
        participants=[agent("a", "1", memory=[ClumsyMemory()]), agent("b", "DONE")], termination_condition=done()
    )


def with_selector_function() -> Team:
    fail = FailsOnce()

    def select(thread: Sequence[BaseMessage]) -> str:
        if len(thread) > 1:
            fail()
        return "b" if len(thread) > 1 else "a"

    people: list[Participant] = [agent("a", "1"), agent("b", "DONE")]
    return SelectorGroupChat(
        participants=people, model_client=model(), selector_func=select, termination_condition=done()
    )


def with_edge_function() -> Team:
    fail = FailsOnce()

    def leads_on(message: BaseChatMessage) -> bool:
        fail()
        return bool(message.to_text())

    builder, first, second = DiGraphBuilder(), agent("a", "1", "1 again"), agent("b", "DONE")
    builder.add_node(first).add_node(second).add_edge(first, second, condition=leads_on)
    return GraphFlow(participants=builder.get_participants(), graph=builder.build())


CLUMSY: dict[str, tuple[Callable[[], Team], list[str]]] = {
    "agent": (with_agent, [TASK, "1", f"heard {[TASK, '1']}", "DONE"]),
    "condition": (with_condition, [TASK, "1", "DONE"]),
    "memory": (with_memory, [TASK, "1", "DONE"]),
    "selector function": (with_selector_function, [TASK, "1", "DONE"]),
    "edge function": (with_edge_function, [TASK, "1 again", "DONE"]),
}


@pytest.mark.parametrize("part", CLUMSY)
async def test_code_of_a_script_that_raises_once_leaves_the_team_usable(part: str):
    make, expected = CLUMSY[part]
    team = make()
    with pytest.raises(Failed):
        await team.run(task=TASK)
    assert_nothing_runs()
    assert (await team.run()).stop_reason
    assert [text for _, text in (await told(team))[""]] == expected
