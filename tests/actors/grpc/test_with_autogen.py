"""Workers of ours and of AutoGen's at one host, which is ours or AutoGen's.

AutoGen is no package of the checks. `AUTOGEN_PYTHON` names a Python that has `autogen-ext[grpc]==0.7.5`.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from google.protobuf.wrappers_pb2 import StringValue

from studio.actors import (
    AgentId,
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    default_subscription,
    message_handler,
    try_get_known_serializers_for_type,
)
from studio.actors.errors import HostUnavailable, RemoteHandlerError
from studio.actors.grpc import GrpcWorkerAgentRuntime
from tests.actors.agents import Text
from tests.actors.grpc.fleet import agent_at, hosting, until, until_answered, working

PYTHON = os.environ.get("AUTOGEN_PYTHON", "")
PEER = Path(__file__).with_name("autogen_peer.py")
THEIRS, OURS = AgentId("theirs", "default"), AgentId("ours", "default")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="AUTOGEN_PYTHON names no Python with autogen-ext[grpc]==0.7.5"),
]


@default_subscription
class Ours(RoutedAgent):
    """Answers, or fails where it is asked to, and remembers what is published."""

    def __init__(self) -> None:
        super().__init__("Ours.")
        self.heard: list[str] = []

    @message_handler
    async def hear(self, message: Text, ctx: MessageContext) -> Text:
        if not ctx.is_rpc:
            self.heard.append(f"{message.text} {ctx.sender}")
        if message.text == "fail":
            raise ZeroDivisionError
        return Text(f"ours: {message.text} {ctx.sender}")


@asynccontextmanager
async def autogen(part: str, address: str) -> AsyncGenerator[None]:
    """A host or a worker of AutoGen's, until the end of the block."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(PYTHON, str(PEER), part, address, stdin=pipe, stdout=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        async with asyncio.timeout(20):
            assert await process.stdout.readline() == b"ready\n"
        yield
        process.stdin.close()
        async with asyncio.timeout(10):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def host_of(maker: str) -> AsyncGenerator[str]:
    """The address of a host of ours or of AutoGen's."""
    if maker == "ours":
        async with hosting() as host:
            yield host.address
        return
    address = free_address()
    async with autogen("host", address):
        yield address


def free_address() -> str:
    """A host of AutoGen's does not say which port it has found."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"localhost:{free.getsockname()[1]}"


@pytest.mark.parametrize("maker", ["ours", "autogen"])
async def test_workers_of_ours_and_of_autogen_exchange_requests_and_events(maker: str):
    async with (
        host_of(maker) as address,
        working(address) as one,
        working(address) as other,
        autogen("worker", address),
    ):
        await Ours.register(one, "ours", Ours)

        async def ask(text: str, worker: GrpcWorkerAgentRuntime = other) -> str:
            async with asyncio.timeout(5):
                return (await worker.send_message(Text(text), THEIRS)).text

        assert await ask("hello") == "theirs: hello"
        assert await ask("hello", one) == "theirs: hello"
        assert await ask("ask ours hello") == "ours: hello theirs/default"
        assert await ask("ask ours fail") == "error: ZeroDivisionError"
        with pytest.raises(RemoteHandlerError, match="why"):
            await ask("fail why")
        answers = await asyncio.gather(*(ask(f"ask ours {number}", one) for number in range(50)))
        assert answers == [f"ours: {number} theirs/default" for number in range(50)]

        await other.publish_message(Text("from-ours"), DefaultTopicId())
        await ask("publish from-theirs")
        ours = await agent_at(one, "ours")
        await until(lambda: len(ours.heard) == 2)
        assert sorted(ours.heard) == ["from-ours None", "from-theirs theirs/default"]
        other.add_message_serializer(try_get_known_serializers_for_type(StringValue))
        await other.publish_message(StringValue(value="value"), DefaultTopicId())
        async with asyncio.timeout(5):
            while await ask("heard") != "from-ours value":  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        if maker == "ours":  # AutoGen's host leaves the sender waiting
            assert await ask("ask nowhere hello") == "error: No worker has agents of type 'nowhere'."


async def test_workers_of_ours_come_back_to_a_host_of_autogens_that_was_restarted():
    address = free_address()
    async with AsyncExitStack() as workers:
        async with autogen("host", address):
            one, other = [await workers.enter_async_context(working(address)) for _ in range(2)]
            await Ours.register(one, "ours", Ours)
            assert await other.send_message(Text("a"), OURS) == Text("ours: a None")
        with pytest.raises(HostUnavailable):
            await other.send_message(Text("b"), OURS)
        async with autogen("host", address):
            await until_answered(other, Text("b"), OURS)
            ours = await agent_at(one, "ours")
            await other.publish_message(Text("c"), DefaultTopicId())
            await until(lambda: ours.heard == ["c None"])
