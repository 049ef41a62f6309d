"""Deployments with their releases and the keys of their callers. See docs/design/deployments.md."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple
from uuid import uuid4

from sqlalchemy import func
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.deployments import NOBODYS, DeploymentSettings, KeyUse, make_key
from studio.errors import ConfigError, Conflict, NotFound
from studio.store.database import Database
from studio.store.deployment_tables import CallerKey, Deployment, Release
from studio.store.sign_ins import hash_of
from studio.store.tables import JsonObject, without

SEEN_EVERY = timedelta(hours=1)
"""Use of a key is written down no more often than that."""
MAX_RELEASES = 1_000
MAX_KEYS = 200
CHAT_PAGE = "Chat page"
SCHEDULES = "Schedules"
HOOKS = "Hooks"
KeyState = Literal["valid", "expired", "revoked"]


class NewRelease(NamedTuple):
    """What a release is made of. `component` holds references in place of secrets."""

    component: JsonObject
    team_revision: int
    note: str = ""
    by: str = ""


class OpenedDeployment(NamedTuple):
    """A key that holds, and what it opens; where a `thread` is given, nothing but that thread."""

    key: CallerKey
    deployment: Deployment
    thread: str = ""


class Deployments:
    """All deployments, by their names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self) -> Sequence[Deployment]:
        async with self._database.read() as session:
            return (await session.exec(select(Deployment).order_by(col(Deployment.name)))).all()

    async def get(self, name: str) -> Deployment:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _get(session, name)

    async def find(self, name: str) -> Deployment | None:
        """The deployment of that name, if there is one."""
        async with self._database.read() as session:
            return (await session.exec(select(Deployment).where(Deployment.name == name))).first()

    async def add(
        self,
        name: str,
        team_id: str,
        team_name: str,
        settings: DeploymentSettings,
        first: NewRelease,
        *,
        summary: str = "",
    ) -> Deployment:
        """Publish a team; its first release is live.

        Raises:
            Conflict: Another deployment has the name.
        """
        now = datetime.now(UTC)
        row = Deployment(
            id=uuid4().hex,
            name=name,
            team_id=team_id,
            team_name=team_name,
            summary=summary,
            settings=settings.model_dump(mode="json"),
            live=1,
            by=first.by,
            created_at=now,
        )
        async with self._database.write() as session:
            if (await session.exec(select(Deployment.id).where(Deployment.name == name))).first() is not None:
                raise Conflict(f"There is already a deployment {name!r}.", fix="Choose another name.", where="/name")
            session.add(row)
            await session.flush()
            session.add(Release(deployment_id=row.id, number=1, at=now, live_at=now, **first._asdict()))
        return row

    async def change(
        self,
        name: str,
        *,
        settings: DeploymentSettings | None = None,
        summary: str | None = None,
        is_on: bool | None = None,
    ) -> Deployment:
        """Change what is given.

        Raises:
            NotFound: There is no such deployment.
        """
        async with self._database.write() as session:
            row = await _get(session, name)
            row.settings = row.settings if settings is None else settings.model_dump(mode="json")
            row.summary = row.summary if summary is None else summary
            row.is_on = row.is_on if is_on is None else is_on
        return row

    async def delete(self, name: str) -> None:
        """Remove one with its keys and calls; the runs of these stay.

        Raises:
            NotFound: There is no such deployment.
        """
        async with self._database.write() as session:
            await session.delete(await _get(session, name))

    async def releases(self, deployment_id: str) -> Sequence[Release]:
        """All without their components, the newest first."""
        query = select(Release).where(Release.deployment_id == deployment_id).options(*without(Release.component))
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(Release.number).desc()).limit(MAX_RELEASES))).all()

    async def release(self, deployment_id: str, number: int) -> Release:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _release(session, deployment_id, number)

    async def add_release(self, name: str, new: NewRelease) -> Release:
        """Freeze another one; it goes live by `go_live` only.

        Raises:
            NotFound: There is no such deployment.
        """
        async with self._database.write() as session:
            deployment = await _get(session, name)
            newest = select(func.max(Release.number)).where(Release.deployment_id == deployment.id)
            number = ((await session.exec(newest)).one() or 0) + 1
            if number > MAX_RELEASES:
                raise Conflict(f"A deployment has up to {MAX_RELEASES} releases.", fix="Publish under another name.")
            row = Release(deployment_id=deployment.id, number=number, at=datetime.now(UTC), **new._asdict())
            session.add(row)
        return row

    async def go_live(self, name: str, number: int) -> Deployment:
        """Let new threads use this release from now on; older ones are rolled back to in the same way.

        It ends the canary, which was compared to what was live before.

        Raises:
            NotFound: There is no such deployment, or no such release.
        """
        async with self._database.write() as session:
            row = await _get(session, name)
            release = await _release(session, row.id, number)
            row.live, release.live_at = number, datetime.now(UTC)
            row.canary, row.canary_percent = None, 0
        return row

    async def send_to_canary(self, name: str, number: int | None, percent: int) -> Deployment:
        """Let so many of the new threads use another release than the live one; None ends that.

        Raises:
            NotFound: There is no such deployment, or no such release.
            ConfigError: The release is live.
        """
        async with self._database.write() as session:
            row = await _get(session, name)
            if number is not None:
                await _release(session, row.id, number)
            if number == row.live:
                raise ConfigError(
                    f"Release {number} is live: all new threads use it.", fix="Choose another one.", where="/number"
                )
            row.canary, row.canary_percent = number, percent if number is not None else 0
        return row

    async def keys(self, deployment_id: str) -> Sequence[CallerKey]:
        """All that were made, also those that no longer hold, the newest first."""
        query = select(CallerKey).where(CallerKey.deployment_id == deployment_id)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(CallerKey.created_at).desc(), col(CallerKey.id)))).all()

    async def add_key(
        self, name: str, label: str, lasts: timedelta | None, *, opens: KeyUse = "calls", by: str = ""
    ) -> tuple[CallerKey, str]:
        """A new key, which is told this once.

        Raises:
            NotFound: There is no such deployment.
            Conflict: It has too many.
        """
        key, ending = make_key(opens)
        now = datetime.now(UTC)
        async with self._database.write() as session:
            deployment = await _get(session, name)
            count = select(func.count()).select_from(CallerKey).where(CallerKey.deployment_id == deployment.id)
            is_valid = col(CallerKey.revoked_at).is_(None) & (
                col(CallerKey.expires_at).is_(None) | (col(CallerKey.expires_at) > now)
            )
            if (await session.exec(count.where(is_valid))).one() >= MAX_KEYS:
                raise Conflict(f"A deployment has up to {MAX_KEYS} valid keys.", fix="Revoke some of them.")
            row = CallerKey(
                id=uuid4().hex,
                deployment_id=deployment.id,
                label=label,
                key_hash=hash_of(key),
                ending=ending,
                opens=opens,
                by=by,
                created_at=now,
                expires_at=now + lasts if lasts else None,
            )
            session.add(row)
        return row, key

    async def chat_key(self, deployment: Deployment) -> CallerKey:
        """The key under which those chat who need no link. It is made when the first of them comes; nobody holds it."""
        return await self._key_of_nobody(deployment, "chat", CHAT_PAGE)

    async def schedule_key(self, deployment: Deployment) -> CallerKey:
        """The key that the calls of schedules belong to, made with the first of them."""
        return await self._key_of_nobody(deployment, "schedule", SCHEDULES)

    async def hook_key(self, deployment: Deployment) -> CallerKey:
        """The key that the calls of hooks belong to, made with the first of them."""
        return await self._key_of_nobody(deployment, "hook", HOOKS)

    async def _key_of_nobody(self, deployment: Deployment, opens: KeyUse, label: str) -> CallerKey:
        key_id = f"{opens}-{deployment.id}"
        async with self._database.read() as session:
            found = await session.get(CallerKey, key_id)
        if found is not None:
            return found
        key, ending = make_key()
        row = CallerKey(
            id=key_id,
            deployment_id=deployment.id,
            label=label,
            key_hash=hash_of(key),
            ending=ending,
            opens=opens,
            created_at=datetime.now(UTC),
        )
        with suppress(IntegrityError):  # another server was faster
            async with self._database.write() as session:
                session.add(row)
        return row

    async def revoke_key(self, name: str, key_id: str) -> None:
        """End a key for good.

        Raises:
            NotFound: The deployment has no such key.
        """
        async with self._database.write() as session:
            deployment, row = await _get(session, name), await session.get(CallerKey, key_id)
            if row is None or row.deployment_id != deployment.id or row.opens in NOBODYS:
                raise NotFound(f"There is no key {key_id!r}.")
            row.revoked_at = row.revoked_at or datetime.now(UTC)

    async def find_by_key(self, key: str, opens: KeyUse = "calls") -> OpenedDeployment | None:
        """What a key opens that was made for this use, unless it was revoked or has expired."""
        wanted = (
            select(CallerKey, Deployment)
            .join(Deployment, col(Deployment.id) == col(CallerKey.deployment_id))
            .where(CallerKey.key_hash == hash_of(key), CallerKey.opens == opens)
        )
        async with self._database.read() as session:
            found = (await session.exec(wanted)).first()
        now = datetime.now(UTC)
        if found is None or key_state(found[0], now) != "valid":
            return None
        row = found[0]
        if row.seen_at is None or now - row.seen_at > SEEN_EVERY:
            await self._mark_seen(row.id, now)
        return OpenedDeployment(*found)

    async def opened_by(self, key_id: str, deployment_id: str) -> OpenedDeployment | None:
        """The same for a key that is known by its ID."""
        async with self._database.read() as session:
            key, deployment = await session.get(CallerKey, key_id), await session.get(Deployment, deployment_id)
        if key is None or deployment is None or key.deployment_id != deployment_id:
            return None
        return OpenedDeployment(key, deployment) if key_state(key, datetime.now(UTC)) == "valid" else None

    async def holds(self, key_id: str) -> bool:
        """Whether a key still opens its deployment."""
        async with self._database.read() as session:
            row = await session.get(CallerKey, key_id)
        return row is not None and key_state(row, datetime.now(UTC)) == "valid"

    async def _mark_seen(self, key_id: str, now: datetime) -> None:
        async with self._database.write() as session:
            await session.exec(update(CallerKey).where(col(CallerKey.id) == key_id).values(seen_at=now))


async def _get(session: AsyncSession, name: str) -> Deployment:
    row = (await session.exec(select(Deployment).where(Deployment.name == name))).first()
    if row is None:
        raise NotFound(f"There is no deployment {name!r}.", fix="It may have been deleted in another tab.")
    return row


async def _release(session: AsyncSession, deployment_id: str, number: int) -> Release:
    # A number that no release can have is larger than the database takes.
    row = await session.get(Release, (deployment_id, number)) if 0 < number <= MAX_RELEASES else None
    if row is None:
        raise NotFound(f"There is no release {number}.")
    return row


def key_state(key: CallerKey, now: datetime) -> KeyState:
    """Whether it opens its deployment; one that was revoked stays so when it expires."""
    if key.revoked_at is not None:
        return "revoked"
    return "expired" if key.expires_at is not None and key.expires_at <= now else "valid"
