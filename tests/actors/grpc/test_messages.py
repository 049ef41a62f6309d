"""Messages between agents of several workers, over a host of ours."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import StringValue

from studio.actors import (
    PROTOBUF_DATA_CONTENT_TYPE,
    AgentId,
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    Subscription,
    TopicId,
    TypePrefixSubscription,
    TypeSubscription,
    default_subscription,
    message_handler,
    try_get_known_serializers_for_type,
)
from studio.actors.errors import (
    AgentNotFound,
    AlreadyRegistered,
    CantHandleException,
    HostUnavailable,
    RemoteHandlerError,
    UndeliverableException,
)
from studio.actors.grpc import GrpcWorkerAgentRuntime, GrpcWorkerAgentRuntimeHost, wire
from studio.messages import CancellationToken
from tests.actors.agents import Babbler, Broken, Echo, Listener, Other, PassingOn, Text, Waiting
from tests.actors.grpc.fleet import agent_at, hosting, until, working
from tests.actors.grpc.raw_client import raw_client

pytestmark = pytest.mark.timeout(30)


@dataclass
class Total:
    """An answer that no handler takes."""

    number: int


@dataclass
class Nested:
    """An answer that cannot be written."""

    totals: list[Total]


class Reporter(RoutedAgent):
    """Answers with what came with the message; to a number with nothing, with a total, or with what cannot be sent."""

    def __init__(self) -> None:
        super().__init__("Reports.")

    @message_handler
    async def hear(self, message: Text, ctx: MessageContext) -> Text:
        return Text(f"{message.text} {ctx.sender} {ctx.topic_id} {ctx.is_rpc} {ctx.message_id}")

    @message_handler
    async def count(self, message: Other, ctx: MessageContext) -> Total | Nested | None:
        if message.number < 0:
            raise asyncio.CancelledError
        return {1: None, 2: Total(2)}.get(message.number, Nested([Total(3)]))


@dataclass
class Unknown:
    """No worker but the sender's can read it."""

    text: str


async def test_an_answer_or_an_error_comes_back_from_another_worker():
    async with hosting() as host, working(host.address) as one, working(host.address) as other:
        await Reporter.register(one, "reporter", Reporter)
        await Broken.register(one, "broken", Broken)
        await PassingOn.register(other, "passing", lambda: PassingOn(AgentId("reporter", "a")))
        reporter = AgentId("reporter", "a")
        sent = await other.send_message(Text("hi"), reporter, sender=AgentId("me", "k"), message_id="7")
        assert sent == Text("hi me/k None True 7")
        passed = await one.send_message(Text("on"), AgentId("passing", "b"))
        assert passed.text.startswith("on passing/b None True ")
        assert await other.send_message(Other(1), reporter) is None
        with pytest.raises(CantHandleException, match="The worker cannot read messages of type 'Total'"):
            await other.send_message(Other(2), reporter)
        other.add_message_serializer(try_get_known_serializers_for_type(Total))
        assert await other.send_message(Other(2), reporter) == Total(2)
        with pytest.raises(RemoteHandlerError, match="no serializer for 'Nested' as 'application/json'; add one"):
            await other.send_message(Other(3), reporter)
        with pytest.raises(RemoteHandlerError, match=r"^CancelledError$"):
            await other.send_message(Other(-1), reporter)
        with pytest.raises(RemoteHandlerError, match=r"^why$"):
            await other.send_message(Text("why"), AgentId("broken", "a"))
        with pytest.raises(AgentNotFound, match=r"^No worker has agents of type 'nowhere'\.$"):
            await other.send_message(Text("hi"), AgentId("nowhere", "a"))


async def test_a_message_of_an_unknown_type_is_refused(caplog: pytest.LogCaptureFixture):
    async with hosting() as host, working(host.address) as one, working(host.address) as other:
        await Listener.register(one, "listener", Listener)
        with pytest.raises(ValueError, match="no serializer for 'Unknown' as 'application/json'"):
            await other.send_message(Unknown("x"), AgentId("listener", "default"))
        other.add_message_serializer(try_get_known_serializers_for_type(Unknown))
        refused = "The worker cannot read messages of type 'Unknown' as 'application/json'. Add a serializer"
        with pytest.raises(CantHandleException, match=refused):
            await other.send_message(Unknown("x"), AgentId("listener", "default"))
        await other.publish_message(Unknown("x"), DefaultTopicId())
        await until(lambda: f"published to default/default was not handled. {refused}" in caplog.text)


async def test_what_is_published_reaches_subscribers_of_all_workers_but_not_its_sender():
    async with hosting() as host, working(host.address) as one, working(host.address) as other:
        await Listener.register(one, "listener", Listener)
        await Babbler.register(other, "babbler", Babbler)
        await Echo.register(other, "echo", Echo)
        for each in (TypeSubscription("news", "echo"), TypePrefixSubscription("new", "echo")):
            await other.add_subscription(each)
        await one.publish_message(Text("a"), DefaultTopicId())  # the babbler publishes one more
        listener, echo = await agent_at(one, "listener"), await agent_at(other, "echo")
        await until(lambda: listener.heard == ["a", "a"])
        await one.publish_message(Text("b"), TopicId("news", "default"))
        await until(lambda: echo.heard == ["b"])
        await other.remove_subscription(each.id)
        await one.publish_message(Text("c"), TopicId("newest", "default"))
        await one.publish_message(Text("d"), TopicId("news", "default"))
        await until(lambda: echo.heard == ["b", "d"])
        assert (await agent_at(other, "babbler")).count == 1


async def test_the_default_topic_of_a_handler_in_a_worker_is_that_of_all():
    """As in AutoGen's worker; in one process its source is the key of the agent."""
    async with hosting() as host, working(host.address) as one, working(host.address) as other:
        await Listener.register(one, "listener", Listener)
        await Babbler.register(other, "babbler", Babbler)
        await one.publish_message(Text("a"), TopicId("default", "session"))
        asked, default = await agent_at(one, "listener", "session"), await agent_at(one, "listener")
        await until(lambda: default.heard == ["a", "a"])  # of the babbler of the session, and that of the default topic
        assert asked.heard == ["a"]


@default_subscription
class ProtobufListener(RoutedAgent):
    """Remembers and answers messages of Protocol Buffers."""

    def __init__(self) -> None:
        super().__init__("Listens.")
        self.heard: list[str] = []

    @message_handler
    async def hear(self, message: StringValue, ctx: MessageContext) -> StringValue:
        self.heard.append(message.value)
        return message


async def test_messages_of_protocol_buffers_are_sent_and_published():
    format = {"payload_serialization_format": PROTOBUF_DATA_CONTENT_TYPE}
    async with hosting() as host, working(host.address) as one, working(host.address, **format) as other:
        await ProtobufListener.register(one, "listener", ProtobufListener)
        other.add_message_serializer(try_get_known_serializers_for_type(StringValue))
        answer = await other.send_message(StringValue(value="a"), AgentId("listener", "default"))
        assert answer == StringValue(value="a")
        await other.publish_message(StringValue(value="b"), DefaultTopicId())
        listener = await agent_at(one, "listener")
        await until(lambda: listener.heard == ["a", "b"])
        await Listener.register(one, "texts", Listener)
        await other.publish_message(Text("as JSON"), DefaultTopicId())
        texts = await agent_at(one, "texts")
        await until(lambda: texts.heard == ["as JSON"])
    with pytest.raises(ValueError, match="Unsupported format 'text/plain'"):
        GrpcWorkerAgentRuntime("localhost:1", payload_serialization_format="text/plain")


async def test_a_type_belongs_to_one_worker_until_that_ends():
    async with hosting() as host, working(host.address) as other:
        async with working(host.address) as one:
            await Echo.register(one, "echo", Echo)
            with pytest.raises(AlreadyRegistered, match="Agent type echo already registered"):
                await Echo.register(other, "echo", Echo)
            subscription = TypeSubscription("t", "echo")
            with pytest.raises(AlreadyRegistered, match="'echo' belong to another worker"):
                await other.add_subscription(subscription)
        await other.add_subscription(subscription)  # nothing is left of the first attempt
        await other.remove_subscription(subscription.id)
        early = GrpcWorkerAgentRuntime(host.address)
        await Echo.register(early, "echo", Echo)
        with pytest.raises(HostUnavailable, match="Await `start` first"):
            await early.send_message(Text("hi"), AgentId("echo", "a"))
        await early.start()
        assert await other.send_message(Text("hi"), AgentId("echo", "a")) == Text("hi")
        await early.stop()
        with pytest.raises(AgentNotFound):
            await other.send_message(Text("hi"), AgentId("echo", "a"))


async def test_what_was_published_before_the_end_is_delivered():
    async with hosting() as host, working(host.address) as one:
        await Listener.register(one, "listener", Listener)
        listener = await agent_at(one, "listener")
        async with working(host.address) as other:
            for number in range(200):
                await other.publish_message(Text(str(number)), DefaultTopicId())
        await until(lambda: listener.heard == [str(number) for number in range(200)])


class Meeting(Echo):
    """Answers two at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._both = asyncio.Barrier(2)

    async def on_message_impl(self, message: Any, ctx: MessageContext) -> Any:
        await self._both.wait()
        return message


async def test_requests_of_two_workers_may_have_the_same_id():
    async with (
        hosting() as host,
        working(host.address) as one,
        raw_client(host.address, "a") as first,
        raw_client(host.address, "b") as second,
    ):
        await Meeting.register(one, "meeting", Meeting)
        streams = {b'{"text": "a"}': first.open(), b'{"text": "b"}': second.open()}
        for data, stream in streams.items():
            payload = {"data_type": "Text", "data_content_type": "application/json", "data": data}
            request = {"request_id": "1", "target": {"type": "meeting", "key": "x"}, "payload": payload}
            await stream.write(wire.Message(request=request).SerializeToString())
        for data, stream in streams.items():
            response = wire.Message.FromString(await stream.read()).response
            assert (response.request_id, response.payload.data) == ("1", data)


async def test_a_call_may_come_before_the_stream_to_which_it_belongs():
    async with hosting() as host, raw_client(host.address) as raw, asyncio.TaskGroup() as group:
        calling = group.create_task(raw.call("RegisterAgent", type="early"))
        await asyncio.sleep(0.02)
        assert not calling.done()
        stream = raw.open()
        await calling
        stream.cancel()


async def test_only_topics_by_type_can_be_subscribed_to_at_a_host():
    class Everything:
        id = "all"

        def is_match(self, topic_id: TopicId) -> bool:
            return True

        def map_to_agent(self, topic_id: TopicId) -> AgentId:
            return AgentId("a", "b")

    everything: Subscription = Everything()
    with pytest.raises(ValueError, match="Everything cannot be sent to a host"):
        await GrpcWorkerAgentRuntime("localhost:1").add_subscription(everything)


async def test_a_sender_that_leaves_by_its_token_gets_no_answer():
    async with hosting() as host, working(host.address) as one, working(host.address) as other:
        waiting, token = Waiting(), CancellationToken()
        await waiting.register_instance(one, AgentId("waiting", "a"))
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(
                other.send_message(Text("hi"), AgentId("waiting", "a"), cancellation_token=token)
            )
            await waiting.has_begun.wait()
            token.cancel()
        assert sending.cancelled()


async def error_of(worker: GrpcWorkerAgentRuntime, recipient: AgentId) -> str:
    """What is raised to a sender whose message cannot be delivered."""
    with pytest.raises(UndeliverableException) as caught:
        await worker.send_message(Text("hi"), recipient)
    return str(caught.value)


class Crowded(Waiting):
    """Counts those that wait."""

    count = 0

    async def on_message_impl(self, message: Any, ctx: MessageContext) -> Any:
        self.count += 1
        return await super().on_message_impl(message, ctx)


async def test_a_worker_that_ends_cancels_its_handlers_and_their_senders_learn_it():
    async with hosting() as host, working(host.address) as one, working(host.address) as other:
        crowded = Crowded()
        await crowded.register_instance(one, AgentId("crowded", "a"))
        async with asyncio.TaskGroup() as group:
            sent = [group.create_task(error_of(other, AgentId("crowded", "a"))) for _ in range(150)]
            await until(lambda: crowded.count == len(sent))
            await one.stop()
        said = {each.result() for each in sent}
        assert said == {"The worker was stopped before the handler ended."}
        assert crowded.was_cancelled


async def test_the_state_of_agents_that_live_here_is_saved_and_loaded():
    async with hosting() as host, working(host.address) as worker:
        await Echo.register(worker, "echo", Echo)
        await worker.send_message(Text("hi"), AgentId("echo", "a"))
        state = await worker.save_state()
        assert state == {"echo/a": {"heard": ["hi"]}}
    async with hosting() as host, working(host.address) as worker:
        await Echo.register(worker, "echo", Echo)
        await worker.load_state(state)
        assert await worker.agent_save_state(AgentId("echo", "a")) == {"heard": ["hi"]}
        assert (await worker.agent_metadata(await worker.get("echo", "a")))["description"] == "Answers what it gets."


async def test_a_host_serves_one_address_alone_and_warns_of_a_network(caplog: pytest.LogCaptureFixture):
    async with hosting("0.0.0.0:0") as host:
        assert f"Any program that reaches {host.address} can register agents and read messages." in caplog.text
        with pytest.raises(RuntimeError, match="already started"):
            host.start()
        with pytest.raises(RuntimeError):
            GrpcWorkerAgentRuntimeHost(host.address).start()
    caplog.clear()
    async with hosting("127.0.0.1:0"):
        assert "Any program" not in caplog.text
