"""Who a request comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studio.errors import Forbidden
from studio.store import ROLES, Role
from studio.store.deployments import OpenedDeployment

CallerRole = Literal["caller", "visitor", "guest", "sender", "client"]
CALLER: CallerRole = "caller"
"""What the routes of deployments need. No role of a person includes it, and it includes none."""
VISITOR: CallerRole = "visitor"
"""What the messages of a chat page need: the token of one chat."""
GUEST: CallerRole = "guest"
"""What anybody may: get the chat page itself, which says nothing, and ask for a token."""

SENDER: CallerRole = "sender"
"""What hooks need: nothing that the guard could see. The hook itself checks the signature, which needs the body."""
CLIENT: CallerRole = "client"
"""What the addresses of OAuth need: nothing that the guard could see. A client shows there what it was given."""


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
        return role in ROLES and ROLES.index(self.role) >= ROLES.index(role)

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


OWNER = Person("", "owner", "admin")
"""The one person of a studio without users. What they did is read by others once there are users."""
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


@dataclass(frozen=True)
class Visitor:
    """A browser with the token of one chat. It opens the messages of that chat, nothing else."""

    opened: OpenedDeployment
    token: str

    @property
    def name(self) -> str:
        """For logs."""
        return f"visitor by {self.opened.key.label}"

    def may(self, role: Role | CallerRole) -> bool:
        """Only what is for visitors."""
        return role == VISITOR

    def lacks(self, role: Role | CallerRole) -> NeedsRole:
        del role
        return NeedsRole("A chat token is valid only for the messages of its chat.")


@dataclass(frozen=True)
class Guest:
    """Who comes to a chat page without a token: perhaps with a link, perhaps signed in to the studio."""

    link: OpenedDeployment | None = None
    person: Person | None = None

    @property
    def name(self) -> str:
        """For logs."""
        return "guest"

    def may(self, role: Role | CallerRole) -> bool:
        """Only what is for guests."""
        return role == GUEST

    def lacks(self, role: Role | CallerRole) -> NeedsRole:
        del role
        return NeedsRole("This needs the token of a chat.", fix="Open the chat page again.")


@dataclass(frozen=True)
class Sender:
    """A service that posts to a hook; who it is, the hook tells by its signature."""

    @property
    def name(self) -> str:
        """For logs."""
        return "sender"

    def may(self, role: Role | CallerRole) -> bool:
        """Only what is for senders."""
        return role == SENDER

    def lacks(self, role: Role | CallerRole) -> NeedsRole:
        del role
        return NeedsRole("Only hooks answer at this address.")


@dataclass(frozen=True)
class OAuthClient:
    """A program that asks, by OAuth, how it could be let in, or brings what a person gave it."""

    @property
    def name(self) -> str:
        """For logs."""
        return "client"

    def may(self, role: Role | CallerRole) -> bool:
        """Only what is for clients."""
        return role == CLIENT

    def lacks(self, role: Role | CallerRole) -> NeedsRole:
        del role
        return NeedsRole("Only clients of OAuth are answered at this address.")
