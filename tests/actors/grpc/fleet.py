"""Hosts and workers of tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from studio.actors import AgentId, try_get_known_serializers_for_type
from studio.actors.errors import UndeliverableException
from studio.actors.grpc import GrpcWorkerAgentRuntime, GrpcWorkerAgentRuntimeHost
from tests.actors.agents import Other, Text

WAIT_S = 10.0


@asynccontextmanager
async def hosting(address: str = "localhost:0", **options: Any) -> AsyncGenerator[GrpcWorkerAgentRuntimeHost]:
    """A host that has begun, at a port of its own, and is stopped at the end."""
    host = GrpcWorkerAgentRuntimeHost(address, **options)
    host.start()
    try:
        yield host
    finally:
        with suppress(RuntimeError):  # a test has stopped it
            await host.stop(grace=0)


@asynccontextmanager
async def working(address: str, **options: Any) -> AsyncGenerator[GrpcWorkerAgentRuntime]:
    """A worker that is connected, can send texts, and is closed at the end."""
    worker = GrpcWorkerAgentRuntime(address, **options)
    for each in (Text, Other):
        worker.add_message_serializer(try_get_known_serializers_for_type(each))
    await worker.start()
    try:
        yield worker
    finally:
        await worker.close()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what another process, or another task, brings about."""
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 -- no event of ours says when
            await asyncio.sleep(0.005)


async def until_answered(worker: GrpcWorkerAgentRuntime, message: Text, recipient: AgentId) -> Any:
    """Send a message until the workers are connected again. A host of AutoGen's may leave a sender waiting."""
    async with asyncio.timeout(WAIT_S):
        while True:
            with suppress(UndeliverableException, TimeoutError):
                async with asyncio.timeout(0.5):
                    return await worker.send_message(message, recipient)
            await asyncio.sleep(0.02)


async def agent_at(worker: GrpcWorkerAgentRuntime, name: str, key: str = "default") -> Any:
    """An agent that lives at a worker."""
    return await worker.try_get_underlying_agent_instance(AgentId(name, key))
