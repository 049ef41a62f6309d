"""What goes wrong between a host and its workers is raised to senders or logged, and nothing is lost in silence."""

from __future__ import annotations

import asyncio
import gc
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc
import pytest

from studio.actors import AgentId, DefaultTopicId
from studio.actors.errors import HostUnavailable, MessageTooLarge, UndeliverableException
from studio.actors.grpc import GrpcWorkerAgentRuntime, connection, servicer, wire, worker
from tests.actors.agents import Echo, Listener, Text, Waiting
from tests.actors.grpc.fleet import agent_at, hosting, until, until_answered, working
from tests.actors.grpc.raw_client import raw_client

pytestmark = pytest.mark.timeout(30)
LISTENER = AgentId("listener", "default")
MIB = 1024 * 1024


async def error_of(sending: Any) -> Exception | None:
    """What is raised to a sender."""
    try:
        async with asyncio.timeout(10):
            await sending
    except UndeliverableException as error:
        return error
    return None


async def test_a_worker_says_that_there_is_no_host(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connection, "CONNECT_S", 0.1)
    lonely = GrpcWorkerAgentRuntime("localhost:1")
    with pytest.raises(HostUnavailable, match=r"^There is no host at 'localhost:1'\. Start one, or give the worker"):
        await lonely.start()
    with pytest.raises(RuntimeError, match="not running"):
        await lonely.stop()


async def test_senders_learn_that_the_host_is_gone_and_workers_come_back_to_it(caplog: pytest.LogCaptureFixture):
    async with hosting() as first:
        one = GrpcWorkerAgentRuntime(first.address)
        await one.start()
        waiting = Waiting()
        await waiting.register_instance(one, AgentId("waiting", "a"))
        await Listener.register(one, "listener", Listener)
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(error_of(one.send_message(Text("hi"), AgentId("waiting", "a"))))
            await waiting.has_begun.wait()
            await first.stop()
        lost = f"The connection to the host at {first.address!r} is lost."
        assert isinstance(sending.result(), HostUnavailable)
        assert str(sending.result()).startswith(lost)
        assert f"{lost} The host has ended it. The worker connects again." in caplog.text
        for sent in (one.send_message(Text("hi"), LISTENER), one.publish_message(Text("hi"), DefaultTopicId())):
            assert str(await error_of(sent)) == (
                f"The worker is not connected to the host at {first.address!r}. Send it again once the host is back."
            )
    async with hosting(first.address), working(first.address) as other:
        listener = await agent_at(one, "listener")
        await until_answered(other, Text("a"), LISTENER)
        await other.publish_message(Text("b"), DefaultTopicId())
        await until(lambda: listener.heard == ["a", "b"])
    await one.close()


async def test_a_host_that_ends_while_it_writes_the_first_message_still_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    put = servicer.ConnectedWorker.put
    async with asyncio.TaskGroup() as group, hosting() as host, working(host.address) as one:

        def put_and_stop(worker: servicer.ConnectedWorker, message: Any) -> None:
            put(worker, message)
            group.create_task(host.stop())

        monkeypatch.setattr(servicer.ConnectedWorker, "put", put_and_stop)
        await Waiting.register(one, "waiting", Waiting)
        lost = await error_of(one.send_message(Text("x" * MIB * 3), AgentId("waiting", "a")))
        assert str(lost).endswith("is lost. The host has ended it.")
        assert not [each.getMessage() for each in caplog.records if each.name.startswith("grpc")]


@pytest.mark.slow
async def test_a_sender_learns_that_the_worker_of_the_recipient_has_died():
    async with hosting() as host, working(host.address) as other:
        program = [sys.executable, "-m", "tests.actors.grpc.waiting_worker", host.address]
        process = await asyncio.create_subprocess_exec(*program, stdout=PIPE)
        assert process.stdout is not None
        async with asyncio.timeout(20):
            assert await process.stdout.readline() == b"ready\n"
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(error_of(other.send_message(Text("hi"), AgentId("waiting", "a"))))
                assert await process.stdout.readline() == b"waiting\n"
                process.send_signal(signal.SIGKILL)
            await process.wait()
        assert str(sending.result()) == "The recipient's worker has disconnected before it answered."
        await Waiting.register(other, "waiting", Waiting)  # the type is free again


async def test_a_worker_that_reads_too_slowly_gets_no_more(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(servicer, "MAX_WAITING_BYTES", MIB)
    text = Text("x" * (MIB // 4))
    async with hosting() as host, working(host.address) as one, raw_client(host.address) as slow:
        stream = slow.open()
        await stream.wait_for_connection()
        await slow.call("RegisterAgent", type="slow")
        subscription = wire.WireSubscription(id="1", typeSubscription={"topic_type": "default", "agent_type": "slow"})
        await slow.call("AddSubscription", subscription=subscription)
        async with asyncio.TaskGroup() as group:
            sent = [group.create_task(error_of(one.send_message(text, AgentId("slow", "a")))) for _ in range(20)]
            await until(lambda: any(each.done() for each in sent))
            await one.publish_message(text, DefaultTopicId())
            await until(lambda: "A message to default/default did not reach worker raw" in caplog.text)
            stream.cancel()
        said = {str(each.result()) for each in sent}
        assert any(each.startswith("The recipient's worker is too slow: ") for each in said)
        assert "The recipient's worker has disconnected before it answered." in said
        assert "messages did not reach worker raw." in caplog.text


async def test_a_worker_with_too_much_to_handle_refuses_more(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(worker, "MAX_UNFINISHED", 1)
    async with hosting() as host, working(host.address) as one, working(host.address) as other:
        waiting = Waiting()
        await waiting.register_instance(one, AgentId("waiting", "a"))
        await Listener.register(one, "listener", Listener)
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(error_of(other.send_message(Text("hi"), AgentId("waiting", "a"))))
            await waiting.has_begun.wait()
            refused = await error_of(other.send_message(Text("hi"), LISTENER))
            assert str(refused) == "The worker has 1 messages to handle and accepts no more."
            await other.publish_message(Text("hi"), DefaultTopicId())
            await until(lambda: "published to default/default was not handled. The worker has 1" in caplog.text)
            await one.stop()
        assert isinstance(sending.result(), UndeliverableException)


class Growing(Echo):
    """Its answer has twice the length."""

    async def on_message_impl(self, message: Any, ctx: Any) -> Any:
        return Text(message.text * 2)


def limit(bytes: int) -> dict[str, Any]:
    kinds = ("grpc.max_send_message_length", "grpc.max_receive_message_length")
    return {"extra_grpc_config": [(kind, bytes) for kind in kinds]}


async def test_a_message_above_a_limit_is_refused_wherever_the_limit_is(caplog: pytest.LogCaptureFixture):
    """Three sizes: what a worker reads by default, what others were given, and more than that."""
    within, above, far_above = Text("x" * MIB * 3), Text("x" * MIB * 5), Text("x" * MIB * 9)
    async with (
        hosting(**limit(8 * MIB)) as host,
        working(host.address, **limit(8 * MIB)) as one,
        working(host.address) as small,
    ):
        for each, name in ((one, "one"), (small, "small")):
            await Growing.register(each, f"growing-{name}", Growing)
            await Listener.register(each, f"listener-{name}", Listener)
        growing, big_listener = AgentId("growing-small", "a"), AgentId("listener-one", "default")
        refused = await error_of(small.send_message(above, big_listener))
        assert isinstance(refused, MessageTooLarge)
        assert re.match(r"The message has 5,243,\d+ bytes; 4,194,304 are allowed\. Send less, or set", str(refused))
        answered = await error_of(one.send_message(within, growing))
        assert "bytes; 4,194,304 are allowed." in str(answered)
        passed = await error_of(one.send_message(above, growing))
        assert "its recipient's worker reads 4,194,304 at most. Set `grpc.max_receive_message_length`" in str(passed)
        assert isinstance(await error_of(one.publish_message(far_above, DefaultTopicId())), MessageTooLarge)
        assert await one.send_message(above, big_listener) == above

        await one.publish_message(above, DefaultTopicId())
        heard = (await agent_at(one, "listener-one")).heard
        await until(lambda: len(heard) == 2)
        await until(lambda: "A message to default/default did not reach worker" in caplog.text)
        assert (await agent_at(small, "listener-small")).heard == []
        assert await small.send_message(Text("a"), AgentId("growing-one", "a")) == Text("aa")


async def test_a_message_above_the_limit_of_the_host_costs_the_connection_which_comes_back():
    async with hosting() as host, working(host.address, **limit(8 * MIB)) as one:
        await Listener.register(one, "listener", Listener)
        lost = await error_of(one.send_message(Text("x" * MIB * 5), LISTENER))
        assert isinstance(lost, HostUnavailable)
        assert "RESOURCE_EXHAUSTED" in str(lost)
        assert await until_answered(one, Text("a"), LISTENER) == Text("a")


async def test_senders_that_wait_for_a_host_that_reads_nothing_learn_that_it_is_gone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async def read_nothing(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(servicer.GrpcWorkerAgentRuntimeHostServicer, "_read_all", read_nothing)
    async with hosting() as host, working(host.address) as one:
        async with asyncio.TaskGroup() as group:
            text = Text("x" * (MIB // 8))
            sent = [group.create_task(error_of(one.publish_message(text, DefaultTopicId()))) for _ in range(150)]
            sent += [group.create_task(error_of(one.send_message(text, LISTENER))) for _ in range(50)]
            await until(lambda: sent[0].done())
            await host.stop()
        kinds = [type(each.result()) for each in sent]
        assert kinds[0] is type(None)
        assert set(kinds[100:]) == {HostUnavailable}
        sent.clear()
        del group
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_a_host_refuses_what_no_worker_sends(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(servicer, "OPEN_S", 0.05)
    async with hosting() as host, working(host.address) as one:
        await Listener.register(one, "listener", Listener)
        async with raw_client(host.address, None) as anonymous:
            await is_refused(anonymous.call("GetSubscriptions"), "INVALID_ARGUMENT", "client-id metadata not found")
            await is_refused(anonymous.open().read(), "INVALID_ARGUMENT", "client-id metadata not found")
        async with raw_client(host.address) as raw:
            await is_refused(raw.call("RegisterAgent", type="a"), "FAILED_PRECONDITION", "has no open channel")
            stream = raw.open((wire.MAX_RECEIVE_BYTES, "many"))
            await stream.wait_for_connection()
            assert {each.id for each in (await raw.call("GetSubscriptions")).subscriptions} != set()
            await is_refused(raw.open().read(), "ALREADY_EXISTS", "connected already")
            await is_refused(raw.call("RegisterAgent", type="a b"), "INVALID_ARGUMENT", "Invalid agent id")
            await is_refused(raw.call("AddSubscription", subscription={}), "INVALID_ARGUMENT", "names no topics")
            await is_refused(raw.call("RemoveSubscription", id="1"), "NOT_FOUND", "no subscription '1'")
            early = wire.WireSubscription(id="1", typeSubscription={"topic_type": "early", "agent_type": "none"})
            await raw.call("AddSubscription", subscription=early)
            await is_refused(raw.call("AddSubscription", subscription=early), "INVALID_ARGUMENT", "already exists")
            monkeypatch.setattr(servicer, "MAX_REGISTERED", 0)
            await is_refused(raw.call("RegisterAgent", type="a"), "RESOURCE_EXHAUSTED", "0 agent types")
            refused = await error_of(Echo.register(one, "one-more", Echo))
            assert f"{host.address!r} refuses RegisterAgent. RESOURCE_EXHAUSTED: A worker can" in str(refused)
            for message in (
                wire.Message(),
                wire.Message(response={"request_id": "1"}),
                wire.Message(cloudEvent={"type": "a b"}),
                wire.Message(cloudEvent={"type": "default", "source": "x", "text_data": "{"}),
                wire.Message(cloudEvent={"type": "early", "source": "x"}),
            ):
                await stream.write(message.SerializeToString())
            said = (
                "an empty message",
                "a request that it did not get",
                "published to no topic",
                "cannot read messages",
                "to early/x was not delivered. No worker has agents of type 'none'.",
            )
            await until(lambda: all(each in caplog.text for each in said))
            await stream.write(b"\xff")  # no message at all ends the stream
            with pytest.raises(grpc.aio.AioRpcError):
                await stream.read()
        assert await one.send_message(Text("a"), LISTENER) == Text("a")


async def is_refused(asking: Any, code: str, details: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError, match=details) as caught:
        await asking
    assert caught.value.code().name == code


@asynccontextmanager
async def host_process(address: str) -> AsyncGenerator[tuple[Process, str]]:
    """The command, and the address that it serves."""
    program = [sys.executable, "-m", "studio.actors.grpc", address]
    process = await asyncio.create_subprocess_exec(*program, stdout=PIPE, stderr=PIPE)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(20):
            said = (await process.stdout.readline()).decode()
        yield process, said.removeprefix("Workers connect to ").rstrip(".\n")
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.mark.slow
async def test_a_host_that_is_killed_and_started_again_gets_its_workers_back():
    async with AsyncExitStack() as workers:
        async with host_process("localhost:0") as (process, address):
            one, other = [await workers.enter_async_context(working(address)) for _ in range(2)]
            waiting = Waiting()
            await waiting.register_instance(one, AgentId("waiting", "a"))
            await Echo.register(one, "echo", Echo)
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(error_of(other.send_message(Text("hi"), AgentId("waiting", "a"))))
                await waiting.has_begun.wait()
                process.kill()
            assert isinstance(sending.result(), HostUnavailable)
        async with host_process(address) as (process, again):
            assert again == address
            assert await until_answered(other, Text("a"), AgentId("echo", "a")) == Text("a")
            async with host_process(address) as (second, said):
                assert said == ""
                assert await second.wait() == 1
            process.terminate()
            async with asyncio.timeout(10):
                assert await process.wait() == 0
