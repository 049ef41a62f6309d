"""What people granted the code of one run beyond running: the hosts that it may reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType

from studio.components import Capability

ANY_HOST = "*"
"""Stands for every host that the egress guard lets through."""


def _nothing() -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Grants:
    """The network that code was given, by the hash of its capability.

    Args:
        hosts: Names or `name:port` for each hash, or `ANY_HOST`. Nothing said means no network.
    """

    hosts: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)

    def hosts_for(self, capability_hash: str) -> tuple[str, ...]:
        """Where the thing of that hash may connect to; empty for no network."""
        return self.hosts.get(capability_hash, ())


NOTHING = Grants()

grants: ContextVar[Grants] = ContextVar("studio_grants", default=NOTHING)
"""The grants of the run that is under way here. The run's driver sets it; empty elsewhere, so nothing is open."""


def granted_hosts(capabilities: Iterable[Capability]) -> tuple[str, ...]:
    """What a component with these capabilities may reach in this run."""
    known = grants.get()
    return tuple(dict.fromkeys(host for item in capabilities for host in known.hosts_for(item.hash)))
