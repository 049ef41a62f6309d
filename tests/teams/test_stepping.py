"""Pull-based stepping: single pulls, early ends, pause, stop, cancel."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import pytest

from studio import effects
from studio.agents import ChatAgent, UserProxyAgent
from studio.conditions import MaxMessageTermination
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    Response,
    SelectSpeakerEvent,
    TaskResult,
    TextMessage,
)
from studio.teams import InputRequestEvent, RoundRobinGroupChat
from tests.teams.scripted import CountingWorld, agent, pair, said


async def test_nothing_is_asked_of_the_world_before_the_pull_that_needs_it():
    world = CountingWorld()
    counts: list[tuple[str, int]] = []
    with effects.use(world):
        async with aclosing(pair().run_stream(task="go")) as stream:
            async for item in stream:
                name = "result" if isinstance(item, TaskResult) else item.source
                counts.append((name, len(world.asked)))
                await asyncio.sleep(0)  # whatever runs by itself would run now
                assert len(world.asked) == counts[-1][1]
    assert counts == [("user", 0), ("a", 1), ("b", 2), ("a", 3), ("result", 3)]


async def test_a_run_leaves_no_task_between_pulls():
    before = asyncio.all_tasks()
    async with aclosing(pair().run_stream(task="go")) as stream:
        async for _ in stream:
            assert asyncio.all_tasks() == before


async def read_until(team: RoundRobinGroupChat, source: str) -> None:
    """Run the team and leave when `source` has spoken."""
    async with aclosing(team.run_stream(task="go")) as stream:
        async for item in stream:
            if isinstance(item, TextMessage) and item.source == source:
                return


async def test_leaving_a_run_early_leaves_a_team_that_can_be_reset():
    team = pair(limit=10)
    await read_until(team, "b")
    await team.reset()
    assert said(team.thread) == []
    result = await team.run(task="again")
    assert said(result.messages[:2]) == [("user", "again"), ("a", "2")]


async def test_what_was_said_before_an_early_end_is_known_to_all_afterwards():
    team = pair(limit=10)
    await read_until(team, "a")
    assert said(team.thread) == [("user", "go"), ("a", "1")]
    result = await team.run()
    assert said(result.messages[:1]) == [("b", "1")]


async def test_breaking_out_of_run_iter_frees_the_team_at_once():
    team = pair()
    async for _ in team.run_iter("go"):
        break
    await team.reset()
    assert said((await team.run(task="again")).messages[:1]) == [("user", "again")]


async def test_breaking_out_of_run_iter_frees_the_teams_inside():
    inner = pair(limit=9)
    outer = RoundRobinGroupChat(participants=[inner, agent("z", "z")], max_turns=2)
    async for item in outer.run_iter("go"):
        if isinstance(item, TextMessage) and item.source == "a":
            break
    await outer.reset()
    assert said((await inner.run(task="x")).messages[:1]) == [("user", "x")]


async def test_run_iter_gives_only_what_is_asked_for_and_every_question():
    world = CountingWorld()
    team = RoundRobinGroupChat(
        participants=[agent("a", "Which colour?", "Done."), UserProxyAgent(name="human")],
        termination_condition=MaxMessageTermination(max_messages=4),
        emit_team_events=True,
    )
    seen: list[str] = []
    with effects.use(world):
        async with team.run_iter("Paint.", yield_on=[SelectSpeakerEvent]) as items:
            async for item in items:
                seen.append(type(item).__name__)
                if isinstance(item, InputRequestEvent):
                    item.respond("blue")
                if isinstance(item, TaskResult):
                    assert ("human", "blue") in said(item.messages)
    assert seen == [*["SelectSpeakerEvent"] * 2, "InputRequestEvent", "SelectSpeakerEvent", "TaskResult"]
    assert world.questions == []
    assert world.asked == ["model", "input", "model"]


async def test_an_unanswered_question_of_run_iter_goes_to_the_person():
    team = RoundRobinGroupChat(participants=[UserProxyAgent(name="human")], max_turns=1)
    with effects.use(CountingWorld("hello")):
        items = [item async for item in team.run_iter("go")]
    result = items[-1]
    assert isinstance(result, TaskResult)
    assert result.messages[-1].to_text() == "hello"


async def run_and_stop_at(team: RoundRobinGroupChat, source: str) -> TaskResult:
    """Ask for a stop when `source` has spoken, and read to the end."""
    result: BaseMessage | TaskResult | None = None
    async with aclosing(team.run_stream(task="go")) as stream:
        async for item in stream:
            result = item
            if isinstance(item, TextMessage) and item.source == source:
                team.request_stop("Enough")
    assert isinstance(result, TaskResult)
    return result


async def test_a_stop_by_request_ends_after_the_turn_with_its_reason():
    result = await run_and_stop_at(pair(limit=10), "a")
    assert said(result.messages) == [("user", "go"), ("a", "1")]
    assert result.stop_reason == "Enough"


async def test_a_stop_by_request_reaches_a_team_inside():
    outer = RoundRobinGroupChat(participants=[pair(limit=19), agent("z", "never")])
    result = await run_and_stop_at(outer, "b")
    assert said(result.messages) == [("user", "go"), ("a", "1"), ("b", "1")]
    assert result.stop_reason == "Enough"


async def test_a_stop_requested_of_a_team_at_rest_does_not_end_its_next_run():
    team = pair()
    team.request_stop("Enough")
    assert (await team.run(task="go")).stop_reason != "Enough"


async def test_a_paused_team_gives_nothing_until_it_is_resumed():
    world, team = CountingWorld(), pair()
    pulled: list[BaseMessage | TaskResult] = []

    async def pull() -> None:
        pulled.append(await anext(stream))

    with effects.use(world):
        async with aclosing(team.run_stream(task="go")) as stream:
            await pull()
            await team.pause()
            async with asyncio.TaskGroup() as group:
                group.create_task(pull())
                for _ in range(5):
                    await asyncio.sleep(0)
                assert (len(pulled), world.asked) == (1, [])
                await team.resume()
            assert (len(pulled), world.asked) == (2, ["model"])


async def test_a_team_that_was_never_used_cannot_be_paused():
    with pytest.raises(RuntimeError, match="must be run before it can be paused"):
        await pair().pause()


class Waiting(ChatAgent):
    """Waits for ever, once it has told that it does."""

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        assert messages
        assert cancellation_token is not None
        cancellation_token.cancel()
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_cancelled_token_ends_the_run_but_not_the_task_that_reads_it():
    team = RoundRobinGroupChat(participants=[Waiting(name="w")])
    with pytest.raises(asyncio.CancelledError):
        await team.run(task="go", cancellation_token=CancellationToken())
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await team.reset()


async def test_a_token_that_is_cancelled_beforehand_ends_the_run_at_its_first_pull():
    token, world = CancellationToken(), CountingWorld()
    token.cancel()
    with effects.use(world), pytest.raises(asyncio.CancelledError):
        await pair().run(task="go", cancellation_token=token)
    assert world.asked == []


async def test_a_second_run_at_the_same_time_is_refused():
    team = pair()
    async with aclosing(team.run_stream(task="go")) as stream:
        await anext(stream)
        with pytest.raises(ValueError, match="already running"):
            await team.run(task="also")
        with pytest.raises(RuntimeError, match="currently running"):
            await team.reset()


async def test_a_run_that_is_closed_while_paused_leaves_no_pause_behind():
    team = pair()
    async with aclosing(team.run_stream(task="go")) as stream:
        await anext(stream)
        await team.pause()
    assert len((await team.run(task="again")).messages) > 1
