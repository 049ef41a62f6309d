"""Who is signed in at this moment.

What the database says is remembered for some seconds. What this server changes is known at once; what `studio users`
changes beside it, after those seconds, in open event streams too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from studio.store import Role, Store, role_named
from studio.store.deployments import OpenedDeployment
from studio.store.sign_ins import hash_of
from studio.web.auth.access_token import Keys
from studio.web.auth.chat_tokens import ChatTokens, access_of, use_of
from studio.web.auth.oauth_tokens import AccessToken, OAuthTokens
from studio.web.auth.person import Caller, CallerRole, Guest, OAuthClient, Person, Sender, Visitor

FRESH_S = 5.0
UNUSED_FOR = timedelta(days=7)
"""After which a browser must sign in again."""
BROWSER_LASTS = timedelta(days=30)
SEEN_EVERY = timedelta(hours=1)
"""Use is written down no more often than that."""
MAX_REMEMBERED = 10_000


@dataclass(frozen=True)
class AuthContext:
    """Somebody who may come in. `csrf` must come with their changes, unless it is empty: programs have no cookies."""

    who: Person | Caller | Visitor | Guest | Sender | OAuthClient
    csrf: str
    key_hash: str = ""

    @property
    def person(self) -> Person:
        """Who asks, on all routes but those of deployments."""
        assert isinstance(self.who, Person)
        return self.who

    @property
    def opened(self) -> OpenedDeployment:
        """What who asks has opened, on the routes of deployments that need a key or a token."""
        assert isinstance(self.who, Caller | Visitor)
        return self.who.opened

    @property
    def guest(self) -> Guest:
        """Who asks, on the routes that lead to a token."""
        assert isinstance(self.who, Guest)
        return self.who


class SessionCache:
    """Knows the people behind keys."""

    def __init__(
        self, store: Store, keys: Keys, *, has_provider: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._keys = keys
        self.chat_tokens = ChatTokens(keys)
        self.oauth_tokens = OAuthTokens(keys)
        self._has_provider = has_provider
        self._clock = clock
        self._fresh_until = float("-inf")
        self._has_users = False
        self._known: dict[str, Person | None] = {}
        self._stirred = asyncio.Event()

    async def has_accounts(self) -> bool:
        """Whether people sign in here by name; otherwise the token opens the studio."""
        if self._clock() >= self._fresh_until:
            self._known.clear()
            self._has_users = self._has_provider or await self._store.users.count() > 0
            self._fresh_until = self._clock() + FRESH_S
        return self._has_users

    async def find(self, key: str, kind: str) -> AuthContext | None:
        """Who holds this key of a browser or a program."""
        key_hash = hash_of(key)
        person = await self._person(key_hash, kind)
        if person is None:
            return None
        return AuthContext(person, self._keys.csrf_for(key) if kind == "browser" else "", key_hash)

    def invalidate(self) -> None:
        """Users or sign-ins are not what they were: look again, also for who reads an event stream."""
        self._fresh_until = float("-inf")
        self._stirred.set()
        self._stirred = asyncio.Event()

    async def find_caller(self, key: str) -> AuthContext | None:
        """Who holds this key of a deployment. It is looked up each time: a key that was revoked opens nothing."""
        opened = await self._store.deployments.find_by_key(key)
        return AuthContext(Caller(opened), "", opened.key.key_hash) if opened else None

    async def find_client(self, token: AccessToken, resource: str) -> AuthContext | None:
        """The client of MCP that holds this token, which opens that one address, while the key behind it holds."""
        if token.resource != resource or token.is_expired(datetime.now(UTC)):
            return None
        opened = await self._store.deployments.opened_by(token.key_id, token.deployment_id)
        if opened is None or opened.key.opens != "oauth":
            return None
        return AuthContext(Caller(opened), "", opened.key.key_hash)

    async def find_link(self, key: str) -> OpenedDeployment | None:
        """The deployment whose chat page this link opens, whether that is turned on or not."""
        return await self._store.deployments.find_by_key(key, "link")

    async def find_visitor(self, token: str) -> AuthContext | None:
        """Who holds this token of a chat; it holds as long as the page is open to them in the same way."""
        found = self.chat_tokens.read(token)
        if found is None or found.is_expired(datetime.now(UTC)):
            return None
        opened = await self._store.deployments.opened_by(found.key_id, found.deployment_id)
        if opened is None or access_of(opened.deployment) != found.access or opened.key.opens != use_of(found.access):
            return None
        return AuthContext(Visitor(opened._replace(thread=found.chat), token), "", hash_of(token))

    async def may_still(self, admitted: AuthContext, role: Role | CallerRole) -> bool:
        """Whether somebody who was let in may do now what needs that role."""
        who = await self._now(admitted)
        return who is not None and who.may(role)

    async def wait_revoked(self, admitted: AuthContext, role: Role | CallerRole) -> None:
        """Return once somebody who was let in may no longer do what needs that role."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(FRESH_S):
                    await self._stirred.wait()
            if not await self.may_still(admitted, role):
                return

    async def _now(self, admitted: AuthContext) -> Person | Caller | Visitor | Guest | Sender | OAuthClient | None:
        if isinstance(admitted.who, Visitor):
            found = await self.find_visitor(admitted.who.token)
            return found.who if found else None
        if isinstance(admitted.who, Caller):
            return admitted.who if await self._store.deployments.holds(admitted.who.opened.key.id) else None
        if admitted.key_hash:
            return await self._person(admitted.key_hash, "browser" if admitted.csrf else "token")
        is_gone = admitted.csrf and await self.has_accounts()  # the owner's browser, and now there are users
        return None if is_gone else admitted.who

    async def _person(self, key_hash: str, kind: str) -> Person | None:
        await self.has_accounts()  # forgets what is no longer fresh
        kept = f"{kind} {key_hash}"
        if kept in self._known:
            return self._known[kept]
        stirred = self._stirred
        person = await self._looked_up(key_hash, kind)
        if stirred is self._stirred and len(self._known) < MAX_REMEMBERED:
            self._known[kept] = person
        return person

    async def _looked_up(self, key_hash: str, kind: str) -> Person | None:
        held = await self._store.sign_ins.find_by_key(key_hash)
        if held is None or held.sign_in.kind != kind:
            return None
        unused = datetime.now(UTC) - held.sign_in.seen_at
        if kind == "browser" and unused > UNUSED_FOR:
            return None
        if unused > SEEN_EVERY:
            await self._store.sign_ins.mark_seen(held.sign_in.id)
        return Person(held.user.id, held.user.name, role_named(held.user.role), held.sign_in.id)
