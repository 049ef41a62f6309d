"""Webhooks of deployments, and the outbox of what is sent to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import uuid4

from sqlalchemy import Connection, text
from sqlmodel import col, delete, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.deployments.webhooks import KEPT, RETRIES, EventKind, make_webhook_secret
from studio.errors import Conflict, NotFound
from studio.store.database import Database
from studio.store.deployment_tables import Call, Delivery, Deployment, Webhook
from studio.store.secrets import Secrets
from studio.store.sqlite import plain_connection

MAX_WEBHOOKS = 20
"""Of one deployment."""
LISTED = 100
CLAIM = timedelta(seconds=20)
"""How long a delivery belongs to who has claimed it: a little longer than a try may take. What a killed server was
about to send waits for so long; what is sent twice all the same has the same ID."""

# In the transaction that logs what happened, so that no event is lost, and none is told of that did not happen.
_ADD = (
    "INSERT INTO delivery (id, webhook_id, call_id, kind, at, next_at, attempts, is_delivered, answer) "
    "SELECT 'msg_' || w.id || '_' || c.id || '_' || :seq, w.id, c.id, :kind, {at}, {at}, 0, FALSE, '' "
    'FROM "call" AS c JOIN webhook AS w ON w.deployment_id = c.deployment_id '
    "WHERE c.id = :call_id AND w.is_on AND w.kinds LIKE :wanted"
)
_ADD_PLAINLY = _ADD.format(at=":at")
_ADD_TYPED = text(_ADD.format(at="CAST(:at AS TIMESTAMP WITH TIME ZONE)"))


class Due(NamedTuple):
    """A delivery that was claimed, and what is needed to send it."""

    delivery: Delivery
    webhook: Webhook
    call: Call
    deployment: Deployment


def add_deliveries(connection: Connection, at: object, events: Iterable[tuple[str, int, EventKind]]) -> None:
    """Put into the outbox what webhooks want to be told; runs that are no calls have none.

    Args:
        connection: In a transaction.
        at: The present time, as the connection takes it.
        events: Of runs: the ID, the entry of the log, and what it came to.
    """
    rows = [
        {"call_id": run_id, "seq": str(seq), "kind": kind, "at": at, "wanted": f"%,{kind},%"}
        for run_id, seq, kind in events
    ]
    if plain := plain_connection(connection):
        plain.executemany(_ADD_PLAINLY, rows)
    elif rows:
        connection.execute(_ADD_TYPED, rows)


class Webhooks:
    """All webhooks, by the names of their deployments."""

    def __init__(self, database: Database, secrets: Secrets) -> None:
        self._database = database
        self._secrets = secrets

    async def list(self, deployment_id: str) -> Sequence[Webhook]:
        """The oldest first."""
        query = select(Webhook).where(Webhook.deployment_id == deployment_id)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(Webhook.created_at), col(Webhook.id)))).all()

    async def get(self, deployment_id: str, webhook_id: str) -> Webhook:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _get(session, deployment_id, webhook_id)

    async def add(self, new: Webhook) -> tuple[Webhook, str]:
        """Keep one, and its secret, which is told this once.

        Raises:
            Conflict: The deployment has too many.
        """
        secret = make_webhook_secret()
        async with self._database.write() as session:
            new.encrypted_secret = self._secrets.encrypt(secret)  # within, so that no change of the key comes between
            others = await session.exec(select(Webhook.id).where(Webhook.deployment_id == new.deployment_id))
            if len(others.all()) >= MAX_WEBHOOKS:
                raise Conflict(f"A deployment has up to {MAX_WEBHOOKS} webhooks.", fix="Delete some of them.")
            session.add(new)
        return new, secret

    def secret_of(self, webhook: Webhook) -> str:
        """Raises: SetupError: It was encrypted with another key."""
        return self._secrets.decrypt(f"webhook {webhook.id}", webhook.encrypted_secret)

    async def change(
        self, deployment_id: str, webhook_id: str, *, is_on: bool | None, kinds: str | None, shows_answer: bool | None
    ) -> Webhook:
        """Change what is given.

        Raises:
            NotFound: The deployment has no such webhook.
        """
        async with self._database.write() as session:
            row = await _get(session, deployment_id, webhook_id)
            row.is_on = row.is_on if is_on is None else is_on
            row.kinds = row.kinds if kinds is None else kinds
            row.shows_answer = row.shows_answer if shows_answer is None else shows_answer
        return row

    async def delete(self, deployment_id: str, webhook_id: str) -> None:
        """Raises: NotFound."""
        async with self._database.write() as session:
            await session.delete(await _get(session, deployment_id, webhook_id))

    async def deliveries(self, deployment_id: str, limit: int = LISTED) -> Sequence[tuple[Delivery, Webhook]]:
        """The newest of a deployment, each with its webhook."""
        query = (
            select(Delivery, Webhook)
            .join(Webhook, col(Webhook.id) == col(Delivery.webhook_id))
            .where(Webhook.deployment_id == deployment_id)
            .order_by(col(Delivery.at).desc(), col(Delivery.id))
            .limit(limit)
        )
        async with self._database.read() as session:
            return [(delivery, webhook) for delivery, webhook in (await session.exec(query)).all()]

    async def send_again(self, deployment_id: str, delivery_id: str, now: datetime) -> Delivery:
        """Let a delivery be tried now, as often as a new one, under its ID.

        Raises:
            NotFound: The deployment has no such delivery.
        """
        async with self._database.write() as session:
            row = await session.get(Delivery, delivery_id)
            if row is None:
                raise NotFound(f"There is no delivery {delivery_id!r}.", fix="Deliveries are kept for seven days.")
            await _get(session, deployment_id, row.webhook_id)
            row.next_at, row.attempts, row.is_delivered = now, 0, False
        return row

    async def claim_due(self, now: datetime, limit: int) -> Sequence[Due]:
        """Deliveries that are due, each for this caller alone until `CLAIM` has passed."""
        due = (
            select(Delivery, Webhook, Call, Deployment)
            .join(Webhook, col(Webhook.id) == col(Delivery.webhook_id))
            .join(Call, col(Call.id) == col(Delivery.call_id))
            .join(Deployment, col(Deployment.id) == col(Webhook.deployment_id))
            .where(col(Delivery.next_at) <= now, col(Webhook.is_on))
            .order_by(col(Delivery.next_at))
            .limit(limit)
        )
        async with self._database.read() as session:
            found = [Due(*row) for row in (await session.exec(due)).all()]
        return [each for each in found if await self._claim(each.delivery, now)]

    async def _claim(self, delivery: Delivery, now: datetime) -> bool:
        """Whoever moves the time on from what both have read is the one."""
        seen = col(Delivery.id) == delivery.id, col(Delivery.next_at) == delivery.next_at
        async with self._database.write() as session:
            done = await session.exec(update(Delivery).where(*seen).values(next_at=now + CLAIM))
        return done.rowcount == 1

    async def settle(self, delivery: Delivery, now: datetime, *, status: int | None, answer: str) -> None:
        """Keep what came of a try: it is delivered, tried again later, or given up."""
        is_delivered, attempts = status is not None and 200 <= status < 300, delivery.attempts + 1
        gives_up = is_delivered or status == GONE or attempts > len(RETRIES)
        values = {
            "next_at": None if gives_up else now + RETRIES[attempts - 1],
            "attempts": attempts,
            "is_delivered": is_delivered,
            "status": status,
            "answer": answer,
        }
        async with self._database.write() as session:
            await session.exec(update(Delivery).where(col(Delivery.id) == delivery.id).values(**values))

    async def prune(self, now: datetime) -> None:
        """Forget what happened too long ago."""
        async with self._database.write() as session:
            await session.exec(delete(Delivery).where(col(Delivery.at) < now - KEPT))


GONE = 410
"""The receiver wants no more of this."""


async def _get(session: AsyncSession, deployment_id: str, webhook_id: str) -> Webhook:
    row = await session.get(Webhook, webhook_id)
    if row is None or row.deployment_id != deployment_id:
        raise NotFound(f"There is no webhook {webhook_id!r}.", fix="It may have been deleted in another tab.")
    return row


def new_webhook(
    deployment_id: str, address: str, kinds: Sequence[EventKind], *, shows_answer: bool, by: str, now: datetime
) -> Webhook:
    """One that is not kept yet."""
    return Webhook(
        id=uuid4().hex,
        deployment_id=deployment_id,
        address=address,
        encrypted_secret=b"",
        kinds=kinds_text(kinds),
        shows_answer=shows_answer,
        by=by,
        created_at=now,
    )


def kinds_text(kinds: Sequence[EventKind]) -> str:
    return f",{','.join(kinds)},"


def kinds_of(webhook: Webhook) -> Sequence[str]:
    return [kind for kind in webhook.kinds.split(",") if kind]
