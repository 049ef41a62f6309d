"""What a client may take of the server: how long a request is on its way, and how many connections an address has."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

MAX_PER_ADDRESS = 256
MAX_OPEN_FILES = 65_536
IPV6_NETWORK_BITS = 64
"""What one customer of a provider has at least, and may take any address of."""


@dataclass
class ConnectionLimits:
    """The limits of one server, and the count of its connections.

    Args:
        head_s: Within this the head of a request must be complete.
        body_s: Within this its body must be, and a second more for each `bytes_per_s` that came.
        bytes_per_s: What a slow line brings at least.
        per_address: Connections of one address, or of one network of IPv6. A browser has six.
        proxies: Addresses that have as many as they like, since they speak for many.
    """

    head_s: float = 10.0
    body_s: float = 60.0
    bytes_per_s: int = 1000
    per_address: int = MAX_PER_ADDRESS
    proxies: Sequence[str] = ()
    _open: Counter[str] = field(default_factory=Counter[str])

    def add(self, address: str) -> bool:
        """Count a connection, unless its network has too many. Those of a proxy are not counted."""
        if self._is_proxy(address):
            return True
        network = network_of(address)
        if self._open[network] >= self.per_address:
            return False
        self._open[network] += 1
        return True

    def remove(self, address: str) -> None:
        """One that `add` let in has ended."""
        if self._is_proxy(address):
            return
        network = network_of(address)
        self._open[network] -= 1
        if self._open[network] <= 0:
            del self._open[network]

    def _is_proxy(self, address: str) -> bool:
        for proxy in self.proxies:
            if proxy in ("*", address):
                return True
            with suppress(ValueError):
                if ip_address(address) in ip_network(proxy, strict=False):
                    return True
        return False


def network_of(address: str) -> str:
    """What limits count an address as: itself, or of IPv6 the network of which one client has every address."""
    try:
        found = ip_address(address)
    except ValueError:
        return address  # a proxy may tell a name, and a test has none
    if isinstance(found, IPv4Address):
        return str(found)
    mapped = found.ipv4_mapped
    return str(mapped or ip_network((int(found), IPV6_NETWORK_BITS), strict=False))


class LimitedConnection(H11Protocol):
    """A connection that is closed when a request does not come to its end, or when its address has too many.

    Answers and event streams may take as long as they like.
    """

    limits = ConnectionLimits()

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._timer: asyncio.TimerHandle | None = None
        self._awaited: tuple[object, object] | None = None
        self._began = 0.0
        self._received = 0
        self._counted = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] -- uvicorn's own signature
        super().connection_made(transport)
        address = self.client[0] if self.client else "-"
        if self.limits.add(address):
            self._counted = address
            self._watch()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        if self._counted:
            self.limits.remove(self._counted)
            self._counted = ""
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        """Start a timer when the connection begins to wait for a head or a body, and stop it when that is there."""
        state: object = self.conn.their_state
        awaited = (
            (state, self.cycle) if state in (h11.IDLE, h11.SEND_BODY) and not self.transport.is_closing() else None
        )
        if awaited == self._awaited:
            return
        self._stop_timer()
        self._awaited = awaited
        if awaited is not None:
            self._began, self._received = self.loop.time(), 0
            limit_s = self.limits.head_s if state is h11.IDLE else self.limits.body_s
            self._timer = self.loop.call_later(limit_s, self._look)

    def _look(self) -> None:
        """Close the connection unless its body comes fast enough, or waits for us."""
        if self.conn.their_state is h11.SEND_BODY:
            if self.flow.read_paused:
                self._began, self._received = self.loop.time(), 0
            limit_s = self.limits.body_s + self._received / self.limits.bytes_per_s
            if (left_s := self._began + limit_s - self.loop.time()) > 0:
                self._timer = self.loop.call_later(left_s, self._look)
                return
        self.transport.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._awaited = None


def limited_connections(limits: ConnectionLimits) -> type[LimitedConnection]:
    """The class of connections of a server with these limits."""
    return type("Connection", (LimitedConnection,), {"limits": limits})


def allow_open_files() -> int:
    """Let the process have as many open files and connections as the system allows it; gives how many."""
    if sys.platform == "win32":
        return MAX_OPEN_FILES
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):  # some systems allow fewer than they say
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return wanted if soft == resource.RLIM_INFINITY else soft
