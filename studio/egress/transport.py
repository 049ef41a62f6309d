"""A transport for clients of httpx and httpx2 that connects only where a guard allows.

Built on public interfaces alone: the client's `BaseTransport`, and the connection pool of httpcore with a network
backend of our own. TLS and the `Host` header go by the name, as always; only the address is settled.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from studio.egress.answers import EVENTS, Meter, without_odd_charset
from studio.egress.attempts import failed
from studio.egress.guard import FIRST_TRIES_S, PORTS, Guard, HostRefused, IPAddress

if TYPE_CHECKING:
    import httpx

CORES = {"httpx": "httpcore", "httpx2": "httpcore2"}
"""The library of connections below each library of clients."""
POOL: dict[str, Any] = {
    "max_connections": 1000,
    "max_keepalive_connections": 100,
    "keepalive_expiry": 5.0,
    "socket_options": [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)],  # a model may think for minutes
}


def guarded_transport(
    library: ModuleType,
    guard: Guard,
    *,
    limit: int,
    is_session: bool = False,
    verify: ssl.SSLContext | bool = True,
    trust_env: bool = True,
    is_blocking: bool = False,
) -> Any:
    """A transport of the library, for an asynchronous client unless it is blocking.

    Args:
        library: httpx or httpx2.
        guard: Where it may go.
        limit: Bytes of one answer, unpacked.
        is_session: Whether a stream of events may go on for ever; the limit is then that of each event.
        verify: Whose certificates are trusted.
        trust_env: Whether the proxies of the environment are used; they are the operator's, and look names up.
        is_blocking: Whether it is for a client that blocks.
    """
    context = verify if isinstance(verify, ssl.SSLContext) else library.create_ssl_context(verify)
    proxies = _Proxies(library, context, is_blocking) if trust_env else None
    kinds = _kinds_for(library)
    core = import_module(CORES[library.__name__])
    if is_blocking:
        pool = core.ConnectionPool(ssl_context=context, network_backend=kinds.BlockingBackend(guard), **POOL)
        return kinds.BlockingTransport(_Rules(guard, limit, is_session), pool, proxies)
    pool = core.AsyncConnectionPool(ssl_context=context, network_backend=kinds.Backend(guard), **POOL)
    return kinds.Transport(_Rules(guard, limit, is_session), pool, proxies)


class _Rules:
    """What holds for each request and each answer of a client."""

    def __init__(self, guard: Guard, limit: int, is_session: bool) -> None:
        self._guard, self._limit, self._is_session = guard, limit, is_session

    def check(self, request: httpx.Request) -> None:
        url = request.url
        self._guard.check(url.host, url.port or PORTS.get(url.scheme, 0))
        request.headers["accept-encoding"] = "gzip"  # what can be unpacked in bounds

    def meter(self, headers: httpx.Headers) -> Meter:
        """What takes the body; headers that would have it read without bounds are taken back."""
        if "content-type" in headers:
            headers["content-type"] = without_odd_charset(headers["content-type"])
        is_events = headers.get("content-type", "").startswith(EVENTS)
        packing = headers.pop("content-encoding", "")
        return Meter(packing, self._limit, of_each_event=self._is_session and is_events)


class _Proxies:
    """The proxies that the environment names, each with a transport of the library's own."""

    def __init__(self, library: ModuleType, context: ssl.SSLContext, is_blocking: bool) -> None:
        from urllib.request import getproxies, proxy_bypass  # it brings an HTTP client, which a plain import need not

        self._addresses = getproxies()
        self._is_bypassed = proxy_bypass
        self._make = library.HTTPTransport if is_blocking else library.AsyncHTTPTransport
        self._context = context
        self._made: dict[str, Any] = {}

    def transport_for(self, url: httpx.URL) -> Any | None:
        """The transport for a URL; None if it is reached without a proxy."""
        address = self._addresses.get(url.scheme) or self._addresses.get("all")
        if not address or self._is_bypassed(url.host):
            return None
        if address not in self._made:
            proxy = address if "://" in address else f"http://{address}"
            self._made[address] = self._make(verify=self._context, trust_env=False, proxy=proxy)
        return self._made[address]

    def made(self) -> list[Any]:
        return list(self._made.values())


@contextmanager
def _translated(library: ModuleType, core: ModuleType) -> Generator[None]:
    """Turn errors of connections into those of the client's library, which have the same names."""
    try:
        yield
    except (core.TimeoutException, core.NetworkError, core.ProtocolError, core.ProxyError) as error:
        raise _named_alike(library, error)(str(error)) from error
    except core.UnsupportedProtocol as error:
        raise library.UnsupportedProtocol(str(error)) from error


def _named_alike(library: ModuleType, error: Exception) -> Any:
    return next(getattr(library, kind.__name__) for kind in type(error).__mro__ if hasattr(library, kind.__name__))


def _core_request(core: ModuleType, request: httpx.Request) -> Any:
    url = request.url
    target = core.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    return core.Request(
        request.method,
        target,
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


def _measured(library: ModuleType, answer: Any, stream_class: type[Any], rules: _Rules) -> Any:
    """The library's response for an answer of httpcore or of a proxy's transport, with its body in bounds."""
    headers = library.Headers(answer.headers)
    meter = rules.meter(headers)
    status = answer.status_code if isinstance(answer, library.Response) else answer.status
    return library.Response(
        status, headers=headers, stream=stream_class(answer.stream, meter), extensions=answer.extensions
    )


@cache
def _kinds_for(library: ModuleType) -> SimpleNamespace:
    """The classes that stand between a library of clients and its library of connections."""
    core = import_module(CORES[library.__name__])
    return SimpleNamespace(
        Transport=_transport_class(library, core),
        BlockingTransport=_blocking_transport_class(library, core),
        Backend=_backend_class(core),
        BlockingBackend=_blocking_backend_class(core),
    )


def _transport_class(library: ModuleType, core: ModuleType) -> type[Any]:
    stream_class = _stream_class(library, core)

    class Transport(library.AsyncBaseTransport):
        def __init__(self, rules: _Rules, pool: Any, proxies: _Proxies | None) -> None:
            self._rules, self._pool, self._proxies = rules, pool, proxies

        async def handle_async_request(self, request: Any) -> Any:
            self._rules.check(request)
            proxy = self._proxies.transport_for(request.url) if self._proxies else None
            try:
                with _translated(library, core):
                    if proxy is not None:
                        answer = await proxy.handle_async_request(request)
                    else:
                        answer = await self._pool.handle_async_request(_core_request(core, request))
            except library.TransportError:
                failed(request.url.host, 0)
                raise
            try:
                measured = _measured(library, answer, stream_class, self._rules)
                if measured.is_error:
                    failed(request.url.host, measured.status_code)
                return measured
            except HostRefused:
                await answer.stream.aclose()
                raise

        async def aclose(self) -> None:
            await self._pool.aclose()
            for proxy in self._proxies.made() if self._proxies else ():
                await proxy.aclose()

    return Transport


def _blocking_transport_class(library: ModuleType, core: ModuleType) -> type[Any]:
    stream_class = _blocking_stream_class(library, core)

    class BlockingTransport(library.BaseTransport):
        def __init__(self, rules: _Rules, pool: Any, proxies: _Proxies | None) -> None:
            self._rules, self._pool, self._proxies = rules, pool, proxies

        def handle_request(self, request: Any) -> Any:
            self._rules.check(request)
            proxy = self._proxies.transport_for(request.url) if self._proxies else None
            with _translated(library, core):
                if proxy is not None:
                    answer = proxy.handle_request(request)
                else:
                    answer = self._pool.handle_request(_core_request(core, request))
            try:
                return _measured(library, answer, stream_class, self._rules)
            except HostRefused:
                answer.stream.close()
                raise

        def close(self) -> None:
            self._pool.close()
            for proxy in self._proxies.made() if self._proxies else ():
                proxy.close()

    return BlockingTransport


def _stream_class(library: ModuleType, core: ModuleType) -> type[Any]:
    class MeasuredStream(library.AsyncByteStream):
        def __init__(self, inner: Any, meter: Meter) -> None:
            self._inner, self._meter = inner, meter

        async def __aiter__(self) -> AsyncIterator[bytes]:
            with _translated(library, core):
                async for piece in self._inner:
                    yield self._meter.decode(piece)

        async def aclose(self) -> None:
            with _translated(library, core):
                await self._inner.aclose()

    return MeasuredStream


def _blocking_stream_class(library: ModuleType, core: ModuleType) -> type[Any]:
    class MeasuredStream(library.SyncByteStream):
        def __init__(self, inner: Any, meter: Meter) -> None:
            self._inner, self._meter = inner, meter

        def __iter__(self) -> Iterator[bytes]:
            with _translated(library, core):
                for piece in self._inner:
                    yield self._meter.decode(piece)

        def close(self) -> None:
            with _translated(library, core):
                self._inner.close()

    return MeasuredStream


def _backend_class(core: ModuleType) -> type[Any]:
    class Backend(core.AsyncNetworkBackend):
        """Makes the connections of a pool: looks the name up, judges what it finds, and connects to just that."""

        def __init__(self, guard: Guard) -> None:
            self._inner = core.AnyIOBackend()
            self._guard = guard

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
                except (core.ConnectError, core.ConnectTimeout):
                    continue  # the next address has its turn
            return await connect(addresses[-1], timeout)

        async def _found(self, host: str, port: int, limit_s: float | None) -> list[IPAddress]:
            try:
                async with asyncio.timeout(limit_s):
                    return await self._guard.addresses(host, port)
            except TimeoutError as error:
                raise core.ConnectTimeout(f"The name {host!r} was not found in time.") from error
            except OSError as error:
                raise core.ConnectError(f"The name {host!r} is not known: {error}") from error

        async def connect_unix_socket(self, *_: Any, **__: Any) -> Any:
            raise HostRefused("A guarded client opens no local socket.")

        async def sleep(self, seconds: float) -> None:
            await self._inner.sleep(seconds)

    return Backend


def _blocking_backend_class(core: ModuleType) -> type[Any]:
    class BlockingBackend(core.NetworkBackend):
        """The same for a pool that blocks."""

        def __init__(self, guard: Guard) -> None:
            self._inner = core.SyncBackend()
            self._guard = guard

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
                raise core.ConnectError(f"The name {host!r} is not known: {error}") from error
            for address in addresses[:-1]:
                try:
                    limit_s = min(timeout or FIRST_TRIES_S, FIRST_TRIES_S)
                    return self._inner.connect_tcp(str(address), port, limit_s, local_address, socket_options)
                except (core.ConnectError, core.ConnectTimeout):
                    continue
            return self._inner.connect_tcp(str(addresses[-1]), port, timeout, local_address, socket_options)

        def connect_unix_socket(self, *_: Any, **__: Any) -> Any:
            raise HostRefused("A guarded client opens no local socket.")

        def sleep(self, seconds: float) -> None:
            self._inner.sleep(seconds)

    return BlockingBackend
