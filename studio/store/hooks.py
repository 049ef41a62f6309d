"""Hooks of deployments: addresses to which other services post. See docs/design/hooks.md."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.deployments.webhooks import make_webhook_secret
from studio.errors import Conflict, NotFound
from studio.store.database import Database
from studio.store.deployment_tables import Deployment, Hook
from studio.store.secrets import Secrets

MAX_HOOKS = 50
"""Of one deployment."""


class Hooks:
    """All hooks, by the IDs of their deployments."""

    def __init__(self, database: Database, secrets: Secrets) -> None:
        self._database = database
        self._secrets = secrets

    async def list(self, deployment_id: str) -> Sequence[Hook]:
        """The oldest first."""
        query = select(Hook).where(Hook.deployment_id == deployment_id)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(Hook.created_at), col(Hook.id)))).all()

    async def find(self, deployment: str, hook_id: str) -> tuple[Hook, Deployment] | None:
        """One of the deployment of that name, if there is one."""
        query = (
            select(Hook, Deployment)
            .join(Deployment, col(Deployment.id) == col(Hook.deployment_id))
            .where(Deployment.name == deployment, Hook.id == hook_id)
        )
        async with self._database.read() as session:
            found = (await session.exec(query)).first()
        return (found[0], found[1]) if found else None

    async def add(self, new: Hook) -> tuple[Hook, str]:
        """Keep one, and its secret, which is told this once.

        Raises:
            Conflict: The deployment has too many.
        """
        secret = make_webhook_secret()
        async with self._database.write() as session:
            new.encrypted_secret = self._secrets.encrypt(secret)  # within, so that no change of the key comes between
            others = await session.exec(select(Hook.id).where(Hook.deployment_id == new.deployment_id))
            if len(others.all()) >= MAX_HOOKS:
                raise Conflict(f"A deployment has up to {MAX_HOOKS} hooks.", fix="Delete some of them.")
            session.add(new)
        return new, secret

    def secret_of(self, hook: Hook) -> str:
        """Raises: SetupError: It was encrypted with another key."""
        return self._secrets.decrypt(f"hook {hook.id}", hook.encrypted_secret)

    async def change(
        self,
        deployment_id: str,
        hook_id: str,
        *,
        label: str | None = None,
        task: str | None = None,
        is_on: bool | None = None,
    ) -> Hook:
        """Change what is given.

        Raises:
            NotFound: The deployment has no such hook.
        """
        async with self._database.write() as session:
            row = await _get(session, deployment_id, hook_id)
            row.label = row.label if label is None else label
            row.task = row.task if task is None else task
            row.is_on = row.is_on if is_on is None else is_on
        return row

    async def delete(self, deployment_id: str, hook_id: str) -> None:
        """Its calls stay.

        Raises:
            NotFound: The deployment has no such hook.
        """
        async with self._database.write() as session:
            await session.delete(await _get(session, deployment_id, hook_id))


async def _get(session: AsyncSession, deployment_id: str, hook_id: str) -> Hook:
    row = await session.get(Hook, hook_id)
    if row is None or row.deployment_id != deployment_id:
        raise NotFound(f"There is no hook {hook_id!r}.", fix="It may have been deleted in another tab.")
    return row
