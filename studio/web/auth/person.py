"""Who a request comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studio.errors import Forbidden
from studio.store import ROLES, Role
from studio.store.deployments import OpenedDeployment

CallerRole = Literal["caller"]
CALLER: CallerRole = "caller"
"""What the routes of deployments need. No role of a person includes it, and it includes none."""


class NeedsRole(Forbidden):
    """Raised when somebody is in, but may not do this."""

    code = "needs_role"


@dataclass(frozen=True)
class Person:
    """Somebody who was let in. `id` and `sign_in` are empty for who holds the studio's own token."""

    id: str
    name: str
    role: Role
    sign_in: str = ""

    def may(self, role: Role | CallerRole) -> bool:
        """Whether they may do what needs that role."""
        return role != CALLER and ROLES.index(self.role) >= ROLES.index(role)

    def signed(self, author: str) -> str:
        """What a version says of who saved it: `NAME#BROWSER`, of which a browser only tells the second by itself."""
        return f"{self.name}#{author.partition('#')[2]}" if self.id else author

    def must(self, role: Role) -> None:
        """Hold that they may, for what the route alone does not tell.

        Raises:
            NeedsRole: They may not.
        """
        if not self.may(role):
            raise self.lacks(role)

    def lacks(self, role: Role | CallerRole) -> NeedsRole:
        """Why they are refused, and who could help."""
        return NeedsRole(f"This needs the role {role}; yours is {self.role}.", fix="Ask an admin of this studio.")


OWNER = Person("", "you", "admin")
"""The one person of a studio without users."""
TOKEN_HOLDER = Person("", "access token", "admin")
"""A program with the operator's token, in a studio that has users."""


@dataclass(frozen=True)
class Caller:
    """Who holds a key of a deployment: neither a person nor the owner. The key opens that deployment, nothing else."""

    opened: OpenedDeployment

    @property
    def name(self) -> str:
        """For logs."""
        return f"caller {self.opened.key.label}"

    def may(self, role: Role | CallerRole) -> bool:
        """Only what is for callers."""
        return role == CALLER

    def lacks(self, role: Role | CallerRole) -> NeedsRole:
        del role
        return NeedsRole("A caller key is valid only for its deployment.")
