"""The host of workers: a server of gRPC."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

import grpc

from studio.actors.grpc.connection import GrpcOptions
from studio.actors.grpc.servicer import GrpcWorkerAgentRuntimeHostServicer
from studio.actors.grpc.signals import END, signal_received

logger = logging.getLogger("autogen_core")
DEFAULT_ADDRESS = "localhost:50051"
MAX_CALLS = 10_000
"""Streams and calls at a time."""
_DEFAULTS: dict[str, Any] = {
    "grpc.so_reuseport": 0,  # else two hosts could share a port, each with a part of the workers
    "grpc.keepalive_time_ms": 30_000,  # so that a worker whose machine is gone is noticed
    "grpc.keepalive_timeout_ms": 10_000,
}


class GrpcWorkerAgentRuntimeHost:
    """Passes messages on between workers. No agents live here.

    The connections have neither encryption nor sign-in, as in AutoGen: any program that reaches the address can
    register agents and read messages. Bind it to this machine or to a private network.

    Args:
        address: `HOST:PORT`; port 0 is any that is free.
        extra_grpc_config: Options of the gRPC server. `grpc.max_receive_message_length` limits messages, in bytes.
    """

    def __init__(self, address: str = DEFAULT_ADDRESS, extra_grpc_config: GrpcOptions | None = None) -> None:
        self._address = address
        self._options = {**_DEFAULTS, **dict(extra_grpc_config or ())}
        self._servicer = GrpcWorkerAgentRuntimeHostServicer()
        self._server: grpc.aio.Server | None = None
        self._starting: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """Where workers connect."""
        return self._address

    def start(self) -> None:
        """Begin to serve.

        Raises:
            RuntimeError: It has begun already, or the address cannot be used.
        """
        if self._server is not None:
            raise RuntimeError("Host runtime is already started.")
        server = grpc.aio.server(options=[*self._options.items()], maximum_concurrent_rpcs=MAX_CALLS)
        server.add_generic_rpc_handlers([self._servicer.handler()])
        place, _, _ = self._address.rpartition(":")
        self._address = f"{place}:{server.add_insecure_port(self._address)}"
        if not _is_loopback(place):
            logger.warning("Any program that reaches %s can register agents and read messages.", self._address)
        self._server = server
        self._starting = asyncio.get_running_loop().create_task(server.start())

    async def stop(self, grace: float = 5) -> None:
        """End. Workers learn it at once, and senders that wait for an answer get an error.

        Args:
            grace: Seconds in which calls that are under way may end.

        Raises:
            RuntimeError: It has not begun.
        """
        if self._server is None or self._starting is None:
            raise RuntimeError("Host runtime is not started.")
        server, self._server = self._server, None
        await self._starting
        self._servicer.end_streams()
        await server.stop(grace)

    async def stop_when_signal(self, grace: float = 5, signals: Sequence[signal.Signals] = END) -> None:
        """End as `stop` does once the process gets one of the signals."""
        await signal_received(signals)
        await self.stop(grace)


def _is_loopback(place: str) -> bool:
    """Whether only this machine reaches it."""
    bare = place.removeprefix("[").removesuffix("]")
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return bare == "localhost" or place.startswith("unix:")
