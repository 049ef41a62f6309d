"""What people allow clients of MCP: a code that is good once, and the key that comes of it."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import uuid4

from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from studio.deployments import make_key
from studio.deployments.keys import REFRESH_PREFIX
from studio.deployments.oauth import CODE_LASTS, REFRESH_LASTS, OAuthRefused, is_verified
from studio.store.database import Database
from studio.store.deployment_tables import CallerKey, OAuthGrant
from studio.store.deployments import key_state
from studio.store.sign_ins import hash_of

CODE_BYTES = 32


class NewGrant(NamedTuple):
    """What a person allowed, and whom."""

    deployment_id: str
    client_id: str
    client_name: str
    redirect_uri: str
    challenge: str
    resource: str
    by: str


class GivenAccess(NamedTuple):
    """What a client may do now, and the one thing that renews it."""

    key: CallerKey
    resource: str
    refresh_token: str


class OAuthGrants:
    """All that people allowed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, new: NewGrant) -> str:
        """Keep what a person allowed; the code that the client gets for it."""
        code, now = secrets.token_urlsafe(CODE_BYTES), datetime.now(UTC)
        async with self._database.write() as session:
            session.add(
                OAuthGrant(
                    id=uuid4().hex,
                    **new._asdict(),
                    created_at=now,
                    expires_at=now + CODE_LASTS,
                    code_hash=hash_of(code),
                )
            )
        return code

    async def prune(self, now: datetime) -> None:
        """Delete the codes that came to nothing."""
        forgotten = col(OAuthGrant.key_id).is_(None) & (col(OAuthGrant.expires_at) < now)
        async with self._database.write() as session:
            await session.exec(delete(OAuthGrant).where(forgotten))

    async def exchange(
        self, code: str, client_id: str, redirect_uri: str, verifier: str, resource: str | None
    ) -> GivenAccess:
        """A key for a code. A code that comes again was stolen, before or after: its key ends.

        Raises:
            OAuthRefused: The code is unknown, used, expired or another client's.
        """
        now = datetime.now(UTC)
        key, refresh_token = _new_key(now)
        by_code = select(OAuthGrant).where(OAuthGrant.code_hash == hash_of(code))
        if not await self._finds(by_code):
            raise _not_valid("code", is_guess=True)
        async with self._database.write() as session:
            grant = (await session.exec(by_code)).first()
            if grant is None:
                raise _not_valid("code")
            is_theirs = (grant.client_id, grant.redirect_uri) == (client_id, redirect_uri)
            if not is_theirs or not is_verified(verifier, grant.challenge) or grant.expires_at <= now:
                raise _not_valid("code")
            _check_resource(resource, grant)
            is_first = grant.key_id is None
            if is_first:
                grant.key_id = key.id
                key.deployment_id, key.label, key.by = grant.deployment_id, grant.client_name, grant.by
                key.seen_at = now
                session.add(key)
            else:
                await _revoke_key_of(session, grant, now)
        if not is_first:
            raise _not_valid("code")
        return GivenAccess(key, grant.resource, refresh_token)

    async def renew(self, refresh_token: str, client_id: str, resource: str | None) -> GivenAccess:
        """Renew access; the token that renewed it is replaced. One that was replaced ends all that came of it.

        All tokens of a grant begin with its first one, so any of them is known, however long ago it was replaced.

        Raises:
            OAuthRefused: The token renews nothing, or not for this client.
        """
        now, given_hash = datetime.now(UTC), hash_of(refresh_token)
        first = refresh_token.partition(".")[0]
        fresh, token = _new_key(now, f"{first}.")
        by_key = select(CallerKey).where(CallerKey.key_hash == given_hash, CallerKey.opens == "oauth")
        by_former = select(OAuthGrant).where(OAuthGrant.former_hash == hash_of(first))
        if not await self._finds(by_key, by_former):
            raise _not_valid("refresh token", is_guess=True)
        async with self._database.write() as session:
            key = (await session.exec(by_key)).first()
            known = by_former if key is None else select(OAuthGrant).where(OAuthGrant.key_id == key.id)
            grant = (await session.exec(known)).first()
            is_current = (
                key is not None
                and grant is not None
                and grant.client_id == client_id
                and key_state(key, now) == "valid"
            )
            if is_current and key is not None and grant is not None:
                _check_resource(resource, grant)
                grant.former_hash = hash_of(first)
                key.key_hash, key.ending, key.expires_at = fresh.key_hash, fresh.ending, fresh.expires_at
                key.seen_at = now
            elif grant is not None and key is None:
                await _revoke_key_of(session, grant, now)
        if not is_current or key is None or grant is None:
            raise _not_valid("refresh token")
        return GivenAccess(key, grant.resource, token)

    async def _finds(self, *queries: SelectOfScalar[CallerKey] | SelectOfScalar[OAuthGrant]) -> bool:
        """Whether there is anything, so that strangers get no place among those who write."""
        async with self._database.read() as session:
            for query in queries:
                if (await session.exec(query)).first() is not None:
                    return True
        return False


def _new_key(now: datetime, begins: str = REFRESH_PREFIX) -> tuple[CallerKey, str]:
    token, ending = make_key("oauth")
    token = begins + token.removeprefix(REFRESH_PREFIX)
    key = CallerKey(
        id=uuid4().hex,
        deployment_id="",
        label="",
        key_hash=hash_of(token),
        ending=ending,
        opens="oauth",
        created_at=now,
        expires_at=now + REFRESH_LASTS,
    )
    return key, token


async def _revoke_key_of(session: AsyncSession, grant: OAuthGrant, now: datetime) -> None:
    key = await session.get(CallerKey, grant.key_id)
    if key is not None:
        key.revoked_at = key.revoked_at or now


def _check_resource(resource: str | None, grant: OAuthGrant) -> None:
    """Hold that a client that names the address it wants to open means the one that it was allowed."""
    if resource is not None and resource != grant.resource:
        raise OAuthRefused("invalid_target", "This was allowed for another resource.")


def _not_valid(what: str, *, is_guess: bool = False) -> OAuthRefused:
    why = f"This {what} is not valid: it is unknown, used, expired, or not this client's."
    return OAuthRefused("invalid_grant", why, is_guess=is_guess)
