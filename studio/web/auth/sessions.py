"""The accounts of a running studio: who is here, and how somebody gets in."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from studio.errors import ConfigError, Conflict, Forbidden
from studio.settings import Settings
from studio.store import LastAdmin, StorageUnavailable, Store
from studio.store.sign_ins import SignIns
from studio.store.tables import User
from studio.web.auth.access_token import Keys
from studio.web.auth.oidc import Identity, Provider, SignInFailed, open_provider
from studio.web.auth.passwords import Passwords
from studio.web.auth.session_cache import BROWSER_LASTS, SessionCache
from studio.web.connections import network_of

logger = logging.getLogger(__name__)
MAX_WRONG_PER_ADDRESS = 20
"""Wrong passwords and tokens that one address may send in a minute; a person who mistypes stays far below."""
MAX_WRONG_PER_NAME = 10
ANONYMOUS = "unknown"
"""Who tried a name that nobody has. The name is not kept: people type passwords into the wrong box."""


@asynccontextmanager
async def open_accounts(settings: Settings, store: Store, keys: Keys) -> AsyncGenerator[Accounts]:
    """The accounts of a studio, for as long as it runs.

    Raises:
        SetupError: The settings of the identity provider do not fit together.
    """
    async with open_provider(settings, keys, store.sign_ins) as provider:
        presence = SessionCache(store, keys, has_provider=provider is not None)
        yield Accounts(store, presence, Passwords(), provider, bool(settings.token))


@dataclass
class Accounts:
    """Lets people in by password or by the identity provider."""

    store: Store
    presence: SessionCache
    passwords: Passwords
    provider: Provider | None
    token_is_named: bool
    """Whether the operator chose the studio's token; only then it goes on to open the API beside the users."""

    @property
    def sign_ins(self) -> SignIns:
        return self.store.sign_ins

    async def wait_s(self, address: str) -> int:
        """Seconds until somebody may try again from that address."""
        return await self.store.wrong_guesses.wait_s(_limits(address))

    async def count_wrong(self, address: str) -> int:
        """Count a wrong guess from that address, or the seconds until somebody may try again from there."""
        return await self.store.wrong_guesses.count(_limits(address))

    async def with_password(self, name: str, password: str, address: str) -> User | None:
        """Whose name and password these are. It takes as long to find out that there is no such user.

        Raises:
            TooManyGuesses: Nobody may try again yet from that address, or under that name.
        """
        limits = _limits(address, name)
        if wait_s := await self.store.wrong_guesses.count(limits):
            raise TooManyGuesses(wait_s)
        user = await self.store.users.named(name)
        if not await self.passwords.is_right(password, user.password if user else None):
            await self.record(user.name if user else ANONYMOUS, "sign in", address, "refused")
            return None
        await self.store.wrong_guesses.take_back(limits.keys())
        return user

    async def with_identity(self, identity: Identity, address: str) -> User:
        """The user of that identity; somebody new is a viewer unless the provider says more.

        Raises:
            SignInFailed: Another user has the name, or it cannot be one.
        """
        users = self.store.users
        user = await users.identified(identity.key) or await self._awaited(identity)
        if user is None:
            try:
                user = await users.add(identity.name, identity.role or "viewer", identity=identity.key)
            except (Conflict, ConfigError) as error:
                await self.record(ANONYMOUS, "sign in", address, "refused: name taken")
                raise SignInFailed(
                    "Your name cannot be used here, or is taken.", fix="Contact the administrator."
                ) from error
            await self.record(user.name, "become a user", address, user.role)
        elif identity.role and identity.role != user.role:
            try:
                user = await users.set_role(user.id, identity.role)
            except LastAdmin:
                return user
            await self.record(user.name, "get a role from the identity provider", address, user.role)
        self.presence.invalidate()
        return user

    async def _awaited(self, identity: Identity) -> User | None:
        """A user without password, whom an admin has added by the address that the provider has proven."""
        user = await self.store.users.named(identity.name) if identity.has_proven_address else None
        if user is None or user.password or user.identity:
            return None
        await self.store.users.identify(user.id, identity.key)
        return user

    async def open(self, user: User, address: str, label: str) -> str:
        """The key of a new browser of that user."""
        _, key = await self.sign_ins.add(user.id, "browser", BROWSER_LASTS, label=label, address=address)
        await self.record(user.name, "sign in", address, "signed in")
        return key

    async def make_token(self, user_id: str, label: str, lasts: timedelta) -> tuple[str, str]:
        """Id and key of a new token."""
        sign_in, key = await self.sign_ins.add(user_id, "token", lasts, label=label)
        return sign_in.id, key

    async def record(self, who: str, action: str, address: str, outcome: str, *, object: str = "") -> None:
        """Write it to the audit log; to the server's log where the database cannot be written."""
        try:
            await self.store.audit.add(who, action, object=object, address=address, outcome=outcome)
        except StorageUnavailable as error:
            done = f"{who!r} {action!r} {object!r} from {address!r}: {outcome}"
            logger.error("Not in the audit log: %s. %s", done, error.what)


class TooManyGuesses(Forbidden):
    """Raised instead of looking at a password."""

    def __init__(self, wait_s: int) -> None:
        super().__init__("Too many attempts.", fix=f"Try again in {wait_s} s.")
        self.wait_s = wait_s


def _limits(address: str, name: str = "") -> dict[str, int]:
    """How many wrong guesses are allowed from an address, and about a name."""
    limits = {_digest("address", network_of(address)): MAX_WRONG_PER_ADDRESS}
    return {**limits, _digest("name", _as_compared(name)): MAX_WRONG_PER_NAME} if name else limits


def _digest(kind: str, subject: str) -> str:
    return hashlib.sha256(f"{kind}:{subject}".encode("utf-8", "replace")).hexdigest()


def _as_compared(name: str) -> str:
    """A user's name in the one spelling that `Users.named` looks for, and no longer than one can be."""
    return name.strip().casefold()[:200]
