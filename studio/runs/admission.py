"""What a team must pass before it may run: it loads, nothing in it is unknown, and a person allowed what it can do."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol
from urllib.parse import quote

from pydantic import JsonValue

from studio.agents.participant import require_loaded
from studio.components import Capability, Component, all_capabilities, load_component, walk
from studio.components.secrets import SecretSource
from studio.errors import Forbidden
from studio.sandbox import Jail, UnavailableJail
from studio.sandbox.grants import Grants
from studio.teams import Team


class NotApproved(Forbidden):
    """Nobody allowed these capabilities yet."""

    code = "not_approved"

    def __init__(self, missing: Sequence[Capability], *, team_id: str = "") -> None:
        first = missing[0]
        more = f" And {len(missing) - 1} more." if len(missing) > 1 else ""
        super().__init__(
            f"Not approved yet: {first.text}{more}", fix="Read what the team can do and approve it.", where=first.where
        )
        self.missing = tuple(missing)
        self.team_id = team_id

    def as_json(self) -> dict[str, object]:
        """With the page on which a person decides, where the team is stored."""
        missing = [capability.as_json() for capability in self.missing]
        review = {"review": f"/teams/{quote(self.team_id, safe='')}/review"} if self.team_id else {}
        return {**super().as_json(), "missing": missing, **review}


class ApprovalSource(Protocol):
    """Knows what people have allowed."""

    async def active_for(self, hashes: Collection[str], *, team_id: str = "") -> Mapping[str, Sequence[str]]:
        """Those of the hashes that are allowed in runs of a team, each with the hosts that its code may reach."""
        ...


class SecretVault(Protocol):
    """Knows the studio's own secrets."""

    async def source(self) -> SecretSource:
        """What finds the value of a reference during one run."""
        ...


def load_team(document: JsonValue) -> Team:
    """Make the team, complete.

    Raises:
        InvalidComponent: It does not load, or parts of it are of no kind that this studio knows.
    """
    team = load_component(document, Team)
    require_loaded(team)
    return team


def require_jail(component: Component, jail: Jail) -> None:
    """Raise JailUnavailable when there is code in it and nothing that could confine it."""
    if isinstance(jail, UnavailableJail) and has_code(component):
        raise jail.refusal()


def has_code(component: Component) -> bool:
    """Whether anything in it runs code."""
    return any(part.needs_jail for _, part in walk(component))


async def check_approved(component: Component, approvals: ApprovalSource, *, team_id: str = "") -> Grants:
    """Raise when a team, or a part of one, could do something that nobody allowed; what its code may reach otherwise.

    Args:
        component: What is to run.
        approvals: What people have allowed.
        team_id: The stored team that it belongs to: some things are allowed for one team alone.

    Raises:
        NotApproved: With all that is missing, each once.
    """
    needed = {capability.hash: capability for capability in await asyncio.to_thread(all_capabilities, component)}
    allowed = await approvals.active_for(needed, team_id=team_id)
    missing = [capability for key, capability in needed.items() if key not in allowed]
    if missing:
        raise NotApproved(missing, team_id=team_id)
    return Grants({key: tuple(hosts) for key, hosts in allowed.items() if hosts}, frozenset(needed), team_id)
