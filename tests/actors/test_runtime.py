"""Messages reach their agents in order, their answers and errors come back, and nothing is left behind."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.actors import (
    AgentId,
    AgentInstantiationContext,
    ClosureAgent,
    ClosureContext,
    DefaultSubscription,
    DefaultTopicId,
    MessageContext,
    SingleThreadedAgentRuntime,
    TopicId,
    TypePrefixSubscription,
    TypeSubscription,
    message_handler,
)
from studio.actors.errors import (
    AgentNotFound,
    AlreadyRegistered,
    CantHandleException,
    InvalidName,
    UndeliverableException,
)
from studio.messages import CancellationToken
from tests.actors.agents import HERE, Babbler, Broken, Echo, Listener, PassingOn, Text, Waiting, running

pytestmark = pytest.mark.timeout(30)


async def agent_of(runtime: SingleThreadedAgentRuntime, agent_id: AgentId, cls: type[Any]) -> Any:
    return await runtime.try_get_underlying_agent_instance(agent_id, cls)


async def test_an_answer_comes_back_from_an_agent_that_is_made_for_the_message():
    async with running() as runtime:
        await Echo.register(runtime, "agent", Echo)
        assert await runtime.send_message(Text("hello"), AgentId("agent", "a")) == Text("hello")
        assert (await agent_of(runtime, AgentId("agent", "a"), Echo)).heard == ["hello"]
        assert (await agent_of(runtime, AgentId("agent", "b"), Echo)).heard == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=400), st.booleans())
def test_each_agent_hears_in_the_order_in_which_messages_were_given(
    steps: list[tuple[int, bool]], is_started_first: bool
):
    async def main() -> None:
        runtime = SingleThreadedAgentRuntime()
        await Listener.register(runtime, "agent", Listener)
        if is_started_first:
            runtime.start()
        expected: dict[str, list[str]] = {}
        async with asyncio.TaskGroup() as group:
            for number, (place, is_sent) in enumerate(steps):
                text = Text(str(number))
                expected.setdefault(f"k{place}", []).append(text.text)
                if is_sent:
                    group.create_task(runtime.send_message(text, AgentId("agent", f"k{place}")))
                    await asyncio.sleep(0)  # a task gives its message at its first step
                else:
                    await runtime.publish_message(text, DefaultTopicId(source=f"k{place}"))
            if not is_started_first:
                runtime.start()
        await runtime.stop_when_idle()
        for key, heard in expected.items():
            assert (await agent_of(runtime, AgentId("agent", key), Listener)).heard == heard

    asyncio.run(main())


async def test_who_publishes_does_not_hear_himself_and_each_subscriber_hears_once():
    async with running() as runtime:
        first = await ClosureAgent.register_closure(
            runtime, "first", published_on, subscriptions=lambda: [DefaultSubscription()]
        )
        await Listener.register(runtime, "agent", Listener)
        await runtime.add_subscription(TypePrefixSubscription("def", "agent"))
        await runtime.publish_message(Text("once"), DefaultTopicId())
        await runtime.stop_when_idle()
        assert first.type == "first"
        assert (await agent_of(runtime, HERE, Listener)).heard == ["once", "once from first"]


async def published_on(agent: ClosureContext, message: Text, ctx: MessageContext) -> None:
    await agent.publish_message(Text(f"{message.text} from {agent.id.type}"), DefaultTopicId())


async def test_an_error_of_a_handler_is_raised_to_its_sender_through_all_agents_between():
    async with running() as runtime:
        await Broken.register(runtime, "broken", Broken)
        await PassingOn.register(runtime, "agent", lambda: PassingOn(AgentId("broken", "default")))
        with pytest.raises(ZeroDivisionError, match="now"):
            await runtime.send_message(Text("now"), HERE)


async def test_an_error_that_nobody_waits_for_is_logged_or_ends_the_runtime(caplog: pytest.LogCaptureFixture):
    async with running() as runtime:
        await Broken.register(runtime, "broken", Broken)
        await Listener.register(runtime, "agent", Listener)
        await runtime.publish_message(Text("now"), DefaultTopicId())
        await runtime.stop_when_idle()
        assert (await agent_of(runtime, HERE, Listener)).heard == ["now"], "one that fails does not stop the others"
    assert "ZeroDivisionError: now" in caplog.text
    runtime = SingleThreadedAgentRuntime(ignore_unhandled_exceptions=False)
    await Broken.register(runtime, "broken", Broken)
    runtime.start()
    await runtime.publish_message(Text("now"), DefaultTopicId())
    with pytest.raises(ZeroDivisionError, match="now"):
        await runtime.stop_when_idle()


async def test_what_cannot_be_delivered_is_told_to_its_sender():
    async with running() as runtime:
        await Echo.register(runtime, "agent", Echo)
        with pytest.raises(AgentNotFound, match="Recipient not found"):
            await runtime.send_message(Text("hello"), AgentId("nobody", "default"))
        await Echo.register(runtime, "choosy", choosy)
        with pytest.raises(ValueError, match="no key"):
            await runtime.send_message(Text("hello"), AgentId("choosy", "default"))


def choosy() -> Echo:
    raise ValueError("no key")


async def test_a_message_of_a_type_that_nobody_handles_is_logged_and_answered_with_none(
    caplog: pytest.LogCaptureFixture,
):
    async with running() as runtime:
        await Echo.register(runtime, "agent", Echo)
        with caplog.at_level(logging.INFO):
            assert await runtime.send_message(object(), HERE) is None
        assert "Unhandled message" in caplog.text
        await ClosureAgent.register_closure(runtime, "strict", published_on, unknown_type_policy="error")
        with pytest.raises(CantHandleException, match="int"):
            await runtime.send_message(1, AgentId("strict", "default"))


async def test_cancelling_reaches_the_handler_and_what_it_waits_for():
    async with running() as runtime:
        await Waiting.register(runtime, "waiting", Waiting)
        await PassingOn.register(runtime, "agent", lambda: PassingOn(AgentId("waiting", "default")))
        waiting: Waiting = await agent_of(runtime, AgentId("waiting", "default"), Waiting)
        for cancel in ("token", "task"):
            waiting.has_begun.clear()
            waiting.was_cancelled = False
            token = CancellationToken()
            sent = asyncio.create_task(runtime.send_message(Text("wait"), HERE, cancellation_token=token))
            await waiting.has_begun.wait()
            if cancel == "token":
                token.cancel()
            else:
                sent.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sent
            await runtime.stop_when_idle()
            assert waiting.was_cancelled
            runtime.start()


async def test_stop_ends_what_hangs_and_tells_who_waits():
    runtime = SingleThreadedAgentRuntime()
    await Waiting.register(runtime, "agent", Waiting)
    waiting: Waiting = await agent_of(runtime, HERE, Waiting)
    never_begun = asyncio.create_task(runtime.send_message(Text("too late"), HERE))
    await asyncio.sleep(0)
    assert runtime.unprocessed_messages_count == 1
    runtime.start()
    await waiting.has_begun.wait()
    sent = asyncio.create_task(runtime.send_message(Text("wait"), HERE))
    await runtime.stop()
    assert waiting.was_cancelled
    with pytest.raises(asyncio.CancelledError):
        await never_begun
    sent.cancel()
    with pytest.raises(RuntimeError, match="not started"):
        await runtime.stop()


async def test_a_message_that_waits_in_the_queue_is_not_lost_in_silence():
    runtime = SingleThreadedAgentRuntime()
    await Waiting.register(runtime, "agent", Waiting)
    sent = [asyncio.create_task(runtime.send_message(Text(str(n)), HERE)) for n in range(3)]
    await asyncio.sleep(0)
    runtime.start()
    await runtime.stop()
    ends = await asyncio.gather(*sent, return_exceptions=True)
    assert [type(each) for each in ends] == [UndeliverableException] * 3


async def test_a_loop_of_messages_ends_with_the_runtime():
    runtime = SingleThreadedAgentRuntime()
    await Babbler.register(runtime, "one", Babbler)
    await Babbler.register(runtime, "two", Babbler)
    runtime.start()
    await runtime.publish_message(Text("on"), DefaultTopicId())
    one: Babbler = await agent_of(runtime, AgentId("one", "default"), Babbler)
    await runtime.stop_when(lambda: one.count >= 1_000)
    assert one.count >= 1_000
    assert runtime.unprocessed_messages_count == 0


async def test_a_handler_may_stop_the_runtime_and_may_not_wait_for_its_own_end():
    async def stop(agent: ClosureContext, message: Text, ctx: MessageContext) -> None:
        if message.text == "idle":
            with pytest.raises(RuntimeError, match="cannot wait"):
                await runtime.stop_when_idle()
        await runtime.stop()
        ended.set()

    for text in ("stop", "idle"):
        runtime, ended = SingleThreadedAgentRuntime(), asyncio.Event()
        for name in ("first", "second"):
            subscriptions = [TypeSubscription("default", name)]
            await ClosureAgent.register_closure(runtime, name, stop, subscriptions=lambda own=subscriptions: [*own])
        runtime.start()
        await runtime.publish_message(Text(text), DefaultTopicId())
        await ended.wait()


async def test_several_messages_for_a_new_agent_make_it_once():
    made: list[AgentId] = []

    async def slow() -> Echo:
        made.append(AgentInstantiationContext.current_agent_id())
        await asyncio.sleep(0)
        return Echo()

    async with running() as runtime:
        await Echo.register(runtime, "agent", slow)
        async with asyncio.TaskGroup() as group:
            for number in range(10):
                group.create_task(runtime.send_message(Text(str(number)), HERE))
        assert made == [HERE]
        assert len((await agent_of(runtime, HERE, Echo)).heard) == 10


async def test_the_state_of_all_agents_is_saved_and_restored():
    async with running() as runtime, running() as other:
        await Echo.register(runtime, "agent", Echo)
        await Echo.register(other, "agent", Echo)
        await runtime.send_message(Text("hello"), AgentId("agent", "a"))
        state = await runtime.save_state()
        assert state == {"agent/a": {"heard": ["hello"]}}
        await other.load_state({**state, "gone/a": {}})
        assert (await agent_of(other, AgentId("agent", "a"), Echo)).heard == ["hello"]


async def test_names_are_checked_and_taken_once():
    async with running() as runtime:
        await Echo.register(runtime, "agent", Echo)
        with pytest.raises(AlreadyRegistered, match="agent"):
            await Echo.register(runtime, "agent", Echo)
        with pytest.raises(InvalidName, match="a b"):
            await Echo.register(runtime, "a b", Echo)
        with pytest.raises(InvalidName, match="TYPE/KEY"):
            AgentId.from_str("agent")
        await runtime.add_subscription(TypeSubscription("t", "agent"))
        with pytest.raises(AlreadyRegistered, match="already exists"):
            await runtime.add_subscription(TypeSubscription("t", "agent"))


@pytest.mark.slow
async def test_very_many_topics_and_agents_are_served():
    async with running() as runtime:
        await Listener.register(runtime, "agent", Listener)
        await runtime.add_subscription(TypePrefixSubscription("heard", "agent"))
        for number in range(5_000):
            await runtime.publish_message(Text("hello"), TopicId("default", str(number)))
        for number in range(100_000):
            await runtime.publish_message(Text("hello"), TopicId(f"{'un' * (number % 10 > 0)}heard{number}", "one"))
        await runtime.stop_when_idle()
        assert len(await runtime.save_state()) == 5_001
        assert len((await agent_of(runtime, AgentId("agent", "one"), Listener)).heard) == 10_000


async def test_a_closed_runtime_closes_its_agents_and_tells_which_could_not():
    class Closing(Echo):
        async def close(self) -> None:
            closed.append(self.id.key)
            if self.id.key == "a":
                raise OSError("busy")

    closed: list[str] = []
    runtime = SingleThreadedAgentRuntime()
    await Closing.register(runtime, "agent", Closing)
    for key in "ab":
        await runtime.get("agent", key, lazy=False)
    with pytest.raises(ExceptionGroup, match="could not be closed"):
        await runtime.close()
    assert closed == ["a", "b"]


class Tidying(Waiting):
    """Sends a last message while it is being cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.told: BaseException | None = None

    @message_handler
    async def wait(self, message: Text, ctx: MessageContext) -> Text:
        self.has_begun.set()
        try:
            return await asyncio.Event().wait() and message
        finally:
            try:
                await self.publish_message(message, DefaultTopicId())
                await self.send_message(message, AgentId("echo", "default"))
            except UndeliverableException as error:
                self.told = error


async def test_a_handler_that_sends_while_the_runtime_stops_does_not_keep_it():
    runtime = SingleThreadedAgentRuntime()
    await Tidying.register(runtime, "agent", Tidying)
    await Echo.register(runtime, "echo", Echo)
    tidying: Tidying = await agent_of(runtime, HERE, Tidying)
    runtime.start()
    sent = asyncio.create_task(runtime.send_message(Text("wait"), HERE))
    await tidying.has_begun.wait()
    async with asyncio.timeout(5):
        await runtime.stop()
    assert isinstance(tidying.told, UndeliverableException)
    assert runtime.unprocessed_messages_count == 0
    with pytest.raises(asyncio.CancelledError):
        await sent
    runtime.start()
    assert await runtime.send_message(Text("again"), AgentId("echo", "default")) == Text("again")
    await runtime.stop_when_idle()


async def test_who_waits_is_told_although_the_handler_that_stops_the_runtime_is_cancelled_with_its_sender():
    async def stop(agent: ClosureContext, message: Text, ctx: MessageContext) -> None:
        behind.append(asyncio.create_task(runtime.send_message(Text("too late"), AgentId("echo", "default"))))
        await asyncio.sleep(0)
        await runtime.stop()

    runtime, behind = SingleThreadedAgentRuntime(), list[asyncio.Task[Any]]()
    await Echo.register(runtime, "echo", Echo)
    await ClosureAgent.register_closure(runtime, "stopping", stop)
    await PassingOn.register(runtime, "agent", lambda: PassingOn(AgentId("stopping", "default")))
    runtime.start()
    async with asyncio.timeout(5):
        with pytest.raises(asyncio.CancelledError):
            await runtime.send_message(Text("stop"), HERE)
        await asyncio.wait(behind)
    assert [type(each.exception()) for each in behind] == [UndeliverableException]


async def test_an_agent_that_writes_to_itself_answers_and_one_that_does_so_without_end_stops_with_the_runtime():
    is_deep = asyncio.Event()
    depth = 0

    async def ask_oneself(agent: ClosureContext, message: Text, ctx: MessageContext) -> Text:
        nonlocal depth
        depth += 1
        if depth > 1_500:
            is_deep.set()
        if message.text == "0":
            return message
        following = message.text if message.text == "on" else str(int(message.text) - 1)
        return await agent.send_message(Text(following), agent.id)

    async with running() as runtime:
        await ClosureAgent.register_closure(runtime, "agent", ask_oneself)
        assert await runtime.send_message(Text("500"), HERE) == Text("0")
        assert depth == 501
        endless = asyncio.create_task(runtime.send_message(Text("on"), HERE))
        await is_deep.wait()
        await runtime.stop()
        with pytest.raises((UndeliverableException, asyncio.CancelledError)):
            await endless


async def test_subscriptions_that_loop_end_with_the_runtime():
    """Each topic's listener publishes to the next; the last to the first, until the runtime is stopped."""
    heard = 0

    async def pass_on(agent: ClosureContext, message: Text, ctx: MessageContext) -> None:
        nonlocal heard
        heard += 1
        await agent.publish_message(message, TopicId(f"t{(int(agent.id.type[1:]) + 1) % 100}", "default"))

    async with running() as runtime:
        for number in range(100):
            own = [TypeSubscription(f"t{number}", f"a{number}")]
            await ClosureAgent.register_closure(runtime, f"a{number}", pass_on, subscriptions=lambda own=own: [*own])
        await runtime.publish_message(Text("round"), TopicId("t0", "default"))
        await runtime.stop_when(lambda: heard >= 300)
        assert runtime.unprocessed_messages_count == 0
        await asyncio.sleep(0)
        ended = heard
        await asyncio.sleep(0)
        assert heard == ended


async def test_the_end_waits_for_handlers_of_what_was_published_from_outside():
    heard: list[str] = []

    async def slow(agent: ClosureContext, message: Text, ctx: MessageContext) -> None:
        await asyncio.sleep(0.01)
        heard.append(f"{agent.id.type} {message.text}")
        if agent.id.type == "first":
            await agent.publish_message(message, TopicId("second", "default"))

    async with running() as runtime:
        for name in ("first", "second"):
            own = [TypeSubscription(name, name)]
            await ClosureAgent.register_closure(runtime, name, slow, subscriptions=lambda own=own: [*own])
        await runtime.publish_message(Text("news"), TopicId("first", "default"))
        await runtime.stop_when_idle()
        assert heard == ["first news", "second news"]
