"""Which internet addresses are public, which belong to the machine or network around the studio, and which nobody's
team has any business with."""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from enum import Enum
from functools import lru_cache

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

NAT64 = ipaddress.ip_network("64:ff9b::/96")
GLOBAL = ipaddress.ip_network("2000::/3")
"""All that is given out of IPv6 as public; Python takes more for it, such as the old site-local addresses."""
NOT_ROUTED = tuple(map(ipaddress.ip_network, ("192.88.99.0/24", "3fff::/20")))
"""Ranges that Python takes for public: old 6to4 relays, and documentation."""
ISATAP = frozenset((0x00005EFE, 0x02005EFE))
"""The third quarter of an IPv6 address that carries an IPv4 one inside (RFC 5214)."""
METADATA = frozenset(
    map(
        ipaddress.ip_address,
        (
            "100.100.100.200",  # Alibaba
            "168.63.129.16",  # Azure's wire server, a public address
            "192.0.0.192",  # Oracle
            "fd00:42::42",  # Scaleway
            "fd00:ec2::23",  # Amazon, for pods
            "fd00:ec2::254",  # Amazon
            "fd20:ce::254",  # Google
        ),
    )
)
"""Where machines of a cloud get their own keys from, beside the link-local addresses."""
METADATA_NAMES = frozenset(("metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"))
LOCAL_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home", ".corp", ".intranet", ".private", ".home.arpa")
"""Ends of names that the public DNS does not give away, so that no stranger decides where they lead."""
_NUMBERS = re.compile(r"[0-9a-fx.]+")


class AddressScope(Enum):
    """Where an address lies."""

    PUBLIC = "on the public internet"
    PRIVATE = "on this machine or in its network"
    NEVER = "link-local, multicast or a cloud's metadata service"


def reach_of(address: IPAddress) -> AddressScope:
    """Where an address lies; one that carries another inside is judged by both."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = _inside(address)
        if inner is not None:
            return reach_of(inner)
    if address.is_link_local or address.is_multicast or address in METADATA:
        return AddressScope.NEVER
    is_public = address.is_global and not (address.is_reserved or address.is_unspecified)
    is_given_out = address.version == 4 or address in GLOBAL
    is_routed = is_given_out and not any(address in network for network in NOT_ROUTED)
    return AddressScope.PUBLIC if is_public and is_routed else AddressScope.PRIVATE


def is_public(address: IPAddress) -> bool:
    """True for an address of the public internet."""
    return reach_of(address) is AddressScope.PUBLIC


def _inside(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
    number = int(address)
    if inner is None and (address in NAT64 or number >> 32 & 0xFFFFFFFF in ISATAP):
        return ipaddress.IPv4Address(number & 0xFFFFFFFF)
    return inner


def is_of_this_machine(address: IPAddress) -> bool:
    """Whether a connection to the address ends on this machine."""
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as trial:
        try:
            trial.bind((str(address), 0))  # sends nothing; an address of another machine cannot be taken
        except OSError:
            return False
    return True


@lru_cache(maxsize=1024)
def plain_host(host: str) -> str:
    """A host as it is compared: lower case ASCII, without brackets and the dot at the end.

    Raises:
        ValueError: It is none.
    """
    text = unicodedata.normalize("NFKC", host).lower().removeprefix("[").removesuffix("]").removesuffix(".")
    text = text.encode("idna").decode("ascii")
    if not text or any(character in text for character in "%/\\@?# \t\r\n\0"):
        raise ValueError("neither a name nor an address")
    return text


def address_in(host: str) -> tuple[IPAddress, bool] | None:
    """The address that a plain host spells, and whether it is written as addresses usually are; None for a name.

    `0x7f.1` and `2130706433` are addresses too, for whoever opens a connection.
    """
    try:
        return ipaddress.ip_address(host), True
    except ValueError:
        pass
    if not _NUMBERS.fullmatch(host):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host)), False
    except OSError:
        return None


def is_local_name(host: str) -> bool:
    """Whether only this machine or its network says where a plain name leads: `localhost`, `ollama`, `nas.lan`."""
    return "." not in host or host.endswith(LOCAL_SUFFIXES)
