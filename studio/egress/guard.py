"""Says where a connection may go, and makes it to the very address that was checked.

A name can lead anywhere, and somewhere else a moment later. So a name is looked up once, all of its addresses are
judged, and the connection goes to one of these. docs/design/egress.md tells the rules and why they are these.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

from studio.egress import itself
from studio.egress.addresses import (
    METADATA_NAMES,
    AddressScope,
    IPAddress,
    address_in,
    is_local_name,
    is_of_this_machine,
    plain_host,
    reach_of,
)
from studio.egress.names import look_up, look_up_now
from studio.errors import RunFailed

Endpoint = tuple[str, int | None]
"""A host and a port; None is any port."""

CONNECT_S = 10.0
FIRST_TRIES_S = 3.0
"""How long an address may take to answer while there is another one to try."""
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "redis": 6379, "rediss": 6379}
SETTING = "STUDIO_ALLOW_PRIVATE_URLS"
ANY_HOST = "*"


class HostRefused(RunFailed):
    """The studio makes no connection to there. Retrying will not help."""

    code = "host_refused"


class StudioRefused(HostRefused):
    """Raised for what leads to the studio itself."""


def is_private_allowed() -> bool:
    """Whether the operator lets private addresses be reached that nobody named."""
    return os.environ.get(SETTING, "").strip().lower() in {"1", "true", "yes", "on", "t", "y"}


@dataclass(frozen=True, slots=True)
class Guard:
    """What one user of the network may reach.

    Args:
        named: Places that a person named and approved. One that is written as an address, or as a name that only the
            own network gives away, may be private.
        elsewhere: Whether every other place of the public internet may be reached, too.
        private: Whether private addresses may be reached without being named.
        unlimited: Whether nothing is refused for its address; None asks the operator's setting.
    """

    named: tuple[Endpoint, ...] = ()
    elsewhere: bool = False
    private: bool = False
    unlimited: bool | None = None

    @classmethod
    def for_url(cls, *urls: str) -> Self:
        """To where the URLs lead, and nowhere else.

        Raises:
            HostRefused: One of them is no URL with a host.
        """
        return cls(tuple(map(place_of, urls)))

    @classmethod
    def for_host(cls, host: str, port: int) -> Self:
        """To one host at one port."""
        return cls(((_plain(host), port),))

    @classmethod
    def for_hosts(cls, hosts: Iterable[str]) -> Self:
        """To hosts as a person grants them: `api.example.com`, `localhost:8000`, or `*` for all that are public."""
        given = tuple(hosts)
        return cls(tuple(_granted(host) for host in given if host != ANY_HOST), elsewhere=ANY_HOST in given)

    def check(self, host: str, port: int) -> IPAddress | None:
        """Judge a host by its spelling, before it is looked up; the address if it is one.

        Raises:
            HostRefused: It may not be reached, wherever it is.
        """
        plain = _plain(host)
        if not 0 < port < 65536:
            raise HostRefused(f"{host!r} has no port between 1 and 65535.", fix="Check the address.")
        if not self.elsewhere and not self._is_named(plain, port):
            raise HostRefused(
                f"{plain}:{port} is not among the approved hosts.",
                fix="Add it to the hosts of this component, and approve it.",
            )
        if itself.is_named(plain, port):
            raise _own(plain, port)
        if plain in METADATA_NAMES and not self._is_unlimited():
            raise _refused(host, None, AddressScope.NEVER)
        written = address_in(plain)
        if written is None:
            return None
        self._check_address(plain, port, written[0])
        return written[0]

    async def addresses(self, host: str, port: int) -> list[IPAddress]:
        """The addresses of a host, after all of them were found to be allowed.

        Raises:
            HostRefused: The host or one of its addresses may not be reached.
            OSError: The name is not known.
        """
        written = self.check(host, port)
        if written is not None:
            return [written]
        return self._judged(host, port, await look_up(_plain(host), port))

    def addresses_now(self, host: str, port: int) -> list[IPAddress]:
        """The same for code in a thread of its own: blocks."""
        written = self.check(host, port)
        return [written] if written is not None else self._judged(host, port, look_up_now(_plain(host), port))

    async def open_connection(
        self, host: str, port: int, *, timeout_s: float = CONNECT_S
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to a host.

        Raises:
            HostRefused: It may not be reached.
            OSError: It cannot be reached, or not in time.
        """
        async with asyncio.timeout(timeout_s):
            addresses = await self.addresses(host, port)
            for address in addresses[:-1]:
                try:
                    async with asyncio.timeout(FIRST_TRIES_S):
                        return await asyncio.open_connection(str(address), port)
                except OSError:  # TimeoutError is one; the next address has its turn
                    continue
            return await asyncio.open_connection(str(addresses[-1]), port)

    def _judged(self, host: str, port: int, found: Sequence[str]) -> list[IPAddress]:
        addresses = [ip_address(text) for text in found]
        if not addresses:
            raise OSError(f"The name {host!r} has no address.")
        for address in addresses:
            self._check_address(_plain(host), port, address)
        return addresses

    def _check_address(self, plain: str, port: int, address: IPAddress) -> None:
        reach = reach_of(address)
        if itself.listens_at(port) and is_of_this_machine(address):
            raise _own(plain, port)
        is_named = (plain, port) in self.named and _is_said_plainly(plain)
        is_fine = reach is AddressScope.PUBLIC or (reach is AddressScope.PRIVATE and (self.private or is_named))
        if not is_fine and not self._is_unlimited():
            raise _refused(plain, address, reach)

    def _is_named(self, plain: str, port: int) -> bool:
        # A public service may send a request from HTTP on to its HTTPS.
        return any(plain == host and (there in (None, port) or port == 443) for host, there in self.named)

    def _is_unlimited(self) -> bool:
        return is_private_allowed() if self.unlimited is None else self.unlimited


def place_of(url: str) -> tuple[str, int]:
    """Host and port of a URL.

    Raises:
        HostRefused: It has no host or no port.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or PORTS.get(parts.scheme)
    except ValueError as error:
        raise HostRefused(f"{url!r} is not a URL: {error}.", fix="Check the address.") from error
    if not host or port is None:
        raise HostRefused(f"{url!r} contains no reachable host.", fix="Enter an address such as https://….")
    return _plain(host), port


async def leads_to_studio(host: str) -> bool:
    """Whether a host, as a person grants it, is the studio itself: by its name, or since it leads there now."""
    if host == ANY_HOST:
        return False
    try:
        name, port = _granted(host)
        if port is None or not itself.listens_at(port):
            return itself.is_named(name, port)
        async with asyncio.timeout(CONNECT_S):
            await Guard(((name, port),), unlimited=True).addresses(name, port)
    except StudioRefused:
        return True
    except (HostRefused, OSError):  # also too late; where it then leads is seen when it is connected to
        return False
    return False


def _granted(text: str) -> Endpoint:
    """A host with or without a port; an IPv6 address with a port has brackets."""
    name, separator, port = text.rpartition(":")
    has_port = bool(separator) and port.isdecimal() and (":" not in name or name.endswith("]"))
    return (_plain(name), int(port)) if has_port else (_plain(text), None)


def _plain(host: str) -> str:
    try:
        return plain_host(host)
    except (ValueError, UnicodeError) as error:
        raise HostRefused(f"{host!r} is not a host name or address.", fix="Check the address.") from error


def _is_said_plainly(plain: str) -> bool:
    """Whether whoever approved the host could see that it is private, and nobody else can say where it leads."""
    written = address_in(plain)
    return is_local_name(plain) if written is None else written[1]


def _own(plain: str, port: int) -> StudioRefused:
    return StudioRefused(f"The studio itself is at {plain}:{port}; teams cannot call it.")


def _refused(host: str, address: IPAddress | None, reach: AddressScope) -> HostRefused:
    where = f" is at {str(address)!r}, which" if address is not None else ""
    if reach is AddressScope.NEVER:
        fix = f"Teams do not need it. The operator can allow it with `{SETTING}`."
    else:
        fix = f"Enter the address itself, with its port, in place of the host, or set `{SETTING}`."
    return HostRefused(f"{host!r}{where} is not on the public internet but {reach.value}.", fix=fix)
