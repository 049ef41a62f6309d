"""What people granted the code of one run beyond running: the hosts that it may reach."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from studio.components import Capability
from studio.components.folders import folder_rules

_PLAIN_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,63}")

NO_NETWORK = "This code has no network access. An approver can allow hosts in the team's review."
"""What is said where code fails for want of a network; pages lead from it to the review (chat-tools.js)."""

ANY_HOST = "*"
"""Stands for every host that the egress guard lets through."""


def _nothing() -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Grants:
    """The network that code was given, by the hash of its capability.

    Args:
        hosts: Names or `name:port` for each hash, or `ANY_HOST`. Nothing said means no network.
        approved: The hashes of all that the run may do.
        team_id: The stored team whose own folder the run works in; without one it has a folder of its own.
    """

    hosts: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    approved: frozenset[str] = frozenset()
    team_id: str = ""

    def hosts_for(self, capability_hash: str) -> tuple[str, ...]:
        """Where the thing of that hash may connect to; empty for no network."""
        return self.hosts.get(capability_hash, ())


NOTHING = Grants()

grants: ContextVar[Grants] = ContextVar("studio_grants", default=NOTHING)
"""The grants of the run that is under way here. The run's driver sets it; empty elsewhere, so nothing is open."""


def enter(given: Grants, run_id: str) -> None:
    """Let what runs in this context do what it was granted, and no more."""
    grants.set(given)
    rules = folder_rules.get()
    if rules is not None:
        name = own_folder_name(given.team_id) if given.team_id else own_folder_name(run_id, "run-")
        own, databases = rules.own / name, rules.databases / name
        folder_rules.set(replace(rules, own=own, databases=databases, approved=given.approved))


def own_folder_name(owner_id: str, kind: str = "") -> str:
    """What the own folder of a team or a run is called."""
    return f"{kind}{owner_id if _PLAIN_NAME.fullmatch(owner_id) else hashlib.sha256(owner_id.encode()).hexdigest()}"


def granted_hosts(capabilities: Iterable[Capability]) -> tuple[str, ...]:
    """What a component with these capabilities may reach in this run."""
    known = grants.get()
    return tuple(dict.fromkeys(host for item in capabilities for host in known.hosts_for(item.hash)))
