"""Puts HTTP clients behind a guard: httpx, its successor httpx2, which the SDKs use, and aiohttp, which Azure's uses.

The guard sits where a connection is made, below the pool: a request over a connection that is kept open costs one look
at the host's spelling. TLS and the `Host` header go by the name, as always; only the address is settled. What the
environment says of proxies holds: a proxy is the operator's, looks names up itself, and is judged by nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from studio.egress.answers import EVENTS, MODEL_BYTES, Meter
from studio.egress.guard import FIRST_TRIES_S, PORTS, Guard, HostRefused, IPAddress

if TYPE_CHECKING:
    import httpx

Client = TypeVar("Client", bound=Any)


def protected(client: Client, guard: Guard, *, limit: int = MODEL_BYTES, is_session: bool = False) -> Client:
    """Let an asynchronous client of httpx or httpx2 reach only what the guard allows, redirects included.

    Args:
        client: With a transport of its library's own, or one that has the same pool.
        guard: Where it may go.
        limit: Bytes of one answer, unpacked.
        is_session: Whether a stream of events may go on for ever; the limit is then that of each event.
    """

    async def before(request: httpx.Request) -> None:
        _check(guard, request)

    async def after(response: httpx.Response) -> None:
        _measure(response, limit, is_session, "AsyncByteStream")

    _hook(client, before, after)
    pool = client._transport._pool
    pool._network_backend = _Backend(pool._network_backend, guard)
    return client


def protected_now(client: Client, guard: Guard, *, limit: int = MODEL_BYTES) -> Client:
    """The same for a client that blocks."""

    def before(request: httpx.Request) -> None:
        _check(guard, request)

    def after(response: httpx.Response) -> None:
        _measure(response, limit, False, "SyncByteStream")

    _hook(client, before, after)
    pool = client._transport._pool
    pool._network_backend = _BlockingBackend(pool._network_backend, guard)
    return client


def http_client(guard: Guard, *, limit: int = MODEL_BYTES, **arguments: Any) -> httpx.AsyncClient:
    """A client of httpx behind a guard; `arguments` are httpx's."""
    import httpx

    return protected(httpx.AsyncClient(**arguments), guard, limit=limit)


def _hook(client: Any, before: Callable[..., Any], after: Callable[..., Any]) -> None:
    hooks = client.event_hooks
    client.event_hooks = {"request": [*hooks["request"], before], "response": [*hooks["response"], after]}
    client.headers["accept-encoding"] = "gzip"  # what can be unpacked in bounds


def _check(guard: Guard, request: httpx.Request) -> None:
    url = request.url
    guard.check(url.host, url.port or PORTS.get(url.scheme, 0))


def _measure(response: httpx.Response, limit: int, is_session: bool, kind: str) -> None:
    is_events = response.headers.get("content-type", "").startswith(EVENTS)
    meter = Meter(response.headers.pop("content-encoding", ""), limit, of_each_event=is_session and is_events)
    stream_class = _measured(_library_of(response), kind)
    response.stream = stream_class(response.stream, meter)


def _library_of(thing: object) -> ModuleType:
    return import_module(type(thing).__module__.partition(".")[0])


@cache
def _measured(library: ModuleType, kind: str) -> Any:
    """A class of streams that a meter looks at, as the library wants them."""
    base = cast("type[Any]", getattr(library, kind))

    class Measured(base):
        def __init__(self, inner: Any, meter: Meter) -> None:
            self._inner = inner
            self._meter = meter

        def __iter__(self) -> Iterator[bytes]:
            for piece in self._inner:
                yield self._meter.take(piece)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self._inner:
                yield self._meter.take(piece)

        def close(self) -> None:
            self._inner.close()

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Measured


class _Backend:
    """Makes the connections of a pool: looks the name up, judges what it finds, and connects to just that."""

    def __init__(self, inner: Any, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard
        self._library = _library_of(inner)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  the library's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Any:
        addresses = await self._found(host, port, timeout)

        async def connect(address: IPAddress, limit_s: float | None) -> Any:
            return await self._inner.connect_tcp(str(address), port, limit_s, local_address, socket_options)

        for address in addresses[:-1]:
            try:
                return await connect(address, min(timeout or FIRST_TRIES_S, FIRST_TRIES_S))
            except (self._library.ConnectError, self._library.ConnectTimeout):
                continue  # the next address has its turn
        return await connect(addresses[-1], timeout)

    async def _found(self, host: str, port: int, limit_s: float | None) -> list[IPAddress]:
        try:
            async with asyncio.timeout(limit_s):
                return await self._guard.addresses(host, port)
        except TimeoutError as error:
            raise self._library.ConnectTimeout(f"The name {host!r} was not found in time.") from error
        except OSError as error:
            raise self._library.ConnectError(f"The name {host!r} is not known: {error}") from error

    async def connect_unix_socket(self, *_: Any, **__: Any) -> Any:
        raise HostRefused("A guarded client opens no local socket.")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _BlockingBackend:
    """The same for a pool that blocks."""

    def __init__(self, inner: Any, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard
        self._library = _library_of(inner)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Any:
        try:
            addresses = self._guard.addresses_now(host, port)
        except OSError as error:
            raise self._library.ConnectError(f"The name {host!r} is not known: {error}") from error
        for address in addresses[:-1]:
            try:
                limit_s = min(timeout or FIRST_TRIES_S, FIRST_TRIES_S)
                return self._inner.connect_tcp(str(address), port, limit_s, local_address, socket_options)
            except (self._library.ConnectError, self._library.ConnectTimeout):
                continue
        return self._inner.connect_tcp(str(addresses[-1]), port, timeout, local_address, socket_options)

    def connect_unix_socket(self, *_: Any, **__: Any) -> Any:
        raise HostRefused("A guarded client opens no local socket.")

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)
