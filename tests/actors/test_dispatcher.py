"""Handlers begin in order. Those that never wait share a task, which no handler can tell."""

from __future__ import annotations

import asyncio
import pickle
from contextvars import ContextVar
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.actors import (
    AgentId,
    ClosureAgent,
    ClosureContext,
    DefaultTopicId,
    MessageContext,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
)
from studio.actors.errors import UndeliverableException
from tests.actors.agents import HERE, Echo, Text, running

pytestmark = pytest.mark.timeout(30)
SPEAKER: ContextVar[str] = ContextVar("SPEAKER", default="none")


async def subscribed(runtime: SingleThreadedAgentRuntime, name: str, closure: Any) -> None:
    """An agent that hears what is published to the default topic."""
    own = [TypeSubscription("default", name)]
    await ClosureAgent.register_closure(runtime, name, closure, subscriptions=lambda: [*own])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans()), max_size=300))
def test_handlers_begin_in_order_whether_they_wait_or_not(steps: list[tuple[int, int, bool]]):
    begun: dict[str, list[str]] = {}
    ended: list[str] = []

    async def hear(agent: ClosureContext, message: Text, ctx: MessageContext) -> Text:
        number, waits = message.text.split()
        begun.setdefault(agent.id.key, []).append(number)
        for _ in range(int(waits)):
            await asyncio.sleep(0)
        ended.append(number)
        return message

    async def main() -> None:
        async with running() as runtime:
            await subscribed(runtime, "agent", hear)
            async with asyncio.TaskGroup() as group:
                for number, (place, waits, is_sent) in enumerate(steps):
                    text = Text(f"{number} {waits}")
                    if is_sent:
                        group.create_task(runtime.send_message(text, AgentId("agent", f"k{place}")))
                        await asyncio.sleep(0)
                    else:
                        await runtime.publish_message(text, TopicId("default", f"k{place}"))
            await runtime.stop_when_idle()

    asyncio.run(main())
    for key, heard in begun.items():
        assert heard == [str(number) for number, (place, _, _) in enumerate(steps) if f"k{place}" == key]
    assert len(ended) == len(steps)


async def test_those_who_never_wait_share_a_task_and_one_who_waits_has_its_own():
    tasks: dict[str, list[asyncio.Task[Any] | None]] = {}
    is_let_go = asyncio.Event()

    async def hear(agent: ClosureContext, message: Text, ctx: MessageContext) -> None:
        tasks.setdefault(agent.id.type, []).append(asyncio.current_task())
        if agent.id.type in ("c", "d"):
            async with asyncio.timeout(20), asyncio.TaskGroup() as group:
                group.create_task(is_let_go.wait())
            tasks[agent.id.type].append(asyncio.current_task())
        elif agent.id.type == "f":
            is_let_go.set()

    async with running() as runtime:
        for name in "abcdef":
            await subscribed(runtime, name, hear)
        await runtime.publish_message(Text("all"), DefaultTopicId())
        await runtime.stop_when_idle()
    assert tasks["a"] == tasks["b"]
    assert tasks["e"] == tasks["f"]
    for name in "cd":
        assert tasks[name] == [tasks[name][0]] * 2
    assert len({tasks[name][0] for name in "acde"}) >= 3
    assert tasks["c"][0] is not tasks["d"][0]


async def test_each_handler_sees_the_variables_of_its_sender_and_not_those_of_another_handler():
    seen: list[str] = []

    async def hear(agent: ClosureContext, message: Text, ctx: MessageContext) -> Text:
        seen.append(SPEAKER.get())
        SPEAKER.set(agent.id.type)
        if message.text == "wait":
            await asyncio.sleep(0)
            seen.append(SPEAKER.get())
        return message

    async def say(name: str) -> None:
        SPEAKER.set(name)
        await runtime.publish_message(Text(name), DefaultTopicId())

    async with running() as runtime:
        for name in ("one", "two"):
            await subscribed(runtime, name, hear)
        async with asyncio.TaskGroup() as group:
            group.create_task(say("ann"))
            group.create_task(say("wait"))
        await runtime.stop_when_idle()
    assert seen == ["ann", "ann", "wait", "wait", "one", "two"]
    assert SPEAKER.get() == "none"


async def test_a_handler_that_cancels_its_own_task_does_not_reach_the_next_one():
    ended: list[str] = []

    async def hear(agent: ClosureContext, message: Text, ctx: MessageContext) -> None:
        if agent.id.type == "rash":
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        elif agent.id.type == "raising":
            raise asyncio.CancelledError
        else:
            await asyncio.sleep(0)
        ended.append(agent.id.type)

    async with running() as runtime:
        for name in ("rash", "second", "raising", "third"):
            await subscribed(runtime, name, hear)
        await runtime.publish_message(Text("all"), DefaultTopicId())
        await runtime.stop_when_idle()
    assert ended == ["rash", "second", "third"]


async def test_who_waits_is_told_when_all_tasks_are_cancelled_before_their_first_step():
    async with running() as runtime:
        await Echo.register(runtime, "agent", Echo)
        sent = asyncio.create_task(runtime.send_message(Text("hello"), HERE))
        before = asyncio.all_tasks()
        await asyncio.sleep(0)
        for task in asyncio.all_tasks() - before:
            task.cancel()
        with pytest.raises((asyncio.CancelledError, UndeliverableException)):
            await sent
        assert await runtime.send_message(Text("again"), HERE) == Text("again")
        assert runtime.unfinished_messages_count == 0


async def test_a_handler_that_stops_the_runtime_in_its_first_step_ends_and_the_others_do_not_begin():
    begun: list[str] = []

    async def hear(agent: ClosureContext, message: Text, ctx: MessageContext) -> None:
        begun.append(agent.id.type)
        await runtime.stop()
        begun.append("stopped")
        ended.set()

    ended = asyncio.Event()
    async with running() as runtime:
        for name in ("one", "two"):
            await subscribed(runtime, name, hear)
        await runtime.publish_message(Text("all"), DefaultTopicId())
        await ended.wait()
        assert begun == ["one", "stopped"]
        runtime.start()


def test_names_of_agents_keep_their_equality_when_they_come_from_another_process():
    name = AgentId("agent", "key")
    copied = pickle.loads(pickle.dumps(name))
    assert copied == name
    assert hash(copied) == hash(name)
    assert repr(name) == "AgentId(type='agent', key='key')"
