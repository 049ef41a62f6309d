"""Participants that speak side by side: nothing runs ahead of a pull, and nothing outlives the run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest
from pydantic import JsonValue

from studio import effects
from studio.agents import ChatAgent, Participant
from studio.agents.base import Step
from studio.effects import EffectRequest, LiveEffects, Perform, RecordingEffects
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    Response,
    TaskResult,
    TextMessage,
    ThoughtEvent,
)
from studio.teams import GraphFlow, RunIterator
from studio.teams.branches import side_by_side
from tests.teams.graphs import Edges, edge, graph
from tests.teams.scripted import CountingWorld, agent, said, wishes

FORK: Edges = {"A": [edge("B"), edge("C")], "B": [edge("D")], "C": [edge("D")], "D": []}


async def let_everything_run() -> None:
    """Give all tasks many chances to go on by themselves."""
    for _ in range(50):
        await asyncio.sleep(0)


def thinking(name: str) -> ChatAgent:
    """Asks its model twice in a turn: for a tool that does not exist, and for a last word."""
    return agent(name, wishes(("nothing", "{}")), f"{name} done", max_tool_iterations=2)


def fork() -> GraphFlow:
    return GraphFlow(participants=[agent("A", "a"), thinking("B"), thinking("C"), agent("D", "d")], graph=graph(FORK))


async def test_parallel_branches_wait_while_nobody_pulls():
    world = CountingWorld()
    with effects.use(world):
        async with aclosing(fork().run_stream(task="go")) as items:
            async for _ in items:
                before = len(world.asked)
                await let_everything_run()
                assert len(world.asked) == before
    assert len(world.asked) == 6


async def test_branches_take_turns_where_both_have_something_to_show():
    result = await fork().run(task="go")
    assert [message.source for message in result.messages] == ["user", "A", *"BC" * 3, "D"]


class SlowWorld(LiveEffects):
    """Calls wait until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = 0
        self.two_begun = asyncio.Event()
        self.gate = asyncio.Event()

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        self.begun += 1
        if self.begun == 2:
            self.two_begun.set()
        await self.gate.wait()
        return await super().call(request, perform)


class Patient(ChatAgent):
    """Makes two calls in one turn and shows nothing between them."""

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        del messages, cancellation_token
        yield ThoughtEvent(content="Well.", source=self.name)
        for _ in range(2):
            await effects.monotonic_s()
        yield Response(chat_message=TextMessage(content="done", source=self.name))


async def test_a_call_that_ends_meanwhile_is_followed_by_no_other_until_the_next_pull():
    world = SlowWorld()
    team = GraphFlow(
        participants=[Patient(name="B"), agent("C", "c")], graph=graph({"B": [], "C": []}), emit_team_events=False
    )
    with effects.use(world):
        async with aclosing(team.run_stream(task="go")) as items:
            seen = [await anext(items), await anext(items)]
            assert [type(item).__name__ for item in seen] == ["TextMessage", "ThoughtEvent"]
            world.gate.set()
            async with asyncio.TaskGroup() as group:
                third = group.create_task(pull(items))
            begun = world.begun
            await let_everything_run()
            assert world.begun == begun
            rest = [third.result(), *[item async for item in items]]
    assert isinstance(rest[-1], TaskResult)
    assert sorted(said(rest[-1].messages)[2:]) == [("B", "done"), ("C", "c")]


async def pull(items: AsyncGenerator[BaseMessage | TaskResult, None]) -> BaseMessage | TaskResult:
    return await anext(items)


async def test_no_branch_outlives_a_run_that_is_closed_early():
    before = asyncio.all_tasks()
    async with aclosing(fork().run_stream(task="go")) as items:
        async for item in items:
            if not isinstance(item, TaskResult) and item.source == "B":
                break
        assert asyncio.all_tasks() > before
    assert asyncio.all_tasks() == before


async def test_cancelling_the_reader_ends_all_branches():
    world = SlowWorld()
    before = asyncio.all_tasks()
    team = GraphFlow(participants=[agent("B", "b"), agent("C", "c")], graph=graph({"B": [], "C": []}))

    async def read() -> None:
        with effects.use(world):
            await team.run(task="go")

    async with asyncio.TaskGroup() as group:
        reading = group.create_task(read())
        await world.two_begun.wait()
        reading.cancel()
    assert reading.cancelled()
    assert asyncio.all_tasks() == before


async def test_a_token_ends_all_branches_and_the_team_can_run_again():
    world, token = SlowWorld(), CancellationToken()
    team = GraphFlow(participants=[agent("B", "b1", "b2"), agent("C", "c1", "c2")], graph=graph({"B": [], "C": []}))
    with effects.use(world):
        async with asyncio.TaskGroup() as group:
            running = group.create_task(team.run(task="go", cancellation_token=token))
            await world.two_begun.wait()
            token.cancel()
    assert running.cancelled()
    result = await team.run()
    assert sorted(message.source for message in result.messages) == ["B", "C"]


async def test_the_error_of_a_branch_ends_the_others_and_is_raised():
    before = asyncio.all_tasks()
    team = GraphFlow(
        participants=[agent("B"), thinking("C")],
        graph=graph({"B": [], "C": []}),
    )
    with pytest.raises(ValueError, match="The script has no more replies"):
        await team.run(task="go")
    assert asyncio.all_tasks() == before


async def test_leaving_a_loop_over_a_run_frees_the_branches():
    before = asyncio.all_tasks()
    team = fork()
    async with team.run_iter("go") as items:
        assert isinstance(items, RunIterator)
        async for item in items:
            if isinstance(item, TextMessage) and item.source == "A":
                break
    await team.reset()
    assert asyncio.all_tasks() == before


async def test_ids_of_branches_do_not_depend_on_which_is_faster():
    async def ids(*delays: int) -> set[tuple[str, str]]:
        async def numbers(name: str, delay: int) -> AsyncGenerator[tuple[str, str], None]:
            for _ in range(3):
                for _ in range(delay):
                    await asyncio.sleep(0)
                yield name, effects.new_id()

        async def forget(_entry: dict[str, JsonValue]) -> None:
            return None

        with effects.use(RecordingEffects(forget, run_id="one")):
            names = ("b", "c")
            branches = [numbers(name, delay) for name, delay in zip(names, delays, strict=True)]
            return {item async for item in side_by_side(branches)}

    assert await ids(0, 9) == await ids(9, 0)


async def test_a_participant_that_is_ready_twice_speaks_twice_in_turn():
    edges: Edges = {"A": [edge("C", group="one")], "B": [edge("C", group="two")], "C": []}
    people: list[Participant] = [agent("A", "a"), agent("B", "b"), agent("C", "c1", "c2")]
    result = await GraphFlow(participants=people, graph=graph(edges)).run(task="go")
    assert said(result.messages)[-2:] == [("C", "c1"), ("C", "c2")]


async def test_a_branch_that_hangs_in_its_own_end_is_cancelled_again():
    before = asyncio.all_tasks()
    begun, ending = asyncio.Event(), asyncio.Event()

    async def hanging() -> AsyncGenerator[str, None]:
        try:
            begun.set()
            await asyncio.Event().wait()
            yield "never"
        finally:
            ending.set()
            await asyncio.Event().wait()

    async def read() -> list[str]:
        return [item async for item in side_by_side([hanging()])]

    async with asyncio.TaskGroup() as group:
        reader = group.create_task(read())
        await begun.wait()
        reader.cancel()
        await ending.wait()
        reader.cancel()
    assert reader.cancelled()
    assert asyncio.all_tasks() == before
