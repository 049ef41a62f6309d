"""How the client of Azure AI reaches its service. The SDK uses aiohttp, which asks this guard where a name leads, and
whose answers are unpacked and measured here."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import DefaultResolver
from azure.core.pipeline.transport import AioHttpTransport

from studio.egress import MODEL_BYTES, Guard, Meter, place_of

if TYPE_CHECKING:
    from aiohttp.connector import Connection


class GuardedResolver(AbstractResolver):
    """Finds the addresses of the hosts that a guard allows; a proxy of the environment is the operator's own."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._usual = DefaultResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if host in {urlsplit(proxy).hostname for proxy in getproxies().values()}:
            return await self._usual.resolve(host, port, family)
        found = await self._guard.addresses(host, port)
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET6 if address.version == 6 else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in found
        ]

    async def close(self) -> None:
        await self._usual.close()


class MeasuredResponse(aiohttp.ClientResponse):
    """An answer of which no more is taken than was agreed."""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        await super().start(connection)
        headers = self._headers.copy()
        meter = Meter(headers.pop("content-encoding", ""), MODEL_BYTES)  # without it, nobody else unpacks the answer
        self._headers = cast("Any", headers)
        self.content = cast("aiohttp.StreamReader", _MeasuredReader(self.content, meter))
        return self


class _MeasuredReader:
    """Stands in for the reader of an answer."""

    def __init__(self, inner: aiohttp.StreamReader, meter: Meter) -> None:
        self._inner = inner
        self._meter = meter

    async def read(self, n: int = -1) -> bytes:
        if n < 0:
            return b"".join([piece async for piece in self])
        while piece := await self._inner.read(n):
            if unpacked := self._meter.decode(piece):
                return unpacked
        return b""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while piece := await self._inner.readany():
            yield self._meter.decode(piece)

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)


class GuardedTransport(AioHttpTransport):
    """A transport to the host of a URL, which is judged when the first request is sent.

    Args:
        url: Where the service is.
        timeout_s: Limit between two pieces of an answer.
    """

    def __init__(self, url: str, timeout_s: float) -> None:
        super().__init__(read_timeout=timeout_s)  # pyright: ignore[reportUnknownMemberType] -- it has no types
        self._url = url

    async def open(self) -> None:
        """Make ready to send; the SDK calls this before each request.

        Raises:
            HostRefused: The URL is none, or its host is an address that may not be reached.
        """
        if not self.session:
            self.session = _session(self._url)
        await super().open()  # pyright: ignore[reportUnknownMemberType] -- as above


def _session(url: str) -> aiohttp.ClientSession:
    host, port = place_of(url)
    guard = Guard.for_host(host, port)
    guard.check(host, port)  # aiohttp asks no resolver about an address
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(resolver=GuardedResolver(guard)),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"accept-encoding": "gzip"},
        response_class=MeasuredResponse,
        auto_decompress=False,
        trust_env=True,
    )
