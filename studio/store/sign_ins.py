"""Ways in that users hold: browsers that signed in, and tokens of their programs. Each can be ended at any time."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple
from uuid import uuid4

from sqlmodel import col, delete, select

from studio.errors import NotFound
from studio.store.database import Database
from studio.store.tables import SignIn, UsedState, User

Kind = Literal["browser", "token"]
TOKEN_PREFIX = "studio_"
"""Tokens are found in logs and repositories by it."""


class AuthenticatedSignIn(NamedTuple):
    """A sign-in and whose it is."""

    sign_in: SignIn
    user: User


def hash_of(key: str) -> str:
    """What is kept of a key. It is random and long, so that a plain digest cannot be turned back."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


class SignIns:
    """All ways in. Nobody who reads the database can use them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def use_state(self, state: str, expires_at: datetime) -> bool:
        """Whether the state of a sign-in with a provider was not used before. From now on it was."""
        now = datetime.now(UTC)
        async with self._database.write() as session:
            await session.exec(delete(UsedState).where(col(UsedState.expires_at) <= now))
            if await session.get(UsedState, hash_of(state)) is not None:
                return False
            session.add(UsedState(state_hash=hash_of(state), expires_at=expires_at))
        return True

    async def add(
        self, user_id: str, kind: Kind, lasts: timedelta, *, label: str = "", address: str = ""
    ) -> tuple[SignIn, str]:
        """A new way in, and its key, which is told this once. Those that have expired are forgotten."""
        now = datetime.now(UTC)
        key = (TOKEN_PREFIX if kind == "token" else "") + secrets.token_urlsafe(32)
        sign_in = SignIn(
            id=uuid4().hex,
            user_id=user_id,
            kind=kind,
            label=label,
            key_hash=hash_of(key),
            address=address,
            created_at=now,
            seen_at=now,
            expires_at=now + lasts,
        )
        async with self._database.write() as session:
            await session.exec(delete(SignIn).where(col(SignIn.expires_at) <= now))
            session.add(sign_in)
        return sign_in, key

    async def find_by_key(self, key_hash: str) -> AuthenticatedSignIn | None:
        """The way in of that key, unless it has ended or expired."""
        wanted = select(SignIn, User).where(SignIn.user_id == User.id, SignIn.key_hash == key_hash)
        async with self._database.read() as session:
            found = (await session.exec(wanted)).first()
        return AuthenticatedSignIn(*found) if found and found[0].expires_at > datetime.now(UTC) else None

    async def mark_seen(self, sign_in_id: str) -> None:
        """Keep that it was used just now."""
        async with self._database.write() as session:
            if sign_in := await session.get(SignIn, sign_in_id):
                sign_in.seen_at = datetime.now(UTC)

    async def list(self, user_id: str | None = None) -> Sequence[SignIn]:
        """Those of a user, or all, the latest used first."""
        wanted = select(SignIn).where(col(SignIn.expires_at) > datetime.now(UTC))
        if user_id is not None:
            wanted = wanted.where(SignIn.user_id == user_id)
        async with self._database.read() as session:
            return (await session.exec(wanted.order_by(col(SignIn.seen_at).desc(), col(SignIn.id)))).all()

    async def end(self, sign_in_id: str, user_id: str) -> None:
        """End one of a user's own.

        Raises:
            NotFound: There is none, or it is somebody else's.
        """
        async with self._database.write() as session:
            sign_in = await session.get(SignIn, sign_in_id)
            if sign_in is None or sign_in.user_id != user_id:
                raise NotFound(f"There is no sign-in {sign_in_id!r}.")
            await session.delete(sign_in)

    async def end_all(self, user_id: str, *, but: str = "", kind: Kind | None = None) -> None:
        """End all of a user's, but perhaps the one that is used now."""
        theirs = delete(SignIn).where(col(SignIn.user_id) == user_id, col(SignIn.id) != but)
        async with self._database.write() as session:
            await session.exec(theirs if kind is None else theirs.where(col(SignIn.kind) == kind))
