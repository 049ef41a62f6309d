"""What a team must pass before it may run: it loads, nothing in it is unknown, and a person allowed what it can do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from pydantic import JsonValue

from studio.agents.participant import require_loaded
from studio.components import Capability, Component, all_capabilities, load_component
from studio.components.secrets import SecretSource
from studio.errors import Forbidden
from studio.runs.log import Changes
from studio.teams import Team


class NotApproved(Forbidden):
    """Nobody allowed these capabilities yet."""

    code = "not_approved"

    def __init__(self, missing: Sequence[Capability]) -> None:
        first = missing[0]
        more = f" And {len(missing) - 1} more." if len(missing) > 1 else ""
        super().__init__(
            f"Not approved yet: {first.text}{more}", fix="Read what the team can do and approve it.", where=first.where
        )
        self.missing = tuple(missing)

    def as_json(self) -> dict[str, object]:
        return {**super().as_json(), "missing": [capability.as_json() for capability in self.missing]}


class ApprovalSource(Protocol):
    """Knows what people have allowed."""

    async def approved(self, hashes: Collection[str]) -> frozenset[str]:
        """Those of the hashes that are allowed."""
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


async def remind(team: Team, changes: Changes) -> None:
    """Let a team know of the earlier tasks of its session what it knew when the run began."""
    if changes.began_with:
        await team.load_state(changes.began_with)


async def check_approved(component: Component, approvals: ApprovalSource) -> None:
    """Raise when a team, or a part of one, could do something that nobody allowed.

    Raises:
        NotApproved: With all that is missing, each once.
    """
    needed = {capability.hash: capability for capability in all_capabilities(component)}
    allowed = await approvals.approved(needed)
    missing = [capability for key, capability in needed.items() if key not in allowed]
    if missing:
        raise NotApproved(missing)
