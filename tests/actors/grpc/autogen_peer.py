"""A host or a worker of AutoGen's, run by a Python that has `autogen-ext[grpc]`.

    python autogen_peer.py host ADDRESS
    python autogen_peer.py worker ADDRESS

It prints a line when it is ready, and ends when its standard input does.
"""

import asyncio
import sys
from dataclasses import dataclass

from autogen_core import (
    AgentId,
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    default_subscription,
    event,
    rpc,
)
from autogen_ext.runtimes.grpc import GrpcWorkerAgentRuntime, GrpcWorkerAgentRuntimeHost
from google.protobuf.wrappers_pb2 import StringValue


@dataclass
class Text:
    text: str


@default_subscription
class Theirs(RoutedAgent):
    """Remembers what is published, and does what a text asks for."""

    def __init__(self) -> None:
        super().__init__("Theirs.")
        self.heard: list[str] = []

    @event
    async def hear(self, message: Text, ctx: MessageContext) -> None:
        self.heard.append(message.text)

    @event
    async def hear_value(self, message: StringValue, ctx: MessageContext) -> None:
        self.heard.append(message.value)

    @rpc
    async def answer(self, message: Text, ctx: MessageContext) -> Text:
        verb, _, rest = message.text.partition(" ")
        if verb == "ask":
            agent_type, _, asked = rest.partition(" ")
            try:
                return await self.send_message(Text(asked), AgentId(agent_type, "default"))
            except Exception as error:  # noqa: BLE001 -- all that AutoGen raises for an error of another process
                return Text(f"error: {error}")
        if verb == "publish":
            await self.publish_message(Text(rest), DefaultTopicId())
        if verb == "fail":
            raise ValueError(rest)
        return Text(" ".join(self.heard) if verb == "heard" else f"theirs: {message.text}")


async def ended() -> None:
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


async def main(part: str, address: str) -> None:
    if part == "host":
        host = GrpcWorkerAgentRuntimeHost(address=address)
        host.start()
        print("ready", flush=True)
        await ended()
        await host.stop(grace=0)
    else:
        worker = GrpcWorkerAgentRuntime(host_address=address)
        await worker.start()
        await Theirs.register(worker, "theirs", Theirs)
        print("ready", flush=True)
        await ended()
        await worker.stop()


asyncio.run(main(*sys.argv[1:]))
