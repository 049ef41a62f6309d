"""A request that was let in: whether its role suffices, what is written down of it, and how long it may go on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from anyio import CancelScope
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Send

from studio.errors import Forbidden
from studio.store import Role
from studio.web.auth.person import CallerRole
from studio.web.auth.request_info import RequestInfo
from studio.web.auth.revocation import StreamRevocation
from studio.web.auth.roles import RouteAccess
from studio.web.auth.session_cache import AuthContext
from studio.web.auth.sessions import Accounts

AUTH_CONTEXT = "studio.admitted"
"""Where the guard leaves in the scope whom it has let in."""
SUBJECT = "studio.subject"
"""Where a route may leave in the scope what the audit log shall say that it is about, in place of its path."""
CONNECTION_LOST = "broken off"
"""What came of a change that was not answered to its end, since its sign-in ended or the server did."""


class NoRole(Forbidden):
    """Raised for a route of which nobody has said who may use it."""

    code = "no_role"


@dataclass(frozen=True)
class Authorization:
    """One request, who makes it, and the route that it will reach; "" when there is none."""

    request: RequestInfo
    admitted: AuthContext
    route: str
    need: RouteAccess | None
    accounts: Accounts

    @property
    def refusal(self) -> Forbidden | None:
        """Why it may not go on, if it may not."""
        if not self.route:
            return None  # the application answers that there is nothing there
        if self.need is None:
            return NoRole("No role is configured for this route.", fix="Give it one in the table of roles.")
        return None if self.admitted.who.may(self.need.role) else self.admitted.who.lacks(self.need.role)

    async def record(self, outcome: str) -> None:
        """Write down that it was done, or refused."""
        who = self.admitted.who.name
        subject = self.request.scope.get(SUBJECT, self.request.path)
        await self.accounts.record(who, self.route, self.request.address, outcome, object=subject)

    async def __call__(self, app: ASGIApp, receive: Receive, send: Send) -> None:
        """Let the application answer."""
        if not self.need or not (self.admitted.key_hash or self.admitted.csrf):
            await self._answered(app, receive, send)
            return
        receive = self._still_in(receive, self.need.role)
        until_gone = partial(self.accounts.presence.wait_revoked, self.admitted, self.need.role)
        ends = StreamRevocation(receive, send, until_gone)
        await self._answered(app, ends.receive, ends.send)
        if ends.has_ended and self.need.is_change:
            await self.record(CONNECTION_LOST)

    def _still_in(self, receive: Receive, role: Role | CallerRole) -> Receive:
        """A body comes as slowly as its sender likes: who may no longer do this when it has come is refused."""
        is_whole = False

        async def receive_checked() -> Message:
            nonlocal is_whole
            message = await receive()
            if not is_whole and message["type"] == "http.request" and not message.get("more_body", False):
                is_whole = True
                if self.request.has_body and not await self.accounts.presence.may_still(self.admitted, role):
                    raise HTTPException(403, "Your access ended while the request was being sent.")
            return message

        return receive_checked

    async def _answered(self, app: ASGIApp, receive: Receive, send: Send) -> None:
        """The same; what comes of a change is written down."""
        if not (self.need and self.need.is_change):
            await app(self.request.scope, receive, send)
            return
        is_recorded = False

        async def recording(message: Message) -> None:
            nonlocal is_recorded
            if message["type"] == "http.response.start" and not is_recorded:
                is_recorded = True
                await self.record(str(message["status"]))  # before anybody is told that it is done
            await send(message)

        try:
            await app(self.request.scope, receive, recording)
        except BaseException as error:  # also a server that stops and waits no longer
            if not is_recorded:
                with CancelScope(shield=True):
                    await self.record("500" if isinstance(error, Exception) else CONNECTION_LOST)
            raise
